//! The shared tables, made from a model's merges and vocabulary.
//!
//! # One pair for each token
//!
//! Under the rule of concatenation (any two neighbours whose concatenation is a token may merge, lowest token
//! first) a token can be made of many pairs, but only one of them is ever used: as long as no merge has crossed the
//! ends of a stretch of bytes that will become token `t`, its inside merges exactly as `t` alone would, and so it
//! becomes `t` by the pair that `t` alone ends with. Wherever another pair with the same concatenation stands, some
//! lower merge comes first. Half of the pairs go, and what is left fits into nearer caches. Tokens that merges do not
//! make have no pair at all; they are whole pieces or nothing.
//!
//! In a list of merges all pairs must stay, and each token must have one: two pairs of one token with different
//! ranks have an order that symbols cannot tell. A list with such pairs is left to the plain loops.

use std::collections::HashMap;

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
    /// Whether merges are all pairs whose concatenation is a token, ranked by it; else they are a list.
    pub by_concatenation: bool,
    /// Whether a whole piece that is a token is that token.
    pub whole_pieces: bool,
    /// Calls its argument for every token, as the bytes that it stands for.
    pub tokens: &'p EachToken<'p>,
    pub hash_seed: [u64; 2],
}

impl Engine {
    /// Builds the tables, or says why this model is left to the plain loops.
    pub fn new(parts: Parts<'_>) -> Result<Engine, &'static str> {
        let Parts { of_byte, mut merges, by_concatenation, whole_pieces, tokens, hash_seed } = parts;
        merges.sort_unstable_by_key(|&(_, _, rank, result)| (rank, result));
        // Results in the order of their ranks, then the bytes that are no results.
        let mut numbers = Numbers::default();
        for &(_, _, _, result) in &merges {
            if !numbers.insert(result) && !by_concatenation {
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
        // All pairs of a concatenation are only looked at while the tables are built.
        let spare = if by_concatenation { pairs.len() } else { pairs.len() / 7 };
        let mut merger = Merger::new(&pairs, spare, of_byte, ids).ok_or("its pairs cannot be told apart")?;

        let (short, mut used) = read_tokens(&merger, by_concatenation, tokens)?;
        let mut reached = vec![false; short.len()];
        merger.merge(&mut Work::new(), short.iter().map(|&(key, _)| key), |index, lane| {
            if let &[symbol] = lane.symbols()
                && merger.ids[symbol as usize] == short[index].1
            {
                reached[index] = true;
                let (left, right) = lane.last;
                if left != NEVER {
                    used.push((left, right, symbol));
                }
            }
        });
        if by_concatenation {
            used.sort_unstable();
            used.dedup();
            merger = Merger::new(&used, used.len() / 7, of_byte, std::mem::take(&mut merger.ids))
                .ok_or("its pairs cannot be told apart")?;
        }
        let mut whole = HashMap::new();
        if whole_pieces {
            let exceptions = short.iter().zip(&reached).filter(|&(_, &reached)| !reached);
            whole.extend(exceptions.map(|(&entry, _)| entry));
        }
        let keeps = |index: usize| reached[index] || whole_pieces;
        let seed = (0..short.len()).filter(|&index| keeps(index)).map(|index| short[index]).collect();
        Ok(Engine { merger, whole, seed, hash_seed })
    }
}

/// Longest token whose merges are looked at: the plain loop that does it takes time by the square of the length.
const LONGEST_TOKEN: usize = 256;

type Pairs = Vec<(Symbol, Symbol, Symbol)>;
type Short = Vec<(Key, TokenId)>;
/// Hands over the bytes and the id of each token.
type EachToken<'t> = dyn Fn(&mut dyn FnMut(&[u8], TokenId)) + 't;

/// The tokens that fit a key, and of longer ones the pairs that make them if ranks are those of concatenations.
fn read_tokens(
    merger: &Merger,
    by_concatenation: bool,
    tokens: &EachToken<'_>,
) -> Result<(Short, Pairs), &'static str> {
    let (mut short, mut used) = (Vec::new(), Vec::new());
    let mut seen = std::collections::HashSet::new();
    let mut refused = None;
    tokens(&mut |bytes, id| {
        if id >= ID_BOUND {
            refused = Some("an id is too large for a slot");
        }
        if (1..=LONGEST).contains(&bytes.len()) {
            short.push((Key::of(bytes), id));
        }
        if !by_concatenation {
            return;
        }
        if !seen.insert(id) {
            refused = Some("two tokens share an id");
        } else if bytes.len() > LONGEST_TOKEN {
            refused = Some("a token is very long");
        } else if bytes.len() > LONGEST {
            let (symbols, (left, right)) = merger.merge_one(bytes);
            if let &[symbol] = symbols.as_slice()
                && merger.ids[symbol as usize] == id
            {
                used.push((left, right, symbol));
            }
        }
    });
    match refused {
        Some(reason) => Err(reason),
        None => Ok((short, used)),
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
    fn new(
        pairs: &[(Symbol, Symbol, Symbol)],
        spare: usize,
        of_byte: [Symbol; 256],
        ids: Vec<TokenId>,
    ) -> Option<Merger> {
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
        Some(Merger { pairs: PairHash::new(pairs, spare)?, of_two, of_byte, ids })
    }
}
