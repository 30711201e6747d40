//! Of each token the one pair that it ends with when it is merged alone, for ranks that are those of concatenations.
//!
//! For merging this is as good as all pairs, provided that a symbol says what text it stands for: as long as no
//! merge has crossed the ends of a stretch that will become token `t`, its inside merges exactly as `t` alone
//! would, so it becomes `t` by that pair. Wherever another pair with the same concatenation stands, some lower
//! merge comes first. Where merges are left out by chance, all pairs are needed.
//!
//! All merges inside a token make shorter ones, so tokens are merged by their lengths, short ones first. Those of one length
//! do not know of each other: as many as there are [`LANES`] take their steps together, so that what one of them needs
//! from the table is asked for while another is at work, and the processor has no loop to guess the end of.

use super::{Merge, PairTable, key_of};
use crate::hash::hash_u64;
use crate::ids::TokenId;
use crate::lanes::vectors::{Level, PLACE_BITS, Task, Vectors};
use crate::spec::Vocab;

/// Most symbols of a token, for the time it takes goes by the square of them.
const LONGEST: usize = 256;
/// A pair that becomes nothing, and what stands at both sides of a token. No token has this number.
const NONE: TokenId = (1 << (u32::BITS - PLACE_BITS)) - 1;
/// Places of a token's symbols while they are merged, the two around it among them.
const PLACES: usize = 16;
/// Tokens of up to so many symbols are merged together.
const SHORT: usize = PLACES - 2;
/// Tokens that take their steps together.
const LANES: usize = 16;

impl PairTable {
    /// The table. `None` if a token has more than [`LONGEST`] symbols, for which this would take long, or an id is
    /// larger than any that is met. `symbol` gives the first symbol of a character.
    pub(in crate::model::bpe) fn one_for_each_token(
        vocab: &Vocab,
        symbol: impl Fn(char) -> Option<TokenId>,
    ) -> Option<Self> {
        if vocab.id_bound() > NONE as usize {
            return None;
        }
        let mut by_length: Vec<Vec<u32>> = vec![Vec::new(); LONGEST + 1];
        for (at, (text, _)) in vocab.iter().enumerate() {
            by_length.get_mut(text.chars().count())?.push(at as u32);
        }
        let mut table = Self::with_capacity(vocab.len());
        let mut first = FirstPairs::new(vocab.id_bound());
        let mut lanes = Lanes::default();
        let mut found = Vec::new();
        let mut symbols = Vec::with_capacity(LONGEST);
        for (length, tokens) in by_length.iter().enumerate().skip(2) {
            found.clear();
            for &at in tokens {
                let (text, id) = vocab.entry(at as usize);
                symbols.clear();
                symbols.extend(text.chars().map_while(&symbol));
                // A character without a symbol: no text becomes this token by merging.
                if symbols.len() < length {
                    continue;
                }
                let merge = Merge { rank: id, result: id };
                if length > SHORT {
                    found.extend(
                        table.last_two(&first, &mut symbols).map(|(left, right)| (left, right, merge)),
                    );
                    continue;
                }
                lanes.push(&symbols, id, &table, &first);
                if lanes.used == LANES {
                    lanes.merge(length, &table, &mut found);
                }
            }
            lanes.merge(length, &table, &mut found);
            table.insert_all(&found);
            if length == 2 {
                found.iter().for_each(|&(left, right, merge)| first.insert(left, right, merge.result));
            }
        }
        Some(table)
    }

    /// Merges symbols as far as pairs go; the last two, if two are left.
    fn last_two(&self, first: &FirstPairs, symbols: &mut Vec<TokenId>) -> Option<(TokenId, TokenId)> {
        let mut ranks: Vec<TokenId> =
            symbols.windows(2).map(|pair| self.first_rank(first, pair[0], pair[1])).collect();
        while symbols.len() > 2 {
            let (at, &best) = ranks.iter().enumerate().min_by_key(|&(_, &rank)| rank)?;
            if best == NONE {
                return None;
            }
            symbols[at] = best;
            symbols.remove(at + 1);
            ranks.remove(at);
            if at > 0 {
                ranks[at - 1] = self.rank(symbols[at - 1], best);
            }
            if at + 1 < symbols.len() {
                ranks[at] = self.rank(best, symbols[at + 1]);
            }
        }
        Some((symbols[0], symbols[1]))
    }

    /// A pair's rank is what it becomes.
    fn rank(&self, left: TokenId, right: TokenId) -> TokenId {
        self.get(left, right).map_or(NONE, |merge| merge.result)
    }

    fn first_rank(&self, first: &FirstPairs, left: TokenId, right: TokenId) -> TokenId {
        first.get(left, right).unwrap_or_else(|| self.rank(left, right))
    }
}

/// Tokens of one length while they are merged: of each its symbols, from place 1 on, and the ranks of the pairs that
/// begin at the places.
#[derive(Default)]
struct Lanes {
    symbols: [[TokenId; PLACES]; LANES],
    ranks: [[TokenId; PLACES]; LANES],
    ids: [TokenId; LANES],
    used: usize,
}

/// A pair that may be in the table: its hash, its key, and the lane and place of its rank.
type Asked = (u64, u64, usize, usize);

impl Lanes {
    fn push(&mut self, symbols: &[TokenId], id: TokenId, table: &PairTable, first: &FirstPairs) {
        let lane = self.used;
        self.symbols[lane] = [NONE; PLACES];
        self.symbols[lane][1..=symbols.len()].copy_from_slice(symbols);
        self.ranks[lane] = [NONE; PLACES];
        // A token of two symbols has no other pair than itself.
        for (place, pair) in symbols.windows(2).enumerate().filter(|_| symbols.len() > 2) {
            self.ranks[lane][place + 1] = table.first_rank(first, pair[0], pair[1]);
        }
        self.ids[lane] = id;
        self.used += 1;
    }

    /// Merges all of them down to two symbols, if they come to that, and empties the lanes.
    fn merge(&mut self, length: usize, table: &PairTable, found: &mut Vec<(TokenId, TokenId, Merge)>) {
        let is_stuck = Level::best().run(Merging { lanes: self, length, table });
        for lane in (0..self.used).filter(|&lane| !is_stuck[lane]) {
            let (symbols, id) = (&self.symbols[lane], self.ids[lane]);
            found.push((symbols[1], symbols[2], Merge { rank: id, result: id }));
        }
        self.used = 0;
    }

    /// Joins the leftmost pair of the lowest rank; its place, and what it becomes: [`NONE`] if there is none.
    #[inline(always)]
    fn join_lowest<V: Vectors>(&mut self, vectors: V, lane: usize) -> (usize, TokenId) {
        let (symbols, ranks) = (&mut self.symbols[lane], &mut self.ranks[lane]);
        let lowest = vectors.lowest(ranks);
        // The place before the token has no rank, and is found only where no other has one.
        let (at, best) = ((lowest as usize % PLACES).max(1), lowest >> PLACE_BITS);
        vectors.join(symbols, at, best, NONE);
        vectors.join(ranks, at, NONE, NONE);
        (at, best)
    }
}

/// The steps of the tokens in all lanes, of so many symbols each. It tells which come to no end.
struct Merging<'l> {
    lanes: &'l mut Lanes,
    length: usize,
    table: &'l PairTable,
}

impl Task for Merging<'_> {
    type Output = [bool; LANES];

    #[inline(always)]
    fn run<V: Vectors>(self, vectors: V) -> [bool; LANES] {
        let Merging { lanes, length, table } = self;
        let mut is_stuck = [false; LANES];
        let mut asked: [Asked; 2 * LANES] = [(0, 0, 0, 0); 2 * LANES];
        for _ in 2..length {
            let mut count = 0;
            for (lane, is_stuck) in is_stuck.iter_mut().enumerate().take(lanes.used) {
                let (at, best) = lanes.join_lowest(vectors, lane);
                *is_stuck |= best == NONE;
                let symbols = &lanes.symbols[lane];
                for (place, key) in
                    [(at - 1, key_of(symbols[at - 1], best)), (at, key_of(best, symbols[(at + 1) % PLACES]))]
                {
                    let hash = hash_u64(key);
                    let (word, bit) = table.filter_bit(hash);
                    lanes.ranks[lane][place] = NONE;
                    asked[count] = (hash, key, lane, place);
                    count += usize::from(table.filter[word] & bit != 0);
                }
            }
            let asked = &asked[..count];
            table.look_ahead(asked.iter().map(|&(hash, ..)| hash));
            for &(hash, key, lane, place) in asked {
                if let Some(merge) = table.get_hashed(hash, key) {
                    lanes.ranks[lane][place] = merge.result;
                }
            }
        }
        is_stuck
    }
}

/// What pairs of first symbols become: of those there are few, so that the table stays near the processor.
struct FirstPairs {
    /// Row of a symbol by id; 0 for those that have none.
    row: Vec<u16>,
    rows: u16,
    results: Vec<TokenId>,
}

impl FirstPairs {
    const ROWS: usize = 257;

    fn new(id_bound: usize) -> Self {
        FirstPairs { row: vec![0; id_bound], rows: 0, results: vec![NONE; Self::ROWS * Self::ROWS] }
    }

    fn row_of(&mut self, id: TokenId) -> Option<usize> {
        let row = self.row.get_mut(id as usize)?;
        if *row == 0 && usize::from(self.rows) + 1 < Self::ROWS {
            self.rows += 1;
            *row = self.rows;
        }
        Some(usize::from(*row))
    }

    /// For pairs of first symbols, all of them before any other pair is asked for.
    fn insert(&mut self, left: TokenId, right: TokenId, result: TokenId) {
        if let (Some(x), Some(y)) = (self.row_of(left), self.row_of(right)) {
            self.results[x * Self::ROWS + y] = result;
        }
    }

    /// `None` for a pair with a symbol that has no row.
    #[inline]
    fn get(&self, left: TokenId, right: TokenId) -> Option<TokenId> {
        let (x, y) = (usize::from(self.row[left as usize]), usize::from(self.row[right as usize]));
        (x != 0 && y != 0).then(|| self.results[x * Self::ROWS + y])
    }
}
