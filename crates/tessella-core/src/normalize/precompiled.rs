//! A SentencePiece character map as a normalizer.

use std::sync::Arc;

use crate::error::Result;
use crate::spec::CharsmapMatching;
use crate::text::AlignedText;

#[derive(Debug)]
pub struct Precompiled {}

impl Precompiled {
    pub fn new(_charsmap: &Arc<[u8]>, _matching: CharsmapMatching) -> Result<Self> {
        unimplemented!()
    }

    pub fn normalize(&self, _text: &mut AlignedText<'_>) {
        unimplemented!()
    }
}
