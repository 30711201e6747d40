//! Tokens and ids by the list: what Python would ask about one after the other.
//!
//! Each answers for a list of plain `int` or `str` and gives `None` for all others: then Python asks about one after the other, which
//! is the slow twin, and tells the errors.

use pyo3::prelude::*;
use pyo3::types::{PyInt, PyList, PyString};
use tessella_core::TokenId;

use super::Tokenizer;
use super::decoding::{Room, text_of, with_room};
use crate::border::interpreter::plain_ids;
use crate::border::recurring;

/// The tokens of ids, `None` for an id that is not there; those in `skipped` are left out.
#[pyfunction]
pub fn tokens_of<'py>(
    tokenizer: &Bound<'py, Tokenizer>,
    ids: &Bound<'py, PyList>,
    mut skipped: Vec<TokenId>,
) -> PyResult<Option<Bound<'py, PyList>>> {
    let py = ids.py();
    let value = tokenizer.get().value()?;
    skipped.sort_unstable();
    with_room(|Room { ids: room, kept, .. }| {
        let Some(mut ids) = plain_ids(ids, room) else { return Ok(None) };
        if !skipped.is_empty() {
            kept.clear();
            kept.extend(ids.iter().filter(|id| skipped.binary_search(id).is_err()));
            ids = kept;
        }
        let core = &value.core;
        let tokens = ids.iter().map(|&id| (id, None));
        PyList::new(py, recurring::texts(py, Some(core.texts_number()), tokens, |id| core.id_to_token(id)))
            .map(Some)
    })
}

/// The ids of tokens; of one that is not there, that of `unknown`, if it is there itself.
#[pyfunction]
pub fn ids_of<'py>(
    tokenizer: &Bound<'py, Tokenizer>,
    tokens: &Bound<'py, PyList>,
    unknown: Option<&str>,
) -> PyResult<Option<Bound<'py, PyList>>> {
    let core = &tokenizer.get().value()?.core;
    let unknown = unknown.and_then(|unknown| core.token_to_id(unknown));
    let mut ids = Vec::with_capacity(tokens.len());
    for token in tokens {
        let Some(token) = token.cast::<PyString>().ok().and_then(|token| token.to_str().ok()) else {
            return Ok(None);
        };
        ids.push(core.token_to_id(token).or(unknown));
    }
    PyList::new(tokens.py(), ids).map(Some)
}

/// The text of tokens, by what the ids of them stand for; `None` where one is not what its id is read as.
#[pyfunction]
pub fn text_of_tokens<'py>(
    tokenizer: &Bound<'py, Tokenizer>,
    tokens: &Bound<'py, PyList>,
) -> PyResult<Option<Bound<'py, PyString>>> {
    let value = tokenizer.get().value()?;
    if !value.core.decodes_by_table() {
        return Ok(None);
    }
    with_room(|Room { kept: ids, text, .. }| {
        ids.clear();
        for token in tokens {
            let Some(token) = token.cast::<PyString>().ok().and_then(|token| token.to_str().ok()) else {
                return Ok(None);
            };
            match value.core.token_to_id(token) {
                Some(id) if value.core.id_to_decoded_token(id) == Some(token) => ids.push(id),
                _ => return Ok(None),
            }
        }
        text_of(tokens.py(), &value, ids, false, text).map(Some)
    })
}

/// 1 for each id that is among `special`, 0 for the others.
#[pyfunction]
pub fn mask_of<'py>(
    ids: &Bound<'py, PyList>,
    mut special: Vec<TokenId>,
) -> PyResult<Option<Bound<'py, PyList>>> {
    special.sort_unstable();
    with_room(|Room { ids: room, .. }| {
        let Some(found) = plain_ids(ids, room) else { return Ok(None) };
        let mask = found.iter().map(|id| u8::from(special.binary_search(id).is_ok()));
        PyList::new(ids.py(), mask).map(Some)
    })
}

/// A copy of a list of plain numbers, or of lists of them.
#[pyfunction]
pub fn copy_of_numbers<'py>(rows: &Bound<'py, PyList>) -> PyResult<Option<Bound<'py, PyList>>> {
    let is_number = |one: Bound<'_, PyAny>| one.is_exact_instance_of::<PyInt>();
    let copy = |row: &Bound<'py, PyList>| row.get_slice(0, row.len());
    match rows.get_item(0) {
        Ok(first) if first.is_exact_instance_of::<PyInt>() => {
            Ok(rows.iter().all(is_number).then(|| copy(rows)))
        }
        Ok(_) => {
            let mut copies = Vec::with_capacity(rows.len());
            for row in rows {
                match row.cast_exact::<PyList>() {
                    Ok(row) if row.iter().all(is_number) => copies.push(copy(row)),
                    _ => return Ok(None),
                }
            }
            PyList::new(rows.py(), copies).map(Some)
        }
        Err(_) => Ok(None),
    }
}
