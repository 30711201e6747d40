//! Room in a double array: which slots are free, and where a set of children fits.
//!
//! Slots come in blocks of 256, so that a base and all its children (`base ^ byte`) lie in one block. Which slots of a block are free
//! is a set of 256 bits, and so is which bases are, so that all that is asked of a block lies side by side. Only the youngest blocks
//! stay open, which bounds the search for any set of children.

use crate::error::{Error, Result};

const BLOCK: usize = 256;
/// Older blocks are closed, whatever is free in them. More would pack tighter and build slower.
const OPEN_BLOCKS: usize = 4;

/// Some of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Set([u64; Self::WORDS]);

impl Set {
    const WORDS: usize = BLOCK / 64;
    const ALL: Set = Set([u64::MAX; Self::WORDS]);

    fn has(&self, at: usize) -> bool {
        self.0[at / 64] >> (at % 64) & 1 == 1
    }

    fn remove(&mut self, at: usize) {
        self.0[at / 64] &= !(1 << (at % 64));
    }
}

/// The occupancy of a double array.
#[derive(Debug)]
pub(crate) struct Slots {
    blocks: Vec<Block>,
    /// The first block that is open.
    open: usize,
}

#[derive(Debug)]
struct Block {
    free: Set,
    free_bases: Set,
    /// How many slots are free.
    room: usize,
}

impl Slots {
    /// One block, its slot 0 taken by the root. Nobody gets base 0, so that no byte leads to the root.
    pub(crate) fn new() -> Self {
        let mut slots = Slots { blocks: Vec::new(), open: 0 };
        slots.add_block().take(0, &[0]);
        slots
    }

    /// Slots so far, a multiple of 256.
    pub(crate) fn len(&self) -> usize {
        self.blocks.len() * BLOCK
    }

    /// Finds a base of its own for a node with these (distinct, at least one) children and takes their slots.
    pub(crate) fn place(&mut self, bytes: &[u8]) -> Result<u32> {
        for (at, block) in self.blocks.iter_mut().enumerate().skip(self.open) {
            if let Some(base) = block.fit(bytes) {
                block.take(base, bytes);
                return Ok((at * BLOCK + base) as u32);
            }
        }
        if self.len() >= 1 << 30 {
            return Err(Error::model("the vocabulary is too large: its trie exceeds 2^30 nodes"));
        }
        let start = self.len();
        self.add_block().take(0, bytes);
        Ok(start as u32)
    }

    /// Calls with every slot that is not taken and a byte that leads to it from no base in use.
    pub(crate) fn for_each_free(&self, mut mark: impl FnMut(usize, u8)) {
        for (block, start) in self.blocks.iter().zip((0..).step_by(BLOCK)) {
            // Every base taken has a slot taken in its block, so a block with a free slot has a free base.
            let Some(base) = (0..BLOCK).find(|&base| block.free_bases.has(base)) else { continue };
            let free = (0..BLOCK).filter(|&slot| block.free.has(slot));
            free.for_each(|slot| mark(start + slot, (slot ^ base) as u8));
        }
    }

    fn add_block(&mut self) -> &mut Block {
        self.open = (self.blocks.len() + 1).saturating_sub(OPEN_BLOCKS);
        let at = self.blocks.len();
        self.blocks.push(Block { free: Set::ALL, free_bases: Set::ALL, room: BLOCK });
        &mut self.blocks[at]
    }
}

impl Block {
    /// A base that is free and has room for these children.
    fn fit(&self, bytes: &[u8]) -> Option<usize> {
        let (&first, others) = bytes.split_first()?;
        if self.room < bytes.len() {
            return None;
        }
        let fits = |base: usize| {
            self.free_bases.has(base) && others.iter().all(|&byte| self.free.has(base ^ usize::from(byte)))
        };
        for (word, start) in self.free.0.into_iter().zip((0..).step_by(64)) {
            let mut word = word;
            while word != 0 {
                let base = (start + word.trailing_zeros() as usize) ^ usize::from(first);
                if fits(base) {
                    return Some(base);
                }
                word &= word - 1;
            }
        }
        None
    }

    fn take(&mut self, base: usize, bytes: &[u8]) {
        self.free_bases.remove(base);
        bytes.iter().for_each(|&byte| self.free.remove(base ^ usize::from(byte)));
        self.room -= bytes.len();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    #[test]
    fn no_slot_and_no_base_is_given_twice() {
        let mut random = Random::from_seed(4);
        let mut slots = Slots::new();
        let (mut bases, mut taken) = (std::collections::HashSet::from([0]), vec![0]);
        for _ in 0..3000 {
            let most = [1, 2, 9, 200][random.next_u64() as usize % 4];
            let mut bytes: Vec<u8> =
                (0..1 + random.next_u64() % most).map(|_| random.next_u64() as u8).collect();
            bytes.sort_unstable();
            bytes.dedup();
            let base = slots.place(&bytes).unwrap();
            assert!(bases.insert(base));
            taken.extend(bytes.iter().map(|&byte| (base ^ u32::from(byte)) as usize));
        }
        let count = taken.len();
        slots.for_each_free(|slot, byte| {
            assert!(!bases.contains(&(slot as u32 ^ u32::from(byte))));
            taken.push(slot);
        });
        assert!(taken.len() > count);
        taken.sort_unstable();
        assert_eq!(taken, (0..slots.len()).collect::<Vec<_>>());
    }
}
