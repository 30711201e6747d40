//! The pairs that merge, in a perfect hash: small enough for the processor's second cache, two loads a look-up,
//! and no branch that hangs on what was loaded.
//!
//! Symbols are numbers in the order of their ranks ([`Symbol`]): what a pair becomes is at once when it is
//! joined, so a slot of eight bytes holds the pair (42 bits) and that number (21 bits). A *pilot* for about two
//! keys moves them to free slots.

use crate::flat::prefetch;

/// A token, by the order of its rank among all results of merges.
pub type Symbol = u32;

/// What no pair becomes, and what merges with nothing.
pub const NEVER: Symbol = (1 << BITS) - 1;

pub const BITS: u32 = 21;
/// Keys that share a pilot, on average.
const BUCKET: usize = 2;
/// More come together only by intent.
const MOST_IN_A_BUCKET: usize = 64;

#[derive(Debug)]
pub struct PairHash {
    pub pilots: Vec<u16>,
    /// The key above, the result in the low bits.
    pub slots: Vec<u64>,
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

#[inline(always)]
fn bucket_of([hash, _]: [u32; 2], buckets: usize) -> usize {
    below(hash, buckets)
}

/// From the second number of a hash.
#[inline(always)]
fn slot_of(hash: u32, pilot: u16, slots: usize) -> usize {
    // Multiplied after the pilot has come in: it moves keys apart from each other, not all by the same way.
    let moved = hash ^ u32::from(pilot).wrapping_mul(OF_PILOT);
    below(moved.wrapping_mul(MOVED) ^ moved >> MOVED_SHIFT, slots)
}

const FREE: u64 = u64::MAX;

/// The second numbers of the hashes of all keys, those of a bucket together.
struct Members {
    /// Where each bucket begins, and where the last one ends.
    starts: Vec<u32>,
    hashes: Vec<u32>,
}

impl Members {
    /// `None` if too many share a bucket.
    fn new(pairs: &[(Symbol, Symbol, Symbol)]) -> Option<Self> {
        let buckets = pairs.len() / BUCKET + 1;
        let hash = |&(left, right, _): &(Symbol, Symbol, Symbol)| hash(left, right);
        // Counted one place further on, so that the sums are where buckets begin.
        let mut starts = vec![0u32; buckets + 1];
        pairs.iter().for_each(|pair| starts[bucket_of(hash(pair), buckets) + 1] += 1);
        if starts.iter().any(|&size| size as usize > MOST_IN_A_BUCKET) {
            return None;
        }
        let mut sum = 0;
        starts.iter_mut().for_each(|start| {
            sum += *start;
            *start = sum;
        });
        let mut filled = starts.clone();
        let mut hashes = vec![0; pairs.len()];
        for pair in pairs {
            let hash = hash(pair);
            let place = &mut filled[bucket_of(hash, buckets)];
            hashes[*place as usize] = hash[1];
            *place += 1;
        }
        Some(Members { starts, hashes })
    }

    fn buckets(&self) -> usize {
        self.starts.len() - 1
    }

    fn of(&self, bucket: u32) -> &[u32] {
        let at = bucket as usize;
        &self.hashes[self.starts[at] as usize..self.starts[at + 1] as usize]
    }

    /// Buckets that are not empty, by size: small ones find room among few free slots.
    fn large_first(&self) -> Vec<u32> {
        let size = |bucket: u32| self.of(bucket).len();
        let buckets = 0..self.buckets() as u32;
        let mut places = [0u32; MOST_IN_A_BUCKET + 2];
        buckets.clone().for_each(|bucket| places[MOST_IN_A_BUCKET - size(bucket) + 1] += 1);
        for at in 1..places.len() {
            places[at] += places[at - 1];
        }
        let filled = places[MOST_IN_A_BUCKET] as usize;
        let mut order = vec![0; self.buckets()];
        for bucket in buckets {
            let place = &mut places[MOST_IN_A_BUCKET - size(bucket)];
            order[*place as usize] = bucket;
            *place += 1;
        }
        order.truncate(filled);
        order
    }
}

/// Which slots are taken: a bit for each, so that all of them stay near the processor.
struct Taken {
    bits: Vec<u64>,
    slots: usize,
}

/// Pilots that are tried together: one of them fits mostly, and which is a thing that nobody can guess.
const TOGETHER: u32 = 4;
const _: () = assert!((u16::MAX as u32 + 1).is_multiple_of(TOGETHER));

impl Taken {
    fn new(slots: usize) -> Self {
        Taken { bits: vec![0; slots.div_ceil(64)], slots }
    }

    #[inline(always)]
    fn is_taken(&self, place: usize) -> bool {
        self.bits[place / 64] >> (place % 64) & 1 == 1
    }

    fn take(&mut self, place: usize) {
        self.bits[place / 64] |= 1 << (place % 64);
    }

    /// The first pilot with which all members of a bucket find free slots, each its own. Takes them.
    fn pilot(&mut self, members: &[u32]) -> Option<u16> {
        match *members {
            [one] => self.pilot_of([one]),
            [one, two] => self.pilot_of([one, two]),
            [one, two, three] => self.pilot_of([one, two, three]),
            [one, two, three, four] => self.pilot_of([one, two, three, four]),
            _ => self.pilot_of_many(members),
        }
    }

    /// The same for as many as most buckets have, without a branch for each member and pilot.
    #[inline]
    fn pilot_of<const N: usize>(&mut self, members: [u32; N]) -> Option<u16> {
        let places = |pilot: u32| members.map(|member| slot_of(member, pilot as u16, self.slots));
        for first in (0..=u32::from(u16::MAX)).step_by(TOGETHER as usize) {
            let mut fitting = 0;
            for ahead in 0..TOGETHER {
                let places = places(first + ahead);
                let mut fits = true;
                for (at, &place) in places.iter().enumerate() {
                    fits &= !self.is_taken(place);
                    places[..at].iter().for_each(|&other| fits &= other != place);
                }
                fitting |= u32::from(fits) << ahead;
            }
            if fitting != 0 {
                let pilot = first + fitting.trailing_zeros();
                places(pilot).into_iter().for_each(|place| self.take(place));
                return Some(pilot as u16);
            }
        }
        None
    }

    fn pilot_of_many(&mut self, members: &[u32]) -> Option<u16> {
        let mut places: Vec<usize> = Vec::with_capacity(members.len());
        let pilot = (0..=u16::MAX).find(|&pilot| {
            places.clear();
            places.extend(members.iter().map(|&member| slot_of(member, pilot, self.slots)));
            let mut each = places.iter().enumerate();
            each.all(|(at, place)| !self.is_taken(*place) && !places[..at].contains(place))
        })?;
        places.into_iter().for_each(|place| self.take(place));
        Some(pilot)
    }
}

impl PairHash {
    /// A table with `spare` free slots: many make it fast to build, few keep it small. `None` if there are too many
    /// symbols, or in the unlikely case that some keys find no slots.
    pub fn new(pairs: &[(Symbol, Symbol, Symbol)], spare: usize) -> Option<PairHash> {
        let too_large =
            |&(left, right, result): &(Symbol, Symbol, Symbol)| left.max(right).max(result) >= NEVER;
        if pairs.iter().any(too_large) {
            return None;
        }
        let slots = pairs.len() + spare + 8;
        let members = Members::new(pairs)?;
        let mut pilots = vec![0; members.buckets()];
        let mut taken = Taken::new(slots);
        for bucket in members.large_first() {
            pilots[bucket as usize] = taken.pilot(members.of(bucket))?;
        }
        let mut hash_table = PairHash { pilots, slots: vec![FREE; slots] };
        for &(left, right, result) in pairs {
            let key = key_of(left, right);
            let slot = hash_table.slot(hash(left, right));
            hash_table.slots[slot] = key << BITS | u64::from(result);
        }
        Some(hash_table)
    }

    #[inline(always)]
    fn slot(&self, hash: [u32; 2]) -> usize {
        let pilot = self.pilots[bucket_of(hash, self.pilots.len())];
        slot_of(hash[1], pilot, self.slots.len())
    }

    /// Pairs in the table.
    pub fn len(&self) -> usize {
        self.slots.iter().filter(|&&slot| slot != FREE).count()
    }

    /// Left, right and result of every pair, in any order.
    pub fn iter(&self) -> impl Iterator<Item = (Symbol, Symbol, Symbol)> {
        self.slots.iter().filter(|&&slot| slot != FREE).map(|&slot| {
            let number = |shift: u32| (slot >> shift) as Symbol & NEVER;
            (number(2 * BITS), number(BITS), number(0))
        })
    }

    /// Bytes in use.
    pub fn memory(&self) -> usize {
        self.pilots.len() * size_of::<u16>() + self.slots.len() * size_of::<u64>()
    }

    /// Where the pair would stand; the processor begins to bring that place.
    #[inline(always)]
    pub fn place(&self, left: Symbol, right: Symbol) -> Place {
        let key = key_of(left, right);
        let slot = self.slot(hash(left, right));
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
    use std::collections::HashMap;

    #[test]
    fn every_pair_is_found_and_no_other() {
        let mut random = Random::from_seed(3);
        for count in [0, 1, 5, 1000, 40_000] {
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
            for _ in 0..50_000 {
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
}
