//! Pre-tokenizers on lists of pieces.

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

/// A piece, and whether it starts where the text starts; nobody knows where something stands that a stage has
/// rewritten.
#[derive(Debug, Clone)]
pub(super) struct Piece {
    pub text: String,
    pub at_start: Option<bool>,
}

pub(super) fn pre_tokenize(spec: &PreTokenizerSpec, pieces: Vec<Piece>) -> Outcome<Vec<Piece>> {
    if let PreTokenizerSpec::Sequence(stages) = spec {
        let mut pieces = pieces;
        for stage in stages {
            pieces = pre_tokenize(stage, pieces)?;
        }
        return Ok(pieces);
    }
    let mut out = Vec::new();
    for piece in pieces {
        if !piece.text.is_empty() {
            one(spec, piece, &mut out)?;
        }
    }
    out.retain(|piece| !piece.text.is_empty());
    Ok(out)
}

fn one(spec: &PreTokenizerSpec, piece: Piece, out: &mut Vec<Piece>) -> Outcome<()> {
    let text = piece.text.as_str();
    let mut cut = |ranges: Vec<(usize, usize)>| {
        out.extend(ranges.into_iter().map(|(start, end)| Piece {
            text: text[start..end].to_string(),
            at_start: piece.at_start.map(|at_start| at_start && start == 0),
        }));
    };
    match spec {
        PreTokenizerSpec::Bert => {
            for (start, end) in split(text, &chars(text, char::is_whitespace), SplitBehavior::Removed, false)
            {
                let cuts = chars(&text[start..end], is_punctuation);
                let parts = split(&text[start..end], &cuts, SplitBehavior::Isolated, false);
                cut(parts.into_iter().map(|part| (start + part.0, start + part.1)).collect());
            }
        }
        PreTokenizerSpec::Whitespace => {
            cut(WORDS.find_iter(text).map(|word| (word.start(), word.end())).collect())
        }
        PreTokenizerSpec::WhitespaceSplit => {
            cut(split(text, &chars(text, char::is_whitespace), SplitBehavior::Removed, false));
        }
        PreTokenizerSpec::CharDelimiter { delimiter } => {
            cut(split(text, &chars(text, |c| c == *delimiter), SplitBehavior::Removed, false));
        }
        PreTokenizerSpec::Digits { individual } => {
            let behavior = if *individual { SplitBehavior::Isolated } else { SplitBehavior::Contiguous };
            cut(split(text, &chars(text, char::is_numeric), behavior, false));
        }
        PreTokenizerSpec::FixedLength { length } => {
            let mut starts: Vec<usize> = text.char_indices().map(|(at, _)| at).step_by(*length).collect();
            starts.push(text.len());
            cut(starts.windows(2).map(|pair| (pair[0], pair[1])).collect());
        }
        PreTokenizerSpec::Punctuation { behavior } => {
            cut(split(text, &chars(text, is_punctuation), *behavior, false))
        }
        PreTokenizerSpec::Split { pattern, behavior, invert } => {
            cut(split(text, &matches(pattern, text)?, *behavior, *invert));
        }
        PreTokenizerSpec::Metaspace { replacement, prepend, split: cuts } => {
            let prepends = match prepend {
                PrependScheme::Always => true,
                PrependScheme::First => piece.at_start.ok_or(Failure::NoAnswer)?,
                PrependScheme::Never => false,
            };
            let mut text = text.replace(' ', &replacement.to_string());
            if prepends && !text.starts_with(*replacement) {
                text.insert(0, *replacement);
            }
            let ranges = if *cuts {
                split(&text, &chars(&text, |c| c == *replacement), SplitBehavior::MergedWithNext, false)
            } else {
                vec![(0, text.len())]
            };
            out.extend(ranges.into_iter().map(|range| rewritten(&text[range.0..range.1])));
        }
        PreTokenizerSpec::ByteLevel { add_prefix_space, use_regex, trim_offsets: _ } => {
            let prefix = if *add_prefix_space && !text.starts_with(' ') { " " } else { "" };
            let text = format!("{prefix}{text}");
            let ranges = if *use_regex {
                split(&text, &all(&GPT2_MATCHER, &text)?, SplitBehavior::Isolated, false)
            } else {
                vec![(0, text.len())]
            };
            out.extend(
                ranges
                    .into_iter()
                    .map(|range| rewritten(&bytes_to_alphabet(&text.as_bytes()[range.0..range.1]))),
            );
        }
        _ => return Err(Failure::NoAnswer),
    }
    Ok(())
}

fn rewritten(text: &str) -> Piece {
    Piece { text: text.to_string(), at_start: None }
}

fn is_punctuation(c: char) -> bool {
    c.is_ascii_punctuation() || PUNCTUATION.is_match(&c.to_string())
}

fn chars(text: &str, wanted: impl Fn(char) -> bool) -> Vec<(usize, usize)> {
    text.char_indices().filter(|(_, c)| wanted(*c)).map(|(at, c)| (at, at + c.len_utf8())).collect()
}

/// All segments, matches and gaps, then joined or dropped as the behaviour says.
fn split(
    text: &str,
    matches: &[(usize, usize)],
    behavior: SplitBehavior,
    invert: bool,
) -> Vec<(usize, usize)> {
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
    joined
}
