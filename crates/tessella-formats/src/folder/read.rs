//! A folder read: the tokenizer's own file, or a bare vocabulary, and what stands beside it.

use std::path::Path;

use tessella_core::spec::ModelSpec;
use tessella_core::{Error, Result, TokenizerSpec};

use super::beside::{add_added_tokens, read_json};
use super::{CONFIG, MODEL, SPECIAL_TOKENS_MAP, TEMPLATE, TEMPLATES, WHOLE, bare};
use crate::atomic;
use crate::beside_model;
use crate::formats::{LoadOptions, first_of, read_path};
use crate::json::{Node, Value};

/// A tokenizer with what its folder says beside it.
#[derive(Debug, Clone)]
pub struct LoadedFolder {
    /// The tokenizer.
    pub spec: TokenizerSpec,
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

/// Loads a folder, with what the caller knows.
pub fn load(folder: &Path, options: &LoadOptions<'_>) -> Result<LoadedFolder> {
    atomic::settled(folder, || load_once(folder, options))
}

fn load_once(folder: &Path, options: &LoadOptions<'_>) -> Result<LoadedFolder> {
    let mut notices = Vec::new();
    let config = read_json(folder, CONFIG, &mut notices)?;
    let special_tokens_map = read_json(folder, SPECIAL_TOKENS_MAP, &mut notices)?;
    let spec = match first_of(folder, &WHOLE) {
        Some(path) => {
            let loaded = read_path(&path, options)?;
            notices.extend(loaded.notices);
            let mut spec = loaded.spec;
            add_beside_model(&mut spec, folder, config.as_ref(), &mut notices)?;
            spec
        }
        None => {
            // What it says twice concerns the model.
            let model = read_json(folder, MODEL, &mut Vec::new())?;
            bare::read(folder, config.as_ref(), special_tokens_map.as_ref(), model.as_ref(), &mut notices)?
        }
    };
    let (chat_template, chat_templates) = templates(folder, config.as_ref())?;
    Ok(LoadedFolder { spec, config, special_tokens_map, chat_template, chat_templates, notices })
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
        None => add_added_tokens(spec, folder, &|_| false, notices)?,
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
