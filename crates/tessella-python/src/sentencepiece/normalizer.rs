//! A normalizer by itself.

use std::sync::{Arc, PoisonError, RwLock};

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use tessella_core::Result;
use tessella_core::normalize::sentencepiece::SentencePieceNormalization;
use tessella_core::sentencepiece as processor;
use tessella_formats::sentencepiece::normalizer::Normalizer;

use super::{plain, text};
use crate::border::errors::OrRaise;

/// A normalizer by itself.
#[pyclass(frozen, module = "tessella._tessella")]
pub struct SentencePieceNormalizerHandle {
    inner: RwLock<Arc<Compiled>>,
}

/// What a normalizer is, and what runs it.
struct Compiled {
    description: Normalizer,
    running: SentencePieceNormalization,
}

impl Compiled {
    fn new(description: Normalizer) -> Result<Arc<Self>> {
        let running = SentencePieceNormalization::new(&description.described())?;
        Ok(Arc::new(Compiled { description, running }))
    }
}

impl SentencePieceNormalizerHandle {
    /// What it is as of now. No lock is held while it is used: where Python's values are made, finalizers may run, which are code of
    /// others and may ask the same normalizer.
    fn get(&self) -> Arc<Compiled> {
        Arc::clone(&self.inner.read().unwrap_or_else(PoisonError::into_inner))
    }
}

#[pymethods]
impl SentencePieceNormalizerHandle {
    /// From the `model` or the `spec` message, a rule `file`, a `name`, or `rules`: pairs of texts.
    #[new]
    fn new(kind: &str, source: &Bound<'_, PyAny>) -> PyResult<Self> {
        let normalizer = match kind {
            "model" => Normalizer::from_model(source.extract::<&[u8]>()?),
            "spec" => Normalizer::from_spec(source.extract::<&[u8]>()?),
            "file" => Normalizer::from_file(&source.extract::<String>()?),
            "name" => Normalizer::from_name(&source.extract::<String>()?),
            _ => Normalizer::from_rules(source.extract::<Vec<(String, String)>>()?),
        };
        let inner = normalizer.and_then(Compiled::new).or_raise()?;
        Ok(SentencePieceNormalizerHandle { inner: RwLock::new(inner) })
    }

    fn set(&self, name: &str, value: bool) -> PyResult<()> {
        // Whoever sets another field meanwhile is waited for: neither change is lost.
        let mut inner = self.inner.write().unwrap_or_else(PoisonError::into_inner);
        let mut changed = inner.description.clone();
        changed.set(name, value).or_raise()?;
        *inner = Compiled::new(changed).or_raise()?;
        Ok(())
    }

    /// See `plain`.
    fn plain_normalize<'py>(
        &self,
        input: &Bound<'py, PyAny>,
        with_offsets: bool,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        plain::normalized(&self.get().running, input, with_offsets)
    }

    fn normalize(&self, input: &Bound<'_, PyAny>) -> PyResult<(String, Vec<usize>)> {
        processor::normalize(&self.get().running, text(input)?).or_raise()
    }

    fn rules(&self) -> PyResult<Vec<(String, String)>> {
        self.get().description.rules().or_raise()
    }

    fn model<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.get().description.model())
    }

    fn spec<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.get().description.section().write())
    }
}
