//! Handles of pre-tokenizers.

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use tessella_core::cancel::Cancel;
use tessella_core::limits;
use tessella_core::pretokenize::PreTokenizer;
use tessella_core::spec::PreTokenizerSpec as Spec;
use tessella_core::text::{AlignedText, Pieces};

use crate::border::interrupt::sized;
use crate::border::texts::string;
use crate::border::values::CharCounter;
use crate::components::custom::Custom;
use crate::components::pretokenized::PreTokenizedString;
use crate::components::stage::handle;

handle!(PreTokenizerHandle, Spec, PreTokenizer, {
    #[staticmethod]
    fn custom(object: Py<PyAny>) -> Self {
        Spec::Custom(Arc::new(Custom(object))).into()
    }

    fn spells_bytes(&self) -> bool {
        self.node.spec().spells_bytes()
    }

    #[staticmethod]
    fn alphabet() -> Vec<char> {
        tessella_core::pretokenize::byte_alphabet::BYTE_TO_CHAR.to_vec()
    }

    fn pre_tokenize_str(
        &self,
        py: Python<'_>,
        text: &Bound<'_, PyAny>,
    ) -> PyResult<Vec<(String, (usize, usize))>> {
        string(text, "sequence", "")?;
        let text: PyBackedStr = text.extract()?;
        let pre_tokenizer = self.built()?;
        if text.is_empty() && pre_tokenizer.stage_count() == 0 {
            // There is no stage that would drop the empty piece.
            return Ok(vec![Default::default()]);
        }
        sized(py, text.len(), |cancel| {
            let _work = limits::begin(text.len(), Cancel::new(cancel));
            let mut pieces = Pieces::whole(AlignedText::borrowed(&text, 0));
            pieces.set_original(&text);
            pre_tokenizer.pre_tokenize(&mut pieces)?;
            let mut chars = CharCounter::new(&text);
            let told = pieces.pieces().iter().map(|piece| {
                limits::check()?;
                let span = pieces.span(piece);
                Ok((pieces.str(piece).to_string(), (chars.at(span.start), chars.at(span.end))))
            });
            told.collect()
        })
    }

    fn pre_tokenize(&self, text: &Bound<'_, PreTokenizedString>) -> PyResult<()> {
        text.get().pre_tokenize(&*self.built()?)
    }
});
