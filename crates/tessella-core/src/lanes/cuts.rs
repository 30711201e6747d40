//! Boundaries between characters that no token crosses: long pieces are cut there into units, which are short and come
//! again more often.
//!
//! Merges never cross such a boundary, so the units of a piece give the ids of the piece. A token that crosses a
//! boundary has some bytes on both sides. Every place inside of a token leaves a *mark*: its last bytes before the
//! place and its first ones behind it, up to three each, with their numbers. At a boundary of a text nine marks are
//! possible; if none of them is known, no token crosses it. Marks are kept as bits of their hashes: where different ones
//! meet, a boundary is taken for crossed that is not, which costs time and changes nothing.

use super::bounds::Bounds;
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

/// The marks of a vocabulary while they are collected.
#[derive(Debug, Default)]
pub struct Marks(Vec<u64>);

fn bytes_as_number(bytes: &[u8]) -> u64 {
    bytes.iter().fold(1, |number, &byte| number << 8 | u64::from(byte))
}

/// The mark of bytes on both sides of a place; the numbers of bytes are in it.
fn mark(left: &[u8], right: &[u8]) -> u64 {
    bytes_as_number(left) << 32 | bytes_as_number(right)
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

impl Marks {
    /// Adds those of a token.
    pub fn add(&mut self, token: &[u8]) {
        if token.is_ascii() {
            return;
        }
        for at in 1..token.len() {
            if is_of_interest(token[at - 1], token[at]) {
                let (left, right) = token.split_at(at);
                self.0.push(mark(&left[left.len().saturating_sub(SIDE)..], &right[..right.len().min(SIDE)]));
            }
        }
    }
}

impl Cuts {
    pub fn new(Marks(marks): &Marks) -> Self {
        let words = (marks.len() * BITS_PER_MARK / 64).clamp(1, MOST_WORDS).next_power_of_two();
        let mut cuts = Cuts { words: vec![0; words] };
        for &mark in marks {
            let hash = hash(mark);
            let place = cuts.place(hash);
            cuts.words[place] |= bits(hash);
        }
        cuts
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
                let hash = hash(mark(&left[left.len() - before..], &right[..behind]));
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

    /// The same as [`Cuts::crosses`].
    #[inline]
    fn crosses(&mut self, cuts: &Cuts, piece: &[u8], at: usize) -> bool {
        let (Some(left), Some(right)) = (piece[..at].last_chunk::<SIDE>(), piece[at..].first_chunk::<SIDE>())
        else {
            return cuts.crosses(piece, at);
        };
        let around = mark(left, right) & 0xFF_FFFF_00FF_FFFF;
        let place = &mut self.0[(around.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (64 - MEMO.ilog2())) as usize];
        if *place >> 1 != around {
            *place = around << 1 | u64::from(cuts.crosses_between(*left, *right));
        }
        *place & 1 == 1
    }

    /// Cuts what is left of a piece from `from` on into units, until there are many of them, and returns where the last
    /// one ends. The piece is the end of `text`.
    pub fn units(&mut self, cuts: &Cuts, text: &[u8], from: usize, bounds: &mut Bounds) -> usize {
        for at in from + 1..text.len() {
            if is_of_interest(text[at - 1], text[at]) && !self.crosses(cuts, text, at) {
                bounds.push(at as u32);
                if bounds.is_full() {
                    return at;
                }
            }
        }
        bounds.push(text.len() as u32);
        text.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    #[test]
    fn what_no_token_crosses_is_cut_and_nothing_else() {
        let mut random = Random::from_seed(6);
        let mut below = |bound: usize| (random.next_u64() % bound as u64) as usize;
        let letters = ["a", "b", "é", "ж", "日", "本", "語", "😀"];
        let (mut cut, mut crossed) = (0, 0);
        for _ in 0..60 {
            let mut text = |longest: usize| -> Vec<u8> {
                (0..1 + below(longest)).flat_map(|_| letters[below(letters.len())].bytes()).collect()
            };
            let tokens: Vec<Vec<u8>> = (0..40)
                .map(|at| {
                    let mut token = text(4);
                    // Some begin or end inside of a character.
                    if at % 3 == 0 {
                        token.remove(0);
                    }
                    if at % 4 == 0 {
                        token.pop();
                    }
                    token
                })
                .collect();
            let mut marks = Marks::default();
            tokens.iter().for_each(|token| marks.add(token));
            let (cuts, mut memo) = (Cuts::new(&marks), Memo::new());
            for _ in 0..40 {
                let piece = text(12);
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
        assert!(cut > 1000 && crossed > 1000, "{cut} {crossed}");
    }
}
