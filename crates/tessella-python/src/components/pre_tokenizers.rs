//! Handles of pre-tokenizers.

use std::sync::Arc;

use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use tessella_core::pretokenize::PreTokenizer;
use tessella_core::spec::PreTokenizerSpec as Spec;
use tessella_core::text::{AlignedText, Pieces};
use tessella_formats::hf;

use crate::border::interrupt::sized;
use crate::border::values::{
    CharCounter, behavior, behavior_name, character, pattern, prepend_scheme, prepend_scheme_name,
};
use crate::components::custom::{Allowed, Custom};
use crate::components::pretokenized::PreTokenizedString;
use crate::components::stage::{Component, handle};

impl Component for Spec {
    const TITLE: &'static str = "PreTokenizer";

    fn kind(&self) -> &'static str {
        match self {
            Spec::Bert => "BertPreTokenizer",
            Spec::ByteLevel { .. } => "ByteLevel",
            Spec::CharDelimiter { .. } => "CharDelimiterSplit",
            Spec::Digits { .. } => "Digits",
            Spec::FixedLength { .. } => "FixedLength",
            Spec::Metaspace { .. } => "Metaspace",
            Spec::Punctuation { .. } => "Punctuation",
            Spec::Split { .. } => "Split",
            Spec::UnicodeScripts { .. } => "UnicodeScripts",
            Spec::Whitespace => "Whitespace",
            Spec::WhitespaceSplit => "WhitespaceSplit",
            Spec::Sequence(_) => "Sequence",
            Spec::Custom(_) => "PreTokenizer",
        }
    }

    fn get(&self, py: Python<'_>, name: &str) -> PyResult<Option<Py<PyAny>>> {
        let value = match (self, name) {
            (Spec::ByteLevel { add_prefix_space, .. }, "add_prefix_space") => {
                add_prefix_space.into_py_any(py)
            }
            (Spec::ByteLevel { trim_offsets, .. }, "trim_offsets") => trim_offsets.into_py_any(py),
            (Spec::ByteLevel { use_regex, .. }, "use_regex") => use_regex.into_py_any(py),
            (Spec::CharDelimiter { delimiter }, "delimiter") => delimiter.into_py_any(py),
            (Spec::Digits { individual }, "individual_digits") => individual.into_py_any(py),
            (Spec::FixedLength { length }, "length") => length.into_py_any(py),
            (Spec::Metaspace { replacement, .. }, "replacement") => replacement.into_py_any(py),
            (Spec::Metaspace { prepend, .. }, "prepend_scheme") => {
                prepend_scheme_name(*prepend).into_py_any(py)
            }
            (Spec::Metaspace { split, .. }, "split") => split.into_py_any(py),
            (Spec::Punctuation { behavior }, "behavior") => behavior_name(*behavior).into_py_any(py),
            (Spec::Split { behavior, .. }, "behavior") => behavior_name(*behavior).into_py_any(py),
            (Spec::Split { invert, .. }, "invert") => invert.into_py_any(py),
            (Spec::UnicodeScripts { keep_spaces }, "keep_spaces") => keep_spaces.into_py_any(py),
            _ => return Ok(None),
        };
        value.map(Some)
    }

    fn set(&mut self, name: &str, value: &Bound<'_, PyAny>) -> PyResult<Option<()>> {
        match (self, name) {
            (Spec::ByteLevel { add_prefix_space, .. }, "add_prefix_space") => {
                *add_prefix_space = value.extract()?;
            }
            (Spec::ByteLevel { trim_offsets, .. }, "trim_offsets") => *trim_offsets = value.extract()?,
            (Spec::ByteLevel { use_regex, .. }, "use_regex") => *use_regex = value.extract()?,
            (Spec::CharDelimiter { delimiter }, "delimiter") => *delimiter = character(value.extract()?)?,
            (Spec::Digits { individual }, "individual_digits") => *individual = value.extract()?,
            (Spec::FixedLength { length }, "length") => *length = positive(value.extract()?)?,
            (Spec::Metaspace { replacement, .. }, "replacement") => {
                *replacement = character(value.extract()?)?;
            }
            (Spec::Metaspace { prepend, .. }, "prepend_scheme") => {
                *prepend = prepend_scheme(value.extract()?)?
            }
            (Spec::Metaspace { split, .. }, "split") => *split = value.extract()?,
            (Spec::Punctuation { behavior: old }, "behavior") => *old = behavior(value)?,
            (Spec::Split { behavior: old, .. }, "behavior") => *old = behavior(value)?,
            (Spec::Split { invert, .. }, "invert") => *invert = value.extract()?,
            (Spec::UnicodeScripts { keep_spaces }, "keep_spaces") => *keep_spaces = value.extract()?,
            _ => return Ok(None),
        }
        Ok(Some(()))
    }

    fn to_json(&self) -> tessella_core::Result<String> {
        hf::pre_tokenizer_to_json(self, false)
    }

    fn from_json(json: &str, allowed: &[String]) -> tessella_core::Result<Self> {
        hf::pre_tokenizer_from_json(json, Some(&Allowed(allowed)))
    }
}

fn positive(length: usize) -> PyResult<usize> {
    if length == 0 {
        Err(crate::border::errors::argument("`length` must be at least 1, not 0"))
    } else {
        Ok(length)
    }
}

handle!(PreTokenizerHandle, Spec, PreTokenizer, {
    #[staticmethod]
    fn simple(name: &str) -> PyResult<Self> {
        Ok(match name {
            "BertPreTokenizer" => Spec::Bert,
            "Whitespace" => Spec::Whitespace,
            "WhitespaceSplit" => Spec::WhitespaceSplit,
            other => return Err(crate::border::errors::argument(format!("no pre-tokenizer `{other}`"))),
        }
        .into())
    }

    #[staticmethod]
    fn byte_level(add_prefix_space: bool, trim_offsets: bool, use_regex: bool) -> Self {
        Spec::ByteLevel { add_prefix_space, trim_offsets, use_regex }.into()
    }

    #[staticmethod]
    fn char_delimiter(delimiter: &str) -> PyResult<Self> {
        Ok(Spec::CharDelimiter { delimiter: character(delimiter)? }.into())
    }

    #[staticmethod]
    fn digits(individual: bool) -> Self {
        Spec::Digits { individual }.into()
    }

    #[staticmethod]
    fn fixed_length(length: usize) -> PyResult<Self> {
        Ok(Spec::FixedLength { length: positive(length)? }.into())
    }

    #[staticmethod]
    fn metaspace(replacement: &str, scheme: &str, split: bool) -> PyResult<Self> {
        Ok(Spec::Metaspace { replacement: character(replacement)?, prepend: prepend_scheme(scheme)?, split }
            .into())
    }

    #[staticmethod]
    fn punctuation(behavior: &Bound<'_, PyAny>) -> PyResult<Self> {
        Ok(Spec::Punctuation { behavior: self::behavior(behavior)? }.into())
    }

    #[staticmethod]
    fn split(pattern: &Bound<'_, PyAny>, behavior: &Bound<'_, PyAny>, invert: bool) -> PyResult<Self> {
        Ok(Spec::Split { pattern: self::pattern(pattern)?, behavior: self::behavior(behavior)?, invert }
            .into())
    }

    #[staticmethod]
    fn unicode_scripts(keep_spaces: bool) -> Self {
        Spec::UnicodeScripts { keep_spaces }.into()
    }

    #[staticmethod]
    fn custom(object: Py<PyAny>) -> Self {
        Spec::Custom(Arc::new(Custom(object))).into()
    }

    fn spells_bytes(&self) -> bool {
        self.node.spec().spells_bytes()
    }

    #[staticmethod]
    fn alphabet() -> Vec<char> {
        tessella_core::pretokenize::byte_alphabet::BYTE_TO_CHAR.to_vec()
    }

    fn pre_tokenize_str(&self, py: Python<'_>, text: PyBackedStr) -> PyResult<Vec<(String, (usize, usize))>> {
        let pre_tokenizer = self.built()?;
        sized(py, text.len(), |_| {
            let mut pieces = Pieces::whole(AlignedText::borrowed(&text, 0));
            pieces.set_original(&text);
            pre_tokenizer.pre_tokenize(&mut pieces)?;
            let mut chars = CharCounter::new(&text);
            Ok(pieces
                .pieces()
                .iter()
                .map(|piece| {
                    let span = pieces.span(piece);
                    (pieces.str(piece).to_string(), (chars.at(span.start), chars.at(span.end)))
                })
                .collect())
        })
    }

    fn pre_tokenize(&self, text: &Bound<'_, PreTokenizedString>) -> PyResult<()> {
        text.get().pre_tokenize(&*self.built()?)
    }
});
