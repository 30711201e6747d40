//! Where in a word the bytes stand of what it becomes, character by character.
//!
//! Most words become what they are, and others whose characters have as many bytes as before stand where they stood. Only where
//! that does not hold, each byte has the character noted that it comes from. What comes from a character has all of its place.

use std::ops::Range;

use crate::lanes::Key;

/// Where the bytes of what a short word becomes come from.
#[derive(Debug, Clone, Copy)]
pub(super) struct Moved {
    /// The first byte of the character of each, as far as it goes.
    starts: [u8; Key::LONGEST + 1],
    first: u8,
}

impl Moved {
    /// The characters of the word that bytes come from.
    pub fn of(&self, word: &str, range: Range<usize>) -> Range<usize> {
        characters(word, &self.starts, self.first.into(), range)
    }
}

/// Where the bytes of the word that was written last come from.
#[derive(Debug, Default)]
pub(super) struct WordPlaces {
    /// The first byte of the character of each, if bytes do not stand where they stood.
    starts: Vec<u32>,
    /// Bytes of the word that become its first character: of that, or of several blanks.
    first: usize,
}

impl WordPlaces {
    pub fn begin(&mut self) {
        self.starts.clear();
        self.first = 0;
    }

    /// A character at byte `at` of a word, with so many bytes, was written up to byte `end`. Blanks in front that become one are one, too.
    #[inline(always)]
    pub fn note(&mut self, word: &str, (at, length): (usize, usize), end: usize) {
        if at == 0 {
            self.first = length;
        }
        if !self.starts.is_empty() || end != at + length {
            self.note_moved(word, at, end);
        }
    }

    #[cold]
    fn note_moved(&mut self, word: &str, at: usize, end: usize) {
        if self.starts.is_empty() {
            for (start, c) in word[..at].char_indices() {
                self.starts.extend(std::iter::repeat_n(start as u32, c.len_utf8()));
            }
        }
        self.starts.resize(end, at as u32);
    }

    /// The characters of the word that bytes come from. No bytes stand in front of the next character, or behind the last one.
    pub fn of(&self, word: &str, range: Range<usize>) -> Range<usize> {
        match self.starts.is_empty() {
            true => whole_characters(word, range),
            false if range.is_empty() => self.of_nothing(word, range.start),
            false => characters(word, &self.starts, self.first, range),
        }
    }

    #[cold]
    fn of_nothing(&self, word: &str, byte: usize) -> Range<usize> {
        let at = match self.starts.get(byte) {
            Some(&start) => start as usize,
            None => characters(word, &self.starts, self.first, byte.saturating_sub(1)..byte).end,
        };
        at..at
    }

    /// Whether no character of the word stands on both sides of a byte.
    pub fn divide(&self, word: &str, byte: usize) -> bool {
        match byte.checked_sub(1).map(|before| (self.starts.get(before), self.starts.get(byte))) {
            _ if self.starts.is_empty() => word.is_char_boundary(byte),
            Some((before, behind)) => before != behind,
            None => true,
        }
    }

    /// The same for what has no more bytes than a short word; `None` if all bytes stand where they stood.
    pub fn moved(&self) -> Option<Moved> {
        let start = |byte| self.starts.get(byte).map_or(0, |&start| start as u8);
        (!self.starts.is_empty())
            .then(|| Moved { starts: std::array::from_fn(start), first: self.first as u8 })
    }
}

/// The characters of a word that bytes come from, of which the first bytes of their characters are told, and how many bytes become the
/// first.
fn characters(
    word: &str,
    starts: &[impl Copy + Into<u32>],
    first: usize,
    range: Range<usize>,
) -> Range<usize> {
    let start = |byte: usize| starts.get(byte).map_or(0, |&start| start.into() as usize);
    let last = start(range.end.saturating_sub(1));
    let length = match last {
        0 => first,
        _ => word.get(last..).and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8),
    };
    start(range.start)..last + length
}

/// The characters of a word that have a byte of a range.
pub(super) fn whole_characters(word: &str, range: Range<usize>) -> Range<usize> {
    let Range { mut start, mut end } = range;
    while !word.is_char_boundary(start) {
        start -= 1;
    }
    while end < word.len() && !word.is_char_boundary(end) {
        end += 1;
    }
    start..end
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    /// Words whose characters become up to five bytes, against a list of every byte's character.
    #[test]
    fn bytes_come_from_whole_characters() {
        let mut random = Random::from_seed(31);
        let mut below = |bound: usize| (random.next_u64() % bound as u64) as usize;
        let mut places = WordPlaces::default();
        let mut moved = 0;
        for round in 0..3000 {
            let word: String = (0..1 + below(6)).map(|_| ['a', 'é', '漢', '😀'][below(4)]).collect();
            places.begin();
            let mut from: Vec<Range<usize>> = Vec::new();
            for (at, c) in word.char_indices() {
                // What vanishes at the start is not noted.
                let least = usize::from(at == 0);
                let length = if round % 2 == 0 || below(4) > 0 { c.len_utf8() } else { below(6).max(least) };
                from.extend(std::iter::repeat_n(at..at + c.len_utf8(), length));
                places.note(&word, (at, c.len_utf8()), from.len());
            }
            let short = places.moved();
            moved += usize::from(short.is_some());
            for start in 0..from.len() {
                let divides = start == 0 || from[start - 1] != from[start];
                assert_eq!(places.divide(&word, start), divides);
                for end in start + 1..=from.len() {
                    let expected = from[start].start..from[end - 1].end;
                    assert_eq!(places.of(&word, start..end), expected);
                    if let Some(short) = short.filter(|_| end <= Key::LONGEST) {
                        assert_eq!(short.of(&word, start..end), expected);
                    }
                }
            }
            assert!(from.is_empty() || places.divide(&word, from.len()));
        }
        assert!(moved > 500, "{moved}");
    }
}
