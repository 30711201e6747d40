//! The characters of a block of UTF-8: those that end in it, up to the first that takes four bytes or is none.
//!
//! This is the slow twin of `x86_wide` and `x86_avx2_wide`: the standard library's reading of UTF-8, one character after the other.

use super::ascii::BLOCK;

/// What a block gave.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unfolded {
    /// Bytes of whole characters from the beginning of the block.
    pub bytes: usize,
    /// Characters that were written. What comes behind them is rubbish.
    pub written: usize,
}

/// Where characters of two and three bytes begin in a block, and where all end, up to the first that takes four bytes or is none.
#[cfg(target_arch = "x86_64")]
#[derive(Debug, Clone, Copy)]
pub struct Shape {
    pub twos: u64,
    pub threes: u64,
    pub ends: u64,
}

#[cfg(target_arch = "x86_64")]
impl Shape {
    /// Of the bytes beyond ASCII, and those that are not below another one.
    #[inline(always)]
    pub fn of(high: u64, from: impl Fn(u8) -> u64) -> Shape {
        let (leads, threes_and_fours, fours) = (from(0xC2), from(0xE0), from(0xF0));
        let inner = high & !from(0xC0);
        let twos = leads & !threes_and_fours;
        let threes = threes_and_fours & !fours;
        let wanted = (twos | threes) << 1 | threes << 2;
        let broken = (inner ^ wanted) | (high & !inner & !twos & !threes);
        let whole = (broken & broken.wrapping_neg()).wrapping_sub(1);
        Shape { twos, threes, ends: (!high | twos << 1 | threes << 2) & whole }
    }
}

/// The first character.
#[inline(always)]
pub fn first(bytes: &[u8]) -> Option<char> {
    let length = match bytes.first()? {
        ..0x80 => 1,
        ..0xE0 => 2,
        ..0xF0 => 3,
        _ => 4,
    };
    std::str::from_utf8(bytes.get(..length)?).ok()?.chars().next()
}

/// The slow twin of the vectors' `unfolded`. It may go on where the fast one gives up a block.
#[inline(always)]
pub fn unfolded_one_by_one(bytes: &[u8; BLOCK], out: &mut [u16; BLOCK]) -> Unfolded {
    let mut found = Unfolded { bytes: 0, written: 0 };
    while let Some(one) = first(&bytes[found.bytes..])
        && let Ok(two) = u16::try_from(u32::from(one))
    {
        out[found.written] = two;
        found.written += 1;
        found.bytes += one.len_utf8();
    }
    found
}
