//! What Python hands over, checked: texts, words, pairs, and lists of ids.

use pyo3::exceptions::{PyOverflowError, PyTypeError};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use pyo3::types::{
    PyBool, PyByteArray, PyBytes, PyFrozenSet, PyList, PyMapping, PyMemoryView, PySet, PyString, PyTuple,
};
use tessella_core::{Error, Input, ManyInputs, Sequence, TokenId, memory};

use crate::border::arrays;
use crate::border::errors::OrRaise;
use crate::border::interpreter::plain_ids;
use crate::border::place::{Place, wrong_type};
use crate::border::texts::{Later, Refused, Text, Texts, instead_of_text, not_unicode};
use crate::border::values::out_of_range;

/// One sequence, held for the call.
enum Held<T> {
    Text(T),
    Words(Vec<PyBackedStr>),
}

/// A sequence or a pair.
struct HeldInput<T> {
    first: Held<T>,
    second: Option<Held<T>>,
}

impl<T> Held<T> {
    fn view<'t>(&'t self, text: impl FnOnce(&'t T) -> Result<&'t str, Error>) -> Result<Sequence<'t>, Error> {
        Ok(match self {
            Held::Text(held) => Sequence::Text(text(held)?),
            Held::Words(words) => Sequence::Words(words.iter().map(|word| &**word).collect()),
        })
    }

    fn bytes(&self, of_text: impl FnOnce(&T) -> usize) -> usize {
        match self {
            Held::Text(text) => of_text(text),
            Held::Words(words) => words.iter().map(|word| word.len()).sum(),
        }
    }
}

impl<T> HeldInput<T> {
    fn view<'t>(
        &'t self,
        one: impl FnOnce(&'t T) -> Result<&'t str, Error>,
        other: impl FnOnce(&'t T) -> Result<&'t str, Error>,
    ) -> Result<Input<'t>, Error> {
        let second = self.second.as_ref().map(|second| second.view(other)).transpose()?;
        Ok(Input { first: self.first.view(one)?, second })
    }

    fn bytes(&self, of_text: impl Fn(&T) -> usize) -> usize {
        self.first.bytes(&of_text) + self.second.as_ref().map_or(0, |second| second.bytes(&of_text))
    }
}

/// One sequence or pair, held for the call.
pub struct OneInput(HeldInput<Text>);

impl OneInput {
    pub fn view(&self) -> Result<Input<'_>, Error> {
        self.0.view(|text| Ok(text), |text| Ok(text))
    }

    pub fn bytes(&self) -> usize {
        self.0.bytes(|text| text.len())
    }
}

/// Sequences and pairs, held for the call.
pub struct Inputs {
    each: Vec<HeldInput<Later>>,
    refused: Refused,
}

impl Inputs {
    const NAME: &str = "input";

    /// About the bytes of all texts, and one for each input.
    pub fn bytes(&self) -> usize {
        (0..self.each.len()).map(|index| self.size(index) + 1).sum()
    }

    /// What the caller is told of a call that ended in an error.
    pub fn error(&self, py: Python<'_>, error: PyErr) -> PyErr {
        let first = self.refused.first();
        let outer = Place::Argument(Self::NAME);
        let place = outer.entry(first);
        let told = |held: &Held<Later>, place: Place<'_>| match held {
            Held::Text(text) => text.refused(py, place),
            Held::Words(_) => None,
        };
        let refused = self.each.get(first).and_then(|input| match &input.second {
            None => told(&input.first, place),
            Some(second) => told(&input.first, place.entry(0)).or_else(|| told(second, place.entry(1))),
        });
        refused.unwrap_or(error)
    }
}

impl ManyInputs for Inputs {
    fn count(&self) -> usize {
        self.each.len()
    }

    fn size(&self, index: usize) -> usize {
        self.each[index].bytes(Later::size)
    }

    fn read<'t>(&'t self, index: usize, [one, other]: &'t mut [String; 2]) -> Result<Input<'t>, Error> {
        let read = self.each[index].view(|text| text.read(one), |text| text.read(other));
        self.refused.or_note(read, index)
    }
}

const WORDS: &str = "PreTokenizedInputSequence must be Union[List[str], Tuple[str]]";
const TEXT_INPUT: &str =
    "TextEncodeInput must be Union[TextInputSequence, Tuple[InputSequence, InputSequence]]";
const WORDS_INPUT: &str = "PreTokenizedEncodeInput must be Union[PreTokenizedInputSequence, \
                           Tuple[PreTokenizedInputSequence, PreTokenizedInputSequence]]";

/// Lists, tuples and arrays; not texts, and not things that can be walked only once.
fn is_list(value: &Bound<'_, PyAny>) -> PyResult<bool> {
    Ok(value.is_instance_of::<PyList>()
        || value.is_instance_of::<PyTuple>()
        || (!value.is_instance_of::<PyString>() && value.hasattr("__array__")?))
}

fn words(value: &Bound<'_, PyAny>, place: Place<'_>) -> PyResult<Vec<PyBackedStr>> {
    let refused = || {
        let advice = if value.is_instance_of::<PyString>() {
            "split it into words, or leave out is_pretokenized=True"
        } else if arrays::has_no_dimension(value) {
            ONE_VALUE
        } else {
            ""
        };
        wrong_type(place, value, WORDS, advice)
    };
    if !is_list(value)? {
        return Err(refused());
    }
    value
        .try_iter()
        .map_err(|_| refused())?
        .enumerate()
        .map(|(index, word)| {
            let (word, place) = (word?, place.entry(index));
            match word.cast::<PyString>() {
                Ok(word) => PyBackedStr::try_from(word.clone())
                    .map_err(|error| not_unicode(word, error, WORDS, place)),
                Err(_) => Err(wrong_type(place, &word, WORDS, "")),
            }
        })
        .collect()
}

/// `text` holds one that is no list of words.
fn sequence<T>(
    value: &Bound<'_, PyAny>,
    pretokenized: bool,
    place: Place<'_>,
    text: impl FnOnce(&Bound<'_, PyAny>, Place<'_>) -> PyResult<T>,
) -> PyResult<Held<T>> {
    if pretokenized { words(value, place).map(Held::Words) } else { text(value, place).map(Held::Text) }
}

/// One sequence, or a pair of them.
pub fn one_input(
    sequence: &Bound<'_, PyAny>,
    pair: Option<&Bound<'_, PyAny>>,
    pretokenized: bool,
) -> PyResult<OneInput> {
    let held = |value, name| self::sequence(value, pretokenized, Place::Argument(name), Text::new);
    let first = held(sequence, "sequence")?;
    let second = pair.map(|pair| held(pair, "pair")).transpose()?;
    Ok(OneInput(HeldInput { first, second }))
}

/// One entry of a batch: a sequence or a pair of two.
fn input(value: &Bound<'_, PyAny>, pretokenized: bool, place: Place<'_>) -> PyResult<HeldInput<Later>> {
    let (is_text, listed) = (value.is_instance_of::<PyString>(), is_list(value)?);
    let length = if listed { value.len().unwrap_or(0) } else { 0 };
    // What begins as a sequence is one, or is meant as one, and its own error says what is wrong in it.
    let begun = if pretokenized {
        listed && (length == 0 || value.get_item(0)?.is_instance_of::<PyString>())
    } else {
        is_text
    };
    if begun {
        return Ok(HeldInput { first: sequence(value, pretokenized, place, Later::new)?, second: None });
    }
    if length != 2 {
        let advice = match pretokenized {
            true if is_text => "split it into words, or leave out is_pretokenized=True",
            true => "",
            false if length > 0 => "a pair has two texts; for words, pass is_pretokenized=True",
            false => instead_of_text(value, place),
        };
        return Err(wrong_type(place, value, if pretokenized { WORDS_INPUT } else { TEXT_INPUT }, advice));
    }
    let part = |index: usize| sequence(&value.get_item(index)?, pretokenized, place.entry(index), Later::new);
    Ok(HeldInput { first: part(0)?, second: Some(part(1)?) })
}

/// The entries of a batch: anything that can be walked, but not one text. `alone` is what takes one.
fn each<'a, 'py, T>(
    value: &'a Bound<'py, PyAny>,
    name: &'static str,
    expected: &str,
    alone: &str,
    mut read: impl FnMut(&Bound<'py, PyAny>, Place<'_>) -> PyResult<T>,
) -> PyResult<Vec<T>> {
    let place = Place::Argument(name);
    if value.is_instance_of::<PyString>() || value.is_instance_of::<PyBytes>() {
        let advice = format!("put it into a list, or call `{alone}`, which takes one");
        return Err(wrong_type(place, value, expected, &advice));
    }
    if let Some(advice) = without_order(value) {
        return Err(wrong_type(place, value, expected, advice));
    }
    let entries = value.try_iter().map_err(|error| {
        if arrays::has_no_dimension(value) {
            return wrong_type(place, value, expected, ONE_VALUE);
        }
        // What can be walked, but raised when that began, is none of the wrong type.
        let walks = value.hasattr("__iter__").unwrap_or(false);
        if walks { error } else { wrong_type(place, value, expected, "") }
    })?;
    entries.enumerate().map(|(index, one)| read(&one?, place.entry(index))).collect()
}

/// What to do with a collection whose walk gives not what it seems to hold, or in an order that nobody chose.
pub fn without_order(value: &Bound<'_, PyAny>) -> Option<&'static str> {
    if value.is_instance_of::<PySet>() || value.is_instance_of::<PyFrozenSet>() {
        Some("a set has no order, so results could not be told apart: pass a list, `sorted(...)` for example")
    } else {
        walked_by_names(value)
    }
}

/// What to do with a collection that is walked by names: a dict and its like by keys, a table by its columns.
///
/// Rows of `datasets`, and what a call gives, are no dicts and are walked as these are.
pub fn walked_by_names(value: &Bound<'_, PyAny>) -> Option<&'static str> {
    if value.is_instance_of::<PyList>() || value.is_instance_of::<PyTuple>() {
        // Asked first: this is what nearly all calls give, and the others are looked up by name.
        None
    } else if value.cast::<PyMapping>().is_ok() {
        Some("a dict is walked by its keys: pass `list(value.values())`, or what you mean")
    } else if is_table(value) {
        Some("a table is walked by its columns: pass the one you mean, as in `table[\"text\"]`")
    } else {
        None
    }
}

/// Whether something is a table with columns, of pandas, Polars or Arrow: asked of its class, since frames that
/// are computed later would begin with it if they were asked themselves.
fn is_table(value: &Bound<'_, PyAny>) -> bool {
    let class = value.get_type();
    let has = |name: &str| class.hasattr(name).unwrap_or(false);
    has("columns")
        && ["__dataframe__", "__arrow_c_stream__", "__arrow_c_array__", "lazy"].iter().any(|name| has(name))
}

/// A batch of sequences and pairs.
pub fn batch(value: &Bound<'_, PyAny>, pretokenized: bool) -> PyResult<Inputs> {
    let each = each(value, Inputs::NAME, "expected a list of inputs", "encode", |one, place| {
        input(one, pretokenized, place)
    })?;
    Ok(Inputs { each, refused: Refused::none() })
}

/// A batch of plain texts, each a `str` or `bytes` of UTF-8; `alone` is what takes one of them.
pub fn texts(value: &Bound<'_, PyAny>, alone: &str) -> PyResult<Texts> {
    each(value, Texts::NAME, "expected a list of texts", alone, Later::or_bytes).map(Texts::new)
}

/// A batch of lists of ids, each of which `read` gets.
pub fn id_lists<'py, T>(
    value: &Bound<'py, PyAny>,
    mut read: impl FnMut(&Bound<'py, PyAny>, Place<'_>) -> PyResult<T>,
) -> PyResult<Vec<T>> {
    each(value, "sequences", "expected a list of lists of ids", "decode", |one, place| {
        let number = !one.is_instance_of::<PyList>()
            && !arrays::is_array(one)?
            && one.hasattr("__index__")?
            && !one.hasattr("__len__")?;
        if number {
            return Err(wrong_type(place, one, IDS, "for the ids of one text, call `decode`"));
        }
        read(one, place)
    })
}

const IDS: &str = "expected a list of ids";
const ONE_ID: &str = "an array without a dimension is one id: put it into a list";
pub const ONE_VALUE: &str = "an array without a dimension is no list: put `[value.item()]` in its place";

/// Hands over ids where they lie, if that is an array of `uint32` with up to `most` of them, and else a copy, in `room` if
/// they come as lists and arrays usually do.
pub fn with_ids<R>(
    value: &Bound<'_, PyAny>,
    place: Place<'_>,
    (room, most): (&mut Vec<TokenId>, usize),
    work: impl FnOnce(&[TokenId]) -> PyResult<R>,
) -> PyResult<R> {
    if let Ok(list) = value.cast_exact::<PyList>() {
        // The copy is here before the engine asks.
        memory::ask(list.len(), size_of::<TokenId>() + memory::FOR_TEXT).or_raise()?;
        if let Some(ids) = plain_ids(list, room) {
            return work(ids);
        }
    } else if arrays::is_array(value)? {
        if let Some(array) = arrays::held(value)
            && let Ok(ids) = array.as_slice()
            && ids.len() <= most
        {
            return work(ids);
        }
        if arrays::copy_ids(value, room) {
            return work(room);
        }
    }
    work(&ids(value, place)?)
}

/// Ids from a list, an array or anything else that can be walked.
pub fn ids(value: &Bound<'_, PyAny>, place: Place<'_>) -> PyResult<Vec<TokenId>> {
    if let Ok(list) = value.cast_exact::<PyList>() {
        let mut room = Vec::new();
        if plain_ids(list, &mut room).is_some() {
            return Ok(room);
        }
    }
    if value.is_instance_of::<PyList>() || value.is_instance_of::<PyTuple>() {
        let ids: Vec<TokenId> = value.extract().map_err(|error| named_id(value, error, place))?;
        refuse_bools(value, place)?;
        return Ok(ids);
    }
    if let Some(advice) = without_order(value) {
        return Err(wrong_type(place, value, IDS, advice));
    }
    if is_bytes(value)? {
        return Err(wrong_type(place, value, IDS, "bytes are no ids: text becomes ids with `encode`"));
    }
    if value.is_instance_of::<PyString>() {
        return Err(wrong_type(place, value, IDS, "text becomes ids with `encode`"));
    }
    if arrays::is_array(value)? {
        let mut room = Vec::new();
        if arrays::copy_ids(value, &mut room) {
            return Ok(room);
        }
        // Other element types go through Python's integers, which checks the range.
        return listed_ids(value, place);
    }
    if arrays::has_no_dimension(value) {
        return Err(wrong_type(place, value, IDS, ONE_ID));
    }
    // Tensors, and whatever else gives its memory to NumPy. What lies on another device does not.
    if value.hasattr("__array__")? && value.getattr("ndim").is_ok_and(|n| n.eq(1).unwrap_or(false)) {
        return match arrays::of(value) {
            Ok(array) => ids(&array, place),
            Err(error) if error.is_instance_of::<PyTypeError>(value.py()) && value.hasattr("tolist")? => {
                listed_ids(value, place)
            }
            Err(error) => Err(error),
        };
    }
    let one = |(index, id): (usize, PyResult<Bound<'_, PyAny>>)| {
        let id = id?;
        refuse_bool(&id, place.entry(index))?;
        id.extract().map_err(|error: PyErr| wrong_id(&id, place.entry(index), error))
    };
    let entries = value.try_iter().map_err(|error| {
        let walks = value.hasattr("__iter__").unwrap_or(false);
        let advice = if value.hasattr("__index__").unwrap_or(false) { "put it into a list" } else { "" };
        if walks { error } else { wrong_type(place, value, IDS, advice) }
    })?;
    entries.enumerate().map(one).collect()
}

/// The ids of an array or a tensor that can tell them as Python's integers.
fn listed_ids(value: &Bound<'_, PyAny>, place: Place<'_>) -> PyResult<Vec<TokenId>> {
    let list = value.call_method0("tolist")?;
    if !list.is_instance_of::<PyList>() {
        return Err(wrong_type(place, value, IDS, ONE_ID));
    }
    refuse_bools(&list, place)?;
    list.extract().map_err(|error| named_id(&list, error, place))
}

/// Bytes, also where they only look into others'.
fn is_bytes(value: &Bound<'_, PyAny>) -> PyResult<bool> {
    if let Ok(view) = value.cast::<PyMemoryView>() {
        let format: String = view.getattr("format")?.extract()?;
        return Ok(matches!(format.as_str(), "B" | "b" | "c"));
    }
    Ok(value.is_instance_of::<PyBytes>() || value.is_instance_of::<PyByteArray>())
}

fn refuse_bools(ids: &Bound<'_, PyAny>, place: Place<'_>) -> PyResult<()> {
    // What cannot be walked is told by whoever reads it.
    let Ok(ids) = ids.try_iter() else { return Ok(()) };
    ids.enumerate().try_for_each(|(index, id)| refuse_bool(&id?, place.entry(index)))
}

/// True and False are integers to Python, but nobody means ids by them: most likely they are a mask.
pub fn refuse_bool(id: &Bound<'_, PyAny>, place: Place<'_>) -> PyResult<()> {
    if id.is_instance_of::<PyBool>() {
        return Err(wrong_type(place, id, "an id must be an int", "is it a mask?"));
    }
    Ok(())
}

/// The error for the first of some ids that is none.
fn named_id(ids: &Bound<'_, PyAny>, error: PyErr, place: Place<'_>) -> PyErr {
    let find = || -> PyResult<PyErr> {
        for (index, id) in ids.try_iter()?.enumerate() {
            let id = id?;
            if let Err(error) = id.extract::<TokenId>() {
                return Ok(wrong_id(&id, place.entry(index), error));
            }
        }
        Ok(error.clone_ref(ids.py()))
    };
    find().unwrap_or_else(|error| error)
}

fn wrong_id(id: &Bound<'_, PyAny>, place: Place<'_>, error: PyErr) -> PyErr {
    if error.is_instance_of::<PyOverflowError>(id.py()) {
        return out_of_range(id, &format!("`{place}`"), u64::from(TokenId::MAX));
    }
    if !error.is_instance_of::<PyTypeError>(id.py()) {
        return error;
    }
    let many = id.is_instance_of::<PyList>() || id.is_instance_of::<PyTuple>();
    let advice = if many { "for many lists of ids, call `decode_batch`" } else { "" };
    wrong_type(place, id, "an id must be an int", advice)
}
