//! Where the tokens of a written text ([`written_words`](super::written_words)) are in the original.
//!
//! A token is a number with its length in the written text, so that one follows another from its first byte to its last; each of
//! these bytes knows what it was written for. A blank is a mark that stands in front of a word. Where blanks are what goes, it has the
//! place of the word's first character; where each gap between words is a mark, it has the place of all blanks there, and that of the
//! first character only where nothing is in front of it. A text in which something vanishes behind a blank is not written at all: there
//! raw words have to tell.

use std::ops::Range;

use super::parts::UNCERTAIN;
use super::positions::Positions;
use super::spans::Spans;
use super::word_gaps::Gaps;
use crate::encoding::{GrowingSurfaces, OffsetUnit, Offsets};
use crate::ids::TokenId;
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
    fn joined(&self, ids: &mut [TokenId], ends: &mut [u32]) -> Option<usize> {
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

    /// What the model read in a range of the written text, which mostly stands there in the original.
    fn read<'r>(&'r self, range: Range<usize>, room: &'r mut String) -> Option<&'r str> {
        let text = self.text.get(range.clone())?;
        let begin = self.sources.begin(range.start)?;
        let end = self.sources.end(range.end.checked_sub(1)?, self.original.as_bytes())?;
        let original = self.original.get(begin as usize..end as usize)?;
        let stands_for_others = |byte: u8| {
            let is_one = |Strangers { usual, last }| byte == usual || byte == last;
            self.strangers.is_some_and(is_one)
        };
        if text.iter().all(|&byte| stands_for_others(byte)) && original.chars().count() == text.len() {
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
            return self.push_words(written, ids, surfaces, |_, place| origin + place as usize);
        }
        if unit != OffsetUnit::Char {
            let place = |positions: &mut Positions<'t>, place| positions.convert(origin + place as usize);
            return self.push_words(written, ids, surfaces, place);
        }
        let begin = self.positions.convert(origin);
        let mut counts = std::mem::take(&mut self.places.counts);
        let counted = counts.of(written.original.as_bytes());
        let is_told =
            self.push_words(written, ids, surfaces, |_, place| begin + counted.before(place) as usize);
        let length = written.original.len();
        self.positions.are_at(origin + length, begin + counted.before(length as u32) as usize);
        self.places.counts = counts;
        is_told
    }

    #[inline(always)]
    fn push_words(
        &mut self,
        written: &WrittenTokens<'_>,
        ids: &mut Vec<TokenId>,
        surfaces: &mut GrowingSurfaces,
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
        let mut start = 0;
        let columns = offsets[before..].iter_mut().zip(&mut self.words[before..]);
        for ((offset, word), &end) in columns.zip(&*ends) {
            let Some((span, opens)) = written.span(start, end) else { return false };
            self.number += u32::from(opens) & self.step;
            *offset = span.map(|at| place(self.positions, at) as u32);
            // The word that began last has the number before the next one's.
            *word = self.number.wrapping_sub(self.step);
            start = end;
        }
        let mut room = String::new();
        for (index, _) in ids[before..].iter().enumerate().filter(|&(_, &id)| id == written.unk) {
            let start = index.checked_sub(1).map_or(0, |before| ends[before]);
            let Some(read) = written.read(start as usize..ends[index] as usize, &mut room) else {
                return false;
            };
            surfaces.push(before + index, read);
        }
        true
    }
}
