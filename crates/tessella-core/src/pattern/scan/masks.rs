//! What the characters of a text are, 64 bytes at a time: one bit for each byte and question.
//!
//! Every byte of a character has its character's bits, so neighbours in bytes are neighbours in characters, and only
//! where a piece *starts* must be looked at first bytes alone. ASCII is told by [`Ascii`]; other characters by their first
//! byte, where it tells enough, or else one by one in the pattern's own alphabet.

use std::ops::Range;

use super::alphabet::Alphabet;
use super::family::Reading;
use crate::lanes::ascii::{Ascii, BLOCK, Cases, DIGIT, EITHER, LETTER, UPPER, WHITE};
use crate::lanes::leads::Led;
use crate::lanes::vectors::Vectors;

/// So many characters beyond ASCII are sooner told one by one than together.
const FEW: u32 = 3;

/// A block of text: bit `i` of each mask is about its byte `i`.
#[derive(Debug, Clone, Copy, Default)]
pub struct Masks {
    pub letter: u64,
    pub digit: u64,
    pub white: u64,
    pub line_end: u64,
    pub blank: u64,
    pub quote: u64,
    /// Where case counts: letters that only begin words.
    pub upper: u64,
    /// Where case counts: letters without case, and marks, which are no letters.
    pub either: u64,
    pub slash: u64,
    /// Bytes of a character behind its first.
    pub inner: u64,
    /// Bytes of the text: not what lies behind its end.
    pub there: u64,
}

impl Masks {
    /// Forgets what stands elsewhere: another text.
    #[inline(always)]
    fn keep(&mut self, there: u64) {
        let Masks { letter, digit, white, line_end, blank, quote, upper, slash, inner, .. } = self;
        for mask in [letter, digit, white, line_end, blank, quote, upper, slash, inner] {
            *mask &= there;
        }
        self.there = there;
    }

    /// What is neither letter nor digit nor white.
    #[inline(always)]
    pub fn other(&self) -> u64 {
        self.there & !(self.letter | self.digit | self.white)
    }
}

/// The blocks of a text, one after the other.
#[derive(Debug)]
pub struct Blocks<'t> {
    /// With other texts behind it.
    text: &'t [u8],
    alphabet: &'t Alphabet,
    reading: &'t Reading,
    at: usize,
    end: usize,
    /// What the last character beyond ASCII is: it may have begun before the block.
    begun_role: u8,
}

impl<'t> Blocks<'t> {
    /// Of the text that `range` is of some texts.
    pub fn new(text: &'t [u8], range: Range<usize>, alphabet: &'t Alphabet, reading: &'t Reading) -> Self {
        Blocks { text, alphabet, reading, at: range.start, end: range.end, begun_role: 0 }
    }

    /// The next block; nothing is there behind the end.
    #[inline(always)]
    pub fn next<V: Vectors, const CASED: bool>(&mut self, vectors: V) -> Masks {
        let left = self.end.saturating_sub(self.at);
        if left == 0 {
            return Masks::default();
        }
        let rest = self.text.get(self.at..).unwrap_or_default();
        let last;
        let bytes = match rest.first_chunk() {
            Some(bytes) => bytes,
            None => {
                last = padded(rest);
                &last
            }
        };
        let ascii = vectors.ascii(bytes);
        let Cases { upper, slash } = if CASED { vectors.cases(bytes) } else { Cases::default() };
        let Ascii { letter, digit, white, line_end, blank, quote, inner, high } = ascii;
        let (mut masks, mut high) = (
            Masks { letter, digit, white, line_end, blank, quote, upper, either: 0, slash, inner, there: !0 },
            high,
        );
        if left < BLOCK {
            let there = (1 << left) - 1;
            masks.keep(there);
            high &= there;
        }
        if high != 0 {
            let firsts = high & !inner;
            let led = if firsts.count_ones() <= FEW {
                self.led_one_by_one(bytes, firsts)
            } else {
                vectors.led(bytes, firsts, &self.reading.leads, |at| self.look_up(at))
            };
            self.wide::<CASED>(&mut masks, firsts, led);
        }
        self.at += BLOCK;
        masks
    }

    /// The role of a character of the block.
    #[inline(always)]
    fn look_up(&self, at: usize) -> u8 {
        let (class, _) = self.alphabet.of_wide(self.text, self.at + at);
        self.reading.roles[usize::from(class)]
    }

    #[inline(never)]
    fn led_one_by_one(&self, bytes: &[u8; BLOCK], firsts: u64) -> Led {
        Led::one_by_one(bytes, firsts, &self.reading.leads, |at| self.look_up(at))
    }

    /// Characters beyond ASCII: what they are stands at their first bytes, and is spread over the others for all of them at once.
    #[inline(always)]
    fn wide<const CASED: bool>(&mut self, masks: &mut Masks, firsts: u64, led: Led) {
        // The first bytes that are no character's first belong to the one that began in the block before.
        let begun = !(!0u64).checked_shl(masks.inner.trailing_ones()).unwrap_or(0);
        let begun_role = self.begun_role;
        if let Some(last) = firsts.checked_ilog2() {
            self.begun_role = led.role(last);
        }
        let inner = masks.inner;
        // A sum carries through the bytes behind a first one.
        let spread = |firsts: u64, bit: u8| {
            let firsts = firsts | if begun_role & bit != 0 { begun } else { 0 };
            let seconds = firsts << 1 & inner;
            firsts | (seconds.wrapping_add(inner) ^ inner) & inner
        };
        masks.letter |= spread(led.letter, LETTER);
        masks.digit |= spread(led.digit, DIGIT);
        masks.white |= spread(led.white, WHITE);
        if CASED {
            masks.upper |= spread(led.upper, UPPER);
            masks.either |= spread(led.either, EITHER);
        }
    }
}

#[inline(never)]
fn padded(rest: &[u8]) -> [u8; BLOCK] {
    let mut bytes = [0; BLOCK];
    bytes[..rest.len()].copy_from_slice(rest);
    bytes
}
