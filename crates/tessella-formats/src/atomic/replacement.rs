//! One file that takes the place of another when it is whole.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use tempfile::{Builder, NamedTempFile};

use super::{claim, is_special, together};

const BEGIN: &str = ".tessella-";
const END: &str = ".tmp";
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

enum Place {
    /// Beside the file that it replaces.
    Beside { file: NamedTempFile, target: PathBuf, before: Option<Box<Metadata>> },
    /// A device or a pipe, which is written to.
    There(File),
}

/// A file that takes the place of another with [`commit`](Self::commit), and vanishes without.
pub struct Replacement {
    place: Place,
}

impl Replacement {
    pub fn new(path: &Path) -> io::Result<Self> {
        if is_special(path) {
            return Ok(Replacement { place: Place::There(OpenOptions::new().write(true).open(path)?) });
        }
        let target = destination(path)?;
        if target.file_name().is_none() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not the name of a file"));
        }
        let folder = folder_of(&target);
        together::finish(folder)?;
        claim::remove_leftovers(folder, BEGIN, END);
        let before = fs::metadata(&target).ok().map(Box::new);
        loop {
            let named = Builder::new()
                .prefix(BEGIN)
                .suffix(END)
                .rand_bytes(12)
                .make_in(folder, |path| create(path, before.as_deref()))?;
            if claim::hold(named.as_file())? {
                return Ok(Replacement { place: Place::Beside { file: named, target, before } });
            }
        }
    }

    pub fn file(&self) -> &File {
        match &self.place {
            Place::Beside { file, .. } => file.as_file(),
            Place::There(file) => file,
        }
    }

    /// Brings the content to the disk and puts it under its name.
    pub fn commit(self) -> io::Result<()> {
        commit_all(vec![self])
    }
}

/// Several files that belong together: all are on the disk before the first changes its name, so that the time in which some are
/// new and some are old is that of the renaming. Where not even that may be, see [`Together`](super::Together).
pub fn commit_all(all: Vec<Replacement>) -> io::Result<()> {
    let mut ready = Vec::with_capacity(all.len());
    for one in all {
        if let Place::Beside { file, target, before } = one.place {
            keep_permissions(file.as_file(), before.as_deref())?;
            file.as_file().sync_all()?;
            ready.push((file, target));
        }
    }
    let folders: std::collections::BTreeSet<PathBuf> =
        ready.iter().map(|(_, target)| folder_of(target).to_path_buf()).collect();
    for (file, target) in ready {
        file.persist(&target).map_err(|error| error.error)?;
    }
    folders.iter().for_each(|folder| flush_folder(folder));
    Ok(())
}

impl Write for Replacement {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file().flush()
    }
}
