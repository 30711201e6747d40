//! A tokenizer as the content of a file that reads back as the same tokenizer. What stands in the way is an error that names it,
//! before anything is written.

use std::path::{Path, PathBuf};

use tessella_core::error::excerpt;
use tessella_core::spec::{AddedToken, ModelSpec, PostProcessorSpec, TemplatePiece, WordPieceSpec};
use tessella_core::{Error, Result, TokenId, TokenizerSpec};

use crate::atomic::{self, Together};
use crate::{sentencepiece, tiktoken, vocab_files};

/// A file that is ready to be written.
#[derive(Debug)]
pub struct Written {
    content: Vec<u8>,
    /// The ending that is added to the file's name for a second file, and that file's content; without content, such a
    /// file that is there belongs to what is replaced.
    beside: Option<(&'static str, Option<Vec<u8>>)>,
    /// What deserves a warning.
    notices: Vec<String>,
}

impl Written {
    pub(crate) fn new(content: impl Into<Vec<u8>>) -> Self {
        Written { content: content.into(), beside: None, notices: Vec::new() }
    }

    pub(crate) fn with_beside(mut self, ending: &'static str, content: Option<Vec<u8>>) -> Self {
        self.beside = Some((ending, content));
        self
    }

    pub(crate) fn with_notice(mut self, notice: String) -> Self {
        self.notices.push(notice);
        self
    }

    /// Writes the file, and what belongs beside it; gives what deserves a warning.
    pub(super) fn to(self, path: &Path) -> Result<Vec<String>> {
        match self.beside {
            Some((ending, content)) if !atomic::is_special(path) => {
                let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
                let name = path.file_name().and_then(|name| name.to_str()).ok_or_else(|| {
                    Error::value(format!(
                        "`{}` is no name of a file that a second one can stand beside",
                        path.display()
                    ))
                })?;
                let mut files = Together::new(folder.map_or_else(|| PathBuf::from("."), Path::to_path_buf));
                files.put(name, self.content);
                match content {
                    Some(content) => files.put(format!("{name}{ending}"), content),
                    None => files.remove(format!("{name}{ending}")),
                };
                files.write()?;
            }
            _ => atomic::write(path, &self.content)?,
        }
        Ok(self.notices)
    }
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
    tiktoken::refuse_stages(FILE, spec)?;
    let Some(encoding) = tiktoken::to_encoding(spec) else {
        return refuse(FILE, "a pre-tokenizer other than one pattern in front of bytes");
    };
    tiktoken::refuse_skipping(FILE, &encoding.pattern)?;
    // What the caller passes at loading, the text and the id, must be all there is to an added token.
    let again = tiktoken::from_ranks(ranks.iter().map(|(bytes, rank)| (bytes, *rank)).collect(), &encoding)?;
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

/// The lines of a `vocab.txt`, whose reader adds what a BERT has around it: all else must be just that.
pub(super) fn words(spec: &TokenizerSpec) -> Result<String> {
    const FILE: &str = "a vocab.txt";
    let ModelSpec::WordPiece(model) = &spec.model else {
        return refuse(FILE, "a model other than WordPiece; write tokenizer.json");
    };
    no_settings(FILE, spec)?;
    let lines = vocab_files::write_vocab_txt(&model.vocab)?;
    let again = super::words(lines.as_bytes())?.spec;
    let usual = vocab_files::word_piece(Default::default());
    let settings = |model: &WordPieceSpec| {
        let prefix = model.continuing_subword_prefix.clone();
        (model.unk_token.clone(), prefix, model.max_input_chars_per_word)
    };
    let same = [
        ("these settings of its model", settings(model) == settings(&usual)),
        ("a normalizer other than that of an uncased BERT", again.normalizer == spec.normalizer),
        ("a pre-tokenizer other than that of BERT", again.pre_tokenizer == spec.pre_tokenizer),
        (
            "a post-processor other than that of BERT",
            puts_the_same(&again.post_processor, &spec.post_processor),
        ),
        ("a decoder other than that of BERT", again.decoder == spec.decoder),
        ("these added tokens: it knows [PAD], [UNK], [CLS], [SEP] and [MASK]", alike(&again, spec)),
    ];
    match same.iter().find(|(_, same)| !same) {
        Some((what, _)) => refuse(FILE, &format!("{what}; write tokenizer.json")),
        None => Ok(lines),
    }
}

/// Whether both put the same tokens around a text: a template may spell out what BERT's own step does.
fn puts_the_same(bert: &Option<PostProcessorSpec>, other: &Option<PostProcessorSpec>) -> bool {
    let (Some(PostProcessorSpec::Bert { sep, cls }), Some(PostProcessorSpec::Template(template))) =
        (bert, other)
    else {
        return bert == other;
    };
    let special =
        |(token, _): &(String, TokenId), type_id| TemplatePiece::Special { id: token.clone(), type_id };
    let sequence = |second, type_id| TemplatePiece::Sequence { second, type_id };
    let single = [special(cls, 0), sequence(false, 0), special(sep, 0)];
    let second = [sequence(true, 1), special(sep, 1)];
    let stands_for = |(token, id): &(String, TokenId)| {
        let mut named = template.special_tokens.iter().filter(|special| special.id == *token);
        named.next().is_some_and(|special| special.ids == [*id] && special.tokens == [token.as_str()])
    };
    template.single == single
        && template.pair.iter().eq(single.iter().chain(&second))
        && stands_for(cls)
        && stands_for(sep)
}

/// Whether the added tokens are the same, in whatever order.
fn alike(one: &TokenizerSpec, other: &TokenizerSpec) -> bool {
    one.added_tokens.len() == other.added_tokens.len()
        && one.added_tokens.iter().all(|token| other.added_tokens.contains(token))
}
