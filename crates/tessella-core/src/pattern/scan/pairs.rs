//! Two ASCII characters per step.
//!
//! A step of the automaton waits for the table entry of the step before, some six cycles, and that wait is
//! what the piece loop spends its time on. Taking two characters with one look-up halves it. Rows share the
//! row length of the single-character rows, so that a state means the same in both.

use super::alphabet::Alphabet;
use super::rows::{BOUNDARY, Rows, STOP, WAS_GAP};
use crate::error::Result;
use crate::flat::{Arrays, Shelf, misfit};

/// A piece ends before the first character; the next bit says that it was a gap.
pub const FIRST_BOUNDARY: u8 = 1;
pub const FIRST_GAP: u8 = 2;
/// A piece ends before the second character; the next bit says that it was a gap.
pub const SECOND_BOUNDARY: u8 = 4;
pub const SECOND_GAP: u8 = 8;
/// One of the two steps leaves the chain.
pub const PAIR_STOP: u8 = 16;

/// Most entries; beyond this the tables would not stay in the near caches.
const MAX_ENTRIES: usize = 1 << 17;

#[derive(Debug)]
pub struct Pairs {
    /// A first byte's part of the column.
    pub first: [u16; 128],
    /// A second byte's part of the column.
    pub second: [u16; 128],
    pub rows: Rows,
}

impl Pairs {
    /// Puts the table down.
    pub fn put(&self, arrays: &mut Arrays) {
        arrays.put(&self.first);
        arrays.put(&self.second);
        self.rows.put(arrays);
    }

    /// Takes what was put.
    pub fn take(shelf: &mut Shelf) -> Result<Pairs> {
        let (first, second) = (shelf.array::<u16, 128>()?, shelf.array::<u16, 128>()?);
        let last = |columns: &[u16]| columns.iter().copied().max().map_or(0, usize::from);
        let rows = Rows::take(shelf, last(&first) + last(&second) + 1)?;
        if rows.hold(&[0], 1) { Ok(Pairs { first, second, rows }) } else { Err(misfit()) }
    }
}

/// How ASCII's classes are numbered in pairs.
pub struct Layout {
    /// Class to its number among the classes that occur in ASCII.
    number: Vec<u16>,
    count: usize,
}

impl Layout {
    pub fn new(alphabet: &Alphabet) -> Layout {
        let mut number = vec![u16::MAX; alphabet.classes];
        let mut count = 0;
        for byte in 0..128 {
            let slot = &mut number[usize::from(alphabet.of_ascii(byte))];
            if *slot == u16::MAX {
                *slot = count;
                count += 1;
            }
        }
        Layout { number, count: usize::from(count) }
    }

    /// Columns that a row needs, or nothing where the tables would be too large.
    pub fn columns(&self, states: usize) -> Option<usize> {
        let columns = self.count * self.count;
        (columns.next_power_of_two() * states <= MAX_ENTRIES).then_some(columns)
    }

    /// Joins the single steps `rows` of `states` states, whose rows are `1 << shift` long.
    pub fn join(&self, alphabet: &Alphabet, rows: &Rows, states: usize, shift: u32) -> Pairs {
        let mut joined = Rows::new(states, shift);
        for state in 0..states {
            for (first, &high) in self.number.iter().enumerate().filter(|(_, number)| **number != u16::MAX) {
                for (second, &low) in
                    self.number.iter().enumerate().filter(|(_, number)| **number != u16::MAX)
                {
                    let at = (state << shift) + usize::from(high) * self.count + usize::from(low);
                    let (middle, one) = rows.get((state << shift) + first);
                    let (next, two) = rows.get(middle as usize + second);
                    joined.set(at, next, join_flags(one, two));
                }
            }
        }
        let column = |byte: usize| self.number[usize::from(alphabet.of_ascii(byte as u8))];
        Pairs {
            first: std::array::from_fn(|byte| column(byte) * self.count as u16),
            second: std::array::from_fn(column),
            rows: joined,
        }
    }
}

fn join_flags(one: u8, two: u8) -> u8 {
    if (one | two) & STOP != 0 {
        return PAIR_STOP;
    }
    let mut flags = 0;
    for (step, boundary, gap) in [(one, FIRST_BOUNDARY, FIRST_GAP), (two, SECOND_BOUNDARY, SECOND_GAP)] {
        if step & BOUNDARY != 0 {
            flags |= boundary;
        }
        if step & WAS_GAP != 0 {
            flags |= gap;
        }
    }
    flags
}
