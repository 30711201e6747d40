//! What pieces of up to 15 bytes became, in lines of the processor's cache: two slots of 32 bytes each.
//!
//! A slot is a [`Key`], up to five ids of 24 bits and their number. Longer results lie in a ring that forgets its
//! oldest entries. A key whose line is full goes to the
//! line beside it, and if both are full one of their slots is given up; so whatever the text, memory and the length of a look-up
//! are fixed; a text made to collide costs misses.

use super::ahead::{LARGE_PAGE, want_large_pages};
use super::key::Key;
use crate::ids::TokenId;

/// Ids that fit in a slot.
pub const IN_PLACE: usize = 5;
/// Ids must be below this.
pub const ID_BOUND: u32 = 1 << 24;

/// The number of ids in a slot whose ids lie in the ring.
const RING: u64 = 0xFF;
/// Ids in the ring for each line.
const RING_IDS: usize = 4;
/// Longest result that the ring takes; every token covers a byte.
const LONGEST: usize = super::key::LONGEST;

/// Eight words: low and high word of the key, two words of ids, twice.
type Line = [u64; 8];

const BYTES: usize = size_of::<Line>();

/// Up to five ids and their number, or where in the ring they are.
#[derive(Debug, Clone, Copy)]
pub struct Value {
    low: u64,
    high: u64,
}

impl Value {
    fn in_place(ids: &[TokenId]) -> Self {
        let mut words = (ids.len() as u128) << 120;
        for (at, &id) in ids.iter().enumerate() {
            words |= u128::from(id) << (24 * at);
        }
        Value { low: words as u64, high: (words >> 64) as u64 }
    }

    fn in_ring(at: u64, count: usize) -> Self {
        Value { low: at, high: RING << 56 | count as u64 }
    }

    /// The number of ids; above [`IN_PLACE`] if they lie in the ring.
    #[inline(always)]
    pub fn count(self) -> usize {
        (self.high >> 56) as usize
    }

    /// The ids in place, with rubbish behind them.
    #[inline(always)]
    pub fn ids(self) -> [TokenId; IN_PLACE] {
        let Value { low, high } = self;
        let id = |word: u64| word as u32 & (ID_BOUND - 1);
        [id(low), id(low >> 24), id(low >> 48 | high << 16), id(high >> 8), id(high >> 32)]
    }
}

/// A table of pieces, bounded.
#[derive(Debug)]
pub struct Slots {
    /// Allocated as words, for those are had from the system as zeros, untouched; the first are left out so that
    /// lines are lines of the processor and large pages fit.
    words: Vec<u64>,
    skipped: usize,
    /// The number of lines is two to the power of 64 less this.
    shift: u32,
    ring: Vec<TokenId>,
    /// Ids written to the ring ever.
    written: u64,
    /// Which slot of full lines goes next.
    victim: usize,
}

impl Slots {
    /// As many lines as two to the given power.
    pub fn new(lines_log2: u32) -> Self {
        let lines = 1usize << lines_log2;
        let alignment = if lines * BYTES < LARGE_PAGE { BYTES } else { LARGE_PAGE };
        let spare = alignment / size_of::<u64>();
        let mut words = vec![0u64; lines * 8 + spare];
        let skipped = words.as_ptr().align_offset(alignment).min(spare);
        want_large_pages(&mut words[skipped..skipped + lines * 8]);
        Slots {
            words,
            skipped,
            shift: 64 - lines_log2,
            ring: vec![0; lines * RING_IDS],
            written: 0,
            victim: 0,
        }
    }

    /// Bytes in use for so many lines.
    pub const fn memory(lines_log2: u32) -> usize {
        (BYTES + RING_IDS * size_of::<TokenId>()) << lines_log2
    }

    /// Bytes in use.
    pub fn bytes(&self) -> usize {
        size_of_val(self.words.as_slice()) + size_of_val(self.ring.as_slice())
    }

    #[inline(always)]
    pub fn lines(&self) -> &[Line] {
        self.words[self.skipped..].as_chunks().0
    }

    /// The line of a hash.
    #[inline(always)]
    pub fn line_of(&self, hash: u64) -> usize {
        (hash >> self.shift) as usize
    }

    /// The value of a key: in its line, or in the neighbour that takes what finds no room.
    #[inline(always)]
    pub fn probe(lines: &[Line], line: usize, key: Key) -> Option<Value> {
        Self::probe_line(&lines[line], key).or_else(|| Self::probe_line(&lines[line ^ 1], key))
    }

    #[inline(always)]
    fn probe_line(line: &Line, key: Key) -> Option<Value> {
        let first = (line[0] ^ key.low) | (line[1] ^ key.high) == 0;
        let second = (line[4] ^ key.low) | (line[5] ^ key.high) == 0;
        // Both are looked at, and one is taken, without a branch between them.
        let value = if second { (line[6], line[7]) } else { (line[2], line[3]) };
        (first | second).then_some(Value { low: value.0, high: value.1 })
    }

    /// Remembers a result; a key that is there gets the new one.
    pub fn insert(&mut self, hash: u64, key: Key, ids: &[TokenId]) {
        debug_assert!(!key.is_long() && key.len() > 0, "only keys of pieces are remembered");
        debug_assert!(ids.iter().all(|&id| id < ID_BOUND) && ids.len() <= LONGEST);
        let value = if ids.len() <= IN_PLACE {
            Value::in_place(ids)
        } else {
            let size = self.ring.len();
            for (at, &id) in ids.iter().enumerate() {
                self.ring[(self.written as usize + at) % size] = id;
            }
            let at = self.written;
            self.written += ids.len() as u64;
            Value::in_ring(at, ids.len())
        };
        let line = self.line_of(hash);
        let slots = [(line, 0), (line, 4), (line ^ 1, 0), (line ^ 1, 4)];
        let start = |(line, slot): (usize, usize)| self.skipped + line * 8 + slot;
        let takes = |&slot: &(usize, usize)| {
            let at = start(slot);
            self.words[at + 1] == 0 || self.words[at] == key.low && self.words[at + 1] == key.high
        };
        let slot = start(match slots.iter().find(|slot| takes(slot)) {
            Some(&slot) => slot,
            None => slots[self.victim % slots.len()],
        });
        self.victim = self.victim.wrapping_add(1);
        self.words[slot..slot + 4].copy_from_slice(&[key.low, key.high, value.low, value.high]);
    }

    /// Appends the ids of a value that lie in the ring; false if the ring has forgotten them.
    pub fn read_ring(&self, value: Value, out: &mut Vec<TokenId>) -> bool {
        let (at, count) = (value.low, (value.high & 0xFF) as usize);
        let size = self.ring.len();
        if !self.remembers(value) {
            return false;
        }
        out.extend((0..count).map(|offset| self.ring[(at as usize + offset) % size]));
        true
    }

    /// Whether the ring still has the ids of a value that lie there.
    pub fn remembers(&self, value: Value) -> bool {
        self.written - value.low <= self.ring.len() as u64
    }
}
