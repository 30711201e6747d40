//! What encoding and decoding give.
//!
//! - `encoding`: the columns of a text; `lookups`: the quick ways of its look-ups
//! - `token`: one of what a model gives; `stream`: text while ids arrive

pub mod encoding;
pub mod lookups;
pub mod stream;
pub mod token;
