//! The tree as a nondeterministic program with preferences.
//!
//! Built from the back: every node is compiled with the instruction that follows it already known. Possessive
//! repeats of one class become greedy ones followed by "and the next character is not of the class", which is
//! the same by construction; other atomic groups are accepted where what follows cannot fail, so that the
//! engine never has a reason to go back into them.

use std::sync::Arc;

use super::set::CharSet;
use super::syntax::{Ahead, Condition, Node, Side};

pub type Address = u32;

/// Unrolled counts can multiply; beyond this the pattern is left to the engine.
const MAX_INSTRUCTIONS: usize = 6000;

#[derive(Debug, Clone)]
pub enum Instruction {
    /// Consumes one character of a set (an index into `sets`).
    Class {
        set: usize,
        next: Address,
    },
    /// Goes on where one of the conditions (indices into `conditions`) holds.
    Look {
        conditions: Vec<usize>,
        next: Address,
    },
    /// Tries the branches in order.
    Branch(Vec<Address>),
    Match,
}

/// A condition with its sets as indices.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Looking {
    pub before: usize,
    pub before_edge: bool,
    pub after: usize,
    pub after_edge: bool,
    /// A look-ahead, and whether it must hold.
    pub ahead: Option<(usize, bool)>,
}

#[derive(Debug, Default)]
pub struct Program {
    pub instructions: Vec<Instruction>,
    pub sets: Vec<CharSet>,
    pub conditions: Vec<Looking>,
    pub start: Address,
    /// What look-aheads of more than one character ask, with the bodies that they were made of.
    pub aheads: Vec<(Arc<Node>, Program)>,
    /// Continuations of atomic groups, which must not be able to fail.
    must_succeed: Vec<Address>,
}

impl Program {
    pub fn new(root: &Node) -> Result<Program, String> {
        let mut program = Program::default();
        let end = program.push(Instruction::Match)?;
        program.start = program.compile(root, end)?;
        for &address in &program.must_succeed {
            if !program.always_succeeds(address) {
                return Err("an atomic group whose continuation can fail".into());
            }
        }
        Ok(program)
    }

    fn push(&mut self, instruction: Instruction) -> Result<Address, String> {
        if self.instructions.len() == MAX_INSTRUCTIONS {
            return Err(format!("more than {MAX_INSTRUCTIONS} instructions"));
        }
        self.instructions.push(instruction);
        Ok(self.instructions.len() as Address - 1)
    }

    fn set(&mut self, set: &CharSet) -> usize {
        match self.sets.iter().position(|known| known == set) {
            Some(index) => index,
            None => {
                self.sets.push(set.clone());
                self.sets.len() - 1
            }
        }
    }

    fn ahead(&mut self, body: &Arc<Node>) -> Result<usize, String> {
        let known = self.aheads.iter().position(|(known, _)| Arc::ptr_eq(known, body));
        match known {
            Some(index) => Ok(index),
            None => {
                self.aheads.push((body.clone(), Program::new(body)?));
                Ok(self.aheads.len() - 1)
            }
        }
    }

    fn condition(&mut self, condition: &Condition) -> Result<usize, String> {
        let ahead = match &condition.ahead {
            Some(Ahead { body, wanted }) => Some((self.ahead(body)?, *wanted)),
            None => None,
        };
        let looking = Looking {
            before: self.set(&condition.before.chars),
            before_edge: condition.before.edge,
            after: self.set(&condition.after.chars),
            after_edge: condition.after.edge,
            ahead,
        };
        Ok(match self.conditions.iter().position(|known| *known == looking) {
            Some(index) => index,
            None => {
                self.conditions.push(looking);
                self.conditions.len() - 1
            }
        })
    }

    /// Compiles the node so that `next` follows it.
    fn compile(&mut self, node: &Node, next: Address) -> Result<Address, String> {
        match node {
            Node::Empty => Ok(next),
            Node::Class { set, .. } => {
                let set = self.set(set);
                self.push(Instruction::Class { set, next })
            }
            Node::Look(conditions) => {
                let conditions =
                    conditions.iter().map(|condition| self.condition(condition)).collect::<Result<_, _>>()?;
                self.push(Instruction::Look { conditions, next })
            }
            Node::Concat(nodes) => nodes.iter().rev().try_fold(next, |next, node| self.compile(node, next)),
            Node::Alternation(nodes) => {
                let branches = nodes.iter().map(|node| self.compile(node, next)).collect::<Result<_, _>>()?;
                self.push(Instruction::Branch(branches))
            }
            Node::Repeat { body, min, max, greedy } => self.repeat(body, *min, *max, *greedy, next),
            Node::Atomic(body) => self.atomic(body, next),
        }
    }

    fn repeat(
        &mut self,
        body: &Node,
        min: u32,
        max: Option<u32>,
        greedy: bool,
        next: Address,
    ) -> Result<Address, String> {
        let choice = |again: Address, leave: Address| {
            Instruction::Branch(if greedy { vec![again, leave] } else { vec![leave, again] })
        };
        let (mut entry, mandatory) = match max {
            None => {
                let hub = self.push(Instruction::Branch(Vec::new()))?;
                let body = self.compile(body, hub)?;
                self.instructions[hub as usize] = choice(body, next);
                // The loop's own body serves as the last mandatory copy.
                if min == 0 { (hub, 0) } else { (body, min - 1) }
            }
            Some(max) => {
                let mut entry = next;
                for _ in min..max {
                    let body = self.compile(body, entry)?;
                    entry = self.push(choice(body, next))?;
                }
                (entry, min)
            }
        };
        for _ in 0..mandatory {
            entry = self.compile(body, entry)?;
        }
        Ok(entry)
    }

    fn atomic(&mut self, body: &Node, next: Address) -> Result<Address, String> {
        if body.as_class().is_some() || matches!(body, Node::Look(_) | Node::Empty) {
            return self.compile(body, next);
        }
        if let Node::Repeat { body: inner, min, max, greedy: true } = body
            && let Some(set) = inner.as_class()
        {
            let stopped = self.compile(
                &Node::Look(vec![Condition::after(Side::or_edge(super::set::negated(set)))]),
                next,
            )?;
            return match max {
                None => self.repeat(inner, *min, None, true, stopped),
                Some(max) => {
                    // Full, or stopped earlier by a character of another kind: never both.
                    let mut entry = next;
                    for _ in *min..*max {
                        let again = self.compile(inner, entry)?;
                        entry = self.push(Instruction::Branch(vec![again, stopped]))?;
                    }
                    for _ in 0..*min {
                        entry = self.compile(inner, entry)?;
                    }
                    Ok(entry)
                }
            };
        }
        self.must_succeed.push(next);
        self.compile(body, next)
    }

    /// Whether the pattern matches from here whatever follows: an end reached without consuming anything.
    fn always_succeeds(&self, from: Address) -> bool {
        let mut seen = vec![false; self.instructions.len()];
        let mut stack = vec![from];
        while let Some(address) = stack.pop() {
            if std::mem::replace(&mut seen[address as usize], true) {
                continue;
            }
            match &self.instructions[address as usize] {
                Instruction::Match => return true,
                Instruction::Branch(branches) => stack.extend(branches),
                Instruction::Class { .. } | Instruction::Look { .. } => {}
            }
        }
        false
    }
}
