//! The clean-up of neural machine translation: some controls vanish, some characters become a blank.

use super::ascii::AsciiMap;
use super::edit::edit;
use crate::text::AlignedText;

#[derive(Debug, Clone)]
pub(super) struct Nmt {
    ascii: AsciiMap,
}

impl Nmt {
    pub fn new() -> Self {
        let ascii = AsciiMap::new(|byte| match byte {
            0x01..=0x08 | 0x0B | 0x0E..=0x1F | 0x7F => None,
            b'\t' | b'\n' | 0x0C | b'\r' => Some(b' '),
            _ => Some(byte),
        });
        Nmt { ascii }
    }

    pub fn normalize(&self, text: &mut AlignedText<'_>) {
        edit(text, |source, edit| {
            self.ascii.walk(source, edit, |edit, at, c| match c {
                '\u{8f}' | '\u{9f}' => edit.remove(at, c.len_utf8()),
                '\u{1680}'
                | '\u{200b}'..='\u{200f}'
                | '\u{2028}'
                | '\u{2029}'
                | '\u{2581}'
                | '\u{feff}'
                | '\u{fffd}' => {
                    edit.at(at).replace(' ');
                }
                _ => {}
            });
        });
    }
}
