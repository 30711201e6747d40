//! The stages, as handles that stay changeable while a tokenizer uses them.
//!
//! - `live`: a component as a shared cell; `fields`: its fields; `stage`: what the handles of all kinds have in common
//! - `normalizers`, `pre_tokenizers`, `models`, `processors`, `decoders`: one handle for each stage
//! - `strings`, `pretokenized`, `regex`, `added`: values that users and their components hold
//! - `custom`: components that users wrote in Python

pub mod added;
pub mod custom;
pub mod decoders;
pub mod fields;
pub mod live;
pub mod models;
pub mod normalizers;
pub mod pre_tokenizers;
pub mod pretokenized;
pub mod processors;
pub mod regex;
pub mod stage;
pub mod strings;
