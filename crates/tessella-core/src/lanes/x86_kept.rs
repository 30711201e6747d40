//! The steps of [`super::kept`] by vectors of 64 bytes.

use std::arch::x86_64::*;

use super::ascii::BLOCK;
use super::kept::{MANY, Unknown};
#[cfg(miri)]
use super::x86_interpreted::{_mm512_maskz_compress_epi8, _mm512_maskz_compress_epi32};

#[target_feature(enable = "avx512f")]
#[inline]
fn load<const N: usize, T: Copy>(items: &[T; N]) -> __m512i {
    const { assert!(N * size_of::<T>() == 64) };
    // SAFETY: 64 bytes are there, and this load asks for no alignment.
    #[allow(unsafe_code)]
    unsafe {
        _mm512_loadu_si512(items.as_ptr().cast())
    }
}

/// The bytes of a block whose bit is set.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi2")]
#[inline]
pub fn bytes(bytes: &[u8; BLOCK], bits: u64, out: &mut [u8; BLOCK]) {
    let kept = _mm512_maskz_compress_epi8(bits, load(bytes));
    // SAFETY: there is room for 64 bytes, and this store asks for no alignment.
    #[allow(unsafe_code)]
    unsafe {
        _mm512_storeu_si512(out.as_mut_ptr().cast(), kept);
    }
}

#[target_feature(enable = "popcnt,avx512f")]
#[inline]
fn write(kept: __mmask16, numbers: __m512i, out: &mut [u32; MANY]) -> usize {
    let numbers = _mm512_maskz_compress_epi32(kept, numbers);
    // SAFETY: there is room for sixteen numbers, and this store asks for no alignment.
    #[allow(unsafe_code)]
    unsafe {
        _mm512_storeu_si512(out.as_mut_ptr().cast(), numbers);
    }
    kept.count_ones() as usize
}

/// The numbers below a bound.
#[target_feature(enable = "popcnt,avx512f")]
#[inline]
pub fn below(numbers: &[u32; MANY], bound: u32, out: &mut [u32; MANY]) -> usize {
    let numbers = load(numbers);
    write(_mm512_cmplt_epu32_mask(numbers, _mm512_set1_epi32(bound as i32)), numbers, out)
}

/// The first `count` numbers, with a single id for each row of unknown ones.
#[target_feature(enable = "popcnt,avx512f")]
#[inline]
pub fn rows(
    numbers: &[u32; MANY],
    count: usize,
    unknown: Unknown,
    row: &mut bool,
    out: &mut [u32; MANY],
) -> usize {
    let numbers = load(numbers);
    let id = _mm512_set1_epi32(unknown.id as i32);
    let from = _mm512_set1_epi32(unknown.from as i32);
    let is_unknown = _mm512_cmpeq_epi32_mask(numbers, id) | _mm512_cmpge_epu32_mask(numbers, from);
    let there = (1u32 << count) - 1;
    let goes_on = u32::from(is_unknown) << 1 | u32::from(*row);
    *row = goes_on >> count & 1 == 1;
    let kept = there & !(u32::from(is_unknown) & goes_on);
    write(kept as __mmask16, _mm512_mask_mov_epi32(numbers, is_unknown, id), out)
}
