//! An automaton that writes where pieces end, at one step for each character whatever the text.
//!
//! The automaton of a pattern tells where one match ends. It may run on behind that place in the hope of more, and in
//! vain: `\s*[\r\n]+` looks through all blanks behind a line end before it knows that no other line end comes. Then it
//! would have to go back. Here it never does: all that may be at a place ([`tracks`](super::tracks)) is followed at once, and
//! the ends of pieces that hang on what comes wait in the output. A state is a list of courses, each with those of the ends
//! that wait that are true if it is the right one. At each step some of the ends that wait are dropped, and one may be added.
//!
//! Several patterns in a row, each cutting the pieces of the one before, are one such automaton as well: a course tells of all.
//!
//! A pattern has none of this ([`Transducer::new`] says why) if some match is empty, or if no number of
//! states and waiting ends within the bounds will do. Patterns may leave gaps: those are pieces too.
//!
//! After some pairs of characters it is the same whatever came before: a piece ends between them, and the state is
//! known. At such *proven starts* a text can be entered in the middle.

use std::collections::HashMap;
use std::sync::Arc;

use super::ahead::Ahead;
use super::alphabet::Alphabet;
use super::automaton::Automaton;
use super::tracks::{Borders, Courses, Stage};

/// Ends of pieces that may wait.
pub const MOST_WAITING: usize = 7;
/// Bits of an entry below the next state: how many ends are dropped, whether one is added then, how many that are kept
/// stand behind those that are dropped, and whether one is added to those that are certain although others wait before them.
pub const DROPPED: u32 = 7;
pub const ADDED_BIT: u32 = 3;
pub const BEHIND_BIT: u32 = 4;
pub const APART: u32 = 1 << 7;
/// What many automata have no use for.
pub const RARE: u32 = DROPPED << BEHIND_BIT | APART;
pub const STATE_BIT: u32 = 8;
/// Most entries; beyond this the table would not stay in the near caches.
const MAX_ENTRIES: usize = 1 << 16;
/// No proven start.
const UNPROVEN: u32 = u32::MAX;

#[derive(Debug)]
pub struct Transducer {
    pub alphabet: Arc<Alphabet>,
    /// By premultiplied state and symbol. Where the alphabet has the end of the text, here is a byte that no character
    /// begins with: it changes nothing.
    pub rows: Vec<u32>,
    shift: u32,
    /// By state: ends that wait there, and which of these are true if the text ends.
    waiting: Vec<(u8, u8)>,
    /// Whether some entry has anything of [`RARE`].
    pub rare: bool,
    /// By the classes of two neighbours: the state behind both, premultiplied, if a piece ends between them for certain.
    proven: Vec<u32>,
    /// What is answered before the text is read, of look-aheads.
    pub ahead: Option<Box<Ahead>>,
}

/// All courses that may be, in the order of their numbers, with those of the ends that wait that each makes true.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct State {
    courses: Vec<(u32, u8)>,
    waiting: u32,
}

/// What a symbol does to the ends that wait: so many are dropped, behind which so many others stand, and one may be added, to
/// them or apart.
#[derive(Debug, Clone, Copy)]
struct Change {
    dropped: u32,
    behind: u32,
    added: u32,
    apart: bool,
}

impl Change {
    fn entry(self) -> u32 {
        let apart = if self.apart { APART } else { 0 };
        apart | self.behind << BEHIND_BIT | self.added << ADDED_BIT | self.dropped
    }
}

impl State {
    fn start() -> Self {
        State { courses: vec![(Courses::START, 0)], waiting: 0 }
    }

    /// `apart`: whether an end that is certain may go apart where others wait.
    fn step(
        &self,
        all: &mut Courses<'_>,
        symbol: usize,
        apart: bool,
    ) -> Result<(State, Change), &'static str> {
        let mut courses: Vec<(u32, u8)> = Vec::new();
        for &(course, ends) in &self.courses {
            let followed = all.follow(course, symbol).ok_or("too much may be at once")?;
            let with = |&(next, here): &(u32, bool)| (next, ends | u8::from(here) << self.waiting);
            courses.extend(followed.iter().map(with));
        }
        courses.sort_unstable();
        // Neither of two guesses that come to the same is right.
        courses = courses
            .chunk_by(|one, other| one.0 == other.0)
            .filter_map(|alike| if let [one] = alike { Some(*one) } else { None })
            .collect();
        let any = courses.iter().fold(0, |all, (_, ends)| all | ends);
        let every = courses.iter().fold(u8::MAX, |all, (_, ends)| all & ends);
        let here = 1 << self.waiting;
        let apart = apart && every & here != 0 && every & (here - 1) != any & (here - 1);
        let any = u32::from(if apart { any & !here } else { any });
        // Of the ends that no course makes true, one run is dropped, the last. Others wait for the next step.
        let dead = !any & (u32::from(here) - 1);
        let last = u32::BITS - dead.leading_zeros();
        let dropped = if dead == 0 { 0 } else { (dead << dead.leading_zeros()).leading_ones() };
        let change = Change {
            dropped,
            behind: if dropped == 0 { 0 } else { self.waiting - last },
            added: any >> self.waiting & 1,
            apart,
        };
        let first = last - dropped;
        let moved = |ends: u8| {
            let ends = u32::from(if apart { ends & !here } else { ends });
            (ends & ((1 << first) - 1) | ends >> last << first) as u8
        };
        let certain = moved(every).trailing_ones();
        // Where no course is left, all of none are certain.
        let waiting =
            (self.waiting - dropped + change.added).checked_sub(certain).ok_or("no course is right")?;
        if waiting as usize > MOST_WAITING {
            return Err("too many ends wait");
        }
        for (_, ends) in &mut courses {
            // All that can wait and the one that was added may be certain together.
            *ends = moved(*ends).checked_shr(certain).unwrap_or(0);
        }
        Ok((State { courses, waiting }, change))
    }

    /// Which of the ends that wait are true if the text ends.
    fn finish(&self, all: &Courses<'_>) -> Option<u8> {
        let mut right = self.courses.iter().filter(|(course, _)| all.may_end(*course));
        match (right.next(), right.next()) {
            (Some((_, ends)), None) => Some(*ends),
            _ => None,
        }
    }
}

impl Transducer {
    /// For patterns in a row that are all over this alphabet, or why there is none.
    /// The last `over_bytes` of them read bytes, and the others characters.
    pub fn new(
        automata: &[(Automaton, Borders)],
        over_bytes: usize,
        alphabet: &Arc<Alphabet>,
    ) -> Result<Transducer, &'static str> {
        let end = alphabet.classes;
        if automata.iter().any(|(automaton, _)| automaton.is_nullable()) {
            return Err("some match is empty");
        }
        let over_characters = automata.len().saturating_sub(over_bytes);
        let stages = automata.iter().enumerate().map(|(at, (automaton, borders))| {
            let passed_from = if at < over_characters { alphabet.first_inner() } else { end };
            Stage::new(automaton, *borders, end, passed_from)
        });
        let mut all = Courses::new(stages.collect());
        Self::over(&mut all, alphabet, false).or_else(|_| Self::over(&mut all, alphabet, true))
    }

    /// With ends apart, or without.
    fn over(
        all: &mut Courses<'_>,
        alphabet: &Arc<Alphabet>,
        apart: bool,
    ) -> Result<Transducer, &'static str> {
        let end = alphabet.classes;
        let shift = (end + 1).next_power_of_two().trailing_zeros();
        let mut states: Vec<State> = vec![State::start()];
        let mut numbers: HashMap<State, u32> = HashMap::from([(State::start(), 0)]);
        let mut waiting: Vec<(u8, u8)> = Vec::new();
        let mut rows: Vec<u32> = Vec::new();
        while waiting.len() < states.len() {
            let number = waiting.len();
            let state = states[number].clone();
            let finish = state.finish(all).ok_or("what is there is not told")?;
            waiting.push((state.waiting as u8, finish));
            let mut row = vec![0; 1 << shift];
            for (symbol, entry) in row[..end].iter_mut().enumerate() {
                if number == 0 && symbol >= alphabet.first_inner() {
                    // No text begins inside of a character.
                    continue;
                }
                let (next, change) = state.step(all, symbol, apart)?;
                let fresh = states.len() as u32;
                let next = *numbers.entry(next).or_insert_with_key(|next| {
                    states.push(next.clone());
                    fresh
                });
                *entry = next << shift << STATE_BIT | change.entry();
            }
            row[end] = (number as u32) << shift << STATE_BIT;
            rows.extend(row);
            if states.len() << shift > MAX_ENTRIES {
                return Err("too many states");
            }
        }
        let rare = rows.iter().any(|entry| entry & RARE != 0);
        let (alphabet, proven) = (alphabet.clone(), Vec::new());
        let mut made = Transducer { alphabet, rows, shift, waiting, rare, proven, ahead: None };
        made.proven = made.proven_starts();
        Ok(made)
    }

    /// Followed from all states: what a symbol leads to is few.
    fn proven_starts(&self) -> Vec<u32> {
        let classes = self.alphabet.classes;
        let mut proven = vec![UNPROVEN; classes * classes];
        let usual = usize::from(self.alphabet.inner());
        for first in 0..classes {
            // No text begins inside of a character.
            let from = usize::from(first >= self.alphabet.first_inner());
            let entries = (from..self.waiting.len()).map(|state| self.rows[(state << self.shift) + first]);
            let mut between: Vec<u32> = entries.map(|entry| entry >> STATE_BIT).collect();
            between.sort_unstable();
            between.dedup();
            // Who looks for such a place passes over most bytes inside of characters. Where these are not told apart, they change
            // nothing.
            let mut followed = if usual < classes { 0 } else { between.len() };
            while let Some(&state) = between.get(followed) {
                let behind = self.rows[state as usize + usual] >> STATE_BIT;
                if !between.contains(&behind) {
                    between.push(behind);
                }
                followed += 1;
            }
            for second in 0..classes {
                let mut entries = between.iter().map(|&state| self.rows[state as usize + second]);
                let Some(entry) = entries.next() else { continue };
                let state = entry >> STATE_BIT;
                let is_certain = |entry: u32| entry >> STATE_BIT == state && entry >> ADDED_BIT & 1 == 1;
                if self.waiting(state) == 0 && is_certain(entry) && entries.all(is_certain) {
                    proven[first * classes + second] = state;
                }
            }
        }
        proven
    }

    /// Whether some text may be cut between two symbols.
    pub fn may_cut(&self, before: usize, behind: usize) -> bool {
        (0..self.waiting.len()).any(|state| {
            let between = self.rows[(state << self.shift) + before] >> STATE_BIT;
            self.rows[between as usize + behind] & (1 << ADDED_BIT | APART) != 0
        })
    }

    /// Ends that wait in a state.
    pub fn waiting(&self, state: u32) -> usize {
        usize::from(self.waiting[(state >> self.shift) as usize].0)
    }

    /// Which of them are true if the text ends, by bits.
    pub fn at_end(&self, state: u32) -> u8 {
        self.waiting[(state >> self.shift) as usize].1
    }

    /// The state behind two characters between which a piece ends, whatever stands around them.
    #[inline]
    pub fn proven(&self, first: u8, second: u8) -> Option<u32> {
        let at = usize::from(first) * self.alphabet.classes + usize::from(second);
        self.proven.get(at).copied().filter(|&state| state != UNPROVEN)
    }

    /// For people.
    pub fn describe(&self) -> String {
        format!("read at four places in turn ({} states)", self.waiting.len())
    }
}
