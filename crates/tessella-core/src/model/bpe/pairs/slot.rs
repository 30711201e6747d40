//! What a slot of the table holds: a pair and its merge, in sixteen bytes or in eight.
//!
//! Most vocabularies have their tokens in the order of their merges, so that a rank and what it makes are as far from each other
//! everywhere: by the ranks of concatenations they are the same number. Of such merges a slot keeps only the token, beside both
//! halves of the pair, each in [`BITS`] bits. Half the memory is touched while the table is made, and most of it stays near the
//! processor.

use super::{Merge, key_of};
use crate::flat::Plain;
use crate::ids::TokenId;

/// The key of a pair, and its merge as one number.
pub type Wide = [u64; 2];
/// Left, right and result.
pub type Narrow = u64;

/// Bits of an id in a narrow slot.
const BITS: u32 = 21;
const MASK: u64 = (1 << BITS) - 1;

const NO_KEY: u64 = u64::MAX;

pub trait Slot: Plain {
    const FREE: Self;

    fn of(left: TokenId, right: TokenId, merge: Merge) -> Self;

    fn is_free(self) -> bool;

    /// The key of the pair, if there is one.
    fn key(self) -> u64;

    /// The token that the pair becomes.
    fn result(self) -> TokenId;

    /// The same with its rank, which a narrow slot does not hold: results are so far above ranks.
    fn merge(self, above: u32) -> Merge;
}

impl Slot for Wide {
    const FREE: Self = [NO_KEY, (u32::MAX as u64) << 32];

    #[inline(always)]
    fn of(left: TokenId, right: TokenId, merge: Merge) -> Self {
        [key_of(left, right), merge.packed()]
    }

    #[inline(always)]
    fn is_free(self) -> bool {
        self[0] == NO_KEY
    }

    #[inline(always)]
    fn key(self) -> u64 {
        self[0]
    }

    #[inline(always)]
    fn result(self) -> TokenId {
        self[1] as TokenId
    }

    #[inline(always)]
    fn merge(self, _: u32) -> Merge {
        Merge::unpacked(self[1])
    }
}

impl Slot for Narrow {
    const FREE: Self = u64::MAX;

    #[inline(always)]
    fn of(left: TokenId, right: TokenId, merge: Merge) -> Self {
        u64::from(left) << (2 * BITS) | u64::from(right) << BITS | u64::from(merge.result)
    }

    #[inline(always)]
    fn is_free(self) -> bool {
        self == u64::MAX
    }

    #[inline(always)]
    fn key(self) -> u64 {
        (self >> (2 * BITS)) << 32 | (self >> BITS & MASK)
    }

    #[inline(always)]
    fn result(self) -> TokenId {
        (self & MASK) as TokenId
    }

    #[inline(always)]
    fn merge(self, above: u32) -> Merge {
        let result = self.result();
        Merge { rank: result.wrapping_sub(above), result }
    }
}

/// Whether the ids of a merge find room in a narrow slot.
#[inline(always)]
pub fn are_short(left: TokenId, right: TokenId, result: TokenId) -> bool {
    u64::from(left | right | result) <= MASK
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_hold_the_same() {
        const MOST: TokenId = MASK as TokenId;
        for left in [0, 1, 77, MOST] {
            for right in [0, 5, MOST - 1, MOST] {
                for (result, above) in [(0, 0), (256, 256), (MOST, 3), (2, 9)] {
                    let merge = Merge { rank: TokenId::wrapping_sub(result, above), result };
                    let (narrow, wide) = (Narrow::of(left, right, merge), Wide::of(left, right, merge));
                    assert_eq!((narrow.key(), narrow.merge(above)), (wide.key(), merge));
                    assert_eq!(wide.merge(above), merge);
                    assert!(!narrow.is_free() && !wide.is_free() && are_short(left, right, result));
                }
            }
        }
        assert!(Narrow::FREE.is_free() && Wide::FREE.is_free());
        assert!(
            [(MOST + 1, 0, 0), (0, MOST + 1, 0), (0, 0, MOST + 1)]
                .into_iter()
                .all(|(left, right, result)| !are_short(left, right, result))
        );
    }
}
