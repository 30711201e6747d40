//! The engine's processor with Python's texts of its pieces.

use pyo3::prelude::*;
use pyo3::types::PyString;
use tessella_core::TokenId;
use tessella_core::sentencepiece::Processor;

use crate::border::errors::OrRaise;
use crate::border::token_texts::{LONGEST, TokenTexts};

pub struct Model {
    pub inner: Processor,
    texts: TokenTexts,
}

impl Model {
    pub fn new(inner: Processor) -> Self {
        Model { texts: TokenTexts::of(inner.vocab_size()), inner }
    }

    /// Python's text of a piece that the model has.
    #[inline]
    pub fn text_of<'py>(&self, py: Python<'py>, id: TokenId) -> Bound<'py, PyString> {
        if let Some(text) = self.texts.get(py, id) {
            return text;
        }
        let text = self.inner.known(id).map_or("", |piece| &piece.text);
        let made = PyString::new(py, text);
        self.texts.keep(id, &made, || text.len() <= LONGEST);
        made
    }

    /// Makes what encoding needs, while other threads go on.
    #[inline]
    pub fn get_ready(&self, py: Python<'_>) -> PyResult<()> {
        if self.inner.is_ready() { Ok(()) } else { py.detach(|| self.inner.get_ready()).or_raise() }
    }
}
