//! The queue of candidate pairs: highest count first, then what comes first in the caller's order, then the older entry.
//!
//! Counts mostly fall: a new pair is never more frequent than the pair whose merge made it. So small counts, the
//! great majority, lie unsorted in one bucket per count, four bytes each, and are put in order only when the queue
//! comes down to their bucket. Large counts lie in a heap. A count that grows (a token was made a second way) is
//! simply pushed again, wherever it belongs.
//!
//! An entry's place in the order (a number, or whatever can be compared) is asked for when it is needed; an entry that has
//! none any more is forgotten.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Counts below this have a bucket of their own.
const BUCKETS: u64 = 1024;

/// Who comes first within a count: `(order, entry)` ascending.
type Turn<O> = Reverse<(O, u32)>;

#[derive(Debug, Clone)]
pub(crate) struct Queue<O = u64> {
    large: BinaryHeap<(u64, Turn<O>)>,
    buckets: Vec<Vec<u32>>,
    /// The bucket that is in order now, as a heap, and its count.
    active: BinaryHeap<Turn<O>>,
    active_count: u64,
}

/// The entry whose turn it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Candidate<O = u64> {
    pub(crate) count: u64,
    pub(crate) order: O,
    pub(crate) entry: u32,
}

impl<O: Ord> Queue<O> {
    pub(crate) fn new() -> Self {
        Queue {
            large: BinaryHeap::new(),
            buckets: vec![Vec::new(); BUCKETS as usize],
            active: BinaryHeap::new(),
            active_count: 0,
        }
    }

    pub(crate) fn push(&mut self, count: u64, entry: u32, mut order: impl FnMut(u32) -> Option<O>) {
        if count < BUCKETS && count < self.active_count {
            self.buckets[count as usize].push(entry);
            return;
        }
        let Some(turn) = order(entry).map(|order| Reverse((order, entry))) else { return };
        if count >= BUCKETS {
            self.large.push((count, turn));
            return;
        }
        if count > self.active_count {
            // Something grew beyond where the queue had come down to: go up again.
            let bucket = &mut self.buckets[self.active_count as usize];
            bucket.extend(self.active.drain().map(|Reverse((_, entry))| entry));
            self.active_count = count;
            self.activate(order);
        }
        self.active.push(turn);
    }

    fn activate(&mut self, mut order: impl FnMut(u32) -> Option<O>) {
        let bucket = std::mem::take(&mut self.buckets[self.active_count as usize]);
        let turns = bucket.into_iter().filter_map(|entry| Some(Reverse((order(entry)?, entry))));
        self.active = turns.collect::<Vec<_>>().into();
    }

    pub(crate) fn pop(&mut self, mut order: impl FnMut(u32) -> Option<O>) -> Option<Candidate<O>> {
        if let Some((count, Reverse((order, entry)))) = self.large.pop() {
            return Some(Candidate { count, order, entry });
        }
        loop {
            if let Some(Reverse((order, entry))) = self.active.pop() {
                return Some(Candidate { count: self.active_count, order, entry });
            }
            if self.active_count == 0 {
                return None;
            }
            self.active_count -= 1;
            self.activate(&mut order);
        }
    }

    /// Bytes in use.
    pub(crate) fn memory(&self) -> usize {
        self.large.len() * size_of::<(u64, Turn<O>)>()
            + self.active.len() * size_of::<Turn<O>>()
            + self.buckets.iter().map(|bucket| bucket.len()).sum::<usize>() * size_of::<u32>()
    }

    /// All counts and entries, in no particular order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u64, u32)> + '_ {
        let large = self.large.iter().map(|&(count, Reverse((_, entry)))| (count, entry));
        let buckets = self.buckets.iter().zip(0u64..);
        let small = buckets.flat_map(|(bucket, count)| bucket.iter().map(move |&entry| (count, entry)));
        let active = self.active.iter().map(|&Reverse((_, entry))| (self.active_count, entry));
        large.chain(small).chain(active)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tessella_core::random::Random;

    #[test]
    fn like_a_sorted_list() {
        let mut random = Random::from_seed(7);
        for _ in 0..200 {
            let (mut queue, mut list): (Queue, Vec<(Reverse<u64>, u64, u32)>) = (Queue::new(), Vec::new());
            let orders: Vec<u64> = (0..300).map(|_| random.next_u64() % 5).collect();
            let order = |entry: u32| Some(orders[entry as usize]);
            for entry in 0..300u32 {
                if random.next_f64() < 0.6 {
                    let limit = if random.next_f64() < 0.2 { 5000 } else { 12 };
                    let count = 1 + random.next_u64() % limit;
                    queue.push(count, entry, order);
                    list.push((Reverse(count), orders[entry as usize], entry));
                } else {
                    list.sort();
                    let expected = (!list.is_empty()).then(|| list.remove(0));
                    let found =
                        queue.pop(order).map(|found| (Reverse(found.count), found.order, found.entry));
                    assert_eq!(found, expected);
                }
                assert_eq!(queue.iter().count(), list.len());
            }
        }
    }

    #[test]
    fn what_has_no_order_any_more_is_forgotten() {
        let mut queue = Queue::new();
        [3, 3, 2, 2000].iter().zip(0..).for_each(|(&count, entry)| queue.push(count, entry, |_| Some(0)));
        let odd = |entry: u32| (entry % 2 == 1).then_some(0);
        let popped: Vec<u32> = std::iter::from_fn(|| queue.pop(odd).map(|found| found.entry)).collect();
        // 0 and 1 lay in order already when the question was asked.
        assert_eq!(popped, [3, 0, 1]);
    }
}
