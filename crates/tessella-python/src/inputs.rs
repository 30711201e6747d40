//! Texts that Python hands over, kept alive without a copy.

use numpy::{PyArray1, PyArrayMethods, PyUntypedArray};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use pyo3::types::{PyList, PyString, PyTuple};
use tessella_core::{Input, Sequence, TokenId};

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
        Ok(text) => PyBackedStr::try_from(text.clone()).map_err(|error| {
            let wrapped = PyTypeError::new_err(TEXT);
            wrapped.set_cause(value.py(), Some(error));
            wrapped
        }),
        Err(_) => Err(PyTypeError::new_err(TEXT)),
    }
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
        .map(|word| text(&word?).map_err(|_| PyTypeError::new_err(WORDS)))
        .collect()
}

pub fn sequence(value: &Bound<'_, PyAny>, pretokenized: bool) -> PyResult<Held> {
    if pretokenized { words(value).map(Held::Words) } else { text(value).map(Held::Text) }
}

/// One entry of a batch: a sequence or a pair of two.
pub fn input(value: &Bound<'_, PyAny>, pretokenized: bool) -> PyResult<HeldInput> {
    if let Ok(first) = sequence(value, pretokenized) {
        return Ok(HeldInput { first, second: None });
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
        return value.extract();
    }
    if value.is_instance_of::<PyString>() {
        return Err(PyTypeError::new_err("expected ids, found a str"));
    }
    if value.cast::<PyUntypedArray>().is_ok() {
        if let Ok(array) = value.cast::<PyArray1<u32>>()
            && let Ok(array) = array.try_readonly()
        {
            return Ok(array.as_array().to_vec());
        }
        // Other element types go through Python's integers, which checks the range.
        return value.call_method0("tolist")?.extract();
    }
    value.try_iter()?.map(|id| id?.extract()).collect()
}
