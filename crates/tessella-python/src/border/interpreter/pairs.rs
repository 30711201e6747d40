//! Places in a text as a list of pairs of numbers, the shape in which most programs read them.
//!
//! What costs time is memory: three objects for each token. Mostly one token begins where another one ends, so that number is one object.
//! And the interpreter's collector of circles looks through what is new again and again, pairs among it, until it has seen that
//! these hold numbers alone. It is told at once: text whose offsets are kept takes two thirds of the time.

use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyInt, PyList, PyTuple};

/// Two numbers as a `tuple`.
struct Pair<'py>([Bound<'py, PyInt>; 2]);

impl<'py> IntoPyObject<'py> for Pair<'py> {
    type Target = PyTuple;
    type Output = Bound<'py, PyTuple>;
    type Error = PyErr;

    fn into_pyobject(self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let pair = PyTuple::new(py, self.0)?;
        // SAFETY: a new object that nobody else has seen, of a type that takes part in the collection. It leads nowhere: both of what
        // it holds are numbers, and it never changes. The interpreter does the same when it comes by.
        #[allow(unsafe_code)]
        unsafe {
            ffi::PyObject_GC_UnTrack(pair.as_ptr().cast());
        }
        Ok(pair)
    }
}

/// The start and the end of each.
pub fn pairs<'py>(py: Python<'py>, places: &[[i64; 2]]) -> PyResult<Bound<'py, PyList>> {
    let number = |value: i64| {
        let Ok(number) = value.into_pyobject(py);
        number
    };
    let mut last = (0, number(0));
    PyList::new(
        py,
        places.iter().map(|&[start, end]| {
            let first = if start == last.0 { last.1.clone() } else { number(start) };
            last = (end, if end == start { first.clone() } else { number(end) });
            Pair([first, last.1.clone()])
        }),
    )
}
