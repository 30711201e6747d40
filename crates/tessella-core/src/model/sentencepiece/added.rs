//! Sums of many scores in 32 bits, as they come to when they are added one by one.
//!
//! Where a unit has to be searched behind the very sum in front of it, all that stands before it is added up, in 32 bits and in
//! order, and each addition waits for the one before. But a sum of 32 bits is a whole number of steps, whose size hangs on where
//! between powers of two it is. So as long as it does not come to the next power, what is added to it is rounded to whole steps
//! wherever it stands, and whole numbers can be added in any order. What is halfway between two steps hangs on the sum: then whole
//! numbers are added in order, which does not wait as long.

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
        let AddUp { scores, mut numbers, mut sum } = self;
        while !numbers.is_empty() {
            let added = scores.added_together(sum, numbers);
            sum = added.sum;
            numbers = &numbers[added.count..];
            if let Some((&first, behind)) = numbers.split_first() {
                sum = scores.added(sum, first);
                numbers = behind;
            }
        }
        sum
    }
}

/// Steps of the sum that is the next power of two, from where on they are larger.
const MOST_STEPS: i32 = 1 << 24;

/// Steps at most that one number may be worth.
const FARTHEST: f32 = (1 << 22) as f32;

/// Among numbers whose steps are whole ones, as far from both ends of them as [`FARTHEST`]: what is added to it is rounded to whole ones,
/// halfway between two of them to the even one.
const ROUNDING: f32 = 3.0 * FARTHEST;

/// Numbers that are looked at together.
const PORTION: usize = 32;

/// A sum with so many numbers behind it.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Added {
    sum: f32,
    count: usize,
}

impl Scores<'_> {
    /// A sum with one unit behind it.
    #[inline]
    fn added(self, mut sum: f32, number: u32) -> f32 {
        match number.checked_sub(self.size) {
            None => sum += self.worth[number as usize],
            Some(_) if number >= SEAL => {}
            Some(run) => (0..run).for_each(|_| sum += self.worth[self.unk as usize]),
        }
        sum
    }

    /// The same with some numbers, up to one that has to be added by itself.
    #[inline(always)]
    fn added_together(self, sum: f32, numbers: &[u32]) -> Added {
        let none = Added { sum, count: 0 };
        // The size of a step is a power of two, and so is one by it.
        let steps = f32::from_bits((2 * 127 + 23 - (sum.to_bits() >> 23 & 0xFF)) << 23);
        // Sums that are near enough to zero for it to matter how near come with few numbers.
        if !(sum < -1.0 && sum.is_finite() && self.most * steps < FARTHEST) {
            return none;
        }
        let size = self.size as usize;
        let Some(worth) = self.worth.get(..size).filter(|worth| !worth.is_empty()) else { return none };
        let unknown = worth.get(self.unk as usize).map_or(f32::NAN, |worth| worth * steps);
        let (mut total, mut count) = ((sum * steps) as i32, 0);
        let mut moves = [Move { whole: 0, is_odd: 0 }; PORTION];
        for numbers in numbers.chunks(PORTION) {
            let (mut added, mut any_odd) = (0i32, 0);
            // One loop without a branch, which becomes one of vectors.
            for (&number, place) in numbers.iter().zip(&mut moves) {
                let score = worth[(number as usize).min(size - 1)] * steps;
                let is_run = (number >= self.size) & (number < SEAL);
                let each = if number < self.size { score } else { unknown };
                let times = if is_run { number - self.size } else { u32::from(number < SEAL) } as i32;
                let all = each * times as f32;
                let whole = rounded(each).wrapping_mul(times);
                // What is no number of theirs, as of a piece that is unused, is farther than any.
                let is_near = (-FARTHEST..=0.0).contains(&all);
                let half = halfway(each);
                let is_half = (half.abs() == 0.5) & (times != 0);
                let is_odd = u32::from(is_half) | u32::from(!is_near) << 1;
                *place = Move { whole: whole.wrapping_sub(i32::from(is_half & (half < 0.0))), is_odd };
                any_odd |= is_odd;
                added = added.wrapping_add(whole);
            }
            let next = total.wrapping_add(added);
            if any_odd == 0 && next >= -MOST_STEPS {
                total = next;
                count += numbers.len();
                continue;
            }
            for &Move { whole, is_odd } in &moves[..numbers.len()] {
                let next = total.wrapping_add(whole);
                // Halfway between two steps the even one is taken. Each number nearest to such a score is even, so that more of a run
                // leave the sum even.
                let next = next.wrapping_add(next & (is_odd & 1) as i32);
                if is_odd > 1 || next < -MOST_STEPS {
                    return Added { sum: total as f32 / steps, count };
                }
                total = next;
                count += 1;
            }
        }
        Added { sum: total as f32 / steps, count }
    }
}

/// What a number adds to a sum.
#[derive(Debug, Clone, Copy)]
struct Move {
    /// Whole steps, cut off if it is halfway between two.
    whole: i32,
    /// 1 for what is halfway between two steps, 2 and above for what has to be added by itself.
    is_odd: u32,
}

/// Steps from the even whole number nearest to some.
#[inline(always)]
fn halfway(steps: f32) -> f32 {
    steps - (steps + ROUNDING - ROUNDING)
}

/// The whole number nearest to some steps, of two the even one. (A conversion would be one after the other: it asks whether it fits.)
#[inline(always)]
fn rounded(steps: f32) -> i32 {
    (steps + ROUNDING).to_bits().wrapping_sub(ROUNDING.to_bits()) as i32
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
        for round in 0..120u32 {
            // Scores that are whole numbers of large steps come to lie halfway between those of sums.
            let scale = [1.0, 1.0 / 256.0, 1.0 / 65536.0][round as usize % 3];
            let unknown = [30.0, below(1 << 20) as f32 * scale / 1024.0][round as usize / 3 % 2];
            let mut worth = vec![-unknown];
            for _ in 0..200 {
                let score = if round % 4 == 0 { below(1 << 20) as f32 } else { below(20) as f32 / scale };
                worth.push(-score * scale / 1024.0);
            }
            match round % 8 {
                7 => worth.extend((0..100).map(|_| below(80) as f32 / 4.0)),
                // A piece that is unused.
                3 | 4 => worth.push(f32::NEG_INFINITY),
                _ => {}
            }
            let finite = worth.iter().filter(|worth| worth.is_finite());
            let (size, most) = (worth.len() as u32, finite.fold(0f32, |most, worth| most.max(worth.abs())));
            let scores = Scores { worth: &worth, size, most, unk: 0 };
            for _ in 0..200 {
                let from = match below(30) {
                    0 => f32::NEG_INFINITY,
                    _ => -(below(100_000) as f32) / [1.0, 7.0, 999.0][below(3) as usize],
                };
                let numbers: Vec<u32> = (0..below(65))
                    .map(|_| match below(60) {
                        0..4 => size + below(5) as u32,
                        4 => size + below(5000) as u32,
                        5..20 => SEAL + below(1 << 22) as u32,
                        _ => below(size.into()) as u32,
                    })
                    .collect();
                let one_by_one =
                    |numbers: &[u32]| numbers.iter().fold(from, |sum, &at| scores.added(sum, at));
                let expected = one_by_one(&numbers);
                let Added { sum, count } = scores.added_together(from, &numbers);
                assert_eq!(sum.to_bits(), one_by_one(&numbers[..count]).to_bits(), "{from} {numbers:?}");
                together += count;
                apart += numbers.len() - count;
                let all = AddUp { scores, numbers: &numbers, sum: from };
                assert_eq!(Level::best().run(all).to_bits(), expected.to_bits());
            }
        }
        assert!(together > 1000 && apart > 1000, "{together} {apart}");
    }

    #[test]
    fn runs_are_added_one_by_one_where_each_is_halfway_between_steps() {
        let mut random = Random::from_seed(13);
        let mut below = |bound: u64| random.next_u64() % bound;
        // Sums from 2^12 to 2^13 have steps of 2^-11.
        let worth = [-5.0 - 1.0 / 4096.0, -1.25, -3.7];
        let scores = Scores { worth: &worth, size: 3, most: 6.0, unk: 0 };
        for _ in 0..500 {
            let sum = -(4096.0 + below(14_000) as f32 / 7.0);
            let numbers: Vec<u32> = (0..below(40)).map(|_| below(10) as u32).collect();
            let expected = numbers.iter().fold(sum, |sum, &number| scores.added(sum, number));
            let found = Level::best().run(AddUp { scores, numbers: &numbers, sum });
            assert_eq!(found.to_bits(), expected.to_bits(), "{sum} {numbers:?}");
        }
    }

    #[test]
    fn a_sum_that_is_infinite_stays_so() {
        let scores = Scores { worth: &[-1e38, -1e37], size: 2, most: 1e38, unk: 0 };
        let numbers = [0, 1, 1, 0, SEAL, 2 + 9];
        for sum in [f32::NEG_INFINITY, -3e38] {
            assert_eq!(Level::best().run(AddUp { scores, numbers: &numbers, sum }), f32::NEG_INFINITY);
        }
    }
}
