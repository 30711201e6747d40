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
#[derive(Clone, Copy)]
struct Head {
    /// The first byte above, zeros behind the last one.
    bytes: u64,
    length: u32,
    /// Where the key is among those that were given.
    number: u32,
}

/// The keys that were given, and their heads in the order of their bytes; of equal keys the later ones come later.
struct Keys<'k> {
    given: Vec<(&'k [u8], u32)>,
    sorted: Vec<Head>,
}

impl<'k> Keys<'k> {
    fn new(given: Vec<(&'k [u8], u32)>) -> Self {
        let head = |((key, _), number): (&(&[u8], u32), u32)| {
            let bytes = key.first_chunk().copied().unwrap_or_else(|| {
                let mut bytes = [0; 8];
                bytes[..key.len()].copy_from_slice(key);
                bytes
            });
            Head { bytes: u64::from_be_bytes(bytes), length: key.len() as u32, number }
        };
        let mut sorted: Vec<Head> = given.iter().zip(0..).map(head).collect();
        sorted.sort_unstable_by(|a, b| {
            let key = |head: &Head| given[head.number as usize].0;
            let by_head = a.bytes.cmp(&b.bytes);
            by_head.then_with(|| key(a).cmp(key(b))).then_with(|| a.number.cmp(&b.number))
        });
        Keys { given, sorted }
    }

    /// The byte at a place that a key has.
    #[inline]
    fn byte(&self, head: Head, at: usize) -> u8 {
        if at < 8 { (head.bytes >> (56 - 8 * at)) as u8 } else { self.given[head.number as usize].0[at] }
    }

    fn value(&self, head: Head) -> u32 {
        self.given[head.number as usize].1
    }
}

/// A node to expand: its slot, the keys below it, the length of the path to it.
struct Open {
    slot: usize,
    first: usize,
    last: usize,
    depth: usize,
}

/// A trie on its way.
struct Build {
    slots: Slots,
    units: Vec<Unit>,
}

impl Build {
    /// A slot that no node has.
    const FREE: Unit = Unit { base: NO_CHILDREN, value_and_byte: NO_VALUE << 8 };

    fn set_value(&mut self, slot: usize, value: u32) {
        let unit = &mut self.units[slot];
        unit.value_and_byte = value << 8 | unit.value_and_byte & 0xFF;
    }

    /// Gives a node children, and returns its base.
    #[inline]
    fn set_children(&mut self, slot: usize, bytes: &[u8]) -> Result<u32> {
        let base = self.slots.place(bytes)?;
        self.units[slot].base = base;
        if self.units.len() < self.slots.len() {
            self.units.resize(self.slots.len(), Self::FREE);
        }
        for &byte in bytes {
            self.units[(base ^ u32::from(byte)) as usize].value_and_byte = NO_VALUE << 8 | u32::from(byte);
        }
        Ok(base)
    }

    /// What is left of the only key below a node: most nodes are of this kind.
    fn expand_one(&mut self, mut slot: usize, keys: &Keys<'_>, head: Head, depth: usize) -> Result<()> {
        for at in depth..head.length as usize {
            let byte = keys.byte(head, at);
            slot = (self.set_children(slot, &[byte])? ^ u32::from(byte)) as usize;
        }
        self.set_value(slot, keys.value(head));
        Ok(())
    }
}

/// How many at the beginning of a slice have a property that none behind them has. Mostly they are few.
fn count<T>(items: &[T], has: impl Fn(&T) -> bool) -> usize {
    let mut end = 1;
    while items.get(end).is_some_and(&has) {
        end *= 2;
    }
    let known = end / 2;
    known + items[known..end.min(items.len())].partition_point(has)
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
        let keys = Keys::new(keys);
        let sorted = &keys.sorted[..];
        let mut build = Build { slots: Slots::new(), units: vec![Build::FREE] };
        let mut labels = Vec::new();
        let mut children = Vec::new();
        // The empty key is no node's.
        let first = sorted.iter().take_while(|head| head.length == 0).count();
        let mut open = vec![Open { slot: 0, first, last: sorted.len(), depth: 0 }];
        while let Some(Open { slot, mut first, last, depth }) = open.pop() {
            if last - first == 1 {
                build.expand_one(slot, &keys, sorted[first], depth)?;
                continue;
            }
            // Keys that end here, the last one of which counts.
            while first < last && sorted[first].length as usize == depth {
                build.set_value(slot, keys.value(sorted[first]));
                first += 1;
            }
            labels.clear();
            children.clear();
            let mut at = first;
            while at < last {
                let byte = keys.byte(sorted[at], depth);
                let goes_on = |head: &Head| keys.byte(*head, depth) == byte;
                let end =
                    if goes_on(&sorted[last - 1]) { last } else { at + count(&sorted[at..last], goes_on) };
                labels.push(byte);
                children.push((at, end));
                at = end;
            }
            if labels.is_empty() {
                continue;
            }
            let base = build.set_children(slot, &labels)?;
            for (&byte, &(first, last)) in labels.iter().zip(&children) {
                open.push(Open { slot: (base ^ u32::from(byte)) as usize, first, last, depth: depth + 1 });
            }
        }
        let Build { slots, mut units } = build;
        units.resize(slots.len(), Build::FREE);
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
    fn those_at_the_beginning_are_counted_however_many_they_are() {
        for length in 1..40usize {
            for few in 1..=length {
                let items: Vec<usize> = (0..length).collect();
                assert_eq!(count(&items, |&item| item < few), few);
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
