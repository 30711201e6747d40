//! The queue of candidate pairs: highest count first, then the smallest order number, then the older entry.
//!
//! Counts mostly fall: a new pair is never more frequent than the pair whose merge made it. So small counts, the
//! great majority, lie unsorted in one bucket per count and are put in order only when the queue comes down to
//! their bucket. Large counts lie in a heap. A count that grows (a token was made a second way) is simply pushed
//! again, wherever it belongs.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Counts below this have a bucket of their own.
const BUCKETS: u64 = 1024;

/// Who comes first within a count: `(order, entry)` ascending.
type Turn = Reverse<(u64, u32)>;

#[derive(Debug, Clone, Default)]
pub(crate) struct Queue {
    large: BinaryHeap<(u64, Turn)>,
    buckets: Vec<Vec<(u64, u32)>>,
    /// The bucket that is in order now, as a heap, and its count.
    active: BinaryHeap<Turn>,
    active_count: u64,
}

/// A candidate at the moment when it was queued.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Candidate {
    pub(crate) count: u64,
    pub(crate) order: u64,
    pub(crate) entry: u32,
}

impl Queue {
    pub(crate) fn new() -> Self {
        Queue { buckets: vec![Vec::new(); BUCKETS as usize], ..Queue::default() }
    }

    pub(crate) fn push(&mut self, candidate: Candidate) {
        let Candidate { count, order, entry } = candidate;
        if count >= BUCKETS {
            self.large.push((count, Reverse((order, entry))));
            return;
        }
        if count == self.active_count {
            self.active.push(Reverse((order, entry)));
            return;
        }
        if count > self.active_count {
            // Something grew beyond where the queue had come down to: go up again.
            let bucket = &mut self.buckets[self.active_count as usize];
            bucket.extend(self.active.drain().map(|Reverse(turn)| turn));
            self.active_count = count;
            self.activate();
            self.active.push(Reverse((order, entry)));
        } else {
            self.buckets[count as usize].push((order, entry));
        }
    }

    fn activate(&mut self) {
        let bucket = std::mem::take(&mut self.buckets[self.active_count as usize]);
        self.active = bucket.into_iter().map(Reverse).collect::<Vec<_>>().into();
    }

    pub(crate) fn pop(&mut self) -> Option<Candidate> {
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
            self.activate();
        }
    }

    /// All candidates, in no particular order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = Candidate> + '_ {
        let large = self.large.iter().map(|&(count, Reverse((order, entry)))| (count, order, entry));
        let small = self
            .buckets
            .iter()
            .zip(0u64..)
            .flat_map(|(bucket, count)| bucket.iter().map(move |&(order, entry)| (count, order, entry)));
        let active = self.active.iter().map(|&Reverse((order, entry))| (self.active_count, order, entry));
        large.chain(small).chain(active).map(|(count, order, entry)| Candidate { count, order, entry })
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
            for entry in 0..300u32 {
                if random.next_f64() < 0.6 {
                    let limit = if random.next_f64() < 0.2 { 5000 } else { 12 };
                    let (count, order) = (1 + random.next_u64() % limit, random.next_u64() % 5);
                    queue.push(Candidate { count, order, entry });
                    list.push((Reverse(count), order, entry));
                } else {
                    list.sort();
                    let expected = (!list.is_empty()).then(|| list.remove(0));
                    let found = queue.pop().map(|found| (Reverse(found.count), found.order, found.entry));
                    assert_eq!(found, expected);
                }
                assert_eq!(queue.iter().count(), list.len());
            }
        }
    }
}
