//! Tokens with the bytes they stand for, in numbers that slots can remember.
//!
//! What a word becomes is nearly always tokens that follow one another without a gap from its first byte to its last. Of
//! such a word of up to 15 bytes a token is one number: its id, and where it ends, or that the word ends with it. A mark
//! that was put before the word may be its first token: such a one has the place of the word's first character, with which
//! the next one begins again, and its number says that it ends where it begins. Everything else is written out behind a
//! mark: two numbers for a token, its id and where it is, and whether a new piece begins with it, where its text comes
//! from, and whether it is the word's last; three where words are so long that places take more bits.

use std::ops::Range;

use super::word_places::{Moved, whole_characters};
use crate::ids::{PieceToken, TokenId};
use crate::lanes::Key;
use crate::lanes::ends::{END_BITS, TO_THE_END};

/// Ids must be below this.
pub(super) const ID_BOUND: TokenId = (1 << 20) - 5;
/// A word without tokens.
const NOTHING: u32 = ID_BOUND << END_BITS;
/// A word that numbers cannot tell.
const ODD: u32 = (ID_BOUND + 1) << END_BITS;
/// Stands before the tokens of a word that are written out, and before those of a word of [`LONG`] bytes or more.
const WRITTEN_OUT: u32 = (ID_BOUND + 2) << END_BITS;
const LONG_WRITTEN_OUT: u32 = (ID_BOUND + 3) << END_BITS;
/// Stands before all this of a word that may be part of an added token.
pub(super) const TRAP: u32 = (ID_BOUND + 4) << END_BITS;

// Instead of its end: the token is the last one of its word. No other one ends behind 14 bytes.
const _: () = assert!(Key::LONGEST <= TO_THE_END as usize);

const OPENS: u32 = 1;
const LAST: u32 = 2;
const TEXT: u32 = 4;
const FLAG_BITS: u32 = 4;
/// Places of words below this length share a number with flags.
const LONG: usize = 1 << PLACE_BITS;
const PLACE_BITS: u32 = 14;
/// No word may have more bytes, for each place to share a number with flags.
pub(super) const LONGEST: usize = u32::MAX as usize >> FLAG_BITS;

/// Which text a token has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Text {
    /// The vocabulary's.
    Vocabulary,
    /// What stands at its place.
    Stands,
    /// What the characters of its place become, each by itself.
    Told,
    /// What the model read there, which no place tells.
    Read,
}

impl Text {
    const ALL: [Text; 4] = [Text::Vocabulary, Text::Stands, Text::Told, Text::Read];

    fn bits(self) -> u32 {
        self as u32 * TEXT
    }

    fn of(place: u32) -> Text {
        Self::ALL[(place / TEXT) as usize % Self::ALL.len()]
    }
}

/// A token of a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Placed {
    pub id: TokenId,
    /// Bytes of the word.
    pub start: u32,
    pub end: u32,
    /// Whether it is the first of a piece that the word was cut into.
    pub opens: bool,
    pub text: Text,
    /// Whether it is the last one of the word.
    pub is_last: bool,
}

/// Some bytes that tokens are packed of.
#[derive(Debug, Clone, Copy)]
pub(super) struct Packing {
    /// How many they are.
    pub length: usize,
    /// How many of them are the first character.
    pub first: u32,
    /// Whether they go on what others of the word begin.
    pub is_inner: bool,
}

impl Packing {
    /// Of a word, or an inner part of one.
    pub fn of(word: &str, is_inner: bool) -> Self {
        let first = word.chars().next().map_or(0, char::len_utf8);
        Packing { length: word.len(), first: first as u32, is_inner }
    }
}

/// Writes the tokens of a word, or of an inner part that is one piece.
pub(super) fn pack(tokens: &[Placed], of: Packing, out: &mut Vec<u32>) {
    let Packing { length, first, is_inner } = of;
    if tokens.is_empty() {
        return out.push(NOTHING);
    }
    if tokens.iter().any(|token| token.id >= ID_BOUND) {
        return pack_odd(out);
    }
    let mut at = 0;
    let is_mark = |token: &Placed| {
        token.start == 0 && token.end == first && token.opens && token.text == Text::Vocabulary
    };
    let mark = match tokens {
        [mark, next, ..] if is_mark(mark) && next.start == 0 && !next.opens => 1,
        _ => 0,
    };
    let follow = tokens.iter().enumerate().skip(mark).all(|(index, token)| {
        let follows = token.start == at
            && token.end > at
            && token.opens == (index == 0)
            && token.text == Text::Vocabulary;
        at = token.end;
        follows
    });
    if follow && at as usize == length && length <= Key::LONGEST {
        let (marks, tokens) = tokens.split_at(mark);
        let (tokens, last) = tokens.split_at(tokens.len() - 1);
        out.extend(marks.iter().map(|token| one(token.id, Some(0))));
        out.extend(tokens.iter().map(|token| one(token.id, Some(token.end))));
        return out.extend(last.iter().map(|token| one(token.id, None)));
    }
    let is_long = length >= LONG;
    out.push(if is_long { LONG_WRITTEN_OUT } else { WRITTEN_OUT });
    for (index, token) in tokens.iter().enumerate() {
        let flag = |flag: u32, set: bool| if set { flag } else { 0 };
        let flags =
            flag(OPENS, token.opens && !is_inner) | token.text.bits() | flag(LAST, index + 1 == tokens.len());
        if is_long {
            out.extend([token.id, token.start << FLAG_BITS | flags, token.end]);
        } else {
            out.extend([token.id, (token.end << PLACE_BITS | token.start) << FLAG_BITS | flags]);
        }
    }
}

/// Writes the tokens of a word that is one piece of so many bytes and a key, all of which stand where they stood, if the tokens
/// follow one another and have the texts of the vocabulary; else false, and what was written counts for nothing.
pub(super) fn pack_row(tokens: &[PieceToken], length: usize, out: &mut Vec<u32>) -> bool {
    let mut at = 0;
    for token in tokens {
        if token.start != at || token.end <= at || token.surface || token.id >= ID_BOUND {
            return false;
        }
        at = token.end;
        out.push(one(token.id, (at as usize != length).then_some(at)));
    }
    at as usize == length && length > 0
}

/// Writes the tokens of a word that is one piece, or of an inner part, each with the byte of what the word becomes where it ends; a
/// mark in front ends where the word begins. Where the bytes stand in the word, `moved` tells, if they do not stand where they stood.
pub(super) fn pack_in_a_row(
    word: Key,
    tokens: &[(TokenId, usize)],
    moved: Option<&Moved>,
    placed: &mut Vec<Placed>,
    out: &mut Vec<u32>,
) {
    out.clear();
    if word.is_ascii() && moved.is_none() {
        // Every byte is a character, so that one follows another.
        let last = tokens.len().wrapping_sub(1);
        let each = tokens.iter().enumerate();
        out.extend(each.map(|(index, &(id, end))| one(id, (index != last).then_some(end as u32))));
        if tokens.is_empty() || tokens.iter().any(|&(id, _)| id >= ID_BOUND) {
            out.clear();
            pack_odd(out);
        }
        return;
    }
    let bytes = word.bytes();
    // Words are cut at characters, so this holds.
    let text = std::str::from_utf8(&bytes[..word.len()]).unwrap_or_default();
    let of = Packing::of(text, word.is_inner());
    let place = |range: Range<usize>| match moved {
        Some(moved) => moved.of(text, range),
        None => whole_characters(text, range),
    };
    placed.clear();
    let mut start = 0;
    for (index, &(id, end)) in tokens.iter().enumerate() {
        let range = if end == 0 { 0..of.first as usize } else { place(start..end) };
        placed.push(Placed {
            id,
            start: range.start as u32,
            end: range.end as u32,
            opens: index == 0,
            text: Text::Vocabulary,
            is_last: false,
        });
        start = end;
    }
    pack(placed, of, out);
}

/// Writes a word that the caller has to leave to somebody else.
pub(super) fn pack_odd(out: &mut Vec<u32>) {
    out.push(ODD);
}

/// What stands behind such a word, if one stands here.
pub(super) fn behind_odd(numbers: &[u32]) -> Option<&[u32]> {
    numbers.strip_prefix(&[ODD])
}

/// A token as one number: its id, and where in its word it ends unless it is the last one.
fn one(id: TokenId, end: Option<u32>) -> u32 {
    id << END_BITS | end.unwrap_or(TO_THE_END)
}

/// How many tokens stand here that are one number each.
pub(super) fn count_short(numbers: &[u32]) -> usize {
    const MANY: usize = 32;
    // With signs, as all vectors compare; what has one is behind such a number.
    let is_other = |number: u32| number as i32 >= NOTHING as i32;
    // Without a branch on each of them.
    let has_other = |many: &[u32; MANY]| many.iter().fold(false, |found, &number| found | is_other(number));
    let (all, _) = numbers.as_chunks();
    let before = all.iter().take_while(|many| !has_other(many)).count() * MANY;
    numbers[before..].iter().position(|&number| is_other(number)).map_or(numbers.len(), |at| before + at)
}

/// Whether such a token is the last one of its word.
#[inline(always)]
pub(super) fn is_last(number: u32) -> bool {
    number & TO_THE_END == TO_THE_END
}

/// Where such a token ends, of a word from `first` to `last`; a mark ends where it begins.
#[inline(always)]
pub(super) fn end(number: u32, first: u32, last: u32) -> u32 {
    if is_last(number) { last } else { first + (number & TO_THE_END) }
}

/// Its id.
#[inline(always)]
pub(super) fn id(number: u32) -> TokenId {
    number >> END_BITS
}

/// What comes next in what was packed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Next {
    Token(Placed),
    /// A word without tokens.
    Nothing,
    /// A word that numbers cannot tell.
    Odd,
}

/// Reads the tokens of words again.
#[derive(Debug)]
pub(super) struct Packed<'p> {
    numbers: &'p [u32],
    /// The mark of the word that is being read.
    mark: Option<u32>,
}

impl<'p> Packed<'p> {
    pub fn new(numbers: &'p [u32]) -> Self {
        Packed { numbers, mark: None }
    }

    /// What is not read yet.
    pub fn rest(&self) -> &'p [u32] {
        self.numbers
    }

    /// The next token, where words stand that are written out.
    pub fn next(&mut self) -> Option<Next> {
        let mark = match self.mark {
            Some(mark) => mark,
            None => {
                let (&mark, rest) = self.numbers.split_first()?;
                self.numbers = rest;
                mark
            }
        };
        let (id, place, start, end);
        match mark {
            NOTHING => return Some(Next::Nothing),
            WRITTEN_OUT => {
                ([id, place], self.numbers) = first_of(self.numbers)?;
                start = place >> FLAG_BITS & (LONG as u32 - 1);
                end = place >> (FLAG_BITS + PLACE_BITS);
            }
            LONG_WRITTEN_OUT => {
                ([id, place, end], self.numbers) = first_of(self.numbers)?;
                start = place >> FLAG_BITS;
            }
            _ => return Some(Next::Odd),
        }
        let is_last = place & LAST != 0;
        self.mark = (!is_last).then_some(mark);
        Some(Next::Token(Placed {
            id,
            start,
            end,
            opens: place & OPENS != 0,
            text: Text::of(place),
            is_last,
        }))
    }
}

fn first_of<const N: usize>(numbers: &[u32]) -> Option<([u32; N], &[u32])> {
    numbers.split_first_chunk().map(|(first, rest)| (*first, rest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    /// The tokens of a word, read again.
    fn read(packed: &mut Packed<'_>, length: u32, first: u32) -> Vec<Placed> {
        let mut tokens: Vec<Placed> = Vec::new();
        let short = count_short(packed.numbers);
        for &number in &packed.numbers[..short] {
            let (id, end, is_last) = (id(number), end(number, 0, length), is_last(number));
            let start = tokens.last().map_or(0, |token| if token.is_last { 0 } else { token.end });
            let after_mark = tokens.len() == 1 && packed.numbers[0] & 15 == 0;
            let (start, end) = match end {
                0 => (0, first),
                end => (if after_mark { 0 } else { start }, end),
            };
            let opens = tokens.is_empty();
            tokens.push(Placed { id, start, end, opens, text: Text::Vocabulary, is_last });
            if is_last {
                packed.numbers = &packed.numbers[tokens.len()..];
                return tokens;
            }
        }
        loop {
            match packed.next() {
                Some(Next::Token(token)) => {
                    tokens.push(token);
                    if token.is_last {
                        return tokens;
                    }
                }
                Some(Next::Nothing) => return tokens,
                other => panic!("{other:?}"),
            }
        }
    }

    /// Words of all kinds one after the other come back as they were.
    #[test]
    fn what_is_packed_is_read_again() {
        let mut random = Random::from_seed(9);
        let mut below = |bound: u32| (random.next_u64() % u64::from(bound)) as u32;
        let (mut short, mut marked) = (0, 0);
        for _ in 0..500 {
            let mut numbers = Vec::new();
            let mut words = Vec::new();
            for _ in 0..below(20) {
                let most = [40_000, 2000, 12, 12, 12][below(5) as usize];
                let length = 1 + below(most);
                let plain = below(3) > 0;
                let first = 1 + below(4.min(length));
                let mut at = 0;
                let mut tokens = Vec::new();
                if plain && below(2) == 0 {
                    let id = 1 + below(3);
                    tokens.push(Placed {
                        id,
                        start: 0,
                        end: first,
                        opens: true,
                        text: Text::Vocabulary,
                        is_last: false,
                    });
                }
                while at < length && below(30) > 0 {
                    let (start, end) = if plain {
                        (at, at + 1 + below(length - at))
                    } else {
                        let start = below(length);
                        (start, start + below(length - start + 1))
                    };
                    at = end.max(at + 1);
                    let text = Text::of(if plain { 0 } else { below(16) });
                    tokens.push(Placed {
                        id: [0, 1, 30_000, ID_BOUND - 1][below(4) as usize],
                        start,
                        end,
                        opens: tokens.is_empty() || !plain && below(2) == 0,
                        text,
                        is_last: false,
                    });
                }
                if let Some(last) = tokens.last_mut() {
                    last.is_last = true;
                }
                let before = numbers.len();
                pack(&tokens, Packing { length: length as usize, first, is_inner: false }, &mut numbers);
                short += usize::from(!tokens.is_empty() && numbers.len() - before == tokens.len());
                marked += usize::from(
                    numbers.len() > before && numbers[before] & 15 == 0 && numbers[before] < NOTHING,
                );
                words.push((length, first, tokens));
            }
            let mut packed = Packed::new(&numbers);
            for (length, first, tokens) in words {
                assert_eq!(read(&mut packed, length, first), tokens);
            }
            assert_eq!(packed.next(), None);
        }
        assert!(short > 1000 && marked > 100, "{short} {marked}");
        let mut numbers = Vec::new();
        let large =
            Placed { id: ID_BOUND, start: 0, end: 1, opens: true, text: Text::Vocabulary, is_last: true };
        pack(&[large], Packing { length: 1, first: 1, is_inner: false }, &mut numbers);
        assert_eq!(Packed::new(&numbers).next(), Some(Next::Odd));
    }
}
