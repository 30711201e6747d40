//! A bare vocabulary (`vocab.json` with `merges.txt`, or `vocab.txt`), made a tokenizer by the settings beside it.

use std::path::{Path, PathBuf};

use tessella_core::error::excerpt;
use tessella_core::spec::{AddedToken, BpeSpec, DecoderSpec, ModelSpec, PostProcessorSpec, PreTokenizerSpec};
use tessella_core::{Error, Result, TokenizerSpec};

use super::SENTENCEPIECE_NAMES;
use crate::atomic;
use crate::formats::first_of;
use crate::json::{Node, Value};
use crate::vocab_files::{self, BertConfig, bert, vocab_id};

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

    /// The class without the suffix of its fast twin.
    fn class(&self) -> Option<&'s str> {
        self.config?.get("tokenizer_class")?.as_str().map(|class| class.strip_suffix("Fast").unwrap_or(class))
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
    let merges = folder.join("merges.txt");
    let (mut spec, path) = if let Some(path) =
        first_of(folder, &["vocab.json"]).filter(|_| atomic::is_there(&merges))
    {
        let (bpe, told) = vocab_files::read_bpe(&atomic::read(&path)?, &atomic::read(&merges)?)
            .map_err(|error| error.at(folder.display().to_string()))?;
        notices.extend(told.into_iter().map(|notice| format!("vocab.json: {notice}")));
        (byte_level(bpe, &settings)?, path)
    } else if let Some(path) = first_of(folder, &["vocab.txt"]) {
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
            "the folder {} holds no tokenizer; looked for tokenizer.json, {}, tekken.json, vocab.json with \
             merges.txt, and vocab.txt",
            folder.display(),
            SENTENCEPIECE_NAMES.join(", ")
        )));
    };
    add_special_tokens(&mut spec, &settings);
    Ok((spec, path))
}

const SPECIAL_KEYS: [&str; 7] =
    ["bos_token", "eos_token", "unk_token", "sep_token", "pad_token", "cls_token", "mask_token"];

/// Special tokens that are in the vocabulary are cut out of text.
fn add_special_tokens(spec: &mut TokenizerSpec, settings: &Settings<'_>) {
    for key in SPECIAL_KEYS {
        let Some(text) = settings.token(key) else { continue };
        let known = spec.added_tokens.iter().any(|token| token.content == text);
        if let Some(id) = vocab_id(&spec.model, text)
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
    let roberta = match settings.class() {
        None | Some("GPT2Tokenizer" | "GPTNeoXTokenizer" | "OPTTokenizer") => false,
        Some("RobertaTokenizer" | "LongformerTokenizer" | "BartTokenizer" | "LEDTokenizer") => true,
        Some(class) => {
            return Err(Error::unsupported(format!(
                "a vocabulary with merges does not say how text is cut, and the class `{}` is not known to do it as \
                 GPT-2 or RoBERTa do; save the tokenizer as tokenizer.json with its own library first",
                excerpt(class)
            )));
        }
    };
    let add_prefix_space = settings.flag("add_prefix_space")?.unwrap_or(false);
    let mut spec = TokenizerSpec::new(ModelSpec::Bpe(bpe));
    spec.pre_tokenizer =
        Some(PreTokenizerSpec::ByteLevel { add_prefix_space, trim_offsets: true, use_regex: true });
    spec.decoder =
        Some(DecoderSpec::ByteLevel { add_prefix_space: true, trim_offsets: true, use_regex: true });
    spec.post_processor = Some(if roberta {
        let token = |key: &str, usual: &str| {
            let text = settings.token(key).unwrap_or(usual).to_string();
            match vocab_id(&spec.model, &text) {
                Some(id) => Ok((text, id)),
                None => Err(Error::model(format!("the {key} `{}` is not in the vocabulary", excerpt(&text)))),
            }
        };
        PostProcessorSpec::Roberta {
            sep: token("sep_token", "</s>")?,
            cls: token("cls_token", "<s>")?,
            trim_offsets: true,
            add_prefix_space,
        }
    } else {
        PostProcessorSpec::ByteLevel { add_prefix_space: true, trim_offsets: false, use_regex: true }
    });
    Ok(spec)
}
