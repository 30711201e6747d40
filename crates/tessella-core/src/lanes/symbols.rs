//! What pieces are merged with: symbols, what two of them become, and their ids.

use std::ops::Deref;

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
    pub of_byte: OfByte,
    pub ids: Ids,
    /// Where symbols are characters and not bytes: those of other characters than ASCII.
    pub wide: Option<Box<Wide>>,
}

/// The symbols of bytes.
#[derive(Debug)]
pub struct OfByte {
    symbols: [Symbol; 256],
    near: Option<Near>,
}

/// The symbols of bytes as the least of them and how far the others are from it, where a byte tells that: vectors look up bytes.
#[derive(Debug)]
pub struct Near {
    pub least: Symbol,
    pub further: [u8; 256],
}

impl From<[Symbol; 256]> for OfByte {
    fn from(symbols: [Symbol; 256]) -> Self {
        let least = symbols.iter().fold(Symbol::MAX, |least, &symbol| least.min(symbol));
        let further = symbols.map(|symbol| (symbol - least) as u8);
        let are_near = symbols.iter().all(|symbol| symbol - least <= u8::MAX.into());
        OfByte { symbols, near: are_near.then_some(Near { least, further }) }
    }
}

impl Deref for OfByte {
    type Target = [Symbol; 256];

    #[inline(always)]
    fn deref(&self) -> &[Symbol; 256] {
        &self.symbols
    }
}

impl OfByte {
    #[inline(always)]
    pub fn near(&self) -> Option<&Near> {
        self.near.as_ref()
    }
}

/// The ids of symbols.
#[derive(Debug)]
pub enum Ids {
    /// Symbols are ids, below a bound. There may be gaps between them.
    Same(usize),
    Listed(Vec<TokenId>),
}

impl Ids {
    /// Symbols are below.
    pub fn bound(&self) -> usize {
        match self {
            Ids::Same(bound) => *bound,
            Ids::Listed(ids) => ids.len(),
        }
    }

    /// The id of a symbol there is.
    #[inline(always)]
    pub fn of(&self, symbol: Symbol) -> TokenId {
        match self {
            Ids::Same(_) => symbol,
            Ids::Listed(ids) => ids[symbol as usize],
        }
    }

    /// Bytes in use.
    pub fn memory(&self) -> usize {
        match self {
            Ids::Same(_) => 0,
            Ids::Listed(ids) => size_of_val(ids.as_slice()),
        }
    }
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
