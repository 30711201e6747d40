//! From a path to a tokenizer, by what the file holds.
//!
//! A folder is a [saved tokenizer](crate::folder). Of a file the content decides, by [the table of formats](crate::formats).

use std::path::Path;

use tessella_core::{Result, TokenizerSpec};

use crate::folder::{self, LoadedFolder};
use crate::formats;
use crate::snapshot::Snapshot;

pub use crate::formats::{Format, LoadOptions, sniff};

/// A tokenizer read from a path.
#[derive(Debug)]
pub struct Loaded {
    /// The tokenizer.
    pub spec: TokenizerSpec,
    /// What it was read from.
    pub format: Format,
    /// What deserves a warning.
    pub notices: Vec<String>,
    /// What else a folder holds.
    pub folder: Option<LoadedFolder>,
    /// The tokenizer of a snapshot, ready to run, and what it had beside it.
    pub snapshot: Option<Snapshot>,
}

/// Loads a file or folder, with what the caller knows.
pub fn load_path(path: &Path, options: &LoadOptions<'_>) -> Result<Loaded> {
    if !path.is_dir() {
        let formats::LoadedFile { spec, format, notices, snapshot } = formats::read_path(path, options)?;
        return Ok(Loaded { spec, format, notices, folder: None, snapshot });
    }
    let loaded = folder::load(path, options)?;
    Ok(Loaded {
        spec: loaded.spec.clone(),
        format: Format::Folder,
        notices: loaded.notices.clone(),
        folder: Some(loaded),
        snapshot: None,
    })
}
