//! The first bytes of contents, by which text without any of them is passed over.
//!
//! A matcher of many contents passes over text by single bytes that contents begin with, which is no help where a blank is
//! one of them. The first two or three bytes of all contents are few and rare, even of contents that are many, and vectors
//! find them.

use std::collections::HashSet;

use aho_corasick::packed::{self, Searcher};
use aho_corasick::{Anchored, Match, Span};

/// Bytes that are looked at, where all contents have as many.
const MOST: usize = 3;
/// As many different ones are told apart by vectors.
const MOST_HEADS: usize = 64;
/// Of longer contents, asking at each head might read the same text again and again.
const LONGEST: usize = 256;
/// So many heads without a match behind each other are taken for a text in which they are everywhere.
const MOST_IN_VAIN: usize = 16;

#[derive(Debug)]
pub(super) struct Heads(Searcher);

impl Heads {
    /// `None` where single bytes are as good, or there is too much to look for.
    pub fn new<'c>(contents: impl Iterator<Item = &'c str> + Clone) -> Option<Heads> {
        let lengths = || contents.clone().map(str::len);
        let length = lengths().min().filter(|_| lengths().max() <= Some(LONGEST))?.min(MOST);
        let heads: HashSet<&[u8]> = contents.clone().map(|content| &content.as_bytes()[..length]).collect();
        let firsts: HashSet<u8> = heads.iter().map(|head| head[0]).collect();
        if length < 2 || firsts.len() < 2 || heads.len() > MOST_HEADS {
            return None;
        }
        packed::Config::new().builder().extend(heads).build().map(Heads)
    }

    /// The first match in a text from a place on. `find` finds it there, or from there on.
    #[inline]
    pub fn find(
        &self,
        text: &str,
        mut from: usize,
        find: impl Fn(usize, Anchored) -> Option<Match>,
    ) -> Option<Match> {
        for _ in 0..MOST_IN_VAIN {
            let head = self.0.find_in(text, Span { start: from, end: text.len() })?.start();
            if let Some(found) = find(head, Anchored::Yes) {
                return Some(found);
            }
            from = head + 1;
        }
        find(from, Anchored::No)
    }
}
