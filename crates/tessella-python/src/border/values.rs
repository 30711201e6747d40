//! Small values between Python and the engine: patterns, behaviours, directions, single characters.

use pyo3::exceptions::{PyOverflowError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::PyString;
use tessella_core::spec::{Dialect, Direction, Pattern, PrependScheme, SplitBehavior, TruncationStrategy};

use crate::border::place::{Place, wrong_type};
use crate::components::regex::Regex;

/// A `str` is looked for as it is, a `Regex` as the expression that it holds.
pub fn pattern(value: &Bound<'_, PyAny>) -> PyResult<Pattern> {
    if let Ok(text) = value.cast::<PyString>() {
        return Ok(Pattern::Literal(text.to_str()?.to_string()));
    }
    match value.cast::<Regex>() {
        Ok(regex) => Ok(Pattern::Regex { source: regex.get().source.clone(), dialect: Dialect::Oniguruma }),
        Err(_) => Err(PyTypeError::new_err(format!(
            "a pattern must be a str or a tessella.Regex, not {}",
            value.get_type().name()?
        ))),
    }
}

/// Exactly one character, for this argument.
pub fn character(text: &str, name: &str) -> PyResult<char> {
    let mut chars = text.chars();
    match (chars.next(), chars.next()) {
        (Some(c), None) => Ok(c),
        _ => Err(crate::border::errors::argument(format!(
            "expected a string of length 1 for `{name}`, one character; found {text:?}"
        ))),
    }
}

const BEHAVIORS: [(&str, SplitBehavior); 5] = [
    ("removed", SplitBehavior::Removed),
    ("isolated", SplitBehavior::Isolated),
    ("merged_with_previous", SplitBehavior::MergedWithPrevious),
    ("merged_with_next", SplitBehavior::MergedWithNext),
    ("contiguous", SplitBehavior::Contiguous),
];

pub fn behavior(value: &Bound<'_, PyAny>) -> PyResult<SplitBehavior> {
    // Members of the enum carry the name as their value.
    let told = if value.is_instance_of::<PyString>() { Ok(value.clone()) } else { value.getattr("value") };
    let name = told.and_then(|told| told.extract::<String>()).map_err(|_| {
        let known = BEHAVIORS.map(|(name, _)| name).join(", ");
        wrong_type(Place::Argument("behavior"), value, &format!("expected one of {known}"), "")
    })?;
    BEHAVIORS.iter().find(|(known, _)| *known == name).map(|(_, behavior)| *behavior).ok_or_else(|| {
        crate::border::errors::argument(format!(
            "Wrong value for SplitDelimiterBehavior, expected one of: \
                 `removed, isolated, merged_with_previous, merged_with_next, contiguous`; found `{name}`"
        ))
    })
}

pub fn behavior_name(behavior: SplitBehavior) -> &'static str {
    BEHAVIORS.iter().find(|(_, known)| *known == behavior).map_or("", |(name, _)| name)
}

pub fn prepend_scheme(name: &str) -> PyResult<PrependScheme> {
    match name {
        "first" => Ok(PrependScheme::First),
        "never" => Ok(PrependScheme::Never),
        "always" => Ok(PrependScheme::Always),
        other => Err(crate::border::errors::argument(format!(
            "{other} is an unknown variant, should be one of ['first', 'never', 'always']"
        ))),
    }
}

pub fn prepend_scheme_name(scheme: PrependScheme) -> &'static str {
    match scheme {
        PrependScheme::First => "first",
        PrependScheme::Never => "never",
        PrependScheme::Always => "always",
    }
}

pub fn direction(name: &str) -> PyResult<Direction> {
    match name {
        "left" => Ok(Direction::Left),
        "right" => Ok(Direction::Right),
        other => Err(crate::border::errors::argument(format!(
            "Unknown `direction`: `{other}`. Use one of `left` or `right`"
        ))),
    }
}

pub fn direction_name(direction: Direction) -> &'static str {
    match direction {
        Direction::Left => "left",
        Direction::Right => "right",
    }
}

pub fn strategy(name: &str) -> PyResult<TruncationStrategy> {
    match name {
        "longest_first" => Ok(TruncationStrategy::LongestFirst),
        "only_first" => Ok(TruncationStrategy::OnlyFirst),
        "only_second" => Ok(TruncationStrategy::OnlySecond),
        other => Err(crate::border::errors::argument(format!(
            "Unknown `strategy`: `{other}`. Use one of `longest_first`, `only_first`, or `only_second`"
        ))),
    }
}

pub fn strategy_name(strategy: TruncationStrategy) -> &'static str {
    match strategy {
        TruncationStrategy::LongestFirst => "longest_first",
        TruncationStrategy::OnlyFirst => "only_first",
        TruncationStrategy::OnlySecond => "only_second",
    }
}

/// Positions of characters inside a text, from positions of bytes, for ascending look-ups.
pub struct CharCounter<'a> {
    text: &'a str,
    byte: usize,
    chars: usize,
}

impl<'a> CharCounter<'a> {
    pub fn new(text: &'a str) -> Self {
        CharCounter { text, byte: 0, chars: 0 }
    }

    /// The number of characters before `byte`; a byte inside a character counts as that character's start.
    pub fn at(&mut self, byte: usize) -> usize {
        let mut byte = byte.min(self.text.len());
        while !self.text.is_char_boundary(byte) {
            byte -= 1;
        }
        if byte < self.byte {
            // A look-up behind the last one counts the characters between the two.
            self.chars -= self.text[byte..self.byte].chars().count();
        } else {
            self.chars += self.text[self.byte..byte].chars().count();
        }
        self.byte = byte;
        self.chars
    }
}

/// A whole number for an argument, which the error names with the value when it is out of range.
pub fn whole<'py, T>(value: &Bound<'py, PyAny>, name: &str, largest: u64) -> PyResult<T>
where
    T: for<'a> FromPyObject<'a, 'py, Error: Into<PyErr>>,
{
    value.extract::<T>().map_err(|error| {
        let error: PyErr = error.into();
        if error.is_instance_of::<PyOverflowError>(value.py()) {
            return out_of_range(value, name, largest);
        }
        if error.is_instance_of::<PyTypeError>(value.py()) {
            let found = crate::border::place::shown(value);
            return PyTypeError::new_err(format!("{name} must be an int, found {found}"));
        }
        error
    })
}

/// A whole number, or `None`.
pub fn whole_or_none<'py, T>(value: &Bound<'py, PyAny>, name: &str, largest: u64) -> PyResult<Option<T>>
where
    T: for<'a> FromPyObject<'a, 'py, Error: Into<PyErr>>,
{
    if value.is_none() { Ok(None) } else { whole(value, name, largest).map(Some) }
}

/// The error for a number outside of `0..=largest`.
pub fn out_of_range(value: &Bound<'_, PyAny>, name: &str, largest: u64) -> PyErr {
    let message = format!("{name} must be from 0 to {largest}, found {value}");
    crate::border::errors::new(value.py(), "OutOfRangeError", &message)
}

/// Readers of arguments by their names.
pub mod argument {
    use super::{Bound, PyAny, PyAnyMethods, PyResult, PyString, whole, whole_or_none};
    use crate::border::place::{Place, wrong_type};

    macro_rules! numbers {
        ($read:ident, $result:ty, $largest:expr, $($name:ident),+) => {
            $(pub fn $name(value: &Bound<'_, PyAny>) -> PyResult<$result> {
                $read(value, concat!("`", stringify!($name), "`"), $largest)
            })+
        };
    }

    numbers!(whole, u32, u32::MAX as u64, id, pad_id, pad_type_id);
    numbers!(whole, u64, u64::MAX, seed, count, weight);
    numbers!(whole, u32, u32::MAX as u64, word_index);
    numbers!(whole, usize, usize::MAX as u64, token_index, char_pos, sequence_index, sequence_id);
    numbers!(whole, usize, isize::MAX as u64, max_length, stride, bytes, n);
    numbers!(whole_or_none, Option<usize>, isize::MAX as u64, length, num_threads, pad_to_multiple_of);

    /// An id whose token is asked for.
    pub fn known_id(value: &Bound<'_, PyAny>) -> PyResult<u32> {
        if value.is_instance_of::<PyString>() {
            let advice = "the id of a token is told by `token_to_id`";
            return Err(wrong_type(Place::Argument("id"), value, "expected an int", advice));
        }
        id(value)
    }

    /// The length that an encoding is padded to, which cannot be left out.
    pub fn padded_length(value: &Bound<'_, PyAny>) -> PyResult<usize> {
        whole(value, "`length`", isize::MAX as u64)
    }
}
