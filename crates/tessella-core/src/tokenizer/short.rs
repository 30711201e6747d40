//! What short words become where each character becomes what it becomes alone: sixteen bytes of ASCII at once, and
//! characters of two bytes by one look into a table that is filled as they come.

use std::sync::atomic::{AtomicU32, Ordering};

use crate::lanes::Key;
use crate::normalize::AsciiFates;

/// Characters of one or two bytes.
const CHARACTERS: usize = 0x800;
/// Most bytes of what a character becomes, where the table tells it.
const MOST: usize = 3;
/// Where the number of these bytes is told.
const COUNT: u32 = 24;
/// Set where a character was asked for before.
const KNOWN: u32 = 1 << 31;
/// Known not to be told by so few bytes.
const OTHER: u32 = KNOWN | 1 << 30;

/// Bytes that a word may become: each of its own becomes three at most, and four are written at once.
pub(super) type Room = [u8; MOST * Key::LONGEST + 1];

/// What characters of up to two bytes become.
#[derive(Debug)]
pub(super) struct ShortWritings(Box<[AtomicU32]>);

impl ShortWritings {
    pub fn new() -> Self {
        ShortWritings((0..CHARACTERS).map(|_| AtomicU32::new(0)).collect())
    }

    /// What a word becomes; `None` if that cannot be told so. `find` says of a character what it becomes alone.
    #[inline]
    pub fn write<'r>(
        &self,
        word: Key,
        ascii: &AsciiFates,
        room: &'r mut Room,
        find: impl Fn(char) -> Option<String>,
    ) -> Option<&'r str> {
        let (bytes, length) = (word.bytes(), word.len());
        let written = if word.is_ascii() && ascii.write(&bytes, length, room.first_chunk_mut()?) {
            length
        } else {
            let mut written = 0;
            let mut at = 0;
            while at < length {
                let byte = usize::from(bytes[at]);
                let (character, size) = match byte {
                    ..0x80 => (byte, 1),
                    0xC0..0xE0 => ((byte & 0x1F) << 6 | usize::from(bytes[at + 1]) & 0x3F, 2),
                    _ => return None,
                };
                let known = self.0[character].load(Ordering::Relaxed);
                let writing = if known == 0 { self.find_out(character, &find) } else { known };
                if writing & OTHER == OTHER {
                    return None;
                }
                *room[written..].first_chunk_mut()? = writing.to_le_bytes();
                written += (writing >> COUNT & 3) as usize;
                at += size;
            }
            written
        };
        std::str::from_utf8(&room[..written]).ok()
    }

    #[cold]
    fn find_out(&self, character: usize, find: impl Fn(char) -> Option<String>) -> u32 {
        let found = u32::try_from(character).ok().and_then(char::from_u32).and_then(find);
        let writing = match found {
            Some(text) if text.len() <= MOST => {
                let mut bytes = [0; 4];
                bytes[..text.len()].copy_from_slice(text.as_bytes());
                u32::from_le_bytes(bytes) | (text.len() as u32) << COUNT | KNOWN
            }
            _ => OTHER,
        };
        self.0[character].store(writing, Ordering::Relaxed);
        writing
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_become_what_their_characters_become() {
        let writings = ShortWritings::new();
        let becomes = |c: char| match c {
            'é' => Some("e".to_owned()),
            '\u{1}' | '\u{85}' => Some(String::new()),
            'ß' => Some("ss".to_owned()),
            'ж' => Some("漢".to_owned()),
            'Ω' => Some("four".to_owned()),
            'λ' => None,
            c => Some(c.to_lowercase().to_string()),
        };
        for (ascii, is_known) in
            [(AsciiFates::none(), true), (AsciiFates::unknown(), false)].iter().cycle().take(4)
        {
            for word in
                ["a", "Ünî", "éé", "\u{1}", "a\u{85}b", "ßßßßßßß", "жжжжжжжz", "A\u{1}é", "aΩ", "λ", "漢"]
            {
                let told = |c: char| becomes(c).filter(|text| text.len() <= MOST && c.len_utf8() < 3);
                let expected = if word.is_ascii() && *is_known {
                    Some(word.to_owned())
                } else {
                    word.chars().map(told).collect::<Option<String>>()
                };
                let mut room = [0xFF; _];
                assert_eq!(
                    writings.write(Key::of(word.as_bytes()), ascii, &mut room, becomes),
                    expected.as_deref()
                );
            }
        }
    }
}
