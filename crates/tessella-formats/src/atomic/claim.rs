//! Whose a file is: a claim lasts exactly as long as the process that made it, however it ends.
//!
//! On Unix a claim is an advisory lock of the open file, elsewhere a handle that shares no writing. Process numbers would not
//! do: they are used again, and a folder may be shared by containers that do not see each other's. Where a file system
//! knows no locks, nobody is ever taken for dead.

use std::fs::{File, OpenOptions};
use std::io;
use std::path::Path;

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

/// Removes the files in a folder whose names begin and end like this and whose processes are gone.
pub fn remove_leftovers(folder: &Path, begin: &str, end: &str) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let ours = name.to_str().is_some_and(|name| name.starts_with(begin) && name.ends_with(end));
        if ours && let Some(_claim) = take(&entry.path()) {
            let _ = std::fs::remove_file(entry.path());
        }
    }
}
