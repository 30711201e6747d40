//! Which keys are prefixes of a text: a double-array trie over bytes.
//!
//! From the bottom up: [`Slots`] finds room for the children of a node; [`Trie`] is the compact automaton
//! that vocabularies are matched with. A step costs one 8-byte load.
//!
//! A node is a slot of the array. Its children stand at `base ^ byte`, and no two nodes share a base, so a
//! slot needs to know only its own byte to tell whose child it is. Slots nobody uses carry a byte that
//! points to a base nobody has.

mod slots;

pub(crate) use slots::Slots;

use std::cmp::Ordering;

use crate::error::{Error, Result};
use crate::flat::{Arrays, Shelf, misfit};

/// No key ends here.
const NO_VALUE: u32 = (1 << 24) - 1;
/// The base of a node without children: every step from it leaves the array.
const NO_CHILDREN: u32 = u32::MAX;

#[derive(Debug, Clone, Copy)]
struct Unit {
    base: u32,
    /// The key's value above, the byte that leads here in the low 8 bits.
    value_and_byte: u32,
}

/// Keys and their values. Values are below 2^24 - 1.
#[derive(Debug, Clone)]
pub(crate) struct Trie {
    units: Vec<Unit>,
}

/// A place in the trie while a text is read.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cursor {
    base: u32,
}

/// A key while the trie is built. Most of what is asked of it its first eight bytes answer, which need not be looked up elsewhere.
struct Key<'k> {
    /// The first byte above, zeros behind the last one.
    head: u64,
    key: &'k [u8],
    value: u32,
}

impl<'k> Key<'k> {
    fn new(key: &'k [u8], value: u32) -> Self {
        let head = key.first_chunk().copied().unwrap_or_else(|| {
            let mut head = [0; 8];
            head[..key.len()].copy_from_slice(key);
            head
        });
        Key { head: u64::from_be_bytes(head), key, value }
    }

    /// By the bytes of the keys.
    fn order(&self, other: &Key<'_>) -> Ordering {
        self.head.cmp(&other.head).then_with(|| self.key.cmp(other.key))
    }

    /// The byte at a place that the key has.
    #[inline]
    fn byte(&self, at: usize) -> u8 {
        if at < 8 { self.head.to_be_bytes()[at] } else { self.key[at] }
    }
}

impl Trie {
    /// Builds from `(key, value)` pairs in any order. Of equal keys the last one counts; the empty key is
    /// left out.
    pub(crate) fn build(keys: Vec<(&[u8], u32)>) -> Result<Trie> {
        if let Some((_, value)) = keys.iter().find(|(_, value)| *value >= NO_VALUE) {
            return Err(Error::model(format!(
                "the vocabulary is too large: position {value} is beyond the limit of {} pieces",
                NO_VALUE - 1
            )));
        }
        let mut keys: Vec<Key<'_>> = keys
            .into_iter()
            .filter(|(key, _)| !key.is_empty())
            .map(|(key, value)| Key::new(key, value))
            .collect();
        // A stable sort keeps equal keys in the order given; the last one of each group stays.
        keys.sort_by(Key::order);
        keys.reverse();
        keys.dedup_by(|a, b| a.order(b).is_eq());
        keys.reverse();

        let mut slots = Slots::new();
        let mut units = vec![Unit { base: NO_CHILDREN, value_and_byte: NO_VALUE << 8 }];
        let mut labels = Vec::new();
        let mut children = Vec::new();
        // Nodes to expand: their slot, the keys below them, the length of the path to them.
        let mut open = vec![(0usize, 0usize, keys.len(), 0usize)];
        while let Some((slot, mut first, last, depth)) = open.pop() {
            if first < last && keys[first].key.len() == depth {
                units[slot].value_and_byte = keys[first].value << 8 | units[slot].value_and_byte & 0xFF;
                first += 1;
            }
            labels.clear();
            children.clear();
            let mut at = first;
            while at < last {
                let byte = keys[at].byte(depth);
                let end = match keys[last - 1].byte(depth) == byte {
                    true => last,
                    false => at + keys[at..last].partition_point(|key| key.byte(depth) == byte),
                };
                labels.push(byte);
                children.push((at, end));
                at = end;
            }
            if labels.is_empty() {
                continue;
            }
            let base = slots.place(&labels)?;
            units[slot].base = base;
            units.resize(slots.len(), Unit { base: NO_CHILDREN, value_and_byte: NO_VALUE << 8 });
            for (&byte, &(from, to)) in labels.iter().zip(&children) {
                let child = (base ^ byte as u32) as usize;
                units[child].value_and_byte = NO_VALUE << 8 | byte as u32;
                open.push((child, from, to, depth + 1));
            }
        }
        units.resize(slots.len(), Unit { base: NO_CHILDREN, value_and_byte: NO_VALUE << 8 });
        slots.for_each_free(|slot, byte| units[slot].value_and_byte = NO_VALUE << 8 | byte as u32);
        Ok(Trie { units })
    }

    /// Puts the finished trie down.
    pub(crate) fn put(&self, arrays: &mut Arrays) {
        arrays.put(&self.units.iter().map(|unit| [unit.base, unit.value_and_byte]).collect::<Vec<_>>());
    }

    /// Takes what was put, with values below a bound.
    pub(crate) fn take(shelf: &mut Shelf, bound: usize) -> Result<Trie> {
        let units = shelf.take::<[u32; 2]>()?;
        let units: Vec<Unit> =
            units.iter().map(|&[base, value_and_byte]| Unit { base, value_and_byte }).collect();
        let is_value = |value: u32| (value as usize) < bound || value == NO_VALUE;
        let is_whole = !units.is_empty() && units.iter().all(|unit| is_value(unit.value_and_byte >> 8));
        if is_whole { Ok(Trie { units }) } else { Err(misfit()) }
    }

    #[inline]
    pub(crate) fn root(&self) -> Cursor {
        Cursor { base: self.units[0].base }
    }

    /// Takes one byte: `None` if no key goes on so, else the value of the key that ends there, if one does.
    #[inline]
    pub(crate) fn step(&self, cursor: &mut Cursor, byte: u8) -> Option<Option<u32>> {
        let unit = self.units.get((cursor.base ^ byte as u32) as usize)?;
        if unit.value_and_byte as u8 != byte {
            return None;
        }
        cursor.base = unit.base;
        let value = unit.value_and_byte >> 8;
        Some((value != NO_VALUE).then_some(value))
    }

    /// Takes one byte: `None` if no key goes on so, else a number: the value of the key that ends
    /// there, or [`Trie::NO_VALUE`].
    #[inline(always)]
    pub(crate) fn step_to_number(&self, cursor: &mut Cursor, byte: u8) -> Option<u32> {
        let unit = self.units.get((cursor.base ^ byte as u32) as usize)?;
        cursor.base = unit.base;
        (unit.value_and_byte as u8 == byte).then_some(unit.value_and_byte >> 8)
    }

    /// Stands for no value.
    pub(crate) const NO_VALUE: u32 = NO_VALUE;

    /// Slots of the array.
    pub(crate) fn slots(&self) -> usize {
        self.units.len()
    }

    /// The value of the key that ends at a slot, or [`Trie::NO_VALUE`].
    #[inline(always)]
    pub(crate) fn value_at(&self, slot: usize) -> u32 {
        self.units.get(slot).map_or(NO_VALUE, |unit| unit.value_and_byte >> 8)
    }

    /// The base of a slot, if it has children: they are at the base with their bytes added without carrying. And the byte that
    /// leads to the slot from its parent, or from nowhere.
    pub(crate) fn node_at(&self, slot: usize) -> (Option<u32>, u8) {
        let Unit { base, value_and_byte } = self.units[slot];
        ((base != NO_CHILDREN).then_some(base), value_and_byte as u8)
    }

    /// The value of exactly this key.
    pub(crate) fn get(&self, key: &[u8]) -> Option<u32> {
        let mut cursor = self.root();
        let mut value = None;
        for &byte in key {
            value = self.step(&mut cursor, byte)?;
        }
        value
    }

    /// Every key that `text` starts with, the shortest first: its length and value.
    #[inline]
    pub(crate) fn prefixes(&self, text: &[u8], mut found: impl FnMut(usize, u32)) {
        let mut cursor = self.root();
        for (index, &byte) in text.iter().enumerate() {
            match self.step(&mut cursor, byte) {
                None => return,
                Some(None) => {}
                Some(Some(value)) => found(index + 1, value),
            }
        }
    }

    /// The longest key that `text` starts with. Whether a key ends somewhere is not foretold by what came before, so that no
    /// branch hangs on it.
    #[inline]
    pub(crate) fn longest_prefix(&self, text: &[u8]) -> Option<(usize, u32)> {
        let mut cursor = self.root();
        let mut longest = (0, NO_VALUE);
        for (index, &byte) in text.iter().enumerate() {
            let Some(value) = self.step_to_number(&mut cursor, byte) else { break };
            longest = if value == NO_VALUE { longest } else { (index + 1, value) };
        }
        (longest.0 > 0).then_some(longest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;
    use std::collections::BTreeMap;

    #[test]
    fn agrees_with_an_ordered_map() {
        let mut random = Random::from_seed(7);
        for round in 0..60u64 {
            let alphabet = [2, 4, 30, 256][round as usize % 4];
            let mut expected = BTreeMap::new();
            let word = |random: &mut Random| -> Vec<u8> {
                // Also longer than what is kept beside a key.
                let length = random.next_u64() % [6, 6, 12][random.next_u64() as usize % 3];
                (0..length).map(|_| (random.next_u64() % alphabet) as u8).collect()
            };
            let keys: Vec<(Vec<u8>, u32)> =
                (0..1 + round * 40).map(|i| (word(&mut random), i as u32)).collect();
            for (key, value) in &keys {
                expected.insert(key.clone(), *value);
            }
            let trie =
                Trie::build(keys.iter().map(|(key, value)| (key.as_slice(), *value)).collect()).unwrap();
            for _ in 0..2000 {
                let text = word(&mut random);
                let known = expected.get(&text).copied().filter(|_| !text.is_empty());
                assert_eq!(trie.get(&text), known, "{text:?}");
                let mut found = Vec::new();
                trie.prefixes(&text, |length, value| found.push((length, value)));
                let wanted: Vec<(usize, u32)> = (1..=text.len())
                    .filter_map(|length| expected.get(&text[..length]).map(|value| (length, *value)))
                    .collect();
                assert_eq!(found, wanted);
                assert_eq!(trie.longest_prefix(&text), wanted.last().copied());
            }
        }
    }

    #[test]
    fn a_trie_of_nothing_finds_nothing() {
        let trie = Trie::build(Vec::new()).unwrap();
        assert_eq!(trie.get(b"a"), None);
        assert!(Trie::build(vec![(b"a".as_slice(), NO_VALUE)]).is_err());
    }
}
