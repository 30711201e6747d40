//! What a model made of pieces seen before.
//!
//! One table per worker, keyed by the piece's bytes, always compared in full. An entry is 32 bytes: up to 15
//! bytes of key in place (longer keys lie in an arena), up to three tokens in place: their ids and lengths
//! (longer results, and those whose tokens do not follow one another, lie in an arena). Four entries make a
//! bucket of two cache lines; a full bucket replaces one of its entries, so a hostile text costs misses, never
//! memory or a long probe.
//!
//! Once the slots are many, a small table in front of them keeps copies of those asked for last: a few hundred
//! pieces are most of any text, and there they stay in the processor's own cache.
//!
//! The budget bounds everything: slots grow by doubling up to half of it; when an arena outgrows a quarter,
//! all is forgotten. A cached value is only ever what the model gave for the same bytes.

use crate::hash::Secret;
use crate::ids::{PieceToken, TokenId};
use crate::scale::or_for_fuzzers;

/// Longest piece that is remembered, in bytes.
const MAX_KEY: usize = 1 << 10;
const BUCKET: usize = 4;
const FIRST_SLOTS: usize = or_for_fuzzers(1 << 10, 1 << 3);
/// Slots in front, one for each hash: 128 kB, which a core's second cache holds.
const FRONT_SLOTS: usize = or_for_fuzzers(1 << 12, 1 << 4);
const LONG: u64 = 0xFF;
const SPILLED: u32 = u32::MAX;
/// Tokens that fit in a slot, and the bytes that each may cover there.
const IN_PLACE: usize = 3;
const LONGEST_IN_PLACE: u32 = 0xFF;

/// Memory for a worker's cache unless told otherwise, in bytes.
pub const DEFAULT_BUDGET: usize = 32 << 20;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Key {
    low: u64,
    /// Top byte: length of a key in place, `LONG` for one in the arena, 0 for an empty slot.
    high: u64,
}

#[derive(Debug, Clone, Copy)]
#[repr(align(32))]
struct Slot {
    key: Key,
    /// Tokens in place: their number in the low byte, the bytes that each covers above. Or `SPILLED`: then
    /// `ids` says where in the arena they are, and how many.
    shape: u32,
    ids: [TokenId; IN_PLACE],
}

const FREE: Slot = Slot { key: Key { low: 0, high: 0 }, shape: 0, ids: [0; IN_PLACE] };

/// A bounded map from pieces to tokens.
#[derive(Debug)]
pub struct PieceCache {
    slots: Vec<Slot>,
    /// A piece has one bucket, and pieces that share a known hash are easily made.
    secret: Secret,
    /// Copies of slots; empty as long as `slots` are few themselves.
    front: Vec<Slot>,
    used: usize,
    max_slots: usize,
    keys: Vec<u8>,
    spilled: Vec<PieceToken>,
    budget: usize,
    victim: usize,
}

/// Packs a key of 1 to 15 bytes.
#[inline]
fn pack(piece: &[u8]) -> Key {
    let len = piece.len();
    let word = |at: usize| u64::from_le_bytes(piece[at..at + 8].try_into().expect("eight bytes"));
    let half = |at: usize| u32::from_le_bytes(piece[at..at + 4].try_into().expect("four bytes")) as u64;
    let (low, high) = if len >= 8 {
        // The last eight bytes overlap the first; shift out what is there already.
        let tail = if len == 8 { 0 } else { word(len - 8) >> (8 * (16 - len)) };
        (word(0), tail)
    } else if len >= 4 {
        (half(0) | half(len - 4) << 32, 0)
    } else {
        (piece[0] as u64 | (piece[len / 2] as u64) << 8 | (piece[len - 1] as u64) << 16, 0)
    };
    Key { low, high: high | (len as u64) << 56 }
}

/// A slot with few short tokens that cover the piece from its start on, one after the other.
fn in_place(key: Key, tokens: &[PieceToken]) -> Option<Slot> {
    if !(1..=IN_PLACE).contains(&tokens.len()) {
        return None;
    }
    let mut slot = Slot { key, shape: tokens.len() as u32, ids: [0; IN_PLACE] };
    let mut end = 0;
    for (index, token) in tokens.iter().enumerate() {
        let length = token.end.checked_sub(token.start)?;
        if token.start != end || length > LONGEST_IN_PLACE || token.surface {
            return None;
        }
        end = token.end;
        slot.ids[index] = token.id;
        slot.shape |= length << (8 * (index + 1));
    }
    Some(slot)
}

impl PieceCache {
    /// A cache that stays within `budget` bytes. Below about 64 kB it remembers nothing.
    pub fn new(budget: usize) -> Self {
        let slots = budget / 2 / size_of::<Slot>();
        let max_slots = if slots < FIRST_SLOTS { 0 } else { 1 << slots.ilog2() };
        PieceCache {
            slots: vec![FREE; max_slots.min(FIRST_SLOTS)],
            secret: Secret::of_process(),
            front: Vec::new(),
            used: 0,
            max_slots,
            keys: Vec::new(),
            spilled: Vec::new(),
            budget,
            victim: 0,
        }
    }

    /// Stays within `budget` bytes from now on. What is known is kept if it fits.
    pub fn keep_within(&mut self, budget: usize) {
        let smaller = PieceCache::new(budget);
        let arenas = self.keys.len().max(self.spilled.len() * size_of::<PieceToken>());
        if self.slots.len() > smaller.max_slots || arenas > budget / 4 {
            *self = smaller;
        } else {
            self.max_slots = smaller.max_slots;
            self.budget = budget;
        }
    }

    #[inline]
    fn find(&mut self, piece: &[u8]) -> Option<&Slot> {
        let len = piece.len();
        if self.slots.is_empty() || len == 0 {
            return None;
        }
        if len < 16 {
            let key = pack(piece);
            let hash = self.secret.two(key.low, key.high);
            let at = self.bucket(hash);
            let Some(front) = self.front.get_mut(hash as usize / BUCKET % FRONT_SLOTS) else {
                return self.slots[at..at + BUCKET].iter().find(|slot| slot.key == key);
            };
            if front.key != key {
                *front = *self.slots[at..at + BUCKET].iter().find(|slot| slot.key == key)?;
            }
            Some(front)
        } else if len <= MAX_KEY {
            let hash = self.secret.bytes(piece);
            let at = self.bucket(hash);
            self.slots[at..at + BUCKET].iter().find(|slot| {
                slot.key.low == hash && slot.key.high >> 56 == LONG && self.long_key(slot.key) == piece
            })
        } else {
            None
        }
    }

    #[inline]
    fn bucket(&self, hash: u64) -> usize {
        (hash as usize & (self.slots.len() - 1)) & !(BUCKET - 1)
    }

    fn long_key(&self, key: Key) -> &[u8] {
        let start = (key.high >> 16) as u32 as usize;
        &self.keys[start..start + (key.high & 0xFFFF) as usize]
    }

    /// Appends the ids of a known piece; false if it is not known.
    #[inline]
    pub fn ids(&mut self, piece: &[u8], out: &mut Vec<TokenId>) -> bool {
        let Some(&slot) = self.find(piece) else { return false };
        match slot.shape & 0xFF {
            1 => out.push(slot.ids[0]),
            count @ (2 | 3) => out.extend_from_slice(&slot.ids[..count as usize]),
            _ => out.extend(self.spill_of(&slot).iter().map(|token| token.id)),
        }
        true
    }

    /// Appends the tokens of a known piece; false if it is not known.
    #[inline]
    pub fn tokens(&mut self, piece: &[u8], out: &mut Vec<PieceToken>) -> bool {
        let Some(&slot) = self.find(piece) else { return false };
        if slot.shape == SPILLED {
            out.extend_from_slice(self.spill_of(&slot));
            return true;
        }
        let mut lengths = slot.shape;
        let mut start = 0;
        for &id in slot.ids.iter().take((slot.shape & 0xFF) as usize) {
            lengths >>= 8;
            let end = start + (lengths & 0xFF);
            out.push(PieceToken { id, start, end, surface: false });
            start = end;
        }
        true
    }

    fn spill_of(&self, slot: &Slot) -> &[PieceToken] {
        &self.spilled[slot.ids[0] as usize..][..slot.ids[1] as usize]
    }

    /// Remembers what the model made of a piece.
    pub fn insert(&mut self, piece: &[u8], tokens: &[PieceToken]) {
        if self.slots.is_empty() || piece.is_empty() || piece.len() > MAX_KEY {
            return;
        }
        let arena = self.keys.len() + piece.len();
        let tokens_bytes = (self.spilled.len() + tokens.len()) * size_of::<PieceToken>();
        if arena > self.budget / 4 || tokens_bytes > self.budget / 4 {
            self.clear();
        }
        if self.used * 4 > self.slots.len() * 3 && self.slots.len() < self.max_slots {
            self.grow();
        }
        let (key, hash) = if piece.len() < 16 {
            let key = pack(piece);
            (key, self.secret.two(key.low, key.high))
        } else {
            let hash = self.secret.bytes(piece);
            let start = self.keys.len() as u64;
            self.keys.extend_from_slice(piece);
            (Key { low: hash, high: LONG << 56 | start << 16 | piece.len() as u64 }, hash)
        };
        let slot = in_place(key, tokens).unwrap_or_else(|| {
            let start = self.spilled.len() as u32;
            self.spilled.extend_from_slice(tokens);
            Slot { key, shape: SPILLED, ids: [start, tokens.len() as u32, 0] }
        });
        self.place(slot, hash);
    }

    fn place(&mut self, slot: Slot, hash: u64) {
        let at = self.bucket(hash);
        let bucket = &mut self.slots[at..at + BUCKET];
        match bucket.iter_mut().find(|slot| slot.key.high == 0) {
            Some(free) => {
                *free = slot;
                self.used += 1;
            }
            None => {
                bucket[self.victim & (BUCKET - 1)] = slot;
                self.victim = self.victim.wrapping_add(1);
            }
        }
    }

    fn grow(&mut self) {
        let slots = (self.slots.len() * 4).min(self.max_slots);
        let old = std::mem::replace(&mut self.slots, vec![FREE; slots]);
        self.used = 0;
        if slots > FRONT_SLOTS {
            self.front.resize(FRONT_SLOTS, FREE);
        }
        for slot in old {
            if slot.key.high != 0 {
                let hash = if slot.key.high >> 56 == LONG {
                    slot.key.low
                } else {
                    self.secret.two(slot.key.low, slot.key.high)
                };
                self.place(slot, hash);
            }
        }
    }

    /// Forgets everything; the slots stay allocated.
    pub fn clear(&mut self) {
        self.slots.fill(FREE);
        self.front.fill(FREE);
        self.keys.clear();
        self.spilled.clear();
        self.used = 0;
    }

    /// Bytes that may come into use.
    #[cfg(test)]
    pub fn budget(&self) -> usize {
        self.budget
    }

    /// Bytes in use.
    #[cfg(test)]
    pub fn memory(&self) -> usize {
        (self.slots.len() + self.front.len()) * size_of::<Slot>()
            + self.keys.capacity()
            + self.spilled.capacity() * size_of::<PieceToken>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one_byte_each(piece: &[u8]) -> Vec<PieceToken> {
        piece.iter().enumerate().map(|(i, &b)| PieceToken::new(b as u32, i, i + 1)).collect()
    }

    #[test]
    fn keys_of_all_lengths_are_told_apart() {
        let mut cache = PieceCache::new(DEFAULT_BUDGET);
        let text: Vec<u8> = (0..200u32).map(|i| (i * 7 % 251) as u8).collect();
        let mut pieces: Vec<&[u8]> = Vec::new();
        for start in 0..40 {
            for len in 1..60 {
                pieces.push(&text[start..start + len]);
            }
        }
        let knows = |cache: &mut PieceCache, piece: &[u8]| {
            let (mut ids, mut tokens) = (Vec::new(), Vec::new());
            let known = cache.ids(piece, &mut ids);
            assert_eq!(cache.tokens(piece, &mut tokens), known);
            if known {
                assert_eq!(ids, piece.iter().map(|&b| b as u32).collect::<Vec<_>>());
                assert_eq!(tokens, one_byte_each(piece));
            }
            known
        };
        for piece in &pieces {
            if !knows(&mut cache, piece) {
                cache.insert(piece, &one_byte_each(piece));
            }
            assert!(knows(&mut cache, piece));
        }
        // Later ones may have taken the place of earlier ones, but not of many.
        let known = pieces.iter().filter(|piece| knows(&mut cache, piece)).count();
        assert!(known * 5 > pieces.len() * 4, "{known} of {}", pieces.len());
    }

    #[test]
    fn pieces_made_to_collide_are_known_as_others_are() {
        let mut cache = PieceCache::new(DEFAULT_BUDGET);
        let pieces = crate::hash::colliding(400);
        pieces.iter().for_each(|piece| cache.insert(piece, &one_byte_each(piece)));
        let known = pieces.iter().filter(|piece| cache.ids(&piece[..], &mut Vec::new())).count();
        assert!(known > 350, "{known}");
    }

    #[test]
    fn the_budget_holds_and_answers_stay_right() {
        let budget = 1 << 20;
        let mut cache = PieceCache::new(budget);
        for i in 0..200_000u32 {
            let piece = format!("piece number {i} of many");
            let piece = &piece.as_bytes()[..4 + i as usize % 20];
            let mut out = Vec::new();
            if cache.ids(piece, &mut out) {
                assert_eq!(out.len(), piece.len());
                assert!(out.iter().zip(piece).all(|(&id, &b)| id == b as u32));
            } else {
                cache.insert(piece, &one_byte_each(piece));
            }
        }
        assert!(cache.memory() <= budget * 5 / 4, "{} bytes", cache.memory());
    }

    #[test]
    fn spans_come_back_as_they_were() {
        let token = |id, start, end, surface| PieceToken { id, start, end, surface };
        let results = [
            vec![],
            vec![token(7, 0, 5, false)],
            vec![token(7, 0, 5, true)],
            vec![token(7, 1, 5, false)],
            vec![token(7, 0, 0, false), token(8, 0, 5, false)],
            vec![token(7, 0, 3, false), token(8, 0, 5, false)],
            vec![token(7, 0, 1, false), token(8, 1, 2, false), token(9, 2, 5, false)],
            vec![token(7, 0, 255, false), token(8, 255, 256, false)],
            vec![token(7, 0, 256, false)],
            (0..4).map(|i| token(i, i, i + 1, false)).collect(),
        ];
        let mut cache = PieceCache::new(DEFAULT_BUDGET);
        for (index, tokens) in results.iter().enumerate() {
            cache.insert(&[index as u8], tokens);
        }
        for (index, tokens) in results.iter().enumerate() {
            let (mut ids, mut found) = (Vec::new(), Vec::new());
            assert!(cache.ids(&[index as u8], &mut ids) && cache.tokens(&[index as u8], &mut found));
            assert_eq!(found, *tokens);
            assert_eq!(ids, tokens.iter().map(|token| token.id).collect::<Vec<_>>());
        }
    }

    #[test]
    fn too_small_a_budget_remembers_nothing() {
        let mut cache = PieceCache::new(1000);
        cache.insert(b"a", &one_byte_each(b"a"));
        assert!(!cache.ids(b"a", &mut Vec::new()));
    }
}
