//! The merge loops. All of them take first symbols and leave merged ones.
//!
//! - up to [`LINEAR`] symbols: keep the rank of every adjacent pair, take the leftmost lowest, repeat. Quadratic
//!   with a tiny constant, and most pieces have under ten symbols;
//! - above: a heap of candidates by (rank, position) over a linked list. A candidate is stale if its pair is
//!   gone; it still counts if the pair now at its position gives the same token. O(n log n), no recursion;
//! - with dropout: the heap, where a popped candidate is set aside with probability p and comes back after the
//!   next merge that goes through.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::pairs::{Merge, PairTable};
use crate::ids::{PieceToken, TokenId};
use crate::random::Random;

const LINEAR: usize = 32;
const NO_RANK: u32 = u32::MAX;
const NO_LINK: u32 = u32::MAX;

/// Candidate in the heap: rank, position, expected result.
type Candidate = Reverse<(u32, u32, TokenId)>;

#[derive(Debug, Clone, Copy)]
struct Symbol {
    id: TokenId,
    /// Bytes of the piece, gap before included from `start`.
    start: u32,
    end: u32,
    prev: u32,
    next: u32,
    alive: bool,
}

/// Reusable buffers for merging one piece.
#[derive(Debug, Default)]
pub struct MergeScratch {
    symbols: Vec<Symbol>,
    /// Bytes consumed so far, gaps included.
    at: u32,
    ranks: Vec<Merge>,
    heap: BinaryHeap<Candidate>,
    set_aside: Vec<Candidate>,
}

impl MergeScratch {
    pub(super) fn clear(&mut self) {
        self.symbols.clear();
        self.at = 0;
    }

    /// Appends a symbol that covers the next `len` bytes.
    #[inline]
    pub(super) fn push(&mut self, id: TokenId, len: usize) {
        let start = self.at;
        self.at += len as u32;
        self.symbols.push(Symbol { id, start, end: self.at, prev: 0, next: 0, alive: true });
    }

    /// Passes over `len` bytes that no symbol stands for.
    pub(super) fn push_gap(&mut self, len: usize) {
        self.at += len as u32;
    }

    pub(super) fn emit(&self, out: &mut Vec<PieceToken>) {
        for symbol in &self.symbols {
            if symbol.alive {
                out.push(PieceToken { id: symbol.id, start: symbol.start, end: symbol.end, surface: false });
            }
        }
    }
}

pub(super) fn merge_all(scratch: &mut MergeScratch, pairs: &PairTable) {
    match scratch.symbols.len() {
        0 | 1 => {}
        2..=LINEAR => merge_linear(scratch, pairs),
        _ => merge_heap(scratch, pairs, |_| false),
    }
}

pub(super) fn merge_with_dropout(
    scratch: &mut MergeScratch,
    pairs: &PairTable,
    probability: f64,
    random: &mut Random,
) {
    if scratch.symbols.len() > 1 {
        merge_heap(scratch, pairs, |_| random.next_f64() < probability);
    }
}

const NO_MERGE: Merge = Merge { rank: NO_RANK, result: 0 };

fn merge_linear(scratch: &mut MergeScratch, pairs: &PairTable) {
    let symbols = &mut scratch.symbols;
    let ranks = &mut scratch.ranks;
    ranks.clear();
    ranks.extend(symbols.windows(2).map(|pair| pairs.get(pair[0].id, pair[1].id).unwrap_or(NO_MERGE)));
    loop {
        let mut best = NO_RANK;
        let mut at = 0;
        for (index, merge) in ranks.iter().enumerate() {
            if merge.rank < best {
                best = merge.rank;
                at = index;
            }
        }
        if best == NO_RANK {
            return;
        }
        symbols[at].id = ranks[at].result;
        symbols[at].end = symbols[at + 1].end;
        symbols.remove(at + 1);
        ranks.remove(at);
        if at > 0 {
            ranks[at - 1] = pairs.get(symbols[at - 1].id, symbols[at].id).unwrap_or(NO_MERGE);
        }
        if at < ranks.len() {
            ranks[at] = pairs.get(symbols[at].id, symbols[at + 1].id).unwrap_or(NO_MERGE);
        }
    }
}

fn merge_heap(scratch: &mut MergeScratch, pairs: &PairTable, mut drop: impl FnMut(&Candidate) -> bool) {
    let MergeScratch { symbols, heap, set_aside, .. } = scratch;
    let count = symbols.len() as u32;
    for (index, symbol) in symbols.iter_mut().enumerate() {
        symbol.prev = (index as u32).wrapping_sub(1);
        symbol.next = if index as u32 + 1 < count { index as u32 + 1 } else { NO_LINK };
    }
    heap.clear();
    set_aside.clear();
    // Building the heap from a list is linear; pushing one by one is not.
    let mut first: Vec<Candidate> = std::mem::take(heap).into_vec();
    first.extend(symbols.windows(2).enumerate().filter_map(|(index, pair)| {
        pairs.get(pair[0].id, pair[1].id).map(|merge| Reverse((merge.rank, index as u32, merge.result)))
    }));
    *heap = BinaryHeap::from(first);
    while let Some(candidate) = heap.pop() {
        if drop(&candidate) {
            set_aside.push(candidate);
            continue;
        }
        heap.extend(set_aside.drain(..));
        let Reverse((_, at, result)) = candidate;
        let left = symbols[at as usize];
        if !left.alive || left.next == NO_LINK {
            continue;
        }
        let right = symbols[left.next as usize];
        if pairs.get(left.id, right.id).is_none_or(|merge| merge.result != result) {
            continue;
        }
        symbols[left.next as usize].alive = false;
        let merged = &mut symbols[at as usize];
        merged.id = result;
        merged.end = right.end;
        merged.next = right.next;
        if right.next != NO_LINK {
            symbols[right.next as usize].prev = at;
            if let Some(merge) = pairs.get(result, symbols[right.next as usize].id) {
                heap.push(Reverse((merge.rank, at, merge.result)));
            }
        }
        if left.prev != NO_LINK
            && let Some(merge) = pairs.get(symbols[left.prev as usize].id, result)
        {
            heap.push(Reverse((merge.rank, left.prev, merge.result)));
        }
    }
}
