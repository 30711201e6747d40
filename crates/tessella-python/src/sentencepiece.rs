//! SentencePiece's own way of looking at its models: pieces with surfaces, messages, n-best lists, training.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use pyo3::IntoPyObjectExt;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{PyBytes, PyDict, PyIterator, PyList, PyString};
use tessella_core::cancel::Cancel;
use tessella_core::normalize::sentencepiece::SentencePieceNormalization;
use tessella_core::sentencepiece::{self as processor, Piece, Processor, Sampling, Segmentation};
use tessella_core::spec::{ModelSpec, NormalizerSpec, PieceKind, SentencePieceKind};
use tessella_core::{EncodeOptions, Error, ErrorKind, Result};
use tessella_formats::sentencepiece::sections::NormalizerSection;
use tessella_formats::sentencepiece::{self, messages, normalizer::Normalizer, read_description};
use tessella_train::sentencepiece::SentencePieceTrainer;

use crate::border::errors::{OrRaise, argument, from_python};
use crate::border::interrupt::{run, sized};
use crate::tokenizer::Tokenizer;
use crate::training::progress::Display;

/// Texts come as `str` or `bytes`.
fn text<'a>(value: &'a Bound<'_, PyAny>) -> PyResult<&'a [u8]> {
    if let Ok(text) = value.cast::<PyString>() {
        Ok(text.to_str()?.as_bytes())
    } else if let Ok(bytes) = value.cast::<PyBytes>() {
        Ok(bytes.as_bytes())
    } else {
        Err(PyTypeError::new_err("Input must be str or bytes"))
    }
}

/// Size, alpha, seed and timeout.
type Sampled = Option<(i32, f32, u64, i32)>;

fn sampling(given: Sampled) -> Option<Sampling> {
    given.map(|(nbest_size, alpha, seed, timeout)| Sampling {
        nbest_size,
        alpha,
        seed,
        time: milliseconds(timeout),
    })
}

/// 0 and negative numbers mean no limit.
fn milliseconds(timeout: i32) -> Option<Duration> {
    u64::try_from(timeout).ok().filter(|&timeout| timeout > 0).map(Duration::from_millis)
}

/// Text, ids, pieces, begins and ends.
type Parts = (Py<PyBytes>, Vec<u32>, Vec<String>, Vec<usize>, Vec<usize>);

fn parts(py: Python<'_>, segmentation: Segmentation) -> Parts {
    let text = PyBytes::new(py, &segmentation.text).unbind();
    let ids = segmentation.pieces.iter().map(|piece| piece.id).collect();
    let begins = segmentation.pieces.iter().map(|piece| piece.begin).collect();
    let ends = segmentation.pieces.iter().map(|piece| piece.end).collect();
    let texts = segmentation.pieces.into_iter().map(Piece::into_text).collect();
    (text, ids, texts, begins, ends)
}

/// A segmentation as parts, or as the bytes of a message.
fn told<'py>(py: Python<'py>, segmentation: Segmentation, message: bool) -> PyResult<Bound<'py, PyAny>> {
    if message {
        return Ok(PyBytes::new(py, &messages::write(&segmentation)).into_any());
    }
    parts(py, segmentation).into_bound_py_any(py)
}

fn kind_name(kind: PieceKind) -> &'static str {
    match kind {
        PieceKind::Normal => "normal",
        PieceKind::Unknown => "unknown",
        PieceKind::Control => "control",
        PieceKind::UserDefined => "user_defined",
        PieceKind::Unused => "unused",
        PieceKind::Byte => "byte",
    }
}

/// A loaded model.
#[pyclass(frozen, module = "tessella._tessella")]
pub struct SentencePieceHandle {
    inner: Processor,
}

impl SentencePieceHandle {
    fn segmentation(&self, py: Python<'_>, text: &[u8], sampled: Sampled) -> PyResult<Segmentation> {
        sized(py, text.len(), |cancel| match sampling(sampled) {
            Some(sampling) => self.inner.sample(text, sampling),
            None => self.inner.encode(text, &Cancel::new(cancel)),
        })
    }
}

#[pymethods]
impl SentencePieceHandle {
    #[new]
    fn new(py: Python<'_>, source: &[u8]) -> PyResult<Self> {
        Ok(SentencePieceHandle { inner: run(py, |_| Processor::new(read_description(source)?))? })
    }

    fn source<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, self.inner.source())
    }

    fn vocab_size(&self) -> usize {
        self.inner.vocab_size()
    }

    fn named_ids(&self) -> [i64; 4] {
        self.inner.named_ids().map(|id| id.map_or(-1, i64::from))
    }

    fn piece_to_id(&self, piece: &[u8]) -> u32 {
        self.inner.bytes_to_id(piece)
    }

    /// Text, score and kind.
    fn piece(&self, id: u32) -> PyResult<(&str, f32, &'static str)> {
        let piece = self.inner.piece(id).or_raise()?;
        Ok((&piece.text, piece.score, kind_name(piece.kind)))
    }

    fn encode_ids(&self, py: Python<'_>, input: &Bound<'_, PyAny>) -> PyResult<Vec<u32>> {
        let bytes = text(input)?;
        sized(py, bytes.len(), |cancel| {
            self.inner.encode_ids(bytes, &EncodeOptions { cancel, ..EncodeOptions::default() })
        })
    }

    fn encode_ids_batch<'py>(
        &self,
        py: Python<'py>,
        inputs: &Bound<'py, PyList>,
        threads: usize,
    ) -> PyResult<Bound<'py, PyList>> {
        let held: Vec<Bound<'py, PyAny>> = inputs.iter().collect();
        let texts = held.iter().map(text).collect::<PyResult<Vec<_>>>()?;
        let bytes = texts.iter().map(|text| text.len()).sum();
        let ragged = sized(py, bytes, |cancel| {
            let options = EncodeOptions { threads, cancel, ..EncodeOptions::default() };
            self.inner.encode_ids_batch(&texts, &options)
        })?;
        let rows = ragged.offsets.windows(2).map(|row| &ragged.ids[row[0] as usize..row[1] as usize]);
        PyList::new(py, rows.map(|row| row.to_vec()).collect::<Vec<_>>())
    }

    #[pyo3(signature = (input, sampled, message = false))]
    fn encode<'py>(
        &self,
        py: Python<'py>,
        input: &Bound<'py, PyAny>,
        sampled: Sampled,
        message: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        told(py, self.segmentation(py, text(input)?, sampled)?, message)
    }

    #[pyo3(signature = (input, n, timeout, message = false))]
    fn nbest<'py>(
        &self,
        py: Python<'py>,
        input: &Bound<'py, PyAny>,
        n: usize,
        timeout: i32,
        message: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        let bytes = text(input)?;
        let list = py.detach(|| self.inner.nbest(bytes, n, milliseconds(timeout))).or_raise()?;
        if message {
            return Ok(PyBytes::new(py, &messages::write_list(&list)).into_any());
        }
        list.into_iter().map(|one| parts(py, one)).collect::<Vec<_>>().into_bound_py_any(py)
    }

    #[pyo3(signature = (ids, message = false))]
    fn decode_ids<'py>(&self, py: Python<'py>, ids: Vec<u32>, message: bool) -> PyResult<Bound<'py, PyAny>> {
        told(py, py.detach(|| self.inner.decode_ids(&ids)).or_raise()?, message)
    }

    /// Pieces may be no UTF-8; those of the result are then only nearly the same.
    #[pyo3(signature = (pieces, message = false))]
    fn decode_pieces<'py>(
        &self,
        py: Python<'py>,
        pieces: Vec<PyBackedBytes>,
        message: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        let pieces = pieces.iter().map(|piece| piece.to_vec());
        told(py, py.detach(|| self.inner.decode_pieces(pieces)), message)
    }

    /// The normalized text, and for each of its bytes and its end the byte that it comes from.
    fn normalize(&self, input: &Bound<'_, PyAny>) -> PyResult<(String, Vec<usize>)> {
        self.inner.normalize(text(input)?).or_raise()
    }
}

/// A normalizer by itself.
#[pyclass(frozen, module = "tessella._tessella")]
pub struct SentencePieceNormalizerHandle {
    inner: Mutex<(Normalizer, SentencePieceNormalization)>,
}

fn compiled(normalizer: Normalizer) -> Result<(Normalizer, SentencePieceNormalization)> {
    let compiled = SentencePieceNormalization::new(&normalizer.described())?;
    Ok((normalizer, compiled))
}

impl SentencePieceNormalizerHandle {
    fn with<R>(&self, look: impl FnOnce(&mut (Normalizer, SentencePieceNormalization)) -> R) -> R {
        look(&mut self.inner.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[pymethods]
impl SentencePieceNormalizerHandle {
    /// From the `model` or the `spec` message, a rule `file`, a `name`, or `rules`: pairs of texts.
    #[new]
    fn new(kind: &str, source: &Bound<'_, PyAny>) -> PyResult<Self> {
        let normalizer = match kind {
            "model" => Normalizer::from_model(source.extract::<&[u8]>()?),
            "spec" => Normalizer::from_spec(source.extract::<&[u8]>()?),
            "file" => Normalizer::from_file(&source.extract::<String>()?),
            "name" => Normalizer::from_name(&source.extract::<String>()?),
            _ => Normalizer::from_rules(source.extract::<Vec<(String, String)>>()?),
        };
        Ok(SentencePieceNormalizerHandle { inner: Mutex::new(normalizer.and_then(compiled).or_raise()?) })
    }

    fn set(&self, name: &str, value: bool) -> PyResult<()> {
        self.with(|inner| {
            let mut changed = inner.0.clone();
            changed.set(name, value)?;
            *inner = compiled(changed)?;
            Ok(())
        })
        .or_raise()
    }

    fn normalize(&self, input: &Bound<'_, PyAny>) -> PyResult<(String, Vec<usize>)> {
        let bytes = text(input)?;
        self.with(|(_, compiled)| processor::normalize(compiled, bytes)).or_raise()
    }

    fn rules(&self) -> PyResult<Vec<(String, String)>> {
        self.with(|(normalizer, _)| normalizer.rules()).or_raise()
    }

    fn model<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.with(|(normalizer, _)| normalizer.model()))
    }

    fn spec<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.with(|(normalizer, _)| normalizer.section().write()))
    }
}

/// Sentences from a Python iterator.
struct Items(Py<PyIterator>);

impl Iterator for Items {
    type Item = Result<Vec<u8>>;

    fn next(&mut self) -> Option<Self::Item> {
        Python::attach(|py| {
            let item = self.0.bind(py).clone().next()?;
            let sentence = item.and_then(|item| {
                let mut sentence =
                    text(&item).map_err(|_| argument("sentence_iterator must give str or bytes"))?.to_vec();
                while matches!(sentence.last(), Some(b'\r' | b'\n')) {
                    sentence.pop();
                }
                Ok(sentence)
            });
            Some(sentence.map_err(from_python))
        })
    }
}

/// Trains; gives the model, or writes the files that the options name.
#[pyfunction]
#[pyo3(signature = (line, options, sentences, normalizer, pretokenizer, write))]
pub fn train_sentencepiece(
    py: Python<'_>,
    line: Option<String>,
    options: Vec<(String, String)>,
    sentences: Option<Bound<'_, PyAny>>,
    normalizer: Option<Vec<u8>>,
    pretokenizer: Option<Py<PyAny>>,
    write: bool,
) -> PyResult<Option<Py<PyBytes>>> {
    let mut trainer = SentencePieceTrainer::from_line(line.as_deref().unwrap_or_default()).or_raise()?;
    for (name, value) in options {
        trainer.set(&name, &value).or_raise()?;
    }
    if let Some(section) = normalizer {
        trainer.normalizer = NormalizerSection::read(&section, 0).or_raise()?;
    }
    let items = match &sentences {
        Some(sentences) => Some(Items(sentences.try_iter()?.unbind())),
        None => None,
    };
    let split = pretokenizer.map(|function| {
        move |text: &str| -> Result<Vec<String>> {
            Python::attach(|py| function.call1(py, (text,))?.extract(py)).map_err(from_python)
        }
    });
    let trained = run(py, |cancel| {
        let display = Display::new("silent", cancel, None);
        let split = split.as_ref().map(|split| split as &tessella_train::sentencepiece::Pretokenizer<'_>);
        let prefix = if write { Some(trainer.prefix()?) } else { None };
        if prefix.is_none() && !trainer.trainer.model_prefix().is_empty() {
            return Err(both("model_prefix", "a writer"));
        }
        let trained = match items {
            Some(_) if !trainer.trainer.input.is_empty() => return Err(both("input", "an iterator")),
            Some(mut items) => trainer.train(&mut items, split, &display)?,
            None => trainer.train_from_files(split, &display)?,
        };
        prefix.map_or(Ok(Some(trained.model.clone())), |prefix| trained.save(&prefix).map(|()| None))
    })?;
    Ok(trained.map(|model| PyBytes::new(py, &model).unbind()))
}

fn both(one: &str, other: &str) -> Error {
    Error::new(ErrorKind::Train, format!("both `{one}` and {other} are given: leave one of them out"))
}

/// What a model's file says, for those who build other tokenizers of its pieces: texts, scores and kinds of the
/// pieces, the character map, and the trainer's options that matter then.
#[allow(clippy::type_complexity)]
#[pyfunction]
pub fn sentencepiece_parts<'py>(
    py: Python<'py>,
    tokenizer: &Bound<'py, Tokenizer>,
) -> PyResult<(Vec<(String, f32, &'static str)>, Bound<'py, PyBytes>, Bound<'py, PyDict>)> {
    let spec = tokenizer.get().value()?.spec();
    let ModelSpec::SentencePiece(model) = &spec.model else {
        return Err(argument("the model is no SentencePiece model"));
    };
    let trainer = sentencepiece::trainer_spec(model).or_raise()?;
    let charsmap = match &spec.normalizer {
        // A model from another kind of file carries no normalizer of its own.
        Some(NormalizerSpec::SentencePiece(own)) if model.source.is_none() => own.charsmap.to_vec(),
        _ => sentencepiece::normalizer_spec(model).or_raise()?.precompiled_charsmap().to_vec(),
    };
    let options = PyDict::new(py);
    options.set_item("unigram", model.kind == SentencePieceKind::Unigram)?;
    options.set_item("byte_fallback", model.byte_fallback)?;
    options.set_item("wide_sums", model.wide_sums)?;
    let unknown = model.pieces.iter().position(|piece| piece.kind == PieceKind::Unknown);
    for (name, id, piece) in [
        ("unk", trainer.unk_id(), trainer.unk_piece()),
        ("bos", trainer.bos_id(), trainer.bos_piece()),
        ("eos", trainer.eos_id(), trainer.eos_piece()),
    ] {
        let id = match (&model.source, name) {
            (Some(_), _) => id,
            (None, "unk") => unknown.map_or(-1, |id| id as i32),
            (None, _) => -1,
        };
        options.set_item(name, (id, piece))?;
    }
    let pieces = model.pieces.iter().map(|piece| (piece.text.clone(), piece.score, kind_name(piece.kind)));
    Ok((pieces.collect(), PyBytes::new(py, &charsmap), options))
}

/// The merges that pieces imply, in the order of their ids.
#[pyfunction]
pub fn piece_merges(py: Python<'_>, texts: Vec<String>) -> Vec<(String, String)> {
    py.detach(|| sentencepiece::merges::merges(&texts))
}
