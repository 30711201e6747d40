//! The UTF-8 of sixteen characters.
//!
//! This is the slow twin of `x86_wide` and `x86_avx2_wide`: the standard library's writing of UTF-8, one character after the other.

/// Characters that are folded together.
pub const TOGETHER: usize = 16;
/// Bytes of as many.
pub const FOLDED: usize = TOGETHER * 4;

/// The slow twin of the vectors' `folded`: the standard library's writing of UTF-8, one character after the other.
#[inline(always)]
pub fn folded_one_by_one(characters: &[u32; TOGETHER], out: &mut [u8; FOLDED]) -> Option<usize> {
    let mut at = 0;
    for &character in characters {
        at += char::from_u32(character)?.encode_utf8(&mut out[at..]).len();
    }
    Some(at)
}
