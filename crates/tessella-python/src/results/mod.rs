//! What encoding and decoding give.
//!
//! - `encoding`: the columns of a text; `lookups`: the quick ways of its look-ups; `stored`: it as plain data, for pickles
//! - `token`: one of what a model gives; `stream`: text while ids arrive

pub mod encoding;
pub mod lookups;
pub mod stored;
pub mod stream;
pub mod token;
