//! Texts as UTF-8 for the time of a call.
//!
//! A text of ASCII is UTF-8 where it lies. Of others the interpreter would make it one character after the other, in new memory
//! that stays with the text as long as it lives: a list of texts would take twice the memory from then on. So they are written
//! side by side, into rooms that go with the call or serve the next one; or, where only ids are wanted of many texts, each by
//! the thread that encodes it ([`Texts`]), so that it lies in that thread's caches.

use std::cell::Cell;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use pyo3::types::{PyBytes, PyList, PyString, PyTuple};
use tessella_core::{Error, ManyTexts, Narrow};

use crate::border::interpreter::{Characters, length, narrow};
use crate::border::place::{Place, wrong_type};

const TEXT: &str = "TextInputSequence must be str";

/// A `str`; one with lone surrogates has no UTF-8 and is refused as well.
pub fn text(value: &Bound<'_, PyAny>, place: Place<'_>) -> PyResult<PyBackedStr> {
    match value.cast::<PyString>() {
        Ok(text) => {
            PyBackedStr::try_from(text.clone()).map_err(|error| not_unicode(text, error, TEXT, place))
        }
        Err(_) => Err(wrong_type(place, value, TEXT, instead_of_text(value, place))),
    }
}

/// What to do with a value that was given for a text.
pub fn instead_of_text(value: &Bound<'_, PyAny>, place: Place<'_>) -> &'static str {
    if value.is_instance_of::<PyBytes>() {
        "decode bytes first, as in `value.decode(\"utf-8\")`"
    } else if value.is_none() {
        "leave out what has no text, or give an empty str"
    } else if !value.is_instance_of::<PyList>() && !value.is_instance_of::<PyTuple>() {
        ""
    } else if let Place::Argument("sequence" | "pair") = place {
        "for words, pass is_pretokenized=True; for a pair, pass the second text as `pair`; for many texts, \
         call `encode_batch`"
    } else if let Place::Argument("text") = place {
        "for the ids of many texts, call `encode_ids_batch`; for words and pairs, `encode`"
    } else {
        "for words and pairs, call `encode_batch`"
    }
}

/// The error for a `str` that has no UTF-8, with the place of the lone surrogate.
pub fn not_unicode(text: &Bound<'_, PyString>, error: PyErr, expected: &str, place: Place<'_>) -> PyErr {
    let py = text.py();
    let at = error.value(py).getattr("start").and_then(|start| start.extract::<usize>());
    let found = at.and_then(|at| {
        let surrogate = text.get_item(at)?;
        let code: u32 = py.import("builtins")?.getattr("ord")?.call1((surrogate,))?.extract()?;
        Ok(format!("{expected}, without lone surrogates; found U+{code:04X} at character {at} of `{place}`"))
    });
    let wrapped = PyTypeError::new_err(found.unwrap_or_else(|_| expected.to_string()));
    wrapped.set_cause(py, Some(error));
    wrapped
}

/// One text, in the interpreter's memory or in a room.
pub enum Text {
    Kept(PyBackedStr),
    /// The number of the room, and where in it the text stands.
    Written(usize, Range<usize>),
}

impl Text {
    pub fn len(&self) -> usize {
        match self {
            Text::Kept(text) => text.len(),
            Text::Written(_, at) => at.len(),
        }
    }
}

/// Where texts are written. No room is ever moved to a larger one.
pub struct Rooms {
    rooms: Vec<String>,
    /// Texts of up to so many characters are left to the interpreter.
    short: usize,
}

/// Bytes of a room, unless a text needs more.
const ROOM: usize = 1 << 20;
/// Bytes of the room that serves the next call, at most.
const MOST_KEPT: usize = 4 << 20;
/// Characters of a short text among many: it costs little, and may well be a word that comes again.
const WORD: usize = 64;
/// Characters of a short text that comes alone: what is asked about again and again is a prompt and no document.
const PROMPT: usize = 1 << 12;

thread_local! {
    /// The first room of the call before: memory that nobody has touched yet is slow.
    static KEPT: Cell<Option<String>> = const { Cell::new(None) };
}

impl Rooms {
    pub fn for_one() -> Self {
        Rooms { rooms: Vec::new(), short: PROMPT }
    }

    pub fn for_many() -> Self {
        Rooms { rooms: Vec::new(), short: WORD }
    }

    /// A `str`; one with lone surrogates has no UTF-8 and is refused as well.
    pub fn text(&mut self, value: &Bound<'_, PyAny>, place: Place<'_>) -> PyResult<Text> {
        if let Ok(text) = value.cast::<PyString>()
            && length(text) > self.short
            && let Some(characters) = narrow(text)
            && let Some(text) = self.written(characters)
        {
            return Ok(text);
        }
        text(value, place).map(Text::Kept)
    }

    /// `None` also for what has no UTF-8: the error is for others to tell.
    fn written(&mut self, characters: Narrow<'_>) -> Option<Text> {
        let most = characters.most_bytes();
        if self.rooms.last().is_none_or(|room| room.capacity() - room.len() < most) {
            let kept = if self.rooms.is_empty() { KEPT.take() } else { None };
            let fits = kept.filter(|room| room.capacity() >= most);
            self.rooms.push(fits.unwrap_or_else(|| String::with_capacity(most.max(ROOM))));
        }
        let number = self.rooms.len() - 1;
        let room = self.rooms.last_mut()?;
        let start = room.len();
        characters.append_to(room)?;
        Some(Text::Written(number, start..room.len()))
    }

    pub fn view<'t>(&'t self, text: &'t Text) -> &'t str {
        match text {
            Text::Kept(text) => text,
            Text::Written(room, at) => &self.rooms[*room][at.clone()],
        }
    }
}

impl Drop for Rooms {
    fn drop(&mut self) {
        if let Some(room) = self.rooms.first_mut()
            && room.capacity() <= MOST_KEPT
        {
            let mut room = std::mem::take(room);
            room.clear();
            KEPT.set(Some(room));
        }
    }
}

/// Texts in the order in which they came, of which only ids are wanted.
pub struct Texts {
    each: Vec<Later>,
    /// The first that turned out to have no UTF-8.
    refused: AtomicUsize,
}

/// One of them.
pub enum Later {
    Kept(PyBackedStr),
    /// Becomes UTF-8 when its turn comes.
    Characters(Characters),
}

impl Later {
    pub fn new(value: &Bound<'_, PyAny>, place: Place<'_>) -> PyResult<Self> {
        let characters = match value.cast::<PyString>() {
            Ok(text) if length(text) > WORD => Characters::of(text),
            _ => None,
        };
        match characters {
            Some(characters) => Ok(Later::Characters(characters)),
            None => text(value, place).map(Later::Kept),
        }
    }
}

/// No text.
const NONE: usize = usize::MAX;

impl Texts {
    /// What the argument is called.
    pub const NAME: &str = "texts";

    pub fn new(each: Vec<Later>) -> Self {
        Texts { each, refused: AtomicUsize::new(NONE) }
    }

    /// About the bytes of all texts, and one for each.
    pub fn bytes(&self) -> usize {
        (0..self.each.len()).map(|index| self.size(index) + 1).sum()
    }

    /// What the caller is told of a call that ended in an error.
    pub fn error(&self, py: Python<'_>, error: PyErr) -> PyErr {
        let refused = self.refused.load(Ordering::Relaxed);
        let Some(Later::Characters(characters)) = self.each.get(refused) else { return error };
        match text(characters.text(py), Place::Argument(Self::NAME).entry(refused)) {
            Err(told) => told,
            Ok(_) => error,
        }
    }
}

impl ManyTexts for Texts {
    fn count(&self) -> usize {
        self.each.len()
    }

    fn size(&self, index: usize) -> usize {
        match &self.each[index] {
            Later::Kept(text) => text.len(),
            Later::Characters(characters) => characters.narrow().about_as_many_bytes(),
        }
    }

    fn read<'t>(&'t self, index: usize, room: &'t mut String) -> Result<&'t str, Error> {
        match &self.each[index] {
            Later::Kept(text) => Ok(text),
            Later::Characters(characters) => match characters.narrow().append_to(room) {
                Some(()) => Ok(room),
                None => {
                    self.refused.fetch_min(index, Ordering::Relaxed);
                    Err(Error::value("half of a character"))
                }
            },
        }
    }
}
