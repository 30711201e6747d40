//! Texts of ids that depend on where they stand, remembered: the first and the last of several, and an id that is alone.
//!
//! Making one asks all stages of the decoder, which takes longer than copying the texts of a hundred ids. Texts begin and end
//! with the same few ids.

use std::sync::{PoisonError, RwLock};

use crate::error::Result;
use crate::hash::SecretMap;
use crate::ids::TokenId;

/// Where an id stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Placed {
    First,
    Last,
    Alone,
}

/// Texts that are remembered, at most.
const MOST: usize = 1 << 14;
/// Bytes of one of them, at most.
const LONGEST: usize = 256;

#[derive(Debug, Default)]
pub(super) struct PlacedTexts(RwLock<SecretMap<(TokenId, Placed), Box<str>>>);

impl PlacedTexts {
    /// Hands a text to `take`, which asks for no other. `make` is asked for it if it is not known.
    pub(super) fn with<R>(
        &self,
        id: TokenId,
        placed: Placed,
        make: impl FnOnce() -> Result<String>,
        take: impl FnOnce(&str) -> R,
    ) -> Result<R> {
        if let Some(text) = self.0.read().unwrap_or_else(PoisonError::into_inner).get(&(id, placed)) {
            return Ok(take(text));
        }
        let text = make()?;
        let result = take(&text);
        let mut known = self.0.write().unwrap_or_else(PoisonError::into_inner);
        if known.len() < MOST && text.len() <= LONGEST {
            known.insert((id, placed), text.into());
        }
        Ok(result)
    }
}
