//! From characters to tokens to words, and back.
//!
//! Offsets and words of a text usually ascend; then a look-up halves its way instead of scanning. Whether
//! they do is found out once, at the first question.

use std::ops::Range;

use super::{Encoding, NO_WORD};

/// What holds inside every sequence.
#[derive(Debug, Clone, Copy)]
pub(super) struct Order {
    /// Neither starts nor ends of offsets ever go back.
    offsets: bool,
    /// Every token has a word, and words never go back.
    words: bool,
}

impl Encoding {
    /// The order within a sequence; nothing is promised for one whose range is a guess.
    fn order_of(&self, sequence: usize) -> Order {
        let known = self.sequence_ranges.is_empty()
            || self.sequence_ranges.iter().any(|(candidate, _)| *candidate == sequence);
        if !known {
            return Order { offsets: false, words: false };
        }
        *self.order.get_or_init(|| {
            let whole = [(0, 0..self.len())];
            let ranges: &[(usize, Range<usize>)] =
                if self.sequence_ranges.is_empty() { &whole } else { &self.sequence_ranges };
            Order {
                offsets: ranges.iter().all(|(_, range)| {
                    let offsets = || self.offsets().iter().skip(range.start).take(range.len());
                    range.end <= self.offsets().len()
                        && offsets().zip(offsets().skip(1)).all(|(one, two)| one.0 <= two.0 && one.1 <= two.1)
                }),
                words: ranges.iter().all(|(_, range)| {
                    self.words()
                        .get(range.clone())
                        .is_some_and(|words| words.is_sorted() && words.last() != Some(&NO_WORD))
                }),
            }
        })
    }

    /// The sequence that holds a token; none for special tokens, padding and positions out of range.
    pub fn token_to_sequence(&self, token: usize) -> Option<usize> {
        if self.sequence_ranges.is_empty() {
            return self.attention_mask.get(token).filter(|&mask| mask != 0).map(|_| 0);
        }
        let holder = self.sequence_ranges.iter().rev().find(|(_, range)| range.contains(&token));
        holder.map(|(sequence, _)| *sequence)
    }

    /// The sequence and the offsets of a token.
    pub fn token_to_chars(&self, token: usize) -> Option<(usize, (usize, usize))> {
        Some((self.token_to_sequence(token)?, self.offsets().get(token)?))
    }

    /// The sequence and the word of a token.
    pub fn token_to_word(&self, token: usize) -> Option<(usize, u32)> {
        let word = *self.words().get(token)?;
        Some((self.token_to_sequence(token)?, (word != NO_WORD).then_some(word)?))
    }

    /// The first token of a sequence whose offsets hold a position.
    pub fn char_to_token(&self, position: usize, sequence: usize) -> Option<usize> {
        let range = self.sequence_range(sequence);
        if range.end > self.offsets().len() {
            return None;
        }
        let holds = |(start, end): (usize, usize)| start <= position && position < end;
        let found = if self.order_of(sequence).offsets {
            let first = self.offsets().partition_point(range.clone(), |(_, end)| end <= position);
            (first < range.len() && self.offsets().get(range.start + first).is_some_and(holds))
                .then_some(first)
        } else {
            self.offsets().iter().skip(range.start).take(range.len()).position(holds)
        };
        found.map(|index| range.start + index)
    }

    /// The word at a position of a sequence.
    pub fn char_to_word(&self, position: usize, sequence: usize) -> Option<u32> {
        let token = self.char_to_token(position, sequence)?;
        self.token_to_word(token).map(|(_, word)| word)
    }

    /// The tokens of a word: the first, and one past the last.
    ///
    /// Words are expected to ascend: the search ends at the first word greater than the one looked for.
    pub fn word_to_tokens(&self, word: u32, sequence: usize) -> Option<(usize, usize)> {
        if word == NO_WORD {
            return None;
        }
        let range = self.sequence_range(sequence);
        let words = self.words().get(range.clone())?;
        let (first, end) = if self.order_of(sequence).words {
            let first = words.partition_point(|&candidate| candidate < word);
            (first, first + words[first..].partition_point(|&candidate| candidate == word))
        } else {
            let stop = words.iter().position(|&candidate| candidate != NO_WORD && candidate > word);
            let seen = &words[..stop.unwrap_or(words.len())];
            let first = seen.iter().position(|&candidate| candidate == word)?;
            let last = seen.iter().rposition(|&candidate| candidate == word)?;
            (first, last + 1)
        };
        (first < end).then_some((range.start + first, range.start + end))
    }

    /// The offsets of a word, from its first token to its last.
    pub fn word_to_chars(&self, word: u32, sequence: usize) -> Option<(usize, usize)> {
        let (first, end) = self.word_to_tokens(word, sequence)?;
        Some((self.offsets().get(first)?.0, self.offsets().get(end - 1)?.1))
    }
}
