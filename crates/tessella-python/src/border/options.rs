//! Truncation and padding between Python and the engine.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict};
use tessella_core::spec::{Direction, Padding, Truncation, TruncationStrategy};

use crate::border::errors;
use crate::border::values::{direction, direction_name, strategy, strategy_name};

pub fn truncation(max_length: usize, stride: usize, strategy: &str, direction: &str) -> PyResult<Truncation> {
    let direction = self::direction(direction).map_err(|_| {
        crate::border::errors::argument(format!(
            "Unknown `direction`: `{direction}`. Use one of `left` or `right`."
        ))
    })?;
    Ok(Truncation { max_length, stride, strategy: self::strategy(strategy)?, direction })
}

/// The stride must leave room to move: it is checked against what special tokens leave of the length.
pub fn check_stride(py: Python<'_>, truncation: &Truncation, specials: usize) -> PyResult<()> {
    let Truncation { max_length, stride, .. } = *truncation;
    let effective = max_length.saturating_sub(specials);
    if max_length > 0 && stride > 0 && stride >= effective {
        return Err(errors::new(
            py,
            "TruncationError",
            &format!(
                "tokenizer stride set to {stride}, which is greater than or equal to its effective max length \
                 of {effective} (= {max_length} original max length - {specials} added special tokens)"
            ),
        ));
    }
    Ok(())
}

pub fn truncation_to_python<'py>(py: Python<'py>, truncation: &Truncation) -> PyResult<Bound<'py, PyDict>> {
    let fields = PyDict::new(py);
    fields.set_item("max_length", truncation.max_length)?;
    fields.set_item("stride", truncation.stride)?;
    fields.set_item("strategy", strategy_name(truncation.strategy))?;
    fields.set_item("direction", direction_name(truncation.direction))?;
    Ok(fields)
}

pub fn padding_to_python<'py>(py: Python<'py>, padding: &Padding) -> PyResult<Bound<'py, PyDict>> {
    let fields = PyDict::new(py);
    fields.set_item("length", padding.fixed_length)?;
    fields.set_item("pad_to_multiple_of", padding.pad_to_multiple_of)?;
    fields.set_item("pad_id", padding.pad_id)?;
    fields.set_item("pad_token", &padding.pad_token)?;
    fields.set_item("pad_type_id", padding.pad_type_id)?;
    fields.set_item("direction", direction_name(padding.direction))?;
    Ok(fields)
}

/// A setting of one call.
pub enum Choice<T> {
    /// The tokenizer's own setting.
    Own,
    Off,
    This(T),
}

impl<T> Choice<T> {
    pub fn or<'a>(&'a self, own: Option<&'a T>) -> Option<&'a T> {
        match self {
            Choice::Own => own,
            Choice::Off => None,
            Choice::This(value) => Some(value),
        }
    }
}

fn is(value: &Bound<'_, PyAny>, truth: bool) -> bool {
    value.cast::<PyBool>().is_ok_and(|flag| flag.is_true() == truth)
}

/// Fields of a settings dict, none of them unknown.
fn fields<'a, 'py>(
    value: &'a Bound<'py, PyAny>,
    what: &str,
    known: &[&str],
) -> PyResult<&'a Bound<'py, PyDict>> {
    let fields = value.cast::<PyDict>().map_err(|_| {
        PyTypeError::new_err(format!("`{what}` must be a dict, an int, False or None, not {value}"))
    })?;
    for key in fields.keys() {
        let key: String = key.extract()?;
        if !known.contains(&key.as_str()) {
            return Err(PyTypeError::new_err(format!(
                "`{what}` has no option `{key}`; the options are {}",
                known.join(", ")
            )));
        }
    }
    Ok(fields)
}

fn field<'py, T>(fields: &Bound<'py, PyDict>, name: &str, default: T) -> PyResult<T>
where
    T: for<'a> FromPyObject<'a, 'py, Error: Into<PyErr>>,
{
    match fields.get_item(name)? {
        Some(value) => value.extract().map_err(Into::into),
        None => Ok(default),
    }
}

/// `None` keeps the tokenizer's own, `False` switches off, an int is a length, a dict has all options.
pub fn call_truncation(value: Option<&Bound<'_, PyAny>>) -> PyResult<Choice<Truncation>> {
    let Some(value) = value else { return Ok(Choice::Own) };
    if is(value, false) {
        return Ok(Choice::Off);
    }
    if !is(value, true)
        && let Ok(max_length) = value.extract::<usize>()
    {
        return Ok(Choice::This(Truncation {
            max_length,
            stride: 0,
            strategy: TruncationStrategy::LongestFirst,
            direction: Direction::Right,
        }));
    }
    let fields = fields(value, "truncation", &["max_length", "stride", "strategy", "direction"])?;
    if !fields.contains("max_length")? {
        return Err(crate::border::errors::argument("`truncation` needs `max_length`"));
    }
    truncation(
        field(fields, "max_length", 0)?,
        field(fields, "stride", 0)?,
        &field(fields, "strategy", "longest_first".to_string())?,
        &field(fields, "direction", "right".to_string())?,
    )
    .map(Choice::This)
}

/// As [`call_truncation`]; an int pads to that length, `True` to the longest of the batch.
pub fn call_padding(value: Option<&Bound<'_, PyAny>>) -> PyResult<Choice<Padding>> {
    let Some(value) = value else { return Ok(Choice::Own) };
    if is(value, false) {
        return Ok(Choice::Off);
    }
    let mut padding = Padding {
        fixed_length: None,
        direction: Direction::Right,
        pad_to_multiple_of: None,
        pad_id: 0,
        pad_type_id: 0,
        pad_token: "[PAD]".into(),
    };
    if is(value, true) {
        return Ok(Choice::This(padding));
    }
    if let Ok(length) = value.extract::<usize>() {
        padding.fixed_length = Some(length);
        return Ok(Choice::This(padding));
    }
    let known = ["direction", "pad_id", "pad_type_id", "pad_token", "length", "pad_to_multiple_of"];
    let fields = fields(value, "padding", &known)?;
    padding.fixed_length = field(fields, "length", None)?;
    padding.direction = direction(&field(fields, "direction", "right".to_string())?)?;
    padding.pad_to_multiple_of = field(fields, "pad_to_multiple_of", None)?;
    padding.pad_id = field(fields, "pad_id", 0)?;
    padding.pad_type_id = field(fields, "pad_type_id", 0)?;
    padding.pad_token = field(fields, "pad_token", padding.pad_token)?;
    Ok(Choice::This(padding))
}
