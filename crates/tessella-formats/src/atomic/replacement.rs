//! One file that takes the place of another when it is whole.

use std::fs::{self, File, Metadata};
use std::io;
use std::path::{Path, PathBuf};

use tempfile::{Builder, NamedTempFile};

use super::target::{already_open, create, destination, flush_folder, folder_of, keep_permissions};
use super::waiting::{self, Out};
use super::{claim, is_special, together};

const BEGIN: &str = ".tessella-";
const END: &str = ".tmp";

enum Place {
    /// Beside the file that it replaces.
    Beside { file: NamedTempFile, path: PathBuf, target: PathBuf, before: Option<Box<Metadata>> },
    /// A device, a pipe or an output of this process, which is written to.
    There(File),
}

/// A file that takes the place of another with [`commit`](Self::commit), and vanishes without.
pub struct Replacement {
    place: Place,
}

impl Replacement {
    /// Begins a file beside its place.
    pub fn new(path: &Path) -> io::Result<Self> {
        if let Some(open) = already_open(path) {
            return Ok(Replacement { place: Place::There(open?) });
        }
        if is_special(path) {
            return Ok(Replacement { place: Place::There(waiting::open(path)?) });
        }
        let target = destination(path)?;
        if target.file_name().is_none() {
            let empty = path.as_os_str().is_empty();
            let why = if empty { "its name is empty: give it one" } else { "it is not the name of a file" };
            return Err(io::Error::new(io::ErrorKind::InvalidInput, why));
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
                let path = path.to_path_buf();
                return Ok(Replacement { place: Place::Beside { file: named, path, target, before } });
            }
        }
    }

    /// Where to write.
    pub fn file(&self) -> &File {
        match &self.place {
            Place::Beside { file, .. } => file.as_file(),
            Place::There(file) => file,
        }
    }

    /// The same for who writes here: ends when the caller wants no more, also where nobody reads.
    pub fn out(&self) -> io::Result<Out> {
        let file = self.file().try_clone()?;
        // What an output of this process is redirected to may be a file, which always takes all.
        let waits = matches!(self.place, Place::There(_)) && !file.metadata()?.is_file();
        Ok(Out::new(file, waits))
    }

    /// Brings the content to the disk and puts it under its name.
    pub fn commit(self) -> io::Result<()> {
        commit_all(vec![self])
    }
}

/// Several files that belong together. All are on the disk before the first takes its name; those of one folder take theirs by a
/// journal, so that a process that is killed meanwhile leaves all old or all new, see [`together::commit`].
pub fn commit_all(all: Vec<Replacement>) -> io::Result<()> {
    let mut ready = Vec::with_capacity(all.len());
    for one in all {
        if let Place::Beside { file, path, target, before } = one.place {
            keep_permissions(file.as_file(), before.as_deref())?;
            file.as_file().sync_all()?;
            ready.push((file, path, target));
        }
    }
    if let [(_, first, _), _, ..] = &ready[..] {
        let folder = folder_of(first).to_path_buf();
        if ready.iter().all(|(_, path, _)| folder_of(path) == folder) {
            return together::commit(
                &folder,
                ready.into_iter().map(|(file, path, _)| (file, path)).collect(),
            );
        }
    }
    let folders: std::collections::BTreeSet<PathBuf> =
        ready.iter().map(|(_, _, target)| folder_of(target).to_path_buf()).collect();
    for (file, _, target) in ready {
        file.persist(&target).map_err(|error| error.error)?;
    }
    folders.iter().for_each(|folder| flush_folder(folder));
    Ok(())
}
