//! Bytes that are no valid UTF-8, on their way through a normalizer that takes texts.
//!
//! SentencePiece takes any bytes. Each one that is not part of a valid character becomes U+FFFD *after* the rules
//! were applied, while a U+FFFD that the text has already is subject to the rules. So such a byte travels as a
//! noncharacter, which Unicode reserves for uses like this and which no rule knows.

use std::borrow::Cow;

/// Stands for a byte. As long in UTF-8 as U+FFFD.
pub const BROKEN: char = '\u{FDD0}';

/// The text with [`BROKEN`] for every byte that belongs to no character.
pub fn spell(bytes: &[u8]) -> Cow<'_, str> {
    if let Ok(text) = std::str::from_utf8(bytes) {
        return Cow::Borrowed(text);
    }
    let mut text = String::with_capacity(bytes.len() + 16);
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        chunk.invalid().iter().for_each(|_| text.push(BROKEN));
    }
    Cow::Owned(text)
}

/// Turns the stand-ins of a normalized text into U+FFFD.
pub fn restore(text: &str) -> Cow<'_, str> {
    if text.contains(BROKEN) { Cow::Owned(text.replace(BROKEN, "\u{FFFD}")) } else { Cow::Borrowed(text) }
}

/// For every byte boundary of [`spell`]'s text, which byte of the source it stands at; one more than there are
/// bytes. `None` if the two are the same.
pub fn positions(bytes: &[u8]) -> Option<Vec<usize>> {
    if std::str::from_utf8(bytes).is_ok() {
        return None;
    }
    let (mut positions, mut at) = (Vec::with_capacity(bytes.len() + 16), 0);
    for chunk in bytes.utf8_chunks() {
        positions.extend(at..at + chunk.valid().len());
        at += chunk.valid().len();
        for _ in chunk.invalid() {
            positions.extend([at; 3]);
            at += 1;
        }
    }
    positions.push(at);
    Some(positions)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn broken_bytes_come_out_one_by_one() {
        let bytes = b"a\xE3\x81b\xFF\xC3\xA9";
        let text = spell(bytes);
        assert_eq!(restore(&text), "a\u{FFFD}\u{FFFD}b\u{FFFD}é");
        assert_eq!(positions(bytes).unwrap(), [0, 1, 1, 1, 2, 2, 2, 3, 4, 4, 4, 5, 6, 7]);
        assert!(matches!(spell("é\u{FDD0}".as_bytes()), Cow::Borrowed(_)));
        assert!(positions("é".as_bytes()).is_none());
    }
}
