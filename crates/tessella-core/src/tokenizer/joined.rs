//! What ids join to, for those who keep texts as characters of one width.

use crate::decode::Buffer;
use crate::lanes::vectors::Level;
use crate::lanes::wide::{Characters, Wide};

/// Room for one decoded text, kept for the next.
#[derive(Debug, Default)]
pub struct DecodeRoom {
    pub(super) bytes: Buffer,
    wide: Wide,
}

/// A text, in the form in which it is known best.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Joined<'r> {
    /// Characters up to U+007F.
    Ascii(&'r [u8]),
    /// Up to U+00FF.
    Latin(&'r [u16]),
    /// Up to U+FFFF, with one above U+00FF.
    Twos(&'r [u16]),
    /// With one above U+FFFF.
    Fours(&'r [u32]),
    /// What is no UTF-8 becomes U+FFFD: one for each longest part of what a character may begin with, and one for every
    /// other byte.
    Replaced(&'r [u8]),
    /// What becomes of bytes that are no UTF-8 is for the chain to say.
    Unsettled(&'r [u8]),
}

impl DecodeRoom {
    /// Bytes that the room takes.
    pub fn memory(&self) -> usize {
        self.bytes.memory() + self.wide.memory()
    }

    /// What stands in the room now.
    pub(super) fn joined(&mut self, lossy: bool) -> Joined<'_> {
        let bytes = self.bytes.as_bytes();
        if self.bytes.is_ascii() {
            return Joined::Ascii(bytes);
        }
        let level = Level::best();
        if level.unfolds()
            && let Some(characters) = self.wide.characters(bytes, level)
        {
            return match characters {
                Characters::Latin(twos) => Joined::Latin(twos),
                Characters::Twos(twos) => Joined::Twos(twos),
                Characters::Fours(fours) => Joined::Fours(fours),
            };
        }
        if lossy { Joined::Replaced(bytes) } else { Joined::Unsettled(bytes) }
    }
}
