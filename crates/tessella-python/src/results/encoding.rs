//! `Encoding`: the result of encoding one text or pair.

use std::sync::{PoisonError, RwLock};

use numpy::ndarray::IntoDimension;
use numpy::{Element, PyArray1, PyArray2};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyInt, PyList, PyType};
use tessella_core::spec::Direction;

use tessella_core::{Encoding as Core, EncodingParts, NO_WORD, Offsets};

use crate::border::arrays;
use crate::border::errors::OrRaise;
use crate::border::interpreter::{fresh, pairs};
use crate::border::recurring;
use crate::border::values::{argument, direction};

/// The result of encoding one text, or a pair: columns of equal length, one entry for each token.
///
/// Offsets count characters of the text that was encoded. Special tokens and padding have the offsets
/// `(0, 0)`, no word and no sequence.
///
/// Example:
///     >>> from tessella import Tokenizer, models
///     >>> tokenizer = Tokenizer(models.BPE())
///     >>> _ = tokenizer.add_tokens(["hello", "world"])
///     >>> encoding = tokenizer.encode("hello world")
///     >>> encoding.tokens, encoding.offsets
///     (['hello', 'world'], [(0, 5), (6, 11)])
#[pyclass(frozen, module = "tessella", name = "Encoding")]
pub struct Encoding {
    inner: RwLock<Core>,
}

/// Numbers that are copied without room of their own, at most.
const FEW: usize = 32;

impl From<Core> for Encoding {
    fn from(encoding: Core) -> Self {
        Encoding { inner: RwLock::new(encoding) }
    }
}

impl Encoding {
    /// Looks at the columns. What Python is given is made of what `look` gives, behind it: with every list and tuple that is made
    /// finalizers may run, which are code of others and may change this encoding.
    pub fn read<R>(&self, look: impl FnOnce(&Core) -> R) -> R {
        look(&self.inner.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Works with a copy of a column, which need not be kept for it; a short one, as most are, is copied without room of its own.
    fn copied<T: Copy + Default, R>(
        &self,
        copy: impl FnOnce(&Core, &mut [T]),
        work: impl FnOnce(&[T]) -> PyResult<R>,
    ) -> PyResult<R> {
        let mut few = [T::default(); FEW];
        let copied = self.read(|one| {
            let count = one.len();
            let Some(few) = few.get_mut(..count) else {
                let mut many = vec![T::default(); count];
                copy(one, &mut many);
                return Err(many);
            };
            copy(one, few);
            Ok(count)
        });
        match copied {
            Ok(count) => work(&few[..count]),
            Err(many) => work(&many),
        }
    }

    /// Makes an array of a shape for all tokens, and has `write` fill it. Other threads may run while it is made, and change the
    /// encoding: then it is made once more.
    fn filled<'py, T: Element + Copy, I: IntoDimension>(
        &self,
        py: Python<'py>,
        shape: impl Fn(usize) -> I,
        write: impl Fn(&Core, &mut fresh::Room<'_, T>),
    ) -> PyResult<fresh::Array<'py, T, I::Dim>> {
        arrays::ready(py)?;
        loop {
            let count = self.read(Core::len);
            if let Some(array) = fresh::array(py, shape(count), |room| self.read(|one| write(one, room))) {
                return Ok(array);
            }
        }
    }

    fn write<R>(&self, change: impl FnOnce(&mut Core) -> R) -> R {
        change(&mut self.inner.write().unwrap_or_else(PoisonError::into_inner))
    }

    pub fn copy(&self) -> Core {
        self.read(Core::clone)
    }
}

/// Columns under construction, for encodings that Python puts together.
#[derive(Default)]
pub struct Columns(EncodingParts);

impl Columns {
    pub fn push(&mut self, id: u32, token: String, type_id: u32, offsets: (usize, usize), word: u32) {
        self.0.ids.push(id);
        self.0.tokens.push(token.into());
        self.0.type_ids.push(type_id);
        self.0.offsets.push(offsets);
        self.0.words.push(Some(word));
        self.0.special_tokens_mask.push(0);
        self.0.attention_mask.push(1);
    }

    pub fn build(self) -> tessella_core::Result<Core> {
        Core::from_parts(self.0)
    }
}

/// A batch as a Python list.
pub fn list<'py>(py: Python<'py>, encodings: Vec<Core>) -> PyResult<Bound<'py, PyList>> {
    PyList::new(
        py,
        encodings.into_iter().map(|one| Py::new(py, Encoding::from(one))).collect::<PyResult<Vec<_>>>()?,
    )
}

/// A column of rows that are as long as each other, as an array of `int64` with a row for each; of `offsets` with a start and an end for
/// each token.
#[pyfunction]
pub fn matrix<'py>(rows: &Bound<'py, PyList>, column: &str) -> PyResult<Bound<'py, PyAny>> {
    let py = rows.py();
    let mut numbers: Vec<i64> = Vec::new();
    let mut length = 0;
    for row in rows {
        row.cast::<Encoding>()?.get().read(|row| {
            length = row.len();
            numbers.reserve_exact(if numbers.is_empty() { length * rows.len() } else { 0 });
            match column {
                "ids" => numbers.extend(row.ids().iter().copied().map(i64::from)),
                "type_ids" => numbers.extend(row.type_ids().into_iter().map(i64::from)),
                "attention_mask" => numbers.extend(row.attention_mask().into_iter().map(i64::from)),
                "special_tokens_mask" => numbers.extend(row.special_tokens_mask().into_iter().map(i64::from)),
                _ => numbers.extend(row.offsets().iter().flat_map(|(start, end)| [start as i64, end as i64])),
            }
        });
    }
    match column {
        "offsets" => arrays::of_shape(py, (rows.len(), length, 2), numbers),
        _ => arrays::of_shape(py, (rows.len(), length), numbers),
    }
}

#[pymethods]
impl Encoding {
    #[new]
    fn new() -> Self {
        Core::default().into()
    }

    /// Joins encodings in order.
    ///
    /// Args:
    ///     encodings: the parts.
    ///     growing_offsets: let the offsets of each part start where those of the part before ended.
    #[staticmethod]
    #[pyo3(signature = (encodings, growing_offsets = true))]
    fn merge(encodings: Vec<Py<Encoding>>, growing_offsets: bool) -> PyResult<Encoding> {
        let parts = encodings.iter().map(|one| one.get().copy()).collect();
        Core::merge(parts, growing_offsets).or_raise().map(Encoding::from)
    }

    /// The id of each token.
    #[getter]
    fn ids<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        self.copied(|one, ids| ids.copy_from_slice(one.ids()), |ids: &[u32]| PyList::new(py, ids))
    }

    /// Which segment each token belongs to, as models like BERT want it.
    #[getter]
    fn type_ids<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        PyList::new(py, self.read(Core::type_ids))
    }

    // The same columns as arrays, without an object for each token. Every call gives a new array.

    /// `ids` as an array of `uint32`.
    ///
    /// Arrays are the fast way to the columns: they are copied at once, where lists have an object for each entry. Each
    /// reading gives a new array, which is the caller's.
    ///
    /// Example:
    ///     >>> from tessella import Tokenizer, models
    ///     >>> tokenizer = Tokenizer(models.BPE())
    ///     >>> _ = tokenizer.add_tokens(["hello", "world"])
    ///     >>> encoding = tokenizer.encode("hello world")
    ///     >>> encoding.ids_array
    ///     array([0, 1], dtype=uint32)
    #[getter]
    fn ids_array<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<u32>>> {
        self.filled(py, |count| [count], |one, room| room.put(one.ids(), |id| id))
    }

    /// `type_ids` as an array of `uint32`.
    #[getter]
    fn type_ids_array<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<u32>>> {
        arrays::from_vec(py, self.read(Core::type_ids))
    }

    /// `offsets` as an array of `int64`, with a row for each token: its start and its end.
    ///
    /// Example:
    ///     >>> from tessella import Tokenizer, models
    ///     >>> tokenizer = Tokenizer(models.BPE())
    ///     >>> _ = tokenizer.add_tokens(["hello", "world"])
    ///     >>> tokenizer.encode("hello world").offsets_array.tolist()
    ///     [[0, 5], [6, 11]]
    #[getter]
    fn offsets_array<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<i64>>> {
        self.filled(
            py,
            |count| [count, 2],
            |one, room| match one.offsets_there() {
                Some(Offsets::Narrow(pairs)) => room.put(pairs.as_flattened(), i64::from),
                _ => one.write_offsets(room.zeros(2 * one.len()).as_chunks_mut().0),
            },
        )
    }

    /// `word_ids` as an array of `int64`, -1 for special tokens and padding.
    #[getter]
    fn word_ids_array<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let number = |word| if word == NO_WORD { -1 } else { i64::from(word) };
        self.filled(
            py,
            |count| [count],
            |one, room| match one.words_there() {
                Some(words) => room.put(words, number),
                None => one.write_words(room.zeros(one.len())),
            },
        )
    }

    /// `special_tokens_mask` as an array of `uint32`.
    #[getter]
    fn special_tokens_mask_array<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<u32>>> {
        arrays::from_vec(py, self.read(Core::special_tokens_mask))
    }

    /// `attention_mask` as an array of `uint32`.
    #[getter]
    fn attention_mask_array<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<u32>>> {
        arrays::from_vec(py, self.read(Core::attention_mask))
    }

    /// The text of each token in the vocabulary.
    #[getter]
    fn tokens<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let tokens = self.read(|one| {
            let name = |id| Some(one.vocabulary_text(id));
            recurring::texts(py, one.vocabulary_number(), one.surfaces(), name)
        });
        PyList::new(py, tokens)
    }

    /// Start and end of each token in the text that was encoded, in characters.
    #[getter]
    fn offsets<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        self.copied(Core::write_offsets, |places| pairs(py, places))
    }

    /// 1 for special tokens and padding, 0 for text.
    #[getter]
    fn special_tokens_mask<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        PyList::new(py, self.read(Core::special_tokens_mask))
    }

    /// 0 for padding, 1 otherwise.
    #[getter]
    fn attention_mask<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        PyList::new(py, self.read(Core::attention_mask))
    }

    /// The index of the word that each token belongs to, `None` for special tokens and padding.
    #[getter]
    fn word_ids<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        // Tokens of one word stand side by side, and share its number.
        let mut last: Option<(i64, Bound<'py, PyInt>)> = None;
        let mut number = |word: i64| match &last {
            _ if word < 0 => None,
            Some((same, number)) if *same == word => Some(number.clone()),
            _ => {
                let Ok(number) = word.into_pyobject(py);
                last = Some((word, number.clone()));
                Some(number)
            }
        };
        self.copied(Core::write_words, |words| PyList::new(py, words.iter().copied().map(&mut number)))
    }

    /// Deprecated: use `word_ids`.
    #[getter]
    fn words<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        PyErr::warn(
            py,
            &py.get_type::<pyo3::exceptions::PyDeprecationWarning>(),
            c"Encoding.words is deprecated, please use Encoding.word_ids instead.",
            1,
        )?;
        self.word_ids(py)
    }

    /// The index of the sequence that each token belongs to, `None` for special tokens and padding.
    #[getter]
    fn sequence_ids(&self) -> Vec<Option<usize>> {
        self.read(Core::sequence_ids)
    }

    /// How many sequences are joined here.
    #[getter]
    fn n_sequences(&self) -> usize {
        self.read(Core::n_sequences)
    }

    /// The windows that truncation cut off.
    #[getter]
    fn overflowing<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        list(py, self.read(|one| one.overflowing().to_vec()))
    }

    /// Says that all tokens belong to one sequence.
    fn set_sequence_id(&self, #[pyo3(from_py_with = argument::sequence_id)] sequence_id: usize) {
        self.write(|one| one.set_sequence_id(sequence_id));
    }

    /// The first and one past the last token of a word, if the sequence has the word.
    #[pyo3(signature = (word_index, sequence_index = 0))]
    fn word_to_tokens(
        &self,
        #[pyo3(from_py_with = argument::word_index)] word_index: u32,
        #[pyo3(from_py_with = argument::sequence_index)] sequence_index: usize,
    ) -> Option<(usize, usize)> {
        self.read(|one| one.word_to_tokens(word_index, sequence_index))
    }

    /// Where a word stands in the text, in characters.
    #[pyo3(signature = (word_index, sequence_index = 0))]
    fn word_to_chars(
        &self,
        #[pyo3(from_py_with = argument::word_index)] word_index: u32,
        #[pyo3(from_py_with = argument::sequence_index)] sequence_index: usize,
    ) -> Option<(usize, usize)> {
        self.read(|one| one.word_to_chars(word_index, sequence_index))
    }

    /// The sequence of a token.
    fn token_to_sequence(
        &self,
        #[pyo3(from_py_with = argument::token_index)] token_index: usize,
    ) -> Option<usize> {
        self.read(|one| one.token_to_sequence(token_index))
    }

    /// Where a token stands in its text, in characters.
    fn token_to_chars(
        &self,
        #[pyo3(from_py_with = argument::token_index)] token_index: usize,
    ) -> Option<(usize, usize)> {
        self.read(|one| one.token_to_chars(token_index)).map(|(_, offsets)| offsets)
    }

    /// The word of a token.
    fn token_to_word(&self, #[pyo3(from_py_with = argument::token_index)] token_index: usize) -> Option<u32> {
        self.read(|one| one.token_to_word(token_index)).map(|(_, word)| word)
    }

    /// The token that holds a character, if one does.
    #[pyo3(signature = (char_pos, sequence_index = 0))]
    fn char_to_token(
        &self,
        #[pyo3(from_py_with = argument::char_pos)] char_pos: usize,
        #[pyo3(from_py_with = argument::sequence_index)] sequence_index: usize,
    ) -> Option<usize> {
        self.read(|one| one.char_to_token(char_pos, sequence_index))
    }

    /// The word that holds a character, if one does.
    #[pyo3(signature = (char_pos, sequence_index = 0))]
    fn char_to_word(
        &self,
        #[pyo3(from_py_with = argument::char_pos)] char_pos: usize,
        #[pyo3(from_py_with = argument::sequence_index)] sequence_index: usize,
    ) -> Option<u32> {
        self.read(|one| one.char_to_word(char_pos, sequence_index))
    }

    /// Fills up to `length` tokens; a longer encoding stays as it is.
    ///
    /// Args:
    ///     direction: the side that is filled, `right` or `left`.
    ///     pad_id, pad_type_id, pad_token: what to fill with.
    #[pyo3(signature = (length, direction = "right", pad_id = 0, pad_type_id = 0, pad_token = "[PAD]"))]
    fn pad(
        &self,
        #[pyo3(from_py_with = argument::padded_length)] length: usize,
        direction: &str,
        #[pyo3(from_py_with = argument::pad_id)] pad_id: u32,
        #[pyo3(from_py_with = argument::pad_type_id)] pad_type_id: u32,
        pad_token: &str,
    ) -> PyResult<()> {
        let direction = self::direction(direction)?;
        self.write(|one| one.pad(length, pad_id, pad_type_id, pad_token, direction)).or_raise()
    }

    /// Cuts to `max_length` tokens; what is cut goes to `overflowing`, in windows that share `stride` tokens.
    #[pyo3(signature = (max_length, stride = 0, direction = "right"))]
    fn truncate(
        &self,
        #[pyo3(from_py_with = argument::max_length)] max_length: usize,
        #[pyo3(from_py_with = argument::stride)] stride: usize,
        direction: &str,
    ) -> PyResult<()> {
        let direction = match direction {
            "left" => Direction::Left,
            "right" => Direction::Right,
            other => {
                return Err(crate::border::errors::argument(format!(
                    "Invalid truncation direction value : {other}"
                )));
            }
        };
        self.write(|one| one.truncate(max_length, stride, direction)).or_raise()
    }

    fn __len__(&self) -> usize {
        self.read(Core::len)
    }

    fn __repr__(&self) -> String {
        format!(
            "Encoding(num_tokens={}, attributes=[ids, type_ids, tokens, offsets, attention_mask, \
             special_tokens_mask, overflowing])",
            self.read(Core::len)
        )
    }

    /// What a notebook shows.
    fn _repr_html_<'py>(this: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        this.py().import("tessella._html")?.call_method1("encoding", (this,))
    }

    // Asked by every protocol of pickles; the oldest two know nothing of what the others ask.
    fn __reduce__<'py>(this: &Bound<'py, Self>) -> (Bound<'py, PyType>, (), Bound<'py, PyBytes>) {
        (this.get_type(), (), this.get().__getstate__(this.py()))
    }

    fn __getstate__<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.read(Core::to_bytes))
    }

    fn __setstate__(&self, state: &Bound<'_, PyAny>) -> PyResult<()> {
        let state = state.cast::<PyBytes>().map_err(|_| {
            PyTypeError::new_err("the state of an Encoding is bytes, as Encoding.__getstate__ gives them")
        })?;
        let encoding = Core::from_bytes(state.as_bytes()).or_raise()?;
        self.write(|one| *one = encoding);
        Ok(())
    }
}
