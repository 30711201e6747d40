//! The shared tables, made from a model's merges and vocabulary.
//!
//! Symbols are numbered in the order of their ranks, so each token must have one: two pairs of one token with
//! different ranks have an order that symbols cannot tell, and a list with such pairs is left to the plain loops.
//! Where ranks are those of concatenations, the model itself keeps one pair for each token
//! (`model/bpe/pairs/reduced.rs` argues why that is enough).

use std::sync::OnceLock;

use super::key::{Key, LONGEST};
use super::merge::{SHORT, Work};
use super::pairs::{NEVER, PairHash, Symbol};
use super::slots::ID_BOUND;
use super::symbols::Merger;
use super::vectors::Plain;
use super::{EachToken, Engine};
use crate::ids::TokenId;

/// Left, right, rank and result of a merge.
pub type Ranked = (TokenId, TokenId, u32, TokenId);

/// What an engine is made from.
pub struct Parts {
    /// The token of every single byte.
    pub of_byte: [TokenId; 256],
    pub merges: ByRank,
    /// Whether the merges are those with which tokens end when they are merged alone; else they are any list.
    pub by_concatenation: bool,
    /// Whether a whole piece that is a token is that token.
    pub whole_pieces: bool,
    pub tokens: EachToken,
    pub hash_seed: [u64; 2],
}

impl Engine {
    /// Builds the tables, or says why this model is left to the plain loops.
    pub fn new(parts: Parts) -> Result<Engine, &'static str> {
        let Parts { of_byte, merges: ByRank(merges), by_concatenation, whole_pieces, tokens, hash_seed } =
            parts;
        // Results in the order of their ranks, then the bytes that are no results.
        let mut numbers = Numbers::default();
        for &(_, _, _, result) in &merges {
            if !numbers.insert(result) {
                return Err("two merges of the list make the same token");
            }
        }
        of_byte.iter().for_each(|&id| {
            numbers.insert(id);
        });
        let Numbers { of_id, ids } = numbers;
        if ids.len() >= NEVER as usize || of_id.len() > ID_BOUND as usize {
            return Err("the vocabulary is too large");
        }
        let number = |id: TokenId| of_id.get(id as usize).copied().filter(|&number| number != NEVER);
        // A token that is neither a byte nor a result never stands anywhere.
        let pairs: Vec<(Symbol, Symbol, Symbol)> = merges
            .into_iter()
            .filter_map(|(left, right, _, result)| Some((number(left)?, number(right)?, number(result)?)))
            .collect();
        let of_byte: [Symbol; 256] = std::array::from_fn(|byte| number(of_byte[byte]).unwrap_or(NEVER));
        let merger = Merger::new(&pairs, of_byte, ids).ok_or("its pairs cannot be told apart")?;
        let mut whole = Vec::new();
        // Units of a long piece are merged, so no token may be there for the piece alone.
        let mut may_cut = true;
        if whole_pieces {
            // Where merges are those of tokens alone, every result is reached.
            let wanted = |id: TokenId| !by_concatenation || number(id).is_none();
            tokens(&wanted, &mut |bytes, id| {
                may_cut = false;
                if (1..=LONGEST).contains(&bytes.len()) {
                    whole.push((Key::of(bytes), id));
                }
            });
            if whole.iter().any(|&(_, id)| id >= ID_BOUND) {
                return Err("an id is too large for a slot");
            }
            if !by_concatenation {
                let mut reached = vec![false; whole.len()];
                let keys = whole.iter().map(|&(key, _)| key);
                merger.merge(Plain, &mut Work::<SHORT>::new(), keys, |index, symbols| {
                    let &[symbol] = symbols else { return };
                    reached[index] = merger.ids[symbol as usize] == whole[index].1;
                });
                let mut reached = reached.into_iter();
                whole.retain(|_| reached.next() == Some(false));
            }
        }
        Ok(Engine {
            merger,
            whole: whole.into_iter().collect(),
            hash_seed,
            tokens,
            may_cut,
            cuts: OnceLock::new(),
            lengths: OnceLock::new(),
            whole_pieces,
            by_concatenation,
            wholes: OnceLock::new(),
            longest: OnceLock::new(),
        })
    }

    /// Bytes in use.
    pub fn memory(&self) -> usize {
        let longest = self.longest.get().and_then(|longest| Some(longest.as_ref()?.memory()));
        self.merger.memory() + self.whole.len() * 2 * size_of::<(Key, TokenId)>() + longest.unwrap_or(0)
    }
}

/// Merges in the order of their ranks.
pub struct ByRank(pub(super) Vec<Ranked>);

impl ByRank {
    /// The merges.
    pub fn merges(&self) -> &[Ranked] {
        &self.0
    }

    /// Of merges in any order, of which there are about `count`. Ranks are mostly places in a list or ids, so merges are put
    /// where they belong as they come.
    pub fn new(count: usize, merges: impl Iterator<Item = Ranked> + Clone) -> ByRank {
        /// Of a place that nothing was put in; no rank that is a place is as high.
        const NONE: u32 = u32::MAX;
        let most = count * 4 + 1024;
        let mut placed: Vec<Ranked> = vec![(0, 0, NONE, 0); count];
        for (left, right, rank, result) in merges.clone() {
            let place = rank as usize;
            if place >= placed.len() && place < most {
                placed.resize((place + 1).max(count + 1024), (0, 0, NONE, 0));
            }
            match placed.get_mut(place) {
                Some(free) if free.2 == NONE => *free = (left, right, rank, result),
                _ => {
                    let mut merges: Vec<Ranked> = merges.collect();
                    merges.sort_unstable_by_key(|&(_, _, rank, result)| (rank, result));
                    return ByRank(merges);
                }
            }
        }
        placed.retain(|&(_, _, rank, _)| rank != NONE);
        ByRank(placed)
    }
}

/// Tokens in the order in which they were met.
#[derive(Default)]
pub struct Numbers {
    pub of_id: Vec<Symbol>,
    pub ids: Vec<TokenId>,
}

impl Numbers {
    /// False if the token was there.
    pub fn insert(&mut self, id: TokenId) -> bool {
        let at = id as usize;
        if self.of_id.len() <= at {
            self.of_id.resize(at + 1, NEVER);
        }
        let is_new = self.of_id[at] == NEVER;
        if is_new {
            self.of_id[at] = self.ids.len() as Symbol;
            self.ids.push(id);
        }
        is_new
    }
}

impl Merger {
    fn new(pairs: &[(Symbol, Symbol, Symbol)], of_byte: [Symbol; 256], ids: Vec<TokenId>) -> Option<Merger> {
        Self::reading(pairs, of_byte, &of_byte, ids)
    }

    /// The same where only the first bytes stand for symbols.
    pub fn reading(
        pairs: &[(Symbol, Symbol, Symbol)],
        of_byte: [Symbol; 256],
        firsts: &[Symbol],
        ids: Vec<TokenId>,
    ) -> Option<Merger> {
        const NO_BYTE: u16 = u16::MAX;
        let mut byte_of = vec![NO_BYTE; ids.len()];
        for (&symbol, byte) in firsts.iter().zip(0..) {
            let place = byte_of.get_mut(symbol as usize)?;
            if *place != NO_BYTE {
                return None;
            }
            *place = byte;
        }
        let mut of_two: Box<[Symbol; 1 << 16]> = vec![NEVER; 1 << 16].try_into().ok()?;
        for &(left, right, result) in pairs {
            let (left, right) = (byte_of[left as usize], byte_of[right as usize]);
            if left != NO_BYTE && right != NO_BYTE {
                of_two[usize::from(left) << 8 | usize::from(right)] = result;
            }
        }
        // A table that is quick to build and small enough.
        let spare = pairs.len() / 5;
        Some(Merger { pairs: PairHash::new(pairs, spare)?, of_two, of_byte, ids, wide: None })
    }

    /// Bytes in use.
    pub fn memory(&self) -> usize {
        self.pairs.memory() + size_of_val(&*self.of_two) + size_of_val(self.ids.as_slice())
    }
}
