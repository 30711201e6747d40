//! What some bytes are, by their content alone.

use tessella_core::{Error, Result};

use super::{Format, TABLE};
use crate::json::{Kind, Parser};
use crate::utf8;

pub(super) const EMPTY: &str = "the file is empty";

/// The two kinds of JSON that are tokenizers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Json {
    /// It has a `model`.
    Tokenizer,
    /// It has a `config` and a `vocab`.
    Tekken,
}

/// The content with what several formats look at.
pub(crate) struct Head<'b> {
    pub(super) bytes: &'b [u8],
    /// The content, where it is text.
    pub(super) text: Option<&'b str>,
    pub(super) json: Option<Json>,
}

/// What `Tokenizer.to_json` of Keras gives, whose files are often a string of JSON in JSON.
pub(super) const KERAS: &str = "this is a tokenizer of Keras, which is not read: its `word_index`, a string of JSON, is a vocabulary for \
                     tessella.models.WordLevel";
const KERAS_AS_STRING: &str = r#""{\"class_name\""#;

impl<'b> Head<'b> {
    fn new(bytes: &'b [u8]) -> Result<Self> {
        // Megabytes in which nearly every word has a character beyond ASCII: looked at by vectors.
        let text = utf8::text(bytes).ok();
        let start = text.map(|text| text.trim_start_matches(['\u{feff}', ' ', '\t', '\r', '\n']));
        if start.is_some_and(|text| text.starts_with(KERAS_AS_STRING)) {
            return Err(Error::format(KERAS));
        }
        let json = start.filter(|text| text.starts_with('{')).map(json).transpose()?;
        Ok(Head { bytes, text, json })
    }

    pub(super) fn first_line(&self) -> &'b [u8] {
        self.bytes.split(|&byte| byte == b'\n').next().unwrap_or_default()
    }
}

/// What some bytes are, by their content.
pub fn sniff(bytes: &[u8]) -> Result<Format> {
    sniff_text(bytes).map(|(format, _)| format)
}

/// What some bytes are, by their content, and the text that they are, where that was seen.
pub(super) fn sniff_text(bytes: &[u8]) -> Result<(Format, Option<&str>)> {
    if bytes.is_empty() {
        return Err(Error::format(EMPTY));
    }
    if let Some(known) = TABLE.iter().find(|known| known.magic.is_some_and(|magic| bytes.starts_with(magic)))
    {
        return Ok((known.format, None));
    }
    let head = Head::new(bytes)?;
    match TABLE.iter().find(|known| (known.sniff)(&head)) {
        Some(known) => Ok((known.format, head.text)),
        None => {
            let known: Vec<&str> = TABLE.iter().map(|known| known.what).collect();
            Err(Error::format(format!(
                "this is no tokenizer file that is known, neither {}",
                known.join(", nor ")
            )))
        }
    }
}

fn json(text: &str) -> Result<Json> {
    let mut parser = Parser::new(text);
    let (mut config, mut vocab, mut is_keras) = (false, false, false);
    parser.begin_object()?;
    while let Some(key) = parser.next_key()? {
        match key.as_ref() {
            "model" if parser.peek()? == Kind::Object => return Ok(Json::Tokenizer),
            "config" => config = true,
            "class_name" => is_keras = true,
            "vocab" if parser.peek()? == Kind::Array => vocab = true,
            _ => {}
        }
        if config && vocab {
            return Ok(Json::Tekken);
        }
        parser.skip()?;
    }
    if is_keras && config {
        return Err(Error::format(KERAS));
    }
    Err(Error::format(
        "this JSON is no tokenizer that is known: tokenizer.json has a `model`, tekken.json a `config` and a `vocab`; \
         a bare vocabulary needs its merges beside it (load the folder)",
    ))
}
