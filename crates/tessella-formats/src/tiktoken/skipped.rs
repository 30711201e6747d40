//! Text that a pattern does not match.
//!
//! In a description it is a piece like any other. `tiktoken`, and what stands on it, encodes the matches of a pattern and
//! nothing else, so that such text vanishes there. The published patterns match every character; of others it is tried
//! on short texts of characters of all kinds.

use tessella_core::pattern::Matcher;
use tessella_core::spec::{Dialect, Pattern};
use tessella_core::{Error, Result};

use super::named;

/// A character of each general category, and some that patterns name.
const KINDS: [char; 38] = [
    'a', 'A', 'é', 'ǅ', 'ʰ', '中', 'ん', '한', '\u{301}', '\u{903}', '\u{20DD}', '1', '٣', 'Ⅻ', '½', '_',
    '-', '(', ')', '«', '»', '!', '\'', '+', '$', '^', '😀', ' ', '\u{A0}', '\u{2028}', '\u{2029}', '\n',
    '\r', '\t', '\0', '\u{AD}', '\u{E000}', '\u{378}',
];
/// Those of which three in a row are tried: patterns look at what comes before and behind mostly for blanks.
const FEW: [char; 8] = ['a', '1', '!', '\'', ' ', '\n', '\r', '\u{301}'];

/// An error, with what follows "cannot express" of `file`, if a pattern leaves something of a text out.
pub(crate) fn refuse_skipping(file: &str, pattern: &str) -> Result<()> {
    match skipped(pattern)? {
        Some(text) => Err(Error::unsupported(format!(
            "{file} cannot express text that the pattern `{pattern}` does not match: its readers leave it out, such as {text:?}"
        ))),
        None => Ok(()),
    }
}

/// A text of which the matches of a pattern are not all, as short as may be.
fn skipped(pattern: &str) -> Result<Option<String>> {
    if named::is_published(pattern) {
        return Ok(None);
    }
    let matcher = Matcher::new(&Pattern::Regex { source: pattern.to_string(), dialect: Dialect::Fancy })?;
    let singles = ('\0'..'\u{100}').chain(KINDS).map(|one| one.to_string());
    let pairs = KINDS.iter().flat_map(|one| KINDS.iter().map(move |other| format!("{one}{other}")));
    let triples = FEW.iter().flat_map(|one| {
        FEW.iter().flat_map(move |other| FEW.iter().map(move |third| format!("{one}{other}{third}")))
    });
    for text in singles.chain(pairs).chain(triples) {
        let mut reached = 0;
        let mut whole = true;
        matcher.for_each(&text, &mut |found| {
            whole &= found.start == reached;
            reached = found.end;
        })?;
        if !whole || reached < text.len() {
            return Ok(Some(text));
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn published_patterns_skip_nothing() {
        for name in named::NAMES {
            let pattern = named::named(name, 0).unwrap().pattern;
            let doubled = format!("(?:{pattern})");
            assert!(!named::is_published(&doubled));
            assert_eq!(skipped(&doubled).unwrap(), None, "{name}");
        }
    }

    #[test]
    fn what_is_skipped_is_found() {
        for (pattern, text) in [
            (r"\p{N}", "\0"),
            (r"\w+|\s+|[^\s\w]+", ""),
            (r"\p{L}+|\p{N}+|\s+|[\p{P}\p{S}\p{C}]+", "\u{301}"),
            (r"[^ ]+| (?! )", "  "),
            (r"(?s).", ""),
            (".", "\n"),
        ] {
            assert_eq!(skipped(pattern).unwrap().unwrap_or_default(), text, "{pattern}");
        }
        assert!(refuse_skipping("it", r"\d").unwrap_err().message().contains("it cannot express text"));
    }
}
