//! An automaton that writes where pieces end, at one step for each character whatever the text.
//!
//! The automaton of a pattern tells where one match ends. It may run on behind that place in the hope of more, and in
//! vain: `\s*[\r\n]+` looks through all blanks behind a line end before it knows that no other line end comes. Then it
//! would have to go back. Here it never does: while a match runs on, what would be if it stopped where it could last is
//! followed beside it, and the ends of pieces that hang on that wait in the output. A state is such a list of matches,
//! each the fallback of the one before, so the whole is an automaton again. At each step some of the ends that wait are
//! dropped, and one may be added.
//!
//! Several patterns in a row, each cutting the pieces of the one before, are one such automaton as well: all follow the
//! text together, and where one ends a piece, those behind it end theirs and begin anew. Only the last of them may have
//! ends that wait.
//!
//! A pattern has none of this ([`Transducer::new`] says why) if it matches nothing somewhere, or if no number of
//! states and fallbacks within the bounds will do. Patterns may leave gaps: those are pieces too.
//!
//! After some pairs of characters it is the same whatever came before: a piece ends between them, and the state is
//! known. At such *proven starts* a text can be entered in the middle.

use std::collections::HashMap;
use std::sync::Arc;

use super::alphabet::Alphabet;
use super::automaton::{Automaton, DEAD};

/// Ends of pieces that may wait.
pub const MOST_WAITING: usize = 7;
/// Bits of an entry below the next state: how many ends are dropped, and whether one is added then.
pub const DROPPED: u32 = 7;
pub const ADDED_BIT: u32 = 3;
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
    /// By state: ends that wait there, and how many of these are true if the text ends.
    waiting: Vec<(u8, u8)>,
    /// By the classes of two neighbours: the state behind both, premultiplied, if a piece ends between them for certain.
    proven: Vec<u32>,
}

/// What a list of matches is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Part {
    /// A match that ends somewhere for certain, or whose fallback stands behind it in the list.
    Run(u32),
    /// The first character of what may be no match at all.
    New(u32),
    /// The same with more characters: if it is none, what then is not known here.
    Old(u32),
    /// A gap, by the kind of its last character.
    Gap(usize),
    /// The gap before what may be no match, and then is more of the gap.
    Held,
    /// A piece of a fallback, both ends of it known.
    Closed,
}

use Part::{Closed, Gap, Held, New, Old, Run};

/// After a step: the list, how many of the ends that waited before remain, and whether a piece ends before the symbol.
struct Outcome {
    parts: Vec<Part>,
    kept: usize,
    ends: bool,
}

/// One pattern.
struct Stage<'a> {
    automaton: &'a Automaton,
    inevitable: Vec<bool>,
    end: usize,
}

impl Stage<'_> {
    /// The first character of a piece.
    fn open(&self, kind: usize, symbol: usize) -> Part {
        let automaton = self.automaton;
        match automaton.steps[automaton.starts[kind] as usize][symbol].next {
            DEAD => Gap(automaton.kinds[symbol]),
            next if self.inevitable[next as usize] => Run(next),
            next => New(next),
        }
    }

    /// The same at the start of a text.
    fn begin(&self, symbol: usize) -> Part {
        self.open(self.automaton.kinds[self.end], symbol)
    }

    /// How a match goes on, if that does not depend on a fallback: the list, and whether a piece ends.
    fn go_on(&self, state: u32, symbol: usize) -> Option<(Vec<Part>, bool)> {
        let step = self.automaton.steps[state as usize][symbol];
        let opened = || self.open(self.automaton.kind_of_state[state as usize], symbol);
        match step.next {
            DEAD => step.accepts.then(|| (vec![opened()], true)),
            next if self.inevitable[next as usize] => Some((vec![Run(next)], false)),
            next => step.accepts.then(|| (vec![Run(next), opened()], true)),
        }
    }

    /// `None` if what follows is not known.
    fn step(&self, parts: &[Part], symbol: usize) -> Option<Outcome> {
        let gap_of = |state: u32| Gap(self.automaton.kind_of_state[state as usize]);
        let next_of = |state: u32| self.automaton.steps[state as usize][symbol].next;
        match *parts {
            [Gap(kind)] => Some(match self.open(kind, symbol) {
                gap @ Gap(_) => Outcome { parts: vec![gap], kept: 0, ends: false },
                new @ New(_) => Outcome { parts: vec![Held, new], kept: 0, ends: true },
                run => Outcome { parts: vec![run], kept: 0, ends: true },
            }),
            [Held, part @ (New(state) | Old(state))] => match self.go_on(state, symbol) {
                Some((parts, ends)) => Some(Outcome { parts, kept: 1, ends }),
                None if next_of(state) != DEAD => {
                    Some(Outcome { parts: vec![Held, Old(next_of(state))], kept: 1, ends: false })
                }
                None if part == New(state) => self.step(&[gap_of(state)], symbol),
                None => None,
            },
            [part @ (New(state) | Old(state))] => match self.go_on(state, symbol) {
                Some((parts, ends)) => Some(Outcome { parts, kept: 0, ends }),
                None if next_of(state) != DEAD => {
                    Some(Outcome { parts: vec![Old(next_of(state))], kept: 0, ends: false })
                }
                None if part == New(state) => self.step(&[gap_of(state)], symbol),
                None => None,
            },
            [Run(state), ref fallback @ ..] => {
                if let Some((parts, ends)) = self.go_on(state, symbol) {
                    return Some(Outcome { parts, kept: 0, ends });
                }
                let closed = fallback.iter().take_while(|part| **part == Closed).count();
                let Outcome { parts, kept, ends } = self.step(&fallback[closed..], symbol)?;
                let certain = kept + usize::from(ends) - (parts.len() - 1);
                let kept = 1 + closed + kept;
                if next_of(state) == DEAD {
                    return Some(Outcome { parts, kept, ends });
                }
                let mut list = vec![Run(next_of(state))];
                list.extend(std::iter::repeat_n(Closed, closed + certain));
                list.extend(parts);
                Some(Outcome { parts: list, kept, ends })
            }
            _ => None,
        }
    }

    /// How many of the ends that wait are true if the text ends.
    fn finish(&self, parts: &[Part]) -> Option<usize> {
        let accepts = |state: u32| self.automaton.steps[state as usize][self.end].accepts;
        match *parts {
            [Gap(_) | New(_)] => Some(0),
            [Old(state)] => accepts(state).then_some(0),
            [Held, New(state)] => Some(usize::from(accepts(state))),
            [Held, Old(state)] => accepts(state).then_some(1),
            [Run(state), ..] if accepts(state) => Some(0),
            [Run(_), ref fallback @ ..] => {
                let closed = fallback.iter().take_while(|part| **part == Closed).count();
                Some(1 + closed + self.finish(&fallback[closed..])?)
            }
            _ => None,
        }
    }
}

/// Where all patterns stand; nowhere at the start of the text.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
struct State {
    /// One for each pattern but the last.
    fronts: Vec<Part>,
    parts: Vec<Part>,
}

impl State {
    fn waiting(&self) -> usize {
        self.parts.len().saturating_sub(1)
    }

    fn step(&self, stages: &[Stage<'_>], symbol: usize) -> Option<(State, usize, bool)> {
        let (last, before) = stages.split_last()?;
        if self.parts.is_empty() {
            let fronts = before.iter().map(|stage| stage.begin(symbol)).collect();
            return Some((State { fronts, parts: vec![last.begin(symbol)] }, 0, false));
        }
        let mut ends = false;
        let mut fronts = Vec::with_capacity(before.len());
        for (stage, &part) in before.iter().zip(&self.fronts) {
            if ends {
                stage.finish(&[part])?;
                fronts.push(stage.begin(symbol));
                continue;
            }
            let outcome = stage.step(&[part], symbol)?;
            let [front] = *outcome.parts else { return None };
            ends = outcome.ends;
            fronts.push(front);
        }
        if ends {
            let kept = last.finish(&self.parts)?;
            return Some((State { fronts, parts: vec![last.begin(symbol)] }, kept, true));
        }
        let Outcome { parts, kept, ends } = last.step(&self.parts, symbol)?;
        Some((State { fronts, parts }, kept, ends))
    }

    /// How many of the ends that wait are true if the text ends.
    fn finish(&self, stages: &[Stage<'_>]) -> Option<usize> {
        let (last, before) = stages.split_last()?;
        if self.parts.is_empty() {
            return Some(0);
        }
        for (stage, &part) in before.iter().zip(&self.fronts) {
            stage.finish(&[part])?;
        }
        last.finish(&self.parts)
    }
}

impl Transducer {
    /// For patterns in a row that are all over this alphabet, or why there is none.
    pub fn new(automata: &[Automaton], alphabet: &Arc<Alphabet>) -> Result<Transducer, &'static str> {
        let end = alphabet.classes;
        if automata.iter().any(Automaton::is_nullable) {
            return Err("some match is empty");
        }
        let stages: Vec<Stage> = automata
            .iter()
            .map(|automaton| Stage { automaton, inevitable: automaton.inevitable(), end })
            .collect();
        let shift = (end + 1).next_power_of_two().trailing_zeros();
        let mut states: Vec<State> = vec![State::default()];
        let mut numbers: HashMap<State, u32> = HashMap::from([(State::default(), 0)]);
        let mut waiting: Vec<(u8, u8)> = Vec::new();
        let mut rows: Vec<u32> = Vec::new();
        while waiting.len() < states.len() {
            let number = waiting.len();
            let state = states[number].clone();
            let finish = state.finish(&stages).ok_or("a match may fail far behind its start")?;
            if state.waiting() > MOST_WAITING {
                return Err("too many ends wait");
            }
            waiting.push((state.waiting() as u8, finish as u8));
            let mut row = vec![0; 1 << shift];
            for (symbol, entry) in row[..end].iter_mut().enumerate() {
                let (next, kept, ends) =
                    state.step(&stages, symbol).ok_or("a match may fail far behind its start")?;
                let fresh = states.len() as u32;
                let next = *numbers.entry(next).or_insert_with_key(|next| {
                    states.push(next.clone());
                    fresh
                });
                let dropped = (state.waiting() - kept) as u32;
                *entry = next << shift << STATE_BIT | u32::from(ends) << ADDED_BIT | dropped;
            }
            row[end] = (number as u32) << shift << STATE_BIT;
            rows.extend(row);
            if states.len() << shift > MAX_ENTRIES {
                return Err("too many states");
            }
        }
        let mut made = Transducer { alphabet: alphabet.clone(), rows, shift, waiting, proven: Vec::new() };
        made.proven = made.proven_starts();
        Ok(made)
    }

    /// Followed from all states: what a symbol leads to is few.
    fn proven_starts(&self) -> Vec<u32> {
        let classes = self.alphabet.classes;
        let mut proven = vec![UNPROVEN; classes * classes];
        for first in 0..classes {
            let entries = (0..self.waiting.len()).map(|state| self.rows[(state << self.shift) + first]);
            let mut between: Vec<u32> = entries.map(|entry| entry >> STATE_BIT).collect();
            between.sort_unstable();
            between.dedup();
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

    /// Ends that wait in a state.
    pub fn waiting(&self, state: u32) -> usize {
        usize::from(self.waiting[(state >> self.shift) as usize].0)
    }

    /// How many of them are true if the text ends.
    pub fn at_end(&self, state: u32) -> usize {
        usize::from(self.waiting[(state >> self.shift) as usize].1)
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
