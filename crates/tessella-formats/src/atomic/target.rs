//! The place that a new file takes: where it is, whose it was, and who may do what with it.

use std::fs::{self, File, Metadata};
use std::io;
use std::path::{Path, PathBuf};

use super::claim;

/// As many links as Linux follows.
const MOST_LINKS: usize = 40;

/// The file that a new content of `path` replaces: where links lead, also to a file that is yet to be made.
pub fn destination(path: &Path) -> io::Result<PathBuf> {
    let refuse = |kind, what: &str| Err(io::Error::new(kind, what.to_string()));
    match fs::metadata(path) {
        Ok(found) if found.is_dir() => refuse(io::ErrorKind::IsADirectory, "it is a folder"),
        Ok(found) if found.permissions().readonly() => refuse(
            io::ErrorKind::PermissionDenied,
            "it is read-only; choose another name or allow writing to it",
        ),
        Ok(_) => fs::canonicalize(path),
        Err(_) => {
            let mut path = path.to_path_buf();
            for _ in 0..MOST_LINKS {
                match fs::read_link(&path) {
                    Ok(target) => path = folder_of(&path).join(target),
                    Err(_) => return Ok(path),
                }
            }
            refuse(io::ErrorKind::InvalidInput, "its links lead in a circle")
        }
    }
}

/// The standard output or the error output, where a name leads to it (`/dev/stdout`): what it is redirected to is written where it
/// stands. As a file of its own it would be replaced, and what others have written there or will write would be lost.
#[cfg(unix)]
pub fn already_open(path: &Path) -> Option<io::Result<File>> {
    use std::os::fd::AsFd;

    // What processes have open, on Linux by a link to a folder of this process.
    let open = fs::canonicalize("/dev/fd").ok()?;
    let mut path = path.to_path_buf();
    for _ in 0..MOST_LINKS {
        let number =
            path.file_name().and_then(|name| name.to_str()).filter(|name| matches!(*name, "1" | "2"));
        if let Some(number) = number
            && fs::canonicalize(folder_of(&path)).is_ok_and(|folder| folder == open)
        {
            let standard = match number {
                "1" => io::stdout().as_fd().try_clone_to_owned(),
                _ => io::stderr().as_fd().try_clone_to_owned(),
            };
            return Some(standard.map(File::from));
        }
        path = folder_of(&path).join(fs::read_link(&path).ok()?);
    }
    None
}

/// Elsewhere such names are those of devices.
#[cfg(not(unix))]
pub fn already_open(_path: &Path) -> Option<io::Result<File>> {
    None
}

/// The folder that a file lies in.
pub fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// What is kept of the file that is replaced: who owns it, and who may do what with it.
pub fn keep_permissions(file: &File, before: Option<&Metadata>) -> io::Result<()> {
    let Some(before) = before else { return Ok(()) };
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let now = file.metadata()?;
        if (now.uid(), now.gid()) != (before.uid(), before.gid()) {
            // Only an administrator can give a file away; others replace it by one of their own.
            let _ = std::os::unix::fs::fchown(file, Some(before.uid()), Some(before.gid()));
        }
    }
    file.set_permissions(before.permissions())
}

/// A new file that this process claims. While it is written, nobody may open it who may not open what it replaces; the mask of the
/// process is taken off.
pub fn create(path: &Path, before: Option<&Metadata>) -> io::Result<File> {
    #[cfg_attr(not(unix), expect(unused_mut))]
    let mut options = claim::new_file();
    #[cfg(unix)]
    {
        use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
        options.mode(before.map_or(0o666, |before| before.mode() & 0o777));
    }
    #[cfg(not(unix))]
    let _ = before;
    options.open(path)
}

/// Names on their way to the disk. Some systems cannot flush a folder; the files themselves are safe by then.
pub fn flush_folder(folder: &Path) {
    if let Ok(folder) = File::open(folder) {
        let _ = folder.sync_all();
    }
}
