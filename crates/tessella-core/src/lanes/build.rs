//! The shared tables, made from a model's merges and vocabulary.
//!
//! Symbols are numbered in the order of their ranks, so each token must have one: two pairs of one token with
//! different ranks have an order that symbols cannot tell, and a list with such pairs is left to the plain loops.
//! Where ranks are those of concatenations, the model itself keeps one pair for each token
//! (`model/bpe/pairs/reduced.rs` argues why that is enough).
//!
//! Most vocabularies have their tokens in that order already, and then ids are the symbols: pairs go into the table as they
//! come, in any order, and nothing is numbered. What is no result of a merge has no rank, so its number may be any.

use std::sync::OnceLock;

use super::bytes::SHORT;
use super::key::{Key, LONGEST};
use super::merge::{Merging, Work};
use super::pairs::{Filling, NEVER, Symbol};
use super::slots::ID_BOUND;
use super::symbols::{Ids, Merger};
use super::vectors::{Level, Task, Vectors};
use super::{Absent, EachToken, Engine};
use crate::flat::full_of;
use crate::ids::TokenId;

/// Left, right, rank and result of a merge.
pub type Ranked = (TokenId, TokenId, u32, TokenId);

/// What an engine is made from.
pub struct Parts<M> {
    /// The token of every single byte. What is absent has an id that no token has.
    pub of_byte: [TokenId; 256],
    /// Bytes without a token that a text may have.
    pub absent: Option<Absent>,
    /// The merges in any order, and how many there are.
    pub merges: M,
    pub count: usize,
    /// All ids are below.
    pub id_bound: usize,
    /// Whether the merges are those with which tokens end when they are merged alone; else they are any list.
    pub by_concatenation: bool,
    /// Whether a whole piece that is a token is that token.
    pub whole_pieces: bool,
    pub tokens: EachToken,
    pub hash_seed: [u64; 2],
}

impl Engine {
    /// Builds the tables, or says why this model is left to the plain loops.
    pub fn new(parts: Parts<impl Iterator<Item = Ranked> + Clone>) -> Result<Engine, &'static str> {
        let Parts {
            of_byte,
            absent,
            merges,
            count,
            id_bound,
            by_concatenation,
            whole_pieces,
            tokens,
            hash_seed,
        } = parts;
        let mut known = Known::new(id_bound.min(ID_BOUND as usize));
        let merger = match Merger::of_ids(count, merges.clone(), of_byte, &mut known) {
            Some(merger) => merger,
            None => Merger::numbered(ByRank::new(count, merges), of_byte, &mut known)?,
        };
        let mut whole = Vec::new();
        if whole_pieces {
            // Where merges are those of tokens alone, every result is reached.
            let none = Known::default();
            tokens(if by_concatenation { &known } else { &none }, &mut |bytes, id| {
                if (1..=LONGEST).contains(&bytes.len()) {
                    whole.push((Key::of(bytes), id));
                }
            });
            if whole.iter().any(|&(_, id)| id >= ID_BOUND) {
                return Err("an id is too large for a slot");
            }
            if !by_concatenation {
                let mut reached = Level::best().run(Reaching { merger: &merger, whole: &whole }).into_iter();
                whole.retain(|_| reached.next() == Some(false));
            }
        }
        Ok(Engine {
            merger,
            known,
            whole: whole.into_iter().collect(),
            hash_seed,
            tokens,
            absent,
            cuts: OnceLock::new(),
            lengths: OnceLock::new(),
            whole_pieces,
            by_concatenation,
            wholes: OnceLock::new(),
            longest: OnceLock::new(),
        })
    }

    /// Whether the engine knows tokens by their ids, and so [what two of them become](Self::merged).
    pub fn merges_ids(&self) -> bool {
        matches!(self.merger.ids, Ids::Same(_))
    }

    /// What two tokens become, of those of which pieces of bytes are made.
    #[inline]
    pub fn merged(&self, left: TokenId, right: TokenId) -> Option<TokenId> {
        let merged = if (left | right) <= NEVER { self.merger.pairs.get(left, right) } else { NEVER };
        (merged != NEVER).then_some(merged)
    }

    /// Bytes in use.
    pub fn memory(&self) -> usize {
        let longest = self.longest.get().and_then(|longest| Some(longest.as_ref()?.memory()));
        self.merger.memory() + self.whole.len() * 2 * size_of::<(Key, TokenId)>() + longest.unwrap_or(0)
    }
}

/// Which pieces merges make the token of, that is.
struct Reaching<'r> {
    merger: &'r Merger,
    whole: &'r [(Key, TokenId)],
}

impl Task for Reaching<'_> {
    type Output = Vec<bool>;

    #[inline(always)]
    fn run<V: Vectors>(self, vectors: V) -> Vec<bool> {
        let Reaching { merger, whole } = self;
        let keys: Vec<Key> = whole.iter().map(|&(key, _)| key).collect();
        let mut reached = vec![false; whole.len()];
        merger.solve(
            vectors,
            &mut Work::<SHORT>::new(),
            keys.len(),
            |at| keys[at].into(),
            |index, ids| {
                reached[index] = ids == [whole[index].1];
            },
        );
        reached
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

    /// The same, if symbols can count them.
    pub fn checked(self) -> Result<Self, &'static str> {
        match self.ids.len() >= NEVER as usize || self.of_id.len() > ID_BOUND as usize {
            true => Err("the vocabulary is too large"),
            false => Ok(self),
        }
    }
}

/// A set of ids.
#[derive(Debug, Default)]
pub struct Known(Vec<u64>);

impl Known {
    /// For ids below a bound.
    pub fn new(bound: usize) -> Self {
        Known(vec![0; bound.div_ceil(64)])
    }

    /// False if it was there, or is beyond the bound.
    #[inline(always)]
    pub fn insert(&mut self, id: TokenId) -> bool {
        let Some(word) = self.0.get_mut(id as usize / 64) else { return false };
        let bit = 1 << (id % 64);
        let is_new = *word & bit == 0;
        *word |= bit;
        is_new
    }

    #[inline(always)]
    pub fn has(&self, id: TokenId) -> bool {
        self.0.get(id as usize / 64).is_some_and(|word| word >> (id % 64) & 1 == 1)
    }
}

/// Both tables of pairs on their way.
struct Pairs {
    filling: Filling,
    /// By symbol, as far as those of bytes go.
    byte_of: Vec<u16>,
    of_two: Box<[Symbol; 1 << 16]>,
}

const NO_BYTE: u16 = u16::MAX;

impl Pairs {
    /// For so many pairs, of which the first bytes stand for `firsts`. `None` if two bytes are one symbol.
    fn new(count: usize, firsts: &[Symbol]) -> Option<Self> {
        let most = firsts.iter().max().map_or(0, |&most| most as usize + 1);
        if most > NEVER as usize {
            return None;
        }
        let mut byte_of = vec![NO_BYTE; most];
        for (&symbol, byte) in firsts.iter().zip(0..) {
            let place = &mut byte_of[symbol as usize];
            if *place != NO_BYTE {
                return None;
            }
            *place = byte;
        }
        // A table that is quick to build and small enough.
        let filling = Filling::new(count, count / 5);
        Some(Pairs { filling, byte_of, of_two: full_of(NEVER, 1 << 16).try_into().ok()? })
    }

    #[inline(always)]
    fn put(&mut self, left: Symbol, right: Symbol, result: Symbol) {
        let byte = |symbol: Symbol| self.byte_of.get(symbol as usize).copied().unwrap_or(NO_BYTE);
        let (first, second) = (byte(left), byte(right));
        if (first | second) != NO_BYTE {
            self.of_two[usize::from(first << 8 | second)] = result;
        }
        self.filling.put(left, right, result);
    }

    fn finish(
        self,
        of_byte: [Symbol; 256],
        ids: Ids,
        wanted: impl Fn(Symbol, Symbol) -> bool,
    ) -> Option<Merger> {
        let Pairs { filling, of_two, .. } = self;
        Some(Merger { pairs: filling.finish(wanted)?, of_two, of_byte: of_byte.into(), ids, wide: None })
    }
}

impl Merger {
    /// With ids for symbols, of which `known` gets to know all. `None` where tokens do not come in the order of their ranks or
    /// something else is wrong.
    fn of_ids(
        count: usize,
        mut merges: impl Iterator<Item = Ranked>,
        of_byte: [TokenId; 256],
        known: &mut Known,
    ) -> Option<Merger> {
        let mut pairs = Pairs::new(count, &of_byte)?;
        let mut distance = None;
        let mut in_order = true;
        merges.try_for_each(|(left, right, rank, result)| {
            // As far from each other everywhere, neither of them so large that it begins anew.
            let (rank, symbol) = (i64::from(rank), i64::from(result));
            in_order &= *distance.get_or_insert(symbol - rank) == symbol - rank;
            in_order &= known.insert(result);
            pairs.put(left, right, result);
            in_order.then_some(())
        })?;
        of_byte.iter().for_each(|&id| {
            known.insert(id);
        });
        let bound = of_byte.iter().fold(pairs.filling.largest(), |most, &id| most.max(id)) as usize + 1;
        // A token that is neither a byte nor a result never stands anywhere.
        pairs.finish(of_byte, Ids::Same(bound), |left, right| known.has(left) && known.has(right))
    }

    /// With symbols in the order of ranks, then the bytes that are no results.
    fn numbered(
        ByRank(merges): ByRank,
        of_byte: [TokenId; 256],
        known: &mut Known,
    ) -> Result<Merger, &'static str> {
        let mut numbers = Numbers::default();
        for &(_, _, _, result) in &merges {
            if !numbers.insert(result) {
                return Err("two merges of the list make the same token");
            }
        }
        of_byte.iter().for_each(|&id| {
            numbers.insert(id);
        });
        let Numbers { of_id, ids } = numbers.checked()?;
        ids.iter().for_each(|&id| {
            known.insert(id);
        });
        let number = |id: TokenId| of_id.get(id as usize).copied().filter(|&number| number != NEVER);
        // A token that is neither a byte nor a result never stands anywhere.
        let pairs: Vec<(Symbol, Symbol, Symbol)> = merges
            .into_iter()
            .filter_map(|(left, right, _, result)| Some((number(left)?, number(right)?, number(result)?)))
            .collect();
        let of_byte: [Symbol; 256] = std::array::from_fn(|byte| number(of_byte[byte]).unwrap_or(NEVER));
        Merger::reading(&pairs, of_byte, &of_byte, ids).ok_or("its pairs cannot be told apart")
    }

    /// Of pairs of symbols that are numbered, where only the first bytes stand for symbols.
    pub fn reading(
        pairs: &[(Symbol, Symbol, Symbol)],
        of_byte: [Symbol; 256],
        firsts: &[Symbol],
        ids: Vec<TokenId>,
    ) -> Option<Merger> {
        let mut tables = Pairs::new(pairs.len(), firsts)?;
        pairs.iter().for_each(|&(left, right, result)| tables.put(left, right, result));
        tables.finish(of_byte, Ids::Listed(ids), |_, _| true)
    }

    /// Bytes in use.
    pub fn memory(&self) -> usize {
        self.pairs.memory() + size_of_val(&*self.of_two) + self.ids.memory()
    }
}
