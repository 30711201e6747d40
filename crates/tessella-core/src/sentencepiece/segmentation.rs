//! A text in pieces, with the stretch of text that each stands for.

use std::borrow::Cow;
use std::sync::Arc;

use crate::ids::{PieceToken, TokenId};

/// One piece of a text.
#[derive(Debug, Clone, PartialEq)]
pub struct Piece {
    /// The id.
    pub id: TokenId,
    /// The piece; of an unknown stretch, its normalized text. Only one that decoding was given may be no UTF-8.
    pub text: Vec<u8>,
    /// What it stands for in the text. The bytes of one character stand for it at the last of them.
    pub surface: Option<Vec<u8>>,
    /// The first byte in the text.
    pub begin: usize,
    /// The byte behind the last.
    pub end: usize,
}

impl Piece {
    /// The piece as a text; only one that is no UTF-8 is changed.
    pub fn as_text(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(&self.text)
    }

    /// As [`Piece::as_text`], without a copy.
    pub fn into_text(self) -> String {
        String::from_utf8(self.text)
            .unwrap_or_else(|broken| String::from_utf8_lossy(broken.as_bytes()).into_owned())
    }
}

/// A text in pieces.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Segmentation {
    /// The text, which need not be UTF-8.
    pub text: Vec<u8>,
    /// What it is cut into.
    pub pieces: Vec<Piece>,
    /// Of n-best lists.
    pub score: Option<f32>,
}

/// A text in pieces, of which nobody asks where they are.
#[derive(Debug)]
pub struct Cut {
    normalized: Arc<str>,
    tokens: Vec<PieceToken>,
}

impl Cut {
    pub(super) fn new(normalized: Arc<str>, tokens: Vec<PieceToken>) -> Self {
        Cut { normalized, tokens }
    }

    /// The ids, and of those that stand for an unknown stretch its normalized text.
    pub fn parts(&self) -> impl ExactSizeIterator<Item = (TokenId, Option<&str>)> + DoubleEndedIterator {
        self.tokens.iter().map(|token| {
            let stretch = || &self.normalized[token.start as usize..token.end as usize];
            (token.id, token.surface.then(stretch))
        })
    }
}
