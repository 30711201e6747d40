//! Whose a file is: a claim lasts exactly as long as the process that made it, however it ends.
//!
//! On Unix a claim is an advisory lock of the open file, elsewhere a handle that shares no writing. Process numbers would not
//! do: they are used again, and a folder may be shared by containers that do not see each other's. Where a file system
//! knows no locks, nobody is ever taken for dead.

use std::collections::VecDeque;
use std::fs::{File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// Options of a new file that this process claims; nobody may have its name.
pub fn new_file() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create_new(true);
    share_reading_only(&mut options);
    options
}

#[cfg(windows)]
fn share_reading_only(options: &mut OpenOptions) {
    use std::os::windows::fs::OpenOptionsExt;
    // FILE_SHARE_READ | FILE_SHARE_DELETE
    options.share_mode(1 | 4);
}

#[cfg(not(windows))]
fn share_reading_only(_options: &mut OpenOptions) {}

/// Claims a file that was just made. `false`: somebody who looks for leftovers was faster, and removes it.
#[cfg(unix)]
pub fn hold(file: &File) -> io::Result<bool> {
    use rustix::fs::{FlockOperation, flock};
    use std::os::unix::fs::MetadataExt;
    match flock(file, FlockOperation::NonBlockingLockExclusive) {
        Err(rustix::io::Errno::WOULDBLOCK) => Ok(false),
        // Without locks no leftovers are removed either, see `take`.
        Err(_) => Ok(true),
        Ok(()) => Ok(file.metadata()?.nlink() > 0),
    }
}

/// Nothing is left to do: the handle with which the file was made shares no writing.
#[cfg(not(unix))]
pub fn hold(_file: &File) -> io::Result<bool> {
    Ok(true)
}

/// The file of a process that is gone, claimed by this one. `None`: it is claimed, it is gone, or nobody can tell.
#[cfg(unix)]
pub fn take(path: &Path) -> Option<File> {
    use rustix::fs::{FlockOperation, OFlags, flock};
    use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
    // Never a link to somewhere else, and never waiting for the other end of a pipe.
    let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits() as i32;
    let file = OpenOptions::new().read(true).write(true).custom_flags(flags).open(path).ok()?;
    let found = file.metadata().ok()?;
    if !found.is_file() || flock(&file, FlockOperation::NonBlockingLockExclusive).is_err() {
        return None;
    }
    // Between opening and locking, the name may have gone to another file.
    let now = std::fs::symlink_metadata(path).ok()?;
    (now.ino() == found.ino() && now.dev() == found.dev()).then_some(file)
}

/// The file of a process that is gone: no handle of another keeps it from being written to.
#[cfg(not(unix))]
pub fn take(path: &Path) -> Option<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true);
    share_reading_only(&mut options);
    options.open(path).ok().filter(|file| file.metadata().is_ok_and(|found| found.is_file()))
}

/// Folders that this process writes many files to, with how many more come before one is looked through again.
static LATELY: Mutex<VecDeque<(PathBuf, usize)>> = Mutex::new(VecDeque::new());

/// So many folders are remembered.
const FOLDERS: usize = 16;

/// For so many entries of a folder one file is written without a look. The first look is never left out, and none in small folders; who
/// writes `n` files into one folder looks at some 64 entries for each, and not at `n`.
const ENTRIES: usize = 64;

/// Removes the files in a folder whose names begin and end like this and whose processes are gone.
pub fn remove_leftovers(folder: &Path, begin: &str, end: &str) {
    if !is_due(folder) {
        return;
    }
    let mut entries = 0;
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        entries += 1;
        let name = entry.file_name();
        let ours = name.to_str().is_some_and(|name| name.starts_with(begin) && name.ends_with(end));
        if ours && let Some(_claim) = take(&entry.path()) {
            let _ = std::fs::remove_file(entry.path());
        }
    }
    looked(folder, entries / ENTRIES);
}

/// Whether a folder is to be looked through now. Who forked while another thread was here looks each time.
fn is_due(folder: &Path) -> bool {
    let Ok(mut lately) = LATELY.try_lock() else { return true };
    let Some((_, left)) = lately.iter_mut().find(|(known, _)| known == folder) else { return true };
    *left = left.saturating_sub(1);
    *left == 0
}

fn looked(folder: &Path, writes: usize) {
    let Ok(mut lately) = LATELY.try_lock() else { return };
    lately.retain(|(known, _)| known != folder);
    if writes > 0 {
        lately.truncate(FOLDERS - 1);
        lately.push_front((folder.to_path_buf(), writes + 1));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_large_folder_is_not_looked_through_for_each_file() {
        let folder = std::env::temp_dir().join(format!("tessella-claim-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let write = |name: String| std::fs::write(folder.join(name), b"").unwrap();
        let is_there = || folder.join(".tessella-dead.tmp").exists();
        for number in 0..3 * ENTRIES {
            write(number.to_string());
        }
        remove_leftovers(&folder, ".tessella-", ".tmp");
        write(".tessella-dead.tmp".into());
        for _ in 0..3 {
            remove_leftovers(&folder, ".tessella-", ".tmp");
            assert!(is_there());
        }
        remove_leftovers(&folder, ".tessella-", ".tmp");
        assert!(!is_there());
        // A small one is.
        for number in 0..3 * ENTRIES {
            std::fs::remove_file(folder.join(number.to_string())).unwrap();
        }
        (0..4).for_each(|_| remove_leftovers(&folder, ".tessella-", ".tmp"));
        write(".tessella-dead.tmp".into());
        remove_leftovers(&folder, ".tessella-", ".tmp");
        assert!(!is_there());
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
