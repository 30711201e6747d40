//! Texts by what the stable ABI promises: the slow twin of `characters`.

use pyo3::exceptions::PyValueError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyString};
use tessella_core::Narrow;

/// An item of a list, which keeps it.
///
/// # Safety
///
/// The list has more than `at` items.
#[allow(unsafe_code)]
#[inline(always)]
pub unsafe fn item(list: &Bound<'_, PyList>, at: usize) -> *mut ffi::PyObject {
    // SAFETY: a list, and the caller answers for the index.
    unsafe { ffi::PyList_GetItem(list.as_ptr(), at as ffi::Py_ssize_t) }
}

/// How many characters a text has.
pub fn length(text: &Bound<'_, PyString>) -> usize {
    text.len().unwrap_or_default()
}

/// How a text keeps its characters is not promised.
pub fn narrow<'t>(_: &'t Bound<'_, PyString>) -> Option<Narrow<'t>> {
    None
}

/// Characters of texts whose way to keep them is known: none.
pub enum Characters {}

impl Characters {
    pub fn of(_: &Bound<'_, PyString>) -> Option<Self> {
        None
    }

    pub fn narrow(&self) -> Narrow<'_> {
        match *self {}
    }

    pub fn text<'py>(&self, _: Python<'py>) -> &Bound<'py, PyAny> {
        match *self {}
    }
}

/// The text of bytes that are ASCII alone.
pub fn ascii_text<'py>(py: Python<'py>, bytes: &[u8]) -> PyResult<Bound<'py, PyString>> {
    PyString::from_bytes(py, bytes)
}

/// The text of characters of which none is above U+00FF.
pub fn latin_text<'py>(py: Python<'py>, twos: &[u16]) -> PyResult<Bound<'py, PyString>> {
    two_byte_text(py, twos)
}

/// The text of characters up to U+FFFF, of which one at least is above U+00FF.
pub fn two_byte_text<'py>(py: Python<'py>, twos: &[u16]) -> PyResult<Bound<'py, PyString>> {
    text(py, Narrow::Twos(twos))
}

/// The text of characters of which one at least is above U+FFFF.
pub fn four_byte_text<'py>(py: Python<'py>, fours: &[u32]) -> PyResult<Bound<'py, PyString>> {
    text(py, Narrow::Fours(fours))
}

fn text<'py>(py: Python<'py>, characters: Narrow<'_>) -> PyResult<Bound<'py, PyString>> {
    let mut text = String::with_capacity(characters.most_bytes());
    // Characters of decoded text are none that could be refused.
    match characters.append_to(&mut text) {
        Some(()) => Ok(PyString::new(py, &text)),
        None => Err(PyValueError::new_err("half of a pair in decoded text")),
    }
}
