//! Which neighbours a relation of ASCII characters holds for, by a few *rectangles*: sets of left and right characters
//! each of which it holds for together.
//!
//! A byte tells of a character which rectangles it is in, on either side, so that for 64 pairs of neighbours two look-ups
//! and one test are enough. Not every relation is a few rectangles: what is left over is given up, where it matters
//! least by how often characters stand in texts.

use super::ascii::BLOCK;
use super::vectors::{Level, Task, Vectors};

const ASCII: usize = 128;
/// Each takes eight rectangles.
const ROUNDS: usize = 2;

/// For each character the rectangles that it is in.
#[derive(Debug)]
pub struct Rectangles {
    left: [[u8; ASCII]; ROUNDS],
    right: [[u8; ASCII]; ROUNDS],
}

/// Sets of characters by how often they stand in texts: those of each set count eight times what those of the next do.
fn often(is_used: impl Fn(u8) -> bool) -> [u128; 3] {
    let mut sets = [0; 3];
    for byte in (0..ASCII as u8).filter(|&byte| is_used(byte)) {
        let set = match byte {
            b' ' | b'a'..=b'z' => 0,
            b'A'..=b'Z' | b'0'..=b'9' | b'.' | b',' | b'-' | b'\'' | b'"' | b'(' | b')' | b'\n' | b'_' => 1,
            _ => 2,
        };
        sets[set] |= 1 << byte;
    }
    sets
}

/// What a set of characters counts.
#[inline(always)]
fn weight(sets: &[u128; 3], of: u128) -> u64 {
    let count = |set: usize| u64::from((sets[set] & of).count_ones());
    count(0) * 64 + count(1) * 8 + count(2)
}

/// Rectangles to be chosen, which is mostly counting bits: processors can do that.
struct Choosing<'h> {
    holds: &'h [u128; ASCII],
    sets: [u128; 3],
}

impl Task for Choosing<'_> {
    type Output = Rectangles;

    #[inline(always)]
    fn run<V: Vectors>(self, _: V) -> Rectangles {
        Rectangles::chosen(self.holds, self.sets)
    }
}

impl Rectangles {
    /// For no pair at all.
    pub fn none() -> Self {
        Rectangles { left: [[0; ASCII]; ROUNDS], right: [[0; ASCII]; ROUNDS] }
    }

    /// For a relation: by left character, the right ones. Of characters that are not used nothing is said.
    pub fn new(holds: &[u128; ASCII], is_used: impl Fn(u8) -> bool) -> Self {
        Level::best().run(Choosing { holds, sets: often(is_used) })
    }

    #[inline(always)]
    fn chosen(holds: &[u128; ASCII], sets: [u128; 3]) -> Self {
        let mut rectangles = Self::none();
        let mut missing = *holds;
        let mut candidates = holds.to_vec();
        // Those of blanks and letters have what others have in common as well.
        let common: Vec<u128> = holds.iter().map(|row| row & holds[usize::from(b'e')]).collect();
        candidates.extend(common);
        candidates.sort_unstable();
        candidates.dedup();
        let mut highest = vec![u64::MAX; candidates.len()];
        for round in 0..ROUNDS {
            for bit in 0..8 {
                let gain = |columns: u128| -> u64 {
                    let rows = (0..ASCII).filter(|&row| holds[row] & columns == columns);
                    rows.map(|row| weight(&sets, 1 << row) * weight(&sets, missing[row] & columns)).sum()
                };
                // Not by an iterator's `max_by_key`, a function of its own for which processors count bits by hand. What a
                // candidate gains never grows, so most need not be looked at again; of equal ones the last counts.
                let (mut most, mut columns) = (0, candidates.last().copied().unwrap_or(0));
                for place in (0..candidates.len()).rev() {
                    if highest[place] > most {
                        highest[place] = gain(candidates[place]);
                        if highest[place] > most {
                            (most, columns) = (highest[place], candidates[place]);
                        }
                    }
                }
                for row in (0..ASCII).filter(|&row| holds[row] & columns == columns) {
                    missing[row] &= !columns;
                    rectangles.left[round][row] |= 1 << bit;
                }
                for column in (0..ASCII).filter(|&column| columns >> column & 1 == 1) {
                    rectangles.right[round][column] |= 1 << bit;
                }
            }
        }
        rectangles
    }

    /// Between which neighbours it holds: the bit of a pair is that of its right byte. None beyond ASCII.
    #[inline(always)]
    pub fn between<V: Vectors>(&self, vectors: V, left: &[u8; BLOCK], right: &[u8; BLOCK]) -> u64 {
        let mut found = 0;
        for round in 0..ROUNDS {
            let (mut of_left, mut of_right) = ([0; BLOCK], [0; BLOCK]);
            vectors.looked_up(left, &self.left[round], 0, &mut of_left);
            vectors.looked_up(right, &self.right[round], 0, &mut of_right);
            found |= vectors.share(&of_left, &of_right);
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    /// Each rectangle is the one that gains most, the last of equal ones, with all candidates looked at for each.
    fn chosen_plainly(holds: &[u128; ASCII], sets: [u128; 3]) -> Rectangles {
        let mut rectangles = Rectangles::none();
        let mut missing = *holds;
        let mut candidates = holds.to_vec();
        candidates.extend(holds.iter().map(|row| row & holds[usize::from(b'e')]));
        candidates.sort_unstable();
        candidates.dedup();
        for (round, bit) in (0..ROUNDS * 8).map(|number| (number / 8, number % 8)) {
            let inside = |columns: u128| move |&row: &usize| holds[row] & columns == columns;
            let gain = |columns: u128| -> u64 {
                let rows = (0..ASCII).filter(inside(columns));
                rows.map(|row| weight(&sets, 1 << row) * weight(&sets, missing[row] & columns)).sum()
            };
            let columns = candidates.iter().copied().max_by_key(|&columns| gain(columns)).unwrap();
            for row in (0..ASCII).filter(inside(columns)) {
                missing[row] &= !columns;
                rectangles.left[round][row] |= 1 << bit;
            }
            for column in (0..ASCII).filter(|&column| columns >> column & 1 == 1) {
                rectangles.right[round][column] |= 1 << bit;
            }
        }
        rectangles
    }

    #[test]
    #[cfg_attr(miri, ignore = "takes minutes there, and has nothing unsafe in it")]
    fn candidates_that_are_not_looked_at_again_would_not_have_been_chosen() {
        let mut random = Random::from_seed(5);
        for share in [1, 4, 7, 8] {
            let classes: [u128; 4] = std::array::from_fn(|_| {
                (0..4).fold(0, |all, _| all << 32 | u128::from(random.next_u64() as u32))
            });
            for noise in [0, 3, 30] {
                let mut holds = [0u128; ASCII];
                for row in &mut holds {
                    *row = classes[random.next_u64() as usize % 4];
                    for _ in 0..noise {
                        *row ^= 1 << (random.next_u64() % 128);
                    }
                }
                let sets = often(|byte| u64::from(byte) * 5 % 8 < share);
                let (found, expected) = (Rectangles::chosen(&holds, sets), chosen_plainly(&holds, sets));
                assert_eq!((found.left, found.right), (expected.left, expected.right));
            }
        }
    }
}
