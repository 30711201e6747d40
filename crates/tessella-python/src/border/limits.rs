//! The limits of the process.

use pyo3::prelude::*;
use tessella_core::limits::{self, Limits};

use crate::border::errors::OrRaise;
use crate::border::values::whole;

/// The limits that hold now, in the order of the fields of `tessella.Limits`.
#[pyfunction]
pub fn limits_now() -> (u64, u64, f64, f64) {
    let Limits { text_growth, text_growth_free, pattern_seconds, pattern_seconds_per_megabyte } =
        limits::get();
    (text_growth, text_growth_free, pattern_seconds, pattern_seconds_per_megabyte)
}

/// Sets them, in the same order.
#[pyfunction]
pub fn set_limits(
    text_growth: &Bound<'_, PyAny>,
    text_growth_free: &Bound<'_, PyAny>,
    pattern_seconds: f64,
    pattern_seconds_per_megabyte: f64,
) -> PyResult<()> {
    let limits = Limits {
        text_growth: whole(text_growth, "`text_growth`", u64::MAX)?,
        text_growth_free: whole(text_growth_free, "`text_growth_free`", u64::MAX)?,
        pattern_seconds,
        pattern_seconds_per_megabyte,
    };
    limits::set(limits).or_raise()
}
