//! Decoders that look at the text of each token alone.

use std::ops::Range;

use crate::error::Result;
use crate::limits;
use crate::pattern::Matcher;

pub(super) fn bpe(tokens: Vec<String>, suffix: &str) -> Vec<String> {
    let last = tokens.len().saturating_sub(1);
    let decode = |(index, token): (usize, String)| {
        if !token.contains(suffix) {
            return token;
        }
        token.replace(suffix, if index == last { "" } else { " " })
    };
    tokens.into_iter().enumerate().map(decode).collect()
}

pub(super) fn word_piece(tokens: Vec<String>, prefix: &str, clean: bool) -> Vec<String> {
    let decode = |(index, token): (usize, String)| {
        let joined = if index == 0 {
            token
        } else if let Some(rest) = token.strip_prefix(prefix) {
            rest.to_owned()
        } else {
            let mut spaced = String::with_capacity(token.len() + 1);
            spaced.push(' ');
            spaced.push_str(&token);
            spaced
        };
        if clean { cleanup(joined) } else { joined }
    };
    tokens.into_iter().enumerate().map(decode).collect()
}

/// English clean-up in the order in which it is applied: one rule sees what the one before it left.
const CLEANUP: [(&str, &str); 11] = [
    (" .", "."),
    (" ?", "?"),
    (" !", "!"),
    (" ,", ","),
    (" ' ", "'"),
    (" n't", "n't"),
    (" 'm", "'m"),
    (" do not", " don't"),
    (" 's", "'s"),
    (" 've", "'ve"),
    (" 're", "'re"),
];

/// Takes the spaces away that splitting put before punctuation and contractions, within one token.
fn cleanup(token: String) -> String {
    // Every rule begins with a space and one of these; a token without such a pair stays as it is.
    let touched = token
        .as_bytes()
        .windows(2)
        .any(|two| two[0] == b' ' && matches!(two[1], b'.' | b'?' | b'!' | b',' | b'\'' | b'n' | b'd'));
    if !touched {
        return token;
    }
    let mut text = token;
    for (from, to) in CLEANUP {
        if text.contains(from) {
            text = text.replace(from, to);
        }
    }
    text
}

pub(super) fn metaspace(tokens: Vec<String>, replacement: char, keep_first: bool) -> Vec<String> {
    let decode = |(index, token): (usize, String)| {
        if !token.contains(replacement) {
            return token;
        }
        token.replace(replacement, if index == 0 && !keep_first { "" } else { " " })
    };
    tokens.into_iter().enumerate().map(decode).collect()
}

pub(super) fn ctc(mut tokens: Vec<String>, pad: &str, delimiter: &str, clean: bool) -> Vec<String> {
    tokens.dedup();
    let decode = |token: String| {
        let mut text = if token.contains(pad) { token.replace(pad, "") } else { token };
        if clean {
            text = cleanup(text);
            if text.contains(delimiter) {
                text = text.replace(delimiter, " ");
            }
        }
        (!text.is_empty()).then_some(text)
    };
    tokens.into_iter().filter_map(decode).collect()
}

/// `before` bytes have been written for the tokens before this one.
pub(super) fn replace(token: String, matcher: &Matcher, content: &str, before: usize) -> Result<String> {
    let mut matches = Vec::new();
    matcher.find_all(&token, &mut matches)?;
    if matches.is_empty() {
        return Ok(token);
    }
    let taken: usize = matches.iter().map(Range::len).sum();
    let length = (token.len() - taken).saturating_add(content.len().saturating_mul(matches.len()));
    limits::check_growth(before.saturating_add(length), || "a replacement".to_string())?;
    let mut text = String::with_capacity(length);
    let mut at = 0;
    for found in matches {
        text.push_str(&token[at..found.start]);
        text.push_str(content);
        at = found.end;
    }
    text.push_str(&token[at..]);
    Ok(text)
}

/// What is left of a text when up to `start` copies of `content` go from its start and up to `stop` from
/// its end.
pub(super) fn strip(text: &[u8], content: char, start: usize, stop: usize) -> Range<usize> {
    let mut buffer = [0; 4];
    let content = content.encode_utf8(&mut buffer).as_bytes();
    let mut rest = text;
    for _ in 0..start {
        let Some(shorter) = rest.strip_prefix(content) else { break };
        rest = shorter;
    }
    let from = text.len() - rest.len();
    for _ in 0..stop {
        let Some(shorter) = rest.strip_suffix(content) else { break };
        rest = shorter;
    }
    from..from + rest.len()
}
