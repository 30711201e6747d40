//! The shared tables, made from a model's merges and vocabulary.
//!
//! Symbols are numbered in the order of their ranks, so each token must have one: two pairs of one token with
//! different ranks have an order that symbols cannot tell, and a list with such pairs is left to the plain loops.
//! Where ranks are those of concatenations, the model itself keeps one pair for each token
//! (`model/bpe/pairs.rs` argues why that is enough).

use super::Engine;
use super::key::{Key, LONGEST};
use super::merge::{Merger, Work};
use super::pairs::{NEVER, PairHash, Symbol};
use super::slots::ID_BOUND;
use crate::ids::TokenId;

/// What an engine is made from.
pub struct Parts<'p> {
    /// The token of every single byte.
    pub of_byte: [TokenId; 256],
    /// Left, right, rank and result of every merge.
    pub merges: Vec<(TokenId, TokenId, u32, TokenId)>,
    /// Whether the merges are those with which tokens end when they are merged alone; else they are any list.
    pub by_concatenation: bool,
    /// Whether a whole piece that is a token is that token.
    pub whole_pieces: bool,
    /// Calls its second argument for every token that its first one wants, with the bytes that it stands for.
    pub tokens: &'p EachToken<'p>,
    pub hash_seed: [u64; 2],
}

/// Hands over the bytes and the id of each token that is wanted.
type EachToken<'t> = dyn Fn(&dyn Fn(TokenId) -> bool, &mut dyn FnMut(&[u8], TokenId)) + 't;

impl Engine {
    /// Builds the tables, or says why this model is left to the plain loops.
    pub fn new(parts: Parts<'_>) -> Result<Engine, &'static str> {
        let Parts { of_byte, mut merges, by_concatenation, whole_pieces, tokens, hash_seed } = parts;
        merges.sort_unstable_by_key(|&(_, _, rank, result)| (rank, result));
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
            .iter()
            .filter_map(|&(left, right, _, result)| Some((number(left)?, number(right)?, number(result)?)))
            .collect();
        let of_byte: [Symbol; 256] = std::array::from_fn(|byte| number(of_byte[byte]).unwrap_or(NEVER));
        let merger = Merger::new(&pairs, of_byte, ids).ok_or("its pairs cannot be told apart")?;
        let mut whole = Vec::new();
        if whole_pieces {
            // Where merges are those of tokens alone, every result is reached.
            let wanted = |id: TokenId| !by_concatenation || number(id).is_none();
            tokens(&wanted, &mut |bytes, id| {
                if (1..=LONGEST).contains(&bytes.len()) {
                    whole.push((Key::of(bytes), id));
                }
            });
            if whole.iter().any(|&(_, id)| id >= ID_BOUND) {
                return Err("an id is too large for a slot");
            }
            if !by_concatenation {
                let mut reached = vec![false; whole.len()];
                merger.merge(&mut Work::new(), whole.iter().map(|&(key, _)| key), |index, lane| {
                    let &[symbol] = lane.symbols() else { return };
                    reached[index] = merger.ids[symbol as usize] == whole[index].1;
                });
                let mut reached = reached.into_iter();
                whole.retain(|_| reached.next() == Some(false));
            }
        }
        Ok(Engine { merger, whole: whole.into_iter().collect(), hash_seed })
    }

    /// Bytes in use.
    pub fn memory(&self) -> usize {
        self.merger.memory() + self.whole.len() * 2 * size_of::<(Key, TokenId)>()
    }
}

/// Tokens in the order in which they were met.
#[derive(Default)]
struct Numbers {
    of_id: Vec<Symbol>,
    ids: Vec<TokenId>,
}

impl Numbers {
    /// False if the token was there.
    fn insert(&mut self, id: TokenId) -> bool {
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
        let mut byte_of = vec![None; ids.len()];
        for (byte, &symbol) in of_byte.iter().enumerate() {
            if byte_of.get_mut(symbol as usize)?.replace(byte).is_some() {
                return None;
            }
        }
        let mut of_two = vec![NEVER; 1 << 16].into_boxed_slice();
        for &(left, right, result) in pairs {
            if let (Some(left), Some(right)) = (byte_of[left as usize], byte_of[right as usize]) {
                of_two[left << 8 | right] = result;
            }
        }
        // A table that is quick to build and small enough.
        let spare = pairs.len() / 6;
        Some(Merger { pairs: PairHash::new(pairs, spare)?, of_two, of_byte, ids })
    }

    /// Bytes in use.
    fn memory(&self) -> usize {
        self.pairs.memory() + size_of_val(&*self.of_two) + size_of_val(self.ids.as_slice())
    }
}
