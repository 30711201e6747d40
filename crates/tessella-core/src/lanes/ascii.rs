//! What the ASCII characters of 64 bytes are: one bit for each byte and question.
//!
//! On x86-64 sixteen bytes are compared at once, with the vectors that every such processor has (wider ones would save
//! some nanoseconds of a block and need a call to choose them); elsewhere a table is asked byte by byte, which is also
//! the slow twin.

/// Bytes that are looked at together.
pub const BLOCK: usize = 64;
/// The places of a block.
pub const IN_ORDER: [u8; BLOCK] = {
    let mut places = [0; BLOCK];
    let mut at = 0;
    while at < BLOCK {
        places[at] = at as u8;
        at += 1;
    }
    places
};

pub const LETTER: u8 = 1;
pub const DIGIT: u8 = 2;
pub const WHITE: u8 = 4;
/// A line feed or carriage return; white as well.
pub const LINE_END: u8 = 8;
/// U+0020; white as well.
pub const BLANK: u8 = 16;
/// The apostrophe.
pub const QUOTE: u8 = 32;
/// A letter that only begins words, where case counts: an upper-case one.
pub const UPPER: u8 = 64;
/// What stands at the beginning of a word as well as behind it, where case counts: a letter without case, and a mark,
/// which is no letter.
pub const EITHER: u8 = 128;

/// What an ASCII character is.
pub const fn role(byte: u8) -> u8 {
    match byte {
        b'a'..=b'z' | b'A'..=b'Z' => LETTER,
        b'0'..=b'9' => DIGIT,
        b'\n' | b'\r' => WHITE | LINE_END,
        b' ' => WHITE | BLANK,
        b'\t' | 0x0B | 0x0C => WHITE,
        b'\'' => QUOTE,
        _ => 0,
    }
}

/// Bit `i` of each mask is about byte `i`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Ascii {
    pub letter: u64,
    pub digit: u64,
    pub white: u64,
    pub line_end: u64,
    pub blank: u64,
    pub quote: u64,
    /// Bytes of a character behind its first.
    pub inner: u64,
    /// Bytes beyond ASCII.
    pub high: u64,
}

impl Ascii {
    #[inline(always)]
    pub fn of(bytes: &[u8; BLOCK]) -> Ascii {
        #[cfg(target_arch = "x86_64")]
        {
            // SAFETY: SSE2, which the function asks for, is part of every x86-64 processor.
            #[allow(unsafe_code)]
            unsafe {
                by_vectors(bytes)
            }
        }
        #[cfg(not(target_arch = "x86_64"))]
        one_by_one(bytes)
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "sse2")]
#[inline]
fn by_vectors(bytes: &[u8; BLOCK]) -> Ascii {
    use std::arch::x86_64::{
        _mm_add_epi8, _mm_cmpeq_epi8, _mm_cmplt_epi8, _mm_movemask_epi8, _mm_or_si128, _mm_set_epi64x,
        _mm_set1_epi8,
    };
    let mut found = Ascii::default();
    for (part, bytes) in bytes.as_chunks::<16>().0.iter().enumerate() {
        let words = u128::from_le_bytes(*bytes);
        let bytes = _mm_set_epi64x((words >> 64) as i64, words as i64);
        let all = |byte: u8| _mm_set1_epi8(byte as i8);
        let is = |byte: u8| _mm_cmpeq_epi8(bytes, all(byte));
        // Moved so that the first of the range is the least number there is.
        let within = |bytes, first: u8, count: u8| {
            let moved = _mm_add_epi8(bytes, all(0x80u8.wrapping_sub(first)));
            _mm_cmplt_epi8(moved, all(0x80 + count))
        };
        let bits = |mask| u64::from(_mm_movemask_epi8(mask) as u16) << (16 * part);
        let blank = is(b' ');
        found.letter |= bits(within(_mm_or_si128(bytes, all(0x20)), b'a', 26));
        found.digit |= bits(within(bytes, b'0', 10));
        found.white |= bits(_mm_or_si128(blank, within(bytes, b'\t', 5)));
        found.line_end |= bits(_mm_or_si128(is(b'\n'), is(b'\r')));
        found.blank |= bits(blank);
        found.quote |= bits(is(b'\''));
        found.inner |= bits(_mm_cmplt_epi8(bytes, all(0xC0)));
        found.high |= bits(bytes);
    }
    found
}

/// The bytes of upper-case letters, and the slashes, where these count.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Cases {
    pub upper: u64,
    pub slash: u64,
}

impl Cases {
    /// As of any processor; compilers turn it into vectors.
    #[inline(always)]
    pub fn of(bytes: &[u8; BLOCK]) -> Cases {
        let mut found = Cases::default();
        for (at, &byte) in bytes.iter().enumerate() {
            found.upper |= u64::from(byte.is_ascii_uppercase()) << at;
            found.slash |= u64::from(byte == b'/') << at;
        }
        found
    }
}

#[cfg(any(test, not(target_arch = "x86_64")))]
fn one_by_one(bytes: &[u8; BLOCK]) -> Ascii {
    const ROLES: [u8; 256] = {
        let mut roles = [0; 256];
        let mut byte = 0;
        while byte < 128 {
            roles[byte] = role(byte as u8);
            byte += 1;
        }
        roles
    };
    let mut found = Ascii::default();
    for (at, &byte) in bytes.iter().enumerate() {
        let role = ROLES[usize::from(byte)];
        let bit = |set: bool| u64::from(set) << at;
        found.letter |= bit(role & LETTER != 0);
        found.digit |= bit(role & DIGIT != 0);
        found.white |= bit(role & WHITE != 0);
        found.line_end |= bit(role & LINE_END != 0);
        found.blank |= bit(role & BLANK != 0);
        found.quote |= bit(role & QUOTE != 0);
        found.inner |= bit(byte & 0xC0 == 0x80);
        found.high |= bit(byte >= 0x80);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;
    use crate::scale::or_interpreted;

    #[test]
    fn vectors_see_what_single_bytes_are() {
        let mut random = Random::from_seed(4);
        for shift in (0..256u32).step_by(or_interpreted(1, 17)) {
            let in_order: [u8; BLOCK] = std::array::from_fn(|at| (at as u32 + shift) as u8);
            let mixed: [u8; BLOCK] = std::array::from_fn(|_| random.next_u64() as u8);
            for bytes in [in_order, mixed] {
                assert_eq!(Ascii::of(&bytes), one_by_one(&bytes));
            }
        }
    }
}
