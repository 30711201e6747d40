//! Pairs by SentencePiece's rules.
//!
//! The most frequent pair of neighbours becomes a piece, again and again. What sets these rules apart:
//!
//! - every two neighbours count, so `aaa` holds `a a` twice, although only one can be joined;
//! - of equally frequent pairs the one with fewer characters wins, then the one whose text is smaller;
//! - a pair whose text is a piece already is passed over, and its occurrences stay as they are;
//! - only pairs that make a piece of allowed shape count;
//! - when nothing occurs any more, pairs that have occurred are taken in the same order until the vocabulary is
//!   full.

use std::cmp::{Ordering, Reverse};
use std::collections::{BinaryHeap, HashMap, HashSet};
use std::rc::Rc;

use tessella_core::{Error, ErrorKind, Result};

use super::RARE;
use super::coverage::Joined;
use super::numbers::ByNumber;
use super::shape::Shape;
use crate::counts::PieceCounts;
use crate::progress::{Progress, Stage, report};

/// No symbol: joined into the one before it, or the end of a unit.
const NONE: u32 = u32::MAX;
/// A pair that cannot be a piece.
const REFUSED: u32 = u32::MAX;

struct Pair {
    left: u32,
    right: u32,
    text: Rc<str>,
    len: u32,
    count: u64,
    /// Cells of the left symbols. May hold cells where the pair stands no longer, and some twice.
    places: Vec<u32>,
    done: bool,
}

/// An entry of the queue; stale if the pair's count is another one by now.
#[derive(PartialEq, Eq)]
struct Candidate {
    count: u64,
    len: Reverse<u32>,
    text: Reverse<Rc<str>>,
    pair: Reverse<u32>,
}

impl Ord for Candidate {
    fn cmp(&self, other: &Self) -> Ordering {
        (self.count, &self.len, &self.text, &self.pair).cmp(&(
            other.count,
            &other.len,
            &other.text,
            &other.pair,
        ))
    }
}

impl PartialOrd for Candidate {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

fn key(left: u32, right: u32) -> u64 {
    u64::from(left) << 32 | u64::from(right)
}

struct Learner<'a> {
    shape: &'a Shape,
    /// Symbols of all units, each unit closed by [`NONE`]; joined ones leave [`NONE`] behind.
    cells: Vec<u32>,
    /// The unit of each cell.
    unit_of: Vec<u32>,
    /// First cell and weight of each unit.
    units: Vec<(u32, u64)>,
    /// Cells that a symbol covers, at its first one.
    spans: Vec<u32>,
    /// Cells that the symbol before covers.
    before: Vec<u32>,
    texts: Vec<Rc<str>>,
    pairs: Vec<Pair>,
    /// Pairs of symbols, the left one in the upper half of the key.
    known: ByNumber<u32>,
    queue: BinaryHeap<Candidate>,
    rare: u32,
}

/// The learned pieces with the counts that they were chosen for, most frequent first.
pub(super) fn learn(
    units: &PieceCounts,
    shape: &Shape,
    size: usize,
    progress: &dyn Progress,
) -> Result<Vec<Joined>> {
    report(progress, Stage::Prepare, 0, 0)?;
    let mut learner = Learner::new(units, shape)?;
    let (mut pieces, mut taken) = (Vec::new(), HashSet::new());
    while pieces.len() < size {
        let Some(best) = learner.next() else { break };
        let text = Rc::clone(&learner.pairs[best as usize].text);
        learner.pairs[best as usize].done = true;
        if !taken.insert(Rc::clone(&text)) {
            learner.pairs[best as usize].places = Vec::new();
            continue;
        }
        pieces.push((text.to_string(), learner.pairs[best as usize].count));
        learner.join(best, text);
        if pieces.len() % 64 == 0 {
            report(progress, Stage::Merge, pieces.len() as u64, size as u64)?;
        }
    }
    Ok(pieces)
}

impl<'a> Learner<'a> {
    fn new(units: &PieceCounts, shape: &'a Shape) -> Result<Self> {
        let mut learner = Learner {
            shape,
            cells: Vec::new(),
            unit_of: Vec::new(),
            units: Vec::new(),
            spans: Vec::new(),
            before: Vec::new(),
            texts: Vec::new(),
            pairs: Vec::new(),
            known: ByNumber::default(),
            queue: BinaryHeap::new(),
            rare: NONE,
        };
        let mut numbers: HashMap<char, u32> = HashMap::new();
        let mut cursor = units.cursor()?;
        while let Some((unit, count)) = cursor.next()? {
            learner.units.push((learner.cells.len() as u32, count));
            for c in unit.chars() {
                let number = *numbers.entry(c).or_insert_with(|| {
                    learner.texts.push(Rc::from(c.to_string()));
                    learner.texts.len() as u32 - 1
                });
                learner.cells.push(number);
            }
            learner.cells.push(NONE);
            learner.unit_of.resize(learner.cells.len(), learner.units.len() as u32 - 1);
            if learner.cells.len() >= NONE as usize {
                return Err(Error::new(
                    ErrorKind::Train,
                    "the distinct units of the corpus have more than 4 billion characters: train on a sample \
                     (input_sentence_size)",
                ));
            }
        }
        learner.rare = numbers.get(&RARE).copied().unwrap_or(NONE);
        learner.spans = vec![1; learner.cells.len()];
        learner.before = vec![1; learner.cells.len()];
        for unit in 0..learner.units.len() {
            let (start, weight) = learner.units[unit];
            learner.before[start as usize] = 0;
            let mut at = start as usize;
            while learner.cells[at] != NONE && learner.cells[at + 1] != NONE {
                learner.add(at as u32, at as u32 + 1, weight);
                at += 1;
            }
        }
        learner.queue = (0..learner.pairs.len() as u32).map(|pair| learner.candidate(pair)).collect();
        Ok(learner)
    }

    fn candidate(&self, number: u32) -> Candidate {
        let pair = &self.pairs[number as usize];
        Candidate {
            count: pair.count,
            len: Reverse(pair.len),
            text: Reverse(Rc::clone(&pair.text)),
            pair: Reverse(number),
        }
    }

    fn offer(&mut self, number: u32) {
        self.queue.push(self.candidate(number));
    }

    /// The best pair that is left, with its true count.
    fn next(&mut self) -> Option<u32> {
        loop {
            let candidate = self.queue.pop()?;
            let pair = &self.pairs[candidate.pair.0 as usize];
            if pair.done {
                continue;
            }
            if pair.count == candidate.count {
                return Some(candidate.pair.0);
            }
            // Counts only fall once a pair is queued, so each is offered again at its own place.
            self.offer(candidate.pair.0);
        }
    }

    /// The number of a pair of symbols, or [`REFUSED`].
    fn pair(&mut self, left: u32, right: u32) -> u32 {
        if left == self.rare || right == self.rare {
            return REFUSED;
        }
        if let Some(&number) = self.known.get(&key(left, right)) {
            return number;
        }
        let text = [&*self.texts[left as usize], &*self.texts[right as usize]].concat();
        let characters: Vec<char> = text.chars().collect();
        let number = if self.shape.fits(&characters) {
            self.pairs.push(Pair {
                left,
                right,
                text: Rc::from(text),
                len: characters.len() as u32,
                count: 0,
                places: Vec::new(),
                done: false,
            });
            self.pairs.len() as u32 - 1
        } else {
            REFUSED
        };
        self.known.insert(key(left, right), number);
        number
    }

    /// Counts the pair at two cells; returns its number.
    fn add(&mut self, left: u32, right: u32, weight: u64) -> u32 {
        let number = self.pair(self.cells[left as usize], self.cells[right as usize]);
        if let Some(pair) = self.pairs.get_mut(number as usize) {
            pair.count += weight;
            pair.places.push(left);
        }
        number
    }

    fn remove(&mut self, left: u32, right: u32, weight: u64) {
        let key = key(self.cells[left as usize], self.cells[right as usize]);
        if let Some(&number) = self.known.get(&key)
            && let Some(pair) = self.pairs.get_mut(number as usize)
        {
            pair.count = pair.count.saturating_sub(weight);
        }
    }

    fn weight(&self, cell: u32) -> u64 {
        self.units[self.unit_of[cell as usize] as usize].1
    }

    /// Joins a pair wherever it stands, from left to right.
    fn join(&mut self, number: u32, text: Rc<str>) {
        let symbol = self.texts.len() as u32;
        self.texts.push(text);
        let pair = &mut self.pairs[number as usize];
        let (left, right) = (pair.left, pair.right);
        let mut places = std::mem::take(&mut pair.places);
        places.sort_unstable();
        places.dedup();
        let mut fresh: Vec<u32> = Vec::new();
        for at in places {
            if self.cells[at as usize] != left {
                continue;
            }
            let next = at + self.spans[at as usize];
            if self.cells[next as usize] != right {
                continue;
            }
            let weight = self.weight(at);
            let after = next + self.spans[next as usize];
            let has_after = self.cells[after as usize] != NONE;
            let back = self.before[at as usize];
            let previous = (back > 0).then(|| at - back);
            if let Some(previous) = previous {
                self.remove(previous, at, weight);
            }
            if has_after {
                self.remove(next, after, weight);
            }
            self.cells[at as usize] = symbol;
            self.cells[next as usize] = NONE;
            let span = self.spans[at as usize] + self.spans[next as usize];
            self.spans[at as usize] = span;
            if let Some(previous) = previous {
                fresh.push(self.add(previous, at, weight));
            }
            if has_after {
                self.before[after as usize] = span;
                fresh.push(self.add(at, after, weight));
            }
        }
        fresh.sort_unstable();
        fresh.dedup();
        for pair in fresh {
            if pair != REFUSED && !self.pairs[pair as usize].done {
                self.offer(pair);
            }
        }
    }
}
