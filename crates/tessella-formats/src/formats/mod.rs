//! The one table of formats: what each is called, how its files are named, known, read and written.
//!
//! All that has to know the formats asks here: loading, saving, the command line, and the messages of errors. A new format is a
//! module with a reader, its line in `lib.rs`, and a row of [`TABLE`].

mod sniff;
mod writing;

use std::io::Read;
use std::path::{Path, PathBuf};

use tessella_core::spec::ModelSpec;
use tessella_core::{Error, Result, TokenId, TokenizerSpec};

use crate::atomic::{self, io_error, read};
use crate::snapshot::{self, Snapshot};
use crate::tiktoken::beside;
use crate::{gguf, hf, sentencepiece, tekken, tiktoken, vocab_files};

pub use sniff::sniff;
use sniff::{Head, Json, sniff_text};
pub use writing::{Written, model_bytes, rank_lines};

/// What a file or folder is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)] // `TABLE` tells what each is.
pub enum Format {
    TokenizerJson,
    Tekken,
    Tiktoken,
    SentencePiece,
    Gguf,
    Snapshot,
    VocabTxt,
    Folder,
}

/// Makes the content of a file of this name; the flag is for JSON, which it indents.
type Write = fn(&Path, &TokenizerSpec, bool) -> Result<Written>;

/// What is known about a format of files.
pub struct Known {
    /// The format.
    pub format: Format,
    /// Its name among the options of Python and of the command line.
    pub name: &'static str,
    /// What people call such a file.
    pub what: &'static str,
    /// How the names of such files end, in small letters.
    pub endings: &'static [&'static str],
    /// The first bytes of every file, where it has such.
    magic: Option<&'static [u8]>,
    /// What the content begins with, in words.
    begins: &'static str,
    sniff: fn(&Head<'_>) -> bool,
    read: fn(&Source<'_>, &LoadOptions<'_>) -> Result<LoadedFile>,
    /// The content for a file of this name.
    write: Option<Write>,
    /// Written by the caller, who tries before what another library makes of it.
    is_tried: bool,
}

impl Known {
    /// Whether such files can be written.
    pub fn is_written(&self) -> bool {
        self.write.is_some() || self.is_tried
    }
}

/// All formats of files, in the order in which their content is tried. A folder is none of them.
pub static TABLE: &[Known] = &[
    Known {
        format: Format::Gguf,
        name: "gguf",
        what: "a GGUF file",
        endings: &["gguf"],
        magic: Some(gguf::MAGIC),
        begins: "`GGUF`",
        sniff: |head| head.bytes.starts_with(gguf::MAGIC),
        // Such files hold a whole network; only their beginning is read.
        read: |source, _| match source.bytes {
            Some(bytes) => Ok(plain(gguf::from_bytes(bytes)?, Format::Gguf)),
            None => Ok(plain(gguf::from_path(source.path)?, Format::Gguf)),
        },
        write: None,
        is_tried: true,
    },
    Known {
        format: Format::Snapshot,
        name: "snapshot",
        what: "a snapshot",
        endings: &["snapshot"],
        magic: Some(snapshot::MAGIC),
        begins: "the byte 0x89 and `TSNAP`",
        sniff: |head| head.bytes.starts_with(snapshot::MAGIC),
        // It is mapped where it lies.
        read: |source, options| {
            let snapshot = match source.bytes {
                Some(bytes) => snapshot::from_bytes(bytes, options.resolver),
                None => snapshot::from_path(source.path, options.resolver),
            }?;
            let spec = snapshot.tokenizer.spec().clone();
            Ok(LoadedFile { snapshot: Some(snapshot), ..plain(spec, Format::Snapshot) })
        },
        write: Some(|_, spec, _| Ok(Written::new(snapshot::to_bytes(spec, &Default::default())?))),
        is_tried: false,
    },
    Known {
        format: Format::TokenizerJson,
        name: "json",
        what: "a tokenizer.json",
        endings: &["json"],
        magic: None,
        begins: "`{`",
        sniff: |head| head.json == Some(Json::Tokenizer),
        read: |source, options| {
            let hf::Document { spec, notices } = match source.text {
                Some(text) => hf::read_text(text, options.resolver)?,
                None => hf::read_document(&source.content()?, options.resolver)?,
            };
            Ok(LoadedFile { notices, ..plain(spec, Format::TokenizerJson) })
        },
        write: Some(|_, spec, pretty| Ok(Written::new(hf::to_string(spec, pretty)?))),
        is_tried: false,
    },
    Known {
        format: Format::Tekken,
        name: "tekken",
        what: "a tekken.json",
        endings: &["json"],
        magic: None,
        begins: "`{`",
        sniff: |head| head.json == Some(Json::Tekken),
        read: |source, _| Ok(plain(tekken::from_bytes(&source.content()?)?, Format::Tekken)),
        write: Some(|_, spec, pretty| Ok(Written::new(tekken::to_string(spec, pretty)?))),
        is_tried: false,
    },
    Known {
        format: Format::Tiktoken,
        name: "tiktoken",
        what: "a table of ranks",
        endings: &["tiktoken"],
        magic: None,
        begins: "a line of a token in base64, a space and its rank",
        sniff: |head| tiktoken::read_ranks(head.first_line()).is_ok_and(|ranks| ranks.len() == 1),
        read: |source, options| {
            let spec = beside::read(source.path, &source.content()?, options.pattern, options.specials)?;
            Ok(LoadedFile { notices: tiktoken::decoded_as_bytes(&spec), ..plain(spec, Format::Tiktoken) })
        },
        write: Some(|path, spec, _| beside::write(path, spec, rank_lines(spec)?)),
        is_tried: false,
    },
    Known {
        format: Format::SentencePiece,
        name: "model",
        what: "a SentencePiece model",
        endings: &["model"],
        magic: None,
        begins: "a byte 0x0A and the first piece of a SentencePiece model",
        // A serialized model begins with its first piece: field 1, a message.
        sniff: |head| head.bytes.first() == Some(&0x0A) && (head.text.is_none() || head.bytes.contains(&0)),
        read: |source, _| Ok(plain(sentencepiece::read_model(&source.content()?)?, Format::SentencePiece)),
        write: Some(|_, spec, _| Ok(Written::new(model_bytes(spec)?))),
        is_tried: false,
    },
    Known {
        format: Format::VocabTxt,
        name: "txt",
        what: "a vocab.txt",
        endings: &["txt"],
        magic: None,
        begins: "a token",
        sniff: |head| head.text.is_some_and(|text| !text.is_empty() && !text.contains('\0')),
        read: |source, _| words(&source.content()?),
        write: Some(|_, spec, _| writing::words(spec).map(Written::new)),
        is_tried: false,
    },
];

/// The name of folders among the options.
pub const FOLDER: &str = "folder";

/// A tokenizer read from a file.
#[derive(Debug)]
pub struct LoadedFile {
    /// The tokenizer.
    pub spec: TokenizerSpec,
    /// What the file turned out to be.
    pub format: Format,
    /// What deserves a warning.
    pub notices: Vec<String>,
    /// The tokenizer, ready to run, and what it had beside it.
    pub snapshot: Option<Snapshot>,
}

/// What the caller knows beside the path.
#[derive(Default)]
pub struct LoadOptions<'o> {
    /// For tables of ranks: a known encoding's name or a pattern.
    pub pattern: Option<&'o str>,
    /// For tables of ranks: the special tokens, instead of the encoding's own.
    pub specials: Option<&'o [(String, TokenId)]>,
    /// For custom components.
    pub resolver: hf::Resolver<'o>,
}

/// A file that is read; its content may be in memory already.
pub(crate) struct Source<'s> {
    path: &'s Path,
    bytes: Option<&'s [u8]>,
    /// The same as text, where it is known to be one.
    text: Option<&'s str>,
}

impl Source<'_> {
    fn content(&self) -> Result<std::borrow::Cow<'_, [u8]>> {
        match self.bytes {
            Some(bytes) => Ok(bytes.into()),
            None => Ok(read(self.path)?.into()),
        }
    }
}

fn plain(spec: TokenizerSpec, format: Format) -> LoadedFile {
    LoadedFile { spec, format, notices: Vec::new(), snapshot: None }
}

/// A list of words: the vocabulary of a BERT.
fn words(bytes: &[u8]) -> Result<LoadedFile> {
    let model = vocab_files::word_piece(vocab_files::read_vocab_txt(bytes)?);
    if model.vocab.id(&model.unk_token).is_none() {
        let what = "this is no tokenizer file that is known, and as a list of words it lacks `[UNK]`";
        return Err(Error::format(what));
    }
    let config = vocab_files::BertConfig::default();
    Ok(plain(vocab_files::bert(ModelSpec::WordPiece(model), &config), Format::VocabTxt))
}

/// Reads a file, by what it holds.
pub fn read_path(path: &Path, options: &LoadOptions<'_>) -> Result<LoadedFile> {
    let here = |error: Error| error.at(path.display().to_string());
    const LONGEST: u64 = 16;
    let mut first = Vec::new();
    let file = atomic::open(path)?;
    file.take(LONGEST).read_to_end(&mut first).map_err(|error| io_error(path, "reading", error))?;
    let by_magic = TABLE.iter().find(|known| known.magic.is_some_and(|magic| first.starts_with(magic)));
    if let Some(known) = by_magic {
        return (known.read)(&Source { path, bytes: None, text: None }, options).map_err(here);
    }
    let image = atomic::read_large(path)?;
    let bytes = image.bytes();
    let read = || {
        let (found, text) = sniff_text(bytes).map_err(|error| announced(path, bytes, error))?;
        let known = of(found).ok_or_else(|| Error::format("a folder has no bytes of its own"))?;
        (known.read)(&Source { path, bytes: Some(bytes), text }, options).map_err(|error| {
            match known.format {
                // Anything that is text can be taken for words.
                Format::VocabTxt => announced(path, bytes, error),
                _ => error,
            }
        })
    };
    read().map_err(here)
}

/// A refusal that compares what the file holds with what its name announces: such a file is often cut.
fn announced(path: &Path, bytes: &[u8], error: Error) -> Error {
    let named = path.extension().and_then(|ending| ending.to_str()).map(str::to_ascii_lowercase);
    let Some(known) = named.and_then(|ending| by_ending(&ending)) else { return error };
    let is_so = (known.endings == ["json"] && bytes.trim_ascii_start().starts_with(b"{"))
        || known.format == Format::VocabTxt;
    if is_so || error.location().is_some() || [sniff::EMPTY, sniff::KERAS].contains(&error.message()) {
        return error;
    }
    Error::new(
        error.kind(),
        format!("{}. Its name says that it begins with {}: is it whole?", error.message(), known.begins),
    )
}

/// What is known about a format; nothing about folders.
pub fn of(format: Format) -> Option<&'static Known> {
    TABLE.iter().find(|known| known.format == format)
}

/// The format that an ending announces; of two, the one that is not known by its whole name.
fn by_ending(ending: &str) -> Option<&'static Known> {
    let rows = TABLE.iter().filter(|known| known.endings.contains(&ending));
    rows.min_by_key(|known| known.format == Format::Tekken)
}

/// The endings of files that can be written, and what they stand for.
pub fn writable_endings() -> String {
    let rows = TABLE.iter().filter(|known| known.is_written());
    let shown = rows.map(|known| {
        let endings: Vec<String> = known.endings.iter().map(|ending| format!(".{ending}")).collect();
        format!("{} ({})", endings.join(", "), known.what)
    });
    shown.collect::<Vec<_>>().join(", ")
}

/// The whole name by which a file of Mistral's is known.
const TEKKEN: &str = "tekken.json";

/// Whole names that promise another content than their endings do, in small letters.
const OTHERWISE: [(&str, &str); 9] = [
    ("vocab.json", "the vocabulary of a BPE or WordLevel model: `model.save` writes it"),
    ("config.json", "the settings of a model"),
    ("tokenizer_config.json", "the settings beside a tokenizer.json: `save_pretrained` writes them"),
    ("special_tokens_map.json", "settings beside a tokenizer.json"),
    ("added_tokens.json", "tokens beside a tokenizer.json"),
    ("generation_config.json", "the settings of a model"),
    ("preprocessor_config.json", "the settings of a model"),
    ("chat_template.json", "a chat template"),
    ("merges.txt", "the merges of a BPE model: `model.save` writes them"),
];

/// Whether the end of a name says what a file is: `json`, but not the `05` of `model-2024.05`.
fn is_ending(ending: &str) -> bool {
    (2..=12).contains(&ending.len())
        && ending.starts_with(|first: char| first.is_ascii_alphabetic())
        && ending.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

/// The format to write: the one that is named, else the one that the ending of the name promises. A name without an ending is a
/// `tokenizer.json`, one that ends in a slash a folder. A name that promises something else than what would be
/// written is an error.
pub fn to_write(path: &Path, name: Option<&str>) -> Result<Format> {
    let text = path.to_string_lossy();
    let file = path.file_name().map(|file| file.to_string_lossy().to_ascii_lowercase()).unwrap_or_default();
    if name != Some(FOLDER)
        && let Some((_, what)) = OTHERWISE.iter().find(|(other, _)| *other == file)
    {
        refuse!(Value, "{text} is the name of {what}: choose another name, such as tokenizer.json");
    }
    let ending = path.extension().map(|ending| ending.to_string_lossy().to_ascii_lowercase());
    let promised = match file.as_str() {
        TEKKEN => of(Format::Tekken),
        _ => ending.as_deref().and_then(by_ending),
    };
    let endings = || format!("what can be written: {}, or a folder (format `{FOLDER}`)", writable_endings());
    let asked = match name {
        None if text.ends_with(std::path::is_separator) => return Ok(Format::Folder),
        None => match (&ending, promised) {
            (_, Some(known)) => known,
            (Some(ending), None) if is_ending(ending) => {
                refuse!(Value, "{text} ends in .{ending}, which is no format that is known; {}", endings());
            }
            _ => return Ok(Format::TokenizerJson),
        },
        Some(FOLDER) => return Ok(Format::Folder),
        Some(name) => match TABLE.iter().find(|known| known.name == name) {
            Some(known) => known,
            None => {
                let names = TABLE.iter().filter(|known| known.is_written()).map(|known| known.name);
                let names: Vec<String> = names.chain([FOLDER]).map(|name| format!("'{name}'")).collect();
                return Err(Error::value(format!(
                    "format is `{}`; it must be one of {}",
                    tessella_core::error::excerpt(name),
                    names.join(", ")
                )));
            }
        },
    };
    if let Some(promised) = promised
        && promised.endings != asked.endings
    {
        return Err(Error::value(format!(
            "{text} promises {} by its ending, and the format `{}` is {}: choose another name, or leave the format out",
            promised.what, asked.name, asked.what
        )));
    }
    refuse_if!(!asked.is_written(), Unsupported, "{} can be read but not written; {}", asked.what, endings());
    Ok(asked.format)
}

/// Writes a file of a format; gives what deserves a warning. `pretty` is for JSON.
pub fn write(path: &Path, spec: &TokenizerSpec, format: Format, pretty: bool) -> Result<Vec<String>> {
    let write = of(format).and_then(|known| known.write).ok_or_else(|| {
        Error::unsupported(format!("this format is not written; what can be written: {}", writable_endings()))
    })?;
    write(path, spec, pretty)?.to(path)
}

/// The first of some files that a folder holds.
pub(crate) fn first_of(folder: &Path, names: &[&str]) -> Option<PathBuf> {
    names.iter().map(|name| folder.join(name)).find(|path| atomic::is_there(path))
}

#[cfg(test)]
mod tests;
