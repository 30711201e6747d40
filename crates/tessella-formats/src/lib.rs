//! Files to descriptions and back.

pub mod sentencepiece;
