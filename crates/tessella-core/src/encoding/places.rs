//! Where tokens stand, and which word each is of: two columns, or what these follow from until somebody reads them.
//!
//! Who reads ids alone waits for no columns, and mostly holds less than half of the memory. A column that is written to memory of
//! somebody else ([`Places::write_offsets`], [`Places::write_words`]) is not made here either. Special tokens and padding around
//! are counted, and blanks are taken out of offsets when these are made ([`Trim`]); whatever else changes an encoding has the columns
//! made first ([`Places::take`]).

use std::collections::TryReserveError;
use std::fmt::Debug;
use std::sync::{Arc, OnceLock};

use super::trim::{Number, Trim};
use super::{NO_WORD, Offsets};
use crate::ids::TokenId;
use crate::spec::Direction;

/// What the columns of some tokens follow from, together with their ids. What is written to is as long as there are ids.
pub(crate) trait Untold: Debug + Send + Sync {
    /// The offsets of the tokens, in numbers of two sizes.
    fn offsets(&self, ids: &[TokenId], out: &mut [[u32; 2]]);
    fn wide_offsets(&self, ids: &[TokenId], out: &mut [[i64; 2]]);

    /// Their words.
    fn words(&self, ids: &[TokenId], out: &mut [u32]);
    fn wide_words(&self, ids: &[TokenId], out: &mut [i64]);
}

/// Tokens that columns follow from, and how many stand around that are of no text.
#[derive(Debug, Clone)]
struct Around {
    source: Arc<dyn Untold>,
    before: usize,
    after: usize,
    /// What the offsets lose when they are made.
    trim: Option<Trim>,
}

/// A column that is there, or comes when it is read first. One that is there is not written behind a lock, which short texts would
/// feel.
#[derive(Debug, Clone)]
enum Column<T> {
    There(T),
    Coming(OnceLock<T>),
}

impl<T: Default> Column<T> {
    fn get(&self) -> Option<&T> {
        match self {
            Column::There(column) => Some(column),
            Column::Coming(column) => column.get(),
        }
    }

    fn get_or_make(&self, make: impl FnOnce() -> T) -> &T {
        match self {
            Column::There(column) => column,
            Column::Coming(column) => column.get_or_init(make),
        }
    }

    fn get_mut(&mut self) -> Option<&mut T> {
        match self {
            Column::There(column) => Some(column),
            Column::Coming(column) => column.get_mut(),
        }
    }

    fn take(self) -> T {
        match self {
            Column::There(column) => column,
            Column::Coming(column) => column.into_inner().unwrap_or_default(),
        }
    }
}

/// The columns of offsets and words. Without a source both are there.
#[derive(Debug, Clone)]
pub(crate) struct Places {
    source: Option<Around>,
    offsets: Column<Offsets>,
    words: Column<Vec<u32>>,
}

/// Tokens around those that columns follow from, at most at a time.
const MOST_AROUND: usize = 1 << 16;

impl Default for Places {
    fn default() -> Self {
        Places::told(Offsets::default(), Vec::new())
    }
}

impl Around {
    /// Has `write` tell what is not around, which is `none`.
    fn fill<T: Copy>(
        &self,
        ids: &[TokenId],
        out: &mut [T],
        none: T,
        write: impl FnOnce(&[TokenId], &mut [T]),
    ) {
        let own = self.before..ids.len().saturating_sub(self.after);
        out.fill(none);
        if let (Some(ids), Some(out)) = (ids.get(own.clone()), out.get_mut(own)) {
            write(ids, out);
        }
    }

    fn offsets<T: Number>(
        &self,
        ids: &[TokenId],
        out: &mut [[T; 2]],
        write: impl FnOnce(&dyn Untold, &[TokenId], &mut [[T; 2]]),
    ) {
        self.fill(ids, out, [T::of(0); 2], |ids, out| {
            write(&*self.source, ids, out);
            self.trim.iter().for_each(|trim| trim.apply(ids, out));
        });
    }

    fn words(&self, ids: &[TokenId], out: &mut [u32]) {
        self.fill(ids, out, NO_WORD, |ids, out| self.source.words(ids, out));
    }
}

impl Places {
    /// Both columns.
    pub fn told(offsets: Offsets, words: Vec<u32>) -> Self {
        Places { source: None, offsets: Column::There(offsets), words: Column::There(words) }
    }

    /// What both follow from.
    pub fn untold(source: Arc<dyn Untold>) -> Self {
        let source = Some(Around { source, before: 0, after: 0, trim: None });
        Places { source, offsets: Column::Coming(OnceLock::new()), words: Column::Coming(OnceLock::new()) }
    }

    /// The offsets of the tokens with these ids, which are all that there are.
    pub fn offsets(&self, ids: &[TokenId]) -> &Offsets {
        self.offsets.get_or_make(|| {
            let Some(around) = &self.source else { return Offsets::default() };
            let mut pairs = vec![[0, 0]; ids.len()];
            around.offsets(ids, &mut pairs, |source, ids, out| source.offsets(ids, out));
            Offsets::Narrow(pairs)
        })
    }

    /// Their words.
    pub fn words(&self, ids: &[TokenId]) -> &[u32] {
        self.words.get_or_make(|| {
            let Some(around) = &self.source else { return Vec::new() };
            let mut words = vec![NO_WORD; ids.len()];
            around.words(ids, &mut words);
            words
        })
    }

    /// The offsets, if nobody has to make them first.
    pub fn offsets_there(&self) -> Option<&Offsets> {
        self.offsets.get()
    }

    /// The same of words.
    pub fn words_there(&self) -> Option<&[u32]> {
        self.words.get().map(Vec::as_slice)
    }

    /// Writes the offsets, as many as there are ids.
    pub fn write_offsets(&self, ids: &[TokenId], out: &mut [[i64; 2]]) {
        match (self.offsets.get(), &self.source) {
            (None, Some(around)) => {
                around.offsets(ids, out, |source, ids, out| source.wide_offsets(ids, out));
            }
            (offsets, _) => {
                let pairs = offsets.into_iter().flat_map(Offsets::iter);
                out.iter_mut().zip(pairs).for_each(|(out, (start, end))| *out = [start as i64, end as i64]);
            }
        }
    }

    /// Writes the words, and -1 for none.
    pub fn write_words(&self, ids: &[TokenId], out: &mut [i64]) {
        match (self.words.get(), &self.source) {
            (None, Some(around)) => {
                around.fill(ids, out, -1, |ids, out| around.source.wide_words(ids, out));
            }
            (words, _) => {
                for (out, &word) in out.iter_mut().zip(words.into_iter().flatten()) {
                    *out = if word == NO_WORD { -1 } else { word.into() };
                }
            }
        }
    }

    /// Takes both columns out, to be changed and put back as [`told`](Self::told).
    pub fn take(&mut self, ids: &[TokenId]) -> (Offsets, Vec<u32>) {
        self.offsets(ids);
        self.words(ids);
        let Places { offsets, words, .. } = std::mem::take(self);
        (offsets.take(), words.take())
    }

    /// Has offsets trimmed when they are made; false where they are there.
    pub fn trim_later(&mut self, trim: Trim) -> bool {
        match (&mut self.source, self.offsets.get()) {
            (Some(around), None) if around.trim.is_none() => {
                around.trim = Some(trim);
                true
            }
            _ => false,
        }
    }

    /// Changes the offsets of each token, of which `change` gets the index and the id, to what is no larger.
    pub fn change_offsets(
        &mut self,
        ids: &[TokenId],
        mut change: impl FnMut(usize, TokenId, [usize; 2]) -> [usize; 2],
    ) {
        self.offsets(ids);
        let offsets = self.offsets.get_mut();
        offsets.into_iter().for_each(|offsets| offsets.change(|index, pair| change(index, ids[index], pair)));
    }

    /// Makes room for more tokens in the columns that are there.
    pub fn reserve(&mut self, additional: usize) {
        if let Some(offsets) = self.offsets.get_mut() {
            offsets.reserve(additional);
        }
        if let Some(words) = self.words.get_mut() {
            words.reserve(additional);
        }
    }

    /// The same, and says if there is no memory for it: columns of many more tokens come at once, for who reads them later is not
    /// told.
    pub fn try_reserve(&mut self, ids: &[TokenId], additional: usize) -> Result<(), TryReserveError> {
        if self.source.is_some() && additional > MOST_AROUND {
            let (offsets, words) = self.take(ids);
            *self = Places::told(offsets, words);
        }
        match self.offsets.get_mut() {
            Some(Offsets::Narrow(pairs)) => pairs.try_reserve_exact(additional)?,
            Some(Offsets::Wide(pairs)) => pairs.try_reserve_exact(additional)?,
            None => {}
        }
        self.words.get_mut().map_or(Ok(()), |words| words.try_reserve_exact(additional))
    }

    /// Puts `count` tokens of no text in front of all or behind.
    pub fn surround(&mut self, count: usize, side: Direction) {
        if let Some(around) = &mut self.source {
            match side {
                Direction::Left => around.before += count,
                Direction::Right => around.after += count,
            }
        }
        if let Some(offsets) = self.offsets.get_mut() {
            match side {
                Direction::Left => offsets.prepend_none(count),
                Direction::Right => offsets.append_none(count),
            }
        }
        if let Some(words) = self.words.get_mut() {
            match side {
                Direction::Left => drop(words.splice(0..0, std::iter::repeat_n(NO_WORD, count))),
                Direction::Right => words.resize(words.len() + count, NO_WORD),
            }
        }
    }
}
