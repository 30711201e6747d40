//! A piece as its bytes, in as much room as it has symbols when it is merged.

use super::key::{Key, LONGEST};

/// Symbols of a key. One is a border, so a piece has less.
pub const SHORT: usize = 16;
const _: () = assert!(LONGEST < SHORT);

/// A piece of less than `N` bytes, with anything behind them.
#[derive(Debug, Clone, Copy)]
pub struct Bytes<const N: usize> {
    pub bytes: [u8; N],
    pub length: usize,
}

impl From<Key> for Bytes<SHORT> {
    #[inline(always)]
    fn from(key: Key) -> Self {
        Bytes { bytes: key.bytes(), length: key.len() }
    }
}
