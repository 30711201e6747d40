//! Characters that no entry of the vocabulary has.
//!
//! Nothing reaches over such a character, and all that can become of it is what is unknown. So a piece falls into stretches with
//! and without them: those with them need no search, and those without are searched one after the other, each from the sum
//! that the ones before came to. Sums are added up in the order in which they would be without this, so that rounding is the same.

/// So many are told of at once, so that who goes on may be asked whether to.
const MOST: usize = 1 << 16;

/// A set of characters: all of which entries are made.
#[derive(Debug, Default)]
pub(super) struct Letters {
    /// A bit for each code point, up to the last one that there is.
    bits: Vec<u64>,
}

impl Letters {
    /// The characters of entries.
    pub fn of<'e>(entries: impl Iterator<Item = &'e str>) -> Self {
        let mut letters = Letters::default();
        for c in entries.flat_map(str::chars) {
            let at = c as usize;
            if letters.bits.len() <= at / 64 {
                letters.bits.resize(at / 64 + 1, 0);
            }
            letters.bits[at / 64] |= 1 << (at % 64);
        }
        letters
    }

    #[inline]
    pub fn has(&self, c: char) -> bool {
        self.bits.get(c as usize / 64).is_some_and(|bits| bits >> (c as usize % 64) & 1 == 1)
    }

    /// How many bytes at the begin of a text are strangers, and how many characters that is: all, or [`MOST`].
    #[inline]
    pub fn strangers(&self, text: &str) -> (usize, usize) {
        let strangers = text.chars().take_while(|&c| !self.has(c)).take(MOST);
        strangers.fold((0, 0), |(bytes, count), c| (bytes + c.len_utf8(), count + 1))
    }

    /// Whether a text begins with a stranger.
    #[inline]
    pub fn begin_no(&self, text: &str) -> bool {
        text.chars().next().is_some_and(|c| !self.has(c))
    }

    /// How many bytes of a text there are in front of the first stranger.
    #[inline]
    pub fn known(&self, text: &str) -> usize {
        text.char_indices().find(|&(_, c)| !self.has(c)).map_or(text.len(), |(at, _)| at)
    }
}
