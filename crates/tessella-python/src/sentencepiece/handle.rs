//! A loaded model.

use std::time::Duration;

use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{PyBytes, PyList};
use tessella_core::EncodeOptions;
use tessella_core::cancel::Cancel;
use tessella_core::sentencepiece::{Piece, Processor, Sampling, Segmentation};
use tessella_core::spec::PieceKind;
use tessella_formats::sentencepiece::{messages, read_description};
use tessella_formats::utf8;

use super::model::Model;
use super::plain::{self, Shown};
use super::{kind_name, text};
use crate::border::errors::OrRaise;
use crate::border::interrupt::sized;

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

/// `add_bos`, `add_eos`, `reverse` and `emit_unk_piece`.
type Extras<'py> = (Bound<'py, PyAny>, Bound<'py, PyAny>, Bound<'py, PyAny>, Bound<'py, PyAny>);

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

/// A loaded model.
#[pyclass(frozen, module = "tessella._tessella")]
pub struct SentencePieceHandle {
    model: Model,
}

impl SentencePieceHandle {
    fn segmentation(&self, py: Python<'_>, text: &[u8], sampled: Sampled) -> PyResult<Segmentation> {
        self.model.get_ready(py)?;
        sized(py, text.len(), |cancel| match sampling(sampled) {
            Some(sampling) => self.model.inner.sample(text, sampling),
            None => self.model.inner.encode(text, &Cancel::new(cancel)),
        })
    }
}

#[pymethods]
impl SentencePieceHandle {
    #[new]
    fn new(py: Python<'_>, source: &[u8]) -> PyResult<Self> {
        let inner = sized(py, source.len(), |_| Processor::new(read_description(source)?))?;
        Ok(SentencePieceHandle { model: Model::new(inner) })
    }

    fn source<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, self.model.inner.source())
    }

    fn vocab_size(&self) -> usize {
        self.model.inner.vocab_size()
    }

    fn named_ids(&self) -> [i64; 4] {
        self.model.inner.named_ids().map(|id| id.map_or(-1, i64::from))
    }

    /// The one at this place among them.
    fn named_id(&self, place: usize) -> i64 {
        self.model.inner.named_ids().get(place).copied().flatten().map_or(-1, i64::from)
    }

    fn piece_to_id(&self, piece: &[u8]) -> u32 {
        self.model.inner.bytes_to_id(piece)
    }

    /// Text, score and kind.
    fn piece(&self, id: u32) -> PyResult<(&str, f32, &'static str)> {
        let piece = self.model.inner.piece(id).or_raise()?;
        Ok((&piece.text, piece.score, kind_name(piece.kind)))
    }

    fn encode_ids(&self, py: Python<'_>, input: &Bound<'_, PyAny>) -> PyResult<Vec<u32>> {
        let bytes = text(input)?;
        self.model.get_ready(py)?;
        sized(py, bytes.len(), |cancel| {
            self.model.inner.encode_ids(bytes, &EncodeOptions { cancel, ..EncodeOptions::default() })
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
        self.model.get_ready(py)?;
        let ragged = sized(py, bytes, |cancel| {
            let options = EncodeOptions { threads, cancel, ..EncodeOptions::default() };
            self.model.inner.encode_ids_batch(&texts, &options)
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
        self.model.get_ready(py)?;
        let list = py.detach(|| self.model.inner.nbest(bytes, n, milliseconds(timeout))).or_raise()?;
        if message {
            return Ok(PyBytes::new(py, &messages::write_list(&list)).into_any());
        }
        list.into_iter().map(|one| parts(py, one)).collect::<Vec<_>>().into_bound_py_any(py)
    }

    #[pyo3(signature = (ids, message = false))]
    fn decode_ids<'py>(&self, py: Python<'py>, ids: Vec<u32>, message: bool) -> PyResult<Bound<'py, PyAny>> {
        told(py, py.detach(|| self.model.inner.decode_ids(&ids)).or_raise()?, message)
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
        told(py, py.detach(|| self.model.inner.decode_pieces(pieces)), message)
    }

    /// The normalized text, and for each of its bytes and its end the byte that it comes from.
    fn normalize(&self, input: &Bound<'_, PyAny>) -> PyResult<(String, Vec<usize>)> {
        self.model.inner.normalize(text(input)?).or_raise()
    }

    // For plain arguments: each gives `None` for what it leaves alone.

    fn plain_piece<'py>(
        &self,
        py: Python<'py>,
        id: &Bound<'py, PyAny>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        plain::of_ids(&self.model.inner, id, |id| Ok(self.model.text_of(py, id).into_any()))
    }

    fn plain_score<'py>(
        &self,
        py: Python<'py>,
        id: &Bound<'py, PyAny>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        plain::of_ids(&self.model.inner, id, |id| {
            self.model.inner.known(id).map(|piece| piece.score).into_bound_py_any(py)
        })
    }

    fn plain_unknown<'py>(&self, id: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
        plain::are_of(&self.model.inner, id, PieceKind::Unknown)
    }

    fn plain_control<'py>(&self, id: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
        plain::are_of(&self.model.inner, id, PieceKind::Control)
    }

    fn plain_unused<'py>(&self, id: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
        plain::are_of(&self.model.inner, id, PieceKind::Unused)
    }

    fn plain_byte<'py>(&self, id: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
        plain::are_of(&self.model.inner, id, PieceKind::Byte)
    }

    fn plain_id<'py>(&self, piece: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
        plain::ids_of(&self.model.inner, piece)
    }

    /// The ids or the pieces of a text, or of each of a list. The extras are `add_bos`, `add_eos`, `reverse` and
    /// `emit_unk_piece`.
    // One by one they are read where the interpreter has put them; a tuple of them would be made for each call.
    #[allow(clippy::too_many_arguments)]
    fn plain_encode<'py>(
        &self,
        input: &Bound<'py, PyAny>,
        as_pieces: bool,
        add_bos: &Bound<'py, PyAny>,
        add_eos: &Bound<'py, PyAny>,
        reverse: &Bound<'py, PyAny>,
        emit_unk_piece: &Bound<'py, PyAny>,
        threads: &Bound<'py, PyAny>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let extras = [add_bos, add_eos, reverse, emit_unk_piece];
        match Shown::new(&self.model, as_pieces, extras) {
            Some(shown) => plain::encode(&shown, input, threads),
            None => Ok(None),
        }
    }

    /// The same of a text, drawn.
    fn plain_sample<'py>(
        &self,
        input: &Bound<'py, PyAny>,
        sampled: Sampled,
        as_pieces: bool,
        extras: Extras<'py>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let (Some(sampling), Ok(bytes)) = (sampling(sampled), text(input)) else { return Ok(None) };
        let Some(shown) = Shown::new(&self.model, as_pieces, [&extras.0, &extras.1, &extras.2, &extras.3])
        else {
            return Ok(None);
        };
        let py = input.py();
        self.model.get_ready(py)?;
        let cut = sized(py, bytes.len(), |_| self.model.inner.sample_cut(bytes, sampling))?;
        shown.cut(py, &cut).map(|list| Some(list.into_any()))
    }

    /// The same of the best segmentations of a text.
    fn plain_nbest<'py>(
        &self,
        input: &Bound<'py, PyAny>,
        n: usize,
        timeout: i32,
        as_pieces: bool,
        extras: Extras<'py>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let Ok(bytes) = text(input) else { return Ok(None) };
        let Some(shown) = Shown::new(&self.model, as_pieces, [&extras.0, &extras.1, &extras.2, &extras.3])
        else {
            return Ok(None);
        };
        let py = input.py();
        self.model.get_ready(py)?;
        let cuts = py.detach(|| self.model.inner.nbest_cuts(bytes, n, milliseconds(timeout))).or_raise()?;
        let lists = cuts.iter().map(|cut| shown.cut(py, cut)).collect::<PyResult<Vec<_>>>()?;
        PyList::new(py, lists).map(|lists| Some(lists.into_any()))
    }

    /// Ids, pieces and offsets of a text that is UTF-8.
    fn plain_mapping<'py>(
        &self,
        input: &Bound<'py, PyAny>,
        as_bytes: bool,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let Ok(bytes) = text(input) else { return Ok(None) };
        if utf8::text(bytes).is_err() {
            return Ok(None);
        }
        let segmentation = self.segmentation(input.py(), bytes, None)?;
        plain::mapping(input.py(), &self.model, &segmentation, (as_bytes, false))
    }

    /// The same of what ids or pieces decode to, with the text.
    fn plain_decode_mapping<'py>(
        &self,
        input: &Bound<'py, PyList>,
        as_bytes: bool,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        match plain::segmentation(&self.model.inner, input)? {
            Some(segmentation) => plain::mapping(input.py(), &self.model, &segmentation, (as_bytes, true)),
            None => Ok(None),
        }
    }

    /// The text of ids or of pieces, or of each of a list of lists of ids.
    fn plain_decode<'py>(&self, input: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
        plain::decode(&self.model.inner, input)
    }

    fn plain_normalize<'py>(
        &self,
        input: &Bound<'py, PyAny>,
        with_offsets: bool,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        plain::normalized(self.model.inner.normalization(), input, with_offsets)
    }
}
