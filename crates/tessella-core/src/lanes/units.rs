//! Units of a text: the stretches between boundaries that no token reaches over.
//!
//! A token can reach over the boundary between two characters only if it holds these two as neighbours. All pairs that
//! some token holds are known, so units are found character by character, without looking for tokens. ASCII, which most
//! boundaries stand in, has a table of its own, and whether a unit ends is added, not asked.

use super::ascii::BLOCK;
use super::bounds::Bounds;
use super::characters::code_point_at;
use super::rectangles::Rectangles;
use super::unfold::Unfolded;
use super::vectors::{Level, Task, Vectors};
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
    /// The same for many at once. A unit that ends in neither of both goes on, which is slower, and right as well.
    rectangles: Rectangles,
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
        // Most pairs are of ASCII, and come again and again.
        let mut seen = [0u128; ASCII];
        for (left, right) in pairs {
            if left.is_ascii() && right.is_ascii() {
                let (row, bit) = (&mut seen[left as usize % ASCII], 1 << (right as u32 % ASCII as u32));
                if *row & bit != 0 {
                    continue;
                }
                *row |= bit;
            }
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
        let ascii = Box::new([1; ASCII * ASCII]);
        let rectangles = Rectangles::none();
        let mut boundaries = Boundaries { ascii, rectangles, sides, stride, joined };
        let mut ends = [0u128; ASCII];
        for (left, ends) in ends.iter_mut().enumerate() {
            for right in 0..ASCII {
                let (row, column) =
                    (boundaries.sides.of_code_point(left).0, boundaries.sides.of_code_point(right).1);
                let here = boundaries.ends_between(row, column);
                boundaries.ascii[left * ASCII + right] = here;
                *ends |= u128::from(here) << right;
            }
        }
        // What is no control character, or is in some token.
        let is_used = |byte: u8| byte >= b' ' || boundaries.sides.get(byte.into()) != (ALONE, ALONE);
        boundaries.rectangles = Rectangles::new(&ends, is_used);
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
    pub fn fill(&mut self, level: Level, bounds: &mut Bounds) -> bool {
        level.run(Fill { units: self, bounds })
    }

    /// Between which neighbours a unit ends whose right byte is in the block from `at` on, which is not the first byte; and of how
    /// many of its bytes that is told.
    #[inline(always)]
    fn block<V: Vectors>(&mut self, vectors: V, left: &[u8; BLOCK], right: &[u8; BLOCK]) -> (u64, usize) {
        let Boundaries { rectangles, sides, .. } = self.boundaries;
        let mut ends = rectangles.between(vectors, left, right);
        let high = vectors.share(right, &[0x80; BLOCK]);
        let high_before = high << 1 | u64::from(left[0] >> 7);
        if high | high_before == 0 {
            return (ends, BLOCK);
        }
        let inner = !vectors.share(right, &[0x40; BLOCK]) & high;
        if V::TELLS
            && (high & !inner).count_ones() >= FEW
            && let Some(found) = self.many(vectors, left[0], right, !inner)
        {
            return found;
        }
        // Before and behind characters beyond ASCII.
        let mut open = (high | high_before) & !inner;
        while open != 0 {
            let bit = open.trailing_zeros() as usize;
            open &= open - 1;
            let row = if left[bit] < WIDE { sides.of_code_point(left[bit].into()).0 } else { self.row };
            let column = if right[bit] < WIDE {
                sides.of_code_point(right[bit].into()).1
            } else {
                let (code_point, _) = code_point_at(self.text, self.at + bit);
                let (row, column) = sides.of_code_point(code_point);
                self.row = row;
                column
            };
            ends |= u64::from(self.boundaries.ends_between(row, column)) << bit;
        }
        (ends, BLOCK)
    }

    /// The same of a block with many characters beyond ASCII that begins with a character. The bits of `firsts` are those of first
    /// bytes. `None`, and nothing was done, if some character is not to be told so.
    #[inline(always)]
    fn many<V: Vectors>(
        &mut self,
        vectors: V,
        left: u8,
        right: &[u8; BLOCK],
        firsts: u64,
    ) -> Option<(u64, usize)> {
        let Boundaries { sides, .. } = self.boundaries;
        let mut characters = [0; BLOCK];
        let Unfolded { bytes, written, .. } = vectors.unfolded(right, &mut characters);
        // Characters of four bytes are told one by one.
        if bytes < BLOCK - 2 {
            return None;
        }
        let mut row = if left < WIDE { sides.of_code_point(left.into()).0 } else { self.row };
        let mut ends = 0;
        for (bit, &character) in characters[..written].iter().enumerate() {
            let (next, column) = sides.of_code_point(character.into());
            ends |= u64::from(self.boundaries.ends_between(row, column)) << bit;
            row = next;
        }
        self.row = row;
        Some((vectors.spread(ends, firsts), bytes))
    }
}

/// From so many characters beyond ASCII on they are told together.
const FEW: u32 = 6;

struct Fill<'f, 't> {
    units: &'f mut Units<'t>,
    bounds: &'f mut Bounds,
}

impl Task for Fill<'_, '_> {
    type Output = bool;

    #[inline(always)]
    fn run<V: Vectors>(self, vectors: V) -> bool {
        let Fill { units, bounds } = self;
        let (text, length) = (units.text, units.text.len());
        if length == 0 {
            return false;
        }
        'text: while units.at < length {
            if bounds.is_full() {
                return true;
            }
            // The last character may go on in this block.
            while V::TELLS && units.text[units.at] & 0xC0 == 0x80 {
                units.at += 1;
                if units.at == length {
                    break 'text;
                }
            }
            let at = units.at;
            if V::LOOKS_UP
                && let Some(left) = text[at - 1..].first_chunk()
                && let Some(right) = text[at..].first_chunk()
            {
                let (ends, told) = units.block(vectors, left, right);
                bounds.push_block(vectors, ends, at as u32);
                units.at += told;
                units.left = text[units.at - 1].min(WIDE);
                continue;
            }
            let stop = length.min(at + BLOCK);
            while units.at < stop {
                let at = units.at as u32;
                let right = text[units.at];
                if right & 0xC0 == 0x80 {
                    // Behind a block within a character.
                    units.at += 1;
                } else if (units.left | right) < WIDE {
                    let ends = units.boundaries.ascii[usize::from(units.left) * ASCII + usize::from(right)];
                    bounds.push_if(at, ends);
                    units.left = right;
                    units.at += 1;
                } else {
                    let ends = units.step();
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
    use crate::scale::or_interpreted;

    fn found<'t>(level: Level, boundaries: &Boundaries, text: &'t str) -> Vec<&'t str> {
        let mut units = Units::new(boundaries, text.as_bytes());
        let mut bounds = Bounds::default();
        let mut found = Vec::new();
        bounds.begin(0);
        loop {
            let more = units.fill(level, &mut bounds);
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
        for round in 0..or_interpreted(600, 11) {
            // Characters of four bytes are told one by one, and so are others beside them.
            let letters = &letters[..letters.len() - 2 * (round % 2)];
            let mut letter = || letters[below(letters.len())];
            let pairs: Vec<(char, char)> = (0..round % 60).map(|_| (letter(), letter())).collect();
            let boundaries = Boundaries::new(pairs.iter().copied()).unwrap();
            let most = if round % 10 < 2 { or_interpreted(2000, 300) } else { 80 };
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
            assert_eq!(found(Level::all()[0], &boundaries, &text), expected, "{text:?} {pairs:?}");
            for level in Level::all() {
                let found = found(level, &boundaries, &text);
                if !text.contains('\0') {
                    assert_eq!(found, expected, "{text:?} {pairs:?}");
                }
                // Characters that no token has are not told apart by vectors: units may go on.
                let ends = |units: &[&str]| -> Vec<usize> {
                    let ends = units.iter().scan(0, |end, unit| {
                        *end += unit.len();
                        Some(*end)
                    });
                    ends.collect()
                };
                let all = ends(&expected);
                assert!(ends(&found).iter().all(|end| all.contains(end)), "{text:?} {pairs:?}");
                assert_eq!(found.concat(), text);
            }
        }
    }

    #[test]
    fn too_many_characters_are_refused() {
        let pairs = |count: u32| (0..count).map(|c| (char::from_u32(0x4E00 + c).unwrap(), 'a'));
        assert!(Boundaries::new(pairs(8000)).is_some());
        assert!(Boundaries::new(pairs(9000)).is_none());
    }
}
