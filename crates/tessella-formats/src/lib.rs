//! Files to descriptions and back.
//!
//! Every reader turns bytes into a [`TokenizerSpec`](tessella_core::TokenizerSpec), every writer goes the
//! other way. What a format cannot say is an error that names the obstacle; nothing is approximated. The rooms:
//!
//! - [`atomic`], the one writer of files, [`json`], and base64: notations that several formats share
//! - [`hf`], [`tiktoken`], [`tekken`], [`sentencepiece`], [`gguf`], [`vocab_files`]: the formats
//! - [`packed`]: all of a description in parts, for pickles; [`snapshot`]: the same with finished tables
//! - [`formats`]: the one table of them, and what a file is and becomes by it
//! - [`folder`]: a tokenizer with its settings and chat templates; [`classes`]: what the class that it names says
//! - [`detect`]: any path to a tokenizer, of a file or a folder
//! - [`corpus`]: paths to the texts of a corpus
//! - [`fingerprint`](mod@fingerprint): what makes two descriptions the same

#![deny(missing_docs)]

// Notations that several formats share.
#[macro_use(refuse, refuse_if)]
extern crate tessella_core;

pub mod atomic;
mod base64;
mod beside_model;
pub mod json;
pub mod unfetched;
pub mod utf8;

// The formats.
pub(crate) mod concat_rank;
pub mod gguf;
pub mod hf;
pub mod packed;
pub mod sentencepiece;
pub mod snapshot;
pub mod tekken;
pub mod tiktoken;
pub mod vocab_files;

// Which formats there are.
pub mod formats;

// Which classes folders name.
pub mod classes;
pub mod model_types;

// From a path to a tokenizer, and back.
pub mod detect;
pub mod folder;

// From paths to the texts of a corpus.
pub mod corpus;

// What makes two descriptions the same.
pub mod fingerprint;

pub use detect::{Loaded, load_path};
pub use fingerprint::fingerprint;
pub use folder::LoadedFolder;
