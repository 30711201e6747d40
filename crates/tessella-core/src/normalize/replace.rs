//! Every match of a pattern becomes a fixed text.
//!
//! The new text stands for the whole match. A match of nothing inserts: what is new then stands for the
//! character before it.

use std::ops::Range;

use super::edit::edit;
use crate::error::{Error, Result};
use crate::limits;
use crate::pattern::Matcher;
use crate::spec::Pattern;
use crate::text::{AlignedText, Alignment, MOST_BYTES};

#[derive(Debug)]
pub(super) struct Replace {
    matcher: Matcher,
    content: String,
    /// Whether what is replaced is a number of blanks, two or more of them all at once.
    is_of_blanks: bool,
}

impl Replace {
    pub fn new(pattern: &Pattern, content: &str) -> Result<Self> {
        let matcher = Matcher::new(pattern)?;
        let is_of_blanks = matcher.is_run_of(' ').is_some_and(|least| least <= 2);
        Ok(Replace { matcher, content: content.to_string(), is_of_blanks })
    }

    /// The ASCII character that is replaced and the character that it becomes, if that is all.
    pub fn single_chars(&self) -> Option<(u8, char)> {
        let mut content = self.content.chars();
        match (self.matcher.as_literal()?.as_bytes(), content.next(), content.next()) {
            (&[byte], Some(c), None) if byte.is_ascii() => Some((byte, c)),
            _ => None,
        }
    }

    /// Whether a literal without such characters is replaced by what is no longer than it.
    pub fn grows_not_and_has_none(&self, such: impl Fn(char) -> bool) -> bool {
        let fits = |literal: &str| self.content.len() <= literal.len() && !literal.chars().any(such);
        self.matcher.as_literal().is_some_and(fits)
    }

    /// Whether a character at the start of a text becomes two of it, and nothing else changes.
    pub fn doubles_at_start(&self, c: char) -> bool {
        self.matcher.as_char_at_start() == Some(c) && self.content.chars().eq([c, c])
    }

    /// Whether what is replaced is a number of blanks, two or more of them all at once.
    pub fn is_of_blanks(&self) -> bool {
        self.is_of_blanks
    }

    /// Whether several blanks become one blank or one mark, and nothing else changes.
    pub fn joins_blanks(&self, mark: char) -> bool {
        let is = |c: char| self.content.chars().eq([c]);
        self.is_of_blanks() && (is(' ') || is(mark))
    }

    /// Whether blanks are put where they were.
    pub fn keeps_blanks(&self) -> bool {
        self.content == " "
    }

    /// Whether runs of such characters become such characters, and nothing else changes.
    pub fn is_of_such(&self, such: impl Fn(char) -> bool) -> bool {
        !self.content.is_empty() && self.content.chars().all(&such) && self.matcher.is_run_of_such(such)
    }

    /// What is put in the place of a match.
    pub fn content(&self) -> &str {
        &self.content
    }

    /// What is replaced, if it is always the same.
    pub fn literal(&self) -> Option<&str> {
        self.matcher.as_literal()
    }

    pub fn explain(&self) -> (String, String) {
        self.matcher.explain()
    }

    pub fn normalize(&self, text: &mut AlignedText<'_>) -> Result<()> {
        let mut matches = Vec::new();
        self.matcher.find_all(text.as_str(), &mut matches)?;
        check_growth(text.as_str().len(), &matches, &self.content)?;
        replace_matches(text, &matches, &self.content);
        Ok(())
    }
}

/// A chain of replacements multiplies a text: what no text may be is refused before memory is asked for.
pub(super) fn check_growth(before: usize, matches: &[Range<usize>], content: &str) -> Result<()> {
    let taken: usize = matches.iter().map(Range::len).sum();
    let after = (before - taken).saturating_add(content.len().saturating_mul(matches.len()));
    if after <= before {
        return Ok(());
    }
    limits::check_part(after, || "a replacement".to_string())?;
    if after > MOST_BYTES {
        return Err(Error::value(format!(
            "a replacement would make a text of {after} bytes out of {before}, more than one text may have \
             ({MOST_BYTES}); cut it into documents, or look at what the normalizer inserts"
        )));
    }
    Ok(())
}

/// Puts `content` in place of each match; they are in order and do not overlap.
pub(super) fn replace_matches(text: &mut AlignedText<'_>, matches: &[Range<usize>], content: &str) {
    if matches.is_empty() {
        return;
    }
    if !text.map().is_tracked() {
        return replace_untracked(text, matches, content);
    }
    edit(text, |_, edit| {
        for found in matches {
            let rewriter = edit.at(found.start);
            if found.is_empty() {
                content.chars().for_each(|c| rewriter.insert(c));
            } else {
                let span = rewriter.source_span(found.start, found.end);
                rewriter.emit(content, span);
                rewriter.skip_bytes(found.len());
            }
        }
    });
}

/// The same without a way back, which leaves only copying: blanks that become another character are most
/// of what some vocabularies ask of this stage.
fn replace_untracked(text: &mut AlignedText<'_>, matches: &[Range<usize>], content: &str) {
    let source = text.as_str();
    let mut out = String::with_capacity(source.len() + matches.len() * content.len());
    let mut end = 0;
    for found in matches {
        out.push_str(&source[end..found.start]);
        out.push_str(content);
        end = found.end;
    }
    out.push_str(&source[end..]);
    *text = AlignedText::from_parts(out, Alignment::untracked());
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cancel::Cancel;
    use crate::ids::Span;
    use crate::spec::Dialect;

    #[test]
    fn the_new_text_stands_for_the_match() {
        let mut text = AlignedText::borrowed("zabcz", 0);
        replace_matches(&mut text, std::slice::from_ref(&(1..4)), "xy");
        assert_eq!(text.as_str(), "zxyz");
        let spans: Vec<Span> = (0..4).map(|i| text.span(i, i + 1)).collect();
        assert_eq!(spans, [Span::new(0, 1), Span::new(1, 4), Span::new(1, 4), Span::new(4, 5)]);
    }

    #[test]
    fn growth_has_an_end() {
        let replace = Replace::new(&Pattern::Literal("a".into()), &"a".repeat(1 << 11)).unwrap();
        let mut text = AlignedText::untracked("a");
        let _work = limits::begin(1, Cancel::never());
        replace.normalize(&mut text).unwrap();
        replace.normalize(&mut text).unwrap();
        let error = replace.normalize(&mut text).unwrap_err().to_string();
        assert!(error.contains("8589934592 bytes"), "{error}");
        assert_eq!(text.as_str().len(), 1 << 22);
    }

    /// Before memory is asked for: the text is as it was.
    #[test]
    fn a_text_that_would_grow_too_much_is_not_written() {
        let replace = Replace::new(&Pattern::Literal("a".into()), &"a".repeat(1 << 12)).unwrap();
        let mut text = AlignedText::untracked("a");
        let _work = limits::begin(1, Cancel::never());
        replace.normalize(&mut text).unwrap();
        let error = replace.normalize(&mut text).unwrap_err().to_string();
        assert!(error.contains("16777216 bytes"), "{error}");
        assert_eq!(text.as_str().len(), 1 << 12);
    }

    #[test]
    fn an_empty_text_has_no_matches() {
        let pattern = Pattern::Regex { source: "a*".into(), dialect: Dialect::Oniguruma };
        let replace = Replace::new(&pattern, "-").unwrap();
        for (before, after) in [("", ""), ("b", "-b-")] {
            let mut text = AlignedText::borrowed(before, 0);
            replace.normalize(&mut text).unwrap();
            assert_eq!(text.as_str(), after);
        }
    }

    #[test]
    fn no_limit_makes_a_text_that_is_too_long() {
        let error =
            check_growth(1 << 10, &vec![0..1; 1 << 10], &"a".repeat(1 << 22)).unwrap_err().to_string();
        assert!(error.contains("more than one text may have"), "{error}");
    }

    #[test]
    fn matches_of_nothing_insert() {
        let mut text = AlignedText::borrowed("ab", 0);
        replace_matches(&mut text, &[0..0, 1..1, 2..2], "-");
        assert_eq!(text.as_str(), "-a-b-");
        let spans: Vec<Span> = (0..5).map(|i| text.span(i, i + 1)).collect();
        let expected = [(0, 0), (0, 1), (0, 1), (1, 2), (1, 2)].map(|(start, end)| Span::new(start, end));
        assert_eq!(spans, expected);
    }
}
