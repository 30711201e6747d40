//! The pairs that merge, in a perfect hash: small enough for the processor's second cache, two loads a look-up,
//! and no branch that hangs on what was loaded.
//!
//! Symbols are numbers in the order of their ranks ([`Symbol`]): what a pair becomes is at once when it is
//! joined, so a slot of eight bytes holds the pair (42 bits) and that number (21 bits). A *pilot* for about two
//! keys moves them to free slots.
//!
//! Buckets and slots fall into *parts*, by the highest bits of a hash: a key's bucket and its slot are of the same one. So a
//! table is made part by part ([`Filling`]), each of which stays near the processor meanwhile.

mod filling;

use crate::flat::prefetch;

pub use filling::Filling;

/// A token, by the order of its rank among all results of merges.
pub type Symbol = u32;

/// What no pair becomes, and what merges with nothing.
pub const NEVER: Symbol = (1 << BITS) - 1;

pub const BITS: u32 = 21;

#[derive(Debug)]
pub struct PairHash {
    pub pilots: Vec<u16>,
    /// The key above, the result in the low bits.
    slots: Vec<u64>,
    /// Parts, as a power of two.
    pub parts_log2: u32,
}

/// Where a pair would stand.
#[derive(Debug, Clone, Copy, Default)]
pub struct Place {
    key: u64,
    slot: u32,
}

#[inline(always)]
fn key_of(left: Symbol, right: Symbol) -> u64 {
    u64::from(left) << BITS | u64::from(right)
}

/// What hashes and slots are made with, here and by vectors.
pub const OF_BUCKET: [u32; 2] = [0x9E37_79B1, 0x85EB_CA6A];
pub const OF_SLOT: [u32; 2] = [0xC2B2_AE3D, 0x27D4_EB2F];
const _: () = assert!(OF_BUCKET[0] % 2 == 1 && OF_BUCKET[1].is_multiple_of(2) && OF_SLOT[1] % 2 == 1);
pub const MIX: u32 = 0x7FEB_352D;
pub const MIX_SHIFT: u32 = 15;
pub const OF_PILOT: u32 = 0x9E37_79B1;
pub const MOVED: u32 = 0x85EB_CA6B;
pub const MOVED_SHIFT: u32 = 16;

/// Two numbers, one for the bucket and one for the slot. No two pairs have both in common: the four multipliers have an odd
/// determinant, so the map can be turned around, and what comes after it as well.
#[inline(always)]
fn hash(left: Symbol, right: Symbol) -> [u32; 2] {
    let sum = |of: [u32; 2]| left.wrapping_mul(of[0]).wrapping_add(right.wrapping_mul(of[1]));
    let of_bucket = sum(OF_BUCKET);
    [(of_bucket ^ of_bucket >> MIX_SHIFT).wrapping_mul(MIX), sum(OF_SLOT)]
}

/// A number below `bound`, from the high bits of a hash.
#[inline(always)]
fn below(hash: u32, bound: usize) -> usize {
    ((u64::from(hash) * bound as u64) >> 32) as usize
}

/// What a pilot makes of the second number of a hash.
#[inline(always)]
fn moved(hash: u32, pilot: u16) -> u32 {
    // Multiplied after the pilot has come in: it moves keys apart from each other, not all by the same way.
    let moved = hash ^ u32::from(pilot).wrapping_mul(OF_PILOT);
    moved.wrapping_mul(MOVED) ^ moved >> MOVED_SHIFT
}

/// The bits of a hash's first number that tell the part.
#[inline(always)]
pub fn part_bits(parts_log2: u32) -> u32 {
    !(u32::MAX >> parts_log2)
}

const FREE: u64 = u64::MAX;

/// Left, right and result, as a slot holds them.
#[inline(always)]
fn word_of(left: Symbol, right: Symbol, result: Symbol) -> u64 {
    key_of(left, right) << BITS | u64::from(result)
}

#[inline(always)]
fn pair_of(word: u64) -> (Symbol, Symbol, Symbol) {
    let number = |shift: u32| (word >> shift) as Symbol & NEVER;
    (number(2 * BITS), number(BITS), number(0))
}

impl PairHash {
    /// A table with `spare` free slots: many make it fast to build, few keep it small. `None` if there are too many
    /// symbols, or in the unlikely case that some keys find no slots.
    pub fn new(pairs: &[(Symbol, Symbol, Symbol)], spare: usize) -> Option<PairHash> {
        let mut filling = Filling::new(pairs.len(), spare);
        pairs.iter().for_each(|&(left, right, result)| filling.put(left, right, result));
        filling.finish(|_, _| true)
    }

    /// The slots.
    #[inline(always)]
    pub fn slots(&self) -> &[u64] {
        &self.slots
    }

    /// Where a pair stands among the slots.
    #[inline(always)]
    fn place_of(&self, [of_bucket, of_slot]: [u32; 2]) -> usize {
        let moved = moved(of_slot, self.pilots[below(of_bucket, self.pilots.len())]);
        let in_part = of_bucket & part_bits(self.parts_log2) | moved >> self.parts_log2;
        below(in_part, self.slots.len())
    }

    /// Pairs in the table.
    pub fn len(&self) -> usize {
        self.slots().iter().filter(|&&slot| slot != FREE).count()
    }

    /// Left, right and result of every pair, in any order.
    pub fn iter(&self) -> impl Iterator<Item = (Symbol, Symbol, Symbol)> {
        self.slots().iter().filter(|&&slot| slot != FREE).map(|&slot| pair_of(slot))
    }

    /// The same of all slots: those that are free have [`NEVER`] for all three.
    pub fn all(&self) -> impl Iterator<Item = (Symbol, Symbol, Symbol)> {
        self.slots().iter().map(|&slot| pair_of(slot))
    }

    /// Bytes in use.
    pub fn memory(&self) -> usize {
        self.pilots.len() * size_of::<u16>() + self.slots.len() * size_of::<u64>()
    }

    /// Where the pair would stand; the processor begins to bring that place.
    #[inline(always)]
    pub fn place(&self, left: Symbol, right: Symbol) -> Place {
        let key = key_of(left, right);
        let slot = self.place_of(hash(left, right));
        prefetch(&self.slots, slot);
        Place { key, slot: slot as u32 }
    }

    /// What a pair becomes that nobody asked for in time, or [`NEVER`].
    #[inline]
    pub fn get(&self, left: Symbol, right: Symbol) -> Symbol {
        self.at(self.place(left, right))
    }

    /// Whether places of the tables fit into the lanes of vectors, and pilots may be read two at a time.
    pub fn may_be_gathered(&self) -> bool {
        let fits = |length: usize| (2..i32::MAX as usize).contains(&length);
        fits(self.pilots.len()) && fits(self.slots.len())
    }

    /// What the pair becomes, or [`NEVER`].
    #[inline(always)]
    pub fn at(&self, place: Place) -> Symbol {
        let slot = self.slots[place.slot as usize];
        if slot >> BITS == place.key { slot as Symbol & NEVER } else { NEVER }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;
    use crate::scale::or_interpreted;
    use std::collections::HashMap;

    #[test]
    fn every_pair_is_found_and_no_other() {
        let mut random = Random::from_seed(3);
        for count in [0, 1, 5, or_interpreted(1000, 100), or_interpreted(40_000, 400)] {
            let mut below = |n: u64| (random.next_u64() % n) as Symbol;
            let mut known = HashMap::new();
            for _ in 0..count {
                known.insert((below(3000), below(3000)), below(u64::from(NEVER)));
            }
            let pairs: Vec<_> = known.iter().map(|(&(left, right), &result)| (left, right, result)).collect();
            let table = PairHash::new(&pairs, count / 9).unwrap();
            for &(left, right, result) in &pairs {
                assert_eq!(table.get(left, right), result);
            }
            for _ in 0..or_interpreted(50_000, 100) {
                let (left, right) = (below(3001), below(3001));
                assert_eq!(table.get(left, right), known.get(&(left, right)).copied().unwrap_or(NEVER));
            }
            assert_eq!(table.iter().count(), known.len());
            assert!(table.iter().all(|(left, right, result)| known[&(left, right)] == result));
            assert_eq!(table.get(NEVER, 1), NEVER);
            assert_eq!(table.get(1, NEVER), NEVER);
        }
        assert!(PairHash::new(&[(0, NEVER, 1)], 1).is_none());
    }

    /// Of one part and of several, in any order, as they come from a table of ids.
    #[test]
    fn pairs_that_are_not_wanted_are_left_out() {
        for count in [1, 300, or_interpreted(1700, 30), or_interpreted(9000, 40)] {
            let mut filling = Filling::new(count, count / 5);
            let pairs = (0..count as Symbol).map(|at| (at * 7 % 500, at / 3, at));
            pairs.clone().for_each(|(left, right, result)| filling.put(left, right, result));
            assert_eq!(
                filling.largest(),
                pairs.clone().map(|(left, ..)| left).max().unwrap().max(count as Symbol - 1)
            );
            let is_wanted = |left: Symbol, right: Symbol| !(left + right).is_multiple_of(5);
            let table = filling.finish(is_wanted).unwrap();
            for (left, right, result) in pairs.clone() {
                assert_eq!(table.get(left, right), if is_wanted(left, right) { result } else { NEVER });
            }
            assert_eq!(table.len(), pairs.filter(|&(left, right, _)| is_wanted(left, right)).count());
        }
    }
}
