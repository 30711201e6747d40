//! The leftmost-longest match of many contents, by one of two libraries.
//!
//! Most tokenizers have a handful of added tokens, for which `aho-corasick` passes over text without any of them by
//! vector instructions. Building its automaton takes time that grows with the square of the number of contents, though:
//! minutes for some hundred thousand; and with the square of the length of one that repeats itself, seconds for thirty
//! thousand equal letters. `daachorse` builds in linear time.
//!
//! Where contents begin with characters that are everywhere (runs of blanks are added tokens of many models), passing over
//! text means more than one byte: it is looked through for the [`heads`](super::heads) of contents, and the automaton is
//! asked where one stands.
//!
//! Either is built when it is first asked: who adds tokens one by one makes a new vocabulary each time, and no text is read with
//! most of them.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::OnceLock;

use aho_corasick::{AhoCorasick, Anchored, Input, MatchKind, StartKind};
use daachorse::{DoubleArrayAhoCorasick, DoubleArrayAhoCorasickBuilder};

use super::heads::Heads;
use crate::error::{Error, Result};
use crate::hash::Secret;

/// Up to so many contents, the quadratic construction takes less than ten milliseconds.
const FEW: usize = 2_000;
/// Bytes of all contents times those of the longest: each byte may look back over as many as the longest has. At this
/// bound, with the worst contents, it takes a tenth of a second.
const SHORT: usize = 1 << 22;

/// Bytes of contents whose automaton has no state too many, whichever library builds it.
const SURE: usize = 1 << 28;

#[derive(Debug)]
pub(crate) struct Matcher {
    /// Each once, in the order of the first ones, with its place in the list.
    contents: Box<[(Box<str>, usize)]>,
    automaton: OnceLock<Automaton>,
}

enum Automaton {
    Few(AhoCorasick, Option<Heads>),
    Many(DoubleArrayAhoCorasick<u32>),
    /// Each content by itself.
    None,
}

impl std::fmt::Debug for Automaton {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Automaton::Few(..) => "Few",
            Automaton::Many(_) => "Many",
            Automaton::None => "None",
        })
    }
}

impl Matcher {
    /// Matches the contents, none of which is empty. Of equal ones the first counts.
    pub(crate) fn new<T>(contents: Vec<(String, T)>) -> Result<Self> {
        let mut seen = HashSet::with_capacity_and_hasher(contents.len(), Secret::default());
        let is_first: Vec<bool> = contents.iter().map(|(content, _)| seen.insert(content.as_str())).collect();
        let first_ones = contents.into_iter().zip(0..).zip(is_first).filter(|(_, is_first)| *is_first);
        let contents: Box<[_]> = first_ones.map(|(((content, _), at), _)| (content.into(), at)).collect();
        let matcher = Matcher { contents, automaton: OnceLock::new() };
        if matcher.bytes() > SURE {
            let automaton = Automaton::new(&matcher)?;
            return Ok(Matcher { automaton: automaton.into(), ..matcher });
        }
        Ok(matcher)
    }

    /// Each once, with its place in the list.
    pub(crate) fn contents(&self) -> impl Iterator<Item = (&str, usize)> {
        self.contents.iter().map(|(content, place)| (&**content, *place))
    }

    fn bytes(&self) -> usize {
        self.contents.iter().map(|(content, _)| content.len()).sum()
    }

    /// Builds what the first text would.
    pub(crate) fn get_ready(&self) {
        self.automaton();
    }

    /// Threads that come at once build one each, and the first counts: none waits for another, which a process that was forked
    /// meanwhile would do for ever.
    fn automaton(&self) -> &Automaton {
        if let Some(automaton) = self.automaton.get() {
            return automaton;
        }
        let built = Automaton::new(self).unwrap_or(Automaton::None);
        self.automaton.get_or_init(|| built)
    }

    /// The next match at or after byte `from`, and the place of its content in the list.
    pub(crate) fn find(&self, text: &str, from: usize) -> Option<(Range<usize>, usize)> {
        let (range, content) = match self.automaton() {
            Automaton::Few(automaton, heads) => {
                let find = |from: usize, anchored: Anchored| {
                    automaton.find(Input::new(text).range(from..).anchored(anchored))
                };
                let found = match heads {
                    Some(heads) => heads.find(text, from, find),
                    None => find(from, Anchored::No),
                }?;
                (found.range(), found.pattern().as_usize())
            }
            Automaton::Many(automaton) => {
                let found = automaton.leftmost_find_iter(&text[from..]).next()?;
                (from + found.start()..from + found.end(), found.value() as usize)
            }
            Automaton::None => self.find_each(text, from)?,
        };
        Some((range, self.contents[content].1))
    }

    /// What the automata find, content by content.
    fn find_each(&self, text: &str, from: usize) -> Option<(Range<usize>, usize)> {
        let found = self.contents.iter().enumerate().filter_map(|(at, (content, _))| {
            let start = from + text[from..].find(&**content)?;
            Some((start..start + content.len(), at))
        });
        found.min_by_key(|(range, _)| (range.start, std::cmp::Reverse(range.end)))
    }
}

impl Automaton {
    fn new(matcher: &Matcher) -> Result<Self> {
        let longest = matcher.contents.iter().map(|(content, _)| content.len()).max().unwrap_or(0);
        let looked_back = matcher.bytes().saturating_mul(longest);
        let is_quick = matcher.contents.len() <= FEW && looked_back <= SHORT;
        if is_quick { Self::few(matcher) } else { Self::many(matcher) }
    }

    fn few(matcher: &Matcher) -> Result<Self> {
        let contents = || matcher.contents.iter().map(|(content, _)| &**content);
        let heads = Heads::new(contents());
        AhoCorasick::builder()
            .match_kind(MatchKind::LeftmostLongest)
            .start_kind(if heads.is_some() { StartKind::Both } else { StartKind::Unanchored })
            .build(contents())
            .map(|automaton| Automaton::Few(automaton, heads))
            .map_err(refused)
    }

    fn many(matcher: &Matcher) -> Result<Self> {
        DoubleArrayAhoCorasickBuilder::new()
            .match_kind(daachorse::MatchKind::LeftmostLongest)
            .build_with_values(matcher.contents.iter().map(|(content, _)| &**content).zip(0u32..))
            .map(Automaton::Many)
            .map_err(refused)
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
    fn all_ways_find_the_same() {
        let mut random = Random::from_seed(3);
        let mut below = |bound: usize| random.next_u64() as usize % bound;
        let mut word = |letters: &[&str], least: usize, most: usize| {
            (0..least + below(most)).map(|_| letters[below(letters.len())]).collect::<String>()
        };
        let mut by_heads = 0;
        for round in 0..600 {
            let least = 1 + round % 3;
            let contents: Vec<String> = (0..20).map(|_| word(&["a", "b", "é", "▁"], least, 6)).collect();
            let contents: Vec<(String, ())> = contents.into_iter().map(|content| (content, ())).collect();
            let way = |automaton: fn(&Matcher) -> Result<Automaton>| {
                let matcher = Matcher::new(contents.clone()).unwrap();
                matcher.automaton.set(automaton(&matcher).unwrap()).unwrap();
                matcher
            };
            let (few, many) = (way(Automaton::few), way(Automaton::many));
            let each = way(|_| Ok(Automaton::None));
            by_heads += usize::from(matches!(few.automaton(), Automaton::Few(_, Some(_))));
            let text = word(&["a", "b", "é", "▁", "x"], 1, 120);
            for (from, _) in text.char_indices().chain([(text.len(), ' ')]) {
                let found = few.find(&text, from);
                assert_eq!(found, many.find(&text, from), "{contents:?} in {text:?} from {from}");
                assert_eq!(found, each.find(&text, from), "{contents:?} in {text:?} from {from}");
            }
        }
        assert!((300..500).contains(&by_heads), "{by_heads}");
    }

    #[test]
    fn contents_that_repeat_themselves_for_a_megabyte_are_matched() {
        let contents: Vec<(String, ())> =
            ["y".repeat(1_000_000), "ab".repeat(300_000), "yz".into()].map(|content| (content, ())).into();
        let matcher = Matcher::new(contents).unwrap();
        let text = format!("{}yz{}{}", "y".repeat(999_998), "y".repeat(1_000_001), "ab".repeat(300_001));
        assert_eq!(matcher.find(&text, 0), Some((999_998..1_000_000, 2)));
        assert_eq!(matcher.find(&text, 1_000_000), Some((1_000_000..2_000_000, 0)));
        assert_eq!(matcher.find(&text, 2_000_000), Some((2_000_001..2_600_001, 1)));
    }

    #[test]
    fn a_hundred_thousand_contents_are_matched() {
        let contents: Vec<(String, ())> = (0..100_000).map(|at| (format!("token{at}x"), ())).collect();
        let matcher = Matcher::new(contents).unwrap();
        assert_eq!(matcher.find("a token7x or token99999xx", 3), Some((13..24, 99_999)));
    }
}
