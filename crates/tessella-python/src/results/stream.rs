//! `DecodeStream`: ids to text as they arrive.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use std::sync::{Arc, Mutex};
use tessella_core::decode::DecodeStream as Core;

use crate::border::errors::OrRaise;
use crate::border::inputs;
use crate::border::interpreter::{ascii_text, plain_id};
use crate::border::place::Place;
use crate::components::live::lock;
use crate::tokenizer::Tokenizer;
use crate::tokenizer::state::State;

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
pub struct DecodeStream {
    inner: Mutex<Inner>,
    skip_special_tokens: bool,
}

#[derive(Default)]
struct Inner {
    core: Core,
    /// The value of the tokenizer that was asked last: while it is current, nobody else has to be asked.
    known: Option<Arc<State>>,
}

impl Inner {
    fn new(core: Core) -> Mutex<Inner> {
        Mutex::new(Inner { core, known: None })
    }
}

#[pymethods]
impl DecodeStream {
    #[new]
    #[pyo3(signature = (ids = None, skip_special_tokens = Some(false)))]
    fn new(ids: Option<&Bound<'_, PyAny>>, skip_special_tokens: Option<bool>) -> PyResult<Self> {
        let ids = ids.map(|ids| inputs::ids(ids, Place::Argument("ids"))).transpose()?.unwrap_or_default();
        Ok(DecodeStream {
            inner: Inner::new(Core::new(ids)),
            skip_special_tokens: skip_special_tokens.unwrap_or(false),
        })
    }

    /// Takes one id, or several, and gives the text that they complete; `None` if they complete nothing.
    fn step<'py>(
        &self,
        tokenizer: &Bound<'py, Tokenizer>,
        id: &Bound<'py, PyAny>,
    ) -> PyResult<Option<Bound<'py, PyString>>> {
        let py = id.py();
        if let Some(id) = plain_id(id) {
            let mut inner = lock(&self.inner);
            if !inner.known.as_ref().is_some_and(|known| tokenizer.get().is_current(known)) {
                drop(inner);
                let value = tokenizer.get().value()?;
                let replaced = lock(&self.inner).known.replace(value);
                drop(replaced);
                inner = lock(&self.inner);
            }
            let Inner { core, known } = &mut *inner;
            // Nothing else runs meanwhile, neither code of Python's nor another thread.
            let text = known
                .as_ref()
                .and_then(|known| known.core.decode_at_once(core, id, self.skip_special_tokens));
            match text {
                Some(Some((text, true))) => return ascii_text(py, text.as_bytes()).map(Some),
                Some(text) => return Ok(text.map(|(text, _)| PyString::new(py, text))),
                None => drop(inner),
            }
            let value = tokenizer.get().value()?;
            let mut core = std::mem::take(&mut lock(&self.inner).core);
            let text = value.core.decode_next(&mut core, id, self.skip_special_tokens);
            lock(&self.inner).core = core;
            if let Some(text) = text.or_raise()? {
                return Ok(Some(PyString::new(py, text)));
            }
        }
        inputs::refuse_bool(id, Place::Argument("id")).map_err(|_| not_ids(id))?;
        let ids = match id.extract::<u32>() {
            Ok(id) => vec![id],
            Err(_) if id.is_instance_of::<PyString>() => return Err(not_ids(id)),
            Err(_) => inputs::ids(id, Place::Argument("id")).map_err(|_| not_ids(id))?,
        };
        let value = tokenizer.get().value()?;
        // The state is changed on a copy: decoding may call components written in Python.
        let mut core = lock(&self.inner).core.clone();
        let text = core.step(&ids, |ids| value.core.decode(ids, self.skip_special_tokens)).or_raise()?;
        lock(&self.inner).core = core;
        Ok(text.map(|text| PyString::new(py, &text)))
    }

    /// At the end: the text that has been held back, broken characters as U+FFFD.
    fn flush(&self, tokenizer: &Bound<'_, Tokenizer>) -> PyResult<Option<String>> {
        let value = tokenizer.get().value()?;
        let mut core = lock(&self.inner).core.clone();
        let text = core.flush(|ids| value.core.decode(ids, self.skip_special_tokens)).or_raise()?;
        lock(&self.inner).core = core;
        Ok(text)
    }

    fn __copy__(&self) -> Self {
        DecodeStream {
            inner: Inner::new(lock(&self.inner).core.clone()),
            skip_special_tokens: self.skip_special_tokens,
        }
    }

    fn __deepcopy__(&self, _memo: &Bound<'_, PyDict>) -> Self {
        self.__copy__()
    }
}

fn not_ids(id: &Bound<'_, PyAny>) -> PyErr {
    PyTypeError::new_err(format!(
        "StreamInput must be either an integer or a list of integers, from 0 to {}, found {}",
        u32::MAX,
        crate::border::place::shown(id)
    ))
}
