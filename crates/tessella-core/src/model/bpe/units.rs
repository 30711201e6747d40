//! Long texts in units: the stretches between boundaries that no merge can cross.
//!
//! Most boundaries lie between two ASCII characters, so those have a table of their own, one byte for each
//! pair. It may read one ASCII character as another character: where a normalizer only writes a mark for
//! every blank, the units of the written text are found in the text as it was.

use super::cut::{CutTest, UnknownRule};
use super::symbols::SymbolTable;

/// Finds units, in text as the model reads it or in text that still has another character for one.
#[derive(Debug)]
pub struct Units {
    /// By left and right character: whether a merge may join them.
    crossed: Box<[bool; ASCII * ASCII]>,
    /// This character stands for that one.
    reading: Option<(u8, char)>,
    unknown: UnknownRule,
}

const ASCII: usize = 128;

#[inline]
fn pair(left: u8, right: u8) -> usize {
    (usize::from(left) * ASCII + usize::from(right)) % (ASCII * ASCII)
}

impl Units {
    pub(super) fn new(
        cut: &CutTest,
        symbols: &SymbolTable,
        unknown: UnknownRule,
        reading: Option<(u8, char)>,
    ) -> Self {
        let mut units = Units { crossed: Box::new([false; ASCII * ASCII]), reading, unknown };
        for left in 0..128u8 {
            for right in 0..128u8 {
                units.crossed[pair(left, right)] = units.crosses(cut, symbols, left as char, right as char);
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
                let mut before = left as u8;
                while let Some(&right) = bytes.get(at)
                    && right.is_ascii()
                {
                    if !self.crossed[pair(before, right)] {
                        return at;
                    }
                    before = right;
                    at += 1;
                }
                left = before as char;
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
