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
