//! The slots of a table that hold a pair, in the order in which they lie.
//!
//! Which slots are taken is as good as random, so a branch on each is foretold wrong for a third of them. Here 64 are looked at
//! without one, and the bits that say which are taken lead from one to the next.

use super::{KEY, NO_KEY, Slot};

/// Goes through slots and leaves out those that are free.
#[derive(Clone)]
pub(super) struct Filled<'s> {
    /// Slots that are looked at together.
    block: &'s [Slot],
    /// Those of the block that are taken and still to come, a bit for each.
    taken: u64,
    /// What comes behind the block.
    rest: &'s [Slot],
}

impl<'s> Filled<'s> {
    pub fn new(slots: &'s [Slot]) -> Self {
        Filled { block: &[], taken: 0, rest: slots }
    }
}

impl<'s> Iterator for Filled<'s> {
    type Item = &'s Slot;

    #[inline]
    fn next(&mut self) -> Option<&'s Slot> {
        while self.taken == 0 {
            if self.rest.is_empty() {
                return None;
            }
            (self.block, self.rest) = self.rest.split_at(self.rest.len().min(u64::BITS as usize));
            let bits = self.block.iter().zip(0..).map(|(slot, at)| u64::from(slot[KEY] != NO_KEY) << at);
            self.taken = bits.fold(0, |all, bit| all | bit);
        }
        let at = self.taken.trailing_zeros() as usize;
        self.taken &= self.taken - 1;
        self.block.get(at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::bpe::pairs::FREE;
    use crate::random::Random;

    #[test]
    fn what_is_taken_comes_in_order() {
        let mut random = Random::from_seed(7);
        for length in [0, 1, 63, 64, 65, 200, 1024] {
            // None, some and all of them taken.
            for share in [0, 1, 5, 8] {
                let taken = |random: &mut Random| random.next_u64() % 8 < share;
                let mut slot = |at: u64| if taken(&mut random) { [at, at * 3] } else { FREE };
                let slots: Vec<Slot> = (0..length).map(&mut slot).collect();
                let expected: Vec<&Slot> = slots.iter().filter(|slot| slot[KEY] != NO_KEY).collect();
                assert_eq!(Filled::new(&slots).collect::<Vec<_>>(), expected);
            }
        }
    }
}
