//! What a long job tells its caller, and how the caller stops it.
//!
//! The trainers call [`Progress::update`] now and then (a few times a second on ordinary hardware, never in
//! the innermost loops) and ask [`Progress::cancelled`] at the same places. A cancelled job returns an error of
//! kind [`Interrupted`](tessella_core::ErrorKind::Interrupted).

use std::sync::atomic::{AtomicBool, Ordering};

use tessella_core::{Error, Result};

/// The parts of a training job, in the order in which they happen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Stage {
    /// Texts are split and their pieces counted. Unit: bytes of text.
    Count,
    /// Sorted runs are merged. Unit: pieces.
    MergeCounts,
    /// Pieces become symbols. Unit: pieces.
    Prepare,
    /// Seed pieces are collected. Unit: pieces of the corpus.
    Seed,
    /// Pairs are merged. Unit: vocabulary entries.
    Merge,
    /// Expectation and maximisation rounds. Unit: pieces above the target.
    Estimate,
    /// The result is put together. Unit: vocabulary entries.
    Finish,
}

impl Stage {
    /// A stable name for machine-readable progress.
    pub fn name(self) -> &'static str {
        match self {
            Stage::Count => "count",
            Stage::MergeCounts => "merge counts",
            Stage::Prepare => "prepare",
            Stage::Seed => "seed",
            Stage::Merge => "merge",
            Stage::Estimate => "estimate",
            Stage::Finish => "finish",
        }
    }
}

/// Listens to a job and may stop it.
pub trait Progress: Sync {
    /// `done` of `total` units of the stage; a `total` of 0 means that it is not known.
    fn update(&self, stage: Stage, done: u64, total: u64) {
        let _ = (stage, done, total);
    }

    /// Told once by trainers that can tell: about how many bytes learning will take at its peak, the counts not
    /// included.
    fn expect_memory(&self, bytes: u64) {
        let _ = bytes;
    }

    /// True once the job should end as soon as it can.
    fn cancelled(&self) -> bool {
        false
    }
}

/// Says nothing and never stops.
#[derive(Debug, Clone, Copy, Default)]
pub struct Silent;

impl Progress for Silent {}

/// Says nothing and stops when the flag is set from elsewhere.
#[derive(Debug, Clone, Copy)]
pub struct CancelFlag<'a>(pub &'a AtomicBool);

impl Progress for CancelFlag<'_> {
    fn cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Elements of a plain loop between two looks at the wish to stop: some milliseconds.
pub(crate) const LOOK_EVERY: usize = 1 << 14;

/// A wish to stop as the error that ends the job.
pub(crate) fn check(progress: &dyn Progress) -> Result<()> {
    if progress.cancelled() { Err(Error::interrupted()) } else { Ok(()) }
}

/// The same for every [`LOOK_EVERY`]th element of a loop.
pub(crate) fn check_at(progress: &dyn Progress, index: usize) -> Result<()> {
    if index.is_multiple_of(LOOK_EVERY) { check(progress) } else { Ok(()) }
}

/// Reports, and turns a wish to stop into the error that ends the job.
pub(crate) fn report(progress: &dyn Progress, stage: Stage, done: u64, total: u64) -> Result<()> {
    progress.update(stage, done, total);
    check(progress)
}
