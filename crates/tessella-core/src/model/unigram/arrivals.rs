//! What arrives at a boundary of a short text: the best sum, and the best of all others, whose distance tells how sure
//! the first is.

use crate::ids::TokenId;

/// The best arrival, where it comes from and by which piece, and the best of all others.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Arrivals {
    pub best: f64,
    pub second: f64,
    pub id: TokenId,
    pub from: u32,
}

/// Nothing has arrived.
pub(crate) const NONE: Arrivals =
    Arrivals { best: f64::NEG_INFINITY, second: f64::NEG_INFINITY, id: 0, from: 0 };

impl Arrivals {
    /// Takes one more, without a branch: which of two is better cannot be foreseen.
    #[inline(always)]
    pub fn take(&mut self, sum: f64, id: TokenId, from: usize) {
        let is_better = sum > self.best;
        let lower = if is_better { self.best } else { sum };
        self.second = if lower > self.second { lower } else { self.second };
        self.best = if is_better { sum } else { self.best };
        self.id = if is_better { id } else { self.id };
        self.from = if is_better { from as u32 } else { self.from };
    }
}
