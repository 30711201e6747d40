//! Merges of pieces whose first symbols the model tells: words with affixes, characters that are unknown or stand for others.
//!
//! Symbols are numbered by their ranks as those of bytes are ([`build`](super::build)), so a token must have one merge.

use super::begins::Merges;
use super::build::{ByRank, Known, Numbers, Ranked};
use super::merge::{Merging as _, Work};
use super::middle;
use super::pairs::{Filling, NEVER, PairHash, Symbol};
use super::rows::{Group, LANES};
use super::symbols::Ids;
use super::vectors::{Level, Task, Vectors};
use super::{LongWork, bytes};
use crate::ids::TokenId;

/// Symbols of a piece that is merged among short ones, at most.
pub const FEW_SYMBOLS: usize = bytes::SHORT - 1;
/// Symbols of one that is merged in a lane at all.
pub const MOST_SYMBOLS: usize = middle::ROOM - 1;

/// What such pieces are merged by.
#[derive(Debug)]
pub struct SymbolMerger {
    pairs: PairHash,
    ids: Ids,
    /// The symbol of each id, where they differ; [`NEVER`] for tokens that never stand anywhere.
    of_id: Option<Vec<Symbol>>,
}

impl SymbolMerger {
    /// From merges in any order, about `count`, and all tokens that are first symbols, or why pieces are left to the plain loops.
    pub fn new(
        merges: impl Iterator<Item = Ranked> + Clone,
        count: usize,
        firsts: &[TokenId],
        id_bound: usize,
    ) -> Result<Self, &'static str> {
        if id_bound >= NEVER as usize {
            return Err("the vocabulary is too large");
        }
        let merges = ByRank::new(count, merges);
        let mut numbers = Numbers::default();
        let mut known = Known::new(id_bound);
        // As far from each other everywhere, ids may be the symbols.
        let mut in_order = true;
        let mut distance = None;
        for &(_, _, rank, result) in merges.merges() {
            if !known.insert(result) {
                return Err("two merges of the list make the same token");
            }
            let apart = i64::from(result) - i64::from(rank);
            in_order &= *distance.get_or_insert(apart) == apart;
            numbers.insert(result);
        }
        for &id in firsts {
            numbers.insert(id);
        }
        let Numbers { mut of_id, ids } = numbers.checked()?;
        of_id.resize(id_bound, NEVER);
        let symbol = |id: TokenId| if in_order { id } else { of_id[id as usize] };
        let mut filling = Filling::new(count, count / 5);
        // A token that is neither first nor a result never stands anywhere.
        let stands = |id: TokenId| symbol(id) != NEVER;
        let made = merges.merges().iter().filter(|&&(left, right, ..)| stands(left) && stands(right));
        made.for_each(|&(left, right, _, result)| filling.put(symbol(left), symbol(right), symbol(result)));
        let pairs = filling.finish(|_, _| true).ok_or("its pairs cannot be told apart")?;
        Ok(SymbolMerger {
            pairs,
            ids: if in_order { Ids::Same(id_bound) } else { Ids::Listed(ids) },
            of_id: (!in_order).then_some(of_id),
        })
    }

    /// The symbol of a token.
    #[inline(always)]
    pub fn symbol_of(&self, id: TokenId) -> Symbol {
        match &self.of_id {
            None => id,
            Some(of_id) => of_id.get(id as usize).copied().unwrap_or(NEVER),
        }
    }

    /// Hands over the ids of pieces of up to [`FEW_SYMBOLS`], in any order, each with its number. Their symbols stand one behind the
    /// other, each piece's up to its end.
    pub fn solve_few(
        &self,
        work: &mut Work<{ bytes::SHORT }>,
        (symbols, ends): (&[Symbol], &[u32]),
        found: impl FnMut(usize, &[TokenId]),
    ) {
        Level::best().run(Merging { merger: self, work, symbols, ends, found });
    }

    /// The same for pieces of up to [`MOST_SYMBOLS`].
    pub fn solve_many(
        &self,
        work: &mut LongWork,
        (symbols, ends): (&[Symbol], &[u32]),
        found: impl FnMut(usize, &[TokenId]),
    ) {
        Level::best().run(Merging { merger: self, work, symbols, ends, found });
    }
}

/// The symbols of many pieces, and where those of one stand among them.
#[derive(Debug, Clone, Copy)]
pub struct SymbolsOf<'p> {
    all: &'p [Symbol],
    start: u32,
    count: u32,
}

impl<'p> SymbolsOf<'p> {
    #[inline(always)]
    fn symbols(self) -> &'p [Symbol] {
        let start = self.start as usize;
        self.all.get(start..start + self.count as usize).unwrap_or_default()
    }
}

impl<const N: usize> Merges<N> for SymbolMerger {
    type Piece<'p> = SymbolsOf<'p>;

    #[inline(always)]
    fn pairs(&self) -> &PairHash {
        &self.pairs
    }

    #[inline(always)]
    fn ids(&self) -> &Ids {
        &self.ids
    }

    #[inline(always)]
    fn nothing<'p>() -> Self::Piece<'p> {
        SymbolsOf { all: &[], start: 0, count: 0 }
    }

    #[inline(always)]
    fn length(piece: &SymbolsOf<'_>) -> usize {
        piece.count as usize
    }

    #[inline(always)]
    fn begin_lane(&self, piece: &SymbolsOf<'_>, symbols: &mut [Symbol; N], ranks: &mut [Symbol; N]) -> usize {
        let piece = piece.symbols();
        let count = piece.len().min(N - 1);
        symbols[1..=count].copy_from_slice(&piece[..count]);
        for (rank, both) in ranks[1..].iter_mut().zip(piece[..count].windows(2)) {
            *rank = self.pairs.get(both[0], both[1]);
        }
        count
    }

    /// All pieces are among the same symbols.
    #[inline(always)]
    fn begin_group<V: Vectors>(&self, vectors: V, group: &mut Group<N>, pieces: &[SymbolsOf<'_>; LANES]) {
        let all = pieces[0].all;
        let (starts, lengths) = (pieces.map(|piece| piece.start), pieces.map(|piece| piece.count));
        let rows = lengths.iter().fold(0, |most, &length| most.max(length as usize));
        vectors.begin_symbols(group, &self.pairs, all, (&starts, &lengths, rows));
    }
}

/// Pieces that are merged many in turn.
struct Merging<'m, const N: usize, F> {
    merger: &'m SymbolMerger,
    work: &'m mut Work<N>,
    symbols: &'m [Symbol],
    ends: &'m [u32],
    found: F,
}

impl<const N: usize, F: FnMut(usize, &[TokenId])> Task for Merging<'_, N, F> {
    type Output = ();

    #[inline(always)]
    fn run<V: Vectors>(self, vectors: V) {
        let Merging { merger, work, symbols: all, ends, found } = self;
        let piece = |at: usize| {
            let start = at.checked_sub(1).map_or(0, |before| ends[before]);
            SymbolsOf { all, start, count: ends[at] - start }
        };
        merger.solve(vectors, work, ends.len(), piece, found);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;
    use crate::scale::or_interpreted;

    /// What becomes of symbols by merges of which the one with the lowest rank goes first, and of equal ones the leftmost.
    fn merged(mut line: Vec<TokenId>, merges: &[Ranked]) -> Vec<TokenId> {
        loop {
            let pairs = line.windows(2).enumerate().filter_map(|(at, pair)| {
                let merge = merges.iter().find(|merge| (merge.0, merge.1) == (pair[0], pair[1]))?;
                Some((merge.2, at, merge.3))
            });
            let Some((_, at, result)) = pairs.min() else { return line };
            line.splice(at..at + 2, [result]);
        }
    }

    struct Solve<'s>(&'s SymbolMerger, &'s [Symbol], &'s [u32], bool);

    impl Task for Solve<'_> {
        type Output = Vec<Vec<TokenId>>;

        #[inline(always)]
        fn run<V: Vectors>(self, vectors: V) -> Self::Output {
            let Solve(merger, symbols, ends, is_long) = self;
            let mut made = vec![Vec::new(); ends.len()];
            let found = |at: usize, ids: &[TokenId]| made[at] = ids.to_vec();
            if is_long {
                let work: &mut LongWork = &mut Work::new();
                Merging { merger, work, symbols, ends, found }.run(vectors);
            } else {
                let work: &mut Work<{ bytes::SHORT }> = &mut Work::new();
                Merging { merger, work, symbols, ends, found }.run(vectors);
            }
            made
        }
    }

    /// With ids in the order of ranks and in any order, few pieces and many, short and long ones.
    #[test]
    fn pieces_of_symbols_merge_as_one_by_one() {
        let mut random = Random::from_seed(21);
        let mut below = |bound: usize| (random.next_u64() % bound as u64) as usize;
        let (mut joined, mut listed) = (0, 0);
        for round in 0..or_interpreted(200, 3) {
            let firsts: Vec<TokenId> = (0..2 + below(4) as TokenId).collect();
            let is_in_order = round % 3 == 0;
            let bound = firsts.len() + 60;
            let mut free: Vec<TokenId> = (firsts.len() as TokenId..bound as TokenId).collect();
            let (mut merges, mut known): (Vec<Ranked>, _) = (Vec::new(), firsts.clone());
            for rank in 0..below(50) as u32 {
                let (left, right) = (known[below(known.len())], known[below(known.len())]);
                if merges.iter().all(|merge| (merge.0, merge.1) != (left, right)) {
                    let result = free.remove(if is_in_order { 0 } else { below(free.len()) });
                    // Ranks may have gaps.
                    let rank = if is_in_order { merges.len() as u32 } else { rank };
                    merges.push((left, right, rank, result));
                    known.push(result);
                }
            }
            let merger = SymbolMerger::new(merges.iter().copied(), merges.len(), &firsts, bound).unwrap();
            listed += usize::from(merger.of_id.is_some());
            let most = if round % 2 == 0 { FEW_SYMBOLS } else { MOST_SYMBOLS };
            let lines: Vec<Vec<TokenId>> = (0..below(50))
                .map(|_| (0..below(most + 1)).map(|_| firsts[below(firsts.len())]).collect())
                .collect();
            let symbols: Vec<Symbol> = lines.concat().iter().map(|&id| merger.symbol_of(id)).collect();
            let mut end = 0;
            let ends: Vec<u32> = lines.iter().map(|line| (end += line.len() as u32, end).1).collect();
            let expected: Vec<Vec<TokenId>> =
                lines.iter().map(|line| merged(line.clone(), &merges)).collect();
            for level in Level::all() {
                let found = level.run(Solve(&merger, &symbols, &ends, most == MOST_SYMBOLS));
                assert_eq!(found, expected, "{} {merges:?}", level.name());
            }
            joined += expected.iter().flatten().filter(|id| !firsts.contains(id)).count();
        }
        assert!(joined > or_interpreted(5000, 0) && listed > or_interpreted(50, 0), "{joined} {listed}");
    }

    #[test]
    fn lists_that_numbers_cannot_order_are_refused() {
        let new = |merges: &[Ranked], bound| {
            SymbolMerger::new(merges.iter().copied(), merges.len(), &[0, 1], bound)
        };
        assert!(new(&[(0, 1, 0, 2)], 3).is_ok());
        assert!(new(&[(0, 1, 0, 2), (1, 0, 1, 2)], 3).is_err());
        assert!(new(&[(0, 1, 0, 2)], NEVER as usize).is_err());
    }
}
