//! Stage 4: special tokens around the sequences, truncation, padding.

use crate::encoding::Encoding;
use crate::error::Result;
use crate::spec::{Padding, PostProcessorSpec, Truncation};

/// A compiled post-processor.
#[derive(Debug)]
pub struct PostProcessor {}

impl PostProcessor {
    pub fn new(_spec: &PostProcessorSpec) -> Result<Self> {
        unimplemented!()
    }

    /// How many special tokens [`process`](Self::process) adds.
    pub fn added_tokens(&self, _is_pair: bool) -> usize {
        unimplemented!()
    }

    /// Joins the sequence, or the pair, into one encoding.
    pub fn process(
        &self,
        _first: Encoding,
        _second: Option<Encoding>,
        _add_special: bool,
    ) -> Result<Encoding> {
        unimplemented!()
    }
}

/// What happens without a post-processor: the sequences one after the other.
pub fn process_default(_first: Encoding, _second: Option<Encoding>) -> Encoding {
    unimplemented!()
}

/// Cuts a sequence or a pair to `truncation.max_length - reserved` tokens.
pub fn truncate(
    _first: Encoding,
    _second: Option<Encoding>,
    _truncation: &Truncation,
    _reserved: usize,
) -> Result<(Encoding, Option<Encoding>)> {
    unimplemented!()
}

/// Pads encodings (and their overflow) to one length.
pub fn pad(_encodings: &mut [Encoding], _padding: &Padding) -> Result<()> {
    unimplemented!()
}
