//! Bytes become the printable characters of the byte-level alphabet.

use super::edit::edit;
use crate::pretokenize::byte_alphabet::BYTE_TO_CHAR;
use crate::text::{AlignedText, Alignment};

/// Every byte becomes its character; all characters of one source character stand for it.
pub(super) fn normalize(text: &mut AlignedText<'_>) {
    if !text.map().is_tracked() {
        let source = text.as_str();
        let mut out = String::with_capacity(source.len() + source.len() / 4);
        out.extend(source.bytes().map(|byte| BYTE_TO_CHAR[byte as usize]));
        *text = AlignedText::from_parts(out, Alignment::untracked());
        return;
    }
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
