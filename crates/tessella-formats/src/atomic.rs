//! Files that are either the old or the new, never half of one.
//!
//! The content goes to a new file in the same folder, is flushed to the disk, and takes the name over. A
//! reader, or a machine that loses power, sees one whole file.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use tessella_core::{Error, ErrorKind, Result};

static COUNTER: AtomicU64 = AtomicU64::new(0);

/// An I/O error that names the file.
pub(crate) fn io_error(path: &Path, doing: &str, error: io::Error) -> Error {
    Error::new(ErrorKind::Io, format!("{doing} {} failed: {error}", path.display())).caused_by(error)
}

/// Reads a whole file.
pub fn read(path: &Path) -> Result<Vec<u8>> {
    fs::read(path).map_err(|error| io_error(path, "reading", error))
}

/// A new file next to `path`, under a name that nobody has.
fn create_beside(path: &Path) -> io::Result<(File, PathBuf)> {
    let name =
        path.file_name().ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "not a file name"))?;
    loop {
        let mut temporary = std::ffi::OsString::from(".");
        temporary.push(name);
        temporary.push(format!(".{}-{}.tmp", std::process::id(), COUNTER.fetch_add(1, Ordering::Relaxed)));
        let temporary = path.with_file_name(temporary);
        match OpenOptions::new().write(true).create_new(true).open(&temporary) {
            Ok(file) => return Ok((file, temporary)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
            Err(error) => return Err(error),
        }
    }
}

/// Writes a file as a whole.
pub fn write(path: &Path, content: &[u8]) -> Result<()> {
    write_all(&[(path.to_path_buf(), content)])
}

/// Writes several files: all contents are on the disk before the first name changes.
pub fn write_all(files: &[(PathBuf, &[u8])]) -> Result<()> {
    let mut written: Vec<PathBuf> = Vec::with_capacity(files.len());
    let result = prepare_and_rename(files, &mut written);
    if result.is_err() {
        // What was renamed is gone from here; the rest must not stay behind.
        for temporary in written {
            let _ = fs::remove_file(temporary);
        }
    }
    result
}

fn prepare_and_rename(files: &[(PathBuf, &[u8])], written: &mut Vec<PathBuf>) -> Result<()> {
    for (path, content) in files {
        let (mut file, temporary) = create_beside(path).map_err(|error| io_error(path, "writing", error))?;
        written.push(temporary);
        // An existing file keeps its permissions.
        let keep = fs::metadata(path).ok().map(|metadata| metadata.permissions());
        file.write_all(content)
            .and_then(|()| keep.map_or(Ok(()), |permissions| file.set_permissions(permissions)))
            .and_then(|()| file.sync_all())
            .map_err(|error| io_error(path, "writing", error))?;
    }
    for ((path, _), temporary) in files.iter().zip(written.iter()) {
        fs::rename(temporary, path).map_err(|error| io_error(path, "writing", error))?;
    }
    if let Some(folder) = files.first().and_then(|(path, _)| path.parent()) {
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        // Some systems cannot flush a folder; the files themselves are safe by now.
        if let Ok(folder) = File::open(folder) {
            let _ = folder.sync_all();
        }
    }
    Ok(())
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
        let error = write_all(&[(path.clone(), b"three"), (blocked, b"x")]).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Io);
        assert_eq!(read(&path).unwrap(), b"two");
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
        fs::remove_dir_all(&folder).unwrap();
    }
}
