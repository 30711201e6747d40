//! Texts from Python's iterators: of texts, of rows with a text in one field, or of lists of both.

use std::collections::VecDeque;

use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyIterator, PyString};
use tessella_core::{Error, ErrorKind, Result};
use tessella_formats::corpus::{CorpusOptions, Invalid};

use crate::border::errors::{self, from_python};
use crate::border::inputs::walked_by_names;
use crate::border::place::{Place, wrong_type};

/// The texts of an iterator, fetched some at a time.
pub struct Fetched {
    iterator: Py<PyIterator>,
    ready: VecDeque<String>,
    /// Items taken from the iterator.
    taken: usize,
    ended: bool,
    corpus: CorpusOptions,
    /// Texts fetched in one visit to the interpreter.
    portion: usize,
}

/// Texts that an engine's thread fetches in one visit.
pub const FETCH: usize = 256;

const YIELDED: &str = "the iterator must yield str or lists of str";

/// Whether a dict is one of `dict.fromkeys`, which keeps texts once and in their order.
fn is_ordered_set(texts: &Bound<'_, PyAny>) -> bool {
    texts.cast::<PyDict>().is_ok_and(|texts| texts.iter().all(|(_, value)| value.is_none()))
}

/// A cell of a column of Arrow's as what it holds: a text, a list of texts, a row.
fn plain(item: Bound<'_, PyAny>) -> PyResult<Bound<'_, PyAny>> {
    if item.is_instance_of::<PyString>() || item.is_instance_of::<PyDict>() {
        return Ok(item);
    }
    match item.getattr_opt("as_py")? {
        Some(as_py) => as_py.call0(),
        None => Ok(item),
    }
}

impl Fetched {
    pub fn new(texts: &Bound<'_, PyAny>, corpus: CorpusOptions, portion: usize) -> PyResult<Self> {
        if let Some(advice) = walked_by_names(texts)
            && !is_ordered_set(texts)
        {
            return Err(wrong_type(
                Place::Argument("iterator"),
                texts,
                "expected an iterable of texts",
                advice,
            ));
        }
        let (iterator, ready) = (texts.try_iter()?.unbind(), VecDeque::new());
        Ok(Fetched { iterator, ready, taken: 0, ended: false, corpus, portion })
    }

    fn fetch(&mut self, py: Python<'_>) -> PyResult<()> {
        py.check_signals()?;
        let mut iterator = self.iterator.bind(py).clone();
        while self.ready.len() < self.portion {
            let Some(item) = iterator.next() else {
                self.ended = true;
                break;
            };
            let item = plain(item?)?;
            let iterator = Place::Argument("iterator");
            let place = iterator.entry(self.taken);
            self.taken += 1;
            if self.one(&item, place)? {
                continue;
            }
            if let Some(advice) = walked_by_names(&item) {
                return Err(wrong_type(place, &item, YIELDED, advice));
            }
            let texts = item.try_iter().map_err(|_| wrong_type(place, &item, YIELDED, ""))?;
            for (index, text) in texts.enumerate() {
                let text = text?;
                if !self.one(&text, place.entry(index))? {
                    // Names what is wrong with it.
                    crate::border::texts::text(&text, place.entry(index))?;
                }
            }
        }
        Ok(())
    }

    /// Takes a text, or the text of a row; false if it is neither.
    fn one(&mut self, item: &Bound<'_, PyAny>, place: Place<'_>) -> PyResult<bool> {
        if let Ok(row) = item.cast::<PyDict>() {
            let field = &self.corpus.field;
            let text = row.get_item(field)?.ok_or_else(|| {
                let keys = row.keys();
                PyKeyError::new_err(format!(
                    "a row has no `{field}`, it has {keys}: name the field of the text"
                ))
            })?;
            if !text.is_none() {
                let text = self.text(&text, place)?;
                self.ready.push_back(text);
            }
            return Ok(true);
        }
        if item.is_instance_of::<PyString>() {
            let text = self.text(item, place)?;
            self.ready.push_back(text);
            return Ok(true);
        }
        Ok(false)
    }

    fn text(&self, item: &Bound<'_, PyAny>, place: Place<'_>) -> PyResult<String> {
        let text = crate::border::texts::text(item, place);
        if self.corpus.invalid == Invalid::Replace && text.is_err() && item.is_instance_of::<PyString>() {
            // Lone surrogates have no UTF-8; by way of UTF-16 each becomes one U+FFFD.
            let units = item.call_method1("encode", ("utf-16-le", "surrogatepass"))?;
            return units.call_method1("decode", ("utf-16-le", "replace"))?.extract();
        }
        Ok(text?.to_string())
    }
}

impl Iterator for Fetched {
    type Item = Result<String>;

    fn next(&mut self) -> Option<Result<String>> {
        while self.ready.is_empty() && !self.ended {
            if let Err(error) = Python::attach(|py| self.fetch(py)) {
                self.ended = true;
                return Some(Err(from_python(error)));
            }
        }
        self.ready.pop_front().map(Ok)
    }
}

/// What Python raised inside an iterator comes out as it was.
pub fn raise_as_it_was(error: Error) -> PyErr {
    if error.kind() != ErrorKind::Custom {
        return errors::raise(error);
    }
    match error.into_source().map(|source| source.downcast::<PyErr>()) {
        Some(Ok(original)) => *original,
        _ => errors::argument("the iterator failed"),
    }
}

/// The texts of an iterator, one after the other, for who looks at each in Python.
#[pyclass(module = "tessella._tessella")]
pub struct TextsOf(Fetched);

#[pymethods]
impl TextsOf {
    #[new]
    fn new(texts: &Bound<'_, PyAny>, field: String, replace: bool) -> PyResult<Self> {
        let invalid = if replace { Invalid::Replace } else { Invalid::Refuse };
        let corpus = CorpusOptions { field, invalid, ..CorpusOptions::default() };
        Fetched::new(texts, corpus, 1).map(TextsOf)
    }

    fn __iter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    fn __next__(&mut self) -> PyResult<Option<String>> {
        self.0.next().transpose().map_err(raise_as_it_was)
    }
}
