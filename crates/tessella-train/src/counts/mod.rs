//! Counted pieces: what every trainer learns from.
//!
//! A [`PieceCounts`] maps each distinct piece of a corpus to the number of its occurrences (64 bits, checked).
//! It is an artefact of its own: it can be saved, opened lazily, merged with others in any order with the same
//! result, and looked at. Counting shards on many machines and merging them gives the same file, byte for byte,
//! as counting everything at once.
//!
//! From the bottom up:
//!
//! - [`table`]: distinct texts and counts in memory
//! - [`run`]: the file format, one sorted run of pieces, written and read as a stream
//! - [`cursor`]: several sorted sequences walked as one; [`words`]: the same pieces walked several times
//! - [`count`]: texts in, counts out, on several threads, through the caller's splitter
//! - [`tsv`]: `piece<TAB>count` lines
//!
//! With a memory budget the table is written to disk as a sorted run whenever it would outgrow its share; all
//! reading merges the runs on the way. Order of iteration is always the order of the pieces' bytes.
//!
//! ```
//! use tessella_train::PieceCounts;
//!
//! let mut counts = PieceCounts::new();
//! for word in "to be or not to be".split(' ') {
//!     counts.add(word, 1)?;
//! }
//! assert_eq!(counts.get("be")?, Some(2));
//! assert_eq!(counts.top(2)?, [("be".to_string(), 2), ("to".to_string(), 2)]);
//! # Ok::<(), tessella_core::Error>(())
//! ```

mod count;
mod cursor;
mod run;
mod source;
mod spill;
mod table;
mod tsv;
mod words;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use tessella_core::{Error, ErrorKind, Result};

pub use count::{CountOptions, Cutter, Splitter, count_texts};
pub use cursor::PieceCursor;
pub use source::Source;

use run::RunFile;
use spill::SpillDir;
use table::Table;
pub(crate) use table::overflow;
pub(crate) use words::Words;

/// Distinct pieces with their counts.
#[derive(Debug, Clone, Default)]
pub struct PieceCounts {
    table: Table,
    /// Sorted runs on disk; a piece may be in several of them and in the table.
    runs: Vec<Arc<RunFile>>,
    sources: Vec<Source>,
    total: u128,
    budget: Option<Budget>,
}

/// Where to put what does not fit.
#[derive(Debug, Clone)]
struct Budget {
    bytes: usize,
    dir: Arc<SpillDir>,
}

/// The smallest budget that is accepted: below it, runs would be too many to merge.
const LEAST_BUDGET: usize = 1 << 20;
/// Runs that are merged into one as soon as there are so many.
const MANY_RUNS: usize = 64;

impl PieceCounts {
    /// Empty, in memory, without a limit.
    pub fn new() -> Self {
        Self::default()
    }

    /// Empty, with at most about `bytes` bytes of counts in memory; the rest goes to a new folder inside
    /// `folder` (the system's temporary folder if `None`), which is removed with the last owner of its runs.
    pub fn with_budget(bytes: usize, folder: Option<&Path>) -> Result<Self> {
        if bytes < LEAST_BUDGET {
            return Err(Error::value(format!(
                "a memory budget of {bytes} bytes is too small: give at least {LEAST_BUDGET} (1 MiB)"
            )));
        }
        let folder = folder.map(PathBuf::from).unwrap_or_else(std::env::temp_dir);
        let budget = Budget { bytes, dir: Arc::new(SpillDir::create(&folder)?) };
        Ok(PieceCounts { budget: Some(budget), ..Self::default() })
    }

    /// From pairs; a piece may come several times.
    pub fn from_pairs<S: AsRef<str>>(pairs: impl IntoIterator<Item = (S, u64)>) -> Result<Self> {
        let mut counts = Self::new();
        for (piece, count) in pairs {
            counts.add(piece.as_ref(), count)?;
        }
        Ok(counts)
    }

    /// Adds `count` occurrences of a piece. Adding 0 adds nothing.
    pub fn add(&mut self, piece: &str, count: u64) -> Result<()> {
        if count == 0 {
            return Ok(());
        }
        if let Some(budget) = &self.budget
            && !self.table.is_empty()
            && self.table.memory_after_growth(piece.len()) > budget.bytes
        {
            self.spill()?;
        }
        self.table.add(piece, count)?;
        self.total += u128::from(count);
        Ok(())
    }

    /// Writes the table to disk as one run.
    fn spill(&mut self) -> Result<()> {
        let Some(budget) = self.budget.clone() else { return Ok(()) };
        let table = std::mem::take(&mut self.table);
        let run = PieceCounts { table, ..Self::default() };
        self.runs.push(Arc::new(run.write_run(&budget.dir.next_path(), Some(budget.dir.clone()))?));
        if self.runs.len() >= MANY_RUNS {
            let merged = PieceCounts { runs: std::mem::take(&mut self.runs), ..Self::default() };
            let run = merged.write_run(&budget.dir.next_path(), Some(budget.dir.clone()))?;
            self.runs.push(Arc::new(run));
        }
        Ok(())
    }

    /// Adds all that another one has counted. The result does not depend on the order of merging.
    pub fn merge(&mut self, other: &PieceCounts) -> Result<()> {
        self.merge_weighted(other, 1)
    }

    /// Adds all that another one has counted, each count taken `weight` times.
    pub fn merge_weighted(&mut self, other: &PieceCounts, weight: u64) -> Result<()> {
        if weight == 0 {
            return Err(Error::value("a weight of 0 would leave the source out: leave it out yourself"));
        }
        if weight == 1 && !other.runs.is_empty() && self.budget.is_some() {
            // Runs are immutable and shared; only what is in memory has to be added.
            self.runs.extend(other.runs.iter().cloned());
            self.total += other.total;
            for (piece, count) in other.table.iter() {
                self.total -= u128::from(count);
                self.add(piece, count)?;
            }
        } else {
            other.for_each_unordered(&mut |piece, count| {
                self.add(piece, count.checked_mul(weight).ok_or_else(|| overflow(piece))?)
            })?;
        }
        for source in &other.sources {
            self.note_source(source.weighted(weight)?)?;
        }
        Ok(())
    }

    /// Notes where counts came from. Notes of the same name, language and weight are added up.
    pub fn note_source(&mut self, source: Source) -> Result<()> {
        source::note(&mut self.sources, source)
    }

    /// Where the counts came from, ordered by name, language and weight.
    pub fn sources(&self) -> &[Source] {
        &self.sources
    }

    /// The language tag, if all sources carry the same one.
    pub fn language(&self) -> Option<&str> {
        let first = self.sources.first()?.language.as_str();
        (!first.is_empty() && self.sources.iter().all(|source| source.language == first)).then_some(first)
    }

    /// All pieces by their bytes, as a cursor that lends each piece.
    pub fn cursor(&self) -> Result<PieceCursor<'_>> {
        PieceCursor::new(&self.table, &self.runs)
    }

    /// All pieces in any order; a piece may come in several parts.
    pub(crate) fn for_each_unordered(&self, add: &mut dyn FnMut(&str, u64) -> Result<()>) -> Result<()> {
        if !self.runs.is_empty() {
            let mut cursor = self.cursor()?;
            while let Some((piece, count)) = cursor.next()? {
                add(piece, count)?;
            }
            return Ok(());
        }
        // Sorting would cost more than all of the rest.
        self.table.iter().try_for_each(|(piece, count)| add(piece, count))
    }

    /// All pieces by their bytes.
    pub fn iter(&self) -> Result<impl Iterator<Item = Result<(String, u64)>> + '_> {
        let mut cursor = self.cursor()?;
        Ok(std::iter::from_fn(move || match cursor.next() {
            Ok(Some((piece, count))) => Some(Ok((piece.to_string(), count))),
            Ok(None) => None,
            Err(error) => Some(Err(error)),
        }))
    }

    /// Pieces in the order in which they were first added, if all of them are in memory.
    ///
    /// Only counting on one thread keeps that order; merging and saving do not.
    pub fn in_order_of_appearance(&self) -> Option<impl ExactSizeIterator<Item = (&str, u64)> + '_> {
        self.runs.is_empty().then(|| self.table.iter())
    }

    /// The count of one piece; opened files are searched, not loaded.
    pub fn get(&self, piece: &str) -> Result<Option<u64>> {
        let mut count = self.table.get(piece);
        for run in &self.runs {
            if let Some(more) = run.get(piece)? {
                let sum = count.unwrap_or(0).checked_add(more).ok_or_else(|| overflow(piece))?;
                count = Some(sum);
            }
        }
        Ok(count)
    }

    /// The `n` most frequent pieces: by count descending, then by bytes.
    pub fn top(&self, n: usize) -> Result<Vec<(String, u64)>> {
        use std::cmp::Reverse;
        use std::collections::BinaryHeap;
        // The heap's top is the worst of the kept: smallest count, then largest piece.
        let mut kept: BinaryHeap<(Reverse<u64>, String)> = BinaryHeap::new();
        let mut cursor = self.cursor()?;
        while let Some((piece, count)) = cursor.next()? {
            if kept.len() < n {
                kept.push((Reverse(count), piece.to_string()));
            } else if let Some(mut worst) = kept.peek_mut()
                && worst.0.0 < count
            {
                // Equal counts keep the earlier piece, because pieces come in ascending order.
                *worst = (Reverse(count), piece.to_string());
            }
        }
        Ok(kept.into_sorted_vec().into_iter().map(|(count, piece)| (piece, count.0)).collect())
    }

    /// Number of distinct pieces. Walks the pieces if some are on disk in more than one run.
    pub fn distinct(&self) -> Result<u64> {
        match (self.table.is_empty(), self.runs.as_slice()) {
            (_, []) => Ok(self.table.len() as u64),
            (true, [run]) => Ok(run.distinct()),
            _ => {
                let (mut cursor, mut distinct) = (self.cursor()?, 0);
                while cursor.next()?.is_some() {
                    distinct += 1;
                }
                Ok(distinct)
            }
        }
    }

    /// Number of occurrences of all pieces.
    pub fn total(&self) -> u128 {
        self.total
    }

    pub fn is_empty(&self) -> bool {
        self.total == 0
    }

    /// Bytes that the counts take in memory now.
    pub fn memory(&self) -> usize {
        self.table.memory() + self.runs.iter().map(|run| run.memory()).sum::<usize>()
    }

    fn write_run(&self, path: &Path, owner: Option<Arc<SpillDir>>) -> Result<RunFile> {
        run::write(path, &mut self.cursor()?, &self.sources)?;
        RunFile::open(path, owner)
    }

    /// Writes everything to one file, atomically: the file appears complete or not at all.
    ///
    /// Equal counts and sources give equal bytes, however they were put together.
    pub fn save(&self, path: &Path) -> Result<()> {
        run::write(path, &mut self.cursor()?, &self.sources)
    }

    /// Opens a saved file. Only its index is read now; pieces are read when they are asked for.
    pub fn open(path: &Path) -> Result<Self> {
        let run = RunFile::open(path, None)?;
        let (sources, total) = (run.sources().to_vec(), run.total());
        Ok(PieceCounts { runs: vec![Arc::new(run)], sources, total, ..Self::default() })
    }

    /// Reads every block of the files behind the counts and checks it.
    pub fn verify(&self) -> Result<()> {
        let (mut cursor, mut total) = (self.cursor()?, 0u128);
        while let Some((_, count)) = cursor.next()? {
            total += u128::from(count);
        }
        if total != self.total {
            return Err(Error::new(
                ErrorKind::Format,
                format!("the pieces add up to {total} occurrences, but {} are declared", self.total),
            ));
        }
        Ok(())
    }
}
