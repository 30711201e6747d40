//! Ids to Python's texts: read where they lie, joined in a buffer that the thread keeps, and checked once, by Python,
//! which makes its text of the very bytes.

use std::cell::Cell;

use pyo3::prelude::*;
use pyo3::types::{PyList, PyString};
use tessella_core::decode::{Broken, Buffer};
use tessella_core::{EncodeOptions, TokenId};

use crate::border::errors::OrRaise;
use crate::border::inputs;
use crate::border::interpreter::lossy_text;
use crate::border::interrupt::{shared, sized};
use crate::border::place::Place;
use crate::tokenizer::state::State;

/// Ids for which the interpreter is kept: about a millisecond.
const A_TURN: usize = 1 << 17;
/// Bytes that a thread keeps from one call to the next, at most.
const MOST_KEPT: usize = 4 << 20;

thread_local! {
    /// Taken out while it is used.
    static BUFFER: Cell<Buffer> = Cell::default();
}

/// The text of a list or an array of ids.
pub fn text<'py>(
    value: &State,
    ids: &Bound<'py, PyAny>,
    skip_special_tokens: bool,
    place: Place<'_>,
) -> PyResult<Bound<'py, PyString>> {
    let py = ids.py();
    inputs::with_ids(ids, place, A_TURN, |ids| text_of(py, value, ids, skip_special_tokens))
}

/// The texts of many.
pub fn texts<'py>(
    py: Python<'py>,
    value: &State,
    sequences: &Bound<'py, PyAny>,
    skip_special_tokens: bool,
) -> PyResult<Bound<'py, PyList>> {
    if !value.core.decodes_by_table() {
        let sequences = inputs::id_lists(sequences, inputs::ids)?;
        let ids = sequences.iter().map(Vec::len).sum::<usize>();
        // About four bytes each.
        let texts = shared(py, ids * 4, 0, |cancel| {
            let options = EncodeOptions { cancel, ..EncodeOptions::default() };
            value.core.decode_batch(&sequences, skip_special_tokens, &options)
        })?;
        return PyList::new(py, texts);
    }
    // Copying bytes costs no more than handing texts from thread to thread.
    let mut left = A_TURN;
    let texts = inputs::id_lists(sequences, |ids, place| {
        inputs::with_ids(ids, place, A_TURN, |ids| {
            if left < ids.len() {
                left = A_TURN;
                py.detach(|| ());
                py.check_signals()?;
            }
            left = left.saturating_sub(ids.len());
            text_of(py, value, ids, skip_special_tokens)
        })
    })?;
    PyList::new(py, texts)
}

fn text_of<'py>(
    py: Python<'py>,
    value: &State,
    ids: &[TokenId],
    skip_special_tokens: bool,
) -> PyResult<Bound<'py, PyString>> {
    if ids.len() <= A_TURN {
        let mut buffer = BUFFER.take();
        let joined = value.core.decode_joined(ids, skip_special_tokens, &mut buffer).or_raise();
        let text = joined.map(|joined| match joined? {
            (bytes, Broken::Replaced) => lossy_text(py, bytes).ok(),
            // What is no UTF-8 is looked at again below.
            (bytes, Broken::Unsettled) => PyString::from_bytes(py, bytes).ok(),
        });
        if buffer.memory() <= MOST_KEPT {
            BUFFER.set(buffer);
        }
        if let Some(text) = text? {
            return Ok(text);
        }
    }
    // Others may write to an array meanwhile.
    let ids = ids.to_vec();
    let text = sized(py, ids.len(), |_| value.core.decode(&ids, skip_special_tokens))?;
    Ok(PyString::new(py, &text))
}
