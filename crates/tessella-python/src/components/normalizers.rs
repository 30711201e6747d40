//! Handles of normalizers.

use std::sync::Arc;

use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use tessella_core::normalize::Normalizer;
use tessella_core::spec::{CharsmapMatching, NormalizerSpec as Spec};
use tessella_core::text::NormalizedString as Text;
use tessella_formats::hf;

use crate::border::interrupt::sized;
use crate::border::values::pattern;
use crate::components::custom::{Allowed, Custom};
use crate::components::stage::{Component, handle};
use crate::components::strings::NormalizedString;

impl Component for Spec {
    const TITLE: &'static str = "Normalizer";

    fn kind(&self) -> &'static str {
        match self {
            Spec::Bert { .. } => "BertNormalizer",
            Spec::Nfc => "NFC",
            Spec::Nfd => "NFD",
            Spec::Nfkc => "NFKC",
            Spec::Nfkd => "NFKD",
            Spec::Lowercase => "Lowercase",
            Spec::Strip { .. } => "Strip",
            Spec::StripAccents => "StripAccents",
            Spec::Nmt => "Nmt",
            Spec::Precompiled { .. } => "Precompiled",
            Spec::Replace { .. } => "Replace",
            Spec::Prepend { .. } => "Prepend",
            Spec::ByteLevel => "ByteLevel",
            Spec::SentencePiece(_) => "SentencePiece",
            Spec::Sequence(_) => "Sequence",
            Spec::Custom(_) => "Normalizer",
        }
    }

    fn get(&self, py: Python<'_>, name: &str) -> PyResult<Option<Py<PyAny>>> {
        let value = match (self, name) {
            (Spec::Bert { clean_text, .. }, "clean_text") => clean_text.into_py_any(py),
            (Spec::Bert { handle_chinese_chars, .. }, "handle_chinese_chars") => {
                handle_chinese_chars.into_py_any(py)
            }
            (Spec::Bert { strip_accents, .. }, "strip_accents") => strip_accents.into_py_any(py),
            (Spec::Bert { lowercase, .. }, "lowercase") => lowercase.into_py_any(py),
            (Spec::Strip { left, .. }, "left") => left.into_py_any(py),
            (Spec::Strip { right, .. }, "right") => right.into_py_any(py),
            (Spec::Replace { content, .. }, "content") => content.into_py_any(py),
            (Spec::Prepend { prepend }, "prepend") => prepend.into_py_any(py),
            (Spec::Precompiled { matching, .. }, "matching") => match matching {
                CharsmapMatching::Grapheme => "grapheme",
                CharsmapMatching::LongestMatch => "longest_match",
            }
            .into_py_any(py),
            (Spec::SentencePiece(own), "name") => own.name.clone().into_py_any(py),
            (Spec::SentencePiece(own), "add_dummy_prefix") => own.add_dummy_prefix.into_py_any(py),
            (Spec::SentencePiece(own), "remove_extra_whitespaces") => {
                own.remove_extra_whitespaces.into_py_any(py)
            }
            (Spec::SentencePiece(own), "escape_whitespaces") => own.escape_whitespaces.into_py_any(py),
            _ => return Ok(None),
        };
        value.map(Some)
    }

    fn set(&mut self, name: &str, value: &Bound<'_, PyAny>) -> PyResult<Option<()>> {
        match (self, name) {
            (Spec::Bert { clean_text, .. }, "clean_text") => *clean_text = value.extract()?,
            (Spec::Bert { handle_chinese_chars, .. }, "handle_chinese_chars") => {
                *handle_chinese_chars = value.extract()?;
            }
            (Spec::Bert { strip_accents, .. }, "strip_accents") => *strip_accents = value.extract()?,
            (Spec::Bert { lowercase, .. }, "lowercase") => *lowercase = value.extract()?,
            (Spec::Strip { left, .. }, "left") => *left = value.extract()?,
            (Spec::Strip { right, .. }, "right") => *right = value.extract()?,
            (Spec::Replace { content, .. }, "content") => *content = value.extract()?,
            (Spec::Prepend { prepend }, "prepend") => *prepend = value.extract()?,
            (Spec::Precompiled { matching: old, .. }, "matching") => *old = matching(value.extract()?)?,
            _ => return Ok(None),
        }
        Ok(Some(()))
    }

    fn to_json(&self) -> tessella_core::Result<String> {
        hf::normalizer_to_json(self, false)
    }

    fn from_json(json: &str, allowed: &[String]) -> tessella_core::Result<Self> {
        hf::normalizer_from_json(json, Some(&Allowed(allowed)))
    }
}

fn matching(name: &str) -> PyResult<CharsmapMatching> {
    match name {
        "grapheme" => Ok(CharsmapMatching::Grapheme),
        "longest_match" => Ok(CharsmapMatching::LongestMatch),
        other => Err(crate::border::errors::argument(format!(
            "unknown matching `{other}`: use `grapheme` or `longest_match`"
        ))),
    }
}

handle!(NormalizerHandle, Spec, Normalizer, {
    #[staticmethod]
    fn simple(name: &str) -> PyResult<Self> {
        Ok(match name {
            "NFC" => Spec::Nfc,
            "NFD" => Spec::Nfd,
            "NFKC" => Spec::Nfkc,
            "NFKD" => Spec::Nfkd,
            "Lowercase" => Spec::Lowercase,
            "StripAccents" => Spec::StripAccents,
            "Nmt" => Spec::Nmt,
            "ByteLevel" => Spec::ByteLevel,
            other => {
                return Err(crate::border::errors::argument(format!("no normalizer `{other}`")));
            }
        }
        .into())
    }

    #[staticmethod]
    fn bert(
        clean_text: bool,
        handle_chinese_chars: bool,
        strip_accents: Option<bool>,
        lowercase: bool,
    ) -> Self {
        Spec::Bert { clean_text, handle_chinese_chars, strip_accents, lowercase }.into()
    }

    #[staticmethod]
    fn strip(left: bool, right: bool) -> Self {
        Spec::Strip { left, right }.into()
    }

    #[staticmethod]
    fn precompiled(charsmap: Vec<u8>, matching: &str) -> PyResult<Self> {
        let handle = Self::from(Spec::Precompiled {
            charsmap: Arc::from(charsmap),
            matching: self::matching(matching)?,
        });
        handle.built()?;
        Ok(handle)
    }

    #[staticmethod]
    fn replace(pattern: &Bound<'_, PyAny>, content: String) -> PyResult<Self> {
        Ok(Spec::Replace { pattern: self::pattern(pattern)?, content }.into())
    }

    #[staticmethod]
    fn prepend(prepend: String) -> Self {
        Spec::Prepend { prepend }.into()
    }

    #[staticmethod]
    fn custom(object: Py<PyAny>) -> Self {
        Spec::Custom(Arc::new(Custom(object))).into()
    }

    fn normalize_str(&self, py: Python<'_>, text: PyBackedStr) -> PyResult<String> {
        let normalizer = self.built()?;
        sized(py, text.len(), |_| {
            let mut string = Text::new(&*text);
            string.change(|aligned| normalizer.normalize(aligned))?;
            Ok(string.normalized().to_string())
        })
    }

    fn normalize(&self, text: &Bound<'_, NormalizedString>) -> PyResult<()> {
        text.get().normalize(&*self.built()?)
    }
});
