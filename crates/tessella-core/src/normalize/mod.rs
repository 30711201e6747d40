//! Stage 1: text to text, with alignment.

pub mod charsmap;
pub mod precompiled;
pub mod sentencepiece;

use crate::error::Result;
use crate::spec::NormalizerSpec;
use crate::text::AlignedText;

/// A compiled normalizer.
#[derive(Debug)]
pub struct Normalizer {}

impl Normalizer {
    pub fn new(_spec: &NormalizerSpec) -> Result<Self> {
        unimplemented!()
    }

    pub fn normalize(&self, _text: &mut AlignedText<'_>) -> Result<()> {
        unimplemented!()
    }
}
