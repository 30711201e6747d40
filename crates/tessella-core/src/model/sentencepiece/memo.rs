//! What stretches of sentences became, for one worker.
//!
//! A stretch is kept with its pieces as words of 32 bits (id and bytes) and with the largest sum, in absolute value, in
//! front of it with which it is known to become these again. Most stretches are a word with up to three pieces: these
//! have slots of 32 bytes, with a key of up to 15 bytes, the mark in front of a word left out. Longer ones have slots
//! of 128 bytes, and still longer ones are not kept.
//!
//! Slots come in buckets of four. The tables grow up to a bound; then a full bucket gives up one of its entries. So a
//! hostile text costs misses, never memory or a long probe.

use super::joints::mark_before;
use crate::hash::Secret;
use crate::ids::TokenId;
use crate::lanes::Key;
use crate::scale::or_for_fuzzers;

const BUCKET: usize = 4;
const FIRST_SLOTS: usize = or_for_fuzzers(1 << 8, 1 << 3);
/// Pieces that a slot holds.
const FEW: usize = 3;
const MANY: usize = 19;
/// Bytes of a stretch that a long slot holds.
const LONGEST: usize = 47;
/// In the top byte of a key, beside the length: a mark stands in front of its text.
const MARKED: u64 = 0x40 << 56;
/// Ids must be below this; those of a trie are.
const ID_BOUND: u32 = 1 << 24;

/// One piece of a stretch: its id, and how many bytes it covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Part(u32);

impl Part {
    /// `None` where there is no room for either.
    pub(super) fn new(id: TokenId, bytes: usize) -> Option<Part> {
        let bytes = u8::try_from(bytes).ok().filter(|&bytes| bytes > 0)?;
        (id < ID_BOUND).then_some(Part(id | u32::from(bytes) << 24))
    }

    #[inline]
    pub(super) fn id(self) -> TokenId {
        self.0 & (ID_BOUND - 1)
    }

    /// 0 for no piece.
    #[inline]
    pub(super) fn bytes(self) -> usize {
        (self.0 >> 24) as usize
    }
}

#[derive(Debug, Clone, Copy)]
struct Short {
    key: Key,
    limit: f32,
    parts: [Part; FEW],
}

#[derive(Debug, Clone, Copy)]
struct Long {
    /// The last byte is the length; 0 for a free slot.
    text: [u8; LONGEST + 1],
    limit: f32,
    parts: [Part; MANY],
}

const NO_KEY: Key = Key { low: 0, high: 0 };

/// A stretch as it is looked up.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stretch<'t> {
    text: &'t [u8],
    /// `None` if it is too long for a short slot.
    key: Option<Key>,
}

impl<'t> Stretch<'t> {
    /// `text[start..end]`, which is not empty.
    #[inline]
    pub(super) fn new(text: &'t [u8], start: usize, end: usize) -> Self {
        let stretch = &text[start..end];
        let mark = mark_before(stretch);
        let key = if mark == 0 {
            Key::new(text, start, end)
        } else if start + mark == end {
            Key { low: 0, high: MARKED }
        } else {
            let key = Key::new(text, start + mark, end);
            if key.is_long() { key } else { Key { low: key.low, high: key.high | MARKED } }
        };
        Stretch { text: stretch, key: (!key.is_long()).then_some(key) }
    }

    /// Whether a memo has room for it, if it has few pieces.
    pub(super) fn can_be_kept(&self) -> bool {
        self.text.len() <= LONGEST
    }
}

/// What is known of a stretch.
#[derive(Debug, Clone, Copy)]
pub(super) struct Known<'m> {
    /// With sums in front that are farther from zero than this the stretch has to be looked at again. Below zero: always.
    pub limit: f32,
    /// In order; what stands behind the first part without bytes is none.
    pub parts: &'m [Part],
}

/// A bounded table of stretches.
#[derive(Debug)]
pub(crate) struct Memo {
    short: Table<Short>,
    long: Table<Long>,
}

impl Memo {
    /// A memo that stays within so many bytes; `None` if they are too few to be of use.
    pub(crate) fn within(bytes: usize) -> Option<Self> {
        Some(Memo { short: Table::within(bytes / 2)?, long: Table::within(bytes / 2)? })
    }

    #[inline]
    pub(super) fn get(&self, stretch: &Stretch<'_>) -> Option<Known<'_>> {
        if let Some(key) = stretch.key
            && let Some(bucket) = self.short.bucket(hash_of(key)).first_chunk::<BUCKET>()
        {
            // Which of the four it is cannot be foreseen: all are compared, without a branch between them.
            let same = |at: usize| {
                let Key { low, high } = bucket[at].key;
                usize::from((low ^ key.low) | (high ^ key.high) == 0) << at
            };
            let found = same(0) | same(1) | same(2) | same(3);
            if found != 0 {
                let slot = &bucket[found.trailing_zeros() as usize % BUCKET];
                return Some(Known { limit: slot.limit, parts: &slot.parts });
            }
        }
        self.get_long(stretch.text)
    }

    fn get_long(&self, text: &[u8]) -> Option<Known<'_>> {
        if self.long.used == 0 || text.len() > LONGEST {
            return None;
        }
        let bucket = self.long.bucket(Secret::of_process().bytes(text));
        let slot = bucket.iter().find(|slot| slot.text() == text)?;
        Some(Known { limit: slot.limit, parts: &slot.parts })
    }

    /// Keeps what a stretch became, if there is room for so much.
    pub(super) fn insert(&mut self, stretch: &Stretch<'_>, limit: f32, parts: &[Part]) {
        if let Some(key) = stretch.key
            && parts.len() <= FEW
        {
            let mut slot = Short { key, limit, parts: [Part::default(); FEW] };
            slot.parts[..parts.len()].copy_from_slice(parts);
            self.short.insert(slot);
        } else if stretch.can_be_kept() && parts.len() <= MANY {
            let mut slot = Long { limit, ..Long::FREE };
            slot.text[..stretch.text.len()].copy_from_slice(stretch.text);
            slot.text[LONGEST] = stretch.text.len() as u8;
            slot.parts[..parts.len()].copy_from_slice(parts);
            self.long.insert(slot);
        }
    }
}

#[inline]
fn hash_of(key: Key) -> u64 {
    Secret::of_process().two(key.low, key.high)
}

trait Slot: Copy {
    const FREE: Self;
    fn is_free(&self) -> bool;
    fn hash(&self) -> u64;
}

impl Slot for Short {
    const FREE: Short = Short { key: NO_KEY, limit: 0.0, parts: [Part(0); FEW] };

    fn is_free(&self) -> bool {
        self.key == NO_KEY
    }

    fn hash(&self) -> u64 {
        hash_of(self.key)
    }
}

impl Long {
    fn text(&self) -> &[u8] {
        &self.text[..usize::from(self.text[LONGEST]).min(LONGEST)]
    }
}

impl Slot for Long {
    const FREE: Long = Long { text: [0; LONGEST + 1], limit: 0.0, parts: [Part(0); MANY] };

    fn is_free(&self) -> bool {
        self.text[LONGEST] == 0
    }

    fn hash(&self) -> u64 {
        Secret::of_process().bytes(self.text())
    }
}

#[derive(Debug)]
struct Table<S> {
    slots: Vec<S>,
    used: usize,
    most: usize,
    victim: usize,
}

impl<S: Slot> Table<S> {
    fn within(bytes: usize) -> Option<Self> {
        let most = 1 << (bytes / size_of::<S>()).checked_ilog2()?;
        (most >= FIRST_SLOTS).then(|| Table { slots: Vec::new(), used: 0, most, victim: 0 })
    }

    /// The slots where an entry may be; none as long as there is no entry.
    #[inline]
    fn bucket(&self, hash: u64) -> &[S] {
        let at = hash as usize & self.slots.len().saturating_sub(1) & !(BUCKET - 1);
        self.slots.get(at..at + BUCKET).unwrap_or_default()
    }

    /// For entries that are not there.
    fn insert(&mut self, entry: S) {
        if self.used * 4 >= self.slots.len() * 3 && self.slots.len() < self.most {
            let more = (self.slots.len() * 4).clamp(FIRST_SLOTS, self.most);
            let old = std::mem::replace(&mut self.slots, vec![S::FREE; more]);
            self.used = 0;
            old.into_iter().filter(|slot| !slot.is_free()).for_each(|slot| self.place(slot));
        }
        self.place(entry);
    }

    fn place(&mut self, entry: S) {
        let at = entry.hash() as usize & (self.slots.len() - 1) & !(BUCKET - 1);
        let bucket = &mut self.slots[at..at + BUCKET];
        match bucket.iter_mut().find(|slot| slot.is_free()) {
            Some(free) => {
                *free = entry;
                self.used += 1;
            }
            None => {
                bucket[self.victim % BUCKET] = entry;
                self.victim = self.victim.wrapping_add(1);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One part for each of up to `count` shares of the stretch.
    fn parts(text: &str, count: usize) -> Vec<Part> {
        let count = count.min(text.len());
        let bytes = |at: usize| text.len() * (at + 1) / count - text.len() * at / count;
        (0..count).filter_map(|at| Part::new(at as u32 + text.len() as u32, bytes(at))).collect()
    }

    #[test]
    fn stretches_are_told_apart_and_come_back_as_they_were() {
        let mut memo = Memo::within(4 << 20).unwrap();
        let mut texts: Vec<String> =
            (1..60).flat_map(|length| ["a".repeat(length), "b".repeat(length)]).collect();
        texts.extend((1..40).map(|length| format!("▁{}", "a".repeat(length))));
        texts.extend(["▁", "▁▁", "▁a▁", "\0", "\0\0"].map(String::from));
        for (count, text) in texts.iter().enumerate() {
            let stretch = Stretch::new(text.as_bytes(), 0, text.len());
            assert!(memo.get(&stretch).is_none(), "{text:?}");
            let parts = parts(text, count % 23);
            memo.insert(&stretch, count as f32, &parts);
            let kept =
                parts.len() <= MANY && text.len() <= LONGEST || stretch.key.is_some() && parts.len() <= FEW;
            assert_eq!(memo.get(&stretch).is_some(), kept, "{text:?}");
        }
        for (count, text) in texts.iter().enumerate() {
            // Wherever it stands.
            let longer = format!("x{text}y");
            let stretch = Stretch::new(longer.as_bytes(), 1, 1 + text.len());
            if let Some(known) = memo.get(&stretch) {
                let found: Vec<Part> =
                    known.parts.iter().copied().take_while(|part| part.bytes() > 0).collect();
                assert_eq!(found, parts(text, count % 23), "{text:?}");
                assert_eq!(known.limit, count as f32);
            }
        }
    }

    #[test]
    fn stretches_made_to_collide_are_kept_as_others_are() {
        let mut memo = Memo::within(4 << 20).unwrap();
        let texts = crate::hash::colliding(200);
        let parts: Vec<Part> = (0..5).filter_map(|id| Part::new(id, 3)).collect();
        texts.iter().for_each(|text| memo.insert(&Stretch::new(text, 0, text.len()), 1.0, &parts));
        let kept = texts.iter().filter(|text| memo.get(&Stretch::new(&text[..], 0, text.len())).is_some());
        assert!(kept.count() > 150);
    }

    #[test]
    fn the_bound_holds() {
        let bytes = 100_000;
        let mut memo = Memo::within(bytes).unwrap();
        for number in 0..50_000 {
            let text = format!("{number}").repeat(1 + number % 5);
            let stretch = Stretch::new(text.as_bytes(), 0, text.len());
            if memo.get(&stretch).is_none() {
                memo.insert(&stretch, 1.0, &parts(&text, 1 + number % 7));
            }
            if let Some(known) = memo.get(&stretch) {
                assert_eq!(known.parts[0].id() as usize, text.len());
            }
        }
        let used = memo.short.slots.len() * size_of::<Short>() + memo.long.slots.len() * size_of::<Long>();
        assert!(used <= bytes && used > bytes / 4, "{used}");
        assert!(Memo::within(1000).is_none());
    }
}
