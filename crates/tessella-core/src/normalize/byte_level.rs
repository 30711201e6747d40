//! Bytes become the printable characters of the byte-level alphabet.

use super::edit::edit;
use crate::pretokenize::byte_alphabet::BYTE_TO_CHAR;
use crate::text::AlignedText;

/// Every byte becomes its character; all characters of one source character stand for it.
pub(super) fn normalize(text: &mut AlignedText<'_>) {
    edit(text, |source, edit| {
        for (at, c) in source.char_indices() {
            if c.is_ascii_graphic() {
                continue;
            }
            let mut utf8 = [0; 4];
            let bytes = c.encode_utf8(&mut utf8).as_bytes();
            let rest = bytes[1..].iter().map(|&byte| BYTE_TO_CHAR[byte as usize]);
            edit.expand(at, BYTE_TO_CHAR[bytes[0] as usize], rest);
        }
    });
}
