//! The byte-level alphabet: a printable character for each of the 256 bytes.
//!
//! Printable Latin-1 characters stand for their own byte; the other 68 bytes, ascending, get U+0100 on.

/// Whether a byte stands for itself.
const fn is_printable(byte: u8) -> bool {
    matches!(byte, 33..=126 | 161..=172 | 174..=255)
}

const fn build() -> [char; 256] {
    let mut table = ['\0'; 256];
    let mut shifted = 0u32;
    let mut byte = 0usize;
    while byte < 256 {
        table[byte] = if is_printable(byte as u8) {
            byte as u8 as char
        } else {
            shifted += 1;
            match char::from_u32(0x100 + shifted - 1) {
                Some(c) => c,
                None => unreachable!(),
            }
        };
        byte += 1;
    }
    table
}

/// The character of each byte.
pub const BYTE_TO_CHAR: [char; 256] = build();

const fn invert() -> [u16; 0x144] {
    let mut table = [u16::MAX; 0x144];
    let mut byte = 0usize;
    while byte < 256 {
        table[BYTE_TO_CHAR[byte] as usize] = byte as u16;
        byte += 1;
    }
    table
}

const CHAR_TO_BYTE: [u16; 0x144] = invert();

/// The byte that a character of the alphabet stands for.
#[inline]
pub fn char_to_byte(c: char) -> Option<u8> {
    match CHAR_TO_BYTE.get(c as usize) {
        Some(&byte) if byte != u16::MAX => Some(byte as u8),
        _ => None,
    }
}

/// A byte string in the alphabet's characters.
pub fn bytes_to_alphabet(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() * 2);
    append_in_alphabet(bytes, &mut text);
    text
}

/// Appends a byte string in the alphabet's characters.
pub fn append_in_alphabet(bytes: &[u8], text: &mut String) {
    text.extend(bytes.iter().map(|&byte| BYTE_TO_CHAR[byte as usize]));
}

/// The bytes of a text that lies wholly in the alphabet.
pub fn alphabet_to_bytes(text: &str) -> Option<Vec<u8>> {
    text.chars().map(char_to_byte).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_bytes_there_and_back() {
        for byte in 0..=255u8 {
            assert_eq!(char_to_byte(BYTE_TO_CHAR[byte as usize]), Some(byte));
        }
        assert_eq!((BYTE_TO_CHAR[b' ' as usize], BYTE_TO_CHAR[b'\n' as usize]), ('Ġ', 'Ċ'));
        assert_eq!(char_to_byte('\u{ad}'), None);
    }
}
