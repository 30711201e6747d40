//! The counting table: distinct texts and their counts, in memory.
//!
//! One entry per distinct text in the order of first appearance, and an open-addressed index whose slots carry 32
//! bits of the hash, so that almost every probe that touches an entry finds its text. A text of at most 15 bytes
//! lies in its entry; longer ones lie in one byte arena. Most pieces of most languages are short, so looking one
//! up touches two places in memory.
//!
//! The hash is another one in each process: a corpus is searched for as long as it is, and texts made to share a place would
//! be compared with each other, one and all. What comes out hangs on the order of entries alone.

use std::cmp::Ordering;

use tessella_core::hash::Secret;
use tessella_core::{Error, Result, large_pages_for, with_large_pages};

const EMPTY: u64 = u64::MAX;
const FIRST_SLOTS: usize = 1 << 10;
/// What `sorted` needs for each entry: its index.
const SORTING_BYTES: usize = size_of::<u32>();

/// Bytes of a text that fit in an entry.
const SHORT: usize = 15;
/// In place of the length: the text lies in the arena.
const LONG: u8 = u8::MAX;
/// Bytes of a long text that its entry repeats, for comparisons.
const HEAD: usize = 6;

/// A short text: its bytes, zeros up to 15, its length. A long text: its first 6 bytes, then as little-endian numbers
/// where it begins in the arena (40 bits) and its length (32 bits), then [`LONG`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Key([u8; 16]);

impl Key {
    fn short(text: &[u8]) -> Option<Key> {
        let mut key = [0u8; 16];
        key.get_mut(..SHORT)?.get_mut(..text.len())?.copy_from_slice(text);
        key[SHORT] = text.len() as u8;
        Some(Key(key))
    }

    fn long(text: &[u8], start: u64) -> Key {
        let mut key = [0u8; 16];
        key[..HEAD].copy_from_slice(&text[..HEAD]);
        key[HEAD..HEAD + 5].copy_from_slice(&start.to_le_bytes()[..5]);
        key[HEAD + 5..SHORT].copy_from_slice(&(text.len() as u32).to_le_bytes());
        key[SHORT] = LONG;
        Key(key)
    }

    fn is_long(self) -> bool {
        self.0[SHORT] == LONG
    }

    /// Where a long text lies in the arena.
    fn range(self) -> std::ops::Range<usize> {
        let number = |bytes: &[u8]| bytes.iter().rev().fold(0, |sum, &byte| sum << 8 | usize::from(byte));
        let start = number(&self.0[HEAD..HEAD + 5]);
        start..start + number(&self.0[HEAD + 5..SHORT])
    }

    /// Ordered like the bytes of short texts: where one is a beginning of the other, the length decides.
    fn in_order(self) -> u128 {
        u128::from_be_bytes(self.0)
    }

    /// The hash of a short text.
    fn hash(self, secret: Secret) -> u64 {
        let number = self.in_order();
        secret.two((number >> 64) as u64, number as u64)
    }
}

/// A piece as the table looks for it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sought {
    hash: u64,
    /// If it is short.
    key: Option<Key>,
}

impl Sought {
    #[inline]
    pub(super) fn new(piece: &str) -> Sought {
        let key = Key::short(piece.as_bytes());
        let secret = Secret::of_process();
        let hash = key.map_or_else(|| secret.bytes(piece.as_bytes()), |key| key.hash(secret));
        Sought { hash, key }
    }
}

/// Pieces whose places are looked at together, at most.
pub(super) const LOOKED: usize = 64;

#[derive(Debug, Clone, Copy)]
struct Entry {
    key: Key,
    count: u64,
}

#[derive(Debug, Clone, Default)]
pub(super) struct Table {
    /// Long texts one after the other.
    arena: String,
    entries: Vec<Entry>,
    /// Upper half: upper half of the hash. Lower half: index of the entry.
    slots: Vec<u64>,
    mask: usize,
}

/// The error of a count beyond 64 bits.
pub(crate) fn overflow(piece: &str) -> Error {
    Error::value(format!(
        "the count of the piece `{}` exceeds {}: lower the weights of the sources",
        tessella_core::error::excerpt(piece),
        u64::MAX
    ))
}

impl Table {
    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Bytes on the heap.
    pub(super) fn memory(&self) -> usize {
        self.arena.capacity() + self.entries.capacity() * size_of::<Entry>() + self.slots.capacity() * 8
    }

    /// Bytes on the heap if everything that may have to grow at the next `add` of `bytes` bytes did so, old and
    /// new buffer side by side, or if the table were sorted now, whichever is more.
    pub(super) fn memory_after_growth(&self, bytes: usize) -> usize {
        let mut memory = self.memory();
        let sorted = memory + self.entries.len() * SORTING_BYTES;
        if bytes > SHORT && self.arena.len() + bytes > self.arena.capacity() {
            memory += (self.arena.capacity() * 2).max(self.arena.len() + bytes);
        }
        if self.entries.len() == self.entries.capacity() {
            memory += self.entries.capacity() * 2 * size_of::<Entry>();
        }
        if (self.entries.len() + 1) * 4 > self.slots.len() * 3 {
            memory += self.slots.len() * 2 * 8;
        }
        memory.max(sorted)
    }

    fn text_of<'t>(&'t self, entry: &'t Entry) -> &'t str {
        if entry.key.is_long() {
            return &self.arena[entry.key.range()];
        }
        let len = usize::from(entry.key.0[SHORT]);
        // The bytes were copied from a text, so they are one.
        std::str::from_utf8(&entry.key.0[..len]).unwrap_or_default()
    }

    #[cfg(test)]
    fn add(&mut self, piece: &str, count: u64) -> Result<()> {
        self.add_sought(Sought::new(piece), piece, count)
    }

    /// Looks at the places of some pieces, so that what is there lies near when they are added.
    pub(super) fn look<'s>(&self, pieces: impl Iterator<Item = &'s Sought>) {
        if self.slots.is_empty() {
            return;
        }
        let mut found = [EMPTY; LOOKED];
        for (found, sought) in found.iter_mut().zip(pieces) {
            let tag = sought.hash >> 32;
            let slot = self.slots[tag as usize & self.mask];
            *found = if slot >> 32 == tag { slot } else { EMPTY };
        }
        let entries = found.iter().filter_map(|&found| self.entries.get(found as u32 as usize));
        let seen = entries.fold(0, |seen, entry| match entry.key.is_long() {
            true => seen ^ self.arena.as_bytes()[entry.key.range().start],
            false => seen ^ entry.key.0[0],
        });
        // Else nobody would have to look.
        std::hint::black_box(seen);
    }

    pub(super) fn add_sought(&mut self, sought: Sought, piece: &str, count: u64) -> Result<()> {
        if self.slots.is_empty() {
            self.rehash(FIRST_SLOTS);
        }
        let Sought { hash, key } = sought;
        match key {
            Some(key) => {
                let found = self.seek(hash, |table, entry| table.entries[entry].key == key);
                self.add_at(found, piece, count, |_| key)
            }
            None => {
                let found = self.seek(hash, |table, entry| {
                    let known = table.entries[entry].key;
                    known.is_long() && table.arena.as_bytes()[known.range()] == *piece.as_bytes()
                });
                self.add_at(found, piece, count, |table| {
                    let start = table.arena.len() as u64;
                    table.arena.push_str(piece);
                    Key::long(piece.as_bytes(), start)
                })
            }
        }
    }

    /// The entry of a text, or the slot and the tag that it would have.
    #[inline]
    fn seek(
        &self,
        hash: u64,
        is_it: impl Fn(&Self, usize) -> bool,
    ) -> std::result::Result<usize, (usize, u64)> {
        let tag = hash >> 32;
        let mut slot = tag as usize & self.mask;
        loop {
            match self.slots[slot] {
                EMPTY => return Err((slot, tag)),
                found if found >> 32 == tag && is_it(self, found as u32 as usize) => {
                    return Ok(found as u32 as usize);
                }
                _ => slot = (slot + 1) & self.mask,
            }
        }
    }

    #[inline]
    fn add_at(
        &mut self,
        found: std::result::Result<usize, (usize, u64)>,
        piece: &str,
        count: u64,
        key: impl FnOnce(&mut Self) -> Key,
    ) -> Result<()> {
        let (slot, tag) = match found {
            Ok(entry) => {
                let entry = &mut self.entries[entry];
                entry.count = entry.count.checked_add(count).ok_or_else(|| overflow(piece))?;
                return Ok(());
            }
            Err(free) => free,
        };
        if piece.len() > u32::MAX as usize
            || self.entries.len() >= u32::MAX as usize - 1
            || self.arena.len() >= 1 << 40
        {
            return Err(Error::value(format!(
                "one table holds at most {} pieces of less than 4 GiB each and one tebibyte in all; set a memory \
                 budget so that it is written to disk before",
                u32::MAX - 1
            )));
        }
        if self.entries.len() == self.entries.capacity() {
            // Not copied by hand: mostly the system moves it, and both together would be more memory.
            self.entries.reserve(1);
            large_pages_for(&mut self.entries);
        }
        let key = key(self);
        self.slots[slot] = tag << 32 | self.entries.len() as u64;
        self.entries.push(Entry { key, count });
        if self.entries.len() * 4 > self.slots.len() * 3 {
            self.rehash(self.slots.len() * 2);
        }
        Ok(())
    }

    /// Gets so many slots. Where an entry belongs is told by what its slot carries, so no entry is looked at.
    fn rehash(&mut self, slots: usize) {
        self.mask = slots - 1;
        let mut more = with_large_pages(slots);
        more.resize(slots, EMPTY);
        let before = std::mem::replace(&mut self.slots, more);
        for found in before.into_iter().filter(|&found| found != EMPTY) {
            let mut slot = (found >> 32) as usize & self.mask;
            while self.slots[slot] != EMPTY {
                slot = (slot + 1) & self.mask;
            }
            self.slots[slot] = found;
        }
    }

    pub(super) fn get(&self, piece: &str) -> Option<u64> {
        if self.slots.is_empty() {
            return None;
        }
        let Sought { hash, key } = Sought::new(piece);
        let found = match key {
            Some(key) => self.seek(hash, |table, entry| table.entries[entry].key == key),
            None => self.seek(hash, |table, entry| table.text_of(&table.entries[entry]) == piece),
        };
        found.ok().map(|entry| self.entries[entry].count)
    }

    /// Pieces in the order of first appearance.
    pub(super) fn iter(&self) -> impl ExactSizeIterator<Item = (&str, u64)> + '_ {
        self.entries.iter().map(|entry| (self.text_of(entry), entry.count))
    }

    pub(super) fn entry(&self, index: u32) -> (&str, u64) {
        let entry = &self.entries[index as usize];
        (self.text_of(entry), entry.count)
    }

    /// Indices of the entries by the bytes of their texts.
    pub(super) fn sorted(&self) -> Vec<u32> {
        let mut order: Vec<u32> = (0..self.entries.len() as u32).collect();
        order.sort_unstable_by(|&a, &b| self.compare(a, b));
        order
    }

    /// The same, with a key of 16 bytes beside each index, so that comparisons need not look at the entries.
    pub(super) fn sorted_by_keys(&self) -> Vec<u32> {
        let mut keyed: Vec<(u64, u64, u32)> = (0u32..)
            .zip(&self.entries)
            .map(|(index, entry)| {
                let key = self.key_in_order(entry);
                ((key >> 64) as u64, key as u64, index)
            })
            .collect();
        keyed.sort_unstable_by(|a, b| {
            // Equal keys are those of long texts.
            (a.0, a.1).cmp(&(b.0, b.1)).then_with(|| self.entry(a.2).0.cmp(self.entry(b.2).0))
        });
        keyed.into_iter().map(|(_, _, index)| index).collect()
    }

    /// The first 15 bytes of a text, and its length, as far as it is told from that of other short ones.
    fn key_in_order(&self, entry: &Entry) -> u128 {
        if !entry.key.is_long() {
            return entry.key.in_order();
        }
        let mut key = [0u8; 16];
        key[..SHORT].copy_from_slice(&self.arena.as_bytes()[entry.key.range()][..SHORT]);
        key[SHORT] = SHORT as u8 + 1;
        u128::from_be_bytes(key)
    }

    fn compare(&self, a: u32, b: u32) -> Ordering {
        let (a, b) = (&self.entries[a as usize], &self.entries[b as usize]);
        if !a.key.is_long() && !b.key.is_long() {
            return a.key.in_order().cmp(&b.key.in_order());
        }
        // The first bytes decide most comparisons without a look at the arena.
        let heads = a.key.0[..HEAD].cmp(&b.key.0[..HEAD]);
        heads.then_with(|| self.text_of(a).cmp(self.text_of(b)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_and_order() {
        let mut table = Table::default();
        for i in 0..5000u32 {
            table.add(&(i % 1700).to_string(), 2).unwrap();
        }
        assert_eq!(table.len(), 1700);
        assert_eq!((table.get("3"), table.get("1699"), table.get("1700")), (Some(6), Some(4), None));
        let sorted: Vec<String> = table.sorted().iter().map(|&i| table.entry(i).0.to_string()).collect();
        let mut expected: Vec<String> = (0..1700).map(|i: u32| i.to_string()).collect();
        expected.sort();
        assert_eq!(sorted, expected);
    }

    #[test]
    fn zero_bytes_and_length_do_not_confuse_the_order() {
        let long = "abcdefghijklmnop";
        let mut texts: Vec<String> = [
            "a\0",
            "a",
            "",
            "\0",
            "aaaaaaaa\0",
            "aaaaaaaa",
            "aaaaaaaaa",
            "aaaaaaaaaaaaaa\0",
            "ÿ",
            "漢字漢字漢",
            "漢字漢字漢字",
        ]
        .map(String::from)
        .to_vec();
        for len in 0..=long.len() {
            texts.push(long[..len].to_string());
            texts.push(format!("{}{}", &long[..len], "\0".repeat(20 - len)));
            texts.push(format!("{}{}", &long[..len], "z".repeat(16 - len)));
        }
        texts.sort();
        texts.dedup();
        let mut table = Table::default();
        for (number, text) in texts.iter().rev().enumerate() {
            table.add(text, number as u64 + 1).unwrap();
        }
        let sorted: Vec<&str> = table.sorted().iter().map(|&i| table.entry(i).0).collect();
        assert_eq!(sorted, texts);
        assert_eq!(table.sorted_by_keys(), table.sorted());
        for (number, text) in texts.iter().rev().enumerate() {
            assert_eq!(table.get(text), Some(number as u64 + 1), "{text:?}");
        }
    }

    /// How far the text that lies farthest from its place is from there.
    fn farthest(table: &Table) -> usize {
        let found = table.slots.iter().enumerate().filter(|&(_, &found)| found != EMPTY);
        let far = found.map(|(slot, &found)| slot.wrapping_sub((found >> 32) as usize) & table.mask);
        far.max().unwrap_or(0)
    }

    #[test]
    fn texts_made_for_a_known_hash_share_no_place() {
        const K: u64 = 0x9E37_79B9_7F4A_7C15;
        let mix = |a: u64, b: u64| {
            let product = u128::from(a) * u128::from(b);
            product as u64 ^ (product >> 64) as u64
        };
        let mut random = tessella_core::random::Random::from_seed(3);
        let mut letters =
            || u64::from_le_bytes(std::array::from_fn(|_| b'!' + (random.next_u64() % 94) as u8));
        let mut table = Table::default();
        // Of sixteen bytes, of which the last eight are the state behind the first.
        while table.len() < 2000 {
            let first = letters();
            let text = [first.to_le_bytes(), mix(16 ^ K ^ first, K).to_le_bytes()];
            if let Ok(text) = std::str::from_utf8(text.as_flattened()) {
                assert_eq!(
                    tessella_core::hash::hash_bytes(text.as_bytes()),
                    mix(0, K ^ 0xA076_1D64_78BD_642F)
                );
                table.add(text, 1).unwrap();
            }
        }
        assert!(farthest(&table) < 200, "{}", farthest(&table));
        // Of eight, whose hash ends in the same bits.
        let mut table = Table::default();
        while table.len() < 1000 {
            let first = letters();
            if tessella_core::hash::hash_u64(first) >> 32 & 0xFFF == 7 {
                table.add(std::str::from_utf8(&first.to_be_bytes()).unwrap(), 1).unwrap();
            }
        }
        assert!(farthest(&table) < 200, "{}", farthest(&table));
    }

    #[test]
    fn overflow_is_an_error() {
        for text in ["a", "a text that is longer than fifteen bytes"] {
            let mut table = Table::default();
            table.add(text, u64::MAX - 1).unwrap();
            table.add(text, 1).unwrap();
            assert!(table.add(text, 1).unwrap_err().message().contains(text));
        }
    }
}
