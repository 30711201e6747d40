//! Four places in turn against the automaton step by step, and several patterns in a row against one after the other.

use super::super::{Borders, Joint, Link, MaskedPieces, Scanner};
use super::masks::PARTS;
use super::named;
use crate::lanes::Bounds;
use crate::lanes::vectors::Level;
use crate::random::Random;
use crate::spec::Dialect;

fn by_steps(scanner: &Scanner, text: &str) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    scanner.for_each_piece_by_steps(text, |start, end, _| found.push((start, end)));
    found
}

fn found(mut pieces: MaskedPieces<'_>, level: Level) -> Vec<(usize, usize)> {
    let (mut found, mut bounds, mut more) = (Vec::new(), Bounds::default(), true);
    while more {
        bounds.go_on();
        more = pieces.fill(level, &mut bounds);
        found.extend(
            bounds.starts().iter().zip(bounds.ends()).map(|(&start, &end)| (start as usize, end as usize)),
        );
    }
    found
}

/// Texts of a few parts each, short and long, some with long runs.
fn texts(seed: u64, count: usize) -> impl Iterator<Item = String> {
    let mut random = Random::from_seed(seed);
    (0..count).map(move |round| {
        let mut below = |bound: usize| (random.next_u64() % bound as u64) as usize;
        let few: Vec<&str> = (0..1 + below(12)).map(|_| PARTS[below(PARTS.len())]).collect();
        let longest = if round % 7 == 0 { 700 } else { 4 };
        let most = [30, 100, 3000][round % 3];
        let mut text = String::new();
        for _ in 0..below(most) {
            let part = few[below(few.len())];
            text.extend(std::iter::repeat_n(part, 1 + below(longest) * usize::from(below(9) == 0)));
        }
        text
    })
}

#[test]
fn four_places_find_the_pieces_of_one() {
    let mut tried = Vec::new();
    for (number, (name, dialect, source)) in named::patterns().into_iter().enumerate() {
        let Ok(scanner) = Scanner::compile(&source, dialect).unwrap() else { continue };
        // Of the families as well, which have masks instead.
        let Ok(alone) = Joint::new(&[Link::isolated(source.as_str().into(), dialect)]) else { continue };
        tried.push(name);
        for text in texts(number as u64, 40) {
            let expected = by_steps(&scanner, &text);
            for level in Level::all() {
                let found = found(alone.pieces(&text).unwrap(), level);
                assert!(found == expected, "{name} {dialect:?} {} {text:?}", level.name());
            }
        }
    }
    for name in ["gpt2", "cl100k", "llama3", "qwen2", "o200k", "kimi", "deepseek-v3 digits", "word edges"] {
        assert!(tried.contains(&name), "{name} {tried:?}");
    }
}

/// What is looked at: a pattern's pieces, and their pieces by the next, and so on.
fn one_after_the_other(scanners: &[Scanner], text: &str) -> Vec<(usize, usize)> {
    let mut pieces = vec![(0, text.len())];
    for scanner in scanners {
        pieces = pieces
            .into_iter()
            .flat_map(|(from, to)| {
                by_steps(scanner, &text[from..to])
                    .into_iter()
                    .map(move |(start, end)| (from + start, from + end))
            })
            .collect();
    }
    pieces
}

const GPT2: &str = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+";
const LLAMA3: &str = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+";

fn link(source: &str) -> Link<'_> {
    Link::isolated(source.into(), Dialect::Oniguruma)
}

#[test]
fn several_patterns_are_one() {
    let rows: &[&[&str]] = &[
        &[r"\p{N}{1,3}", GPT2],
        &[r"\p{N}", LLAMA3],
        &["\n", r"\p{N}{1,2}", LLAMA3],
        &[LLAMA3, r"\p{N}", GPT2],
        // DeepSeek Coder, DeepSeek LLM (whose third class and fifth overlap with white space), Chameleon, Falcon.
        &[r"[\r\n]", r"\s?\p{L}+", r"\s?\p{P}+", "[一-龥ࠀ-一가-\u{d7ff}]+", r"\p{N}"],
        &[
            r"[\r\n]",
            r"\s?[\p{Lu}\p{Ll}\p{Lt}]+",
            "\\s?[!-/:-~！-／：-～‘-‟\u{3000}-。]+",
            r"\s+$",
            "[一-龥ࠀ-一가-\u{d7ff}]+",
            r"\p{N}",
        ],
        &["<s:[0-9]+>", "(II)((A|B|C){1,4})Z", r"([\t\n]|    |  )", r"\p{N}", r"\p{P}", GPT2],
        &[r"\p{P}+", GPT2, r"\p{N}+", "[0-9][0-9][0-9]"],
        &[r"\s+$", r"a+b|\s+x", r"\s"],
        &[
            r"\p{N}{1,3}",
            r"[一-龥぀-ゟ゠-ヿ]+",
            r##"[!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"##,
        ],
    ];
    for (number, row) in rows.iter().enumerate() {
        let scanners: Vec<Scanner> =
            row.iter().map(|source| Scanner::compile(source, Dialect::Oniguruma).unwrap().unwrap()).collect();
        let joint = Joint::new(&row.iter().map(|&source| link(source)).collect::<Vec<_>>()).unwrap();
        for text in texts(100 + number as u64, 120) {
            let expected = one_after_the_other(&scanners, &text);
            for level in Level::all() {
                let found = found(joint.pieces(&text).unwrap(), level);
                assert!(found == expected, "{row:?} {} {text:?}", level.name());
            }
        }
    }
}

/// A pattern that may fail far behind its start is followed as well; what has no bounds is left alone and says so.
#[test]
fn what_does_not_fit_is_left_alone() {
    let told = |source: &str| Scanner::compile(source, Dialect::Fancy).unwrap().unwrap().explain();
    for source in ["a+b", " *x| +y| z", "aab|x", "aaaab|aac", r"\s+$", r"\s+$|\s+x"] {
        assert!(told(source).contains("four places"), "{source}: {}", told(source));
    }
    assert!(told("a*b|a").contains("too many ends wait"), "{}", told("a*b|a"));
    assert!(told("x?").contains("some match is empty"), "{}", told("x?"));
    for source in ["a*b|a", "a+b", " *x| +y| z", "x?", "aab|x", "aaaab|aac", r"\s+$", r"\s+$|\s+x"] {
        let scanner = Scanner::compile(source, Dialect::Fancy).unwrap().unwrap();
        let mut random = Random::from_seed(5);
        for round in 0..200 {
            let text: String = (0..64 + round)
                .map(|_| char::from(b"aabbxyzc  \n"[(random.next_u64() % 11) as usize]))
                .collect();
            let Some(pieces) = scanner.masked(&text) else { continue };
            assert_eq!(by_steps(&scanner, &text), found(pieces, Level::best()), "{source} {text:?}");
        }
    }
}

/// Rows of small patterns that begin, fail and look around in all ways, whatever becomes of their matches.
#[test]
fn rows_of_any_patterns_are_one() {
    const SMALL: [&str; 20] = [
        "a+b",
        "a*b|a",
        "ab|a",
        r"\s+$",
        "a{1,3}",
        "b+",
        "[ab]c?",
        "(?<=a)b",
        "c$",
        "^a+",
        "a(?!b)",
        r"\bab*",
        "aab|x",
        "aaaab|aac",
        r"\s?a+",
        "[^a]+",
        r"\s+(?!\S)|\s+",
        "(?:ab)+c|b",
        r"^\s+|c\s+",
        "é+a?",
    ];
    let mut random = Random::from_seed(11);
    let mut below = |bound: usize| (random.next_u64() % bound as u64) as usize;
    let (mut joined, mut compared) = (0, 0);
    for _ in 0..400 {
        let row: Vec<(&str, Borders)> = (0..1 + below(5))
            .map(|_| {
                let mut is = || below(4) != 0;
                let borders = Borders { before_match: is(), behind_match: is(), between_matches: is() };
                (SMALL[below(SMALL.len())], borders)
            })
            .collect();
        let links: Vec<Link> =
            row.iter().map(|&(source, borders)| Link { borders, ..link(source) }).collect();
        let Ok(joint) = Joint::new(&links) else { continue };
        joined += 1;
        let scanners: Vec<(Scanner, Borders)> = row
            .iter()
            .map(|&(source, borders)| {
                (Scanner::compile(source, Dialect::Oniguruma).unwrap().unwrap(), borders)
            })
            .collect();
        for round in 0..30 {
            let few: Vec<&str> =
                (0..1 + below(6)).map(|_| ["a", "b", "c", " ", "\n", "é", "x"][below(7)]).collect();
            let text: String = (0..below([12, 90, 900][round % 3])).map(|_| few[below(few.len())]).collect();
            let expected = cut_in_a_row(&scanners, &text);
            for level in Level::all() {
                let found = found(joint.pieces(&text).unwrap(), level);
                assert!(found == expected, "{row:?} {} {text:?} {found:?} {expected:?}", level.name());
            }
            compared += 1;
        }
    }
    assert!(joined > 200 && compared > 6000, "{joined} {compared}");
}

fn cut_in_a_row(scanners: &[(Scanner, Borders)], text: &str) -> Vec<(usize, usize)> {
    let mut pieces = vec![(0, text.len())];
    for (scanner, borders) in scanners {
        let mut cut: Vec<(usize, usize)> = Vec::new();
        for (from, to) in pieces {
            let mut before = None;
            scanner.for_each_piece_by_steps(&text[from..to], |start, end, is_match| {
                let is_border = match (before.replace(is_match), is_match) {
                    (None, _) => true,
                    (Some(false), _) => borders.before_match,
                    (Some(true), false) => borders.behind_match,
                    (Some(true), true) => borders.between_matches,
                };
                match cut.last_mut() {
                    Some(last) if !is_border => last.1 = from + end,
                    _ => cut.push((from + start, from + end)),
                }
            });
        }
        pieces = cut;
    }
    pieces
}

/// A megabyte of blanks, of which nobody knows what they are before the end.
#[test]
fn one_end_waits_for_a_million_blanks() {
    let row = [r"[\r\n]", r"\s?\p{L}+", r"\s+$", r"\s*x"];
    let joint = Joint::new(&row.map(link)).unwrap();
    for end in ["a", "©", ""] {
        let text = format!("©{}{end}", " ".repeat(1 << 20));
        let scanners = row.map(|source| Scanner::compile(source, Dialect::Oniguruma).unwrap().unwrap());
        let found = found(joint.pieces(&text).unwrap(), Level::best());
        assert_eq!(found, one_after_the_other(&scanners, &text), "{end}");
    }
}

/// With every stage there are more guesses about one character: a row of many is refused before they fill memory.
#[test]
fn many_stages_that_guess_are_no_automaton() {
    let links = |count: usize| -> Vec<Link<'_>> {
        (0..count).map(|_| Link::isolated("a+b|ab*c".into(), Dialect::Oniguruma)).collect()
    };
    assert!(Joint::new(&links(2)).is_ok());
    assert_eq!(Joint::new(&links(40)).unwrap_err(), "too much may be at once");
}
