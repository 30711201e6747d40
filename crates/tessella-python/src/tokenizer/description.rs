//! Descriptions, which loading gives and a tokenizer is made from.

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use tessella_core::{Tokenizer as Core, TokenizerSpec};
use tessella_formats::tiktoken::Ranks;
use tessella_formats::{hf, tiktoken};

use crate::border::interpreter::plain_id;
use crate::border::interrupt::sized;
use crate::components::custom::Allowed;
use crate::files::pack::spec_from_python;
use crate::tokenizer::state::State;

/// A tokenizer's description, as loading gives it.
#[pyclass(frozen, module = "tessella._tessella")]
pub struct Description {
    pub spec: TokenizerSpec,
    /// The engine's tokenizer, where it was read as a whole.
    pub built: Option<Core>,
    /// It was read from a file's bytes, so whoever waits for that may wait for the tables of much text too.
    pub is_read: bool,
    /// What deserves a warning.
    #[pyo3(get)]
    pub notices: Vec<String>,
}

impl Description {
    pub fn new(spec: TokenizerSpec) -> Self {
        Description { spec, built: None, is_read: true, notices: Vec::new() }
    }

    /// The first value of a tokenizer of this description.
    pub fn state(&self) -> PyResult<State> {
        match &self.built {
            Some(built) => State::of(built.clone()),
            None => {
                let state = State::new(self.spec.clone(), None)?;
                if self.is_read {
                    state.core.get_ready();
                }
                Ok(state)
            }
        }
    }
}

#[pymethods]
impl Description {
    /// Whether the tokenizer was read as a whole, with nothing left to make.
    #[getter]
    fn is_built(&self) -> bool {
        self.built.is_some()
    }

    /// From `tokenizer.json` text.
    #[staticmethod]
    fn from_json(py: Python<'_>, json: &[u8], allow_custom: Vec<String>) -> PyResult<Self> {
        sized(py, json.len(), |_| hf::read_document(json, Some(&Allowed(&allow_custom))))
            .map(|document| Description { notices: document.notices, ..Description::new(document.spec) })
    }

    /// From the lines of a table of ranks and a pattern, or the name of a known one; without special tokens.
    #[staticmethod]
    fn from_ranks(py: Python<'_>, ranks: &[u8], pattern: &str) -> PyResult<Self> {
        let spec = sized(py, ranks.len(), |_| tiktoken::matches_of(ranks, pattern))?;
        Ok(Description::new(spec))
    }

    /// The same from a dict of bytes and their ranks; `None` where anything else is in it, of which the lines tell. The empty token,
    /// which stands for nothing, is left out.
    #[staticmethod]
    fn from_rank_dict(py: Python<'_>, ranks: &Bound<'_, PyDict>, pattern: &str) -> PyResult<Option<Self>> {
        let Some(ranks) = ranks_of(ranks) else { return Ok(None) };
        let spec = sized(py, ranks.bytes(), |_| tiktoken::matches_of_ranks(ranks, pattern))?;
        // What is put together gets the tables of much text when there is much.
        Ok(Some(Description { is_read: false, ..Description::new(spec) }))
    }

    /// From what `Tokenizer._pack` gives.
    #[staticmethod]
    fn unpack(packed: &Bound<'_, PyDict>) -> PyResult<Self> {
        // Copies are made for a few texts as well as for many: they get their tables when it pays.
        Ok(Description { is_read: false, ..Description::new(spec_from_python(packed)?) })
    }
}

/// The entries of a dict of `bytes` and ids, and of nothing else.
fn ranks_of(dict: &Bound<'_, PyDict>) -> Option<Ranks> {
    if !dict.is_exact_instance_of::<PyDict>() {
        return None;
    }
    let mut ranks = Ranks::default();
    for (token, rank) in dict {
        let token = token.cast_exact::<PyBytes>().ok()?.as_bytes();
        let rank = plain_id(&rank)?;
        if !token.is_empty() {
            ranks.push(token, rank);
        }
    }
    Some(ranks)
}
