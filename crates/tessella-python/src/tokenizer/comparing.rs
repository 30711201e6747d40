//! Several tokenizers on the same texts, in Python's hands.

use std::sync::{Arc, Mutex};

use pyo3::prelude::*;
use tessella_core::{Comparison as Core, EncodeOptions, ManyTexts};

use crate::border::errors;
use crate::border::inputs;
use crate::border::interrupt::run;
use crate::border::values::argument;
use crate::components::live::lock;
use crate::tokenizer::state::State;
use crate::tokenizer::{Tokenizer, ids_options, threads};

/// Texts, bytes, characters, words.
type Extent = (u64, u64, u64, u64);
/// Tokens, words that are one token, unknown tokens.
type Measured = (u64, u64, u64);

#[pyclass(frozen, module = "tessella._tessella")]
pub struct Comparison {
    core: Mutex<Core>,
    tokenizers: Vec<Arc<State>>,
}

#[pymethods]
impl Comparison {
    /// Of these tokenizers, each with the id of its unknown token.
    #[new]
    fn new(tokenizers: Vec<(Bound<'_, Tokenizer>, Option<u32>)>) -> PyResult<Self> {
        if tokenizers.is_empty() {
            return Err(errors::argument("`tokenizers` must hold one or more"));
        }
        let unknown = tokenizers.iter().map(|(_, unknown)| *unknown).collect();
        let values =
            tokenizers.iter().map(|(tokenizer, _)| tokenizer.get().value()).collect::<PyResult<_>>()?;
        Ok(Comparison { core: Mutex::new(Core::new(unknown)), tokenizers: values })
    }

    /// Looks at further texts, and tells what they are and what each tokenizer made of them.
    #[pyo3(signature = (texts, num_threads = None))]
    fn add(
        &self,
        py: Python<'_>,
        texts: &Bound<'_, PyAny>,
        #[pyo3(from_py_with = argument::num_threads)] num_threads: Option<usize>,
    ) -> PyResult<(Extent, Vec<Measured>)> {
        let texts = inputs::texts(texts, "encode")?;
        let threads = threads(num_threads);
        let (extent, measured) = run(py, |cancel| {
            let mut rooms = vec![String::new(); texts.count()];
            let views = rooms.iter_mut().enumerate().map(|(index, room)| texts.read(index, room));
            let views: Vec<&str> = views.collect::<tessella_core::Result<_>>()?;
            let cores: Vec<&tessella_core::Tokenizer> = self.tokenizers.iter().map(|one| &one.core).collect();
            let options = EncodeOptions {
                cancel: Some(cancel),
                ..ids_options(&self.tokenizers[0], (false, None), threads)
            };
            lock(&self.core).add(&cores, &views, &options)
        })
        .map_err(|error| texts.error(py, error))?;
        let measured = measured.into_iter().map(|one| (one.tokens, one.single, one.unknown)).collect();
        Ok(((extent.texts, extent.bytes, extent.characters, extent.words), measured))
    }

    /// Words that all cut alike, words that they do not, and whether rare ones of these were forgotten.
    #[getter]
    fn shares(&self) -> (u64, u64, bool) {
        let core = lock(&self.core);
        let (alike, differing) = core.shares();
        (alike, differing, core.has_forgotten())
    }

    /// The most frequent words that are cut differently: how often, and the parts by each tokenizer.
    fn differences(&self, most: usize) -> Vec<(u64, Vec<Vec<String>>)> {
        lock(&self.core).differences(most).into_iter().map(|one| (one.count, one.parts)).collect()
    }
}
