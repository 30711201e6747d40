//! Every way to read every piece: which vocabulary entries begin where.
//!
//! The entries that match at a position are stored once, shortest first, and only filtered when the vocabulary
//! shrinks. The first entry of a position is always the one of its single character, or [`UNKNOWN`] if that
//! character is not an entry any more; so every position can be reached.

use tessella_core::{Error, ErrorKind, Result};

use super::corpus::{Corpus, END};
use super::seeds::Seeds;
use crate::progress::{Progress, check_at};

/// The entry that stands for a character that is none.
pub(crate) const UNKNOWN: u32 = 0;
/// Marks an entry that was dropped, when entries are renumbered.
pub(crate) const DROPPED: u32 = u32::MAX;

/// What a vocabulary entry is.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Piece {
    /// Where it stands in the corpus, and its characters.
    pub(crate) position: u32,
    pub(crate) len: u32,
    pub(crate) score: f64,
}

#[derive(Debug)]
pub(crate) struct Lattice {
    /// Entries of position `p`: `entries[first[p]..first[p + 1]]`.
    pub(crate) first: Vec<u32>,
    pub(crate) entries: Vec<u32>,
}

/// The seeds as vocabulary entries (with raw scores), and where they match. Entry 0 is the unknown one.
pub(crate) fn build(corpus: &Corpus, seeds: Seeds, progress: &dyn Progress) -> Result<(Vec<Piece>, Lattice)> {
    let mut pieces = vec![Piece { position: 0, len: 1, score: f64::NAN }];
    // Single characters by count descending, then by code point descending.
    let mut characters: Vec<(u128, u32)> =
        corpus.frequency.iter().zip(0u32..).skip(1).map(|(&count, number)| (count, number)).collect();
    characters.sort_unstable_by(|a, b| b.cmp(a));
    let mut of_character = vec![UNKNOWN; corpus.alphabet.len()];
    for &(count, number) in &characters {
        of_character[number as usize] = pieces.len() as u32;
        pieces.push(Piece { position: 0, len: 1, score: count as f64 });
    }
    for (position, &cell) in corpus.cells.iter().enumerate() {
        if cell != END {
            pieces[of_character[cell as usize] as usize].position = position as u32;
        }
    }

    let first_node = pieces.len() as u32;
    let places = seeds.nodes.iter().map(|node| u64::from(node.right - node.left + 1)).sum::<u64>();
    if places + corpus.cells.len() as u64 >= u64::from(u32::MAX) {
        return Err(Error::new(
            ErrorKind::Train,
            format!(
                "the seeds match at {places} places, more than {}: lower seed_size or drop rare pieces from \
                 the counts",
                u32::MAX
            ),
        ));
    }
    // Every cell has its single character; the end of a piece is never read, but costs nothing.
    let mut first = vec![1u32; corpus.cells.len() + 1];
    first[0] = 0;
    for (number, node) in seeds.nodes.iter().enumerate() {
        check_at(progress, number)?;
        for &position in &seeds.suffixes[node.left as usize..=node.right as usize] {
            first[position as usize + 1] += 1;
        }
    }
    let mut sum = 0;
    for start in &mut first {
        sum += *start;
        *start = sum;
    }
    let mut entries = vec![UNKNOWN; sum as usize];
    let mut free: Vec<u32> = first[..corpus.cells.len()].to_vec();
    for (&cell, free) in corpus.cells.iter().zip(&mut free) {
        entries[*free as usize] = of_character[cell as usize];
        *free += 1;
    }
    // Shortest first at every position.
    let mut by_length: Vec<u32> = (0..seeds.nodes.len() as u32).collect();
    by_length.sort_by_key(|&node| seeds.nodes[node as usize].len);
    for (done, number) in by_length.into_iter().enumerate() {
        check_at(progress, done)?;
        let node = seeds.nodes[number as usize];
        for &position in &seeds.suffixes[node.left as usize..=node.right as usize] {
            let free = &mut free[position as usize];
            entries[*free as usize] = first_node + number;
            *free += 1;
        }
    }
    for (node, &score) in seeds.nodes.iter().zip(&seeds.scores) {
        let position = seeds.suffixes[node.left as usize];
        pieces.push(Piece { position, len: node.len, score: score as f64 });
    }
    Ok((pieces, Lattice { first, entries }))
}

impl Lattice {
    pub(crate) fn at(&self, position: usize) -> &[u32] {
        &self.entries[self.first[position] as usize..self.first[position + 1] as usize]
    }

    /// Keeps `kept` entries, each under its new number; those whose new number is [`DROPPED`] disappear.
    pub(crate) fn keep(&mut self, pieces: &mut Vec<Piece>, numbers: &[u32], kept: usize) {
        let mut left = vec![pieces[0]; kept];
        for (piece, &number) in pieces.iter().zip(numbers).filter(|(_, number)| **number != DROPPED) {
            left[number as usize] = *piece;
        }
        *pieces = left;
        self.renumber(numbers);
    }

    /// Renumbers all entries; those whose new number is [`DROPPED`] disappear.
    pub(crate) fn renumber(&mut self, numbers: &[u32]) {
        let (mut kept, mut start) = (0usize, 0usize);
        for position in 0..self.first.len() - 1 {
            let end = self.first[position + 1] as usize;
            for at in start..end {
                let mut number = numbers[self.entries[at] as usize];
                if number == DROPPED {
                    if at > start {
                        continue;
                    }
                    number = UNKNOWN;
                }
                self.entries[kept] = number;
                kept += 1;
            }
            start = end;
            self.first[position + 1] = kept as u32;
        }
        self.entries.truncate(kept);
        if self.entries.capacity() > kept * 2 {
            self.entries.shrink_to_fit();
        }
    }
}
