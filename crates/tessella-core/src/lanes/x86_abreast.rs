//! The step of [`super::ends`] by vectors of 64 bytes, and look-ups in tables as large.

use std::arch::x86_64::*;

use super::ends::{BEHIND, Before, MANY, Sixteen, TO_THE_END};
#[cfg(miri)]
use super::x86_interpreted::_mm512_mask_i32gather_epi32;

/// The lanes before each lane, as bits.
const LANES_BEFORE: [u32; MANY] = {
    let mut before = [0; MANY];
    let mut lane = 0;
    while lane < MANY {
        before[lane] = (1 << lane) - 1;
        lane += 1;
    }
    before
};

/// Where sixteen tokens stand whose words have these bounds, the first of them `at` bytes within the first word.
#[target_feature(enable = "popcnt,avx512f,avx512vpopcntdq")]
#[inline]
pub fn abreast(
    numbers: &[u32; MANY],
    starts: &[u32; MANY],
    ends: &[u32; MANY],
    at: u32,
    out: &mut Sixteen,
) -> Before {
    let to_the_end = _mm512_set1_epi32(TO_THE_END as i32);
    let told = _mm512_and_si512(load(numbers), to_the_end);
    let last = _mm512_cmpeq_epi32_mask(told, to_the_end);
    let ended = _mm512_popcnt_epi32(_mm512_and_si512(_mm512_set1_epi32(last.into()), load(&LANES_BEFORE)));
    let first = _mm512_permutexvar_epi32(ended, load(starts));
    // Where the next token begins, and where each does: one lane further on.
    let next = _mm512_maskz_mov_epi32(!last, told);
    let begins = _mm512_alignr_epi32::<15>(next, _mm512_set1_epi32(at as i32));
    let start = _mm512_add_epi32(first, begins);
    let end = _mm512_add_epi32(first, told);
    let end = _mm512_mask_permutexvar_epi32(end, last, ended, load(ends));
    let end = _mm512_max_epu32(end, _mm512_add_epi32(start, _mm512_set1_epi32(1)));
    store(start, &mut out.starts);
    store(end, &mut out.ends);
    store(ended, &mut out.ended);
    let is_last = last >> (MANY - 1) == 1;
    Before { ended: last.count_ones(), at: if is_last { 0 } else { numbers[MANY - 1] & TO_THE_END } }
}

/// What sixteen places of a table of sixteen hold, of each the place's four lowest bits.
#[target_feature(enable = "avx512f")]
#[inline]
pub fn taken(table: &[u32; MANY], places: &[u32; MANY]) -> [u32; MANY] {
    let mut out = [0; MANY];
    store(_mm512_permutexvar_epi32(load(places), load(table)), &mut out);
    out
}

/// What stands at sixteen places of a table of bytes that has [`BEHIND`] more; 0 behind its end.
#[target_feature(enable = "avx512f")]
#[inline]
pub fn bytes_at(table: &[u8], places: &[u32; MANY]) -> [u32; MANY] {
    let mut out = [0; MANY];
    let places = load(places);
    let is_there = _mm512_cmplt_epu32_mask(places, bound(table.len().saturating_sub(BEHIND)));
    // SAFETY: of each place that is looked at, four bytes are in the table. Places are numbers of 31 bits, which these loads take
    // with a sign.
    #[allow(unsafe_code)]
    let found = unsafe {
        _mm512_mask_i32gather_epi32::<1>(_mm512_setzero_si512(), is_there, places, table.as_ptr().cast())
    };
    store(_mm512_and_si512(found, _mm512_set1_epi32(0xFF)), &mut out);
    out
}

/// What stands at sixteen places of a table of numbers; 0 behind its end.
#[target_feature(enable = "avx512f")]
#[inline]
pub fn numbers_at(table: &[u32], places: &[u32; MANY]) -> [u32; MANY] {
    let mut out = [0; MANY];
    let places = load(places);
    let is_there = _mm512_cmplt_epu32_mask(places, bound(table.len()));
    // SAFETY: each place that is looked at is in the table, and is a number of 31 bits.
    #[allow(unsafe_code)]
    let found = unsafe {
        _mm512_mask_i32gather_epi32::<4>(_mm512_setzero_si512(), is_there, places, table.as_ptr().cast())
    };
    store(found, &mut out);
    out
}

/// A number that is above all places of a table that can be asked.
#[target_feature(enable = "avx512f")]
#[inline]
fn bound(length: usize) -> __m512i {
    _mm512_set1_epi32(i32::try_from(length).unwrap_or(i32::MAX))
}

/// Of each number the sum of all up to it.
#[target_feature(enable = "avx512f")]
#[inline]
pub fn sums(numbers: &[u32; MANY]) -> [u32; MANY] {
    let mut out = [0; MANY];
    let (none, one) = (_mm512_setzero_si512(), load(numbers));
    let two = _mm512_add_epi32(one, _mm512_alignr_epi32::<15>(one, none));
    let four = _mm512_add_epi32(two, _mm512_alignr_epi32::<14>(two, none));
    let eight = _mm512_add_epi32(four, _mm512_alignr_epi32::<12>(four, none));
    store(_mm512_add_epi32(eight, _mm512_alignr_epi32::<8>(eight, none)), &mut out);
    out
}

#[target_feature(enable = "avx512f")]
#[inline]
fn load(numbers: &[u32; MANY]) -> __m512i {
    // SAFETY: 64 bytes are there, and this load asks for no alignment.
    #[allow(unsafe_code)]
    unsafe {
        _mm512_loadu_si512(numbers.as_ptr().cast())
    }
}

#[target_feature(enable = "avx512f")]
#[inline]
fn store(numbers: __m512i, out: &mut [u32; MANY]) {
    // SAFETY: there is room for 64 bytes, and this store asks for no alignment.
    #[allow(unsafe_code)]
    unsafe {
        _mm512_storeu_si512(out.as_mut_ptr().cast(), numbers);
    }
}
