//! A text on its way through the normalizers: what it reads now, and where that came from.

use std::borrow::Cow;

use super::{Alignment, Rewriter};
use crate::ids::Span;

/// One stretch of text with its map to the original.
#[derive(Debug, Clone)]
pub struct AlignedText<'a> {
    text: Cow<'a, str>,
    map: Alignment,
}

impl<'a> AlignedText<'a> {
    /// The original's own bytes from `origin` on.
    pub fn borrowed(text: &'a str, origin: usize) -> Self {
        AlignedText { map: Alignment::identity(origin, text.len()), text: Cow::Borrowed(text) }
    }

    /// The same without a way back: nothing is recorded from here on.
    pub fn untracked(text: &'a str) -> Self {
        AlignedText { text: Cow::Borrowed(text), map: Alignment::untracked() }
    }

    /// A text and its map, which must be of one length.
    pub fn from_parts(text: impl Into<Cow<'a, str>>, map: Alignment) -> Self {
        AlignedText { text: text.into(), map }
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Its way back to the original.
    pub fn map(&self) -> &Alignment {
        &self.map
    }

    /// Both again.
    pub fn into_parts(self) -> (Cow<'a, str>, Alignment) {
        (self.text, self.map)
    }

    /// Where bytes of the text come from in the original.
    pub fn span(&self, start: usize, end: usize) -> Span {
        self.map.span(&self.text, start, end)
    }

    /// Rewrites the whole text; `write` must consume it all (what it does not consume vanishes).
    pub fn rewrite(&mut self, write: impl FnOnce(&mut Rewriter<'_>)) {
        let mut rewriter = Rewriter::new(&self.text, &self.map);
        write(&mut rewriter);
        let (text, map) = rewriter.finish();
        self.text = Cow::Owned(text);
        self.map = map;
    }
}
