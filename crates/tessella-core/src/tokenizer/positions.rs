//! Byte positions to the unit that the caller asked for.

use std::ops::Range;

use crate::encoding::OffsetUnit;

/// Converts byte positions of one text; cheap when they come mostly in order.
#[derive(Debug)]
pub(super) struct Positions<'t> {
    pub text: &'t str,
    pub unit: OffsetUnit,
    pub is_ascii: bool,
    byte: usize,
    count: usize,
}

impl<'t> Positions<'t> {
    pub fn new(text: &'t str, unit: OffsetUnit) -> Self {
        Positions { text, unit, is_ascii: text.is_ascii(), byte: 0, count: 0 }
    }

    /// A part of the text.
    pub fn text(&self, range: Range<usize>) -> &'t str {
        &self.text[range]
    }

    #[inline]
    pub fn convert(&mut self, byte: usize) -> usize {
        if self.is_ascii || self.unit == OffsetUnit::Byte {
            return byte;
        }
        if byte == self.byte {
            return self.count;
        }
        self.walk(byte)
    }

    /// Says what was counted elsewhere: how many units begin before a byte.
    pub fn are_at(&mut self, byte: usize, count: usize) {
        (self.byte, self.count) = (byte, count);
    }

    fn walk(&mut self, byte: usize) -> usize {
        let byte = byte.min(self.text.len());
        if byte >= self.byte {
            self.count += self.units(self.byte, byte);
        } else {
            self.count -= self.units(byte, self.byte);
        }
        self.byte = byte;
        self.count
    }

    /// Units that start in `from..to`.
    fn units(&self, from: usize, to: usize) -> usize {
        let bytes = &self.text.as_bytes()[from..to];
        match self.unit {
            // A character of four bytes is a surrogate pair.
            OffsetUnit::Utf16 => characters(bytes) + bytes.iter().filter(|byte| **byte >= 0xF0).count(),
            _ => characters(bytes),
        }
    }
}

/// How many characters begin in some bytes.
#[inline]
pub(super) fn characters(bytes: &[u8]) -> usize {
    bytes.iter().filter(|byte| (**byte & 0xC0) != 0x80).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_units_in_any_order() {
        let text = "aé漢😀b";
        let mut chars = Positions::new(text, OffsetUnit::Char);
        let mut utf16 = Positions::new(text, OffsetUnit::Utf16);
        let boundaries: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
        for order in [vec![0, 1, 2, 3, 4, 5], vec![5, 0, 3, 1, 4, 2]] {
            for index in order {
                assert_eq!(chars.convert(boundaries[index]), index);
                assert_eq!(
                    utf16.convert(boundaries[index]),
                    text[..boundaries[index]].encode_utf16().count()
                );
            }
        }
    }
}
