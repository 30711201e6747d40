//! Stage 0: what we are given. Spans, and the way back from a derived text to the original.
//!
//! From the bottom up: [`Alignment`] maps derived bytes to original spans; [`Rewriter`] makes a new derived
//! text from an old one and is the only place that knows the rules of spans; [`AlignedText`] is one text
//! inside the normalizers, [`Pieces`] a text inside the pre-tokenizers; [`NormalizedString`] is the value
//! that users and their own components hold.

mod aligned;
mod alignment;
mod normalized;
mod pieces;
mod rewrite;

pub use aligned::AlignedText;
pub use alignment::Alignment;
pub use normalized::NormalizedString;
pub use pieces::{Piece, Pieces};
pub use rewrite::Rewriter;

/// The most bytes of a text once it is normalized: positions inside of a piece have 32 bits, and
/// pre-tokenization may make a piece twice as long.
pub(crate) const MOST_BYTES: usize = (u32::MAX / 2) as usize;
