//! What to merge next: the lowest rank first, and of one rank the leftmost.
//!
//! A long run of like symbols makes candidates in great numbers but of few ranks, and for each rank they come
//! nearly in order of position: merging sweeps from left to right. So every rank has a queue of its own, which
//! a candidate that comes in order joins at the back at no cost; one that comes late goes to a small heap
//! beside it. A heap of ranks says which queue is next. On ordered input the cost is linear, and sweeps touch
//! memory in order; on any input it is n log n.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use crate::hash::hash_u64;

/// No queue for this rank yet.
const NONE: u32 = u32::MAX;

/// Room for so many candidates is kept from one text to the next.
const MOST_KEPT: usize = 1 << 20;

/// Candidates by (rank, position), each with what the caller wants back.
#[derive(Debug)]
pub(super) struct Agenda<T> {
    /// Ranks with candidates, each once.
    ranks: BinaryHeap<Reverse<(u32, u32)>>,
    /// Queues in use, then spare ones.
    queues: Vec<Queue<T>>,
    used: usize,
    places: Places,
}

#[derive(Debug)]
struct Queue<T> {
    in_order: VecDeque<(u32, T)>,
    late: BinaryHeap<Reverse<(u32, T)>>,
}

impl<T: Ord + Copy> Queue<T> {
    fn new() -> Self {
        Queue { in_order: VecDeque::new(), late: BinaryHeap::new() }
    }

    fn is_empty(&self) -> bool {
        self.in_order.is_empty() && self.late.is_empty()
    }

    #[inline]
    fn push(&mut self, at: u32, what: T) {
        match self.in_order.back() {
            Some(&last) if last > (at, what) => self.late.push(Reverse((at, what))),
            _ => self.in_order.push_back((at, what)),
        }
    }

    #[inline]
    fn pop(&mut self) -> Option<(u32, T)> {
        match (self.in_order.front(), self.late.peek()) {
            (Some(&front), Some(&Reverse(late))) if late < front => {
                self.late.pop();
                Some(late)
            }
            (Some(_), _) => self.in_order.pop_front(),
            (None, _) => self.late.pop().map(|Reverse(late)| late),
        }
    }
}

impl<T> Default for Agenda<T> {
    fn default() -> Self {
        Agenda { ranks: BinaryHeap::new(), queues: Vec::new(), used: 0, places: Places::default() }
    }
}

impl<T: Ord + Copy> Agenda<T> {
    pub fn push(&mut self, rank: u32, at: u32, what: T) {
        let place = self.places.of(rank);
        if *place == NONE {
            *place = self.used as u32;
            if self.used == self.queues.len() {
                self.queues.push(Queue::new());
            }
            self.used += 1;
        }
        let place = *place;
        let queue = &mut self.queues[place as usize];
        if queue.is_empty() {
            self.ranks.push(Reverse((rank, place)));
        }
        queue.push(at, what);
    }

    /// The next candidate: rank, position, what came with it.
    pub fn pop(&mut self) -> Option<(u32, u32, T)> {
        let &Reverse((rank, place)) = self.ranks.peek()?;
        let queue = &mut self.queues[place as usize];
        let (at, what) = queue.pop()?;
        if queue.is_empty() {
            self.ranks.pop();
        }
        Some((rank, at, what))
    }

    /// Forgets all candidates. Buffers stay, unless a giant text made them grow.
    pub fn clear(&mut self) {
        if self.capacity() > MOST_KEPT {
            *self = Agenda::default();
            return;
        }
        for queue in &mut self.queues[..self.used] {
            queue.in_order.clear();
            queue.late.clear();
        }
        self.used = 0;
        self.ranks.clear();
        self.places.clear();
    }

    /// Candidates that the buffers in use have room for.
    fn capacity(&self) -> usize {
        self.queues[..self.used].iter().map(|queue| queue.in_order.capacity() + queue.late.capacity()).sum()
    }
}

/// Which queue a rank has: open addressing, at most half full.
#[derive(Debug, Default)]
struct Places {
    slots: Vec<(u32, u32)>,
    used: usize,
}

impl Places {
    /// The place of a rank, [`NONE`] at first.
    #[inline]
    fn of(&mut self, rank: u32) -> &mut u32 {
        if self.used * 2 >= self.slots.len() {
            self.grow();
        }
        let slot = self.slot(rank);
        if self.slots[slot].1 == NONE {
            self.slots[slot].0 = rank;
            self.used += 1;
        }
        &mut self.slots[slot].1
    }

    #[inline]
    fn slot(&self, rank: u32) -> usize {
        let mask = self.slots.len() - 1;
        let mut slot = hash_u64(rank as u64) as usize & mask;
        while self.slots[slot].1 != NONE && self.slots[slot].0 != rank {
            slot = (slot + 1) & mask;
        }
        slot
    }

    #[cold]
    fn grow(&mut self) {
        let size = (self.slots.len() * 2).max(64);
        for (rank, place) in std::mem::replace(&mut self.slots, vec![(0, NONE); size]) {
            if place != NONE {
                let slot = self.slot(rank);
                self.slots[slot] = (rank, place);
            }
        }
    }

    fn clear(&mut self) {
        self.slots.fill((0, NONE));
        self.used = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    /// Against one plain heap, with pushes and pops in random order.
    #[test]
    fn candidates_come_out_by_rank_and_position() {
        let mut random = Random::from_seed(5);
        let mut below = |n: u32| (random.next_u64() % n as u64) as u32;
        let mut agenda = Agenda::default();
        for _ in 0..300 {
            agenda.clear();
            let mut plain = BinaryHeap::new();
            let (ranks, sweep) = (1 + below(200), below(2) == 0);
            for step in 0..below(600) {
                let rank = below(ranks);
                let at = if sweep { step } else { below(50) };
                let candidate = (rank, at, below(3));
                agenda.push(rank, at, candidate.2);
                plain.push(Reverse(candidate));
                if below(3) == 0 {
                    assert_eq!(agenda.pop(), plain.pop().map(|Reverse(candidate)| candidate));
                }
            }
            while let Some(Reverse(candidate)) = plain.pop() {
                assert_eq!(agenda.pop(), Some(candidate));
            }
            assert_eq!(agenda.pop(), None);
        }
    }
}
