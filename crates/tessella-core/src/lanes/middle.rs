//! Pieces that are too long for a key and short enough for a lane: merged many in turn, as short ones are, and
//! remembered as longer ones are ([`super::longs`]), for most of them come once.

use std::collections::HashMap;

use super::key::LONGEST;
use super::merge::{Bytes, Work};
use super::vectors::Plain;
use super::{Engine, Known};
use crate::ids::TokenId;

/// Symbols of a lane.
pub const ROOM: usize = 64;

/// Whether a piece is one of these.
#[inline(always)]
pub fn takes(piece: &[u8]) -> bool {
    (LONGEST + 1..ROOM).contains(&piece.len())
}

/// A piece as it goes into a lane.
#[inline(always)]
pub fn bytes(piece: &[u8]) -> Bytes<ROOM> {
    let mut bytes = [0; ROOM];
    bytes[..piece.len()].copy_from_slice(piece);
    Bytes { bytes, length: piece.len() }
}

/// Pieces of these lengths that are one token although merges would not make it.
#[derive(Debug)]
pub struct Wholes(HashMap<Box<[u8]>, TokenId>);

impl Wholes {
    #[inline(always)]
    pub fn get(&self, piece: &[u8]) -> Option<TokenId> {
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
