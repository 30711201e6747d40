//! Pairs by SentencePiece's rules.
//!
//! The most frequent pair of neighbours becomes a piece, again and again. What sets these rules apart:
//!
//! - every two neighbours count, so `aaa` holds `a a` twice, although only one can be joined;
//! - of equally frequent pairs the one with fewer characters wins, then the one whose text is smaller, then the one
//!   that came up first;
//! - a pair whose text is a piece already is passed over, and its occurrences stay as they are;
//! - only pairs that make a piece of allowed shape count;
//! - when nothing occurs any more, pairs that have occurred are taken in the same order until the vocabulary is
//!   full.
//!
//! Counts and places are those of [`crate::bpe`]. No two symbols have the same text here, so all places of a pair come
//! up at once, with the younger of its symbols, and from then on its count only falls. A pair's text is made only where
//! it decides: when the queue has come down to its count.

use std::collections::HashSet;

use tessella_core::{Error, Result};

use super::coverage::Joined;
use super::shape::Shape;
use crate::bpe::learner::{Learner, Rules};
use crate::bpe::pairs;
use crate::bpe::queue::Queue;
use crate::bpe::symbols::Symbols;
use crate::bpe::{Recreated, TieBreak};
use crate::characters::ByCharacter;
use crate::progress::{Progress, Stage, report};

/// Units as symbols, each of which is a character.
pub(super) struct Corpus {
    symbols: Symbols,
    characters: Vec<char>,
    numbers: ByCharacter<Option<u32>>,
    unit: Vec<u32>,
}

impl Default for Corpus {
    fn default() -> Self {
        Corpus {
            symbols: Symbols::new(),
            characters: Vec::new(),
            numbers: ByCharacter::new(),
            unit: Vec::new(),
        }
    }
}

impl Corpus {
    pub(super) fn add(&mut self, unit: &str, count: u64) -> Result<()> {
        self.unit.clear();
        for c in unit.chars() {
            let number = *self.numbers.at(c).get_or_insert_with(|| {
                self.characters.push(c);
                self.characters.len() as u32 - 1
            });
            self.unit.push(number);
        }
        self.symbols.push_word(&self.unit, count).map_err(|_| {
            Error::new(
                tessella_core::ErrorKind::Train,
                "the distinct units of the corpus have more than 2 billion characters: train on a sample \
                 (input_sentence_size)",
            )
        })
    }
}

/// The characters of all symbols.
struct Texts {
    characters: Vec<char>,
    /// Where each symbol's end.
    ends: Vec<usize>,
}

impl Texts {
    fn of(&self, symbol: u32) -> &[char] {
        let before = (symbol as usize).checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.characters[before..self.ends[symbol as usize]]
    }

    /// Adds a symbol; returns its number.
    fn add(&mut self, text: &[char]) -> u32 {
        self.characters.extend_from_slice(text);
        self.ends.push(self.characters.len());
        self.ends.len() as u32 - 1
    }

    /// The text of a pair.
    fn join(&self, key: u64, out: &mut Vec<char>) {
        out.clear();
        out.extend_from_slice(self.of(pairs::left(key)));
        out.extend_from_slice(self.of(pairs::right(key)));
    }
}

/// What decides between equally frequent pairs, in this order.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Turn {
    len: usize,
    /// Characters compare as the text's bytes do.
    text: Box<[char]>,
    /// The merge that the pair came up with, and where.
    merge: u32,
    place: u64,
}

/// When the pair of an entry has its turn.
fn turn(learner: &Learner, texts: &Texts, entry: u32) -> Turn {
    let key = learner.pair_of(entry).key;
    let (left, right) = (texts.of(pairs::left(key)), texts.of(pairs::right(key)));
    // The younger symbol has the higher number. Where it came up, what stands left of it was seen first.
    let first = learner.pairs.positions(entry).first().map_or(0, |&position| u64::from(position));
    let place = match pairs::right(key) >= pairs::left(key) {
        true => 2 * (first + left.len() as u64),
        false => 2 * first + 1,
    };
    Turn {
        len: left.len() + right.len(),
        text: [left, right].concat().into(),
        merge: learner.pairs.occurrences[entry as usize].segment,
        place,
    }
}

/// The pairs that may become pieces, from the first entry on that is not looked at yet.
struct Candidates<'a> {
    shape: &'a Shape,
    queue: Queue<Turn>,
    looked_at: usize,
    text: Vec<char>,
}

impl Candidates<'_> {
    /// Queues what has come up. The places of what is no piece are forgotten.
    fn look(&mut self, learner: &mut Learner, texts: &Texts) {
        for entry in self.looked_at..learner.pairs.occurrences.len() {
            let pair = learner.pair_of(entry as u32);
            texts.join(pair.key, &mut self.text);
            if self.shape.fits(&self.text) {
                self.queue.push(pair.count, entry as u32, |entry| Some(turn(learner, texts, entry)));
            } else {
                learner.pairs.release(entry as u32);
            }
        }
        self.looked_at = learner.pairs.occurrences.len();
    }

    /// The best pair that is left, with its true count.
    fn next(&mut self, learner: &Learner, texts: &Texts) -> Option<(u32, u64)> {
        let turn = |entry| Some(turn(learner, texts, entry));
        loop {
            let best = self.queue.pop(turn)?;
            let count = learner.pair_of(best.entry).count;
            if count == best.count {
                return Some((best.entry, count));
            }
            // Counts only fall once a pair is queued, so each is offered again at its own place.
            self.queue.push(count, best.entry, turn);
        }
    }
}

/// The learned pieces with the counts that they were chosen for, most frequent first.
pub(super) fn learn(
    corpus: Corpus,
    shape: &Shape,
    size: usize,
    progress: &dyn Progress,
) -> Result<Vec<Joined>> {
    let Corpus { mut symbols, characters, .. } = corpus;
    symbols.finish();
    let rules = Rules {
        tie_break: TieBreak::SmallerIds,
        recreated: Recreated::Exact,
        max_length: None,
        prefix: None,
    };
    let mut texts = Texts { ends: (1..=characters.len()).collect(), characters };
    let mut learner = Learner::sharing(rules, texts.ends.len(), symbols)?;
    let mut candidates = Candidates { shape, queue: Queue::new(), looked_at: 0, text: Vec::new() };
    candidates.look(&mut learner, &texts);
    let (mut pieces, mut taken): (Vec<Joined>, HashSet<Box<[char]>>) = (Vec::new(), HashSet::new());
    let mut text = Vec::new();
    while pieces.len() < size {
        let Some((entry, count)) = candidates.next(&learner, &texts) else { break };
        let key = learner.pair_of(entry).key;
        texts.join(key, &mut text);
        if !taken.insert(text.as_slice().into()) {
            learner.pairs.release(entry);
            continue;
        }
        pieces.push((text.iter().collect(), count));
        let symbol = texts.add(&text);
        learner.merge_shared(pairs::left(key), pairs::right(key), symbol)?;
        candidates.look(&mut learner, &texts);
        if pieces.len() % 64 == 0 {
            report(progress, Stage::Merge, pieces.len() as u64, size as u64)?;
        }
    }
    Ok(pieces)
}
