//! A bare vocabulary (`vocab.json` with `merges.txt`, or `vocab.txt`), made a tokenizer by the settings beside it.

use std::path::{Path, PathBuf};

use tessella_core::error::excerpt;
use tessella_core::spec::{AddedToken, BpeSpec, DecoderSpec, ModelSpec, PostProcessorSpec, PreTokenizerSpec};
use tessella_core::{Error, Result, TokenizerSpec};

use super::{MERGES, VOCAB_JSON, VOCAB_TXT, WHOLE};
use crate::atomic;
use crate::classes::{self, Vocabulary};
use crate::formats::first_of;
use crate::json::{Node, Value};
use crate::vocab_files::{self, BertConfig, bert};

/// A token in the settings: its text, or an object with it.
fn token_text(value: &Value) -> Option<&str> {
    value.as_str().or_else(|| value.get("content").and_then(Value::as_str))
}

/// What a bare vocabulary lacks, from the settings.
struct Settings<'s> {
    config: Option<&'s Value>,
    map: Option<&'s Value>,
}

impl<'s> Settings<'s> {
    fn token(&self, key: &str) -> Option<&'s str> {
        [self.map, self.config].into_iter().flatten().find_map(|value| token_text(value.get(key)?))
    }

    fn flag(&self, key: &str) -> Result<Option<bool>> {
        let Some(config) = self.config else { return Ok(None) };
        let config = Node::new(config, "tokenizer_config.json: $");
        config.field(key).map(|node| node.bool()).transpose()
    }

    /// The class, a GPT-2 where none is named.
    fn class(&self) -> &'s str {
        let named = self.config.and_then(|config| config.get("tokenizer_class")?.as_str());
        named.unwrap_or("GPT2Tokenizer")
    }
}

/// Reads a vocabulary with the stages that its settings imply; tells what deserves a warning.
pub(super) fn read(
    folder: &Path,
    config: Option<&Value>,
    map: Option<&Value>,
    notices: &mut Vec<String>,
) -> Result<(TokenizerSpec, PathBuf)> {
    let settings = Settings { config, map };
    let merges = folder.join(MERGES);
    let (mut spec, path) =
        if let Some(path) = first_of(folder, &[VOCAB_JSON]).filter(|_| atomic::is_there(&merges)) {
            let (bpe, told) = vocab_files::read_bpe(&atomic::read(&path)?, &atomic::read(&merges)?)
                .map_err(|error| error.at(folder.display().to_string()))?;
            notices.extend(told.into_iter().map(|notice| format!("vocab.json: {notice}")));
            (byte_level(bpe, &settings)?, path)
        } else if let Some(path) = first_of(folder, &[VOCAB_TXT]) {
            let mut model = vocab_files::word_piece(vocab_files::read_vocab_txt(&atomic::read(&path)?)?);
            if let Some(unknown) = settings.token("unk_token") {
                model.unk_token = unknown.to_string();
            }
            let mut bert_config = BertConfig::default();
            let take = |slot: &mut String, key: &str| {
                if let Some(text) = settings.token(key) {
                    *slot = text.to_string();
                }
            };
            take(&mut bert_config.cls, "cls_token");
            take(&mut bert_config.sep, "sep_token");
            bert_config.lowercase = settings.flag("do_lower_case")?.unwrap_or(true);
            bert_config.handle_chinese_chars = settings.flag("tokenize_chinese_chars")?.unwrap_or(true);
            bert_config.strip_accents = settings.flag("strip_accents")?;
            (bert(ModelSpec::WordPiece(model), &bert_config), path)
        } else {
            return Err(Error::value(format!(
                "the folder {} holds no tokenizer; looked for {}, vocab.json with merges.txt, and vocab.txt",
                folder.display(),
                WHOLE.join(", ")
            )));
        };
    add_special_tokens(&mut spec, &settings);
    Ok((spec, path))
}

/// Special tokens that are in the vocabulary are cut out of text.
fn add_special_tokens(spec: &mut TokenizerSpec, settings: &Settings<'_>) {
    for key in classes::ROLES {
        let Some(text) = settings.token(key) else { continue };
        let known = spec.added_tokens.iter().any(|token| token.content == text);
        if let Some(id) = spec.model.vocab().and_then(|vocab| vocab.id(text))
            && !known
        {
            // A mask token stands for a word with the space before it.
            let lstrip = key == "mask_token" && matches!(spec.model, ModelSpec::Bpe(_));
            spec.added_tokens.push(AddedToken { id: Some(id), lstrip, ..AddedToken::new(text, true) });
        }
    }
}

/// A BPE model with the stages of GPT-2 or RoBERTa around it, by the class in the settings.
fn byte_level(bpe: BpeSpec, settings: &Settings<'_>) -> Result<TokenizerSpec> {
    let name = settings.class();
    let Some(class) = classes::reading(name).filter(|class| class.vocabulary == Vocabulary::Merges) else {
        return Err(Error::unsupported(format!(
            "a vocabulary with merges does not say how text is cut, and the class `{}` is not known to do it as \
             GPT-2 or RoBERTa do; save the tokenizer as tokenizer.json with its own library first",
            excerpt(name.strip_suffix("Fast").unwrap_or(name))
        )));
    };
    let add_prefix_space = settings.flag("add_prefix_space")?.unwrap_or(false);
    let mut spec = TokenizerSpec::new(ModelSpec::Bpe(bpe));
    spec.pre_tokenizer =
        Some(PreTokenizerSpec::ByteLevel { add_prefix_space, trim_offsets: true, use_regex: true });
    spec.decoder =
        Some(DecoderSpec::ByteLevel { add_prefix_space: true, trim_offsets: true, use_regex: true });
    spec.post_processor = Some(match class.ends {
        Some((_, first, last)) => {
            let token = |role: &str| {
                let role = format!("{role}_token");
                let text = settings.token(&role).or(class.token(&role)).unwrap_or_default().to_string();
                match spec.model.vocab().and_then(|vocab| vocab.id(&text)) {
                    Some(id) => Ok((text, id)),
                    None => {
                        Err(Error::model(format!("the {role} `{}` is not in the vocabulary", excerpt(&text))))
                    }
                }
            };
            PostProcessorSpec::Roberta {
                sep: token(last)?,
                cls: token(first)?,
                trim_offsets: true,
                add_prefix_space,
            }
        }
        None => PostProcessorSpec::ByteLevel { add_prefix_space: true, trim_offsets: false, use_regex: true },
    });
    Ok(spec)
}
