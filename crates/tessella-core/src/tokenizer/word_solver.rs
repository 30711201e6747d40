//! Words that come for the first time, one by one or together: all stages for each, and what of that a new word can do without.

use super::fresh::{Batch, Long, Solving};
use super::packed::{self, Placed};
use super::parts::{self, UNCERTAIN};
use super::rows::{Row, RowCut};
use super::spelling::Spelling;
use super::word_places::WordPlaces;
use super::word_stages::{Cut, Stages};
use super::words::Words;
use crate::error::Result;
use crate::ids::{PieceToken, TokenId};
use crate::lanes::{Inner, Key, LongPieces, Pieces, Runner, Solve, Work};
use crate::model::Scratch;
use crate::text::AlignedText;

/// Words and parts of words.
#[derive(Debug, Default)]
pub(super) struct Joined {
    starts: Vec<u32>,
    ends: Vec<u32>,
}

impl Joined {
    fn clear(&mut self) {
        self.starts.clear();
        self.ends.clear();
    }

    fn push(&mut self, pieces: Pieces<'_>) {
        self.starts.extend_from_slice(pieces.starts);
        self.ends.extend_from_slice(pieces.ends);
    }
}

#[derive(Debug, Default)]
pub(super) struct Buffers {
    pub spelling: Spelling,
    pub plain: String,
    pub places: WordPlaces,
    pub tokens: Vec<PieceToken>,
    /// What the word becomes: ids, or packed tokens.
    pub numbers: Vec<u32>,
    pub placed: Vec<Placed>,
    /// The tokens of the word that are named after what the model read there, and that.
    pub surfaces: Vec<(usize, String)>,
    fresh: Option<Box<Batch>>,
    long: Long,
    row: Option<Box<Row>>,
}

/// All stages for one word.
pub(super) struct Solver<'s> {
    /// Where most words stand.
    pub text: &'s str,
    /// The stretch of it, between added tokens, of which words are found.
    pub stretch: &'s str,
    /// Whether an added token may be in the stretch, once somebody asked.
    pub is_trap: Option<bool>,
    pub words: &'s Words,
    pub scratch: &'s mut Scratch,
    pub buffers: &'s mut Buffers,
    pub packs: bool,
    /// Whether words come in parts.
    pub has_parts: bool,
    /// How new ones are solved together.
    pub solving: Option<Solving<'s>>,
}

impl<'s> Solver<'s> {
    /// Appends the numbers of words, and returns which words and parts of words these are of.
    pub fn words<'w>(
        &mut self,
        runner: &mut Runner,
        words: Pieces<'w>,
        out: &mut Vec<u32>,
        joined: &'w mut Joined,
    ) -> Result<Pieces<'w>> {
        let before = out.len();
        runner.solved_ids(self, words, out)?;
        if !self.has_parts || !parts::some_uncertain(&out[before..]) {
            return Ok(words);
        }
        out.truncate(before);
        joined.clear();
        parts::few_words(words, parts::FEW, |few| {
            let before = out.len();
            runner.solved_ids(self, few, out)?;
            if !parts::some_uncertain(&out[before..]) {
                joined.push(few);
                return Ok(());
            }
            out.truncate(before);
            parts::few_words(few, 1, |word| self.word_in_parts(runner, word, out, joined))
        })?;
        Ok(Pieces { text: words.text, starts: &joined.starts, ends: &joined.ends })
    }

    #[cold]
    fn word_in_parts(
        &mut self,
        runner: &mut Runner,
        word: Pieces<'_>,
        out: &mut Vec<u32>,
        joined: &mut Joined,
    ) -> Result<()> {
        let before = out.len();
        runner.solved_ids(self, word, out)?;
        if !parts::some_uncertain(&out[before..]) {
            joined.push(word);
            return Ok(());
        }
        out.truncate(before);
        let Pieces { text, starts, ends } = word;
        let whole = Pieces { text, starts: &starts[..1], ends: &ends[ends.len() - 1..] };
        joined.push(whole);
        runner.solved_ids(self, whole, out)
    }

    /// Whether an added token may be in the stretch, of which a word says so.
    pub fn is_trap(&mut self) -> Result<bool> {
        let is_trap = match self.is_trap {
            Some(is_trap) => is_trap,
            None => self.words.may_have_added(self.stretch)?,
        };
        self.is_trap = Some(is_trap);
        Ok(is_trap)
    }

    /// Whether an added token may be in the stretch, if some of the numbers from a place on say so; if none is, they say so no more.
    #[inline]
    pub fn is_trapped(&mut self, numbers: &mut Vec<u32>, from: usize) -> Result<bool> {
        if !parts::some_uncertain(&numbers[from..]) {
            return Ok(false);
        }
        let is_trap = self.is_trap()?;
        if !is_trap {
            parts::keep_certain(numbers, from);
        }
        Ok(is_trap)
    }

    /// A word as text: if it stands in the text, that is known to be UTF-8.
    fn text_of<'w>(&self, word: &'w [u8]) -> Option<&'w str>
    where
        's: 'w,
    {
        let start = word.as_ptr().addr().wrapping_sub(self.text.as_ptr().addr());
        let stands = self.text.get(start..start.checked_add(word.len())?);
        stands.or_else(|| std::str::from_utf8(word).ok())
    }

    /// Puts what an inner part of a word becomes into the buffer.
    fn inner(&mut self, part: &[u8]) {
        // Words are cut at characters, so this holds.
        let text = std::str::from_utf8(part).unwrap_or_default();
        if self.packs {
            return self.packed_part(text);
        }
        let Buffers { plain, numbers, .. } = &mut *self.buffers;
        numbers.clear();
        match self.words.plainly(text, plain) {
            Some(plain) if !self.words.traps.are_in(plain) => {
                parts::inner(&self.words.stages.model, plain, numbers);
            }
            _ => numbers.push(UNCERTAIN),
        }
    }

    /// Puts what a word becomes into the buffer.
    pub fn word(&mut self, word: &[u8]) -> Result<()> {
        self.buffers.numbers.clear();
        // Words are cut at characters, so this holds.
        let Some(word) = self.text_of(word) else { return Ok(()) };
        if self.packs { self.packed(word, false) } else { self.plain_ids(word) }
    }

    /// Puts what a word or a part that is a key becomes into the buffer.
    fn alone(&mut self, key: Key) -> Result<()> {
        let (bytes, length) = (key.bytes(), key.len());
        if key.is_inner() {
            self.inner(&bytes[..length]);
        } else if !(if self.packs { self.packed_shortly(key)? } else { self.short_ids(key)? }) {
            self.word(&bytes[..length])?;
        }
        Ok(())
    }

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

    /// Puts a new word into a row, if it is best solved with others.
    fn joins_row(&mut self, row: &mut Row, index: usize, key: Key) -> bool {
        if self.packs || self.words.row_cut().is_none() || key.is_inner() {
            return false;
        }
        if !self.words.stages.cut_further() {
            let (mut room, bytes) = ([0; _], key.bytes());
            let word = std::str::from_utf8(&bytes[..key.len()]).unwrap_or_default();
            let is_told = self.words.shortly(key, &mut room).is_some()
                || self.words.plainly(word, &mut self.buffers.plain).is_some();
            if is_told {
                return false;
            }
        }
        row.push(index, key)
    }

    /// Solves the words of a row.
    fn row(&mut self, row: &mut Row, keys: &[Key], found: &mut impl FnMut(usize, &[TokenId])) -> Result<()> {
        let Some(cut) = self.words.row_cut() else { return Ok(()) };
        let normalizer = self.words.stages.normalizer.as_deref();
        let is_found = row.find(cut, normalizer, |text| self.words.traps.are_in(text));
        for at in 0..row.numbers.len() {
            let index = row.numbers[at];
            if !is_found {
                self.alone(keys[index])?;
                found(index, &self.buffers.numbers);
                continue;
            }
            let stages = &self.words.stages;
            let Buffers { spelling, tokens, numbers, .. } = &mut *self.buffers;
            tokens.clear();
            let mut tokenize = |piece: &str| stages.tokenize(piece, spelling, self.scratch, tokens);
            match (cut, &stages.cut) {
                (RowCut::Alone, Cut::Splits(view)) => {
                    let word = row.word(at);
                    view.for_each_piece(word, &mut |range| tokenize(&word[range]))?;
                }
                (RowCut::Alone, Cut::Marked(view)) => {
                    let word = row.word(at);
                    view.for_each_piece(word, &mut |range| tokenize(&word[range]))?;
                }
                _ => row.for_each_piece(cut, at, tokenize)?,
            }
            numbers.clear();
            numbers.extend(tokens.iter().map(|token| token.id));
            found(index, numbers);
        }
        Ok(())
    }

    /// Puts the ids of a word that is a key into the buffer, if characters of up to two bytes tell them; else false.
    #[inline]
    fn short_ids(&mut self, word: Key) -> Result<bool> {
        let mut room = [0; _];
        let Some(piece) = self.words.shortly(word, &mut room) else { return Ok(false) };
        let Buffers { spelling, tokens, numbers, .. } = &mut *self.buffers;
        tokens.clear();
        numbers.clear();
        if self.words.traps.are_in(piece) {
            numbers.push(UNCERTAIN);
        }
        if !piece.is_empty() {
            self.words.stages.tokenize(piece, spelling, self.scratch, tokens)?;
        }
        numbers.extend(tokens.iter().map(|token| token.id));
        Ok(true)
    }

    fn plain_ids(&mut self, word: &str) -> Result<()> {
        let Stages { cut, .. } = &self.words.stages;
        let Buffers { spelling, plain, tokens, numbers, long, .. } = &mut *self.buffers;
        tokens.clear();
        let is_long = word.len() > Key::LONGEST;
        let mut tokenize = |piece: &str| self.words.stages.tokenize(piece, spelling, self.scratch, tokens);
        if let Some(piece) = self.words.plainly(word, plain) {
            if self.words.traps.are_in(piece) {
                numbers.push(UNCERTAIN);
            }
            if is_long && self.solving.is_some_and(|solving| solving.long(piece, long, numbers)) {
                return Ok(());
            } else if !piece.is_empty() {
                tokenize(piece)?;
            }
        } else {
            let mut text = AlignedText::untracked(word);
            self.words.stages.normalize_word(&mut text)?;
            let text = text.as_str();
            if self.words.traps.are_in(text) {
                numbers.push(UNCERTAIN);
            }
            match cut {
                Cut::Splits(view) => view.for_each_piece(text, &mut |range| tokenize(&text[range]))?,
                Cut::Marked(view) => view.for_each_piece(text, &mut |range| tokenize(&text[range]))?,
                Cut::Stages(stages) => {
                    let mut pieces = crate::text::Pieces::whole(AlignedText::untracked(text));
                    stages.pre_tokenize(&mut pieces)?;
                    pieces.pieces().iter().try_for_each(|piece| tokenize(pieces.str(piece)))?;
                }
            }
        }
        numbers.extend(tokens.iter().map(|token| token.id));
        Ok(())
    }
}

impl LongPieces for Solver<'_> {
    fn ids(&mut self, piece: &[u8], out: &mut Vec<TokenId>) -> Result<()> {
        self.word(piece)?;
        out.extend_from_slice(&self.buffers.numbers);
        Ok(())
    }
}

impl Solve for Solver<'_> {
    #[inline(always)]
    fn hash_seed(&self) -> [u64; 2] {
        self.words.hash_seed
    }

    #[inline(always)]
    fn inner(&self) -> Inner {
        if self.has_parts { Inner::Parts } else { Inner::None }
    }

    fn long_inner(&mut self, part: &[u8], out: &mut Vec<TokenId>) {
        self.inner(part);
        out.extend_from_slice(&self.buffers.numbers);
    }

    #[inline(never)]
    fn solve(
        &mut self,
        _: &mut Work,
        pieces: &[Key],
        mut found: impl FnMut(usize, &[TokenId]),
    ) -> Result<()> {
        let mut row = self.buffers.row.take().unwrap_or_default();
        row.clear();
        let mut batch = self.buffers.fresh.take().unwrap_or_default();
        batch.clear();
        let solving = self.solving;
        for (index, key) in pieces.iter().enumerate() {
            let joins = match &solving {
                Some(solving) => self.joins(&mut batch, solving, index, *key),
                None => false,
            };
            if !joins && !self.joins_row(&mut row, index, *key) {
                self.alone(*key)?;
                found(index, &self.buffers.numbers);
            }
        }
        let outcome = self.row(&mut row, pieces, &mut found);
        self.buffers.row = Some(row);
        outcome?;
        let Some(solving) = solving else {
            self.buffers.fresh = Some(batch);
            return Ok(());
        };
        let outcome = match self.packs {
            true => batch.solve_with_places(&solving, |index, tokens| {
                let Buffers { numbers, placed, .. } = &mut *self.buffers;
                match tokens {
                    Some((tokens, moved)) => {
                        packed::pack_in_a_row(pieces[index], tokens, moved, placed, numbers);
                    }
                    None => self.alone(pieces[index])?,
                }
                found(index, &self.buffers.numbers);
                Ok(())
            }),
            false => batch.solve(&solving, |index, ids| {
                match ids {
                    Some(ids) => found(index, ids),
                    None => {
                        self.alone(pieces[index])?;
                        found(index, &self.buffers.numbers);
                    }
                }
                Ok(())
            }),
        };
        self.buffers.fresh = Some(batch);
        outcome
    }
}
