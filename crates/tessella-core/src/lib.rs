//! Tessella's engine: text to ids and back.
//!
//! The pipeline on one page, in the order in which a text walks through it:
//!
//! 0. [`text`]: what we are given, and the way back from a derived text to the original;
//!    `added`: special and user tokens, cut out before and after normalisation
//! 1. [`normalize`]: text to text, with alignment
//! 2. [`pretokenize`]: text to pieces
//! 3. [`model`]: piece to ids
//! 4. `postprocess`: special tokens, truncation, padding
//! 5. `encoding`: the result and its look-ups
//! 6. [`decode`]: ids to bytes to text
//!
//! [`Tokenizer`] is the conductor, the only module that joins stages. [`spec`] is the plain-data description
//! it is built from. No Python, no files, no JSON in this crate.

#![deny(missing_docs)]

// Shared by all stages.
#[macro_use]
pub mod error;
pub mod cancel;
pub mod flat;
pub mod hash;
pub mod hooks;
mod ids;
pub mod limits;
pub mod memory;
pub mod pattern;
mod portion;
pub mod random;
mod scale;
pub mod spec;
pub mod threads;
mod trie;
pub mod unicode;
mod vocab;

// 0. What we are given.
mod added;
pub mod text;

// 1. Text to text.
pub mod normalize;

// 2. Text to pieces.
pub mod pretokenize;

// 3. Piece to ids; and the fast engine, which takes pieces by the hundred.
mod lanes;
pub mod model;

// 4. Special tokens, truncation, padding.
mod postprocess;

// 5. The result.
mod encoding;

// 6. Back to text.
pub mod decode;

// The conductor.
mod tokenizer;

// A second conductor, for what SentencePiece tells about a text besides ids.
pub mod sentencepiece;

// Several conductors on the same texts.
mod compare;

pub use compare::Comparison;
pub use encoding::{Encoding, EncodingParts, NO_WORD, OffsetUnit, Offsets};
pub use error::{Error, ErrorKind, Result};
pub use flat::{large_pages_for, prefetch, with_large_pages};
pub use ids::{PieceToken, Span, TokenId};
pub use lanes::Narrow;
pub use lanes::wide::{Character, TOGETHER, Unfolding, Width};
pub use portion::Portion;
pub use postprocess::PostProcessor;
pub use spec::TokenizerSpec;
pub use tokenizer::{
    BRIEF, Compiled, DecodeRoom, EncodeOptions, FewIds, Input, Joined, ManyInputs, ManyTexts, PieceCounter,
    PieceCutter, RaggedIds, Ranked, Sequence, StagePiece, Tokenizer, WAYS,
};
