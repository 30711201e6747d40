//! From a path to a tokenizer, by what the file holds.
//!
//! A folder is a [saved tokenizer](crate::folder). Of a file the content decides, by [the table of formats](crate::formats).

use std::path::Path;

use tessella_core::{Result, TokenId};

use crate::{folder, formats};

pub use crate::formats::{Format, LoadOptions, Loaded, sniff};

/// Loads a file or folder.
pub fn load_path(
    path: &Path,
    pattern: Option<&str>,
    specials: Option<&[(String, TokenId)]>,
) -> Result<Loaded> {
    load_path_with(path, &LoadOptions { pattern, specials, resolver: None })
}

/// Loads a file or folder, with all that the caller knows.
pub fn load_path_with(path: &Path, options: &LoadOptions<'_>) -> Result<Loaded> {
    if !path.is_dir() {
        return formats::read_path(path, options);
    }
    let loaded = folder::load_with(path, options)?;
    Ok(Loaded {
        spec: loaded.spec.clone(),
        format: Format::Folder,
        notices: loaded.notices.clone(),
        folder: Some(loaded),
    })
}
