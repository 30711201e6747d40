//! Handles of decoders.

use std::sync::Arc;

use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use tessella_core::decode::Decoder;
use tessella_core::spec::DecoderSpec as Spec;
use tessella_formats::hf;

use crate::border::errors::OrRaise;
use crate::border::values::{character, pattern, prepend_scheme, prepend_scheme_name};
use crate::components::custom::{Allowed, Custom};
use crate::components::stage::{Component, handle};

impl Component for Spec {
    const TITLE: &'static str = "Decoder";

    fn kind(&self) -> &'static str {
        match self {
            Spec::Bpe { .. } => "BPEDecoder",
            Spec::ByteLevel { .. } => "ByteLevel",
            Spec::WordPiece { .. } => "WordPiece",
            Spec::Metaspace { .. } => "Metaspace",
            Spec::Ctc { .. } => "CTC",
            Spec::Replace { .. } => "Replace",
            Spec::Fuse => "Fuse",
            Spec::Strip { .. } => "Strip",
            Spec::ByteFallback => "ByteFallback",
            Spec::SentencePiece { .. } => "SentencePiece",
            Spec::Sequence(_) => "Sequence",
            Spec::Custom(_) => "Decoder",
        }
    }

    fn get(&self, py: Python<'_>, name: &str) -> PyResult<Option<Py<PyAny>>> {
        let value = match (self, name) {
            (Spec::Bpe { suffix }, "suffix") => suffix.into_py_any(py),
            (Spec::WordPiece { prefix, .. }, "prefix") => prefix.into_py_any(py),
            (Spec::WordPiece { cleanup, .. }, "cleanup") => cleanup.into_py_any(py),
            (Spec::Metaspace { replacement, .. }, "replacement") => replacement.into_py_any(py),
            (Spec::Metaspace { prepend, .. }, "prepend_scheme") => {
                prepend_scheme_name(*prepend).into_py_any(py)
            }
            (Spec::Metaspace { split, .. }, "split") => split.into_py_any(py),
            (Spec::Ctc { pad_token, .. }, "pad_token") => pad_token.into_py_any(py),
            (Spec::Ctc { word_delimiter_token, .. }, "word_delimiter_token") => {
                word_delimiter_token.into_py_any(py)
            }
            (Spec::Ctc { cleanup, .. }, "cleanup") => cleanup.into_py_any(py),
            (Spec::Replace { content, .. }, "content") => content.into_py_any(py),
            (Spec::Strip { content, .. }, "content") => content.into_py_any(py),
            (Spec::Strip { start, .. }, "start") => start.into_py_any(py),
            (Spec::Strip { stop, .. }, "stop") => stop.into_py_any(py),
            (Spec::SentencePiece { add_dummy_prefix, .. }, "add_dummy_prefix") => {
                add_dummy_prefix.into_py_any(py)
            }
            (Spec::SentencePiece { remove_extra_whitespaces, .. }, "remove_extra_whitespaces") => {
                remove_extra_whitespaces.into_py_any(py)
            }
            (Spec::SentencePiece { unk_surface, .. }, "unk_surface") => unk_surface.into_py_any(py),
            _ => return Ok(None),
        };
        value.map(Some)
    }

    fn set(&mut self, name: &str, value: &Bound<'_, PyAny>) -> PyResult<Option<()>> {
        match (self, name) {
            (Spec::Bpe { suffix }, "suffix") => *suffix = value.extract()?,
            (Spec::WordPiece { prefix, .. }, "prefix") => *prefix = value.extract()?,
            (Spec::WordPiece { cleanup, .. }, "cleanup") => *cleanup = value.extract()?,
            (Spec::Metaspace { replacement, .. }, "replacement") => {
                *replacement = character(value.extract()?)?;
            }
            (Spec::Metaspace { prepend, .. }, "prepend_scheme") => {
                *prepend = prepend_scheme(value.extract()?)?
            }
            (Spec::Metaspace { split, .. }, "split") => *split = value.extract()?,
            (Spec::Ctc { pad_token, .. }, "pad_token") => *pad_token = value.extract()?,
            (Spec::Ctc { word_delimiter_token, .. }, "word_delimiter_token") => {
                *word_delimiter_token = value.extract()?;
            }
            (Spec::Ctc { cleanup, .. }, "cleanup") => *cleanup = value.extract()?,
            (Spec::Replace { content, .. }, "content") => *content = value.extract()?,
            (Spec::Strip { content, .. }, "content") => *content = character(value.extract()?)?,
            (Spec::Strip { start, .. }, "start") => *start = value.extract()?,
            (Spec::Strip { stop, .. }, "stop") => *stop = value.extract()?,
            _ => return Ok(None),
        }
        Ok(Some(()))
    }

    fn to_json(&self) -> tessella_core::Result<String> {
        hf::decoder_to_json(self, false)
    }

    fn from_json(json: &str, allowed: &[String]) -> tessella_core::Result<Self> {
        hf::decoder_from_json(json, Some(&Allowed(allowed)))
    }
}

handle!(DecoderHandle, Spec, Decoder, {
    #[staticmethod]
    fn simple(name: &str) -> PyResult<Self> {
        Ok(match name {
            "ByteLevel" => Spec::ByteLevel { add_prefix_space: true, trim_offsets: true, use_regex: true },
            "Fuse" => Spec::Fuse,
            "ByteFallback" => Spec::ByteFallback,
            other => return Err(crate::border::errors::argument(format!("no decoder `{other}`"))),
        }
        .into())
    }

    #[staticmethod]
    fn bpe(suffix: String) -> Self {
        Spec::Bpe { suffix }.into()
    }

    #[staticmethod]
    fn word_piece(prefix: String, cleanup: bool) -> Self {
        Spec::WordPiece { prefix, cleanup }.into()
    }

    #[staticmethod]
    fn metaspace(replacement: &str, scheme: &str, split: bool) -> PyResult<Self> {
        Ok(Spec::Metaspace { replacement: character(replacement)?, prepend: prepend_scheme(scheme)?, split }
            .into())
    }

    #[staticmethod]
    fn ctc(pad_token: String, word_delimiter_token: String, cleanup: bool) -> Self {
        Spec::Ctc { pad_token, word_delimiter_token, cleanup }.into()
    }

    #[staticmethod]
    fn replace(pattern: &Bound<'_, PyAny>, content: String) -> PyResult<Self> {
        Ok(Spec::Replace { pattern: self::pattern(pattern)?, content }.into())
    }

    #[staticmethod]
    fn strip(content: &str, start: usize, stop: usize) -> PyResult<Self> {
        Ok(Spec::Strip { content: character(content)?, start, stop }.into())
    }

    #[staticmethod]
    fn custom(object: Py<PyAny>) -> Self {
        Spec::Custom(Arc::new(Custom(object))).into()
    }

    fn spells_bytes(&self) -> bool {
        self.node.spec().spells_bytes()
    }

    fn decode(&self, tokens: Vec<String>) -> PyResult<String> {
        self.built()?.decode(tokens).or_raise()
    }

    fn decode_chain(&self, tokens: Vec<String>) -> PyResult<Vec<String>> {
        self.built()?.decode_chain(tokens).or_raise()
    }
});
