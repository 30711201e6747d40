//! Where the pieces of a window end, when they cover the text: each begins where the one before it ends.

use super::ascii::BLOCK;
use super::vectors::Vectors;
use crate::scale::or_for_fuzzers;

/// Pieces that are found before they are taken: of a whole text mostly, so that many of those that nobody knows come
/// together.
const WINDOW: usize = or_for_fuzzers(2048, 64);

/// The start of the first piece, the ends of a window and of the block that makes it full, and room that a block is
/// written into whole.
const ROOM: usize = 1 + WINDOW + 2 * BLOCK;

/// Ends of up to [`Bounds::MOST`] pieces.
#[derive(Debug)]
pub struct Bounds {
    /// The first is where the first piece starts.
    places: [u32; ROOM],
    count: usize,
}

impl Default for Bounds {
    fn default() -> Self {
        Bounds { places: [0; ROOM], count: 0 }
    }
}

impl Bounds {
    /// Most pieces at a time.
    pub const MOST: usize = WINDOW + BLOCK;

    /// No pieces; the first one will start at `start`.
    pub fn begin(&mut self, start: u32) {
        self.places[0] = start;
        self.count = 0;
    }

    /// No pieces; the first one will start where the last one ended.
    pub fn go_on(&mut self) {
        self.begin(self.places[self.count]);
    }

    /// How many pieces there are.
    #[inline(always)]
    pub fn count(&self) -> usize {
        self.count
    }

    /// Whether these pieces are to be taken before there are more.
    #[inline(always)]
    pub fn is_full(&self) -> bool {
        self.count >= WINDOW
    }

    /// Pieces end at the bits of a block that begins at `base`. To be called only if they are not full.
    #[inline(always)]
    pub fn push_block<V: Vectors>(&mut self, vectors: V, bits: u64, base: u32) {
        if let Some(room) = self.places.get_mut(self.count + 1..).and_then(|room| room.first_chunk_mut()) {
            vectors.places(bits, base, room);
            self.count += bits.count_ones() as usize;
        }
    }

    /// A piece ends if `ends` is 1, and none if it is 0, without a branch. To be called at most [`BLOCK`] times once they
    /// are full.
    #[inline(always)]
    pub fn push_if(&mut self, end: u32, ends: u8) {
        self.places[self.count + 1] = end;
        self.count += usize::from(ends);
    }

    /// Pieces end at the first of some places, as many as go in until they are full; says how many.
    pub fn push_some(&mut self, ends: &[u32]) -> usize {
        let taken = ends.len().min(WINDOW.saturating_sub(self.count));
        self.places[self.count + 1..][..taken].copy_from_slice(&ends[..taken]);
        self.count += taken;
        taken
    }

    /// A piece ends. To be called only if they are not full, or once when there are no more.
    #[inline(always)]
    pub fn push(&mut self, end: u32) {
        self.count += 1;
        self.places[self.count] = end;
    }

    #[inline(always)]
    pub fn starts(&self) -> &[u32] {
        &self.places[..self.count]
    }

    #[inline(always)]
    pub fn ends(&self) -> &[u32] {
        &self.places[1..=self.count]
    }
}
