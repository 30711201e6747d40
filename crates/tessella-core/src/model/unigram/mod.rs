//! The Unigram model.

use crate::error::Result;
use crate::ids::{PieceToken, TokenId};
use crate::random::Random;
use crate::spec::UnigramSpec;

/// A compiled Unigram model.
#[derive(Debug)]
pub struct Unigram {}

impl Unigram {
    pub fn new(_spec: &UnigramSpec) -> Result<Self> {
        unimplemented!()
    }

    pub fn tokenize(&self, _piece: &str, _random: &mut Random, _out: &mut Vec<PieceToken>) -> Result<()> {
        unimplemented!()
    }

    pub fn is_deterministic(&self) -> bool {
        unimplemented!()
    }

    pub fn token_to_id(&self, _token: &str) -> Option<TokenId> {
        unimplemented!()
    }

    pub fn id_to_token(&self, _id: TokenId) -> Option<&str> {
        unimplemented!()
    }
}
