//! The symbols of sixteen pieces in rows: a row for each place in the pieces, a lane for each piece ([`super::sixteen`]).

use super::key::LONGEST;
use super::pairs::{NEVER, Symbol};
use crate::ids::TokenId;

/// Pieces of a group.
pub const LANES: usize = 16;
/// The symbols of a piece, and a row behind them that stays as it is.
pub const ROWS: usize = LONGEST + 1;

/// A symbol of every piece.
#[derive(Debug, Clone, Copy)]
#[repr(align(64))]
pub struct Row(pub [Symbol; LANES]);

/// Sixteen pieces.
#[derive(Debug)]
pub struct Group {
    /// Of pieces that are merged the ids.
    pub symbols: [Row; ROWS],
    /// What each symbol and the one below it become.
    pub ranks: [Row; ROWS],
    /// Rows in use.
    pub rows: usize,
    /// Rows of the pieces that are not merged yet.
    pub going: usize,
    /// How many ids each piece has when it is merged.
    pub counts: Row,
}

impl Group {
    const NOTHING: Row = Row([NEVER; LANES]);

    pub fn new() -> Self {
        Group {
            symbols: [Self::NOTHING; ROWS],
            ranks: [Self::NOTHING; ROWS],
            rows: 0,
            going: 0,
            counts: Row([0; LANES]),
        }
    }

    /// The row behind the last one in use holds nothing.
    pub fn end(&mut self, rows: usize) {
        self.rows = rows.min(LONGEST);
        self.going = self.rows;
        (self.symbols[self.rows], self.ranks[self.rows]) = (Self::NOTHING, Self::NOTHING);
    }

    /// The ids of a piece that is merged, and their number.
    #[inline(always)]
    pub fn ids(&self, lane: usize) -> ([TokenId; ROWS], usize) {
        let mut ids = [0; ROWS];
        // As many whatever their number, as long as there are no more: no branch is guessed wrong.
        for (id, row) in ids.iter_mut().zip(&self.symbols[..self.rows.min(ROWS)]) {
            *id = row.0[lane % LANES];
        }
        (ids, (self.counts.0[lane % LANES] as usize).min(ROWS))
    }
}
