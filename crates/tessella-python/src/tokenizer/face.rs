//! The compiled half of `tessella.Tokenizer`.
//!
//! Everything a tokenizer does with text is here; properties, loading by name and what is awaited are in
//! Python.

use numpy::PyArray1;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString};
use tessella_core::spec::Padding;
use tessella_core::{EncodeOptions, TokenizerSpec};
use tessella_formats::hf;

use crate::border::arrays;
use crate::border::errors::OrRaise;
use crate::border::inputs;
use crate::border::interrupt::{shared, sized};
use crate::border::options::{Choice, check_stride, padding_to_python, truncation, truncation_to_python};
use crate::border::place::Place;
use crate::border::recurring;
use crate::border::texts::{OF_AN_ID, Texts, string, with_text};
use crate::border::values::{argument, direction};
use crate::components::decoders::DecoderHandle;
use crate::components::models::ModelHandle;
use crate::components::normalizers::NormalizerHandle;
use crate::components::pre_tokenizers::PreTokenizerHandle;
use crate::components::processors::PostProcessorHandle;
use crate::results::encoding::{self, Encoding};
use crate::tokenizer::call::{Call, Specials, ids_options, remembered, threads_for, tiny};
use crate::tokenizer::decoding;
use crate::tokenizer::description::Description;
use crate::tokenizer::state::{Shared, Slot, State};

/// Text to ids and back.
#[pyclass(frozen, subclass, weakref, module = "tessella._tessella", name = "Tokenizer")]
pub struct Tokenizer {
    shared: Shared,
}

#[pymethods]
impl Tokenizer {
    #[new]
    fn new(source: &Bound<'_, PyAny>) -> PyResult<Self> {
        let value = if let Ok(model) = source.cast::<ModelHandle>() {
            let node = model.get().node.clone();
            State::new(TokenizerSpec::new(node.spec()), Some(node))?
        } else if let Ok(description) = source.cast::<Description>() {
            description.get().state()?
        } else if let Ok(tokenizer) = source.cast::<Tokenizer>() {
            tokenizer.get().shared.get()?.detached()
        } else {
            return Err(PyTypeError::new_err("a tokenizer is made from a model"));
        };
        Ok(Tokenizer { shared: Shared::new(value) })
    }

    // The components, as handles.

    fn _normalizer(&self) -> PyResult<Option<NormalizerHandle>> {
        Ok(self.shared.get()?.parts.normalizer.as_ref().map(|slot| slot.node.clone().into()))
    }

    fn _set_normalizer(&self, handle: Option<&Bound<'_, NormalizerHandle>>) -> PyResult<()> {
        self.shared.change(|parts| {
            parts.normalizer = handle.map(|handle| Slot::new(handle.get().node.clone()));
        })
    }

    fn _pre_tokenizer(&self) -> PyResult<Option<PreTokenizerHandle>> {
        Ok(self.shared.get()?.parts.pre_tokenizer.as_ref().map(|slot| slot.node.clone().into()))
    }

    fn _set_pre_tokenizer(&self, handle: Option<&Bound<'_, PreTokenizerHandle>>) -> PyResult<()> {
        self.shared.change(|parts| {
            parts.pre_tokenizer = handle.map(|handle| Slot::new(handle.get().node.clone()));
        })
    }

    fn _model(&self) -> PyResult<ModelHandle> {
        Ok(self.shared.get()?.parts.model.node.clone().into())
    }

    fn _set_model(&self, handle: &Bound<'_, ModelHandle>) -> PyResult<()> {
        self.shared.change(|parts| parts.model = Slot::new(handle.get().node.clone()))
    }

    fn _post_processor(&self) -> PyResult<Option<PostProcessorHandle>> {
        Ok(self.shared.get()?.parts.post_processor.as_ref().map(|slot| slot.node.clone().into()))
    }

    fn _set_post_processor(&self, handle: Option<&Bound<'_, PostProcessorHandle>>) -> PyResult<()> {
        self.shared.change(|parts| {
            parts.post_processor = handle.map(|handle| Slot::new(handle.get().node.clone()));
        })
    }

    fn _decoder(&self) -> PyResult<Option<DecoderHandle>> {
        Ok(self.shared.get()?.parts.decoder.as_ref().map(|slot| slot.node.clone().into()))
    }

    fn _set_decoder(&self, handle: Option<&Bound<'_, DecoderHandle>>) -> PyResult<()> {
        self.shared.change(|parts| {
            parts.decoder = handle.map(|handle| Slot::new(handle.get().node.clone()));
        })
    }

    /// Whether special tokens in a text are encoded as ordinary text. Not saved.
    #[getter]
    fn encode_special_tokens(&self) -> PyResult<bool> {
        Ok(self.shared.get()?.parts.encode_special_tokens)
    }

    #[setter]
    fn set_encode_special_tokens(&self, value: bool) -> PyResult<()> {
        self.shared.change(|parts| parts.encode_special_tokens = value)
    }

    // Encoding.

    /// Encodes one text, or a pair.
    ///
    /// Args:
    ///     sequence: a `str`, or a list of words with `is_pretokenized=True`.
    ///     pair: a second sequence of the same kind.
    ///     is_pretokenized: the sequences are lists of words; offsets count inside each word.
    ///     add_special_tokens: let the post-processor add its special tokens.
    ///     truncation: `None` for the tokenizer's own setting, `False` for none, a length, or a dict with
    ///         the arguments of `enable_truncation`. Nothing of it stays in the tokenizer.
    ///     padding: `None` for the tokenizer's own setting, `False` for none, a length, or a dict with the
    ///         arguments of `enable_padding`.
    ///     encode_special_tokens: whether special tokens in the text are encoded as ordinary text; `None` for
    ///         the tokenizer's own setting.
    ///
    /// Example:
    ///     >>> from tessella import Tokenizer, models
    ///     >>> tokenizer = Tokenizer(models.BPE())
    ///     >>> _ = tokenizer.add_tokens(["my", "name"])
    ///     >>> tokenizer.encode("my name").ids
    ///     [0, 1]
    #[pyo3(signature = (sequence, pair = None, is_pretokenized = false, add_special_tokens = true, *, truncation = None, padding = None, encode_special_tokens = None))]
    #[allow(clippy::too_many_arguments)]
    fn encode(
        &self,
        py: Python<'_>,
        sequence: &Bound<'_, PyAny>,
        pair: Option<&Bound<'_, PyAny>>,
        is_pretokenized: bool,
        add_special_tokens: bool,
        truncation: Option<&Bound<'_, PyAny>>,
        padding: Option<&Bound<'_, PyAny>>,
        encode_special_tokens: Option<bool>,
    ) -> PyResult<Encoding> {
        let held = inputs::one_input(sequence, pair, is_pretokenized)?;
        let value = self.shared.get()?;
        let call = Call::new(py, &value, truncation, padding, encode_special_tokens)?;
        sized(py, held.bytes(), |cancel| {
            let options = EncodeOptions { cancel, ..call.options(&value, add_special_tokens, 1) };
            value.core.encode(&held.view()?, &options)
        })
        .map(Encoding::from)
    }

    /// Encodes many texts or pairs, on several threads and in order.
    ///
    /// Args:
    ///     input: the inputs: each a `str` or list of words, or a pair of them.
    ///     num_threads: how many threads work; `None` lets the engine choose. The result is the same for any
    ///         number.
    ///     is_pretokenized, add_special_tokens, truncation, padding, encode_special_tokens: as in `encode`.
    ///
    /// Example:
    ///     >>> from tessella import Tokenizer, models
    ///     >>> tokenizer = Tokenizer(models.BPE())
    ///     >>> _ = tokenizer.add_tokens(["my", "name"])
    ///     >>> [one.ids for one in tokenizer.encode_batch(["my", ("my", "name")])]
    ///     [[0], [0, 1]]
    #[pyo3(signature = (input, is_pretokenized = false, add_special_tokens = true, *, truncation = None, padding = None, encode_special_tokens = None, num_threads = None))]
    #[allow(clippy::too_many_arguments)]
    fn encode_batch<'py>(
        &self,
        py: Python<'py>,
        input: &Bound<'py, PyAny>,
        is_pretokenized: bool,
        add_special_tokens: bool,
        truncation: Option<&Bound<'py, PyAny>>,
        padding: Option<&Bound<'py, PyAny>>,
        encode_special_tokens: Option<bool>,
        #[pyo3(from_py_with = argument::num_threads)] num_threads: Option<usize>,
    ) -> PyResult<Bound<'py, PyList>> {
        let held = inputs::batch(input, is_pretokenized)?;
        let value = self.shared.get()?;
        let call = Call::new(py, &value, truncation, padding, encode_special_tokens)?;
        let bytes = held.bytes();
        let threads = threads_for(bytes, num_threads);
        let encodings = shared(py, bytes, threads, |cancel| {
            let options = EncodeOptions { cancel, ..call.options(&value, add_special_tokens, threads) };
            value.core.encode_batch(&held, &options)
        })
        .map_err(|error| held.error(py, error))?;
        encoding::list(py, encodings)
    }

    /// The ids of one text as an array, without building an `Encoding`: the fast way.
    ///
    /// Truncation and padding do not apply; cut the array, or use `encode`.
    ///
    /// Args:
    ///     text: the text, a `str` or `bytes` of UTF-8.
    ///     add_special_tokens: let the post-processor add its special tokens.
    ///     encode_special_tokens: whether special tokens in the text are encoded as ordinary text; `None` for
    ///         the tokenizer's own setting.
    ///
    /// Example:
    ///     >>> from tessella import Tokenizer, models
    ///     >>> tokenizer = Tokenizer(models.BPE())
    ///     >>> _ = tokenizer.add_tokens(["my", "name"])
    ///     >>> tokenizer.encode_ids("my name")
    ///     array([0, 1], dtype=uint32)
    #[pyo3(signature = (text, add_special_tokens = true, *, encode_special_tokens = None))]
    fn encode_ids<'py>(
        &self,
        py: Python<'py>,
        text: &Bound<'py, PyAny>,
        add_special_tokens: bool,
        encode_special_tokens: Option<bool>,
    ) -> PyResult<Bound<'py, PyArray1<u32>>> {
        let specials = (add_special_tokens, encode_special_tokens);
        let tiny = tiny(text);
        if let Some(ids) = tiny.and_then(|text| remembered(&self.shared, text, specials)) {
            return arrays::from_slice(py, &ids);
        }
        let value = self.shared.get()?;
        if let Some(text) = tiny {
            let options = ids_options(&value, specials, 1);
            return value.core.with_ids(text, &options, |ids| arrays::from_slice(py, ids)).or_raise()?;
        }
        let options = ids_options(&value, specials, 1);
        with_text(text, Place::Argument("text"), |text| {
            if text.len() <= arrays::KEPT_TEXT {
                let append = |ids: &mut _| value.core.append_ids(text, &options, ids);
                return arrays::of_ids(py, |ids| sized(py, text.len(), |_| append(ids)));
            }
            let ids = sized(py, text.len(), |cancel| {
                value.core.encode_ids(text, &EncodeOptions { cancel, ..options })
            })?;
            arrays::from_vec(py, ids)
        })
    }

    /// The ids of many texts: one buffer of ids and one of offsets.
    #[allow(clippy::type_complexity)]
    fn _encode_ids_batch<'py>(
        &self,
        py: Python<'py>,
        texts: &Bound<'py, PyAny>,
        add_special_tokens: bool,
        #[pyo3(from_py_with = argument::num_threads)] num_threads: Option<usize>,
        encode_special_tokens: Option<bool>,
    ) -> PyResult<(Bound<'py, PyArray1<u32>>, Bound<'py, PyArray1<i64>>)> {
        let specials = (add_special_tokens, encode_special_tokens);
        let ragged = self.ragged(py, inputs::texts(texts, "encode_ids")?, specials, num_threads)?;
        Ok((arrays::from_vec(py, ragged.ids)?, arrays::from_vec(py, ragged.offsets)?))
    }

    /// The number of ids that `encode_ids` would give. Truncation and padding do not apply, also where the
    /// tokenizer's file switched them on: what `encode` pads or cuts has another length. Arguments as for
    /// `encode_ids`.
    #[pyo3(signature = (text, add_special_tokens = true, *, encode_special_tokens = None))]
    fn count(
        &self,
        py: Python<'_>,
        text: &Bound<'_, PyAny>,
        add_special_tokens: bool,
        encode_special_tokens: Option<bool>,
    ) -> PyResult<usize> {
        let specials = (add_special_tokens, encode_special_tokens);
        let tiny = tiny(text);
        if let Some(ids) = tiny.and_then(|text| remembered(&self.shared, text, specials)) {
            return Ok(ids.len());
        }
        let value = self.shared.get()?;
        if let Some(text) = tiny {
            return value.core.count(text, &ids_options(&value, specials, 1)).or_raise();
        }
        with_text(text, Place::Argument("text"), |text| {
            sized(py, text.len(), |cancel| {
                let options = EncodeOptions { cancel, ..ids_options(&value, specials, 1) };
                value.core.count(text, &options)
            })
        })
    }

    /// The number of ids of each text.
    fn _count_batch<'py>(
        &self,
        py: Python<'py>,
        texts: &Bound<'py, PyAny>,
        add_special_tokens: bool,
        #[pyo3(from_py_with = argument::num_threads)] num_threads: Option<usize>,
        encode_special_tokens: Option<bool>,
    ) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let specials = (add_special_tokens, encode_special_tokens);
        let ragged = self.ragged(py, inputs::texts(texts, "count")?, specials, num_threads)?;
        let counts = ragged.offsets.windows(2).map(|pair| pair[1] - pair[0]).collect();
        arrays::from_vec(py, counts)
    }

    /// Truncates, post-processes and pads what is already encoded.
    #[pyo3(signature = (encoding, pair = None, add_special_tokens = true))]
    fn post_process(
        &self,
        encoding: &Bound<'_, Encoding>,
        pair: Option<&Bound<'_, Encoding>>,
        add_special_tokens: bool,
    ) -> PyResult<Encoding> {
        let value = self.shared.get()?;
        let call = Call { truncation: Choice::Own, padding: Choice::Own, encode_special_tokens: None };
        let second = pair.map(|pair| pair.get().copy());
        value
            .core
            .post_process(encoding.get().copy(), second, &call.options(&value, add_special_tokens, 1))
            .or_raise()
            .map(Encoding::from)
    }

    // Decoding.

    /// Ids to text.
    ///
    /// Args:
    ///     ids: a list or array of ids; ids that the tokenizer does not know are skipped.
    ///     skip_special_tokens: leave special tokens out.
    ///
    /// Example:
    ///     >>> from tessella import Tokenizer, models
    ///     >>> tokenizer = Tokenizer(models.BPE())
    ///     >>> _ = tokenizer.add_tokens(["my", "name"])
    ///     >>> tokenizer.decode([0, 1])
    ///     'my name'
    #[pyo3(signature = (ids, skip_special_tokens = true))]
    fn decode<'py>(
        &self,
        ids: &Bound<'py, PyAny>,
        skip_special_tokens: bool,
    ) -> PyResult<Bound<'py, PyString>> {
        decoding::text(&*self.shared.get()?, ids, skip_special_tokens, Place::Argument("ids"))
    }

    /// Many lists of ids to their texts.
    #[pyo3(signature = (sequences, skip_special_tokens = true))]
    fn decode_batch<'py>(
        &self,
        py: Python<'py>,
        sequences: &Bound<'py, PyAny>,
        skip_special_tokens: bool,
    ) -> PyResult<Bound<'py, PyList>> {
        decoding::texts(py, &*self.shared.get()?, sequences, skip_special_tokens)
    }

    /// The bytes that the ids stand for, before any lossy conversion to text.
    #[pyo3(signature = (ids, skip_special_tokens = true))]
    fn decode_bytes<'py>(
        &self,
        py: Python<'py>,
        ids: &Bound<'py, PyAny>,
        skip_special_tokens: bool,
    ) -> PyResult<Bound<'py, pyo3::types::PyBytes>> {
        let ids = inputs::ids(ids, Place::Argument("ids"))?;
        let value = self.shared.get()?;
        let bytes = sized(py, ids.len(), |_| value.core.decode_bytes(&ids, skip_special_tokens))?;
        decoding::own_bytes(py, &bytes)
    }

    /// The text, and for each id the character at which its part starts.
    #[pyo3(signature = (ids, skip_special_tokens = true))]
    fn decode_with_offsets(
        &self,
        py: Python<'_>,
        ids: &Bound<'_, PyAny>,
        skip_special_tokens: bool,
    ) -> PyResult<(String, Vec<usize>)> {
        let ids = inputs::ids(ids, Place::Argument("ids"))?;
        let value = self.shared.get()?;
        sized(py, ids.len(), |_| value.core.decode_with_offsets(&ids, skip_special_tokens))
    }

    // The vocabulary.

    /// The id of a token, `None` if there is no such token.
    fn token_to_id(&self, token: &Bound<'_, PyAny>) -> PyResult<Option<u32>> {
        let token = string(token, "token", OF_AN_ID)?;
        Ok(self.shared.get()?.core.token_to_id(token))
    }

    /// The token of an id, `None` if there is no such id.
    fn id_to_token<'py>(
        &self,
        py: Python<'py>,
        #[pyo3(from_py_with = argument::known_id)] id: u32,
    ) -> PyResult<Option<Bound<'py, PyString>>> {
        let core = &self.shared.get()?.core;
        Ok(recurring::text(py, core.texts_number(), id, |id| core.id_to_token(id)))
    }

    /// All tokens with their ids.
    #[pyo3(signature = (with_added_tokens = true))]
    fn get_vocab<'py>(&self, py: Python<'py>, with_added_tokens: bool) -> PyResult<Bound<'py, PyDict>> {
        let vocab = PyDict::new(py);
        let mut outcome = Ok(());
        self.shared.get()?.core.for_each_entry(with_added_tokens, |token, id| {
            if outcome.is_ok() {
                outcome = vocab.set_item(PyString::new(py, token), id);
            }
        });
        outcome.map(|()| vocab)
    }

    /// The number of tokens.
    ///
    /// This is not the largest id plus one: ids may have holes. A table of embeddings needs a row for every id
    /// up to the largest: `max(tokenizer.get_vocab().values()) + 1` rows.
    ///
    /// Example:
    ///     >>> from tessella import Tokenizer, models
    ///     >>> tokenizer = Tokenizer(models.WordLevel({"a": 0, "<unk>": 7}))
    ///     >>> tokenizer.get_vocab_size(), max(tokenizer.get_vocab().values()) + 1
    ///     (2, 8)
    #[pyo3(signature = (with_added_tokens = true))]
    fn get_vocab_size(&self, with_added_tokens: bool) -> PyResult<usize> {
        Ok(self.shared.get()?.core.vocab_size(with_added_tokens))
    }

    /// The added tokens by ascending id.
    fn get_added_tokens_decoder<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let mut tokens = self.shared.get()?.core.spec().added_tokens.clone();
        tokens.sort_by_key(|token| token.id);
        let decoder = PyDict::new(py);
        for token in &tokens {
            decoder.set_item(token.id, crate::components::added::to_python(py, token)?)?;
        }
        Ok(decoder)
    }

    /// Adds tokens that are cut out of the text before the model sees it.
    ///
    /// Args:
    ///     tokens: `str` or `AddedToken`, best all in one list.
    ///
    /// Returns:
    ///     how many were new or changed.
    ///
    /// Example:
    ///     >>> from tessella import AddedToken, Tokenizer, models
    ///     >>> tokenizer = Tokenizer(models.WordLevel({"a": 0, "<unk>": 1}))
    ///     >>> tokenizer.add_tokens(["new", AddedToken("cat", single_word=True)])
    ///     2
    ///     >>> tokenizer.encode("cat").tokens, tokenizer.token_to_id("new")
    ///     (['cat'], 2)
    fn add_tokens(&self, tokens: &Bound<'_, PyAny>) -> PyResult<usize> {
        self.add(tokens, false)
    }

    /// Adds special tokens: skipped by `decode`, matched in the raw text.
    ///
    /// `AddedToken` objects in the list become special.
    fn add_special_tokens(&self, tokens: &Bound<'_, PyAny>) -> PyResult<usize> {
        self.add(tokens, true)
    }

    /// How many special tokens the post-processor adds to one text, or to a pair.
    fn num_special_tokens_to_add(&self, is_pair: bool) -> PyResult<usize> {
        Ok(self.shared.get()?.core.added_tokens_to_add(is_pair))
    }

    // Settings.

    /// Cuts everything that is encoded from here on.
    ///
    /// Args:
    ///     max_length: tokens at most, special tokens included.
    ///     stride: how many tokens the windows in `overflowing` share.
    ///     strategy: which sequence of a pair is cut: `longest_first`, `only_first` or `only_second`.
    ///     direction: which end is cut off, `right` or `left`.
    ///
    /// Example:
    ///     >>> from tessella import Tokenizer, models
    ///     >>> tokenizer = Tokenizer(models.BPE())
    ///     >>> _ = tokenizer.add_tokens(["my", "name"])
    ///     >>> tokenizer.enable_truncation(max_length=2)
    ///     >>> tokenizer.encode("my name my name").tokens
    ///     ['my', 'name']
    #[pyo3(signature = (max_length, stride = 0, strategy = "longest_first", direction = "right"))]
    fn enable_truncation(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = argument::max_length)] max_length: usize,
        #[pyo3(from_py_with = argument::stride)] stride: usize,
        strategy: &str,
        direction: &str,
    ) -> PyResult<()> {
        let truncation = std::sync::Arc::new(truncation(max_length, stride, strategy, direction)?);
        check_stride(py, &truncation, self.shared.get()?.core.added_tokens_to_add(false))?;
        self.shared.change(|parts| parts.truncation = Some(truncation.clone()))
    }

    /// Stops cutting.
    fn no_truncation(&self) -> PyResult<()> {
        self.shared.change(|parts| parts.truncation = None)
    }

    /// The truncation setting, usable as arguments of `enable_truncation`, or `None`.
    #[getter]
    fn truncation<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        self.shared.get()?.parts.truncation.as_ref().map(|one| truncation_to_python(py, one)).transpose()
    }

    /// Pads everything that is encoded from here on.
    ///
    /// Args:
    ///     direction: the side that is filled, `right` or `left`.
    ///     pad_id, pad_type_id, pad_token: what to fill with.
    ///     length: pad to this length; `None` pads to the longest of each batch.
    ///     pad_to_multiple_of: round the length up.
    ///
    /// Example:
    ///     >>> from tessella import Tokenizer, models
    ///     >>> tokenizer = Tokenizer(models.BPE())
    ///     >>> _ = tokenizer.add_tokens(["[PAD]", "my", "name"])
    ///     >>> tokenizer.enable_padding(pad_id=0, pad_token="[PAD]")
    ///     >>> [one.ids for one in tokenizer.encode_batch(["my name", "my"])]
    ///     [[1, 2], [1, 0]]
    #[pyo3(signature = (direction = "right", pad_id = 0, pad_type_id = 0, pad_token = "[PAD]".to_string(), length = None, pad_to_multiple_of = None))]
    fn enable_padding(
        &self,
        direction: &str,
        #[pyo3(from_py_with = argument::pad_id)] pad_id: u32,
        #[pyo3(from_py_with = argument::pad_type_id)] pad_type_id: u32,
        pad_token: String,
        #[pyo3(from_py_with = argument::length)] length: Option<usize>,
        #[pyo3(from_py_with = argument::pad_to_multiple_of)] pad_to_multiple_of: Option<usize>,
    ) -> PyResult<()> {
        let padding = std::sync::Arc::new(Padding {
            fixed_length: length,
            direction: self::direction(direction)?,
            pad_to_multiple_of,
            pad_id,
            pad_type_id,
            pad_token,
        });
        self.shared.change(|parts| parts.padding = Some(padding.clone()))
    }

    /// Stops padding.
    fn no_padding(&self) -> PyResult<()> {
        self.shared.change(|parts| parts.padding = None)
    }

    /// The padding setting, usable as arguments of `enable_padding`, or `None`.
    #[getter]
    fn padding<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        self.shared.get()?.parts.padding.as_ref().map(|one| padding_to_python(py, one)).transpose()
    }

    // Saving and looking inside.

    /// The tokenizer as `tokenizer.json` text.
    #[pyo3(signature = (pretty = false))]
    fn to_str(&self, py: Python<'_>, pretty: bool) -> PyResult<String> {
        let spec = self.shared.get()?.spec();
        py.detach(|| hf::to_string(&spec, pretty)).or_raise()
    }

    /// A digest of everything that decides what comes out: equal for tokenizers that do the same.
    fn fingerprint(&self, py: Python<'_>) -> PyResult<String> {
        let spec = self.shared.get()?.spec();
        py.detach(|| tessella_formats::fingerprint(&spec)).or_raise()
    }

    /// All of the description as Python data; see the module `pack`.
    fn _pack<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let spec = self.shared.get()?.spec();
        let whole = py.detach(|| tessella_formats::packed::Whole::of(&spec)).or_raise()?;
        crate::files::pack::to_python(&whole, py)
    }

    /// Truncation, padding and added tokens as JSON.
    fn _settings(&self) -> PyResult<String> {
        hf::settings_with_tokens_to_json(&self.shared.get()?.spec()).or_raise()
    }

    /// Lets every thread cache pieces up to this many bytes; 0 switches caching off.
    ///
    /// Args:
    ///     bytes: the budget of each thread.
    fn set_cache_size(&self, #[pyo3(from_py_with = argument::bytes)] bytes: usize) -> PyResult<()> {
        self.shared.update(|old| {
            let core = old.core.with_cache_budget(bytes).or_raise()?;
            Ok((State::next(&core, old.parts.clone())?, ()))
        })
    }

    /// Bytes of cached pieces that each thread may hold.
    #[getter]
    fn cache_size(&self) -> PyResult<usize> {
        Ok(self.shared.get()?.core.cache_budget())
    }

    /// Forgets all cached pieces.
    fn clear_cache(&self) -> PyResult<()> {
        self.shared.get()?.core.clear_cache();
        Ok(())
    }

    /// Seeds the random numbers of dropout and sampling. With either, batches are encoded on one thread from then on, so that
    /// they repeat.
    fn seed(&self, #[pyo3(from_py_with = argument::seed)] seed: u64) -> PyResult<()> {
        self.shared.get()?.core.seed(seed);
        Ok(())
    }

    // Training.

    /// Puts a trained model and its special tokens in place of what was there. All added tokens get their ids
    /// anew.
    fn _install(&self, trained: &Bound<'_, ModelHandle>, special_tokens: &Bound<'_, PyAny>) -> PyResult<()> {
        let tokens = crate::components::added::tokens(special_tokens, true)?;
        let trained = trained.get().node.spec();
        let node = self.shared.get()?.parts.model.node.clone();
        node.edit(|model| *model = tessella_train::again::keep_settings(model, trained));
        self.shared.update(|old| {
            let mut spec = old.core.spec().clone();
            for token in &mut spec.added_tokens {
                token.id = None;
            }
            let core = old.core.with_spec(spec).or_raise()?;
            let (core, _) = core.with_added_tokens(&tokens).or_raise()?;
            Ok((State::next(&core, old.parts.clone())?, ()))
        })
    }

    /// A number that another one takes the place of with every change, also of a component.
    fn _version(&self) -> PyResult<u64> {
        Ok(self.shared.get()?.version)
    }

    fn _plan(&self) -> PyResult<Vec<(String, String, String)>> {
        let plan = self.shared.get()?.core.explain_plan();
        Ok(plan.into_iter().map(|step| (step.stage, step.engine, step.reason)).collect())
    }
}

impl Tokenizer {
    pub fn value(&self) -> PyResult<std::sync::Arc<State>> {
        self.shared.get()
    }

    /// What `decode` gives, where no more is asked for than is at hand.
    #[inline]
    pub fn decoded_at_hand<'py>(
        &self,
        ids: &Bound<'py, PyAny>,
        skip_special_tokens: bool,
    ) -> Option<PyResult<Bound<'py, PyString>>> {
        decoding::at_hand(&self.shared, ids, skip_special_tokens)
    }

    /// Looks at the value, if it is current and nobody is about to change it. `look` runs no code of others.
    #[inline]
    pub fn peek<R>(&self, look: impl FnOnce(&State) -> Option<R>) -> Option<R> {
        self.shared.peek(look)
    }

    /// Whether a value is still what [`value`](Self::value) gives.
    pub fn is_current(&self, value: &State) -> bool {
        self.shared.is_current(value)
    }

    fn add(&self, tokens: &Bound<'_, PyAny>, special: bool) -> PyResult<usize> {
        let tokens = crate::components::added::tokens(tokens, special)?;
        self.shared.update(|old| {
            let (core, count) = old.core.with_added_tokens(&tokens).or_raise()?;
            Ok((State::next(&core, old.parts.clone())?, count))
        })
    }

    fn ragged(
        &self,
        py: Python<'_>,
        texts: Texts,
        specials: Specials,
        num_threads: Option<usize>,
    ) -> PyResult<tessella_core::RaggedIds> {
        let value = self.shared.get()?;
        let bytes = texts.bytes();
        let threads = threads_for(bytes, num_threads);
        shared(py, bytes, threads, |cancel| {
            let options = EncodeOptions { cancel, ..ids_options(&value, specials, threads) };
            value.core.encode_ids_batch(&texts, &options)
        })
        .map_err(|error| texts.error(py, error))
    }
}
