//! The operations of [`NormalizedString`]: what users call on the string that they are handed.
//!
//! Each is the corresponding normalizer run on the string, so spans follow the same rules.

use std::convert::Infallible;
use std::ops::Range;

use super::edit::edit;
use super::{affix, forms, lowercase, replace, strip};
use crate::error::Result;
use crate::pattern::Matcher;
use crate::spec::{Pattern, SplitBehavior};
use crate::text::{NormalizedString, Side};
use crate::unicode::normalization::Form;

#[allow(missing_docs)] // Each does what the normalizer of its name does.
impl NormalizedString {
    pub fn nfd(&mut self) {
        self.change(|text| forms::normalize(Form::Nfd, text));
    }

    pub fn nfkd(&mut self) {
        self.change(|text| forms::normalize(Form::Nfkd, text));
    }

    pub fn nfc(&mut self) {
        self.change(|text| forms::normalize(Form::Nfc, text));
    }

    pub fn nfkc(&mut self) {
        self.change(|text| forms::normalize(Form::Nfkc, text));
    }

    pub fn lowercase(&mut self) {
        self.change(lowercase::normalize);
    }

    pub fn uppercase(&mut self) {
        self.change(lowercase::uppercase);
    }

    /// Puts text in front, standing for the first character. An empty string stays empty.
    pub fn prepend(&mut self, prefix: &str) {
        self.change(|text| affix::prepend(text, prefix));
    }

    /// Puts text behind, standing for the last character; behind an empty string it stands for nothing.
    pub fn append(&mut self, suffix: &str) {
        let origin = self.range().start;
        self.change(|text| affix::append(text, suffix, origin));
    }

    pub fn lstrip(&mut self) {
        self.change(|text| strip::strip(text, true, false));
    }

    pub fn rstrip(&mut self) {
        self.change(|text| strip::strip(text, false, true));
    }

    pub fn strip(&mut self) {
        self.change(|text| strip::strip(text, true, true));
    }

    /// Removes all of the normalized text; the original stays.
    pub fn clear(&mut self) {
        self.change(|text| edit(text, |source, edit| edit.remove(0, source.len())));
    }

    /// Each character becomes what `map` makes of it.
    pub fn map_chars(&mut self, mut map: impl FnMut(char) -> char) {
        let Ok(()) = self.try_map_chars(|c| Ok::<_, Infallible>(map(c)));
    }

    /// As [`map_chars`](Self::map_chars); the string stays as it was if `map` fails.
    pub fn try_map_chars<E>(
        &mut self,
        mut map: impl FnMut(char) -> std::result::Result<char, E>,
    ) -> std::result::Result<(), E> {
        let new = self.normalized().chars().map(&mut map).collect::<std::result::Result<Vec<char>, E>>()?;
        self.change(|text| {
            edit(text, |source, edit| {
                for ((at, old), new) in source.char_indices().zip(new) {
                    if new != old {
                        edit.at(at).replace(new);
                    }
                }
            });
        });
        Ok(())
    }

    /// Keeps the characters that pass.
    pub fn filter(&mut self, mut keep: impl FnMut(char) -> bool) {
        let Ok(()) = self.try_filter(|c| Ok::<_, Infallible>(keep(c)));
    }

    /// As [`filter`](Self::filter); the string stays as it was if `keep` fails.
    pub fn try_filter<E>(
        &mut self,
        mut keep: impl FnMut(char) -> std::result::Result<bool, E>,
    ) -> std::result::Result<(), E> {
        let kept = self.normalized().chars().map(&mut keep).collect::<std::result::Result<Vec<bool>, E>>()?;
        self.change(|text| {
            edit(text, |source, edit| {
                for ((at, c), kept) in source.char_indices().zip(kept) {
                    if !kept {
                        edit.remove(at, c.len_utf8());
                    }
                }
            });
        });
        Ok(())
    }

    /// Calls `visit` with each character of the normalized text.
    pub fn for_each(&self, visit: impl FnMut(char)) {
        self.normalized().chars().for_each(visit);
    }

    /// Puts `content` in place of each match. The empty literal matches nowhere.
    pub fn replace(&mut self, pattern: &Pattern, content: &str) -> Result<()> {
        let matches = self.matches(pattern)?;
        replace::check_growth(self.normalized().len(), &matches, content)?;
        self.change(|text| replace::replace_matches(text, &matches, content));
        Ok(())
    }

    /// Cuts the string at the matches. The empty literal matches nowhere, and a string without a match
    /// comes back whole.
    pub fn split(&self, pattern: &Pattern, behavior: SplitBehavior) -> Result<Vec<NormalizedString>> {
        let segments = segments(self.normalized().len(), &self.matches(pattern)?);
        let pieces = arrange(segments, behavior);
        Ok(pieces.into_iter().filter_map(|range| self.slice(Side::Normalized, range)).collect())
    }

    fn matches(&self, pattern: &Pattern) -> Result<Vec<Range<usize>>> {
        let mut matches = Vec::new();
        let nothing = self.is_empty() || matches!(pattern, Pattern::Literal(literal) if literal.is_empty());
        if !nothing {
            Matcher::new(pattern)?.find_all(self.normalized(), &mut matches)?;
        }
        Ok(matches)
    }
}

/// The whole text as matches and what is between them; never empty.
fn segments(len: usize, matches: &[Range<usize>]) -> Vec<(Range<usize>, bool)> {
    let mut segments = Vec::with_capacity(matches.len() * 2 + 1);
    let mut end = 0;
    for found in matches {
        if end < found.start {
            segments.push((end..found.start, false));
        }
        segments.push((found.clone(), true));
        end = found.end;
    }
    if end < len || segments.is_empty() {
        segments.push((end..len, false));
    }
    segments
}

/// The pieces that a behaviour makes of the segments, in order.
fn arrange(segments: Vec<(Range<usize>, bool)>, behavior: SplitBehavior) -> Vec<Range<usize>> {
    let mut pieces: Vec<Range<usize>> = Vec::with_capacity(segments.len());
    let mut after_match = false;
    match behavior {
        SplitBehavior::Removed => {
            pieces.extend(segments.into_iter().filter(|(_, is_match)| !is_match).map(|(range, _)| range));
        }
        SplitBehavior::Isolated => pieces.extend(segments.into_iter().map(|(range, _)| range)),
        SplitBehavior::Contiguous | SplitBehavior::MergedWithPrevious => {
            for (range, is_match) in segments {
                let joins = if behavior == SplitBehavior::Contiguous {
                    is_match == after_match
                } else {
                    is_match && !after_match
                };
                match pieces.last_mut() {
                    Some(last) if joins => last.end = range.end,
                    _ => pieces.push(range),
                }
                after_match = is_match;
            }
        }
        SplitBehavior::MergedWithNext => {
            let mut before_match = false;
            for (range, is_match) in segments.into_iter().rev() {
                match pieces.last_mut() {
                    Some(last) if is_match && !before_match => last.start = range.start,
                    _ => pieces.push(range),
                }
                before_match = is_match;
            }
            pieces.reverse();
        }
    }
    pieces
}
