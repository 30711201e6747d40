//! Python's texts of tokens, which come again and again: a list of tokens holds the same few hundred many times over, and making a text
//! takes several times as long as counting one more reference to it.
//!
//! There are so many places, each for the last text that came to it, so that what is kept is bounded, whatever the vocabularies. A
//! text is found by its id and by the number that the engine gives to all that ids are called in a tokenizer, which no other one gets.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyString;
use tessella_core::TokenId;

use crate::border::interpreter::guarded::Guarded;
use crate::border::token_texts::{LONGEST, PAYS, PLACES};

#[derive(Default)]
struct Place {
    owner: u64,
    id: TokenId,
    text: Option<Py<PyString>>,
}

type Places = Guarded<Box<[Place]>>;

/// What an id is called by `owner`, which tells by `name`.
pub fn text<'py, 't>(
    py: Python<'py>,
    owner: u64,
    id: TokenId,
    name: impl FnOnce(TokenId) -> Option<&'t str>,
) -> Option<Bound<'py, PyString>> {
    match places(py).and_then(|places| places.lend(py)) {
        Some(mut places) => found(py, &mut places, owner, id, name),
        None => name(id).map(|name| PyString::new(py, name)),
    }
}

/// What ids are called, by themselves or by `owner`, with `None` for what is not there.
pub fn texts<'py, 't>(
    py: Python<'py>,
    owner: Option<u64>,
    tokens: impl ExactSizeIterator<Item = (TokenId, Option<&'t str>)>,
    name: impl Fn(TokenId) -> Option<&'t str>,
) -> Vec<Option<Bound<'py, PyString>>> {
    let places = owner.and_then(|owner| Some((owner, places(py)?.lend(py)?)));
    let Some((owner, mut places)) = places else {
        return tokens
            .map(|(id, own)| own.or_else(|| name(id)).map(|text| PyString::new(py, text)))
            .collect();
    };
    let text = |(id, own): (TokenId, Option<&'t str>)| match own {
        Some(own) => Some(PyString::new(py, own)),
        None => found(py, &mut places, owner, id, &name),
    };
    tokens.map(text).collect()
}

fn places(py: Python<'_>) -> Option<&'static Places> {
    static PLACES_OF_ALL: PyOnceLock<Places> = PyOnceLock::new();
    let make = || Guarded::new((0..PLACES).map(|_| Place::default()).collect());
    PAYS.then(|| PLACES_OF_ALL.get_or_init(py, make))
}

#[inline]
fn found<'py, 't>(
    py: Python<'py>,
    places: &mut [Place],
    owner: u64,
    id: TokenId,
    name: impl FnOnce(TokenId) -> Option<&'t str>,
) -> Option<Bound<'py, PyString>> {
    // Common tokens mostly have small ids, which stay side by side; those of several tokenizers lie apart.
    let place = &mut places[(id as usize).wrapping_add(owner as usize * 4099) % PLACES];
    if place.id == id
        && place.owner == owner
        && let Some(text) = &place.text
    {
        return Some(text.bind(py).clone());
    }
    let name = name(id)?;
    let text = PyString::new(py, name);
    if name.len() <= LONGEST {
        *place = Place { owner, id, text: Some(text.clone().unbind()) };
    }
    Some(text)
}
