//! Byte positions to the unit that the caller asked for.

use crate::encoding::OffsetUnit;

/// Converts byte positions of one text; cheap when they come mostly in order.
#[derive(Debug)]
pub(super) struct Positions<'t> {
    text: &'t [u8],
    unit: OffsetUnit,
    /// Bytes are the unit already: byte offsets, or ASCII text.
    identity: bool,
    byte: usize,
    count: usize,
}

impl<'t> Positions<'t> {
    pub fn new(text: &'t str, unit: OffsetUnit) -> Self {
        let identity = unit == OffsetUnit::Byte || text.is_ascii();
        Positions { text: text.as_bytes(), unit, identity, byte: 0, count: 0 }
    }

    #[inline]
    pub fn convert(&mut self, byte: usize) -> usize {
        if self.identity {
            return byte;
        }
        if byte == self.byte {
            return self.count;
        }
        self.walk(byte)
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
        let bytes = &self.text[from..to];
        let chars = bytes.iter().filter(|byte| (**byte & 0xC0) != 0x80).count();
        match self.unit {
            // A character of four bytes is a surrogate pair.
            OffsetUnit::Utf16 => chars + bytes.iter().filter(|byte| **byte >= 0xF0).count(),
            _ => chars,
        }
    }
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
