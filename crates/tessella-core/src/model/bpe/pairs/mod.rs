//! The merge list as a hash table: a pair of ids gives its rank and what it becomes.
//!
//! The table has megabytes and is looked into at random, so two small tables stand before it and keep most
//! look-ups near the processor: a matrix of the pairs of common first symbols (`near`), and a bit for every hash that
//! occurs, which tells most pairs apart that never merge.
//!
//! While it is built, pairs come in portions, as texts do in a [`Vocab`], and for the same reason: so that the processor
//! waits for many places of memory at once.

mod filled;
mod listed;
mod near;
mod reduced;
mod slot;

use std::collections::HashSet;

use crate::error::{Error, Result, excerpt};
use crate::flat::{Arrays, Flat, Shelf, full_of, misfit, prefetch, zeros};
use crate::hash::hash_u64;
use crate::ids::TokenId;
use crate::spec::Vocab;
use crate::vocab::{Lead, PORTION};

use filled::Filled;
pub(super) use listed::Pairs;
use listed::is_joined;
use near::Near;
use slot::{Narrow, Slot, Wide, are_short};

/// Where a pair stands in the list, and what it becomes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Merge {
    pub rank: u32,
    pub result: TokenId,
}

impl Merge {
    /// As one number: the rank above the result.
    fn packed(self) -> u64 {
        u64::from(self.rank) << 32 | u64::from(self.result)
    }

    #[inline]
    fn unpacked(packed: u64) -> Self {
        Merge { rank: (packed >> 32) as u32, result: packed as u32 }
    }
}

/// No merge as one number: no token is the result.
const NO_MERGE: u64 = u64::MAX;

/// An open-addressed table, at most four fifths full: looking a little further costs less than a table that is twice as large,
/// and few look-ups get past the filter in vain.
#[derive(Debug)]
pub(super) struct PairTable {
    slots: Slots,
    /// How far what is made is above its rank, once a pair is in the table; the same of all, as long as slots are narrow.
    above: Option<u32>,
    len: usize,
    /// A bit for each hash in the table, [`FILTER_BITS`] times as many bits as slots.
    filter: Flat<u64>,
    near: Near,
}

/// Narrow as long as all pairs find room in that.
#[derive(Debug)]
enum Slots {
    Narrow(Flat<Narrow>),
    Wide(Flat<Wide>),
}

impl Slots {
    fn len(&self) -> usize {
        match self {
            Slots::Narrow(slots) => slots.len(),
            Slots::Wide(slots) => slots.len(),
        }
    }
}

const FILTER_BITS: usize = 8;

/// The word and the bit of a hash, in a filter of so many words.
#[inline(always)]
fn filter_bit(hash: u64, words: usize) -> (usize, u64) {
    let bit = (hash >> 32) as usize & (words * 64 - 1);
    (bit / 64, 1 << (bit % 64))
}

/// A table for many look-ups, for which it is found out once where its arrays lie.
#[derive(Clone, Copy)]
struct View<'t, S> {
    /// As many as a power of two.
    slots: &'t [S],
    filter: &'t [u64],
    above: u32,
}

impl<S: Slot> View<'_, S> {
    /// Whether a pair of this hash can be in the table.
    #[inline(always)]
    fn may_hold(self, hash: u64) -> bool {
        let (word, bit) = filter_bit(hash, self.filter.len());
        self.filter[word] & bit != 0
    }

    /// Has the place of a hash brought near.
    #[inline(always)]
    fn look_ahead(self, hash: u64) {
        prefetch(self.slots, hash as usize & (self.slots.len() - 1));
    }

    #[inline(always)]
    fn find(self, hash: u64, key: u64) -> Option<Merge> {
        let mask = self.slots.len() - 1;
        let mut slot = hash as usize & mask;
        loop {
            let found = self.slots[slot];
            if found.is_free() {
                return None;
            }
            if found.key() == key {
                return Some(found.merge(self.above));
            }
            slot = (slot + 1) & mask;
        }
    }

    #[inline]
    fn get(self, key: u64) -> Option<Merge> {
        let hash = hash_u64(key);
        if self.may_hold(hash) { self.find(hash, key) } else { None }
    }
}

/// Puts in pairs for which there is room, and returns how many of them were not there.
fn put_all<S: Slot>(slots: &mut [S], filter: &mut [u64], merges: &[(TokenId, TokenId, Merge)]) -> usize {
    let mask = slots.len() - 1;
    merges
        .iter()
        .for_each(|&(left, right, _)| prefetch(slots, hash_u64(key_of(left, right)) as usize & mask));
    let mut new = 0;
    for &(left, right, merge) in merges {
        let key = key_of(left, right);
        let hash = hash_u64(key);
        let (word, bit) = filter_bit(hash, filter.len());
        filter[word] |= bit;
        let mut slot = hash as usize & mask;
        while !slots[slot].is_free() && slots[slot].key() != key {
            slot = (slot + 1) & mask;
        }
        new += usize::from(slots[slot].is_free());
        slots[slot] = S::of(left, right, merge);
    }
    new
}

#[inline]
fn key_of(left: TokenId, right: TokenId) -> u64 {
    (left as u64) << 32 | right as u64
}

/// The two halves of the text that a merge of a list makes.
#[inline]
fn halves(
    vocab: &Vocab,
    rank: usize,
    (left, right): (TokenId, TokenId),
    prefix_len: usize,
) -> Result<(Lead<'_>, Lead<'_>)> {
    let text = |id: TokenId| {
        vocab.text_lead(id).ok_or_else(|| {
            Error::model(format!("merge {rank} names the id {id}, which is not in the vocabulary"))
        })
    };
    let (left, whole) = (text(left)?, text(right)?);
    if prefix_len == 0 {
        return Ok((left, whole));
    }
    let right = vocab.text(right).unwrap_or_default();
    let stripped = right.get(prefix_len..).ok_or_else(|| {
        Error::model(format!(
            "merge {rank}: `{}` is shorter than the continuing subword prefix ({prefix_len} bytes)",
            excerpt(right)
        ))
    })?;
    Ok((left, Lead::alone(stripped.as_bytes())))
}

impl PairTable {
    fn slots_for(pairs: usize) -> usize {
        (pairs + pairs / 4 + 2).next_power_of_two()
    }

    fn with_capacity(pairs: usize) -> Self {
        let slots = Self::slots_for(pairs.max(8));
        Self::of_slots(Slots::Narrow(full_of(Narrow::FREE, slots).into()))
    }

    /// Of so many merges, in turn.
    fn of(count: usize, mut merges: impl Iterator<Item = (TokenId, TokenId, Merge)>) -> Self {
        let mut table = Self::with_capacity(count);
        let mut portion = Vec::with_capacity(PORTION);
        loop {
            portion.clear();
            portion.extend(merges.by_ref().take(PORTION));
            if portion.is_empty() {
                return table;
            }
            table.insert_all(&portion);
        }
    }

    /// All of them free.
    fn of_slots(slots: Slots) -> Self {
        PairTable {
            above: None,
            len: 0,
            filter: zeros::<u64>((slots.len() * FILTER_BITS).div_ceil(64)).into(),
            slots,
            near: Near::default(),
        }
    }

    /// From a list in rank order. The result of a pair is the concatenation of its texts, without the
    /// continuing prefix (of `prefix_len` bytes) of the right one. Of a duplicate pair the last rank counts.
    pub(super) fn from_list(pairs: &[(TokenId, TokenId)], vocab: &Vocab, prefix_len: usize) -> Result<Self> {
        let mut table = Self::with_capacity(pairs.len());
        // The results that must be looked up: their places in a portion, their texts, and where each ends.
        let (mut asked, mut joined, mut ends) = (Vec::new(), Vec::new(), Vec::new());
        let mut merges: Vec<(TokenId, TokenId, Merge)> = Vec::with_capacity(PORTION);
        // Most lists make their tokens in the order of the ids: a result is often that of the merge before, or the next.
        let mut likely: TokenId = 0;
        for (portion, pairs) in pairs.chunks(PORTION).enumerate() {
            let first = portion * PORTION;
            asked.clear();
            joined.clear();
            ends.clear();
            merges.clear();
            // What is wrong with a pair counts when all before it are known to be right.
            let wrong = pairs.iter().enumerate().find_map(|(at, &pair)| {
                let (left, right) = match halves(vocab, first + at, pair, prefix_len) {
                    Ok(halves) => halves,
                    Err(error) => return Some(error),
                };
                let mut result = TokenId::MAX;
                let is_it =
                    |id: &TokenId| vocab.text_lead(*id).is_some_and(|text| is_joined(text, left, right));
                if let Some(id) = [likely, likely + 1].into_iter().find(is_it) {
                    (result, likely) = (id, id);
                } else {
                    joined.extend_from_slice(left.text());
                    joined.extend_from_slice(right.text());
                    asked.push(at);
                    ends.push(joined.len());
                }
                merges.push((pair.0, pair.1, Merge { rank: (first + at) as u32, result }));
                None
            });
            let start = |at: usize| if at == 0 { 0 } else { ends[at - 1] };
            let mut places = asked.iter();
            vocab.ids_of(
                asked.len(),
                |at| Lead::new(&joined[start(at)..], ends[at] - start(at)),
                |result| {
                    if let Some(&at) = places.next() {
                        merges[at].2.result = result;
                    }
                },
            );
            if let Some(&at) = asked.iter().find(|&&at| merges[at].2.result == TokenId::MAX) {
                let (left, right) = halves(vocab, first + at, pairs[at], prefix_len)?;
                let text = |id: TokenId| excerpt(vocab.text(id).unwrap_or_default());
                return Err(Error::model(format!(
                    "Token `{}` out of vocabulary: merge {} produces it from `{}` and `{}`",
                    excerpt(&String::from_utf8_lossy(&[left.text(), right.text()].concat())),
                    first + at,
                    text(pairs[at].0),
                    text(pairs[at].1)
                )));
            }
            if let Some(wrong) = wrong {
                return Err(wrong);
            }
            table.insert_all(&merges);
            // The last of them is known by now, whichever way.
            likely = merges.last().map_or(likely, |(.., merge)| merge.result);
        }
        Ok(table)
    }

    /// All pairs whose concatenation is in the vocabulary, ranked by its id.
    pub(super) fn from_ranks(vocab: &Vocab) -> Result<Self> {
        let mut table = Self::with_capacity(vocab.len() * 2);
        // Of a text of megabytes, few parts are as long as tokens.
        let lengths: HashSet<usize> = vocab.iter().map(|(text, _)| text.len()).collect();
        for (text, rank) in vocab.iter() {
            for (at, _) in text.char_indices().skip(1) {
                if lengths.contains(&at)
                    && lengths.contains(&(text.len() - at))
                    && let Some(left) = vocab.id(&text[..at])
                    && let Some(right) = vocab.id(&text[at..])
                {
                    table.insert(left, right, Merge { rank, result: rank });
                }
            }
        }
        Ok(table)
    }

    /// Inserts pairs in turn.
    fn insert_all(&mut self, merges: &[(TokenId, TokenId, Merge)]) {
        for merges in merges.chunks(PORTION) {
            let is_narrow = matches!(self.slots, Slots::Narrow(_));
            if is_narrow && !self.are_narrow(merges) {
                self.become_wide(self.slots.len());
            }
            while Self::slots_for(self.len + merges.len()) > self.slots.len() {
                self.grow();
            }
            self.len += match &mut self.slots {
                Slots::Narrow(slots) => put_all(slots, &mut self.filter, merges),
                Slots::Wide(slots) => put_all(slots, &mut self.filter, merges),
            };
        }
    }

    /// Whether these find room in narrow slots; the first of all merges says how far results are above ranks.
    fn are_narrow(&mut self, merges: &[(TokenId, TokenId, Merge)]) -> bool {
        let Some((.., first)) = merges.first() else { return true };
        let above = *self.above.get_or_insert(first.result.wrapping_sub(first.rank));
        merges.iter().all(|&(left, right, Merge { rank, result })| {
            are_short(left, right, result) && result.wrapping_sub(rank) == above
        })
    }

    fn insert(&mut self, left: TokenId, right: TokenId, merge: Merge) {
        self.insert_all(&[(left, right, merge)]);
    }

    fn grow(&mut self) {
        let slots = self.slots.len() * 2;
        match self.slots {
            Slots::Narrow(_) => self.move_to(Slots::Narrow(vec![Narrow::FREE; slots].into())),
            Slots::Wide(_) => self.become_wide(slots),
        }
    }

    /// With so many slots.
    fn become_wide(&mut self, slots: usize) {
        self.move_to(Slots::Wide(vec![Wide::FREE; slots].into()));
    }

    fn move_to(&mut self, slots: Slots) {
        let old = std::mem::replace(self, Self::of_slots(slots));
        self.above = old.above;
        self.len = old.len;
        let mut merges = old.iter();
        let mut portion = Vec::with_capacity(PORTION);
        loop {
            portion.clear();
            portion.extend(merges.by_ref().take(PORTION));
            match &mut self.slots {
                _ if portion.is_empty() => break,
                Slots::Narrow(slots) => put_all(slots, &mut self.filter, &portion),
                Slots::Wide(slots) => put_all(slots, &mut self.filter, &portion),
            };
        }
    }

    #[inline(always)]
    fn view_of<'t, S>(&'t self, slots: &'t [S]) -> View<'t, S> {
        View { slots, filter: &self.filter, above: self.above.unwrap_or_default() }
    }

    #[inline]
    pub(super) fn get(&self, left: TokenId, right: TokenId) -> Option<Merge> {
        let key = key_of(left, right);
        match &self.slots {
            Slots::Narrow(slots) => self.view_of(slots).get(key),
            Slots::Wide(slots) => self.view_of(slots).get(key),
        }
    }

    /// Says which symbols are common, for [`get_near`](Self::get_near): once all pairs are there.
    pub(super) fn bring_near(&mut self, symbols: impl Iterator<Item = TokenId>, id_bound: usize) {
        self.near = Near::of(symbols, id_bound);
    }

    /// As [`get`](Self::get), for pairs that are likely to be common first symbols.
    #[inline]
    pub(super) fn get_near(&self, left: TokenId, right: TokenId) -> Option<Merge> {
        self.near.get(left, right, |left, right| self.get(left, right))
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (TokenId, TokenId, Merge)> + Clone + '_ {
        let above = self.above.unwrap_or_default();
        let (narrow, wide): (&[Narrow], &[Wide]) = match &self.slots {
            Slots::Narrow(slots) => (slots, &[]),
            Slots::Wide(slots) => (&[], slots),
        };
        Filled::new(narrow, above).chain(Filled::new(wide, above))
    }

    /// Puts the finished table down as it is.
    pub(super) fn put(&self, arrays: &mut Arrays) {
        let is_wide = matches!(self.slots, Slots::Wide(_));
        arrays.numbers(&[u64::from(is_wide), u64::from(self.above.unwrap_or_default())]);
        match &self.slots {
            Slots::Narrow(slots) => arrays.put(slots),
            Slots::Wide(slots) => arrays.put(slots),
        }
        arrays.put(&self.filter);
        self.near.put(|left, right| self.get(left, right), arrays);
    }

    /// Takes what was put, with tokens below `id_bound`.
    pub(super) fn take(shelf: &mut Shelf, id_bound: usize) -> Result<Self> {
        let [is_wide, above] = shelf.numbers()?;
        let above = u32::try_from(above).map_err(|_| misfit())?;
        let slots = match is_wide {
            0 => Slots::Narrow(shelf.take()?),
            1 => Slots::Wide(shelf.take()?),
            _ => return Err(misfit()),
        };
        let filter = shelf.take::<u64>()?;
        let near = Near::take(shelf, id_bound)?;
        let free = match &slots {
            Slots::Narrow(slots) => free_among(slots, id_bound),
            Slots::Wide(slots) => free_among(slots, id_bound),
        };
        let is_whole =
            slots.len().is_power_of_two() && filter.len() == (slots.len() * FILTER_BITS).div_ceil(64);
        match (free, near) {
            // A search ends at a place that is free.
            (Some(free), Some(near)) if is_whole && free > slots.len() / 8 => {
                Ok(PairTable { above: Some(above), len: slots.len() - free, slots, filter, near })
            }
            _ => Err(misfit()),
        }
    }
}

/// How many slots are free, if all others lead to tokens below a bound.
fn free_among<S: Slot>(slots: &[S], id_bound: usize) -> Option<usize> {
    let bound = id_bound as u64;
    // Without branches, which nobody could foretell.
    let (mut leads, mut free) = (true, 0usize);
    for &slot in slots {
        let (key, result) = (slot.key(), u64::from(slot.result()));
        let is_free = slot.is_free();
        leads &= is_free | ((key >> 32 < bound) & (u64::from(key as u32) < bound) & (result < bound));
        free += usize::from(is_free);
    }
    leads.then_some(free)
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

    /// Until a merge comes that finds no room in them, wherever that is, and nothing else is found in either form.
    #[test]
    fn slots_are_narrow_as_long_as_they_can_be() {
        const SHORT: TokenId = 1 << 21;
        let mut random = Random::from_seed(8);
        let far = Merge { rank: 7, result: 7 };
        for (left, right, last) in [(1, 2, far), (SHORT, 2, far), (1, SHORT, far)] {
            for count in [0, 1, 63, 64, 500] {
                let mut table = PairTable::with_capacity(8);
                let mut known = HashMap::new();
                let mut merges: Vec<_> = Vec::new();
                for rank in 0..count {
                    let below = |random: &mut Random| (random.next_u64() % 300) as TokenId + SHORT - 301;
                    let (left, right) = (below(&mut random), below(&mut random));
                    let merge = Merge { rank, result: rank + 300 };
                    merges.push((left, right, merge));
                    known.insert((left, right), merge);
                }
                table.insert_all(&merges);
                assert!(matches!(table.slots, Slots::Narrow(_)));
                for _ in 0..2 {
                    for (&(left, right), &merge) in &known {
                        assert_eq!(table.get(left, right), Some(merge));
                        for (left, right) in [(left + SHORT, right), (left, right + SHORT), (left ^ 1, right)]
                        {
                            assert_eq!(table.get(left, right), known.get(&(left, right)).copied());
                        }
                    }
                    assert_eq!(table.get(2 * SHORT - 1, SHORT - 1), None);
                    assert_eq!((table.len(), table.iter().count()), (known.len(), known.len()));
                    table.insert(left, right, last);
                    known.insert((left, right), last);
                }
                assert_eq!(
                    matches!(table.slots, Slots::Narrow(_)),
                    count == 0 && left < SHORT && right < SHORT
                );
            }
        }
    }

    #[test]
    fn results_are_those_of_the_vocabulary_in_whatever_order_they_come() {
        let mut random = Random::from_seed(6);
        let mut below = |n: usize| (random.next_u64() % n as u64) as usize;
        let mut texts: Vec<String> = ('a'..='e').map(String::from).collect();
        let mut pairs = Vec::new();
        while texts.len() < 400 {
            let (left, right) = (below(texts.len().min(60)), below(texts.len().min(60)));
            let joined = format!("{}{}", texts[left], texts[right]);
            if !texts.contains(&joined) {
                texts.push(joined);
            }
            pairs.push((left as TokenId, right as TokenId));
        }
        for stride in [1, 7, 400] {
            // Ids in the order of the merges, or in others.
            let id = |place: TokenId| place * stride % 401;
            let vocab = Vocab::from_entries(texts.iter().zip((0..).map(id))).unwrap();
            let mut pairs: Vec<_> = pairs.iter().map(|&(left, right)| (id(left), id(right))).collect();
            if stride == 7 {
                pairs.reverse();
            }
            let table = PairTable::from_list(&pairs, &vocab, 0).unwrap();
            for &(left, right) in &pairs {
                let joined = format!("{}{}", vocab.text(left).unwrap(), vocab.text(right).unwrap());
                assert_eq!(table.get(left, right).map(|merge| merge.result), vocab.id(&joined));
            }
        }
        let vocab = Vocab::from_entries([("a", 0), ("b", 1), ("ab", 2)]).unwrap();
        let error = PairTable::from_list(&[(0, 1), (2, 1)], &vocab, 0).unwrap_err();
        assert!(error.message().contains("`abb` out of vocabulary: merge 1"), "{}", error.message());
    }
}
