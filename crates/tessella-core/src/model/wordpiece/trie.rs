//! A byte trie in a double array: one step is one addition, one load and one comparison.
//!
//! The child of a node by byte `b` sits in slot `base ^ b` and remembers its parent, so a slot can be shared
//! by no two nodes. Nodes with one child, the most, take any free slot; nodes with several look for a base
//! where all of them fit, among a bounded number of candidates, so that building stays close to linear.

use crate::error::{Error, Result};
use crate::ids::TokenId;

const FREE: u32 = u32::MAX;
/// Parent of the root: no node's number, so nothing leads into the root.
const ABOVE_ROOT: u32 = u32::MAX - 1;
const NO_VALUE: u32 = u32::MAX;
/// Candidates tried before a node gets a block of its own.
const TRIES: usize = 64;

#[derive(Debug, Clone, Copy)]
struct Slot {
    parent: u32,
    base: u32,
    /// Id of the entry that ends here.
    value: u32,
}

const EMPTY: Slot = Slot { parent: FREE, base: 0, value: NO_VALUE };

/// An immutable map from byte strings to ids, asked for the longest key that begins a text.
#[derive(Debug)]
pub(super) struct Trie {
    slots: Vec<Slot>,
}

/// Slots that are free, as a doubly linked list in ascending order.
struct FreeList {
    next: Vec<u32>,
    previous: Vec<u32>,
    head: u32,
    tail: u32,
}

impl FreeList {
    fn push(&mut self, slot: u32) {
        self.next.push(FREE);
        self.previous.push(self.tail);
        match self.tail {
            FREE => self.head = slot,
            tail => self.next[tail as usize] = slot,
        }
        self.tail = slot;
    }

    fn remove(&mut self, slot: u32) {
        let (next, previous) = (self.next[slot as usize], self.previous[slot as usize]);
        match previous {
            FREE => self.head = next,
            previous => self.next[previous as usize] = next,
        }
        match next {
            FREE => self.tail = previous,
            next => self.previous[next as usize] = previous,
        }
    }
}

struct Builder {
    slots: Vec<Slot>,
    free: FreeList,
}

impl Builder {
    fn grow(&mut self) -> Result<u32> {
        let block = self.slots.len() as u32;
        if self.slots.len() > (1 << 30) {
            return Err(Error::value("the vocabulary is too large for WordPiece: more than 2^30 trie nodes"));
        }
        for slot in block..block + 256 {
            self.slots.push(EMPTY);
            self.free.push(slot);
        }
        Ok(block)
    }

    fn is_free(&self, slot: u32) -> bool {
        self.slots.get(slot as usize).is_some_and(|slot| slot.parent == FREE)
    }

    /// A base for which the slots of all `labels` are free.
    fn find_base(&mut self, labels: &[u8]) -> Result<u32> {
        // The newest slots are the emptiest, so candidates come from the end of the list; a single child
        // takes the oldest one and so closes the gaps.
        if let [label] = labels
            && self.free.head != FREE
        {
            return Ok(self.free.head ^ u32::from(*label));
        }
        let mut candidate = self.free.tail;
        for _ in 0..TRIES {
            if candidate == FREE {
                break;
            }
            let base = candidate ^ u32::from(labels[0]);
            if labels[1..].iter().all(|&label| self.is_free(base ^ u32::from(label))) {
                return Ok(base);
            }
            candidate = self.free.previous[candidate as usize];
        }
        Ok(self.grow()? ^ u32::from(labels[0]))
    }
}

impl Trie {
    /// Of equal keys the last one counts; the empty key is never found.
    pub(super) fn new<'k>(entries: impl Iterator<Item = (&'k [u8], TokenId)>) -> Result<Self> {
        let mut entries: Vec<(&[u8], TokenId)> = entries.collect();
        entries.sort_by_key(|&(key, _)| key);
        let mut builder = Builder {
            slots: Vec::new(),
            free: FreeList { next: Vec::new(), previous: Vec::new(), head: FREE, tail: FREE },
        };
        builder.grow()?;
        builder.free.remove(0);
        builder.slots[0].parent = ABOVE_ROOT;
        // Nodes to expand: their slot, their depth, and the entries below them. Breadth first keeps the
        // nodes that every word walks through close together.
        let mut queue = std::collections::VecDeque::from([(0u32, 0usize, 0..entries.len())]);
        let mut labels: Vec<u8> = Vec::new();
        let mut bounds: Vec<usize> = Vec::new();
        while let Some((node, depth, mut below)) = queue.pop_front() {
            while below.start < below.end && entries[below.start].0.len() == depth {
                if depth > 0 {
                    builder.slots[node as usize].value = entries[below.start].1;
                }
                below.start += 1;
            }
            labels.clear();
            bounds.clear();
            for index in below.clone() {
                let label = entries[index].0[depth];
                if labels.last() != Some(&label) {
                    labels.push(label);
                    bounds.push(index);
                }
            }
            if labels.is_empty() {
                continue;
            }
            bounds.push(below.end);
            let base = builder.find_base(&labels)?;
            builder.slots[node as usize].base = base;
            for (&label, range) in labels.iter().zip(bounds.windows(2)) {
                let child = base ^ u32::from(label);
                builder.free.remove(child);
                builder.slots[child as usize].parent = node;
                queue.push_back((child, depth + 1, range[0]..range[1]));
            }
        }
        Ok(Trie { slots: builder.slots })
    }

    /// The longest key that begins `text`: its length and its id.
    #[inline]
    pub(super) fn longest_prefix(&self, text: &[u8]) -> Option<(usize, TokenId)> {
        let mut node = 0u32;
        let mut base = self.slots[0].base;
        let mut found = None;
        for (index, &byte) in text.iter().enumerate() {
            let child = base ^ u32::from(byte);
            let Some(slot) = self.slots.get(child as usize) else { break };
            if slot.parent != node {
                break;
            }
            if slot.value != NO_VALUE {
                found = Some((index + 1, slot.value));
            }
            node = child;
            base = slot.base;
        }
        found
    }
}
