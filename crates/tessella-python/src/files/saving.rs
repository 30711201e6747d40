//! Tokenizers to files of the formats that can be written, and to folders.

use std::path::PathBuf;

use pyo3::prelude::*;
use tessella_formats::folder::{self, Extras, LoadedFolder};
use tessella_formats::formats;
use tessella_formats::json::{Layout, Parser, Value, Writer};
use tessella_formats::{atomic, snapshot};

use crate::border::errors::OrRaise;
use crate::tokenizer::Tokenizer;

/// Writes a file; gives what deserves a warning.
#[pyfunction]
pub fn save_file(
    py: Python<'_>,
    tokenizer: &Bound<'_, Tokenizer>,
    path: PathBuf,
    name: Option<&str>,
    pretty: bool,
) -> PyResult<Vec<String>> {
    let format = formats::to_write(&path, name).or_raise()?;
    let spec = tokenizer.get().value()?.spec();
    py.detach(|| formats::write(&path, &spec, format, pretty)).or_raise()
}

/// Writes a snapshot with what the tokenizer has beside it. The settings are JSON text.
#[pyfunction]
pub fn save_snapshot(
    py: Python<'_>,
    tokenizer: &Bound<'_, Tokenizer>,
    path: PathBuf,
    config: Option<String>,
    special_tokens_map: Option<String>,
    chat_template: Option<String>,
    chat_templates: Vec<(String, String)>,
) -> PyResult<()> {
    let beside = snapshot::Beside { config, special_tokens_map, chat_template, chat_templates };
    let spec = tokenizer.get().value()?.spec();
    py.detach(|| atomic::write(&path, &snapshot::to_bytes(&spec, &beside)?)).or_raise()
}

/// Writes a folder. The settings are JSON text.
#[pyfunction]
#[allow(clippy::too_many_arguments)]
pub fn save_folder(
    py: Python<'_>,
    tokenizer: &Bound<'_, Tokenizer>,
    path: PathBuf,
    config: Option<&str>,
    special_tokens_map: Option<&str>,
    chat_template: Option<String>,
    chat_templates: Vec<(String, String)>,
    prefix: Option<String>,
    replaces_templates: bool,
) -> PyResult<Vec<PathBuf>> {
    let parse = |text: &str| -> tessella_core::Result<Value> {
        let mut parser = Parser::new(text);
        let value = parser.value()?;
        parser.end()?;
        Ok(value)
    };
    let extras = Extras {
        config: config.map(parse).transpose().or_raise()?,
        special_tokens_map: special_tokens_map.map(parse).transpose().or_raise()?,
        chat_template,
        chat_templates,
        prefix,
        replaces_templates,
    };
    let spec = tokenizer.get().value()?.spec();
    py.detach(|| folder::save(&path, &spec, &extras)).or_raise()
}

/// What a folder holds beside the tokenizer: two settings as JSON text, the template and the named ones.
pub type Beside = (Option<String>, Option<String>, Option<String>, Vec<(String, String)>);

pub fn beside(folder: LoadedFolder) -> Beside {
    let text = |value: Value| {
        let mut writer = Writer::new(Layout::Compact);
        writer.value(&value);
        writer.finish()
    };
    (
        folder.config.map(text),
        folder.special_tokens_map.map(text),
        folder.chat_template,
        folder.chat_templates,
    )
}

/// The same of a snapshot; nothing where there is nothing.
pub fn snapshot_beside(beside: snapshot::Beside) -> Option<Beside> {
    let is_there = beside != snapshot::Beside::default();
    let snapshot::Beside { config, special_tokens_map, chat_template, chat_templates } = beside;
    is_there.then_some((config, special_tokens_map, chat_template, chat_templates))
}
