//! What encoding and decoding give: encodings, tokens, streams of text.

pub mod encoding;
pub mod lookups;
pub mod stored;
pub mod stream;
pub mod token;
