//! Texts as UTF-8 for the time of a call.
//!
//! A text of ASCII is UTF-8 where it lies. Of others the interpreter would make it one character after the other, in new memory
//! that stays with the text as long as it lives: a list of texts would take twice the memory from then on. So they are written
//! side by side, into rooms that go with the call or serve the next one.

use std::cell::Cell;
use std::ops::Range;

use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use pyo3::types::PyString;
use tessella_core::Narrow;

use crate::border::inputs;
use crate::border::interpreter::{length, narrow};
use crate::border::place::Place;

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
        inputs::text(value, place).map(Text::Kept)
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

/// Texts in the order in which they came.
pub struct Texts {
    each: Vec<Text>,
    rooms: Rooms,
}

impl Texts {
    pub fn new() -> Self {
        Texts { each: Vec::new(), rooms: Rooms::for_many() }
    }

    pub fn push(&mut self, value: &Bound<'_, PyAny>, place: Place<'_>) -> PyResult<()> {
        self.each.push(self.rooms.text(value, place)?);
        Ok(())
    }

    pub fn views(&self) -> Vec<&str> {
        self.each.iter().map(|text| self.rooms.view(text)).collect()
    }

    /// Bytes of all texts, and one for each.
    pub fn bytes(&self) -> usize {
        self.each.iter().map(Text::len).sum::<usize>() + self.each.len()
    }
}
