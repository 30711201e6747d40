//! Several sorted sequences of pieces walked as one, equal pieces added up.

use std::borrow::Cow;

use tessella_core::Result;

use super::Part;
use super::overflow;
use super::run::RunReader;
use super::table::Table;

/// Lends the pieces of a [`PieceCounts`](super::PieceCounts) one after the other, by their bytes.
#[derive(Debug)]
pub struct PieceCursor<'a> {
    table: &'a Table,
    order: Cow<'a, [u32]>,
    /// Next entry of `order`.
    at: usize,
    readers: Vec<RunReader>,
    /// What each reader's counts are multiplied with.
    weights: Vec<u64>,
    /// Entries taken from the table and the readers so far.
    taken: u64,
    /// Binary heap of indices into `readers`, smallest piece on top. Readers at their end are not in it.
    heap: Vec<u32>,
    piece: String,
}

impl<'a> PieceCursor<'a> {
    pub(super) fn new(table: &'a Table, parts: &[Part]) -> Result<Self> {
        Self::in_order(table, table.sorted().into(), parts)
    }

    /// With the entries of the table in the given order, which is that of their bytes.
    pub(super) fn in_order(table: &'a Table, order: Cow<'a, [u32]>, parts: &[Part]) -> Result<Self> {
        let (mut readers, mut weights) = (Vec::with_capacity(parts.len()), Vec::with_capacity(parts.len()));
        for part in parts {
            let mut reader = part.run.reader();
            if reader.advance()? {
                readers.push(reader);
                weights.push(part.weight);
            }
        }
        let heap = (0..readers.len() as u32).collect();
        let mut cursor =
            PieceCursor { table, order, at: 0, readers, weights, taken: 0, heap, piece: String::new() };
        for slot in (0..cursor.heap.len() / 2).rev() {
            cursor.sink(slot);
        }
        Ok(cursor)
    }

    /// How many entries of the table and of the runs have been walked; equal pieces are several entries.
    pub(super) fn taken(&self) -> u64 {
        self.taken
    }

    /// The next piece and its count; `None` at the end.
    #[allow(clippy::should_implement_trait)]
    pub fn next(&mut self) -> Result<Option<(&str, u64)>> {
        if self.heap.is_empty() {
            let Some(&entry) = self.order.get(self.at) else { return Ok(None) };
            self.at += 1;
            self.taken += 1;
            return Ok(Some(self.table.entry(entry)));
        }
        let mut sum = 0u64;
        let smallest = self.readers[self.heap[0] as usize].piece();
        self.piece.clear();
        match self.order.get(self.at).map(|&entry| self.table.entry(entry)) {
            Some((piece, count)) if piece <= smallest => {
                self.piece.push_str(piece);
                sum = count;
                self.at += 1;
                self.taken += 1;
            }
            _ => self.piece.push_str(smallest),
        }
        while let Some(&top) = self.heap.first() {
            let reader = &mut self.readers[top as usize];
            if reader.piece() != self.piece {
                break;
            }
            let count = reader.count().checked_mul(self.weights[top as usize]);
            sum = count.and_then(|count| sum.checked_add(count)).ok_or_else(|| overflow(&self.piece))?;
            self.taken += 1;
            if !reader.advance()? {
                let last = self.heap.pop().unwrap_or(top);
                if let Some(first) = self.heap.first_mut() {
                    *first = last;
                }
            }
            self.sink(0);
        }
        Ok(Some((&self.piece, sum)))
    }

    /// Lends all that is left to `look`.
    pub(super) fn each(mut self, look: &mut dyn FnMut(&str, u64) -> Result<()>) -> Result<()> {
        while let Some((piece, count)) = self.next()? {
            look(piece, count)?;
        }
        Ok(())
    }

    fn sink(&mut self, mut slot: usize) {
        loop {
            let mut least = slot;
            for child in [2 * slot + 1, 2 * slot + 2] {
                if child < self.heap.len() && self.before(child, least) {
                    least = child;
                }
            }
            if least == slot {
                return;
            }
            self.heap.swap(slot, least);
            slot = least;
        }
    }

    fn before(&self, a: usize, b: usize) -> bool {
        self.readers[self.heap[a] as usize].piece() < self.readers[self.heap[b] as usize].piece()
    }
}
