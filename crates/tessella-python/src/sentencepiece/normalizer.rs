//! A normalizer by itself.

use std::sync::{Mutex, PoisonError};

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
    inner: Mutex<(Normalizer, SentencePieceNormalization)>,
}

fn compiled(normalizer: Normalizer) -> Result<(Normalizer, SentencePieceNormalization)> {
    let compiled = SentencePieceNormalization::new(&normalizer.described())?;
    Ok((normalizer, compiled))
}

impl SentencePieceNormalizerHandle {
    fn with<R>(&self, look: impl FnOnce(&mut (Normalizer, SentencePieceNormalization)) -> R) -> R {
        look(&mut self.inner.lock().unwrap_or_else(PoisonError::into_inner))
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
        Ok(SentencePieceNormalizerHandle { inner: Mutex::new(normalizer.and_then(compiled).or_raise()?) })
    }

    fn set(&self, name: &str, value: bool) -> PyResult<()> {
        self.with(|inner| {
            let mut changed = inner.0.clone();
            changed.set(name, value)?;
            *inner = compiled(changed)?;
            Ok(())
        })
        .or_raise()
    }

    /// See `plain`.
    fn plain_normalize<'py>(
        &self,
        input: &Bound<'py, PyAny>,
        with_offsets: bool,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.with(|(_, compiled)| plain::normalized(compiled, input, with_offsets))
    }

    fn normalize(&self, input: &Bound<'_, PyAny>) -> PyResult<(String, Vec<usize>)> {
        let bytes = text(input)?;
        self.with(|(_, compiled)| processor::normalize(compiled, bytes)).or_raise()
    }

    fn rules(&self) -> PyResult<Vec<(String, String)>> {
        self.with(|(normalizer, _)| normalizer.rules()).or_raise()
    }

    fn model<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.with(|(normalizer, _)| normalizer.model()))
    }

    fn spec<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.with(|(normalizer, _)| normalizer.section().write()))
    }
}
