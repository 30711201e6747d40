//! Blanks in front of a word whose places are wanted, where they are its mark.
//!
//! A word behind a line end begins with one, and one behind an empty line with two or more. What they become is one blank, wherever it is,
//! if nothing behind it can join with it; so such a word need not take all stages.

use super::word_stages::Stages;

/// ASCII characters that are blanks in front of a word.
#[derive(Debug, Clone, Copy)]
pub(super) struct BlanksInFront {
    /// By bits, those that become one.
    are: u128,
    /// Whether several become one.
    join: bool,
}

impl BlanksInFront {
    /// `None` where the blank is nothing that a word begins with.
    pub fn new(stages: &Stages) -> Option<Self> {
        let gaps = stages.gaps().filter(|_| stages.kind(' ').is_blank())?;
        let keeps_places = |c| stages.normalizer.as_ref().is_none_or(|normalizer| normalizer.keeps_places(c));
        // A line end of two is one cluster.
        let is_one = |c: char| {
            c != '\r'
                && stages.kind(c).is_blank()
                && keeps_places(c)
                && stages.normalize(c).is_ok_and(|text| text == " ")
        };
        let are = (0..0x80u8).filter(|&byte| is_one(byte.into())).fold(0u128, |all, byte| all | 1 << byte);
        Some(BlanksInFront { are, join: !gaps.are_pieces() })
    }

    /// How many bytes in front become one blank, if it is not one that stays, which is as any other character; `None` if that cannot be
    /// told.
    #[inline]
    pub fn length(&self, word: &[u8]) -> Option<usize> {
        let is_blank = |&&byte: &&u8| byte.is_ascii() && self.are >> byte & 1 == 1;
        let length = word.iter().take_while(is_blank).count();
        match (length, word) {
            (0, _) | (1, [b' ', ..]) => Some(0),
            // Marks beyond ASCII may join with what is before them.
            _ => (word.get(length).is_some_and(u8::is_ascii) && (length == 1 || self.join)).then_some(length),
        }
    }
}
