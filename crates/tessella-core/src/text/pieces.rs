//! A text on its way through the pre-tokenizers: cut into pieces, some of them already tokens.
//!
//! All pieces are ranges of one buffer, in order and without overlap; dropping a piece leaves a gap.
//! Added tokens are pieces too, frozen: no stage looks inside them.

use std::borrow::Cow;
use std::ops::Range;

use super::{AlignedText, Alignment, Rewriter};
use crate::ids::{Span, TokenId};

const NOT_ADDED: TokenId = TokenId::MAX;

/// A range of the buffer, and the added token that it is, if it is one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Piece {
    /// The first byte in the buffer.
    pub start: usize,
    /// The byte behind the last.
    pub end: usize,
    added: TokenId,
}

impl Piece {
    /// Text, which the next stages may cut further.
    pub fn text(start: usize, end: usize) -> Self {
        Piece { start, end, added: NOT_ADDED }
    }

    /// An added token, which nobody cuts.
    pub fn added(start: usize, end: usize, id: TokenId) -> Self {
        Piece { start, end, added: id }
    }

    /// The added token that it is.
    pub fn added_id(&self) -> Option<TokenId> {
        (self.added != NOT_ADDED).then_some(self.added)
    }

    /// Whether stages may cut it.
    pub fn is_text(&self) -> bool {
        self.added == NOT_ADDED
    }

    /// Its bytes in the buffer.
    pub fn range(&self) -> Range<usize> {
        self.start..self.end
    }
}

/// The pieces of one text.
#[derive(Debug, Clone)]
pub struct Pieces<'a> {
    buffer: Cow<'a, str>,
    map: Alignment,
    pieces: Vec<Piece>,
    /// What the map leads back to; only users' own components read it.
    original: Option<&'a str>,
}

impl<'a> Pieces<'a> {
    /// One piece that is the whole text; none if it is empty.
    pub fn whole(text: AlignedText<'a>) -> Self {
        let (buffer, map) = text.into_parts();
        let pieces = if buffer.is_empty() { Vec::new() } else { vec![Piece::text(0, buffer.len())] };
        Pieces { buffer, map, pieces, original: None }
    }

    /// Pieces of a text, in order.
    pub fn from_parts(buffer: impl Into<Cow<'a, str>>, map: Alignment, pieces: Vec<Piece>) -> Self {
        Pieces { buffer: buffer.into(), map, pieces, original: None }
    }

    /// Says which text the spans are positions of.
    pub fn set_original(&mut self, original: &'a str) {
        self.original = Some(original);
    }

    /// The text before all stages, if it was told.
    pub fn original(&self) -> Option<&'a str> {
        self.original
    }

    /// The pieces, from left to right.
    pub fn pieces(&self) -> &[Piece] {
        &self.pieces
    }

    /// The text that they are ranges of.
    pub fn buffer(&self) -> &str {
        &self.buffer
    }

    /// Its way back to the original.
    pub fn map(&self) -> &Alignment {
        &self.map
    }

    /// The text of a piece.
    pub fn str(&self, piece: &Piece) -> &str {
        &self.buffer[piece.start..piece.end]
    }

    /// The original span of a piece.
    pub fn span(&self, piece: &Piece) -> Span {
        self.map.span(&self.buffer, piece.start, piece.end)
    }

    /// Cuts every text piece: `cut` gets its text and pushes the ranges to keep, in order, relative to
    /// that text. Empty ranges are dropped.
    pub fn split(&mut self, mut cut: impl FnMut(&str, &mut Vec<Range<usize>>)) {
        let mut ranges = Vec::new();
        let mut next = Vec::with_capacity(self.pieces.len() * 2);
        for piece in &self.pieces {
            if !piece.is_text() {
                next.push(*piece);
                continue;
            }
            ranges.clear();
            cut(&self.buffer[piece.start..piece.end], &mut ranges);
            for range in &ranges {
                if range.start < range.end {
                    next.push(Piece::text(piece.start + range.start, piece.start + range.end));
                }
            }
        }
        self.pieces = next;
    }

    /// Rewrites every text piece, each a region of its own. `write` gets the rewriter at the piece's
    /// start, the piece's text, and the original span of its first character (empty at 0 when untracked); it must
    /// consume the whole piece. Added tokens are copied. Pieces that become empty are dropped.
    pub fn rewrite(&mut self, mut write: impl FnMut(&mut Rewriter<'_>, &str, Span)) {
        let mut rewriter = Rewriter::new(&self.buffer, &self.map);
        let mut next = Vec::with_capacity(self.pieces.len());
        for piece in &self.pieces {
            let start = rewriter.written();
            rewriter.begin_region(piece.start);
            if piece.is_text() {
                let first = if self.map.is_tracked() {
                    rewriter.source_span(piece.start, piece.start + 1)
                } else {
                    Span::default()
                };
                write(&mut rewriter, &self.buffer[piece.start..piece.end], first);
            } else {
                rewriter.keep(piece.end - piece.start);
            }
            let end = rewriter.written();
            if start < end {
                next.push(Piece { start, end, added: piece.added });
            }
        }
        let (buffer, map) = rewriter.finish();
        self.buffer = Cow::Owned(buffer);
        self.map = map;
        self.pieces = next;
    }
}
