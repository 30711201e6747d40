//! The pairs of common first symbols in a matrix, which stays near the processor.
//!
//! It takes some ten thousand look-ups, and is made when the first piece is merged by itself: much text never comes to that.

use std::sync::OnceLock;

use super::{Merge, NO_MERGE};
use crate::flat::{Arrays, Flat, Shelf};
use crate::ids::TokenId;

/// Rows of the matrix, row 0 included.
const ROWS: usize = 128;

/// Common first symbols and their pairs.
#[derive(Debug, Default)]
pub struct Near {
    /// The symbols of the rows, of which there is none for row 0.
    symbols: Vec<TokenId>,
    /// All ids are below.
    id_bound: usize,
    matrix: OnceLock<Matrix>,
}

#[derive(Debug)]
struct Matrix {
    /// Row of a symbol by id, 0 for all others.
    row: Flat<u8>,
    /// Merges by row of the left and the right symbol, as numbers.
    merges: Flat<u64>,
}

impl Near {
    /// For these symbols, as many as there is room for.
    pub fn of(symbols: impl Iterator<Item = TokenId>, id_bound: usize) -> Self {
        let mut known = Vec::with_capacity(ROWS);
        for id in symbols {
            if known.len() + 1 < ROWS && !known.contains(&id) {
                known.push(id);
            }
        }
        Near { symbols: known, id_bound, matrix: OnceLock::new() }
    }

    #[inline]
    fn matrix(&self, get: impl Fn(TokenId, TokenId) -> Option<Merge>) -> &Matrix {
        self.matrix.get_or_init(|| {
            let (mut row, mut merges) = (vec![0; self.id_bound], vec![NO_MERGE; ROWS * ROWS]);
            for (&left, x) in self.symbols.iter().zip(1..) {
                if let Some(row) = row.get_mut(left as usize) {
                    *row = x;
                }
                for (&right, y) in self.symbols.iter().zip(1..) {
                    merges[usize::from(x) * ROWS + y] = get(left, right).map_or(NO_MERGE, Merge::packed);
                }
            }
            Matrix { row: row.into(), merges: merges.into() }
        })
    }

    /// What a pair becomes, by `get` where it is none of common symbols.
    #[inline]
    pub fn get(
        &self,
        left: TokenId,
        right: TokenId,
        get: impl Fn(TokenId, TokenId) -> Option<Merge>,
    ) -> Option<Merge> {
        let Matrix { row, merges } = self.matrix(&get);
        let row = |id: TokenId| row.get(id as usize).map_or(0, |&row| usize::from(row));
        let (x, y) = (row(left), row(right));
        if x == 0 || y == 0 {
            return get(left, right);
        }
        Some(merges[x * ROWS + y]).filter(|&merge| merge != NO_MERGE).map(Merge::unpacked)
    }

    /// Puts it down, finished.
    pub fn put(&self, get: impl Fn(TokenId, TokenId) -> Option<Merge>, arrays: &mut Arrays) {
        let Matrix { row, merges } = self.matrix(get);
        arrays.put(row);
        arrays.put(merges);
    }

    /// Takes what was put, with tokens below `id_bound`; `None` where something in it leads elsewhere.
    pub fn take(shelf: &mut Shelf, id_bound: usize) -> crate::error::Result<Option<Self>> {
        let (row, merges) = (shelf.take::<u8>()?, shelf.take::<u64>()?);
        let is_known = |merge: u64| ((merge as u32) as usize) < id_bound;
        let is_whole = row.len() == id_bound
            && row.iter().fold(true, |all, &row| all & (usize::from(row) < ROWS))
            && merges.len() == ROWS * ROWS
            && merges.iter().fold(true, |all, &merge| all & (merge == NO_MERGE || is_known(merge)));
        let matrix = OnceLock::from(Matrix { row, merges });
        Ok(is_whole.then_some(Near { symbols: Vec::new(), id_bound, matrix }))
    }
}
