//! Texts of a few bytes, remembered whole.
//!
//! Who encodes labels or words one by one pays for the way through all stages, and little for the bytes. What such a text
//! became lies with the worker, in a small table with one text at each place, the latest. Special tokens around it are not
//! part of that. Only texts of tokenizers that give equal texts equal ids are kept, and each has the number of its
//! tokenizer, for workers may serve several. The slow twin is the way through the stages, which is all there is without the
//! fast engine (`TESSELLA_LANES=off`).

use std::num::NonZeroU32;
use std::sync::atomic::{AtomicU32, Ordering};

use super::{EncodeOptions, Tokenizer};
use crate::encoding::OffsetUnit;
use crate::hash::hash_u64;
use crate::ids::TokenId;

/// Bytes of a text that may be remembered.
pub const MOST_BYTES: usize = 16;
/// Ids of such a text, and of one that is lent out with special tokens around it.
const MOST_IDS: usize = 4;
pub const MOST_WITH_SPECIALS: usize = 2 * MOST_IDS;
/// Texts that a worker remembers: 10 kB.
const PLACES: usize = 256;

/// The number of a tokenizer whose texts may be remembered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Number(NonZeroU32);

impl Number {
    /// A number that no other tokenizer has; none when all have been given away.
    pub fn next() -> Option<Number> {
        static LAST: AtomicU32 = AtomicU32::new(0);
        let last =
            LAST.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |last| last.checked_add(1)).ok()?;
        NonZeroU32::new(last + 1).map(Number)
    }
}

/// A text, and what its ids depend on besides.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Key {
    /// The first eight bytes and the last, which overlap. The bytes of shorter texts stand in the first ones.
    first: u64,
    last: u64,
    /// 0 where there is no text.
    tokenizer: u32,
    bytes: u8,
    specials_as_text: bool,
    /// What offsets count, if any are wanted.
    unit: Option<OffsetUnit>,
}

impl Key {
    /// The same text, of which tokens are wanted with their offsets.
    pub fn with_offsets(self, unit: OffsetUnit) -> Key {
        Key { unit: Some(unit), ..self }
    }

    pub fn new(number: Number, text: &str, specials_as_text: bool) -> Option<Key> {
        let bytes = text.as_bytes();
        let (first, last) = match bytes {
            [] => return None,
            &[one] => (u64::from(one), 0),
            &[one, two] => (u64::from(u16::from_le_bytes([one, two])), 0),
            &[one, two, three] => (u64::from(u32::from_le_bytes([one, two, three, 0])), 0),
            _ if bytes.len() > MOST_BYTES => return None,
            _ => match (bytes.first_chunk(), bytes.last_chunk()) {
                (Some(&first), Some(&last)) => (u64::from_le_bytes(first), u64::from_le_bytes(last)),
                _ => (
                    u64::from(u32::from_le_bytes(*bytes.first_chunk()?)),
                    u64::from(u32::from_le_bytes(*bytes.last_chunk()?)),
                ),
            },
        };
        let (tokenizer, bytes) = (number.0.get(), bytes.len() as u8);
        Some(Key { first, last, tokenizer, bytes, specials_as_text, unit: None })
    }

    /// Its place in a table of so many.
    #[inline]
    pub fn place(&self, places: usize) -> usize {
        let text = self.first ^ self.last.rotate_left(29).wrapping_mul(0xD6E8_FEB8_6659_FD93);
        hash_u64(text ^ u64::from(self.tokenizer)) as usize % places
    }
}

#[derive(Debug, Clone, Copy, Default)]
struct Place {
    key: Key,
    length: u8,
    ids: [TokenId; MOST_IDS],
}

/// What a worker remembers.
#[derive(Debug)]
pub(super) struct Brief {
    /// None before the first text.
    places: Vec<Place>,
    is_kept: bool,
}

impl Brief {
    pub fn new(is_kept: bool) -> Self {
        Brief { places: Vec::new(), is_kept }
    }

    pub fn recall(&self, key: &Key) -> Option<&[TokenId]> {
        let place = self.places.get(key.place(PLACES))?;
        (place.key == *key).then(|| &place.ids[..usize::from(place.length) % (MOST_IDS + 1)])
    }

    pub fn remember(&mut self, key: Key, ids: &[TokenId]) {
        if !self.is_kept || ids.len() > MOST_IDS {
            return;
        }
        if self.places.is_empty() {
            self.places.resize(PLACES, Place::default());
        }
        let place = &mut self.places[key.place(PLACES)];
        (place.key, place.length) = (key, ids.len() as u8);
        place.ids[..ids.len()].copy_from_slice(ids);
    }
}

/// The ids of a text that was remembered.
#[derive(Debug, Clone, Copy, Default)]
pub struct FewIds {
    ids: [TokenId; MOST_WITH_SPECIALS],
    length: usize,
}

impl FewIds {
    fn push(&mut self, ids: &[TokenId]) -> Option<()> {
        self.ids.get_mut(self.length..self.length + ids.len())?.copy_from_slice(ids);
        self.length += ids.len();
        Some(())
    }
}

impl std::ops::Deref for FewIds {
    type Target = [TokenId];

    fn deref(&self) -> &[TokenId] {
        &self.ids[..self.length]
    }
}

impl Tokenizer {
    /// What [`encode_ids`](Self::encode_ids) would give, if the text is short and was encoded before. Asks nobody and waits
    /// for nobody.
    pub fn recall_ids(&self, text: &str, options: &EncodeOptions<'_>) -> Option<FewIds> {
        let plan = &self.inner.plan;
        let (number, around) = (plan.remembered_as?, plan.around.as_ref()?);
        let key = Key::new(number, text, options.encode_special_tokens)?;
        self.inner.workers.peek(|worker| {
            let mut few = FewIds::default();
            let ids = worker.brief.recall(&key)?;
            if options.add_special_tokens {
                few.push(&around.before)?;
                few.push(ids)?;
                few.push(&around.after)?;
            } else {
                few.push(ids)?;
            }
            Some(few)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    #[test]
    fn keys_are_equal_where_all_is() {
        let numbers = [Number::next().unwrap(), Number::next().unwrap()];
        let mut random = Random::from_seed(5);
        let mut below = |bound: usize| random.next_u64() as usize % bound;
        let mut seen = std::collections::HashMap::new();
        for _ in 0..20_000 {
            let text: String = (0..below(19)).map(|_| ['a', 'b', '\0'][below(3)]).collect();
            let (number, as_text) = (numbers[below(2)], below(2) == 0);
            let Some(key) = Key::new(number, &text, as_text) else {
                assert!(text.is_empty() || text.len() > MOST_BYTES);
                continue;
            };
            let what = (number.0, text, as_text);
            let known =
                seen.entry((key.first, key.last, key.tokenizer, key.bytes, as_text)).or_insert(what.clone());
            assert_eq!(*known, what);
        }
    }

    #[test]
    fn the_latest_text_of_a_place_is_known() {
        let number = Number::next().unwrap();
        let key = |text: &str| Key::new(number, text, false).unwrap();
        let mut brief = Brief::new(true);
        assert!(brief.recall(&key("a")).is_none());
        brief.remember(key("a"), &[1, 2, 3, 4]);
        brief.remember(key("b"), &[1, 2, 3, 4, 5]);
        assert_eq!(brief.recall(&key("a")), Some(&[1, 2, 3, 4][..]));
        assert!(brief.recall(&key("b")).is_none(), "too many ids");
        assert!(brief.recall(&Key::new(number, "a", true).unwrap()).is_none());
        let other = (0..)
            .map(|at: u32| at.to_string())
            .find(|text| key(text).place(PLACES) == key("a").place(PLACES))
            .unwrap();
        brief.remember(key(&other), &[]);
        assert_eq!(brief.recall(&key(&other)), Some(&[][..]));
        assert!(brief.recall(&key("a")).is_none());
        let mut none = Brief::new(false);
        none.remember(key("a"), &[1]);
        assert!(none.recall(&key("a")).is_none());
    }
}
