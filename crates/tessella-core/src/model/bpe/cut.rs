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

use std::collections::HashSet;

use super::pairs::PairTable;
use super::symbols::SymbolTable;
use crate::ids::TokenId;
use crate::spec::Vocab;

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

/// The crossable pairs of first symbols.
#[derive(Debug)]
pub(super) struct CutTest {
    useful: bool,
    byte_fallback: bool,
    crossable: HashSet<(TokenId, TokenId), std::hash::BuildHasherDefault<PairHasher>>,
    /// The same for ASCII characters that have a symbol: bit `right` of row `left`. Characters without a
    /// symbol count as crossable here and are looked at closely.
    ascii: Box<[u128; 128]>,
}

/// Hashes the pair of ids that a `(u32, u32)` key writes.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct PairHasher(u64);

impl std::hash::Hasher for PairHasher {
    fn finish(&self) -> u64 {
        crate::hash::hash_u64(self.0)
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = self.0 << 8 | byte as u64;
        }
    }

    fn write_u32(&mut self, id: u32) {
        self.0 = self.0 << 32 | id as u64;
    }
}

impl CutTest {
    pub(super) fn build(
        pairs: &PairTable,
        symbols: &SymbolTable,
        vocab: &Vocab,
        unk: Option<TokenId>,
        byte_fallback: bool,
    ) -> Self {
        let mut test =
            CutTest { useful: true, byte_fallback, crossable: HashSet::default(), ascii: Box::new([0; 128]) };
        let (first, last) = ends(pairs, &seeds(vocab, symbols, unk, byte_fallback));
        for (left, right, _) in pairs.iter() {
            for &x in &last[left as usize] {
                for &y in &first[right as usize] {
                    test.crossable.insert((x, y));
                }
            }
        }
        for left in 0..128u8 {
            for right in 0..128u8 {
                let crossable =
                    match (symbols.of_plain_char(left as char), symbols.of_plain_char(right as char)) {
                        (Some(x), Some(y)) => test.crossable.contains(&(x, y)),
                        _ => true,
                    };
                test.ascii[left as usize] |= (crossable as u128) << right;
            }
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
            crossable: HashSet::default(),
            ascii: Box::new([u128::MAX; 128]),
        }
    }

    pub(super) fn is_useful(&self) -> bool {
        self.useful
    }

    /// The end of the unit that starts at byte `start`: the first boundary after it that cannot be crossed.
    pub(super) fn next_cut(
        &self,
        piece: &str,
        start: usize,
        symbols: &SymbolTable,
        unknown: UnknownRule,
    ) -> usize {
        let bytes = piece.as_bytes();
        let mut at = start;
        // Fast while both sides are ASCII.
        let mut left = None;
        while at + 1 < bytes.len() {
            let (a, b) = (bytes[at], bytes[at + 1]);
            if a < 128 && b < 128 && left.is_none() {
                if self.ascii[a as usize] >> b & 1 == 0 {
                    return at + 1;
                }
                let known =
                    symbols.of_plain_char(a as char).is_some() && symbols.of_plain_char(b as char).is_some();
                if known || !self.cuts(a as char, b as char, symbols, unknown) {
                    at += 1;
                    continue;
                }
                return at + 1;
            }
            let a = left.take().unwrap_or_else(|| char_at(piece, at));
            let next = at + a.len_utf8();
            if next >= bytes.len() {
                break;
            }
            let b = char_at(piece, next);
            if self.cuts(a, b, symbols, unknown) {
                return next;
            }
            at = next;
            if b as u32 >= 128 {
                left = Some(b);
            }
        }
        bytes.len()
    }

    /// Whether nothing crosses between `a` and `b`.
    fn cuts(&self, a: char, b: char, symbols: &SymbolTable, unknown: UnknownRule) -> bool {
        let ends = |c: char| -> Option<(TokenId, TokenId)> {
            if let Some(id) = symbols.of_plain_char(c) {
                return Some((id, id));
            }
            if self.byte_fallback
                && let Some(ends) = symbols.fallback_ends(c)
            {
                return Some(ends);
            }
            match unknown {
                UnknownRule::Symbol(id) => Some((id, id)),
                UnknownRule::Vanishes | UnknownRule::Fuses => None,
            }
        };
        match (ends(a), ends(b)) {
            (Some((_, x)), Some((y, _))) => !self.crossable.contains(&(x, y)),
            _ => false,
        }
    }
}

fn char_at(text: &str, at: usize) -> char {
    text[at..].chars().next().expect("a character starts before the end")
}

/// Which tokens can be first symbols: single characters, byte tokens, the unknown token.
fn seeds(vocab: &Vocab, symbols: &SymbolTable, unk: Option<TokenId>, byte_fallback: bool) -> Vec<bool> {
    let mut seeds = vec![false; vocab.id_bound()];
    for (text, id) in vocab.iter() {
        if text.chars().nth(1).is_none() {
            seeds[id as usize] = true;
        }
    }
    if byte_fallback {
        symbols.fallback_ids().for_each(|id| seeds[id as usize] = true);
    }
    if let Some(unk) = unk {
        seeds[unk as usize] = true;
    }
    seeds
}

/// For each token: the first symbols it can begin with, and end with.
fn ends(pairs: &PairTable, seeds: &[bool]) -> (Vec<Vec<TokenId>>, Vec<Vec<TokenId>>) {
    let mut first: Vec<Vec<TokenId>> =
        (0..seeds.len()).map(|id| if seeds[id] { vec![id as TokenId] } else { Vec::new() }).collect();
    let mut last = first.clone();
    // Parts come before the whole in nearly every list, so two rounds settle it.
    let mut merges: Vec<_> = pairs.iter().collect();
    merges.sort_unstable_by_key(|(_, _, merge)| merge.rank);
    loop {
        let mut changed = false;
        for &(left, right, merge) in &merges {
            changed |= absorb(&mut first, merge.result, left);
            changed |= absorb(&mut last, merge.result, right);
        }
        if !changed {
            return (first, last);
        }
    }
}

/// Adds what `part` can begin (or end) with to what `whole` can.
fn absorb(sets: &mut [Vec<TokenId>], whole: TokenId, part: TokenId) -> bool {
    if whole == part {
        return false;
    }
    let mut changed = false;
    let from = std::mem::take(&mut sets[part as usize]);
    for &id in &from {
        let set = &mut sets[whole as usize];
        if !set.contains(&id) {
            set.push(id);
            changed = true;
        }
    }
    sets[part as usize] = from;
    changed
}
