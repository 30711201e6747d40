//! Folders that are made for files, and go again if the files are not written.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Folders that were not there before. Dropped without [`keep`](Made::keep), those that are still empty are removed.
#[derive(Debug, Default)]
pub struct Made(Vec<PathBuf>);

impl Made {
    /// Makes a folder, and those that it lies in, as far as they are missing.
    pub fn folder(&mut self, folder: &Path) -> io::Result<()> {
        let missing: Vec<&Path> = folder
            .ancestors()
            .filter(|one| !one.as_os_str().is_empty())
            .take_while(|one| fs::metadata(one).is_err_and(|error| error.kind() == io::ErrorKind::NotFound))
            .collect();
        // Also where nothing is missing: what is there may be no folder.
        let Some((innermost, outer)) = missing.split_first() else { return fs::create_dir_all(folder) };
        for one in outer.iter().rev().chain([innermost]) {
            match fs::create_dir(one) {
                Ok(()) => self.0.push(one.to_path_buf()),
                // Somebody else was faster, and it is theirs; `a/..` is there once `a` is.
                Err(_) if one.is_dir() => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// They stay.
    pub fn keep(mut self) {
        self.0.clear();
    }
}

impl Drop for Made {
    fn drop(&mut self) {
        // What somebody has put a file into meanwhile is not empty, and stays.
        for folder in self.0.iter().rev() {
            let _ = fs::remove_dir(folder);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_made_goes_and_only_empty() {
        let base = std::env::temp_dir().join(format!("tessella-made-{}", std::process::id()));
        fs::create_dir_all(base.join("old")).unwrap();
        let make = |name: &str| {
            let mut made = Made::default();
            made.folder(&base.join(name)).unwrap();
            assert!(base.join(name).is_dir(), "{name}");
            made
        };
        drop(make("old"));
        drop(make("old/new/inner"));
        drop(make("a/../b"));
        assert_eq!(fs::read_dir(&base).unwrap().count(), 1);
        assert_eq!(fs::read_dir(base.join("old")).unwrap().count(), 0);
        let made = make("c/d");
        fs::write(base.join("c/file"), "x").unwrap();
        drop(made);
        assert_eq!(fs::read_dir(base.join("c")).unwrap().count(), 1);
        make("kept").keep();
        assert!(base.join("kept").is_dir());
        assert!(Made::default().folder(&base.join("c/file")).is_err());
        assert!(Made::default().folder(&base.join("c/file/in")).is_err());
        fs::remove_dir_all(&base).unwrap();
    }
}
