//! New arrays, written where they stay.
//!
//! The bindings ask who else is reading or writing an array before they lend its numbers, which takes a lock and a table of
//! all that are lent. Of an array that was just made nobody knows.

use numpy::ndarray::IntoDimension;
use numpy::{Element, PyArray, PyArrayMethods};
use pyo3::prelude::*;

/// An array of a shape with what `write` puts in the place of zeros. NumPy has been imported.
pub fn array<'py, T: Element, I: IntoDimension>(
    py: Python<'py>,
    shape: I,
    write: impl FnOnce(&mut [T]),
) -> PyResult<Bound<'py, PyArray<T, I::Dim>>> {
    let array = PyArray::<T, I::Dim>::zeros(py, shape, false);
    // SAFETY: nobody else knows the new array, and `write` cannot give the numbers on.
    #[allow(unsafe_code)]
    unsafe {
        write(array.as_slice_mut()?);
    }
    Ok(array)
}
