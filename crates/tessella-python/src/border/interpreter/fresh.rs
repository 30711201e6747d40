//! New arrays, written where they stay.
//!
//! The bindings ask who else is reading or writing an array before they lend its numbers, which takes a lock and a table of
//! all that are lent. Of an array that was just made nobody knows.
//!
//! NumPy lets other threads run while it asks for zeros: whoever holds a lock that they may wait for must not make an array. So
//! numbers are looked at when the array is there.

use numpy::ndarray::IntoDimension;
use numpy::{Element, PyArray, PyArrayMethods};
use pyo3::prelude::*;

/// An array of numbers.
pub type Array<'py, T, D> = Bound<'py, PyArray<T, D>>;

/// An array of a shape with what `write` puts in the place of zeros; `None` if it says that these are no numbers for this shape. NumPy
/// has been imported.
pub fn array<'py, T: Element, I: IntoDimension>(
    py: Python<'py>,
    shape: I,
    write: impl FnOnce(&mut [T]) -> bool,
) -> PyResult<Option<Array<'py, T, I::Dim>>> {
    let array = PyArray::<T, I::Dim>::zeros(py, shape, false);
    // SAFETY: nobody else knows the new array, and `write` cannot give the numbers on.
    #[allow(unsafe_code)]
    let fits = unsafe { write(array.as_slice_mut()?) };
    Ok(fits.then_some(array))
}
