//! An encoding as plain Python data, which is how it is pickled: columns as bytes, and each text once.

use std::collections::HashMap;
use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use pyo3::types::{PyBytes, PyDict, PyList};
use tessella_core::{EncodingParts, pack_column, unpack_column};

use crate::border::errors::{OrRaise, argument};

pub fn state<'py>(py: Python<'py>, parts: &EncodingParts) -> PyResult<Bound<'py, PyDict>> {
    fn column<'py>(py: Python<'py>, numbers: impl Iterator<Item = u64> + Clone) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &pack_column(numbers))
    }
    let numbers = |numbers: &[u32]| column(py, numbers.iter().copied().map(u64::from));
    let state = PyDict::new(py);
    state.set_item("ids", numbers(&parts.ids))?;
    state.set_item("type_ids", numbers(&parts.type_ids))?;
    let mut places = HashMap::new();
    let texts = PyList::empty(py);
    let mut tokens = Vec::with_capacity(parts.tokens.len());
    for text in &parts.tokens {
        let next = places.len() as u32;
        let place = *places.entry(text.as_ptr()).or_insert(next);
        if place == next {
            texts.append(&**text)?;
        }
        tokens.push(place);
    }
    state.set_item("texts", texts)?;
    state.set_item("tokens", numbers(&tokens))?;
    // One more, so that none is the smallest.
    let words = parts.words.iter().map(|word| word.map_or(0, |word| u64::from(word) + 1));
    state.set_item("words", column(py, words))?;
    let offsets = parts.offsets.iter().flat_map(|&(start, end)| [start as u64, end as u64]);
    state.set_item("offsets", column(py, offsets))?;
    state.set_item("special_tokens_mask", numbers(&parts.special_tokens_mask))?;
    state.set_item("attention_mask", numbers(&parts.attention_mask))?;
    let overflowing = PyList::empty(py);
    for window in &parts.overflowing {
        overflowing.append(self::state(py, window)?)?;
    }
    state.set_item("overflowing", overflowing)?;
    let ranges = PyDict::new(py);
    for (sequence, range) in &parts.sequence_ranges {
        ranges.set_item(sequence, (range.start, range.end))?;
    }
    state.set_item("sequence_ranges", ranges)?;
    Ok(state)
}

/// Windows in one another, at most: those of truncation have none of their own, and each level takes room on the stack.
const MOST_LEVELS: usize = 64;

/// The way back. Columns may be lists as well, of texts and with `None` for no word: so they were stored before.
pub fn parts(state: &Bound<'_, PyDict>) -> PyResult<EncodingParts> {
    parts_of_level(state, 0)
}

fn parts_of_level(state: &Bound<'_, PyDict>, level: usize) -> PyResult<EncodingParts> {
    if level > MOST_LEVELS {
        return Err(argument(format!(
            "the state of an Encoding has more than {MOST_LEVELS} levels of `overflowing`"
        )));
    }
    let item = |name: &str| -> PyResult<Bound<'_, PyAny>> {
        state.get_item(name)?.ok_or_else(|| argument(format!("the state of an Encoding has no `{name}`")))
    };
    let numbers = |name: &str| -> PyResult<Vec<u32>> {
        let given = item(name)?;
        column(&given, name)?.map_or_else(|| given.extract(), Ok)
    };
    let given = item("words")?;
    let words = match column::<u64>(&given, "words")? {
        Some(words) => {
            let word = |word: u64| word.checked_sub(1).map(u32::try_from).transpose();
            words.into_iter().map(word).collect::<Result<_, _>>()?
        }
        None => given.extract()?,
    };
    let given = item("offsets")?;
    let offsets = match column::<usize>(&given, "offsets")? {
        Some(places) if places.len().is_multiple_of(2) => {
            places.chunks_exact(2).map(|pair| (pair[0], pair[1])).collect()
        }
        Some(_) => return Err(argument("the state of an Encoding has an offset without an end")),
        None => given.extract()?,
    };
    let mut ranges = Vec::new();
    for (sequence, range) in item("sequence_ranges")?.cast_into::<PyDict>()?.iter() {
        let (start, end): (usize, usize) = range.extract()?;
        ranges.push((sequence.extract()?, start..end));
    }
    let overflowing = item("overflowing")?
        .try_iter()?
        .map(|window| parts_of_level(&window?.cast_into::<PyDict>()?, level + 1))
        .collect::<PyResult<_>>()?;
    Ok(EncodingParts {
        ids: numbers("ids")?,
        type_ids: numbers("type_ids")?,
        tokens: tokens(item)?,
        words,
        offsets,
        special_tokens_mask: numbers("special_tokens_mask")?,
        attention_mask: numbers("attention_mask")?,
        sequence_ranges: ranges,
        overflowing,
    })
}

/// The numbers of a column that is bytes.
fn column<T: TryFrom<u64>>(given: &Bound<'_, PyAny>, name: &str) -> PyResult<Option<Vec<T>>> {
    given.cast::<PyBytes>().ok().map(|bytes| unpack_column(name, bytes.as_bytes())).transpose().or_raise()
}

fn tokens<'py>(item: impl Fn(&str) -> PyResult<Bound<'py, PyAny>>) -> PyResult<Vec<Arc<str>>> {
    let texts = |given: Bound<'py, PyAny>| -> PyResult<Vec<Arc<str>>> {
        let texts: Vec<PyBackedStr> = given.extract()?;
        Ok(texts.iter().map(|text| Arc::from(&**text)).collect())
    };
    let given = item("tokens")?;
    let Some(places) = column::<usize>(&given, "tokens")? else { return texts(given) };
    let texts = texts(item("texts")?)?;
    let text = |place: usize| {
        let missing = || format!("the state of an Encoding has a token with text {place} of {}", texts.len());
        texts.get(place).cloned().ok_or_else(|| argument(missing()))
    };
    places.into_iter().map(text).collect()
}
