//! `Regex`: a regular expression to look for, as opposed to a literal text.

use pyo3::prelude::*;
use pyo3::types::PyType;
use tessella_core::pattern::Matcher;
use tessella_core::spec::{Dialect, Pattern};

use crate::border::errors::OrRaise;

/// A regular expression, in the dialect of `tokenizer.json` files (Oniguruma with Ruby syntax).
///
/// Wherever a component takes a pattern, a `str` is searched literally and a `Regex` as an expression.
///
/// Args:
///     pattern: the expression. A mistake in it raises `tessella.errors.RegexError`.
///
/// Example:
///     >>> from tessella import Regex
///     >>> from tessella.normalizers import Replace
///     >>> Replace(Regex(" +"), " ").normalize_str("a   b")
///     'a b'
#[pyclass(frozen, module = "tessella", name = "Regex")]
pub struct Regex {
    pub source: String,
}

#[pymethods]
impl Regex {
    #[new]
    fn new(pattern: String) -> PyResult<Self> {
        Matcher::new(&Pattern::Regex { source: pattern.clone(), dialect: Dialect::Oniguruma }).or_raise()?;
        Ok(Regex { source: pattern })
    }

    /// The expression.
    #[getter]
    fn pattern(&self) -> &str {
        &self.source
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!("Regex({})", self.source.as_str().into_pyobject(py)?.repr()?))
    }

    fn __reduce__<'py>(this: &Bound<'py, Self>) -> (Bound<'py, PyType>, (String,)) {
        (this.get_type(), (this.get().source.clone(),))
    }
}
