//! Files that are either the old or the new, never half of one.
//!
//! The content goes to a new file in the same folder, is flushed to the disk, and takes the name over. A
//! reader, or a machine that loses power, sees one whole file. Where the name is a link, the file that it leads to is
//! replaced and the link stays. A device or a pipe is written to. A read-only file is refused: taking over its name would
//! need no permission to write it.

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

/// Whether the path is a device, a pipe or the like: there is nothing to replace, and a file must not take its name.
pub fn is_special(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|found| !found.is_file() && !found.is_dir())
}

/// The file that a new content of `path` replaces.
pub fn destination(path: &Path) -> io::Result<PathBuf> {
    let refuse = |kind, what: &str| Err(io::Error::new(kind, what.to_string()));
    match fs::metadata(path) {
        Ok(found) if found.is_dir() => refuse(io::ErrorKind::IsADirectory, "it is a folder"),
        Ok(found) if found.permissions().readonly() => refuse(
            io::ErrorKind::PermissionDenied,
            "it is read-only; choose another name or allow writing to it",
        ),
        Ok(_) => fs::canonicalize(path),
        Err(_) => Ok(path.to_path_buf()),
    }
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
    let mut targets = Vec::with_capacity(files.len());
    let (special, files): (Vec<_>, Vec<_>) = files.iter().partition(|(path, _)| is_special(path));
    for (path, content) in files {
        let target = destination(path).map_err(|error| io_error(path, "writing", error))?;
        let (mut file, temporary) =
            create_beside(&target).map_err(|error| io_error(path, "writing", error))?;
        written.push(temporary);
        // An existing file keeps its permissions.
        let keep = fs::metadata(&target).ok().map(|metadata| metadata.permissions());
        file.write_all(content)
            .and_then(|()| keep.map_or(Ok(()), |permissions| file.set_permissions(permissions)))
            .and_then(|()| file.sync_all())
            .map_err(|error| io_error(path, "writing", error))?;
        targets.push(target);
    }
    for (path, content) in special {
        let written = OpenOptions::new().write(true).open(path).and_then(|mut file| file.write_all(content));
        written.map_err(|error| io_error(path, "writing", error))?;
    }
    for (target, temporary) in targets.iter().zip(written.iter()) {
        fs::rename(temporary, target).map_err(|error| io_error(target, "writing", error))?;
    }
    if let Some(folder) = targets.first().and_then(|target| target.parent()) {
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
