//! Vectors of 32 bytes, which most x86-64 processors have.
//!
//! Tables are looked up sixteen entries at a time ([`looked_up_in`]): what is not among these gives nothing, and what all parts of
//! a table give is put together.

use std::arch::x86_64::*;

use super::ascii::{Ascii, BLOCK, Cases};
use super::characters::{HIGH_HALVES, Kinds, Sets};
use super::ends::{Before, MANY, Sixteen};
use super::fold::{FOLDED, TOGETHER};
use super::key::Key;
use super::leads::{FEW, Leads, Led, MIXED};
use super::pairs::{PairHash, Symbol};
use super::rows::{Group, LANES};
use super::symbols::{Ids, OfByte};
use super::told::Told;
use super::unfold::Unfolded;
use super::vectors::{Task, Vectors, WRITTEN, slot_by_words};
use super::walk::{PLACES, TEXTS};
use super::x86_avx2_halves::{HALF, halves, kept, load, mask};
use crate::flat::TwoSlots;
use crate::ids::TokenId;

/// Only made by [`Avx2::run`], which [`Level`](super::vectors::Level) calls where the processor was asked; so whoever holds one may
/// use these instructions.
#[derive(Debug, Clone, Copy)]
pub struct Avx2(());

pub fn has_avx2() -> bool {
    is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("lzcnt")
        && is_x86_feature_detected!("popcnt")
}

impl Avx2 {
    /// Only for a processor of which [`has_avx2`] holds.
    #[inline]
    pub(super) fn run<T: Task>(task: T) -> T::Output {
        debug_assert!(has_avx2());
        // SAFETY: the caller has asked the processor for these features.
        #[allow(unsafe_code)]
        unsafe {
            with_avx2(task)
        }
    }
}

#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
#[inline(never)]
fn with_avx2<T: Task>(task: T) -> T::Output {
    task.run(Avx2(()))
}

impl Vectors for Avx2 {
    #[inline(always)]
    fn apart<T: Task>(self, task: T) -> T::Output {
        Avx2::run(task)
    }

    #[inline(always)]
    fn ascii(self, bytes: &[u8; BLOCK]) -> Ascii {
        // SAFETY: whoever holds `self` may use these instructions.
        #[allow(unsafe_code)]
        unsafe {
            ascii(bytes)
        }
    }

    #[inline(always)]
    fn cases(self, bytes: &[u8; BLOCK]) -> Cases {
        // SAFETY: whoever holds `self` may use these instructions.
        #[allow(unsafe_code)]
        unsafe {
            cases(bytes)
        }
    }

    #[inline(always)]
    fn led(self, bytes: &[u8; BLOCK], firsts: u64, leads: &Leads, look_up: impl Fn(usize) -> u8) -> Led {
        if firsts.count_ones() < FEW {
            return Led::one_by_one(bytes, firsts, leads, look_up);
        }
        // SAFETY: whoever holds `self` may use these instructions.
        #[allow(unsafe_code)]
        unsafe {
            led(bytes, firsts, leads, look_up)
        }
    }

    #[inline(always)]
    fn looked_up(self, bytes: &[u8; BLOCK], table: &[u8; 128], inner: u8, out: &mut [u8; BLOCK]) -> u64 {
        // SAFETY: whoever holds `self` may use these instructions.
        #[allow(unsafe_code)]
        unsafe {
            looked_up(bytes, table, inner, out)
        }
    }

    const LOOKS_UP: bool = true;

    const TELLS: bool = true;

    #[inline(always)]
    fn told(self, known: &[u16; BLOCK + 1]) -> Told {
        // SAFETY: whoever holds `self` may use these instructions.
        #[allow(unsafe_code)]
        unsafe {
            super::x86_avx2_wide::told(known)
        }
    }

    #[inline(always)]
    fn spread(self, bits: u64, over: u64) -> u64 {
        // SAFETY: whoever holds `self` may use these instructions.
        #[allow(unsafe_code)]
        unsafe {
            super::x86_told::spread(bits, over)
        }
    }

    #[inline(always)]
    fn without(self, bits: u64, places: u64) -> u64 {
        // SAFETY: whoever holds `self` may use these instructions.
        #[allow(unsafe_code)]
        unsafe {
            super::x86_told::without(bits, places)
        }
    }

    #[inline(always)]
    fn share(self, one: &[u8; BLOCK], two: &[u8; BLOCK]) -> u64 {
        // SAFETY: whoever holds `self` may use these instructions.
        #[allow(unsafe_code)]
        unsafe {
            share(one, two)
        }
    }

    #[inline(always)]
    fn kinds(self, bytes: &[u8; BLOCK], sets: &Sets) -> Kinds {
        // SAFETY: whoever holds `self` may use these instructions.
        #[allow(unsafe_code)]
        unsafe {
            kinds(bytes, sets)
        }
    }

    #[inline(always)]
    fn kept(self, bytes: &[u8; BLOCK], bits: u64, out: &mut [u8; BLOCK]) {
        // SAFETY: whoever holds `self` may use these instructions.
        #[allow(unsafe_code)]
        unsafe {
            kept(bytes, bits, out);
        }
    }

    #[inline(always)]
    fn fours(self, words: &[u64; 2]) -> [TokenId; 4] {
        // SAFETY: whoever holds `self` may use these instructions.
        #[allow(unsafe_code)]
        unsafe {
            fours(words)
        }
    }

    #[inline(always)]
    fn fives(self, words: &[u64; 2]) -> [TokenId; WRITTEN] {
        // SAFETY: whoever holds `self` may use these instructions.
        #[allow(unsafe_code)]
        unsafe {
            fives(words)
        }
    }

    #[inline(always)]
    fn slot_of(self, line: &TwoSlots, key: &Key) -> u32 {
        // SAFETY: whoever holds `self` may use these instructions.
        #[allow(unsafe_code)]
        unsafe {
            slot_of(line, key)
        }
    }

    const SIXTEENS: bool = true;

    #[inline(always)]
    fn begin_group<const N: usize>(
        self,
        group: &mut Group<N>,
        of_byte: &OfByte,
        of_two: &[Symbol; 1 << 16],
        pieces: (&[[u8; LANES]; N], &[u32; LANES], usize),
    ) {
        // SAFETY: whoever holds `self` may use these instructions.
        #[allow(unsafe_code)]
        unsafe {
            super::x86_eights::begin(group, of_byte, of_two, pieces);
        }
    }

    #[inline(always)]
    fn begin_symbols<const N: usize>(
        self,
        group: &mut Group<N>,
        pairs: &PairHash,
        symbols: &[Symbol],
        pieces: (&[u32; LANES], &[u32; LANES], usize),
    ) {
        // SAFETY: whoever holds `self` may use these instructions.
        #[allow(unsafe_code)]
        unsafe {
            super::x86_eights::begin_symbols(group, pairs, symbols, pieces);
        }
    }

    #[inline(always)]
    fn merge_groups<const N: usize>(self, groups: &mut [Group<N>; 2], pairs: &PairHash, ids: &Ids) {
        // SAFETY: whoever holds `self` may use these instructions.
        #[allow(unsafe_code)]
        unsafe {
            super::x86_eights::merge(groups, pairs, ids);
        }
    }

    #[inline(always)]
    fn unfolded(self, bytes: &[u8; BLOCK], out: &mut [u16; BLOCK]) -> Unfolded {
        // SAFETY: whoever holds `self` may use these instructions.
        #[allow(unsafe_code)]
        unsafe {
            super::x86_avx2_wide::unfolded(bytes, out)
        }
    }

    #[inline(always)]
    fn folded(self, characters: &[u32; TOGETHER], out: &mut [u8; FOLDED]) -> Option<usize> {
        // SAFETY: whoever holds `self` may use these instructions.
        #[allow(unsafe_code)]
        unsafe {
            super::x86_avx2_wide::folded(characters, out)
        }
    }

    #[inline(always)]
    fn abreast(
        self,
        numbers: &[u32; MANY],
        starts: &[u32; MANY],
        ends: &[u32; MANY],
        at: u32,
        out: &mut Sixteen,
    ) -> Before {
        // SAFETY: whoever holds `self` may use these instructions.
        #[allow(unsafe_code)]
        unsafe {
            super::x86_avx2_abreast::abreast(numbers, starts, ends, at, out)
        }
    }

    #[inline(always)]
    fn taken(self, table: &[u32; MANY], places: &[u32; MANY]) -> [u32; MANY] {
        // SAFETY: whoever holds `self` may use these instructions.
        #[allow(unsafe_code)]
        unsafe {
            super::x86_avx2_abreast::taken(table, places)
        }
    }

    #[inline(always)]
    fn sums(self, numbers: &[u32; MANY]) -> [u32; MANY] {
        // SAFETY: whoever holds `self` may use these instructions.
        #[allow(unsafe_code)]
        unsafe {
            super::x86_avx2_abreast::sums(numbers)
        }
    }

    #[inline(always)]
    fn turned(self, texts: &[[u8; PLACES]; TEXTS]) -> [[u8; TEXTS]; PLACES] {
        // SAFETY: whoever holds `self` may use these instructions.
        #[allow(unsafe_code)]
        unsafe {
            super::x86_eights::turned(texts)
        }
    }
}

#[target_feature(enable = "avx2")]
#[inline]
fn ascii(bytes: &[u8; BLOCK]) -> Ascii {
    let mut found = Ascii::default();
    for (part, bytes) in bytes.as_chunks::<HALF>().0.iter().enumerate() {
        let bytes = load(bytes);
        let all = |byte: u8| _mm256_set1_epi8(byte as i8);
        let is = |byte: u8| _mm256_cmpeq_epi8(bytes, all(byte));
        // Moved so that the first of the range is the least number there is.
        let within = |bytes, first: u8, count: u8| {
            let moved = _mm256_add_epi8(bytes, all(0x80u8.wrapping_sub(first)));
            _mm256_cmpgt_epi8(all(0x80 + count), moved)
        };
        let bits = |mask| u64::from(_mm256_movemask_epi8(mask) as u32) << (HALF * part);
        let blank = is(b' ');
        found.letter |= bits(within(_mm256_or_si256(bytes, all(0x20)), b'a', 26));
        found.digit |= bits(within(bytes, b'0', 10));
        found.white |= bits(_mm256_or_si256(blank, within(bytes, b'\t', 5)));
        found.line_end |= bits(_mm256_or_si256(is(b'\n'), is(b'\r')));
        found.blank |= bits(blank);
        found.quote |= bits(is(b'\''));
        found.inner |= bits(_mm256_cmpgt_epi8(all(0xC0), bytes));
        found.high |= bits(bytes);
    }
    found
}

#[target_feature(enable = "avx2")]
#[inline]
fn cases(bytes: &[u8; BLOCK]) -> Cases {
    let all = |byte: u8| _mm256_set1_epi8(byte as i8);
    let mut found = Cases::default();
    for (part, bytes) in bytes.as_chunks::<HALF>().0.iter().enumerate() {
        let bytes = load(bytes);
        let bits = |mask| u64::from(_mm256_movemask_epi8(mask) as u32) << (HALF * part);
        // Moved so that the first of the range is the least number there is.
        let moved = _mm256_add_epi8(bytes, all(0x80 - b'A'));
        found.upper |= bits(_mm256_cmpgt_epi8(all(0x80 + 26), moved));
        found.slash |= bits(_mm256_cmpeq_epi8(bytes, all(b'/')));
    }
    found
}

#[target_feature(enable = "avx2")]
#[inline]
fn kinds(bytes: &[u8; BLOCK], sets: &Sets) -> Kinds {
    let all = |byte: u8| _mm256_set1_epi8(byte as i8);
    let (halves, word, alone) = (sixteen(&HIGH_HALVES), sixteen(&sets.word), sixteen(&sets.alone));
    let mut found = Kinds::default();
    for (part, bytes) in bytes.as_chunks::<HALF>().0.iter().enumerate() {
        let bytes = load(bytes);
        let bits = |mask| u64::from(_mm256_movemask_epi8(mask) as u32) << (HALF * part);
        let low = _mm256_and_si256(bytes, all(15));
        let high = _mm256_and_si256(_mm256_srli_epi16::<4>(bytes), all(15));
        let half = _mm256_shuffle_epi8(halves, high);
        let has = |set| {
            let both = _mm256_and_si256(_mm256_shuffle_epi8(set, low), half);
            bits(_mm256_cmpeq_epi8(both, half)) & !bits(_mm256_cmpeq_epi8(half, all(0)))
        };
        found.word |= has(word);
        found.alone |= has(alone);
        found.inner |= bits(_mm256_cmpgt_epi8(all(0xC0), bytes));
        found.high |= bits(bytes);
    }
    found
}

#[target_feature(enable = "avx2")]
#[inline]
fn slot_of(line: &TwoSlots, key: &Key) -> u32 {
    // SAFETY: 16 and 64 bytes are there, and these loads ask for no alignment.
    #[allow(unsafe_code)]
    let (key, keys) = unsafe {
        let key = _mm_loadu_si128(std::ptr::from_ref(key).cast());
        (_mm256_broadcastsi128_si256(key), _mm256_loadu_si256(line.as_ptr().cast()))
    };
    slot_by_words(_mm256_movemask_pd(_mm256_castsi256_pd(_mm256_cmpeq_epi64(keys, key))) as u32)
}

#[target_feature(enable = "avx2")]
#[inline]
pub fn fours(words: &[u64; 2]) -> [TokenId; 4] {
    // SAFETY: 16 bytes are there, and this load asks for no alignment.
    #[allow(unsafe_code)]
    let words = unsafe { _mm_loadu_si128(words.as_ptr().cast()) };
    let order = _mm_setr_epi8(0, 1, 2, -1, 3, 4, 5, -1, 6, 7, 8, -1, 9, 10, 11, -1);
    let mut ids = [0; 4];
    // SAFETY: 16 bytes are there, and this store asks for no alignment.
    #[allow(unsafe_code)]
    unsafe {
        _mm_storeu_si128(ids.as_mut_ptr().cast(), _mm_shuffle_epi8(words, order));
    }
    ids
}

#[target_feature(enable = "avx2")]
#[inline]
pub fn fives(words: &[u64; 2]) -> [TokenId; WRITTEN] {
    // SAFETY: 16 bytes are there, and this load asks for no alignment.
    #[allow(unsafe_code)]
    let words = unsafe { _mm_loadu_si128(words.as_ptr().cast()) };
    let words = _mm256_broadcastsi128_si256(words);
    #[rustfmt::skip]
    let order = _mm256_setr_epi8(
        0, 1, 2, -1, 3, 4, 5, -1, 6, 7, 8, -1, 9, 10, 11, -1,
        12, 13, 14, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
    );
    let mut ids = [0; WRITTEN];
    // SAFETY: 32 bytes are there, and this store asks for no alignment.
    #[allow(unsafe_code)]
    unsafe {
        _mm256_storeu_si256(ids.as_mut_ptr().cast(), _mm256_shuffle_epi8(words, order));
    }
    ids
}

/// Sixteen entries of a table, for both halves of a vector.
#[target_feature(enable = "avx2")]
#[inline]
fn sixteen(entries: &[u8; 16]) -> __m256i {
    // SAFETY: 16 bytes are there, and this load asks for no alignment.
    #[allow(unsafe_code)]
    _mm256_broadcastsi128_si256(unsafe { _mm_loadu_si128(entries.as_ptr().cast()) })
}

/// What a table of up to 128 entries says of the bytes of half a block, and nothing of those beyond it.
#[target_feature(enable = "avx2")]
#[inline]
fn looked_up_in(table: &[u8], bytes: __m256i) -> __m256i {
    let mut found = _mm256_setzero_si256();
    for (part, entries) in table.as_chunks::<16>().0.iter().enumerate() {
        // Less than sixteen for the entries that are here. All others get their highest bit, by which they give nothing.
        let place = _mm256_xor_si256(bytes, _mm256_set1_epi8((part << 4) as i8));
        let place = _mm256_adds_epu8(place, _mm256_set1_epi8(0x70));
        found = _mm256_or_si256(found, _mm256_shuffle_epi8(sixteen(entries), place));
    }
    found
}

/// Looks up the low six bits of all bytes together.
#[target_feature(enable = "avx2,popcnt")]
#[inline]
fn led(bytes: &[u8; BLOCK], firsts: u64, leads: &Leads, look_up: impl Fn(usize) -> u8) -> Led {
    let [first, second] = halves(bytes);
    let low = _mm256_set1_epi8(63);
    let roles = [
        looked_up_in(leads, _mm256_and_si256(first, low)),
        looked_up_in(leads, _mm256_and_si256(second, low)),
    ];
    let is = |[first, second]: [__m256i; 2], role: u8| {
        let role = _mm256_set1_epi8(role as i8);
        mask([_mm256_cmpeq_epi8(first, role), _mm256_cmpeq_epi8(second, role)])
    };
    let mixed = firsts & is(roles, MIXED);
    let told = firsts & !mixed;
    let of = |kind: u8| {
        let bit = _mm256_set1_epi8(kind as i8);
        told & is(roles.map(|part| _mm256_and_si256(part, bit)), kind)
    };
    Led::of_masks(of, mixed, look_up)
}

#[target_feature(enable = "avx2")]
#[inline]
fn looked_up(bytes: &[u8; BLOCK], table: &[u8; 128], inner: u8, out: &mut [u8; BLOCK]) -> u64 {
    let parts = halves(bytes);
    for (&part, out) in parts.iter().zip(out.as_chunks_mut::<HALF>().0) {
        let found = looked_up_in(table, part);
        // By the highest bit of each byte.
        let found = _mm256_blendv_epi8(found, _mm256_set1_epi8(inner as i8), part);
        // SAFETY: there is room for 32 bytes, and this store asks for no alignment.
        #[allow(unsafe_code)]
        unsafe {
            _mm256_storeu_si256(out.as_mut_ptr().cast(), found);
        }
    }
    // Both highest bits are set.
    mask(parts) & mask(parts.map(|part| _mm256_add_epi8(part, part)))
}

#[target_feature(enable = "avx2")]
#[inline]
fn share(one: &[u8; BLOCK], two: &[u8; BLOCK]) -> u64 {
    let ([a, b], [c, d]) = (halves(one), halves(two));
    let nothing = _mm256_setzero_si256();
    let none = |one, two| _mm256_cmpeq_epi8(_mm256_and_si256(one, two), nothing);
    !mask([none(a, c), none(b, d)])
}
