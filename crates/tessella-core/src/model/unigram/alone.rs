//! The best segmentation of a unit of any length, by the nodes that short units are walked through side by side
//! ([`together`](super::together)), and in the same whole numbers.

use std::hint::select_unpredictable;

use super::together::Steps;
use super::viterbi::char_width;
use crate::flat::prefetch;
use crate::ids::TokenId;
use crate::lanes::walk::NOTHING;

/// What arrives at a place.
#[derive(Debug, Clone, Copy)]
struct Arrival {
    best: i64,
    /// The best of all others.
    second: i64,
    node: u32,
    length: u32,
}

const NONE: Arrival = Arrival { best: i64::MIN / 4, second: i64::MIN / 4, node: 0, length: 0 };

/// What is known of a unit besides its ids.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Alone {
    /// By how much the best arrival is better than all others for each character in front, the least of all boundaries of the
    /// segmentation.
    pub distance_per_character: f64,
    /// The farthest from zero that a sum at a boundary is.
    pub largest: f64,
    /// The sum of all.
    pub sum: f64,
}

/// Buffers.
#[derive(Debug, Default)]
pub(crate) struct Arrivals {
    places: Vec<Arrival>,
    /// Characters in front of each place.
    characters: Vec<u32>,
    /// Where each piece of the best way ends.
    ends: Vec<u32>,
}

/// Characters whose second node is asked for before it is looked at.
const AHEAD: usize = 6;

impl Arrivals {
    /// Where each piece ends of the unit that was solved last.
    pub fn ends(&self) -> impl Iterator<Item = usize> {
        self.ends.iter().map(|&end| end as usize)
    }

    /// Writes the ids of a unit, whole characters in which a byte of ASCII stands for the mark.
    pub fn solve(&mut self, steps: &Steps, unit: &[u8], mark: u8, ids: &mut Vec<TokenId>) -> Alone {
        let Arrivals { places, characters, ends } = self;
        ends.clear();
        places.clear();
        places.resize(unit.len() + 1, NONE);
        characters.clear();
        characters.resize(unit.len() + 1, 0);
        places[0].best = 0;
        let nodes = steps.nodes();
        let slot_of = |byte: u8| nodes.firsts + if byte == mark { 256 } else { byte.into() };
        let base = |node: u64| node as u32 >> 8;
        let (mut lowest, mut highest) = (0, 0);
        let (mut at, mut count) = (0, 0);
        while at < unit.len() {
            if let Some(&[byte, next]) = unit.get(at + AHEAD..).and_then(|unit| unit.first_chunk()) {
                let first = nodes.all[slot_of(byte) as usize];
                prefetch(nodes.all, (base(first) ^ u32::from(next)) as usize);
            }
            characters[at] = count;
            let before = places[at].best;
            (lowest, highest) = (before.min(lowest), before.max(highest));
            let mut arrive = |end: usize, node: u64, slot: u32| {
                let adds = (node >> 32) as i32;
                let sum = before + select_unpredictable(adds == NOTHING, NONE.best / 2, adds.into());
                let Arrival { best, second, node, length } = places[end];
                let is_better = sum > best;
                let lower = select_unpredictable(is_better, best, sum);
                places[end] = Arrival {
                    best: select_unpredictable(is_better, sum, best),
                    second: select_unpredictable(lower > second, lower, second),
                    node: select_unpredictable(is_better, slot, node),
                    length: select_unpredictable(is_better, (end - at) as u32, length),
                };
            };
            let width = char_width(unit[at]);
            let slot = slot_of(unit[at]);
            let mut node = nodes.all[slot as usize];
            arrive((at + width).min(unit.len()), node, slot);
            for (end, &byte) in (at + 2..).zip(&unit[at + 1..]) {
                if base(node) >= nodes.dead {
                    break;
                }
                let slot = base(node) ^ u32::from(byte);
                node = nodes.all[slot as usize];
                if node as u8 != byte {
                    break;
                }
                arrive(end, node, slot);
            }
            at += width;
            count += 1;
        }
        let mut at = unit.len();
        characters[at] = count;
        let sum = places[at].best;
        (lowest, highest) = (sum.min(lowest), sum.max(highest));
        let mut least = f64::INFINITY;
        let first = ids.len();
        while at > 0 {
            let Arrival { best, second, node, length } = places[at];
            least = least.min((best - second) as f64 / f64::from(characters[at]));
            ids.push(steps.id(node));
            ends.push(at as u32);
            at -= length as usize;
        }
        ids[first..].reverse();
        ends.reverse();
        let scaled = |sum: i64| sum as f64 * steps.step();
        Alone {
            distance_per_character: least * steps.step(),
            largest: scaled(highest.max(-lowest)),
            sum: scaled(sum),
        }
    }
}
