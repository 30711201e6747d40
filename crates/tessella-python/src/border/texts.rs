//! Texts as UTF-8 for the time of a call.
//!
//! A text of ASCII is UTF-8 where it lies. Of others the interpreter would make it one character after the other, in new memory
//! that stays with the text as long as it lives: a list of texts would take twice the memory from then on. So one that comes alone
//! ([`Text`]) is written into room that serves the next call, and one among many ([`Later`]) by the thread that encodes it, when its
//! turn comes, so that it lies in that thread's caches. One that comes a third time soon ([`lately`]) is left to the interpreter after all.

use std::cell::Cell;
use std::ops::Deref;
use std::sync::atomic::{AtomicUsize, Ordering};

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::pybacked::{PyBackedBytes, PyBackedStr};
use pyo3::types::{PyBytes, PyList, PyString, PyTuple};
use tessella_core::{Error, ManyTexts, memory};
use tessella_formats::utf8;

use crate::border::arrays::has_no_dimension;
use crate::border::errors::{OrRaise, argument};
use crate::border::interpreter::{Characters, length, narrow};
use crate::border::lately;
use crate::border::place::{Place, wrong_type};

const TEXT: &str = "TextInputSequence must be str";
const BYTES: &str = "decode bytes first, as in `value.decode(\"utf-8\")`";
/// For who gives the id where the token is asked for.
pub const OF_AN_ID: &str = "the token of an id is told by `id_to_token`";
const ONE_VALUE: &str = "take what is in the array, `value.item()`";

/// A `str`; one with lone surrogates has no UTF-8 and is refused as well.
pub fn text(value: &Bound<'_, PyAny>, place: Place<'_>) -> PyResult<PyBackedStr> {
    match value.cast::<PyString>() {
        Ok(text) => {
            PyBackedStr::try_from(text.clone()).map_err(|error| not_unicode(text, error, TEXT, place))
        }
        Err(_) => Err(wrong_type(place, value, TEXT, instead_of_text(value, place))),
    }
}

/// A `str` that is no text to encode: a token, a piece. `advice` is for who gives a number.
pub fn string<'a>(value: &'a Bound<'_, PyAny>, name: &'static str, advice: &str) -> PyResult<&'a str> {
    value.cast::<PyString>().map_or_else(
        |_| {
            let advice = if value.is_instance_of::<PyBytes>() {
                BYTES
            } else if has_no_dimension(value) {
                ONE_VALUE
            } else if value.hasattr("__index__")? {
                advice
            } else {
                ""
            };
            Err(wrong_type(Place::Argument(name), value, "expected a str", advice))
        },
        |text| text.to_str(),
    )
}

/// The error for bytes that are no UTF-8.
fn not_utf8(bytes: &[u8], at: usize, place: Place<'_>) -> PyErr {
    let byte = bytes.get(at).copied().unwrap_or_default();
    argument(format!(
        "expected text or its UTF-8, found {byte:#04x} at byte {at} of `{place}`, which begins no character; decode the bytes \
         first, as in `value.decode(\"latin-1\")`"
    ))
}

/// What to do with a value that was given for a text.
pub fn instead_of_text(value: &Bound<'_, PyAny>, place: Place<'_>) -> &'static str {
    if value.is_instance_of::<PyBytes>() {
        BYTES
    } else if value.is_none() {
        "leave out what has no text, or give an empty str"
    } else if has_no_dimension(value) {
        ONE_VALUE
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

/// Characters of a short text among many, which is left to the interpreter: it costs little, and may well be a word that comes
/// again.
const WORD: usize = 64;
/// Characters of a short text that comes alone: what is asked about again and again is a prompt and no document.
const PROMPT: usize = 1 << 9;

thread_local! {
    /// The room of the call before: memory that nobody has touched yet is slow.
    static KEPT: Cell<String> = const { Cell::new(String::new()) };
}

/// A text that comes alone, in the interpreter's memory or in room of the call.
pub enum Text {
    Kept(PyBackedStr),
    Written(Written),
}

/// Serves the next call when it is dropped.
pub struct Written(String);

impl Drop for Written {
    fn drop(&mut self) {
        if self.0.capacity() <= memory::KEPT {
            KEPT.set(std::mem::take(&mut self.0));
        }
    }
}

impl Deref for Text {
    type Target = str;

    fn deref(&self) -> &str {
        match self {
            Text::Kept(text) => text,
            Text::Written(Written(text)) => text,
        }
    }
}

impl Text {
    /// A `str`; one with lone surrogates has no UTF-8 and is refused as well.
    pub fn new(value: &Bound<'_, PyAny>, place: Place<'_>) -> PyResult<Self> {
        if let Ok(text) = value.cast::<PyString>()
            && length(text) > PROMPT
            && let Some(characters) = narrow(text)
            && !lately::came_twice(text, characters)
        {
            let mut room = KEPT.take();
            memory::reserve(&mut room, characters.most_bytes()).or_raise()?;
            // Of what has no UTF-8 the error is told below.
            if characters.append_to(&mut room).is_some() {
                return Ok(Text::Written(Written(room)));
            }
        }
        text(value, place).map(Text::Kept)
    }
}

/// Lends out a text that comes alone: a `str`, or `bytes` of UTF-8.
pub fn with_text<R>(
    value: &Bound<'_, PyAny>,
    place: Place<'_>,
    work: impl FnOnce(&str) -> PyResult<R>,
) -> PyResult<R> {
    let Ok(bytes) = value.cast::<PyBytes>() else { return work(&Text::new(value, place)?) };
    let bytes = bytes.as_bytes();
    work(utf8::text(bytes).map_err(|error| not_utf8(bytes, error.valid_up_to(), place))?)
}

/// A text among many.
pub enum Later {
    Kept(PyBackedStr),
    /// Looked at when their turn comes.
    Bytes(PyBackedBytes),
    /// Becomes UTF-8 when its turn comes.
    Characters(Characters),
}

impl Later {
    /// A `str`, or `bytes` of UTF-8.
    pub fn or_bytes(value: &Bound<'_, PyAny>, place: Place<'_>) -> PyResult<Self> {
        match value.cast::<PyBytes>() {
            Ok(bytes) => Ok(Later::Bytes(bytes.clone().into())),
            Err(_) => Self::new(value, place),
        }
    }

    pub fn new(value: &Bound<'_, PyAny>, place: Place<'_>) -> PyResult<Self> {
        if let Ok(text) = value.cast::<PyString>()
            && length(text) > WORD
            && let Some(characters) = Characters::of(text)
        {
            // What has no UTF-8 is refused when its turn comes.
            let kept =
                lately::came_twice(text, characters.narrow()).then(|| PyBackedStr::try_from(text.clone()));
            return Ok(match kept {
                Some(Ok(kept)) => Later::Kept(kept),
                _ => Later::Characters(characters),
            });
        }
        text(value, place).map(Later::Kept)
    }

    /// Bytes, or about as many.
    pub fn size(&self) -> usize {
        match self {
            Later::Kept(text) => text.len(),
            Later::Bytes(bytes) => bytes.len(),
            Later::Characters(characters) => characters.narrow().about_as_many_bytes(),
        }
    }

    /// The text, written to `room` if it has no UTF-8 yet. Of one that has none at all [`Later::refused`] tells.
    pub fn read<'t>(&'t self, room: &'t mut String) -> Result<&'t str, Error> {
        match self {
            Later::Kept(text) => Ok(text),
            Later::Bytes(bytes) => utf8::text(bytes).map_err(|_| Error::value("bytes that are no UTF-8")),
            Later::Characters(characters) => {
                memory::reserve(room, self.size())?;
                match characters.narrow().append_to(room) {
                    Some(()) => Ok(room),
                    None => Err(Error::value("half of a pair in a text")),
                }
            }
        }
    }

    /// What is wrong with a text that could not be read.
    pub fn refused(&self, py: Python<'_>, place: Place<'_>) -> Option<PyErr> {
        match self {
            Later::Kept(_) => None,
            Later::Bytes(bytes) => {
                utf8::text(bytes).err().map(|error| not_utf8(bytes, error.valid_up_to(), place))
            }
            Later::Characters(characters) => text(characters.text(py), place).err(),
        }
    }
}

/// The first of many that could not be read.
pub struct Refused(AtomicUsize);

impl Refused {
    pub fn none() -> Self {
        Refused(AtomicUsize::new(usize::MAX))
    }

    /// Remembers the number of what could not be read.
    pub fn or_note<T>(&self, read: Result<T, Error>, index: usize) -> Result<T, Error> {
        if read.is_err() {
            self.0.fetch_min(index, Ordering::Relaxed);
        }
        read
    }

    /// Its number, beyond all there are if each could be read.
    pub fn first(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }
}

/// Texts in the order in which they came, of which only ids are wanted.
pub struct Texts {
    each: Vec<Later>,
    refused: Refused,
}

impl Texts {
    /// What the argument is called.
    pub const NAME: &str = "texts";

    pub fn new(each: Vec<Later>) -> Self {
        Texts { each, refused: Refused::none() }
    }

    /// About the bytes of all texts, and one for each.
    pub fn bytes(&self) -> usize {
        self.each.iter().map(|text| text.size() + 1).sum()
    }

    /// Whether a call ended because one of them could not be read.
    pub fn are_refused(&self) -> bool {
        self.refused.first() < self.each.len()
    }

    /// What the caller is told of a call that ended in an error.
    pub fn error(&self, py: Python<'_>, error: PyErr) -> PyErr {
        let first = self.refused.first();
        let place = Place::Argument(Self::NAME);
        self.each.get(first).and_then(|text| text.refused(py, place.entry(first))).unwrap_or(error)
    }
}

impl ManyTexts for Texts {
    fn count(&self) -> usize {
        self.each.len()
    }

    fn size(&self, index: usize) -> usize {
        self.each[index].size()
    }

    fn read<'t>(&'t self, index: usize, room: &'t mut String) -> Result<&'t str, Error> {
        self.refused.or_note(self.each[index].read(room), index)
    }
}
