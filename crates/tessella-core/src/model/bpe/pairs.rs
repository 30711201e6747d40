//! The merge list as a hash table: a pair of ids gives its rank and what it becomes.

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

const NO_KEY: u64 = u64::MAX;
const FREE: Slot = Slot { key: NO_KEY, merge: Merge { rank: u32::MAX, result: 0 } };

/// An open-addressed table, at most half full.
#[derive(Debug)]
pub(super) struct PairTable {
    slots: Vec<Slot>,
    mask: usize,
    len: usize,
}

#[inline]
fn key_of(left: TokenId, right: TokenId) -> u64 {
    (left as u64) << 32 | right as u64
}

impl PairTable {
    fn with_capacity(pairs: usize) -> Self {
        let slots = (pairs.max(8) * 2).next_power_of_two();
        PairTable { slots: vec![FREE; slots], mask: slots - 1, len: 0 }
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

    fn insert(&mut self, left: TokenId, right: TokenId, merge: Merge) {
        let key = key_of(left, right);
        let mut slot = hash_u64(key) as usize & self.mask;
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
    pub(super) fn get(&self, left: TokenId, right: TokenId) -> Option<Merge> {
        let key = key_of(left, right);
        let mut slot = hash_u64(key) as usize & self.mask;
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

    pub(super) fn iter(&self) -> impl Iterator<Item = (TokenId, TokenId, Merge)> + '_ {
        self.slots
            .iter()
            .filter(|slot| slot.key != NO_KEY)
            .map(|slot| ((slot.key >> 32) as TokenId, slot.key as TokenId, slot.merge))
    }
}
