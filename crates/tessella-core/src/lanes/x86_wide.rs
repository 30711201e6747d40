//! The blocks of [`super::unfold`] and [`super::fold`] by vectors of 64 bytes.
//!
//! The last bytes of all characters are brought together, and so are the bytes one and two places before each. Then every
//! character is a lane, and its bits come from at most three vectors.

use std::arch::x86_64::*;

use super::ascii::BLOCK;
use super::fold::{FOLDED, TOGETHER};
use super::unfold::{Shape, Unfolded};
#[cfg(miri)]
use super::x86_interpreted::{_mm512_maskz_compress_epi8, _mm512_permutexvar_epi8};

/// The characters that end in a block, up to the first that takes four bytes or is none. None at all where one of them is
/// longer than it need be, or half of a pair.
#[target_feature(enable = "bmi1,bmi2,lzcnt,popcnt,avx512f,avx512bw,avx512vbmi,avx512vbmi2")]
#[inline]
pub fn unfolded(bytes: &[u8; BLOCK], out: &mut [u16; BLOCK]) -> Unfolded {
    // SAFETY: 64 bytes are there, and this load asks for no alignment.
    #[allow(unsafe_code)]
    let bytes = unsafe { _mm512_loadu_si512(bytes.as_ptr().cast()) };
    let high = _mm512_movepi8_mask(bytes);
    if high == 0 {
        store(halves(bytes), out);
        return Unfolded { bytes: BLOCK, written: BLOCK };
    }
    let from = |least: u8| _mm512_cmpge_epu8_mask(bytes, _mm512_set1_epi8(least as i8));
    let Shape { twos, threes, ends } = Shape::of(high, from);

    let places: [u8; BLOCK] = const { places_before(1) };
    let earlier: [u8; BLOCK] = const { places_before(2) };
    // SAFETY: 64 bytes are there each time, and these loads ask for no alignment.
    #[allow(unsafe_code)]
    let (before, earlier) =
        unsafe { (_mm512_loadu_si512(places.as_ptr().cast()), _mm512_loadu_si512(earlier.as_ptr().cast())) };
    let third = _mm512_maskz_compress_epi8(ends, _mm512_permutexvar_epi8(earlier, bytes));
    let second = _mm512_maskz_compress_epi8(ends, _mm512_permutexvar_epi8(before, bytes));
    let last = _mm512_maskz_compress_epi8(ends, bytes);
    let three = _pext_u64(threes << 2, ends);
    let more = _pext_u64(twos << 1, ends) | three;

    let six_bits = _mm512_set1_epi16(0x3F);
    let joined = |half: usize, [third, second, last]: [__m512i; 3]| {
        let (more, three) = ((more >> (32 * half)) as u32, (three >> (32 * half)) as u32);
        let last = _mm512_mask_blend_epi16(more, last, _mm512_and_si512(last, six_bits));
        let second = _mm512_maskz_slli_epi16::<6>(more, _mm512_and_si512(second, six_bits));
        let third = _mm512_maskz_slli_epi16::<12>(three, third);
        let all = _mm512_or_si512(_mm512_or_si512(last, second), third);
        let too_long = _mm512_mask_cmplt_epu16_mask(three, all, _mm512_set1_epi16(0x800));
        let top = _mm512_and_si512(all, _mm512_set1_epi16(0xF800_u16 as i16));
        let half_of_pair = _mm512_mask_cmpeq_epi16_mask(three, top, _mm512_set1_epi16(0xD800_u16 as i16));
        (all, too_long | half_of_pair)
    };
    let ([third_0, third_1], [second_0, second_1], [last_0, last_1]) =
        (halves(third), halves(second), halves(last));
    let (first, wrong_0) = joined(0, [third_0, second_0, last_0]);
    let (then, wrong_1) = joined(1, [third_1, second_1, last_1]);
    store([first, then], out);
    if wrong_0 | wrong_1 != 0 {
        return Unfolded { bytes: 0, written: 0 };
    }
    Unfolded { bytes: BLOCK - ends.leading_zeros() as usize, written: ends.count_ones() as usize }
}

/// For each place the one that is so many places before it; for the first ones any.
const fn places_before(distance: u8) -> [u8; BLOCK] {
    let mut places = [0; BLOCK];
    let mut at = 0;
    while at < BLOCK {
        places[at] = (at as u8).wrapping_sub(distance);
        at += 1;
    }
    places
}

/// Bytes as numbers of 16 bits.
#[target_feature(enable = "avx512f,avx512bw")]
#[inline]
fn halves(bytes: __m512i) -> [__m512i; 2] {
    [
        _mm512_cvtepu8_epi16(_mm512_castsi512_si256(bytes)),
        _mm512_cvtepu8_epi16(_mm512_extracti64x4_epi64::<1>(bytes)),
    ]
}

#[target_feature(enable = "avx512f")]
#[inline]
fn store([first, then]: [__m512i; 2], out: &mut [u16; BLOCK]) {
    let [low, high] = out.as_chunks_mut::<32>().0 else { return };
    // SAFETY: there is room for 64 bytes each time, and these stores ask for no alignment.
    #[allow(unsafe_code)]
    unsafe {
        _mm512_storeu_si512(low.as_mut_ptr().cast(), first);
        _mm512_storeu_si512(high.as_mut_ptr().cast(), then);
    }
}

/// The UTF-8 of characters; `None` if one of them is none.
#[target_feature(enable = "popcnt,avx512f,avx512bw,avx512vbmi2")]
#[inline]
pub fn folded(characters: &[u32; TOGETHER], out: &mut [u8; FOLDED]) -> Option<usize> {
    // SAFETY: 64 bytes are there, and this load asks for no alignment.
    #[allow(unsafe_code)]
    let characters = unsafe { _mm512_loadu_si512(characters.as_ptr().cast()) };
    let all = |value: u32| _mm512_set1_epi32(value as i32);
    let from = |least: u32| _mm512_cmpge_epu32_mask(characters, all(least));
    let (twos, threes, fours) = (from(0x80), from(0x800), from(0x1_0000));
    let halves = _mm512_cmplt_epu32_mask(_mm512_sub_epi32(characters, all(0xD800)), all(0x800));
    if halves | from(0x11_0000) != 0 {
        return None;
    }
    // Six bits a byte, the last ones in the last byte of the lane.
    let last = _mm512_and_si512(_mm512_slli_epi32::<24>(characters), all(0x3F00_0000));
    let second = _mm512_and_si512(_mm512_slli_epi32::<10>(characters), all(0x3F_0000));
    let third = _mm512_and_si512(_mm512_srli_epi32::<4>(characters), all(0x3F00));
    let fourth = _mm512_srli_epi32::<18>(characters);
    let bits = _mm512_or_si512(_mm512_or_si512(last, second), _mm512_or_si512(third, fourth));
    let bits = _mm512_mask_blend_epi32(twos, _mm512_slli_epi32::<24>(characters), bits);
    let marks = _mm512_maskz_mov_epi32(twos, all(0x80C0_0000));
    let marks = _mm512_mask_mov_epi32(marks, threes, all(0x8080_E000));
    let marks = _mm512_mask_mov_epi32(marks, fours, all(0x8080_80F0));
    let bytes = _mm512_or_si512(bits, marks);
    // All bytes of a character have a bit but U+0000, and the last one is always a byte of it.
    let used = _mm512_test_epi8_mask(bytes, bytes) | 0x8888_8888_8888_8888;
    // SAFETY: 64 bytes are there, and this store asks for no alignment.
    #[allow(unsafe_code)]
    unsafe {
        _mm512_storeu_si512(out.as_mut_ptr().cast(), _mm512_maskz_compress_epi8(used, bytes));
    }
    Some(used.count_ones() as usize)
}
