//! The merge list as a hash table: a pair of ids gives its rank and what it becomes.
//!
//! The table has megabytes and is looked into at random, so two small tables stand before it and keep most
//! look-ups near the processor: a matrix of the pairs of common first symbols, and a bit for every hash that
//! occurs, which tells most pairs apart that never merge.

use crate::error::{Error, Result, excerpt};
use crate::hash::hash_u64;
use crate::ids::TokenId;
use crate::spec::Vocab;

/// Where a pair stands in the list, and what it becomes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Merge {
    pub rank: u32,
    pub result: TokenId,
}

#[derive(Debug, Clone, Copy)]
struct Slot {
    key: u64,
    merge: Merge,
}

/// Most symbols of a token for [`PairTable::one_for_each_token`], which takes time by the square of them.
const LONGEST_REDUCED: usize = 256;

const NO_KEY: u64 = u64::MAX;
const FREE: Slot = Slot { key: NO_KEY, merge: Merge { rank: u32::MAX, result: 0 } };

/// An open-addressed table, at most half full.
#[derive(Debug)]
pub(super) struct PairTable {
    slots: Vec<Slot>,
    mask: usize,
    len: usize,
    /// A bit for each hash in the table, [`FILTER_BITS`] times as many bits as slots.
    filter: Vec<u64>,
    near: Near,
}

const FILTER_BITS: usize = 4;
/// A pair that becomes nothing.
const NONE: TokenId = TokenId::MAX;

/// What pairs of first symbols become, while tokens are merged one after the other: bytes, of which there are few, so
/// that the table stays near the processor.
struct FirstPairs {
    /// Row of a symbol by id; 0 for those that have none.
    row: Vec<u16>,
    rows: u16,
    results: Vec<TokenId>,
}

impl FirstPairs {
    const ROWS: usize = 257;

    fn new(id_bound: usize) -> Self {
        FirstPairs { row: vec![0; id_bound], rows: 0, results: vec![NONE; Self::ROWS * Self::ROWS] }
    }

    fn row_of(&mut self, id: TokenId) -> Option<usize> {
        let row = self.row.get_mut(id as usize)?;
        if *row == 0 && usize::from(self.rows) + 1 < Self::ROWS {
            self.rows += 1;
            *row = self.rows;
        }
        Some(usize::from(*row))
    }

    /// For pairs of first symbols, all of them before any other pair is asked for.
    fn insert(&mut self, left: TokenId, right: TokenId, result: TokenId) {
        if let (Some(x), Some(y)) = (self.row_of(left), self.row_of(right)) {
            self.results[x * Self::ROWS + y] = result;
        }
    }

    /// `None` for a pair with a symbol that has no row.
    #[inline]
    fn get(&self, left: TokenId, right: TokenId) -> Option<TokenId> {
        let (x, y) = (usize::from(self.row[left as usize]), usize::from(self.row[right as usize]));
        (x != 0 && y != 0).then(|| self.results[x * Self::ROWS + y])
    }
}

/// Common first symbols and their pairs.
#[derive(Debug, Default)]
struct Near {
    /// Row of a symbol by id, 0 for all others.
    row: Vec<u8>,
    /// Merges by row of the left and the right symbol; empty if there are no rows.
    merges: Vec<Option<Merge>>,
}

/// Rows of the matrix, row 0 included.
const NEAR: usize = 128;

#[inline]
fn key_of(left: TokenId, right: TokenId) -> u64 {
    (left as u64) << 32 | right as u64
}

impl PairTable {
    fn with_capacity(pairs: usize) -> Self {
        let slots = (pairs.max(8) * 2).next_power_of_two();
        PairTable {
            slots: vec![FREE; slots],
            mask: slots - 1,
            len: 0,
            filter: vec![0; (slots * FILTER_BITS).div_ceil(64)],
            near: Near::default(),
        }
    }

    /// From a list in rank order. The result of a pair is the concatenation of its texts, without the
    /// continuing prefix (of `prefix_len` bytes) of the right one. Of a duplicate pair the last rank counts.
    pub(super) fn from_list(pairs: &[(TokenId, TokenId)], vocab: &Vocab, prefix_len: usize) -> Result<Self> {
        let mut table = Self::with_capacity(pairs.len());
        let mut joined = String::new();
        for (rank, &(left, right)) in pairs.iter().enumerate() {
            let text = |id: TokenId| {
                vocab.text(id).ok_or_else(|| {
                    Error::model(format!("merge {rank} names the id {id}, which is not in the vocabulary"))
                })
            };
            joined.clear();
            joined.push_str(text(left)?);
            let right_text = text(right)?;
            joined.push_str(right_text.get(prefix_len..).ok_or_else(|| {
                Error::model(format!(
                    "merge {rank}: `{}` is shorter than the continuing subword prefix ({prefix_len} bytes)",
                    excerpt(right_text)
                ))
            })?);
            let result = vocab.id(&joined).ok_or_else(|| {
                Error::model(format!(
                    "Token `{}` out of vocabulary: merge {rank} produces it from `{}` and `{}`",
                    excerpt(&joined),
                    excerpt(text(left).unwrap_or_default()),
                    excerpt(right_text)
                ))
            })?;
            table.insert(left, right, Merge { rank: rank as u32, result });
        }
        Ok(table)
    }

    /// All pairs whose concatenation is in the vocabulary, ranked by its id.
    pub(super) fn from_ranks(vocab: &Vocab) -> Result<Self> {
        let mut table = Self::with_capacity(vocab.len() * 2);
        for (text, rank) in vocab.iter() {
            for (at, _) in text.char_indices().skip(1) {
                if let Some(left) = vocab.id(&text[..at])
                    && let Some(right) = vocab.id(&text[at..])
                {
                    table.insert(left, right, Merge { rank, result: rank });
                }
            }
        }
        Ok(table)
    }

    /// Of each token only the pair that it alone ends with, found for short tokens first: all merges inside a token
    /// make shorter ones. `None` if a token has more than [`LONGEST_REDUCED`] symbols, for which this would take long.
    /// `symbol` gives the first symbol of a character.
    ///
    /// For merging this is as good as all pairs, provided that a symbol says what text it stands for: as long as no
    /// merge has crossed the ends of a stretch that will become token `t`, its inside merges exactly as `t` alone
    /// would, so it becomes `t` by that pair. Wherever another pair with the same concatenation stands, some lower
    /// merge comes first. Where merges are left out by chance, all pairs are needed.
    pub(super) fn one_for_each_token(
        vocab: &Vocab,
        symbol: impl Fn(char) -> Option<TokenId>,
    ) -> Option<Self> {
        let entries: Vec<(&str, TokenId)> = vocab.iter().collect();
        let mut by_length: Vec<Vec<u32>> = vec![Vec::new(); LONGEST_REDUCED + 1];
        for (at, (text, _)) in entries.iter().enumerate() {
            let symbols = if text.is_ascii() { text.len() } else { text.chars().count() };
            by_length.get_mut(symbols)?.push(at as u32);
        }
        let mut table = Self::with_capacity(entries.len());
        let mut bytes = FirstPairs::new(vocab.id_bound());
        let (mut symbols, mut ranks) =
            (Vec::with_capacity(LONGEST_REDUCED), Vec::with_capacity(LONGEST_REDUCED));
        for &at in by_length.iter().skip(2).flatten() {
            let (text, id) = entries[at as usize];
            symbols.clear();
            symbols.extend(text.chars().map_while(&symbol));
            // A character without a symbol: no text becomes this token by merging.
            let count = if text.is_ascii() { text.len() } else { text.chars().count() };
            if symbols.len() < 2 || count > symbols.len() {
                continue;
            }
            let two = symbols.len() == 2;
            if let Some((left, right)) = table.last_two(&bytes, &mut symbols, &mut ranks) {
                table.insert(left, right, Merge { rank: id, result: id });
                if two {
                    bytes.insert(left, right, id);
                }
            }
        }
        Some(table)
    }

    /// Merges symbols as far as pairs go; the last two, if two are left.
    fn last_two(
        &self,
        first: &FirstPairs,
        symbols: &mut Vec<TokenId>,
        ranks: &mut Vec<TokenId>,
    ) -> Option<(TokenId, TokenId)> {
        // A pair's rank is what it becomes.
        let rank = |left: TokenId, right: TokenId| self.get(left, right).map_or(NONE, |merge| merge.result);
        ranks.clear();
        ranks.extend(
            symbols
                .windows(2)
                .map(|pair| first.get(pair[0], pair[1]).unwrap_or_else(|| rank(pair[0], pair[1]))),
        );
        while symbols.len() > 2 {
            let (mut best, mut at) = (NONE, 0);
            for (index, &rank) in ranks.iter().enumerate() {
                if rank < best {
                    (best, at) = (rank, index);
                }
            }
            if best == NONE {
                return None;
            }
            symbols[at] = best;
            symbols.remove(at + 1);
            ranks.remove(at);
            if at > 0 {
                ranks[at - 1] = rank(symbols[at - 1], best);
            }
            if at + 1 < symbols.len() {
                ranks[at] = rank(best, symbols[at + 1]);
            }
        }
        Some((symbols[0], symbols[1]))
    }

    fn insert(&mut self, left: TokenId, right: TokenId, merge: Merge) {
        let key = key_of(left, right);
        let hash = hash_u64(key);
        let (word, bit) = self.filter_bit(hash);
        self.filter[word] |= bit;
        let mut slot = hash as usize & self.mask;
        while self.slots[slot].key != NO_KEY && self.slots[slot].key != key {
            slot = (slot + 1) & self.mask;
        }
        if self.slots[slot].key == NO_KEY {
            self.len += 1;
        }
        self.slots[slot] = Slot { key, merge };
        if self.len * 2 > self.slots.len() {
            self.grow();
        }
    }

    fn grow(&mut self) {
        let old = std::mem::replace(self, Self::with_capacity(self.slots.len()));
        for slot in old.slots {
            if slot.key != NO_KEY {
                self.insert((slot.key >> 32) as TokenId, slot.key as TokenId, slot.merge);
            }
        }
    }

    #[inline]
    fn filter_bit(&self, hash: u64) -> (usize, u64) {
        let bit = (hash >> 32) as usize & (self.slots.len() * FILTER_BITS - 1);
        (bit / 64, 1 << (bit % 64))
    }

    #[inline]
    pub(super) fn get(&self, left: TokenId, right: TokenId) -> Option<Merge> {
        let key = key_of(left, right);
        let hash = hash_u64(key);
        let (word, bit) = self.filter_bit(hash);
        if self.filter[word] & bit == 0 {
            return None;
        }
        let mut slot = hash as usize & self.mask;
        loop {
            let found = &self.slots[slot];
            if found.key == key {
                return Some(found.merge);
            }
            if found.key == NO_KEY {
                return None;
            }
            slot = (slot + 1) & self.mask;
        }
    }

    /// Prepares [`get_near`](Self::get_near) for these symbols, as many as there is room for.
    pub(super) fn bring_near(&mut self, symbols: impl Iterator<Item = TokenId>, id_bound: usize) {
        let mut near = Near { row: vec![0; id_bound], merges: vec![None; NEAR * NEAR] };
        let mut known = Vec::new();
        for id in symbols {
            if known.len() + 1 < NEAR && near.row[id as usize] == 0 {
                known.push(id);
                near.row[id as usize] = known.len() as u8;
            }
        }
        for (left, &x) in known.iter().enumerate() {
            for (right, &y) in known.iter().enumerate() {
                near.merges[(left + 1) * NEAR + right + 1] = self.get(x, y);
            }
        }
        self.near = near;
    }

    /// As [`get`](Self::get), for pairs that are likely to be common first symbols.
    #[inline]
    pub(super) fn get_near(&self, left: TokenId, right: TokenId) -> Option<Merge> {
        let row = |id: TokenId| self.near.row.get(id as usize).map_or(0, |&row| usize::from(row));
        let (x, y) = (row(left), row(right));
        if x == 0 || y == 0 {
            return self.get(left, right);
        }
        self.near.merges[x * NEAR + y]
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (TokenId, TokenId, Merge)> + '_ {
        self.slots
            .iter()
            .filter(|slot| slot.key != NO_KEY)
            .map(|slot| ((slot.key >> 32) as TokenId, slot.key as TokenId, slot.merge))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;
    use std::collections::HashMap;

    #[test]
    fn the_tables_in_front_change_nothing() {
        let mut random = Random::from_seed(5);
        let mut below = |n: u32| (random.next_u64() % u64::from(n)) as u32;
        for pairs in [0, 3, 200, 5000] {
            let mut table = PairTable::with_capacity(8);
            let mut known = HashMap::new();
            for rank in 0..pairs {
                let (left, right, merge) = (below(300), below(300), Merge { rank, result: below(1000) });
                table.insert(left, right, merge);
                known.insert((left, right), merge);
            }
            table.bring_near((0..200).map(|id| id * 3 % 290), 300);
            for left in 0..310 {
                for right in 0..310 {
                    let expected = known.get(&(left, right)).copied();
                    assert_eq!(table.get(left, right), expected);
                    assert_eq!(table.get_near(left, right), expected);
                }
            }
        }
    }
}
