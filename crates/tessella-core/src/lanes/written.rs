//! A text that is written, and, where that is wanted, where in the original each byte of it came from.

use super::ascii::BLOCK;

/// A text on its way. The buffer is longer than the text in it.
#[derive(Debug, Default)]
pub struct Written {
    pub(super) bytes: Vec<u8>,
    pub(super) length: usize,
    /// By written byte, the place in the original where what it was written for begins.
    sources: Vec<u32>,
    /// Whether these are wanted.
    pub tells_sources: bool,
    /// Whether blanks were dropped at the end.
    pub ended_with_blanks: bool,
}

/// Longer buffers are given back.
const MOST_KEPT: usize = 1 << 20;

impl Written {
    pub fn bytes(&self) -> &[u8] {
        &self.bytes[..self.length]
    }

    /// Where in the original each written byte came from, and behind the last one where that ends.
    pub fn sources(&self) -> &[u32] {
        self.sources.get(..=self.length).unwrap_or_default()
    }

    /// Gives back what a long text took.
    pub fn rest(&mut self) {
        if self.bytes.len() > MOST_KEPT {
            *self = Written::default();
        }
    }

    /// Makes room for a text that is begun anew.
    pub(super) fn begin(&mut self, room: usize) {
        if self.bytes.len() < room {
            self.bytes.resize(room, 0);
        }
        self.length = 0;
    }

    #[inline(always)]
    pub(super) fn push(&mut self, byte: u8, source: usize) {
        self.note(1, |_| source);
        self.bytes[self.length] = byte;
        self.length += 1;
    }

    /// Says where the next bytes come from, before they are counted.
    #[inline(always)]
    pub(super) fn note(&mut self, bytes: usize, source: impl Fn(usize) -> usize) {
        if self.tells_sources {
            self.grow(bytes);
            for (byte, place) in self.sources[self.length..][..bytes].iter_mut().enumerate() {
                *place = source(byte) as u32;
            }
        }
    }

    /// The same for those of a block, which begins at `source`, that are kept.
    #[inline(always)]
    pub(super) fn note_kept(&mut self, source: usize, kept: u64, are_first: bool) {
        if !self.tells_sources {
            return;
        }
        self.grow(BLOCK);
        let Some(room) = self.sources[self.length..].first_chunk_mut::<BLOCK>() else { return };
        let source = source as u32;
        if are_first {
            for (place, byte) in room.iter_mut().zip(source..) {
                *place = byte;
            }
            return;
        }
        let mut next = 0;
        for byte in 0..BLOCK as u32 {
            room[next % BLOCK] = source + byte;
            next += (kept >> byte & 1) as usize;
        }
    }

    /// Says where what is in front of all came from, and where the original ends.
    pub(super) fn note_ends(&mut self, first: Option<usize>, end: Option<usize>) {
        if !self.tells_sources {
            return;
        }
        self.grow(0);
        if let (Some(first), Some(place)) = (first, self.sources.first_mut()) {
            *place = first as u32;
        }
        if let (Some(end), Some(place)) = (end, self.sources.get_mut(self.length)) {
            *place = end as u32;
        }
    }

    /// Room for so many more, and for what is behind them.
    #[inline(always)]
    fn grow(&mut self, more: usize) {
        let needed = self.length + more + 1;
        if self.sources.len() < needed {
            self.sources.resize(needed.next_power_of_two(), 0);
        }
    }
}
