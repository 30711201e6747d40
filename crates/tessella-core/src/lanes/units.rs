//! Units of a text: the stretches between boundaries that no token reaches over.
//!
//! A token can reach over the boundary between two characters only if it holds these two as neighbours. All pairs that
//! some token holds are known, so units are found character by character, without looking for tokens. ASCII, which most
//! boundaries stand in, has a table of its own, and whether a unit ends is added, not asked.

use super::ascii::BLOCK;
use super::bounds::Bounds;
use super::characters::code_point_at;
use crate::unicode::CharTable;

const ASCII: usize = 128;
/// Stands for a character beyond ASCII on the left.
const WIDE: u8 = 128;
/// A character that is joined with nothing on that side.
const ALONE: u16 = 0;
/// Rows or columns of the table of pairs. More would outgrow the processor's caches.
const MOST_SIDES: usize = 8192;

/// Which characters are neighbours in some token.
#[derive(Debug)]
pub struct Boundaries {
    /// By left and right character: 1 where a unit ends between them.
    ascii: Box<[u8; ASCII * ASCII]>,
    /// Row of a character on the left of a boundary, column of one on the right.
    sides: CharTable<(u16, u16)>,
    /// Words of a row.
    stride: usize,
    /// Bits of the pairs that are joined.
    joined: Vec<u64>,
}

impl Boundaries {
    /// From all pairs of neighbours; `None` if they are of too many characters.
    pub fn new(pairs: impl Iterator<Item = (char, char)>) -> Option<Self> {
        // Row and column of each character so far.
        let mut sides = CharTable::new((ALONE, ALONE));
        let (mut rows, mut columns) = (0, 0);
        let mut places = Vec::new();
        for (left, right) in pairs {
            let mut side = sides.get(left);
            if side.0 == ALONE {
                rows += 1;
                side.0 = rows;
                sides.insert(left, side);
            }
            let row = side.0;
            let mut side = sides.get(right);
            if side.1 == ALONE {
                columns += 1;
                side.1 = columns;
                sides.insert(right, side);
            }
            places.push((row, side.1));
            if usize::from(rows.max(columns)) >= MOST_SIDES {
                return None;
            }
        }
        let stride = (usize::from(columns) + 1).div_ceil(64);
        let mut joined = vec![0u64; (usize::from(rows) + 1) * stride];
        for (row, column) in places {
            joined[usize::from(row) * stride + usize::from(column) / 64] |= 1 << (column % 64);
        }
        let mut boundaries = Boundaries { ascii: Box::new([1; ASCII * ASCII]), sides, stride, joined };
        for left in 0..ASCII {
            for right in 0..ASCII {
                let (row, column) =
                    (boundaries.sides.of_code_point(left).0, boundaries.sides.of_code_point(right).1);
                boundaries.ascii[left * ASCII + right] = boundaries.ends_between(row, column);
            }
        }
        Some(boundaries)
    }

    /// 1 if a unit ends between two characters.
    #[inline(always)]
    fn ends_between(&self, row: u16, column: u16) -> u8 {
        let column = usize::from(column);
        let word = self.joined[usize::from(row) * self.stride + column / 64];
        (word >> (column % 64) & 1) as u8 ^ 1
    }
}

/// The units of a text, by the hundred.
#[derive(Debug)]
pub struct Units<'t> {
    boundaries: &'t Boundaries,
    text: &'t [u8],
    at: usize,
    /// The character in front, if it is ASCII, else [`WIDE`], and then its row.
    left: u8,
    row: u16,
}

impl<'t> Units<'t> {
    /// Of a text in UTF-8.
    pub fn new(boundaries: &'t Boundaries, text: &'t [u8]) -> Self {
        let mut units = Units { boundaries, text, at: 0, left: WIDE, row: ALONE };
        if !text.is_empty() {
            units.step();
        }
        units
    }

    /// Goes over a character; 1 if a unit ends in front of it.
    #[inline(always)]
    fn step(&mut self) -> u8 {
        let byte = self.text[self.at];
        let (code_point, length) =
            if byte < WIDE { (usize::from(byte), 1) } else { code_point_at(self.text, self.at) };
        if self.left < WIDE {
            self.row = self.boundaries.sides.of_code_point(usize::from(self.left)).0;
        }
        let (row, column) = self.boundaries.sides.of_code_point(code_point);
        let ends = self.boundaries.ends_between(self.row, column);
        (self.left, self.row) = (byte.min(WIDE), row);
        self.at += length as usize;
        ends
    }

    /// Adds ends of units until there are many; false if these are the last ones.
    pub fn fill(&mut self, bounds: &mut Bounds) -> bool {
        let length = self.text.len();
        if length == 0 {
            return false;
        }
        while self.at < length {
            if bounds.is_full() {
                return true;
            }
            let stop = length.min(self.at + BLOCK);
            while self.at < stop {
                let right = self.text[self.at];
                let at = self.at as u32;
                if (self.left | right) < WIDE {
                    bounds.push_if(
                        at,
                        self.boundaries.ascii[usize::from(self.left) * ASCII + usize::from(right)],
                    );
                    self.left = right;
                    self.at += 1;
                } else {
                    let ends = self.step();
                    bounds.push_if(at, ends);
                }
            }
        }
        bounds.push(length as u32);
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    fn found<'t>(boundaries: &Boundaries, text: &'t str) -> Vec<&'t str> {
        let mut units = Units::new(boundaries, text.as_bytes());
        let mut bounds = Bounds::default();
        let mut found = Vec::new();
        bounds.begin(0);
        loop {
            let more = units.fill(&mut bounds);
            let ends = bounds.starts().iter().zip(bounds.ends());
            found.extend(ends.map(|(&start, &end)| &text[start as usize..end as usize]));
            if !more {
                return found;
            }
            bounds.go_on();
        }
    }

    #[test]
    fn units_end_where_no_token_goes_on() {
        let mut random = Random::from_seed(6);
        let mut below = |bound: usize| (random.next_u64() % bound as u64) as usize;
        let letters = ['a', 'b', ' ', '\0', '\u{7f}', 'é', 'ж', '漢', '字', '😀', '\u{10ffff}'];
        for round in 0..600 {
            let mut letter = || letters[below(letters.len())];
            let pairs: Vec<(char, char)> = (0..round % 60).map(|_| (letter(), letter())).collect();
            let boundaries = Boundaries::new(pairs.iter().copied()).unwrap();
            let most = if round % 10 == 0 { 2000 } else { 80 };
            let text: String = (0..below(most)).map(|_| letters[below(letters.len())]).collect();
            let mut expected = Vec::new();
            let (mut start, mut left) = (0, None);
            for (at, c) in text.char_indices() {
                if let Some(left) = left.replace(c)
                    && !pairs.contains(&(left, c))
                {
                    expected.push(&text[start..at]);
                    start = at;
                }
            }
            if !text.is_empty() {
                expected.push(&text[start..]);
            }
            assert_eq!(found(&boundaries, &text), expected, "{text:?} {pairs:?}");
        }
    }

    #[test]
    fn too_many_characters_are_refused() {
        let pairs = |count: u32| (0..count).map(|c| (char::from_u32(0x4E00 + c).unwrap(), 'a'));
        assert!(Boundaries::new(pairs(8000)).is_some());
        assert!(Boundaries::new(pairs(9000)).is_none());
    }
}
