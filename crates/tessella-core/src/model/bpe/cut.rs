//! Boundaries that no merge can cross.
//!
//! A merge joins the last first-symbol of its left part with the first first-symbol of its right part. So a
//! boundary between two first symbols `x | y` can only be crossed if some merge `(L, R)` exists where `L` can
//! end in `x` and `R` can begin with `y`. Collect all such `(x, y)`; where a pair is not among them, the two
//! sides never interact, and encoding them apart gives the same tokens. This holds for any merge list and any
//! rank order, and with dropout.
//!
//! What a token can begin and end with follows from the merges that make it: a token is a first symbol
//! itself, or the result of a merge. The sets are found by propagation; they are tiny (nearly always one
//! entry), because a token's text fixes its first and last character.

use std::collections::HashMap;

use super::pairs::Pairs;
use super::symbols::SymbolTable;
use crate::error::Result;
use crate::flat::{Arrays, Shelf, misfit};
use crate::ids::TokenId;
use crate::lanes::{ByRank, Ranked};
use crate::spec::Vocab;
use crate::unicode::CharTable;

/// What becomes of a character without a symbol: decides whether it may stand next to a cut.
#[derive(Debug, Clone, Copy)]
pub(super) enum UnknownRule {
    /// It vanishes, and its neighbours may merge across it.
    Vanishes,
    /// It joins an unknown neighbour.
    Fuses,
    /// It is this symbol.
    Symbol(TokenId),
}

/// Symbols that never stand on a side of a crossable pair share this row or column.
const NEVER: u16 = 0;
/// A character that has no symbol of its own: looked at closely.
const NO_SYMBOL: u16 = u16::MAX;
/// A table of more rows or columns would outgrow the processor's caches; such a vocabulary is not cut.
const MOST_SIDES: usize = 8192;

/// The crossable pairs of first symbols, as a table of bits.
#[derive(Debug)]
pub(super) struct CutTest {
    pub(super) useful: bool,
    byte_fallback: bool,
    /// Row of a symbol on the left of a boundary, column of one on the right, by id.
    row: Vec<u16>,
    column: Vec<u16>,
    /// The same by character, for those that have a symbol.
    sides: CharTable<[u16; 2]>,
    /// 64-bit words per row.
    stride: usize,
    bits: Vec<u64>,
}

impl CutTest {
    pub(super) fn build(
        pairs: &Pairs,
        symbols: &SymbolTable,
        vocab: &Vocab,
        unk: Option<TokenId>,
        byte_fallback: bool,
    ) -> Self {
        // Parts come before the whole in nearly every list.
        let merges = ByRank::new(pairs.len(), pairs.ranked());
        let merges = merges.merges();
        let (first, last) = ends(merges, &seeds(vocab, symbols, unk, byte_fallback));
        let mut test = CutTest {
            useful: true,
            byte_fallback,
            row: vec![NEVER; vocab.id_bound()],
            column: vec![NEVER; vocab.id_bound()],
            sides: CharTable::new([NO_SYMBOL, NO_SYMBOL]),
            stride: 0,
            bits: Vec::new(),
        };
        let (mut rows, mut columns) = (1, 1);
        each_crossing(merges, &last, &first, |x, y| {
            for (side, count, id) in [(&mut test.row, &mut rows, x), (&mut test.column, &mut columns, y)] {
                if side[id as usize] == NEVER && *count <= MOST_SIDES {
                    side[id as usize] = *count as u16;
                    *count += 1;
                }
            }
        });
        if rows.max(columns) > MOST_SIDES {
            return Self::never();
        }
        test.stride = columns.div_ceil(64);
        test.bits = vec![0; rows * test.stride];
        each_crossing(merges, &last, &first, |x, y| {
            let column = test.column[y as usize] as usize;
            test.bits[test.row[x as usize] as usize * test.stride + column / 64] |= 1 << (column % 64);
        });
        for (c, id) in vocab.characters("", "") {
            test.sides.insert(c, [test.row[id as usize], test.column[id as usize]]);
        }
        test
    }

    /// No boundary is known to be uncrossable. For words with affixes (the form of a symbol depends on its
    /// place, and such words are short anyway) and for ranks over bytes (nearly any two bytes meet in some
    /// token).
    pub(super) fn never() -> Self {
        CutTest {
            useful: false,
            byte_fallback: false,
            row: Vec::new(),
            column: Vec::new(),
            sides: CharTable::new([NO_SYMBOL, NO_SYMBOL]),
            stride: 0,
            bits: Vec::new(),
        }
    }

    /// Puts the finished test down.
    pub(super) fn put(&self, arrays: &mut Arrays) {
        arrays.numbers(&[self.stride as u64]);
        arrays.put(&self.row);
        arrays.put(&self.column);
        arrays.put(&self.bits);
        self.sides.put(arrays);
    }

    /// Takes what was put, with tokens below `id_bound`.
    pub(super) fn take(shelf: &mut Shelf, id_bound: usize, byte_fallback: bool) -> Result<Self> {
        let stride = shelf.number()? as usize;
        let (row, column) = (shelf.take::<u16>()?.to_vec(), shelf.take::<u16>()?.to_vec());
        let bits = shelf.take::<u64>()?.to_vec();
        if stride > MOST_SIDES || row.len() != id_bound || column.len() != id_bound {
            return Err(misfit());
        }
        let is_row = |row: u16| (usize::from(row) + 1) * stride <= bits.len();
        let is_column = |column: u16| usize::from(column) / 64 < stride;
        let sides = CharTable::take(shelf, [NO_SYMBOL, NO_SYMBOL], |&[row, column]| {
            [row, column] == [NO_SYMBOL, NO_SYMBOL] || is_row(row) && is_column(column)
        })?;
        if !row.iter().all(|&row| is_row(row)) || !column.iter().all(|&column| is_column(column)) {
            return Err(misfit());
        }
        Ok(CutTest { useful: true, byte_fallback, row, column, sides, stride, bits })
    }

    /// Whether a merge may join what ends in `left` with what begins with `right`.
    #[inline]
    pub(super) fn crosses_chars(
        &self,
        left: char,
        right: char,
        symbols: &SymbolTable,
        unknown: UnknownRule,
    ) -> bool {
        let ([row, _], [_, column]) = (self.sides.get(left), self.sides.get(right));
        if row != NO_SYMBOL && column != NO_SYMBOL {
            self.crosses(row, column)
        } else {
            self.crosses_unknown(left, right, symbols, unknown)
        }
    }

    #[inline]
    fn crosses(&self, row: u16, column: u16) -> bool {
        let column = column as usize;
        self.bits[row as usize * self.stride + column / 64] >> (column % 64) & 1 != 0
    }

    /// The same where a character has no symbol of its own: it may be spelled in bytes, or be an unknown.
    #[cold]
    fn crosses_unknown(&self, left: char, right: char, symbols: &SymbolTable, unknown: UnknownRule) -> bool {
        let ends = |c: char| match (symbols.of_plain_char(c), unknown) {
            (Some(id), _) => Some((id, id)),
            (None, _) if self.byte_fallback && symbols.fallback_ends(c).is_some() => symbols.fallback_ends(c),
            (None, UnknownRule::Symbol(id)) => Some((id, id)),
            // What becomes of it depends on its neighbours.
            (None, UnknownRule::Vanishes | UnknownRule::Fuses) => None,
        };
        match (ends(left), ends(right)) {
            (Some((_, x)), Some((y, _))) => self.crosses(self.row[x as usize], self.column[y as usize]),
            _ => true,
        }
    }
}

/// Which tokens can be first symbols: single characters, byte tokens, the unknown token.
fn seeds(vocab: &Vocab, symbols: &SymbolTable, unk: Option<TokenId>, byte_fallback: bool) -> Vec<bool> {
    let mut seeds = vec![false; vocab.id_bound()];
    vocab.characters("", "").for_each(|(_, id)| seeds[id as usize] = true);
    if byte_fallback {
        symbols.fallback_ids().for_each(|id| seeds[id as usize] = true);
    }
    if let Some(unk) = unk {
        seeds[unk as usize] = true;
    }
    seeds
}

/// What each token can begin with, or end with. A token's text nearly always leaves one possibility.
#[derive(Debug, Clone)]
struct Ends {
    /// The first one found, `NOTHING` if there is none yet.
    one: Vec<TokenId>,
    more: HashMap<TokenId, Vec<TokenId>>,
}

const NOTHING: TokenId = TokenId::MAX;

impl Ends {
    #[inline]
    fn each(&self, token: TokenId, mut found: impl FnMut(TokenId)) {
        let one = self.one[token as usize];
        if one != NOTHING {
            found(one);
        }
        if !self.more.is_empty()
            && let Some(more) = self.more.get(&token)
        {
            more.iter().for_each(|&id| found(id));
        }
    }

    /// Adds what `part` can begin (or end) with to what `whole` can; true if that is news.
    fn absorb(&mut self, whole: TokenId, part: TokenId) -> bool {
        let mut changed = self.add(whole, self.one[part as usize]);
        if !self.more.is_empty()
            && let Some(more) = self.more.get(&part).cloned()
        {
            more.iter().for_each(|&id| changed |= self.add(whole, id));
        }
        changed
    }

    fn add(&mut self, whole: TokenId, id: TokenId) -> bool {
        let one = &mut self.one[whole as usize];
        if *one == id || id == NOTHING {
            return false;
        }
        if *one == NOTHING {
            *one = id;
            return true;
        }
        let more = self.more.entry(whole).or_default();
        let is_new = !more.contains(&id);
        if is_new {
            more.push(id);
        }
        is_new
    }
}

/// The first symbols that may meet where a merge joins two tokens.
fn each_crossing(merges: &[Ranked], last: &Ends, first: &Ends, mut found: impl FnMut(TokenId, TokenId)) {
    for &(left, right, ..) in merges {
        last.each(left, |x| first.each(right, |y| found(x, y)));
    }
}

/// For each token: the first symbols it can begin with, and end with. One round settles it where parts come before the whole, for then
/// nothing changes of which something else was made.
fn ends(merges: &[Ranked], seeds: &[bool]) -> (Ends, Ends) {
    let one = (0..).zip(seeds).map(|(id, &seed)| if seed { id } else { NOTHING }).collect();
    let mut first = Ends { one, more: HashMap::new() };
    let mut last = first.clone();
    let mut is_used = vec![false; seeds.len()];
    loop {
        let mut is_late = false;
        for &(left, right, _, result) in merges {
            (is_used[left as usize], is_used[right as usize]) = (true, true);
            let changed = first.absorb(result, left) | last.absorb(result, right);
            is_late |= changed & is_used[result as usize];
        }
        if !is_late {
            return (first, last);
        }
    }
}
