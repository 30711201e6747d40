//! What the engine knows of formats, encodings, folders and model classes, for Python, which asks and tells none of it again.

use std::path::PathBuf;

use pyo3::prelude::*;
use tessella_formats::classes::{self, Vocabulary};
use tessella_formats::{folder, formats, gguf, hf, model_types, tiktoken};

use crate::border::errors::OrRaise;

/// What formats there are: name, what people call such a file, endings of names, and whether it can be written.
#[pyfunction(name = "formats")]
pub fn known_formats() -> Vec<(&'static str, &'static str, Vec<&'static str>, bool)> {
    formats::TABLE
        .iter()
        .map(|known| (known.name, known.what, known.endings.to_vec(), known.is_written()))
        .collect()
}

/// The encodings whose patterns and special tokens are built in.
#[pyfunction]
pub fn encodings() -> Vec<&'static str> {
    tiktoken::NAMES.to_vec()
}

/// A pattern, the same in Oniguruma's words, and special tokens.
type Known = (String, String, Vec<(String, u32)>);

/// A known encoding, for a table of so many ranks.
#[pyfunction]
pub fn encoding(name: &str, ranks: usize) -> PyResult<Known> {
    let found = tiktoken::encoding(name, None, ranks).or_raise()?;
    Ok((found.pattern.clone(), hf::fancy_to_oniguruma(&found.pattern).or_raise()?, found.special_tokens))
}

/// The ways in which GGUF files cut texts: the name to write, whether pieces are looked up whole, and whether bytes are spelled.
#[pyfunction]
pub fn gguf_cuts() -> Vec<(&'static str, bool, bool)> {
    let cuts = gguf::cuts::CUTS.iter();
    cuts.map(|cut| (cut.names[0], cut.whole_pieces, cut.spelling == gguf::cuts::Spelling::Bytes)).collect()
}

/// The name of the format that would be written, given or seen from the name of the file.
#[pyfunction]
pub fn format_to_write(path: PathBuf, name: Option<&str>) -> PyResult<&'static str> {
    let format = formats::to_write(&path, name).or_raise()?;
    Ok(formats::of(format).map_or(formats::FOLDER, |known| known.name))
}

/// The names of the files of a folder: whole tokenizers, bare vocabularies, settings; the chat template, that of older
/// folders, and the folder of further ones.
#[pyfunction]
#[allow(clippy::type_complexity)]
pub fn folder_names() -> (Vec<&'static str>, Vec<&'static str>, Vec<&'static str>, [&'static str; 3]) {
    let templates = [folder::TEMPLATE, folder::OLD_TEMPLATE, folder::TEMPLATES];
    (folder::WHOLE.to_vec(), folder::BARE.to_vec(), folder::SETTINGS.to_vec(), templates)
}

/// The roles of special tokens.
#[pyfunction]
pub fn roles() -> Vec<&'static str> {
    classes::ROLES.to_vec()
}

type Class = (
    &'static str,
    Vec<(String, &'static str)>,
    Option<(&'static str, &'static str, &'static str)>,
    &'static str,
);

/// The model classes: name, special tokens by role, how the ends of texts are marked and the roles of the marks, and what
/// vocabulary they are made of.
#[pyfunction]
pub fn model_classes() -> Vec<Class> {
    let row = |class: &classes::Class| {
        let vocabulary = match class.vocabulary {
            Vocabulary::Words => "words",
            Vocabulary::Merges => "merges",
            Vocabulary::Other => "",
        };
        let ends = class.ends.map(|(ends, first, last)| (ends.name(), first, last));
        (class.name, class.tokens().collect(), ends, vocabulary)
    };
    classes::TABLE.iter().map(row).collect()
}

/// Names of model classes under which others are given out, and these.
#[pyfunction]
pub fn same_classes() -> Vec<(&'static str, &'static str)> {
    classes::SAME.to_vec()
}

/// The class that tokenizes for a kind of models.
#[pyfunction]
pub fn class_of_model(kind: &str) -> Option<&'static str> {
    model_types::class_of(kind)
}
