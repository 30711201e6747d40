//! Sums of many scores in 32 bits, as they come to when they are added one by one.
//!
//! Where a unit has to be searched behind the very sum in front of it, all that stands before it is added up, in 32 bits and in
//! order, and each addition waits for the one before. But a sum of 32 bits is a whole number of steps, whose size hangs on where
//! between powers of two it is. So as long as it does not come to the next power, what is added to it is rounded to whole steps
//! wherever it stands, but for what is halfway between two of them: then it hangs on the sum. Whole numbers can be added in any order.

use crate::ids::TokenId;
use crate::lanes::vectors::{Task, Vectors};

/// Numbers from here on are seals; ids are below.
pub(super) const SEAL: u32 = 1 << 23;

/// What numbers of units add to a sum: seals nothing, and those from the size of the vocabulary on what so many unknown characters do.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scores<'s> {
    pub worth: &'s [f32],
    pub size: u32,
    /// The largest of them, without its sign.
    pub most: f32,
    pub unk: TokenId,
}

/// The numbers of some units to be added to a sum.
pub(super) struct AddUp<'s> {
    pub scores: Scores<'s>,
    pub numbers: &'s [u32],
    pub sum: f32,
}

impl Task for AddUp<'_> {
    type Output = f32;

    #[inline(always)]
    fn run<V: Vectors>(self, _: V) -> f32 {
        let AddUp { scores, numbers, mut sum } = self;
        for numbers in numbers.chunks(PORTION) {
            sum =
                scores.added_together(sum, numbers).unwrap_or_else(|| scores.added_one_by_one(sum, numbers));
        }
        sum
    }
}

/// Steps of the sum that is the next power of two, from where on they are larger.
const MOST_STEPS: i32 = 1 << 24;

/// Numbers that are looked at together.
const PORTION: usize = 64;

impl Scores<'_> {
    /// A sum with some units behind it.
    #[inline(never)]
    fn added_one_by_one(self, mut sum: f32, numbers: &[u32]) -> f32 {
        for &number in numbers.iter().filter(|&&number| number < SEAL) {
            match number.checked_sub(self.size) {
                None => sum += self.worth[number as usize],
                Some(run) => (0..run).for_each(|_| sum += self.worth[self.unk as usize]),
            }
        }
        sum
    }

    /// The same in any order; `None` if that may be another sum.
    #[inline(always)]
    fn added_together(self, sum: f32, numbers: &[u32]) -> Option<f32> {
        // The size of a step is a power of two, and so is one by it.
        let steps = f32::from_bits((2 * 127 + 23 - (sum.to_bits() >> 23 & 0xFF)) << 23);
        let farthest = -self.most * steps;
        // Farther steps than one, or sums that are near enough to zero for it to matter how near, come with few numbers.
        if !(sum < -1.0 && farthest > -(MOST_STEPS as f32) / 4.0) {
            return None;
        }
        let size = self.size as usize;
        let worth = self.worth.get(..size).filter(|worth| !worth.is_empty())?;
        let (mut added, mut is_odd) = (0i32, 0);
        for &number in numbers {
            let id = (number as usize).min(size - 1);
            let is_run = (number >= self.size) & (number < SEAL);
            let exact = if number < SEAL { worth[id] } else { 0.0 } * steps;
            let whole = exact.round_ties_even();
            // What is no number of theirs, as of a piece that is unused, is farther than any.
            let is_beyond = !(farthest..=0.0).contains(&exact);
            is_odd |= u32::from(is_run) | u32::from((exact - whole).abs() == 0.5) | u32::from(is_beyond);
            added = added.wrapping_add(whole as i32);
        }
        let sum = ((sum * steps) as i32).wrapping_add(added);
        (is_odd == 0 && sum >= -MOST_STEPS).then(|| sum as f32 / steps)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lanes::vectors::Level;
    use crate::random::Random;

    #[test]
    fn numbers_are_added_as_one_by_one() {
        let mut random = Random::from_seed(12);
        let mut below = |bound: u64| random.next_u64() % bound;
        let (mut together, mut apart) = (0, 0);
        for round in 0..40u32 {
            // Scores that are whole numbers of large steps come to lie halfway between those of sums.
            let scale = [1.0, 1.0 / 256.0, 1.0 / 65536.0][round as usize % 3];
            let mut worth = vec![-30.0];
            for _ in 0..200 {
                let score = if round % 4 == 0 { below(1 << 20) as f32 } else { below(20) as f32 / scale };
                worth.push(-score * scale / 1024.0);
            }
            match round % 8 {
                7 => worth.push(0.5),
                // A piece that is unused.
                3 | 4 => worth.push(f32::NEG_INFINITY),
                _ => {}
            }
            let finite = worth.iter().filter(|worth| worth.is_finite());
            let (size, most) = (worth.len() as u32, finite.fold(0f32, |most, worth| most.max(worth.abs())));
            let scores = Scores { worth: &worth, size, most, unk: 0 };
            for _ in 0..200 {
                let from = -(below(100_000) as f32) / [1.0, 7.0, 999.0][below(3) as usize];
                let numbers: Vec<u32> = (0..below(PORTION as u64 + 1))
                    .map(|_| match below(60) {
                        0 => size + below(3) as u32,
                        1..20 => SEAL + below(1 << 22) as u32,
                        _ => below(size.into()) as u32,
                    })
                    .collect();
                let expected = scores.added_one_by_one(from, &numbers);
                match scores.added_together(from, &numbers) {
                    Some(sum) => {
                        together += 1;
                        assert_eq!(sum.to_bits(), expected.to_bits(), "{from} {numbers:?}");
                    }
                    None => apart += 1,
                }
                let all = AddUp { scores, numbers: &numbers, sum: from };
                assert_eq!(Level::best().run(all).to_bits(), expected.to_bits());
            }
        }
        assert!(together > 1000 && apart > 1000, "{together} {apart}");
    }
}
