//! Stage 3: piece to tokens.

use crate::error::Result;
use crate::ids::{PieceToken, TokenId};
use crate::random::Random;
use crate::spec::ModelSpec;

pub mod sentencepiece;
pub mod unigram;
pub mod wordlevel;
pub mod wordpiece;

/// Buffers and the random stream of one worker.
#[derive(Debug)]
pub struct Scratch {
    pub random: Random,
}

/// A compiled model.
#[derive(Debug)]
pub enum Model {
    WordPiece(wordpiece::WordPiece),
    WordLevel(wordlevel::WordLevel),
    Unigram(unigram::Unigram),
}

impl Model {
    pub fn new(_spec: &ModelSpec) -> Result<Self> {
        unimplemented!()
    }

    /// Appends the tokens of one piece; spans are bytes of the piece.
    pub fn tokenize(&self, _piece: &str, _scratch: &mut Scratch, _out: &mut Vec<PieceToken>) -> Result<()> {
        unimplemented!()
    }

    pub fn token_to_id(&self, _token: &str) -> Option<TokenId> {
        unimplemented!()
    }

    pub fn id_to_token(&self, _id: TokenId) -> Option<&str> {
        unimplemented!()
    }
}
