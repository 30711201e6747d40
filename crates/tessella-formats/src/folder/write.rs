//! A folder written: the tokenizer's own file and what stands beside it, all together.

use std::path::{Path, PathBuf};

use tessella_core::error::excerpt;
use tessella_core::spec::ModelSpec;
use tessella_core::{Error, Result, TokenizerSpec};

use super::{ADDED_TOKENS, CONFIG, OLD_TEMPLATE, SPECIAL_TOKENS_MAP, TEMPLATE, TEMPLATES, WHOLE};
use crate::atomic;
use crate::beside_model;
use crate::formats::model_bytes;
use crate::hf;
use crate::json::{Layout, Value, Writer};

/// What a folder holds beside the tokenizer.
#[derive(Debug, Default)]
pub struct Extras {
    /// `tokenizer_config.json`.
    pub config: Option<Value>,
    /// `special_tokens_map.json`.
    pub special_tokens_map: Option<Value>,
    /// The default chat template.
    pub chat_template: Option<String>,
    /// Further ones by name.
    pub chat_templates: Vec<(String, String)>,
    /// Put before the names of the files, with a hyphen.
    pub prefix: Option<String>,
    /// Whether chat templates that are there and not written belong to what is replaced.
    pub replaces_templates: bool,
}

fn pretty(value: &Value) -> String {
    let mut writer = Writer::new(Layout::Pretty);
    writer.value(value);
    writer.finish() + "\n"
}

/// The tokenizer's own file: `tokenizer.json`, or the model file for what only that can express.
fn own_file(folder: &Path, spec: &TokenizerSpec) -> Result<(&'static str, Vec<u8>)> {
    if !matches!(spec.model, ModelSpec::SentencePiece(_)) {
        return Ok((WHOLE[0], hf::to_string(spec, true)?.into_bytes()));
    }
    // What the model's file has no place for stands in the settings.
    let bytes = model_bytes(&TokenizerSpec { added_tokens: Vec::new(), ..spec.clone() })?;
    let json = folder.join(WHOLE[0]);
    if json.exists() {
        return Err(Error::value(format!(
            "{} exists and would be read instead of the SentencePiece model; save to a new folder",
            json.display()
        )));
    }
    Ok((WHOLE[1], bytes))
}

/// Chat templates of a tokenizer that was saved here before; loading would find them.
fn older_templates(folder: &Path, prefix: &str) -> Vec<String> {
    let more = format!("{prefix}{TEMPLATES}");
    let named = atomic::names(&folder.join(&more));
    let named = named.iter().filter_map(|name| name.to_str()).filter(|name| name.ends_with(".jinja"));
    let mut names: Vec<String> = named.map(|name| format!("{more}/{name}")).collect();
    names.extend([TEMPLATE, OLD_TEMPLATE].map(|name| format!("{prefix}{name}")));
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
        files.push((CONFIG.into(), pretty(config).into_bytes()));
    }
    if let Some(map) = &extras.special_tokens_map {
        files.push((SPECIAL_TOKENS_MAP.into(), pretty(map).into_bytes()));
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
    let mut together = atomic::Together::new(folder);
    together.make_folder();
    for (name, content) in files {
        together.put(format!("{prefix}{name}"), content);
    }
    // Older releases kept these beside the settings, over which they would be believed.
    if extras.config.is_some() && extras.special_tokens_map.is_none() {
        together.remove(format!("{prefix}{SPECIAL_TOKENS_MAP}"));
    }
    together.remove(format!("{prefix}{ADDED_TOKENS}"));
    if extras.replaces_templates {
        for name in older_templates(folder, &prefix) {
            together.remove(name);
        }
    }
    together.write()
}
