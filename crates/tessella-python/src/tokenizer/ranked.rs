//! What a table of ranks is asked: the calls of `tessella.compat.tiktoken`.
//!
//! Each answers for plain arguments, a `str`, `bytes`, a list of plain `int`, and gives `None` for all others and for what goes wrong
//! with them: then Python asks again, step by step, and tells the error. Those steps are the slow twin of these.

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyString, PyTuple};
use tessella_core::{EncodeOptions, Error, Joined, Ranked as Core, TokenId};
use tessella_formats::tiktoken;
use tessella_formats::utf8;

use super::Tokenizer;
use super::decoding::{Room, made, others_turn, own_bytes, with_room};
use crate::border::arrays;
use crate::border::errors::OrRaise;
use crate::border::interpreter::{plain_id, plain_ids};
use crate::border::interrupt::sized;
use crate::border::place::Place;
use crate::border::texts::Text;
use crate::tokenizer::call::tiny;

/// A table of ranks with its special tokens.
#[pyclass(frozen, module = "tessella._tessella")]
pub struct Ranked {
    core: Arc<Core>,
    /// No text is free of the empty token.
    is_anywhere: bool,
}

/// Of one text and nothing around it.
fn plainly() -> EncodeOptions<'static> {
    EncodeOptions { add_special_tokens: false, threads: 1, ..EncodeOptions::default() }
}

#[pymethods]
impl Ranked {
    /// Of the tokenizer of a table, special tokens with their ids, if these are ids, and the ids of the table that stand for nothing.
    #[new]
    fn new(
        tokenizer: &Bound<'_, Tokenizer>,
        special: Vec<(String, Option<TokenId>)>,
        empty: Vec<TokenId>,
    ) -> PyResult<Self> {
        let nothing = empty.into_iter().map(|id| (id, Box::default()));
        let further = special.iter().filter_map(|(name, id)| Some(((*id)?, name.as_bytes().into())));
        let further = further.chain(nothing).collect();
        let is_anywhere = special.iter().any(|(name, _)| name.is_empty());
        let names = special.into_iter().map(|(name, _)| name).filter(|name| !name.is_empty()).collect();
        let core = Core::new(tokenizer.get().value()?.core.clone(), further, names).or_raise()?;
        Ok(Ranked { core: Arc::new(core), is_anywhere })
    }

    /// The ids of a text in which nothing is special.
    fn ordinary<'py>(&self, text: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyList>>> {
        self.ids(text, |_| true)
    }

    /// The same of a text without a special token; `None` too of one with.
    fn without_special<'py>(&self, text: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyList>>> {
        if self.is_anywhere {
            return Ok(None);
        }
        self.ids(text, |text| !self.core.names_any(text))
    }

    /// The ids of bytes that nothing cuts.
    fn piece<'py>(&self, piece: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyList>>> {
        let (py, Ok(piece)) = (piece.py(), piece.cast_exact::<PyBytes>()) else { return Ok(None) };
        let piece = piece.as_bytes();
        if piece.is_empty() {
            return Ok(None);
        }
        let ids = sized(py, piece.len(), |_| {
            let mut ids = Vec::new();
            self.core.append_piece(piece, &mut ids).map(|()| ids)
        })?;
        PyList::new(py, ids).map(Some)
    }

    /// The ways in which bytes at the end of a text may go on.
    fn ways<'py>(&self, py: Python<'py>, tail: &[u8]) -> PyResult<Bound<'py, PyList>> {
        // Nobody forks as long as the interpreter is ours.
        self.core.know_ways();
        // Few bytes may go on in many ways.
        let work = tail.len().saturating_mul(1 << 10);
        let ways =
            sized(py, work, |cancel| self.core.ways(tail, &tessella_core::cancel::Cancel::new(cancel)))?;
        let lists = PyList::empty(py);
        ways.iter().try_for_each(|way| lists.append(PyList::new(py, way)?))?;
        Ok(lists)
    }

    /// The bytes of an id.
    fn bytes_of<'py>(&self, id: &Bound<'py, PyAny>) -> Option<Bound<'py, PyBytes>> {
        self.core.bytes_of(plain_id(id)?).map(|bytes| PyBytes::new(id.py(), bytes))
    }

    /// The bytes of each id.
    fn bytes_of_each<'py>(&self, ids: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyList>>> {
        let py = ids.py();
        with_room(|Room { ids: room, .. }| {
            let Some(ids) = listed(ids, room) else { return Ok(None) };
            let each = |&id: &TokenId| self.core.bytes_of(id).map(|bytes| own_bytes(py, bytes)).transpose();
            let bytes: Option<Vec<_>> = ids.iter().map(each).collect::<PyResult<_>>()?;
            bytes.map(|bytes| PyList::new(py, bytes)).transpose()
        })
    }

    /// The bytes of all ids together.
    fn joined<'py>(&self, ids: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyBytes>>> {
        let py = ids.py();
        self.with_joined(ids, |joined, _| own_bytes(py, bytes_in(joined)).map(Some))
    }

    /// Their text, with U+FFFD for what is no UTF-8.
    fn text<'py>(&self, ids: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyString>>> {
        let py = ids.py();
        self.with_joined(ids, |joined, _| made(py, joined))
    }

    /// Their text, and the character in which each of them starts; `None` too where bytes are no UTF-8.
    fn text_with_starts<'py>(&self, ids: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyTuple>>> {
        let py = ids.py();
        self.with_joined(ids, |joined, ids| {
            if utf8::text(bytes_in(joined)).is_err() {
                return Ok(None);
            }
            let (Some(starts), Some(text)) = (self.core.starts(ids), made(py, joined)?) else {
                return Ok(None);
            };
            PyTuple::new(py, [text.into_any(), PyList::new(py, starts)?.into_any()]).map(Some)
        })
    }
}

impl Ranked {
    /// The ids of a text of which `allowed` holds, in a list.
    fn ids<'py>(
        &self,
        text: &Bound<'py, PyAny>,
        allowed: impl FnOnce(&str) -> bool,
    ) -> PyResult<Option<Bound<'py, PyList>>> {
        let py = text.py();
        let tokenizer = self.core.tokenizer();
        if let Some(text) = tiny(text) {
            if !allowed(text) {
                return Ok(None);
            }
            return tokenizer.with_ids(text, &plainly(), |ids| PyList::new(py, ids).map(Some)).or_raise()?;
        }
        if !text.is_instance_of::<PyString>() {
            return Ok(None);
        }
        let Ok(text) = Text::new(text, Place::Argument("text")) else { return Ok(None) };
        if !allowed(&text) {
            return Ok(None);
        }
        let text: &str = &text;
        let ids = sized(py, text.len(), |cancel| {
            tokenizer.encode_ids(text, &EncodeOptions { cancel, ..plainly() })
        })?;
        PyList::new(py, ids).map(Some)
    }

    /// What is made of joined bytes, and their ids.
    fn with_joined<'py, R>(
        &self,
        ids: &Bound<'py, PyAny>,
        make: impl FnOnce(Joined<'_>, &[TokenId]) -> PyResult<Option<R>>,
    ) -> PyResult<Option<R>> {
        let py = ids.py();
        with_room(|Room { ids: room, text, .. }| {
            let Some(ids) = listed(ids, room) else { return Ok(None) };
            let pause = || others_turn(py).map_err(|error| Error::interrupted().caused_by(error));
            match self.core.join(ids, text, pause).or_raise()? {
                Some(joined) => make(joined, ids),
                None => Ok(None),
            }
        })
    }
}

/// The ids of a list or an array of plain numbers.
fn listed<'r>(ids: &Bound<'_, PyAny>, room: &'r mut Vec<TokenId>) -> Option<&'r [TokenId]> {
    match ids.cast_exact::<PyList>() {
        Ok(list) => plain_ids(list, room),
        Err(_) => (arrays::is_array(ids).ok()? && arrays::copy_ids(ids, room)).then_some(room),
    }
}

fn bytes_in(joined: Joined<'_>) -> &[u8] {
    match joined {
        Joined::Ascii(bytes) | Joined::Replaced(bytes) | Joined::Unsettled(bytes) => bytes,
    }
}

/// The dict of a table of ranks; `None` where its lines are not plain, of which Python tells what is wrong.
#[pyfunction]
pub fn read_ranks<'py>(py: Python<'py>, lines: &[u8]) -> PyResult<Option<Bound<'py, PyDict>>> {
    let Some(ranks) = sized(py, lines.len(), |_| Ok(tiktoken::read_ranks(lines).ok()))? else {
        return Ok(None);
    };
    let dict = PyDict::new(py);
    for (token, rank) in ranks.iter() {
        dict.set_item(PyBytes::new(py, token), rank)?;
    }
    Ok(Some(dict))
}
