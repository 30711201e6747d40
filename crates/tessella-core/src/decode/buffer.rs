//! Bytes on their way to becoming text, in room that is kept from one call to the next.
//!
//! A few ids of a long token come to more text than any memory holds: where there is no room it is an error, and not the
//! end of the process.

use crate::error::Result;
use crate::memory;

/// Bytes, and initialised room behind them: it is cleared when it is first had and not for every call.
#[derive(Debug, Default)]
pub struct Buffer {
    room: Vec<u8>,
    used: usize,
    /// Something was written that is not ASCII, or may not be.
    wide: bool,
}

impl Buffer {
    /// No bytes; the room stays.
    pub fn clear(&mut self) {
        self.used = 0;
        self.wide = false;
    }

    /// Whether all bytes are known to be ASCII, without looking at them.
    pub fn is_ascii(&self) -> bool {
        !self.wide
    }

    /// The bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.room[..self.used]
    }

    /// The bytes as a list of their own.
    pub fn into_bytes(mut self) -> Vec<u8> {
        self.room.truncate(self.used);
        self.room
    }

    /// Bytes that the room takes.
    pub fn memory(&self) -> usize {
        self.room.capacity()
    }

    pub(crate) fn len(&self) -> usize {
        self.used
    }

    pub(crate) fn push(&mut self, bytes: &[u8]) -> Result<()> {
        self.reserve(bytes.len())?;
        self.note(bytes.is_ascii());
        self.room[self.used..self.used + bytes.len()].copy_from_slice(bytes);
        self.used += bytes.len();
        Ok(())
    }

    /// Notes of what is written into the room whether it is ASCII.
    pub(super) fn note(&mut self, ascii: bool) {
        self.wide |= !ascii;
    }

    /// Sees to it that so many bytes fit behind those that are there.
    #[inline]
    pub(super) fn reserve(&mut self, bytes: usize) -> Result<()> {
        let needed = self.used.saturating_add(bytes);
        if self.room.len() < needed { self.grow(needed) } else { Ok(()) }
    }

    #[cold]
    fn grow(&mut self, needed: usize) -> Result<()> {
        let length = self.room.len();
        let doubled = needed.max(length.saturating_mul(2));
        // What would be enough may still be there.
        let size = match memory::reserve_exact(&mut self.room, doubled - length) {
            Ok(()) => doubled,
            Err(_) => {
                memory::reserve_exact(&mut self.room, needed - length)?;
                needed
            }
        };
        self.room.resize(size, 0);
        Ok(())
    }

    /// All of the room, of which the first [`len`](Self::len) bytes are used.
    #[inline]
    pub(super) fn room(&mut self) -> &mut [u8] {
        &mut self.room
    }

    #[inline]
    pub(super) fn set_len(&mut self, used: usize) {
        debug_assert!(used <= self.room.len());
        self.used = used;
    }

    /// Keeps a part of the bytes.
    pub(super) fn keep(&mut self, kept: std::ops::Range<usize>) {
        self.used = kept.len();
        self.room.copy_within(kept, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;

    #[test]
    fn more_than_there_is_room_for_is_an_error_and_leaves_what_is_there() {
        let mut buffer = Buffer::default();
        buffer.push(b"tiles").unwrap();
        for bytes in [usize::MAX, isize::MAX as usize, 1 << 60] {
            let error = buffer.reserve(bytes).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Memory);
            assert!(error.message().starts_with("not enough memory for a text of"), "{error}");
        }
        assert_eq!(buffer.as_bytes(), b"tiles");
        buffer.push(b" of text").unwrap();
        assert_eq!(buffer.into_bytes(), b"tiles of text");
    }
}
