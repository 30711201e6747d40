//! Files to descriptions and back.
//!
//! Every reader turns bytes into a [`TokenizerSpec`](tessella_core::TokenizerSpec), every writer goes the
//! other way. What a format cannot say is an error that names the obstacle; nothing is approximated.

// Notations that several formats share.
pub mod atomic;
mod base64;
mod beside_model;
pub mod json;

// The formats.
pub(crate) mod concat_rank;
pub mod gguf;
pub mod hf;
pub mod sentencepiece;
pub mod tekken;
pub mod tiktoken;
pub mod vocab_files;

// Which formats there are.
pub mod formats;

// Which classes folders name.
pub mod classes;

// From a path to a tokenizer.
pub mod detect;
pub mod folder;

// From a tokenizer to a path.
pub mod save;

// From paths to the texts of a corpus.
pub mod corpus;

// What makes two descriptions the same.
pub mod fingerprint;

pub use detect::{Loaded, load_path};
pub use fingerprint::fingerprint;
pub use folder::LoadedFolder;
