//! The small tree that a pattern is parsed into, the same for every dialect.
//!
//! Everything that differs between engines (classes, case folding, anchors, possessive spellings) is already
//! resolved into sets here, so that the automaton needs to know one language only.

use super::set::{self, CharSet};

/// One side of a zero-width condition: which neighbour is allowed.
#[derive(Debug, Clone)]
pub struct Side {
    pub chars: CharSet,
    /// Whether the edge of the text (start before, end after) is allowed.
    pub edge: bool,
}

impl Side {
    pub fn anything() -> Self {
        Side { chars: set::any(), edge: true }
    }

    pub fn edge() -> Self {
        Side { chars: CharSet::empty(), edge: true }
    }

    pub fn of(chars: CharSet) -> Self {
        Side { chars, edge: false }
    }

    pub fn or_edge(chars: CharSet) -> Self {
        Side { chars, edge: true }
    }

    /// Everything that this side does not allow.
    pub fn opposite(&self) -> Self {
        Side { chars: set::negated(self.chars.clone()), edge: !self.edge }
    }
}

/// A zero-width condition on the neighbours of a position.
#[derive(Debug, Clone)]
pub struct Condition {
    pub before: Side,
    pub after: Side,
}

impl Condition {
    pub fn before(side: Side) -> Self {
        Condition { before: side, after: Side::anything() }
    }

    pub fn after(side: Side) -> Self {
        Condition { before: Side::anything(), after: side }
    }
}

#[derive(Debug, Clone)]
pub enum Node {
    Empty,
    /// One character of the set. `folded` keeps the letter of a case-insensitive literal, because neighbours
    /// of such letters may fold together ("ss" and U+00DF).
    Class {
        set: CharSet,
        folded: Option<char>,
    },
    /// Holds where any of the conditions holds.
    Look(Vec<Condition>),
    Concat(Vec<Node>),
    /// Alternatives in order of preference.
    Alternation(Vec<Node>),
    Repeat {
        body: Box<Node>,
        min: u32,
        max: Option<u32>,
        greedy: bool,
    },
    /// Once matched, never tried another way.
    Atomic(Box<Node>),
}

impl Node {
    pub fn class(set: CharSet) -> Self {
        Node::Class { set, folded: None }
    }

    pub fn concat(mut nodes: Vec<Node>) -> Self {
        match nodes.len() {
            0 => Node::Empty,
            1 => nodes.remove(0),
            _ => Node::Concat(nodes),
        }
    }

    /// Whether the node can match the empty string.
    pub fn nullable(&self) -> bool {
        match self {
            Node::Empty | Node::Look(_) => true,
            Node::Class { .. } => false,
            Node::Concat(nodes) => nodes.iter().all(Node::nullable),
            Node::Alternation(nodes) => nodes.iter().any(Node::nullable),
            Node::Repeat { body, min, .. } => *min == 0 || body.nullable(),
            Node::Atomic(body) => body.nullable(),
        }
    }

    /// The set, if the node always consumes exactly one character of a set.
    pub fn as_class(&self) -> Option<CharSet> {
        match self {
            Node::Class { set, .. } => Some(set.clone()),
            Node::Alternation(nodes) => {
                let mut union = CharSet::empty();
                for node in nodes {
                    union.union(&node.as_class()?);
                }
                Some(union)
            }
            Node::Atomic(body) => body.as_class(),
            Node::Repeat { body, min: 1, max: Some(1), .. } => body.as_class(),
            _ => None,
        }
    }

    /// What a look-ahead with this body asks of the next character, if it asks about one character only.
    pub fn as_next(&self) -> Option<Side> {
        match self {
            Node::Alternation(nodes) => {
                let mut union = Side { chars: CharSet::empty(), edge: false };
                for node in nodes {
                    let side = node.as_next()?;
                    union.chars.union(&side.chars);
                    union.edge |= side.edge;
                }
                Some(union)
            }
            Node::Look(conditions) => {
                let mut union = Side { chars: CharSet::empty(), edge: false };
                for condition in conditions {
                    if !condition.before.edge || condition.before.chars != set::any() {
                        return None;
                    }
                    union.chars.union(&condition.after.chars);
                    union.edge |= condition.after.edge;
                }
                Some(union)
            }
            _ => self.as_class().map(Side::of),
        }
    }
}
