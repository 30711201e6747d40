//! The slots of a table that hold a pair, in the order in which they lie.
//!
//! Which slots are taken is as good as random, so a branch on each is foretold wrong for a third of them. Here 64 are looked at
//! without one, and the bits that say which are taken lead from one to the next.

use super::Merge;
use super::slot::Slot;
use crate::ids::TokenId;

/// Goes through slots and leaves out those that are free.
#[derive(Clone)]
pub(super) struct Filled<'s, S> {
    /// Slots that are looked at together.
    block: &'s [S],
    /// Those of the block that are taken and still to come, a bit for each.
    taken: u64,
    /// What comes behind the block.
    rest: &'s [S],
    /// How far results are above ranks.
    above: u32,
}

impl<'s, S> Filled<'s, S> {
    pub fn new(slots: &'s [S], above: u32) -> Self {
        Filled { block: &[], taken: 0, rest: slots, above }
    }
}

impl<S: Slot> Iterator for Filled<'_, S> {
    type Item = (TokenId, TokenId, Merge);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        while self.taken == 0 {
            if self.rest.is_empty() {
                return None;
            }
            (self.block, self.rest) = self.rest.split_at(self.rest.len().min(u64::BITS as usize));
            let bits = self.block.iter().zip(0..).map(|(slot, at)| u64::from(!slot.is_free()) << at);
            self.taken = bits.fold(0, |all, bit| all | bit);
        }
        let at = self.taken.trailing_zeros() as usize;
        self.taken &= self.taken - 1;
        let slot = self.block.get(at)?;
        let key = slot.key();
        Some(((key >> 32) as TokenId, key as TokenId, slot.merge(self.above)))
    }
}

#[cfg(test)]
mod tests {
    use super::super::slot::{Narrow, Wide};
    use super::*;
    use crate::random::Random;

    #[test]
    fn what_is_taken_comes_in_order() {
        let mut random = Random::from_seed(7);
        for length in [0, 1, 63, 64, 65, 200, 1024] {
            // None, some and all of them taken.
            for share in [0, 1, 5, 8] {
                let mut expected = Vec::new();
                let (mut narrow, mut wide) = (vec![Narrow::FREE; length], vec![Wide::FREE; length]);
                for at in (0..length).filter(|_| random.next_u64() % 8 < share) {
                    let (left, right, rank) = (at as TokenId, at as TokenId * 3, at as u32);
                    let merge = Merge { rank, result: rank + 5 };
                    narrow[at] = Slot::of(left, right, merge);
                    wide[at] = Slot::of(left, right, merge);
                    expected.push((left, right, merge));
                }
                assert_eq!(Filled::new(&narrow, 5).collect::<Vec<_>>(), expected);
                assert_eq!(Filled::new(&wide, 5).collect::<Vec<_>>(), expected);
            }
        }
    }
}
