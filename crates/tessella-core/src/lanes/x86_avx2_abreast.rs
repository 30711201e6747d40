//! The step of [`super::ends`] by vectors of 32 bytes: sixteen tokens are two halves, of which the second begins where the first one
//! led.

use std::arch::x86_64::*;

use super::ends::{Before, MANY, Sixteen, TO_THE_END};
use super::x86_avx2_halves::{EIGHT, load_eight, store_eight};

const _: () = assert!(EIGHT == MANY / 2, "sixteen are two halves");

/// Of eight bits how many are set below each of them, a byte each.
const BITS_BEFORE: [u64; 256] = {
    let mut table = [0; 256];
    let mut bits = 0;
    while bits < table.len() {
        let mut lane = 0;
        while lane < EIGHT {
            let below = bits & ((1 << lane) - 1);
            table[bits] |= (below.count_ones() as u64) << (8 * lane);
            lane += 1;
        }
        bits += 1;
    }
    table
};

/// Each lane from the one before it, and the first from the last.
const ONE_ON: [u32; EIGHT] = [7, 0, 1, 2, 3, 4, 5, 6];

/// Where sixteen tokens stand whose words have these bounds, the first of them `at` bytes within the first word.
#[target_feature(enable = "avx2,popcnt")]
#[inline]
pub fn abreast(
    numbers: &[u32; MANY],
    starts: &[u32; MANY],
    ends: &[u32; MANY],
    at: u32,
    out: &mut Sixteen,
) -> Before {
    let (starts, ends) = (halves(starts), halves(ends));
    let (mut ended, mut before) = (0, _mm256_set1_epi32(at as i32));
    let mut found = [[_mm256_setzero_si256(); 3]; 2];
    for (half, found) in halves(numbers).into_iter().zip(&mut found) {
        let to_the_end = _mm256_set1_epi32(TO_THE_END as i32);
        let told = _mm256_and_si256(half, to_the_end);
        let last = _mm256_cmpeq_epi32(told, to_the_end);
        let bits = _mm256_movemask_ps(_mm256_castsi256_ps(last)) as u32;
        let passed = _mm256_cvtepu8_epi32(_mm_cvtsi64_si128(BITS_BEFORE[bits as usize % 256] as i64));
        let passed = _mm256_add_epi32(passed, _mm256_set1_epi32(ended as i32));
        // Where the next token begins, and where each does: one lane further on.
        let next = _mm256_permutevar8x32_epi32(_mm256_andnot_si256(last, told), load_eight(&ONE_ON));
        let first = taken_of(starts, passed);
        let start = _mm256_add_epi32(first, _mm256_blend_epi32::<1>(next, before));
        let end = _mm256_blendv_epi8(_mm256_add_epi32(first, told), taken_of(ends, passed), last);
        let end = _mm256_max_epu32(end, _mm256_add_epi32(start, _mm256_set1_epi32(1)));
        *found = [start, end, passed];
        (ended, before) = (ended + bits.count_ones(), next);
    }
    let [[start, end, passed], [later_start, later_end, later_passed]] = found;
    store([start, later_start], &mut out.starts);
    store([end, later_end], &mut out.ends);
    store([passed, later_passed], &mut out.ended);
    Before { ended, at: _mm_cvtsi128_si32(_mm256_castsi256_si128(before)) as u32 }
}

/// What sixteen places of a table of sixteen hold, of each the place's four lowest bits.
#[target_feature(enable = "avx2")]
#[inline]
pub fn taken(table: &[u32; MANY], places: &[u32; MANY]) -> [u32; MANY] {
    let (table, mut out) = (halves(table), [0; MANY]);
    let [first, second] = halves(places);
    store([taken_of(table, first), taken_of(table, second)], &mut out);
    out
}

/// What eight places of a table of sixteen hold. Bit 3 of a place tells its half.
#[target_feature(enable = "avx2")]
#[inline]
fn taken_of([low, high]: [__m256i; 2], places: __m256i) -> __m256i {
    let low = _mm256_permutevar8x32_epi32(low, places);
    let high = _mm256_permutevar8x32_epi32(high, places);
    // The sign of a lane chooses.
    let half = _mm256_castsi256_ps(_mm256_slli_epi32::<28>(places));
    _mm256_castps_si256(_mm256_blendv_ps(_mm256_castsi256_ps(low), _mm256_castsi256_ps(high), half))
}

/// Of each number the sum of all up to it.
#[target_feature(enable = "avx2")]
#[inline]
pub fn sums(numbers: &[u32; MANY]) -> [u32; MANY] {
    let [first, second] = halves(numbers);
    let (first, second) = (sums_of(first), sums_of(second));
    let all = _mm256_permutevar8x32_epi32(first, _mm256_set1_epi32(7));
    let mut out = [0; MANY];
    store([first, _mm256_add_epi32(second, all)], &mut out);
    out
}

/// The same of eight.
#[target_feature(enable = "avx2")]
#[inline]
fn sums_of(one: __m256i) -> __m256i {
    // These move within four lanes each.
    let two = _mm256_add_epi32(one, _mm256_slli_si256::<4>(one));
    let four = _mm256_add_epi32(two, _mm256_slli_si256::<8>(two));
    let of_first_four = _mm256_permutevar8x32_epi32(four, _mm256_set1_epi32(3));
    _mm256_add_epi32(four, _mm256_blend_epi32::<0xF0>(_mm256_setzero_si256(), of_first_four))
}

/// The halves of sixteen numbers.
#[target_feature(enable = "avx2")]
#[inline]
fn halves(numbers: &[u32; MANY]) -> [__m256i; 2] {
    let [first, second] = numbers.as_chunks().0 else { return [_mm256_setzero_si256(); 2] };
    [load_eight(first), load_eight(second)]
}

#[target_feature(enable = "avx2")]
#[inline]
fn store(halves: [__m256i; 2], out: &mut [u32; MANY]) {
    for (half, out) in halves.into_iter().zip(out.as_chunks_mut().0) {
        store_eight(half, out);
    }
}
