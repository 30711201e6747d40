//! New arrays whose numbers are written where they stay.
//!
//! The bindings make an array of numbers by copying them, by taking over a vector, or of zeros: a column that is to become
//! wider would be written twice, once for the array. Here each number is written once, into memory that was just
//! asked for. The slow twins are the lists of the same columns; a test compares them.

use numpy::ndarray::{Dimension, IntoDimension};
use numpy::{Element, PyArray, PyArrayMethods};
use pyo3::prelude::*;

/// An array of a shape with what `each` makes of the values, in order; `None` if there are not as many as the shape asks for. NumPy
/// has been imported.
pub fn array<'py, S: Copy, T: Element + Copy, I: IntoDimension>(
    py: Python<'py>,
    shape: I,
    values: &[S],
    each: impl Fn(S) -> T,
) -> Option<Bound<'py, PyArray<T, I::Dim>>> {
    let shape = shape.into_dimension();
    if shape.size() != values.len() {
        return None;
    }
    // SAFETY: nobody else knows the new array, whose elements lie one after the other; there are as many as values, and each is
    // written. `Copy` types hold no references, so that what was there before need not be dropped.
    #[allow(unsafe_code)]
    unsafe {
        let array = PyArray::<T, I::Dim>::new(py, shape, false);
        let first = array.data();
        for (index, &value) in values.iter().enumerate() {
            first.add(index).write(each(value));
        }
        Some(array)
    }
}
