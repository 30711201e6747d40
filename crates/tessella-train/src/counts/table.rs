//! The counting table: distinct texts and their counts, in memory.
//!
//! One byte arena, one entry per distinct text in the order of first appearance, and an open-addressed index
//! whose slots carry 32 bits of the hash, so that almost every probe that touches an entry finds its text.

use tessella_core::hash::hash_bytes;
use tessella_core::{Error, Result};

const EMPTY: u64 = u64::MAX;
const FIRST_SLOTS: usize = 1 << 10;
/// What `sorted` needs for each entry: the key with its index, and the index that is handed out.
const SORTING_BYTES: usize = size_of::<(u64, u32)>() + size_of::<u32>();

#[derive(Debug, Clone, Copy)]
struct Entry {
    start: usize,
    len: u32,
    count: u64,
}

#[derive(Debug, Clone, Default)]
pub(super) struct Table {
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
        if self.arena.len() + bytes > self.arena.capacity() {
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

    fn text_of(&self, entry: &Entry) -> &str {
        &self.arena[entry.start..entry.start + entry.len as usize]
    }

    pub(super) fn add(&mut self, piece: &str, count: u64) -> Result<()> {
        if self.slots.is_empty() {
            self.rehash(FIRST_SLOTS);
        }
        let hash = hash_bytes(piece.as_bytes());
        let tag = hash >> 32;
        let mut slot = hash as usize & self.mask;
        loop {
            let found = self.slots[slot];
            if found == EMPTY {
                break;
            }
            if found >> 32 == tag {
                let entry = &self.entries[found as u32 as usize];
                let range = entry.start..entry.start + entry.len as usize;
                if self.arena.as_bytes()[range] == *piece.as_bytes() {
                    let entry = &mut self.entries[found as u32 as usize];
                    entry.count = entry.count.checked_add(count).ok_or_else(|| overflow(piece))?;
                    return Ok(());
                }
            }
            slot = (slot + 1) & self.mask;
        }
        if piece.len() > u32::MAX as usize || self.entries.len() >= u32::MAX as usize - 1 {
            return Err(Error::value(format!(
                "one table holds at most {} pieces of less than 4 GiB each; set a memory budget so that it is \
                 written to disk before",
                u32::MAX - 1
            )));
        }
        self.slots[slot] = tag << 32 | self.entries.len() as u64;
        self.entries.push(Entry { start: self.arena.len(), len: piece.len() as u32, count });
        self.arena.push_str(piece);
        if self.entries.len() * 4 > self.slots.len() * 3 {
            self.rehash(self.slots.len() * 2);
        }
        Ok(())
    }

    fn rehash(&mut self, slots: usize) {
        self.mask = slots - 1;
        self.slots = vec![EMPTY; slots];
        for (index, entry) in self.entries.iter().enumerate() {
            let hash = hash_bytes(&self.arena.as_bytes()[entry.start..entry.start + entry.len as usize]);
            let mut slot = hash as usize & self.mask;
            while self.slots[slot] != EMPTY {
                slot = (slot + 1) & self.mask;
            }
            self.slots[slot] = hash >> 32 << 32 | index as u64;
        }
    }

    pub(super) fn get(&self, piece: &str) -> Option<u64> {
        if self.slots.is_empty() {
            return None;
        }
        let hash = hash_bytes(piece.as_bytes());
        let mut slot = hash as usize & self.mask;
        while self.slots[slot] != EMPTY {
            let found = self.slots[slot];
            let entry = &self.entries[found as u32 as usize];
            if found >> 32 == hash >> 32 && self.text_of(entry) == piece {
                return Some(entry.count);
            }
            slot = (slot + 1) & self.mask;
        }
        None
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
        // The first eight bytes decide most comparisons without a look at the arena.
        let mut keyed: Vec<(u64, u32)> = self
            .entries
            .iter()
            .enumerate()
            .map(|(index, entry)| (head(self.text_of(entry).as_bytes()), index as u32))
            .collect();
        keyed.sort_unstable_by(|a, b| {
            a.0.cmp(&b.0).then_with(|| {
                self.text_of(&self.entries[a.1 as usize]).cmp(self.text_of(&self.entries[b.1 as usize]))
            })
        });
        keyed.into_iter().map(|(_, index)| index).collect()
    }
}

/// The first eight bytes as a big-endian number: ordered like the bytes themselves.
fn head(bytes: &[u8]) -> u64 {
    let mut first = [0u8; 8];
    let len = bytes.len().min(8);
    first[..len].copy_from_slice(&bytes[..len]);
    u64::from_be_bytes(first)
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
    fn zero_bytes_do_not_confuse_the_order() {
        let mut table = Table::default();
        for text in ["a\0", "a", "", "\0", "aaaaaaaa\0", "aaaaaaaa", "aaaaaaaaa"] {
            table.add(text, 1).unwrap();
        }
        let sorted: Vec<&str> = table.sorted().iter().map(|&i| table.entry(i).0).collect();
        assert_eq!(sorted, ["", "\0", "a", "a\0", "aaaaaaaa", "aaaaaaaa\0", "aaaaaaaaa"]);
    }

    #[test]
    fn overflow_is_an_error() {
        let mut table = Table::default();
        table.add("a", u64::MAX).unwrap();
        assert!(table.add("a", 1).unwrap_err().message().contains("`a`"));
    }
}
