//! The tables that merging looks into: what two symbols make, the symbol of a character, and which characters are neighbours.

use crate::hash::hash_u64;
use crate::ids::TokenId;

/// A character that is in no piece, and merges with nothing.
pub const NO_SYMBOL: u32 = u32::MAX;

/// What two symbols become, and when: the lowest rank first.
#[derive(Debug, Clone, Copy)]
pub struct Merge {
    pub id: TokenId,
    pub rank: u32,
}

impl Merge {
    pub const NONE: Merge = Merge { id: 0, rank: u32::MAX };
}

/// Pairs of symbols and what they become: open addressing, at most half full.
#[derive(Debug)]
pub struct Pairs {
    slots: Vec<(u32, u32, Merge)>,
    mask: usize,
}

impl Pairs {
    pub fn new(pairs: &[(u32, u32, Merge)]) -> Self {
        let size = (pairs.len() * 2 + 1).next_power_of_two();
        let mut table = Pairs { slots: vec![(NO_SYMBOL, NO_SYMBOL, Merge::NONE); size], mask: size - 1 };
        for &(left, right, merge) in pairs {
            let slot = table.slot(left, right);
            table.slots[slot] = (left, right, merge);
        }
        table
    }

    #[inline]
    fn slot(&self, left: u32, right: u32) -> usize {
        let mut slot = hash_u64((left as u64) << 32 | right as u64) as usize & self.mask;
        loop {
            let (a, b, _) = self.slots[slot];
            if (a, b) == (left, right) || a == NO_SYMBOL {
                return slot;
            }
            slot = (slot + 1) & self.mask;
        }
    }

    #[inline]
    pub fn get(&self, left: u32, right: u32) -> Option<Merge> {
        if left == NO_SYMBOL {
            return None;
        }
        let (found, _, merge) = self.slots[self.slot(left, right)];
        (found != NO_SYMBOL).then_some(merge)
    }

    /// Left, right and what they become, in no order.
    pub fn all(&self) -> impl Iterator<Item = (u32, u32, Merge)> {
        self.slots.iter().copied().filter(|(left, ..)| *left != NO_SYMBOL)
    }
}

/// Symbols of single characters, in pages of 256 code points.
#[derive(Debug, Default)]
pub struct Characters {
    page_of: Vec<u16>,
    pages: Vec<[u32; 256]>,
}

impl Characters {
    pub fn set(&mut self, c: char, symbol: u32) {
        let high = c as usize >> 8;
        if self.page_of.len() <= high {
            self.page_of.resize(high + 1, u16::MAX);
        }
        if self.page_of[high] == u16::MAX {
            self.page_of[high] = self.pages.len() as u16;
            self.pages.push([NO_SYMBOL; 256]);
        }
        self.pages[self.page_of[high] as usize][c as usize & 255] = symbol;
    }

    #[inline]
    pub fn get(&self, c: char) -> u32 {
        match self.page_of.get(c as usize >> 8) {
            Some(&page) if page != u16::MAX => self.pages[page as usize][c as usize & 255],
            _ => NO_SYMBOL,
        }
    }
}

/// A character next to a boundary.
#[derive(Debug, Clone, Copy)]
pub struct Neighbour {
    pub c: char,
    pub id: u32,
}

impl Neighbour {
    /// The start of the text, or a symbol that never merges.
    pub const EDGE: Neighbour = Neighbour { c: '\0', id: NO_SYMBOL };
}

/// Which characters are neighbours in some piece.
#[derive(Debug)]
pub struct Crossable {
    /// For ASCII and `▁` (which stands in for U+0000): bit `right` of row `left`.
    common: Box<[u128; 128]>,
    /// All others; a list until all are there.
    others: Pairs,
    list: Vec<(u32, u32, Merge)>,
}

impl Default for Crossable {
    fn default() -> Self {
        Crossable { common: Box::new([0; 128]), others: Pairs::new(&[]), list: Vec::new() }
    }
}

impl Crossable {
    pub fn add(&mut self, left: Neighbour, right: Neighbour) {
        match (Self::place(left), Self::place(right)) {
            (Some(left), Some(right)) => self.common[left] |= 1 << right,
            _ => self.list.push((left.id, right.id, Merge::NONE)),
        }
    }

    pub fn finished(self) -> Self {
        Crossable { common: self.common, others: Pairs::new(&self.list), list: Vec::new() }
    }

    #[inline]
    fn place(neighbour: Neighbour) -> Option<usize> {
        match neighbour.c {
            '\0' => None,
            '▁' => Some(0),
            c if c.is_ascii() => Some(c as usize),
            _ => None,
        }
    }

    #[inline]
    pub fn contains(&self, left: Neighbour, right: Neighbour) -> bool {
        match (Self::place(left), Self::place(right)) {
            (Some(left), Some(right)) => self.common[left] >> right & 1 == 1,
            _ => right.id != NO_SYMBOL && self.others.get(left.id, right.id).is_some(),
        }
    }
}
