//! Counts of pieces, and counting them.

use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, PoisonError, RwLock};

use pyo3::prelude::*;
use pyo3::types::PyDict;
use tessella_core::cancel::Cancel;
use tessella_core::error::excerpt;
use tessella_core::{PieceCounter, Portion, Result};
use tessella_formats::corpus::{Corpus, CorpusOptions};
use tessella_train::counts::{Add, Cutter, Splitter};
use tessella_train::{CountOptions, PieceCounts as Core, Source};

use crate::border::errors::{self, OrRaise};
use crate::border::interrupt::run;
use crate::border::place::{Place, wrong_type};
use crate::border::texts::string;
use crate::border::values::{argument, whole};
use crate::components::live::lock;
use crate::files::reading::{self, Raised, Stream};
use crate::tokenizer::{Tokenizer, threads};
use crate::training::progress::Display;
use crate::training::texts::{FETCH, Fetched, raise_as_it_was};

/// What `tessella.PieceCounts` is built on.
///
/// Readers look at the counts as they were when they began: a training may call Python code that changes the very
/// counts that it learns from, and no lock is held meanwhile. A change copies the counts if anyone still looks.
#[pyclass(frozen, subclass, module = "tessella._tessella", name = "PieceCounts")]
pub struct PieceCounts {
    inner: RwLock<Arc<Core>>,
}

impl From<Core> for PieceCounts {
    fn from(counts: Core) -> Self {
        PieceCounts { inner: RwLock::new(Arc::new(counts)) }
    }
}

impl PieceCounts {
    pub fn read<R>(&self, look: impl FnOnce(&Core) -> R) -> R {
        look(&self.now())
    }

    /// The counts as they are now.
    fn now(&self) -> Arc<Core> {
        self.inner.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// All that was counted; nothing is left here.
    pub fn take(&self) -> Core {
        let mut inner = self.inner.write().unwrap_or_else(PoisonError::into_inner);
        Arc::unwrap_or_clone(std::mem::take(&mut *inner))
    }

    fn write<R>(&self, change: impl FnOnce(&mut Core) -> R) -> R {
        change(Arc::make_mut(&mut self.inner.write().unwrap_or_else(PoisonError::into_inner)))
    }

    /// Looks at all pieces, interruptibly.
    fn walk<R: Send>(
        &self,
        py: Python<'_>,
        progress: &str,
        look: impl FnOnce(&Core, &Display<'_>) -> Result<R> + Send,
    ) -> PyResult<R> {
        run(py, |cancel| {
            let display = Display::new(progress, cancel, None);
            self.read(|counts| look(counts, &display))
        })
    }

    /// Puts what was opened or read in the place of what is there.
    fn replace(&self, py: Python<'_>, make: impl FnOnce() -> Result<Core> + Send) -> PyResult<()> {
        let made = py.detach(make).or_raise()?;
        *self.inner.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(made);
        Ok(())
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
            let expected = "expected a dict, or pairs of a piece and its count";
            let place = Place::Argument("pieces");
            let walks = pairs.hasattr("__iter__")?;
            let entries = pairs
                .try_iter()
                .map_err(|error| if walks { error } else { wrong_type(place, &pairs, expected, "") })?;
            for (index, pair) in entries.enumerate() {
                let pair = pair?;
                let (piece, count): (Bound<'_, PyAny>, Bound<'_, PyAny>) =
                    pair.extract().map_err(|_| wrong_type(place.entry(index), &pair, expected, ""))?;
                let piece = crate::border::texts::text(&piece, Place::Argument("pieces"))?;
                let count = whole(&count, &format!("the count of `{}`", excerpt(&piece)), u64::MAX)?;
                counts.add(&piece, count).or_raise()?;
            }
        }
        Ok(counts.into())
    }

    /// Begins anew with a budget of bytes.
    fn _limit(&self, bytes: usize, folder: Option<PathBuf>) -> PyResult<()> {
        let limited = Core::with_budget(bytes, folder.as_deref()).or_raise()?;
        self.write(|counts| *counts = limited);
        Ok(())
    }

    fn _open(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        self.replace(py, || Core::open(&path))
    }

    /// From a file, or from the binary stream of this name.
    #[pyo3(signature = (path, stream = None))]
    fn _read_tsv(&self, py: Python<'_>, path: PathBuf, stream: Option<Py<PyAny>>) -> PyResult<()> {
        let Some(stream) = stream else { return self.replace(py, || Core::read_tsv(&path)) };
        let raised = Raised::default();
        let stream = Stream::new(stream, &raised);
        let read = self.replace(py, || Core::read_tsv_from(stream, &path));
        read.map_err(|error| lock(&raised).take().unwrap_or(error))
    }

    /// Adds occurrences of a piece.
    #[pyo3(signature = (piece, count = 1))]
    fn add(
        &self,
        piece: &Bound<'_, PyAny>,
        #[pyo3(from_py_with = argument::count)] count: u64,
    ) -> PyResult<()> {
        let piece = string(piece, "piece", "")?;
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
        let other = other.get().now();
        py.detach(|| self.write(|counts| counts.merge_weighted(&other, weight))).or_raise()
    }

    /// How often a piece occurs, `None` if it does not.
    fn get(&self, piece: &Bound<'_, PyAny>) -> PyResult<Option<u64>> {
        let piece = string(piece, "piece", "")?;
        self.read(|counts| counts.get(piece)).or_raise()
    }

    /// The most frequent pieces with their counts; ties by the pieces' bytes.
    fn top(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = argument::n)] n: usize,
    ) -> PyResult<Vec<(String, u64)>> {
        self.walk(py, "silent", |counts, display| counts.top_with(n, display))
    }

    /// All pieces with their counts, by the pieces' bytes.
    fn items(&self, py: Python<'_>) -> PyResult<Vec<(String, u64)>> {
        self.walk(py, "silent", |counts, display| {
            let mut items = Vec::new();
            counts.walk(display, |piece, count| {
                items.push((piece.to_string(), count));
                Ok(())
            })?;
            Ok(items)
        })
    }

    /// How many pieces occur how often: pairs of a count and the number of pieces that have it, highest first.
    fn frequencies(&self, py: Python<'_>) -> PyResult<Vec<(u64, u64)>> {
        self.walk(py, "silent", |counts, display| counts.frequencies(display))
    }

    /// The number of occurrences.
    #[getter]
    fn total(&self) -> u128 {
        self.read(Core::total)
    }

    /// Name, language, weight, texts and bytes of each source.
    fn _sources(&self) -> Vec<(String, String, u64, u64, u64)> {
        let row = |one: &Source| (one.name.clone(), one.language.clone(), one.weight, one.texts, one.bytes);
        self.read(|counts| counts.sources().iter().map(row).collect())
    }

    fn _note_source(
        &self,
        name: String,
        language: String,
        weight: u64,
        texts: u64,
        bytes: u64,
    ) -> PyResult<()> {
        let source = Source { name, language, weight, texts, bytes };
        self.write(|counts| counts.note_source(source)).or_raise()
    }

    /// The language tag that all sources share, `None` if they do not.
    #[getter]
    fn language(&self) -> Option<String> {
        self.read(|counts| counts.language().map(str::to_string))
    }

    /// Bytes of counts that are in memory now; what lies on disk is not counted.
    #[getter]
    fn memory(&self) -> usize {
        self.read(Core::memory)
    }

    #[pyo3(signature = (path, progress = "silent"))]
    fn save(&self, py: Python<'_>, path: PathBuf, progress: &str) -> PyResult<()> {
        self.walk(py, progress, |counts, display| counts.save(&path, display))
    }

    /// Saves parts that hang on the pieces' bytes alone; gives their names.
    #[pyo3(signature = (folder, n, progress = "silent"))]
    fn save_parts(
        &self,
        py: Python<'_>,
        folder: PathBuf,
        #[pyo3(from_py_with = argument::n)] n: usize,
        progress: &str,
    ) -> PyResult<Vec<PathBuf>> {
        self.walk(py, progress, |counts, display| counts.save_parts(&folder, n, display))
    }

    fn write_tsv(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        self.walk(py, "silent", |counts, display| counts.write_tsv(&path, display))
    }

    /// Reads all that lies on disk and compares its checksums and sums.
    fn verify(&self, py: Python<'_>) -> PyResult<()> {
        self.walk(py, "silent", |counts, display| counts.verify(display))
    }

    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        self.walk(py, "silent", |counts, display| counts.distinct_with(display)).map(|count| count as usize)
    }

    fn __bool__(&self) -> bool {
        !self.read(Core::is_empty)
    }

    fn __contains__(&self, piece: &Bound<'_, PyAny>) -> PyResult<bool> {
        Ok(self.get(piece)?.is_some())
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!("PieceCounts({} pieces, {} occurrences)", self.__len__(py)?, self.total()))
    }
}

/// How one source is read and counted.
#[derive(Debug, Default)]
struct Settings {
    options: CountOptions,
    corpus: CorpusOptions,
    progress: String,
    /// Number of texts, if known.
    length: Option<usize>,
}

impl Settings {
    /// From the keywords that Python passes; what is not there keeps its default.
    fn read(keywords: Option<&Bound<'_, PyDict>>) -> PyResult<Settings> {
        let mut settings = Settings { progress: "silent".to_string(), ..Settings::default() };
        settings.options.threads = threads(None);
        let Some(keywords) = keywords else { return Ok(settings) };
        for (key, value) in keywords.iter() {
            let key: String = key.extract()?;
            match key.as_str() {
                "num_threads" => settings.options.threads = threads(argument::num_threads(&value)?),
                "memory" => settings.options.memory = value.extract()?,
                "spill_folder" => settings.options.spill_folder = value.extract()?,
                "name" => settings.options.name = value.extract()?,
                "language" => settings.options.language = value.extract()?,
                "weight" => settings.options.weight = argument::weight(&value)?,
                "progress" => settings.progress = value.extract()?,
                "length" => settings.length = argument::length(&value)?,
                other if reading::set(&mut settings.corpus, other, &value)? => {}
                other => return Err(errors::argument(format!("counting has no option `{other}`"))),
            }
        }
        // One text must not take more than all counts may.
        if let Some(memory) = settings.options.memory {
            settings.corpus.longest = Some(memory);
        }
        Ok(settings)
    }
}

/// Cuts as a tokenizer does.
struct Cuts<'t> {
    tokenizer: &'t tessella_core::Tokenizer,
    /// Set when the caller wants to stop.
    cancel: Option<&'t Arc<AtomicBool>>,
}

impl Splitter for Cuts<'_> {
    fn cutter(&self, stop: &Arc<AtomicBool>, memory: usize) -> Box<dyn Cutter + '_> {
        let mut counter = self.tokenizer.piece_counter(memory);
        counter.stop_at(Cancel::new(Some(self.cancel.unwrap_or(stop))));
        Box::new(Counter(counter))
    }
}

/// Counts as a tokenizer does.
struct Counter<'t>(PieceCounter<'t>);

impl Cutter for Counter<'_> {
    fn cut(&mut self, texts: &Portion, add: &mut Add<'_>) -> Result<()> {
        self.0.count_each(texts, add)
    }

    fn finish(&mut self, add: &mut Add<'_>) -> Result<()> {
        self.0.finish(add)
    }

    fn memory(&self) -> usize {
        self.0.memory()
    }
}

/// Adds the pieces of the texts that an iterator yields to counts, cut as the tokenizer cuts them; gives the counts.
///
/// The iterator runs on the calling thread, which is also where signals are looked for.
#[pyfunction]
#[pyo3(signature = (counts, tokenizer, texts, **keywords))]
pub fn count_texts_into<'py>(
    py: Python<'py>,
    counts: &Bound<'py, PieceCounts>,
    tokenizer: &Bound<'py, Tokenizer>,
    texts: &Bound<'py, PyAny>,
    keywords: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PieceCounts>> {
    let value = tokenizer.get().value()?;
    let settings = Settings::read(keywords)?;
    let texts = Fetched::new(texts, settings.corpus, FETCH)?;
    let never = Arc::new(AtomicBool::new(false));
    let display = Display::new(&settings.progress, &never, settings.length).looking_for_signals();
    let cuts = Cuts { tokenizer: &value.core, cancel: None };
    let counted = py.detach(|| tessella_train::count_texts(texts, &cuts, &settings.options, &display));
    match display.signal() {
        Some(signal) => Err(signal),
        None => absorbed(counts, counted.map_err(raise_as_it_was)?),
    }
}

/// Adds the pieces of the texts of files to counts, and gives these.
#[pyfunction]
#[pyo3(signature = (counts, tokenizer, paths, **keywords))]
pub fn count_files_into<'py>(
    py: Python<'py>,
    counts: &Bound<'py, PieceCounts>,
    tokenizer: &Bound<'py, Tokenizer>,
    paths: Vec<PathBuf>,
    keywords: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PieceCounts>> {
    let value = tokenizer.get().value()?;
    let Settings { mut options, corpus, progress, .. } = Settings::read(keywords)?;
    let sizes = paths.iter().map(|path| std::fs::metadata(path).map(|data| data.len()));
    options.expected_bytes = sizes.sum::<std::io::Result<u64>>().unwrap_or(0);
    let mut corpus = Corpus::new(paths, corpus);
    options.position = Some(corpus.position());
    let counted = run(py, |cancel| {
        let display = Display::new(&progress, cancel, None);
        corpus.stop_at(Cancel::new(Some(cancel)));
        let cuts = Cuts { tokenizer: &value.core, cancel: Some(cancel) };
        tessella_train::count_files(corpus, &cuts, &options, &display)
    })?;
    absorbed(counts, counted)
}

fn absorbed<'py>(counts: &Bound<'py, PieceCounts>, counted: Core) -> PyResult<Bound<'py, PieceCounts>> {
    let into = counts.get();
    counts.py().detach(|| into.write(|counts| counts.absorb(counted))).or_raise()?;
    Ok(counts.clone())
}
