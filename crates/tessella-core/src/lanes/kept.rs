//! Some of many, written one after the other, and the ids among the numbers of a text.
//!
//! These are the slow twins of `x86_kept`, and the table by which other vectors keep bytes.

use super::ascii::BLOCK;

/// Numbers that are looked at together.
pub const MANY: usize = 16;

/// The places of the bits that are set in a byte, in order, as the bytes of a word.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
const PLACES: [u64; 256] = {
    let mut places = [0; 256];
    let mut bits = 0;
    while bits < 256 {
        let (mut place, mut written) = (0, 0);
        while place < 8 {
            if bits >> place & 1 == 1 {
                places[bits] |= place << (8 * written);
                written += 1;
            }
            place += 1;
        }
        bits += 1;
    }
    places
};

/// Writes the bytes of a block whose bit is set, eight at a time: `taken` gives of eight bytes those at some places.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
#[inline(always)]
pub fn bytes_by_eights(
    bytes: &[u8; BLOCK],
    bits: u64,
    out: &mut [u8; BLOCK],
    taken: impl Fn(u64, u64) -> u64,
) {
    let mut at = 0;
    for (bytes, bits) in bytes.as_chunks().0.iter().zip(bits.to_le_bytes()) {
        // As many bytes were looked at as places are behind this one, at least.
        if let Some(out) = out.get_mut(at..).and_then(<[u8]>::first_chunk_mut) {
            *out = taken(u64::from_le_bytes(*bytes), PLACES[usize::from(bits)]).to_le_bytes();
        }
        at += bits.count_ones() as usize;
    }
}

/// Writes the bytes of a block whose bit is set.
#[inline(always)]
pub fn bytes_one_by_one(bytes: &[u8; BLOCK], bits: u64, out: &mut [u8; BLOCK]) {
    let mut written = 0;
    for (at, &byte) in bytes.iter().enumerate() {
        out[written % BLOCK] = byte;
        written += (bits >> at & 1) as usize;
    }
}

/// Writes the numbers below a bound, and says how many.
#[inline(always)]
pub fn below_one_by_one(numbers: &[u32; MANY], bound: u32, out: &mut [u32; MANY]) -> usize {
    let mut written = 0;
    for &number in numbers {
        out[written % MANY] = number;
        written += usize::from(number < bound);
    }
    written
}

/// What stands for something unknown: one id, and all numbers from another one on.
#[derive(Debug, Clone, Copy)]
pub struct Unknown {
    pub id: u32,
    pub from: u32,
}

/// Writes the first `count` numbers, in each row of unknown ones a single id; `row` says whether one goes on, here and behind
/// them.
#[inline(always)]
pub fn rows_one_by_one(
    numbers: &[u32; MANY],
    count: usize,
    unknown: Unknown,
    row: &mut bool,
    out: &mut [u32; MANY],
) -> usize {
    let mut written = 0;
    for &number in numbers.iter().take(count) {
        let is_unknown = (number == unknown.id) | (number >= unknown.from);
        out[written % MANY] = if is_unknown { unknown.id } else { number };
        written += usize::from(!(is_unknown & *row));
        *row = is_unknown;
    }
    written
}
