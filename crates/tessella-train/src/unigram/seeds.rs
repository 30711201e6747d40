//! Seed pieces: every single character, and the substrings that are worth a try.
//!
//! A substring is a candidate if it occurs in the distinct pieces with at least two different continuations (the
//! end of a piece is one), has two characters or more and at most `max_piece_length`: the inner nodes of the suffix
//! tree. Its score is its number of occurrences in the *distinct* pieces times its length. The best `seed_size` are
//! taken, by score, then by text, both descending.
//!
//! Suffixes never matter beyond `max_piece_length + 1` characters, so instead of a full suffix array the positions
//! are sorted by that many characters: first by as many as fit in one machine word, then by the rest. They are dealt
//! out by the beginning of that word before, so that no single sort is long: training must be easy to stop. The inner
//! nodes are the intervals of equal beginnings, found in one pass with a stack.

use tessella_core::Result;

use super::corpus::{Corpus, END};
use crate::progress::{Progress, check, check_at};

/// A seed: the sorted suffixes `left..=right` begin with it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Node {
    pub(crate) left: u32,
    pub(crate) right: u32,
    pub(crate) len: u32,
}

impl Node {
    fn score(&self) -> u64 {
        u64::from(self.right - self.left + 1) * u64::from(self.len)
    }
}

#[derive(Debug)]
pub(crate) struct Seeds {
    /// Positions of all suffixes, sorted.
    pub(crate) suffixes: Vec<u32>,
    /// The chosen substrings, best first.
    pub(crate) nodes: Vec<Node>,
    pub(crate) scores: Vec<u64>,
}

pub(crate) fn find(
    corpus: &Corpus,
    longest: usize,
    at_most: usize,
    threads: usize,
    progress: &dyn Progress,
) -> Result<Seeds> {
    let sorter = Sorter::new(corpus, longest + 1);
    let keyed = sorter.sorted(threads, progress)?;
    let mut nodes = inner_nodes(&sorter, &keyed, longest, progress)?;
    let suffixes: Vec<u32> = keyed.into_iter().map(|(_, position)| position).collect();
    let best_first = |a: &Node, b: &Node| {
        // Sorted suffixes are sorted texts; of two nodes that begin at the same suffix the shorter comes first.
        (b.score(), b.left, b.len).cmp(&(a.score(), a.left, a.len))
    };
    check(progress)?;
    if nodes.len() > at_most {
        if at_most > 0 {
            nodes.select_nth_unstable_by(at_most - 1, best_first);
        }
        nodes.truncate(at_most);
    }
    check(progress)?;
    nodes.sort_unstable_by(best_first);
    let scores = nodes.iter().map(Node::score).collect();
    Ok(Seeds { suffixes, nodes, scores })
}

/// Bits of the key by which positions are dealt out before they are sorted.
const BEGINNING: u32 = 16;

pub(crate) struct Sorter<'a> {
    corpus: &'a Corpus,
    /// Characters that matter.
    depth: usize,
    bits: u32,
    /// Characters in a key.
    in_key: usize,
}

impl<'a> Sorter<'a> {
    pub(crate) fn new(corpus: &'a Corpus, depth: usize) -> Self {
        let bits = (usize::BITS - (corpus.alphabet.len() - 1).leading_zeros()).max(1);
        Sorter { corpus, depth, bits, in_key: (64 / bits) as usize }
    }

    /// The first characters as one number; nothing follows an end.
    fn key(&self, position: usize) -> u64 {
        let mut key = 0u64;
        let cells = self.corpus.cells[position..].iter();
        let mut taken = 0;
        for &cell in cells.take(self.in_key).take_while(|&&cell| cell != END) {
            key = key << self.bits | u64::from(cell);
            taken += 1;
        }
        // A key of 64 single bits would be shifted out as a whole only if nothing was taken, and then it is 0.
        key.checked_shl(self.bits * (self.in_key - taken) as u32).unwrap_or(0)
    }

    /// The characters after the key, as far as they matter.
    fn rest(&self, position: u32) -> impl Iterator<Item = u32> + '_ {
        let start = position as usize + self.in_key;
        let cells = self.corpus.cells.get(start..).unwrap_or(&[]);
        cells.iter().copied().take(self.depth.saturating_sub(self.in_key)).take_while(|&cell| cell != END)
    }

    /// True if the piece goes on for as long as a key reaches.
    fn fills_key(&self, key: u64) -> bool {
        key & ((1u64 << self.bits) - 1) != 0
    }

    fn compare(&self, a: &(u64, u32), b: &(u64, u32)) -> std::cmp::Ordering {
        a.0.cmp(&b.0).then_with(|| {
            if self.fills_key(a.0) && self.depth > self.in_key {
                self.rest(a.1).cmp(self.rest(b.1))
            } else {
                std::cmp::Ordering::Equal
            }
            .then(a.1.cmp(&b.1))
        })
    }

    /// All positions with their keys, in order. Equal beginnings are ordered by position, so the order is the same
    /// for any number of threads.
    pub(crate) fn sorted(&self, threads: usize, progress: &dyn Progress) -> Result<Vec<(u64, u32)>> {
        let beginning = (self.bits * self.in_key as u32).min(BEGINNING);
        let shift = self.bits * self.in_key as u32 - beginning;
        let part = |key: u64| (key >> shift) as usize;
        let mut starts = vec![0usize; (1 << beginning) + 1];
        for (position, &cell) in self.corpus.cells.iter().enumerate() {
            check_at(progress, position)?;
            if cell != END {
                starts[part(self.key(position)) + 1] += 1;
            }
        }
        for index in 1..starts.len() {
            starts[index] += starts[index - 1];
        }
        let mut keyed = vec![(0u64, 0u32); starts.last().copied().unwrap_or(0)];
        let mut free = starts.clone();
        for (position, &cell) in self.corpus.cells.iter().enumerate() {
            check_at(progress, position)?;
            if cell != END {
                let key = self.key(position);
                let place = &mut free[part(key)];
                keyed[*place] = (key, position as u32);
                *place += 1;
            }
        }
        crate::parallel::sort_parts(&mut keyed, &starts, threads, progress, |a, b| self.compare(a, b))?;
        Ok(keyed)
    }

    /// How many characters two neighbours share, an end included, up to `depth`.
    fn shared(&self, a: (u64, u32), b: (u64, u32)) -> usize {
        let difference = a.0 ^ b.0;
        if difference != 0 {
            // The key may leave some upper bits unused.
            let unused = 64 - self.bits * self.in_key as u32;
            return (((difference.leading_zeros() - unused) / self.bits) as usize).min(self.depth);
        }
        if !self.fills_key(a.0) {
            // Both end inside of the key; the end is shared as well.
            return (self.length_in_key(a.0) + 1).min(self.depth);
        }
        let mut shared = self.in_key;
        let at = |position: u32, offset: usize| {
            self.corpus.cells.get(position as usize + offset).copied().unwrap_or(END)
        };
        while shared < self.depth {
            let cell = at(a.1, shared);
            if cell != at(b.1, shared) {
                break;
            }
            shared += 1;
            if cell == END {
                break;
            }
        }
        shared.min(self.depth)
    }

    /// Characters before the end inside of a key.
    fn length_in_key(&self, key: u64) -> usize {
        let free = if key == 0 { self.in_key } else { (key.trailing_zeros() / self.bits) as usize };
        self.in_key - free
    }
}

/// The intervals of suffixes that share a beginning and do not all go on with the same character.
pub(crate) fn inner_nodes(
    sorter: &Sorter<'_>,
    keyed: &[(u64, u32)],
    longest: usize,
    progress: &dyn Progress,
) -> Result<Vec<Node>> {
    let mut nodes = Vec::new();
    // (shared characters, first suffix) of the intervals that are still open, deepest last.
    let mut open: Vec<(usize, u32)> = Vec::new();
    let mut close = |depth: usize, left: u32, right: u32| {
        if (2..=longest).contains(&depth) {
            let position = keyed[left as usize].1 as usize;
            // A beginning that contains an end is not a substring of a piece.
            let last = sorter.corpus.cells[position..].iter().take(depth).position(|&cell| cell == END);
            if last.is_none() {
                nodes.push(Node { left, right, len: depth as u32 });
            }
        }
    };
    for (at, pair) in keyed.windows(2).enumerate() {
        check_at(progress, at)?;
        let shared = sorter.shared(pair[0], pair[1]);
        let mut left = at as u32;
        while let Some(&(depth, first)) = open.last() {
            if depth <= shared {
                break;
            }
            close(depth, first, at as u32);
            left = first;
            open.pop();
        }
        if shared > 0 && open.last().is_none_or(|&(depth, _)| depth < shared) {
            open.push((shared, left));
        }
    }
    while let Some((depth, first)) = open.pop() {
        close(depth, first, keyed.len() as u32 - 1);
    }
    Ok(nodes)
}
