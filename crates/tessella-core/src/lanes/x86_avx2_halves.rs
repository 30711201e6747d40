//! A block of 64 bytes as two vectors of 32, and numbers by the eight.

use std::arch::x86_64::*;

use super::ascii::BLOCK;
use super::kept::bytes_by_eights;

/// Bytes of half a block.
pub const HALF: usize = BLOCK / 2;
/// Numbers of 32 bits in a vector.
pub const EIGHT: usize = HALF / 4;

/// Half of a block.
#[target_feature(enable = "avx2")]
#[inline]
pub fn load(bytes: &[u8; HALF]) -> __m256i {
    // SAFETY: 32 bytes are there, and this load asks for no alignment.
    #[allow(unsafe_code)]
    unsafe {
        _mm256_loadu_si256(bytes.as_ptr().cast())
    }
}

/// The halves of a block, the second one being all zeros for a block that is none.
#[target_feature(enable = "avx2")]
#[inline]
pub fn halves(bytes: &[u8; BLOCK]) -> [__m256i; 2] {
    let [first, second] = bytes.as_chunks::<HALF>().0 else { return [_mm256_setzero_si256(); 2] };
    [load(first), load(second)]
}

/// Eight numbers.
#[target_feature(enable = "avx2")]
#[inline]
pub fn load_eight(numbers: &[u32; EIGHT]) -> __m256i {
    // SAFETY: 32 bytes are there, and this load asks for no alignment.
    #[allow(unsafe_code)]
    unsafe {
        _mm256_loadu_si256(numbers.as_ptr().cast())
    }
}

/// Writes eight numbers.
#[target_feature(enable = "avx2")]
#[inline]
pub fn store_eight(eight: __m256i, out: &mut [u32; EIGHT]) {
    // SAFETY: there is room for 32 bytes, and this store asks for no alignment.
    #[allow(unsafe_code)]
    unsafe {
        _mm256_storeu_si256(out.as_mut_ptr().cast(), eight);
    }
}

/// The highest bit of each byte of a block.
#[target_feature(enable = "avx2")]
#[inline]
pub fn mask([first, second]: [__m256i; 2]) -> u64 {
    u64::from(_mm256_movemask_epi8(first) as u32) | u64::from(_mm256_movemask_epi8(second) as u32) << HALF
}

/// Writes the bytes of a block whose bit is set.
#[target_feature(enable = "avx2,popcnt")]
#[inline]
pub fn kept(bytes: &[u8; BLOCK], bits: u64, out: &mut [u8; BLOCK]) {
    bytes_by_eights(bytes, bits, out, |bytes, places| {
        let word = |word: u64| _mm_cvtsi64_si128(word as i64);
        _mm_cvtsi128_si64(_mm_shuffle_epi8(word(bytes), word(places))) as u64
    });
}
