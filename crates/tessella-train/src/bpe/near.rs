//! What a learner would wait for: memory that is far, asked for in time or kept near.

use tessella_core::Result;

use super::pairs::{Pairs, key};
use super::symbols::Symbols;

/// Positions of which the first is worked on when the word of the last is asked for.
const AHEAD: usize = 16;

/// What lies at the next positions. These are far from each other, so each would wait for memory. Cells and block of a
/// position are asked for when it is the 32nd from now, what the block names when it is the 16th.
#[derive(Default)]
pub(super) struct Ahead {
    words: [u32; AHEAD],
}

impl Ahead {
    pub(super) fn begin(symbols: &Symbols, positions: &[u32]) -> Ahead {
        positions.iter().take(2 * AHEAD).for_each(|&position| symbols.ask(position));
        let mut ahead = Ahead::default();
        for (word, &position) in ahead.words.iter_mut().zip(positions) {
            *word = symbols.ask_word(position);
        }
        ahead
    }

    /// The weight at a position. To be asked for all of them, in order.
    #[inline]
    pub(super) fn weight(&mut self, symbols: &Symbols, positions: &[u32], at: usize) -> u64 {
        if let Some(&later) = positions.get(at + 2 * AHEAD) {
            symbols.ask(later);
        }
        let word = &mut self.words[at % AHEAD];
        let weight = symbols.weights[symbols.word_from(*word, positions[at])];
        if let Some(&later) = positions.get(at + AHEAD) {
            *word = symbols.ask_word(later);
        }
        weight
    }
}

/// The numbers of pairs of first symbols, by both ids: of a small alphabet they are found without hashing.
pub(super) struct Grid {
    pairs: Vec<u32>,
    /// Symbols from here on have no place.
    side: usize,
}

/// The largest side, with which a grid has a megabyte.
const MOST_SIDE: usize = 512;
/// In place of a number: the pair was not met yet.
const UNKNOWN: u32 = u32::MAX;

impl Grid {
    /// For so many symbols.
    pub(super) fn new(symbols: usize) -> Grid {
        let side = symbols.min(MOST_SIDE);
        Grid { pairs: vec![UNKNOWN; side * side], side }
    }

    #[inline]
    fn place(&self, left: u32, right: u32) -> Option<usize> {
        let (left, right) = (left as usize, right as usize);
        (left < self.side && right < self.side).then_some(left * self.side + right)
    }

    /// As [`Pairs::find_or_insert`].
    #[inline]
    pub(super) fn find_or_insert(&mut self, pairs: &mut Pairs, left: u32, right: u32) -> Result<u32> {
        let Some(place) = self.place(left, right) else { return pairs.find_or_insert(key(left, right)) };
        if self.pairs[place] == UNKNOWN {
            self.pairs[place] = pairs.find_or_insert(key(left, right))?;
        }
        Ok(self.pairs[place])
    }

    /// As [`Pairs::find`], for pairs that were all met.
    #[inline]
    pub(super) fn find(&self, pairs: &Pairs, left: u32, right: u32) -> Option<u32> {
        match self.place(left, right) {
            Some(place) => Some(self.pairs[place]).filter(|&pair| pair != UNKNOWN),
            None => pairs.find(key(left, right)),
        }
    }
}
