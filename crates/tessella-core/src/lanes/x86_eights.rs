//! The steps of [`super::sixteen`] by vectors of 32 bytes: the first eight pieces of a group, and the last eight, each by
//! themselves. So there are four that wait for their look-ups in turn.
//!
//! Nothing is gathered: numbers are read one by one, which is as fast at best, and much faster on processors whose gathering
//! loads are slow, or were made slow for safety's sake.

use std::arch::x86_64::*;

use super::pairs::{
    BITS, MIX, MIX_SHIFT, MOVED, MOVED_SHIFT, NEVER, OF_BUCKET, OF_PILOT, OF_SLOT, PairHash, Symbol,
    part_bits,
};
use super::rows::{Group, LANES, PLACE_BITS, Row};
use super::symbols::{Ids, OfByte};
use super::x86_avx2_halves::{EIGHT, load_eight, store_eight};
use crate::ids::TokenId;

const _: () = assert!(EIGHT == LANES / 2, "half a group fills a vector");
const _: () = assert!(BITS + PLACE_BITS < 32, "ranks with their places have no sign");

/// The first half of a group, or the second.
#[derive(Debug, Clone, Copy)]
enum Half {
    First,
    Second,
}

/// Times eight pairs that are looked up together.
const TOGETHER: usize = 8;

const HALVES: [Half; 2] = [Half::First, Half::Second];

impl Half {
    #[inline(always)]
    fn of<T>(self, all: &[T; LANES]) -> &[T; EIGHT] {
        let (eights, _) = all.as_chunks();
        &eights[self as usize]
    }

    #[inline(always)]
    fn of_mut<T>(self, all: &mut [T; LANES]) -> &mut [T; EIGHT] {
        let (eights, _) = all.as_chunks_mut();
        &mut eights[self as usize]
    }

    #[target_feature(enable = "avx2")]
    #[inline]
    fn load(self, row: &Row) -> __m256i {
        load_eight(self.of(&row.0))
    }

    #[target_feature(enable = "avx2")]
    #[inline]
    fn store(self, row: &mut Row, numbers: __m256i) {
        store_eight(numbers, self.of_mut(&mut row.0));
    }
}

#[target_feature(enable = "avx2")]
#[inline]
fn all(number: usize) -> __m256i {
    _mm256_set1_epi32(number as i32)
}

/// Those of `yes` where a comparison holds, else those of `no`.
#[target_feature(enable = "avx2")]
#[inline]
fn choice(holds: __m256i, yes: __m256i, no: __m256i) -> __m256i {
    _mm256_blendv_epi8(no, yes, holds)
}

/// The numbers of a vector.
#[target_feature(enable = "avx2")]
#[inline]
fn eight(vector: __m256i) -> [u32; EIGHT] {
    let mut numbers = [0; EIGHT];
    // SAFETY: there is room for 32 bytes, and this store asks for no alignment.
    #[allow(unsafe_code)]
    unsafe {
        _mm256_storeu_si256(numbers.as_mut_ptr().cast(), vector);
    }
    numbers
}

/// A vector of numbers.
#[target_feature(enable = "avx2")]
#[inline]
fn numbers(eight: [u32; EIGHT]) -> __m256i {
    // SAFETY: 32 bytes are there, and this load asks for no alignment.
    #[allow(unsafe_code)]
    unsafe {
        _mm256_loadu_si256(eight.as_ptr().cast())
    }
}

/// What is left to do of half a group.
struct Left {
    /// Rows of the pieces that are not merged yet.
    rows: usize,
    /// The lowest rank of each piece, above its row.
    lowest: __m256i,
}

/// Makes all merges of two groups and puts ids in the place of symbols.
#[target_feature(enable = "avx2")]
#[inline]
pub fn merge<const N: usize>(groups: &mut [Group<N>; 2], pairs: &PairHash, ids: &Ids) {
    const { assert!(N <= 1 << PLACE_BITS) };
    let table = Table::new(pairs);
    let left_of = |group: &Group<N>, half| Left { rows: group.going, lowest: lowest(group, half) };
    let mut left = groups.each_ref().map(|group| HALVES.map(|half| left_of(group, half)));
    loop {
        let mut chosen = [[None; 2]; 2];
        let mut asked = [[all(NEVER as usize); 2]; 8];
        let halves = groups.iter_mut().zip(&mut left).zip(&mut chosen).zip(asked.as_chunks_mut::<4>().0);
        for (((group, left), chosen), asked) in halves {
            let halves = HALVES.into_iter().zip(left).zip(chosen).zip(asked.as_chunks_mut().0);
            for (((half, left), chosen), asked) in halves {
                *chosen = choose(group, half, left);
                if let Some(chosen) = chosen {
                    *asked = chosen.pairs();
                }
            }
        }
        if chosen.as_flattened().iter().all(Option::is_none) {
            break;
        }
        // All ask for their pairs together, so that none waits alone.
        let found = table.some(asked);
        let halves = groups.iter_mut().zip(&mut left).zip(&chosen).zip(found.as_chunks::<4>().0);
        for (((group, left), chosen), found) in halves {
            let halves = HALVES.into_iter().zip(left).zip(chosen).zip(found.as_chunks().0);
            for (((half, left), chosen), found) in halves {
                if let Some(chosen) = chosen {
                    settle(group, half, left, chosen, found);
                }
            }
        }
    }
    for group in groups {
        group.going = 0;
        HALVES.into_iter().for_each(|half| spell(group, half, ids));
    }
}

/// Writes the ids of each piece one after the other, and counts them.
#[target_feature(enable = "avx2")]
#[inline]
fn spell<const N: usize>(group: &mut Group<N>, half: Half, ids: &Ids) {
    let never = all(NEVER as usize);
    let mut counts = _mm256_setzero_si256();
    let rows = group.rows.min(N - 1);
    for (four, first) in group.symbols.as_chunks::<4>().0.iter().zip((0..rows).step_by(4)) {
        let mut found = [never; 4];
        let mut any = _mm256_setzero_si256();
        // What is behind the rows in use is of other pieces.
        for (found, row) in found.iter_mut().zip(four).take(rows - first) {
            let symbols = half.load(row);
            // No symbol is above.
            let some = _mm256_cmpgt_epi32(never, symbols);
            *found = match ids {
                Ids::Same(_) => symbols,
                Ids::Listed(ids) => {
                    numbers(eight(symbols).map(|symbol| ids.get(symbol as usize).copied().unwrap_or(NEVER)))
                }
            };
            counts = _mm256_sub_epi32(counts, some);
            any = _mm256_or_si256(any, some);
        }
        if _mm256_movemask_epi8(any) == 0 {
            break;
        }
        turn(found, first, half.of_mut(&mut group.ids));
    }
    half.store(&mut group.counts, counts);
}

/// Writes four rows as four numbers of each lane, from the place `first` on, which is a multiple of four.
#[target_feature(enable = "avx2")]
#[inline]
fn turn<const N: usize>([a, b, c, d]: [__m256i; 4], first: usize, out: &mut [[TokenId; N]; EIGHT]) {
    let (low, high) = (_mm256_unpacklo_epi32(a, b), _mm256_unpackhi_epi32(a, b));
    let (low_behind, high_behind) = (_mm256_unpacklo_epi32(c, d), _mm256_unpackhi_epi32(c, d));
    // Each has two lanes, the first of which is its number, the other one four behind it.
    let lanes = [
        _mm256_unpacklo_epi64(low, low_behind),
        _mm256_unpackhi_epi64(low, low_behind),
        _mm256_unpacklo_epi64(high, high_behind),
        _mm256_unpackhi_epi64(high, high_behind),
    ];
    for (lane, two) in lanes.into_iter().enumerate() {
        let halves = [_mm256_castsi256_si128(two), _mm256_extracti128_si256::<1>(two)];
        for (half, numbers) in halves.into_iter().enumerate() {
            let room: &mut [TokenId; 4] = &mut out[4 * half + lane].as_chunks_mut().0[first / 4];
            // SAFETY: there is room for four numbers, and this store asks for no alignment.
            #[allow(unsafe_code)]
            unsafe {
                _mm_storeu_si128(room.as_mut_ptr().cast(), numbers);
            }
        }
    }
}

/// Sixteen texts of sixteen bytes column by column: their first bytes, then their second ones.
#[target_feature(enable = "avx2")]
#[inline]
pub fn turned(texts: &[[u8; LANES]; LANES]) -> [[u8; LANES]; LANES] {
    // SAFETY: sixteen bytes are there each time, and these loads ask for no alignment.
    #[allow(unsafe_code)]
    let mut rows = texts.each_ref().map(|text| unsafe { _mm_loadu_si128(text.as_ptr().cast()) });
    // Each time every row gets the bytes of two, eight rows apart, by turns: four times, and a bit of each number has changed sides.
    for _ in 0..LANES.ilog2() {
        let before = rows;
        let (two, _) = rows.as_chunks_mut::<2>();
        for (at, [first, second]) in two.iter_mut().enumerate() {
            *first = _mm_unpacklo_epi8(before[at], before[at + LANES / 2]);
            *second = _mm_unpackhi_epi8(before[at], before[at + LANES / 2]);
        }
    }
    let mut columns = [[0; LANES]; LANES];
    for (column, row) in columns.iter_mut().zip(rows) {
        // SAFETY: there is room for sixteen bytes, and this store asks for no alignment.
        #[allow(unsafe_code)]
        unsafe {
            _mm_storeu_si128(column.as_mut_ptr().cast(), row);
        }
    }
    columns
}

/// Writes the symbols of the first bytes of pieces, and what each and the one below it become.
#[target_feature(enable = "avx2")]
#[inline]
pub fn begin<const N: usize>(
    group: &mut Group<N>,
    of_byte: &OfByte,
    of_two: &[Symbol; 1 << 16],
    (bytes, lengths, rows): (&[[u8; LANES]; N], &[u32; LANES], usize),
) {
    let rows = rows.min(N - 1);
    let never = all(NEVER as usize);
    for half in HALVES {
        let lengths = half.load(&Row(*lengths));
        for row in 0..rows {
            let both = [row, row + 1].map(|row| half.of(&bytes[row]).map(usize::from));
            let [first, second] = &both;
            let symbols = numbers(first.map(|byte| of_byte[byte]));
            let ranks = numbers(std::array::from_fn(|lane| of_two[first[lane] << 8 | second[lane]]));
            let within = _mm256_cmpgt_epi32(lengths, all(row));
            let with_next = _mm256_cmpgt_epi32(lengths, all(row + 1));
            half.store(&mut group.symbols[row], choice(within, symbols, never));
            half.store(&mut group.ranks[row], choice(with_next, ranks, never));
        }
    }
    group.end(rows);
}

/// Writes the symbols of pieces that begin at places among others, and what each and the one below it become.
#[target_feature(enable = "avx2")]
#[inline]
pub fn begin_symbols<const N: usize>(
    group: &mut Group<N>,
    pairs: &PairHash,
    symbols: &[Symbol],
    (starts, lengths, rows): (&[u32; LANES], &[u32; LANES], usize),
) {
    let rows = rows.min(N - 1);
    let table = Table::new(pairs);
    for half in HALVES {
        let pieces: [&[Symbol]; EIGHT] = std::array::from_fn(|lane| {
            let start = half.of(starts)[lane] as usize;
            symbols.get(start..start + half.of(lengths)[lane] as usize).unwrap_or_default()
        });
        let row_of = |row: usize| numbers(pieces.map(|piece| piece.get(row).copied().unwrap_or(NEVER)));
        let mut last = row_of(0);
        for first in (0..rows).step_by(TOGETHER) {
            // Rows behind the last one are none of a piece's.
            let mut pairs = [[last; 2]; TOGETHER];
            for (pair, row) in pairs.iter_mut().zip(first + 1..) {
                *pair = [last, row_of(row)];
                last = pair[1];
            }
            let found = table.some(pairs);
            for ((row, [above, _]), rank) in (first..rows).zip(pairs).zip(found) {
                half.store(&mut group.symbols[row], above);
                half.store(&mut group.ranks[row], rank);
            }
        }
    }
    group.end(rows);
}

/// Merges that were made, and what their symbols become with their neighbours.
#[derive(Clone, Copy)]
struct Chosen {
    /// The rows before the merged symbols and those of them; no row of a piece that is done.
    before: __m256i,
    at: __m256i,
    left: __m256i,
    merged: __m256i,
    right: __m256i,
}

impl Chosen {
    /// The pairs that there are now.
    #[inline(always)]
    fn pairs(&self) -> [[__m256i; 2]; 2] {
        [[self.left, self.merged], [self.merged, self.right]]
    }
}

/// Makes the next merge of each piece; nothing if there is none.
#[target_feature(enable = "avx2")]
#[inline]
fn choose<const N: usize>(group: &mut Group<N>, half: Half, of_half: &mut Left) -> Option<Chosen> {
    let never = all(NEVER as usize);
    let (rows, lowest) = (of_half.rows.min(N - 1), of_half.lowest);
    let merged = _mm256_srli_epi32::<{ PLACE_BITS as i32 }>(lowest);
    let goes_on = _mm256_cmpgt_epi32(never, merged);
    if _mm256_movemask_epi8(goes_on) == 0 {
        return None;
    }
    // A piece that is done stays as it is.
    let at = _mm256_and_si256(lowest, all((1 << PLACE_BITS) - 1));
    let at = choice(goes_on, at, all(1 << PLACE_BITS));
    let before = _mm256_sub_epi32(at, all(1));
    let behind = _mm256_add_epi32(at, all(2));
    let (mut left, mut right) = (never, never);
    let (mut symbols, mut ranks) = (half.load(&group.symbols[0]), half.load(&group.ranks[0]));
    for row in 0..rows {
        let below = half.load(&group.symbols[row + 1]);
        let ranks_below = half.load(&group.ranks[row + 1]);
        let here = all(row);
        left = choice(_mm256_cmpeq_epi32(here, before), symbols, left);
        right = choice(_mm256_cmpeq_epi32(here, behind), symbols, right);
        let stays = _mm256_cmpgt_epi32(at, here);
        let closed = choice(stays, symbols, below);
        let closed = choice(_mm256_cmpeq_epi32(here, at), merged, closed);
        half.store(&mut group.symbols[row], closed);
        half.store(&mut group.ranks[row], choice(stays, ranks, ranks_below));
        (symbols, ranks) = (below, ranks_below);
    }
    // Who goes on has lost a symbol in every step.
    of_half.rows = rows - 1;
    Some(Chosen { before, at, left, merged, right })
}

/// The lowest rank of each piece, above its row.
#[target_feature(enable = "avx2")]
#[inline]
fn lowest<const N: usize>(group: &Group<N>, half: Half) -> __m256i {
    let mut lowest = _mm256_set1_epi32(-1);
    for (row, ranks) in group.ranks[..group.going.min(N - 1)].iter().enumerate() {
        lowest = _mm256_min_epu32(lowest, with_row(half.load(ranks), row));
    }
    lowest
}

/// Ranks above the number of their row.
#[target_feature(enable = "avx2")]
#[inline]
fn with_row(ranks: __m256i, row: usize) -> __m256i {
    _mm256_or_si256(_mm256_slli_epi32::<{ PLACE_BITS as i32 }>(ranks), all(row))
}

/// Writes what was looked up, and finds the lowest rank of each piece, as [`lowest`] does.
#[target_feature(enable = "avx2")]
#[inline]
fn settle<const N: usize>(
    group: &mut Group<N>,
    half: Half,
    of_half: &mut Left,
    &Chosen { before, at, .. }: &Chosen,
    &[of_left, of_right]: &[__m256i; 2],
) {
    let mut lowest = _mm256_set1_epi32(-1);
    for (row, place) in group.ranks[..of_half.rows.min(N - 1)].iter_mut().enumerate() {
        let ranks = choice(_mm256_cmpeq_epi32(all(row), before), of_left, half.load(place));
        let ranks = choice(_mm256_cmpeq_epi32(all(row), at), of_right, ranks);
        half.store(place, ranks);
        lowest = _mm256_min_epu32(lowest, with_row(ranks, row));
    }
    of_half.lowest = lowest;
}

/// The table of pairs, as vectors want it.
struct Table<'t> {
    pilots: &'t [u16],
    slots: &'t [u64],
    parts_log2: u32,
}

impl<'t> Table<'t> {
    #[inline(always)]
    fn new(pairs: &'t PairHash) -> Self {
        Table { pilots: &pairs.pilots, slots: pairs.slots(), parts_log2: pairs.parts_log2 }
    }

    /// As `below` of the table.
    #[target_feature(enable = "avx2")]
    #[inline]
    fn below(hash: __m256i, bound: usize) -> __m256i {
        let bound = _mm256_set1_epi64x(bound as i64);
        let even = _mm256_srli_epi64::<32>(_mm256_mul_epu32(hash, bound));
        let odd = _mm256_mul_epu32(_mm256_srli_epi64::<32>(hash), bound);
        _mm256_blend_epi32::<0xAA>(even, odd)
    }

    /// What some times eight pairs become, each step of all of them before the next one: so their loads are on their way together.
    #[target_feature(enable = "avx2")]
    #[inline]
    fn some<const K: usize>(&self, pairs: [[__m256i; 2]; K]) -> [__m256i; K] {
        let zero = _mm256_setzero_si256();
        let (mut buckets, mut found) = ([zero; K], [zero; K]);
        let (mut pilots, mut slots) = ([[0; EIGHT]; K], [[0; EIGHT]; K]);
        let times = |numbers, by: u32| _mm256_mullo_epi32(numbers, all(by as usize));
        let sum = |[left, right]: [__m256i; 2], of: [u32; 2]| {
            _mm256_add_epi32(times(left, of[0]), times(right, of[1]))
        };
        for at in 0..K {
            let of_bucket = sum(pairs[at], OF_BUCKET);
            let mixed = _mm256_xor_si256(of_bucket, _mm256_srli_epi32::<{ MIX_SHIFT as i32 }>(of_bucket));
            buckets[at] = times(mixed, MIX);
            let places = eight(Self::below(buckets[at], self.pilots.len()));
            pilots[at] = places.map(|bucket| self.pilots[bucket as usize].into());
        }
        for at in 0..K {
            let pilots = times(numbers(pilots[at]), OF_PILOT);
            let moved = _mm256_xor_si256(sum(pairs[at], OF_SLOT), pilots);
            let moved =
                _mm256_xor_si256(times(moved, MOVED), _mm256_srli_epi32::<{ MOVED_SHIFT as i32 }>(moved));
            let in_part = _mm256_srl_epi32(moved, _mm_cvtsi32_si128(self.parts_log2 as i32));
            let part = _mm256_and_si256(buckets[at], all(part_bits(self.parts_log2) as usize));
            let places = eight(Self::below(_mm256_or_si256(part, in_part), self.slots.len()));
            slots[at] = places.map(|slot| self.slots[slot as usize]);
        }
        for at in 0..K {
            found[at] = together(&slots[at], pairs[at]);
        }
        found
    }
}

/// What eight pairs become, of which these were found.
#[target_feature(enable = "avx2")]
#[inline]
fn together(found: &[u64; EIGHT], pair: [__m256i; 2]) -> __m256i {
    let halves = |numbers| [_mm256_castsi256_si128(numbers), _mm256_extracti128_si256::<1>(numbers)];
    let [[left, left_behind], [right, right_behind]] = pair.map(halves);
    let [first, second] = found.as_chunks().0 else { return all(NEVER as usize) };
    let (low, high) = (four(first, left, right), four(second, left_behind, right_behind));
    // The lower half of each number.
    let both = _mm256_shuffle_ps::<0b10_00_10_00>(_mm256_castsi256_ps(low), _mm256_castsi256_ps(high));
    _mm256_permute4x64_epi64::<0b11_01_10_00>(_mm256_castps_si256(both))
}

/// What four pairs become, of which these were found.
#[target_feature(enable = "avx2")]
#[inline]
fn four(found: &[u64; 4], left: __m128i, right: __m128i) -> __m256i {
    // SAFETY: 32 bytes are there, and this load asks for no alignment.
    #[allow(unsafe_code)]
    let found = unsafe { _mm256_loadu_si256(found.as_ptr().cast()) };
    let [left, right] = [left, right].map(|symbols| _mm256_cvtepu32_epi64(symbols));
    let key = _mm256_or_si256(_mm256_slli_epi64::<{ BITS as i32 }>(left), right);
    let is = _mm256_cmpeq_epi64(_mm256_srli_epi64::<{ BITS as i32 }>(found), key);
    let never = _mm256_set1_epi64x(NEVER.into());
    _mm256_and_si256(choice(is, found, never), never)
}
