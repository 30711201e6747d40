//! Long texts in units: the stretches between boundaries that no merge can cross.
//!
//! Most boundaries lie between two ASCII characters, so those have a table of their own, one bit for each
//! pair. It may read one ASCII character as another character: where a normalizer only writes a mark for
//! every blank, the units of the written text are found in the text as it was.

use super::cut::{CutTest, UnknownRule};
use super::symbols::SymbolTable;

/// Finds units, in text as the model reads it or in text that still has another character for one.
#[derive(Debug)]
pub struct Units {
    /// By the left character: a bit for each right one.
    crossed: Box<[[u64; 2]; 128]>,
    /// This character stands for that one.
    reading: Option<(u8, char)>,
    unknown: UnknownRule,
}

impl Units {
    pub(super) fn new(
        cut: &CutTest,
        symbols: &SymbolTable,
        unknown: UnknownRule,
        reading: Option<(u8, char)>,
    ) -> Self {
        let mut units = Units { crossed: Box::new([[0; 2]; 128]), reading, unknown };
        for left in 0..128u8 {
            for right in 0..128u8 {
                if units.crosses(cut, symbols, left as char, right as char) {
                    units.crossed[left as usize][right as usize / 64] |= 1 << (right % 64);
                }
            }
        }
        units
    }

    fn crosses(&self, cut: &CutTest, symbols: &SymbolTable, left: char, right: char) -> bool {
        let read = |c: char| match self.reading {
            Some((from, to)) if c == from as char => to,
            _ => c,
        };
        cut.crosses_chars(read(left), read(right), symbols, self.unknown)
    }

    /// The first boundary at or after byte `at` that cannot be crossed; `left` is the character before it.
    #[inline]
    pub(super) fn next(
        &self,
        cut: &CutTest,
        symbols: &SymbolTable,
        text: &str,
        mut left: char,
        mut at: usize,
    ) -> usize {
        let bytes = text.as_bytes();
        loop {
            if left.is_ascii() {
                let mut row = &self.crossed[left as usize];
                while let Some(&right) = bytes.get(at)
                    && right.is_ascii()
                {
                    if row[usize::from(right / 64)] >> (right % 64) & 1 == 0 {
                        return at;
                    }
                    row = &self.crossed[usize::from(right)];
                    left = right as char;
                    at += 1;
                }
            }
            let Some(right) = text[at..].chars().next() else { return at };
            if !self.crosses(cut, symbols, left, right) {
                return at;
            }
            left = right;
            at += right.len_utf8();
        }
    }
}
