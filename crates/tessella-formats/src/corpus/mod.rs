//! The texts of a corpus, one after the other, from files.
//!
//! - [`unpack`]: plain, gzip and zstd files as one stream of bytes
//! - [`record`]: one JSON line to its text
//! - here: files to lines, lines to texts
//!
//! A text is a line with its line end, or the text of one JSON line. Whether a file is packed is told by its
//! first bytes, whether it holds JSON lines by its name (`.jsonl`, `.ndjson`, `.json`, also with `.gz`, `.zst` or
//! `.zstd` behind it) or by the caller. What is read is bounded by the longest line.
//!
//! ```
//! use tessella_formats::corpus::{Corpus, CorpusOptions};
//!
//! let path = std::env::temp_dir().join(format!("corpus-{}.jsonl", std::process::id()));
//! std::fs::write(&path, "{\"id\": 1, \"text\": \"one\"}\n{\"text\": \"two\"}\n")?;
//! let texts: Vec<String> =
//!     Corpus::new(vec![path.clone()], CorpusOptions::default()).collect::<Result<_, _>>()?;
//! assert_eq!(texts, ["one", "two"]);
//! # std::fs::remove_file(path)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod record;
mod unpack;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use tessella_core::{Error, ErrorKind, Result};

use unpack::Unpacked;

/// What the lines of a file are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Form {
    /// JSON lines where the file's name says so, text elsewhere.
    #[default]
    ByName,
    /// Every line is a text.
    Text,
    /// Every line is a JSON object that holds a text.
    JsonLines,
}

/// What to do with bytes that are not UTF-8.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Invalid {
    /// An error that says where.
    #[default]
    Refuse,
    /// U+FFFD in their place.
    Replace,
}

/// Which texts are given, so that a slice can be kept aside from what is learned from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Share {
    #[default]
    All,
    /// All but every n-th text.
    Without(u64),
    /// Every n-th text.
    Only(u64),
}

#[derive(Debug, Clone)]
pub struct CorpusOptions {
    pub form: Form,
    /// The key of the text in JSON lines.
    pub field: String,
    pub invalid: Invalid,
    pub share: Share,
}

impl Default for CorpusOptions {
    fn default() -> Self {
        CorpusOptions {
            form: Form::default(),
            field: "text".to_string(),
            invalid: Invalid::default(),
            share: Share::default(),
        }
    }
}

/// The texts of some files, in order. After an error there is nothing more.
#[derive(Debug)]
pub struct Corpus {
    paths: std::vec::IntoIter<PathBuf>,
    options: CorpusOptions,
    current: Option<Open>,
    position: Arc<AtomicU64>,
    /// Texts read so far, given or not.
    read: u64,
}

/// The file that is being read.
#[derive(Debug)]
struct Open {
    path: PathBuf,
    content: Unpacked,
    is_json: bool,
    /// Lines read, and bytes of them, unpacked.
    lines: u64,
    bytes: u64,
}

impl Corpus {
    pub fn new(paths: Vec<PathBuf>, options: CorpusOptions) -> Self {
        Corpus { paths: paths.into_iter(), options, current: None, position: Arc::default(), read: 0 }
    }

    /// Bytes taken from all files so far, packed as they are: comparable with the sum of the files' sizes.
    pub fn position(&self) -> Arc<AtomicU64> {
        self.position.clone()
    }

    fn text(&mut self) -> Result<Option<String>> {
        loop {
            let Some(open) = &mut self.current else {
                let Some(path) = self.paths.next() else { return Ok(None) };
                self.current = Some(Open::new(path, self.options.form, &self.position)?);
                continue;
            };
            let Some(line) = open.line(self.options.invalid)? else {
                self.current = None;
                continue;
            };
            if !open.is_json {
                return Ok(Some(line));
            }
            // Without its end the line is the first and only one, also for errors that are noticed behind it.
            let found = record::text(line.trim_end_matches('\n'), &self.options.field).map_err(|error| {
                let inside = error.location().map(|at| format!(", {}", column(at))).unwrap_or_default();
                Error::new(error.kind(), error.message()).at(format!("{}{inside}", open.place()))
            })?;
            if found.is_some() {
                return Ok(found);
            }
        }
    }
}

impl Iterator for Corpus {
    type Item = Result<String>;

    fn next(&mut self) -> Option<Result<String>> {
        let mut text = self.text();
        while let Ok(Some(_)) = text {
            self.read += 1;
            let is_given = match self.options.share {
                Share::All => true,
                Share::Without(n) => n == 0 || !self.read.is_multiple_of(n),
                Share::Only(n) => n > 0 && self.read.is_multiple_of(n),
            };
            if is_given {
                break;
            }
            text = self.text();
        }
        if text.is_err() {
            self.current = None;
            self.paths = Vec::new().into_iter();
        }
        text.transpose()
    }
}

impl Open {
    fn new(path: PathBuf, form: Form, position: &Arc<AtomicU64>) -> Result<Open> {
        let content = Unpacked::open(&path, position)?;
        let is_json = match form {
            Form::ByName => names_json_lines(&path),
            Form::Text => false,
            Form::JsonLines => true,
        };
        Ok(Open { path, content, is_json, lines: 0, bytes: 0 })
    }

    /// Where the line is that was read last.
    fn place(&self) -> String {
        format!("{}, line {}", self.path.display(), self.lines)
    }

    fn line(&mut self, invalid: Invalid) -> Result<Option<String>> {
        let mut line = Vec::new();
        let read = self.content.reader.read_until(b'\n', &mut line);
        read.map_err(|error| self.content.failed(error, &self.path))?;
        if line.is_empty() {
            return Ok(None);
        }
        self.lines += 1;
        let before = self.bytes;
        self.bytes += line.len() as u64;
        match String::from_utf8(line) {
            Ok(line) => Ok(Some(line)),
            Err(error) if invalid == Invalid::Replace => {
                Ok(Some(String::from_utf8_lossy(error.as_bytes()).into_owned()))
            }
            Err(error) => {
                let inside = error.utf8_error().valid_up_to();
                let found = error.as_bytes().get(inside).copied().unwrap_or_default();
                let unpacked = if self.content.is_packed() { " of the unpacked text" } else { "" };
                let at = before + inside as u64;
                Err(Error::format(format!(
                    "{} is not UTF-8: {found:#04x} at byte {at}{unpacked}, line {}; convert the file first, \
                     or have what is invalid replaced: errors='replace', --errors replace",
                    self.path.display(),
                    self.lines
                )))
            }
        }
    }
}

/// A place inside of a line without the number that the line has in itself.
fn column(place: &str) -> &str {
    place.strip_prefix("line 1, ").unwrap_or(place)
}

/// Whether a file's name says that it holds JSON lines.
pub fn names_json_lines(path: &Path) -> bool {
    let name = path.file_name().map(|name| name.to_string_lossy().to_lowercase()).unwrap_or_default();
    let unpacked = [".gz", ".zst", ".zstd"].iter().find_map(|end| name.strip_suffix(end)).unwrap_or(&name);
    [".jsonl", ".ndjson", ".json"].iter().any(|end| unpacked.ends_with(end))
}

/// An error of the system about a file.
fn io_error(error: std::io::Error, path: &Path) -> Error {
    Error::new(ErrorKind::Io, error.to_string()).caused_by(error).at(path.display().to_string())
}
