//! Stage 1: text to text, with alignment.

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

    /// Whether a component looks at positions in the original.
    pub fn needs_alignment(&self) -> bool {
        unimplemented!()
    }

    /// Name and way of each normalizer, for the plan.
    pub fn explain(&self) -> Vec<(String, String)> {
        unimplemented!()
    }

    pub fn normalize(&self, _text: &mut AlignedText<'_>) -> Result<()> {
        unimplemented!()
    }
}
