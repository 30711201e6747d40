//! Offsets without the blanks that byte-level tokens carry.
//!
//! Leading and trailing blanks of each token's text are taken out of its offsets. A pre-tokenizer may have put one space in front of
//! the text (`add_prefix_space`). No character of the original stands for it, so a first token with exactly one leading blank keeps
//! its start. First is the token 0, and every token that starts at 0: the words of an already split input each do.

use std::sync::{Arc, OnceLock};

use super::blanks::blanks;
use super::{Encoding, TokenTexts};
use crate::ids::TokenId;

/// Numbers that places are told in. No sum or difference goes around.
pub trait Number: Copy + Ord {
    fn of(count: u32) -> Self;
    fn plus(self, other: Self) -> Self;
    fn minus(self, other: Self) -> Self;
}

macro_rules! number {
    ($($type:ty),*) => {$(
        impl Number for $type {
            #[inline(always)]
            fn of(count: u32) -> Self {
                count as Self
            }

            #[inline(always)]
            fn plus(self, other: Self) -> Self {
                self.saturating_add(other)
            }

            #[inline(always)]
            fn minus(self, other: Self) -> Self {
                self.saturating_sub(other)
            }
        }
    )*};
}

number!(u32, i64, usize);

/// The offsets of a token that begins and ends with so many blanks. Nobody foresees which tokens do, so that there are no branches
/// on it.
#[inline(always)]
fn trimmed<T: Number>([leading, trailing]: [u32; 2], keeps_one: bool, [start, end]: [T; 2]) -> [T; 2] {
    let leading = if keeps_one & (leading == 1) { 0 } else { leading };
    let start = start.plus(T::of(leading)).min(end.max(start));
    let trailing = T::of(trailing);
    [start, if end >= trailing { end.minus(trailing).max(start) } else { end }]
}

/// What takes blanks out of offsets that are made later.
#[derive(Debug, Clone)]
pub struct Trim {
    vocabulary: Arc<dyn TokenTexts>,
    add_prefix_space: bool,
}

impl Trim {
    /// Of the tokens of a text from its beginning on, as those of [`super::places::Untold`] are: the first one starts at 0.
    pub fn apply<T: Number>(&self, ids: &[TokenId], offsets: &mut [[T; 2]]) {
        let Trim { vocabulary, add_prefix_space } = self;
        let text = |id| vocabulary.token_text(id).unwrap_or_default();
        let Some(known) = vocabulary.blanks() else { return };
        let look = known.look(text);
        for (&id, offset) in ids.iter().zip(offsets) {
            let keeps_one = *add_prefix_space && offset[0] == T::of(0);
            *offset = trimmed(look(id), keeps_one, *offset);
        }
    }
}

impl Encoding {
    /// Takes blanks out of the offsets of all tokens, windows too.
    pub(crate) fn trim_offsets(&mut self, add_prefix_space: bool) {
        self.trim_own(add_prefix_space);
        self.overflowing.iter_mut().for_each(|window| window.trim_own(add_prefix_space));
    }

    fn trim_own(&mut self, add_prefix_space: bool) {
        let Encoding { ids, places, vocabulary, surfaces, order, .. } = self;
        *order = OnceLock::new();
        let known = vocabulary.as_ref().filter(|vocabulary| vocabulary.blanks().is_some());
        if let (Some(vocabulary), true) = (known, surfaces.is_empty())
            && places.trim_later(Trim { vocabulary: vocabulary.clone(), add_prefix_space })
        {
            return;
        }
        let vocabulary = vocabulary.as_deref();
        let text = |id| vocabulary.and_then(|vocabulary| vocabulary.token_text(id)).unwrap_or_default();
        let look = vocabulary.and_then(TokenTexts::blanks).map(|known| known.look(text));
        let mut cursor = None;
        places.change_offsets(ids, |index, id, [start, end]| {
            let blanks = match (surfaces.get_from(index, &mut cursor), &look) {
                (Some(text), _) => blanks(text),
                (None, Some(look)) => look(id),
                (None, None) => blanks(text(id)),
            };
            trimmed(blanks, add_prefix_space && (index == 0 || start == 0), [start, end])
        });
    }
}
