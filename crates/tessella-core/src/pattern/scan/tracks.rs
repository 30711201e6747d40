//! What several patterns in a row may be doing at a place of a text, as long as nobody knows what follows.
//!
//! Where a match ends is known only later: it may run on in the hope of more, and in vain. So all that may be is followed
//! at once. A *track* is one guess about one pattern: it is in a match that ends somewhere behind here, or in a gap; and
//! runs that were guessed to be of no use, since a match was said to end before or not to begin there, must find no end any more.
//! A guess that turns out wrong is dropped. Of all guesses about a text one is right, for where matches begin and end is
//! certain in the end: leftmost first, each as far as its automaton says.
//!
//! A *course* is a track for each of the patterns. Each pattern cuts the pieces of the one before: where one ends a piece, those
//! behind it come to the end of their text and begin anew.
//!
//! Two ways of guessing that come to the same course cannot both be right, and what follows is the same for both. So neither is.

use std::collections::HashMap;

use super::automaton::{Automaton, DEAD};

/// Courses that are told apart, and guesses that are made for all of them.
const MOST_COURSES: usize = 4096;
const MOST_GUESSES: usize = 1 << 18;

/// Which borders between the matches of a pattern and the gaps between them are ends of pieces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Borders {
    /// Behind a gap.
    pub before_match: bool,
    /// Before a gap.
    pub behind_match: bool,
    /// Of a match and the next one.
    pub between_matches: bool,
}

impl Borders {
    /// Every match is a piece, and every gap.
    pub const ALL: Borders = Borders { before_match: true, behind_match: true, between_matches: true };
}

/// One of the patterns.
#[derive(Debug)]
pub struct Stage<'a> {
    automaton: &'a Automaton,
    borders: Borders,
    /// States from which a match ends for certain.
    inevitable: Vec<bool>,
    /// The symbol for the end of the text.
    end: usize,
    /// Symbols from here on are nothing to this pattern: bytes inside of characters.
    passed_from: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Now {
    /// By the kind of its last character.
    Gap(usize),
    /// In this state, and some end of the match is still to come.
    Match(u32),
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Track {
    now: Now,
    /// States of runs that must find no end any more.
    barred: Vec<u32>,
}

impl<'a> Stage<'a> {
    pub fn new(automaton: &'a Automaton, borders: Borders, end: usize, passed_from: usize) -> Self {
        Stage { automaton, borders, inevitable: automaton.inevitable(), end, passed_from }
    }

    /// Those that are barred and one more, if that can be.
    fn barring(&self, barred: &[u32], state: u32) -> Option<Vec<u32>> {
        let mut all = barred.to_vec();
        if self.inevitable[state as usize] {
            return None;
        }
        if state != DEAD
            && let Err(at) = all.binary_search(&state)
        {
            all.insert(at, state);
        }
        Some(all)
    }

    /// In a match, if it can end otherwise than a run that is barred.
    fn matching(&self, barred: Vec<u32>, state: u32) -> Option<Track> {
        (state != DEAD && barred.binary_search(&state).is_err())
            .then_some(Track { now: Now::Match(state), barred })
    }

    /// What may begin with this character, behind one of this kind; whether that is a match.
    fn opened(&self, barred: &[u32], kind: usize, symbol: usize) -> impl Iterator<Item = (Track, bool)> {
        let next = self.automaton.steps[self.automaton.starts[kind] as usize][symbol].next;
        let now = Now::Gap(self.automaton.kinds[symbol]);
        let gap = self.barring(barred, next).map(|barred| (Track { now, barred }, false));
        let matching = self.matching(barred.to_vec(), next).map(|track| (track, true));
        matching.into_iter().chain(gap)
    }

    /// What may be behind the first character of a text.
    fn begin(&self, symbol: usize) -> impl Iterator<Item = Track> {
        self.opened(&[], self.automaton.kinds[self.end], symbol).map(|(track, _)| track)
    }

    /// What may be behind the next character, and whether a piece ends before it.
    fn go_on(&self, track: &Track, symbol: usize) -> Vec<(Track, bool)> {
        let mut found = Vec::new();
        let mut barred = Vec::with_capacity(track.barred.len() + 1);
        for &state in &track.barred {
            let step = self.automaton.steps[state as usize][symbol];
            if step.accepts || self.inevitable[step.next as usize] {
                return found;
            }
            if step.next != DEAD {
                barred.push(step.next);
            }
        }
        barred.sort_unstable();
        barred.dedup();
        match track.now {
            Now::Gap(kind) => {
                let opened = self.opened(&barred, kind, symbol);
                found.extend(opened.map(|(track, is_match)| (track, is_match && self.borders.before_match)));
            }
            Now::Match(state) => {
                let step = self.automaton.steps[state as usize][symbol];
                if step.accepts
                    && let Some(barred) = self.barring(&barred, step.next)
                {
                    let kind = self.automaton.kind_of_state[state as usize];
                    let Borders { between_matches, behind_match, .. } = self.borders;
                    let opened = self.opened(&barred, kind, symbol);
                    found.extend(opened.map(|(track, is_match)| {
                        (track, if is_match { between_matches } else { behind_match })
                    }));
                }
                found.extend(self.matching(barred, step.next).map(|track| (track, false)));
            }
        }
        found
    }

    /// Whether the text may end here.
    fn may_end(&self, track: &Track) -> bool {
        let accepts = |state: u32| self.automaton.steps[state as usize][self.end].accepts;
        !track.barred.iter().any(|&state| accepts(state))
            && match track.now {
                Now::Gap(_) => true,
                Now::Match(state) => accepts(state),
            }
    }
}

/// Where all patterns may be: nowhere at the start of the text.
type Course = Vec<Track>;

/// All courses that were met, by numbers.
#[derive(Debug)]
pub struct Courses<'a> {
    stages: Vec<Stage<'a>>,
    numbers: HashMap<Course, u32>,
    courses: Vec<Course>,
    /// What may follow a course, by the symbol, once it was asked for.
    followed: HashMap<(u32, usize), Vec<(u32, bool)>>,
    guesses: usize,
}

impl<'a> Courses<'a> {
    /// The number of the course at the start of a text.
    pub const START: u32 = 0;

    pub fn new(stages: Vec<Stage<'a>>) -> Self {
        Courses {
            stages,
            numbers: HashMap::from([(Course::new(), Self::START)]),
            courses: vec![Course::new()],
            followed: HashMap::new(),
            guesses: 0,
        }
    }

    /// Whether the text may end here.
    pub fn may_end(&self, course: u32) -> bool {
        self.stages.iter().zip(&self.courses[course as usize]).all(|(stage, track)| stage.may_end(track))
    }

    /// What may be behind the next character, and whether a piece ends before it. `None` if there is too much of it.
    pub fn follow(&mut self, course: u32, symbol: usize) -> Option<&[(u32, bool)]> {
        if !self.followed.contains_key(&(course, symbol)) {
            let mut found: Vec<(Course, bool)> = vec![(Course::new(), false)];
            for (index, stage) in self.stages.iter().enumerate() {
                let before = self.courses[course as usize].get(index);
                found = found
                    .into_iter()
                    .flat_map(|(course, ends)| {
                        let tracks: Vec<(Track, bool)> = match before {
                            // Whoever reads characters stands before one who reads bytes, and ends nothing here.
                            Some(track) if symbol >= stage.passed_from => vec![(track.clone(), false)],
                            Some(track) if !ends => stage.go_on(track, symbol),
                            Some(track) if !stage.may_end(track) => Vec::new(),
                            _ => stage.begin(symbol).map(|track| (track, ends)).collect(),
                        };
                        tracks.into_iter().map(move |(track, ends)| {
                            let mut course = course.clone();
                            course.push(track);
                            (course, ends)
                        })
                    })
                    .collect();
                // With every stage there may be three times as many.
                if found.len() > MOST_COURSES {
                    return None;
                }
            }
            self.guesses += found.len() + 1;
            let numbered: Vec<(u32, bool)> =
                found.into_iter().map(|(course, ends)| (self.number_of(course), ends)).collect();
            self.followed.insert((course, symbol), numbered);
        }
        if self.courses.len() > MOST_COURSES || self.guesses > MOST_GUESSES {
            return None;
        }
        self.followed.get(&(course, symbol)).map(Vec::as_slice)
    }

    fn number_of(&mut self, course: Course) -> u32 {
        let fresh = self.courses.len() as u32;
        *self.numbers.entry(course).or_insert_with_key(|course| {
            self.courses.push(course.clone());
            fresh
        })
    }
}
