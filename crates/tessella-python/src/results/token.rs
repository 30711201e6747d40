//! `Token`: one token of one piece.

use pyo3::prelude::*;
use pyo3::types::PyType;

/// A token as models return it.
///
/// Args:
///     id: its id.
///     value: its text in the vocabulary.
///     offsets: start and end in **bytes** of the text that was tokenized.
///
/// Example:
///     >>> from tessella import Token
///     >>> Token(1, "a", (0, 1)).as_tuple()
///     (1, 'a', (0, 1))
#[pyclass(frozen, module = "tessella", name = "Token")]
#[derive(Clone)]
pub struct Token {
    #[pyo3(get)]
    pub id: u32,
    #[pyo3(get)]
    pub value: String,
    #[pyo3(get)]
    pub offsets: (usize, usize),
}

#[pymethods]
impl Token {
    #[new]
    pub fn new(id: u32, value: String, offsets: (usize, usize)) -> Self {
        Token { id, value, offsets }
    }

    /// `(id, value, offsets)`.
    fn as_tuple(&self) -> (u32, &str, (usize, usize)) {
        (self.id, &self.value, self.offsets)
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let value = self.value.as_str().into_pyobject(py)?.repr()?;
        Ok(format!("Token(id={}, value={value}, offsets={:?})", self.id, self.offsets))
    }

    fn __reduce__<'py>(this: &Bound<'py, Self>) -> (Bound<'py, PyType>, (u32, String, (usize, usize))) {
        let Token { id, value, offsets } = this.get().clone();
        (this.get_type(), (id, value, offsets))
    }
}
