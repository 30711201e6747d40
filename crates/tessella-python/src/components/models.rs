//! Handles of models.

use std::cell::Cell;
use std::sync::Arc;

use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use pyo3::types::{PyDict, PyString};
use tessella_core::model::{Model, Scratch};
use tessella_core::spec::{BpeSpec, Merges, ModelSpec as Spec, SentencePieceKind, UnigramSpec, Vocab};
use tessella_formats::vocab_files::{model_files, read_bpe, resolve_merges};
use tessella_train::again::{Renamed, emptied, keep_settings};

use crate::border::errors::OrRaise;
use crate::border::place::{Place, wrong_type};
use crate::border::texts::{OF_AN_ID, string};
use crate::border::values::{argument, whole};
use crate::components::stage::{Component, blank, filled, handle};
use crate::results::token::Token;

impl Component for Spec {
    fn more(&self, py: Python<'_>, name: &str) -> PyResult<Option<Py<PyAny>>> {
        match (self, name) {
            (Spec::SentencePiece(model), "kind") => match model.kind {
                SentencePieceKind::Unigram => "unigram",
                SentencePieceKind::Bpe => "bpe",
                SentencePieceKind::Word => "word",
                SentencePieceKind::Char => "char",
            }
            .into_py_any(py),
            (Spec::SentencePiece(model), "vocab_size") => model.pieces.len().into_py_any(py),
            (Spec::Bpe(bpe), "by_rank") => matches!(bpe.merges, Merges::ConcatRank).into_py_any(py),
            (Spec::Bpe(bpe), "vocab_size") => bpe.vocab.len().into_py_any(py),
            _ => return Ok(None),
        }
        .map(Some)
    }
}

/// Bytes of a piece whose buffers a thread keeps for the next one, at most.
const KEPT: usize = 1 << 12;

/// Hands over buffers for a piece of so many bytes: pieces are short, and new buffers take longer than reading one.
fn with_scratch<R>(bytes: usize, work: impl FnOnce(&mut Scratch) -> R) -> R {
    thread_local! {
        /// Taken out while it is used.
        static SCRATCH: Cell<Option<Box<Scratch>>> = const { Cell::new(None) };
    }
    let mut scratch = SCRATCH.take().unwrap_or_else(|| Box::new(Scratch::new()));
    scratch.renew();
    let result = work(&mut scratch);
    if bytes <= KEPT {
        SCRATCH.set(Some(scratch));
    }
    result
}

fn vocabulary(entries: &Bound<'_, PyDict>) -> PyResult<Arc<Vocab>> {
    let entry = |(token, id): (Bound<'_, PyAny>, Bound<'_, PyAny>)| -> PyResult<(PyBackedStr, u32)> {
        if !token.is_instance_of::<PyString>() {
            return Err(wrong_type(Place::Argument("vocab"), &token, "a token must be a str", ""));
        }
        let token = token.extract::<PyBackedStr>()?;
        // The name is put together only for an error.
        let id = match id.extract::<u32>() {
            Ok(id) => id,
            Err(_) => whole(&id, &format!("the id of `{}`", &*token), u32::MAX.into())?,
        };
        Ok((token, id))
    };
    let entries = entries.iter().map(entry).collect::<PyResult<Vec<_>>>()?;
    Vocab::from_entries(entries.iter().map(|(token, id)| (&**token, *id))).or_raise().map(Arc::new)
}

/// A model with its settings, which fails now if it cannot be.
fn built(kind: &str, spec: Spec, settings: Option<&Bound<'_, PyDict>>) -> PyResult<ModelHandle> {
    let handle = ModelHandle::from(filled(kind, spec, settings)?);
    handle.built()?;
    Ok(handle)
}

handle!(ModelHandle, Spec, Model, {
    #[staticmethod]
    #[pyo3(signature = (vocab, merges, **fields))]
    fn bpe(
        vocab: &Bound<'_, PyDict>,
        merges: Vec<(PyBackedStr, PyBackedStr)>,
        fields: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let vocab = vocabulary(vocab)?;
        let merges = Merges::Pairs(Arc::new(resolve_merges(&vocab, &merges).or_raise()?));
        built("BPE", Spec::Bpe(BpeSpec::new(vocab, merges)), fields)
    }

    /// The model of `vocab.json` and `merges.txt`; `None` where there is something to tell about them.
    #[staticmethod]
    #[pyo3(signature = (vocab, merges, **fields))]
    fn bpe_of_files(
        vocab: &[u8],
        merges: &[u8],
        fields: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Option<Self>> {
        let (bpe, notices) = read_bpe(vocab, merges).or_raise()?;
        notices.is_empty().then(|| built("BPE", Spec::Bpe(bpe), fields)).transpose()
    }

    /// A model of a kind that has a vocabulary and no other table.
    #[staticmethod]
    #[pyo3(signature = (kind, vocab, **fields))]
    fn with_vocab(
        kind: &str,
        vocab: &Bound<'_, PyDict>,
        fields: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let mut spec = blank::<Spec>(kind)?;
        if let Some(place) = spec.vocab_mut() {
            *place = vocabulary(vocab)?;
        }
        filled(kind, spec, fields).map(Self::from)
    }

    #[staticmethod]
    #[pyo3(signature = (vocab, **fields))]
    fn unigram(vocab: Vec<(String, f64)>, fields: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        let spec = UnigramSpec { vocab: Arc::new(vocab), ..UnigramSpec::default() };
        built("Unigram", Spec::Unigram(spec), fields)
    }

    fn tokenize(&self, text: &Bound<'_, PyAny>) -> PyResult<Vec<Token>> {
        let text = string(text, "text", "")?;
        let model = self.built()?;
        let mut found = Vec::new();
        with_scratch(text.len(), |scratch| model.tokenize(text, scratch, &mut found)).or_raise()?;
        Ok(found
            .into_iter()
            .map(|token| {
                let (start, end) = (token.start as usize, token.end as usize);
                let value = if token.surface { text.get(start..end) } else { model.id_to_token(token.id) };
                Token::new(token.id, value.unwrap_or_default().to_string(), (start, end))
            })
            .collect())
    }

    fn token_to_id(&self, token: &Bound<'_, PyAny>) -> PyResult<Option<u32>> {
        let token = string(token, "token", OF_AN_ID)?;
        Ok(self.built()?.token_to_id(token))
    }

    fn id_to_token(&self, #[pyo3(from_py_with = argument::known_id)] id: u32) -> PyResult<Option<String>> {
        Ok(self.built()?.id_to_token(id).map(str::to_string))
    }

    /// A model that was learned, with the settings of this one.
    fn settings_on(&self, learned: &Bound<'_, ModelHandle>) -> Self {
        keep_settings(&self.node.spec(), learned.get().node.spec()).into()
    }

    /// The model without what it learned.
    fn emptied(&self, renamed: Renamed) -> Self {
        emptied(&self.node.spec(), &renamed).into()
    }

    /// The model's own files: names and contents.
    fn files(&self) -> PyResult<Vec<(&'static str, String)>> {
        model_files(&self.node.spec()).or_raise()
    }
});
