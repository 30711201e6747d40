//! Expectation and maximisation.
//!
//! The expectation walks every distinct piece forwards and backwards over all its readings. Probabilities are kept
//! as plain numbers; only when one gets small the window that the following steps can see is scaled up by a power of
//! two, and the power is remembered. So no logarithm is taken inside.
//!
//! Expected counts are summed as whole multiples of a fixed power of two. Whole numbers add up to the same sum in
//! any order: the result does not depend on the number of threads. The power is chosen so that the largest possible
//! sum fits; with a billion characters of text the step is 2^-32.

use tessella_core::Result;

use super::corpus::Corpus;
use super::lattice::{Lattice, Piece, UNKNOWN};
use crate::parallel;
use crate::progress::Progress;

/// Pieces of the corpus per job.
const JOB: usize = 2048;
/// Below this a window is scaled up, by its inverse squared.
const SMALL: f64 = 1.0 / (1u128 << 100) as f64;
const UP: f64 = (1u128 << 100) as f64 * (1u128 << 100) as f64;
const UP_LOG: f64 = 200.0 * std::f64::consts::LN_2;

/// What a reading needs to know of an entry.
#[derive(Debug, Clone, Copy)]
struct Weighted {
    probability: f64,
    len: u32,
}

/// The score of an unknown character.
pub(crate) fn unknown_score(pieces: &[Piece]) -> f64 {
    least_score(pieces) - 10.0
}

pub(crate) fn least_score(pieces: &[Piece]) -> f64 {
    pieces[1..].iter().map(|piece| piece.score).fold(f64::INFINITY, f64::min).min(0.0)
}

struct Worker {
    expected: Vec<i64>,
    forward: Vec<f64>,
    backward: Vec<f64>,
    /// Scalings before each position was used.
    scaled: Vec<u32>,
    /// (job, weighted log-likelihood).
    likelihood: Vec<(usize, f64)>,
}

/// Expected counts of all entries, and the log-likelihood of the corpus.
pub(crate) fn expectation(
    corpus: &Corpus,
    lattice: &Lattice,
    pieces: &[Piece],
    longest: usize,
    threads: usize,
    progress: &dyn Progress,
) -> Result<(Vec<f64>, f64)> {
    let mut weighted: Vec<Weighted> =
        pieces.iter().map(|piece| Weighted { probability: piece.score.exp(), len: piece.len }).collect();
    weighted[UNKNOWN as usize].probability = unknown_score(pieces).exp();

    let places: u128 =
        (0..corpus.weights.len()).map(|p| corpus.weights[p] as u128 * corpus.range(p).len() as u128).sum();
    let step_bits = 62 - (128 - places.leading_zeros()) as i32;
    let scale = 2f64.powi(step_bits);

    let jobs = corpus.weights.len().div_ceil(JOB);
    let states = parallel::for_each(
        jobs,
        threads,
        progress,
        || Worker {
            expected: vec![0; pieces.len()],
            forward: Vec::new(),
            backward: Vec::new(),
            scaled: Vec::new(),
            likelihood: Vec::new(),
        },
        |worker, job| {
            let mut sum = 0.0;
            for piece in job * JOB..(job * JOB + JOB).min(corpus.weights.len()) {
                // Pieces can be whole lines: a job of them is long.
                if progress.cancelled() {
                    break;
                }
                let weight = corpus.weights[piece] as f64;
                sum += weight * worker.read(lattice, corpus.range(piece), &weighted, weight * scale, longest);
            }
            worker.likelihood.push((job, sum));
        },
    )?;
    let mut likelihood: Vec<(usize, f64)> = Vec::with_capacity(jobs);
    let mut expected = vec![0i64; pieces.len()];
    for state in states {
        likelihood.extend(state.likelihood);
        expected.iter_mut().zip(state.expected).for_each(|(sum, part)| *sum += part);
    }
    likelihood.sort_unstable_by_key(|&(job, _)| job);
    let expected = expected.into_iter().map(|sum| sum as f64 / scale).collect();
    Ok((expected, likelihood.into_iter().map(|(_, sum)| sum).sum()))
}

impl Worker {
    /// Adds the expected counts of one distinct piece; returns the logarithm of its probability.
    fn read(
        &mut self,
        lattice: &Lattice,
        range: std::ops::Range<usize>,
        weighted: &[Weighted],
        weight: f64,
        longest: usize,
    ) -> f64 {
        let len = range.len();
        self.forward.clear();
        self.forward.resize(len + 1, 0.0);
        self.backward.clear();
        self.backward.resize(len + 1, 0.0);
        self.scaled.clear();
        self.forward[0] = 1.0;
        let mut scalings = 0;
        for at in 0..len {
            if self.forward[at] < SMALL {
                let end = (at + longest).min(len);
                self.forward[at..=end].iter_mut().for_each(|value| *value *= UP);
                scalings += 1;
            }
            self.scaled.push(scalings);
            let here = self.forward[at];
            for &entry in lattice.at(range.start + at) {
                let Weighted { probability, len } = weighted[entry as usize];
                self.forward[at + len as usize] += here * probability;
            }
        }
        let whole = self.forward[len];
        let whole_scalings = scalings;

        self.backward[len] = 1.0;
        let mut scalings = 0;
        for at in (0..len).rev() {
            // posterior = forward * probability * backward / whole, all with their scalings
            let behind = self.scaled[at] + scalings;
            let unscale = if behind >= whole_scalings {
                UP.recip().powi((behind - whole_scalings) as i32)
            } else {
                UP.powi((whole_scalings - behind) as i32)
            };
            let factor = self.forward[at] / whole * unscale;
            let mut sum = 0.0;
            for &entry in lattice.at(range.start + at) {
                let Weighted { probability, len } = weighted[entry as usize];
                let onwards = probability * self.backward[at + len as usize];
                sum += onwards;
                self.expected[entry as usize] += nearest(factor * onwards * weight);
            }
            self.backward[at] = sum;
            if sum < SMALL {
                let end = (at + longest).min(len);
                self.backward[at..=end].iter_mut().for_each(|value| *value *= UP);
                scalings += 1;
            }
        }
        whole.ln() - f64::from(whole_scalings) * UP_LOG
    }
}

/// The nearest whole number of a number that is not negative, ties to even.
#[inline]
fn nearest(number: f64) -> i64 {
    // From 2^52 on, floats have no digits after the point: the sum is rounded, and its last bits are the number.
    const SHIFT: f64 = 1.5 * (1u64 << 52) as f64;
    if number < (1u64 << 50) as f64 {
        return ((number + SHIFT).to_bits() - SHIFT.to_bits()) as i64;
    }
    number.round_ties_even() as i64
}

/// New scores from expected counts (a sparse prior: digamma instead of logarithm). Entries that are expected less
/// than half a time are dropped: their new number is [`DROPPED`](super::lattice::DROPPED).
pub(crate) fn maximisation(pieces: &mut Vec<Piece>, expected: &[f64]) -> Option<Vec<u32>> {
    let mut numbers = vec![super::lattice::DROPPED; pieces.len()];
    numbers[UNKNOWN as usize] = UNKNOWN;
    let mut kept = 1;
    let mut sum = 0.0;
    for entry in 1..pieces.len() {
        if expected[entry] >= 0.5 {
            numbers[entry] = kept as u32;
            pieces[kept] = Piece { score: expected[entry], ..pieces[entry] };
            sum += expected[entry];
            kept += 1;
        }
    }
    let dropped = kept < pieces.len();
    pieces.truncate(kept);
    let whole = digamma(sum);
    pieces[1..].iter_mut().for_each(|piece| piece.score = digamma(piece.score) - whole);
    dropped.then_some(numbers)
}

/// The derivative of the logarithm of the gamma function, for positive arguments.
pub(crate) fn digamma(mut x: f64) -> f64 {
    let mut below = 0.0;
    while x < 7.0 {
        below -= 1.0 / x;
        x += 1.0;
    }
    // Expansion around x - 1/2, whose error is far below the last digit that matters from 7 on.
    let y = x - 0.5;
    let inverse = 1.0 / (y * y);
    let series = inverse
        * (1.0 / 24.0 - inverse * (7.0 / 960.0 - inverse * (31.0 / 8064.0 - inverse * (127.0 / 30720.0))));
    below + y.ln() + series
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nearest_whole_numbers() {
        for number in
            [0.0, 0.5, 1.5, 2.5, 2.500001, 7.49, 1e9 + 0.5, 1e15 + 0.25, 1e15 + 0.5, 3e17, f64::MIN_POSITIVE]
        {
            assert_eq!(nearest(number), number.round_ties_even() as i64, "{number}");
        }
    }

    #[test]
    fn digamma_at_known_points() {
        const EULER: f64 = 0.577_215_664_901_532_9;
        assert!((digamma(1.0) + EULER).abs() < 1e-9);
        assert!((digamma(0.5) + EULER + 2.0 * std::f64::consts::LN_2).abs() < 1e-9);
        assert!((digamma(100.0) - 4.600_161_852_738_087).abs() < 1e-9);
    }
}
