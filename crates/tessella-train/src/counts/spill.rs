//! A folder of our own for runs that do not fit in memory; it goes when its last owner goes.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use tessella_core::Result;
use tessella_formats::atomic::{claim, io_error};

const BEGIN: &str = "tessella-counts-";
/// The file in the folder that is claimed as long as the folder is used.
const CLAIM: &str = "claim";

#[derive(Debug)]
pub(super) struct SpillDir {
    path: PathBuf,
    next: AtomicU64,
    _claim: File,
}

impl SpillDir {
    /// Makes a new folder, whose name nobody else has, inside `folder`, after those of processes that are gone were removed.
    pub(super) fn create(folder: &Path) -> Result<SpillDir> {
        remove_leftovers(folder);
        let failed = |error| io_error(folder, "making a folder for spilled counts in", error);
        loop {
            let made =
                tempfile::Builder::new().prefix(BEGIN).rand_bytes(16).tempdir_in(folder).map_err(failed)?;
            let claimed = claim::new_file()
                .open(made.path().join(CLAIM))
                .and_then(|file| Ok(claim::hold(&file)?.then_some(file)));
            match claimed {
                Ok(Some(file)) => {
                    return Ok(SpillDir { path: made.keep(), next: AtomicU64::new(0), _claim: file });
                }
                // Somebody took it for a leftover before it was claimed.
                Ok(None) => {}
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(failed(error)),
            }
        }
    }

    pub(super) fn next_path(&self) -> PathBuf {
        self.path.join(format!("run-{:06}", self.next.fetch_add(1, Ordering::Relaxed)))
    }
}

impl Drop for SpillDir {
    fn drop(&mut self) {
        // Nothing sensible can be done about a failure here; the folder lies in a temporary place.
        let _ = std::fs::remove_dir_all(&self.path);
    }
}

/// Removes the folders of processes that were killed.
fn remove_leftovers(folder: &Path) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let ours = entry.file_name().to_str().is_some_and(|name| name.starts_with(BEGIN));
        if !ours || !entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            continue;
        }
        if let Some(_claim) = claim::take(&entry.path().join(CLAIM)) {
            let _ = std::fs::remove_dir_all(entry.path());
        } else {
            // Killed between two steps: this removes nothing but an empty folder.
            let _ = std::fs::remove_dir(entry.path());
        }
    }
}
