//! Which entries the vocabulary can do without.
//!
//! Removing an entry moves its occurrences to the best reading of its own text that does without it. The loss is
//! the likelihood that this costs, estimated as if all occurrences were replaced so. Entries with the smallest loss
//! go; those without another reading stay.

use tessella_core::Result;

use super::corpus::Corpus;
use super::estimate::unknown_score;
use super::lattice::{DROPPED, Lattice, Piece, UNKNOWN};
use crate::parallel;
use crate::progress::{Progress, check_at};

const JOB: usize = 2048;

/// What pruning decided.
pub(super) struct Pruned {
    /// Old number to new number or `DROPPED`. New numbers are: entries without another reading first, then the
    /// others by loss.
    pub(super) numbers: Vec<u32>,
    pub(super) kept: usize,
    /// Entries that were candidates and went, with their loss; never-read ones have a loss of 0.
    pub(super) dropped: Vec<(u32, f64)>,
}

#[derive(Clone, Copy)]
pub(crate) struct Scored {
    pub(crate) score: f64,
    pub(crate) len: u32,
}

/// Best readings of ranges of cells, with buffers that are used again.
#[derive(Default)]
pub(crate) struct Reader {
    best: Vec<f64>,
    /// The entry that ends at each position on the best way there.
    last: Vec<u32>,
}

impl Reader {
    /// The best reading of a range; an entry that covers all of it is left out on request. `None` if there is no
    /// reading then. Of equally good readings the one with the longer last entry wins.
    pub(crate) fn read(
        &mut self,
        lattice: &Lattice,
        scored: &[Scored],
        start: usize,
        len: usize,
        in_parts: bool,
    ) -> Option<f64> {
        self.best.clear();
        self.best.resize(len + 1, f64::NEG_INFINITY);
        self.last.clear();
        self.last.resize(len + 1, UNKNOWN);
        self.best[0] = 0.0;
        for at in 0..len {
            let here = self.best[at];
            for &entry in lattice.at(start + at) {
                let Scored { score, len: span } = scored[entry as usize];
                let end = at + span as usize;
                if end > len {
                    break; // entries are ordered by length
                }
                if (!in_parts || span as usize != len) && here + score > self.best[end] {
                    self.best[end] = here + score;
                    self.last[end] = entry;
                }
            }
        }
        (self.best[len] > f64::NEG_INFINITY).then(|| self.best[len])
    }

    /// What a use of an entry loses without it, where so many entries are counted in its stead.
    pub(crate) fn loss(
        &self,
        scored: &[Scored],
        frequency: &[u64],
        used: f64,
        sum: f64,
        entries: usize,
    ) -> f64 {
        let log_sum_after = (sum + used * (entries as f64 - 1.0)).ln();
        let after: f64 = self
            .entries(scored)
            .map(|part| (frequency[part as usize] as f64 + used).ln() - log_sum_after)
            .sum();
        used.ln() - sum.ln() - after
    }

    /// The entries of the last reading, last one first.
    pub(crate) fn entries<'a>(&'a self, scored: &'a [Scored]) -> impl Iterator<Item = u32> + 'a {
        let mut end = self.best.len() - 1;
        std::iter::from_fn(move || {
            (end > 0).then(|| {
                let entry = self.last[end];
                end -= scored[entry as usize].len as usize;
                entry
            })
        })
    }
}

impl Scored {
    pub(crate) fn all(pieces: &[Piece]) -> Vec<Scored> {
        let mut scored: Vec<Scored> =
            pieces.iter().map(|piece| Scored { score: piece.score, len: piece.len }).collect();
        scored[UNKNOWN as usize].score = unknown_score(pieces);
        scored
    }
}

/// How often each entry is used when every piece is read in the best way.
pub(crate) fn frequencies(
    corpus: &Corpus,
    lattice: &Lattice,
    scored: &[Scored],
    threads: usize,
    progress: &dyn Progress,
) -> Result<Vec<u64>> {
    let states = parallel::for_each(
        corpus.weights.len().div_ceil(JOB),
        threads,
        progress,
        || (Reader::default(), vec![0u64; scored.len()]),
        |(reader, frequency), job| {
            for piece in job * JOB..(job * JOB + JOB).min(corpus.weights.len()) {
                if progress.cancelled() {
                    break;
                }
                let range = corpus.range(piece);
                reader.read(lattice, scored, range.start, range.len(), false);
                for entry in reader.entries(scored) {
                    frequency[entry as usize] += corpus.weights[piece];
                }
            }
        },
    )?;
    let mut sum = vec![0u64; scored.len()];
    for (_, part) in states {
        sum.iter_mut().zip(part).for_each(|(sum, part)| *sum += part);
    }
    Ok(sum)
}

/// Chooses at most `size` entries (entry 0 included).
pub(super) fn prune(
    corpus: &Corpus,
    lattice: &Lattice,
    pieces: &[Piece],
    size: usize,
    threads: usize,
    progress: &dyn Progress,
) -> Result<Pruned> {
    let scored = Scored::all(pieces);
    let frequency = frequencies(corpus, lattice, &scored, threads, progress)?;
    let sum: f64 = frequency.iter().map(|&n| n as f64).sum();
    let occurrences = corpus.total as f64;

    let mut numbers = vec![DROPPED; pieces.len()];
    numbers[UNKNOWN as usize] = UNKNOWN;
    let mut kept = 1;
    let mut candidates: Vec<(u32, f64)> = Vec::new();
    let mut dropped: Vec<(u32, f64)> = Vec::new();
    let mut reader = Reader::default();
    for (entry, piece) in pieces.iter().enumerate().skip(1) {
        check_at(progress, entry)?;
        let used = frequency[entry] as f64;
        let other = match piece.len {
            1 => None,
            len => reader.read(lattice, &scored, piece.position as usize, len as usize, true),
        };
        match other {
            // Its own text is read in parts: it is never needed.
            Some(score) if score > piece.score && frequency[entry] == 0 => dropped.push((entry as u32, 0.0)),
            Some(score) if score <= piece.score => {
                if frequency[entry] == 0 {
                    dropped.push((entry as u32, 0.0));
                    continue;
                }
                // As in the reference trainer, every entry counts here, not only the parts: its order of pruning
                // favours frequent entries because of that.
                let loss = reader.loss(&scored, &frequency, used, sum, pieces.len());
                candidates.push((entry as u32, used / occurrences * loss));
            }
            _ => {
                numbers[entry] = kept as u32;
                kept += 1;
            }
        }
    }
    candidates.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    let room = size.saturating_sub(kept).min(candidates.len());
    for &(entry, _) in &candidates[..room] {
        numbers[entry as usize] = kept as u32;
        kept += 1;
    }
    dropped.extend_from_slice(&candidates[room..]);
    Ok(Pruned { numbers, kept, dropped })
}
