//! Ids to Python's texts: read where they lie, joined in a buffer that the thread keeps, and checked once, by Python,
//! which makes its text of the very bytes.

use std::cell::Cell;

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyString};
use tessella_core::decode::TURN;
use tessella_core::{DecodeRoom, EncodeOptions, Error, Joined, TokenId, Unfolding};

use crate::border::errors::OrRaise;
use crate::border::inputs;
use crate::border::interpreter::{ascii_text, lossy_text, plain_ids, wide_text};
use crate::border::interrupt::{shared, sized, wished};
use crate::border::place::Place;
use crate::tokenizer::state::{Shared, State};

/// Bytes that a thread keeps from one call to the next, at most, of each kind.
const MOST_KEPT: usize = 16 << 20;

/// Room that a thread keeps.
#[derive(Default)]
pub struct Room {
    pub ids: Vec<TokenId>,
    /// Some of them.
    pub kept: Vec<TokenId>,
    pub text: DecodeRoom,
}

thread_local! {
    /// Taken out while it is used.
    static ROOM: Cell<Option<Box<Room>>> = const { Cell::new(None) };
}

pub fn with_room<R>(work: impl FnOnce(&mut Room) -> R) -> R {
    let mut room = ROOM.take().unwrap_or_default();
    let result = work(&mut room);
    let ids = room.ids.capacity().max(room.kept.capacity());
    if room.text.memory() <= MOST_KEPT && ids * size_of::<TokenId>() <= MOST_KEPT {
        ROOM.set(Some(room));
    }
    result
}

/// The text of a list or an array of ids.
pub fn text<'py>(
    value: &State,
    ids: &Bound<'py, PyAny>,
    skip_special_tokens: bool,
    place: Place<'_>,
) -> PyResult<Bound<'py, PyString>> {
    let py = ids.py();
    with_room(|Room { ids: room, text: text_room, .. }| {
        let work = |ids: &[TokenId]| text_of(py, value, ids, skip_special_tokens, text_room);
        inputs::with_ids(ids, place, (room, TURN), work)
    })
}

/// Ids of a list that is short, at most: beyond that nobody feels how a call begins.
const SHORT: usize = 1 << 10;

/// The text of a short list, where no more is asked for than is at hand; `None` where [`text`] has to be asked.
#[inline]
pub fn at_hand<'py>(
    shared: &Shared,
    ids: &Bound<'py, PyAny>,
    skip_special_tokens: bool,
) -> Option<PyResult<Bound<'py, PyString>>> {
    let list = ids.cast_exact::<PyList>().ok().filter(|list| list.len() <= SHORT)?;
    with_room(|Room { ids: room, text: text_room, .. }| {
        let ids = plain_ids(list, room)?;
        let joined = shared.peek(|value| value.core.decode_at_hand(ids, skip_special_tokens, text_room))?;
        made(list.py(), joined).transpose()
    })
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
    let mut left = TURN;
    let texts = with_room(|Room { ids: room, text: text_room, .. }| {
        inputs::id_lists(sequences, |ids, place| {
            let text = inputs::with_ids(ids, place, (room, TURN), |ids| {
                left = left.saturating_sub(ids.len());
                text_of(py, value, ids, skip_special_tokens, text_room)
            })?;
            if left == 0 {
                left = TURN;
                others_turn(py)?;
            }
            Ok(text)
        })
    })?;
    PyList::new(py, texts)
}

/// Bytes that may be many, as Python's own: without memory for them an error, where `PyBytes::new` panics.
pub fn own_bytes<'py>(py: Python<'py>, bytes: &[u8]) -> PyResult<Bound<'py, PyBytes>> {
    PyBytes::new_with(py, bytes.len(), |room| {
        room.copy_from_slice(bytes);
        Ok(())
    })
}

/// Lets other threads go on, and signals come in.
pub fn others_turn(py: Python<'_>) -> PyResult<()> {
    py.detach(|| ());
    wished(py)
}

/// The text of ids, of which more than [`TURN`] are the thread's own.
pub(super) fn text_of<'py>(
    py: Python<'py>,
    value: &State,
    ids: &[TokenId],
    skip_special_tokens: bool,
    room: &mut DecodeRoom,
) -> PyResult<Bound<'py, PyString>> {
    let pause = || others_turn(py).map_err(|error| Error::interrupted().caused_by(error));
    let joined = value.core.decode_joined(ids, skip_special_tokens, room, pause).or_raise()?;
    if let Some(text) = joined.map(|joined| made(py, joined)).transpose()?.flatten() {
        return Ok(text);
    }
    // Others may write to an array meanwhile.
    let ids = ids.to_vec();
    let text = sized(py, ids.len(), |_| value.core.decode(&ids, skip_special_tokens))?;
    PyString::from_bytes(py, text.as_bytes())
}

/// Python's text of what ids joined to; `None` where the chain of stages has to be asked.
pub fn made<'py>(py: Python<'py>, joined: Joined<'_>) -> PyResult<Option<Bound<'py, PyString>>> {
    let (bytes, lossy) = match joined {
        Joined::Ascii(bytes) => return ascii_text(py, bytes).map(Some),
        Joined::Replaced(bytes) => (bytes, true),
        Joined::Unsettled(bytes) => (bytes, false),
    };
    match if lossy { Unfolding::of_cut(bytes) } else { Unfolding::new(bytes) } {
        Some(wide) => match wide_text(py, &wide)? {
            Some(text) => return Ok(Some(text)),
            None if !lossy => return Ok(None),
            None => {}
        },
        None if !lossy => return Ok(PyString::from_bytes(py, bytes).ok()),
        None => {}
    }
    Ok(lossy_text(py, bytes).ok())
}
