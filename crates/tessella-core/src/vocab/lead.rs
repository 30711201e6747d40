//! Texts that are read by words although they are short.
//!
//! Most tokens have fewer than sixteen bytes, and how many nobody foresees: whoever hashes or compares many of them by
//! branches that hang on their length waits for the processor's wrong guesses more than for anything else. Where bytes are known
//! behind a text, sixteen are read and those behind it masked away, whatever they are.

use crate::hash::{hash_bytes, hash_first};

/// The first bytes of others.
#[derive(Debug, Clone, Copy)]
pub struct Lead<'t> {
    bytes: &'t [u8],
    len: usize,
}

/// Texts with fewer bytes are read at once.
const LONG: usize = 16;

/// By number: the first bytes of sixteen.
const FIRST: [u128; LONG] = {
    let mut masks = [0; LONG];
    let mut len = 1;
    while len < LONG {
        masks[len] = u128::MAX >> (8 * (LONG - len));
        len += 1;
    }
    masks
};

impl<'t> Lead<'t> {
    /// The first `len` of `bytes`.
    ///
    /// # Panics
    ///
    /// If there are not so many.
    #[inline(always)]
    pub fn new(bytes: &'t [u8], len: usize) -> Self {
        assert!(len <= bytes.len());
        Lead { bytes, len }
    }

    /// A text of whose surroundings nothing is known.
    #[inline(always)]
    pub fn alone(bytes: &'t [u8]) -> Self {
        Lead { bytes, len: bytes.len() }
    }

    /// The text.
    #[inline(always)]
    pub fn text(self) -> &'t [u8] {
        &self.bytes[..self.len]
    }

    /// Number of its bytes.
    #[inline(always)]
    pub fn len(self) -> usize {
        self.len
    }

    /// Whether it has none.
    #[inline(always)]
    pub fn is_empty(self) -> bool {
        self.len == 0
    }

    /// It and what is behind it, if it is shorter than that.
    #[inline(always)]
    pub(crate) fn sixteen(self) -> Option<&'t [u8; LONG]> {
        self.bytes.first_chunk().filter(|_| self.len < LONG)
    }

    /// The first bytes of it, and the others.
    #[inline(always)]
    pub(crate) fn split(self, at: usize) -> (Lead<'t>, Lead<'t>) {
        (Lead { len: at.min(self.len), ..self }, Lead::new(&self.bytes[at..], self.len.saturating_sub(at)))
    }

    /// What [`hash_bytes`] makes of it.
    #[inline(always)]
    pub(super) fn hash(self) -> u64 {
        match self.sixteen() {
            Some(bytes) => hash_first(bytes, self.len),
            None => hash_bytes(self.text()),
        }
    }

    /// Whether both texts are equal.
    #[inline(always)]
    pub(crate) fn is(self, other: Lead<'_>) -> bool {
        if self.len != other.len {
            return false;
        }
        match (self.sixteen(), other.sixteen()) {
            (Some(a), Some(b)) => {
                (u128::from_le_bytes(*a) ^ u128::from_le_bytes(*b)) & FIRST[self.len % LONG] == 0
            }
            _ => self.text() == other.text(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_compared_whole_and_nothing_behind_them() {
        for length in 0..40usize {
            let bytes: Vec<u8> = (0..length as u8).collect();
            for (behind, other_behind) in [(0, 0), (1, 20), (20, 3), (20, 40)] {
                let among = |bytes: &[u8], behind: usize| [bytes, &vec![b'x'; behind]].concat();
                let (here, there) = (among(&bytes, behind), among(&bytes, other_behind));
                let (text, same) = (Lead::new(&here, length), Lead::new(&there, length));
                assert!(text.is(same) && text.hash() == same.hash() && text.hash() == hash_bytes(&bytes));
                assert!(other_behind == 0 || !text.is(Lead::new(&there, length + 1)), "{length}");
                for at in 0..length {
                    let mut there = there.clone();
                    there[at] ^= 1;
                    assert!(!text.is(Lead::new(&there, length)), "{length}, {at}");
                }
            }
        }
    }

    #[test]
    fn halves_are_what_a_text_is_made_of() {
        let bytes = b"what is behind the text";
        for length in 0..bytes.len() {
            for at in 0..=length {
                let (first, second) = Lead::new(bytes, length).split(at);
                assert_eq!((first.text(), second.text()), (&bytes[..at], &bytes[at..length]));
            }
        }
    }
}
