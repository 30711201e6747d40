//! Python's texts of tokens, which come again and again: a list of tokens holds the same few hundred many times over, and making a text
//! takes several times as long as counting one more reference to it.
//!
//! There are so many places for texts of up to fifteen bytes, each for the last one that came to it, so that what is kept is bounded,
//! whatever the vocabularies. A text is found by its bytes, which stand beside it, so that nothing else need be right about it.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyList, PyString};
use tessella_core::hash::hash_u64;

use crate::border::interpreter::guarded::Guarded;

/// Texts, at most: 0.4 MB, and a megabyte with the texts themselves.
const PLACES: usize = 1 << 14;
const KEY: usize = 16;

/// Where threads run side by side, all of them would wait for the table, and count references to the same few texts.
const PAYS: bool = cfg!(not(Py_GIL_DISABLED));

/// The bytes of a short text, and how many they are.
type Key = [u8; KEY];

#[derive(Default)]
struct Place {
    key: Key,
    text: Option<Py<PyString>>,
}

type Places = Guarded<Box<[Place]>>;

/// A text as Python's.
pub fn text<'py>(py: Python<'py>, text: &str) -> Bound<'py, PyString> {
    match places(py).and_then(|places| places.lend(py)) {
        Some(mut places) => found(py, &mut places, text),
        None => PyString::new(py, text),
    }
}

/// A list of texts, with `None` where there is none.
pub fn list<'py, 't>(
    py: Python<'py>,
    texts: impl ExactSizeIterator<Item = Option<&'t str>>,
) -> PyResult<Bound<'py, PyList>> {
    match places(py).and_then(|places| places.lend(py)) {
        Some(mut places) => PyList::new(py, texts.map(|text| text.map(|text| found(py, &mut places, text)))),
        None => PyList::new(py, texts.map(|text| text.map(|text| PyString::new(py, text)))),
    }
}

fn places(py: Python<'_>) -> Option<&'static Places> {
    static PLACES_OF_ALL: PyOnceLock<Places> = PyOnceLock::new();
    let make = || Guarded::new((0..PLACES).map(|_| Place::default()).collect());
    PAYS.then(|| PLACES_OF_ALL.get_or_init(py, make))
}

#[inline]
fn found<'py>(py: Python<'py>, places: &mut [Place], text: &str) -> Bound<'py, PyString> {
    let Some(key) = key_of(text) else { return PyString::new(py, text) };
    let (first, last) = key.split_at(KEY / 2);
    let half = |half: &[u8]| half.first_chunk().map_or(0, |half| u64::from_le_bytes(*half));
    let hash = hash_u64(half(first) ^ hash_u64(half(last)));
    // The upper bits of a product hang on all of its factors.
    let place = &mut places[(hash >> 32) as usize % PLACES];
    if place.key == key
        && let Some(text) = &place.text
    {
        return text.bind(py).clone();
    }
    let made = PyString::new(py, text);
    *place = Place { key, text: Some(made.clone().unbind()) };
    made
}

/// The key of a text, if it is short and not empty.
#[inline]
fn key_of(text: &str) -> Option<Key> {
    let bytes = text.as_bytes();
    let mut key = [0; KEY];
    if bytes.is_empty() || bytes.len() >= KEY {
        return None;
    }
    key[..bytes.len()].copy_from_slice(bytes);
    key[KEY - 1] = bytes.len() as u8;
    Some(key)
}
