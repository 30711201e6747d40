//! How the table of pairs is made: pairs go to the slots of their parts as they come, in any order, and then each part is
//! put in order where it lies.
//!
//! A part has a thousand keys or two, so that what it takes (its keys by their buckets, its buckets by their sizes, a bit for each
//! slot) stays in the processor's nearest caches, and nothing is written but the table itself.

use super::{FREE, NEVER, PairHash, Symbol, below, hash, moved, pair_of, word_of};
use crate::flat::zeros;

/// Keys that share a pilot, on average.
const BUCKET: usize = 2;
/// More come together only by intent.
const MOST_IN_A_BUCKET: usize = 64;
/// Most slots of a part.
const MOST_SLOTS: usize = 1 << 11;

/// Slots that every part has besides.
const SPARE: usize = 8;

/// A table on its way.
pub struct Filling {
    table: PairHash,
    /// Slots of a part.
    slots: usize,
    /// How many pairs came for each part.
    counts: Vec<u32>,
    /// The largest symbol that came.
    largest: Symbol,
}

impl Filling {
    /// For so many pairs, with `spare` free slots.
    pub fn new(count: usize, spare: usize) -> Self {
        let most = MOST_SLOTS - SPARE;
        let parts = (count + spare).div_ceil(most).next_power_of_two();
        let parts_log2 = parts.ilog2();
        // Multiples of the number of parts, so that all of these have as many.
        let slots_of_part = (count + spare).div_ceil(parts) + SPARE;
        let slots = slots_of_part * parts;
        let buckets = (count / BUCKET / parts + 1) * parts;
        let table = PairHash { pilots: zeros(buckets), slots: zeros(slots), parts_log2 };
        Filling { table, slots: slots_of_part, counts: vec![0; parts], largest: 0 }
    }

    /// Takes a pair. No pair may come twice, and no more of them than were announced.
    #[inline(always)]
    pub fn put(&mut self, left: Symbol, right: Symbol, result: Symbol) {
        let slots = self.slots;
        let part = below(hash(left, right)[0], self.counts.len());
        let count = &mut self.counts[part];
        let at = *count as usize;
        *count += 1;
        // Of a part that is too full it will be known.
        if at < slots {
            self.table.slots[part * slots + at] = word_of(left, right, result);
        }
        self.largest = self.largest.max(left).max(right).max(result);
    }

    /// The largest symbol that came, or 0.
    pub fn largest(&self) -> Symbol {
        self.largest
    }

    /// The table of those pairs that are wanted. `None` if there are too many symbols, or in the unlikely case that some keys
    /// find no slots.
    pub fn finish(self, wanted: impl Fn(Symbol, Symbol) -> bool) -> Option<PairHash> {
        let Filling { mut table, slots, counts, largest } = self;
        if largest >= NEVER {
            return None;
        }
        let PairHash { pilots, slots: all, parts_log2 } = &mut table;
        let buckets = pilots.len() / counts.len();
        let each = all.chunks_exact_mut(slots).zip(pilots.chunks_exact_mut(buckets));
        let mut part = Part::new(*parts_log2, slots, buckets);
        for (&count, (slots, pilots)) in counts.iter().zip(each) {
            part.take(slots.get(..count as usize)?, &wanted);
            slots.fill(FREE);
            part.settle(slots, pilots)?;
        }
        Some(table)
    }
}

/// Room for the keys of a part.
struct Part {
    parts_log2: u32,
    slots: usize,
    buckets: usize,
    /// What came, the bucket of each, and the second number of its hash.
    words: Vec<u64>,
    buckets_of: Vec<u32>,
    hashes: Vec<u32>,
    /// Words and hashes, those of a bucket together.
    sorted: Vec<u64>,
    sorted_hashes: Vec<u32>,
    /// Where each bucket begins, and where the last one ends.
    starts: Vec<u32>,
    /// Buckets by their sizes, and where in it those of each size are: large ones first, since small ones find room among few free slots.
    order: Vec<u32>,
    /// A bit for each slot that is taken.
    taken: Box<[u64; MOST_SLOTS / 64]>,
}

/// Pilots that are tried together: one of them fits mostly, and which is a thing that nobody can guess.
const TOGETHER: u32 = 4;
const _: () = assert!((u16::MAX as u32 + 1).is_multiple_of(TOGETHER));

impl Part {
    fn new(parts_log2: u32, slots: usize, buckets: usize) -> Self {
        Part {
            parts_log2,
            slots,
            buckets,
            words: Vec::with_capacity(slots),
            buckets_of: Vec::with_capacity(slots),
            hashes: Vec::with_capacity(slots),
            sorted: vec![0; slots],
            sorted_hashes: vec![0; slots],
            starts: vec![0; buckets + 1],
            order: vec![0; buckets],
            taken: Box::new([0; MOST_SLOTS / 64]),
        }
    }

    /// Takes up the keys of a part.
    fn take(&mut self, words: &[u64], wanted: impl Fn(Symbol, Symbol) -> bool) {
        let Part { parts_log2, buckets, words: kept, buckets_of, hashes, .. } = self;
        kept.clear();
        buckets_of.clear();
        hashes.clear();
        for &word in words {
            let (left, right, _) = pair_of(word);
            if wanted(left, right) {
                let [of_bucket, of_slot] = hash(left, right);
                kept.push(word);
                buckets_of.push(below(of_bucket << *parts_log2, *buckets) as u32);
                hashes.push(of_slot);
            }
        }
    }

    /// Puts the keys into slots that are all free, and tells the pilots by which they are found.
    fn settle(&mut self, slots: &mut [u64], pilots: &mut [u16]) -> Option<()> {
        self.sort_keys();
        let filled = self.sort_buckets()?;
        self.taken.fill(0);
        let mut taken = Taken { bits: &mut self.taken, slots: self.slots, parts_log2: self.parts_log2 };
        let mut places = [0; MOST_IN_A_BUCKET];
        for &bucket in self.order.get(..filled)? {
            let bucket = bucket as usize;
            let (from, to) = (self.starts[bucket] as usize, self.starts[bucket + 1] as usize);
            pilots[bucket] = taken.pilot(self.sorted_hashes.get(from..to)?, &mut places)?;
            for (&word, &place) in self.sorted[from..to].iter().zip(&places) {
                slots[place] = word;
            }
        }
        Some(())
    }

    /// Sorts keys by their buckets.
    fn sort_keys(&mut self) {
        let Part { words, buckets_of, hashes, sorted, sorted_hashes, starts, .. } = self;
        starts.fill(0);
        // Counted where the bucket ends; then filled from there down to where it begins.
        buckets_of.iter().for_each(|&bucket| starts[bucket as usize] += 1);
        let mut sum = 0;
        starts.iter_mut().for_each(|start| {
            sum += *start;
            *start = sum;
        });
        for ((&word, &bucket), &hash) in words.iter().zip(&*buckets_of).zip(&*hashes) {
            let place = &mut starts[bucket as usize];
            *place -= 1;
            sorted[*place as usize] = word;
            sorted_hashes[*place as usize] = hash;
        }
    }

    /// Sorts buckets by their sizes, and says how many are not empty. `None` if too many keys share a bucket.
    fn sort_buckets(&mut self) -> Option<usize> {
        let Part { starts, order, .. } = self;
        let size = |bucket: usize| (starts[bucket + 1] - starts[bucket]) as usize;
        let mut places = [0u32; MOST_IN_A_BUCKET + 2];
        for bucket in 0..order.len() {
            *places[1..].get_mut(MOST_IN_A_BUCKET.checked_sub(size(bucket))?)? += 1;
        }
        for at in 1..places.len() {
            places[at] += places[at - 1];
        }
        let filled = places[MOST_IN_A_BUCKET] as usize;
        for bucket in 0..order.len() {
            let place = &mut places[MOST_IN_A_BUCKET - size(bucket)];
            order[*place as usize] = bucket as u32;
            *place += 1;
        }
        Some(filled)
    }
}

/// Which slots of a part are taken.
struct Taken<'t> {
    bits: &'t mut [u64; MOST_SLOTS / 64],
    slots: usize,
    parts_log2: u32,
}

impl Taken<'_> {
    #[inline(always)]
    fn is_taken(&self, place: usize) -> bool {
        self.bits[place / 64 % (MOST_SLOTS / 64)] >> (place % 64) & 1 == 1
    }

    fn take(&mut self, place: usize) {
        self.bits[place / 64 % (MOST_SLOTS / 64)] |= 1 << (place % 64);
    }

    /// Where in the part a key stands.
    #[inline(always)]
    fn place(&self, hash: u32, pilot: u16) -> usize {
        below(moved(hash, pilot) >> self.parts_log2 << self.parts_log2, self.slots)
    }

    /// The first pilot with which all members of a bucket find free slots, each its own. Takes them.
    #[inline(always)]
    fn pilot(&mut self, members: &[u32], places: &mut [usize; MOST_IN_A_BUCKET]) -> Option<u16> {
        match *members {
            [one] => self.pilot_of([one], places),
            [one, two] => self.pilot_of([one, two], places),
            [one, two, three] => self.pilot_of([one, two, three], places),
            [one, two, three, four] => self.pilot_of([one, two, three, four], places),
            _ => self.pilot_of_many(members, places),
        }
    }

    /// The same for as many as most buckets have, without a branch for each member and pilot.
    #[inline]
    fn pilot_of<const N: usize>(
        &mut self,
        members: [u32; N],
        found: &mut [usize; MOST_IN_A_BUCKET],
    ) -> Option<u16> {
        let places = |pilot: u32| members.map(|hash| self.place(hash, pilot as u16));
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
                let places = places(pilot);
                for (found, place) in found.iter_mut().zip(places) {
                    self.take(place);
                    *found = place;
                }
                return Some(pilot as u16);
            }
        }
        None
    }

    #[cold]
    fn pilot_of_many(&mut self, members: &[u32], places: &mut [usize; MOST_IN_A_BUCKET]) -> Option<u16> {
        let places = places.get_mut(..members.len())?;
        let pilot = (0..=u16::MAX).find(|&pilot| {
            for (place, &hash) in places.iter_mut().zip(members) {
                *place = self.place(hash, pilot);
            }
            let mut each = places.iter().enumerate();
            each.all(|(at, place)| !self.is_taken(*place) && !places[..at].contains(place))
        })?;
        places.iter().for_each(|&place| self.take(place));
        Some(pilot)
    }
}
