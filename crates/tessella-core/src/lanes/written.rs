//! A text that is written, and, where that is wanted, where in the original each byte of it came from.

use super::ascii::{BLOCK, IN_ORDER};
use super::ends::MANY;
use super::vectors::Vectors;

/// A text on its way. The buffer is longer than the text in it.
#[derive(Debug, Default)]
pub struct Written {
    pub(super) bytes: Vec<u8>,
    pub(super) length: usize,
    /// By written byte, the place in the original where what it was written for begins; or [`SPANNED`] and which of the spans has it.
    sources: Vec<u32>,
    /// Where in the original characters stand that do not begin or end with one of its own.
    spans: Vec<[u32; 2]>,
    /// Whether these are wanted.
    pub tells_sources: bool,
    /// Whether blanks were dropped at the end.
    pub ended_with_blanks: bool,
}

/// Set where a written byte has a span. No text that has its places told is so long.
const SPANNED: u32 = 1 << 31;

/// Where in the original the bytes of a written text came from.
#[derive(Debug, Clone, Copy)]
pub struct Sources<'w> {
    sources: &'w [u32],
    spans: &'w [[u32; 2]],
}

impl Sources<'_> {
    fn spanned(self, source: u32) -> Option<[u32; 2]> {
        if source & SPANNED == 0 { None } else { self.spans.get((source & !SPANNED) as usize).copied() }
    }

    /// Where what a byte was written for begins.
    #[inline(always)]
    pub fn begin(self, at: usize) -> Option<u32> {
        let source = *self.sources.get(at)?;
        if source & SPANNED == 0 { Some(source) } else { self.spanned(source).map(|[begin, _]| begin) }
    }

    /// Where it ends in the original: with a byte of its own, or with the character that it was written for.
    #[inline(always)]
    pub fn end(self, at: usize, original: &[u8]) -> Option<u32> {
        let source = *self.sources.get(at)?;
        if source & SPANNED != 0 {
            return self.spanned(source).map(|[_, end]| end);
        }
        // Of inner bytes 1.
        const WIDTHS: [u8; 16] = [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 3, 4];
        let byte = *original.get(source as usize)?;
        Some(source + u32::from(WIDTHS[usize::from(byte >> 4)]))
    }

    /// Where what sixteen bytes were written for begins; nothing if one of them has a span, or is none.
    #[inline(always)]
    pub fn begin_all<V: Vectors>(self, vectors: V, places: &[u32; MANY]) -> Option<[u32; MANY]> {
        let begins = vectors.numbers_at(self.sources, places);
        let bits = begins.iter().fold(0, |bits, begin| bits | begin);
        let last = places.iter().fold(0, |last, &place| place.max(last));
        (bits & SPANNED == 0 && (last as usize) < self.sources.len()).then_some(begins)
    }

    /// Whether a byte was written for a character by itself.
    pub fn is_alone(self, at: usize) -> bool {
        self.sources.get(at).is_some_and(|source| source & SPANNED == 0)
    }
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

    /// The same of texts that have words written as a whole.
    pub fn places(&self) -> Sources<'_> {
        Sources { sources: self.sources(), spans: &self.spans }
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
        self.spans.clear();
    }

    /// Says of the next bytes what span they were written for.
    pub(super) fn note_span(&mut self, bytes: usize, span: [u32; 2]) {
        let source = SPANNED as usize | self.spans.len();
        self.spans.push(span);
        self.note(bytes, |_| source);
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
    pub(super) fn note_kept<V: Vectors>(&mut self, vectors: V, source: usize, kept: u64, are_all: bool) {
        if !self.tells_sources {
            return;
        }
        self.grow(BLOCK);
        let Some(room) = self.sources[self.length..].first_chunk_mut::<BLOCK>() else { return };
        let mut places = IN_ORDER;
        if !are_all {
            vectors.kept(&IN_ORDER, kept, &mut places);
        }
        for (room, place) in room.iter_mut().zip(places) {
            *room = source as u32 + u32::from(place);
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
