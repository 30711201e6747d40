//! Instructions that interpreters of the program do not know (`make miri`), lane by lane, under the names of the instructions.
//!
//! A module that wants them names them in an import of its own, which goes before the one of everything. What is gathered from memory is
//! read one by one, so that an interpreter looks at each place: that is what it is for.

use std::arch::x86_64::{__m128i, __m256i, __m512i, __mmask8, __mmask16, __mmask64};

/// A vector as it lies in memory, and back.
macro_rules! turned {
    ($value:expr, $from:ty, $to:ty) => {{
        let value: $from = $value;
        // SAFETY: all bits are numbers, and both are as large.
        #[allow(unsafe_code)]
        let value: $to = unsafe { std::mem::transmute::<$from, $to>(value) };
        value
    }};
}

/// The lanes whose bit is set, zeros behind them.
fn compressed<T: Copy + Default, const N: usize>(which: u64, lanes: [T; N]) -> [T; N] {
    let mut kept = (0..N).filter(|lane| which >> lane & 1 == 1).map(|lane| lanes[lane]);
    std::array::from_fn(|_| kept.next().unwrap_or_default())
}

#[target_feature(enable = "avx512vbmi2")]
pub fn _mm512_maskz_compress_epi8(which: __mmask64, bytes: __m512i) -> __m512i {
    turned!(compressed(which, turned!(bytes, __m512i, [u8; 64])), [u8; 64], __m512i)
}

#[target_feature(enable = "avx512f")]
pub fn _mm512_maskz_compress_epi32(which: __mmask16, numbers: __m512i) -> __m512i {
    turned!(compressed(which.into(), turned!(numbers, __m512i, [u32; 16])), [u32; 16], __m512i)
}

#[target_feature(enable = "avx512vbmi")]
pub fn _mm512_permutexvar_epi8(places: __m512i, table: __m512i) -> __m512i {
    let table = turned!(table, __m512i, [u8; 64]);
    let found = turned!(places, __m512i, [u8; 64]).map(|place| table[usize::from(place % 64)]);
    turned!(found, [u8; 64], __m512i)
}

#[target_feature(enable = "avx512f")]
pub fn _mm512_srl_epi32(numbers: __m512i, count: __m128i) -> __m512i {
    let [count, _] = turned!(count, __m128i, [u64; 2]);
    let moved = |number: u32| if count < 32 { number >> count } else { 0 };
    turned!(turned!(numbers, __m512i, [u32; 16]).map(moved), [u32; 16], __m512i)
}

/// What stands so many times `SCALE` bytes behind a place, in the lanes whose bit is set.
///
/// # Safety
/// These places may be read.
#[allow(unsafe_code)]
unsafe fn gathered<T: Copy, const N: usize, const SCALE: i32>(
    other: [T; N],
    which: u32,
    places: [i32; N],
    start: *const T,
) -> [T; N] {
    std::array::from_fn(|lane| match which >> lane & 1 {
        // SAFETY: the caller says so.
        1 => unsafe { start.byte_offset(places[lane] as isize * SCALE as isize).read_unaligned() },
        _ => other[lane],
    })
}

/// # Safety
/// As of the instruction: places whose bit is set may be read.
#[target_feature(enable = "avx512f")]
#[allow(unsafe_code)]
pub unsafe fn _mm512_mask_i32gather_epi32<const SCALE: i32>(
    other: __m512i,
    which: __mmask16,
    places: __m512i,
    start: *const i32,
) -> __m512i {
    let (other, places) = (turned!(other, __m512i, [i32; 16]), turned!(places, __m512i, [i32; 16]));
    // SAFETY: the caller says so.
    let found = unsafe { gathered::<i32, 16, SCALE>(other, which.into(), places, start) };
    turned!(found, [i32; 16], __m512i)
}

/// # Safety
/// As of the instruction: all places may be read.
#[target_feature(enable = "avx512f")]
#[allow(unsafe_code)]
pub unsafe fn _mm512_i32gather_epi32<const SCALE: i32>(places: __m512i, start: *const i32) -> __m512i {
    // SAFETY: the caller says so.
    unsafe { _mm512_mask_i32gather_epi32::<SCALE>(places, !0, places, start) }
}

/// # Safety
/// As of the instruction: places whose bit is set may be read.
#[target_feature(enable = "avx512f")]
#[allow(unsafe_code)]
pub unsafe fn _mm512_mask_i32gather_epi64<const SCALE: i32>(
    other: __m512i,
    which: __mmask8,
    places: __m256i,
    start: *const i64,
) -> __m512i {
    let (other, places) = (turned!(other, __m512i, [i64; 8]), turned!(places, __m256i, [i32; 8]));
    // SAFETY: the caller says so.
    let found = unsafe { gathered::<i64, 8, SCALE>(other, which.into(), places, start) };
    turned!(found, [i64; 8], __m512i)
}

/// # Safety
/// As of the instruction: all places may be read.
#[target_feature(enable = "avx512f")]
#[allow(unsafe_code)]
pub unsafe fn _mm512_i32gather_epi64<const SCALE: i32>(places: __m256i, start: *const i64) -> __m512i {
    let other = turned!([0; 8], [i64; 8], __m512i);
    // SAFETY: the caller says so.
    unsafe { _mm512_mask_i32gather_epi64::<SCALE>(other, !0, places, start) }
}

#[cfg(all(test, not(miri)))]
mod tests {
    use std::arch::x86_64 as instructions;

    use super::super::x86::has_avx512;
    use super::*;
    use crate::random::Random;

    fn bits(vector: __m512i) -> [u64; 8] {
        turned!(vector, __m512i, [u64; 8])
    }

    #[test]
    fn lane_by_lane_is_as_the_instructions() {
        if !has_avx512() {
            return;
        }
        // SAFETY: the processor was asked.
        #[allow(unsafe_code)]
        unsafe {
            check();
        }
    }

    #[target_feature(enable = "avx512f,avx512vbmi,avx512vbmi2")]
    fn check() {
        let mut random = Random::from_seed(9);
        let table: [u64; 40] = std::array::from_fn(|_| random.next_u64());
        for _ in 0..500 {
            let numbers = turned!(std::array::from_fn(|_| random.next_u64()), [u64; 8], __m512i);
            let which = random.next_u64();
            let few = which as __mmask16;
            assert_eq!(
                bits(_mm512_maskz_compress_epi8(which, numbers)),
                bits(instructions::_mm512_maskz_compress_epi8(which, numbers))
            );
            assert_eq!(
                bits(_mm512_maskz_compress_epi32(few, numbers)),
                bits(instructions::_mm512_maskz_compress_epi32(few, numbers))
            );
            assert_eq!(
                bits(_mm512_permutexvar_epi8(numbers, _mm512_maskz_compress_epi8(which, numbers))),
                bits(instructions::_mm512_permutexvar_epi8(
                    numbers,
                    _mm512_maskz_compress_epi8(which, numbers)
                ))
            );
            let count = turned!([random.next_u64() % 40, 1], [u64; 2], __m128i);
            assert_eq!(
                bits(_mm512_srl_epi32(numbers, count)),
                bits(instructions::_mm512_srl_epi32(numbers, count))
            );
            let places: [i32; 16] = std::array::from_fn(|_| (random.next_u64() % 39) as i32);
            let eight = turned!(std::array::from_fn(|lane| places[lane]), [i32; 8], __m256i);
            let places = turned!(places, [i32; 16], __m512i);
            let four: *const i32 = table.as_ptr().cast();
            let all: *const i64 = table.as_ptr().cast();
            // SAFETY: the table has 40 numbers of eight bytes, and no place is above 38.
            #[allow(unsafe_code)]
            unsafe {
                assert_eq!(
                    bits(_mm512_mask_i32gather_epi32::<1>(numbers, few, places, four)),
                    bits(instructions::_mm512_mask_i32gather_epi32::<1>(numbers, few, places, four))
                );
                assert_eq!(
                    bits(_mm512_i32gather_epi32::<2>(places, four)),
                    bits(instructions::_mm512_i32gather_epi32::<2>(places, four))
                );
                assert_eq!(
                    bits(_mm512_mask_i32gather_epi64::<8>(numbers, few as u8, eight, all)),
                    bits(instructions::_mm512_mask_i32gather_epi64::<8>(numbers, few as u8, eight, all))
                );
                assert_eq!(
                    bits(_mm512_i32gather_epi64::<8>(eight, all)),
                    bits(instructions::_mm512_i32gather_epi64::<8>(eight, all))
                );
            }
        }
    }
}
