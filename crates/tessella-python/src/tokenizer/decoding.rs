//! Ids to Python's texts: read where they lie, joined in a buffer that the thread keeps, and checked once, by Python,
//! which makes its text of the very bytes.

use std::cell::Cell;

use pyo3::prelude::*;
use pyo3::types::{PyList, PyString};
use tessella_core::decode::TURN;
use tessella_core::{DecodeRoom, EncodeOptions, Error, Joined, TokenId};

use crate::border::errors::OrRaise;
use crate::border::inputs;
use crate::border::interpreter::{ascii_text, four_byte_text, latin_text, lossy_text, two_byte_text};
use crate::border::interrupt::{shared, sized};
use crate::border::place::Place;
use crate::tokenizer::state::State;

/// Bytes that a thread keeps from one call to the next, at most, of each kind.
const MOST_KEPT: usize = 16 << 20;

/// Room that a thread keeps.
#[derive(Default)]
struct Room {
    ids: Vec<TokenId>,
    text: DecodeRoom,
}

thread_local! {
    /// Taken out while it is used.
    static ROOM: Cell<Option<Box<Room>>> = const { Cell::new(None) };
}

fn with_room<R>(work: impl FnOnce(&mut Room) -> R) -> R {
    let mut room = ROOM.take().unwrap_or_default();
    let result = work(&mut room);
    if room.text.memory() <= MOST_KEPT && room.ids.capacity() * size_of::<TokenId>() <= MOST_KEPT {
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
    with_room(|Room { ids: room, text: text_room }| {
        let work = |ids: &[TokenId]| text_of(py, value, ids, skip_special_tokens, text_room);
        inputs::with_ids(ids, place, (room, TURN), work)
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
    let texts = with_room(|Room { ids: room, text: text_room }| {
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

/// Lets other threads go on, and signals come in.
fn others_turn(py: Python<'_>) -> PyResult<()> {
    py.detach(|| ());
    py.check_signals()
}

/// The text of ids, of which more than [`TURN`] are the thread's own.
fn text_of<'py>(
    py: Python<'py>,
    value: &State,
    ids: &[TokenId],
    skip_special_tokens: bool,
    room: &mut DecodeRoom,
) -> PyResult<Bound<'py, PyString>> {
    let pause = || others_turn(py).map_err(|error| Error::interrupted().caused_by(error));
    let text = match value.core.decode_joined(ids, skip_special_tokens, room, pause).or_raise()? {
        Some(Joined::Ascii(bytes)) => return ascii_text(py, bytes),
        Some(Joined::Latin(twos)) => return latin_text(py, twos),
        Some(Joined::Twos(twos)) => return two_byte_text(py, twos),
        Some(Joined::Fours(fours)) => return four_byte_text(py, fours),
        Some(Joined::Replaced(bytes)) => lossy_text(py, bytes).ok(),
        // What is no UTF-8 is looked at again below.
        Some(Joined::Unsettled(bytes)) => PyString::from_bytes(py, bytes).ok(),
        None => None,
    };
    if let Some(text) = text {
        return Ok(text);
    }
    // Others may write to an array meanwhile.
    let ids = ids.to_vec();
    let text = sized(py, ids.len(), |_| value.core.decode(&ids, skip_special_tokens))?;
    Ok(PyString::new(py, &text))
}
