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
    bytes.iter().map(|&byte| BYTE_TO_CHAR[byte as usize]).collect()
}

/// The bytes of a text that lies wholly in the alphabet.
pub fn alphabet_to_bytes(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len());
    append_bytes(text, &mut bytes).then_some(bytes)
}

/// Appends the bytes of a text that lies wholly in the alphabet; of another one some of them, and returns false.
pub fn append_bytes(text: &str, bytes: &mut Vec<u8>) -> bool {
    // Most tokens are printable ASCII, which stands for itself, perhaps behind a blank: looked at and copied whole.
    let rest = match text.strip_prefix(BYTE_TO_CHAR[b' ' as usize]) {
        Some(rest) => {
            bytes.push(b' ');
            rest
        }
        None => text,
    };
    if rest.bytes().all(|byte| matches!(byte, b'!'..=b'~')) {
        bytes.extend_from_slice(rest.as_bytes());
        return true;
    }
    bytes.reserve(rest.len());
    for c in rest.chars() {
        match char_to_byte(c) {
            Some(byte) => bytes.push(byte),
            None => return false,
        }
    }
    true
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
        for text in [
            "",
            "lowĠtiles",
            "Ġ\u{ad}",
            "a b",
            "語",
            "é\u{144}",
            "\u{143}ÿ",
            "Ġ",
            "Ġlow",
            "ĠĠé",
            "a\u{7f}",
            "Ġa\tb",
        ] {
            assert_eq!(alphabet_to_bytes(text), text.chars().map(char_to_byte).collect(), "{text}");
        }
    }
}
