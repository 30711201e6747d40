//! SentencePiece's whole normalizer.

use crate::error::Result;
use crate::spec::SentencePieceNormalizer;
use crate::text::AlignedText;

#[derive(Debug)]
pub struct SentencePieceNormalization {}

impl SentencePieceNormalization {
    pub fn new(_spec: &SentencePieceNormalizer) -> Result<Self> {
        unimplemented!()
    }

    pub fn normalize(&self, _text: &mut AlignedText<'_>) {
        unimplemented!()
    }
}
