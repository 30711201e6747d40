//! Pre-tokenizers on lists of strings.

use std::sync::LazyLock;

use regex::Regex;
use tessella_core::pattern::Matcher;
use tessella_core::pretokenize::byte_alphabet::bytes_to_alphabet;
use tessella_core::spec::{Dialect, Pattern, PreTokenizerSpec, PrependScheme, SplitBehavior};

use super::{Failure, Outcome, all, matches};

const GPT2: &str = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+";

static WORDS: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"\w+|[^\w\s]+").expect("a fixed pattern"));
static PUNCTUATION: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"\p{P}").expect("a fixed pattern"));
static GPT2_MATCHER: LazyLock<Matcher> = LazyLock::new(|| {
    let pattern = Pattern::Regex { source: GPT2.to_string(), dialect: Dialect::Oniguruma };
    Matcher::exact(&pattern).expect("a fixed pattern")
});

pub(super) fn pre_tokenize(spec: &PreTokenizerSpec, pieces: Vec<String>) -> Outcome<Vec<String>> {
    let mut out = Vec::new();
    if let PreTokenizerSpec::Sequence(stages) = spec {
        let mut pieces = pieces;
        for stage in stages {
            pieces = pre_tokenize(stage, pieces)?;
        }
        return Ok(pieces);
    }
    for piece in pieces {
        one(spec, piece, &mut out)?;
    }
    out.retain(|piece| !piece.is_empty());
    Ok(out)
}

fn one(spec: &PreTokenizerSpec, piece: String, out: &mut Vec<String>) -> Outcome<()> {
    if piece.is_empty() {
        return Ok(());
    }
    match spec {
        PreTokenizerSpec::Bert => {
            for word in split(&piece, &chars(&piece, char::is_whitespace), SplitBehavior::Removed, false) {
                let cuts = chars(&word, is_punctuation);
                out.extend(split(&word, &cuts, SplitBehavior::Isolated, false));
            }
        }
        PreTokenizerSpec::Whitespace => {
            out.extend(WORDS.find_iter(&piece).map(|word| word.as_str().to_string()));
        }
        PreTokenizerSpec::WhitespaceSplit => {
            out.extend(split(&piece, &chars(&piece, char::is_whitespace), SplitBehavior::Removed, false));
        }
        PreTokenizerSpec::CharDelimiter { delimiter } => {
            out.extend(split(&piece, &chars(&piece, |c| c == *delimiter), SplitBehavior::Removed, false));
        }
        PreTokenizerSpec::Digits { individual } => {
            let behavior = if *individual { SplitBehavior::Isolated } else { SplitBehavior::Contiguous };
            out.extend(split(&piece, &chars(&piece, char::is_numeric), behavior, false));
        }
        PreTokenizerSpec::FixedLength { length } => {
            let chars: Vec<char> = piece.chars().collect();
            out.extend(chars.chunks(*length).map(|chunk| chunk.iter().collect::<String>()));
        }
        PreTokenizerSpec::Punctuation { behavior } => {
            out.extend(split(&piece, &chars(&piece, is_punctuation), *behavior, false));
        }
        PreTokenizerSpec::Metaspace { replacement, prepend, split: cuts } => {
            let mut text = piece.replace(' ', &replacement.to_string());
            match prepend {
                PrependScheme::Always if !text.starts_with(*replacement) => text.insert(0, *replacement),
                // Needs to know where the piece stood in the original.
                PrependScheme::First => return Err(Failure::NoAnswer),
                _ => {}
            }
            if *cuts {
                let places = chars(&text, |c| c == *replacement);
                out.extend(split(&text, &places, SplitBehavior::MergedWithNext, false));
            } else {
                out.push(text);
            }
        }
        PreTokenizerSpec::Split { pattern, behavior, invert } => {
            out.extend(split(&piece, &matches(pattern, &piece)?, *behavior, *invert));
        }
        PreTokenizerSpec::ByteLevel { add_prefix_space, use_regex, trim_offsets: _ } => {
            let text = if *add_prefix_space && !piece.starts_with(' ') { format!(" {piece}") } else { piece };
            let pieces = if *use_regex {
                split(&text, &all(&GPT2_MATCHER, &text)?, SplitBehavior::Isolated, false)
            } else {
                vec![text]
            };
            out.extend(pieces.iter().map(|piece| bytes_to_alphabet(piece.as_bytes())));
        }
        _ => return Err(Failure::NoAnswer),
    }
    Ok(())
}

fn is_punctuation(c: char) -> bool {
    c.is_ascii_punctuation() || PUNCTUATION.is_match(&c.to_string())
}

fn chars(text: &str, wanted: impl Fn(char) -> bool) -> Vec<(usize, usize)> {
    text.char_indices().filter(|(_, c)| wanted(*c)).map(|(at, c)| (at, at + c.len_utf8())).collect()
}

/// All segments, matches and gaps, then joined or dropped as the behaviour says.
fn split(text: &str, matches: &[(usize, usize)], behavior: SplitBehavior, invert: bool) -> Vec<String> {
    let mut segments: Vec<(usize, usize, bool)> = Vec::new();
    let mut done = 0;
    for &(start, end) in matches {
        if done < start {
            segments.push((done, start, false));
        }
        segments.push((start, end, true));
        done = end;
    }
    if done < text.len() {
        segments.push((done, text.len(), false));
    }
    for segment in &mut segments {
        segment.2 ^= invert;
    }
    let mut joined: Vec<(usize, usize)> = Vec::new();
    let mut before = false;
    match behavior {
        SplitBehavior::Isolated => joined = segments.iter().map(|s| (s.0, s.1)).collect(),
        SplitBehavior::Removed => joined = segments.iter().filter(|s| !s.2).map(|s| (s.0, s.1)).collect(),
        SplitBehavior::Contiguous => {
            for &(start, end, is_match) in &segments {
                match joined.last_mut() {
                    Some(last) if is_match == before => last.1 = end,
                    _ => joined.push((start, end)),
                }
                before = is_match;
            }
        }
        SplitBehavior::MergedWithPrevious => {
            for &(start, end, is_match) in &segments {
                match joined.last_mut() {
                    Some(last) if is_match && !before => last.1 = end,
                    _ => joined.push((start, end)),
                }
                before = is_match;
            }
        }
        SplitBehavior::MergedWithNext => {
            for &(start, end, is_match) in segments.iter().rev() {
                match joined.last_mut() {
                    Some(last) if is_match && !before => last.0 = start,
                    _ => joined.push((start, end)),
                }
                before = is_match;
            }
            joined.reverse();
        }
    }
    joined.into_iter().map(|(start, end)| text[start..end].to_string()).collect()
}
