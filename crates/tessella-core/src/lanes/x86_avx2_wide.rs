//! The blocks of [`super::unfold`], [`super::fold`] and [`super::told`] by vectors of 32 bytes.
//!
//! As `x86_wide` does it: the last bytes of all characters are brought together, and so are the bytes one and two places before each.

use std::arch::x86_64::*;

use super::ascii::BLOCK;
use super::fold::{FOLDED, TOGETHER};
use super::told::{self, BECOMES, GONE, OTHER, SECOND, Told};
use super::unfold::{Shape, Unfolded};
use super::x86_avx2_halves::{HALF, halves, kept, mask};

/// Numbers of two bytes in a vector.
const NUMBERS: usize = HALF / size_of::<u16>();

/// The characters that end in a block, up to the first that takes four bytes or is none. None at all where one of them is
/// longer than it need be, or half of a pair.
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
#[inline]
pub fn unfolded(bytes: &[u8; BLOCK], out: &mut [u16; BLOCK]) -> Unfolded {
    let parts = halves(bytes);
    let high = mask(parts);
    if high == 0 {
        out.iter_mut().zip(bytes).for_each(|(two, &byte)| *two = byte.into());
        return Unfolded { bytes: BLOCK, written: BLOCK };
    }
    let from = |least: u8| {
        let least = _mm256_set1_epi8(least as i8);
        mask(parts.map(|part| _mm256_cmpeq_epi8(_mm256_max_epu8(part, least), part)))
    };
    let Shape { twos, threes, ends } = Shape::of(high, from);

    let mut padded = [0; BLOCK + 2];
    padded[2..].copy_from_slice(bytes);
    let [mut third, mut second, mut last] = [[0; BLOCK]; 3];
    for (from, found) in [&mut third, &mut second, &mut last].into_iter().enumerate() {
        if let Some(bytes) = padded[from..].first_chunk() {
            kept(bytes, ends, found);
        }
    }
    let three = _pext_u64(threes << 2, ends);
    let more = _pext_u64(twos << 1, ends) | three;
    let written = ends.count_ones() as usize;
    let mut wrong = _mm256_setzero_si256();
    let all = |number: u16| _mm256_set1_epi16(number as i16);
    let rows = third.as_chunks::<NUMBERS>().0.iter().zip(second.as_chunks().0).zip(last.as_chunks().0);
    let parts = rows.zip(out.as_chunks_mut::<NUMBERS>().0).take(written.div_ceil(NUMBERS)).enumerate();
    for (part, (((third, second), last), out)) in parts {
        let [third, second, last] = [third, second, last].map(|bytes| wide(bytes));
        let lanes = |bits: u64| of_bits((bits >> (NUMBERS * part)) as u16);
        let (more, three) = (lanes(more), lanes(three));
        // Six bits of those behind others, seven of ASCII.
        let last = _mm256_and_si256(last, all(0x7F));
        let second = _mm256_and_si256(more, _mm256_slli_epi16::<6>(_mm256_and_si256(second, all(0x3F))));
        let third = _mm256_and_si256(three, _mm256_slli_epi16::<12>(third));
        let found = _mm256_or_si256(_mm256_or_si256(last, second), third);
        // Without one of the five highest bits it need not be three bytes, and with these of halves it is one.
        let top = _mm256_and_si256(found, all(0xF800));
        let none = _mm256_or_si256(_mm256_cmpeq_epi16(top, all(0)), _mm256_cmpeq_epi16(top, all(0xD800)));
        wrong = _mm256_or_si256(wrong, _mm256_and_si256(three, none));
        // SAFETY: there is room for 32 bytes, and this store asks for no alignment.
        #[allow(unsafe_code)]
        unsafe {
            _mm256_storeu_si256(out.as_mut_ptr().cast(), found);
        }
    }
    if _mm256_movemask_epi8(wrong) != 0 {
        return Unfolded { bytes: 0, written: 0 };
    }
    Unfolded { bytes: BLOCK - ends.leading_zeros() as usize, written }
}

/// Bytes as numbers of two.
#[target_feature(enable = "avx2")]
#[inline]
fn wide(bytes: &[u8; NUMBERS]) -> __m256i {
    // SAFETY: sixteen bytes are there, and this load asks for no alignment.
    #[allow(unsafe_code)]
    _mm256_cvtepu8_epi16(unsafe { _mm_loadu_si128(bytes.as_ptr().cast()) })
}

/// All bits of the numbers whose bit is set.
#[target_feature(enable = "avx2")]
#[inline]
fn of_bits(bits: u16) -> __m256i {
    #[rustfmt::skip]
    let each = _mm256_setr_epi16(
        1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, i16::MIN,
    );
    _mm256_cmpeq_epi16(_mm256_and_si256(_mm256_set1_epi16(bits as i16), each), each)
}

/// The UTF-8 of characters; `None` if one of them is none.
#[target_feature(enable = "avx2,popcnt")]
#[inline]
pub fn folded(characters: &[u32; TOGETHER], out: &mut [u8; FOLDED]) -> Option<usize> {
    let all = |value: u32| _mm256_set1_epi32(value as i32);
    let mut bytes = [0; FOLDED];
    let mut used = 0;
    let halves = characters.as_chunks::<8>().0.iter().zip(bytes.as_chunks_mut::<HALF>().0);
    for (part, (eight, bytes)) in halves.enumerate() {
        // SAFETY: 32 bytes are there, and this load asks for no alignment.
        #[allow(unsafe_code)]
        let eight = unsafe { _mm256_loadu_si256(eight.as_ptr().cast()) };
        let from = |least: u32| _mm256_cmpgt_epi32(eight, all(least - 1));
        let (twos, threes, fours) = (from(0x80), from(0x800), from(0x1_0000));
        let is_half = _mm256_cmpeq_epi32(_mm256_and_si256(eight, all(!0x7FF)), all(0xD800));
        // What has a sign is none either.
        let is_none = _mm256_or_si256(_mm256_or_si256(is_half, from(0x11_0000)), eight);
        if _mm256_movemask_ps(_mm256_castsi256_ps(is_none)) != 0 {
            return None;
        }
        // Six bits a byte, the last ones in the last byte of the lane.
        let last = _mm256_and_si256(_mm256_slli_epi32::<24>(eight), all(0x3F00_0000));
        let second = _mm256_and_si256(_mm256_slli_epi32::<10>(eight), all(0x3F_0000));
        let third = _mm256_and_si256(_mm256_srli_epi32::<4>(eight), all(0x3F00));
        let fourth = _mm256_srli_epi32::<18>(eight);
        let bits = _mm256_or_si256(_mm256_or_si256(last, second), _mm256_or_si256(third, fourth));
        let bits = _mm256_blendv_epi8(_mm256_slli_epi32::<24>(eight), bits, twos);
        let marks = _mm256_and_si256(twos, all(0x80C0_0000));
        let marks = _mm256_blendv_epi8(marks, all(0x8080_E000), threes);
        let marks = _mm256_blendv_epi8(marks, all(0x8080_80F0), fours);
        let found = _mm256_or_si256(bits, marks);
        let unused = _mm256_movemask_epi8(_mm256_cmpeq_epi8(found, _mm256_setzero_si256())) as u32;
        // All bytes of a character have a bit but U+0000, and the last one is always a byte of it.
        used |= u64::from(!unused | 0x8888_8888) << (HALF * part);
        // SAFETY: there is room for 32 bytes, and this store asks for no alignment.
        #[allow(unsafe_code)]
        unsafe {
            _mm256_storeu_si256(bytes.as_mut_ptr().cast(), found);
        }
    }
    kept(&bytes, used, out);
    Some(used.count_ones() as usize)
}

/// What becomes of the characters of a block, of what is known of them and the one behind them.
#[target_feature(enable = "avx2")]
#[inline]
pub fn told(known: &[u16; BLOCK + 1]) -> Told {
    let mut told = Told::default();
    let all = |number: u16| _mm256_set1_epi16(number as i16);
    for part in 0..BLOCK / HALF {
        let some = |from: usize| {
            let some: Option<&[u16; NUMBERS]> = known[from..].first_chunk();
            // SAFETY: 32 bytes are there, and this load asks for no alignment.
            #[allow(unsafe_code)]
            some.map_or(all(0), |some| unsafe { _mm256_loadu_si256(some.as_ptr().cast()) })
        };
        let from = HALF * part;
        let both = [some(from), some(from + NUMBERS)];
        let behind = [some(from + 1), some(from + NUMBERS + 1)];
        // A bit for each number, all bits of which are set or none.
        let bits = |[first, second]: [__m256i; 2]| {
            let bytes = _mm256_permute4x64_epi64::<0b11_01_10_00>(_mm256_packs_epi16(first, second));
            u64::from(_mm256_movemask_epi8(bytes) as u32) << from
        };
        let is = |of: u16, fate: u16| {
            bits(both.map(|known| _mm256_cmpeq_epi16(_mm256_and_si256(known, all(of)), all(fate))))
        };
        let joins = |at: usize| {
            let next = _mm256_and_si256(_mm256_slli_epi16::<4>(both[at]), behind[at]);
            _mm256_cmpgt_epi16(_mm256_and_si256(next, all(SECOND)), all(0))
        };
        told.joins |= bits([joins(0), joins(1)]);
        told.blank |= is(OTHER, told::BLANK);
        told.strange |= is(OTHER, told::STRANGE);
        told.other |= is(OTHER, OTHER);
        told.becomes |= is(BECOMES, BECOMES);
        told.gone |= is(GONE, GONE);
    }
    told
}
