//! Words that come for the first time: all stages for each, and what of that a new word can do without. Those that come together are
//! mostly solved so ([`word_together`](super::word_together)).

use super::fresh::{Batch, Long, Solving};
use super::merged::{Gathered, LONG_TOGETHER, Merging};
use super::packed::Placed;
use super::parts::{self, UNCERTAIN};
use super::rows::Row;
use super::spelling::Spelling;
use super::word_places::WordPlaces;
use super::word_stages::{Cut, Stages};
use super::words::Words;
use crate::error::Result;
use crate::ids::{PieceToken, TokenId};
use crate::lanes::{Inner, Key, LongPieces, LongWork, Pieces, Runner, Solve, Work};
use crate::model::Scratch;
use crate::model::cache::PieceCache;
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

#[derive(Debug)]
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
    /// New words that are solved together.
    pub fresh: Option<Box<Batch>>,
    pub row: Option<Box<Row>>,
    pub gathered: Option<Box<Gathered>>,
    /// Pieces of new words, where stages cut words further and places are wanted: many words have the same.
    pub cache: PieceCache,
    long: Long,
}

impl Buffers {
    /// With so many bytes for pieces of new words.
    pub fn new(bytes_of_cache: usize) -> Self {
        Buffers {
            spelling: Spelling::default(),
            plain: String::new(),
            places: WordPlaces::default(),
            tokens: Vec::new(),
            numbers: Vec::new(),
            placed: Vec::new(),
            surfaces: Vec::new(),
            fresh: None,
            row: None,
            gathered: None,
            cache: PieceCache::new(bytes_of_cache),
            long: Long::default(),
        }
    }
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
    /// How pieces of new ones are merged together, if the model merges.
    pub merging: Option<Merging<'s>>,
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
    pub fn alone(&mut self, key: Key) -> Result<()> {
        let (bytes, length) = (key.bytes(), key.len());
        if key.is_inner() {
            self.inner(&bytes[..length]);
        } else if !(if self.packs { self.packed_shortly(key)? } else { self.short_ids(key)? }) {
            self.word(&bytes[..length])?;
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

    #[inline(always)]
    fn joins(&self, word: &[u8]) -> bool {
        let is_joined = self.merging.is_some() || self.packs && self.has_rows();
        is_joined && !self.has_parts && word.len() <= LONG_TOGETHER
    }

    fn ids_together<'p>(
        &mut self,
        work: &mut LongWork,
        count: usize,
        word: impl Fn(usize) -> &'p [u8],
        found: impl FnMut(usize, &[TokenId]),
    ) -> Result<()> {
        self.merge_together((work, count), word, found)
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
    fn solve(&mut self, work: &mut Work, pieces: &[Key], found: impl FnMut(usize, &[TokenId])) -> Result<()> {
        match (self.solving, self.merging) {
            (Some(solving), _) => self.search_together(&solving, pieces, found),
            (None, Some(merging)) => self.merge_keys_together(&merging, work, pieces, found),
            (None, None) => self.solve_in_rows(pieces, found),
        }
    }
}
