//! Several files of one folder that are all old or all new, for every reader that reads through this module.
//!
//! A system renames one file at a time, so a process that is killed between two renames leaves a mixture. A journal tells readers of it:
//!
//! 1. `.tessella-save` is made, and claimed by the process. It lists the temporary files and the names they will have.
//! 2. The temporary files are written and flushed. Until now nothing has changed for a reader, and if the process dies,
//!    the next one to write here removes them.
//! 3. The line `ready` is added to the journal and flushed. From here on everything is new: [`located`] leads readers from a name to
//!    the temporary file that stands for it, and if the process dies, the next one to write here does the rest.
//! 4. The temporary files take their names, what belonged to the older files is removed, and the journal goes.
//!
//! Files that are read by others than this module, mapped arrays above all, must not make a mixture either ([`commit`]): before the
//! first takes its name, the older ones of all others are removed. Who knows no journal misses a file then, and does not take one for
//! another's.
//!
//! A reader of several files that was overtaken by a writer reads them again, see [`settled`].

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use tempfile::NamedTempFile;
use tessella_core::{Error, ErrorKind, Result, random::Random};

use super::made::Made;
use super::target::{create, destination, flush_folder, folder_of, keep_permissions};
use super::{claim, io_error, is_special};

/// The journal's name.
pub const JOURNAL: &str = ".tessella-save";
const HEAD: &str = "tessella save 1";
const CLEAR: &str = "clear";
const READY: &str = "ready";
/// How long a writer waits for another one in the same folder, which needs no more than its disk takes.
const PATIENCE: Duration = Duration::from_secs(60);
const PAUSE: Duration = Duration::from_millis(5);

/// What a journal says: temporary files, which lie beside the files that they replace, and names, seen from the folder.
#[derive(Debug, Default, PartialEq, Eq)]
struct Journal {
    put: Vec<(String, String)>,
    remove: Vec<String>,
    /// Whether older files go before the first new one takes its name.
    clear: bool,
    ready: bool,
}

impl Journal {
    fn read(text: &str) -> Journal {
        let mut journal = Journal::default();
        // A line without its end was never finished.
        for line in text.split_inclusive('\n').filter_map(|line| line.strip_suffix('\n')) {
            match line.split('\t').collect::<Vec<_>>()[..] {
                ["put", temporary, name] => journal.put.push((temporary.into(), name.into())),
                ["remove", name] => journal.remove.push(name.into()),
                [CLEAR] => journal.clear = true,
                [READY] => journal.ready = true,
                _ => {}
            }
        }
        journal
    }

    fn of(folder: &Path) -> io::Result<Option<Journal>> {
        match fs::read(folder.join(JOURNAL)) {
            Ok(bytes) => Ok(Some(Journal::read(&String::from_utf8_lossy(&bytes)))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) if error.kind() == io::ErrorKind::NotADirectory => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn text(&self) -> String {
        let mut text = format!("{HEAD}\n");
        for (temporary, name) in &self.put {
            text.push_str(&format!("put\t{temporary}\t{name}\n"));
        }
        for name in &self.remove {
            text.push_str(&format!("remove\t{name}\n"));
        }
        if self.clear {
            text.push_str(&format!("{CLEAR}\n"));
        }
        text
    }

    /// Where the temporary files lie, and the files that they replace.
    fn places(&self, folder: &Path) -> io::Result<Vec<(PathBuf, PathBuf)>> {
        let place = |(temporary, name): &(String, String)| {
            let target = destination(&folder.join(name))?;
            Ok((folder_of(&target).join(temporary), target))
        };
        self.put.iter().map(place).collect()
    }

    /// The rest of a save that is ready. What was done already is not done again.
    fn complete(&self, folder: &Path) -> io::Result<()> {
        let mut folders = vec![folder.to_path_buf()];
        let places = self.places(folder)?;
        if self.clear && places.first().is_some_and(|(first, _)| first.exists()) {
            for (_, target) in &places[1..] {
                remove(target)?;
            }
            // On the disk, too, before the first name is taken.
            places.iter().for_each(|(_, target)| flush_folder(folder_of(target)));
        }
        for (temporary, target) in places {
            match fs::rename(&temporary, &target) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => folders.push(folder_of(&target).to_path_buf()),
            }
        }
        for name in &self.remove {
            remove(&folder.join(name))?;
        }
        folders.sort();
        folders.dedup();
        folders.iter().for_each(|folder| flush_folder(folder));
        remove(&folder.join(JOURNAL))
    }

    /// Removes what a save that was not ready has made.
    fn undo(&self, folder: &Path) -> io::Result<()> {
        for (temporary, _) in self.places(folder).unwrap_or_default() {
            remove(&temporary)?;
        }
        remove(&folder.join(JOURNAL))
    }
}

fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Ends what a process that is gone began in this folder, or in the one that it lies in.
pub(super) fn finish(folder: &Path) -> io::Result<()> {
    for folder in [folder, folder_of(folder)] {
        let path = folder.join(JOURNAL);
        if let Some(_claim) = claim::take(&path)
            && let Some(journal) = Journal::of(folder)?
        {
            if journal.ready { journal.complete(folder)? } else { journal.undo(folder)? }
        }
    }
    Ok(())
}

/// Files of one folder that change together.
#[derive(Debug)]
pub struct Together {
    folder: PathBuf,
    files: Vec<(String, Vec<u8>)>,
    remove: Vec<String>,
    makes_folder: bool,
}

impl Together {
    /// Nothing is written yet.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Together { folder: folder.into(), files: Vec::new(), remove: Vec::new(), makes_folder: false }
    }

    /// The folder is made if it is missing; else it must be there.
    pub fn make_folder(&mut self) -> &mut Self {
        self.makes_folder = true;
        self
    }

    /// A file with its content. The name is seen from the folder; the folder of a file in a folder in it is made.
    pub fn put(&mut self, name: impl Into<String>, content: impl Into<Vec<u8>>) -> &mut Self {
        self.files.push((name.into(), content.into()));
        self
    }

    /// A file that belongs to what is replaced and must not stay; it may be missing.
    pub fn remove(&mut self, name: impl Into<String>) -> &mut Self {
        self.remove.push(name.into());
        self
    }

    /// The files that will be written.
    pub fn paths(&self) -> Vec<PathBuf> {
        self.files.iter().map(|(name, _)| self.folder.join(name)).collect()
    }

    /// Writes the files. On an error before anything has changed, nothing is left behind, also no folder.
    pub fn write(self) -> Result<Vec<PathBuf>> {
        let paths = self.paths();
        let folder = self.folder.clone();
        let mut made = Made::default();
        if self.makes_folder {
            made.folder(&folder).map_err(|error| io_error(&folder, "creating", error))?;
        }
        if let ([(name, content)], []) = (&self.files[..], &self.remove[..])
            && Path::new(name).file_name() == Some(name.as_ref())
        {
            super::write(&folder.join(name), content)?;
            made.keep();
            return Ok(paths);
        }
        self.save(&mut made).map_err(|(name, error)| match name {
            Some(name) => io_error(&folder.join(name), "writing", error),
            None => io_error(&folder, "writing", error),
        })?;
        made.keep();
        Ok(paths)
    }

    /// The error comes with the name of the file that it is about.
    fn save(self, made: &mut Made) -> std::result::Result<(), (Option<String>, io::Error)> {
        let Together { folder, files, mut remove, .. } = self;
        if let Some(name) = files.iter().map(|(name, _)| name).chain(&remove).find(|name| is_bad(name)) {
            return Err((Some(name.clone()), bad_name()));
        }
        let put = waiting(files.iter().map(|(name, _)| name.clone()));
        let mut claimed = begin(&folder).map_err(|error| (None, error))?;
        // Not earlier: what waited for its name, since a process was killed, has it only now.
        remove.retain(|gone| files.iter().all(|(name, _)| name != gone) && folder.join(gone).exists());
        let mut journal = Journal { put, remove, ..Journal::default() };
        if let Err((name, error)) = prepare(&folder, &files, &journal, &mut claimed, made) {
            let _ = journal.undo(&folder);
            return Err((name, error));
        }
        journal.ready = true;
        std::mem::take(made).keep();
        // From here on, readers see the new files, also if this fails.
        journal.complete(&folder).map_err(|error| (None, error))
    }
}

/// A journal is lines with tabs in them.
fn is_bad(name: &str) -> bool {
    name.contains(['\n', '\t'])
}

fn bad_name() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, "a name has a line break or a tab")
}

/// Names of temporary files for names.
fn waiting(names: impl Iterator<Item = String>) -> Vec<(String, String)> {
    let mut random = Random::from_entropy();
    names.map(|name| (format!(".tessella-{:016x}.save", random.next_u64()), name)).collect()
}

/// Puts files of one folder, which are whole and on the disk, under their names. Nobody ever sees the first with another content of the
/// others than belongs to it; who knows no journal may miss the others for a moment.
pub(super) fn commit(folder: &Path, files: Vec<(NamedTempFile, PathBuf)>) -> io::Result<()> {
    let mut names = Vec::with_capacity(files.len());
    for (_, path) in &files {
        let name = path.file_name().and_then(|name| name.to_str()).filter(|name| !is_bad(name));
        names.push(name.ok_or_else(bad_name)?.to_string());
    }
    let mut journal = Journal { put: waiting(names.into_iter()), clear: true, ..Journal::default() };
    let mut claimed = begin(folder)?;
    let prepare = || -> io::Result<()> {
        claimed.write_all(journal.text().as_bytes())?;
        let places = journal.places(folder)?;
        for ((file, _), (temporary, _)) in files.into_iter().zip(&places) {
            file.persist(temporary).map_err(|error| error.error)?;
        }
        places.iter().for_each(|(temporary, _)| flush_folder(folder_of(temporary)));
        writeln!(claimed, "{READY}").and_then(|()| claimed.sync_all())
    };
    if let Err(error) = prepare() {
        let _ = journal.undo(folder);
        return Err(error);
    }
    journal.ready = true;
    journal.complete(folder)
}

/// Makes the journal, which no other process may have in this folder.
fn begin(folder: &Path) -> io::Result<File> {
    let path = folder.join(JOURNAL);
    let started = Instant::now();
    loop {
        finish(folder)?;
        match claim::new_file().open(&path) {
            Ok(file) if claim::hold(&file)? => return Ok(file),
            Ok(_) => {}
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
            Err(_) if started.elapsed() > PATIENCE => {
                return Err(io::Error::new(
                    io::ErrorKind::WouldBlock,
                    format!(
                        "another process has been writing here for a minute, says {JOURNAL}; try again when it is done"
                    ),
                ));
            }
            Err(_) => std::thread::sleep(PAUSE),
        }
    }
}

/// Steps 1 to 3.
fn prepare(
    folder: &Path,
    files: &[(String, Vec<u8>)],
    journal: &Journal,
    claimed: &mut File,
    made: &mut Made,
) -> std::result::Result<(), (Option<String>, io::Error)> {
    let unnamed = |error| (None, error);
    claimed.write_all(journal.text().as_bytes()).map_err(unnamed)?;
    let mut folders = vec![folder.to_path_buf()];
    for ((name, content), (temporary, _)) in files.iter().zip(&journal.put) {
        let mut write = || -> io::Result<PathBuf> {
            let path = folder.join(name);
            if is_special(&path) {
                return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is a device or a pipe"));
            }
            made.folder(folder_of(&path))?;
            let target = destination(&path)?;
            // A name that cannot be taken, one that is too long, is found out now: once the journal is ready there is no way back.
            let before = match fs::metadata(&target) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                found => found.ok(),
            };
            let mut file = create(&folder_of(&target).join(temporary), before.as_ref())?;
            file.write_all(content)?;
            keep_permissions(&file, before.as_ref())?;
            file.sync_all()?;
            Ok(folder_of(&target).to_path_buf())
        };
        folders.push(write().map_err(|error| (Some(name.clone()), error))?);
    }
    folders.sort();
    folders.dedup();
    folders.iter().for_each(|folder| flush_folder(folder));
    claimed.write_all(format!("{READY}\n").as_bytes()).and_then(|()| claimed.sync_all()).map_err(unnamed)
}

/// Where the content of a file is now: under its name, or, in the middle of a save or after one that was killed, under that of the
/// temporary file. `None`: it belonged to what was replaced.
pub fn located(path: &Path) -> io::Result<Option<PathBuf>> {
    let inner = folder_of(path);
    for folder in [inner, folder_of(inner)] {
        let Some(journal) = Journal::of(folder)?.filter(|journal| journal.ready) else { continue };
        let Ok(name) = path.strip_prefix(folder) else { continue };
        if journal.remove.iter().any(|gone| Path::new(gone) == name) {
            return Ok(None);
        }
        if let Some((temporary, _)) = journal.put.iter().find(|(_, put)| Path::new(put) == name) {
            let waiting = folder_of(&destination(path)?).join(temporary);
            if waiting.exists() {
                return Ok(Some(waiting));
            }
        }
    }
    Ok(Some(path.to_path_buf()))
}

/// Whether a file is there, by its name or waiting for it.
pub fn is_file(path: &Path) -> bool {
    located(path).is_ok_and(|place| place.is_some_and(|place| place.is_file()))
}

/// The names in a folder, with those of files that wait for theirs.
pub fn names(folder: &Path) -> Vec<OsString> {
    let there = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.file_name());
    let mut names: Vec<OsString> = there.collect();
    for above in [folder, folder_of(folder)] {
        let journal = Journal::of(above).ok().flatten().filter(|journal| journal.ready).unwrap_or_default();
        let waiting = journal.put.iter().map(|(_, name)| above.join(name));
        names.extend(
            waiting
                .filter(|path| folder_of(path) == folder)
                .filter_map(|path| Some(path.file_name()?.into())),
        );
    }
    names.sort();
    names.dedup();
    names.retain(|name| is_file(&folder.join(name)));
    names
}

/// What tells whether somebody has written to a folder meanwhile.
fn state(folder: &Path) -> Vec<(OsString, u64, Option<std::time::SystemTime>, u64)> {
    let mut files = Vec::new();
    for folder in [folder.to_path_buf(), folder.join("additional_chat_templates")] {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let Ok(found) = fs::metadata(entry.path()) else { continue };
            #[cfg(unix)]
            let number = std::os::unix::fs::MetadataExt::ino(&found);
            #[cfg(not(unix))]
            let number = 0;
            if found.is_file() {
                files.push((entry.file_name(), number, found.modified().ok(), found.len()));
            }
        }
    }
    files.sort();
    files
}

/// Reads several files of a folder, and does it again if they changed meanwhile: what comes out is of one save.
pub fn settled<T>(folder: &Path, mut read: impl FnMut() -> Result<T>) -> Result<T> {
    const ATTEMPTS: usize = 50;
    for _ in 0..ATTEMPTS {
        let before = state(folder);
        let read = read();
        if state(folder) == before {
            return read;
        }
    }
    Err(Error::new(
        ErrorKind::Io,
        format!("{} was written to again and again while it was read; try again", folder.display()),
    ))
}
