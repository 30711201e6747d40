//! NumPy arrays, given and taken.
//!
//! NumPy is imported with the first array and not before. The import is done here, as an import that may fail or be
//! interrupted: the bindings' own look-up of NumPy's functions has no way to report either.

use std::cell::Cell;

use numpy::ndarray::{Dimension, StrideShape};
use numpy::{
    Element, PyArray, PyArray1, PyArrayMethods, PyReadonlyArray1, PyUntypedArray, PyUntypedArrayMethods,
};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

use super::errors::argument;

static READY: PyOnceLock<()> = PyOnceLock::new();

/// Makes sure that NumPy's functions are known.
pub fn ready(py: Python<'_>) -> PyResult<()> {
    READY.get_or_try_init(py, || -> PyResult<()> {
        py.import("numpy")?;
        drop(PyArray1::<u32>::zeros(py, 0, false));
        Ok(())
    })?;
    Ok(())
}

/// Arrays up to this length are copied: that is done sooner than a buffer is wrapped.
const COPIED: usize = 1024;

/// An array of the values, which takes them over if there are many.
pub fn from_vec<T: Element>(py: Python<'_>, values: Vec<T>) -> PyResult<Bound<'_, PyArray1<T>>> {
    if values.len() <= COPIED {
        return from_slice(py, &values);
    }
    ready(py)?;
    Ok(PyArray1::from_vec(py, values))
}

/// Ids of the room that a thread keeps, at most.
const MOST_KEPT: usize = 1 << 17;
/// Bytes of a text whose ids come into such room, at most: those of others are taken over.
pub const KEPT_TEXT: usize = 1 << 16;

thread_local! {
    /// Ids on their way into an array, so that there is memory for them once, and not for each call.
    static ROOM: Cell<Vec<u32>> = const { Cell::new(Vec::new()) };
}

/// An array of the ids that `write` appends.
pub fn of_ids<'py>(
    py: Python<'py>,
    write: impl FnOnce(&mut Vec<u32>) -> PyResult<()>,
) -> PyResult<Bound<'py, PyArray1<u32>>> {
    let mut ids = ROOM.take();
    ids.clear();
    write(&mut ids)?;
    let array = from_slice(py, &ids);
    if ids.capacity() <= MOST_KEPT {
        ROOM.set(ids);
    }
    array
}

/// An array with a copy of the values.
pub fn from_slice<'py, T: Element>(py: Python<'py>, values: &[T]) -> PyResult<Bound<'py, PyArray1<T>>> {
    ready(py)?;
    Ok(PyArray1::from_slice(py, values))
}

/// An array of a shape for so many numbers.
pub fn of_shape<'py, D: Dimension>(
    py: Python<'py>,
    shape: impl Into<StrideShape<D>>,
    numbers: Vec<i64>,
) -> PyResult<Bound<'py, PyAny>> {
    ready(py)?;
    let array = numpy::ndarray::Array::from_shape_vec(shape, numbers);
    array
        .map(|array| PyArray::from_owned_array(py, array).into_any())
        .map_err(|error| argument(error.to_string()))
}

/// Whether a value is an array or a tensor that holds one value and cannot be walked, though it has the method for it.
pub fn has_no_dimension(value: &Bound<'_, PyAny>) -> bool {
    let none = || value.getattr("ndim").and_then(|number| number.eq(0)).unwrap_or(false);
    value.hasattr("__array__").unwrap_or(false) && none()
}

/// Whether a value is an array of any type. Where nobody has imported NumPy, nothing is one.
pub fn is_array(value: &Bound<'_, PyAny>) -> PyResult<bool> {
    let py = value.py();
    if READY.get(py).is_none() {
        let modules = py.import("sys")?.getattr(intern!(py, "modules"))?;
        if !modules.contains(intern!(py, "numpy"))? {
            return Ok(false);
        }
        ready(py)?;
    }
    Ok(value.is_instance_of::<PyUntypedArray>())
}

/// An array of numbers of this type, held to be read in place; `None` for other values, arrays that somebody is writing to,
/// and those whose numbers do not lie a whole number of numbers apart, as a field of packed rows: the bindings would round.
fn held_as<'py, T: Element>(value: &Bound<'py, PyAny>) -> Option<PyReadonlyArray1<'py, T>> {
    let array = value.cast::<PyArray1<T>>().ok()?;
    let is_whole = |&step: &isize| step.unsigned_abs() % size_of::<T>() == 0;
    let is_in_place = array.is_aligned() && array.strides().iter().all(is_whole);
    is_in_place.then(|| array.try_readonly().ok()).flatten()
}

/// An array of `uint32`, held to be read in place; `None` for all that cannot be.
pub fn held<'py>(value: &Bound<'py, PyAny>) -> Option<PyReadonlyArray1<'py, u32>> {
    held_as(value)
}

/// Copies the ids of an array of `uint32`, or of `int64`, which tensors are; false for other values, arrays that cannot be
/// read in place, and where a number is no id.
pub fn copy_ids(value: &Bound<'_, PyAny>, room: &mut Vec<u32>) -> bool {
    room.clear();
    if let Some(array) = held(value) {
        match array.as_slice() {
            Ok(ids) => room.extend_from_slice(ids),
            Err(_) => room.extend(array.as_array()),
        }
        return true;
    }
    let Some(array) = held_as::<i64>(value) else {
        return false;
    };
    // Cut to 32 bits, and looked at together.
    let mut others = 0;
    let cut = |&number: &i64| {
        others |= number >> 32;
        number as u32
    };
    match array.as_slice() {
        Ok(numbers) => room.extend(numbers.iter().map(cut)),
        Err(_) => room.extend(array.as_array().iter().map(cut)),
    }
    others == 0
}

/// The array that a tensor gives its memory to.
pub fn of<'py>(value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let py = value.py();
    py.import("numpy")?.call_method1(intern!(py, "asarray"), (value,))
}
