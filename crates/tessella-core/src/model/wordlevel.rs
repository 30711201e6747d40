//! The WordLevel model: a piece is one token, or the unknown one.

use std::sync::Arc;

use crate::error::{Error, Result};
use crate::ids::{PieceToken, TokenId};
use crate::spec::{Vocab, WordLevelSpec};

/// A compiled WordLevel model.
#[derive(Debug)]
pub struct WordLevel {
    vocab: Arc<Vocab>,
    unk_token: String,
    /// Missing only matters once a piece is unknown.
    unk_id: Option<TokenId>,
}

impl WordLevel {
    pub fn new(spec: &WordLevelSpec) -> Result<Self> {
        Ok(WordLevel {
            vocab: Arc::clone(&spec.vocab),
            unk_token: spec.unk_token.clone(),
            unk_id: spec.vocab.id(&spec.unk_token),
        })
    }

    /// Fails if the piece is unknown and so is the unknown token.
    pub fn tokenize(&self, piece: &str, out: &mut Vec<PieceToken>) -> Result<()> {
        let id = match self.vocab.id(piece).or(self.unk_id) {
            Some(id) => id,
            None => return Err(missing_unknown("WordLevel", &self.unk_token)),
        };
        out.push(PieceToken::new(id, 0, piece.len()));
        Ok(())
    }

    /// All ids are below.
    pub fn id_bound(&self) -> usize {
        self.vocab.id_bound()
    }

    pub fn token_to_id(&self, token: &str) -> Option<TokenId> {
        self.vocab.id(token)
    }

    pub fn id_to_token(&self, id: TokenId) -> Option<&str> {
        self.vocab.text(id)
    }
}

/// The reference library's words, and the name where it is not the usual one.
#[cold]
pub(super) fn missing_unknown(model: &str, unk_token: &str) -> Error {
    let mut message = format!("{model} error: Missing [UNK] token from the vocabulary");
    if unk_token != "[UNK]" {
        message.push_str(&format!(" (the unknown token is `{}`)", crate::error::excerpt(unk_token)));
    }
    Error::model(message)
}
