//! Of each token the one pair that it ends with when it is merged alone, for ranks that are those of concatenations.
//!
//! For merging this is as good as all pairs, provided that a symbol says what text it stands for: as long as no
//! merge has crossed the ends of a stretch that will become token `t`, its inside merges exactly as `t` alone
//! would, so it becomes `t` by that pair. Wherever another pair with the same concatenation stands, some lower
//! merge comes first. Where merges are left out by chance, all pairs are needed.
//!
//! All merges inside a token make shorter ones, so tokens are merged by their lengths, short ones first. Those of one length
//! do not know of each other: [`LANES`] of them lie side by side, the symbols of a place in a row, and take their steps together. All
//! of them take as many, so nothing has to be guessed, and what they ask of the table is asked for together.

use super::slot::Slot;
use super::{Merge, PairTable, Slots, View, key_of};
use crate::flat::{full_of, with_pages, zeros};
use crate::hash::{hash_u64, tail};
use crate::ids::TokenId;
use crate::lanes::last::last_two;
use crate::lanes::rows::{Joined, LANES, Row};
use crate::lanes::vectors::{Level, PLACE_BITS, Task, Vectors};
use crate::spec::Vocab;

/// Most symbols of a token, for the time it takes goes by the square of them.
const LONGEST: usize = 256;
/// A pair that becomes nothing, and what stands at both sides of a token. No token has this number.
const NONE: TokenId = (1 << (u32::BITS - PLACE_BITS)) - 1;
/// Rows of symbols while tokens are merged, one behind the last symbol among them.
const ROWS: usize = 32;
/// Tokens of up to so many symbols are merged together.
const SHORT: usize = ROWS - 2;
/// The two symbols that a token ends with, and the token.
type Found = (TokenId, TokenId, Merge);

impl PairTable {
    /// The table. `None` if a token has more than [`LONGEST`] symbols, for which this would take long, or an id is
    /// larger than any that is met. `symbol` gives the first symbol of a character.
    pub(in crate::model::bpe) fn one_for_each_token(
        vocab: &Vocab,
        symbol: impl Fn(char) -> Option<TokenId>,
    ) -> Option<Self> {
        Self::in_groups(vocab, symbol, SHORT)
    }

    /// The same, with groups of tokens of up to so many symbols.
    fn in_groups(vocab: &Vocab, symbol: impl Fn(char) -> Option<TokenId>, most: usize) -> Option<Self> {
        if vocab.id_bound() > NONE as usize {
            return None;
        }
        let mut letters = Letters::new(&symbol);
        let by_length = ByLength::new(vocab)?;
        let mut table = Self::with_capacity(vocab.len());
        let mut group = Group { symbols: [Row([NONE; LANES]); ROWS], ranks: [Row([NONE; LANES]); ROWS] };
        let mut found = Vec::new();
        for length in 2..=LONGEST {
            found.clear();
            let of_length = by_length.of(length);
            for (number, tokens) in of_length.chunks(LANES).enumerate() {
                // They lie anywhere in the vocabulary.
                let soon = of_length.iter().skip((number + 2) * LANES).take(LANES);
                soon.for_each(|&at| vocab.look_ahead(at as usize));
                if length <= most && group.fill(tokens, length, vocab, &letters) {
                    let is_stuck = match &table.slots {
                        Slots::Narrow(slots) => group.merge(length, table.view_of(slots)),
                        Slots::Wide(slots) => group.merge(length, table.view_of(slots)),
                    };
                    for (lane, &at) in tokens.iter().enumerate().filter(|&(lane, _)| !is_stuck[lane]) {
                        let id = vocab.ids()[at as usize];
                        found.push((group.symbols[0].0[lane], group.symbols[1].0[lane], of(id)));
                    }
                    continue;
                }
                found.extend(tokens.iter().filter_map(|&at| {
                    let (text, id) = vocab.entry(at as usize);
                    table.last_two(text, length, &symbol).map(|(left, right)| (left, right, of(id)))
                }));
            }
            table.insert_all(&found);
            if length == 2 {
                letters.know(&found);
            }
        }
        Some(table)
    }

    /// Merges the symbols of a text as far as pairs go; the last two, if two are left. The slow twin of groups.
    fn last_two(
        &self,
        text: &str,
        length: usize,
        symbol: impl Fn(char) -> Option<TokenId>,
    ) -> Option<(TokenId, TokenId)> {
        let mut symbols: Vec<TokenId> = text.chars().map_while(symbol).collect();
        // A character without a symbol: no text becomes this token by merging.
        if symbols.len() < length {
            return None;
        }
        last_two(&mut symbols, &mut Vec::new(), NONE, |left, right| self.rank(left, right), |rank| rank)
    }

    /// A pair's rank is what it becomes.
    fn rank(&self, left: TokenId, right: TokenId) -> TokenId {
        self.get(left, right).map_or(NONE, |merge| merge.result)
    }
}

/// By ranks of concatenations the rank of a merge is the token that it makes.
fn of(id: TokenId) -> Merge {
    Merge { rank: id, result: id }
}

/// Characters that are symbols by themselves, by a number of eight bits: 256 of them at most, each of up to two bytes, as those of
/// the byte-level alphabet. So tokens are bytes, and what two of these become is a table that stays near the processor.
struct Letters {
    /// By code point; those that are none of them have [`Self::NO_LETTER`].
    of_char: [u16; Self::CHARS],
    symbols: [TokenId; 256],
    /// By two letters, the first one above.
    pairs: Vec<TokenId>,
}

impl Letters {
    const NO_LETTER: u16 = 256;
    /// Beyond the characters of two bytes.
    const CHARS: usize = 0x800;
    const PAIRS: usize = 1 << 16;

    fn new(symbol: impl Fn(char) -> Option<TokenId>) -> Self {
        let (mut of_char, mut symbols) = ([Self::NO_LETTER; Self::CHARS], [NONE; 256]);
        let mut count = 0;
        for (code, letter) in (0..).zip(&mut of_char) {
            if count < symbols.len()
                && let Some(id) = char::from_u32(code).and_then(&symbol)
            {
                (*letter, symbols[count]) = (count as u16, id);
                count += 1;
            }
        }
        Letters { of_char, symbols, pairs: full_of(NONE, Self::PAIRS) }
    }

    /// Takes up what all pairs of letters become.
    fn know(&mut self, found: &[Found]) {
        let mut letters: Vec<(TokenId, usize)> = self.symbols.iter().copied().zip(0..).collect();
        letters.sort_unstable();
        let letter = |symbol: TokenId| {
            letters.binary_search_by_key(&symbol, |&(symbol, _)| symbol).ok().map(|at| letters[at].1)
        };
        for &(left, right, merge) in found {
            if let (Some(left), Some(right)) = (letter(left), letter(right)) {
                self.pairs[left << 8 | right] = merge.result;
            }
        }
    }
}

/// How many characters a text has: its bytes without those that are not the first of one.
fn characters(text: &[u8]) -> usize {
    const LOWEST: u64 = u64::MAX / 0xFF;
    let inner = |word: u64| ((word >> 7 & !word >> 6 & LOWEST).wrapping_mul(LOWEST) >> 56) as usize;
    let (words, rest) = text.as_chunks::<8>();
    let of_words = words.iter().map(|word| inner(u64::from_ne_bytes(*word))).sum::<usize>();
    text.len() - of_words - inner(tail(text, rest.len()))
}

/// The tokens by their places in the vocabulary, those of one length in characters together.
struct ByLength {
    order: Vec<u32>,
    /// Where the tokens of each length begin, and where the last ones end.
    starts: [usize; LONGEST + 2],
}

impl ByLength {
    /// `None` if a token is longer than [`LONGEST`].
    fn new(vocab: &Vocab) -> Option<ByLength> {
        let mut lengths = with_pages(vocab.len());
        let mut starts = [0usize; LONGEST + 2];
        for text in vocab.texts() {
            let length = characters(text);
            // Counted one place further on, so that the sums are where lengths begin.
            *starts[1..].get_mut(length)? += 1;
            lengths.push(length as u16);
        }
        let mut sum = 0;
        starts.iter_mut().for_each(|start| {
            sum += *start;
            *start = sum;
        });
        let (mut filled, mut order) = (starts, zeros(lengths.len()));
        for (at, &length) in lengths.iter().enumerate() {
            let place = &mut filled[usize::from(length)];
            order[*place] = at as u32;
            *place += 1;
        }
        Some(ByLength { order, starts })
    }

    fn of(&self, length: usize) -> &[u32] {
        &self.order[self.starts[length]..self.starts[length + 1]]
    }
}

/// Tokens of one length while they are merged: the symbols of each in a lane, and the ranks of the pairs that begin with
/// them.
struct Group {
    symbols: [Row; ROWS],
    ranks: [Row; ROWS],
}

/// A pair that may be in the table: its key, the low half of its hash, and the row and lane of its rank.
type Asked = (u64, u32, u32);

impl Group {
    /// Takes up to [`LANES`] tokens of `length` characters, up to [`SHORT`]; false if one of them is not written in letters. Lanes
    /// without a token keep what they had.
    #[inline]
    fn fill(&mut self, tokens: &[u32], length: usize, vocab: &Vocab, letters: &Letters) -> bool {
        let Some(pairs) = letters.pairs.first_chunk::<{ Letters::PAIRS }>() else { return false };
        let mut odd = 0;
        for (lane, &at) in tokens.iter().enumerate().take(LANES) {
            let bytes = vocab.entry_bytes(at as usize);
            let byte = |at: usize| bytes.get(at).map_or(0, |&byte| usize::from(byte));
            // Behind the first byte of a longer character comes what is no letter.
            let letter = |first: usize, second: usize| match first {
                0..0x80 => letters.of_char[first],
                0x80..0xE0 => letters.of_char[(first & 31) << 6 | second & 63],
                _ => Letters::NO_LETTER,
            };
            let first = letter(byte(0), byte(1));
            let is_two = usize::from(byte(0) >= 0x80);
            self.symbols[0].0[lane] = letters.symbols[usize::from(first as u8)];
            odd |= first;
            let mut before = first;
            let mut put = |row: usize, letter: u16| {
                self.symbols[row].0[lane] = letters.symbols[usize::from(letter as u8)];
                self.ranks[row - 1].0[lane] = pairs[usize::from(before << 8 | letter & 0xFF)];
                odd |= letter;
                before = letter;
            };
            if bytes.len() == length + is_two {
                // Most tokens are ASCII, perhaps behind a blank, whose character has two bytes: where each is is known at once.
                for (row, &byte) in (1..length.min(SHORT)).zip(&bytes[1 + is_two..]) {
                    put(row, letters.of_char[usize::from(byte)]);
                }
                continue;
            }
            let mut at = 1 + is_two;
            for row in 1..length.min(SHORT) {
                put(row, letter(byte(at), byte(at + 1)));
                at += 1 + usize::from(byte(at) >= 0x80);
            }
        }
        self.symbols[length] = Row([NONE; LANES]);
        odd < Letters::NO_LETTER
    }

    /// Merges its tokens of so many symbols, and tells which come to no end.
    fn merge<S: Slot>(&mut self, length: usize, table: View<'_, S>) -> [bool; LANES] {
        Level::best().run(Merging { group: self, length, table })
    }
}

/// The steps of the tokens of a group, of so many symbols each. It tells which come to no end.
struct Merging<'g, S> {
    group: &'g mut Group,
    length: usize,
    table: View<'g, S>,
}

impl<S: Slot> Task for Merging<'_, S> {
    type Output = [bool; LANES];

    #[inline(always)]
    fn run<V: Vectors>(self, vectors: V) -> [bool; LANES] {
        let Merging { group: Group { symbols, ranks }, length, table } = self;
        let mut is_stuck = [false; LANES];
        let mut asked: [Asked; 2 * LANES] = [(0, 0, 0); 2 * LANES];
        for rows in (3..=length).rev() {
            let Joined { at, best, before, behind } =
                vectors.join_rows(&mut symbols[..=rows], &mut ranks[..=rows], NONE);
            is_stuck.iter_mut().zip(&best.0).for_each(|(is_stuck, &best)| *is_stuck |= best == NONE);
            if rows == 3 {
                // What the last two become is the token.
                break;
            }
            let mut count = 0;
            for lane in 0..LANES {
                let place = at.0[lane] * LANES as u32 + lane as u32;
                let best = best.0[lane];
                // There is nothing before the first row, and so no such pair.
                for (place, key) in [
                    (place.wrapping_sub(LANES as u32), key_of(before.0[lane], best)),
                    (place, key_of(best, behind.0[lane])),
                ] {
                    let hash = hash_u64(key);
                    table.look_ahead(hash);
                    asked[count] = (key, hash as u32, place);
                    count += usize::from(table.may_hold(hash));
                }
            }
            for &(key, hash, place) in &asked[..count] {
                if let Some(merge) = table.find(u64::from(hash), key) {
                    ranks[place as usize / LANES % ROWS].0[place as usize % LANES] = merge.result;
                }
            }
        }
        is_stuck
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    fn sorted(table: &PairTable) -> Vec<(TokenId, TokenId, u32, TokenId)> {
        let mut pairs: Vec<_> =
            table.iter().map(|(left, right, merge)| (left, right, merge.rank, merge.result)).collect();
        pairs.sort_unstable();
        pairs
    }

    /// Tokens of few letters and of many, with characters that are no letters, up to lengths that no group has.
    #[test]
    fn groups_give_what_tokens_give_one_by_one() {
        let mut random = Random::from_seed(31);
        let mut below = |n: usize| random.next_u64() as usize % n;
        for round in 0..200 {
            let letters: Vec<char> = match round % 4 {
                0 => "ab".chars().collect(),
                1 => "abcĠéÿ".chars().collect(),
                2 => "aéĠ語𝄞".chars().collect(),
                // More than there are letters.
                _ => ('a'..'\u{240}').filter(|c| c.is_alphabetic()).collect(),
            };
            let mut texts: Vec<String> = letters.iter().skip(below(2)).map(char::to_string).collect();
            for _ in 0..below(300) {
                let longest = [4, 12, 45][below(3)];
                let text = match below(3) {
                    0 => (0..2 + below(longest)).map(|_| letters[below(letters.len())]).collect(),
                    _ => [below(texts.len()), below(texts.len())].map(|at| texts[at].clone()).concat(),
                };
                if text.chars().count() <= LONGEST && !texts.contains(&text) {
                    texts.push(text);
                }
            }
            let stride = [1, 7][below(2)];
            let vocab = Vocab::from_entries(texts.iter().zip((0..).step_by(stride))).unwrap();
            let symbol = |c: char| vocab.id(c.encode_utf8(&mut [0; 4]));
            let found = PairTable::one_for_each_token(&vocab, symbol).unwrap();
            let expected = PairTable::in_groups(&vocab, symbol, 0).unwrap();
            assert_eq!(sorted(&found), sorted(&expected), "{texts:?}");
        }
    }

    #[test]
    fn characters_are_counted() {
        let text = "aĠ語𝄞 bcd éé語語 xyz".repeat(2);
        for (start, _) in text.char_indices() {
            for (end, _) in text.char_indices().filter(|&(end, _)| end >= start) {
                let part = &text[start..end];
                assert_eq!(characters(part.as_bytes()), part.chars().count(), "{part}");
            }
        }
    }

    #[test]
    fn a_token_that_is_too_long_has_no_table() {
        for (length, is_there) in [(LONGEST, true), (LONGEST + 1, false)] {
            let vocab = Vocab::from_entries([("a".to_string(), 0), ("a".repeat(length), 1)]).unwrap();
            let table = PairTable::one_for_each_token(&vocab, |c| (c == 'a').then_some(0));
            assert_eq!(table.is_some(), is_there);
        }
    }
}
