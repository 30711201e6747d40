//! Patterns that read bytes: those behind a stage that writes a character for each byte.
//!
//! Such a pattern knows a byte by the character that stands for it, and so by a few *kinds*: the classes of its own alphabet. In the
//! text as it was, the first byte of each character follows from the character, so that a symbol of characters can tell its kind as well;
//! bytes inside of characters are symbols of their own, which patterns before the alphabet pass over.

use super::alphabet::Alphabet;
use super::program::Program;
use super::set::{self, CharSet};

/// The bytes as some patterns know them.
#[derive(Debug)]
pub struct Bytes {
    /// The kind of each byte.
    of_byte: Vec<u8>,
    /// For each set of the patterns which kinds it holds.
    pub members: Vec<Vec<bool>>,
}

impl Bytes {
    /// For patterns over the characters that stand for bytes.
    pub fn new(programs: &[Program], spelling: &[char; 256]) -> Result<Bytes, String> {
        let sets: Vec<&CharSet> = programs.iter().flat_map(|program| &program.sets).collect();
        let (alphabet, members) = Alphabet::new(&sets)?;
        let kind = |c: &char| alphabet.at(c.encode_utf8(&mut [0; 4]).as_bytes(), 0).0;
        Ok(Bytes { of_byte: spelling.iter().map(kind).collect(), members })
    }

    /// The characters whose first byte is of a kind, by kinds.
    pub fn firsts(&self) -> Vec<(u8, CharSet)> {
        let mut firsts: Vec<(u8, CharSet)> = Vec::new();
        for (byte, &kind) in self.of_byte.iter().enumerate() {
            let Some(characters) = begun_by(byte as u32) else { continue };
            match firsts.iter_mut().find(|(known, _)| *known == kind) {
                Some((_, known)) => known.union(&characters),
                None => firsts.push((kind, characters)),
            }
        }
        firsts
    }

    /// The kind of each symbol of an alphabet in which `firsts` have these members. It gets symbols for bytes inside of characters.
    pub fn of_symbols(
        &self,
        firsts: &[(u8, CharSet)],
        members: &[Vec<bool>],
        alphabet: &mut Alphabet,
    ) -> Result<Vec<u8>, String> {
        // Surrogates, which are no characters and in no text, begin with no byte.
        let kind_of = |class: usize| {
            let holds = firsts.iter().zip(members).find(|(_, members)| members[class]);
            holds.map_or(0, |((kind, _), _)| *kind)
        };
        let mut kinds: Vec<u8> = (0..alphabet.classes).map(kind_of).collect();
        let mut inner: Vec<u8> = Vec::new();
        let mut numbers = [0; 64];
        for (number, &kind) in numbers.iter_mut().zip(&self.of_byte[0x80..0xC0]) {
            let at = inner.iter().position(|&known| known == kind).unwrap_or(inner.len());
            if at == inner.len() {
                inner.push(kind);
            }
            *number = at as u8;
        }
        alphabet.tell_inside(&numbers)?;
        kinds.extend(inner);
        Ok(kinds)
    }
}

/// The characters of which a byte is the first one.
fn begun_by(byte: u32) -> Option<CharSet> {
    let (first, last) = match byte {
        0..0x80 => (byte, byte),
        0xC2..0xE0 => ((byte & 0x1F) << 6, (byte & 0x1F) << 6 | 0x3F),
        0xE0..0xF0 => (((byte & 0xF) << 12).max(0x800), (byte & 0xF) << 12 | 0xFFF),
        0xF0..0xF5 => (((byte & 7) << 18).max(0x1_0000), ((byte & 7) << 18 | 0x3_FFFF).min(0x10_FFFF)),
        _ => return None,
    };
    // Surrogates are no characters.
    let last = if byte == 0xED { 0xD7FF } else { last };
    Some(set::range(char::from_u32(first)?, char::from_u32(last)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_character_is_begun_by_its_first_byte() {
        let mut all = 0;
        for byte in 0..256 {
            for range in begun_by(byte).iter().flat_map(|set| set.ranges().to_vec()) {
                for c in range.start()..=range.end() {
                    assert_eq!(u32::from(c.encode_utf8(&mut [0; 4]).as_bytes()[0]), byte);
                    all += 1;
                }
            }
        }
        assert_eq!(all, ('\0'..=char::MAX).count());
    }
}
