//! The pieces of a window: where they begin and end.

use std::ops::Range;

use super::CHUNK;
use super::bounds::Bounds;
use super::ends::MANY;
use super::vectors::{Level, Task, Vectors};

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
        let all = Level::best().run(Opened { pieces: *self, out });
        if all as usize == out.len() {
            out.clear();
        }
    }

    /// Where a piece stands in the text.
    #[inline(always)]
    pub fn range(&self, at: usize) -> Range<usize> {
        self.starts[at] as usize..self.ends[at] as usize
    }

    #[inline(always)]
    pub(crate) fn piece(&self, at: usize) -> &'t [u8] {
        &self.text[self.range(at)]
    }
}

/// Pieces whose beginnings are counted ([`Pieces::note_opened`]).
struct Opened<'p, 'o> {
    pieces: Pieces<'p>,
    out: &'o mut Vec<u32>,
}

impl Task for Opened<'_, '_> {
    /// How many pieces do not go on others.
    type Output = u32;

    #[inline(always)]
    fn run<V: Vectors>(self, vectors: V) -> u32 {
        let Opened { pieces: Pieces { starts, ends, .. }, out } = self;
        out.clear();
        out.resize(starts.len(), 1);
        let (Some((_, starts)), Some((_, out))) = (starts.split_first(), out.split_first_mut()) else {
            return 0;
        };
        let (starts, rest_of_starts) = starts.as_chunks::<MANY>();
        let (ends, rest_of_ends) = ends.split_at(starts.len() * MANY);
        let (out, rest) = out.as_chunks_mut::<MANY>();
        let mut count = 1;
        for ((starts, ends), out) in starts.iter().zip(ends.as_chunks::<MANY>().0).zip(out) {
            let opens = std::array::from_fn(|lane| u32::from(starts[lane] != ends[lane]));
            *out = vectors.sums(&opens).map(|sum| count + sum);
            count = out[MANY - 1];
        }
        for ((start, before), out) in rest_of_starts.iter().zip(rest_of_ends).zip(rest) {
            count += u32::from(start != before);
            *out = count;
        }
        count
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    #[test]
    fn parts_that_go_on_open_nothing() {
        let mut random = Random::from_seed(6);
        let mut below = |bound: u32| (random.next_u64() % u64::from(bound)) as u32;
        for round in 0..200 {
            let (mut starts, mut ends, mut at) = (Vec::new(), Vec::new(), below(9));
            for _ in 0..below(70) {
                at += if below(3) < round % 4 { 0 } else { 1 + below(3) };
                starts.push(at);
                at += 1 + below(15);
                ends.push(at);
            }
            let pieces = Pieces { text: &[], starts: &starts, ends: &ends };
            let mut count = 0;
            let opens = |at| {
                count += u32::from(!pieces.goes_on(at));
                count
            };
            let expected: Vec<u32> = (0..starts.len()).map(opens).collect();
            for level in Level::all() {
                let mut out = vec![7; 3];
                assert_eq!(level.run(Opened { pieces, out: &mut out }), count, "{}", level.name());
                assert_eq!(out, expected, "{}", level.name());
            }
            let mut out = Vec::new();
            pieces.note_opened(&mut out);
            assert_eq!(out, if count as usize == expected.len() { vec![] } else { expected });
        }
    }
}
