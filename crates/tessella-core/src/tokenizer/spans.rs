//! Offsets and words of many tokens at once, where it is known how long each of them is: running sums.
//!
//! Of byte-level pieces the ids tell the lengths ([`Lengths`]), of words the packed tokens do ([`super::packed`]). A token
//! begins where the one before it ended, or where the next piece begins, and a word ends where its piece does. Positions
//! in characters are counted along, eight bytes at a time.

use super::packed;
use super::positions::{Positions, characters};
use crate::encoding::OffsetUnit;
use crate::ids::{Span, TokenId};
use crate::lanes::{Lengths, Pieces};

/// Pieces that are shorter together have tables for each place of their text.
const STRETCH: usize = 1 << 13;

/// Columns that grow.
pub(super) struct Spans<'c, 't> {
    pub offsets: &'c mut Vec<(usize, usize)>,
    pub words: &'c mut Vec<u32>,
    pub positions: &'c mut Positions<'t>,
    /// The number of the next word.
    pub number: u32,
    /// 1, or 0 where all have one number.
    pub step: u32,
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
type Token = (usize, usize, u32);

impl<'p> Walk<'p> {
    fn new(pieces: Pieces<'p>, spans: &Spans<'_, '_>) -> Self {
        let at = pieces.starts.first().copied().unwrap_or(0);
        Walk { pieces, piece: 0, at, number: spans.number, step: spans.step }
    }

    /// The next token, which ends at `end`. Without a branch, for where words end cannot be guessed.
    #[inline(always)]
    fn until<const GAPS: bool>(&mut self, end: u32) -> Token {
        let (start, number) = (self.at, self.number);
        let is_last = self.pieces.ends.get(self.piece) == Some(&end);
        self.piece += usize::from(is_last);
        self.number += u32::from(is_last) & self.step;
        self.at = end;
        if GAPS {
            let next = self.pieces.starts.get(self.piece).copied().unwrap_or(end);
            self.at = if is_last { next } else { end };
        }
        (start as usize, end as usize, number)
    }
}

impl Spans<'_, '_> {
    /// Appends what belongs to the ids of some pieces, whose tokens cover them. Their text is the original's from byte
    /// `origin` on, or `span` tells what a range of it stands for.
    pub fn of_ids(
        &mut self,
        pieces: Pieces<'_>,
        ids: &[TokenId],
        lengths: &Lengths,
        origin: Option<usize>,
        span: impl Fn(usize, usize) -> Span,
    ) {
        let mut walk = Walk::new(pieces, self);
        let Pieces { starts, ends, .. } = pieces;
        // Most splitters leave nothing out.
        let no_gaps = starts.iter().skip(1).eq(ends.iter().take(ends.len().saturating_sub(1)));
        match origin {
            Some(origin) if no_gaps && self.of_covering(pieces, ids, lengths, origin) => return,
            Some(origin) if no_gaps => {
                let tokens = ids.iter().map(|&id| walk.until::<false>(walk.at + lengths.of(id)));
                self.of_original(pieces, origin, tokens);
            }
            Some(origin) => {
                let tokens = ids.iter().map(|&id| walk.until::<true>(walk.at + lengths.of(id)));
                self.of_original(pieces, origin, tokens);
            }
            None => {
                let tokens = ids.iter().map(|&id| walk.until::<true>(walk.at + lengths.of(id)));
                self.of_any(tokens, span);
            }
        }
        debug_assert_eq!(walk.piece, ends.len(), "tokens cover their pieces");
        self.number = walk.number;
    }

    /// The same for pieces without gaps between them that are not too long together: what is to be known of each place of
    /// their text is written down first, so that no token waits for where the one before it led. False, with nothing
    /// appended, for others.
    fn of_covering(&mut self, pieces: Pieces<'_>, ids: &[TokenId], lengths: &Lengths, origin: usize) -> bool {
        let Pieces { text, starts, ends } = pieces;
        let (Some(&from), Some(&to)) = (starts.first(), ends.last()) else { return true };
        let Some(stretch) = text.get(from as usize..to as usize) else { return false };
        let are_bytes = self.positions.are_bytes() || stretch.is_ascii();
        let begins_inside = stretch.first().is_some_and(|byte| byte & 0xC0 == 0x80);
        let are_characters = self.positions.unit() == OffsetUnit::Char && !begins_inside;
        if stretch.len() >= STRETCH || !are_bytes && !are_characters {
            return false;
        }
        let before = self.positions.convert(origin + from as usize);
        // 1 where a piece ends.
        let mut marks = [0u8; STRETCH];
        for &end in ends {
            marks[(end - from) as usize % STRETCH] = self.step as u8;
        }
        let (first, mut at) = (self.offsets.len(), 0);
        self.offsets.extend(ids.iter().map(|&id| {
            let start = at;
            at += lengths.of(id) as usize;
            (before + start, before + at)
        }));
        debug_assert_eq!(at, stretch.len(), "tokens cover their pieces");
        let offsets = &mut self.offsets[first..];
        let mut number = self.number;
        self.words.extend(offsets.iter().map(|&(_, end)| {
            let word = number;
            number += u32::from(marks[(end - before) % STRETCH]);
            word
        }));
        self.number = number;
        let mut count = stretch.len();
        if !are_bytes {
            // The characters that begin before each place, and before it or around it.
            let mut counts = [[0u16; 2]; STRETCH];
            count = 0;
            for (place, &byte) in counts.iter_mut().zip(stretch) {
                let is_inside = usize::from(byte & 0xC0 == 0x80);
                *place = [(count - is_inside) as u16, count as u16];
                count += 1 - is_inside;
            }
            counts[stretch.len() % STRETCH] = [count as u16; 2];
            for (start, end) in offsets {
                let [first, _] = counts[(*start - before) % STRETCH];
                let [_, last] = counts[(*end - before) % STRETCH];
                (*start, *end) = (before + usize::from(first), before + usize::from(last));
            }
        }
        self.positions.are_at(origin + to as usize, before + count);
        true
    }

    /// Appends what belongs to words whose tokens follow one another, packed as one number each. A token that ends where it
    /// begins is a mark with the place of the character there. Their text is the
    /// original's from byte `origin` on. Returns the number of words.
    pub fn of_packed(&mut self, words: Pieces<'_>, numbers: &[u32], origin: usize) -> usize {
        let mut walk = Walk::new(words, self);
        let tokens = numbers.iter().map(|&number| {
            let start = words.starts.get(walk.piece).copied().unwrap_or(walk.at);
            walk.until::<true>(start + packed::end(number))
        });
        self.of_original(words, origin, tokens);
        self.number = walk.number;
        walk.piece
    }

    #[inline(always)]
    fn of_original(
        &mut self,
        pieces: Pieces<'_>,
        origin: usize,
        tokens: impl ExactSizeIterator<Item = Token>,
    ) {
        let Pieces { text, starts, ends } = pieces;
        if self.positions.are_bytes() {
            return self.append(tokens, |_, start, end| (origin + start, origin + end.max(start + 1)));
        }
        if self.positions.unit() != OffsetUnit::Char {
            return self.of_any(tokens, |start, end| {
                let Span { start, end } = whole_characters(text, start, end.max(start + 1));
                Span::new(origin + start, origin + end)
            });
        }
        let (Some(&from), Some(&to)) = (starts.first(), ends.last()) else { return };
        let (from, to) = (from as usize, to as usize);
        if text.get(from..to).is_some_and(<[u8]>::is_ascii) {
            let before = self.positions.convert(origin + from);
            self.append(tokens, |_, start, end| (before + start - from, before + end.max(start + 1) - from));
            return self.positions.are_at(origin + to, before + to - from);
        }
        // Characters that begin before a byte.
        let (mut at, mut count) = (usize::MAX, 0);
        self.append(tokens, |positions, start, end| {
            if start != at {
                count = match text.get(at..start) {
                    Some(gap) if gap.len() <= 8 => count + characters_near(text, at, start),
                    _ => positions.convert(origin + start),
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
            self.positions.are_at(origin + at, count);
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
        let first = self.offsets.len();
        self.offsets.resize(first + tokens.len(), (0, 0));
        self.words.resize(first + tokens.len(), 0);
        let columns = self.offsets[first..].iter_mut().zip(&mut self.words[first..]);
        for ((start, end, number), (place, word)) in tokens.zip(columns) {
            *place = offset(self.positions, start, end);
            *word = number;
        }
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

/// How many characters begin in a range that is mostly short and not empty.
#[inline(always)]
fn characters_near(text: &[u8], start: usize, end: usize) -> usize {
    const LOW_BITS: u64 = 0x0101_0101_0101_0101;
    let length = end - start;
    match text.get(start..).and_then(|rest| rest.first_chunk()) {
        Some(&bytes) if length.wrapping_sub(1) < 8 => {
            let word = u64::from_le_bytes(bytes);
            let begins = (!(word >> 7) | word >> 6) & LOW_BITS & u64::MAX >> (64 - 8 * length);
            (begins.wrapping_mul(LOW_BITS) >> 56) as usize
        }
        _ => characters(text.get(start..end).unwrap_or_default()),
    }
}
