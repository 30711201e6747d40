//! Where in an argument a value stands, and the error for a value of the wrong type.

use std::fmt;

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

/// An argument, or an entry of one: `input`, `input[3]`, `input[3][0]`.
#[derive(Clone, Copy)]
pub enum Place<'a> {
    Argument(&'static str),
    Entry(&'a Place<'a>, usize),
}

impl Place<'_> {
    /// The place of an entry of what stands here.
    pub fn entry(&self, index: usize) -> Place<'_> {
        Place::Entry(self, index)
    }
}

impl fmt::Display for Place<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Argument(name) => out.write_str(name),
            Place::Entry(outer, index) => write!(out, "{outer}[{index}]"),
        }
    }
}

/// The type of a value and how it looks, cut short: `int 5`, `list ['a', 'b']`, `None`.
pub fn shown(value: &Bound<'_, PyAny>) -> String {
    if value.is_none() {
        return "None".to_string();
    }
    let kind = value.get_type().name().map_or_else(|_| String::new(), |name| name.to_string());
    // Shortens long values before they are spelled, and does not raise where a value's own `repr` does.
    let repr = value.py().import("reprlib").and_then(|module| module.getattr("repr")?.call1((value,)));
    match repr {
        Ok(repr) => format!("{kind} {repr}"),
        Err(_) => kind,
    }
}

/// The error for a value of the wrong type: what was expected, what stands there, and what to do about it.
pub fn wrong_type(place: Place<'_>, value: &Bound<'_, PyAny>, expected: &str, advice: &str) -> PyErr {
    let advice = if advice.is_empty() { String::new() } else { format!("; {advice}") };
    PyTypeError::new_err(format!("{expected}, found {} for `{place}`{advice}", shown(value)))
}
