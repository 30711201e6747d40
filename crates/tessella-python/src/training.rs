//! Counting pieces.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::sync::{PoisonError, RwLock};

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyIterator, PyString};
use tessella_core::spec::ModelSpec;
use tessella_core::{Error, ErrorKind, Result};
use tessella_train::counts::{Cutter, Splitter};
use tessella_train::{CountOptions, PieceCounts as Core, count_texts};

use crate::errors::{self, OrRaise, from_python};
use crate::interrupt::run;
use crate::progress::Display;
use crate::tokenizer::{Tokenizer, threads};
use crate::values::argument;

/// How often each piece occurs in a corpus.
///
/// Counts are what every trainer learns from. They can be saved, merged and learned from many times, and hold
/// 64-bit numbers.
///
/// Args:
///     pieces: a dict, or pairs, of pieces and how often each occurs.
///
/// Example:
///     >>> from tessella import PieceCounts
///     >>> counts = PieceCounts({"low": 5, "lower": 2})
///     >>> counts.top(1), counts.total, len(counts)
///     ([('low', 5)], 7, 2)
#[pyclass(frozen, module = "tessella", name = "PieceCounts")]
pub struct PieceCounts {
    inner: RwLock<Core>,
}

impl From<Core> for PieceCounts {
    fn from(counts: Core) -> Self {
        PieceCounts { inner: RwLock::new(counts) }
    }
}

impl PieceCounts {
    pub fn read<R>(&self, look: impl FnOnce(&Core) -> R) -> R {
        look(&self.inner.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// All that was counted; nothing is left here.
    pub fn take(&self) -> Core {
        self.write(std::mem::take)
    }

    fn write<R>(&self, change: impl FnOnce(&mut Core) -> R) -> R {
        change(&mut self.inner.write().unwrap_or_else(PoisonError::into_inner))
    }
}

#[pymethods]
impl PieceCounts {
    #[new]
    #[pyo3(signature = (pieces = None))]
    fn new(pieces: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        let mut counts = Core::new();
        if let Some(pieces) = pieces {
            let pairs = match pieces.cast::<PyDict>() {
                Ok(dict) => dict.items().into_any(),
                Err(_) => pieces.clone(),
            };
            for pair in pairs.try_iter()? {
                let (piece, count): (String, u64) = pair?.extract()?;
                counts.add(&piece, count).or_raise()?;
            }
        }
        Ok(counts.into())
    }

    /// Adds occurrences of a piece.
    #[pyo3(signature = (piece, count = 1))]
    fn add(&self, piece: &str, #[pyo3(from_py_with = argument::count)] count: u64) -> PyResult<()> {
        self.write(|counts| counts.add(piece, count)).or_raise()
    }

    /// Adds other counts, each of them `weight` times.
    #[pyo3(signature = (other, weight = 1))]
    fn merge(
        &self,
        py: Python<'_>,
        other: &Bound<'_, PieceCounts>,
        #[pyo3(from_py_with = argument::weight)] weight: u64,
    ) -> PyResult<()> {
        let other = other.get();
        if std::ptr::eq(self, other) {
            return Err(crate::errors::argument("counts cannot be merged into themselves"));
        }
        py.detach(|| other.read(|other| self.write(|counts| counts.merge_weighted(other, weight)))).or_raise()
    }

    /// How often a piece occurs, `None` if it does not.
    fn get(&self, piece: &str) -> PyResult<Option<u64>> {
        self.read(|counts| counts.get(piece)).or_raise()
    }

    /// The most frequent pieces with their counts; ties by the pieces' bytes.
    fn top(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = argument::n)] n: usize,
    ) -> PyResult<Vec<(String, u64)>> {
        py.detach(|| self.read(|counts| counts.top(n))).or_raise()
    }

    /// All pieces with their counts, by the pieces' bytes.
    fn items(&self, py: Python<'_>) -> PyResult<Vec<(String, u64)>> {
        py.detach(|| self.read(|counts| counts.iter()?.collect::<Result<_>>())).or_raise()
    }

    /// The number of occurrences.
    #[getter]
    fn total(&self) -> u128 {
        self.read(Core::total)
    }

    /// Writes the counts to a file.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        py.detach(|| self.read(|counts| counts.save(&path))).or_raise()
    }

    /// Reads counts from a file that `save` wrote.
    #[staticmethod]
    fn open(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        py.detach(|| Core::open(&path)).or_raise().map(Self::from)
    }

    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        py.detach(|| self.read(Core::distinct)).or_raise().map(|count| count as usize)
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!("PieceCounts({} pieces, {} occurrences)", self.__len__(py)?, self.total()))
    }
}

/// Texts from a Python iterator of texts or lists of texts, fetched some at a time.
struct Texts {
    iterator: Py<PyIterator>,
    ready: VecDeque<String>,
    ended: bool,
}

/// Texts fetched in one visit to the interpreter.
const FETCH: usize = 256;

impl Texts {
    fn fetch(&mut self, py: Python<'_>) -> PyResult<()> {
        py.check_signals()?;
        let mut iterator = self.iterator.bind(py).clone();
        while self.ready.len() < FETCH {
            let Some(item) = iterator.next() else {
                self.ended = true;
                break;
            };
            let item = item?;
            if item.is_instance_of::<PyString>() {
                self.ready.push_back(crate::inputs::text(&item)?.to_string());
                continue;
            }
            let texts = item.try_iter().map_err(|_| {
                PyTypeError::new_err(format!(
                    "the iterator must yield str or lists of str, found {}",
                    item.get_type().name().map_or_else(|_| String::new(), |name| name.to_string())
                ))
            })?;
            for text in texts {
                self.ready.push_back(crate::inputs::text(&text?)?.to_string());
            }
        }
        Ok(())
    }
}

impl Iterator for Texts {
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

/// The lines of files, line ends included.
struct Lines {
    paths: std::vec::IntoIter<PathBuf>,
    current: Option<(PathBuf, BufReader<std::fs::File>, u64)>,
}

impl Lines {
    fn line(&mut self) -> Result<Option<String>> {
        loop {
            let Some((path, reader, number)) = &mut self.current else {
                let Some(path) = self.paths.next() else { return Ok(None) };
                let file = std::fs::File::open(&path)
                    .map_err(|error| Error::from(error).at(path.display().to_string()))?;
                self.current = Some((path, BufReader::with_capacity(1 << 16, file), 0));
                continue;
            };
            let mut bytes = Vec::new();
            reader
                .read_until(b'\n', &mut bytes)
                .map_err(|error| Error::from(error).at(path.display().to_string()))?;
            *number += 1;
            if bytes.is_empty() {
                self.current = None;
                continue;
            }
            return String::from_utf8(bytes).map(Some).map_err(|_| {
                Error::new(ErrorKind::Format, "the line is not UTF-8; training reads UTF-8 text")
                    .at(format!("{}, line {number}", path.display()))
            });
        }
    }
}

impl Iterator for Lines {
    type Item = Result<String>;

    fn next(&mut self) -> Option<Result<String>> {
        self.line().transpose()
    }
}

/// What Python raised inside an iterator comes out as it was.
fn raise_as_it_was(error: Error) -> PyErr {
    if error.kind() != ErrorKind::Custom {
        return errors::raise(error);
    }
    match error.into_source().map(|source| source.downcast::<PyErr>()) {
        Some(Ok(original)) => *original,
        _ => crate::errors::argument("the iterator failed"),
    }
}

/// Cuts as a tokenizer does.
struct Cuts<'t>(&'t tessella_core::Tokenizer);

impl Splitter for Cuts<'_> {
    fn cutter(&self) -> Box<Cutter<'_>> {
        let mut cutter = self.0.piece_cutter();
        Box::new(move |text, piece| cutter.cut(text, piece))
    }
}

/// Counts the pieces of the texts that an iterator yields, cut as the tokenizer cuts them.
pub fn count_iterator(
    py: Python<'_>,
    tokenizer: &Tokenizer,
    texts: &Bound<'_, PyAny>,
    length: Option<usize>,
    progress: &str,
    num_threads: Option<usize>,
) -> PyResult<PieceCounts> {
    let value = tokenizer.value()?;
    let texts = Texts { iterator: texts.try_iter()?.unbind(), ready: VecDeque::new(), ended: false };
    let options = CountOptions { threads: threads(num_threads), ..CountOptions::default() };
    let never = AtomicBool::new(false);
    let display = Display::new(progress, &never, length);
    py.detach(|| count_texts(texts, &Cuts(&value.core), &options, &display))
        .map(PieceCounts::from)
        .map_err(raise_as_it_was)
}

/// Counts the pieces of the lines of files.
pub fn count_files(
    py: Python<'_>,
    tokenizer: &Tokenizer,
    paths: Vec<PathBuf>,
    progress: &str,
    num_threads: Option<usize>,
) -> PyResult<PieceCounts> {
    let value = tokenizer.value()?;
    let sizes = paths.iter().map(|path| std::fs::metadata(path).map(|data| data.len()));
    let expected_bytes = sizes.sum::<std::io::Result<u64>>().unwrap_or(0);
    let options = CountOptions { threads: threads(num_threads), expected_bytes, ..CountOptions::default() };
    run(py, |cancel| {
        let display = Display::new(progress, cancel, None);
        let lines = Lines { paths: paths.into_iter(), current: None };
        count_texts(lines, &Cuts(&value.core), &options, &display)
    })
    .map(PieceCounts::from)
}

/// What training leaves of the model that was there: the settings that are not learned.
pub fn replace_trained(old: &ModelSpec, new: ModelSpec) -> ModelSpec {
    match (old, new) {
        (ModelSpec::Bpe(old), ModelSpec::Bpe(mut new)) => {
            new.dropout = old.dropout;
            new.unk_token = old.unk_token.clone();
            new.fuse_unk = old.fuse_unk;
            new.byte_fallback = old.byte_fallback;
            new.ignore_merges = old.ignore_merges;
            ModelSpec::Bpe(new)
        }
        (ModelSpec::WordPiece(old), ModelSpec::WordPiece(mut new)) => {
            new.unk_token = old.unk_token.clone();
            new.max_input_chars_per_word = old.max_input_chars_per_word;
            ModelSpec::WordPiece(new)
        }
        (ModelSpec::WordLevel(old), ModelSpec::WordLevel(mut new)) => {
            new.unk_token = old.unk_token.clone();
            ModelSpec::WordLevel(new)
        }
        (ModelSpec::Unigram(old), ModelSpec::Unigram(mut new)) => {
            new.byte_fallback = old.byte_fallback;
            new.alpha = old.alpha;
            new.nbest_size = old.nbest_size;
            ModelSpec::Unigram(new)
        }
        (_, new) => new,
    }
}
