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
//! - [`walk`]: what looks at every piece: the most frequent, how many, saving, checking
//! - [`front`]: the most frequent pieces, counted before they reach a table; [`waiting`]: what goes there together
//! - [`portions`]: texts that are read together
//! - [`count`]: texts in, counts out, on several threads, through the caller's splitter
//! - [`tsv`]: `piece<TAB>count` lines
//!
//! With a memory budget the table is written to disk as a sorted run whenever it would outgrow its share; all
//! reading merges the runs on the way. Runs are joined by tiers, so that each piece is written again only a few
//! times and few files are open. Order of iteration is always the order of the pieces' bytes.
//!
//! What belongs to the artefact as such ([`walk`]) reports its progress and can be stopped.
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
mod front;
mod portions;
mod run;
mod source;
mod spill;
mod table;
mod tsv;
mod waiting;
mod walk;
mod words;

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use tessella_core::{Error, Result};

pub use count::{Add, CountOptions, Cutter, Splitter, count_files, count_texts};
pub use cursor::PieceCursor;
pub use run::MAGIC;
pub use source::Source;

use run::RunFile;
use spill::SpillDir;
pub(crate) use table::overflow;
use table::{Sought, Table};
use waiting::Waiting;
pub(crate) use words::Words;

/// Distinct pieces with their counts.
#[derive(Debug, Clone, Default)]
pub struct PieceCounts {
    table: Table,
    /// Sorted runs on disk; a piece may be in several of them and in the table.
    parts: Vec<Part>,
    sources: Vec<Source>,
    total: u128,
    /// The most bytes that the table may take.
    budget: Option<usize>,
    /// Where the folder for runs is made; the system's temporary folder if `None`.
    spill_folder: Option<PathBuf>,
    /// The folder for runs, once there is one.
    spill_dir: Option<Arc<SpillDir>>,
    /// Number of distinct pieces, once it has been found out.
    distinct: OnceLock<u64>,
    /// Several threads counted: the order of the table differs from run to run.
    by_chance: bool,
}

/// A run that is part of the counts.
#[derive(Debug, Clone)]
struct Part {
    run: Arc<RunFile>,
    /// What its counts are multiplied with.
    weight: u64,
    /// 0 for a spilled table or an opened file, one more than its parts for a joined run.
    tier: u32,
}

/// The smallest budget that is accepted: below it, runs would be too many to merge.
pub const LEAST_BUDGET: usize = 1 << 20;
/// Runs of one tier that are joined into one of the next as soon as there are so many. Each is an open file and
/// a buffer of one block while it is read.
const MANY_RUNS: usize = 32;

/// What a table and some parts hold together, as one run on disk.
fn written_run(dir: Arc<SpillDir>, table: &Table, parts: &[Part], tier: u32) -> Result<Part> {
    let path = dir.next_path();
    run::write_scratch(&path, |add| PieceCursor::new(table, parts)?.each(add))?;
    Ok(Part { run: Arc::new(RunFile::open(&path, Some(dir))?), weight: 1, tier })
}

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
        Ok(PieceCounts { budget: Some(bytes), spill_folder: folder.map(PathBuf::from), ..Self::default() })
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
        self.add_sought(Sought::new(piece), piece, count)
    }

    fn add_sought(&mut self, sought: Sought, piece: &str, count: u64) -> Result<()> {
        if count == 0 {
            return Ok(());
        }
        if let Some(budget) = self.budget
            && !self.table.is_empty()
            && self.table.memory_after_growth(piece.len()) > budget
        {
            self.spill()?;
        }
        self.table.add_sought(sought, piece, count)?;
        self.total += u128::from(count);
        self.distinct.take();
        Ok(())
    }

    fn spill_dir(&mut self) -> Result<Arc<SpillDir>> {
        if let Some(dir) = &self.spill_dir {
            return Ok(dir.clone());
        }
        let folder = self.spill_folder.clone().unwrap_or_else(std::env::temp_dir);
        let dir = Arc::new(SpillDir::create(&folder)?);
        self.spill_dir = Some(dir.clone());
        Ok(dir)
    }

    /// Writes the table to disk as one run.
    fn spill(&mut self) -> Result<()> {
        let part = written_run(self.spill_dir()?, &self.table, &[], 0)?;
        // Only now: if writing failed, nothing is lost.
        self.table = Table::default();
        self.parts.push(part);
        self.join_tiers()
    }

    /// Joins the runs of every tier that has many.
    fn join_tiers(&mut self) -> Result<()> {
        let mut tier = 0;
        while self.parts.iter().any(|part| part.tier >= tier) {
            let (many, others): (Vec<Part>, Vec<Part>) =
                self.parts.iter().cloned().partition(|part| part.tier == tier);
            if many.len() >= MANY_RUNS {
                let part = written_run(self.spill_dir()?, &Table::default(), &many, tier + 1)?;
                self.parts = others;
                self.parts.push(part);
            }
            tier += 1;
        }
        Ok(())
    }

    /// Adds all that another one has counted. The result does not depend on the order of merging.
    pub fn merge(&mut self, other: &PieceCounts) -> Result<()> {
        self.merge_weighted(other, 1)
    }

    /// Adds all that another one has counted, each count taken `weight` times.
    ///
    /// What the other one has on disk stays there and is shared. A count in memory beyond 64 bits is an error that
    /// changes nothing; one that adds up on disk is noticed when the pieces are walked.
    pub fn merge_weighted(&mut self, other: &PieceCounts, weight: u64) -> Result<()> {
        refuse_if!(weight == 0, Value, "a weight of 0 would leave the source out: leave it out yourself");
        let too_heavy = || Error::value(format!("weights multiplied with {weight} exceed 64 bits"));
        let total = other.total.checked_mul(u128::from(weight)).ok_or_else(too_heavy)?;
        let sources: Vec<Source> =
            other.sources.iter().map(|source| source.weighted(weight)).collect::<Result<_>>()?;
        // No piece occurs more often than all of them.
        if self.total.saturating_add(total) > u128::from(u64::MAX) {
            for (piece, count) in other.table.iter() {
                let sum =
                    count.checked_mul(weight).and_then(|n| n.checked_add(self.table.get(piece).unwrap_or(0)));
                sum.ok_or_else(|| overflow(piece))?;
            }
        }
        for part in &other.parts {
            let weight = part.weight.checked_mul(weight).ok_or_else(too_heavy)?;
            self.parts.push(Part { weight, ..part.clone() });
            if self.parts.len() >= MANY_RUNS {
                self.join_tiers()?;
            }
        }
        let (mut in_memory, mut waiting) = (0, Waiting::default());
        for (piece, count) in other.table.iter() {
            let count = count.checked_mul(weight).ok_or_else(|| overflow(piece))?;
            in_memory += u128::from(count);
            waiting.add(self, piece, count)?;
        }
        waiting.add_all(self)?;
        self.total += total - in_memory;
        self.by_chance |= other.by_chance;
        self.distinct.take();
        for source in sources {
            self.note_source(source)?;
        }
        Ok(())
    }

    /// As [`merge`](Self::merge) with counts that are no longer needed: nothing is copied where that can be
    /// avoided.
    pub fn absorb(&mut self, other: PieceCounts) -> Result<()> {
        if self.budget.is_none() && self.is_empty() && self.sources.is_empty() {
            let spill_folder = self.spill_folder.take();
            *self = PieceCounts { budget: None, spill_folder, ..other };
            return Ok(());
        }
        self.merge(&other)
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
        PieceCursor::new(&self.table, &self.parts)
    }

    /// All pieces in any order; a piece may come in several parts.
    pub(crate) fn for_each_unordered(&self, add: &mut dyn FnMut(&str, u64) -> Result<()>) -> Result<()> {
        if !self.parts.is_empty() {
            return self.cursor()?.each(add);
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

    /// Whether the order is known in which pieces were first added: counted on one thread, and all of them in memory. Saving
    /// does not keep it.
    pub fn knows_appearance(&self) -> bool {
        self.parts.is_empty() && !self.by_chance
    }

    /// The count of one piece; opened files are searched, not loaded.
    pub fn get(&self, piece: &str) -> Result<Option<u64>> {
        let mut count = self.table.get(piece);
        for part in &self.parts {
            if let Some(more) = part.run.get(piece)? {
                let more = more.checked_mul(part.weight);
                let sum = more.and_then(|more| count.unwrap_or(0).checked_add(more));
                count = Some(sum.ok_or_else(|| overflow(piece))?);
            }
        }
        Ok(count)
    }

    /// Number of occurrences of all pieces.
    pub fn total(&self) -> u128 {
        self.total
    }

    /// Whether nothing was counted.
    pub fn is_empty(&self) -> bool {
        self.total == 0
    }

    /// Bytes that the counts take in memory now.
    pub fn memory(&self) -> usize {
        self.table.memory() + self.parts.iter().map(|part| part.run.memory()).sum::<usize>()
    }

    /// Opens a saved file. Only its index is read now; pieces are read when they are asked for.
    pub fn open(path: &Path) -> Result<Self> {
        let run = RunFile::open(path, None)?;
        let (sources, total) = (run.sources().to_vec(), run.total());
        let parts = vec![Part { run: Arc::new(run), weight: 1, tier: 0 }];
        Ok(PieceCounts { parts, sources, total, ..Self::default() })
    }
}
