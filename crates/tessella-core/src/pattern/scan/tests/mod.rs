//! The scanner against the engines that define the dialects.

mod ahead;
mod classes;
mod fourfold;
mod masks;
mod named;
mod random_patterns;
mod speed;

use super::Scanner;
use crate::random::Random;
use crate::spec::Dialect;

/// Start, end, whether it is a match.
type Piece = (usize, usize, bool);

/// The slow truth.
enum Engine {
    Oniguruma(onig::Regex),
    Fancy(Box<fancy_regex::Regex>),
}

impl Engine {
    fn new(source: &str, dialect: Dialect) -> Option<Engine> {
        match dialect {
            Dialect::Oniguruma => onig::Regex::new(source).ok().map(Engine::Oniguruma),
            Dialect::Fancy => {
                fancy_regex::Regex::new(source).ok().map(|regex| Engine::Fancy(Box::new(regex)))
            }
        }
    }

    /// Nothing if the engine gives up on backtracking, which the scanner never does.
    fn pieces(&self, text: &str) -> Option<Vec<Piece>> {
        let matches: Vec<(usize, usize)> = match self {
            Engine::Oniguruma(regex) => oniguruma_matches(regex, text)?,
            Engine::Fancy(regex) => regex
                .find_iter(text)
                .map(|found| found.map(|m| (m.start(), m.end())))
                .collect::<Result<_, _>>()
                .ok()?,
        };
        let mut pieces = Vec::new();
        let mut covered = 0;
        for (start, end) in matches {
            if covered < start {
                pieces.push((covered, start, false));
            }
            pieces.push((start, end, true));
            covered = end;
        }
        if covered < text.len() {
            pieces.push((covered, text.len(), false));
        }
        Some(pieces)
    }

    fn find_at(&self, text: &str, at: usize) -> Option<Option<(usize, usize)>> {
        match self {
            Engine::Oniguruma(regex) => oniguruma_search(regex, text, at),
            Engine::Fancy(regex) => {
                regex.find_from_pos(text, at).ok().map(|found| found.map(|m| (m.start(), m.end())))
            }
        }
    }
}

/// A search that gives up early on patterns that backtrack without end.
fn oniguruma_search(regex: &onig::Regex, text: &str, at: usize) -> Option<Option<(usize, usize)>> {
    let mut region = onig::Region::new();
    let mut limits = onig::MatchParam::default();
    limits.set_retry_limit_in_match(200_000);
    let options = onig::SearchOptions::SEARCH_OPTION_NONE;
    let found = regex.search_with_param(text, at, text.len(), options, Some(&mut region), limits).ok()?;
    Some(found.and_then(|_| region.pos(0)))
}

/// What `find_iter` gives, which panics where the engine gives up.
fn oniguruma_matches(regex: &onig::Regex, text: &str) -> Option<Vec<(usize, usize)>> {
    let mut matches: Vec<(usize, usize)> = Vec::new();
    let mut at = 0;
    while at <= text.len() {
        let Some((start, end)) = oniguruma_search(regex, text, at)? else { break };
        if start == end && matches.last().is_some_and(|last| last.1 == end) {
            at += text[at..].chars().next().map_or(1, char::len_utf8);
            continue;
        }
        matches.push((start, end));
        at = end;
    }
    Some(matches)
}

fn pieces(scanner: &Scanner, text: &str) -> Vec<Piece> {
    let mut pieces = Vec::new();
    scanner.for_each_piece(text, |start, end, is_match| pieces.push((start, end, is_match)));
    pieces
}

/// Compares every way to run the scanner with the engine on one text.
fn check(source: &str, scanner: &Scanner, engine: &Engine, text: &str) -> Result<(), String> {
    let Some(wanted) = engine.pieces(text) else { return Ok(()) };
    let found = pieces(scanner, text);
    if found != wanted {
        return Err(format!("{source:?} on {text:?}: found {found:?}, wanted {wanted:?}"));
    }
    if scanner.table.total && found.iter().any(|piece| !piece.2) {
        return Err(format!("{source:?} on {text:?}: a gap in a pattern that covers everything"));
    }
    for (at, _) in text.char_indices().chain([(text.len(), ' ')]).step_by(3) {
        let Some(wanted) = engine.find_at(text, at) else { continue };
        let found = scanner.find_at(text, at);
        if found != wanted {
            return Err(format!("{source:?} from {at} in {text:?}: found {found:?}, wanted {wanted:?}"));
        }
        let anchored = found.filter(|(start, _)| *start == at).map(|(_, end)| end);
        if scanner.next_end(text, at) != anchored {
            return Err(format!("{source:?} at {at} in {text:?}: next_end differs from find_at"));
        }
    }
    Ok(())
}

/// Characters of every kind that a splitting pattern can tell apart.
#[rustfmt::skip]
const PALETTE: &[&str] = &[
    "a", "b", "s", "S", "t", "T", "l", "L", "r", "e", "v", "E", "d", "m", "D", "M", "Z", "k", "K", "f", "i",
    "é", "É", "ß", "ẞ", "ſ", "\u{212A}", "İ", "ı", "ﬀ", "ﬁ", "ǅ", "ʰ", "ª", "Σ", "ς", "я", "Я", "א", "ع",
    "ก", "你", "好", "龥", "龦", "あ", "ア", "ー", "가", "\u{301}", "\u{903}", "\u{20DD}", "\u{FE0F}", "0", "1",
    "7", "٣", "Ⅳ", "²", "½", " ", " ", " ", "  ", "\t", "\n", "\n", "\r", "\r\n", "\u{B}", "\u{C}",
    "\u{85}", "\u{A0}", "\u{1680}", "\u{2003}", "\u{2028}", "\u{3000}", "\u{180E}", "\u{200B}", "\u{FEFF}",
    "\u{1C}", "\0", "\u{7F}", "'", "'", "’", "\"", ".", ",", "!", "?", "-", "_", "/", "\\", "(", ")", "[",
    "]", "{", "}", "<", "|", ">", "$", "+", "=", "^", "`", "~", "*", "&", "#", "@", "%", ":", ";", "€", "√",
    "—", "«", "、", "。", "，", "😀", "👍🏽", "\u{200D}", "\u{200C}", "\u{AD}", "\u{378}", "\u{E000}",
    "\u{10FFFF}", "𝒜", "𐐀", "'s", "'S", "'ſ", "'ll", "'RE", "don't", "I'M", "123", "<|startoftext|>",
    "<|endoftext|>", "\u{1FAE8}", "\u{10D40}", "\u{16E80}",
];

/// A number from the environment, to make a run bigger by hand.
fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(default)
}

fn below(random: &mut Random, limit: usize) -> usize {
    (random.next_u64() % limit as u64) as usize
}

/// A text of up to `most` pieces; often from few distinct ones, so that runs happen.
fn random_text(random: &mut Random, most: usize) -> String {
    let length = below(random, most + 1);
    let narrow = below(random, 3) > 0;
    let few: Vec<&str> = (0..2 + below(random, 5)).map(|_| PALETTE[below(random, PALETTE.len())]).collect();
    (0..length)
        .map(|_| if narrow { few[below(random, few.len())] } else { PALETTE[below(random, PALETTE.len())] })
        .collect()
}
