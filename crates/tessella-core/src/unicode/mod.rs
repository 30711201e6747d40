//! Unicode tables, pinned per source of truth, each with the recipe that generates it.
//!
//! - [`categories`]: what kind of character it is, in the reference library's words
//! - [`normalization`]: decomposition, reordering, composition
//! - [`scripts`]: script classes, as one pre-tokenizer groups them
//! - [`word`]: word characters of regular expressions
//!
//! The first two read one two-level table: a code point's block, its class in the block, and the class's bits.
//! [`CharTable`] is for tables that a model makes.
//!
//! Lower-casing and white space are the standard library's, as they are in the reference.

pub(crate) mod categories;
mod char_table;
pub mod normalization;
pub mod scripts;
mod scripts_table;
mod tables;
pub(crate) mod word;
mod word_table;

pub(crate) use char_table::CharTable;

/// The bits of a character's class: its combining class and its flags.
#[inline]
pub(crate) fn class_of(c: char) -> Class {
    let c = c as usize;
    let block = tables::CLASS_INDEX[c >> tables::CLASS_SHIFT] as usize;
    let place = (block << tables::CLASS_SHIFT) | (c & ((1 << tables::CLASS_SHIFT) - 1));
    Class(tables::CLASSES[tables::CLASS_BLOCKS[place] as usize])
}

/// Everything the tables know about a character, in one load.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Class(u32);

impl Class {
    /// Canonical combining class.
    #[inline]
    pub fn combining(self) -> u8 {
        self.0 as u8
    }

    /// Whether any of the flags is set.
    #[inline]
    pub fn any(self, flags: u32) -> bool {
        self.0 & flags != 0
    }

    #[inline]
    pub fn is_nonspacing_mark(self) -> bool {
        self.any(tables::NONSPACING_MARK)
    }

    #[inline]
    pub fn is_other_control(self) -> bool {
        self.any(tables::OTHER_CONTROL)
    }

    /// Whether canonical decomposition changes it.
    #[inline]
    pub fn decomposes(self) -> bool {
        self.any(tables::NFD_CHANGES)
    }

    /// Whether its canonical decomposition has a mark that can trade places and is not nonspacing.
    #[inline]
    pub fn has_lasting_mark(self) -> bool {
        self.any(tables::LASTING_MARK)
    }

    /// Whether lower-casing changes it.
    #[inline]
    pub fn changes_in_lower_case(self) -> bool {
        self.any(tables::LOWER_CHANGES)
    }
}
