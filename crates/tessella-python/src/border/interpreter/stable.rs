//! Texts by what the stable ABI promises: the slow twin of `characters`.

use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyString};
use tessella_core::{Narrow, Unfolding};

/// Items of a list that are asked for while one is read: none, for it takes a call to know where they lie.
pub const AHEAD: usize = usize::MAX;

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

/// The text of bytes that may be no UTF-8; `None` if they are none.
pub fn wide_text<'py>(py: Python<'py>, bytes: &Unfolding<'_>) -> PyResult<Option<Bound<'py, PyString>>> {
    Ok(PyString::from_bytes(py, bytes.bytes()).ok())
}
