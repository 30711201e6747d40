//! Rows of an automaton: where each symbol leads, and what is so at that step.

use crate::error::Result;
use crate::flat::{Arrays, Shelf, misfit};

/// A match may end before this character.
pub const ACCEPT: u8 = 1;
/// A piece ends before this character, which begins the next one.
pub const BOUNDARY: u8 = 2;
/// The piece that ends is a gap. One bit above `BOUNDARY`.
pub const WAS_GAP: u8 = 4;
/// The match ended earlier, or there is none.
pub const STOP: u8 = 8;

/// Entries by state and symbol: the next state above eight bits of flags, so that one load brings both.
#[derive(Debug)]
pub struct Rows(Vec<u32>);

impl Rows {
    pub fn new(states: usize, shift: u32) -> Rows {
        Rows(vec![0; states << shift])
    }

    pub fn set(&mut self, at: usize, next: u32, flags: u8) {
        self.0[at] = next << 8 | u32::from(flags);
    }

    /// Puts the rows down.
    pub fn put(&self, arrays: &mut Arrays) {
        arrays.put(&self.0);
    }

    /// Takes what was put; each step leads to a row of at least so many columns.
    pub fn take(shelf: &mut Shelf, columns: usize) -> Result<Rows> {
        let rows = Rows(shelf.take::<u32>()?.to_vec());
        let is_whole = (0..rows.0.len()).all(|at| rows.get(at).0 as usize + columns <= rows.0.len());
        if is_whole { Ok(rows) } else { Err(misfit()) }
    }

    /// Whether all states have a row of so many columns.
    pub fn hold(&self, states: &[u32], columns: usize) -> bool {
        states.iter().all(|&state| state as usize + columns <= self.0.len())
    }

    /// The next state and the flags.
    #[inline(always)]
    pub fn get(&self, at: usize) -> (u32, u8) {
        let entry = self.0[at];
        (entry >> 8, entry as u8)
    }
}
