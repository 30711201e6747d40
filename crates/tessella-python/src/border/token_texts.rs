//! Python's texts of the tokens of one vocabulary, made once: streams give out the same few thousand texts again and again, and
//! making one and dropping it takes longer than all else that a step does.
//!
//! There are so many places, each for the first id that comes to it, so that what is kept is bounded, whatever the vocabulary.
//! Of what streams give out only texts are kept that an id adds to every stream whose text is all out, so that a stream need ask
//! for nothing else.
//!
//! [`recurring`](super::recurring) is the table that all vocabularies share. A vocabulary has its own where most of it is asked for
//! (the pieces of a SentencePiece model, which would drive each other out of the shared places), or where what is kept is not what
//! an id is called (what it adds to a stream).

use std::sync::OnceLock;

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyString;
use tessella_core::TokenId;

/// Ids that have a text in one table, unless it is said otherwise: 1 to 2 MB with their texts.
pub const PLACES: usize = 1 << 14;
/// The most that have one, whatever is said.
const MOST_PLACES: usize = 1 << 16;
/// Bytes of a text, at most.
pub const LONGEST: usize = 64;

/// Where threads run side by side, all of them would count references to the same few texts.
pub const PAYS: bool = cfg!(not(Py_GIL_DISABLED));

type Place = PyOnceLock<(TokenId, Py<PyString>)>;

/// The texts of some tokens.
pub struct TokenTexts {
    places: OnceLock<Box<[Place]>>,
    most: usize,
}

impl Default for TokenTexts {
    fn default() -> Self {
        Self::of(PLACES)
    }
}

impl TokenTexts {
    /// Places for so many tokens, if there are not too many.
    pub fn of(tokens: usize) -> Self {
        TokenTexts { places: OnceLock::new(), most: tokens.clamp(1, MOST_PLACES) }
    }

    /// The text of an id, if it is known.
    #[inline]
    pub fn get<'py>(&self, py: Python<'py>, id: TokenId) -> Option<Bound<'py, PyString>> {
        let (known, text) = self.places.get()?.get(id as usize % self.most)?.get(py)?;
        (*known == id).then(|| text.bind(py).clone())
    }

    /// Keeps the text of an id, if there is a place for it, and it is what every stream gives out.
    pub fn keep(&self, id: TokenId, text: &Bound<'_, PyString>, is_for_all: impl FnOnce() -> bool) {
        if !PAYS {
            return;
        }
        let places = self.places.get_or_init(|| (0..self.most).map(|_| Place::new()).collect());
        let place = &places[id as usize % self.most];
        if place.get(text.py()).is_none() && is_for_all() {
            // Whoever was faster kept this text too, or that of another id.
            let _ = place.set(text.py(), (id, text.clone().unbind()));
        }
    }
}
