//! What ids join to, for those who keep texts as characters of one width.

use crate::decode::Buffer;

/// Room for one decoded text, kept for the next.
#[derive(Debug, Default)]
pub struct DecodeRoom {
    pub(crate) bytes: Buffer,
}

/// A text, in the form in which it is known best.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Joined<'r> {
    /// Characters up to U+007F.
    Ascii(&'r [u8]),
    /// What is no UTF-8 becomes U+FFFD: one for each longest part of what a character may begin with, and one for every
    /// other byte.
    Replaced(&'r [u8]),
    /// What becomes of bytes that are no UTF-8 is for the chain to say.
    Unsettled(&'r [u8]),
}

impl DecodeRoom {
    /// Bytes that the room takes.
    pub fn memory(&self) -> usize {
        self.bytes.memory()
    }

    /// What stands in the room now.
    pub(crate) fn joined(&self, lossy: bool) -> Joined<'_> {
        let bytes = self.bytes.as_bytes();
        if self.bytes.is_ascii() {
            return Joined::Ascii(bytes);
        }
        if lossy { Joined::Replaced(bytes) } else { Joined::Unsettled(bytes) }
    }
}
