//! Room in a double array: which slots are free, and where a set of children fits.
//!
//! Slots come in blocks of 256, so that a base and all its children (`base ^ byte`) lie in one block. Which slots of a block are free
//! is a set of 256 bits, and so is which bases are, so that all that is asked of a block lies side by side. Only the youngest blocks
//! stay open, which bounds the search for any set of children.

use std::hint::select_unpredictable;

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

    /// A word of the set of what all members are with `by` added to them without carrying.
    #[inline(always)]
    fn moved(&self, by: u8, at: usize) -> u64 {
        /// Of each pair of neighbours that a bit tells apart, the lower ones.
        const LOWER: [u64; 6] = [
            0x5555_5555_5555_5555,
            0x3333_3333_3333_3333,
            0x0F0F_0F0F_0F0F_0F0F,
            0x00FF_00FF_00FF_00FF,
            0x0000_FFFF_0000_FFFF,
            0x0000_0000_FFFF_FFFF,
        ];
        let word = self.0[at ^ usize::from(by >> 6)];
        (0..).zip(LOWER).fold(word, |word, (bit, lower)| {
            let swapped = word >> (1 << bit) & lower | (word & lower) << (1 << bit);
            select_unpredictable(by >> bit & 1 == 1, swapped, word)
        })
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
        // Of 64 places for the first child at a time, those whose base is free, and that have places for the others.
        (0..Set::WORDS).find_map(|at| {
            let mut fitting = self.free.0[at] & self.free_bases.moved(first, at);
            for byte in others {
                if fitting == 0 {
                    break;
                }
                fitting &= self.free.moved(first ^ byte, at);
            }
            let slot = at * 64 + fitting.trailing_zeros() as usize;
            (fitting != 0).then_some(slot ^ usize::from(first))
        })
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
    fn children_go_where_the_first_of_them_finds_the_lowest_place() {
        let mut random = Random::from_seed(5);
        let mut found = 0;
        for round in 0..300 {
            let mut below = |n: u64| random.next_u64() % n;
            let mut block = Block { free: Set::ALL, free_bases: Set::ALL, room: BLOCK };
            for _ in 0..below(400) {
                block.free.remove(below(256) as usize);
                block.free_bases.remove(below(256) as usize);
            }
            let mut bytes: Vec<u8> = (0..1 + below(1 + round % 9)).map(|_| below(256) as u8).collect();
            bytes.sort_unstable();
            bytes.dedup();
            let fits = |base: &usize| {
                block.free_bases.has(*base)
                    && bytes.iter().all(|&byte| block.free.has(base ^ usize::from(byte)))
            };
            let expected = (0..BLOCK).map(|slot| slot ^ usize::from(bytes[0])).find(fits);
            assert_eq!(block.fit(&bytes), expected, "{bytes:?}");
            found += usize::from(expected.is_some());
        }
        assert!((100..290).contains(&found), "{found}");
    }

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
