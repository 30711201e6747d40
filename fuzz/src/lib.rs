//! What the fuzz targets share.
//!
//! A fuzzer hands over bytes. Two targets read them as files; the others read them as decisions:
//!
//! - [`choose`]: bytes decide a small tokenizer and a text;
//! - [`pieces`]: bytes decide a SentencePiece model;
//! - [`pattern`]: bytes decide a regular expression;
//! - [`reference`]: the same tokenizer again, written to be obviously right and with no thought of speed;
//! - [`show`]: a tokenizer on a few lines, for the message of a failure;
//! - [`files`]: tiny valid files of every kind, to start from.
//!
//! Each target is named after the property that it defends.

pub mod choose;
pub mod pattern;
pub mod pieces;
pub mod reference;
pub mod show;

#[path = "../../crates/tessella-formats/tests/hostile/files.rs"]
pub mod files;
