//! Pieces on their way into the table.
//!
//! The table is large, and each look into it waits for memory. So pieces are added some dozens at a time, after all their
//! places were looked at: no look depends on another one, and the processor waits for all of them at once.

use tessella_core::Result;

use super::PieceCounts;
use super::table::{LOOKED, Sought};

/// Bytes of the pieces that are added together.
const MOST_BYTES: usize = 1 << 16;

/// Pieces that are still to be added.
#[derive(Debug, Default)]
pub(super) struct Waiting {
    texts: String,
    /// What is sought, where its text ends, and how often it came.
    pieces: Vec<(Sought, usize, u64)>,
}

impl Waiting {
    /// Adds a piece, now or later.
    #[inline]
    pub(super) fn add(&mut self, counts: &mut PieceCounts, piece: &str, count: u64) -> Result<()> {
        self.texts.push_str(piece);
        self.pieces.push((Sought::new(piece), self.texts.len(), count));
        if self.pieces.len() < LOOKED && self.texts.len() < MOST_BYTES {
            Ok(())
        } else {
            self.add_all(counts)
        }
    }

    /// Adds all that waits.
    pub(super) fn add_all(&mut self, counts: &mut PieceCounts) -> Result<()> {
        counts.table.look(self.pieces.iter().map(|(sought, ..)| sought));
        let mut start = 0;
        for (sought, end, count) in self.pieces.drain(..) {
            counts.add_sought(sought, &self.texts[std::mem::replace(&mut start, end)..end], count)?;
        }
        self.texts.clear();
        Ok(())
    }
}
