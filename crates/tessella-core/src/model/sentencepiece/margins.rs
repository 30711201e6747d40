//! By how much the best segmentation of a stretch is the best: whether a sum in front of it can change that.
//!
//! SentencePiece adds scores in 32 bits. A sum near 100,000 is known to 1/128 only, so that of two ways through a word
//! that differ by less the worse one may win, and which one does hangs on everything that was summed before. So what a
//! word became is right again only as long as rounding cannot turn a decision:
//!
//! - Let all sums in the stretch, with what stands in front, lie below `2^(k+1)`. One addition errs by at most half a
//!   step, `2^(k-24)`. A path to a boundary with `c` characters in front of it has at most `c` additions, so the sum of
//!   every path, and with it the best one of every boundary, errs by at most `c * 2^(k-24)`.
//! - So the better of two arrivals at that boundary stays the better one if they differ by more than `c * 2^(k-23)`.
//! - The path that is taken is read from its end: only the decisions at its own boundaries count.
//!
//! Hence the smallest distance per character over the boundaries of the best path gives the largest `k`, and that a
//! bound for the sum in front. Distances are found in 64 bits, where the few sums of a stretch are exact enough
//! ([`SLACK`]). Ties have no distance, and no bound: SentencePiece decides them anew each time, and so do we.

use std::hint::select_unpredictable;

use super::memo::Part;
use crate::ids::TokenId;
use crate::model::unigram::viterbi::char_width;
use crate::trie::Trie;

/// More than what the sums of one stretch, all below [`FARTHEST_BASE`], err by in 64 bits.
pub(super) const SLACK: f64 = 1e-7;
/// Sums are counted from zero again where they come to -100,000; nothing is said about what comes near.
const FARTHEST_BASE: f64 = 98_000.0;
/// Bits of a 32-bit sum behind the first one.
const MANTISSA: i32 = 23;

#[derive(Debug, Clone, Copy)]
struct Node {
    best: f64,
    /// The best of all other arrivals.
    second: f64,
    /// Characters in front.
    chars: u32,
    length: u32,
    id: TokenId,
}

const NOT_REACHED: Node =
    Node { best: f64::NEG_INFINITY, second: f64::NEG_INFINITY, chars: 0, length: 0, id: 0 };

/// Buffers for [`Margins::solve`], and its result.
#[derive(Debug, Default)]
pub(super) struct Margins {
    nodes: Vec<Node>,
    /// The best segmentation; empty if it has a piece that is too long to be written down.
    pub parts: Vec<Part>,
}

impl Margins {
    /// Finds the best segmentation of a stretch on its own, and returns how far from zero a sum in front of it may be; a
    /// number below zero if nothing is known even of zero. `score` gives the score of a piece of so many bytes, `None`
    /// for one that may not be used; all scores are finite.
    pub(super) fn solve(
        &mut self,
        stretch: &[u8],
        trie: &Trie,
        unknown: (TokenId, f32),
        score: impl Fn(TokenId, usize) -> Option<f32>,
    ) -> f32 {
        let Margins { nodes, parts } = self;
        nodes.clear();
        nodes.resize(stretch.len() + 1, NOT_REACHED);
        nodes[0].best = 0.0;
        let mut largest = 0f64;
        let mut at = 0;
        let mut chars = 0;
        while at < stretch.len() {
            let width = char_width(stretch[at]);
            nodes[at].chars = chars;
            let before = nodes[at].best;
            let mut covered = false;
            let mut arrive = |length: usize, id: TokenId, score: f32| {
                let sum = before + f64::from(score);
                largest = largest.max(sum.abs());
                let node = &mut nodes[at + length];
                // Which of two is better cannot be foreseen, and compilers make a branch of what looks like none.
                let is_better = sum > node.best;
                let lower = select_unpredictable(is_better, node.best, sum);
                node.second = select_unpredictable(lower > node.second, lower, node.second);
                node.best = select_unpredictable(is_better, sum, node.best);
                node.length = select_unpredictable(is_better, length as u32, node.length);
                node.id = select_unpredictable(is_better, id, node.id);
            };
            trie.prefixes(&stretch[at..], |length, id| {
                if let Some(score) = score(id, length) {
                    covered |= length == width;
                    arrive(length, id, score);
                }
            });
            if !covered {
                arrive(width, unknown.0, unknown.1);
            }
            at += width;
            chars += 1;
        }
        nodes[at].chars = chars;

        parts.clear();
        let mut margin = f64::INFINITY;
        while at > 0 {
            let node = &nodes[at];
            margin = margin.min((node.best - node.second - SLACK) / f64::from(node.chars));
            match Part::new(node.id, node.length as usize) {
                Some(part) => parts.push(part),
                None => {
                    parts.clear();
                    return -1.0;
                }
            }
            at -= node.length as usize;
        }
        parts.reverse();
        limit(margin, largest)
    }
}

/// The largest distance from zero of a sum in front: with `margin` for each character, and with sums in the stretch
/// that are up to `largest` away from the one in front.
pub(super) fn limit(margin: f64, largest: f64) -> f32 {
    if margin.is_nan() || margin <= 0.0 {
        return -1.0;
    }
    // The largest k with 2^(k - 23) below the margin.
    let exponent = exponent_below(margin.min(1e9)) + MANTISSA;
    let bound = power_of_two(exponent + 1).min(FARTHEST_BASE);
    // One is more than what rounding adds to any sum.
    let limit = bound - largest - 1.0;
    if limit > 0.0 { limit as f32 } else { -1.0 }
}

/// Bits of a 64-bit number behind its exponent, and what stands for the exponent 0.
const FRACTION: u32 = 52;
const BIAS: i32 = 1023;

/// The largest exponent of a power of two below a positive number that is not tiny.
fn exponent_below(number: f64) -> i32 {
    (number.next_down().to_bits() >> FRACTION) as i32 - BIAS
}

/// Of exponents that are not near the ends of what there is.
fn power_of_two(exponent: i32) -> f64 {
    f64::from_bits(((exponent.max(1 - BIAS) + BIAS) as u64) << FRACTION)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exponents_are_those_of_logarithms() {
        for exponent in -60..60 {
            let power = f64::from(exponent).exp2();
            assert_eq!(power_of_two(exponent), power);
            assert_eq!(exponent_below(power), exponent - 1);
            assert_eq!(exponent_below(power * 1.5), exponent);
            assert_eq!(exponent_below(power.next_up()), exponent);
        }
    }

    #[test]
    fn limits_follow_from_margins() {
        // 2^(k - 23) below 1/128: k is 15, and sums may come to 2^16.
        assert_eq!(limit(1.0 / 128.0, 9.0), 65_526.0);
        assert_eq!(limit(1.0 / 127.0, 9.0), 97_990.0);
        assert_eq!(limit(f64::INFINITY, 9.0), 97_990.0);
        assert_eq!(limit(0.0, 9.0), -1.0);
        assert_eq!(limit(1e-9, 9.0), -1.0);
        assert_eq!(limit(f64::INFINITY, 1e6), -1.0);
    }
}
