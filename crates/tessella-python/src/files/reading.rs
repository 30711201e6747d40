//! Reading the texts of files: options, streams of Python's, and what is done with the texts here.

use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{PyDict, PyTuple};
use tessella_core::cancel::Cancel;
use tessella_core::{EncodeOptions, Result};
use tessella_formats::corpus::{
    Corpus, CorpusOptions, Cut, Form, Input, Invalid, Share, Skipped, Spot, encode_most,
};
use tessella_formats::utf8;

use crate::border::arrays;
use crate::border::errors;
use crate::border::interrupt::{ALONE, SMALL, run, sized_until};
use crate::border::values::argument;
use crate::components::live::lock;
use crate::tokenizer::{Tokenizer, ids_options, threads};

/// Sets an option of reading by its name in Python; false if there is none of this name.
pub fn set(options: &mut CorpusOptions, name: &str, value: &Bound<'_, PyAny>) -> PyResult<bool> {
    match name {
        "field" => options.field = value.extract()?,
        "without_every" => options.share = Share::Without(value.extract()?),
        "only_every" => options.share = Share::Only(value.extract()?),
        "skips" => options.skips = value.extract()?,
        "separator" => options.cut = Cut::At(value.extract()?),
        "cut" => {
            options.cut = match value.extract::<String>()?.as_str() {
                "never" => Cut::Never,
                "bare lines" => Cut::BareLines,
                _ => Cut::Lines,
            }
        }
        "format" => {
            options.form = match value.extract::<String>()?.as_str() {
                "text" => Form::Text,
                "jsonl" => Form::JsonLines,
                _ => Form::ByName,
            }
        }
        "errors" => {
            options.invalid = match value.extract::<String>()?.as_str() {
                "replace" => Invalid::Replace,
                _ => Invalid::Refuse,
            }
        }
        _ => return Ok(false),
    }
    Ok(true)
}

/// Whether a file's name says that it holds JSON lines.
#[pyfunction]
pub fn names_json_lines(path: PathBuf) -> bool {
    tessella_formats::corpus::names_json_lines(&path)
}

/// How a file is packed, by its first bytes.
#[pyfunction]
pub fn packing(head: &[u8]) -> Option<&'static str> {
    tessella_formats::corpus::packing(head)
}

/// Refuses a pointer of Git LFS, by the first bytes of a file.
#[pyfunction]
pub fn check_fetched(path: PathBuf, head: &[u8]) -> PyResult<()> {
    tessella_formats::unfetched::refuse_pointer(&path, head).map_err(errors::raise)
}

/// Refuses a file whose name says that it is packed when its first bytes say that it is not.
#[pyfunction]
pub fn check_packing(path: PathBuf, head: &[u8]) -> PyResult<()> {
    tessella_formats::corpus::check_packing(&path, head)
        .map_err(|error| named(errors::raise(error), Some(&path)))
}

/// What a stream of Python's raised while the engine read from it.
pub type Raised = Arc<Mutex<Option<PyErr>>>;

/// A binary stream of Python's. What comes first is given at once, so that a person who types is answered.
pub struct Stream {
    file: Py<PyAny>,
    raised: Raised,
}

impl Stream {
    /// `raised` gets what the stream raises.
    pub fn new(file: Py<PyAny>, raised: &Raised) -> Self {
        Stream { file, raised: raised.clone() }
    }
}

impl Read for Stream {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let bytes = Python::attach(|py| -> PyResult<PyBackedBytes> {
            let file = self.file.bind(py);
            let read = if file.hasattr("read1")? { "read1" } else { "read" };
            Ok(file.call_method1(read, (buffer.len(),))?.extract()?)
        });
        match bytes {
            Ok(bytes) => {
                let part = bytes.get(..buffer.len()).unwrap_or(&bytes);
                buffer[..part.len()].copy_from_slice(part);
                Ok(part.len())
            }
            Err(error) => {
                *lock(&self.raised) = Some(error);
                Err(io::Error::other("the stream raised"))
            }
        }
    }
}

/// The texts of files in Python's hands, some at a time; or their ids.
#[pyclass(frozen, module = "tessella._tessella")]
pub struct TextFiles {
    corpus: Mutex<Corpus>,
    position: Arc<AtomicU64>,
    raised: Raised,
    /// The most texts that one step gives.
    most: usize,
    /// How many texts may be passed over, and those that the tokenizer could not encode.
    skips: usize,
    skipped: Arc<Mutex<Vec<Skipped>>>,
    /// Nobody wants more: reading and encoding end wherever they are.
    stop: Arc<AtomicBool>,
    /// All was read.
    is_at_end: AtomicBool,
}

/// Some texts that were read and are not encoded yet: while one thread reads on, others encode.
#[pyclass(frozen, module = "tessella._tessella")]
pub struct Portion {
    texts: Vec<String>,
    spots: Vec<Spot>,
    /// The file that the last of them is from.
    name: Option<PathBuf>,
    skips: usize,
    skipped: Arc<Mutex<Vec<Skipped>>>,
    stop: Arc<AtomicBool>,
}

/// Bytes of text that one step gives, and the most texts.
const STEP_BYTES: usize = 1 << 18;
const STEP_TEXTS: usize = 1 << 12;

#[pymethods]
impl TextFiles {
    /// `inputs` holds paths, and pairs of a name and a binary stream.
    #[new]
    #[pyo3(signature = (inputs, most = STEP_TEXTS, **options))]
    fn new(
        inputs: Vec<Bound<'_, PyAny>>,
        most: usize,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let mut corpus = CorpusOptions::default();
        for (name, value) in options.into_iter().flatten() {
            let name: String = name.extract()?;
            if !set(&mut corpus, &name, &value)? {
                return Err(errors::argument(format!("reading has no option `{name}`")));
            }
        }
        let raised = Raised::default();
        let input = |one: Bound<'_, PyAny>| match one.cast::<PyTuple>() {
            Ok(pair) => {
                let (name, file): (String, Py<PyAny>) = pair.extract()?;
                let reader = Box::new(Stream::new(file, &raised));
                Ok(Input::Stream { name, reader })
            }
            Err(_) => one.extract::<PathBuf>().map(Input::File),
        };
        let inputs = inputs.into_iter().map(input).collect::<PyResult<Vec<Input>>>()?;
        let skips = corpus.skips;
        let corpus = Corpus::new(inputs, corpus);
        Ok(TextFiles {
            position: corpus.position(),
            corpus: Mutex::new(corpus),
            raised,
            most: most.max(1),
            skips,
            skipped: Arc::default(),
            stop: Arc::default(),
            is_at_end: AtomicBool::new(false),
        })
    }

    /// Bytes taken from the files so far, packed as they are.
    #[getter]
    fn position(&self) -> u64 {
        self.position.load(Ordering::Relaxed)
    }

    /// Rows so far that hold `null` in place of a text.
    #[getter]
    fn nulls(&self, py: Python<'_>) -> u64 {
        py.detach(|| lock(&self.corpus).nulls())
    }

    fn __iter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<Vec<String>>> {
        let (step, name) = py.detach(|| self.step(STEP_BYTES, self.most, Cancel::never()));
        let (texts, _) = step.map_err(|error| self.as_it_was(errors::raise(error), name.as_deref()))?;
        Ok((!texts.is_empty()).then_some(texts))
    }

    /// The texts that were passed over since this was last asked: line, byte, and what is wrong with each.
    fn skipped(&self, py: Python<'_>) -> Vec<(u64, u64, String)> {
        // Who reads holds the corpus while the stream's turn in Python comes.
        let mut found = py.detach(|| lock(&self.corpus).skipped());
        found.append(&mut lock(&self.skipped));
        found.sort_by_key(|one| one.spot);
        found.into_iter().map(|one| (one.spot.line, one.spot.byte, one.reason)).collect()
    }

    /// The next texts, about so many bytes of them; nothing at the end. Of a small file it is the calling thread that reads:
    /// one of Python's streams, whose reads look for signals.
    #[pyo3(signature = (bytes, is_small = false))]
    fn take(&self, py: Python<'_>, bytes: usize, is_small: bool) -> PyResult<Option<Portion>> {
        if self.is_at_end.load(Ordering::Relaxed) {
            return Ok(None);
        }
        let (step, name) = sized_until(py, is_small, &self.stop, |stop| {
            Ok(self.step(bytes, usize::MAX, Cancel::new(Some(stop))))
        })?;
        let (texts, spots) = step.map_err(|error| self.as_it_was(errors::raise(error), name.as_deref()))?;
        let (skips, skipped, stop) = (self.skips, self.skipped.clone(), self.stop.clone());
        Ok((!texts.is_empty()).then_some(Portion { texts, spots, name, skips, skipped, stop }))
    }

    /// Ends what other threads read and encode of it.
    fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}

#[pymethods]
impl Portion {
    /// The ids of the texts, and where each text's begin.
    #[pyo3(signature = (tokenizer, add_special_tokens = true, num_threads = None, encode_special_tokens = None))]
    #[allow(clippy::type_complexity)]
    fn encode<'py>(
        &self,
        py: Python<'py>,
        tokenizer: &Bound<'py, Tokenizer>,
        add_special_tokens: bool,
        #[pyo3(from_py_with = argument::num_threads)] num_threads: Option<usize>,
        encode_special_tokens: Option<bool>,
    ) -> PyResult<(Bound<'py, PyArray1<u32>>, Bound<'py, PyArray1<i64>>)> {
        let value = tokenizer.get().value()?;
        let threads = threads(num_threads);
        let bytes: usize = self.texts.iter().map(String::len).sum();
        let is_small = bytes <= if threads == 1 { SMALL } else { ALONE };
        let found = sized_until(py, is_small, &self.stop, |stop| {
            let views: Vec<&str> = self.texts.iter().map(String::as_str).collect();
            let options = ids_options(&value, (add_special_tokens, encode_special_tokens), threads);
            let options = EncodeOptions { cancel: Some(stop), ..options };
            if self.skips == 0 {
                return value.core.encode_ids_batch(views.as_slice(), &options);
            }
            let (ids, skipped) = encode_most(&value.core, &views, &self.spots, &options, self.skips)?;
            lock(&self.skipped).extend(skipped);
            Ok(ids)
        });
        let ids = found.map_err(|error| named(error, self.name.as_deref()))?;
        Ok((arrays::from_vec(py, ids.ids)?, arrays::from_vec(py, ids.offsets)?))
    }
}

/// The ids of texts that lie one after the other, as a column of Arrow holds them: `offsets` tells where each begins,
/// and the end. Nothing where one of them is not UTF-8, so that whoever knows the column tells which.
#[pyfunction]
#[pyo3(signature = (tokenizer, content, offsets, add_special_tokens = true, num_threads = None, encode_special_tokens = None))]
#[allow(clippy::type_complexity)]
pub fn encode_column<'py>(
    py: Python<'py>,
    tokenizer: &Bound<'py, Tokenizer>,
    content: PyReadonlyArray1<'py, u8>,
    offsets: PyReadonlyArray1<'py, i64>,
    add_special_tokens: bool,
    #[pyo3(from_py_with = argument::num_threads)] num_threads: Option<usize>,
    encode_special_tokens: Option<bool>,
) -> PyResult<Option<(Bound<'py, PyArray1<u32>>, Bound<'py, PyArray1<i64>>)>> {
    let (content, offsets) = (content.as_slice()?, offsets.as_slice()?);
    let text = |pair: &[i64]| {
        let &[start, end] = pair else { return None };
        let bytes = content.get(usize::try_from(start).ok()?..usize::try_from(end).ok()?)?;
        utf8::text(bytes).ok()
    };
    let Some(views) = offsets.windows(2).map(text).collect::<Option<Vec<&str>>>() else { return Ok(None) };
    let value = tokenizer.get().value()?;
    let threads = threads(num_threads);
    let found = run(py, |cancel| {
        let options = ids_options(&value, (add_special_tokens, encode_special_tokens), threads);
        value.core.encode_ids_batch(views.as_slice(), &EncodeOptions { cancel: Some(cancel), ..options })
    })?;
    Ok(Some((arrays::from_vec(py, found.ids)?, arrays::from_vec(py, found.offsets)?)))
}

/// Texts and where they begin, or what ended the reading.
type Step = Result<(Vec<String>, Vec<Spot>)>;

impl TextFiles {
    /// The next texts, until there are so many bytes or so many texts; and the file that the last one is from.
    fn step(&self, bytes: usize, most: usize, cancel: Cancel) -> (Step, Option<PathBuf>) {
        let mut corpus = lock(&self.corpus);
        corpus.stop_at(cancel);
        let mut step = || -> Step {
            let (mut texts, mut spots, mut size) = (Vec::new(), Vec::new(), 0);
            while size < bytes && texts.len() < most {
                let Some(text) = corpus.next() else {
                    self.is_at_end.store(true, Ordering::Relaxed);
                    break;
                };
                let text = text?;
                size += text.len() + 1;
                texts.push(text);
                spots.push(corpus.spot());
            }
            Ok((texts, spots))
        };
        let step = step();
        (step, corpus.current().map(Path::to_path_buf))
    }

    /// What a stream raised comes out as it was, and what is wrong with a file has its name.
    fn as_it_was(&self, error: PyErr, name: Option<&Path>) -> PyErr {
        lock(&self.raised).take().unwrap_or_else(|| named(error, name))
    }
}

/// What is wrong with a file has its name.
fn named(error: PyErr, name: Option<&Path>) -> PyErr {
    Python::attach(|py| {
        let value = error.value(py);
        // Errors of the system have it from the system's call.
        if let Some(name) = name
            && value.is_instance_of::<PyValueError>()
        {
            let _ = value.setattr("filename", name.to_string_lossy());
        }
    });
    error
}
