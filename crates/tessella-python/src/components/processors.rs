//! Handles of post-processors.

use pyo3::prelude::*;
use tessella_core::PostProcessor;
use tessella_core::spec::PostProcessorSpec as Spec;
use tessella_train::again::{Renamed, renumbered};

use crate::border::errors::OrRaise;
use crate::components::stage::handle;
use crate::results::encoding::Encoding;
use crate::tokenizer::Tokenizer;

handle!(PostProcessorHandle, Spec, PostProcessor, {
    /// What puts in the same tokens, under new names, with their ids in a tokenizer.
    fn renumbered(&self, renamed: Renamed, tokenizer: &Bound<'_, Tokenizer>) -> PyResult<Self> {
        let value = tokenizer.get().value()?;
        renumbered(&self.node.spec(), &renamed, &|token| value.core.token_to_id(token))
            .or_raise()
            .map(Self::from)
    }

    fn num_special_tokens_to_add(&self, is_pair: bool) -> PyResult<usize> {
        Ok(self.built()?.added_tokens(is_pair))
    }

    fn process(
        &self,
        encoding: &Bound<'_, Encoding>,
        pair: Option<&Bound<'_, Encoding>>,
        add_special_tokens: bool,
    ) -> PyResult<Encoding> {
        let first = encoding.get().copy();
        let second = pair.map(|pair| pair.get().copy());
        self.built()?.process(first, second, add_special_tokens).or_raise().map(Encoding::from)
    }
});
