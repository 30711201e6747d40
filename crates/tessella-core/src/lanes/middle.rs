//! Pieces that are too long for a key and short enough for a lane: merged many at once, as short ones are
//! ([`super::sixteen`]), or in turn where vectors cannot, and remembered as longer ones are ([`super::longs`]), for
//! most of them come once.

use std::collections::HashMap;

use super::bytes::Bytes;
use super::key::LONGEST;
use super::merge::{Merging, Work};
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

/// Room for merging such pieces.
pub type LongWork = Work<ROOM>;

/// Pieces that are no keys and one token although merges would not make it; of longer ones than these also such as merges make.
#[derive(Debug)]
pub struct Wholes {
    tokens: HashMap<Box<[u8]>, TokenId>,
    /// Bytes of the longest one.
    longest: usize,
}

impl Wholes {
    #[inline(always)]
    pub fn get(&self, piece: &[u8]) -> Option<TokenId> {
        if piece.len() > self.longest { None } else { self.tokens.get(piece).copied() }
    }

    pub fn new(engine: &Engine) -> Self {
        let mut wholes: Vec<(Box<[u8]>, TokenId)> = Vec::new();
        if engine.whole_pieces {
            // Where merges are those of tokens alone, every result is reached.
            let none = Known::default();
            let made = if engine.by_concatenation { &engine.known } else { &none };
            (engine.tokens)(made, &mut |token, id| {
                if token.len() > LONGEST {
                    wholes.push((token.into(), id));
                }
            });
        }
        let mut others = vec![true; wholes.len()];
        let asked: Vec<usize> = (0..wholes.len()).filter(|&index| takes(&wholes[index].0)).collect();
        let listed = asked.iter().map(|&index| bytes(&wholes[index].0));
        engine.merger.merge(Plain, &mut Work::new(), listed, |at, symbols| {
            let made = symbols.iter().map(|&symbol| engine.merger.ids.of(symbol));
            others[asked[at]] = !made.eq([wholes[asked[at]].1]);
        });
        let mut others = others.into_iter();
        wholes.retain(|_| others.next() == Some(true));
        let longest = wholes.iter().map(|(token, _)| token.len()).max().unwrap_or(0);
        Wholes { tokens: wholes.into_iter().collect(), longest }
    }
}
