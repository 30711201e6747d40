//! Strings and their ids, both ways.
//!
//! One byte arena, 32-bit offsets, one open-addressed index: no allocation per entry. Ids may have holes,
//! and two strings may share an id (the later one names it).

use crate::ids::TokenId;

const EMPTY: u32 = u32::MAX;
const FIRST_SLOTS: usize = 64;
/// Entries whose room is reserved before they are seen.
const MOST_RESERVED: usize = 1 << 20;

fn hash_of(text: &str) -> u64 {
    crate::hash::hash_bytes(text.as_bytes())
}

/// An immutable vocabulary.
#[derive(Debug, Clone, Default)]
pub struct Vocab {
    arena: String,
    /// Per entry: start of its text in the arena, and its id. One more start closes the last entry.
    starts: Vec<u32>,
    ids: Vec<TokenId>,
    /// Entry of each id, `EMPTY` where the id is a hole.
    entry_of_id: Vec<u32>,
    /// Open-addressed, at most half full.
    index: Vec<Place>,
    mask: usize,
}

/// An entry by the hash of its text. With bits of the hash at hand, nearly no text is compared in vain.
#[derive(Debug, Clone, Copy)]
struct Place {
    hash: u32,
    entry: u32,
}

const FREE: Place = Place { hash: 0, entry: EMPTY };

impl Vocab {
    /// Builds from `(text, id)` pairs. Of equal texts the last one counts.
    ///
    /// Ids must stay below `u32::MAX`; ids far beyond the number of entries cost memory (4 bytes each), so
    /// they are refused above 2^28.
    pub fn from_entries<S: AsRef<str>>(
        entries: impl IntoIterator<Item = (S, TokenId)>,
    ) -> crate::Result<Vocab> {
        let entries = entries.into_iter();
        let mut vocab = Vocab::default();
        vocab.reserve(entries.size_hint().0);
        for (text, id) in entries {
            vocab.insert(text.as_ref(), id)?;
        }
        Ok(vocab)
    }

    /// Adds a text with its id; a text that is there gets the new id.
    pub fn insert(&mut self, text: &str, id: TokenId) -> crate::Result<()> {
        if id >= 1 << 28 {
            return Err(crate::Error::value(format!(
                "the id {id} of token `{}` is too large: ids must be below {}",
                crate::error::excerpt(text),
                1u32 << 28
            )));
        }
        if self.arena.len() + text.len() > u32::MAX as usize {
            return Err(crate::Error::value("the vocabulary's texts exceed 4 GiB together"));
        }
        self.reserve(0);
        let hash = hash_of(text);
        let slot = self.slot(hash, text);
        let entry = if self.index[slot].entry == EMPTY {
            let entry = self.ids.len() as u32;
            self.arena.push_str(text);
            self.starts.push(self.arena.len() as u32);
            self.ids.push(id);
            self.index[slot] = Place { hash: hash as u32, entry };
            if self.ids.len() * 2 > self.index.len() {
                self.rehash(self.index.len() * 2);
            }
            entry
        } else {
            let entry = self.index[slot].entry;
            let old = std::mem::replace(&mut self.ids[entry as usize], id);
            if self.entry_of_id[old as usize] == entry {
                self.entry_of_id[old as usize] = EMPTY;
            }
            entry
        };
        if self.entry_of_id.len() <= id as usize {
            self.entry_of_id.resize(id as usize + 1, EMPTY);
        }
        self.entry_of_id[id as usize] = entry;
        Ok(())
    }

    /// Room for so many entries in an empty vocabulary. What a caller promises is believed up to a bound.
    fn reserve(&mut self, entries: usize) {
        if self.index.is_empty() {
            let entries = entries.min(MOST_RESERVED);
            self.starts.reserve(entries + 1);
            self.starts.push(0);
            self.ids.reserve(entries);
            self.entry_of_id.reserve(entries);
            self.rehash((entries * 2 + 2).next_power_of_two().max(FIRST_SLOTS));
        }
    }

    fn rehash(&mut self, slots: usize) {
        self.mask = slots - 1;
        self.index = vec![FREE; slots];
        for entry in 0..self.ids.len() {
            let text = self.entry_text(entry);
            let hash = hash_of(text);
            let slot = self.slot(hash, text);
            self.index[slot] = Place { hash: hash as u32, entry: entry as u32 };
        }
    }

    /// The slot that holds `text`, or the empty one where it would go.
    fn slot(&self, hash: u64, text: &str) -> usize {
        // One half says where, the other half is remembered.
        let mut slot = (hash >> 32) as usize & self.mask;
        loop {
            let place = self.index[slot];
            if place.entry == EMPTY
                || (place.hash == hash as u32 && self.entry_text(place.entry as usize) == text)
            {
                return slot;
            }
            slot = (slot + 1) & self.mask;
        }
    }

    fn entry_text(&self, entry: usize) -> &str {
        &self.arena[self.starts[entry] as usize..self.starts[entry + 1] as usize]
    }

    /// Number of distinct texts.
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// Whether there is no entry.
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// Bytes in use.
    pub fn memory(&self) -> usize {
        let words = self.starts.len() + self.ids.len() + self.entry_of_id.len();
        self.arena.len() + words * size_of::<u32>() + size_of_val(self.index.as_slice())
    }

    /// One more than the largest id, 0 if empty.
    pub fn id_bound(&self) -> usize {
        self.entry_of_id.len()
    }

    /// The id of a text.
    pub fn id(&self, text: &str) -> Option<TokenId> {
        if self.ids.is_empty() {
            return None;
        }
        match self.index[self.slot(hash_of(text), text)].entry {
            EMPTY => None,
            entry => Some(self.ids[entry as usize]),
        }
    }

    /// The text of an id.
    pub fn text(&self, id: TokenId) -> Option<&str> {
        match self.entry_of_id.get(id as usize) {
            Some(&entry) if entry != EMPTY => Some(self.entry_text(entry as usize)),
            _ => None,
        }
    }

    /// All entries in the order in which they were first given.
    pub fn iter(&self) -> impl Iterator<Item = (&str, TokenId)> + '_ {
        (0..self.ids.len()).map(|entry| (self.entry_text(entry), self.ids[entry]))
    }

    /// All entries by ascending id (texts that lost their id to a later one are left out).
    pub fn iter_by_id(&self) -> impl Iterator<Item = (TokenId, &str)> + '_ {
        (0..self.entry_of_id.len() as u32).filter_map(|id| self.text(id).map(|text| (id, text)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ways_with_holes_and_duplicates() {
        let vocab = Vocab::from_entries([("a", 5), ("b", 1), ("a", 2), ("c", 1)]).unwrap();
        assert_eq!(vocab.id("a"), Some(2));
        assert_eq!(vocab.text(5), None);
        assert_eq!(vocab.text(1), Some("c"));
        assert_eq!(vocab.id("b"), Some(1));
        assert_eq!((vocab.len(), vocab.id_bound()), (3, 6));
        assert_eq!(vocab.iter_by_id().collect::<Vec<_>>(), [(1, "c"), (2, "a")]);
    }

    #[test]
    fn many_entries_survive_growth() {
        let vocab = Vocab::from_entries((0..10_000u32).map(|i| (i.to_string(), i))).unwrap();
        assert!((0..10_000u32).all(|i| vocab.id(&i.to_string()) == Some(i)));
    }

    #[test]
    fn a_huge_id_is_an_error() {
        assert!(Vocab::from_entries([("a", u32::MAX)]).is_err());
    }
}
