//! From the program to a deterministic automaton with leftmost-first preference.
//!
//! A state is the ordered list of instructions that wait at a position, *before* anything zero-width is
//! decided. The decision is made when the next symbol is known: branches are followed in order, conditions
//! look at both neighbours, and reaching the end of the program accepts the match that ends *before* that
//! symbol and drops all instructions of lower preference. That one-symbol delay is all that look-ahead needs,
//! and it makes the backing off of `\s+(?!\S)` exact: the last accept is simply one blank ago.
//!
//! Keeping the first of several equal instructions is sound because what follows an instruction depends on
//! nothing but the rest of the text.

use std::collections::HashMap;

use super::ahead::Answers;
use super::alphabet::Alphabet;
use super::program::{Address, Instruction, Program};

/// Most states of a pattern.
pub const MAX_STATES: usize = 4096;
/// Most steps spent on building, some 100 ms.
const MAX_WORK: usize = 20_000_000;

/// No match can be found or improved from here.
pub const DEAD: u32 = 0;

/// One step: the state after the symbol, and whether a match ends before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step {
    pub next: u32,
    pub accepts: bool,
}

#[derive(Debug)]
pub struct Automaton {
    /// `steps[state][symbol]`; the last symbol is the end of the text.
    pub steps: Vec<Vec<Step>>,
    /// The kind of neighbour (an index into `starts`) that a state has seen last.
    pub kind_of_state: Vec<usize>,
    /// The first state of a match, by the kind of the character before it.
    pub starts: Vec<u32>,
    /// Class (or, last, the start of the text) to its kind.
    pub kinds: Vec<usize>,
}

/// A set as the classes it holds.
type Members = Vec<Vec<bool>>;

impl Automaton {
    /// Whether some match is empty.
    pub fn is_nullable(&self) -> bool {
        self.starts.iter().any(|&start| self.steps[start as usize].iter().any(|step| step.accepts))
    }

    /// By class, whether each of its characters ends what is before it as the end of a text does, is matched by nothing, and is to
    /// what is behind it as the start of a text.
    pub fn dividing(&self) -> Vec<bool> {
        let Some((&of_start, kinds)) = self.kinds.split_last() else { return Vec::new() };
        let ends = |class: usize| {
            self.steps.iter().all(|row| {
                let end = row.last().map(|step| step.accepts);
                row[class].next == DEAD && Some(row[class].accepts) == end
            })
        };
        let is_nullable = self.is_nullable();
        let divides = |(class, &kind): (usize, &usize)| !is_nullable && kind == of_start && ends(class);
        kinds.iter().enumerate().map(divides).collect()
    }

    /// States from which some match ends for certain, so that an accept before them is never the last.
    pub fn inevitable(&self) -> Vec<bool> {
        let mut known = vec![true; self.steps.len()];
        known[DEAD as usize] = false;
        loop {
            let mut changed = false;
            for (state, row) in self.steps.iter().enumerate() {
                let holds = row.iter().all(|step| step.accepts || known[step.next as usize]);
                if known[state] && !holds {
                    known[state] = false;
                    changed = true;
                }
            }
            if !changed {
                return known;
            }
        }
    }
}

struct Builder<'a> {
    program: &'a Program,
    members: &'a Members,
    end: usize,
    /// For each kind and condition: whether the left side holds; and for each look-ahead, whether it does at the end of the text.
    before: Vec<Vec<bool>>,
    told: Told<'a>,
    kinds: Vec<usize>,
    seen: Vec<u32>,
    taken: Vec<u32>,
    generation: u32,
    work: usize,
}

/// What is known of a program's look-aheads: the answers about all, and which of them is its first one.
#[derive(Debug, Clone, Copy)]
pub struct Told<'a> {
    pub answers: &'a Answers,
    pub first: usize,
}

impl Told<'_> {
    fn holds(self, answers: &[u8], symbol: usize, ahead: usize) -> bool {
        answers.get(symbol).is_some_and(|all| all >> (self.first + ahead) & 1 == 1)
    }
}

/// For a program that looks ahead of no more than the next character.
pub fn build(program: &Program, alphabet: &Alphabet, members: &Members) -> Result<Automaton, String> {
    build_told(program, alphabet, members, Told { answers: &Answers::default(), first: 0 })
}

/// For any program, over symbols.
pub fn build_told(
    program: &Program,
    alphabet: &Alphabet,
    members: &Members,
    told: Told<'_>,
) -> Result<Automaton, String> {
    let end = alphabet.classes;
    let aheads = program.aheads.len();
    // Neighbours that no condition's left side tells apart are one kind.
    let mut before: Vec<Vec<bool>> = Vec::new();
    let kind_of = |symbol: usize| {
        let sides = program
            .conditions
            .iter()
            .map(|looking| if symbol == end { looking.before_edge } else { members[looking.before][symbol] });
        let holds: Vec<bool> =
            sides.chain((0..aheads).map(|ahead| told.holds(&told.answers.at_end, symbol, ahead))).collect();
        before.iter().position(|known| *known == holds).unwrap_or_else(|| {
            before.push(holds);
            before.len() - 1
        })
    };
    let kinds = (0..=end).map(kind_of).collect();
    let size = program.instructions.len();
    let mut builder = Builder {
        program,
        members,
        end,
        before,
        told,
        kinds,
        seen: vec![0; size],
        taken: vec![0; size],
        generation: 0,
        work: 0,
    };
    builder.run()
}

impl Builder<'_> {
    fn run(&mut self) -> Result<Automaton, String> {
        let mut states: HashMap<(Vec<Address>, usize), u32> = HashMap::new();
        let mut lists: Vec<(Vec<Address>, usize)> = Vec::new();
        let mut state_of = |list: Vec<Address>, kind: usize, lists: &mut Vec<(Vec<Address>, usize)>| {
            // All dead states are one.
            let key = if list.is_empty() { (list, 0) } else { (list, kind) };
            if let Some(&state) = states.get(&key) {
                return Ok(state);
            }
            if lists.len() == MAX_STATES {
                return Err(format!("more than {MAX_STATES} states"));
            }
            lists.push(key.clone());
            states.insert(key, lists.len() as u32 - 1);
            Ok(lists.len() as u32 - 1)
        };
        state_of(Vec::new(), 0, &mut lists)?;
        let starts = (0..self.before.len())
            .map(|kind| state_of(vec![self.program.start], kind, &mut lists))
            .collect::<Result<Vec<_>, _>>()?;
        let mut steps: Vec<Vec<Step>> = Vec::new();
        while steps.len() < lists.len() {
            let (list, kind) = lists[steps.len()].clone();
            let mut row = Vec::with_capacity(self.end + 1);
            for symbol in 0..=self.end {
                let mut next = Vec::new();
                let accepts = self.step(&list, kind, symbol, &mut next)?;
                let next =
                    if symbol == self.end { DEAD } else { state_of(next, self.kinds[symbol], &mut lists)? };
                row.push(Step { next, accepts });
            }
            steps.push(row);
        }
        let kind_of_state = lists.iter().map(|(_, kind)| *kind).collect();
        Ok(Automaton { steps, kind_of_state, starts, kinds: self.kinds.clone() })
    }

    /// Whether a look-ahead holds before a symbol, behind one of a kind.
    fn ahead_holds(&self, kind: usize, symbol: usize, ahead: usize) -> bool {
        match symbol == self.end {
            true => self.before[kind][self.program.conditions.len() + ahead],
            false => self.told.holds(&self.told.answers.of_symbol, symbol, ahead),
        }
    }

    /// Follows everything zero-width with the next symbol known, then takes the symbol.
    fn step(
        &mut self,
        list: &[Address],
        kind: usize,
        symbol: usize,
        next: &mut Vec<Address>,
    ) -> Result<bool, String> {
        self.generation += 1;
        let mut stack: Vec<Address> = list.iter().rev().copied().collect();
        while let Some(address) = stack.pop() {
            self.work += 1;
            if self.work > MAX_WORK {
                return Err("too much work to build the automaton".into());
            }
            let at = address as usize;
            if std::mem::replace(&mut self.seen[at], self.generation) == self.generation {
                continue;
            }
            match &self.program.instructions[at] {
                Instruction::Match => return Ok(true),
                Instruction::Branch(branches) => stack.extend(branches.iter().rev()),
                Instruction::Look { conditions, next } => {
                    let holds = conditions.iter().any(|&condition| {
                        let looking = &self.program.conditions[condition];
                        let after = match symbol == self.end {
                            true => looking.after_edge,
                            false => self.members[looking.after][symbol],
                        };
                        let ahead = looking
                            .ahead
                            .is_none_or(|(ahead, wanted)| wanted == self.ahead_holds(kind, symbol, ahead));
                        after && ahead && self.before[kind][condition]
                    });
                    if holds {
                        stack.push(*next);
                    }
                }
                Instruction::Class { set, next: target } => {
                    let taken = symbol != self.end && self.members[*set][symbol];
                    if taken
                        && std::mem::replace(&mut self.taken[*target as usize], self.generation)
                            != self.generation
                    {
                        next.push(*target);
                    }
                }
            }
        }
        Ok(false)
    }
}
