//! The table of pairs: how often each occurs, and where.
//!
//! A [`Pair`] is known by its two ids, packed into one number whose order is (left, right). An [`Occurrences`]
//! entry names positions at which a pair was created in one step. Positions are never removed when the symbols
//! there change; they are checked against the symbols when the pair's turn comes.
//!
//! The hash of pairs is another one in each process: ids follow from the text, so that who writes it could choose pairs that share a
//! place. What comes out does not hang on it.

use tessella_core::hash::Secret;
use tessella_core::{Error, Result, large_pages_for, prefetch, with_large_pages};

const EMPTY: u32 = u32::MAX;

/// Segments below this many positions are kept until nothing in them is needed.
const LEAST_TO_COMPACT: usize = 1 << 6;

/// Left id in the upper half.
pub(crate) fn key(left: u32, right: u32) -> u64 {
    u64::from(left) << 32 | u64::from(right)
}

pub(crate) fn left(key: u64) -> u32 {
    (key >> 32) as u32
}

pub(crate) fn right(key: u64) -> u32 {
    key as u32
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Pair {
    pub(crate) key: u64,
    /// Occurrences, weighted.
    pub(crate) count: u64,
    /// The newest entry of occurrences.
    pub(crate) newest: u32,
    /// True once occurrences were created in more than one step.
    pub(crate) recreated: bool,
}

/// Whose positions a segment holds: entries `first..first + entries`, less those that have moved to another one.
#[derive(Debug, Clone, Copy)]
struct Holders {
    first: u32,
    entries: u32,
    /// Positions that are not released.
    live: u32,
}

/// Bytes of a pair.
pub(crate) const PAIR: usize = size_of::<Pair>();

/// Positions in one segment of the position store.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Occurrences {
    pub(crate) pair: u32,
    pub(crate) segment: u32,
    pub(crate) start: u32,
    pub(crate) len: u32,
}

#[derive(Debug, Clone, Default)]
pub(crate) struct Pairs {
    pub(crate) pairs: Vec<Pair>,
    pub(crate) occurrences: Vec<Occurrences>,
    /// One segment for the initial pairs and one per merge.
    pub(crate) segments: Vec<Box<[u32]>>,
    holders: Vec<Holders>,
    /// Positions in all segments.
    held: usize,
    slots: Vec<u32>,
    mask: usize,
    secret: Secret,
}

pub(crate) fn count_overflow(left: &str, right: &str) -> Error {
    Error::new(
        tessella_core::ErrorKind::Train,
        format!(
            "the count of the pair (`{}`, `{}`) exceeds {}: lower the weights of the sources",
            tessella_core::error::excerpt(left),
            tessella_core::error::excerpt(right),
            u64::MAX
        ),
    )
}

impl Pairs {
    pub(crate) fn new() -> Self {
        let mut pairs = Pairs::default();
        pairs.rehash(1 << 12);
        pairs
    }

    /// Sets room aside for so many pairs in all, if there is so much.
    pub(crate) fn reserve(&mut self, pairs: usize) {
        // An estimate that is too large for the machine is no reason to stop: the tables grow as they must.
        let _ = self.pairs.try_reserve_exact(pairs.saturating_sub(self.pairs.len()));
        let entries = pairs + pairs / 4;
        let _ = self.occurrences.try_reserve_exact(entries.saturating_sub(self.occurrences.len()));
        large_pages_for(&mut self.pairs);
        large_pages_for(&mut self.occurrences);
    }

    /// From the parts that a checkpoint holds.
    pub(crate) fn from_parts(
        pairs: Vec<Pair>,
        occurrences: Vec<Occurrences>,
        segments: Vec<Box<[u32]>>,
    ) -> Self {
        let mut holders = vec![Holders { first: u32::MAX, entries: 0, live: 0 }; segments.len()];
        for (number, entry) in (0u32..).zip(&occurrences) {
            let holders = &mut holders[entry.segment as usize];
            holders.first = holders.first.min(number);
            holders.entries = number + 1 - holders.first;
            holders.live += entry.len;
        }
        let held = segments.iter().map(|segment| segment.len()).sum();
        let mut table = Pairs { pairs, occurrences, segments, holders, held, ..Pairs::default() };
        table.rehash((table.pairs.len() * 2).next_power_of_two().max(1 << 12));
        table
    }

    /// The first slot of a pair.
    #[inline(always)]
    fn place(&self, key: u64) -> usize {
        self.secret.two(left(key).into(), right(key).into()) as usize & self.mask
    }

    fn rehash(&mut self, slots: usize) {
        self.mask = slots - 1;
        self.slots = Vec::new(); // Given back first.
        self.slots = with_large_pages(slots);
        self.slots.resize(slots, EMPTY);
        for (index, pair) in self.pairs.iter().enumerate() {
            let mut slot = self.place(pair.key);
            while self.slots[slot] != EMPTY {
                slot = (slot + 1) & self.mask;
            }
            self.slots[slot] = index as u32;
        }
    }

    /// Asks for the first slot of a pair.
    #[inline]
    pub(crate) fn ask(&self, key: u64) {
        prefetch(&self.slots, self.place(key));
    }

    /// Asks for the pair that its first slot names, mostly this one.
    #[inline]
    pub(crate) fn ask_pair(&self, key: u64) {
        prefetch(&self.pairs, self.slots[self.place(key)] as usize);
    }

    #[inline]
    pub(crate) fn find(&self, key: u64) -> Option<u32> {
        let mut slot = self.place(key);
        loop {
            match self.slots[slot] {
                EMPTY => return None,
                index if self.pairs[index as usize].key == key => return Some(index),
                _ => slot = (slot + 1) & self.mask,
            }
        }
    }

    /// The pair's index; a new pair starts with a count of 0 and no occurrences.
    #[inline]
    pub(crate) fn find_or_insert(&mut self, key: u64) -> Result<u32> {
        let mut slot = self.place(key);
        loop {
            match self.slots[slot] {
                EMPTY => break,
                index if self.pairs[index as usize].key == key => return Ok(index),
                _ => slot = (slot + 1) & self.mask,
            }
        }
        self.put(slot, key)
    }

    /// As [`find_or_insert`](Self::find_or_insert) of a pair that cannot be there yet: no other one is looked at.
    #[inline]
    pub(crate) fn insert_new(&mut self, key: u64) -> Result<u32> {
        debug_assert!(self.find(key).is_none(), "the pair is there");
        let mut slot = self.place(key);
        while self.slots[slot] != EMPTY {
            slot = (slot + 1) & self.mask;
        }
        self.put(slot, key)
    }

    #[inline]
    fn put(&mut self, slot: usize, key: u64) -> Result<u32> {
        let index = self.pairs.len() as u32;
        if index >= EMPTY - 1 {
            return Err(Error::new(
                tessella_core::ErrorKind::Train,
                "there are more than 4 billion different pairs: drop rare pieces from the counts",
            ));
        }
        self.slots[slot] = index;
        self.pairs.push(Pair { key, count: 0, newest: EMPTY, recreated: false });
        if self.pairs.len() * 4 > self.slots.len() * 3 {
            self.rehash(self.slots.len() * 2);
        }
        Ok(index)
    }

    /// Notes that occurrences of a pair lie in a segment.
    pub(crate) fn add_occurrences(&mut self, pair: u32, segment: u32, start: u32, len: u32) -> u32 {
        let entry = self.occurrences.len() as u32;
        self.occurrences.push(Occurrences { pair, segment, start, len });
        let pair = &mut self.pairs[pair as usize];
        pair.recreated |= pair.newest != EMPTY;
        pair.newest = entry;
        entry
    }

    /// Adds a segment, whose positions belong to so many entries from `first` on.
    pub(crate) fn push_segment(&mut self, segment: Vec<u32>, first: usize, entries: usize) {
        let live = segment.len() as u32;
        self.held += segment.len();
        self.holders.push(Holders { first: first as u32, entries: entries as u32, live });
        self.segments.push(segment.into_boxed_slice());
    }

    /// Forgets the positions of an entry. Its segment gives memory back when half of it is forgotten.
    pub(crate) fn release(&mut self, entry: u32) {
        let Occurrences { segment, len, .. } = self.occurrences[entry as usize];
        self.occurrences[entry as usize].len = 0;
        let holders = &mut self.holders[segment as usize];
        holders.live = holders.live.saturating_sub(len);
        let Holders { first, entries, live } = *holders;
        let held = self.segments[segment as usize].len();
        if live as usize * 2 <= held && (held >= LEAST_TO_COMPACT || live == 0) {
            let mut kept = with_large_pages(live as usize);
            let old = &self.segments[segment as usize];
            let entries = self.occurrences.iter_mut().skip(first as usize).take(entries as usize);
            for entry in entries.filter(|entry| entry.segment == segment) {
                let positions = match entry.len {
                    0 => &[],
                    len => &old[entry.start as usize..entry.start as usize + len as usize],
                };
                entry.start = kept.len() as u32;
                kept.extend_from_slice(positions);
            }
            self.held -= held - kept.len();
            self.segments[segment as usize] = kept.into_boxed_slice();
        }
    }

    /// Bytes in use.
    pub(crate) fn memory(&self) -> usize {
        self.pairs.len() * size_of::<Pair>()
            + self.occurrences.len() * size_of::<Occurrences>()
            + self.segments.len() * (size_of::<Box<[u32]>>() + size_of::<Holders>())
            + (self.held + self.slots.len()) * size_of::<u32>()
    }

    pub(crate) fn positions(&self, entry: u32) -> &[u32] {
        let Occurrences { segment, start, len, .. } = self.occurrences[entry as usize];
        if len == 0 {
            return &[];
        }
        &self.segments[segment as usize][start as usize..start as usize + len as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_chosen_for_a_known_hash_share_no_place() {
        let mut pairs = Pairs::new();
        for chosen in
            (0..).filter(|&pair| tessella_core::hash::hash_u64(key(pair >> 11, pair & 2047)) & 0xFFF == 7)
        {
            pairs.find_or_insert(key(chosen >> 11, chosen & 2047)).unwrap();
            if pairs.pairs.len() == 1000 {
                break;
            }
        }
        for (index, pair) in (0..).zip(&pairs.pairs) {
            assert_eq!(pairs.find(pair.key), Some(index));
        }
        let taken = pairs.slots.iter().enumerate().filter(|&(_, &index)| index != EMPTY);
        let far = taken.map(|(slot, &index)| {
            slot.wrapping_sub(pairs.place(pairs.pairs[index as usize].key)) & pairs.mask
        });
        assert!(far.max().unwrap() < 100);
    }
}
