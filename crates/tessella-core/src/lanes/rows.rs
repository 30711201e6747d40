//! The symbols of sixteen pieces in rows: a row for each place in the pieces, a lane for each piece ([`super::sixteen`]).

use super::pairs::{NEVER, Symbol};
use crate::ids::TokenId;

/// Bits of a place among the numbers that are looked through for the lowest one.
pub const PLACE_BITS: u32 = 6;

/// Pieces of a group.
pub const LANES: usize = 16;
/// A symbol of every piece.
#[derive(Debug, Clone, Copy)]
#[repr(align(64))]
pub struct Row(pub [Symbol; LANES]);

/// What each of sixteen pieces joined: the row of it, what it became, and its neighbours.
#[derive(Debug)]
pub struct Joined {
    pub at: Row,
    pub best: Row,
    pub before: Row,
    pub behind: Row,
}

/// Joins the leftmost pair of the lowest rank in each piece: what is below moves up, and the ranks of both new pairs are `none`, as are
/// neighbours that are not there. The last row is behind the symbols. Ranks are places of [`super::vectors::Vectors::lowest`]'s numbers.
#[inline(always)]
pub fn join_rows_one_by_one(symbols: &mut [Row], ranks: &mut [Row], none: Symbol) -> Joined {
    let count = symbols.len().min(ranks.len()).max(2) - 1;
    let mut lowest = [Symbol::MAX; LANES];
    for (row, ranks) in ranks[..count - 1].iter().enumerate() {
        lowest.iter_mut().zip(&ranks.0).for_each(|(lowest, rank)| {
            *lowest = (*lowest).min(rank << PLACE_BITS | row as u32);
        });
    }
    let none = Row([none; LANES]);
    let mut joined = Joined { at: none, best: none, before: none, behind: none };
    for (lane, &lowest) in lowest.iter().enumerate() {
        let (at, best) = ((lowest & ((1 << PLACE_BITS) - 1)) as usize, lowest >> PLACE_BITS);
        (joined.at.0[lane], joined.best.0[lane]) = (at as u32, best);
        symbols[at].0[lane] = best;
        for row in at + 1..count {
            symbols[row].0[lane] = symbols[row + 1].0[lane];
            ranks[row].0[lane] = ranks[row + 1].0[lane];
        }
        ranks[at].0[lane] = none.0[0];
        joined.behind.0[lane] = symbols[at + 1].0[lane];
        if let Some(before) = at.checked_sub(1) {
            joined.before.0[lane] = symbols[before].0[lane];
            ranks[before].0[lane] = none.0[0];
        }
    }
    joined
}

/// Sixteen pieces of less than `N` symbols: there is a row behind them that stays as it is.
#[derive(Debug)]
pub struct Group<const N: usize> {
    pub symbols: [Row; N],
    /// What each symbol and the one below it become.
    pub ranks: [Row; N],
    /// Rows in use.
    pub rows: usize,
    /// Rows of the pieces that are not merged yet.
    pub going: usize,
    /// The ids of each piece when it is merged, with anything behind them, and how many there are.
    pub ids: [[TokenId; N]; LANES],
    pub counts: Row,
}

impl<const N: usize> Group<N> {
    const NOTHING: Row = Row([NEVER; LANES]);

    pub fn new() -> Self {
        Group {
            symbols: [Self::NOTHING; N],
            ranks: [Self::NOTHING; N],
            rows: 0,
            going: 0,
            ids: [[0; N]; LANES],
            counts: Row([0; LANES]),
        }
    }

    /// The row behind the last one in use holds nothing.
    pub fn end(&mut self, rows: usize) {
        self.rows = rows.min(N - 1);
        self.going = self.rows;
        (self.symbols[self.rows], self.ranks[self.rows]) = (Self::NOTHING, Self::NOTHING);
    }

    /// The ids of a piece that is merged.
    #[inline(always)]
    pub fn ids(&self, lane: usize) -> &[TokenId] {
        &self.ids[lane % LANES][..(self.counts.0[lane % LANES] as usize).min(N)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lanes::vectors::{Level, Task, Vectors};
    use crate::random::Random;
    use crate::scale::or_interpreted;

    const NONE: Symbol = (1 << 26) - 1;

    struct Join<'r>(&'r mut [Row], &'r mut [Row]);

    impl Task for Join<'_> {
        type Output = Joined;

        #[inline(always)]
        fn run<V: Vectors>(self, vectors: V) -> Joined {
            vectors.join_rows(self.0, self.1, NONE)
        }
    }

    #[test]
    fn all_vectors_join_alike() {
        let mut random = Random::from_seed(17);
        for round in 0..or_interpreted(4000, 9) {
            let count = 2 + round % 30;
            let mut row = |bound: u64| {
                Row([0; LANES].map(|_: u32| {
                    let number = random.next_u64() % bound;
                    if number.is_multiple_of(3) { NONE } else { number as Symbol }
                }))
            };
            let mut symbols: Vec<Row> = (0..count).map(|_| row(1 << 26)).collect();
            symbols.push(Row([NONE; LANES]));
            // Few ranks, so that some are equal.
            let ranks: Vec<Row> =
                (0..=count).map(|_| row(if round % 2 == 0 { 9 } else { 1 << 26 })).collect();
            let mut results = Level::all().into_iter().map(|level| {
                let (mut symbols, mut ranks) = (symbols.clone(), ranks.clone());
                let Joined { at, best, before, behind } = level.run(Join(&mut symbols, &mut ranks));
                // What is behind the pairs that are left is of no use.
                ranks.truncate(count - 2);
                let rows = symbols.into_iter().take(count).chain(ranks).chain([at, best, before, behind]);
                rows.map(|row| row.0).collect::<Vec<_>>()
            });
            let plain = results.next().unwrap();
            assert!(results.all(|other| other == plain), "{count} symbols");
        }
    }
}
