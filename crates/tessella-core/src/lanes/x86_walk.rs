//! The steps of [`super::walk`] by vectors of 64 bytes: sixteen ways at a time.

use std::arch::x86_64::*;

use super::walk::{Arrived, Grid, NOTHING, Nodes, PLACES, Place, Row, TEXTS};
#[cfg(miri)]
use super::x86_interpreted::_mm512_mask_i32gather_epi64;
use super::x86_sixteen::columns;

const _: () = assert!(PLACES == 16 && TEXTS == 16);

/// Begins that are walked from together: a step of one waits for nothing that another one does.
const ABREAST: usize = 4;

/// Ways that begin at a place, one in each text.
#[derive(Clone, Copy)]
struct Ways {
    /// The texts in which the character there has two, three and four bytes.
    longer: [__mmask16; 3],
    /// What its first byte tells.
    adds: __m512i,
    slot: __m512i,
    /// Texts whose way goes on, and from which nodes.
    going: __mmask16,
    node: __m512i,
}

/// Finds all pieces in texts of which the longest has `most` bytes.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,popcnt")]
#[inline]
pub fn walk(nodes: Nodes<'_>, most: usize, grid: &mut Grid) {
    let most = most.min(PLACES - 1);
    for first in (0..most).step_by(ABREAST) {
        let mut ways: [Ways; ABREAST] = std::array::from_fn(|at| begin(nodes, first + at, grid));
        let mut step = 1;
        while ways.iter().fold(0, |going, ways| going | ways.going) != 0 {
            for (at, ways) in ways.iter_mut().enumerate() {
                go_on(nodes, first + at, step, ways, grid);
            }
            step += 1;
        }
        for (at, ways) in ways.iter().enumerate() {
            for end in first + at + step + 1..=most {
                put(grid, end, first + at, !0, _mm512_set1_epi32(NOTHING), ways.slot);
            }
            if ways.longer != [0; 3] {
                put_unknown(first + at, ways, grid);
            }
        }
    }
}

/// Nodes by their places, of those whose bit is set: low halves, and high halves.
#[target_feature(enable = "avx512f,avx512vl")]
#[inline]
fn gather(nodes: &[u64], slots: __m512i, which: __mmask16) -> (__m512i, __m512i) {
    let which = which & _mm512_cmplt_epu32_mask(slots, _mm512_set1_epi32(nodes.len() as i32));
    let (low, high) = (_mm512_castsi512_si256(slots), _mm512_extracti64x4_epi64::<1>(slots));
    let zeros = _mm512_setzero_si512();
    // SAFETY: what is read are nodes: their places are below their number, which fits into 31 bits as the places of tries do.
    #[allow(unsafe_code)]
    let (first, second) = unsafe {
        let at = nodes.as_ptr().cast();
        (
            _mm512_mask_i32gather_epi64::<8>(zeros, which as u8, low, at),
            _mm512_mask_i32gather_epi64::<8>(zeros, (which >> 8) as u8, high, at),
        )
    };
    let even = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
    let odd = _mm512_or_si512(even, _mm512_set1_epi32(1));
    (_mm512_permutex2var_epi32(first, even, second), _mm512_permutex2var_epi32(first, odd, second))
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
#[inline]
fn row(text: &[u8; TEXTS]) -> __m512i {
    // SAFETY: sixteen bytes are there, and this load asks for no alignment.
    #[allow(unsafe_code)]
    unsafe {
        _mm512_cvtepu8_epi32(_mm_loadu_si128(text.as_ptr().cast()))
    }
}

/// Puts what pieces add and their nodes.
#[target_feature(enable = "avx512f")]
#[inline]
fn put(grid: &mut Grid, end: usize, begin: usize, which: __mmask16, adds: __m512i, slot: __m512i) {
    let (end, begin) = (end.min(PLACES), begin % PLACES * TEXTS);
    if let Some(worth) = grid.worth[end][begin..].first_chunk_mut::<TEXTS>()
        && let Some(nodes) = grid.nodes[end][begin..].first_chunk_mut::<TEXTS>()
    {
        // SAFETY: there is room for sixteen numbers, and these stores ask for no alignment.
        #[allow(unsafe_code)]
        unsafe {
            _mm512_mask_storeu_epi32(worth.as_mut_ptr(), which, adds);
            _mm512_mask_storeu_epi32(nodes.as_mut_ptr().cast(), which, slot);
        }
    }
}

/// Begins a way in each text that has a character at a place.
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
#[inline]
fn begin(nodes: Nodes<'_>, at: usize, grid: &mut Grid) -> Ways {
    let here = _mm256_set1_epi16((1u16 << (at % PLACES)) as i16);
    // SAFETY: sixteen numbers of two bytes are there, and these loads ask for no alignment.
    #[allow(unsafe_code)]
    let (begins, marks) = unsafe {
        (_mm256_loadu_si256(grid.begins.as_ptr().cast()), _mm256_loadu_si256(grid.marks.as_ptr().cast()))
    };
    let (begins, marks) = (_mm256_test_epi16_mask(begins, here), _mm256_test_epi16_mask(marks, here));
    let all = |number: u32| _mm512_set1_epi32(number as i32);
    let bytes = _mm512_mask_blend_epi32(marks, row(&grid.text[at % PLACES]), all(256));
    let slot = _mm512_add_epi32(bytes, all(nodes.firsts));
    let (node, adds) = gather(nodes.all, slot, begins);
    let from = |least: u32| _mm512_mask_cmpge_epu32_mask(begins & !marks, bytes, all(least));
    let (two, three, four) = (from(0xC0), from(0xE0), from(0xF0));
    let adds_here = _mm512_mask_mov_epi32(all(NOTHING as u32), begins & !two, adds);
    put(grid, at + 1, at, !0, adds_here, slot);
    let going = _mm512_mask_cmplt_epu32_mask(begins, node, all(nodes.dead << 8));
    Ways { longer: [two & !three, three & !four, four], adds, slot, going, node }
}

/// Takes ways, of as many bytes as there were steps, over another byte.
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
#[inline]
fn go_on(nodes: Nodes<'_>, begin: usize, steps: usize, ways: &mut Ways, grid: &mut Grid) {
    let at = begin + steps;
    // No way goes over the end of a text, behind which there is no place to look at.
    let byte = row(&grid.text[at.min(PLACES - 1)]);
    let slot = _mm512_xor_si512(_mm512_srli_epi32::<8>(ways.node), byte);
    let (node, adds) = gather(nodes.all, slot, ways.going);
    let differs = _mm512_xor_si512(node, byte);
    let goes_on = _mm512_mask_testn_epi32_mask(ways.going, differs, _mm512_set1_epi32(0xFF));
    let adds = _mm512_mask_mov_epi32(_mm512_set1_epi32(NOTHING), goes_on, adds);
    put(grid, at + 1, begin, !0, adds, slot);
    ways.going = _mm512_mask_cmplt_epu32_mask(goes_on, node, _mm512_set1_epi32((nodes.dead << 8) as i32));
    ways.node = node;
}

/// Puts what longer characters add that are no pieces.
#[target_feature(enable = "avx512f")]
#[inline]
fn put_unknown(at: usize, ways: &Ways, grid: &mut Grid) {
    for (length, which) in (2..).zip(ways.longer) {
        let Some(worth) = grid.worth[(at + length).min(PLACES)][at % PLACES * TEXTS..].first_chunk::<TEXTS>()
        else {
            return;
        };
        // SAFETY: sixteen numbers are there, and this load asks for no alignment.
        #[allow(unsafe_code)]
        let worth = unsafe { _mm512_loadu_si512(worth.as_ptr().cast()) };
        let which = _mm512_mask_cmpeq_epi32_mask(which, worth, _mm512_set1_epi32(NOTHING));
        put(grid, at + length, at, which, ways.adds, ways.slot);
    }
}

/// Takes the best of what arrives from some begins, in order; of equals the first.
#[target_feature(enable = "avx512f")]
#[inline]
pub fn arrived(before: &[Place], worth: &[Row]) -> Arrived {
    // SAFETY: sixteen numbers are there, and this load asks for no alignment.
    #[allow(unsafe_code)]
    let load = |row: &Row| unsafe { _mm512_loadu_si512(row.as_ptr().cast()) };
    let (mut best, mut second) = (_mm512_set1_epi32(i32::MIN), _mm512_set1_epi32(i32::MIN));
    let (mut from, mut apart, mut apart_each) =
        (_mm512_setzero_si512(), _mm512_setzero_si512(), _mm512_setzero_ps());
    for (begin, (before, worth)) in (0..).zip(before.iter().zip(worth)) {
        let sum = _mm512_add_epi32(load(&before.sum), load(worth));
        let is_better = _mm512_cmpgt_epi32_mask(sum, best);
        second = _mm512_max_epi32(second, _mm512_min_epi32(sum, best));
        best = _mm512_max_epi32(best, sum);
        from = _mm512_mask_mov_epi32(from, is_better, _mm512_set1_epi32(begin));
        apart = _mm512_mask_mov_epi32(apart, is_better, load(&before.apart));
        // SAFETY: as above.
        #[allow(unsafe_code)]
        let each = unsafe { _mm512_loadu_ps(before.apart_each.as_ptr()) };
        apart_each = _mm512_mask_mov_ps(apart_each, is_better, each);
    }
    // SAFETY: all bits are numbers, and both are as large.
    #[allow(unsafe_code)]
    let row = |numbers: __m512i| unsafe { std::mem::transmute::<__m512i, Row>(numbers) };
    Arrived {
        best: row(best),
        second: row(second),
        from: row(from),
        apart: row(apart),
        apart_each: row(_mm512_castps_si512(apart_each)).map(|bits| f32::from_bits(bits as u32)),
    }
}

/// Texts column by column: their first bytes, then their second ones.
#[target_feature(enable = "avx512f,avx512vbmi")]
#[inline]
pub fn turned(texts: &[[u8; PLACES]; TEXTS]) -> [[u8; TEXTS]; PLACES] {
    let (fours, _) = texts.as_chunks::<4>();
    // SAFETY: four texts are 64 bytes, and these loads ask for no alignment.
    #[allow(unsafe_code)]
    let load = |at: usize| unsafe { _mm512_loadu_si512(fours[at].as_ptr().cast()) };
    columns([load(0), load(1), load(2), load(3)])
}
