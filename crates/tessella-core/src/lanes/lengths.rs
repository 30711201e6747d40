//! How many bytes of a piece each token stands for, so that offsets follow from ids.
//!
//! That a token covers as many bytes of any piece is proved when the table is made: every byte's token has length 1, what a
//! pair becomes is as long as both together, whichever pair it is, and a whole piece that is a token is its text. Where that
//! does not hold (a token of two lengths), there is no table. So lengths are added up from those of
//! bytes; texts tell only those of tokens that no merge makes, or that whole pieces are without any.

use std::collections::HashMap;

use super::EachToken;
use super::build::{Known, Ranked};
use super::ends::BEHIND;
use super::pairs::{NEVER, Symbol};
use super::symbols::Merger;
use crate::ids::TokenId;

/// Lengths by id; 0 for tokens that stand for no bytes.
#[derive(Debug)]
pub struct Lengths {
    /// Those that fit, and 0 for all others: a small table stays near the processor. Behind the last one are [`BEHIND`] more.
    short: Box<[u8]>,
    long: HashMap<TokenId, u16>,
}

/// The same, for loops that are to have the place of the table in a register.
#[derive(Debug, Clone, Copy)]
pub struct LengthsByValue<'l> {
    short: &'l [u8],
    long: &'l HashMap<TokenId, u16>,
}

impl From<Vec<u16>> for Lengths {
    fn from(lengths: Vec<u16>) -> Self {
        let long = |&(_, length): &(TokenId, u16)| u8::try_from(length).is_err();
        Lengths {
            short: lengths
                .iter()
                .map(|&length| u8::try_from(length).unwrap_or(0))
                .chain([0; BEHIND])
                .collect(),
            long: (0..).zip(lengths).filter(long).collect(),
        }
    }
}

impl<'l> LengthsByValue<'l> {
    /// The bytes of tokens that have few; 0 for others. Behind the last one are [`BEHIND`] more.
    #[inline(always)]
    pub fn short(self) -> &'l [u8] {
        self.short
    }

    /// The bytes of a token that has few; 0 for others.
    #[inline(always)]
    pub fn short_of(self, id: TokenId) -> u32 {
        self.short.get(id as usize).copied().unwrap_or(0).into()
    }

    /// The bytes of a token.
    #[inline(always)]
    pub fn of(self, id: TokenId) -> u32 {
        match self.short_of(id) {
            0 => self.of_long(id),
            length => length,
        }
    }

    #[cold]
    fn of_long(self, id: TokenId) -> u32 {
        self.long.get(&id).copied().unwrap_or(0).into()
    }
}

/// Lengths by id of what merges make of bytes, as the last pair of each token in the table says; `known` gets to know these. Tokens
/// that are made of ones with a higher rank are left out.
fn added_up(merger: &Merger, known: &mut Known) -> Vec<u16> {
    let count = merger.ids.bound();
    let mut parts = vec![[NEVER; 2]; count];
    merger.pairs.iter().for_each(|(left, right, result)| {
        if let Some(place) = parts.get_mut(result as usize) {
            *place = [left, right];
        }
    });
    let mut of_symbol = vec![0_u16; count];
    for &symbol in merger.of_byte.iter() {
        if let Some(length) = of_symbol.get_mut(symbol as usize) {
            *length = 1;
        }
    }
    let of = |of_symbol: &[u16], symbol: Symbol| match of_symbol.get(symbol as usize) {
        Some(&length) if length > 0 => Some(length),
        _ => None,
    };
    // Symbols come in the order of their ranks.
    for (symbol, &[left, right]) in parts.iter().enumerate() {
        if of_symbol[symbol] == 0
            && let Some((left, right)) = of(&of_symbol, left).zip(of(&of_symbol, right))
        {
            of_symbol[symbol] = left.checked_add(right).unwrap_or(0);
        }
    }
    let ids = || (0..).zip(&of_symbol).map(|(symbol, &length)| (merger.ids.of(symbol), length));
    let bound = ids().map(|(id, _)| id as usize + 1).max().unwrap_or(0);
    *known = Known::new(bound);
    let mut lengths = vec![0; bound];
    for (id, length) in ids().filter(|&(_, length)| length > 0) {
        lengths[id as usize] = length;
        known.insert(id);
    }
    lengths
}

impl Lengths {
    /// `by_merges`: no piece is a token that its merges do not make.
    pub fn new(tokens: &EachToken, merger: &Merger, by_merges: bool) -> Option<Lengths> {
        let mut known = Known::default();
        let mut lengths = if by_merges { added_up(merger, &mut known) } else { Vec::new() };
        let mut all_differ = true;
        tokens(&known, &mut |bytes, id| {
            let at = id as usize;
            if lengths.len() <= at {
                lengths.resize(at + 1, 0);
            }
            // An empty token is never made of anything.
            if !bytes.is_empty() {
                let length = u16::try_from(bytes.len()).unwrap_or(0);
                all_differ &= length > 0 && [0, length].contains(&lengths[at]);
                lengths[at] = length;
            }
        });
        let lengths = Lengths::from(lengths);
        let of = |symbol: u32| lengths.of(merger.ids.of(symbol));
        let bytes_are_one = merger.of_byte.iter().all(|&symbol| symbol != NEVER && of(symbol) == 1);
        let pairs_add_up = merger.pairs.iter().all(|(left, right, result)| {
            let (left, right) = (of(left), of(right));
            left > 0 && right > 0 && left + right == of(result)
        });
        (all_differ && bytes_are_one && pairs_add_up).then_some(lengths)
    }

    /// Of tokens that are merged from characters, `of_char` bytes long each, or are single bytes.
    pub fn of_characters<'m>(
        merges: &[Ranked],
        characters: &[(char, TokenId)],
        bytes: &[TokenId],
        of_char: impl Fn(char) -> usize,
        text: &dyn Fn(TokenId) -> &'m str,
    ) -> Option<Lengths> {
        let mut lengths: Vec<u16> = Vec::new();
        let note = |lengths: &mut Vec<u16>, id: TokenId, length: usize| {
            let at = id as usize;
            if lengths.len() <= at {
                lengths.resize(at + 1, 0);
            }
            let length = u16::try_from(length).unwrap_or(0);
            let fits = length > 0 && [0, length].contains(&lengths[at]);
            lengths[at] = length;
            fits
        };
        let all_fit = bytes.iter().all(|&id| note(&mut lengths, id, 1))
            && characters.iter().all(|&(c, id)| note(&mut lengths, id, of_char(c)))
            // Pairs of one token come one behind the other mostly, and behind those of its halves.
            && merges.chunk_by(|one, two| one.3 == two.3).all(|same| {
                let (left, right, _, result) = same[0];
                let known = |id: TokenId| lengths.get(id as usize).map_or(0, |&length| usize::from(length));
                let length = match (known(left), known(right)) {
                    (0, _) | (_, 0) => text(result).chars().map(&of_char).sum(),
                    (left, right) => left + right,
                };
                note(&mut lengths, result, length)
            });
        let lengths = Lengths::from(lengths);
        let pairs_add_up = merges.iter().all(|&(left, right, _, result)| {
            let (left, right) = (lengths.of(left), lengths.of(right));
            left > 0 && right > 0 && left + right == lengths.of(result)
        });
        (all_fit && pairs_add_up).then_some(lengths)
    }

    /// For loops.
    pub fn by_value(&self) -> LengthsByValue<'_> {
        LengthsByValue { short: &self.short, long: &self.long }
    }

    /// The bytes of a token.
    #[inline(always)]
    pub fn of(&self, id: TokenId) -> u32 {
        self.by_value().of(id)
    }
}
