//! All ways of some short texts through a trie, side by side: a byte of each text at a time.
//!
//! What a step looks at was found out by the step before it, and no branch hangs on what it finds. Pieces that end somewhere
//! are put where none is in the way of another: by their end, their begin and their text. So sixteen ways take a step together
//! where the processor has such vectors, and what pieces come to is added up when all of them are known.
//!
//! This is the slow twin of `x86_walk`.

use std::hint::select_unpredictable;

use crate::flat::prefetch;

/// Texts that are walked together.
pub const TEXTS: usize = 16;
/// Bytes of a text, and the place behind them.
pub const PLACES: usize = 16;
/// Behind a text. No text has it.
pub const END: u8 = 0xFF;
/// What is no piece adds this, which is less than all that pieces may add.
pub const NOTHING: i32 = -(1 << 30);

/// For each begin in each text.
pub type ByBegin<T> = [T; PLACES * TEXTS];

/// A trie as it is walked. The low half of a node is the base of its children above the byte that leads to it, the high half what
/// the piece that ends there adds to a sum.
#[derive(Debug, Clone, Copy)]
pub struct Nodes<'n> {
    pub all: &'n [u64],
    /// Where the nodes of first bytes are, and behind those that of the mark.
    pub firsts: u32,
    /// The base of nodes without children.
    pub dead: u32,
}

/// The texts, and what is found in them.
#[derive(Debug)]
#[repr(align(64))]
pub struct Grid {
    /// By place and text.
    pub text: [[u8; TEXTS]; PLACES],
    /// Of each text, the places where characters begin, and those that are a mark.
    pub begins: [u16; TEXTS],
    pub marks: [u16; TEXTS],
    /// By end, what pieces add to a sum, and the node where each ends. Behind the last end is room for what is not looked at.
    pub worth: [ByBegin<i32>; PLACES + 1],
    pub nodes: [ByBegin<u32>; PLACES + 1],
    /// Ways that go on: the base of the next node, and in the lowest byte the begin and the text.
    ways: [u32; PLACES * TEXTS],
}

impl Default for Grid {
    fn default() -> Self {
        Grid {
            text: [[END; TEXTS]; PLACES],
            begins: [0; TEXTS],
            marks: [0; TEXTS],
            worth: [[NOTHING; PLACES * TEXTS]; PLACES + 1],
            nodes: [[0; PLACES * TEXTS]; PLACES + 1],
            ways: [0; PLACES * TEXTS],
        }
    }
}

/// The bits of a way that tell where it began, and in which text.
const BEGIN: u32 = 0xFF;

/// Bytes of a character, by its first one.
#[inline(always)]
fn width(first: u8) -> usize {
    1 + usize::from(first >= 0xC0) + usize::from(first >= 0xE0) + usize::from(first >= 0xF0)
}

/// Finds all pieces in texts of which the longest has `most` bytes.
#[inline(always)]
pub fn walk_one_by_one(nodes: Nodes<'_>, most: usize, grid: &mut Grid) {
    for end in 1..=most.min(PLACES - 1) {
        grid.worth[end][..end * TEXTS].fill(NOTHING);
    }
    let mut going = 0;
    for at in 0..most.min(PLACES - 1) {
        going = go_on(nodes, at, going, grid);
        going = begin(nodes, at, going, grid);
    }
}

/// Takes all ways over a byte of their texts, and says how many still go on.
#[inline(always)]
fn go_on(nodes: Nodes<'_>, at: usize, going: usize, grid: &mut Grid) -> usize {
    let Grid { text, worth, nodes: ends, ways, .. } = grid;
    let (row, next) = (&text[at], &text[at + 1]);
    let (worth, ends) = (&mut worth[at + 1], &mut ends[at + 1]);
    let mut kept = 0;
    for way in 0..going.min(PLACES * TEXTS) {
        let (base, begin) = (ways[way] >> 8, ways[way] & BEGIN);
        let of = begin as usize % TEXTS;
        let slot = base ^ u32::from(row[of]);
        let node = nodes.all[slot as usize];
        let goes_on = node as u8 == row[of];
        let base = node as u32 >> 8;
        prefetch(nodes.all, (base ^ u32::from(next[of])) as usize);
        ways[kept % (PLACES * TEXTS)] = node as u32 & !BEGIN | begin;
        kept += usize::from(goes_on & (base < nodes.dead));
        // What is unknown may be there already, where a character ends that is no piece.
        let (adds, begin) = ((node >> 32) as i32, begin as usize);
        let is_piece = goes_on & (adds != NOTHING);
        worth[begin] = select_unpredictable(is_piece, adds, worth[begin]);
        ends[begin] = select_unpredictable(is_piece, slot, ends[begin]);
    }
    kept
}

/// Begins a way in each text that has a character at a place.
#[inline(always)]
fn begin(nodes: Nodes<'_>, at: usize, mut going: usize, grid: &mut Grid) -> usize {
    let Grid { text, begins, marks, worth, nodes: ends, ways } = grid;
    for of in 0..TEXTS {
        if begins[of] >> at & 1 == 0 {
            continue;
        }
        let byte = text[at][of];
        let is_mark = marks[of] >> at & 1 == 1;
        let slot = nodes.firsts + if is_mark { 256 } else { byte.into() };
        let end = at + if is_mark { 1 } else { width(byte) };
        let node = nodes.all[slot as usize];
        let begin = at * TEXTS + of;
        worth[end % PLACES][begin] = (node >> 32) as i32;
        ends[end % PLACES][begin] = slot;
        let base = node as u32 >> 8;
        prefetch(nodes.all, (base ^ u32::from(text[at + 1][of])) as usize);
        ways[going % (PLACES * TEXTS)] = node as u32 & !BEGIN | begin as u32;
        going += usize::from(base < nodes.dead);
    }
    going
}

/// A number for each text.
pub type Row = [i32; TEXTS];

/// What is known of a place from which pieces begin, for each text.
#[derive(Debug, Clone, Copy, Default)]
pub struct Place {
    /// The best sum there.
    pub sum: Row,
    /// By how much the best arrival is better than all others, the least on the best way there, and the least for each character.
    pub apart: Row,
    pub apart_each: [f32; TEXTS],
}

/// What arrives at a place.
#[derive(Debug, Clone, Copy)]
pub struct Arrived {
    pub best: Row,
    /// The best of all others.
    pub second: Row,
    /// The begin of the piece with which the best arrives, and what is known there.
    pub from: Row,
    pub apart: Row,
    pub apart_each: [f32; TEXTS],
}

/// Takes the best of what arrives from some begins, in order; of equals the first.
#[inline(always)]
pub fn arrived_one_by_one(before: &[Place], worth: &[Row]) -> Arrived {
    let (best, second) = ([i32::MIN; TEXTS], [i32::MIN; TEXTS]);
    let mut arrived = Arrived { best, second, from: [0; TEXTS], apart: [0; TEXTS], apart_each: [0.0; TEXTS] };
    let Arrived { best, second, from, apart, apart_each } = &mut arrived;
    for (begin, (before, worth)) in (0..).zip(before.iter().zip(worth)) {
        for of in 0..TEXTS {
            let sum = before.sum[of] + worth[of];
            let is_better = sum > best[of];
            second[of] = second[of].max(sum.min(best[of]));
            best[of] = best[of].max(sum);
            from[of] = select_unpredictable(is_better, begin, from[of]);
            apart[of] = select_unpredictable(is_better, before.apart[of], apart[of]);
            apart_each[of] = select_unpredictable(is_better, before.apart_each[of], apart_each[of]);
        }
    }
    arrived
}

/// Texts column by column: their first bytes, then their second ones.
#[inline(always)]
pub fn turned_one_by_one(texts: &[[u8; PLACES]; TEXTS]) -> [[u8; TEXTS]; PLACES] {
    std::array::from_fn(|at| std::array::from_fn(|of| texts[of][at]))
}
