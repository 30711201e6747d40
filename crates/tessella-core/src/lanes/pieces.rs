//! The pieces of a window: where they begin and end.

use std::ops::Range;

use super::CHUNK;
use super::bounds::Bounds;
use super::key::Key;

/// The pieces of a text that a runner takes at once, at most [`Bounds::MOST`]: not empty, in order, without overlap.
#[derive(Debug, Clone, Copy)]
pub struct Pieces<'t> {
    pub text: &'t [u8],
    pub starts: &'t [u32],
    pub ends: &'t [u32],
}

impl<'t> Pieces<'t> {
    /// Pieces that cover a stretch of a text.
    pub fn within(bounds: &'t Bounds, text: &'t [u8]) -> Self {
        Pieces { text, starts: bounds.starts(), ends: bounds.ends() }
    }

    /// Without the first ones.
    pub fn from(self, first: usize) -> Self {
        let Pieces { text, starts, ends } = self;
        Pieces {
            text,
            starts: starts.get(first..).unwrap_or_default(),
            ends: ends.get(first..).unwrap_or_default(),
        }
    }

    /// The first `count` of them.
    pub fn first(self, count: usize) -> Self {
        let Pieces { text, starts, ends } = self;
        let first = |places: &'t [u32]| places.get(..count).unwrap_or(places);
        Pieces { text, starts: first(starts), ends: first(ends) }
    }

    /// As many at a time as have their keys made together, each with the number of pieces before it.
    #[inline(always)]
    pub(super) fn chunks(self) -> impl Iterator<Item = (usize, Pieces<'t>)> {
        let Pieces { text, starts, ends } = self;
        let chunks = starts.chunks(CHUNK).zip(ends.chunks(CHUNK));
        chunks.enumerate().map(move |(at, (starts, ends))| (at * CHUNK, Pieces { text, starts, ends }))
    }

    /// Whether a piece goes on what the one before it begins. Only parts of words leave no gap between them.
    #[inline(always)]
    pub fn goes_on(&self, at: usize) -> bool {
        at > 0 && self.starts[at] == self.ends[at - 1]
    }

    /// Notes for each piece how many up to it do not go on others; nothing, if none goes on.
    pub fn note_opened(&self, out: &mut Vec<u32>) {
        let Some((_, starts)) = self.starts.split_first() else { return out.clear() };
        let mut count = 1;
        out.clear();
        out.push(count);
        out.extend(starts.iter().zip(self.ends).map(|(start, before)| {
            count += u32::from(start != before);
            count
        }));
        if count as usize == out.len() {
            out.clear();
        }
    }

    /// Those that are too long for a key, each with its number.
    #[inline(always)]
    pub(super) fn long(self) -> impl Iterator<Item = (usize, &'t [u8])> {
        let is_long = |&(_, (&start, &end)): &(usize, (&u32, &u32))| (end - start) as usize > Key::LONGEST;
        let bounds = self.starts.iter().zip(self.ends).enumerate().filter(is_long);
        bounds.map(move |(at, (&start, &end))| (at, &self.text[start as usize..end as usize]))
    }

    /// Where a piece stands in the text.
    #[inline(always)]
    pub fn range(&self, at: usize) -> Range<usize> {
        self.starts[at] as usize..self.ends[at] as usize
    }

    #[inline(always)]
    pub(super) fn piece(&self, at: usize) -> &'t [u8] {
        &self.text[self.range(at)]
    }
}
