//! Vectors of 64 bytes, which some x86-64 processors have. The modules whose names begin with that of this one have further steps.

use std::arch::x86_64::*;

use super::ascii::{Ascii, BLOCK, Cases, DIGIT, EITHER, IN_ORDER, LETTER, UPPER, WHITE};
use super::characters::{HIGH_HALVES, Kinds, Set, Sets};
use super::ends::{Before, MANY, Sixteen};
use super::fold::{FOLDED, TOGETHER};
use super::kept::{self, Unknown};
use super::key::Key;
use super::leads::{Leads, Led, MIXED};
use super::pairs::{PairHash, Symbol};
use super::rows::{Group, Joined, LANES, Row};
use super::symbols::{Ids, OfByte};
use super::told::Told;
use super::unfold::Unfolded;
use super::vectors::{PLACE_BITS, Task, Vectors, WRITTEN, slot_by_words};
use super::walk::{self, Arrived, Grid, Nodes, PLACES, TEXTS};
use super::x86_avx2::{fives, fours, has_avx2};
#[cfg(miri)]
use super::x86_interpreted::{_mm512_maskz_compress_epi8, _mm512_permutexvar_epi8};
use crate::flat::TwoSlots;
use crate::ids::TokenId;

/// Vectors with masks and compression of bytes. Only made by [`Avx512::run`], which [`Level`](super::vectors::Level) calls where the
/// processor was asked; so whoever holds one may use these instructions.
#[derive(Debug, Clone, Copy)]
pub struct Avx512(());

pub fn has_avx512() -> bool {
    has_avx2()
        && is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512dq")
        && is_x86_feature_detected!("avx512vl")
        && is_x86_feature_detected!("avx512vbmi")
        && is_x86_feature_detected!("avx512vbmi2")
        && is_x86_feature_detected!("avx512vpopcntdq")
}

impl Avx512 {
    /// Only for a processor of which [`has_avx512`] holds.
    #[inline]
    pub(super) fn run<T: Task>(task: T) -> T::Output {
        debug_assert!(has_avx512());
        // SAFETY: the caller has asked the processor for these features.
        #[allow(unsafe_code)]
        unsafe {
            with_avx512(task)
        }
    }
}

#[target_feature(
    enable = "avx2,bmi1,bmi2,lzcnt,popcnt,avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,avx512vbmi2,avx512vpopcntdq"
)]
#[inline(never)]
fn with_avx512<T: Task>(task: T) -> T::Output {
    task.run(Avx512(()))
}

impl Vectors for Avx512 {
    #[inline(always)]
    fn apart<T: Task>(self, task: T) -> T::Output {
        Avx512::run(task)
    }

    #[inline(always)]
    fn ascii(self, bytes: &[u8; BLOCK]) -> Ascii {
        // SAFETY: whoever holds `self` may use these instructions.
        #[allow(unsafe_code)]
        unsafe {
            ascii_512(bytes)
        }
    }

    #[inline(always)]
    fn cases(self, bytes: &[u8; BLOCK]) -> Cases {
        // SAFETY: whoever holds `self` may use these instructions.
        #[allow(unsafe_code)]
        unsafe {
            cases_512(bytes)
        }
    }

    #[inline(always)]
    fn led(self, bytes: &[u8; BLOCK], firsts: u64, leads: &Leads, look_up: impl Fn(usize) -> u8) -> Led {
        // SAFETY: whoever holds `self` may use these instructions.
        #[allow(unsafe_code)]
        unsafe {
            led_512(bytes, firsts, leads, look_up)
        }
    }

    #[inline(always)]
    fn looked_up(self, bytes: &[u8; BLOCK], table: &[u8; 128], inner: u8, out: &mut [u8; BLOCK]) -> u64 {
        // SAFETY: whoever holds `self` may use these instructions.
        #[allow(unsafe_code)]
        unsafe {
            looked_up_512(bytes, table, inner, out)
        }
    }

    const LOOKS_UP: bool = true;
    const LOOKS_UP_AT_ONCE: bool = true;

    #[inline(always)]
    fn share(self, one: &[u8; BLOCK], two: &[u8; BLOCK]) -> u64 {
        // SAFETY: whoever holds `self` may use these instructions.
        #[allow(unsafe_code)]
        unsafe {
            share_512(one, two)
        }
    }

    #[inline(always)]
    fn kinds(self, bytes: &[u8; BLOCK], sets: &Sets) -> Kinds {
        // SAFETY: whoever holds `self` may use these instructions.
        #[allow(unsafe_code)]
        unsafe {
            kinds_512(bytes, sets)
        }
    }

    #[inline(always)]
    fn places(self, bits: u64, base: u32, out: &mut [u32; BLOCK]) {
        // SAFETY: whoever holds `self` may use these instructions.
        #[allow(unsafe_code)]
        unsafe {
            places_512(bits, base, out);
        }
    }

    #[inline(always)]
    fn kept(self, bytes: &[u8; BLOCK], bits: u64, out: &mut [u8; BLOCK]) {
        // SAFETY: whoever holds `self` may use these instructions.
        #[allow(unsafe_code)]
        unsafe {
            super::x86_kept::bytes(bytes, bits, out);
        }
    }

    const TELLS: bool = true;

    #[inline(always)]
    fn told(self, known: &[u16; BLOCK + 1]) -> Told {
        // SAFETY: a value of this type exists only where the processor has these features.
        #[allow(unsafe_code)]
        unsafe {
            super::x86_told::told(known)
        }
    }

    #[inline(always)]
    fn without(self, bits: u64, places: u64) -> u64 {
        // SAFETY: as above.
        #[allow(unsafe_code)]
        unsafe {
            super::x86_told::without(bits, places)
        }
    }

    #[inline(always)]
    fn spread(self, bits: u64, over: u64) -> u64 {
        // SAFETY: as above.
        #[allow(unsafe_code)]
        unsafe {
            super::x86_told::spread(bits, over)
        }
    }

    #[inline(always)]
    fn put(self, bytes: &mut [u8; BLOCK], bits: u64, byte: u8) {
        // SAFETY: as above.
        #[allow(unsafe_code)]
        unsafe {
            super::x86_told::put(bytes, bits, byte);
        }
    }

    #[inline(always)]
    fn below(self, numbers: &[u32; kept::MANY], bound: u32, out: &mut [u32; kept::MANY]) -> usize {
        // SAFETY: whoever holds `self` may use these instructions.
        #[allow(unsafe_code)]
        unsafe {
            super::x86_kept::below(numbers, bound, out)
        }
    }

    #[inline(always)]
    fn rows(
        self,
        numbers: &[u32; kept::MANY],
        count: usize,
        unknown: Unknown,
        row: &mut bool,
        out: &mut [u32; kept::MANY],
    ) -> usize {
        // SAFETY: whoever holds `self` may use these instructions.
        #[allow(unsafe_code)]
        unsafe {
            super::x86_kept::rows(numbers, count, unknown, row, out)
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
            slot_of_512(line, key)
        }
    }

    #[inline(always)]
    fn lowest<const N: usize>(self, numbers: &[u32; N]) -> u32 {
        // SAFETY: whoever holds `self` may use these instructions.
        #[allow(unsafe_code)]
        unsafe {
            lowest_512(numbers)
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
            super::x86_abreast::abreast(numbers, starts, ends, at, out)
        }
    }

    #[inline(always)]
    fn taken(self, table: &[u32; MANY], places: &[u32; MANY]) -> [u32; MANY] {
        // SAFETY: whoever holds `self` may use these instructions.
        #[allow(unsafe_code)]
        unsafe {
            super::x86_abreast::taken(table, places)
        }
    }

    const GATHERS: bool = true;

    #[inline(always)]
    fn bytes_at(self, table: &[u8], places: &[u32; MANY]) -> [u32; MANY] {
        // SAFETY: whoever holds `self` may use these instructions.
        #[allow(unsafe_code)]
        unsafe {
            super::x86_abreast::bytes_at(table, places)
        }
    }

    #[inline(always)]
    fn numbers_at(self, table: &[u32], places: &[u32; MANY]) -> [u32; MANY] {
        // SAFETY: whoever holds `self` may use these instructions.
        #[allow(unsafe_code)]
        unsafe {
            super::x86_abreast::numbers_at(table, places)
        }
    }

    #[inline(always)]
    fn sums(self, numbers: &[u32; MANY]) -> [u32; MANY] {
        // SAFETY: whoever holds `self` may use these instructions.
        #[allow(unsafe_code)]
        unsafe {
            super::x86_abreast::sums(numbers)
        }
    }

    #[inline(always)]
    fn walk(self, nodes: Nodes<'_>, most: usize, grid: &mut Grid) {
        // SAFETY: whoever holds `self` may use these instructions.
        #[allow(unsafe_code)]
        unsafe {
            super::x86_walk::walk(nodes, most, grid);
        }
    }

    #[inline(always)]
    fn arrived(self, before: &[walk::Place], worth: &[walk::Row]) -> Arrived {
        // SAFETY: whoever holds `self` may use these instructions.
        #[allow(unsafe_code)]
        unsafe {
            super::x86_walk::arrived(before, worth)
        }
    }

    #[inline(always)]
    fn turned(self, texts: &[[u8; PLACES]; TEXTS]) -> [[u8; TEXTS]; PLACES] {
        // SAFETY: whoever holds `self` may use these instructions.
        #[allow(unsafe_code)]
        unsafe {
            super::x86_walk::turned(texts)
        }
    }

    #[inline(always)]
    fn join_rows(self, symbols: &mut [Row], ranks: &mut [Row], none: Symbol) -> Joined {
        // SAFETY: whoever holds `self` may use these instructions.
        #[allow(unsafe_code)]
        unsafe {
            super::x86_sixteen::join(symbols, ranks, none)
        }
    }

    #[inline(always)]
    fn unfolded(self, bytes: &[u8; BLOCK], out: &mut [u16; BLOCK]) -> Unfolded {
        // SAFETY: whoever holds `self` may use these instructions.
        #[allow(unsafe_code)]
        unsafe {
            super::x86_wide::unfolded(bytes, out)
        }
    }

    #[inline(always)]
    fn folded(self, characters: &[u32; TOGETHER], out: &mut [u8; FOLDED]) -> Option<usize> {
        // SAFETY: whoever holds `self` may use these instructions.
        #[allow(unsafe_code)]
        unsafe {
            super::x86_wide::folded(characters, out)
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
            super::x86_sixteen::begin(group, of_byte, of_two, pieces);
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
            super::x86_sixteen::begin_symbols(group, pairs, symbols, pieces);
        }
    }

    #[inline(always)]
    fn merge_groups<const N: usize>(self, groups: &mut [Group<N>; 2], pairs: &PairHash, ids: &Ids) {
        // SAFETY: whoever holds `self` may use these instructions.
        #[allow(unsafe_code)]
        unsafe {
            super::x86_sixteen::merge(groups, pairs, ids);
        }
    }

    #[inline(always)]
    fn join<const N: usize>(self, numbers: &mut [u32; N], at: usize, joined: u32, last: u32) {
        // SAFETY: whoever holds `self` may use these instructions.
        #[allow(unsafe_code)]
        unsafe {
            join_512(numbers, at, joined, last);
        }
    }
}

#[target_feature(enable = "avx512f,avx512bw")]
#[inline]
fn ascii_512(bytes: &[u8; BLOCK]) -> Ascii {
    // SAFETY: 64 bytes are there, and this load asks for no alignment.
    #[allow(unsafe_code)]
    let bytes = unsafe { _mm512_loadu_si512(bytes.as_ptr().cast()) };
    let all = |byte: u8| _mm512_set1_epi8(byte as i8);
    let is = |byte: u8| _mm512_cmpeq_epi8_mask(bytes, all(byte));
    let within =
        |bytes, first: u8, count: u8| _mm512_cmplt_epu8_mask(_mm512_sub_epi8(bytes, all(first)), all(count));
    let blank = is(b' ');
    Ascii {
        letter: within(_mm512_or_si512(bytes, all(0x20)), b'a', 26),
        digit: within(bytes, b'0', 10),
        white: blank | within(bytes, b'\t', 5),
        line_end: is(b'\n') | is(b'\r'),
        blank,
        quote: is(b'\''),
        inner: _mm512_cmplt_epi8_mask(bytes, all(0xC0)),
        high: _mm512_movepi8_mask(bytes),
    }
}

#[target_feature(enable = "avx512f,avx512bw")]
#[inline]
fn cases_512(bytes: &[u8; BLOCK]) -> Cases {
    // SAFETY: 64 bytes are there, and this load asks for no alignment.
    #[allow(unsafe_code)]
    let bytes = unsafe { _mm512_loadu_si512(bytes.as_ptr().cast()) };
    let all = |byte: u8| _mm512_set1_epi8(byte as i8);
    Cases {
        upper: _mm512_cmplt_epu8_mask(_mm512_sub_epi8(bytes, all(b'A')), all(26)),
        slash: _mm512_cmpeq_epi8_mask(bytes, all(b'/')),
    }
}

/// Looks up the low six bits of all bytes together.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
#[inline]
fn led_512(bytes: &[u8; BLOCK], firsts: u64, leads: &Leads, look_up: impl Fn(usize) -> u8) -> Led {
    // SAFETY: 64 bytes are there both times, and these loads ask for no alignment.
    #[allow(unsafe_code)]
    let (bytes, leads) =
        unsafe { (_mm512_loadu_si512(bytes.as_ptr().cast()), _mm512_loadu_si512(leads.as_ptr().cast())) };
    let mut roles = _mm512_permutexvar_epi8(bytes, leads);
    let mut mixed = _mm512_mask_cmpeq_epi8_mask(firsts, roles, _mm512_set1_epi8(MIXED as i8));
    // Without a way through memory, on which all that follows would wait.
    while mixed != 0 {
        let role = look_up(mixed.trailing_zeros() as usize);
        roles = _mm512_mask_set1_epi8(roles, mixed & mixed.wrapping_neg(), role as i8);
        mixed &= mixed - 1;
    }
    let of = |kind: u8| _mm512_mask_test_epi8_mask(firsts, roles, _mm512_set1_epi8(kind as i8));
    Led { letter: of(LETTER), digit: of(DIGIT), white: of(WHITE), upper: of(UPPER), either: of(EITHER) }
}

#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
#[inline]
fn looked_up_512(bytes: &[u8; BLOCK], table: &[u8; 128], inner: u8, out: &mut [u8; BLOCK]) -> u64 {
    let [low, high] = table.as_chunks::<BLOCK>().0 else { return 0 };
    // SAFETY: 64 bytes are there each time, and these loads and stores ask for no alignment.
    #[allow(unsafe_code)]
    unsafe {
        let bytes = _mm512_loadu_si512(bytes.as_ptr().cast());
        let low = _mm512_loadu_si512(low.as_ptr().cast());
        let high = _mm512_loadu_si512(high.as_ptr().cast());
        let beyond = _mm512_movepi8_mask(bytes);
        let found = _mm512_permutex2var_epi8(low, bytes, high);
        let found = _mm512_mask_mov_epi8(found, beyond, _mm512_set1_epi8(inner as i8));
        _mm512_storeu_si512(out.as_mut_ptr().cast(), found);
        beyond & !_mm512_cmplt_epi8_mask(bytes, _mm512_set1_epi8(0xC0u8 as i8))
    }
}

#[target_feature(enable = "avx512f,avx512bw")]
#[inline]
fn share_512(one: &[u8; BLOCK], two: &[u8; BLOCK]) -> u64 {
    // SAFETY: 64 bytes are there each time, and these loads ask for no alignment.
    #[allow(unsafe_code)]
    unsafe {
        let one = _mm512_loadu_si512(one.as_ptr().cast());
        _mm512_test_epi8_mask(one, _mm512_loadu_si512(two.as_ptr().cast()))
    }
}

#[target_feature(enable = "avx512f,avx512bw")]
#[inline]
fn kinds_512(bytes: &[u8; BLOCK], sets: &Sets) -> Kinds {
    // SAFETY: 64 bytes are there, and this load asks for no alignment.
    #[allow(unsafe_code)]
    let bytes = unsafe { _mm512_loadu_si512(bytes.as_ptr().cast()) };
    let all = |byte: u8| _mm512_set1_epi8(byte as i8);
    let table = |set: &Set| {
        // SAFETY: 16 bytes are there, and this load asks for no alignment.
        #[allow(unsafe_code)]
        _mm512_broadcast_i32x4(unsafe { _mm_loadu_si128(set.as_ptr().cast()) })
    };
    let low = _mm512_and_si512(bytes, all(15));
    let high = _mm512_and_si512(_mm512_srli_epi16::<4>(bytes), all(15));
    let half = _mm512_shuffle_epi8(table(&HIGH_HALVES), high);
    let has = |set: &Set| _mm512_test_epi8_mask(_mm512_shuffle_epi8(table(set), low), half);
    Kinds {
        word: has(&sets.word),
        alone: has(&sets.alone),
        inner: _mm512_cmplt_epi8_mask(bytes, all(0xC0)),
        high: _mm512_movepi8_mask(bytes),
    }
}

#[target_feature(enable = "avx512f,avx512bw,avx512vbmi2,popcnt")]
#[inline]
fn places_512(bits: u64, base: u32, out: &mut [u32; BLOCK]) {
    // SAFETY: 64 bytes are there, and this load asks for no alignment.
    #[allow(unsafe_code)]
    let in_order = unsafe { _mm512_loadu_si512(IN_ORDER.as_ptr().cast()) };
    let places = _mm512_maskz_compress_epi8(bits, in_order);
    let base = _mm512_set1_epi32(base as i32);
    let write = |part: __m128i, out: &mut [u32; 16]| {
        let places = _mm512_add_epi32(_mm512_cvtepu8_epi32(part), base);
        // SAFETY: 64 bytes are there, and this store asks for no alignment.
        #[allow(unsafe_code)]
        unsafe {
            _mm512_storeu_si512(out.as_mut_ptr().cast(), places);
        }
    };
    let [first, second, third, fourth] = out.as_chunks_mut::<16>().0 else { return };
    write(_mm512_castsi512_si128(places), first);
    write(_mm512_extracti32x4_epi32::<1>(places), second);
    if bits.count_ones() > 32 {
        write(_mm512_extracti32x4_epi32::<2>(places), third);
        write(_mm512_extracti32x4_epi32::<3>(places), fourth);
    }
}

#[target_feature(enable = "avx512f,avx512vl")]
#[inline]
fn slot_of_512(line: &TwoSlots, key: &Key) -> u32 {
    // SAFETY: 16 and 64 bytes are there, and these loads ask for no alignment.
    #[allow(unsafe_code)]
    let (key, keys) = unsafe {
        let key = _mm_loadu_si128(std::ptr::from_ref(key).cast());
        (_mm256_broadcastsi128_si256(key), _mm256_loadu_si256(line.as_ptr().cast()))
    };
    slot_by_words(u32::from(_mm256_cmpeq_epi64_mask(keys, key)))
}

/// Numbers of a vector.
const NUMBERS: usize = 16;

#[target_feature(enable = "avx512f")]
#[inline]
fn lowest_512<const N: usize>(numbers: &[u32; N]) -> u32 {
    let in_order = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    let mut lowest = _mm512_set1_epi32(-1);
    for (part, numbers) in numbers.as_chunks::<NUMBERS>().0.iter().enumerate() {
        // SAFETY: 64 bytes are there, and this load asks for no alignment.
        #[allow(unsafe_code)]
        let numbers = unsafe { _mm512_loadu_si512(numbers.as_ptr().cast()) };
        let places = _mm512_add_epi32(in_order, _mm512_set1_epi32((NUMBERS * part) as i32));
        let both = _mm512_or_si512(_mm512_slli_epi32::<PLACE_BITS>(numbers), places);
        lowest = _mm512_min_epu32(lowest, both);
    }
    _mm512_reduce_min_epu32(lowest)
}

#[target_feature(enable = "avx512f")]
#[inline]
fn join_512<const N: usize>(numbers: &mut [u32; N], at: usize, joined: u32, last: u32) {
    let parts = numbers.as_chunks_mut::<NUMBERS>().0;
    let here = 1 << (at % 64);
    let moved = u64::MAX << (at % 64);
    let joined = _mm512_set1_epi32(joined as i32);
    // From behind, so that what moves up is there as it was.
    let mut behind = _mm512_set1_epi32(last as i32);
    for (part, numbers) in parts.iter_mut().enumerate().rev() {
        let place = numbers.as_mut_ptr().cast();
        // SAFETY: 64 bytes are there, and this load and this store ask for no alignment.
        #[allow(unsafe_code)]
        unsafe {
            let numbers = _mm512_loadu_si512(place);
            let up = _mm512_alignr_epi32::<1>(behind, numbers);
            let of_part = |bits: u64| (bits >> (NUMBERS * part)) as __mmask16;
            let closed = _mm512_mask_mov_epi32(numbers, of_part(moved), up);
            _mm512_storeu_si512(place, _mm512_mask_mov_epi32(closed, of_part(here), joined));
            behind = numbers;
        }
    }
}
