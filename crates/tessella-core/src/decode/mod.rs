//! Stage 6: token texts to text.

pub mod sentencepiece;

use crate::error::Result;
use crate::spec::DecoderSpec;

/// A compiled decoder.
#[derive(Debug)]
pub struct Decoder {}

impl Decoder {
    pub fn new(_spec: &DecoderSpec) -> Result<Self> {
        unimplemented!()
    }

    /// Token texts to the texts that, joined, are the result.
    pub fn decode_chain(&self, _tokens: Vec<String>) -> Result<Vec<String>> {
        unimplemented!()
    }

    pub fn decode(&self, tokens: Vec<String>) -> Result<String> {
        Ok(self.decode_chain(tokens)?.concat())
    }
}
