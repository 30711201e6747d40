//! Files: loading, saving, pickles, and the texts of a corpus.
//!
//! - `loading`, `saving`: tokenizers of all formats
//! - `known`: what is known of formats, encodings, folders and model classes
//! - `pack`: tokenizers and components as Python data, for pickles
//! - `reading`: texts of files; `writing`: the engine's writer of files, for Python

pub mod known;
pub mod loading;
pub mod pack;
pub mod reading;
pub mod saving;
pub mod writing;
