//! Offsets and words of many tokens at once, where it is known how long each of them is: running sums.
//!
//! Of byte-level pieces the ids tell the lengths ([`Lengths`]), of words the packed tokens do ([`super::packed`]). A token
//! begins where the one before it ended, or where the next piece begins, and a word ends where its piece does. Of
//! a stretch of text that is not too long, what each place stands for is written down first ([`crate::lanes::places`]), so that no
//! token waits for where the one before it led; of others, positions in characters are counted along.
//!
//! Here are the tokens of pieces, given as ids. [`words`] has those of packed words, [`units`] those of units of a written text, and
//! [`places`] what each place of a stretch stands for.

mod places;
mod units;
mod words;

use super::positions::{Positions, characters};
use crate::encoding::{OffsetUnit, Offsets};
use crate::ids::{Span, TokenId};
use crate::lanes::covering::{self, Covering};
use crate::lanes::places::{Places, begins};
use crate::lanes::{Lengths, Pieces};

pub(super) use places::Mapped;
pub(super) use words::Packed;

/// Columns that grow.
pub struct Spans<'c, 't> {
    pub offsets: &'c mut Offsets,
    pub words: &'c mut Vec<u32>,
    pub positions: &'c mut Positions<'t>,
    pub places: &'c mut Places,
    /// The number of the next word.
    pub number: u32,
    /// 1, or 0 where all have one number.
    pub step: u32,
}

/// Pieces that are told one by one, where what stands otherwise is near.
const FEW: usize = 16;

/// How a text stands in the original from a byte on.
#[derive(Debug, Clone, Copy)]
pub struct Stands {
    /// Where, if byte by byte.
    pub origin: Option<Origin>,
    /// Up to which byte it does so.
    pub until: u32,
}

/// Where a text stands in the original, of which the first bytes may stand elsewhere.
#[derive(Debug, Clone, Copy)]
pub struct Origin {
    /// A byte of the text, and the original's for it.
    pub from: usize,
    pub at: usize,
}

impl Origin {
    /// Whether the text begins where the original does.
    pub fn is_start(self) -> bool {
        (self.from, self.at) == (0, 0)
    }

    /// The original's byte for one of the text that is not before that which is known.
    #[inline(always)]
    fn of(self, byte: usize) -> usize {
        self.at + (byte - self.from)
    }
}

/// Where tokens are in the text that pieces are of, and in which of these.
struct Walk<'p> {
    pieces: Pieces<'p>,
    piece: usize,
    at: u32,
    number: u32,
    step: u32,
}

/// A token's range, and its word.
type Token = (u32, u32, u32);

impl<'p> Walk<'p> {
    fn new(pieces: Pieces<'p>, spans: &Spans<'_, '_>) -> Self {
        let at = pieces.starts.first().copied().unwrap_or(0);
        Walk { pieces, piece: 0, at, number: spans.number, step: spans.step }
    }

    /// The next token, which ends at `end`. Without a branch, for where words end cannot be guessed.
    #[inline(always)]
    fn until(&mut self, end: u32) -> Token {
        let (start, number) = (self.at, self.number);
        let is_last = self.pieces.ends.get(self.piece) == Some(&end);
        self.piece += usize::from(is_last);
        self.number += u32::from(is_last) & self.step;
        let next = self.pieces.starts.get(self.piece).copied().unwrap_or(end);
        self.at = if is_last { next } else { end };
        (start, end, number)
    }
}

/// Whether each piece begins where the one before it ends.
fn have_no_gaps(Pieces { starts, ends, .. }: Pieces<'_>) -> bool {
    let (next, ends) = (starts.get(1..).unwrap_or_default(), &ends[..ends.len().saturating_sub(1)]);
    // Mostly they are the same numbers of one list.
    std::ptr::eq(next, ends) || next == ends
}

impl Spans<'_, '_> {
    /// Appends what belongs to the ids of some pieces, whose tokens cover them. `stands` tells where in the original stretches of
    /// their text stand, `span` what a range of it stands for.
    pub fn of_ids(
        &mut self,
        pieces: Pieces<'_>,
        ids: &[TokenId],
        lengths: &Lengths,
        stands: impl Fn(u32) -> Stands,
        span: impl Fn(usize, usize) -> Span,
    ) {
        let (mut pieces, mut ids) = (pieces, ids);
        while let (Some(&start), Some(&end)) = (pieces.starts.first(), pieces.ends.last()) {
            let Stands { origin, until } = stands(start);
            if until >= end {
                return self.of_alike(pieces, ids, lengths, origin, &span);
            }
            let count = pieces.ends.partition_point(|&end| end <= until);
            // What stands otherwise between is few bytes mostly, and a few pieces more cost no more by themselves.
            let (origin, count) =
                if count < FEW { (None, FEW.min(pieces.ends.len())) } else { (origin, count) };
            let some = pieces.first(count);
            let mut bytes: u32 = some.starts.iter().zip(some.ends).map(|(start, end)| end - start).sum();
            let others = ids.iter().position(|&id| {
                let is_other = bytes == 0;
                bytes = bytes.saturating_sub(lengths.of(id));
                is_other
            });
            let (own, others) = ids.split_at(others.unwrap_or(ids.len()));
            self.of_alike(some, own, lengths, origin, &span);
            (pieces, ids) = (pieces.from(count), others);
        }
    }

    /// Appends what belongs to a token that is a word.
    pub fn word(&mut self, span: Span) {
        self.offsets.push((self.positions.convert(span.start), self.positions.convert(span.end)));
        self.words.push(self.number);
        self.number += self.step;
    }

    /// The same for pieces whose text is the original's own, or for any.
    fn of_alike(
        &mut self,
        pieces: Pieces<'_>,
        ids: &[TokenId],
        lengths: &Lengths,
        origin: Option<Origin>,
        span: impl Fn(usize, usize) -> Span,
    ) {
        if let Some(origin) = origin
            && have_no_gaps(pieces)
            && self.of_covering(pieces, ids, lengths, origin)
        {
            return;
        }
        let mut walk = Walk::new(pieces, self);
        let tokens = ids.iter().map(|&id| walk.until(walk.at + lengths.of(id)));
        match origin {
            Some(origin) => self.of_original(pieces, origin, tokens),
            None => self.of_any(tokens, span),
        }
        debug_assert_eq!(walk.piece, pieces.ends.len(), "tokens cover their pieces");
        self.number = walk.number;
    }

    /// The same for pieces without gaps between them that are not too long together; false, with nothing appended, for
    /// others.
    fn of_covering(
        &mut self,
        pieces: Pieces<'_>,
        ids: &[TokenId],
        lengths: &Lengths,
        origin: Origin,
    ) -> bool {
        let Some(stretch) = self.stretch(pieces) else { return false };
        // The tables are lent out while the columns grow.
        let mut tables = std::mem::take(self.places);
        let origin = origin.of(word_at(pieces.starts, 0) as usize);
        let Mapped { begin, counted, .. } = self.mapped(stretch, origin, &mut tables.counts);
        let covering = Covering {
            lengths: lengths.by_value(),
            ending: tables.ends.of(pieces),
            counted,
            begin,
            at: 0,
            first: 0,
            number: self.number,
            step: self.step,
        };
        self.cover(covering, ids);
        *self.places = tables;
        self.number += pieces.ends.len() as u32 * self.step;
        true
    }

    /// Appends what belongs to ids whose tokens cover a stretch; says where in it they end.
    fn cover(&mut self, mut covering: Covering<'_>, ids: &[TokenId]) -> u32 {
        let Offsets::Narrow(offsets) = &mut *self.offsets else { return 0 };
        let (first, count) = (self.words.len(), self.words.len() + ids.len());
        offsets.resize(count, [0; 2]);
        self.words.resize(count, 0);
        let columns = covering::Columns { offsets: &mut offsets[first..], words: &mut self.words[first..] };
        covering.write(ids, columns);
        covering.at
    }

    #[inline(always)]
    fn of_original(
        &mut self,
        pieces: Pieces<'_>,
        origin: Origin,
        tokens: impl ExactSizeIterator<Item = Token>,
    ) {
        let Pieces { text, starts, ends } = pieces;
        if self.positions.is_ascii {
            return self.append(tokens, |_, start, end| (origin.of(start), origin.of(end.max(start + 1))));
        }
        if self.positions.unit != OffsetUnit::Char {
            return self.of_any(tokens, |start, end| {
                let Span { start, end } = whole_characters(text, start, end.max(start + 1));
                Span::new(origin.of(start), origin.of(end))
            });
        }
        let (Some(&from), Some(&to)) = (starts.first(), ends.last()) else { return };
        let (from, to) = (from as usize, to as usize);
        if text.get(from..to).is_some_and(<[u8]>::is_ascii) {
            let before = self.positions.convert(origin.of(from));
            self.append(tokens, |_, start, end| (before + start - from, before + end.max(start + 1) - from));
            return self.positions.are_at(origin.of(to), before + to - from);
        }
        // Characters that begin before a byte.
        let (mut at, mut count) = (usize::MAX, 0);
        self.append(tokens, |positions, start, end| {
            if start != at {
                count = match text.get(at..start) {
                    Some(gap) if gap.len() <= 8 => count + characters_near(text, at, start),
                    _ => positions.convert(origin.of(start)),
                };
            }
            // A byte inside of a character stands for all of it.
            let begins_inside = text.get(start).is_some_and(|byte| byte & 0xC0 == 0x80);
            let first = count - usize::from(begins_inside);
            count += characters_near(text, start, end);
            at = end;
            (first, count.max(first + 1))
        });
        if at != usize::MAX {
            self.positions.are_at(origin.of(at), count);
        }
    }

    #[inline(always)]
    fn of_any(&mut self, tokens: impl ExactSizeIterator<Item = Token>, span: impl Fn(usize, usize) -> Span) {
        self.append(tokens, |positions, start, end| {
            let span = span(start, end);
            (positions.convert(span.start), positions.convert(span.end))
        });
    }

    #[inline(always)]
    fn append(
        &mut self,
        tokens: impl ExactSizeIterator<Item = Token>,
        mut offset: impl FnMut(&mut Positions<'_>, usize, usize) -> (usize, usize),
    ) {
        self.offsets.reserve(tokens.len());
        self.words.reserve(tokens.len());
        for (start, end, number) in tokens {
            let (start, end) = (start as usize, end as usize);
            self.offsets.push(offset(self.positions, start, end));
            self.words.push(number);
        }
    }
}

/// Where a word starts or ends; 0 behind the last one.
#[inline(always)]
fn word_at(places: &[u32], word: usize) -> u32 {
    places.get(word).copied().unwrap_or(0)
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

/// How many characters begin in a range that is mostly short and not empty.
#[inline(always)]
fn characters_near(text: &[u8], start: usize, end: usize) -> usize {
    let length = end - start;
    match text.get(start..).and_then(|rest| rest.first_chunk()) {
        Some(&bytes) if length.wrapping_sub(1) < 8 => {
            let begins = begins(u64::from_le_bytes(bytes)) & u64::MAX >> (64 - 8 * length);
            begins.count_ones() as usize
        }
        _ => characters(text.get(start..end).unwrap_or_default()),
    }
}
