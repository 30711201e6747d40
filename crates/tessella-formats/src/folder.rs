//! Folders in which the `transformers` library keeps a tokenizer.
//!
//! `tokenizer.json` says all where it exists; else the tokenizer is built from `tokenizer.model`,
//! `tekken.json`, `vocab.json` with `merges.txt`, or `vocab.txt`. Beside it stand settings
//! (`tokenizer_config.json`, `special_tokens_map.json`, `added_tokens.json`) and chat templates, which are
//! handed on as they are.

use std::path::{Path, PathBuf};

use tessella_core::error::excerpt;
use tessella_core::spec::{AddedToken, BpeSpec, DecoderSpec, ModelSpec, PostProcessorSpec, PreTokenizerSpec};
use tessella_core::{Error, Result, TokenizerSpec};

use crate::atomic;
use crate::beside_model;
use crate::formats::{LoadOptions, first_of, model_bytes, read_path};
use crate::hf;
use crate::json::{Layout, Node, Parser, Value, Writer};
use crate::vocab_files::{self, BertConfig, bert, vocab_id};

/// The names that the library gives to SentencePiece models, the usual one first.
const SENTENCEPIECE_NAMES: [&str; 5] =
    ["tokenizer.model", "spiece.model", "sentencepiece.bpe.model", "spm.model", "sentencepiece.model"];

/// A tokenizer with what its folder says beside it.
#[derive(Debug, Clone)]
pub struct LoadedFolder {
    pub spec: TokenizerSpec,
    /// The file that the tokenizer was read from.
    pub source: PathBuf,
    /// `tokenizer_config.json`.
    pub config: Option<Value>,
    /// `special_tokens_map.json`.
    pub special_tokens_map: Option<Value>,
    /// The default chat template.
    pub chat_template: Option<String>,
    /// Further chat templates by name.
    pub chat_templates: Vec<(String, String)>,
    /// What deserves a warning.
    pub notices: Vec<String>,
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

/// Loads a folder.
pub fn load(folder: &Path) -> Result<LoadedFolder> {
    load_with(folder, &LoadOptions::default())
}

/// A file beside the tokenizer, if it is there: an object.
fn read_json(folder: &Path, name: &str, notices: &mut Vec<String>) -> Result<Option<Value>> {
    let path = folder.join(name);
    if !atomic::is_there(&path) {
        return Ok(None);
    }
    let bytes = atomic::read(&path)?;
    let read = || {
        let mut parser = Parser::from_bytes(&bytes)?;
        let value = parser.value()?;
        parser.end()?;
        Ok(value)
    };
    let value = read().map_err(|error: Error| error.at(path.display().to_string()))?;
    if !matches!(value, Value::Object(_)) {
        return Err(Error::format(format!(
            "expected a JSON object, as the transformers library writes it, found {}; mend the file, or remove it to \
             do without",
            value.describe()
        ))
        .at(path.display().to_string()));
    }
    notices.extend(hf::repeated_keys(&value).into_iter().map(|notice| format!("{name}: {notice}")));
    Ok(Some(value))
}

pub fn load_with(folder: &Path, options: &LoadOptions<'_>) -> Result<LoadedFolder> {
    atomic::settled(folder, || load_once(folder, options))
}

fn load_once(folder: &Path, options: &LoadOptions<'_>) -> Result<LoadedFolder> {
    let mut notices = Vec::new();
    let config = read_json(folder, "tokenizer_config.json", &mut notices)?;
    let special_tokens_map = read_json(folder, "special_tokens_map.json", &mut notices)?;
    let (spec, source) =
        match first_of(folder, &[&["tokenizer.json"], &SENTENCEPIECE_NAMES[..], &["tekken.json"]].concat()) {
            Some(path) => {
                let loaded = read_path(&path, options)?;
                notices.extend(loaded.notices);
                let mut spec = loaded.spec;
                add_beside_model(&mut spec, folder, config.as_ref(), &mut notices)?;
                (spec, path)
            }
            None => from_vocab_files(folder, config.as_ref(), special_tokens_map.as_ref(), &mut notices)?,
        };
    let (chat_template, chat_templates) = templates(folder, config.as_ref())?;
    Ok(LoadedFolder { spec, source, config, special_tokens_map, chat_template, chat_templates, notices })
}

/// The added tokens of a SentencePiece model. Where the settings name a class, that class decides about them.
fn add_beside_model(
    spec: &mut TokenizerSpec,
    folder: &Path,
    config: Option<&Value>,
    notices: &mut Vec<String>,
) -> Result<()> {
    let named = config.and_then(|config| config.get("tokenizer_class")).is_some_and(|class| !class.is_null());
    if named || !matches!(spec.model, ModelSpec::SentencePiece(_)) {
        return Ok(());
    }
    match beside_model::read(config)? {
        Some(tokens) => spec.added_tokens = tokens,
        None => add_added_tokens(spec, folder, notices)?,
    }
    Ok(())
}

/// The default template, and further ones by name.
type Templates = (Option<String>, Vec<(String, String)>);

/// Templates of their own files first, else those in the settings: a string, or a list of named ones.
fn templates(folder: &Path, config: Option<&Value>) -> Result<Templates> {
    let text = |path: &Path| -> Result<String> {
        String::from_utf8(atomic::read(path)?)
            .map_err(|_| Error::format("a chat template must be UTF-8").at(path.display().to_string()))
    };
    let mut named = Vec::new();
    let more = folder.join(TEMPLATES);
    for path in atomic::names(&more).into_iter().map(|name| more.join(name)) {
        if path.extension().is_some_and(|extension| extension == "jinja")
            && let Some(stem) = path.file_stem()
        {
            named.push((stem.to_string_lossy().into_owned(), text(&path)?));
        }
    }
    named.sort();
    let own = folder.join(TEMPLATE);
    if atomic::is_there(&own) {
        return Ok((Some(text(&own)?), named));
    }
    let Some(config) = config else { return Ok((None, named)) };
    let Some(node) = Node::new(config, "tokenizer_config.json: $").field("chat_template") else {
        return Ok((None, named));
    };
    if let Value::String(template) = node.value {
        return Ok((Some(template.clone()), named));
    }
    let mut default = None;
    for item in node.items()? {
        let (name, template) = (item.string_field("name")?, item.string_field("template")?);
        if name == "default" {
            default = Some(template);
        } else {
            named.push((name, template));
        }
    }
    Ok((default, named))
}

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

fn from_vocab_files(
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
    add_added_tokens(&mut spec, folder, notices)?;
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

/// `added_tokens.json`: texts and ids.
fn add_added_tokens(spec: &mut TokenizerSpec, folder: &Path, notices: &mut Vec<String>) -> Result<()> {
    let Some(value) = read_json(folder, "added_tokens.json", notices)? else { return Ok(()) };
    let node = Node::new(&value, "added_tokens.json: $");
    for (text, _) in node.entries()? {
        // Of a repeated key this is the last value.
        let id = node.required(text)?.u32()?;
        if !text.is_empty() && spec.added_tokens.iter().all(|token| token.content != text) {
            spec.added_tokens.push(AddedToken { id: Some(id), ..AddedToken::new(text, false) });
        }
    }
    Ok(())
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

fn pretty(value: &Value) -> String {
    let mut writer = Writer::new(Layout::Pretty);
    writer.value(value);
    writer.finish() + "\n"
}

/// The tokenizer's own file: `tokenizer.json`, or the model file for what only that can express.
fn own_file(folder: &Path, spec: &TokenizerSpec) -> Result<(&'static str, Vec<u8>)> {
    if !matches!(spec.model, ModelSpec::SentencePiece(_)) {
        return Ok(("tokenizer.json", hf::to_string(spec, true)?.into_bytes()));
    }
    // What the model's file has no place for stands in the settings.
    let bytes = model_bytes(&TokenizerSpec { added_tokens: Vec::new(), ..spec.clone() })?;
    let json = folder.join("tokenizer.json");
    if json.exists() {
        return Err(Error::value(format!(
            "{} exists and would be read instead of the SentencePiece model; save to a new folder",
            json.display()
        )));
    }
    Ok(("tokenizer.model", bytes))
}

const TEMPLATE: &str = "chat_template.jinja";
const TEMPLATES: &str = "additional_chat_templates";

/// Chat templates of a tokenizer that was saved here before; loading would find them.
fn older_templates(folder: &Path, prefix: &str) -> Vec<String> {
    let more = format!("{prefix}{TEMPLATES}");
    let named = atomic::names(&folder.join(&more));
    let named = named.iter().filter_map(|name| name.to_str()).filter(|name| name.ends_with(".jinja"));
    let mut names: Vec<String> = named.map(|name| format!("{more}/{name}")).collect();
    names.extend([TEMPLATE, "chat_template.json"].map(|name| format!("{prefix}{name}")));
    names
}

/// Writes a folder, in which all files are the old ones or all are the new ones; gives the files' paths.
pub fn save(folder: &Path, spec: &TokenizerSpec, extras: &Extras) -> Result<Vec<PathBuf>> {
    let (own, content) = own_file(folder, spec)?;
    let prefix = extras.prefix.as_ref().map(|prefix| format!("{prefix}-")).unwrap_or_default();
    let mut files = vec![(own.to_string(), content)];
    let config = match spec.model {
        ModelSpec::SentencePiece(_) => beside_model::written(extras.config.clone(), &spec.added_tokens),
        _ => extras.config.clone(),
    };
    if let Some(config) = &config {
        files.push(("tokenizer_config.json".into(), pretty(config).into_bytes()));
    }
    if let Some(map) = &extras.special_tokens_map {
        files.push(("special_tokens_map.json".into(), pretty(map).into_bytes()));
    }
    if let Some(template) = &extras.chat_template {
        files.push((TEMPLATE.into(), template.clone().into_bytes()));
    }
    for (name, template) in &extras.chat_templates {
        let file = format!("{name}.jinja");
        if Path::new(&file).file_name() != Some(file.as_ref()) {
            return Err(Error::unsupported(format!(
                "a folder cannot express the chat template `{}`: its name is no file name",
                excerpt(name)
            )));
        }
        files.push((format!("{TEMPLATES}/{file}"), template.clone().into_bytes()));
    }
    std::fs::create_dir_all(folder).map_err(|error| atomic::io_error(folder, "creating", error))?;
    let mut together = atomic::Together::new(folder);
    for (name, content) in files {
        together.put(format!("{prefix}{name}"), content);
    }
    if extras.replaces_templates {
        for name in older_templates(folder, &prefix) {
            together.remove(name);
        }
    }
    together.write()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::detect::{Format, load_path_with};
    use tessella_core::spec::NormalizerSpec;

    fn fresh(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("tessella-folder-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).unwrap();
        folder
    }

    #[test]
    fn a_bare_vocabulary_becomes_a_saved_tokenizer() {
        let folder = fresh("bert");
        atomic::write(&folder.join("vocab.txt"), "[PAD]\n[UNK]\n[CLS]\n[SEP]\nfoo\n##bar\n".as_bytes())
            .unwrap();
        let config = br#"{"do_lower_case": false, "chat_template": [{"name": "default", "template": "D"}, {"name": "t", "template": "T"}]}"#;
        atomic::write(&folder.join("tokenizer_config.json"), config).unwrap();
        let loaded = load(&folder).unwrap();
        assert!(matches!(loaded.spec.normalizer, Some(NormalizerSpec::Bert { lowercase: false, .. })));
        assert!(
            matches!(&loaded.spec.post_processor, Some(PostProcessorSpec::Bert { cls, .. }) if cls.1 == 2)
        );
        assert_eq!(loaded.chat_template.as_deref(), Some("D"));
        assert_eq!(loaded.chat_templates, [("t".to_string(), "T".to_string())]);

        let copy = folder.join("copy");
        let extras =
            Extras { config: loaded.config.clone(), chat_template: Some("X".into()), ..Extras::default() };
        let files = save(&copy, &loaded.spec, &extras).unwrap();
        assert_eq!(files.len(), 3);
        let again = load_path_with(&copy, &LoadOptions::default()).unwrap();
        assert_eq!(again.format, Format::Folder);
        assert_eq!(again.folder.unwrap().chat_template.as_deref(), Some("X"));
        assert_eq!(crate::fingerprint(&again.spec).unwrap(), crate::fingerprint(&loaded.spec).unwrap());
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn merges_need_a_class_that_is_known() {
        let folder = fresh("bpe");
        atomic::write(&folder.join("vocab.json"), br#"{"a":0,"b":1,"ab":2,"<s>":3,"</s>":4}"#).unwrap();
        atomic::write(&folder.join("merges.txt"), b"#version: 0.2\na b\n").unwrap();
        assert!(load(&folder).is_ok());
        atomic::write(
            &folder.join("tokenizer_config.json"),
            br#"{"tokenizer_class": "RobertaTokenizerFast"}"#,
        )
        .unwrap();
        assert!(matches!(
            load(&folder).unwrap().spec.post_processor,
            Some(PostProcessorSpec::Roberta { .. })
        ));
        atomic::write(&folder.join("tokenizer_config.json"), br#"{"tokenizer_class": "OddTokenizer"}"#)
            .unwrap();
        assert!(load(&folder).unwrap_err().message().contains("OddTokenizer"));
        let empty = folder.join("empty");
        std::fs::create_dir(&empty).unwrap();
        assert!(load(&empty).unwrap_err().message().contains("vocab.txt"));
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
