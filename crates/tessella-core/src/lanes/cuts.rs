//! Boundaries between characters that no token crosses: long pieces are cut there into units, which are short and come
//! again more often.
//!
//! Merges never cross such a boundary, so the units of a piece give the ids of the piece. The first merge that crosses a
//! boundary joins two tokens of which one ends there and the other one begins. So every pair that merges leaves a *mark*:
//! the last bytes of its left token and the first ones of its right token, up to three each, with their numbers. At a boundary
//! of a text nine marks are possible; if none of them is known, no token crosses it. Marks are kept as bits of their hashes:
//! where different ones meet, a boundary is taken for crossed that is not, which costs time and changes nothing.
//!
//! The bytes of a token are not looked up: its first ones are those of its left part, its last ones those of its right part.

use super::ascii::BLOCK;
use super::bounds::Bounds;
use super::pairs::NEVER;
use super::symbols::Merger;
use crate::flat::zeros;
use crate::scale::or_for_fuzzers;

/// Bytes on each side of a boundary that are looked at.
const SIDE: usize = 3;
/// Bits for each mark, of which it sets three in one word.
const BITS_PER_MARK: usize = 16;
/// 1 MB: more would lie beyond the processor's second cache.
const MOST_WORDS: usize = 1 << 17;

/// What tokens leave.
#[derive(Debug)]
pub struct Cuts {
    words: Vec<u64>,
}

/// Up to three bytes below a one that says how many they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Few(u32);

impl Few {
    fn of(bytes: &[u8]) -> Few {
        Few(bytes.iter().fold(1, |number, &byte| number << 8 | u32::from(byte)))
    }

    fn count(self) -> u32 {
        self.0.ilog2() / 8
    }

    /// With others behind them, however many these are together.
    #[inline]
    fn and(self, behind: Few) -> (u64, u32) {
        let count = behind.count();
        let joined = u64::from(self.0) << (8 * count) | u64::from(behind.0) & ((1 << (8 * count)) - 1);
        (joined, self.count() + count)
    }

    /// The first ones of all.
    fn first_with(self, behind: Few) -> Few {
        let (all, count) = self.and(behind);
        Few((all >> (8 * count.saturating_sub(SIDE as u32))) as u32)
    }

    /// The last ones of all.
    fn last_with(self, behind: Few) -> Few {
        let (all, count) = self.and(behind);
        let kept = 1u64 << (8 * count.min(SIDE as u32));
        Few((all & (kept - 1) | kept) as u32)
    }

    fn first_byte(self) -> u8 {
        (self.0 >> (8 * self.count().saturating_sub(1))) as u8
    }

    fn last_byte(self) -> u8 {
        self.0 as u8
    }
}

/// The first and the last bytes of a token.
#[derive(Debug, Clone, Copy)]
struct Ends {
    first: Few,
    last: Few,
}

impl Ends {
    /// What stands for a token of which it is not known what it is made of.
    const UNKNOWN: u64 = 0;

    fn word(self) -> u64 {
        u64::from(self.first.0) << 32 | u64::from(self.last.0)
    }

    fn of(word: u64) -> Ends {
        Ends { first: Few((word >> 32) as u32), last: Few(word as u32) }
    }
}

/// The mark of bytes on both sides of a place; the numbers of bytes are in it.
fn mark(left: Few, right: Few) -> u64 {
    u64::from(left.0) << 32 | u64::from(right.0)
}

fn hash(mark: u64) -> u64 {
    let product = u128::from(mark ^ 0x9E37_79B9_7F4A_7C15) * 0xD6E8_FEB8_6659_FD93_u128;
    product as u64 ^ (product >> 64) as u64
}

/// Three bits of a word, from the low bits of a hash.
fn bits(hash: u64) -> u64 {
    1 << (hash & 63) | 1 << (hash >> 6 & 63) | 1 << (hash >> 12 & 63)
}

/// Whether a cut may be wanted between two bytes: in front of a character, and not between two of ASCII, for those are
/// crossed nearly everywhere.
#[inline(always)]
fn is_of_interest(before: u8, behind: u8) -> bool {
    behind & 0xC0 != 0x80 && (before | behind) & 0x80 != 0
}

/// The marks of all pairs that merge.
struct Marks(Vec<u64>);

impl Marks {
    /// What stands by the symbol that a pair becomes until it is known what the symbol begins and ends with: the pair and this bit.
    const PAIR: u64 = 1 << 63;

    /// `None` if tokens are made of tokens that come so much later that finding their bytes would take long.
    fn new(merger: &Merger) -> Option<Marks> {
        const MOST_ROUNDS: usize = 8;
        let bound = merger.ids.bound();
        let mut symbols = Self::pairs_of(merger, bound)?;
        for (byte, &symbol) in (0..=u8::MAX).zip(merger.of_byte.iter()) {
            let (one, place) = (Few::of(&[byte]), symbols.get_mut(symbol as usize)?);
            // What is a byte and made of others has no place for both.
            if *place & Self::PAIR != 0 {
                return None;
            }
            *place = Ends { first: one, last: one }.word();
        }
        let (mut marks, mut waiting) = (Marks(Vec::new()), usize::MAX);
        // In nearly every list parts come before what is made of them.
        for _ in 0..MOST_ROUNDS {
            let before = std::mem::replace(&mut waiting, 0);
            for first in (0..bound).step_by(TOGETHER) {
                // Few are of interest, and which of them nobody could guess: all are put down, each on the one before that is none.
                let (mut found, mut count) = ([0; TOGETHER], 0);
                for symbol in first..bound.min(first + TOGETHER) {
                    let pair = symbols[symbol];
                    if pair & Self::PAIR == 0 {
                        continue;
                    }
                    let of = |part: u64| symbols.get(part as usize).copied().unwrap_or(Ends::UNKNOWN);
                    let (left, right) = (of((pair & !Self::PAIR) >> 32), of(pair & u64::from(u32::MAX)));
                    if (left | right) & Self::PAIR != 0 || left == Ends::UNKNOWN || right == Ends::UNKNOWN {
                        waiting += 1;
                        continue;
                    }
                    let (left, right) = (Ends::of(left), Ends::of(right));
                    found[count % TOGETHER] = mark(left.last, right.first);
                    count += usize::from(is_of_interest(left.last.last_byte(), right.first.first_byte()));
                    let (first, last) = (left.first.first_with(right.first), left.last.last_with(right.last));
                    symbols[symbol] = Ends { first, last }.word();
                }
                marks.0.extend_from_slice(&found[..count]);
            }
            // What waits for itself never comes to be.
            if waiting == 0 || waiting == before {
                return Some(marks);
            }
        }
        None
    }

    /// The pairs by what they become, as words.
    fn pairs_of(merger: &Merger, bound: usize) -> Option<Vec<u64>> {
        // What no pair becomes is put behind the others: which slots are free nobody could guess.
        let mut pairs = zeros(bound + 1);
        let mut are_below = true;
        for (left, right, result) in merger.pairs.all() {
            are_below &= (result as usize) < bound || result == NEVER;
            pairs[(result as usize).min(bound)] = Self::PAIR | u64::from(left) << 32 | u64::from(right);
        }
        pairs.truncate(bound);
        are_below.then_some(pairs)
    }
}

impl Cuts {
    /// `None` if nothing is to be cut.
    pub fn new(merger: &Merger) -> Option<Self> {
        let Marks(marks) = Marks::new(merger)?;
        let words = (marks.len() * BITS_PER_MARK / 64).clamp(1, MOST_WORDS).next_power_of_two();
        let mut cuts = Cuts { words: zeros(words) };
        for mark in marks {
            let hash = hash(mark);
            let place = cuts.place(hash);
            cuts.words[place] |= bits(hash);
        }
        Some(cuts)
    }

    #[inline(always)]
    fn place(&self, hash: u64) -> usize {
        (hash >> 32) as usize & (self.words.len() - 1)
    }

    /// Whether some token may cross the boundary at `at`, which is inside of the piece.
    fn crosses(&self, piece: &[u8], at: usize) -> bool {
        let (left, right) = piece.split_at(at);
        (1..=left.len().min(SIDE)).any(|before| {
            (1..=right.len().min(SIDE)).any(|behind| {
                let hash = hash(mark(Few::of(&left[left.len() - before..]), Few::of(&right[..behind])));
                let bits = bits(hash);
                self.words[self.place(hash)] & bits == bits
            })
        })
    }
}

impl Cuts {
    /// The same where there are as many bytes on both sides as are looked at: all nine marks at once, without a branch that could
    /// be guessed wrong.
    #[inline(always)]
    fn crosses_between(&self, left: [u8; SIDE], right: [u8; SIDE]) -> bool {
        let number = |[first, second, third]: [u8; SIDE]| u32::from_be_bytes([0, first, second, third]);
        let (left, right) = (number(left), number(right));
        let mut any = false;
        for before in 1..=SIDE {
            let end = 1 << (8 * before);
            let left = u64::from(left & (end - 1) | end);
            for behind in 1..=SIDE {
                let right = u64::from(right >> (8 * (SIDE - behind)) | 1 << (8 * behind));
                let hash = hash(left << 32 | right);
                let bits = bits(hash);
                any |= self.words[self.place(hash)] & bits == bits;
            }
        }
        any
    }
}

/// Answers that were given, by the bytes around the boundary.
#[derive(Debug)]
pub struct Memo(Box<[u64; MEMO]>);

/// As many boundaries as differ in some megabytes of many languages: 256 kB, of which only what is needed is touched.
const MEMO: usize = or_for_fuzzers(1 << 15, 1 << 6);

impl Memo {
    pub fn new() -> Self {
        // No boundary of interest is zeros on both sides.
        Memo(vec![0; MEMO].into_boxed_slice().try_into().expect("as many as were made"))
    }

    /// Cuts what is left of a piece from `from` on into units, until there are many of them, and returns where the last
    /// one ends. The piece is the end of `text`.
    ///
    /// Boundaries are taken some at a time, and nothing branches on what is one or what is known about it: nobody could guess that.
    #[inline]
    pub fn units(&mut self, cuts: &Cuts, text: &[u8], from: usize, bounds: &mut Bounds) -> usize {
        let mut at = from + 1;
        while at < text.len() {
            let stop = text.len().min(at + TOGETHER);
            let mut places = [0; TOGETHER];
            let mut count = 0;
            for (place, pair) in (at..stop).zip(text[at - 1..stop].windows(2)) {
                places[count % TOGETHER] = place;
                count += usize::from(is_of_interest(pair[0], pair[1]));
            }
            let places = &places[..count];
            let (mut crossed, mut unknown) = (0u64, 0u64);
            for (bit, &place) in places.iter().enumerate() {
                let around = around(text, place);
                let known = self.0[slot(around)];
                crossed |= (known & 1) << bit;
                unknown |= u64::from(known >> 1 != around) << bit;
            }
            while unknown != 0 {
                let bit = unknown.trailing_zeros() as usize;
                unknown &= unknown - 1;
                let crosses = u64::from(self.find_out(cuts, text, places[bit]));
                crossed = crossed & !(1 << bit) | crosses << bit;
            }
            for (bit, &place) in places.iter().enumerate() {
                bounds.push_if(place as u32, u8::from(crossed >> bit & 1 == 0));
            }
            at = stop;
            if bounds.is_full()
                && let Some(&end) = bounds.ends().last()
            {
                return end as usize;
            }
        }
        bounds.push(text.len() as u32);
        text.len()
    }

    /// Whether some token may cross a boundary about which nothing is known; it is from now on, if there are bytes enough around it.
    #[inline(always)]
    fn find_out(&mut self, cuts: &Cuts, text: &[u8], at: usize) -> bool {
        let (Some(left), Some(right)) = (text[..at].last_chunk::<SIDE>(), text[at..].first_chunk::<SIDE>())
        else {
            return cuts.crosses(text, at);
        };
        let crosses = cuts.crosses_between(*left, *right);
        let around = around(text, at);
        self.0[slot(around)] = around << 1 | u64::from(crosses);
        crosses
    }
}

/// Boundaries that are looked at together. They may all be cut when bounds are full.
const TOGETHER: usize = 64;
const _: () = assert!(TOGETHER <= BLOCK);

/// The bytes around a boundary as a number, or one that no bytes make where there are fewer.
#[inline(always)]
fn around(text: &[u8], at: usize) -> u64 {
    const { assert!(2 * SIDE == 6) };
    let bytes: Option<&[u8; 6]> = at.checked_sub(SIDE).and_then(|from| text.get(from..)?.first_chunk());
    match bytes {
        Some(&[a, b, c, d, e, f]) => u64::from_le_bytes([a, b, c, d, e, f, 0, 0]),
        None => u64::MAX >> 1,
    }
}

/// Where the answer about such bytes stands.
#[inline(always)]
fn slot(around: u64) -> usize {
    (around.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (64 - MEMO.ilog2())) as usize
}

#[cfg(test)]
mod tests {
    use super::super::pairs::Symbol;
    use super::*;
    use crate::ids::TokenId;
    use crate::random::Random;
    use crate::scale::or_interpreted;

    /// Pairs of bytes and of what came of them before, with the bytes of each symbol.
    fn merger(random: &mut Random) -> (Merger, Vec<Vec<u8>>) {
        let mut below = |bound: usize| (random.next_u64() % bound as u64) as usize;
        let count = 1 + below(60);
        let letters: Vec<u8> = "aéж日本語😀".bytes().collect();
        let mut texts = vec![Vec::new(); count];
        texts.extend((0..=u8::MAX).map(|byte| vec![byte]));
        let mut pairs: Vec<(Symbol, Symbol, Symbol)> = Vec::new();
        // In the order of ranks, or the last ones first, or in some order.
        let order = below(3);
        for at in 0..count {
            let made: Vec<usize> = pairs.iter().map(|&(.., result)| result as usize).collect();
            let result = [at, count - 1 - at, at ^ 1][order];
            let result = if result < count { result } else { at };
            let mut pick = || match below(2) {
                0 if !made.is_empty() => made[below(made.len())],
                _ => count + usize::from(letters[below(letters.len())]),
            };
            let (left, right) = (pick(), pick());
            let is_new = pairs.iter().all(|&(l, r, _)| (l as usize, r as usize) != (left, right));
            if is_new && texts[result].is_empty() && texts[left].len() + texts[right].len() < 30 {
                texts[result] = [&texts[left][..], &texts[right]].concat();
                pairs.push((left as Symbol, right as Symbol, result as Symbol));
            }
        }
        let of_byte = std::array::from_fn(|byte| (count + byte) as Symbol);
        let ids = (0..(count + 256) as TokenId).collect();
        (Merger::reading(&pairs, of_byte, &of_byte, ids).unwrap(), texts)
    }

    #[test]
    fn what_no_token_crosses_is_cut_and_nothing_else() {
        let mut random = Random::from_seed(6);
        let (mut cut, mut crossed, mut without) = (0, 0, 0);
        for _ in 0..or_interpreted(120, 2) {
            let (merger, tokens) = merger(&mut random);
            let Some(cuts) = Cuts::new(&merger) else {
                without += 1;
                continue;
            };
            let mut below = |bound: usize| (random.next_u64() % bound as u64) as usize;
            let mut memo = Memo::new();
            for _ in 0..or_interpreted(40, 6) {
                let piece: Vec<u8> = match below(2) {
                    0 => (0..1 + below(6)).flat_map(|_| tokens[below(tokens.len())].clone()).collect(),
                    _ => (0..1 + below(12))
                        .flat_map(|_| ["a", "é", "ж", "日", "本", "語", "😀"][below(7)].bytes())
                        .collect(),
                };
                if piece.is_empty() {
                    continue;
                }
                let mut bounds = Bounds::default();
                assert_eq!(memo.units(&cuts, &piece, 0, &mut bounds), piece.len());
                let mut ends: Vec<usize> = bounds.ends().iter().map(|&end| end as usize).collect();
                assert_eq!(ends.pop(), Some(piece.len()));
                for &at in &ends {
                    for token in &tokens {
                        let crosses = (1..token.len()).any(|inside| {
                            piece[..at].ends_with(&token[..inside])
                                && piece[at..].starts_with(&token[inside..])
                        });
                        assert!(!crosses, "{piece:?} {at} {token:?}");
                    }
                }
                cut += ends.len();
                crossed += (1..piece.len()).filter(|&at| is_of_interest(piece[at - 1], piece[at])).count()
                    - ends.len();
            }
        }
        let enough = cut > 1000 && crossed > 1000 && without < 60;
        assert!(enough || cfg!(miri), "{cut} {crossed} {without}");
    }
}
