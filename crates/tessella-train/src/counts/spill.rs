//! A folder of our own for runs that do not fit in memory; it goes when its last owner goes.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use tessella_core::{Error, ErrorKind, Result};

#[derive(Debug)]
pub(super) struct SpillDir {
    path: PathBuf,
    next: AtomicU64,
}

impl SpillDir {
    /// Makes a new folder, whose name nobody else has, inside `folder`.
    pub(super) fn create(folder: &Path) -> Result<SpillDir> {
        let mut random = tessella_core::random::Random::from_entropy();
        for _ in 0..64 {
            let name = format!("tessella-counts-{}-{:016x}", std::process::id(), random.next_u64());
            let path = folder.join(name);
            match std::fs::create_dir(&path) {
                Ok(()) => return Ok(SpillDir { path, next: AtomicU64::new(0) }),
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => continue,
                Err(error) => {
                    return Err(Error::new(
                        ErrorKind::Io,
                        format!("cannot make a folder for spilled counts in {}: {error}", folder.display()),
                    )
                    .caused_by(error));
                }
            }
        }
        Err(Error::new(ErrorKind::Io, format!("no free folder name in {}", folder.display())))
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
