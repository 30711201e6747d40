//! The pairs that merge, in a perfect hash: small enough for the processor's second cache, two loads a look-up,
//! and no branch that hangs on what was loaded.
//!
//! Symbols are numbers in the order of their ranks ([`Symbol`]): what a pair becomes is at once when it is
//! joined, so a slot of eight bytes holds the pair (42 bits) and that number (21 bits). A *pilot* for about three
//! keys moves them to free slots.

/// A token, by the order of its rank among all results of merges.
pub type Symbol = u32;

/// What no pair becomes, and what merges with nothing.
pub const NEVER: Symbol = (1 << BITS) - 1;

const BITS: u32 = 21;
/// Keys that share a pilot, on average.
const BUCKET: usize = 3;
/// More come together only by intent.
const MOST_IN_A_BUCKET: usize = 64;

#[derive(Debug)]
pub struct PairHash {
    pilots: Vec<u16>,
    /// The key above, the result in the low bits.
    slots: Vec<u64>,
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

#[inline(always)]
fn hash(key: u64) -> u64 {
    let product = u128::from(key ^ 0x9E37_79B9_7F4A_7C15) * 0xD6E8_FEB8_6659_FD93_u128;
    product as u64 ^ (product >> 64) as u64
}

/// A number below `bound`, from the high bits of a hash.
#[inline(always)]
fn below(hash: u32, bound: usize) -> usize {
    ((u64::from(hash) * bound as u64) >> 32) as usize
}

#[inline(always)]
fn slot_of(hash: u64, pilot: u16, slots: usize) -> usize {
    // Multiplied after the pilot has come in: it moves keys apart from each other, not all by the same way.
    let moved = hash as u32 ^ u32::from(pilot).wrapping_mul(0x9E37_79B1);
    below(moved.wrapping_mul(0x85EB_CA6B) ^ moved >> 16, slots)
}

const FREE: u64 = u64::MAX;

impl PairHash {
    /// A table with `spare` free slots: many make it fast to build, few keep it small. `None` if there are too many
    /// symbols, or in the unlikely case that some keys cannot be told apart.
    pub fn new(pairs: &[(Symbol, Symbol, Symbol)], spare: usize) -> Option<PairHash> {
        let too_large =
            |&(left, right, result): &(Symbol, Symbol, Symbol)| left.max(right).max(result) >= NEVER;
        if pairs.iter().any(too_large) {
            return None;
        }
        let slots = pairs.len() + spare + 8;
        let buckets = pairs.len() / BUCKET + 1;
        let mut hash_table = PairHash { pilots: vec![0; buckets], slots: vec![FREE; slots] };
        // Pairs by bucket, large buckets first: small ones find room among few free slots.
        let mut sizes = vec![0u32; buckets + 1];
        let hashed: Vec<u64> = pairs.iter().map(|&(left, right, _)| hash(key_of(left, right))).collect();
        let bucket_of = |hash: u64| below((hash >> 32) as u32, buckets);
        hashed.iter().for_each(|&hash| sizes[bucket_of(hash) + 1] += 1);
        if sizes.iter().any(|&size| size as usize > MOST_IN_A_BUCKET) {
            return None;
        }
        let mut starts = sizes.clone();
        for at in 1..starts.len() {
            starts[at] += starts[at - 1];
        }
        let mut members = vec![0u32; pairs.len()];
        let mut filled = starts.clone();
        for (index, &hash) in hashed.iter().enumerate() {
            let place = &mut filled[bucket_of(hash)];
            members[*place as usize] = index as u32;
            *place += 1;
        }
        let mut order: Vec<u32> = (0..buckets as u32).collect();
        order.sort_by_key(|&bucket| std::cmp::Reverse(sizes[bucket as usize + 1]));
        let mut taken = Vec::new();
        for bucket in order {
            let bucket = bucket as usize;
            let members = &members[starts[bucket] as usize..starts[bucket + 1] as usize];
            let fits = |pilot: u16, taken: &mut Vec<usize>, table: &[u64]| {
                taken.clear();
                members.iter().all(|&member| {
                    let slot = slot_of(hashed[member as usize], pilot, slots);
                    let free = table[slot] == FREE && !taken.contains(&slot);
                    taken.push(slot);
                    free
                })
            };
            let pilot = (0..=u16::MAX).find(|&pilot| fits(pilot, &mut taken, &hash_table.slots))?;
            hash_table.pilots[bucket] = pilot;
            for (&member, &slot) in members.iter().zip(&taken) {
                let (left, right, result) = pairs[member as usize];
                hash_table.slots[slot] = key_of(left, right) << BITS | u64::from(result);
            }
        }
        Some(hash_table)
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
        let hash = hash(key);
        let pilot = self.pilots[below((hash >> 32) as u32, self.pilots.len())];
        let slot = slot_of(hash, pilot, self.slots.len());
        super::ahead::prefetch(&self.slots, slot);
        Place { key, slot: slot as u32 }
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

    fn get(table: &PairHash, left: Symbol, right: Symbol) -> Symbol {
        table.at(table.place(left, right))
    }

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
                assert_eq!(get(&table, left, right), result);
            }
            for _ in 0..50_000 {
                let (left, right) = (below(3001), below(3001));
                assert_eq!(get(&table, left, right), known.get(&(left, right)).copied().unwrap_or(NEVER));
            }
            assert_eq!(table.iter().count(), known.len());
            assert!(table.iter().all(|(left, right, result)| known[&(left, right)] == result));
            assert_eq!(get(&table, NEVER, 1), NEVER);
            assert_eq!(get(&table, 1, NEVER), NEVER);
        }
        assert!(PairHash::new(&[(0, NEVER, 1)], 1).is_none());
    }
}
