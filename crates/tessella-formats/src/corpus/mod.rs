//! The texts of a corpus, one after the other, from files.
//!
//! - [`unpack`]: plain, gzip and zstd files as one stream of bytes
//! - [`cut`]: where the texts of a stream end
//! - [`record`]: one JSON line to its text
//! - [`encode`]: texts to ids, with those left out that the tokenizer cannot encode
//! - here: one file after the other, and what is wrong with them
//!
//! All that reads texts reads them here: counting, training, encoding files, the command line. Only columns of
//! Parquet files are read by the caller. A text is a line, what stands between separators, a whole file, or the
//! text of one JSON line. Whether a file is packed is told by its first bytes, whether it holds JSON lines by its
//! name (`.jsonl`, `.ndjson`, `.json`, also with `.gz`, `.zst` or `.zstd` behind it) or by the caller. What is
//! held is bounded by the longest text.
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

mod cut;
mod encode;
mod record;
mod unpack;

use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use tessella_core::cancel::Cancel;
use tessella_core::{Error, ErrorKind, Portion, Result, limits};

pub use cut::Cut;
pub use encode::encode_most;
use record::Record;
pub use unpack::{PACKED, check_packing, packing};
use unpack::{Unpacked, is_too_long};

use crate::utf8;

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
    /// All texts.
    #[default]
    All,
    /// All but every n-th text.
    Without(u64),
    /// Every n-th text.
    Only(u64),
}

/// How texts of files are read.
#[derive(Debug, Clone)]
pub struct CorpusOptions {
    /// What files hold.
    pub form: Form,
    /// Where texts end, in files that are text. JSON lines hold a text each.
    pub cut: Cut,
    /// The key of the text in JSON lines.
    pub field: String,
    /// What is done about broken UTF-8.
    pub invalid: Invalid,
    /// Which texts count, for sets that are kept apart.
    pub share: Share,
    /// How many broken texts are passed over before one is an error: those that are not UTF-8, lines that hold no text,
    /// and texts that are too long. What is wrong with the file itself is an error at once.
    pub skips: usize,
    /// The most bytes that one text may have, unpacked; without it, what the engine can encode in one piece, and less
    /// in packed files, a few bytes of which may become any number.
    pub longest: Option<usize>,
}

/// The most bytes of a text that positions can be counted in.
const LONGEST: usize = i32::MAX as usize;

/// The most of a text in a packed file if nothing is said: 64 MiB.
const LONGEST_PACKED: usize = 64 << 20;

impl Default for CorpusOptions {
    fn default() -> Self {
        CorpusOptions {
            form: Form::default(),
            cut: Cut::default(),
            field: "text".to_string(),
            invalid: Invalid::default(),
            share: Share::default(),
            skips: 0,
            longest: None,
        }
    }
}

/// Where bytes come from.
pub enum Input {
    /// A file, unpacked if need be.
    File(PathBuf),
    /// What is no file here: standard input, a download. `name` is what messages call it.
    Stream {
        /// Its name in messages, whose ending says what it holds.
        name: String,
        /// Its bytes.
        reader: Box<dyn Read + Send>,
    },
}

impl Input {
    /// By what a message and the rule of names know it.
    fn name(&self) -> PathBuf {
        match self {
            Input::File(path) => path.clone(),
            Input::Stream { name, .. } => PathBuf::from(name),
        }
    }
}

impl From<PathBuf> for Input {
    fn from(path: PathBuf) -> Self {
        Input::File(path)
    }
}

impl std::fmt::Debug for Input {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.name().display())
    }
}

/// The texts of some files, in order. After an error there is nothing more.
#[derive(Debug)]
pub struct Corpus {
    inputs: std::vec::IntoIter<Input>,
    options: CorpusOptions,
    current: Option<Open>,
    position: Arc<AtomicU64>,
    /// Texts read so far, given or not.
    read: u64,
    nulls: u64,
    is_failed: bool,
    cancel: Cancel,
    skipped: Vec<Skipped>,
    /// All that were passed over so far.
    skips: usize,
    spot: Spot,
}

/// Where a text begins: its line, from 1, and its byte, from 0, of the unpacked file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Spot {
    /// The line.
    pub line: u64,
    /// The byte.
    pub byte: u64,
}

/// A text that was passed over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skipped {
    /// Where it begins.
    pub spot: Spot,
    /// What is wrong with it.
    pub reason: String,
}

/// A text that cannot be given.
struct Broken {
    /// What stands here if nothing is passed over.
    error: Error,
    /// What is wrong with the text, without its place; nothing where the file itself is broken.
    reason: Option<String>,
}

impl From<Error> for Broken {
    fn from(error: Error) -> Self {
        Broken { error, reason: None }
    }
}

/// The file that is being read.
#[derive(Debug)]
struct Open {
    name: PathBuf,
    content: Unpacked,
    is_json: bool,
    cut: Cut,
    /// Where the text begins that was read last, and where what follows it does: lines from 0, bytes unpacked.
    begin: Place,
    end: Place,
    /// Whether a text that is a whole file was given.
    is_given: bool,
    /// For the strings of JSON lines that have escapes.
    unescaped: String,
}

#[derive(Debug, Clone, Copy, Default)]
struct Place {
    line: u64,
    byte: u64,
}

impl Corpus {
    /// A corpus of these, in order.
    pub fn new(inputs: Vec<impl Into<Input>>, options: CorpusOptions) -> Self {
        let inputs: Vec<Input> = inputs.into_iter().map(Into::into).collect();
        let (position, inputs) = (Arc::default(), inputs.into_iter());
        Corpus {
            inputs,
            options,
            current: None,
            position,
            read: 0,
            nulls: 0,
            is_failed: false,
            cancel: Cancel::never(),
            skipped: Vec::new(),
            skips: 0,
            spot: Spot::default(),
        }
    }

    /// Reading stops in the middle of a text as well.
    pub fn stop_at(&mut self, cancel: Cancel) {
        self.cancel = cancel;
    }

    /// The file that is being read, or that an error ended.
    pub fn current(&self) -> Option<&Path> {
        self.current.as_ref().map(|open| open.name.as_path())
    }

    /// Bytes taken from all files so far, packed as they are: comparable with the sum of the files' sizes.
    pub fn position(&self) -> Arc<AtomicU64> {
        self.position.clone()
    }

    /// Rows so far that hold `null` in place of a text, and so give none.
    pub fn nulls(&self) -> u64 {
        self.nulls
    }

    /// Where the text begins that was given last.
    pub fn spot(&self) -> Spot {
        self.spot
    }

    /// The texts that were passed over since this was last asked.
    pub fn skipped(&mut self) -> Vec<Skipped> {
        std::mem::take(&mut self.skipped)
    }

    /// Notes a text that is passed over; its error where it cannot be, or where there were too many.
    fn pass_over(&mut self, broken: Broken) -> Result<()> {
        let (Some(reason), Some(open)) = (broken.reason, &self.current) else { return Err(broken.error) };
        if self.skips >= self.options.skips {
            return Err(broken.error);
        }
        self.skips += 1;
        self.skipped.push(Skipped { spot: open.spot(), reason });
        limits::check()
    }

    /// Adds the texts that come next and are at hand: many at the price of one. There may be more even where there are none of
    /// these; [`next`](Iterator::next) has them.
    pub fn at_hand(&mut self, texts: &mut Portion) -> Result<()> {
        let _work = limits::begin(0, self.cancel.clone());
        limits::check()?;
        if !self.is_failed
            && self.options.share == Share::All
            && let Some(open) = &mut self.current
        {
            self.read += open.lines_here(&self.options, texts);
            self.spot = open.spot();
        }
        Ok(())
    }

    fn text(&mut self) -> Result<Option<String>> {
        loop {
            let Some(open) = &mut self.current else {
                let Some(input) = self.inputs.next() else { return Ok(None) };
                self.current = Some(Open::new(input, &self.options, &self.position)?);
                continue;
            };
            match open.document(&self.options) {
                Ok(Found::Text(text)) => {
                    self.spot = open.spot();
                    return Ok(Some(text));
                }
                Ok(Found::Null) => self.nulls += 1,
                Ok(Found::Nothing) => {}
                Ok(Found::End) => self.current = None,
                Err(broken) => self.pass_over(broken)?,
            }
            // Many lines may hold nothing.
            limits::check()?;
        }
    }
}

impl Iterator for Corpus {
    type Item = Result<String>;

    fn next(&mut self) -> Option<Result<String>> {
        if self.is_failed {
            return None;
        }
        let _work = limits::begin(0, self.cancel.clone());
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
            text = limits::check().and_then(|()| self.text());
        }
        self.is_failed = text.is_err();
        text.transpose()
    }
}

/// What the next place of a file holds.
enum Found {
    Text(String),
    /// A line with `null` in place of a text.
    Null,
    /// A blank line of a file whose lines are objects.
    Nothing,
    End,
}

impl Open {
    fn new(input: Input, options: &CorpusOptions, position: &Arc<AtomicU64>) -> Result<Open> {
        let name = input.name();
        let content = Unpacked::open(input, position)?;
        let is_json = match options.form {
            Form::ByName => names_json_lines(&name),
            Form::Text => false,
            Form::JsonLines => true,
        };
        let cut = if is_json { Cut::Lines } else { options.cut.clone() };
        let (begin, end) = (Place::default(), Place::default());
        Ok(Open { name, content, is_json, cut, begin, end, is_given: false, unescaped: String::new() })
    }

    /// Where the text begins that was read last.
    fn place(&self) -> String {
        format!("{}, line {}", self.name.display(), self.begin.line + 1)
    }

    fn spot(&self) -> Spot {
        Spot { line: self.begin.line + 1, byte: self.begin.byte }
    }

    fn document(&mut self, options: &CorpusOptions) -> std::result::Result<Found, Broken> {
        let found = match self.line_here(options) {
            Some(found) => found,
            None => {
                let Some(text) = self.text(options)? else { return Ok(Found::End) };
                if !self.is_json {
                    return Ok(Found::Text(text));
                }
                record_of(&text, options, &mut self.unescaped)
            }
        };
        let found = found.map(|record| match record {
            Record::Text(text) => Found::Text(text),
            Record::Null => Found::Null,
            Record::Blank => Found::Nothing,
        });
        found.map_err(|error| {
            let inside = error.location().map(|at| format!(", {}", column(at))).unwrap_or_default();
            Broken {
                reason: Some(format!("{}{inside}", error.message())),
                error: Error::new(error.kind(), error.message()).at(format!("{}{inside}", self.place())),
            }
        })
    }

    /// The text of a line that was taken from the file already and lies there as a whole: most lines are read so,
    /// without a copy of their own. Nothing where there is none, or one that is too long or not UTF-8, which `text`
    /// tells.
    fn line_here(&mut self, options: &CorpusOptions) -> Option<Result<Record>> {
        if !matches!(self.cut, Cut::Lines | Cut::BareLines) {
            return None;
        }
        let line = self.content.reader.line_here()?;
        let bytes = line.len();
        if bytes > self.longest(options) {
            return None;
        }
        let text = utf8::text(line).ok()?;
        let found = if self.is_json {
            record_of(text, options, &mut self.unescaped)
        } else {
            Ok(Record::Text(self.cut.without_end(text).to_string()))
        };
        self.content.reader.consume(bytes);
        self.step(cut::Taken { bytes: bytes as u64, lines: 1 });
        Some(found)
    }

    /// Adds all lines that were taken from the file already and lie there as a whole, and says how many. None where each has
    /// to be looked at by itself.
    fn lines_here(&mut self, options: &CorpusOptions, texts: &mut Portion) -> u64 {
        if self.is_json || self.cut != Cut::Lines {
            return 0;
        }
        let lines = whole_lines(self.content.reader.here());
        if lines.len() > self.longest(options) {
            return 0;
        }
        let text = utf8::text(lines).or_else(|error| {
            // The line with the error is for others to tell.
            utf8::text(whole_lines(&lines[..error.valid_up_to()]))
        });
        let Some(text) = text.ok().filter(|text| !text.is_empty()) else { return 0 };
        let (bytes, before) = (text.len(), texts.len());
        texts.push_lines(text);
        let lines = (texts.len() - before) as u64;
        let last = text[..bytes - 1].rfind('\n').map_or(0, |at| at + 1);
        self.content.reader.consume(bytes);
        self.step(cut::Taken { bytes: last as u64, lines: lines - 1 });
        self.step(cut::Taken { bytes: (bytes - last) as u64, lines: 1 });
        lines
    }

    /// The most bytes that a text may have.
    fn longest(&self, options: &CorpusOptions) -> usize {
        let packed = if self.content.is_packed() { LONGEST_PACKED } else { LONGEST };
        options.longest.unwrap_or(packed).min(LONGEST)
    }

    fn text(&mut self, options: &CorpusOptions) -> std::result::Result<Option<String>, Broken> {
        let mut text = Vec::new();
        let longest = self.longest(options);
        let found = self.cut.next(&mut self.content.reader, longest, &mut text, &mut self.is_given);
        let found = match found {
            Err(error) if is_too_long(&error) => return Err(self.too_long(error, &text, options)),
            Err(error) => return Err(self.failed(error).into()),
            Ok(found) => found,
        };
        let Some(found) = found else { return Ok(None) };
        self.step(found);
        match String::from_utf8(text) {
            Ok(text) => Ok(Some(text)),
            Err(error) if options.invalid == Invalid::Replace => {
                Ok(Some(String::from_utf8_lossy(error.as_bytes()).into_owned()))
            }
            Err(error) => Err(self.not_utf8(&error)),
        }
    }

    fn step(&mut self, taken: cut::Taken) {
        self.begin = self.end;
        self.end.byte += taken.bytes;
        self.end.line += taken.lines;
    }

    /// What a failed read of the text that comes next means.
    fn failed(&self, error: std::io::Error) -> Error {
        self.content.failed(error, self.cut.missing_end(), &self.name, self.end.line + 1)
    }

    /// A text of which this much was read; where texts are passed over, the rest of it is left out.
    fn too_long(&mut self, error: std::io::Error, text: &[u8], options: &CorpusOptions) -> Broken {
        let reason = format!("too long: {error}");
        let error = self.failed(error);
        if options.skips == 0 {
            return error.into();
        }
        match self.cut.pass_over(&mut self.content.reader, text) {
            Ok(taken) => {
                self.step(taken);
                Broken { error, reason: Some(reason) }
            }
            Err(failed) => self.failed(failed).into(),
        }
    }

    fn not_utf8(&self, error: &std::string::FromUtf8Error) -> Broken {
        let (inside, text) = (error.utf8_error().valid_up_to(), error.as_bytes());
        let found = text.get(inside).copied().unwrap_or_default();
        let cut_off = if error.utf8_error().error_len().is_none() { "its end is missing, " } else { "" };
        let unpacked = if self.content.is_packed() { " of the unpacked text" } else { "" };
        let at = self.begin.byte + inside as u64;
        let line = self.begin.line + cut::lines(text.get(..inside).unwrap_or_default()) + 1;
        Broken {
            error: Error::format(format!(
                "{} is not UTF-8: {cut_off}{found:#04x} at byte {at}{unpacked}, line {line}; convert the file first, \
                 or have what is invalid replaced: errors='replace', --errors replace",
                self.name.display()
            )),
            reason: Some(format!("not UTF-8: {cut_off}{found:#04x} at byte {inside} of it")),
        }
    }
}

/// The text of a JSON line. Without its end the line is the first and only one, also for errors that are noticed
/// behind it.
fn record_of(line: &str, options: &CorpusOptions, unescaped: &mut String) -> Result<Record> {
    record::text(line.trim_end_matches('\n'), &options.field, unescaped)
}

/// Up to the last line end.
fn whole_lines(bytes: &[u8]) -> &[u8] {
    &bytes[..memchr::memrchr(b'\n', bytes).map_or(0, |at| at + 1)]
}

/// A place inside of a line without the number that the line has in itself.
fn column(place: &str) -> &str {
    place.strip_prefix("line 1, ").unwrap_or(place)
}

/// What files of JSON lines end in, where they are not packed.
pub const JSON_LINES: [&str; 3] = [".jsonl", ".ndjson", ".json"];

/// Whether a file's name says that it holds JSON lines.
pub fn names_json_lines(path: &Path) -> bool {
    let name = path.file_name().map(|name| name.to_string_lossy().to_lowercase()).unwrap_or_default();
    let unpacked = PACKED.iter().find_map(|(end, _)| name.strip_suffix(end)).unwrap_or(&name);
    JSON_LINES.iter().any(|end| unpacked.ends_with(end))
}

/// An error of the system about a file.
fn io_error(error: std::io::Error, path: &Path) -> Error {
    Error::new(ErrorKind::Io, error.to_string()).caused_by(error).at(path.display().to_string())
}
