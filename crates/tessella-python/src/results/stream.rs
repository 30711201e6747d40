//! Ids to text as they arrive: `DecodeStream`, which is handed the tokenizer with each id, `TextStream`, which holds it,
//! and `TextIterator`, which draws the ids itself. Under all of them is one [`Stream`].

use pyo3::exceptions::{PyRuntimeError, PyTypeError};
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyIterator, PyString};
use std::ops::DerefMut;
use std::sync::Arc;
use tessella_core::TokenId;
use tessella_core::decode::{Added, DecodeStream as Core};

use crate::border::errors::OrRaise;
use crate::border::inputs;
use crate::border::interpreter::guarded::Guarded;
use crate::border::interpreter::quick::{Answer, Quick, Twin, Unnamed};
use crate::border::interpreter::{ascii_text, plain_id};
use crate::border::interrupt::wished;
use crate::border::place::Place;
use crate::border::token_texts::LONGEST;
use crate::tokenizer::Tokenizer;
use crate::tokenizer::state::State;

/// Ids drawn without text between two looks at whether somebody wants to stop.
const TURN: usize = 1 << 12;

/// Ids to text, whoever holds the tokenizer.
struct Stream {
    inner: Guarded<Inner>,
    skip_special_tokens: bool,
}

#[derive(Clone)]
struct Inner {
    core: Core,
    /// The value of the tokenizer that was asked last: while it is current, nobody else has to be asked.
    known: Option<Arc<State>>,
}

impl Inner {
    /// The text that an id completes, if it completes any; `None`, with the stream as it was, where others have to be asked.
    #[inline(never)]
    fn at_once<'py>(
        &mut self,
        py: Python<'py>,
        id: TokenId,
        skip_special_tokens: bool,
    ) -> Option<PyResult<Option<Bound<'py, PyString>>>> {
        let Inner { core, known } = self;
        let known = known.as_ref()?;
        let (text, bytes) = match known.core.decode_at_once(core, id, skip_special_tokens)? {
            None => return Some(Ok(None)),
            Some(Added::Joined(text)) => return Some(Ok(Some(PyString::new(py, text)))),
            Some(Added::Ascii(text)) => (ascii_text(py, text), text.len()),
            Some(Added::Own(text)) => (Ok(PyString::new(py, text)), text.len()),
        };
        if let Ok(text) = &text
            && bytes <= LONGEST
        {
            // Others may want special tokens left out.
            known.texts.keep(id, text, || skip_special_tokens || !known.core.is_special(id));
        }
        Some(text.map(Some))
    }
}

impl Stream {
    fn new(ids: Option<&Bound<'_, PyAny>>, skip_special_tokens: bool) -> PyResult<Self> {
        let ids = ids.map(|ids| inputs::ids(ids, Place::Argument("ids"))).transpose()?.unwrap_or_default();
        Ok(Stream { inner: Guarded::new(Inner { core: Core::new(ids), known: None }), skip_special_tokens })
    }

    /// The state, for as long as nothing else runs.
    fn inner<'a>(&'a self, py: Python<'a>) -> PyResult<impl DerefMut<Target = Inner> + use<'a>> {
        let busy = || {
            PyRuntimeError::new_err("a stream takes one step at a time, and this one is in the middle of one")
        };
        self.inner.lend(py).ok_or_else(busy)
    }

    /// The state, which knows the tokenizer as it is now.
    fn ready<'a>(
        &'a self,
        py: Python<'a>,
        tokenizer: &Tokenizer,
    ) -> PyResult<impl DerefMut<Target = Inner> + use<'a>> {
        let inner = self.inner(py)?;
        if inner.known.as_ref().is_some_and(|known| tokenizer.is_current(known)) {
            return Ok(inner);
        }
        drop(inner);
        let value = tokenizer.value()?;
        let mut inner = self.inner(py)?;
        let Inner { core, known } = &mut *inner;
        if let Some(old) = known {
            core.make_prefix(|ids| old.core.decode(ids, self.skip_special_tokens)).or_raise()?;
        }
        let old = known.replace(value);
        // What was known may own objects of Python's, which go without a lock.
        drop(inner);
        drop(old);
        self.inner(py)
    }

    /// Takes one id, or several, and gives the text that they complete; `None` if they complete nothing.
    #[inline]
    fn step<'py>(
        &self,
        tokenizer: &Tokenizer,
        id: &Bound<'py, PyAny>,
    ) -> PyResult<Option<Bound<'py, PyString>>> {
        self.step_at_once(tokenizer, id).unwrap_or_else(|| self.step_by_token(tokenizer, id))
    }

    /// The same for a plain id where nobody else has to be asked; `None`, with the stream as it was, where that has to be.
    #[inline(always)]
    fn step_at_once<'py>(
        &self,
        tokenizer: &Tokenizer,
        id: &Bound<'py, PyAny>,
    ) -> Option<PyResult<Option<Bound<'py, PyString>>>> {
        let number = plain_id(id)?;
        // Nothing else runs meanwhile, neither code of Python's nor another thread.
        let mut inner = self.inner.lend(id.py())?;
        let Inner { core, known } = &mut *inner;
        let state = known.as_deref()?;
        if !tokenizer.is_current(state) {
            return None;
        }
        // Nearly all there is to do is told by what was done before.
        if let Some(text) = state.texts.get(id.py(), number)
            && core.follow(number)
        {
            return Some(Ok(Some(text)));
        }
        inner.at_once(id.py(), number, self.skip_special_tokens)
    }

    #[inline(never)]
    fn step_by_token<'py>(
        &self,
        tokenizer: &Tokenizer,
        id: &Bound<'py, PyAny>,
    ) -> PyResult<Option<Bound<'py, PyString>>> {
        let py = id.py();
        let mut inner = self.ready(py, tokenizer)?;
        if let Some(id) = plain_id(id) {
            if let Some(text) = inner.at_once(py, id, self.skip_special_tokens) {
                return text;
            }
            drop(inner);
            let value = tokenizer.value()?;
            let mut core = std::mem::take(&mut self.inner(py)?.core);
            let text = value.core.decode_next(&mut core, id, self.skip_special_tokens);
            self.inner(py)?.core = core;
            if let Some(text) = text.or_raise()? {
                return Ok(Some(PyString::new(py, text)));
            }
        } else {
            drop(inner);
        }
        inputs::refuse_bool(id, Place::Argument("id")).map_err(|_| not_ids(id))?;
        let ids = match id.extract::<u32>() {
            Ok(id) => vec![id],
            Err(_) if id.is_instance_of::<PyString>() => return Err(not_ids(id)),
            Err(_) => inputs::ids(id, Place::Argument("id")).map_err(|_| not_ids(id))?,
        };
        let value = tokenizer.value()?;
        // The state is changed on a copy: decoding may call components written in Python.
        let mut core = self.inner(py)?.core.clone();
        let text = core.step(&ids, |ids| value.core.decode(ids, self.skip_special_tokens)).or_raise()?;
        self.inner(py)?.core = core;
        Ok(text.map(|text| PyString::new(py, &text)))
    }

    /// At the end: the text that has been held back, broken characters as U+FFFD.
    fn flush(&self, py: Python<'_>, tokenizer: &Tokenizer) -> PyResult<Option<String>> {
        let mut core = self.ready(py, tokenizer)?.core.clone();
        let value = tokenizer.value()?;
        let text = core.flush(|ids| value.core.decode(ids, self.skip_special_tokens)).or_raise()?;
        self.inner(py)?.core = core;
        Ok(text)
    }

    fn copied(&self, py: Python<'_>) -> PyResult<Self> {
        let inner = self.inner(py)?.clone();
        Ok(Stream { inner: Guarded::new(inner), skip_special_tokens: self.skip_special_tokens })
    }
}

/// Decodes ids one after the other, giving out text as soon as it is complete.
///
/// Args:
///     ids: ids whose text has been given out already.
///     skip_special_tokens: leave special tokens out.
///
/// Example:
///     >>> from tessella import Tokenizer, models
///     >>> from tessella.decoders import DecodeStream
///     >>> tokenizer = Tokenizer(models.BPE())
///     >>> _ = tokenizer.add_tokens(["my", "name"])
///     >>> stream = DecodeStream()
///     >>> stream.step(tokenizer, 0), stream.step(tokenizer, 1)
///     ('my', ' name')
#[pyclass(frozen, module = "tessella.decoders", name = "DecodeStream")]
pub struct DecodeStream(Stream);

#[pymethods]
impl DecodeStream {
    #[new]
    #[pyo3(signature = (ids = None, skip_special_tokens = Some(false)))]
    fn new(ids: Option<&Bound<'_, PyAny>>, skip_special_tokens: Option<bool>) -> PyResult<Self> {
        Stream::new(ids, skip_special_tokens.unwrap_or(false)).map(DecodeStream)
    }

    /// Takes one id, or several, and gives the text that they complete; `None` if they complete nothing.
    fn step<'py>(
        &self,
        tokenizer: &Bound<'py, Tokenizer>,
        id: &Bound<'py, PyAny>,
    ) -> PyResult<Option<Bound<'py, PyString>>> {
        self.0.step(tokenizer.get(), id)
    }

    /// At the end: the text that has been held back, broken characters as U+FFFD.
    fn flush(&self, tokenizer: &Bound<'_, Tokenizer>) -> PyResult<Option<String>> {
        self.0.flush(tokenizer.py(), tokenizer.get())
    }

    fn __copy__(&self, py: Python<'_>) -> PyResult<Self> {
        self.0.copied(py).map(DecodeStream)
    }

    fn __deepcopy__(&self, memo: &Bound<'_, PyDict>) -> PyResult<Self> {
        self.__copy__(memo.py())
    }
}

/// `DecodeStream.step`, as it is called for each id.
pub struct DecodeStep;

impl Quick for DecodeStep {
    type Of = DecodeStream;
    const NAME: &'static str = "step";

    #[inline(always)]
    fn quick<'py>(this: &DecodeStream, arguments: Unnamed<'_, 'py>) -> Answer<'py> {
        let [tokenizer, id] = arguments.all()?;
        let text = this.0.step_at_once(tokenizer.cast::<Tokenizer>().ok()?.get(), id)?;
        Some(text.map(|text| text.map(Bound::into_any)))
    }

    fn twin() -> &'static Twin {
        static TWIN: Twin = Twin::new();
        &TWIN
    }
}

/// Text from ids as they arrive; made by `Tokenizer.decode_stream`.
///
/// Example:
///     >>> from tessella import Tokenizer, decoders, models
///     >>> alphabet = {"Ġ": 0, "Ã": 1, "©": 2, "a": 3}
///     >>> tokenizer = Tokenizer(models.BPE(alphabet, []))
///     >>> tokenizer.decoder = decoders.ByteLevel()
///     >>> stream = tokenizer.decode_stream()
///     >>> [stream.step(id) for id in [3, 1, 2, 1]], stream.flush()
///     (['a', None, 'é', None], '�')
#[pyclass(frozen, module = "tessella")]
pub struct TextStream {
    stream: Stream,
    tokenizer: Py<Tokenizer>,
}

#[pymethods]
impl TextStream {
    #[new]
    #[pyo3(signature = (tokenizer, skip_special_tokens = true, ids = None))]
    fn new(
        tokenizer: Py<Tokenizer>,
        skip_special_tokens: bool,
        ids: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        Ok(TextStream { stream: Stream::new(ids, skip_special_tokens)?, tokenizer })
    }

    /// Takes one id, or several, and gives the text that they complete; `None` if they complete none.
    fn step<'py>(&self, id: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyString>>> {
        self.stream.step(self.tokenizer.get(), id)
    }

    /// At the end: the text that has been held back, broken characters as U+FFFD.
    fn flush(&self, py: Python<'_>) -> PyResult<Option<String>> {
        self.stream.flush(py, self.tokenizer.get())
    }

    fn __copy__(&self, py: Python<'_>) -> PyResult<Self> {
        Ok(TextStream { stream: self.stream.copied(py)?, tokenizer: self.tokenizer.clone_ref(py) })
    }

    fn __deepcopy__(&self, py: Python<'_>, memo: &Bound<'_, PyDict>) -> PyResult<Self> {
        let tokenizer = py.import("copy")?.call_method1("deepcopy", (&self.tokenizer, memo))?;
        Ok(TextStream { stream: self.stream.copied(py)?, tokenizer: tokenizer.extract()? })
    }

    // As with the iterator below: a tokenizer of a subclass may keep a stream of its own.
    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.tokenizer)
    }
}

/// `TextStream.step`, as it is called for each id.
pub struct TextStep;

impl Quick for TextStep {
    type Of = TextStream;
    const NAME: &'static str = "step";

    #[inline(always)]
    fn quick<'py>(this: &TextStream, arguments: Unnamed<'_, 'py>) -> Answer<'py> {
        let [id] = arguments.all()?;
        let text = this.stream.step_at_once(this.tokenizer.get(), id)?;
        Some(text.map(|text| text.map(Bound::into_any)))
    }

    fn twin() -> &'static Twin {
        static TWIN: Twin = Twin::new();
        &TWIN
    }
}

/// Text as ids complete it, drawn from an iterable; made by `Tokenizer.decode_iter`.
#[pyclass(frozen, module = "tessella")]
pub struct TextIterator {
    stream: Stream,
    tokenizer: Py<Tokenizer>,
    ids: Py<PyIterator>,
}

#[pymethods]
impl TextIterator {
    #[new]
    fn new(tokenizer: Py<Tokenizer>, ids: &Bound<'_, PyAny>, skip_special_tokens: bool) -> PyResult<Self> {
        let ids = ids.try_iter()?.unbind();
        Ok(TextIterator { stream: Stream::new(None, skip_special_tokens)?, tokenizer, ids })
    }

    fn __iter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyString>>> {
        let (tokenizer, mut ids) = (self.tokenizer.get(), self.ids.bind(py).clone());
        for drawn in 1_usize.. {
            let Some(id) = ids.next() else { break };
            if let Some(text) = self.stream.step(tokenizer, &id?)? {
                return Ok(Some(text));
            }
            if drawn.is_multiple_of(TURN) {
                wished(py)?;
            }
        }
        Ok(self.stream.flush(py, tokenizer)?.map(|text| PyString::new(py, &text)))
    }

    // Nothing is given up to break a circle: who is in one with this can give up its own part.
    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.tokenizer)?;
        visit.call(&self.ids)
    }
}

fn not_ids(id: &Bound<'_, PyAny>) -> PyErr {
    PyTypeError::new_err(format!(
        "StreamInput must be either an integer or a list of integers, from 0 to {}, found {}",
        u32::MAX,
        crate::border::place::shown(id)
    ))
}
