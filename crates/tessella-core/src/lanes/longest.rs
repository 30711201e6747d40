//! Long pieces without merging them: the longest token first, taken back where merges would not have left it there.
//!
//! Merges leave a row of tokens in which every two neighbours are *compatible*: merged by themselves, their bytes come to
//! just these two. The other way around, a row of compatible tokens that covers a piece is what merges leave, and there is
//! only one. So the row is built from the left: the longest token that the rest begins with, if it is compatible
//! with the one before it, else the next shorter one, and where none is left the last token is taken back. A
//! place in the piece that led nowhere is not tried again, so the time is linear in the length whatever the text.
//!
//! Whether two tokens are compatible is found by taking merges back, the last one first: at each step the two
//! symbols beside the boundary must not have merged before the one that is taken apart next did.
//!
//! This needs merges of which each makes another token, out of tokens that were there before (lower ranks), and whose
//! results are as long as their parts. Tokens that merging their own bytes does not give are left out.

use std::collections::HashMap;

use super::EachToken;
use super::build::Known;
use super::lengths::Lengths;
use super::pairs::{NEVER, Symbol};
use super::slots::ID_BOUND;
use super::symbols::Merger;
use crate::ids::TokenId;
use crate::trie::Trie;

/// Pieces above this length are left to a loop that can be cancelled.
pub const MOST: usize = 1 << 20;

/// What a token is made of.
#[derive(Debug, Clone, Copy)]
struct Made {
    left: Symbol,
    right: Symbol,
    /// The longest token that it begins with and is not.
    shorter: Symbol,
    length: u32,
}

#[derive(Debug)]
pub struct Longest {
    /// By symbol. A byte is made of nothing.
    made: Vec<Made>,
    /// The tokens that may stand in a row.
    tokens: Trie,
    /// Long pieces that are one token although merges would not make it.
    whole: HashMap<Box<[u8]>, TokenId>,
    memory: usize,
}

/// Room for one piece.
#[derive(Debug, Default)]
pub struct Row {
    symbols: Vec<Symbol>,
    /// A bit for each place of the piece that led nowhere.
    dead: Vec<u64>,
}

/// When a symbol was made, by rank; 0 for bytes.
#[inline(always)]
fn made_at(made: &Made, symbol: Symbol) -> u32 {
    if made.left == NEVER { 0 } else { symbol + 1 }
}

impl Longest {
    /// `whole_pieces`: a whole piece that is a token is that token, whatever merges say.
    pub fn new(merger: &Merger, lengths: &Lengths, each: &EachToken, whole_pieces: bool) -> Option<Longest> {
        let count = merger.ids.bound();
        // Of what is no symbol as well.
        let nothing = Made { left: NEVER, right: NEVER, shorter: NEVER, length: 0 };
        let mut made = vec![nothing; count];
        for (left, right, result) in merger.pairs.iter() {
            let place = made.get_mut(result as usize)?;
            (place.left, place.right, place.length) = (left, right, lengths.of(merger.ids.of(result)));
        }
        for &symbol in merger.of_byte.iter() {
            made.get_mut(symbol as usize)?.length = lengths.of(merger.ids.of(symbol));
        }
        // Parts come before what is made of them.
        let is_byte = |symbol: Symbol| made.get(symbol as usize).is_some_and(|one| one.length == 1);
        let in_order = made.iter().zip(0..).all(|(one, symbol)| match one.length {
            0 | 1 => one.left == NEVER,
            _ => [one.left, one.right].iter().all(|&part| part < symbol || is_byte(part)),
        });
        if !in_order {
            return None;
        }
        let mut longest =
            Longest { made, tokens: Trie::build(Vec::new()).ok()?, whole: HashMap::new(), memory: 0 };
        // The bytes of all symbols, one after the other. Symbols of merges come in the order of their ranks, so parts are
        // there before the whole.
        let mut bytes: Vec<u8> = Vec::new();
        let mut starts = vec![usize::MAX; count];
        for (byte, &symbol) in merger.of_byte.iter().enumerate() {
            *starts.get_mut(symbol as usize)? = bytes.len();
            bytes.push(byte as u8);
        }
        let mut stands: Vec<bool> = longest.made.iter().map(|one| one.length == 1).collect();
        for symbol in 0..count {
            let Made { left, right, .. } = longest.made[symbol];
            if left == NEVER {
                continue;
            }
            starts[symbol] = bytes.len();
            for part in [left, right] {
                let start = starts[part as usize];
                bytes.extend_from_within(start..start + longest.made[part as usize].length as usize);
            }
            stands[symbol] =
                stands[left as usize] && stands[right as usize] && longest.meet(merger, left, right, true);
        }
        let text = |symbol: usize| &bytes[starts[symbol]..][..longest.made[symbol].length as usize];
        let standing = (0..count).filter(|&symbol| stands[symbol]);
        let tokens = Trie::build(standing.map(|symbol| (text(symbol), symbol as u32)).collect()).ok()?;
        let shorter: Vec<Symbol> = (0..count)
            .map(|symbol| {
                if longest.made[symbol].length == 0 {
                    return NEVER;
                }
                let text = text(symbol);
                tokens.longest_prefix(&text[..text.len() - 1]).map_or(NEVER, |(_, symbol)| symbol)
            })
            .collect();
        for (one, shorter) in longest.made.iter_mut().zip(shorter) {
            one.shorter = shorter;
        }
        longest.tokens = tokens;
        if whole_pieces {
            // All others come out whole anyway.
            let mut standing = Known::new(ID_BOUND as usize);
            for (symbol, _) in (0..).zip(&stands).filter(|&(_, &stands)| stands) {
                standing.insert(merger.ids.of(symbol));
            }
            each(&standing, &mut |bytes, id| {
                longest.whole.insert(bytes.into(), id);
            });
        }
        longest.memory = count * size_of::<Made>() + longest.whole.len() * 64 + bytes.len() * 8;
        Some(longest)
    }

    /// Whether two tokens stay beside each other when their bytes are merged; `but_last`: until nothing is left to do but to
    /// join the two.
    #[inline(always)]
    fn meet(&self, merger: &Merger, mut left: Symbol, mut right: Symbol, but_last: bool) -> bool {
        // No merge across the boundary may come before this one.
        let mut limit = if but_last { 0 } else { u32::MAX };
        loop {
            let across = merger.pairs.at(merger.pairs.place(left, right));
            if across != NEVER && across + 1 < limit {
                return false;
            }
            let (one, other) = (&self.made[left as usize], &self.made[right as usize]);
            let (first, second) = (made_at(one, left), made_at(other, right));
            // Of equal ranks the left one comes first, and what is across stands between them.
            if first > second {
                limit = first;
                left = one.right;
            } else if second > 0 {
                limit = second + 1;
                right = other.left;
            } else {
                return true;
            }
        }
    }

    /// Appends the ids of a piece that is not empty and not longer than [`MOST`].
    pub fn ids(&self, merger: &Merger, piece: &[u8], row: &mut Row, out: &mut Vec<TokenId>) {
        if !self.whole.is_empty()
            && let Some(&id) = self.whole.get(piece)
        {
            return out.push(id);
        }
        let Row { symbols, dead } = row;
        symbols.clear();
        dead.clear();
        dead.resize(piece.len() / 64 + 1, 0);
        let longest =
            |at: usize| self.tokens.longest_prefix(&piece[at..]).map_or(NEVER, |(_, symbol)| symbol);
        let mut at = 0;
        let mut next = longest(0);
        while at < piece.len() {
            let last = symbols.last().copied();
            let fitting = loop {
                let Some(made) = self.made.get(next as usize) else { break None };
                let end = at + made.length as usize;
                let is_open = dead[end / 64] >> (end % 64) & 1 == 0;
                if is_open && last.is_none_or(|last| self.meet(merger, last, next, false)) {
                    break Some(end);
                }
                next = made.shorter;
            };
            match fitting {
                Some(end) => {
                    symbols.push(next);
                    at = end;
                    next = longest(at);
                }
                None => {
                    // Every piece has a row, so there is a token to take back.
                    let Some(last) = symbols.pop() else { return };
                    dead[at / 64] |= 1 << (at % 64);
                    let made = &self.made[last as usize];
                    at -= made.length as usize;
                    next = made.shorter;
                }
            }
        }
        out.extend(symbols.iter().map(|&symbol| merger.ids.of(symbol)));
    }

    /// Bytes in use, more or less.
    pub fn memory(&self) -> usize {
        self.memory
    }
}
