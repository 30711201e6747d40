//! How many bytes of a piece each token stands for, so that offsets follow from ids.
//!
//! A token has a length if it is written in the byte alphabet. That it covers as many bytes of any piece is proved when
//! the table is made: every byte's token has length 1, what a pair becomes is as long as both together, and a whole piece
//! that is a token is its text. Where that does not hold (an id with two texts, merges that drop a prefix), there is no
//! table.

use super::EachToken;
use super::pairs::NEVER;
use super::symbols::Merger;
use crate::ids::TokenId;

/// Lengths by id; 0 for tokens that stand for no bytes.
#[derive(Debug)]
pub struct Lengths(Box<[u16]>);

impl Lengths {
    pub fn new(tokens: &EachToken, merger: &Merger) -> Option<Lengths> {
        let mut lengths: Vec<u16> = Vec::new();
        let mut all_differ = true;
        tokens(&|_| true, &mut |bytes, id| {
            let at = id as usize;
            if lengths.len() <= at {
                lengths.resize(at + 1, 0);
            }
            // An empty token is never made of anything.
            if !bytes.is_empty() {
                let length = u16::try_from(bytes.len()).unwrap_or(0);
                all_differ &= length > 0 && [0, length].contains(&lengths[at]);
                lengths[at] = length;
            }
        });
        let lengths = Lengths(lengths.into_boxed_slice());
        let of = |symbol: u32| merger.ids.get(symbol as usize).map_or(0, |&id| lengths.of(id));
        let bytes_are_one = merger.of_byte.iter().all(|&symbol| symbol != NEVER && of(symbol) == 1);
        let pairs_add_up = merger.pairs.iter().all(|(left, right, result)| {
            let (left, right) = (of(left), of(right));
            left > 0 && right > 0 && left + right == of(result)
        });
        (all_differ && bytes_are_one && pairs_add_up).then_some(lengths)
    }

    /// By id, for loops that are to have the place of the table in a register.
    pub fn all(&self) -> &[u16] {
        &self.0
    }

    /// The bytes of a token.
    #[inline(always)]
    pub fn of(&self, id: TokenId) -> u32 {
        self.0.get(id as usize).copied().unwrap_or(0).into()
    }
}
