//! The steps of [`super::sixteen`] by vectors of 64 bytes.

use std::arch::x86_64::*;

use super::pairs::{
    BITS, MIX, MIX_SHIFT, MOVED, MOVED_SHIFT, NEVER, OF_BUCKET, OF_PILOT, OF_SLOT, PairHash, Symbol,
    part_bits,
};
use super::rows::{Group, Joined, LANES, PLACE_BITS, Row};
use super::symbols::Ids;
#[cfg(miri)]
use super::x86_interpreted::{
    _mm512_i32gather_epi32, _mm512_i32gather_epi64, _mm512_mask_i32gather_epi32, _mm512_srl_epi32,
};
use crate::ids::TokenId;

/// Bits of a row among the ranks that are looked through for the lowest one.
const ROW_BITS: u32 = 6;
const _: () = assert!(BITS + ROW_BITS <= 32);

/// Makes all merges of two groups and puts ids in the place of symbols.
#[target_feature(enable = "avx512f,avx512dq")]
#[inline]
pub fn merge<const N: usize>(groups: &mut [Group<N>; 2], pairs: &PairHash, ids: &Ids) {
    const { assert!(N <= 1 << ROW_BITS) };
    let table = Table::new(pairs);
    // While one group waits for what it has looked up, the other one goes on.
    let [first, second] = &mut *groups;
    let mut of_first = choose(first, &table);
    let mut of_second = choose(second, &table);
    while of_first.is_some() | of_second.is_some() {
        if let Some(chosen) = of_first {
            settle(first, chosen);
            of_first = choose(first, &table);
        }
        if let Some(chosen) = of_second {
            settle(second, chosen);
            of_second = choose(second, &table);
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

/// Writes the symbols of the first bytes of pieces, and what each and the one below it become.
#[target_feature(enable = "avx512f,avx512dq,avx512vbmi")]
#[inline]
pub fn begin<const N: usize>(
    group: &mut Group<N>,
    of_byte: &[Symbol; 256],
    of_two: &[Symbol; 1 << 16],
    (bytes, lengths, rows): (&[[u8; LANES]; N], &[u32; LANES], usize),
) {
    let rows = rows.min(N - 1);
    let never = _mm512_set1_epi32(NEVER as i32);
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
            let symbols = _mm512_mask_i32gather_epi32::<4>(never, within, first, of_byte.as_ptr().cast());
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
        let mut above = row_of(0);
        for row in 0..rows {
            let below = row_of(row + 1);
            _mm512_store_si512(group.symbols[row].0.as_mut_ptr().cast(), above);
            _mm512_store_si512(group.ranks[row].0.as_mut_ptr().cast(), table.sixteen(above, below));
            above = below;
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
    of_left: __m512i,
    of_right: __m512i,
}

/// Makes the next merge of each piece, and looks up the new pairs; nothing if there is none.
#[target_feature(enable = "avx512f,avx512dq")]
#[inline]
fn choose<const N: usize>(group: &mut Group<N>, table: &Table<'_>) -> Option<Chosen> {
    let never = _mm512_set1_epi32(NEVER as i32);
    let all = |number: usize| _mm512_set1_epi32(number as i32);
    let rows = group.going.min(N - 1);
    // SAFETY: rows are 64 bytes and aligned to as many.
    #[allow(unsafe_code)]
    unsafe {
        let mut lowest = _mm512_set1_epi32(-1);
        for (row, ranks) in group.ranks[..rows].iter().enumerate() {
            let ranks = _mm512_load_si512(ranks.0.as_ptr().cast());
            lowest =
                _mm512_min_epu32(lowest, _mm512_or_si512(_mm512_slli_epi32::<ROW_BITS>(ranks), all(row)));
        }
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
        let of_left = table.sixteen(left, merged);
        let of_right = table.sixteen(merged, right);
        Some(Chosen { before, at, of_left, of_right })
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

/// Writes what was looked up.
#[target_feature(enable = "avx512f,avx512dq")]
#[inline]
fn settle<const N: usize>(group: &mut Group<N>, Chosen { before, at, of_left, of_right }: Chosen) {
    let all = |number: usize| _mm512_set1_epi32(number as i32);
    for row in 0..group.going.min(N - 1) {
        let place = group.ranks[row].0.as_mut_ptr().cast();
        // SAFETY: rows are 64 bytes and aligned to as many.
        #[allow(unsafe_code)]
        unsafe {
            let ranks = _mm512_load_si512(place);
            let ranks = _mm512_mask_mov_epi32(ranks, _mm512_cmpeq_epi32_mask(all(row), before), of_left);
            let ranks = _mm512_mask_mov_epi32(ranks, _mm512_cmpeq_epi32_mask(all(row), at), of_right);
            _mm512_store_si512(place, ranks);
        }
    }
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

    /// What sixteen pairs become.
    #[target_feature(enable = "avx512f,avx512dq")]
    #[inline]
    fn sixteen(&self, left: __m512i, right: __m512i) -> __m512i {
        let times = |numbers, by: u32| _mm512_mullo_epi32(numbers, _mm512_set1_epi32(by as i32));
        let sum = |of: [u32; 2]| _mm512_add_epi32(times(left, of[0]), times(right, of[1]));
        let of_bucket = sum(OF_BUCKET);
        let of_bucket = times(_mm512_xor_si512(of_bucket, _mm512_srli_epi32::<MIX_SHIFT>(of_bucket)), MIX);
        let bucket = Self::below(of_bucket, self.pilots.len());
        // Two pilots are read, and the first of them is meant; the last one has none behind it.
        let first = _mm512_min_epu32(bucket, _mm512_set1_epi32(self.pilots.len() as i32 - 2));
        let is_last = _mm512_cmpneq_epi32_mask(bucket, first);
        // SAFETY: these are places of the tables.
        #[allow(unsafe_code)]
        unsafe {
            let pilots = _mm512_i32gather_epi32::<2>(first, self.pilots.as_ptr().cast());
            let pilots = _mm512_mask_srli_epi32::<16>(pilots, is_last, pilots);
            let pilots = _mm512_and_si512(pilots, _mm512_set1_epi32(0xFFFF));
            let moved = _mm512_xor_si512(sum(OF_SLOT), times(pilots, OF_PILOT));
            let moved = _mm512_xor_si512(times(moved, MOVED), _mm512_srli_epi32::<MOVED_SHIFT>(moved));
            let in_part = _mm512_srl_epi32(moved, _mm_cvtsi32_si128(self.parts_log2 as i32));
            let part = _mm512_and_si512(of_bucket, _mm512_set1_epi32(part_bits(self.parts_log2) as i32));
            let slots = Self::below(_mm512_or_si512(part, in_part), self.slots.len());
            let (low, high) = (_mm512_castsi512_si256(slots), _mm512_extracti64x4_epi64::<1>(slots));
            let half = |numbers| _mm512_extracti64x4_epi64::<1>(numbers);
            let low = self.eight(low, _mm512_castsi512_si256(left), _mm512_castsi512_si256(right));
            let high = self.eight(high, half(left), half(right));
            _mm512_inserti64x4::<1>(_mm512_castsi256_si512(low), high)
        }
    }

    /// What eight pairs become.
    ///
    /// # Safety
    /// `slots` are places of the table.
    #[target_feature(enable = "avx512f,avx512dq")]
    #[inline]
    #[allow(unsafe_code)]
    unsafe fn eight(&self, slots: __m256i, left: __m256i, right: __m256i) -> __m256i {
        // SAFETY: the caller says so.
        let found = unsafe { _mm512_i32gather_epi64::<8>(slots, self.slots.as_ptr().cast()) };
        let [left, right] = [left, right].map(|symbols| _mm512_cvtepu32_epi64(symbols));
        let key = _mm512_or_si512(_mm512_slli_epi64::<BITS>(left), right);
        let is = _mm512_cmpeq_epi64_mask(_mm512_srli_epi64::<BITS>(found), key);
        let never = _mm512_set1_epi64(NEVER as i64);
        _mm512_cvtepi64_epi32(_mm512_mask_and_epi64(never, is, found, never))
    }
}
