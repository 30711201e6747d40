//! Offsets and words of ids whose lengths are known: a running sum.
//!
//! Pieces fall into tokens without a gap, so a token begins where the one before it ended, and a word ends where its piece
//! does. Positions in characters are counted along, eight bytes at a time.

use super::positions::{Positions, characters};
use crate::encoding::OffsetUnit;
use crate::ids::{Span, TokenId};
use crate::lanes::{Lengths, Pieces};

/// Columns that grow with the ids.
pub(super) struct Spans<'c> {
    pub lengths: &'c Lengths,
    pub offsets: &'c mut Vec<(usize, usize)>,
    pub words: &'c mut Vec<u32>,
    /// The number of the next word.
    pub number: u32,
    /// 1, or 0 where all have one number.
    pub step: u32,
}

impl Spans<'_> {
    /// Appends what belongs to the ids of some pieces. Their text is the original's from byte `origin` on.
    pub fn of_original(
        &mut self,
        pieces: Pieces<'_>,
        ids: &[TokenId],
        origin: usize,
        positions: &mut Positions<'_>,
    ) {
        if positions.are_bytes() {
            return self.append(pieces, ids, |start, end| (origin + start, origin + end));
        }
        if positions.unit() != OffsetUnit::Char {
            let span = |start, end| whole_characters(pieces.text, start, end);
            return self.of_any(pieces, ids, positions, |start, end| {
                let Span { start, end } = span(start, end);
                Span::new(origin + start, origin + end)
            });
        }
        let mut at = pieces.starts.first().map_or(0, |&start| start as usize);
        // Characters that begin before `at`.
        let mut count = positions.convert(origin + at);
        self.append(pieces, ids, |start, end| {
            count += characters(&pieces.text[at..start]);
            // A byte inside of a character stands for all of it.
            let begins_inside = pieces.text.get(start).is_some_and(|byte| byte & 0xC0 == 0x80);
            let first = count - usize::from(begins_inside);
            count += characters_of_token(pieces.text, start, end);
            at = end;
            (first, count)
        });
        positions.are_at(origin + at, count);
    }

    /// The same where `span` tells what a range of the pieces' text stands for.
    pub fn of_any(
        &mut self,
        pieces: Pieces<'_>,
        ids: &[TokenId],
        positions: &mut Positions<'_>,
        span: impl Fn(usize, usize) -> Span,
    ) {
        self.append(pieces, ids, |start, end| {
            let span = span(start, end);
            (positions.convert(span.start), positions.convert(span.end))
        });
    }

    /// Appends what `offset` makes of the range of every token, and the words.
    #[inline(always)]
    fn append(
        &mut self,
        pieces: Pieces<'_>,
        ids: &[TokenId],
        mut offset: impl FnMut(usize, usize) -> (usize, usize),
    ) {
        let Pieces { starts, ends, .. } = pieces;
        let first = self.offsets.len();
        self.offsets.resize(first + ids.len(), (0, 0));
        self.words.resize(first + ids.len(), 0);
        let columns = self.offsets[first..].iter_mut().zip(&mut self.words[first..]);
        let mut piece = 0;
        let mut at = starts.first().copied().unwrap_or(0);
        let mut number = self.number;
        for (&id, (place, word)) in ids.iter().zip(columns) {
            let end = at + self.lengths.of(id);
            *place = offset(at as usize, end as usize);
            *word = number;
            // Without a branch, for where words end cannot be guessed.
            let is_last = ends.get(piece) == Some(&end);
            piece += usize::from(is_last);
            number += u32::from(is_last) & self.step;
            let next = starts.get(piece).copied().unwrap_or(end);
            at = if is_last { next } else { end };
        }
        debug_assert_eq!(piece, ends.len(), "tokens cover their pieces");
        self.number = number;
    }
}

/// The characters that have a byte of a range.
fn whole_characters(text: &[u8], mut start: usize, mut end: usize) -> Span {
    let inside = |at: usize| text.get(at).is_some_and(|byte| byte & 0xC0 == 0x80);
    while inside(start) {
        start -= 1;
    }
    while inside(end) {
        end += 1;
    }
    Span::new(start, end)
}

/// How many characters begin in a range that is mostly short.
#[inline(always)]
fn characters_of_token(text: &[u8], start: usize, end: usize) -> usize {
    const LOW_BITS: u64 = 0x0101_0101_0101_0101;
    let length = end - start;
    match text[start..].first_chunk() {
        Some(&bytes) if (1..=8).contains(&length) => {
            let word = u64::from_le_bytes(bytes);
            let begins = (!(word >> 7) | word >> 6) & LOW_BITS & u64::MAX >> (64 - 8 * length);
            (begins.wrapping_mul(LOW_BITS) >> 56) as usize
        }
        _ => characters(&text[start..end]),
    }
}
