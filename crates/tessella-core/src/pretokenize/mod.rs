//! Stage 2: text to pieces.

pub mod byte_alphabet;

use crate::error::Result;
use crate::spec::PreTokenizerSpec;
use crate::text::Pieces;

/// A compiled pre-tokenizer.
#[derive(Debug)]
pub struct PreTokenizer {}

impl PreTokenizer {
    pub fn new(_spec: &PreTokenizerSpec) -> Result<Self> {
        unimplemented!()
    }

    pub fn pre_tokenize(&self, _pieces: &mut Pieces<'_>) -> Result<()> {
        unimplemented!()
    }
}
