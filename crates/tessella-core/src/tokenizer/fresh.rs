//! New words of Unigram models, solved side by side.
//!
//! Words that come for the first time come by the dozen, and as units of a search that takes a byte of each at a time
//! ([`together`](crate::model::unigram::together)) they wait for memory together. A word goes that way if it is short and its
//! characters tell what the model gets; the mark in front of it is one byte there. Whoever is not sure of the result, because
//! another way is too near, goes the way of a word alone, which this is tested against.

use std::sync::OnceLock;

use super::word_places::Moved;
use crate::error::Result;
use crate::ids::{PieceToken, TokenId};
use crate::model::Model;
use crate::model::unigram::Unigram;
use crate::model::unigram::alone::Arrivals;
use crate::model::unigram::apart::Standing;
use crate::model::unigram::together::{MOST_BYTES, Steps, Together, Unit};

/// So many bytes of text, for each piece of the vocabulary, pay for the trie that words walk through together.
const BYTES_PER_PIECE: usize = 4;

/// The model's part in it, made when there is much text.
#[derive(Debug, Default)]
pub(super) struct Fresh(OnceLock<Option<Steps>>);

/// What new words are solved by.
#[derive(Debug, Clone, Copy)]
pub(super) struct Solving<'s> {
    model: &'s Unigram,
    steps: &'s Steps,
    mark: char,
    prepends: bool,
}

impl Fresh {
    /// If so many bytes of text pay for it. Whoever asks first makes it, and who asks at the same time makes the same, so that
    /// none waits for another.
    pub fn get<'s>(
        &'s self,
        model: &'s Model,
        (mark, prepends): (char, bool),
        bytes: usize,
    ) -> Option<Solving<'s>> {
        let Model::Unigram(model) = model else { return None };
        if self.0.get().is_none() {
            if bytes < model.size().saturating_mul(BYTES_PER_PIECE) {
                return None;
            }
            let _ = self.0.set(model.steps(mark));
        }
        let steps = self.0.get()?.as_ref()?;
        Some(Solving { model, steps, mark, prepends })
    }
}

/// Words that are solved together, and what they are among all new ones.
#[derive(Debug, Default)]
pub(super) struct Batch {
    together: Together,
    units: Vec<Unit>,
    words: Vec<Word>,
    tokens: Vec<PieceToken>,
    ids: Vec<TokenId>,
    places: Vec<(TokenId, usize)>,
}

#[derive(Debug, Clone, Copy)]
struct Word {
    number: usize,
    is_inner: bool,
    has_mark: bool,
    /// Where its bytes come from, if they do not stand where they stood.
    moved: Option<Moved>,
}

/// Tokens of a word with their ends, and where its bytes come from.
type Tokens<'t> = (&'t [(TokenId, usize)], Option<&'t Moved>);

/// Room for a word that is too long to be solved with others.
#[derive(Debug, Default)]
pub(super) struct Long {
    arrivals: Arrivals,
    text: String,
    tokens: Vec<PieceToken>,
}

impl<'s> Solving<'s> {
    /// The model, and what its units are walked through.
    pub fn parts(&self) -> (&'s Unigram, &'s Steps) {
        (self.model, self.steps)
    }

    /// Appends the ids of a word as the model gets it, by what words are solved together by; false, and nothing is appended, if that
    /// does not tell them.
    pub fn long(&self, piece: &str, room: &mut Long, ids: &mut Vec<TokenId>) -> bool {
        let Long { arrivals, text, tokens } = room;
        if piece.is_empty() || piece.starts_with([' ', self.mark]) {
            return false;
        }
        let mark = if self.prepends { " " } else { "" };
        text.clear();
        text.push_str(mark);
        text.push_str(piece);
        self.model.ids_alone(self.steps, (text, self.prepends), arrivals, tokens, ids)
    }
}

impl Batch {
    pub fn clear(&mut self) {
        self.units.clear();
        self.words.clear();
    }

    /// Takes a word as the model gets it, or an inner part of one; false if it has to be solved alone. `moved` tells where its
    /// bytes come from, if that matters.
    #[inline]
    pub fn push(
        &mut self,
        solving: &Solving<'_>,
        (number, is_inner): (usize, bool),
        piece: &str,
        moved: Option<Moved>,
    ) -> bool {
        let begins_with_mark = piece.starts_with([' ', solving.mark]);
        let has_mark = solving.prepends && !is_inner;
        let length = piece.len() + usize::from(has_mark);
        if piece.is_empty() || begins_with_mark || length > MOST_BYTES {
            return false;
        }
        let mut bytes = [b' '; 16];
        bytes[length - piece.len()..length].copy_from_slice(piece.as_bytes());
        self.units.push(Unit::new(bytes, length, u16::from(has_mark)));
        self.words.push(Word { number, is_inner, has_mark, moved });
        true
    }

    /// The same for a word with a blank in front, which is its mark and has a place of its own; for
    /// [`solve_with_places`](Self::solve_with_places).
    #[inline]
    pub fn push_behind_blank(
        &mut self,
        solving: &Solving<'_>,
        number: usize,
        piece: &str,
        moved: Option<Moved>,
    ) -> bool {
        let Some(word) = piece.strip_prefix(' ').filter(|_| solving.prepends) else { return false };
        if word.is_empty() || word.starts_with([' ', solving.mark]) || piece.len() > MOST_BYTES {
            return false;
        }
        let mut bytes = [b' '; 16];
        bytes[..piece.len()].copy_from_slice(piece.as_bytes());
        self.units.push(Unit::new(bytes, piece.len(), 1));
        self.words.push(Word { number, is_inner: false, has_mark: false, moved });
        true
    }

    /// Calls with the number of each word and its tokens, each with where it ends in what the word becomes, and where that comes
    /// from; with none if it has to be solved alone. A mark in front that is a token ends where the word begins.
    pub fn solve_with_places(
        &mut self,
        solving: &Solving<'_>,
        mut each: impl FnMut(usize, Option<Tokens<'_>>) -> Result<()>,
    ) -> Result<()> {
        let Solving { model, steps, .. } = *solving;
        let Batch { together, units, words, places, .. } = self;
        together.solve(steps, units, |at, best| {
            let Word { number, is_inner, has_mark, ref moved } = words[at];
            places.clear();
            let known = model.is_certain(steps, best, is_inner);
            if known {
                let ends = best.starts()[1..].iter().map(|&end| end.into()).chain([units[at].text().len()]);
                let ends = ends.map(|end: usize| end - usize::from(has_mark));
                places.extend(best.ids().iter().copied().zip(ends));
            }
            each(number, known.then_some((places, moved.as_ref())))
        })
    }

    /// Calls with the number of each word and its ids; with none if it has to be solved alone.
    pub fn solve(
        &mut self,
        solving: &Solving<'_>,
        mut each: impl FnMut(usize, Option<&[TokenId]>) -> Result<()>,
    ) -> Result<()> {
        let Solving { model, steps, .. } = *solving;
        let Batch { together, units, words, tokens, ids, .. } = self;
        together.solve(steps, units, |at, best| {
            let Word { number, is_inner, has_mark, .. } = words[at];
            ids.clear();
            let standing = Standing { unit: &units[at], has_mark, is_inner };
            let known = model.ids_of_best(steps, best, standing, tokens, ids);
            each(number, known.then_some(ids))
        })
    }
}
