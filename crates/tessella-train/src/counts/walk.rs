//! What looks at every piece. Each is told how to report its progress, which also is the way to stop it; the
//! short forms report nothing.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use std::path::{Path, PathBuf};

use tessella_core::hash::hash_bytes;
use tessella_core::{Error, Result};

use super::{PieceCounts, run};
use crate::progress::{Progress, Silent, Stage, report};

/// Files that are written at a time at most.
const MOST_PARTS: usize = 256;
/// Pieces between two reports.
const REPORT_EVERY: u64 = 1 << 16;

impl PieceCounts {
    /// Lends every piece to `look`, by their bytes.
    pub fn walk(&self, progress: &dyn Progress, mut look: impl FnMut(&str, u64) -> Result<()>) -> Result<()> {
        let entries = self.entries();
        let (mut cursor, mut walked) = (self.cursor()?, 0u64);
        loop {
            if walked.is_multiple_of(REPORT_EVERY) {
                report(progress, Stage::MergeCounts, cursor.taken(), entries)?;
            }
            let Some((piece, count)) = cursor.next()? else { break };
            look(piece, count)?;
            walked += 1;
        }
        report(progress, Stage::MergeCounts, entries, entries)
    }

    /// Entries of the table and of all runs; a piece may have several.
    fn entries(&self) -> u64 {
        self.table.len() as u64 + self.parts.iter().map(|part| part.run.distinct()).sum::<u64>()
    }

    /// The `n` most frequent pieces: by count descending, then by bytes.
    pub fn top(&self, n: usize) -> Result<Vec<(String, u64)>> {
        self.top_with(n, &Silent)
    }

    /// As [`top`](Self::top), with reports.
    pub fn top_with(&self, n: usize, progress: &dyn Progress) -> Result<Vec<(String, u64)>> {
        // The heap's top is the worst of the kept: smallest count, then largest piece.
        let mut kept: BinaryHeap<(Reverse<u64>, String)> = BinaryHeap::new();
        self.walk(progress, |piece, count| {
            if kept.len() < n {
                kept.push((Reverse(count), piece.to_string()));
            } else if let Some(mut worst) = kept.peek_mut()
                && worst.0.0 < count
            {
                // Equal counts keep the earlier piece, because pieces come in ascending order.
                *worst = (Reverse(count), piece.to_string());
            }
            Ok(())
        })?;
        Ok(kept.into_sorted_vec().into_iter().map(|(count, piece)| (piece, count.0)).collect())
    }

    /// How many pieces occur how often: pairs of a count and the number of pieces that have it, the highest
    /// count first. The frequency of every rank follows from it, and it is small however many pieces there are.
    pub fn frequencies(&self, progress: &dyn Progress) -> Result<Vec<(u64, u64)>> {
        let mut pieces: BTreeMap<u64, u64> = BTreeMap::new();
        self.walk(progress, |_, count| {
            *pieces.entry(count).or_default() += 1;
            Ok(())
        })?;
        Ok(pieces.into_iter().rev().collect())
    }

    /// Number of distinct pieces. Walks the pieces once if a piece may be in several places.
    pub fn distinct(&self) -> Result<u64> {
        self.distinct_with(&Silent)
    }

    /// As [`distinct`](Self::distinct), with reports.
    pub fn distinct_with(&self, progress: &dyn Progress) -> Result<u64> {
        match (self.table.is_empty(), self.parts.as_slice()) {
            (_, []) => return Ok(self.table.len() as u64),
            (true, [part]) => return Ok(part.run.distinct()),
            _ => {}
        }
        if let Some(&known) = self.distinct.get() {
            return Ok(known);
        }
        let mut distinct = 0;
        self.walk(progress, |_, _| {
            distinct += 1;
            Ok(())
        })?;
        Ok(*self.distinct.get_or_init(|| distinct))
    }

    /// Writes everything to one file, atomically: the file appears complete or not at all.
    ///
    /// Equal counts and sources give equal bytes, however they were put together.
    pub fn save(&self, path: &Path, progress: &dyn Progress) -> Result<()> {
        run::write(path, &self.sources, |write| self.walk(progress, write))
    }

    /// Writes everything to `count` files in a folder and gives their names. Where a piece goes hangs on its bytes and on
    /// `count` alone, so parts of the same number of several counts can be merged without a look at the others, and
    /// together they are what the merged counts would be. Each is a file as [`save`](Self::save) writes them; the sources
    /// are noted in the first.
    pub fn save_parts(&self, folder: &Path, count: usize, progress: &dyn Progress) -> Result<Vec<PathBuf>> {
        if !(1..=MOST_PARTS).contains(&count) {
            return Err(Error::value(format!(
                "counts are saved in 1 to {MOST_PARTS} parts, each of which is an open file; found {count}"
            )));
        }
        let paths: Vec<PathBuf> =
            (0..count).map(|part| folder.join(format!("part-{part:04}.counts"))).collect();
        let part_of = |piece: &str| {
            let share = u128::from(hash_bytes(piece.as_bytes())) * count as u128;
            (share >> 64) as usize
        };
        run::write_parts(&paths, &self.sources, part_of, |write| self.walk(progress, write))?;
        Ok(paths)
    }

    /// Reads every block of the files behind the counts and checks it.
    pub fn verify(&self, progress: &dyn Progress) -> Result<()> {
        let mut total = 0u128;
        self.walk(progress, |_, count| {
            total += u128::from(count);
            Ok(())
        })?;
        if total != self.total {
            refuse!(Format, "the pieces add up to {total} occurrences, but {} are declared", self.total);
        }
        Ok(())
    }
}
