//! Where the tokens of a written text ([`written_words`](super::written_words)) are in the original.
//!
//! A token is a number with its length in the written text, so that one follows another from its first byte to its last; each of
//! these bytes knows what it was written for. A blank is a mark that stands in front of a word. Where blanks are what goes, it has the
//! place of the word's first character; where each gap between words is a mark, it has the place of all blanks there, and that of the
//! first character only where nothing is in front of it. A text in which something vanishes behind a blank is not written at all: there
//! raw words have to tell.

use std::ops::Range;

use super::parts::UNCERTAIN;
use super::positions::{Positions, characters};
use super::spans::Spans;
use super::word_gaps::Gaps;
use crate::encoding::{GrowingSurfaces, OffsetUnit, Offsets};
use crate::ids::TokenId;
use crate::lanes::ends::MANY;
use crate::lanes::places::Counted;
use crate::lanes::vectors::{Level, Task, Vectors};
use crate::lanes::{Sources, Strangers};

/// Longer texts know no places for each of their bytes.
pub(super) const LONGEST_TEXT: usize = 1 << 24;
/// Ids must be below this, so that no number is [`UNCERTAIN`].
pub(super) const ID_BOUND: TokenId = UNCERTAIN >> LENGTH_BITS;

/// Units of characters that no entry has are fifteen bytes long.
const LENGTH_BITS: u32 = 5;
/// Instead of a length: the next number is it.
const BEHIND: u32 = (1 << LENGTH_BITS) - 1;

/// Tokens that follow one another, on their way to numbers.
pub(super) struct Lengths<'o> {
    /// Where the next one begins.
    pub at: usize,
    pub out: &'o mut Vec<u32>,
}

impl Lengths<'_> {
    #[inline]
    pub fn push(&mut self, id: TokenId, end: usize) {
        let length = (end - self.at) as u32;
        self.at = end;
        if length < BEHIND {
            self.out.push(id << LENGTH_BITS | length);
        } else {
            self.out.extend([id << LENGTH_BITS | BEHIND, length]);
        }
    }
}

/// The tokens of a written text, and what their places follow from.
pub(super) struct WrittenTokens<'w> {
    pub numbers: &'w [u32],
    /// The text as it was written, with blanks for marks.
    pub text: &'w [u8],
    pub sources: Sources<'w>,
    pub original: &'w str,
    pub unk: TokenId,
    /// What stands for characters that no entry has.
    pub strangers: Option<Strangers>,
    /// What a blank stands for.
    pub mark: Option<char>,
    /// What marks are the places of, where blanks do not go.
    pub gaps: Option<&'w Gaps>,
    /// Whether the original begins with a blank.
    pub begins_with_gap: bool,
}

impl WrittenTokens<'_> {
    /// Writes the ids of the tokens, unknown ones beside each other as one, and where each ends in the written text. Says how many they
    /// are, or nothing if they are not those of the text. There is room for as many as there are numbers.
    pub fn joined(&self, ids: &mut [TokenId], ends: &mut [u32]) -> Option<usize> {
        let mut numbers = self.numbers.iter();
        let (mut at, mut count, mut is_row) = (0, 0, false);
        while let Some(&number) = numbers.next() {
            let (id, mut length) = (number >> LENGTH_BITS, number & BEHIND);
            if length == BEHIND {
                length = *numbers.next()?;
            }
            at += length;
            // Without a branch, for what is unknown cannot be guessed.
            let is_unknown = id == self.unk;
            let place = count - usize::from(is_unknown & is_row);
            (*ids.get_mut(place)?, *ends.get_mut(place)?) = (id, at);
            (count, is_row) = (place + 1, is_unknown);
        }
        (at as usize == self.text.len()).then_some(count)
    }

    /// Where in the original a token begins and ends, and whether a blank begins it; `None` if that is not told.
    #[inline(always)]
    fn span(&self, start: u32, end: u32) -> Option<([u32; 2], bool)> {
        let (start, end) = (start as usize, end as usize);
        let opens = *self.text.get(start)? == b' ';
        let gaps = self.gaps.filter(|_| opens && (start > 0 || self.begins_with_gap));
        let first = start + usize::from(opens && gaps.is_none());
        let (last, original) = ((end - 1).max(first), self.original.as_bytes());
        let end = match gaps.filter(|_| last == start) {
            Some(gaps) => self.end_of_mark(gaps, last)?,
            None => self.sources.end(last, original)?,
        };
        Some(([self.sources.begin(first)?, end], opens))
    }

    /// Where a mark by itself ends: with the character that it is a part of, or with the last of the blanks that it stands for.
    fn end_of_mark(&self, gaps: &Gaps, at: usize) -> Option<u32> {
        let original = self.original.as_bytes();
        match self.sources.is_alone(at) {
            true => Some(gaps.end_of_mark(original, self.sources.begin(at + 1)?)),
            false => self.sources.end(at, original),
        }
    }

    /// What the model read in a range of the written text, which mostly stands there in the original. Where it is counted, characters
    /// need not be.
    fn read<'r>(
        &'r self,
        range: Range<usize>,
        counted: Option<Counted<'_>>,
        room: &'r mut String,
    ) -> Option<&'r str> {
        let text = self.text.get(range.clone())?;
        let begin = self.sources.begin(range.start)?;
        let end = self.sources.end(range.end.checked_sub(1)?, self.original.as_bytes())?;
        let original = self.original.get(begin as usize..end as usize)?;
        let stands_for_others = |byte| self.strangers.is_some_and(|strangers| strangers.has(byte));
        let length = || match counted {
            Some(counted) => (counted.before(end) - counted.before(begin)) as usize,
            None => characters(original.as_bytes()),
        };
        if text.iter().all(|&byte| stands_for_others(byte)) && length() == text.len() {
            return Some(original);
        }
        room.clear();
        for (at, c) in std::str::from_utf8(text).ok()?.char_indices() {
            let at = range.start + at;
            if c == ' ' {
                room.push(self.mark?);
            } else if u8::try_from(c).is_ok_and(stands_for_others) && self.sources.is_alone(at) {
                room.push(self.original.get(self.sources.begin(at)? as usize..)?.chars().next()?);
            } else {
                room.push(c);
            }
        }
        Some(room)
    }
}

impl<'t> Spans<'_, 't> {
    /// Appends the tokens of a written text, which stands for a range of the original; those that are unknown get their texts. False, and
    /// then maybe with some of it appended, where that cannot be told.
    pub fn of_written_words(
        &mut self,
        written: &WrittenTokens<'_>,
        origin: usize,
        ids: &mut Vec<TokenId>,
        surfaces: &mut GrowingSurfaces,
    ) -> bool {
        let (unit, is_ascii) = (self.positions.unit, self.positions.is_ascii);
        if is_ascii || unit == OffsetUnit::Byte {
            return self.push_words(written, ids, surfaces, None, |_, place| origin + place as usize);
        }
        if unit != OffsetUnit::Char {
            let place = |positions: &mut Positions<'t>, place| positions.convert(origin + place as usize);
            return self.push_words(written, ids, surfaces, None, place);
        }
        let begin = self.positions.convert(origin);
        let mut counts = std::mem::take(&mut self.places.counts);
        let counted = counts.of(written.original.as_bytes());
        let by_counts = written.gaps.is_none().then_some((counted, begin as u32));
        let place = |_: &mut Positions<'t>, place| begin + counted.before(place) as usize;
        let is_told = self.push_words(written, ids, surfaces, by_counts, place);
        let length = written.original.len();
        self.positions.are_at(origin + length, begin + counted.before(length as u32) as usize);
        self.places.counts = counts;
        is_told
    }

    /// Where places follow from counts, many tokens at once.
    #[inline(always)]
    fn push_words(
        &mut self,
        written: &WrittenTokens<'_>,
        ids: &mut Vec<TokenId>,
        surfaces: &mut GrowingSurfaces,
        by_counts: Option<(Counted<'_>, u32)>,
        place: impl Fn(&mut Positions<'t>, u32) -> usize,
    ) -> bool {
        let Offsets::Narrow(offsets) = &mut *self.offsets else { return false };
        let (before, most) = (ids.len(), written.numbers.len());
        ids.resize(before + most, 0);
        let ends = &mut self.places.opened;
        ends.clear();
        ends.resize(most, 0);
        let count = written.joined(&mut ids[before..], ends);
        ids.truncate(before + count.unwrap_or(0));
        let Some(count) = count else { return false };
        ends.truncate(count);
        offsets.resize(before + count, [0; 2]);
        self.words.resize(before + count, 0);
        let (offsets, words) = (&mut offsets[before..], &mut self.words[before..]);
        let mut so_far = SoFar { start: 0, number: self.number, step: self.step };
        let positions = &mut *self.positions;
        let place = |at| place(positions, at) as u32;
        let is_told = match by_counts {
            Some((counted, begin)) => {
                let columns = (&**ends, offsets, words);
                Level::best().run(Placing { written, counted, begin, so_far: &mut so_far, columns, place })
            }
            None => so_far.one_by_one(written, (ends, offsets, words), place),
        };
        self.number = so_far.number;
        if is_told.is_none() {
            return false;
        }
        let mut room = String::new();
        for (index, _) in ids[before..].iter().enumerate().filter(|&(_, &id)| id == written.unk) {
            let start = index.checked_sub(1).map_or(0, |before| ends[before]);
            let counted = by_counts.map(|(counted, _)| counted);
            let Some(read) = written.read(start as usize..ends[index] as usize, counted, &mut room) else {
                return false;
            };
            surfaces.push(before + index, read);
        }
        true
    }
}

/// Where each token ends in the written text, and room for what is told of it. All are of one length.
type Columns<'c> = (&'c [u32], &'c mut [[u32; 2]], &'c mut [u32]);

/// How far a text has come.
pub(super) struct SoFar {
    /// Where in the written text the next token begins.
    pub start: u32,
    /// The number of the next word.
    pub number: u32,
    pub step: u32,
}

impl SoFar {
    /// Tells tokens one after the other; nothing, if one of them is not told.
    #[inline(always)]
    pub fn one_by_one(
        &mut self,
        written: &WrittenTokens<'_>,
        (ends, offsets, words): Columns<'_>,
        mut place: impl FnMut(u32) -> u32,
    ) -> Option<()> {
        for ((&end, offset), word) in ends.iter().zip(offsets).zip(words) {
            let (span, opens) = written.span(self.start, end)?;
            self.number += u32::from(opens) & self.step;
            *offset = span.map(&mut place);
            // The word that began last has the number before the next one's.
            *word = self.number.wrapping_sub(self.step);
            self.start = end;
        }
        Some(())
    }
}

/// Tokens of a text in which marks have the place of what follows them, by how many characters begin before each place of the original;
/// `place` says the same of one.
pub(super) struct Placing<'p, 'w, P> {
    pub written: &'p WrittenTokens<'w>,
    pub counted: Counted<'p>,
    /// Characters in front of the original.
    pub begin: u32,
    pub so_far: &'p mut SoFar,
    pub columns: Columns<'p>,
    pub place: P,
}

impl<P: FnMut(u32) -> u32> Task for Placing<'_, '_, P> {
    /// Nothing, if one of them is not told.
    type Output = Option<()>;

    #[inline(always)]
    fn run<V: Vectors>(self, vectors: V) -> Option<()> {
        let Placing { written, counted, begin, so_far, columns: (ends, offsets, words), mut place } = self;
        let ((ends, few_ends), (offsets, few_offsets), (words, few_words)) =
            (ends.as_chunks::<MANY>(), offsets.as_chunks_mut::<MANY>(), words.as_chunks_mut::<MANY>());
        let (text, original) = (written.text, written.original.len() as u32);
        for ((ends, offsets), words) in ends.iter().zip(offsets).zip(words) {
            let starts: [u32; MANY] =
                std::array::from_fn(|lane| if lane == 0 { so_far.start } else { ends[lane - 1] });
            let opens = starts.map(|start| u32::from(text.get(start as usize) == Some(&b' ')));
            let firsts = std::array::from_fn(|lane| starts[lane] + opens[lane]);
            let lasts = std::array::from_fn(|lane| firsts[lane].max(ends[lane].saturating_sub(1)));
            let sources =
                (written.sources.begin_all(vectors, &firsts), written.sources.begin_all(vectors, &lasts));
            let are_within =
                |lasts: &[u32; MANY]| lasts.iter().fold(true, |all, &last| all & (last < original));
            let (Some(firsts), Some(lasts)) = sources else {
                so_far.one_by_one(written, (ends, offsets, words), &mut place)?;
                continue;
            };
            if !are_within(&lasts) {
                return None;
            }
            let (firsts, _) = counted.at_all(vectors, &firsts);
            // A byte stands for its character up to where that ends.
            let (lasts, inside) = counted.at_all(vectors, &lasts);
            for (lane, offset) in offsets.iter_mut().enumerate() {
                *offset = [begin + firsts[lane], begin + lasts[lane] + 1 - inside[lane]];
            }
            let opened = vectors.sums(&opens);
            let SoFar { number, step, .. } = *so_far;
            *words = opened.map(|opened| (number.wrapping_sub(step)).wrapping_add(opened * step));
            so_far.number += opened[MANY - 1] * step;
            so_far.start = ends[MANY - 1];
        }
        so_far.one_by_one(written, (few_ends, few_offsets, few_words), place)
    }
}
