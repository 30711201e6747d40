//! SentencePiece models by SentencePiece's own rules.

use crate::error::Result;
use crate::ids::{PieceToken, TokenId};
use crate::random::Random;
use crate::spec::SentencePieceSpec;

#[derive(Debug)]
pub struct SentencePieceModel {}

impl SentencePieceModel {
    pub fn new(_spec: &SentencePieceSpec) -> Result<Self> {
        unimplemented!()
    }
    pub fn tokenize(&self, _piece: &str, _random: &mut Random, _out: &mut Vec<PieceToken>) -> Result<()> {
        unimplemented!()
    }
    pub fn token_to_id(&self, _token: &str) -> Option<TokenId> {
        unimplemented!()
    }
    pub fn id_to_token(&self, _id: TokenId) -> Option<&str> {
        unimplemented!()
    }
}
