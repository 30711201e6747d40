//! Small types that every stage shares: ids, spans and the tokens of one piece.

use std::ops::Range;

/// A position in a vocabulary.
pub type TokenId = u32;

/// A half-open range of byte positions in the *original* text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub struct Span {
    /// The first byte.
    pub start: usize,
    /// The byte behind the last.
    pub end: usize,
}

impl Span {
    /// A range of bytes.
    pub const fn new(start: usize, end: usize) -> Self {
        Span { start, end }
    }

    /// Its length in bytes.
    pub const fn len(self) -> usize {
        self.end - self.start
    }

    /// Whether there is no byte in it.
    pub const fn is_empty(self) -> bool {
        self.start == self.end
    }
}

/// One token of one piece: its id and the bytes of the *piece* that it covers.
///
/// `surface` says that the token's text is the covered text itself and not the vocabulary's entry
/// (an unknown run of a Unigram model, for example).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PieceToken {
    /// The id.
    pub id: TokenId,
    /// The first byte in the piece.
    pub start: u32,
    /// The byte behind the last.
    pub end: u32,
    /// Whether the token's text is what stands there, and not the vocabulary's: an unknown piece of SentencePiece.
    pub surface: bool,
}

impl PieceToken {
    /// A token whose text is the vocabulary's.
    pub const fn new(id: TokenId, start: usize, end: usize) -> Self {
        PieceToken { id, start: start as u32, end: end as u32, surface: false }
    }

    /// The bytes of the piece.
    #[inline]
    pub fn range(&self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}
