//! What pieces are merged with: symbols, what two of them become, and their ids.

use super::characters::code_point_at;
use super::pairs::{NEVER, PairHash, Symbol};
use crate::ids::TokenId;
use crate::unicode::CharTable;

/// Symbols, their pairs and their ids.
#[derive(Debug)]
pub struct Merger {
    pub pairs: PairHash,
    /// What two bytes become, by the left one times 256 plus the right one.
    pub of_two: Box<[Symbol; 1 << 16]>,
    pub of_byte: [Symbol; 256],
    pub ids: Vec<TokenId>,
    /// Where symbols are characters and not bytes: those of other characters than ASCII.
    pub wide: Option<Box<Wide>>,
}

/// First symbols of characters beyond ASCII.
#[derive(Debug)]
pub struct Wide {
    /// [`NEVER`] for those that are spelled in bytes.
    pub of_char: CharTable<Symbol>,
    pub of_byte: [Symbol; 256],
}

impl Wide {
    /// The symbols of a piece before anything is merged.
    #[inline]
    pub fn each_symbol(&self, merger: &Merger, bytes: &[u8], mut each: impl FnMut(Symbol)) {
        let mut at = 0;
        while let Some(&byte) = bytes.get(at) {
            if byte < 128 {
                each(merger.of_byte[usize::from(byte)]);
                at += 1;
                continue;
            }
            let (code_point, width) = code_point_at(bytes, at);
            let end = (at + width as usize).min(bytes.len());
            match self.of_char.of_code_point(code_point) {
                NEVER => bytes[at..end].iter().for_each(|&byte| each(self.of_byte[usize::from(byte)])),
                symbol => each(symbol),
            }
            at = end;
        }
    }
}
