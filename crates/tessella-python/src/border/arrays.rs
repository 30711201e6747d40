//! NumPy arrays, given and taken.
//!
//! NumPy is imported with the first array and not before. The import is done here, as an import that may fail or be
//! interrupted: the bindings' own look-up of NumPy's functions has no way to report either.

use numpy::{Element, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyUntypedArray};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use tessella_core::Offsets;

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

/// An array with a copy of the values.
pub fn from_slice<'py, T: Element>(py: Python<'py>, values: &[T]) -> PyResult<Bound<'py, PyArray1<T>>> {
    ready(py)?;
    Ok(PyArray1::from_slice(py, values))
}

/// An array with a row for each token: start and end.
pub fn of_offsets<'py>(py: Python<'py>, offsets: &Offsets) -> PyResult<Bound<'py, PyArray2<i64>>> {
    let numbers: Vec<i64> = match offsets {
        Offsets::Narrow(pairs) => pairs.as_flattened().iter().map(|&place| i64::from(place)).collect(),
        Offsets::Wide(pairs) => pairs.iter().flat_map(|&(start, end)| [start as i64, end as i64]).collect(),
    };
    ready(py)?;
    let rows = numpy::ndarray::Array2::from_shape_vec([offsets.len(), 2], numbers);
    rows.map(|rows| PyArray2::from_owned_array(py, rows)).map_err(|error| argument(error.to_string()))
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

/// The ids in an array of `uint32`; `None` for other values and arrays that somebody is writing to.
pub fn ids(value: &Bound<'_, PyAny>) -> Option<Vec<u32>> {
    Some(held(value)?.as_array().to_vec())
}

/// An array of `uint32`, held to be read in place; `None` for other values and arrays that somebody is writing to.
pub fn held<'py>(value: &Bound<'py, PyAny>) -> Option<PyReadonlyArray1<'py, u32>> {
    value.cast::<PyArray1<u32>>().ok()?.try_readonly().ok()
}

/// The ids in an array of `int64`, which tensors are; `None` also where one of them is no id.
pub fn wide_ids(value: &Bound<'_, PyAny>) -> Option<Vec<u32>> {
    let array = value.cast::<PyArray1<i64>>().ok()?.try_readonly().ok()?;
    array.as_array().iter().map(|&id| u32::try_from(id).ok()).collect()
}

/// The array that a tensor gives its memory to.
pub fn of<'py>(value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let py = value.py();
    py.import("numpy")?.call_method1(intern!(py, "asarray"), (value,))
}
