//! Literal and regular-expression patterns, matched exactly as the dialect's own engine does.
//!
//! Shared by normalizers, pre-tokenizers and decoders.

use std::ops::Range;

use crate::error::Result;
use crate::spec::Pattern;

pub mod scan;

/// A compiled pattern.
#[derive(Debug)]
pub struct Matcher {}

impl Matcher {
    pub fn new(_pattern: &Pattern) -> Result<Self> {
        unimplemented!()
    }

    /// All matches, leftmost first, without overlap, as the engine's own iterator gives them (empty ones
    /// included).
    pub fn find_all(&self, _text: &str, _matches: &mut Vec<Range<usize>>) -> Result<()> {
        unimplemented!()
    }

    /// Which engine runs the pattern, and why.
    pub fn explain(&self) -> (String, String) {
        unimplemented!()
    }
}
