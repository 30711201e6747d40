//! Texts as the interpreter keeps them, for the version that the module is compiled for.
#![allow(unsafe_code)]

use std::mem::MaybeUninit;

use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::string::PyStringData;
use pyo3::types::{PyList, PyString};
use tessella_core::{Character, Narrow, TOGETHER, Unfolding, Width};

/// Items of a list that are on their way while one is read. A list of many is larger than the nearer caches, and what the
/// processor finds out by itself about where they lie ends with every page.
pub const AHEAD: usize = 256;

/// An item of a list, which keeps it.
///
/// # Safety
///
/// The list has more than `at` items.
#[inline(always)]
pub unsafe fn item(list: &Bound<'_, PyList>, at: usize) -> *mut ffi::PyObject {
    // SAFETY: a list, and the caller answers for the index.
    unsafe { ffi::PyList_GET_ITEM(list.as_ptr(), at as ffi::Py_ssize_t) }
}

/// How many characters a text has.
#[inline(always)]
pub fn length(text: &Bound<'_, PyString>) -> usize {
    // SAFETY: a text, and its length is none below 0.
    unsafe { ffi::PyUnicode_GET_LENGTH(text.as_ptr()) as usize }
}

/// The characters of a text that has no UTF-8 in place: one that is not all ASCII.
pub fn narrow<'t>(text: &'t Bound<'_, PyString>) -> Option<Narrow<'t>> {
    // SAFETY: a text never changes, and lives as long as the reference to it.
    let characters = unsafe { text.data().ok()? };
    Some(match characters {
        PyStringData::Ucs1(ones) if is_ascii(text, ones) => return None,
        PyStringData::Ucs1(ones) => Narrow::Ones(ones),
        PyStringData::Ucs2(twos) => Narrow::Twos(twos),
        PyStringData::Ucs4(fours) => Narrow::Fours(fours),
    })
}

/// A text that is not all ASCII, kept for the time of a call, in which any thread may read its characters.
pub struct Characters {
    of: Narrow<'static>,
    text: Py<PyString>,
}

impl Characters {
    /// `None` for a text that has UTF-8 in place.
    pub fn of(text: &Bound<'_, PyString>) -> Option<Self> {
        let narrow = narrow(text)?;
        // SAFETY: a text never changes, and the reference beside them keeps its characters where they are. Nobody gets them for
        // longer than that is there.
        let of = unsafe { std::mem::transmute::<Narrow<'_>, Narrow<'static>>(narrow) };
        Some(Characters { of, text: text.clone().unbind() })
    }

    pub fn narrow(&self) -> Narrow<'_> {
        self.of
    }

    pub fn text<'py>(&self, py: Python<'py>) -> &Bound<'py, PyAny> {
        self.text.bind(py)
    }
}

/// Whether a text of these characters is ASCII, which it says of itself.
#[cfg(not(Py_3_14))]
fn is_ascii(text: &Bound<'_, PyString>, _: &[u8]) -> bool {
    // SAFETY: a text whose characters have been asked for.
    unsafe { ffi::PyUnicode_IS_ASCII(text.as_ptr()) != 0 }
}

/// The same of versions in which only the interpreter knows how it says so.
#[cfg(Py_3_14)]
fn is_ascii(_: &Bound<'_, PyString>, characters: &[u8]) -> bool {
    characters.is_ascii()
}

/// The text of bytes that are ASCII alone.
pub fn ascii_text<'py>(py: Python<'py>, bytes: &[u8]) -> PyResult<Bound<'py, PyString>> {
    debug_assert!(bytes.is_ascii());
    if bytes.len() < 2 {
        // The interpreter has these texts already.
        return PyString::from_bytes(py, bytes);
    }
    // SAFETY: a new text that nobody else knows yet, null with an error set if there is no memory, has room for as many
    // characters as were asked for, of one byte each where none is to be above 127. It may be written to until it is given
    // away.
    unsafe {
        let text = ffi::PyUnicode_New(bytes.len() as ffi::Py_ssize_t, 127);
        let text = Bound::from_owned_ptr_or_err(py, text)?;
        ffi::PyUnicode_1BYTE_DATA(text.as_ptr()).copy_from_nonoverlapping(bytes.as_ptr(), bytes.len());
        Ok(text.cast_into_unchecked())
    }
}

/// The text of bytes that may be no UTF-8; `None` if they are none.
pub fn wide_text<'py>(py: Python<'py>, bytes: &Unfolding<'_>) -> PyResult<Option<Bound<'py, PyString>>> {
    let count = bytes.count();
    if count < 2 {
        // The interpreter has many of these texts already.
        return Ok(PyString::from_bytes(py, bytes.bytes()).ok());
    }
    let most = match bytes.width() {
        Width::Ascii => 0x7F,
        Width::One => 0xFF,
        Width::Two => 0xFFFF,
        Width::Four => 0x10_FFFF,
    };
    // SAFETY: as in `ascii_text`, with room for so many characters of the width that the interpreter keeps texts in whose widest
    // character is at most that. A text whose characters were not all written is dropped, for which nobody looks at them.
    unsafe {
        let text = ffi::PyUnicode_New(count as ffi::Py_ssize_t, most);
        let text = Bound::from_owned_ptr_or_err(py, text)?;
        let text_ptr = text.as_ptr();
        let whole = match bytes.width() {
            Width::Ascii | Width::One => bytes.write(places(ffi::PyUnicode_1BYTE_DATA(text_ptr), count)),
            Width::Two => bytes.write(places(ffi::PyUnicode_2BYTE_DATA(text_ptr), count)),
            Width::Four => bytes.write(places(ffi::PyUnicode_4BYTE_DATA(text_ptr), count)),
        };
        Ok(whole.then(|| text.cast_into_unchecked()))
    }
}

/// The place of a character, to which nobody may have written yet.
#[derive(Clone, Copy)]
#[repr(transparent)]
struct Place<C: Copy>(MaybeUninit<C>);

impl<C: Character + Default> Character for Place<C> {
    #[inline(always)]
    fn of_two(two: u16) -> Self {
        Place(MaybeUninit::new(C::of_two(two)))
    }

    fn of(one: char) -> Option<Self> {
        C::of(one).map(|one| Place(MaybeUninit::new(one)))
    }

    #[inline(always)]
    fn put(twos: &[u16; TOGETHER], places: &mut [Self; TOGETHER]) {
        let mut all = [C::default(); TOGETHER];
        C::put(twos, &mut all);
        // SAFETY: so many places, of the same type and so of the same alignment. One by one they would be written one by one: the
        // compiler makes vectors of a whole array only.
        unsafe {
            places.as_mut_ptr().cast::<[C; TOGETHER]>().write(all);
        }
    }
}

/// Places of characters.
///
/// # Safety
///
/// There is room for so many, aligned as they are, which nobody else reaches for as long as it is lent.
unsafe fn places<'t, C: Copy>(first: *mut C, count: usize) -> &'t mut [Place<C>] {
    // SAFETY: the caller answers for it.
    unsafe { std::slice::from_raw_parts_mut(first.cast(), count) }
}
