//! From a tokenizer to a path: the way back from [`detect`](crate::detect).
//!
//! A file is written only if reading it gives a tokenizer that does the same. What stands in the way is an
//! error that names it, before anything is written. The formats are in [the table](crate::formats).

use std::path::{Path, PathBuf};

use tessella_core::{Result, TokenizerSpec};

use crate::folder;
use crate::formats::{self, Format};

pub use crate::folder::Extras;
pub use crate::formats::{model_bytes, rank_lines};

/// Writes a file or folder of a format; gives what deserves a warning. `pretty` is for JSON.
pub fn file(path: &Path, spec: &TokenizerSpec, format: Format, pretty: bool) -> Result<Vec<String>> {
    match format {
        Format::Folder => folder(path, spec, &Extras::default()).map(|_| Vec::new()),
        _ => formats::write(path, spec, format, pretty),
    }
}

/// Writes a folder; gives the files' paths.
pub fn folder(path: &Path, spec: &TokenizerSpec, extras: &Extras) -> Result<Vec<PathBuf>> {
    folder::save(path, spec, extras)
}
