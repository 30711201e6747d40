//! The symbols of sixteen pieces in rows: a row for each place in the pieces, a lane for each piece ([`super::sixteen`]).

use super::key::LONGEST;
use super::pairs::{NEVER, Symbol};

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
    pub symbols: [Row; ROWS],
    /// What each symbol and the one below it become.
    pub ranks: [Row; ROWS],
    /// Rows in use.
    pub rows: usize,
}

impl Group {
    const NOTHING: Row = Row([NEVER; LANES]);

    pub fn new() -> Self {
        Group { symbols: [Self::NOTHING; ROWS], ranks: [Self::NOTHING; ROWS], rows: 0 }
    }

    /// The row behind the last one in use holds nothing.
    pub fn end(&mut self, rows: usize) {
        self.rows = rows.min(LONGEST);
        (self.symbols[self.rows], self.ranks[self.rows]) = (Self::NOTHING, Self::NOTHING);
    }

    /// The symbols of a piece and their number.
    #[inline(always)]
    pub fn symbols(&self, lane: usize) -> ([Symbol; ROWS], usize) {
        let mut symbols = [NEVER; ROWS];
        let mut count = 0;
        for (symbol, row) in symbols.iter_mut().zip(&self.symbols) {
            *symbol = row.0[lane % LANES];
            if *symbol == NEVER {
                break;
            }
            count += 1;
        }
        (symbols, count)
    }
}
