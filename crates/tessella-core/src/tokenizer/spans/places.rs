//! What each place of a stretch of text stands for, written down before any token asks.

use super::{Spans, word_at};
use crate::encoding::{OffsetUnit, Offsets};
use crate::lanes::Pieces;
use crate::lanes::abreast::Offset;
use crate::lanes::ends::MANY;
use crate::lanes::places::{Counted, Counts};
use crate::lanes::vectors::Vectors;

/// Pieces that are shorter together have tables for each place of their text.
const STRETCH: usize = 1 << 18;

/// Where the places of a stretch of text are.
#[derive(Debug, Clone, Copy)]
pub struct Mapped<'m> {
    /// Where the stretch begins in the text of its pieces.
    pub from: u32,
    /// Characters before it.
    pub begin: u32,
    /// What begins before each place; `None` where bytes are characters.
    pub counted: Option<Counted<'m>>,
}

/// Offsets where bytes are characters: places, moved.
pub struct Moved(pub u32);

impl Offset for Moved {
    #[inline(always)]
    fn of<V: Vectors>(&self, _: V, starts: &[u32; MANY], ends: &[u32; MANY]) -> [[u32; MANY]; 2] {
        [starts, ends].map(|places| places.map(|place| place.wrapping_add(self.0)))
    }

    #[inline(always)]
    fn moved(&self, _: u32, _: u32) -> Option<u32> {
        Some(self.0)
    }
}

/// Offsets where they are not, as [`Mapped`] has it.
pub struct Characters<'m> {
    pub counted: Counted<'m>,
    pub from: u32,
    pub begin: u32,
}

impl Characters<'_> {
    /// What is before places that are moved by so many bytes, less as many. No closure: it would be compiled for no vectors.
    #[inline(always)]
    fn before_moved<V: Vectors>(&self, vectors: V, places: &[u32; MANY], moved: u32) -> [u32; MANY] {
        let places = places.map(|place| place.wrapping_add(moved).wrapping_sub(self.from));
        let (counts, _) = self.counted.at_all(vectors, &places);
        counts.map(|count| count.wrapping_add(self.begin).wrapping_sub(moved))
    }
}

impl Offset for Characters<'_> {
    /// A byte inside of a character stands for all of it.
    #[inline(always)]
    fn of<V: Vectors>(&self, vectors: V, starts: &[u32; MANY], ends: &[u32; MANY]) -> [[u32; MANY]; 2] {
        [self.before_moved(vectors, starts, 1), self.before_moved(vectors, ends, 0)]
    }

    #[inline(always)]
    fn moved(&self, start: u32, end: u32) -> Option<u32> {
        let before = |place: u32| self.counted.before(place - self.from);
        let (first, last) = (before(start), before(end));
        (last - first == end - start).then(|| (self.begin + first).wrapping_sub(start))
    }
}

impl Mapped<'_> {
    /// What begins before a boundary between characters, at a byte of the pieces' text.
    pub fn before(self, place: u32) -> usize {
        let place = place - self.from;
        (self.begin + self.counted.map_or(place, |counted| counted.before(place))) as usize
    }
}

impl Spans<'_, '_> {
    /// Where the places of some pieces are, if each of them is to be looked up.
    pub fn map<'m>(
        &mut self,
        pieces: Pieces<'_>,
        origin: usize,
        counts: &'m mut Counts,
    ) -> Option<Mapped<'m>> {
        let (stretch, from) = (self.stretch(pieces)?, word_at(pieces.starts, 0));
        let mapped = self.mapped(stretch, origin + from as usize, counts);
        Some(Mapped { from, ..mapped })
    }

    pub(super) fn mapped<'m>(&mut self, stretch: &[u8], origin: usize, counts: &'m mut Counts) -> Mapped<'m> {
        let begin = self.positions.convert(origin);
        let is_plain = self.positions.is_ascii || stretch.is_ascii();
        let counted = (!is_plain).then(|| counts.of(stretch));
        let length = stretch.len() as u32;
        let count = counted.map_or(length, |counted| counted.before(length));
        self.positions.are_at(origin + stretch.len(), begin + count as usize);
        Mapped { from: 0, begin: begin as u32, counted }
    }

    /// The text from the first piece to the last if each place of it is to be looked up.
    pub(super) fn stretch<'p>(&self, pieces: Pieces<'p>) -> Option<&'p [u8]> {
        let (from, to) = (*pieces.starts.first()?, *pieces.ends.last()?);
        let stretch = pieces.text.get(from as usize..to as usize)?;
        let begins_inside = stretch.first().is_some_and(|byte| byte & 0xC0 == 0x80);
        let are_characters = self.positions.unit == OffsetUnit::Char && !begins_inside;
        let fits = stretch.len() < STRETCH
            && (self.positions.is_ascii || are_characters)
            && u32::try_from(self.positions.text.len()).is_ok()
            && matches!(self.offsets, Offsets::Narrow(_));
        fits.then_some(stretch)
    }
}
