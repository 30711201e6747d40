//! Room in a double array: which slots are free, and where a set of children fits.
//!
//! Slots come in blocks of 256, so that a base and all its children (`base ^ byte`) lie in one block. Free
//! slots are linked; only the youngest blocks stay open, which bounds the search for any set of children.

use crate::error::{Error, Result};

const BLOCK: usize = 256;
/// Older blocks are closed, whatever is free in them. More would pack tighter and build slower.
const OPEN_BLOCKS: usize = 16;
const NONE: u32 = u32::MAX;

/// The occupancy of a double array.
#[derive(Debug)]
pub(crate) struct Slots {
    taken: Vec<bool>,
    base_taken: Vec<bool>,
    /// Doubly linked list of the free slots of open blocks.
    next: Vec<u32>,
    previous: Vec<u32>,
    first: u32,
    last: u32,
}

impl Slots {
    /// One block, its slot 0 taken by the root. Nobody gets base 0, so that no byte leads to the root.
    pub(crate) fn new() -> Self {
        let mut slots = Slots {
            taken: Vec::new(),
            base_taken: Vec::new(),
            next: Vec::new(),
            previous: Vec::new(),
            first: NONE,
            last: NONE,
        };
        slots.add_block();
        slots.take(0);
        slots.base_taken[0] = true;
        slots
    }

    /// Slots so far, a multiple of 256.
    pub(crate) fn len(&self) -> usize {
        self.taken.len()
    }

    /// Finds a base of its own for a node with these (distinct, at least one) children and takes their slots.
    pub(crate) fn place(&mut self, bytes: &[u8]) -> Result<u32> {
        let mut slot = self.first;
        let base = loop {
            if slot == NONE {
                if self.len() >= 1 << 30 {
                    return Err(Error::model("the vocabulary is too large: its trie exceeds 2^30 nodes"));
                }
                let start = self.len() as u32;
                self.add_block();
                break start;
            }
            let base = slot ^ bytes[0] as u32;
            if !self.base_taken[base as usize]
                && bytes[1..].iter().all(|&byte| !self.taken[(base ^ byte as u32) as usize])
            {
                break base;
            }
            slot = self.next[slot as usize];
        };
        self.base_taken[base as usize] = true;
        for &byte in bytes {
            self.take(base ^ byte as u32);
        }
        Ok(base)
    }

    /// Calls with every slot that is not taken and a byte that leads to it from no base in use.
    pub(crate) fn for_each_free(&self, mut mark: impl FnMut(usize, u8)) {
        for start in (0..self.len()).step_by(BLOCK) {
            // Every base taken has a slot taken in its block, so a block with a free slot has a free base.
            let Some(base) = (start..start + BLOCK).find(|&base| !self.base_taken[base]) else { continue };
            for slot in start..start + BLOCK {
                if !self.taken[slot] {
                    mark(slot, (slot ^ base) as u8);
                }
            }
        }
    }

    fn add_block(&mut self) {
        let start = self.len();
        if start >= OPEN_BLOCKS * BLOCK {
            let closed = start - OPEN_BLOCKS * BLOCK;
            for slot in closed..closed + BLOCK {
                if !self.taken[slot] {
                    self.unlink(slot as u32);
                }
            }
        }
        self.taken.resize(start + BLOCK, false);
        self.base_taken.resize(start + BLOCK, false);
        for slot in start as u32..(start + BLOCK) as u32 {
            self.previous.push(self.last);
            self.next.push(NONE);
            match self.last {
                NONE => self.first = slot,
                last => self.next[last as usize] = slot,
            }
            self.last = slot;
        }
    }

    fn take(&mut self, slot: u32) {
        self.taken[slot as usize] = true;
        self.unlink(slot);
    }

    fn unlink(&mut self, slot: u32) {
        let (before, after) = (self.previous[slot as usize], self.next[slot as usize]);
        match before {
            NONE => self.first = after,
            _ => self.next[before as usize] = after,
        }
        match after {
            NONE => self.last = before,
            _ => self.previous[after as usize] = before,
        }
    }
}
