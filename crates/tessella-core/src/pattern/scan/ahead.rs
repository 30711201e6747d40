//! What look-aheads of any length ask, told from the end of a text.
//!
//! `(?=(\d{3})+(?!\d))` asks for the end of a number where the number begins. No automaton that reads a text from its start
//! can say yes or no there, however many ends it lets wait. One that reads it from the end can: at each place it has seen all
//! that follows. So such look-aheads are answered first, and the answer is written into the text: a character before which a
//! look-ahead holds (or not, whichever is rarer) is another *symbol* than the same character elsewhere. What then reads the text from
//! its start asks about the next symbol only.
//!
//! The end of the text need not have been read. Behind most characters it is the same whatever comes: of digits in threes, nothing
//! that follows a letter matters to what stands before it. Such characters are *settled*, and only runs of others are read from
//! their end, with one character more on each side.

use std::collections::HashMap;

use super::alphabet::Alphabet;
use super::program::{Instruction, Program};

/// Look-aheads that are answered together: bits of a byte.
const MOST: usize = 8;
/// States of the automaton, and steps taken to build it.
const MOST_STATES: usize = 1024;
const MOST_WORK: usize = 20_000_000;
/// Behind this class it is not the same whatever comes.
const UNSETTLED: u32 = u32::MAX;
/// An entry is a symbol below the next state.
const STATE_BIT: u32 = 8;

/// The body of a look-ahead, and for each of its sets which classes it holds.
pub type Asked<'p> = (&'p Program, Vec<Vec<bool>>);

/// The automaton that reads from the end.
#[derive(Debug)]
pub struct Ahead {
    /// By state and the class of the character before it, or last the start of the text: the state before that character, and
    /// which symbol the character behind is.
    rows: Vec<u32>,
    columns: usize,
    /// By class: the state before such a character, if it is the same whatever follows it.
    settled: Vec<u32>,
    /// By symbol, whether it is no class of such characters.
    unsettled: Vec<bool>,
}

/// What look-aheads say, by symbols.
#[derive(Debug, Default)]
pub struct Answers {
    /// The class that each symbol is of; the first ones are the classes themselves.
    pub class_of: Vec<u8>,
    /// Which look-aheads hold before each symbol.
    pub of_symbol: Vec<u8>,
    /// Which hold at the end of the text behind each symbol, and last behind nothing.
    pub at_end: Vec<u8>,
}

/// Symbols that are not their classes, of the part of a text that was looked at.
#[derive(Debug, Default)]
pub struct Marks {
    /// In the order of places; those that were passed are taken away now and then.
    symbols: Vec<(u32, u8)>,
    /// Everything before it was looked at.
    until: usize,
    /// A run of unsettled characters.
    run: Vec<(u32, u8)>,
}

/// What is known at a place: which instructions take the character behind it and come to an end, and its class or the end of the
/// text.
type Known = (Vec<u32>, usize);

struct Builder<'a> {
    asked: &'a [Asked<'a>],
    /// Where the instructions of each begin in one count.
    firsts: Vec<u32>,
    classes: usize,
    work: usize,
}

impl Builder<'_> {
    /// Which look-aheads hold at a place, and what is known before the character that stands before it. `classes` for one stands
    /// for the start of the text.
    fn step(&mut self, (taken, after): &Known, before: usize) -> Result<(u8, Vec<u32>), String> {
        let (mut holds, mut next) = (0, Vec::new());
        for (number, (program, members)) in self.asked.iter().enumerate() {
            let first = self.firsts[number];
            let mut comes = vec![false; program.instructions.len()];
            // To the least there is: a loop that takes nothing comes to no end.
            let mut changed = true;
            while changed {
                changed = false;
                self.work += comes.len();
                for (at, instruction) in program.instructions.iter().enumerate() {
                    let does = match instruction {
                        Instruction::Match => true,
                        Instruction::Class { .. } => taken.binary_search(&(first + at as u32)).is_ok(),
                        Instruction::Branch(branches) => branches.iter().any(|&to| comes[to as usize]),
                        Instruction::Look { conditions, next } => {
                            comes[*next as usize]
                                && conditions.iter().any(|&condition| {
                                    let looking = &program.conditions[condition];
                                    let side =
                                        |set: usize, edge: bool, class: usize| match class == self.classes {
                                            true => edge,
                                            false => members[set][class],
                                        };
                                    side(looking.before, looking.before_edge, before)
                                        && side(looking.after, looking.after_edge, *after)
                                })
                        }
                    };
                    changed |= does && !comes[at];
                    comes[at] |= does;
                }
            }
            holds |= u8::from(comes[program.start as usize]) << number;
            for (at, instruction) in program.instructions.iter().enumerate() {
                if let Instruction::Class { set, next: to } = instruction
                    && before < self.classes
                    && members[*set][before]
                    && comes[*to as usize]
                {
                    next.push(first + at as u32);
                }
            }
        }
        if self.work > MOST_WORK {
            return Err("too much work to look ahead".into());
        }
        Ok((holds, next))
    }
}

impl Ahead {
    /// For look-aheads whose sets are made of the classes of an alphabet.
    pub fn new(asked: &[Asked<'_>], alphabet: &Alphabet) -> Result<(Ahead, Answers), String> {
        if asked.len() > MOST {
            return Err(format!("more than {MOST} look-aheads"));
        }
        let classes = alphabet.classes;
        let mut count = 0;
        let firsts = asked.iter().map(|(program, _)| {
            count += program.instructions.len() as u32;
            count - program.instructions.len() as u32
        });
        let mut builder = Builder { asked, firsts: firsts.collect(), classes, work: 0 };
        let mut states: Vec<Known> = vec![(Vec::new(), classes)];
        let mut numbers: HashMap<Known, usize> = HashMap::from([(states[0].clone(), 0)]);
        // By state and class: the state that follows, and what holds.
        let mut steps: Vec<Vec<(usize, u8)>> = Vec::new();
        while steps.len() < states.len() {
            let state = states[steps.len()].clone();
            let mut row = Vec::with_capacity(classes + 1);
            for before in 0..=classes {
                let (holds, taken) = builder.step(&state, before)?;
                if before == classes {
                    row.push((0, holds));
                    continue;
                }
                let next = *numbers.entry((taken, before)).or_insert_with_key(|known| {
                    states.push(known.clone());
                    states.len() - 1
                });
                row.push((next, holds));
            }
            steps.push(row);
            if states.len() > MOST_STATES {
                return Err(format!("more than {MOST_STATES} states to look ahead"));
            }
        }
        let afters: Vec<usize> = states.iter().map(|&(_, after)| after).collect();
        Ok(Self::tabulate(&steps, &afters, classes))
    }

    fn tabulate(steps: &[Vec<(usize, u8)>], afters: &[usize], classes: usize) -> (Ahead, Answers) {
        let mut settled: Vec<Option<usize>> = (0..classes)
            .map(|class| {
                let next = steps[0][class].0;
                steps.iter().all(|row| row[class].0 == next).then_some(next)
            })
            .collect();
        // Between two that are settled the answer must always be the same.
        let mut usual: Vec<u8> = vec![0; classes];
        loop {
            let before = settled.clone();
            for class in 0..classes {
                let Some(state) = settled[class] else { continue };
                let mut answers =
                    (0..classes).filter(|&class| settled[class].is_some()).map(|class| steps[state][class].1);
                usual[class] = answers.next().unwrap_or(0);
                if answers.any(|answer| answer != usual[class]) {
                    settled[class] = None;
                }
            }
            if settled == before {
                break;
            }
        }
        let mut answers = Answers {
            class_of: (0..classes).map(|class| class as u8).collect(),
            of_symbol: usual.clone(),
            at_end: Vec::new(),
        };
        let mut symbols: HashMap<(usize, u8), usize> =
            (0..classes).map(|class| ((class, usual[class]), class)).collect();
        let columns = classes + 1;
        let mut rows = Vec::with_capacity(steps.len() * columns);
        for (row, &after) in steps.iter().zip(afters) {
            for &(next, holds) in row {
                // At the end there is no character behind.
                let symbol = match after == classes {
                    true => 0,
                    false => *symbols.entry((after, holds)).or_insert_with(|| {
                        answers.class_of.push(after as u8);
                        answers.of_symbol.push(holds);
                        answers.class_of.len() - 1
                    }),
                };
                rows.push(((next * columns) as u32) << STATE_BIT | symbol as u32);
            }
        }
        let ends = answers.class_of.iter().map(|&class| usize::from(class)).chain([classes]);
        answers.at_end = ends.map(|class| steps[0][class].1).collect();
        let unsettled = (0..=answers.class_of.len())
            .map(|symbol| settled.get(symbol).is_some_and(Option::is_none))
            .collect();
        let settled = settled.iter().map(|state| match state {
            Some(state) => (state * columns) as u32,
            None => UNSETTLED,
        });
        (Ahead { rows, columns, settled: settled.collect(), unsettled }, answers)
    }

    /// Writes the symbols of characters that are not their classes over the classes of a section, which begins at `at` and may have
    /// been looked at before.
    pub fn mark(&self, alphabet: &Alphabet, text: &[u8], at: usize, classes: &mut [u8], marks: &mut Marks) {
        let passed = marks.symbols.partition_point(|&(place, _)| (place as usize) < at);
        marks.symbols.drain(..passed);
        let end = at + classes.len();
        let mut from = marks.until.max(at);
        while from < end {
            let run = classes[from - at..].iter().position(|&class| self.unsettled[usize::from(class)]);
            if from == 0 && run != Some(0) {
                self.first(classes[0], marks);
            }
            let Some(run) = run else { break };
            from = self.run(alphabet, text, from + run, marks);
        }
        marks.until = from.max(end);
        for &(place, symbol) in &marks.symbols {
            let Some(class) = classes.get_mut(place as usize - at) else { break };
            *class = symbol;
        }
    }

    /// Whether a text that is cut between two classes is answered on both sides as if each side were a text of its own.
    pub fn stays_in(&self, answers: &Answers, before: usize, behind: usize) -> bool {
        let state = |entry: u32| entry >> STATE_BIT;
        let (at_end, start) = (state(self.rows[before]), self.columns - 1);
        self.rows.chunks(self.columns).skip(1).all(|row| {
            let symbol = row[before] as u8;
            usize::from(answers.class_of[usize::from(symbol)]) != behind
                || state(row[before]) == at_end && symbol == row[start] as u8
        })
    }

    /// The character at the start of the text, which is settled.
    fn first(&self, class: u8, marks: &mut Marks) {
        let symbol = self.step(self.settled[usize::from(class)], self.columns - 1).1;
        if symbol != class {
            marks.symbols.push((0, symbol));
        }
    }

    fn step(&self, state: u32, before: usize) -> (u32, u8) {
        let entry = self.rows[state as usize + before];
        (entry >> STATE_BIT, entry as u8)
    }

    /// The characters from `start` on that are not settled, and the one behind them; returns where that one goes on.
    fn run(&self, alphabet: &Alphabet, text: &[u8], start: usize, marks: &mut Marks) -> usize {
        marks.run.clear();
        let mut at = start;
        let mut state = 0;
        while at < text.len() {
            let (class, length) = alphabet.at(text, at);
            marks.run.push((at as u32, class));
            at += length;
            if self.settled[usize::from(class)] != UNSETTLED {
                state = self.settled[usize::from(class)];
                break;
            }
        }
        // At the end of the text nothing is behind the last character.
        let is_end = marks.run.last().is_none_or(|&(_, class)| self.settled[usize::from(class)] == UNSETTLED);
        if is_end && let Some(&(_, class)) = marks.run.last() {
            state = self.step(state, usize::from(class)).0;
        }
        let first = marks.symbols.len();
        for index in (0..marks.run.len()).rev() {
            let (place, class) = marks.run[index];
            let before = match index.checked_sub(1) {
                Some(before) => usize::from(marks.run[before].1),
                None => self.class_before(alphabet, text, start),
            };
            let (next, symbol) = self.step(state, before);
            if symbol != class {
                marks.symbols.push((place, symbol));
            }
            state = next;
        }
        marks.symbols[first..].reverse();
        at
    }

    /// The class of the character before a place, or what stands for the start of the text.
    fn class_before(&self, alphabet: &Alphabet, text: &[u8], at: usize) -> usize {
        let before = text[..at].iter().rposition(|&byte| byte & 0xC0 != 0x80);
        before.map_or(self.columns - 1, |before| usize::from(alphabet.at(text, before).0))
    }
}
