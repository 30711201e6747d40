//! Words that come for the first time, solved with others: the search of a Unigram model takes many side by side ([`super::fresh`]), the
//! merges of BPE take many pieces of them ([`super::merged`]), and stages that would be begun for each word take a row of words
//! ([`super::rows`]). Who finds no place among others goes alone ([`super::word_solver`]), which is the twin of all these.

use super::fresh::{Batch, Solving};
use super::merged::{Gathered, Merging, Room};
use super::packed;
use super::rows::{Row, RowCut};
use super::spelling::Spelling;
use super::word_solver::{Buffers, Solver};
use super::words::Words;
use crate::error::Result;
use crate::ids::TokenId;
use crate::lanes::{FEW_SYMBOLS, Key, LongWork, MOST_SYMBOLS, Work};
use crate::model::Model;

/// A word that is a key as text. Words are cut at characters, so that it is one.
fn text_of<'k>(bytes: &'k [u8; 16], key: &Key) -> &'k str {
    std::str::from_utf8(&bytes[..key.len()]).unwrap_or_default()
}

/// Takes a word that is one piece, or none; false if it has to go alone.
#[inline]
fn whole(
    words: &Words,
    (gathered, merging): (&mut Gathered, &Merging<'_>),
    (number, most): (usize, usize),
    piece: &str,
    spelling: &mut Spelling,
) -> bool {
    !words.traps.are_in(piece)
        && gathered.take(merging, (number, most), |each| match piece {
            "" => Ok(()),
            piece => each(words.stages.read(piece, spelling)),
        })
}

impl Solver<'_> {
    /// Whether a word or a part is solved together with others.
    #[inline]
    fn joins(&mut self, batch: &mut Batch, solving: &Solving<'_>, index: usize, key: Key) -> bool {
        let mut room = [0; _];
        let bytes = key.bytes();
        let word = || std::str::from_utf8(&bytes[..key.len()]).ok();
        let Buffers { plain, places, .. } = &mut *self.buffers;
        let shortly = match self.packs {
            true => self.words.byte_by_byte(key, &mut room),
            false => self.words.shortly(key, &mut room),
        };
        let (piece, moved) = match shortly {
            Some(piece) => (Some(piece), None),
            // Words are cut at characters, so this holds.
            None if !self.packs => (word().and_then(|word| self.words.plainly(word, plain)), None),
            None => {
                let piece = word().and_then(|word| self.words.in_place(word, plain, places));
                (piece, places.moved())
            }
        };
        piece.is_some_and(|piece| {
            if self.words.traps.are_in(piece) {
                return false;
            }
            match self.packs && piece.starts_with(' ') && !key.is_inner() {
                true => batch.push_behind_blank(solving, index, piece, moved),
                false => batch.push(solving, (index, key.is_inner()), piece, moved),
            }
        })
    }

    /// Takes the only piece of a word that is merged with those of others.
    #[inline]
    fn gathers(&mut self, gathered: &mut Gathered, merging: &Merging<'_>, index: usize, key: Key) -> bool {
        let (mut room, bytes) = ([0; _], key.bytes());
        if self.packs || key.is_inner() {
            return false;
        }
        let Buffers { plain, spelling, .. } = &mut *self.buffers;
        let shortly = self.words.shortly(key, &mut room);
        let piece = shortly.or_else(|| self.words.plainly(text_of(&bytes, &key), plain));
        piece.is_some_and(|piece| {
            whole(self.words, (gathered, merging), (index, FEW_SYMBOLS), piece, spelling)
        })
    }

    /// Whether stages take words in rows. With places, only those that cut them further do, and pieces of raw bytes are for BPE.
    pub fn has_rows(&self) -> bool {
        let stages = &self.words.stages;
        self.words.row_cut().is_some_and(|cut| {
            let is_told = !matches!(cut, RowCut::Bytes(_)) || matches!(*stages.model, Model::Bpe(_));
            !self.packs || is_told && stages.cut_further()
        })
    }

    /// Puts a new word into a row, if it is best solved with others.
    fn joins_row(&mut self, row: &mut Row, index: usize, key: Key) -> bool {
        if key.is_inner() || !self.has_rows() {
            return false;
        }
        let bytes = key.bytes();
        let word = text_of(&bytes, &key);
        if !self.words.stages.cut_further() {
            let mut room = [0; _];
            let is_told = self.words.shortly(key, &mut room).is_some()
                || self.words.plainly(word, &mut self.buffers.plain).is_some();
            if is_told {
                return false;
            }
        }
        row.push(index, word)
    }

    /// Solves the words of a row but those whose pieces are gathered, if they are to be.
    fn row(
        &mut self,
        row: &mut Row,
        mut gathering: Option<(&mut Gathered, &Merging<'_>, usize)>,
        mut alone: impl FnMut(&mut Self, usize) -> Result<()>,
        found: &mut impl FnMut(usize, &[TokenId]),
    ) -> Result<()> {
        let Some(cut) = self.words.row_cut() else { return Ok(()) };
        let normalizer = self.words.stages.normalizer.as_deref();
        let is_found = row.find(cut, normalizer, |text| self.words.traps.are_in(text));
        for at in 0..row.numbers.len() {
            let index = row.numbers[at];
            if !is_found {
                alone(self, index)?;
                found(index, &self.buffers.numbers);
                continue;
            }
            if self.packs {
                if !self.packed_in_row(row, cut, at)? {
                    alone(self, index)?;
                }
                found(index, &self.buffers.numbers);
                continue;
            }
            let stages = &self.words.stages;
            let Buffers { spelling, tokens, numbers, .. } = &mut *self.buffers;
            if let Some((gathered, merging, most)) = &mut gathering
                && gathered.take(merging, (index, *most), |each| {
                    row.for_each_piece(cut, &stages.cut, at, |piece| each(stages.read(piece, spelling)))
                })
            {
                continue;
            }
            tokens.clear();
            row.for_each_piece(cut, &stages.cut, at, |piece| {
                stages.tokenize(piece, spelling, self.scratch, tokens)
            })?;
            numbers.clear();
            numbers.extend(tokens.iter().map(|token| token.id));
            found(index, numbers);
        }
        Ok(())
    }

    /// Finds out new words alone, but for those that `joins` takes or that go into a row.
    #[inline(always)]
    fn alone_or_joined(
        &mut self,
        row: &mut Row,
        keys: &[Key],
        mut joins: impl FnMut(&mut Self, usize, Key) -> bool,
        found: &mut impl FnMut(usize, &[TokenId]),
    ) -> Result<()> {
        for (index, &key) in keys.iter().enumerate() {
            if !joins(self, index, key) && !self.joins_row(row, index, key) {
                self.alone(key)?;
                found(index, &self.buffers.numbers);
            }
        }
        Ok(())
    }

    /// Finds out new words, those in a row whose characters do not tell what they become.
    pub fn solve_in_rows(&mut self, keys: &[Key], mut found: impl FnMut(usize, &[TokenId])) -> Result<()> {
        let mut row = self.buffers.row.take().unwrap_or_default();
        row.clear();
        self.alone_or_joined(&mut row, keys, |_, _, _| false, &mut found)?;
        let outcome = self.row(&mut row, None, |solver, index| solver.alone(keys[index]), &mut found);
        self.buffers.row = Some(row);
        outcome
    }

    /// The same by the search of a Unigram model.
    pub fn search_together(
        &mut self,
        solving: &Solving<'_>,
        keys: &[Key],
        mut found: impl FnMut(usize, &[TokenId]),
    ) -> Result<()> {
        let mut batch = self.buffers.fresh.take().unwrap_or_default();
        let mut row = self.buffers.row.take().unwrap_or_default();
        batch.clear();
        row.clear();
        let joins = |solver: &mut Self, index, key| solver.joins(&mut batch, solving, index, key);
        self.alone_or_joined(&mut row, keys, joins, &mut found)?;
        self.row(&mut row, None, |solver, index| solver.alone(keys[index]), &mut found)?;
        let outcome = match self.packs {
            true => batch.solve_with_places(solving, |index, tokens| {
                let Buffers { numbers, placed, .. } = &mut *self.buffers;
                match tokens {
                    Some((tokens, moved)) => {
                        packed::pack_in_a_row(keys[index], tokens, moved, placed, numbers);
                    }
                    None => self.alone(keys[index])?,
                }
                found(index, &self.buffers.numbers);
                Ok(())
            }),
            false => batch.solve(solving, |index, ids| {
                match ids {
                    Some(ids) => found(index, ids),
                    None => {
                        self.alone(keys[index])?;
                        found(index, &self.buffers.numbers);
                    }
                }
                Ok(())
            }),
        };
        self.buffers.row = Some(row);
        self.buffers.fresh = Some(batch);
        outcome
    }

    /// The same by merges.
    pub fn merge_keys_together(
        &mut self,
        merging: &Merging<'_>,
        work: &mut Work,
        keys: &[Key],
        mut found: impl FnMut(usize, &[TokenId]),
    ) -> Result<()> {
        let mut gathered = self.buffers.gathered.take().unwrap_or_default();
        let mut row = self.buffers.row.take().unwrap_or_default();
        gathered.clear();
        row.clear();
        let joins = |solver: &mut Self, index, key| solver.gathers(&mut gathered, merging, index, key);
        self.alone_or_joined(&mut row, keys, joins, &mut found)?;
        let gathering = Some((&mut *gathered, merging, FEW_SYMBOLS));
        self.row(&mut row, gathering, |solver, index| solver.alone(keys[index]), &mut found)?;
        gathered.solve(merging, Room::Few(work), found);
        self.buffers.row = Some(row);
        self.buffers.gathered = Some(gathered);
        Ok(())
    }

    /// The same for so many words that are no keys.
    pub fn merge_together<'p>(
        &mut self,
        (work, count): (&mut LongWork, usize),
        word: impl Fn(usize) -> &'p [u8],
        mut found: impl FnMut(usize, &[TokenId]),
    ) -> Result<()> {
        let mut gathered = self.buffers.gathered.take().unwrap_or_default();
        let mut row = self.buffers.row.take().unwrap_or_default();
        gathered.clear();
        row.clear();
        for number in 0..count {
            // Words are cut at characters, so this holds.
            let text = std::str::from_utf8(word(number)).unwrap_or_default();
            let Buffers { plain, spelling, .. } = &mut *self.buffers;
            let joins = match (self.words.plainly(text, plain), &self.merging) {
                (Some(piece), Some(merging)) => {
                    whole(self.words, (&mut gathered, merging), (number, MOST_SYMBOLS), piece, spelling)
                }
                (Some(_), None) => false,
                (None, _) => self.has_rows() && row.push(number, text),
            };
            if !joins {
                self.word(word(number))?;
                found(number, &self.buffers.numbers);
            }
        }
        let merging = self.merging;
        let gathering = merging.as_ref().map(|merging| (&mut *gathered, merging, MOST_SYMBOLS));
        self.row(&mut row, gathering, |solver, number| solver.word(word(number)), &mut found)?;
        if let Some(merging) = &merging {
            gathered.solve(merging, Room::Many(work), found);
        }
        self.buffers.row = Some(row);
        self.buffers.gathered = Some(gathered);
        Ok(())
    }
}
