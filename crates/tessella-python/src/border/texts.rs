//! Many texts at once, each as UTF-8.
//!
//! A text of ASCII is UTF-8 where it lies. Of others the interpreter would make it one character after the other, in new memory
//! that stays with the text as long as it lives: a list of texts would take twice the memory from then on. So they are written
//! side by side, into rooms that go with the call or serve the next one.

use std::cell::Cell;
use std::ops::Range;

use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use pyo3::types::PyString;

use crate::border::inputs::text;
use crate::border::interpreter::narrow;
use crate::border::place::Place;

/// Texts in the order in which they came.
#[derive(Default)]
pub struct Texts {
    each: Vec<One>,
    rooms: Vec<String>,
}

enum One {
    Kept(PyBackedStr),
    /// The number of the room, and where in it the text stands.
    Written(usize, Range<usize>),
}

/// Bytes of a room, unless a text needs more. So no room is ever moved to a larger one.
const ROOM: usize = 1 << 20;
/// Bytes of the room that serves the next call, at most.
const MOST_KEPT: usize = 4 << 20;

thread_local! {
    /// The first room of the call before: memory that nobody has touched yet is slow.
    static KEPT: Cell<Option<String>> = const { Cell::new(None) };
}

impl Texts {
    pub fn push(&mut self, value: &Bound<'_, PyAny>, place: Place<'_>) -> PyResult<()> {
        let one = match self.written(value) {
            Some(one) => one,
            None => One::Kept(text(value, place)?),
        };
        self.each.push(one);
        Ok(())
    }

    /// `None` for ASCII, which need not be written, and for what cannot be: the error is for others to tell.
    fn written(&mut self, value: &Bound<'_, PyAny>) -> Option<One> {
        let characters = narrow(value.cast::<PyString>().ok()?)?;
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
        Some(One::Written(number, start..room.len()))
    }

    pub fn views(&self) -> Vec<&str> {
        let view = |one| match one {
            &One::Kept(ref text) => &**text,
            One::Written(room, at) => &self.rooms[*room][at.clone()],
        };
        self.each.iter().map(view).collect()
    }

    /// Bytes of all texts, and one for each.
    pub fn bytes(&self) -> usize {
        let bytes = |one: &One| match one {
            One::Kept(text) => text.len(),
            One::Written(_, at) => at.len(),
        };
        self.each.iter().map(bytes).sum::<usize>() + self.each.len()
    }
}

impl Drop for Texts {
    fn drop(&mut self) {
        if !self.rooms.is_empty() {
            let mut room = self.rooms.swap_remove(0);
            if room.capacity() <= MOST_KEPT {
                room.clear();
                KEPT.set(Some(room));
            }
        }
    }
}
