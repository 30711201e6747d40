//! Files that are either the old or the new, never half of one: all that Tessella writes goes through here.
//!
//! The content goes to a new file in the same folder, is flushed to the disk, and takes the name over. A
//! reader, or a machine that loses power, sees one whole file. Where the name is a link, the file that it leads to is
//! replaced and the link stays; owner and permissions stay too, further names of the same file (hard links) keep the older
//! content. A device, a pipe or an output of this process (`/dev/stdout`) is written to. A read-only file is refused: taking over its name would need no permission to
//! write it.
//!
//! - [`Replacement`] is one file on its way, for content of any size; [`write()`] for one that is in memory.
//! - [`Together`] is for several files that only make sense together: a saved folder.
//! - [`read`] finds a file's content also in the middle of such a save, and after one that was killed.
//! - [`claim`] tells files of the living from leftovers, which the next writer in the same folder removes.

pub mod claim;
mod made;
mod replacement;
mod target;
mod together;
mod waiting;

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Read, Write};
use std::path::Path;

use tessella_core::flat::Image;
use tessella_core::{Error, ErrorKind, Result};

use crate::unfetched;

pub use replacement::{Replacement, commit_all};
pub use together::{JOURNAL, Together, is_file, names, settled};
pub use waiting::{In, Out};

/// An I/O error that names the file.
pub fn io_error(path: &Path, doing: &str, error: io::Error) -> Error {
    match error.raw_os_error() {
        Some(_) => Error::from(error).at(path.display().to_string()),
        // What we refuse ourselves, or what ended a wait.
        None => error.downcast::<Error>().unwrap_or_else(|error| {
            Error::new(ErrorKind::Io, format!("{doing} {} failed: {error}", path.display())).caused_by(error)
        }),
    }
}

/// Whether the path is a device, a pipe or the like: there is nothing to replace, and a file must not take its name.
pub fn is_special(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|found| !found.is_file() && !found.is_dir())
}

/// Whether there is something to read under a name, or what is refused when it is read: a pipe, a device.
pub fn is_there(path: &Path) -> bool {
    is_file(path) || is_special(path)
}

/// Opens an ordinary file; a pipe could keep us waiting for ever, a device never ends.
pub fn open(path: &Path) -> Result<File> {
    let failed = |error| io_error(path, "reading", error);
    let place = together::located(path).map_err(failed)?;
    let place = place.ok_or_else(|| failed(io::ErrorKind::NotFound.into()))?;
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, rustix::fs::OFlags::NONBLOCK.bits() as i32);
    let file = match options.open(&place) {
        // It has just taken its name.
        Err(error) if error.kind() == io::ErrorKind::NotFound && place != path => options.open(path),
        opened => opened,
    }
    .map_err(failed)?;
    let found = file.metadata().map_err(failed)?;
    if !found.is_file() && !found.is_dir() {
        return Err(Error::value(format!(
            "{} is a pipe or a device, and what is read here must be an ordinary file: write the content to a file first",
            path.display()
        )));
    }
    Ok(file)
}

/// Reads a whole file that is large: a tokenizer's.
pub fn read_large(path: &Path) -> Result<Image> {
    let file = open(path)?;
    let length = file.metadata().map_or(0, |found| found.len() as usize);
    let image = Image::read_all(file, length).map_err(|error| io_error(path, "reading", error))?;
    unfetched::refuse(path, image.bytes())?;
    Ok(image)
}

/// Reads a whole file.
pub fn read(path: &Path) -> Result<Vec<u8>> {
    let mut file = open(path)?;
    let mut content = Vec::with_capacity(file.metadata().map_or(0, |found| found.len() as usize));
    file.read_to_end(&mut content).map_err(|error| io_error(path, "reading", error))?;
    unfetched::refuse(path, &content)?;
    Ok(content)
}

/// Writes a file as a whole.
pub fn write(path: &Path, content: &[u8]) -> Result<()> {
    write_with(path, |out| Ok(out.write_all(content)?))
}

/// Writes a file in portions. On an error nothing is left behind, and an older file of that name stays.
pub fn write_with(path: &Path, write: impl FnOnce(&mut BufWriter<Out>) -> Result<()>) -> Result<()> {
    let failed = |error| io_error(path, "writing", error);
    let replacement = Replacement::new(path).map_err(failed)?;
    let mut out = BufWriter::with_capacity(1 << 18, replacement.out().map_err(failed)?);
    write(&mut out).map_err(|error| named(error, path))?;
    out.into_inner().map_err(|error| failed(error.into_error()))?;
    replacement.commit().map_err(failed)
}

/// An error of the system that came without a name: it is about the file at hand.
pub fn named(error: Error, path: &Path) -> Error {
    let is_nameless = error.kind() == ErrorKind::Io && error.location().is_none();
    if is_nameless { error.at(path.display().to_string()) } else { error }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replaces_and_leaves_nothing_behind() {
        let folder = std::env::temp_dir().join(format!("tessella-atomic-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let path = folder.join("a.json");
        write(&path, b"one").unwrap();
        write(&path, b"two").unwrap();
        assert_eq!(read(&path).unwrap(), b"two");
        let blocked = folder.join("missing").join("b.json");
        assert_eq!(write(&blocked, b"x").unwrap_err().kind(), ErrorKind::Io);
        assert_eq!(read(&path).unwrap(), b"two");
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
        fs::remove_dir_all(&folder).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn links_and_devices_stay_and_read_only_files_too() {
        let folder = std::env::temp_dir().join(format!("tessella-links-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let (path, link) = (folder.join("real.json"), folder.join("link.json"));
        write(&path, b"one").unwrap();
        std::os::unix::fs::symlink("real.json", &link).unwrap();
        write(&link, b"two").unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(read(&path).unwrap(), b"two");
        let mut permissions = fs::metadata(&path).unwrap().permissions();
        permissions.set_readonly(true);
        fs::set_permissions(&path, permissions).unwrap();
        write(Path::new("/dev/null"), b"three").unwrap();
        assert!(is_special(Path::new("/dev/null")));
        for (target, word) in [(&link, "read-only"), (&folder, "folder")] {
            let error = write(target, b"three").unwrap_err();
            assert!(error.message().contains(word), "{}", error.message());
        }
        assert_eq!(read(&path).unwrap(), b"two");
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 2);
        fs::remove_dir_all(&folder).unwrap();
    }
}
