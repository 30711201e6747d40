//! Descriptions, which loading gives and a tokenizer is made from.

use pyo3::prelude::*;
use pyo3::types::PyDict;
use tessella_core::TokenizerSpec;
use tessella_formats::{hf, tiktoken};

use crate::border::interrupt::sized;
use crate::components::custom::Allowed;

/// A tokenizer's description, as loading gives it.
#[pyclass(frozen, module = "tessella._tessella")]
pub struct Description {
    pub spec: TokenizerSpec,
    /// What deserves a warning.
    #[pyo3(get)]
    pub notices: Vec<String>,
}

#[pymethods]
impl Description {
    /// From `tokenizer.json` text.
    #[staticmethod]
    fn from_json(py: Python<'_>, json: &[u8], allow_custom: Vec<String>) -> PyResult<Self> {
        sized(py, json.len(), |_| hf::read_document(json, Some(&Allowed(&allow_custom))))
            .map(|document| Description { spec: document.spec, notices: document.notices })
    }

    /// From the lines of a table of ranks and a pattern, or the name of a known one; without special tokens.
    #[staticmethod]
    fn from_ranks(py: Python<'_>, ranks: &[u8], pattern: &str) -> PyResult<Self> {
        let spec = sized(py, ranks.len(), |_| tiktoken::matches_of(ranks, pattern))?;
        Ok(Description { spec, notices: Vec::new() })
    }

    /// From what `Tokenizer._pack` gives.
    #[staticmethod]
    fn unpack(packed: &Bound<'_, PyDict>) -> PyResult<Self> {
        Ok(Description { spec: crate::files::pack::Whole::from_python(packed)?.spec()?, notices: Vec::new() })
    }
}
