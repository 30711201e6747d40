//! Texts that Python hands over, kept alive without a copy.

use pyo3::exceptions::{PyOverflowError, PyTypeError};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use pyo3::types::{PyList, PyString, PyTuple};
use tessella_core::{Input, Sequence, TokenId};

use crate::arrays;
use crate::values::out_of_range;

/// One sequence, owned by Python.
pub enum Held {
    Text(PyBackedStr),
    Words(Vec<PyBackedStr>),
}

impl Held {
    pub fn view(&self) -> Sequence<'_> {
        match self {
            Held::Text(text) => Sequence::Text(text),
            Held::Words(words) => Sequence::Words(words.iter().map(|word| &**word).collect()),
        }
    }

    pub fn bytes(&self) -> usize {
        match self {
            Held::Text(text) => text.len(),
            Held::Words(words) => words.iter().map(|word| word.len()).sum(),
        }
    }
}

/// A sequence or a pair, owned by Python.
pub struct HeldInput {
    pub first: Held,
    pub second: Option<Held>,
}

impl HeldInput {
    pub fn view(&self) -> Input<'_> {
        Input { first: self.first.view(), second: self.second.as_ref().map(Held::view) }
    }

    pub fn bytes(&self) -> usize {
        self.first.bytes() + self.second.as_ref().map_or(0, Held::bytes)
    }
}

const TEXT: &str = "TextInputSequence must be str";
const WORDS: &str = "PreTokenizedInputSequence must be Union[List[str], Tuple[str]]";
const TEXT_INPUT: &str =
    "TextEncodeInput must be Union[TextInputSequence, Tuple[InputSequence, InputSequence]]";
const WORDS_INPUT: &str = "PreTokenizedEncodeInput must be Union[PreTokenizedInputSequence, \
                           Tuple[PreTokenizedInputSequence, PreTokenizedInputSequence]]";

/// A `str`; one with lone surrogates has no UTF-8 and is refused as well.
pub fn text(value: &Bound<'_, PyAny>) -> PyResult<PyBackedStr> {
    match value.cast::<PyString>() {
        Ok(text) => PyBackedStr::try_from(text.clone()).map_err(|error| not_unicode(text, error, TEXT)),
        Err(_) => Err(PyTypeError::new_err(TEXT)),
    }
}

/// The error for a `str` that has no UTF-8, with the place of the lone surrogate.
fn not_unicode(text: &Bound<'_, PyString>, error: PyErr, expected: &str) -> PyErr {
    let py = text.py();
    let place = error.value(py).getattr("start").and_then(|start| start.extract::<usize>());
    let found = place.and_then(|place| {
        let surrogate = text.get_item(place)?;
        let code: u32 = py.import("builtins")?.getattr("ord")?.call1((surrogate,))?.extract()?;
        Ok(format!("{expected}, without lone surrogates; found U+{code:04X} at character {place}"))
    });
    let wrapped = PyTypeError::new_err(found.unwrap_or_else(|_| expected.to_string()));
    wrapped.set_cause(py, Some(error));
    wrapped
}

/// Lists, tuples and arrays; not texts, and not things that can be walked only once.
fn is_list(value: &Bound<'_, PyAny>) -> PyResult<bool> {
    Ok(value.is_instance_of::<PyList>()
        || value.is_instance_of::<PyTuple>()
        || (!value.is_instance_of::<PyString>() && value.hasattr("__array__")?))
}

fn words(value: &Bound<'_, PyAny>) -> PyResult<Vec<PyBackedStr>> {
    if !is_list(value)? {
        return Err(PyTypeError::new_err(WORDS));
    }
    value
        .try_iter()
        .map_err(|_| PyTypeError::new_err(WORDS))?
        .map(|word| {
            let word = word?;
            let word = word.cast::<PyString>().map_err(|_| PyTypeError::new_err(WORDS))?;
            PyBackedStr::try_from(word.clone()).map_err(|error| not_unicode(word, error, WORDS))
        })
        .collect()
}

pub fn sequence(value: &Bound<'_, PyAny>, pretokenized: bool) -> PyResult<Held> {
    if pretokenized { words(value).map(Held::Words) } else { text(value).map(Held::Text) }
}

/// One entry of a batch: a sequence or a pair of two.
pub fn input(value: &Bound<'_, PyAny>, pretokenized: bool) -> PyResult<HeldInput> {
    match sequence(value, pretokenized) {
        Ok(first) => return Ok(HeldInput { first, second: None }),
        // A text that is broken is named rather than taken for something else.
        Err(error) if value.is_instance_of::<PyString>() && !pretokenized => return Err(error),
        Err(_) => {}
    }
    let problem = || PyTypeError::new_err(if pretokenized { WORDS_INPUT } else { TEXT_INPUT });
    if !is_list(value)? || value.len().map_err(|_| problem())? != 2 {
        return Err(problem());
    }
    let part = |index: usize| {
        value.get_item(index).and_then(|part| sequence(&part, pretokenized)).map_err(|_| problem())
    };
    Ok(HeldInput { first: part(0)?, second: Some(part(1)?) })
}

/// A batch: anything that can be walked, but not one text.
pub fn batch(value: &Bound<'_, PyAny>, pretokenized: bool) -> PyResult<Vec<HeldInput>> {
    not_one_text(value)?;
    value.try_iter()?.map(|one| input(&one?, pretokenized)).collect()
}

/// A batch of plain texts.
pub fn texts(value: &Bound<'_, PyAny>) -> PyResult<Vec<PyBackedStr>> {
    not_one_text(value)?;
    value.try_iter()?.map(|one| text(&one?)).collect()
}

fn not_one_text(value: &Bound<'_, PyAny>) -> PyResult<()> {
    if value.is_instance_of::<PyString>() {
        return Err(PyTypeError::new_err(
            "expected a list of inputs, found one str; encode one text with `encode`",
        ));
    }
    Ok(())
}

/// Ids from a list, an array or anything else that can be walked.
pub fn ids(value: &Bound<'_, PyAny>) -> PyResult<Vec<TokenId>> {
    if value.is_instance_of::<PyList>() || value.is_instance_of::<PyTuple>() {
        return value.extract().map_err(|error| named_id(value, error));
    }
    if value.is_instance_of::<PyString>() {
        return Err(PyTypeError::new_err("expected ids, found a str"));
    }
    if arrays::is_array(value)? {
        if let Some(ids) = arrays::ids(value) {
            return Ok(ids);
        }
        // Other element types go through Python's integers, which checks the range.
        let list = value.call_method0("tolist")?;
        return list.extract().map_err(|error| named_id(&list, error));
    }
    let one = |(place, id): (usize, PyResult<Bound<'_, PyAny>>)| {
        let id = id?;
        id.extract().map_err(|error: PyErr| wrong_id(&id, place, error))
    };
    value.try_iter()?.enumerate().map(one).collect()
}

/// The error for the first of some ids that is none.
fn named_id(ids: &Bound<'_, PyAny>, error: PyErr) -> PyErr {
    let find = || -> PyResult<PyErr> {
        for (place, id) in ids.try_iter()?.enumerate() {
            let id = id?;
            if let Err(error) = id.extract::<TokenId>() {
                return Ok(wrong_id(&id, place, error));
            }
        }
        Ok(error.clone_ref(ids.py()))
    };
    find().unwrap_or_else(|error| error)
}

fn wrong_id(id: &Bound<'_, PyAny>, place: usize, error: PyErr) -> PyErr {
    if error.is_instance_of::<PyOverflowError>(id.py()) {
        out_of_range(id, &format!("`ids[{place}]`"), u64::from(TokenId::MAX))
    } else {
        error
    }
}
