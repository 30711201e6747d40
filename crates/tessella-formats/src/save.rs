//! From a tokenizer to a path: the way back from [`detect`](crate::detect).
//!
//! A file is written only if reading it gives a tokenizer that does the same. What stands in the way is an
//! error that names it, before anything is written.

use std::path::{Path, PathBuf};

use tessella_core::error::excerpt;
use tessella_core::spec::{AddedToken, DecoderSpec, ModelSpec, PostProcessorSpec};
use tessella_core::{Error, Result, TokenizerSpec};

use crate::detect::Format;
use crate::json::Value;
use crate::{atomic, folder, hf, sentencepiece, tiktoken};

/// The format that a file name asks for: `.model` and `.tiktoken` by their suffix, all others are a
/// `tokenizer.json`.
pub fn format_of(path: &Path) -> Format {
    match path.extension().and_then(|suffix| suffix.to_str()) {
        Some("model") => Format::SentencePiece,
        Some("tiktoken") => Format::Tiktoken,
        _ => Format::TokenizerJson,
    }
}

/// Writes a file of a format; `pretty` is for JSON.
pub fn file(path: &Path, spec: &TokenizerSpec, format: Format, pretty: bool) -> Result<()> {
    let content = match format {
        Format::TokenizerJson => hf::to_string(spec, pretty)?.into_bytes(),
        Format::SentencePiece => model_bytes(spec)?,
        Format::Tiktoken => rank_lines(spec)?.into_bytes(),
        Format::Folder => return folder(path, spec, &Extras::default()).map(drop),
        Format::Tekken | Format::Gguf | Format::VocabTxt => {
            return Err(Error::unsupported(format!(
                "files of the format {format:?} can be read but not written; write tokenizer.json instead"
            )));
        }
    };
    atomic::write(path, &content)
}

/// What a folder holds beside the tokenizer.
#[derive(Debug, Default)]
pub struct Extras {
    pub config: Option<Value>,
    pub special_tokens_map: Option<Value>,
    pub chat_template: Option<String>,
    pub chat_templates: Vec<(String, String)>,
    /// Put before the names of the files, with a hyphen.
    pub prefix: Option<String>,
    /// Whether chat templates that are there and not written belong to what is replaced.
    pub replaces_templates: bool,
}

/// Writes a folder; gives the files' paths.
pub fn folder(path: &Path, spec: &TokenizerSpec, extras: &Extras) -> Result<Vec<PathBuf>> {
    folder::save(path, spec, extras)
}

fn refuse<T>(file: &str, what: &str) -> Result<T> {
    Err(Error::unsupported(format!("{file} cannot express {what}")))
}

/// Settings of calls, which only `tokenizer.json` keeps.
fn no_settings(file: &str, spec: &TokenizerSpec) -> Result<()> {
    if spec.truncation.is_some() {
        return refuse(file, "truncation; switch it off before saving, or write tokenizer.json");
    }
    if spec.padding.is_some() {
        return refuse(file, "padding; switch it off before saving, or write tokenizer.json");
    }
    Ok(())
}

/// A SentencePiece model file that reads back as the same tokenizer.
pub fn model_bytes(spec: &TokenizerSpec) -> Result<Vec<u8>> {
    const FILE: &str = "a SentencePiece model file";
    if matches!(spec.model, ModelSpec::SentencePiece(_)) {
        no_settings(FILE, spec)?;
        if let Some(token) = spec.added_tokens.first() {
            let what =
                format!("the added token `{}`: its pieces are all that it holds", excerpt(&token.content));
            return refuse(FILE, &what);
        }
    }
    let bytes = sentencepiece::write_model(spec)?;
    let again = sentencepiece::read_model(&bytes)?;
    if again.normalizer != spec.normalizer {
        return refuse(FILE, "a normalizer that does not follow from the model");
    }
    if again.decoder != spec.decoder {
        return refuse(FILE, "a decoder that does not follow from the model");
    }
    Ok(bytes)
}

/// The lines of a `.tiktoken` file. The pattern and the special tokens are never in such a file: its reader
/// knows them. All else must be what readers of such files do.
pub fn rank_lines(spec: &TokenizerSpec) -> Result<String> {
    const FILE: &str = "a table of ranks";
    let ranks = tiktoken::to_ranks(spec)?;
    no_settings(FILE, spec)?;
    if spec.normalizer.is_some() {
        return refuse(FILE, "a normalizer");
    }
    if !matches!(spec.post_processor, None | Some(PostProcessorSpec::ByteLevel { trim_offsets: false, .. })) {
        return refuse(FILE, "a post-processor");
    }
    if !matches!(spec.decoder, Some(DecoderSpec::ByteLevel { .. })) {
        return refuse(FILE, "a decoder other than ByteLevel");
    }
    let Some(encoding) = tiktoken::to_encoding(spec) else {
        return refuse(FILE, "a pre-tokenizer other than one pattern in front of bytes");
    };
    // What the caller passes at loading, the text and the id, must be all there is to an added token.
    let again = tiktoken::from_ranks(&ranks, &encoding)?;
    // Without a normalizer, matching before or after it is the same.
    let plain = |token: &AddedToken| AddedToken { normalized: false, ..token.clone() };
    match spec.added_tokens.iter().find(|token| !again.added_tokens.contains(&plain(token))) {
        Some(token) => refuse(
            FILE,
            &format!(
                "the added token `{}`: only plain special tokens can be given at loading",
                excerpt(&token.content)
            ),
        ),
        None => Ok(tiktoken::write_ranks(&ranks)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_decide() {
        for (name, format) in [
            ("x/tokenizer.json", Format::TokenizerJson),
            ("x/name", Format::TokenizerJson),
            ("x/a.model", Format::SentencePiece),
            ("x/a.tiktoken", Format::Tiktoken),
        ] {
            assert_eq!(format_of(Path::new(name)), format);
        }
    }

    #[test]
    fn ranks_refuse_what_they_lose() {
        let ranks: Vec<_> = (0..=255u8).map(|byte| (vec![byte], u32::from(byte))).collect();
        let encoding = tiktoken::encoding("gpt2", Some(&[("<e>".into(), 300)])).unwrap();
        let spec = tiktoken::from_ranks(&ranks, &encoding).unwrap();
        assert_eq!(tiktoken::read_ranks(rank_lines(&spec).unwrap().as_bytes()).unwrap(), ranks);
        let mut plain = spec.clone();
        plain.added_tokens.push(AddedToken { id: Some(301), ..AddedToken::new("word", false) });
        assert!(rank_lines(&plain).unwrap_err().message().contains("`word`"));
        let mut bare = spec.clone();
        bare.decoder = None;
        assert!(rank_lines(&bare).unwrap_err().message().contains("decoder"));
        assert!(model_bytes(&spec).is_err());
    }
}
