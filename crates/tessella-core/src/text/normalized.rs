//! The string that users and their own components hold: original, normalized, and the way between.
//!
//! Here is the value. What changes it are the normalizers, through [`change`](NormalizedString::change).

use std::sync::Arc;

use super::{AlignedText, Alignment};
use crate::ids::Span;

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
}
