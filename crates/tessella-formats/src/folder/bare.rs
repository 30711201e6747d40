//! A bare vocabulary (`vocab.json` with `merges.txt`, or `vocab.txt`), made a tokenizer by the settings beside it.

use std::path::Path;

use tessella_core::error::excerpt;
use tessella_core::spec::{AddedToken, BpeSpec, DecoderSpec, ModelSpec, PostProcessorSpec, PreTokenizerSpec};
use tessella_core::{Error, Result, TokenId, TokenizerSpec};

use super::beside::add_added_tokens;
use super::{MERGES, VOCAB_JSON, VOCAB_TXT, WHOLE};
use crate::atomic;
use crate::classes::{self, Class, Ends, Vocabulary};
use crate::formats::first_of;
use crate::json::{Node, Value};
use crate::model_types;
use crate::vocab_files::{self, BertConfig, bert};

/// Classes that say nothing about a vocabulary.
const GENERIC: [&str; 4] =
    ["PreTrainedTokenizer", "PreTrainedTokenizerFast", "PythonBackend", "TokenizersBackend"];

/// A token in the settings: its text, or an object with it.
fn token_text(value: &Value) -> Option<&str> {
    value.as_str().or_else(|| value.get("content").and_then(Value::as_str))
}

/// What a bare vocabulary lacks, from the settings.
struct Settings<'s> {
    config: Option<&'s Value>,
    /// None where the former lists added tokens: then this file is of an older release.
    map: Option<&'s Value>,
    /// The class of the tokenizer, if anything names one.
    class: Option<&'s str>,
}

impl<'s> Settings<'s> {
    /// The settings of the tokenizer, and those of its model (`config.json`).
    fn new(config: Option<&'s Value>, map: Option<&'s Value>, model: Option<&'s Value>) -> Self {
        let named = |value: Option<&'s Value>| value?.get("tokenizer_class")?.as_str();
        let kind = || model_types::class_of(model?.get("model_type")?.as_str()?);
        let lists_tokens = config.is_some_and(|config| config.get("added_tokens_decoder").is_some());
        let map = map.filter(|_| !lists_tokens);
        Settings { config, map, class: named(config).or(named(model)).or_else(kind) }
    }

    /// What the first file that has a role says about it.
    fn said(&self, key: &str) -> Option<&'s Value> {
        [self.map, self.config].into_iter().flatten().find_map(|value| value.get(key))
    }

    fn token(&self, key: &str) -> Option<&'s str> {
        [self.map, self.config].into_iter().flatten().find_map(|value| token_text(value.get(key)?))
    }

    /// The text of a role by the settings, else by the class; none where the settings say so.
    fn token_of(&self, key: &str, class: &Class) -> Option<&'s str> {
        match self.said(key) {
            Some(_) => self.token(key),
            None => class.token(key),
        }
    }

    /// The special token of a role by the settings, else by the class; none where the settings say so.
    fn special(&self, key: &str, class: Option<&Class>) -> Result<Option<AddedToken>> {
        let Some(said) = self.said(key) else {
            let text = class.and_then(|class| class.token(key));
            return Ok(text.map(|text| AddedToken::new(text, true)));
        };
        let Some(text) = self.token(key) else { return Ok(None) };
        let node = Node::new(said, key);
        let flag = |name: &str| match said {
            Value::Object(_) => Ok(node.field(name).map(|field| field.bool()).transpose()?.unwrap_or(false)),
            _ => Ok::<bool, Error>(false),
        };
        Ok(Some(AddedToken {
            single_word: flag("single_word")?,
            lstrip: flag("lstrip")?,
            rstrip: flag("rstrip")?,
            normalized: flag("normalized")?,
            ..AddedToken::new(text, true)
        }))
    }

    /// Whether a text is a special token, by its role or by a list of further ones.
    fn names(&self, text: &str) -> bool {
        let listed = |file: Option<&Value>, key: &str| match file.and_then(|file| file.get(key)) {
            Some(Value::Array(tokens)) => tokens.iter().any(|token| token_text(token) == Some(text)),
            _ => false,
        };
        let extra = "extra_special_tokens";
        // Under its older name the list counts in the newer file only, as in transformers.
        classes::ROLES.iter().any(|role| self.token(role) == Some(text))
            || listed(self.config, "additional_special_tokens")
            || listed(self.config, extra)
            || listed(self.map, extra)
    }

    fn flag(&self, key: &str) -> Result<Option<bool>> {
        let Some(config) = self.config else { return Ok(None) };
        let config = Node::new(config, "tokenizer_config.json: $");
        config.field(key).map(|node| node.bool()).transpose()
    }

    /// The class without `Fast`, for messages.
    fn shown(&self) -> String {
        let name = self.class.unwrap_or_default();
        excerpt(name.strip_suffix("Fast").unwrap_or(name)).to_string()
    }
}

/// Reads a vocabulary with the stages that its settings imply; tells what deserves a warning.
pub(super) fn read(
    folder: &Path,
    config: Option<&Value>,
    map: Option<&Value>,
    model: Option<&Value>,
    notices: &mut Vec<String>,
) -> Result<TokenizerSpec> {
    let settings = Settings::new(config, map, model);
    let mut spec = of_files(folder, &settings, notices)?;
    add_added_tokens(&mut spec, folder, &|text| settings.names(text), notices)?;
    Ok(spec)
}

fn of_files(folder: &Path, settings: &Settings<'_>, notices: &mut Vec<String>) -> Result<TokenizerSpec> {
    let merges = folder.join(MERGES);
    if let Some(path) = first_of(folder, &[VOCAB_JSON]).filter(|_| atomic::is_there(&merges)) {
        // Asked first: the files of a class that is not read here may have lines of another kind.
        let class = class_of_merges(settings)?;
        let (bpe, told) = vocab_files::read_bpe(&atomic::read(&path)?, &atomic::read(&merges)?)
            .map_err(|error| error.at(folder.display().to_string()))?;
        notices.extend(told.into_iter().map(|notice| format!("vocab.json: {notice}")));
        byte_level(bpe, settings, class)
    } else if let Some(path) = first_of(folder, &[VOCAB_TXT]) {
        let class = class_of_words(settings)?;
        of_words(&atomic::read(&path)?, settings, class)
    } else {
        Err(none_here(folder, settings))
    }
}

/// No file of the folder is one that is looked for; tells what else may be of use.
fn none_here(folder: &Path, settings: &Settings<'_>) -> Error {
    let others = atomic::names(folder).into_iter().filter_map(|name| name.into_string().ok());
    let whole = others.filter(|name| {
        name.rsplit_once('.')
            .is_some_and(|(_, ending)| ["model", "spm", "tiktoken", "gguf"].contains(&ending))
    });
    let whole = whole.map(|name| format!("`{}`", excerpt(&name))).collect::<Vec<_>>().join(", ");
    let class = match settings.class.filter(|name| !GENERIC.contains(name)) {
        Some(_) => format!(
            ". A tokenizer of the class `{}` has files of its own: save it as tokenizer.json with its own library first",
            settings.shown()
        ),
        None => String::new(),
    };
    let hint =
        if whole.is_empty() { whole } else { format!(". It holds {whole}: load such a file by its path") };
    Error::value(format!(
        "the folder {} holds no tokenizer; looked for {}, vocab.json with merges.txt, and vocab.txt{class}{hint}",
        folder.display(),
        WHOLE.join(", ")
    ))
}

/// The class of a list of words; none where nothing but the list is known, which then is read as BERT's.
fn class_of_words(settings: &Settings<'_>) -> Result<Option<&'static Class>> {
    let Some(name) = settings.class.filter(|name| !GENERIC.contains(name)) else { return Ok(None) };
    match classes::reading(name).filter(|class| class.vocabulary == Vocabulary::Words) {
        Some(class) => Ok(Some(class)),
        None => Err(Error::unsupported(format!(
            "a list of words does not say how text is cut, and the class `{}` is not known to do it as BERT does; save \
             the tokenizer as tokenizer.json with its own library first, or load the file vocab.txt itself to have it read \
             as BERT's",
            settings.shown()
        ))),
    }
}

/// What a class puts round texts, and its vocabulary does not have.
fn missing(role: &str, text: &str) -> Error {
    Error::model(format!("the {role} `{}` is not in the vocabulary", excerpt(text)))
}

/// A WordPiece model with the stages of BERT.
fn of_words(words: &[u8], settings: &Settings<'_>, class: Option<&'static Class>) -> Result<TokenizerSpec> {
    let mut model = vocab_files::word_piece(vocab_files::read_vocab_txt(words)?);
    let mut bert_config = BertConfig::default();
    let take = |slot: &mut String, key: &str| {
        let usual = || class.and_then(|class| class.token(key));
        if let Some(text) = settings.token(key).or_else(usual) {
            *slot = text.to_string();
        }
    };
    take(&mut model.unk_token, "unk_token");
    take(&mut bert_config.cls, "cls_token");
    take(&mut bert_config.sep, "sep_token");
    let [pad, unknown, mask] = &mut bert_config.others;
    take(pad, "pad_token");
    take(unknown, "unk_token");
    take(mask, "mask_token");
    for (text, key) in [(pad, "pad_token"), (mask, "mask_token")] {
        if matches!(settings.said(key), Some(Value::Null)) {
            text.clear();
        }
    }
    bert_config.lowercase = settings.flag("do_lower_case")?.unwrap_or(true);
    bert_config.handle_chinese_chars = settings.flag("tokenize_chinese_chars")?.unwrap_or(true);
    bert_config.strip_accents = settings.flag("strip_accents")?;
    let mut spec = bert(ModelSpec::WordPiece(model), &bert_config);
    if class.is_some() && spec.post_processor.is_none() {
        let is_known = |text: &str| spec.model.vocab().is_some_and(|vocab| vocab.id(text).is_some());
        let (role, text) = match is_known(&bert_config.cls) {
            true => ("sep_token", &bert_config.sep),
            false => ("cls_token", &bert_config.cls),
        };
        return Err(missing(role, text));
    }
    if let Some((Ends::Roberta, ..)) = class.and_then(|class| class.ends)
        && let Some(PostProcessorSpec::Bert { sep, cls }) = spec.post_processor
    {
        spec.post_processor =
            Some(PostProcessorSpec::Roberta { sep, cls, trim_offsets: true, add_prefix_space: false });
        // The mask of such a class takes the blank in front of it.
        for token in spec.added_tokens.iter_mut().filter(|token| token.content == bert_config.others[2]) {
            token.lstrip = true;
        }
    }
    add_special_tokens(&mut spec, settings, class)?;
    Ok(spec)
}

/// Special tokens that are in the vocabulary are cut out of text.
fn add_special_tokens(
    spec: &mut TokenizerSpec,
    settings: &Settings<'_>,
    class: Option<&Class>,
) -> Result<()> {
    for key in classes::ROLES {
        let Some(token) = settings.special(key, class)? else { continue };
        let known = spec.added_tokens.iter_mut().find(|other| other.content == token.content);
        match known {
            Some(known) if matches!(settings.said(key), Some(Value::Object(_))) => {
                *known = AddedToken { id: known.id, ..token };
            }
            Some(_) => {}
            None => {
                let id = spec.model.vocab().and_then(|vocab| vocab.id(&token.content));
                if id.is_some() {
                    spec.added_tokens.push(AddedToken { id, ..token });
                }
            }
        }
    }
    Ok(())
}

/// The class of a vocabulary with merges; GPT-2's where nothing but the files is known.
fn class_of_merges(settings: &Settings<'_>) -> Result<&'static Class> {
    let name = settings.class.unwrap_or("GPT2Tokenizer");
    classes::reading(name).filter(|class| class.vocabulary == Vocabulary::Merges).ok_or_else(|| {
        Error::unsupported(format!(
            "a vocabulary with merges does not say how text is cut, and the class `{}` is not known to do it as \
             GPT-2 or RoBERTa do; save the tokenizer as tokenizer.json with its own library first",
            settings.shown()
        ))
    })
}

/// A BPE model with the stages of GPT-2 or RoBERTa around it, by the class in the settings.
fn byte_level(bpe: BpeSpec, settings: &Settings<'_>, class: &Class) -> Result<TokenizerSpec> {
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
                    None => Err(missing(&role, &text)),
                }
            };
            PostProcessorSpec::Roberta {
                sep: token(last)?,
                cls: token(first)?,
                trim_offsets: true,
                add_prefix_space,
            }
        }
        None => {
            let token = |role: &str| -> Result<Option<(String, TokenId)>> {
                let wanted = settings.flag(&format!("add_{role}_token"))?.unwrap_or(false);
                let text = settings.token_of(&format!("{role}_token"), class).filter(|_| wanted);
                let known = |text: &str| Some((text.to_string(), spec.model.vocab()?.id(text)?));
                Ok(text.and_then(known))
            };
            let plain =
                PostProcessorSpec::ByteLevel { add_prefix_space: true, trim_offsets: false, use_regex: true };
            vocab_files::frame(token("bos")?, token("eos")?).unwrap_or(plain)
        }
    });
    add_special_tokens(&mut spec, settings, settings.class.map(|_| class))?;
    Ok(spec)
}
