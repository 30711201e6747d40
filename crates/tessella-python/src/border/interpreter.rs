//! What is asked of the interpreter's own functions: the ids of a list of plain integers, and the text of bytes.
//!
//! Ids come as lists of tens of thousands of integers, and taking a reference to each, asking for its value with an error
//! that may come back, and giving the reference up again costs more than decoding it. Bytes that may be no UTF-8 become
//! text in one pass where the interpreter itself replaces what is none; asked for text alone it would raise an error first.
//! Characters whose width is known are a text as they are.
//!
//! This is the only file of this crate with unsafe code. The slow twin of [`plain_ids`] is `Vec::<TokenId>::extract`, which
//! reads all that it leaves alone, subclasses of `list` among it, and the twins of the texts are the
//! engine's; the tests compare them.

use std::ffi::c_int;

use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::sync::critical_section::with_critical_section;
use pyo3::types::{PyList, PyString};
use tessella_core::TokenId;

/// The ids of a list of nothing but `int`, in room that the caller keeps; `None` where anything else is in it, or a number
/// that is no id.
pub fn plain_ids<'r>(list: &Bound<'_, PyList>, room: &'r mut Vec<TokenId>) -> Option<&'r [TokenId]> {
    // Where threads run without the interpreter's lock, nobody changes the list meanwhile.
    with_critical_section(list.as_any(), || {
        let length = list.len();
        if room.len() < length {
            room.resize(length, 0);
        }
        let ids = &mut room[..length];
        let mut overflow: c_int = 0;
        for (at, id) in ids.iter_mut().enumerate() {
            // SAFETY: we are attached to the interpreter, and `at` is an index of the list, so that the item is there, and
            // belongs to the list. Nothing below runs code of Python's: types are compared by address, and the value of
            // an exact `int` is read by the interpreter's function for that, which tells of an overflow by its argument
            // and raises nothing. So nobody takes the item out of the list before it was read.
            #[allow(unsafe_code)]
            let value = unsafe {
                let item = ffi::PyList_GET_ITEM(list.as_ptr(), at as ffi::Py_ssize_t);
                if ffi::PyLong_CheckExact(item) == 0 {
                    return None;
                }
                ffi::PyLong_AsLongAndOverflow(item, &raw mut overflow)
            };
            // After an overflow the value is -1.
            *id = TokenId::try_from(value).ok()?;
        }
        Some(&*ids)
    })
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
    #[allow(unsafe_code)]
    unsafe {
        let text = ffi::PyUnicode_New(bytes.len() as ffi::Py_ssize_t, 127);
        let text = Bound::from_owned_ptr_or_err(py, text)?;
        ffi::PyUnicode_1BYTE_DATA(text.as_ptr()).copy_from_nonoverlapping(bytes.as_ptr(), bytes.len());
        Ok(text.cast_into_unchecked())
    }
}

/// The text of characters of which none is above U+00FF.
pub fn latin_text<'py>(py: Python<'py>, twos: &[u16]) -> PyResult<Bound<'py, PyString>> {
    // SAFETY: the pointer and the number are those of the slice, which is read during the call. What comes back is a new
    // reference to a `str`, or null with an error set.
    #[allow(unsafe_code)]
    unsafe {
        let (kind, length) = (ffi::PyUnicode_2BYTE_KIND as c_int, twos.len() as ffi::Py_ssize_t);
        let text = ffi::PyUnicode_FromKindAndData(kind, twos.as_ptr().cast(), length);
        Ok(Bound::from_owned_ptr_or_err(py, text)?.cast_into_unchecked())
    }
}

/// The text of characters up to U+FFFF, of which one at least is above U+00FF.
pub fn two_byte_text<'py>(py: Python<'py>, twos: &[u16]) -> PyResult<Bound<'py, PyString>> {
    debug_assert!(twos.iter().any(|&two| two > 0xFF));
    // SAFETY: as in `ascii_text`, with room for two bytes each.
    #[allow(unsafe_code)]
    unsafe {
        let text = ffi::PyUnicode_New(twos.len() as ffi::Py_ssize_t, 0xFFFF);
        let text = Bound::from_owned_ptr_or_err(py, text)?;
        ffi::PyUnicode_2BYTE_DATA(text.as_ptr()).copy_from_nonoverlapping(twos.as_ptr(), twos.len());
        Ok(text.cast_into_unchecked())
    }
}

/// The text of characters of which one at least is above U+FFFF.
pub fn four_byte_text<'py>(py: Python<'py>, fours: &[u32]) -> PyResult<Bound<'py, PyString>> {
    debug_assert!(fours.iter().any(|&four| four > 0xFFFF));
    // SAFETY: as in `ascii_text`, with room for four bytes each.
    #[allow(unsafe_code)]
    unsafe {
        let text = ffi::PyUnicode_New(fours.len() as ffi::Py_ssize_t, 0x10_FFFF);
        let text = Bound::from_owned_ptr_or_err(py, text)?;
        ffi::PyUnicode_4BYTE_DATA(text.as_ptr()).copy_from_nonoverlapping(fours.as_ptr(), fours.len());
        Ok(text.cast_into_unchecked())
    }
}

/// The text of bytes, with U+FFFD for what is no UTF-8.
pub fn lossy_text<'py>(py: Python<'py>, bytes: &[u8]) -> PyResult<Bound<'py, PyString>> {
    // SAFETY: the pointer and the length are those of the slice, which is read during the call, and the name of the rule
    // ends with a zero. What comes back is a new reference to a `str`, or null with an error set.
    #[allow(unsafe_code)]
    unsafe {
        let length = bytes.len() as ffi::Py_ssize_t;
        let text = ffi::PyUnicode_DecodeUTF8(bytes.as_ptr().cast(), length, c"replace".as_ptr());
        Ok(Bound::from_owned_ptr_or_err(py, text)?.cast_into_unchecked())
    }
}
