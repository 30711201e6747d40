//! The string that users and their own components hold: original, normalized, and the way between.
//!
//! Here is the value, its slices and the conversion of positions. The operations that change the text
//! (forms, case, replacing, splitting) need the algorithms of the stage after this one and stand there,
//! in `normalize/string_ops.rs`.
//!
//! Positions handed in and out are relative to this string, in bytes unless the name says characters.
//! Only [`range`](NormalizedString::range) and the map are absolute.

use std::ops::Range;
use std::sync::Arc;

use super::{AlignedText, Alignment};
use crate::ids::Span;

/// Which of the two texts a position counts in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// The text as it was given.
    Original,
    /// The text as it has become.
    Normalized,
}

/// A text, what it reads after normalisation, and the map between them. May be a slice of a larger one:
/// spans are absolute in the text that it was cut from.
#[derive(Debug, Clone)]
pub struct NormalizedString {
    source: Arc<str>,
    /// The part of `source` that this string stands for.
    range: Span,
    text: String,
    map: Alignment,
}

impl NormalizedString {
    /// A text that nothing has happened to.
    pub fn new(text: impl Into<Arc<str>>) -> Self {
        let source = text.into();
        NormalizedString {
            range: Span::new(0, source.len()),
            text: source.to_string(),
            map: Alignment::identity(0, source.len()),
            source,
        }
    }

    /// A part of a source, with what it has become and the way back.
    pub fn from_parts(source: Arc<str>, range: Span, text: String, map: Alignment) -> Self {
        NormalizedString { source, range, text, map }
    }

    /// The normalized text and its map, as an [`AlignedText`] takes them.
    pub fn into_text(self) -> (String, Alignment) {
        (self.text, self.map)
    }

    /// The text as it was given.
    pub fn original(&self) -> &str {
        self.source.get(self.range.start..self.range.end).unwrap_or_default()
    }

    /// The text as it has become.
    pub fn normalized(&self) -> &str {
        &self.text
    }

    /// Whether nothing is left.
    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// The whole text that this string was cut from.
    pub fn source(&self) -> &Arc<str> {
        &self.source
    }

    /// Where this string stands in the text that it was cut from.
    pub fn range(&self) -> Span {
        self.range
    }

    /// The way back.
    pub fn map(&self) -> &Alignment {
        &self.map
    }

    /// Runs a change written for [`AlignedText`] on this string.
    pub fn change<R>(&mut self, change: impl FnOnce(&mut AlignedText<'_>) -> R) -> R {
        let text = std::mem::take(&mut self.text);
        let map = std::mem::take(&mut self.map);
        let mut aligned = AlignedText::from_parts(text, map);
        let result = change(&mut aligned);
        let (text, map) = aligned.into_parts();
        self.text = text.into_owned();
        self.map = map;
        result
    }

    /// For each character of the normalized text, its byte there and the original bytes it stands for.
    pub fn char_spans(&self) -> impl Iterator<Item = (usize, char, Span)> + '_ {
        let mut hint = 0;
        self.text.char_indices().map(move |(at, c)| {
            let span = self.map.char_span_from(&self.text, at, &mut hint);
            let from = |byte: usize| byte.saturating_sub(self.range.start);
            (at, c, Span::new(from(span.start), from(span.end)))
        })
    }

    /// The range on the other side that `range` of `side` stands for; `None` if it is not inside, or if
    /// nothing of the normalized text comes before its end. What was removed gives an empty range.
    pub fn convert(&self, side: Side, range: Range<usize>) -> Option<Range<usize>> {
        if range.start > range.end {
            return None;
        }
        match side {
            Side::Normalized => {
                if range.end > self.text.len() {
                    return None;
                }
                let span = self.map.span(&self.text, range.start, range.end);
                let from = |byte: usize| byte.clamp(self.range.start, self.range.end) - self.range.start;
                Some(from(span.start)..from(span.end))
            }
            Side::Original => {
                if range.end > self.range.len() {
                    return None;
                }
                self.original_to_normalized(range)
            }
        }
    }

    fn original_to_normalized(&self, range: Range<usize>) -> Option<Range<usize>> {
        let (mut start, mut end) = (None, None);
        for (at, c, span) in self.char_spans().take_while(|(_, _, span)| span.end <= range.end) {
            if start.is_none() && range.start <= span.start && !span.is_empty() {
                start = Some(at);
            }
            end = Some(at + c.len_utf8());
        }
        // Nothing inside: an empty range behind the last character that stands before it.
        match (start, end) {
            (Some(start), Some(end)) if start < end => Some(start..end),
            (_, Some(end)) => Some(end..end),
            _ if range.is_empty() => Some(0..0),
            _ => None,
        }
    }

    /// The part of this string that stands at `range` of `side`, with its own original. `None` if the
    /// range is not inside or not on character boundaries.
    pub fn slice(&self, side: Side, range: Range<usize>) -> Option<NormalizedString> {
        let (original, normalized) = match side {
            Side::Normalized => {
                self.text.get(range.clone())?;
                (self.convert(side, range.clone())?, range)
            }
            Side::Original => {
                self.original().get(range.clone())?;
                (range.clone(), self.convert(side, range)?)
            }
        };
        let mut map = self.map.like();
        map.append(&self.map, normalized.start, normalized.end);
        Some(NormalizedString {
            source: self.source.clone(),
            range: Span::new(self.range.start + original.start, self.range.start + original.end),
            text: self.text.get(normalized)?.to_string(),
            map,
        })
    }

    /// The characters `range` of the normalized text, with their original. An end beyond the text means
    /// its end; `None` if the range starts there or runs backwards.
    #[cfg(test)]
    pub fn slice_chars(&self, range: Range<usize>) -> Option<NormalizedString> {
        if range.start > range.end {
            return None;
        }
        let mut starts = self.text.char_indices().map(|(at, _)| at);
        let Some(start) = starts.nth(range.start) else {
            return if range == (0..0) { self.slice(Side::Normalized, 0..0) } else { None };
        };
        let end = match range.len() {
            0 => start,
            count => starts.nth(count - 1).unwrap_or(self.text.len()),
        };
        self.slice(Side::Normalized, start..end)
    }
}
