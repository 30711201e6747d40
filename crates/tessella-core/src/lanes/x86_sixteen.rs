//! The steps of [`super::sixteen`] by vectors of 64 bytes.

use std::arch::x86_64::*;

use super::pairs::{
    BITS, MIX, MIX_SHIFT, MOVED, MOVED_SHIFT, NEVER, OF_BUCKET, OF_PILOT, OF_SLOT, PairHash, Symbol,
    part_bits,
};
use super::rows::{Group, Joined, LANES, PLACE_BITS, Row};
use super::symbols::{Ids, Near, OfByte};
#[cfg(miri)]
use super::x86_interpreted::{
    _mm512_i32gather_epi32, _mm512_i32gather_epi64, _mm512_mask_i32gather_epi32, _mm512_srl_epi32,
};
use crate::ids::TokenId;

/// Bits of a row among the ranks that are looked through for the lowest one.
const ROW_BITS: u32 = 6;
const _: () = assert!(BITS + ROW_BITS <= 32);

/// Times sixteen pairs that are looked up together.
const TOGETHER: usize = 4;

/// Makes all merges of two groups and puts ids in the place of symbols.
#[target_feature(enable = "avx512f,avx512dq")]
#[inline]
pub fn merge<const N: usize>(groups: &mut [Group<N>; 2], pairs: &PairHash, ids: &Ids) {
    const { assert!(N <= 1 << ROW_BITS) };
    let table = Table::new(pairs);
    let [first, second] = &mut *groups;
    let (mut of_first, mut of_second) = (lowest(first), lowest(second));
    loop {
        match (choose(first, of_first), choose(second, of_second)) {
            (None, None) => break,
            (Some(one), None) => {
                of_first = settle(first, &one, table.some(one.pairs()));
            }
            (None, Some(one)) => {
                of_second = settle(second, &one, table.some(one.pairs()));
            }
            (Some(one), Some(other)) => {
                // Both ask for their pairs together, so that none waits alone.
                let ([left, right], [other_left, other_right]) = (one.pairs(), other.pairs());
                let [left, right, other_left, other_right] =
                    table.some([left, right, other_left, other_right]);
                of_first = settle(first, &one, [left, right]);
                of_second = settle(second, &other, [other_left, other_right]);
            }
        }
    }
    groups.iter_mut().for_each(|group| spell(group, ids));
}

/// Writes the ids of each piece one after the other, and counts them.
#[target_feature(enable = "avx512f,avx512dq")]
#[inline]
fn spell<const N: usize>(group: &mut Group<N>, ids: &Ids) {
    let never = _mm512_set1_epi32(NEVER as i32);
    let mut counts = _mm512_setzero_si512();
    let rows = group.rows.min(N - 1);
    group.counts = Row([0; LANES]);
    let listed = match ids {
        Ids::Same(_) => None,
        Ids::Listed(ids) => {
            // Places of vectors have signs.
            let Some(last) = ids.len().min(i32::MAX as usize).checked_sub(1) else { return };
            Some((ids.as_ptr(), _mm512_set1_epi32(last as i32)))
        }
    };
    for (four, first) in group.symbols.as_chunks::<4>().0.iter().zip((0..rows).step_by(4)) {
        let mut found = [never; 4];
        let mut any = 0;
        // What is behind the rows in use is of other pieces.
        for (found, row) in found.iter_mut().zip(four).take(rows - first) {
            // SAFETY: rows are 64 bytes and aligned to as many, and no place is behind the last id.
            #[allow(unsafe_code)]
            unsafe {
                let symbols = _mm512_load_si512(row.0.as_ptr().cast());
                let some = _mm512_cmpneq_epi32_mask(symbols, never);
                *found = match listed {
                    None => symbols,
                    Some((ids, last)) => {
                        let within = _mm512_min_epu32(symbols, last);
                        _mm512_mask_i32gather_epi32::<4>(never, some, within, ids.cast())
                    }
                };
                counts = _mm512_mask_add_epi32(counts, some, counts, _mm512_set1_epi32(1));
                any |= some;
            }
        }
        if any == 0 {
            break;
        }
        turn(found, first, &mut group.ids);
    }
    // SAFETY: rows are 64 bytes and aligned to as many.
    #[allow(unsafe_code)]
    unsafe {
        _mm512_store_si512(group.counts.0.as_mut_ptr().cast(), counts);
    }
}

/// Writes four rows as four numbers of each lane, from the place `first` on, which is a multiple of four.
#[target_feature(enable = "avx512f,avx512dq")]
#[inline]
fn turn<const N: usize>([a, b, c, d]: [__m512i; 4], first: usize, out: &mut [[TokenId; N]; LANES]) {
    let (low, high) = (_mm512_unpacklo_epi32(a, b), _mm512_unpackhi_epi32(a, b));
    let (low_behind, high_behind) = (_mm512_unpacklo_epi32(c, d), _mm512_unpackhi_epi32(c, d));
    // Each has four lanes, the first of which is its number, the next one four behind it.
    let lanes = [
        _mm512_unpacklo_epi64(low, low_behind),
        _mm512_unpackhi_epi64(low, low_behind),
        _mm512_unpacklo_epi64(high, high_behind),
        _mm512_unpackhi_epi64(high, high_behind),
    ];
    for (lane, four) in lanes.into_iter().enumerate() {
        let quarters = [
            _mm512_extracti32x4_epi32::<0>(four),
            _mm512_extracti32x4_epi32::<1>(four),
            _mm512_extracti32x4_epi32::<2>(four),
            _mm512_extracti32x4_epi32::<3>(four),
        ];
        for (quarter, numbers) in quarters.into_iter().enumerate() {
            let room: &mut [TokenId; 4] = &mut out[4 * quarter + lane].as_chunks_mut().0[first / 4];
            // SAFETY: there is room for four numbers, and this store asks for no alignment.
            #[allow(unsafe_code)]
            unsafe {
                _mm_storeu_si128(room.as_mut_ptr().cast(), numbers);
            }
        }
    }
}

/// Sixteen times sixteen bytes, all first ones first.
#[target_feature(enable = "avx512f,avx512vbmi")]
#[inline]
pub fn columns([first, second, third, fourth]: [__m512i; 4]) -> [[u8; LANES]; LANES] {
    // Of eight keys the first or the last eight bytes: number `at` is of key `at % 8`.
    const HALVES: [[u8; 64]; 2] = {
        let mut halves = [[0; 64]; 2];
        let mut at = 0;
        while at < 64 {
            halves[0][at] = (at % 8 * 16 + at / 8) as u8;
            halves[1][at] = halves[0][at] + 8;
            at += 1;
        }
        halves
    };
    const { assert!(LANES == 16) };
    let mut bytes = [[0; LANES]; LANES];
    // SAFETY: four rows are 64 bytes, as a line of the table is. No load and no store asks for alignment.
    #[allow(unsafe_code)]
    unsafe {
        // Two rows of eight side by side: of the first eight keys, then of the others.
        let low = _mm512_setr_epi64(0, 8, 1, 9, 2, 10, 3, 11);
        let high = _mm512_setr_epi64(4, 12, 5, 13, 6, 14, 7, 15);
        for (half, rows) in HALVES.iter().zip(bytes.as_chunks_mut::<8>().0) {
            let half = _mm512_loadu_si512(half.as_ptr().cast());
            let left = _mm512_permutex2var_epi8(first, half, second);
            let right = _mm512_permutex2var_epi8(third, half, fourth);
            let [above, below] = rows.as_chunks_mut::<4>().0 else { return bytes };
            let store =
                |rows: &mut [[u8; LANES]; 4], numbers| _mm512_storeu_si512(rows.as_mut_ptr().cast(), numbers);
            store(above, _mm512_permutex2var_epi64(left, low, right));
            store(below, _mm512_permutex2var_epi64(left, high, right));
        }
    }
    bytes
}

/// [`Near`] in vectors.
#[derive(Clone, Copy)]
struct NearBytes {
    least: __m512i,
    further: [__m512i; 4],
}

impl NearBytes {
    #[target_feature(enable = "avx512f")]
    #[inline]
    fn of(near: &Near) -> NearBytes {
        let mut further = [_mm512_setzero_si512(); 4];
        for (vector, bytes) in further.iter_mut().zip(near.further.as_chunks::<64>().0) {
            // SAFETY: 64 bytes are there, and this load asks for no alignment.
            #[allow(unsafe_code)]
            unsafe {
                *vector = _mm512_loadu_si512(bytes.as_ptr().cast());
            }
        }
        NearBytes { least: _mm512_set1_epi32(near.least as i32), further }
    }

    /// The symbols of sixteen bytes.
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
    #[inline]
    fn symbols(self, bytes: &[u8; LANES]) -> __m512i {
        let NearBytes { least, further: [first, second, third, fourth] } = self;
        // SAFETY: 16 bytes are there, and this load asks for no alignment.
        #[allow(unsafe_code)]
        let bytes = unsafe { _mm512_castsi128_si512(_mm_loadu_si128(bytes.as_ptr().cast())) };
        let low = _mm512_permutex2var_epi8(first, bytes, second);
        let high = _mm512_permutex2var_epi8(third, bytes, fourth);
        let both = _mm512_mask_mov_epi8(low, _mm512_movepi8_mask(bytes), high);
        _mm512_add_epi32(_mm512_cvtepu8_epi32(_mm512_castsi512_si128(both)), least)
    }
}

/// Writes the symbols of the first bytes of pieces, and what each and the one below it become.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vbmi")]
#[inline]
pub fn begin<const N: usize>(
    group: &mut Group<N>,
    of_byte: &OfByte,
    of_two: &[Symbol; 1 << 16],
    (bytes, lengths, rows): (&[[u8; LANES]; N], &[u32; LANES], usize),
) {
    let rows = rows.min(N - 1);
    let never = _mm512_set1_epi32(NEVER as i32);
    let near = of_byte.near().map(|near| NearBytes::of(near));
    // SAFETY: rows are 64 bytes, lines of bytes 16; a byte is a place of the first table, two bytes of the second.
    #[allow(unsafe_code)]
    unsafe {
        let lengths = _mm512_loadu_si512(lengths.as_ptr().cast());
        let mut first = _mm512_cvtepu8_epi32(_mm_loadu_si128(bytes[0].as_ptr().cast()));
        for row in 0..rows {
            let second = _mm512_cvtepu8_epi32(_mm_loadu_si128(bytes[row + 1].as_ptr().cast()));
            let both = _mm512_or_si512(_mm512_slli_epi32::<8>(first), second);
            let within = _mm512_cmpgt_epu32_mask(lengths, _mm512_set1_epi32(row as i32));
            let with_next = _mm512_cmpgt_epu32_mask(lengths, _mm512_set1_epi32(row as i32 + 1));
            let symbols = match near {
                Some(near) => _mm512_mask_mov_epi32(never, within, near.symbols(&bytes[row])),
                None => _mm512_mask_i32gather_epi32::<4>(never, within, first, of_byte.as_ptr().cast()),
            };
            let ranks = _mm512_mask_i32gather_epi32::<4>(never, with_next, both, of_two.as_ptr().cast());
            _mm512_store_si512(group.symbols[row].0.as_mut_ptr().cast(), symbols);
            _mm512_store_si512(group.ranks[row].0.as_mut_ptr().cast(), ranks);
            first = second;
        }
    }
    group.end(rows);
}

/// Writes the symbols of pieces that begin at places among others, and what each and the one below it become.
#[target_feature(enable = "avx512f,avx512dq")]
#[inline]
pub fn begin_symbols<const N: usize>(
    group: &mut Group<N>,
    pairs: &PairHash,
    symbols: &[Symbol],
    (starts, lengths, rows): (&[u32; LANES], &[u32; LANES], usize),
) {
    let rows = rows.min(N - 1);
    let table = Table::new(pairs);
    let never = _mm512_set1_epi32(NEVER as i32);
    // Places of vectors have signs.
    let count = symbols.len().min(i32::MAX as usize) as i32;
    // SAFETY: rows are 64 bytes and aligned to as many, other numbers are asked for without; no symbol is read that is not there.
    #[allow(unsafe_code)]
    unsafe {
        let starts = _mm512_loadu_si512(starts.as_ptr().cast());
        let lengths = _mm512_loadu_si512(lengths.as_ptr().cast());
        let row_of = |row: usize| {
            let row = _mm512_set1_epi32(row as i32);
            let places = _mm512_add_epi32(starts, row);
            let within = _mm512_cmpgt_epu32_mask(lengths, row)
                & _mm512_cmplt_epu32_mask(places, _mm512_set1_epi32(count));
            _mm512_mask_i32gather_epi32::<4>(never, within, places, symbols.as_ptr().cast())
        };
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
                _mm512_store_si512(group.symbols[row].0.as_mut_ptr().cast(), above);
                _mm512_store_si512(group.ranks[row].0.as_mut_ptr().cast(), rank);
            }
        }
    }
    group.end(rows);
}

/// Merges that were made, and what their symbols become with their neighbours.
#[derive(Clone, Copy)]
struct Chosen {
    /// The rows before the merged symbols and those of them; no row of a piece that is done.
    before: __m512i,
    at: __m512i,
    left: __m512i,
    merged: __m512i,
    right: __m512i,
}

impl Chosen {
    /// The pairs that there are now.
    #[inline(always)]
    fn pairs(&self) -> [[__m512i; 2]; 2] {
        [[self.left, self.merged], [self.merged, self.right]]
    }
}

/// The lowest rank of each piece, above its row.
#[target_feature(enable = "avx512f,avx512dq")]
#[inline]
fn lowest<const N: usize>(group: &Group<N>) -> __m512i {
    let mut lowest = _mm512_set1_epi32(-1);
    for (row, ranks) in group.ranks[..group.going.min(N - 1)].iter().enumerate() {
        // SAFETY: rows are 64 bytes and aligned to as many.
        #[allow(unsafe_code)]
        let ranks = unsafe { _mm512_load_si512(ranks.0.as_ptr().cast()) };
        lowest = _mm512_min_epu32(lowest, with_row(ranks, row));
    }
    lowest
}

/// Ranks above the number of their row.
#[target_feature(enable = "avx512f,avx512dq")]
#[inline]
fn with_row(ranks: __m512i, row: usize) -> __m512i {
    _mm512_or_si512(_mm512_slli_epi32::<ROW_BITS>(ranks), _mm512_set1_epi32(row as i32))
}

/// Makes the next merge of each piece, whose lowest rank is known; nothing if there is none.
#[target_feature(enable = "avx512f,avx512dq")]
#[inline]
fn choose<const N: usize>(group: &mut Group<N>, lowest: __m512i) -> Option<Chosen> {
    let never = _mm512_set1_epi32(NEVER as i32);
    let all = |number: usize| _mm512_set1_epi32(number as i32);
    let rows = group.going.min(N - 1);
    // SAFETY: rows are 64 bytes and aligned to as many.
    #[allow(unsafe_code)]
    unsafe {
        let merged = _mm512_srli_epi32::<ROW_BITS>(lowest);
        let going = _mm512_cmplt_epu32_mask(merged, never);
        if going == 0 {
            return None;
        }
        // A piece that is done stays as it is.
        let at = _mm512_mask_and_epi32(all(64), going, lowest, all((1 << ROW_BITS) - 1));
        let before = _mm512_sub_epi32(at, all(1));
        let behind = _mm512_add_epi32(at, all(2));
        let (mut left, mut right) = (never, never);
        let mut symbols = _mm512_load_si512(group.symbols[0].0.as_ptr().cast());
        let mut ranks = _mm512_load_si512(group.ranks[0].0.as_ptr().cast());
        for row in 0..rows {
            let below = _mm512_load_si512(group.symbols[row + 1].0.as_ptr().cast());
            let ranks_below = _mm512_load_si512(group.ranks[row + 1].0.as_ptr().cast());
            let here = all(row);
            left = _mm512_mask_mov_epi32(left, _mm512_cmpeq_epi32_mask(here, before), symbols);
            right = _mm512_mask_mov_epi32(right, _mm512_cmpeq_epi32_mask(here, behind), symbols);
            let up = _mm512_cmpge_epu32_mask(here, at);
            let closed = _mm512_mask_mov_epi32(symbols, up, below);
            let closed = _mm512_mask_mov_epi32(closed, _mm512_cmpeq_epi32_mask(here, at), merged);
            _mm512_store_si512(group.symbols[row].0.as_mut_ptr().cast(), closed);
            let closed = _mm512_mask_mov_epi32(ranks, up, ranks_below);
            _mm512_store_si512(group.ranks[row].0.as_mut_ptr().cast(), closed);
            (symbols, ranks) = (below, ranks_below);
        }
        // Who goes on has lost a symbol in every step.
        group.going = rows - 1;
        Some(Chosen { before, at, left, merged, right })
    }
}

/// As [`super::rows::join_rows_one_by_one`].
#[target_feature(enable = "avx512f,avx512dq")]
#[inline]
pub fn join(symbols: &mut [Row], ranks: &mut [Row], none: Symbol) -> Joined {
    let count = symbols.len().min(ranks.len()).max(2) - 1;
    let (symbols, ranks) = (&mut symbols[..=count], &mut ranks[..=count]);
    let none = _mm512_set1_epi32(none as i32);
    let all = |number: usize| _mm512_set1_epi32(number as i32);
    // SAFETY: rows are 64 bytes and aligned to as many.
    #[allow(unsafe_code)]
    unsafe {
        let load = |row: &Row| _mm512_load_si512(row.0.as_ptr().cast());
        let store = |row: &mut Row, numbers| _mm512_store_si512(row.0.as_mut_ptr().cast(), numbers);
        let mut lowest = _mm512_set1_epi32(-1);
        for (row, ranks) in ranks[..count - 1].iter().enumerate() {
            let ranks = _mm512_slli_epi32::<PLACE_BITS>(load(ranks));
            lowest = _mm512_min_epu32(lowest, _mm512_or_si512(ranks, all(row)));
        }
        let best = _mm512_srli_epi32::<PLACE_BITS>(lowest);
        let at = _mm512_and_si512(lowest, all((1 << PLACE_BITS) - 1));
        let (row_before, row_behind) = (_mm512_sub_epi32(at, all(1)), _mm512_add_epi32(at, all(1)));
        let (mut before, mut behind) = (none, none);
        let (mut symbol, mut rank) = (load(&symbols[0]), load(&ranks[0]));
        for row in 0..count {
            let (below, rank_below) = (load(&symbols[row + 1]), load(&ranks[row + 1]));
            let here = all(row);
            let up = _mm512_cmpgt_epu32_mask(here, at);
            let is_at = _mm512_cmpeq_epi32_mask(here, at);
            let is_before = _mm512_cmpeq_epi32_mask(here, row_before);
            let moved = _mm512_mask_mov_epi32(symbol, up, below);
            before = _mm512_mask_mov_epi32(before, is_before, moved);
            behind = _mm512_mask_mov_epi32(behind, _mm512_cmpeq_epi32_mask(here, row_behind), moved);
            store(&mut symbols[row], _mm512_mask_mov_epi32(moved, is_at, best));
            let moved = _mm512_mask_mov_epi32(rank, up, rank_below);
            store(&mut ranks[row], _mm512_mask_mov_epi32(moved, is_at | is_before, none));
            (symbol, rank) = (below, rank_below);
        }
        let mut joined = [Row([0; LANES]); 4];
        for (row, numbers) in joined.iter_mut().zip([at, best, before, behind]) {
            store(row, numbers);
        }
        let [at, best, before, behind] = joined;
        Joined { at, best, before, behind }
    }
}

/// Writes what was looked up, and finds the lowest rank of each piece, as [`lowest`] does.
#[target_feature(enable = "avx512f,avx512dq")]
#[inline]
fn settle<const N: usize>(
    group: &mut Group<N>,
    &Chosen { before, at, .. }: &Chosen,
    [of_left, of_right]: [__m512i; 2],
) -> __m512i {
    let mut lowest = _mm512_set1_epi32(-1);
    for row in 0..group.going.min(N - 1) {
        let here = _mm512_set1_epi32(row as i32);
        let place = group.ranks[row].0.as_mut_ptr().cast();
        // SAFETY: rows are 64 bytes and aligned to as many.
        #[allow(unsafe_code)]
        unsafe {
            let ranks = _mm512_load_si512(place);
            let ranks = _mm512_mask_mov_epi32(ranks, _mm512_cmpeq_epi32_mask(here, before), of_left);
            let ranks = _mm512_mask_mov_epi32(ranks, _mm512_cmpeq_epi32_mask(here, at), of_right);
            _mm512_store_si512(place, ranks);
            lowest = _mm512_min_epu32(lowest, with_row(ranks, row));
        }
    }
    lowest
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
        assert!(pairs.may_be_gathered());
        Table { pilots: &pairs.pilots, slots: pairs.slots(), parts_log2: pairs.parts_log2 }
    }

    /// As `below` of the table.
    #[target_feature(enable = "avx512f,avx512dq")]
    #[inline]
    fn below(hash: __m512i, bound: usize) -> __m512i {
        let bound = _mm512_set1_epi64(bound as i64);
        let even = _mm512_srli_epi64::<32>(_mm512_mul_epu32(hash, bound));
        let odd = _mm512_mul_epu32(_mm512_srli_epi64::<32>(hash), bound);
        _mm512_mask_mov_epi32(even, 0xAAAA, odd)
    }

    /// What some times sixteen pairs become, each step of all of them before the next one: so their loads are on their way together.
    #[target_feature(enable = "avx512f,avx512dq")]
    #[inline]
    fn some<const K: usize>(&self, pairs: [[__m512i; 2]; K]) -> [__m512i; K] {
        let zero = _mm512_setzero_si512();
        let (mut buckets, mut pilots, mut slots, mut found) = ([zero; K], [zero; K], [zero; K], [zero; K]);
        let times = |numbers, by: u32| _mm512_mullo_epi32(numbers, _mm512_set1_epi32(by as i32));
        let sum = |[left, right]: [__m512i; 2], of: [u32; 2]| {
            _mm512_add_epi32(times(left, of[0]), times(right, of[1]))
        };
        for at in 0..K {
            let of_bucket = sum(pairs[at], OF_BUCKET);
            let mixed = _mm512_xor_si512(of_bucket, _mm512_srli_epi32::<MIX_SHIFT>(of_bucket));
            buckets[at] = times(mixed, MIX);
        }
        // SAFETY: these are places of the tables.
        #[allow(unsafe_code)]
        unsafe {
            for at in 0..K {
                let bucket = Self::below(buckets[at], self.pilots.len());
                // Two pilots are read, and the first of them is meant; the last one has none behind it.
                let first = _mm512_min_epu32(bucket, _mm512_set1_epi32(self.pilots.len() as i32 - 2));
                let is_last = _mm512_cmpneq_epi32_mask(bucket, first);
                let two = _mm512_i32gather_epi32::<2>(first, self.pilots.as_ptr().cast());
                let meant = _mm512_mask_srli_epi32::<16>(two, is_last, two);
                pilots[at] = _mm512_and_si512(meant, _mm512_set1_epi32(0xFFFF));
            }
            for at in 0..K {
                let moved = _mm512_xor_si512(sum(pairs[at], OF_SLOT), times(pilots[at], OF_PILOT));
                let moved = _mm512_xor_si512(times(moved, MOVED), _mm512_srli_epi32::<MOVED_SHIFT>(moved));
                let in_part = _mm512_srl_epi32(moved, _mm_cvtsi32_si128(self.parts_log2 as i32));
                let part =
                    _mm512_and_si512(buckets[at], _mm512_set1_epi32(part_bits(self.parts_log2) as i32));
                slots[at] = Self::below(_mm512_or_si512(part, in_part), self.slots.len());
            }
            let half = |numbers| _mm512_extracti64x4_epi64::<1>(numbers);
            let mut eights = [[zero; 2]; K];
            for at in 0..K {
                let table = self.slots.as_ptr().cast();
                eights[at] = [
                    _mm512_i32gather_epi64::<8>(_mm512_castsi512_si256(slots[at]), table),
                    _mm512_i32gather_epi64::<8>(half(slots[at]), table),
                ];
            }
            for at in 0..K {
                let [left, right] = pairs[at];
                let low =
                    Self::eight(eights[at][0], _mm512_castsi512_si256(left), _mm512_castsi512_si256(right));
                let high = Self::eight(eights[at][1], half(left), half(right));
                found[at] = _mm512_inserti64x4::<1>(_mm512_castsi256_si512(low), high);
            }
        }
        found
    }

    /// What eight pairs become, of whose places this was read.
    #[target_feature(enable = "avx512f,avx512dq")]
    #[inline]
    fn eight(found: __m512i, left: __m256i, right: __m256i) -> __m256i {
        let [left, right] = [left, right].map(|symbols| _mm512_cvtepu32_epi64(symbols));
        let key = _mm512_or_si512(_mm512_slli_epi64::<BITS>(left), right);
        let is = _mm512_cmpeq_epi64_mask(_mm512_srli_epi64::<BITS>(found), key);
        let never = _mm512_set1_epi64(NEVER as i64);
        _mm512_cvtepi64_epi32(_mm512_mask_and_epi64(never, is, found, never))
    }
}
