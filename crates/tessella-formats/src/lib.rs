//! Files to descriptions and back.

pub mod base64;
pub mod hf;
pub mod json;
pub mod sentencepiece;
pub mod tiktoken;
pub mod vocab_files;
