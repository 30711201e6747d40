//! The leftmost-longest match of many contents, by one of two libraries.
//!
//! Most tokenizers have a handful of added tokens, for which `aho-corasick` passes over text without any of them by
//! vector instructions. Building its automaton takes time that grows with the square of the number of contents, though:
//! minutes for some hundred thousand; and with the square of the length of one that repeats itself, seconds for thirty
//! thousand equal letters. `daachorse` builds in linear time.

use std::collections::HashSet;
use std::ops::Range;

use aho_corasick::{AhoCorasick, Anchored, Input, MatchKind, StartKind};
use daachorse::{DoubleArrayAhoCorasick, DoubleArrayAhoCorasickBuilder};

use crate::error::{Error, Result};

/// Up to so many contents, the quadratic construction takes less than ten milliseconds.
const FEW: usize = 2_000;
/// Bytes of all contents times those of the longest: each byte may look back over as many as the longest has. At this
/// bound, with the worst contents, it takes a tenth of a second.
const SHORT: usize = 1 << 22;

pub(crate) enum Matcher {
    Few(AhoCorasick),
    Many(DoubleArrayAhoCorasick<u32>),
}

impl std::fmt::Debug for Matcher {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Matcher::Few(_) => "Few",
            Matcher::Many(_) => "Many",
        })
    }
}

impl Matcher {
    /// Matches the contents, none of which is empty. Of equal ones the first counts.
    pub(crate) fn new<T>(contents: &[(String, T)]) -> Result<Self> {
        let contents = contents.iter().map(|(content, _)| content.as_str());
        let longest = contents.clone().map(str::len).max().unwrap_or(0);
        let looked_back = contents.clone().map(str::len).sum::<usize>().saturating_mul(longest);
        let is_quick = contents.len() <= FEW && looked_back <= SHORT;
        if is_quick { Self::few(contents) } else { Self::many(contents) }
    }

    fn few<'c>(contents: impl Iterator<Item = &'c str>) -> Result<Self> {
        AhoCorasick::builder()
            .match_kind(MatchKind::LeftmostLongest)
            .start_kind(StartKind::Unanchored)
            .build(contents)
            .map(Matcher::Few)
            .map_err(refused)
    }

    fn many<'c>(contents: impl Iterator<Item = &'c str>) -> Result<Self> {
        let mut seen = HashSet::new();
        let first_ones = contents.zip(0u32..).filter(|(content, _)| seen.insert(*content));
        DoubleArrayAhoCorasickBuilder::new()
            .match_kind(daachorse::MatchKind::LeftmostLongest)
            .build_with_values(first_ones)
            .map(Matcher::Many)
            .map_err(refused)
    }

    /// The next match at or after byte `from`, and the place of its content in the list.
    pub(crate) fn find(&self, text: &str, from: usize) -> Option<(Range<usize>, usize)> {
        match self {
            Matcher::Few(automaton) => {
                let found = automaton.find(Input::new(text).range(from..).anchored(Anchored::No))?;
                Some((found.range(), found.pattern().as_usize()))
            }
            Matcher::Many(automaton) => {
                let found = automaton.leftmost_find_iter(&text[from..]).next()?;
                Some((from + found.start()..from + found.end(), found.value() as usize))
            }
        }
    }
}

fn refused(error: impl std::fmt::Display) -> Error {
    Error::value(format!("the added tokens cannot be matched: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    #[test]
    fn both_ways_find_the_same() {
        let mut random = Random::from_seed(3);
        let mut below = |bound: usize| random.next_u64() as usize % bound;
        let mut word = |letters: &[&str], most: usize| {
            (0..=below(most)).map(|_| letters[below(letters.len())]).collect::<String>()
        };
        for _ in 0..300 {
            let contents: Vec<String> = (0..20).map(|_| word(&["a", "b", "é", "▁"], 6)).collect();
            let few = Matcher::few(contents.iter().map(String::as_str)).unwrap();
            let many = Matcher::many(contents.iter().map(String::as_str)).unwrap();
            let text = word(&["a", "b", "é", "▁", "x"], 60);
            for (from, _) in text.char_indices().chain([(text.len(), ' ')]) {
                assert_eq!(
                    few.find(&text, from),
                    many.find(&text, from),
                    "{contents:?} in {text:?} from {from}"
                );
            }
        }
    }

    #[test]
    fn contents_that_repeat_themselves_for_a_megabyte_are_matched() {
        let contents: Vec<(String, ())> =
            ["y".repeat(1_000_000), "ab".repeat(300_000), "yz".into()].map(|content| (content, ())).into();
        let matcher = Matcher::new(&contents).unwrap();
        let text = format!("{}yz{}{}", "y".repeat(999_998), "y".repeat(1_000_001), "ab".repeat(300_001));
        assert_eq!(matcher.find(&text, 0), Some((999_998..1_000_000, 2)));
        assert_eq!(matcher.find(&text, 1_000_000), Some((1_000_000..2_000_000, 0)));
        assert_eq!(matcher.find(&text, 2_000_000), Some((2_000_001..2_600_001, 1)));
    }

    #[test]
    fn a_hundred_thousand_contents_are_matched() {
        let contents: Vec<(String, ())> = (0..100_000).map(|at| (format!("token{at}x"), ())).collect();
        let matcher = Matcher::new(&contents).unwrap();
        assert_eq!(matcher.find("a token7x or token99999xx", 3), Some((13..24, 99_999)));
    }
}
