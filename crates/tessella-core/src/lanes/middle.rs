//! Pieces that are too long for a key and short enough for a lane: merged many in turn, as short ones are, and
//! remembered as longer ones are ([`super::longs`]), for most of them come once.
//!
//! At the first one of a window that nobody remembers, the rest of the window is looked through for more of them.

use std::collections::HashMap;

use super::key::LONGEST;
use super::longs::{Longs, New};
use super::merge::{Bytes, Work};
use super::vectors::{Plain, Vectors};
use super::{Engine, Known, Pieces};
use crate::ids::TokenId;

/// Symbols of a lane.
const ROOM: usize = 64;

/// Whether a piece is one of these.
#[inline(always)]
pub fn takes(piece: &[u8]) -> bool {
    (LONGEST + 1..ROOM).contains(&piece.len())
}

/// The lanes of one worker, and what they made of the pieces of a window.
#[derive(Debug)]
pub struct Middle {
    work: Work<ROOM>,
    /// The pieces that were merged, in order.
    pieces: Vec<(u32, New)>,
    /// Where the ids of each of them are.
    places: Vec<(u32, u32)>,
    ids: Vec<TokenId>,
    /// How many of them are written out.
    taken: usize,
}

impl Middle {
    pub fn new() -> Self {
        Middle { work: Work::new(), pieces: Vec::new(), places: Vec::new(), ids: Vec::new(), taken: 0 }
    }

    /// Forgets the pieces of the last window.
    pub fn begin(&mut self) {
        self.pieces.clear();
        self.taken = 0;
    }

    /// Appends the ids of a piece that was merged along with one before it; false if it was not.
    #[inline(always)]
    pub fn write(&mut self, at: usize, out: &mut Vec<TokenId>) -> bool {
        while let Some(&(piece, _)) = self.pieces.get(self.taken) {
            if piece as usize > at {
                return false;
            }
            self.taken += 1;
            if piece as usize == at {
                let (start, end) = self.places[self.taken - 1];
                out.extend_from_slice(&self.ids[start as usize..end as usize]);
                return true;
            }
        }
        false
    }

    /// Appends the ids of a piece, and merges others of its window with it, if it is not remembered. `wanted` says which of
    /// them.
    #[inline(always)]
    pub fn ids(
        &mut self,
        vectors: impl Vectors,
        (engine, wholes): (&Engine, &Wholes),
        longs: &mut Longs,
        (pieces, at): (Pieces<'_>, usize),
        wanted: impl Fn(&[u8]) -> bool,
        out: &mut Vec<TokenId>,
    ) {
        self.begin();
        match longs.get(pieces.piece(at)) {
            Ok(ids) => return out.extend_from_slice(ids),
            Err(new) => self.pieces.push((at as u32, new)),
        }
        for place in at + 1..pieces.starts.len() {
            let piece = pieces.piece(place);
            if takes(piece)
                && wanted(piece)
                && let Err(new) = longs.get(piece)
            {
                self.pieces.push((place as u32, new));
            }
        }
        let Middle { work, pieces: missing, places, ids, .. } = self;
        places.clear();
        places.resize(missing.len(), (0, 0));
        ids.clear();
        let listed = missing.iter().map(|&(place, _)| bytes(pieces.piece(place as usize)));
        engine.merger.merge(vectors, work, listed, |index, symbols| {
            let start = ids.len() as u32;
            let of_symbol = |&symbol: &u32| engine.merger.ids.of(symbol);
            match wholes.get(pieces.piece(missing[index].0 as usize)) {
                Some(id) => ids.push(id),
                None => ids.extend(symbols.iter().map(of_symbol)),
            }
            places[index] = (start, ids.len() as u32);
        });
        for (&(place, new), &(start, end)) in missing.iter().zip(&*places) {
            longs.remember(new, pieces.piece(place as usize), &ids[start as usize..end as usize]);
        }
        self.write(at, out);
    }
}

#[inline(always)]
fn bytes(piece: &[u8]) -> Bytes<ROOM> {
    let mut bytes = [0; ROOM];
    bytes[..piece.len()].copy_from_slice(piece);
    Bytes { bytes, length: piece.len() }
}

/// Pieces of these lengths that are one token although merges would not make it.
#[derive(Debug)]
pub struct Wholes(HashMap<Box<[u8]>, TokenId>);

impl Wholes {
    #[inline(always)]
    fn get(&self, piece: &[u8]) -> Option<TokenId> {
        if self.0.is_empty() { None } else { self.0.get(piece).copied() }
    }

    pub fn new(engine: &Engine) -> Self {
        let mut wholes: Vec<(Box<[u8]>, TokenId)> = Vec::new();
        if engine.whole_pieces {
            // Where merges are those of tokens alone, every result is reached.
            let none = Known::default();
            let made = if engine.by_concatenation { &engine.known } else { &none };
            (engine.tokens)(made, &mut |token, id| {
                if takes(token) {
                    wholes.push((token.into(), id));
                }
            });
        }
        let mut others = vec![true; wholes.len()];
        let listed = wholes.iter().map(|(token, _)| bytes(token));
        engine.merger.merge(Plain, &mut Work::new(), listed, |index, symbols| {
            let made = symbols.iter().map(|&symbol| engine.merger.ids.of(symbol));
            others[index] = !made.eq([wholes[index].1]);
        });
        let mut others = others.into_iter();
        wholes.retain(|_| others.next() == Some(true));
        Wholes(wholes.into_iter().collect())
    }
}
