//! A list of plain integers as ids, without a reference and a result for each of them.
//!
//! Ids come as lists of tens of thousands of integers, and taking a reference to each, asking for its value with an error
//! that may come back, and giving the reference up again costs more than decoding it. This is the only file of this
//! crate with unsafe code. Its slow twin is `Vec::<TokenId>::extract`, which reads all that this leaves alone, subclasses
//! of `list` among it; the tests compare the two.

use std::ffi::c_int;

use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::sync::critical_section::with_critical_section;
use pyo3::types::PyList;
use tessella_core::TokenId;

/// The ids of a list of nothing but `int`; `None` where anything else is in it, or a number that is no id.
pub fn read(list: &Bound<'_, PyList>) -> Option<Vec<TokenId>> {
    // Where threads run without the interpreter's lock, nobody changes the list meanwhile.
    with_critical_section(list.as_any(), || {
        let count = list.len();
        let mut ids = Vec::with_capacity(count);
        for at in 0..count {
            let mut overflow: c_int = 0;
            // SAFETY: we are attached to the interpreter, and `at` is an index of the list, so that the item is there, and
            // belongs to the list. Nothing below runs code of Python's: types are compared by address, and the value of
            // an exact `int` is read by the interpreter's function for that, which tells of an overflow by its argument
            // and raises nothing. So nobody takes the item out of the list before it was read.
            #[allow(unsafe_code)]
            let value = unsafe {
                let item = ffi::PyList_GetItem(list.as_ptr(), at as ffi::Py_ssize_t);
                if item.is_null() || ffi::PyLong_CheckExact(item) == 0 {
                    return None;
                }
                ffi::PyLong_AsLongAndOverflow(item, &raw mut overflow)
            };
            if overflow != 0 {
                return None;
            }
            ids.push(TokenId::try_from(value).ok()?);
        }
        Some(ids)
    })
}
