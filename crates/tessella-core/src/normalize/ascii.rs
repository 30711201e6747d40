//! What a normalizer does to ASCII, as a table: the loop that most text spends its time in.

use super::edit::Edit;

/// A table entry for bytes that vanish. Any value above 127 ends the inner loop.
const REMOVED: u8 = 0x80;
const BEYOND: u8 = 0xFF;

/// Bytes that one pass of the inner loop may write.
const CHUNK: usize = 256;

/// The fate of each ASCII character: itself, another one, or none.
#[derive(Debug, Clone)]
pub(super) struct AsciiMap {
    table: [u8; 256],
}

impl AsciiMap {
    /// `fate` says what becomes of each ASCII byte; `None` removes it.
    pub fn new(fate: impl Fn(u8) -> Option<u8>) -> Self {
        let table = std::array::from_fn(|byte| {
            if byte < 0x80 { fate(byte as u8).map_or(REMOVED, |new| new & 0x7F) } else { BEYOND }
        });
        AsciiMap { table }
    }

    /// Handles the ASCII run at `at` and returns where it ends.
    #[inline]
    pub fn run(&self, source: &str, mut at: usize, edit: &mut Edit<'_>) -> usize {
        let bytes = source.as_bytes();
        let mut out = [0u8; CHUNK];
        loop {
            let mut len = 0;
            let mut changed = 0;
            let mut end = BEYOND;
            for (new, &byte) in out.iter_mut().zip(&bytes[at..]) {
                let fate = self.table[byte as usize];
                if fate >= 0x80 {
                    end = fate;
                    break;
                }
                *new = fate;
                changed |= fate ^ byte;
                len += 1;
            }
            if changed != 0
                && let Ok(text) = std::str::from_utf8(&out[..len])
            {
                edit.at(at).keep_as(text);
            }
            at += len;
            if end == REMOVED {
                edit.remove(at, 1);
                at += 1;
            } else if len < CHUNK {
                return at;
            }
        }
    }

    /// Walks `source`: ASCII by the table, every other character by `visit`.
    #[inline]
    pub fn walk<'s>(
        &self,
        source: &'s str,
        edit: &mut Edit<'s>,
        mut visit: impl FnMut(&mut Edit<'s>, usize, char),
    ) {
        let mut at = 0;
        loop {
            at = self.run(source, at, edit);
            let mut rest = source[at..].chars();
            let Some(mut c) = rest.next() else { return };
            while !c.is_ascii() {
                visit(edit, at, c);
                at += c.len_utf8();
                match rest.next() {
                    Some(next) => c = next,
                    None => return,
                }
            }
        }
    }
}

/// ASCII lower case.
pub(super) fn lower(byte: u8) -> Option<u8> {
    Some(byte.to_ascii_lowercase())
}
