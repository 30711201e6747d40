//! The quick way of `Tokenizer.decode`, for short lists, whose call takes as long as all that is done.

use pyo3::prelude::*;
use pyo3::types::PyBool;

use crate::border::interpreter::quick::{Answer, Quick, Twin, Unnamed};
use crate::tokenizer::Tokenizer;

/// `Tokenizer.decode`.
pub struct Decode;

impl Quick for Decode {
    type Of = Tokenizer;
    const NAME: &'static str = "decode";

    #[inline(always)]
    fn quick<'py>(this: &Tokenizer, arguments: Unnamed<'_, 'py>) -> Answer<'py> {
        let (ids, skip_special_tokens) = match arguments.all() {
            Some([ids]) => (ids, true),
            None => {
                let [ids, skip] = arguments.all()?;
                (ids, skip.cast::<PyBool>().ok()?.is_true())
            }
        };
        let text = this.decoded_at_hand(ids, skip_special_tokens)?;
        Some(text.map(|text| Some(text.into_any())))
    }

    fn twin() -> &'static Twin {
        static TWIN: Twin = Twin::new();
        &TWIN
    }
}
