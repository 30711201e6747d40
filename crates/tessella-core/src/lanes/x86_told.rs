//! The steps of [`super::told`] by vectors of 64 bytes.

use std::arch::x86_64::*;

use super::ascii::BLOCK;
use super::told::{BECOMES, BLANK, GONE, OTHER, SECOND, STRANGE, Told};

#[target_feature(enable = "avx512f,avx512bw")]
#[inline]
pub fn told(known: &[u16; BLOCK + 1]) -> Told {
    let half = |from: usize| {
        let half: Option<&[u16; BLOCK / 2]> = known[from..].first_chunk();
        // SAFETY: 64 bytes are there, and this load asks for no alignment.
        #[allow(unsafe_code)]
        half.map_or(_mm512_setzero_si512(), |half| unsafe { _mm512_loadu_si512(half.as_ptr().cast()) })
    };
    let (first, then) = (half(0), half(BLOCK / 2));
    let (behind_first, behind_then) = (half(1), half(BLOCK / 2 + 1));
    let next = _mm512_set1_epi16(SECOND as i16);
    let joins =
        |known, behind| _mm512_test_epi16_mask(_mm512_slli_epi16::<4>(known), _mm512_and_si512(behind, next));
    let both = |first: u32, then: u32| u64::from(first) | u64::from(then) << 32;
    let fates = _mm512_set1_epi16(OTHER as i16);
    let (fate_of_first, fate_of_then) = (_mm512_and_si512(first, fates), _mm512_and_si512(then, fates));
    let is = |fate: u16| {
        let fate = _mm512_set1_epi16(fate as i16);
        both(_mm512_cmpeq_epi16_mask(fate_of_first, fate), _mm512_cmpeq_epi16_mask(fate_of_then, fate))
    };
    let (gone, becomes) = (_mm512_set1_epi16(GONE as i16), _mm512_set1_epi16(BECOMES as i16));
    Told {
        joins: both(joins(first, behind_first), joins(then, behind_then)),
        blank: is(BLANK),
        strange: is(STRANGE),
        other: is(OTHER),
        becomes: both(_mm512_test_epi16_mask(first, becomes), _mm512_test_epi16_mask(then, becomes)),
        gone: both(_mm512_test_epi16_mask(first, gone), _mm512_test_epi16_mask(then, gone)),
    }
}

#[target_feature(enable = "bmi2")]
#[inline]
pub fn spread(bits: u64, over: u64) -> u64 {
    _pdep_u64(bits, over)
}

#[target_feature(enable = "bmi2")]
#[inline]
pub fn without(bits: u64, places: u64) -> u64 {
    _pext_u64(bits, !places)
}

#[target_feature(enable = "avx512f,avx512bw")]
#[inline]
pub fn put(bytes: &mut [u8; BLOCK], bits: u64, byte: u8) {
    // SAFETY: 64 bytes are there, and this load and this store ask for no alignment.
    #[allow(unsafe_code)]
    unsafe {
        let before = _mm512_loadu_si512(bytes.as_ptr().cast());
        let now = _mm512_mask_set1_epi8(before, bits, byte as i8);
        _mm512_storeu_si512(bytes.as_mut_ptr().cast(), now);
    }
}
