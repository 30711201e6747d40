//! What a segmentation's message says, as Python's values.

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString};
use tessella_formats::sentencepiece::messages;

use crate::border::errors::OrRaise;
use crate::border::interpreter::lossy_text;

fn text<'py>(py: Python<'py>, bytes: &[u8]) -> PyResult<Bound<'py, PyString>> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Ok(PyString::new(py, text)),
        Err(_) => lossy_text(py, bytes),
    }
}

/// The fields that are set in the message of a segmentation but for its pieces, and those of each piece, by their names.
#[pyfunction]
pub fn read_segmentation<'py>(
    py: Python<'py>,
    serialized: &[u8],
) -> PyResult<(Bound<'py, PyDict>, Bound<'py, PyList>)> {
    let found = messages::read(serialized).or_raise()?;
    let whole = PyDict::new(py);
    whole.set_item(intern!(py, "text"), text(py, &found.text)?)?;
    if let Some(score) = found.score {
        whole.set_item(intern!(py, "score"), score)?;
    }
    let pieces = found.pieces.iter().map(|piece| -> PyResult<Bound<'py, PyDict>> {
        let fields = PyDict::new(py);
        fields.set_item(intern!(py, "piece"), text(py, &piece.text)?)?;
        fields.set_item(intern!(py, "id"), piece.id)?;
        if let Some(surface) = &piece.surface {
            fields.set_item(intern!(py, "surface"), text(py, surface)?)?;
        }
        fields.set_item(intern!(py, "begin"), piece.begin)?;
        fields.set_item(intern!(py, "end"), piece.end)?;
        Ok(fields)
    });
    let pieces = pieces.collect::<PyResult<Vec<_>>>()?;
    Ok((whole, PyList::new(py, pieces)?))
}
