//! From a path to a tokenizer, by what the file holds.
//!
//! A folder is a [saved tokenizer](crate::folder). Of a file the first bytes decide: `GGUF`, a JSON object (a
//! `tokenizer.json` has a `model`, a `tekken.json` a `config` and a `vocab`), lines of `base64 rank`, a
//! SentencePiece model, or a plain list of words.

use std::io::Read;
use std::path::{Path, PathBuf};

use tessella_core::spec::ModelSpec;
use tessella_core::{Error, Result, TokenId, TokenizerSpec};

use crate::atomic::{self, io_error, read};
use crate::folder::{self, LoadedFolder};
use crate::json::{Kind, Parser};
use crate::{gguf, hf, sentencepiece, tekken, tiktoken, vocab_files};

/// What a file was found to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    TokenizerJson,
    Tekken,
    Tiktoken,
    SentencePiece,
    Gguf,
    VocabTxt,
    Folder,
}

/// A tokenizer read from a path.
#[derive(Debug)]
pub struct Loaded {
    pub spec: TokenizerSpec,
    pub format: Format,
    /// What deserves a warning.
    pub notices: Vec<String>,
    /// What else a folder holds.
    pub folder: Option<LoadedFolder>,
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

/// Loads a file or folder.
pub fn load_path(
    path: &Path,
    pattern: Option<&str>,
    specials: Option<&[(String, TokenId)]>,
) -> Result<Loaded> {
    load_path_with(path, &LoadOptions { pattern, specials, resolver: None })
}

/// Loads a file or folder, with all that the caller knows.
pub fn load_path_with(path: &Path, options: &LoadOptions<'_>) -> Result<Loaded> {
    let here = |error: Error| error.at(path.display().to_string());
    if path.is_dir() {
        let loaded = folder::load_with(path, options)?;
        return Ok(Loaded {
            spec: loaded.spec.clone(),
            format: Format::Folder,
            notices: loaded.notices.clone(),
            folder: Some(loaded),
        });
    }
    let mut magic = Vec::new();
    atomic::open(path)?
        .take(4)
        .read_to_end(&mut magic)
        .map_err(|error| io_error(path, "reading", error))?;
    if magic == gguf::MAGIC {
        // Such files hold a whole network; only their beginning is read.
        return Ok(plain(gguf::from_path(path).map_err(here)?, Format::Gguf));
    }
    load_file(path, &read(path)?, options).map_err(here)
}

fn plain(spec: TokenizerSpec, format: Format) -> Loaded {
    Loaded { spec, format, notices: Vec::new(), folder: None }
}

fn load_file(path: &Path, bytes: &[u8], options: &LoadOptions<'_>) -> Result<Loaded> {
    match sniff(bytes).map_err(|error| named(path, bytes, error))? {
        Format::TokenizerJson => {
            let hf::Document { spec, notices } = hf::read_document(bytes, options.resolver)?;
            Ok(Loaded { spec, format: Format::TokenizerJson, notices, folder: None })
        }
        Format::Tekken => Ok(plain(tekken::from_bytes(bytes)?, Format::Tekken)),
        Format::Tiktoken => {
            let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
            let name = match options.pattern {
                Some(pattern) => pattern,
                None if tiktoken::named(&stem).is_some() => &stem,
                None => {
                    return Err(Error::value(format!(
                        "a table of ranks says nothing about how text is cut: give the pattern, or the name of a \
                         known encoding ({})",
                        tiktoken::NAMES.join(", ")
                    )));
                }
            };
            Ok(plain(tiktoken::from_bytes(bytes, name, options.specials)?, Format::Tiktoken))
        }
        Format::SentencePiece => Ok(plain(sentencepiece::read_model(bytes)?, Format::SentencePiece)),
        Format::VocabTxt => {
            let vocab = vocab_files::read_vocab_txt(bytes)?;
            let model = vocab_files::word_piece(vocab);
            if model.vocab.id(&model.unk_token).is_none() {
                let what = "this is no tokenizer file that is known, and as a list of words it lacks `[UNK]`";
                return Err(named(path, bytes, Error::format(what)));
            }
            let config = folder::BertConfig::default();
            Ok(plain(folder::bert(ModelSpec::WordPiece(model), &config), Format::VocabTxt))
        }
        Format::Gguf => Ok(plain(gguf::from_bytes(bytes)?, Format::Gguf)),
        Format::Folder => Err(Error::format("a folder has no bytes of its own")),
    }
}

/// A refusal that compares what the file holds with what its name announces: such a file is often cut.
fn named(path: &Path, bytes: &[u8], error: Error) -> Error {
    let begins = match path.extension().and_then(|extension| extension.to_str()) {
        Some("gguf") => "`GGUF`",
        Some("model") => "a byte 0x0A and the first piece of a SentencePiece model",
        Some("tiktoken") => "a line of a token in base64, a space and its rank",
        Some("json") if !bytes.trim_ascii_start().starts_with(b"{") => "`{`",
        _ => return error,
    };
    if error.location().is_some() || error.message() == EMPTY {
        return error;
    }
    Error::new(
        error.kind(),
        format!("{}. Its name says that it begins with {begins}: is it whole?", error.message()),
    )
}

const EMPTY: &str = "the file is empty";

/// What some bytes are, by their content.
pub fn sniff(bytes: &[u8]) -> Result<Format> {
    if bytes.is_empty() {
        return Err(Error::format(EMPTY));
    }
    if bytes.starts_with(gguf::MAGIC) {
        return Ok(Format::Gguf);
    }
    let text = std::str::from_utf8(bytes).ok();
    let start = text.map(|text| text.trim_start_matches(['\u{feff}', ' ', '\t', '\r', '\n']));
    if let Some(text) = start
        && text.starts_with('{')
    {
        return sniff_json(text);
    }
    let first_line = bytes.split(|&byte| byte == b'\n').next().unwrap_or_default();
    if tiktoken::read_ranks(first_line).is_ok_and(|ranks| ranks.len() == 1) {
        return Ok(Format::Tiktoken);
    }
    // A serialized model begins with its first piece: field 1, a message.
    if bytes.first() == Some(&0x0A) && (text.is_none() || bytes.contains(&0)) {
        return Ok(Format::SentencePiece);
    }
    match text {
        Some(text) if !text.is_empty() && !text.contains('\0') => Ok(Format::VocabTxt),
        _ => Err(Error::format(
            "this is no tokenizer file that is known: it is neither tokenizer.json, tekken.json, a table of ranks, \
             a SentencePiece model, GGUF, nor a list of words",
        )),
    }
}

fn sniff_json(text: &str) -> Result<Format> {
    let mut parser = Parser::new(text);
    let (mut config, mut vocab) = (false, false);
    parser.begin_object()?;
    while let Some(key) = parser.next_key()? {
        match key.as_ref() {
            "model" if parser.peek()? == Kind::Object => return Ok(Format::TokenizerJson),
            "config" => config = true,
            "vocab" if parser.peek()? == Kind::Array => vocab = true,
            _ => {}
        }
        if config && vocab {
            return Ok(Format::Tekken);
        }
        parser.skip()?;
    }
    Err(Error::format(
        "this JSON is no tokenizer that is known: tokenizer.json has a `model`, tekken.json a `config` and a `vocab`; \
         a bare vocabulary needs its merges beside it (load the folder)",
    ))
}

/// The first of some files that a folder holds.
pub(crate) fn first_of(folder: &Path, names: &[&str]) -> Option<PathBuf> {
    names.iter().map(|name| folder.join(name)).find(|path| atomic::is_file(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_decides() {
        let cases: [(&[u8], Format); 6] = [
            (b"GGUF\x03\0\0\0", Format::Gguf),
            (b"\xef\xbb\xbf {\"x\": [1], \"model\": {}}", Format::TokenizerJson),
            (br#"{"config": {}, "vocab": []}"#, Format::Tekken),
            (b"IQ== 0\nIg== 1\n", Format::Tiktoken),
            (b"\x0a\x0e\x0a\x05<unk>\x15\0\0\0\0\x18\x02", Format::SentencePiece),
            ("[UNK]\nwörd\n".as_bytes(), Format::VocabTxt),
        ];
        for (bytes, format) in cases {
            assert_eq!(sniff(bytes).unwrap(), format);
        }
        for nothing in [&b""[..], b"\xff\xfe\0", br#"{"a": 0}"#, b"{", br#"{"vocab": {}}"#] {
            assert!(sniff(nothing).is_err());
        }
    }
}
