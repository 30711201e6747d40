//! Handles of decoders.

use std::sync::Arc;

use pyo3::prelude::*;
use tessella_core::decode::Decoder;
use tessella_core::spec::DecoderSpec as Spec;

use crate::border::errors::OrRaise;
use crate::components::custom::Custom;
use crate::components::stage::handle;

handle!(DecoderHandle, Spec, Decoder, {
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
