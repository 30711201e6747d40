//! Merging the pieces that the slots do not know: many at a time.
//!
//! One merge waits for two look-ups that mostly lie outside the processor's nearest caches, and the next merge
//! waits for it. So [`WIDTH`] pieces are in work at once, in two phases: each chooses its merge and asks for the
//! two places; then each reads them. A piece that is done makes room for the next one.
//!
//! A lane holds `N` symbols, 16 for pieces that are keys and 64 for longer ones ([`super::middle`]); the lowest rank is
//! looked for, and what was merged is closed up, by vectors.
//!
//! Where vectors hold sixteen symbols, keys are merged a piece to a lane ([`super::sixteen`]), unless there are few.
//!
//! Nothing here decides anything that the plain loops (`model/bpe/merge.rs`) would decide otherwise: lowest rank
//! first, leftmost first among equals. Ranks are the symbols themselves (see [`super::pairs`]), so rank and place
//! are one number, and the lowest of them is the merge to make.

use super::begins::Merges;
use super::pairs::{NEVER, PairHash, Place, Symbol};
use super::sixteen::Sixteens;
use super::vectors::{PLACE_BITS, Vectors};
use crate::ids::TokenId;

/// So many pieces are worth vectors with a lane for each of sixteen.
pub const FEW: usize = 4;
/// Pieces in work.
const WIDTH: usize = 16;
/// A rank with a place is a number of 32 bits.
const _: () = assert!((NEVER as u64) << PLACE_BITS < 1 << 32);

/// The pieces in work.
#[derive(Debug)]
pub struct Work<const N: usize> {
    lanes: Box<[Lane<N>; WIDTH]>,
    sixteens: Sixteens<N>,
}

impl<const N: usize> Work<N> {
    pub fn new() -> Self {
        Work { lanes: Box::new(std::array::from_fn(|_| Lane::new())), sixteens: Sixteens::default() }
    }
}

/// One piece in work.
#[derive(Debug, Clone)]
struct Lane<const N: usize> {
    /// From the second on; before and behind them stands what merges with nothing.
    symbols: [Symbol; N],
    /// What each symbol and the one behind it become.
    ranks: [Symbol; N],
    piece: usize,
    count: usize,
    places: [Place; 2],
    at: usize,
}

impl<const N: usize> Lane<N> {
    fn new() -> Self {
        const { assert!(N.is_power_of_two() && N <= 1 << PLACE_BITS) };
        Lane {
            symbols: [NEVER; N],
            ranks: [NEVER; N],
            piece: 0,
            count: 0,
            places: [Place::default(); 2],
            at: 0,
        }
    }

    /// The symbols that are left.
    #[inline(always)]
    fn symbols(&self) -> &[Symbol] {
        self.symbols.get(1..=self.count).unwrap_or_default()
    }

    #[inline(always)]
    fn begin<M: Merges<N>>(&mut self, merger: &M, number: usize, piece: &M::Piece<'_>) {
        self.piece = number;
        self.symbols = [NEVER; N];
        self.ranks = [NEVER; N];
        self.count = merger.begin_lane(piece, &mut self.symbols, &mut self.ranks);
    }

    /// Makes the next merge and asks for its two new pairs; false if there is none.
    #[inline(always)]
    fn choose(&mut self, vectors: impl Vectors, pairs: &PairHash) -> bool {
        let best = vectors.lowest(&self.ranks);
        let (merged, at) = (best >> PLACE_BITS, best as usize % N);
        if merged == NEVER {
            return false;
        }
        // Read before anything is written, and nothing is written alone: a vector that is read where one symbol was just
        // written waits until that has reached the cache.
        let (left, right) = (self.symbols[at.wrapping_sub(1) % N], self.symbols[(at + 2) % N]);
        vectors.join(&mut self.symbols, at, merged, NEVER);
        vectors.join(&mut self.ranks, at, NEVER, NEVER);
        self.count -= 1;
        self.at = at;
        self.places = [pairs.place(left, merged), pairs.place(merged, right)];
        true
    }

    /// Reads what the last choice asked for.
    #[inline(always)]
    fn read(&mut self, pairs: &PairHash) {
        self.ranks[self.at.wrapping_sub(1) % N] = pairs.at(self.places[0]);
        self.ranks[self.at % N] = pairs.at(self.places[1]);
    }
}

/// Merging by what begins pieces.
pub trait Merging<const N: usize>: Merges<N> {
    /// Hands over the ids of so many pieces, in any order, each with its number.
    #[inline(always)]
    fn solve<'p, V: Vectors>(
        &self,
        vectors: V,
        work: &mut Work<N>,
        count: usize,
        piece: impl Fn(usize) -> Self::Piece<'p>,
        mut found: impl FnMut(usize, &[TokenId]),
    ) where
        Self: Sized,
    {
        if V::SIXTEENS && count >= FEW && self.pairs().may_be_gathered() {
            return work.sixteens.merge(vectors, self, count, piece, found);
        }
        self.merge(vectors, work, (0..count).map(piece), |index, symbols| {
            let mut ids = [0; N];
            for (id, &symbol) in ids.iter_mut().zip(symbols) {
                *id = self.ids().of(symbol);
            }
            found(index, &ids[..symbols.len()]);
        });
    }

    /// Merges pieces, in any order, and hands the symbols of each over when it is done, with its number.
    #[inline(always)]
    fn merge<'p>(
        &self,
        vectors: impl Vectors,
        work: &mut Work<N>,
        pieces: impl Iterator<Item = Self::Piece<'p>>,
        mut done: impl FnMut(usize, &[Symbol]),
    ) where
        Self: Sized,
    {
        let mut pieces = pieces.enumerate();
        // Lanes in work stand first, in any order.
        let mut order = [0; WIDTH];
        for (at, place) in order.iter_mut().enumerate() {
            *place = at;
        }
        let lanes = &mut *work.lanes;
        let mut working = 0;
        while working < WIDTH
            && let Some((number, piece)) = pieces.next()
        {
            lanes[working].begin(self, number, &piece);
            working += 1;
        }
        while working > 0 {
            let mut at = 0;
            while at < working {
                let lane = &mut lanes[order[at] % WIDTH];
                if lane.choose(vectors, self.pairs()) {
                    at += 1;
                    continue;
                }
                done(lane.piece, lane.symbols());
                match pieces.next() {
                    Some((number, piece)) => lane.begin(self, number, &piece),
                    None => {
                        working -= 1;
                        order.swap(at, working);
                    }
                }
            }
            for &at in order.iter().take(working) {
                lanes[at % WIDTH].read(self.pairs());
            }
        }
    }
}

impl<const N: usize, M: Merges<N>> Merging<N> for M {}
