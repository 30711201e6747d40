//! What the characters of a text are, 64 bytes at a time: one bit for each byte and question.
//!
//! Every byte of a character has its character's bits, so neighbours in bytes are neighbours in characters, and only
//! where a piece *starts* must be looked at first bytes alone. ASCII is told by [`Ascii`]; other characters are looked
//! up one by one in the pattern's own alphabet.

use super::alphabet::Alphabet;
use crate::lanes::ascii::{Ascii, BLOCK, DIGIT, LETTER, WHITE};
use crate::lanes::vectors::Vectors;

/// A block of text: bit `i` of each mask is about its byte `i`.
#[derive(Debug, Clone, Copy, Default)]
pub struct Masks {
    pub letter: u64,
    pub digit: u64,
    pub white: u64,
    pub line_end: u64,
    pub blank: u64,
    pub quote: u64,
    /// Bytes of a character behind its first.
    pub inner: u64,
    /// Bytes of the text: not what lies behind its end.
    pub there: u64,
}

impl Masks {
    /// What is neither letter nor digit nor white.
    #[inline(always)]
    pub fn other(&self) -> u64 {
        self.there & !(self.letter | self.digit | self.white)
    }
}

/// The blocks of a text, one after the other.
#[derive(Debug)]
pub struct Blocks<'t> {
    text: &'t [u8],
    alphabet: &'t Alphabet,
    /// What characters of a class are.
    roles: &'t [u8; 256],
    at: usize,
    /// Bytes of the block, from its first on, that belong to a character that began before it.
    begun: u64,
    /// What that character is.
    begun_role: u8,
}

impl<'t> Blocks<'t> {
    pub fn new(text: &'t [u8], alphabet: &'t Alphabet, roles: &'t [u8; 256]) -> Self {
        Blocks { text, alphabet, roles, at: 0, begun: 0, begun_role: 0 }
    }

    /// The next block; nothing is there behind the end.
    #[inline(always)]
    pub fn next<V: Vectors>(&mut self, vectors: V) -> Masks {
        let Some(rest) = self.text.get(self.at..) else { return Masks::default() };
        let (ascii, there) = match rest.first_chunk() {
            Some(bytes) => (vectors.ascii(bytes), !0),
            None => last(rest),
        };
        let Ascii { letter, digit, white, line_end, blank, quote, inner, high } = ascii;
        let mut masks = Masks { letter, digit, white, line_end, blank, quote, inner, there };
        if high != 0 {
            self.wide(&mut masks, high);
        }
        self.at += BLOCK;
        masks
    }

    /// Characters beyond ASCII, which begin at the first bytes among `high`.
    #[inline(never)]
    fn wide(&mut self, masks: &mut Masks, high: u64) {
        put(masks, std::mem::take(&mut self.begun), self.begun_role);
        let mut firsts = high & !masks.inner;
        while firsts != 0 {
            let bit = firsts.trailing_zeros();
            firsts &= firsts - 1;
            let (class, length) = self.alphabet.of_wide(self.text, self.at + bit as usize);
            let role = self.roles[usize::from(class)];
            let bytes = u128::from((1u64 << length) - 1) << bit;
            put(masks, bytes as u64, role);
            (self.begun, self.begun_role) = ((bytes >> 64) as u64, role);
        }
    }
}

#[inline(never)]
fn last(rest: &[u8]) -> (Ascii, u64) {
    let mut bytes = [0; BLOCK];
    bytes[..rest.len()].copy_from_slice(rest);
    (Ascii::of(&bytes), (1 << rest.len()) - 1)
}

/// Characters beyond ASCII are letters, digits, white or other.
#[inline(always)]
fn put(masks: &mut Masks, bytes: u64, role: u8) {
    let all_if = |bit: u8| 0u64.wrapping_sub(u64::from((role / bit) & 1));
    masks.letter |= bytes & all_if(LETTER);
    masks.digit |= bytes & all_if(DIGIT);
    masks.white |= bytes & all_if(WHITE);
}
