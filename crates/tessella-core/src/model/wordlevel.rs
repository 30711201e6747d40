//! The WordLevel model.

use crate::error::Result;
use crate::ids::{PieceToken, TokenId};
use crate::spec::WordLevelSpec;

/// A compiled WordLevel model.
#[derive(Debug)]
pub struct WordLevel {}

impl WordLevel {
    pub fn new(_spec: &WordLevelSpec) -> Result<Self> {
        unimplemented!()
    }

    pub fn tokenize(&self, _piece: &str, _out: &mut Vec<PieceToken>) -> Result<()> {
        unimplemented!()
    }

    pub fn token_to_id(&self, _token: &str) -> Option<TokenId> {
        unimplemented!()
    }

    pub fn id_to_token(&self, _id: TokenId) -> Option<&str> {
        unimplemented!()
    }
}
