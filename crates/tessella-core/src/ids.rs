//! Small types that every stage shares: ids, spans and the tokens of one piece.

/// A position in a vocabulary.
pub type TokenId = u32;

/// A half-open range of byte positions in the *original* text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub struct Span {
    pub start: usize,
    pub end: usize,
}

impl Span {
    pub const fn new(start: usize, end: usize) -> Self {
        Span { start, end }
    }

    pub const fn len(self) -> usize {
        self.end - self.start
    }

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
    pub id: TokenId,
    pub start: u32,
    pub end: u32,
    pub surface: bool,
}

impl PieceToken {
    pub const fn new(id: TokenId, start: usize, end: usize) -> Self {
        PieceToken { id, start: start as u32, end: end as u32, surface: false }
    }
}
