//! Strings and their ids, both ways.
//!
//! One byte arena, 32-bit offsets, one open-addressed index: no allocation per entry. Ids may have holes,
//! and two strings may share an id (the later one names it).
//!
//! The index is larger than the processor's near caches, so whoever looks up many texts waits for memory most of the
//! time. They are looked up in portions: first the hashes of all, then a first look at the place of each, and only then
//! what was found there. Nothing in the second step hangs on what was loaded for another text, so the processor waits
//! for many places at once.

mod lead;

use std::ops::Range;

use crate::flat::{Arrays, Flat, Shelf, full_of, misfit, prefetch};
use crate::hash::hash_bytes;
use crate::ids::TokenId;

pub use lead::Lead;

const EMPTY: u32 = u32::MAX;
const FIRST_SLOTS: usize = 64;
/// Entries whose room is reserved before they are seen.
const MOST_RESERVED: usize = 1 << 20;
/// Texts that are looked up together.
pub(crate) const PORTION: usize = 64;
const MOST_ID: TokenId = 1 << 28;

/// Slots of an index: a fifth of them or more are free.
fn slots_for(entries: usize) -> usize {
    (entries + entries / 4 + 2).next_power_of_two().max(FIRST_SLOTS)
}

fn hash_of(text: &str) -> u64 {
    hash_bytes(text.as_bytes())
}

/// The bytes of one entry with what is behind them.
#[inline(always)]
fn lead_of<'v>(arena: &'v [u8], starts: &[u32], entry: usize) -> Lead<'v> {
    let (start, end) = (starts[entry] as usize, starts[entry + 1] as usize);
    Lead::new(&arena[start..], end - start)
}

/// As many places as a power of two.
fn index_of(places: &[Place]) -> Index<'_> {
    Index { places, mask: (places.len() as u32).wrapping_sub(1) }
}

/// Fails for an id that is too large.
fn check_id(text: &str, id: TokenId) -> crate::Result<()> {
    if id >= MOST_ID {
        return Err(crate::Error::value(format!(
            "the id {id} of token `{}` is too large: ids must be below {MOST_ID}",
            crate::error::excerpt(text),
        )));
    }
    Ok(())
}

/// Fails where texts are too long together.
fn check_length(bytes: usize) -> crate::Result<()> {
    if bytes > u32::MAX as usize {
        return Err(crate::Error::value("the vocabulary's texts exceed 4 GiB together"));
    }
    Ok(())
}

/// Texts one behind the other, each with its id: what a [`Vocab`] is made of.
#[derive(Debug, Default)]
pub struct Joined {
    arena: String,
    /// Where each text ends. Beyond 4 GiB no vocabulary is made, and these are of no use.
    ends: Vec<u32>,
    ids: Vec<TokenId>,
}

impl Joined {
    /// Texts of which `ends` says where each stops.
    ///
    /// # Panics
    ///
    /// If there are not as many ends as ids, or an end is none of a character.
    pub fn new(arena: String, ends: Vec<u32>, ids: Vec<TokenId>) -> Self {
        let is_end = |&end: &u32| arena.is_char_boundary(end as usize);
        assert!(ends.len() == ids.len() && (check_length(arena.len()).is_err() || ends.iter().all(is_end)));
        Joined { arena, ends, ids }
    }

    /// Room for so many entries of so many bytes together.
    pub fn with_capacity(entries: usize, bytes: usize) -> Self {
        Joined {
            arena: String::with_capacity(bytes),
            // Their starts begin with one more.
            ends: Vec::with_capacity(entries + 1),
            ids: Vec::with_capacity(entries),
        }
    }

    /// Puts a text behind the others.
    #[inline]
    pub fn push(&mut self, text: &str, id: TokenId) {
        self.arena.push_str(text);
        self.ends.push(self.arena.len() as u32);
        self.ids.push(id);
    }

    /// Puts the first bytes of a text behind the others.
    #[inline]
    pub fn push_first(&mut self, text: &str, len: usize, id: TokenId) {
        /// So many are copied whatever the length: that takes a move or two, where it hangs on the length a call.
        const AT_ONCE: usize = 16;
        let start = self.arena.len();
        match text.get(..AT_ONCE) {
            Some(first) if len <= AT_ONCE => {
                self.arena.push_str(first);
                self.arena.truncate(start + len);
            }
            _ => self.arena.push_str(&text[..len]),
        }
        self.ends.push(self.arena.len() as u32);
        self.ids.push(id);
    }

    /// Number of entries, equal ones counted as often as they are there.
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// The ids in order.
    pub fn ids(&self) -> &[TokenId] {
        &self.ids
    }

    /// The entries in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, TokenId)> + '_ {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        let texts = starts.zip(&self.ends).map(|(start, &end)| self.arena.get(start as usize..end as usize));
        texts.map(Option::unwrap_or_default).zip(self.ids.iter().copied())
    }
}

/// An immutable vocabulary.
#[derive(Debug, Clone, Default)]
pub struct Vocab {
    arena: Arena,
    /// Per entry: start of its text in the arena, and its id. One more start closes the last entry.
    starts: Flat<u32>,
    ids: Flat<TokenId>,
    /// Entry of each id, `EMPTY` where the id is a hole.
    entry_of_id: Flat<u32>,
    /// Open-addressed, at most four fifths full.
    index: Flat<Place>,
}

/// The texts of all entries, one behind the other.
#[derive(Debug, Clone)]
enum Arena {
    Owned(String),
    /// In a file, where each text is looked at when it is wanted.
    Shared(Flat<u8>),
}

impl Default for Arena {
    fn default() -> Self {
        Arena::Owned(String::new())
    }
}

impl Arena {
    fn bytes(&self) -> &[u8] {
        match self {
            Arena::Owned(text) => text.as_bytes(),
            Arena::Shared(bytes) => bytes,
        }
    }

    fn text(&self, range: Range<usize>) -> &str {
        match self {
            Arena::Owned(text) => &text[range],
            // The sum over the file says that it is what was written: texts.
            Arena::Shared(bytes) => std::str::from_utf8(&bytes[range]).unwrap_or_default(),
        }
    }

    /// All texts, to add more.
    fn to_mut(&mut self) -> crate::Result<&mut String> {
        if let Arena::Shared(bytes) = self {
            *self = Arena::Owned(String::from_utf8(bytes.to_vec()).map_err(|_| misfit())?);
        }
        match self {
            Arena::Owned(text) => Ok(text),
            Arena::Shared(_) => unreachable!("it was just copied"),
        }
    }
}

/// An entry in as many low bits as tell a slot from others, and above them those of its text's hash. With these at hand, few texts
/// are compared in vain.
type Place = u32;

/// Such an index, for which it is found out once where its arrays lie.
#[derive(Clone, Copy)]
struct Index<'v> {
    places: &'v [Place],
    mask: u32,
}

impl Index<'_> {
    /// Where the search for a hash begins. One half of it says where, the other half is remembered.
    #[inline(always)]
    fn first(self, hash: u64) -> usize {
        ((hash >> 32) as u32 & self.mask) as usize
    }

    /// The slot that holds a text of this hash, which `is_it` tells of an entry, or the free one where it would go.
    #[inline(always)]
    fn search(self, hash: u64, mut is_it: impl FnMut(usize) -> bool) -> usize {
        let mut slot = self.first(hash);
        loop {
            let place = self.places[slot];
            if place == EMPTY
                || ((place ^ hash as u32) & !self.mask == 0 && is_it((place & self.mask) as usize))
            {
                return slot;
            }
            slot = (slot + 1) & self.mask as usize;
        }
    }

    /// The entry in a slot.
    #[inline(always)]
    fn entry(self, slot: usize) -> Option<usize> {
        let place = self.places[slot];
        (place != EMPTY).then_some((place & self.mask) as usize)
    }

    /// What the slot of an entry holds. No entry has all bits, for some slots are free.
    #[inline(always)]
    fn place(self, hash: u64, entry: usize) -> Place {
        hash as u32 & !self.mask | entry as u32
    }
}

impl Vocab {
    /// Builds from `(text, id)` pairs. Of equal texts the last one counts.
    ///
    /// Ids must stay below `u32::MAX`; ids far beyond the number of entries cost memory (4 bytes each), so
    /// they are refused above 2^28.
    pub fn from_entries<S: AsRef<str>>(
        entries: impl IntoIterator<Item = (S, TokenId)>,
    ) -> crate::Result<Vocab> {
        let mut joined = Joined::default();
        for (text, id) in entries {
            joined.push(text.as_ref(), id);
        }
        Self::from_joined(joined)
    }

    /// Takes over texts that lie one behind the other. Of equal texts the last one counts.
    pub fn from_joined(joined: Joined) -> crate::Result<Vocab> {
        if joined.ids.iter().any(|&id| id >= MOST_ID) {
            joined.iter().try_for_each(|(text, id)| check_id(text, id))?;
        }
        let Joined { arena, ends: mut starts, ids } = joined;
        check_length(arena.len())?;
        starts.insert(0, 0);
        let arena = Arena::Owned(arena);
        let mut vocab = Vocab { arena, starts: starts.into(), ids: ids.into(), ..Vocab::default() };
        if vocab.index_entries() {
            let bound = vocab.ids.iter().max().map_or(0, |&id| id as usize + 1);
            let mut entry_of_id = full_of(EMPTY, bound);
            for (entry, &id) in vocab.ids.iter().enumerate() {
                entry_of_id[id as usize] = entry as u32;
            }
            vocab.entry_of_id = entry_of_id.into();
            return Ok(vocab);
        }
        // Some text comes twice: one after the other.
        let mut one_by_one = Vocab::default();
        one_by_one.reserve(vocab.ids.len());
        for (text, id) in vocab.iter() {
            one_by_one.insert(text, id)?;
        }
        Ok(one_by_one)
    }

    /// Makes the index; false where two texts are equal.
    fn index_entries(&mut self) -> bool {
        let entries = self.ids.len();
        let mut places = full_of(EMPTY, slots_for(entries));
        let (arena, starts): (&[u8], &[u32]) = (self.arena.bytes(), &self.starts);
        let text = |entry: usize| lead_of(arena, starts, entry);
        let mut hashes = [0u64; PORTION];
        for first in (0..entries).step_by(PORTION) {
            let count = PORTION.min(entries - first);
            for (offset, hash) in hashes[..count].iter_mut().enumerate() {
                *hash = text(first + offset).hash();
                prefetch(&places, index_of(&places).first(*hash));
            }
            for (entry, &hash) in (first..).zip(&hashes[..count]) {
                let index = index_of(&places);
                let slot = index.search(hash, |other| text(other).is(text(entry)));
                if index.entry(slot).is_some() {
                    return false;
                }
                let place = index.place(hash, entry);
                places[slot] = place;
            }
        }
        self.index = places.into();
        true
    }

    /// The ids of many texts that `text` gives by their number, in order; `u32::MAX` for those that are not there.
    pub fn ids_of<'t>(&self, count: usize, text: impl Fn(usize) -> Lead<'t>, mut found: impl FnMut(TokenId)) {
        if self.ids.is_empty() {
            return (0..count).for_each(|_| found(EMPTY));
        }
        let index = self.index();
        let mut hashes = [0u64; PORTION];
        for first in (0..count).step_by(PORTION) {
            let here = PORTION.min(count - first);
            for (offset, hash) in hashes[..here].iter_mut().enumerate() {
                *hash = text(first + offset).hash();
                prefetch(index.places, index.first(*hash));
            }
            // The entry that is the likely one, its text not yet compared.
            for &hash in &hashes[..here] {
                if let Some(entry) = index.entry(index.first(hash)) {
                    self.look_ahead(entry);
                }
            }
            for (offset, &hash) in hashes[..here].iter().enumerate() {
                let entry = index.entry(self.slot(hash, text(first + offset)));
                found(entry.map_or(EMPTY, |entry| self.ids[entry]));
            }
        }
    }

    /// Adds a text with its id; a text that is there gets the new id.
    pub fn insert(&mut self, text: &str, id: TokenId) -> crate::Result<()> {
        check_id(text, id)?;
        check_length(self.arena.bytes().len() + text.len())?;
        self.reserve(0);
        let hash = hash_of(text);
        let slot = self.slot(hash, Lead::alone(text.as_bytes()));
        let entry = if let Some(entry) = self.index().entry(slot) {
            let old = std::mem::replace(&mut self.ids[entry], id);
            if self.entry_of_id[old as usize] == entry as u32 {
                self.entry_of_id[old as usize] = EMPTY;
            }
            entry
        } else {
            let entry = self.ids.len();
            let arena = self.arena.to_mut()?;
            arena.push_str(text);
            self.starts.to_mut().push(arena.len() as u32);
            self.ids.to_mut().push(id);
            self.index[slot] = self.index().place(hash, entry);
            if slots_for(self.ids.len()) > self.index.len() {
                self.rehash(self.index.len() * 2);
            }
            entry
        };
        if self.entry_of_id.len() <= id as usize {
            self.entry_of_id.to_mut().resize(id as usize + 1, EMPTY);
        }
        self.entry_of_id[id as usize] = entry as u32;
        Ok(())
    }

    /// Room for so many entries in an empty vocabulary. What a caller promises is believed up to a bound.
    fn reserve(&mut self, entries: usize) {
        if self.index.is_empty() {
            let entries = entries.min(MOST_RESERVED);
            self.starts.to_mut().reserve(entries + 1);
            self.starts.to_mut().push(0);
            self.ids.to_mut().reserve(entries);
            self.entry_of_id.to_mut().reserve(entries);
            self.rehash(slots_for(entries));
        }
    }

    fn rehash(&mut self, slots: usize) {
        self.index = vec![EMPTY; slots].into();
        for entry in 0..self.ids.len() {
            let text = self.entry_text(entry);
            let hash = hash_of(text);
            let slot = self.slot(hash, Lead::alone(text.as_bytes()));
            self.index[slot] = self.index().place(hash, entry);
        }
    }

    fn index(&self) -> Index<'_> {
        index_of(&self.index)
    }

    /// The slot that holds `text`, or the free one where it would go.
    #[inline]
    fn slot(&self, hash: u64, text: Lead<'_>) -> usize {
        self.index().search(hash, |entry| self.entry_lead(entry).is(text))
    }

    fn entry_text(&self, entry: usize) -> &str {
        self.arena.text(self.starts[entry] as usize..self.starts[entry + 1] as usize)
    }

    /// The bytes of one entry.
    #[inline]
    pub(crate) fn entry_bytes(&self, entry: usize) -> &[u8] {
        &self.arena.bytes()[self.starts[entry] as usize..self.starts[entry + 1] as usize]
    }

    /// The same with what is behind them.
    #[inline(always)]
    fn entry_lead(&self, entry: usize) -> Lead<'_> {
        lead_of(self.arena.bytes(), &self.starts, entry)
    }

    /// Has an entry's text brought near.
    #[inline(always)]
    pub(crate) fn look_ahead(&self, entry: usize) {
        if let Some(&start) = self.starts.get(entry) {
            prefetch(self.arena.bytes(), start as usize);
        }
    }

    /// Number of distinct texts.
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// Number of ids that have a text: fewer than texts where two share one.
    pub fn named_ids(&self) -> usize {
        self.entry_of_id.iter().filter(|&&entry| entry != EMPTY).count()
    }

    /// Whether there is no entry.
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// Bytes in use.
    pub fn memory(&self) -> usize {
        let words = self.starts.len() + self.ids.len() + self.entry_of_id.len();
        self.arena.bytes().len() + words * size_of::<u32>() + size_of_val(&*self.index)
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
        let entry = self.index().entry(self.slot(hash_of(text), Lead::alone(text.as_bytes())))?;
        Some(self.ids[entry])
    }

    /// The text of an id.
    pub fn text(&self, id: TokenId) -> Option<&str> {
        match self.entry_of_id.get(id as usize) {
            Some(&entry) if entry != EMPTY => Some(self.entry_text(entry as usize)),
            _ => None,
        }
    }

    /// The bytes of it with what is behind them.
    #[inline(always)]
    pub(crate) fn text_lead(&self, id: TokenId) -> Option<Lead<'_>> {
        match self.entry_of_id.get(id as usize) {
            Some(&entry) if entry != EMPTY => Some(self.entry_lead(entry as usize)),
            _ => None,
        }
    }

    /// An entry by its place among [all](Self::iter).
    #[inline]
    pub(crate) fn entry(&self, place: usize) -> (&str, TokenId) {
        (self.entry_text(place), self.ids[place])
    }

    /// The bytes of all texts, in the order of the entries.
    pub(crate) fn texts(&self) -> impl Iterator<Item = &[u8]> {
        (0..self.ids.len()).map(|place| self.entry_bytes(place))
    }

    /// The ids of all entries, in their order.
    pub(crate) fn ids(&self) -> &[TokenId] {
        &self.ids
    }

    /// All entries in the order in which they were first given.
    pub fn iter(&self) -> impl Iterator<Item = (&str, TokenId)> + '_ {
        (0..self.ids.len()).map(|place| self.entry(place))
    }

    /// The entries that are one character between two affixes, in that order too.
    pub(crate) fn characters<'v>(
        &'v self,
        before: &'v str,
        after: &'v str,
    ) -> impl Iterator<Item = (char, TokenId)> + 'v {
        /// Bytes of a character by the four highest bits of its first one.
        const LENGTHS: [u8; 16] = [1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 2, 2, 3, 4];
        let (bytes, affixes) = (self.arena.bytes(), before.len() + after.len());
        // Few entries are that short, and by their length alone nobody could guess which are more than one.
        let may_be_one = move |place: &usize| {
            let (start, end) = (self.starts[*place] as usize, self.starts[place + 1] as usize);
            let first = bytes.get(start + before.len()).copied().unwrap_or_default();
            end - start == affixes + usize::from(LENGTHS[usize::from(first >> 4)])
        };
        (0..self.ids.len()).filter(may_be_one).filter_map(move |place| {
            let within = self.entry_text(place).strip_prefix(before)?.strip_suffix(after)?;
            Some((within.chars().next()?, self.ids[place]))
        })
    }

    /// All entries by ascending id (texts that lost their id to a later one are left out).
    pub fn iter_by_id(&self) -> impl Iterator<Item = (TokenId, &str)> + '_ {
        (0..self.entry_of_id.len() as u32).filter_map(|id| self.text(id).map(|text| (id, text)))
    }
}

/// Finished tables, to be used where they lie.
impl Vocab {
    /// Puts the vocabulary down as it is.
    pub fn put(&self, arrays: &mut Arrays) {
        arrays.put(self.arena.bytes());
        arrays.put(&self.starts);
        arrays.put(&self.ids);
        arrays.put(&self.entry_of_id);
        arrays.put(&self.index);
    }

    /// Takes what was put.
    pub fn take(shelf: &mut Shelf) -> crate::Result<Vocab> {
        let arena = Arena::Shared(shelf.take()?);
        let (starts, ids) = (shelf.take::<u32>()?, shelf.take::<TokenId>()?);
        let (entry_of_id, index) = (shelf.take::<u32>()?, shelf.take::<Place>()?);
        let vocab = Vocab { arena, starts, ids, entry_of_id, index };
        if vocab.is_whole() { Ok(vocab) } else { Err(misfit()) }
    }

    /// Whether the tables lead nowhere but into each other, and every search comes to an end.
    fn is_whole(&self) -> bool {
        let entries = self.ids.len();
        if self.index.is_empty() {
            return entries == 0 && self.starts.is_empty() && self.entry_of_id.is_empty();
        }
        // One comparison, without a branch that nobody could foretell: behind the last number comes zero.
        let is_entry = |entry: u32| entry.wrapping_add(1) as usize <= entries;
        let mask = self.index.len() as u32 - 1;
        let (mut leads, mut free) = (true, 0usize);
        for &place in self.index.iter() {
            let is_free = place == EMPTY;
            leads &= is_free | (((place & mask) as usize) < entries);
            free += usize::from(is_free);
        }
        let bound = self.entry_of_id.len();
        leads
            // A search ends at a place that is free.
            && free > self.index.len() / 8
            && self.index.len().is_power_of_two()
            && self.starts.len() == entries + 1
            && self.starts[0] == 0
            && self.starts[entries] as usize == self.arena.bytes().len()
            && self.starts.windows(2).fold(true, |all, pair| all & (pair[0] <= pair[1]))
            && bound <= MOST_ID as usize
            && self.ids.iter().fold(true, |all, &id| all & ((id as usize) < bound))
            && self.entry_of_id.iter().fold(true, |all, &entry| all & is_entry(entry))
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
    fn many_at_once_are_found_as_one_by_one() {
        let vocab = Vocab::from_entries((0..1000u32).map(|i| ((i * 7).to_string(), i))).unwrap();
        let texts: Vec<String> = (0..3000u32).map(|i| i.to_string()).collect();
        let mut found = Vec::new();
        vocab.ids_of(texts.len(), |at| Lead::alone(texts[at].as_bytes()), |id| found.push(id));
        let expected: Vec<u32> = texts.iter().map(|text| vocab.id(text).unwrap_or(u32::MAX)).collect();
        assert_eq!(found, expected);
        let mut found = Vec::new();
        Vocab::default().ids_of(2, |_| Lead::alone(b"a"), |id| found.push(id));
        assert_eq!(found, [u32::MAX; 2]);
    }

    #[test]
    fn equal_texts_far_apart_are_one() {
        let texts = (0..500u32).map(|i| (i % 300).to_string());
        let vocab = Vocab::from_entries(texts.zip(0..)).unwrap();
        assert_eq!(
            (vocab.len(), vocab.id("5"), vocab.text(5), vocab.id("299")),
            (300, Some(305), None, Some(299))
        );
    }

    #[test]
    fn first_bytes_are_put_behind_the_others_whatever_follows_them() {
        let text = "aéß字😀 and what is behind it";
        let ends: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
        let (mut joined, mut expected) = (Joined::default(), Vec::new());
        for (at, &start) in ends.iter().enumerate() {
            for &end in &ends[at..] {
                joined.push_first(&text[start..], end - start, expected.len() as TokenId);
                expected.push(&text[start..end]);
            }
        }
        assert_eq!(joined.iter().map(|(text, _)| text).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn entries_of_one_character_are_told_by_their_first_byte() {
        let texts = ["", "a", "é", "ab", "字", "😀", "éa", "aé", "字字", "\0", "\u{301}", "   ", "é字"];
        let vocab = Vocab::from_entries(texts.into_iter().zip(3..)).unwrap();
        let expected: Vec<(char, TokenId)> =
            [('a', 4), ('é', 5), ('字', 7), ('😀', 8), ('\0', 12), ('\u{301}', 13)].into();
        assert_eq!(vocab.characters("", "").collect::<Vec<_>>(), expected);
        let between = |before, after| vocab.characters(before, after).collect::<Vec<_>>();
        assert_eq!(between("é", ""), [('a', 9), ('字', 15)]);
        assert_eq!(between("", "字"), [('字', 11), ('é', 15)]);
        assert_eq!(between("a", "b"), []);
        // What begins as the prefix does has no place for it there.
        assert_eq!(between("\u{e8}", ""), []);
    }

    #[test]
    fn a_huge_id_is_an_error() {
        assert!(Vocab::from_entries([("a", u32::MAX)]).is_err());
    }
}
