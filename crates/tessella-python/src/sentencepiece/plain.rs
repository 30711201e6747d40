//! Calls with plain arguments, answered in one go.
//!
//! What such a call does takes less time than it took to look through all that may be asked for. Here are those of which nearly
//! all programs consist: a `str`, an `int`, a `list` of either, options that are bools. Each gives `None` for everything else
//! (arrays, wrong types, ids that the model does not have, texts without UTF-8), and is then asked in full: that way, in
//! `tessella.compat.sentencepiece`, knows all arguments and errors, and is the slow twin that the tests compare with this one.

use pyo3::IntoPyObjectExt;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyDict, PyInt, PyList, PyString, PyTuple};
use tessella_core::cancel::Cancel;
use tessella_core::decode::TURN;
use tessella_core::normalize::sentencepiece::SentencePieceNormalization;
use tessella_core::sentencepiece::{self as processor, Cut, Processor, Segmentation};
use tessella_core::spec::PieceKind;
use tessella_core::{DecodeRoom, EncodeOptions, Error, Joined, ManyTexts, TokenId};
use tessella_formats::utf8;

use super::model::Model;
use crate::border::errors::OrRaise;
use crate::border::interpreter::{plain_id, plain_ids};
use crate::border::interrupt::{ALONE, shared, sized};
use crate::border::place::Place;
use crate::border::texts::{Later, Text, Texts};
use crate::border::values::CharCounter;
use crate::tokenizer::call::tiny;
use crate::tokenizer::decoding::{Room, made, others_turn, with_room};

/// The entries of a list or a tuple.
fn listed<'py>(value: &Bound<'py, PyAny>) -> Option<Bound<'py, PyList>> {
    match value.cast_exact::<PyList>() {
        Ok(list) => Some(list.clone()),
        Err(_) => value.cast_exact::<PyTuple>().ok().map(|tuple| tuple.to_list()),
    }
}

type Answer<'py> = PyResult<Option<Bound<'py, PyAny>>>;

/// What `look` says of an id, or of each of a list of ids.
pub fn of_ids<'py>(
    model: &Processor,
    value: &Bound<'py, PyAny>,
    look: impl Fn(TokenId) -> PyResult<Bound<'py, PyAny>>,
) -> Answer<'py> {
    let size = model.vocab_size();
    if let Some(id) = plain_id(value) {
        return if (id as usize) < size { look(id).map(Some) } else { Ok(None) };
    }
    let Some(list) = listed(value) else { return Ok(None) };
    let mut room = Vec::new();
    match plain_ids(&list, &mut room) {
        Some(ids) if ids.iter().all(|&id| (id as usize) < size) => {
            let each = ids.iter().map(|&id| look(id)).collect::<PyResult<Vec<_>>>()?;
            PyList::new(value.py(), each).map(|list| Some(list.into_any()))
        }
        _ => Ok(None),
    }
}

/// Whether a piece is of a kind, or each of some.
pub fn are_of<'py>(model: &Processor, value: &Bound<'py, PyAny>, kind: PieceKind) -> Answer<'py> {
    let py = value.py();
    of_ids(model, value, |id| model.known(id).is_some_and(|piece| piece.kind == kind).into_bound_py_any(py))
}

/// The id of a piece, or of each of a list of pieces.
pub fn ids_of<'py>(model: &Processor, value: &Bound<'py, PyAny>) -> Answer<'py> {
    let py = value.py();
    if let Ok(piece) = value.cast::<PyString>() {
        return piece.to_str().ok().map(|piece| model.piece_to_id(piece).into_bound_py_any(py)).transpose();
    }
    if let Ok(piece) = value.cast::<PyBytes>() {
        return model.bytes_to_id(piece.as_bytes()).into_bound_py_any(py).map(Some);
    }
    let Some(list) = listed(value) else { return Ok(None) };
    let held: Vec<Bound<'py, PyAny>> = list.iter().collect();
    let Some(texts) = strings(&held) else { return Ok(None) };
    let mut ids = Vec::with_capacity(texts.len());
    model.ids_of(texts.len(), |number| texts[number], |id| ids.push(id.unwrap_or(model.unk_id())));
    ids.into_bound_py_any(py).map(Some)
}

/// Values that are all `str`, and have UTF-8.
fn strings<'a>(held: &'a [Bound<'_, PyAny>]) -> Option<Vec<&'a str>> {
    held.iter().map(|one| one.cast::<PyString>().ok()?.to_str().ok()).collect()
}

/// How the tokens of a text are shown.
pub struct Shown<'h> {
    model: &'h Model,
    as_pieces: bool,
    first: Option<TokenId>,
    last: Option<TokenId>,
    reverse: bool,
    /// What an unknown stretch is shown as, if not as itself.
    unk: Option<TokenId>,
}

impl<'h> Shown<'h> {
    /// With extras `add_bos`, `add_eos`, `reverse`, `emit_unk_piece`. `None` where these are no bools, or ask for a piece that the
    /// model does not have.
    pub fn new(model: &'h Model, as_pieces: bool, extras: [&Bound<'_, PyAny>; 4]) -> Option<Self> {
        let is_on = |extra: usize| extras[extra].cast::<PyBool>().ok().map(|extra| extra.is_true());
        let (add_bos, add_eos, reverse, emit_unk_piece) = (is_on(0)?, is_on(1)?, is_on(2)?, is_on(3)?);
        let [unk, bos, eos, _] = model.inner.named_ids();
        let wanted = [(add_bos, bos), (add_eos, eos), (emit_unk_piece, unk)];
        if wanted.iter().any(|&(is_wanted, id)| is_wanted && id.is_none()) {
            return None;
        }
        let (first, last) = (bos.filter(|_| add_bos), eos.filter(|_| add_eos));
        Some(Shown { model, as_pieces, first, last, reverse, unk: unk.filter(|_| emit_unk_piece) })
    }

    /// A list of ids, or of their pieces; `None` where these are not all that their text needs, for one of them is unknown.
    fn ids<'py>(&self, py: Python<'py>, ids: &[TokenId]) -> PyResult<Option<Bound<'py, PyList>>> {
        if self.as_pieces && ids.contains(&self.model.inner.unk_id()) {
            return Ok(None);
        }
        if self.first.is_none() && self.last.is_none() && !self.reverse {
            return self.list(py, ids).map(Some);
        }
        self.list(py, &self.around(ids.iter().copied())).map(Some)
    }

    /// The extras around tokens.
    fn around<T: From<TokenId>>(
        &self,
        tokens: impl DoubleEndedIterator<Item = T> + ExactSizeIterator,
    ) -> Vec<T> {
        let mut all = Vec::with_capacity(tokens.len() + 2);
        all.extend(self.first.map(T::from));
        if self.reverse {
            all.extend(tokens.rev());
        } else {
            all.extend(tokens);
        }
        all.extend(self.last.map(T::from));
        all
    }

    fn list<'py>(&self, py: Python<'py>, ids: &[TokenId]) -> PyResult<Bound<'py, PyList>> {
        if self.as_pieces {
            return PyList::new(py, ids.iter().map(|&id| self.model.text_of(py, id)));
        }
        PyList::new(py, ids)
    }

    /// A list of what a text was cut into.
    pub fn cut<'py>(&self, py: Python<'py>, cut: &Cut) -> PyResult<Bound<'py, PyList>> {
        if !self.as_pieces {
            let ids: Vec<TokenId> = cut.parts().map(|(id, _)| id).collect();
            return self.list(py, &self.around(ids.into_iter()));
        }
        let all = self.around(cut.parts().map(|(id, stretch)| Part { id, stretch }));
        let texts = all.into_iter().map(|Part { id, stretch }| match (stretch, self.unk) {
            (None, _) => self.model.text_of(py, id),
            (Some(stretch), Some(unk)) if self.model.inner.piece_to_id(stretch) == unk => {
                self.model.text_of(py, unk)
            }
            (Some(stretch), _) => PyString::new(py, stretch),
        });
        PyList::new(py, texts)
    }
}

/// A token, and what stands there if it is unknown.
struct Part<'c> {
    id: TokenId,
    stretch: Option<&'c str>,
}

impl From<TokenId> for Part<'_> {
    fn from(id: TokenId) -> Self {
        Part { id, stretch: None }
    }
}

/// The tokens of a text, or of each of a list of texts.
pub fn encode<'py>(shown: &Shown<'_>, input: &Bound<'py, PyAny>, threads: &Bound<'py, PyAny>) -> Answer<'py> {
    let py = input.py();
    let Ok(threads) = threads.cast::<PyInt>() else { return Ok(None) };
    shown.model.get_ready(py)?;
    if let Ok(list) = input.cast_exact::<PyList>() {
        let texts = list.iter().map(|one| {
            let is_text = one.is_instance_of::<PyString>() || one.is_instance_of::<PyBytes>();
            is_text.then(|| Later::or_bytes(&one, Place::Argument("input")).ok()).flatten()
        });
        let texts = texts.collect::<Option<Vec<_>>>().filter(|texts| !texts.is_empty());
        return match (texts, threads.extract::<i32>()) {
            (Some(texts), Ok(threads)) => encode_many(py, shown, Texts::new(texts), threads),
            _ => Ok(None),
        };
    }
    if let Some(text) = tiny(input) {
        return encode_one(py, shown, text);
    }
    if let Ok(bytes) = input.cast::<PyBytes>() {
        return match utf8::text(bytes.as_bytes()) {
            Ok(text) => encode_one(py, shown, text),
            Err(_) => Ok(None),
        };
    }
    match Text::new(input, Place::Argument("input")) {
        Ok(text) => encode_one(py, shown, &text),
        Err(_) => Ok(None),
    }
}

/// Bytes of a text whose ids are lent and not given, at most.
const LENT: usize = 1 << 10;

fn encode_one<'py>(py: Python<'py>, shown: &Shown<'_>, text: &str) -> Answer<'py> {
    let model = &shown.model.inner;
    let options = EncodeOptions::default();
    let list = if text.len() <= LENT {
        model.with_ids(text, &options, |ids| shown.ids(py, ids)).or_raise()??
    } else {
        let ids = sized(py, text.len(), |cancel| {
            model.encode_ids(text.as_bytes(), &EncodeOptions { cancel, ..options })
        })?;
        shown.ids(py, &ids)?
    };
    let list = list.map_or_else(|| in_full(py, shown, text), Ok)?;
    Ok(Some(list.into_any()))
}

/// The pieces of a text of which some are unknown.
fn in_full<'py>(py: Python<'py>, shown: &Shown<'_>, text: &str) -> PyResult<Bound<'py, PyList>> {
    let cut = sized(py, text.len(), |cancel| shown.model.inner.cut(text.as_bytes(), &Cancel::new(cancel)))?;
    shown.cut(py, &cut)
}

fn encode_many<'py>(py: Python<'py>, shown: &Shown<'_>, texts: Texts, threads: i32) -> Answer<'py> {
    let bytes = texts.bytes();
    let threads = match usize::try_from(threads) {
        _ if bytes <= ALONE => 1,
        Ok(threads) => threads.max(1),
        // As many as there are processors.
        Err(_) => 0,
    };
    let ragged = shared(py, bytes, threads, |cancel| {
        let options = EncodeOptions { threads, cancel, ..EncodeOptions::default() };
        shown.model.inner.encode_ids_of(&texts, &options)
    });
    let ragged = match ragged {
        Err(_) if texts.are_refused() => return Ok(None),
        ragged => ragged?,
    };
    let mut room = String::new();
    let rows = ragged.offsets.windows(2).map(|row| &ragged.ids[row[0] as usize..row[1] as usize]);
    let lists = rows.enumerate().map(|(index, ids)| match shown.ids(py, ids)? {
        Some(list) => Ok(list),
        None => {
            room.clear();
            in_full(py, shown, texts.read(index, &mut room).or_raise()?)
        }
    });
    let lists = lists.collect::<PyResult<Vec<_>>>()?;
    PyList::new(py, lists).map(|lists| Some(lists.into_any()))
}

/// The text of ids or of pieces, or of each of a list of lists of ids.
pub fn decode<'py>(model: &Processor, input: &Bound<'py, PyAny>) -> Answer<'py> {
    let Some(list) = listed(input) else {
        return match plain_id(input) {
            Some(id) => with_room(|room| decode_ids(input.py(), model, &[id], &mut room.text)).map(any),
            None => Ok(None),
        };
    };
    let Ok(first) = list.get_item(0) else { return Ok(None) };
    if listed(&first).is_none() {
        return decode_row(model, &list, &mut None).map(any);
    }
    let py = list.py();
    let mut left = TURN;
    let mut texts = Vec::with_capacity(list.len());
    // Whether they are lists of pieces is decided by the first that is not empty.
    let mut hold_pieces = None;
    for row in list.iter() {
        let Some(row) = listed(&row) else { return Ok(None) };
        let Some(text) = decode_row(model, &row, &mut hold_pieces)? else { return Ok(None) };
        texts.push(text);
        left = left.saturating_sub(row.len());
        if left == 0 {
            left = TURN;
            others_turn(py)?;
        }
    }
    PyList::new(py, texts).map(|texts| Some(texts.into_any()))
}

/// The text of a list of ids or of pieces, whichever they are to be.
fn decode_row<'py>(
    model: &Processor,
    row: &Bound<'py, PyList>,
    holds_pieces: &mut Option<bool>,
) -> PyResult<Option<Bound<'py, PyString>>> {
    with_room(|Room { ids: room, text, .. }| {
        let found = plain_ids(row, room);
        let is_alike = row.is_empty() || *holds_pieces.get_or_insert(found.is_none()) == found.is_none();
        match found {
            _ if !is_alike => Ok(None),
            Some(ids) => decode_ids(row.py(), model, ids, text),
            None => decode_pieces(model, row, text),
        }
    })
}

fn any<'py>(text: Option<Bound<'py, PyString>>) -> Option<Bound<'py, PyAny>> {
    text.map(Bound::into_any)
}

fn pause(py: Python<'_>) -> impl FnMut() -> tessella_core::Result<()> {
    move || others_turn(py).map_err(|error| Error::interrupted().caused_by(error))
}

/// The text of ids; `None` where one is none.
fn decode_ids<'py>(
    py: Python<'py>,
    model: &Processor,
    ids: &[TokenId],
    room: &mut DecodeRoom,
) -> PyResult<Option<Bound<'py, PyString>>> {
    if let Some(joined) = model.decode_joined(ids, &[], room, pause(py)).or_raise()?
        && let Some(text) = made(py, joined)?
    {
        return Ok(Some(text));
    }
    match sized(py, ids.len(), |_| Ok(model.decode_ids(ids).ok()))? {
        Some(decoded) => PyString::from_bytes(py, &decoded.text).map(Some),
        None => Ok(None),
    }
}

/// The text of pieces that are texts; `None` where one is something else.
fn decode_pieces<'py>(
    model: &Processor,
    pieces: &Bound<'py, PyList>,
    room: &mut DecodeRoom,
) -> PyResult<Option<Bound<'py, PyString>>> {
    let py = pieces.py();
    let held: Vec<Bound<'py, PyAny>> = pieces.iter().collect();
    let Some(texts) = strings(&held) else { return Ok(None) };
    let (mut ids, mut between) = (Vec::with_capacity(texts.len()), Vec::new());
    let mut next = texts.iter();
    model.ids_of(
        texts.len(),
        |number| texts[number],
        |id| match (id, next.next()) {
            (Some(id), _) => ids.push(id),
            (None, text) => between.extend(text.map(|text| (ids.len(), *text))),
        },
    );
    if let Some(joined) = model.decode_joined(&ids, &between, room, pause(py)).or_raise()?
        && let Some(text) = made(py, joined)?
    {
        return Ok(Some(text));
    }
    let decoded = sized(py, held.len(), |_| Ok(model.decode_pieces(texts)))?;
    PyString::from_bytes(py, &decoded.text).map(Some)
}

/// What the ids or pieces of a list decode to, part by part.
pub fn segmentation(model: &Processor, list: &Bound<'_, PyList>) -> PyResult<Option<Segmentation>> {
    let py = list.py();
    let mut room = Vec::new();
    if let Some(ids) = plain_ids(list, &mut room) {
        return sized(py, ids.len(), |_| Ok(model.decode_ids(ids).ok()));
    }
    let held: Vec<Bound<'_, PyAny>> = list.iter().collect();
    let Some(texts) = strings(&held) else { return Ok(None) };
    sized(py, held.len(), |_| Ok(Some(model.decode_pieces(texts))))
}

/// Ids, pieces and offsets, counted in characters or in bytes; `None` where characters cannot be counted.
pub fn mapping<'py>(
    py: Python<'py>,
    model: &Model,
    segmentation: &Segmentation,
    (as_bytes, with_text): (bool, bool),
) -> Answer<'py> {
    let Ok(text) = std::str::from_utf8(&segmentation.text) else { return Ok(None) };
    let string = |bytes: &[u8]| -> PyResult<Bound<'py, PyAny>> {
        Ok(if as_bytes {
            PyBytes::new(py, bytes).into_any()
        } else {
            PyString::from_bytes(py, bytes)?.into_any()
        })
    };
    let pieces = &segmentation.pieces;
    let told = PyDict::new(py);
    if with_text {
        told.set_item(intern!(py, "text"), string(&segmentation.text)?)?;
    }
    let texts = pieces.iter().map(|piece| match model.inner.known(piece.id) {
        Some(known) if !as_bytes && known.text.as_bytes() == piece.text => {
            Ok(model.text_of(py, piece.id).into_any())
        }
        _ => string(&piece.text),
    });
    let texts = texts.collect::<PyResult<Vec<_>>>()?;
    told.set_item(intern!(py, "ids"), PyList::new(py, pieces.iter().map(|piece| piece.id))?)?;
    told.set_item(intern!(py, "pieces"), PyList::new(py, texts)?)?;
    let mut counter = CharCounter::new(text);
    let in_bytes = as_bytes || text.is_ascii();
    let mut place = |at: usize| if in_bytes { at } else { counter.at(at) };
    let offsets: Vec<(usize, usize)> =
        pieces.iter().map(|piece| (place(piece.begin), place(piece.end))).collect();
    told.set_item(intern!(py, "offsets"), PyList::new(py, offsets)?)?;
    Ok(Some(told.into_any()))
}

/// A normalized text, with the character of the given one that each of its characters comes from, if that is wanted; or those of
/// each of a list.
pub fn normalized<'py>(
    normalization: &SentencePieceNormalization,
    input: &Bound<'py, PyAny>,
    with_offsets: bool,
) -> Answer<'py> {
    let py = input.py();
    if let Ok(list) = input.cast_exact::<PyList>() {
        let each = list.iter().map(|one| normalized_one(normalization, &one, with_offsets));
        let each = each.collect::<PyResult<Option<Vec<_>>>>()?;
        return each.map(|each| PyList::new(py, each).map(Bound::into_any)).transpose();
    }
    normalized_one(normalization, input, with_offsets)
}

fn normalized_one<'py>(
    normalization: &SentencePieceNormalization,
    input: &Bound<'py, PyAny>,
    with_offsets: bool,
) -> Answer<'py> {
    let py = input.py();
    if let Ok(bytes) = input.cast::<PyBytes>() {
        let bytes = bytes.as_bytes();
        if !with_offsets {
            let normalized = processor::normalize_text(normalization, bytes).or_raise()?;
            return Ok(Some(PyBytes::new(py, normalized.as_bytes()).into_any()));
        }
        let (normalized, origins) = processor::normalize(normalization, bytes).or_raise()?;
        return (PyBytes::new(py, normalized.as_bytes()), origins).into_bound_py_any(py).map(Some);
    }
    let Some(text) = input.cast::<PyString>().ok().and_then(|text| text.to_str().ok()) else {
        return Ok(None);
    };
    if !with_offsets {
        let normalized = processor::normalize_text(normalization, text.as_bytes()).or_raise()?;
        return string(py, &normalized).map(|text| Some(text.into_any()));
    }
    let (normalized, origins) = processor::normalize(normalization, text.as_bytes()).or_raise()?;
    let ends = normalized.char_indices().map(|(at, c)| origins[at + c.len_utf8() - 1]);
    let mut counter = CharCounter::new(text);
    let is_ascii = text.is_ascii();
    let mut place = |origin: usize| if is_ascii { origin } else { counter.at(origin) };
    let mut offsets: Vec<usize> = ends.map(&mut place).collect();
    // Nothing is left of a text that has no end.
    offsets.push(origins.last().map_or(0, |&end| place(end)));
    (string(py, &normalized)?, offsets).into_bound_py_any(py).map(Some)
}

/// Python's text of one that may be long.
fn string<'py>(py: Python<'py>, text: &str) -> PyResult<Bound<'py, PyString>> {
    match made(py, Joined::Unsettled(text.as_bytes()))? {
        Some(text) => Ok(text),
        None => Ok(PyString::new(py, text)),
    }
}
