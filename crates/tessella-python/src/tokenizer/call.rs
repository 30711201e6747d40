//! What the caller of one encoding chose, as the engine's options.

use std::num::NonZero;

use pyo3::prelude::*;
use pyo3::types::PyString;
use tessella_core::spec::{Padding, Truncation};
use tessella_core::{BRIEF, EncodeOptions, FewIds};

use crate::border::interpreter::length;
use crate::border::interrupt::{ALONE, TINY};
use crate::border::options::{Choice, call_padding, call_truncation, check_stride};
use crate::border::values::argument;
use crate::tokenizer::state::{Shared, State};

/// Worker threads of a batch: the argument, or what the environment allows; 0 leaves the choice to the engine.
pub fn threads(num_threads: Option<usize>) -> usize {
    if let Some(threads) = num_threads {
        return threads.max(1);
    }
    let off = |value: &str| {
        ["", "off", "false", "f", "no", "n", "0"].contains(&value.to_ascii_lowercase().as_str())
    };
    match std::env::var("TOKENIZERS_PARALLELISM") {
        Ok(value) if off(&value) => 1,
        _ => std::env::var("RAYON_NUM_THREADS").ok().and_then(|count| count.parse().ok()).unwrap_or(0),
    }
}

/// The same as a number of threads, where the caller shares the work out.
#[pyfunction]
pub fn worker_threads(#[pyo3(from_py_with = argument::num_threads)] num_threads: Option<usize>) -> usize {
    match threads(num_threads) {
        0 => std::thread::available_parallelism().map_or(1, NonZero::get),
        threads => threads,
    }
}

/// The same for texts of `bytes` bytes: so few that the calling thread does them alone need no look at the environment.
pub fn threads_for(bytes: usize, num_threads: Option<usize>) -> usize {
    if bytes <= ALONE { 1 } else { threads(num_threads) }
}

/// What the caller of one encoding chose.
pub struct Call {
    pub truncation: Choice<Truncation>,
    pub padding: Choice<Padding>,
    /// `None` for the tokenizer's own setting.
    pub encode_special_tokens: Option<bool>,
}

impl Call {
    pub fn new(
        py: Python<'_>,
        value: &State,
        truncation: Option<&Bound<'_, PyAny>>,
        padding: Option<&Bound<'_, PyAny>>,
        encode_special_tokens: Option<bool>,
    ) -> PyResult<Self> {
        let truncation = call_truncation(truncation)?;
        if let Choice::This(own) = &truncation {
            check_stride(py, own, value.core.added_tokens_to_add(false))?;
        }
        Ok(Call { truncation, padding: call_padding(padding)?, encode_special_tokens })
    }

    pub fn options<'a>(
        &'a self,
        value: &'a State,
        add_special_tokens: bool,
        threads: usize,
    ) -> EncodeOptions<'a> {
        EncodeOptions {
            add_special_tokens,
            encode_special_tokens: self.encode_special_tokens.unwrap_or(value.parts.encode_special_tokens),
            truncation: self.truncation.or(value.parts.truncation.as_deref()),
            padding: self.padding.or(value.parts.padding.as_deref()),
            threads,
            ..EncodeOptions::default()
        }
    }
}

/// A short text, borrowed for the call: the common case, without the cost of keeping it alive.
pub fn tiny<'a>(text: &'a Bound<'_, PyAny>) -> Option<&'a str> {
    let text = text.cast::<PyString>().ok()?;
    if length(text) > TINY {
        // More characters than bytes may be: nobody need make UTF-8 of them to tell.
        return None;
    }
    let text = text.to_str().ok()?;
    (text.len() <= TINY).then_some(text)
}

/// The ids of a short text that was encoded before.
pub fn remembered(shared: &Shared, text: &str, specials: Specials) -> Option<FewIds> {
    if text.len() > BRIEF {
        return None;
    }
    shared.peek(|value| value.core.recall_ids(text, &ids_options(value, specials, 1)))
}

/// What calls for ids alone take: whether to add special tokens, and how those in the text are read (`None` for the
/// tokenizer's own setting).
pub type Specials = (bool, Option<bool>);

pub fn ids_options(value: &State, (add, as_text): Specials, threads: usize) -> EncodeOptions<'_> {
    EncodeOptions {
        add_special_tokens: add,
        encode_special_tokens: as_text.unwrap_or(value.parts.encode_special_tokens),
        threads,
        ..EncodeOptions::default()
    }
}
