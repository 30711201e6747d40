//! The small tree that a pattern is parsed into, the same for every dialect.
//!
//! Everything that differs between engines (classes, case folding, anchors, possessive spellings) is already
//! resolved into sets here, so that the automaton needs to know one language only.

use std::sync::Arc;

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
    pub ahead: Option<Ahead>,
}

/// What a look-ahead asks of more than the next character: whether its body matches what follows, or does not.
#[derive(Debug, Clone)]
pub struct Ahead {
    pub body: Arc<Node>,
    pub wanted: bool,
}

impl Condition {
    pub fn before(side: Side) -> Self {
        Condition { before: side, after: Side::anything(), ahead: None }
    }

    pub fn after(side: Side) -> Self {
        Condition { before: Side::anything(), after: side, ahead: None }
    }

    pub fn ahead(body: Node, wanted: bool) -> Self {
        let ahead = Some(Ahead { body: Arc::new(body), wanted });
        Condition { before: Side::anything(), after: Side::anything(), ahead }
    }

    /// Holds where this does not: any of them does.
    fn opposite(&self) -> Vec<Condition> {
        let ahead = self.ahead.as_ref().map(|Ahead { body, wanted }| Condition {
            before: Side::anything(),
            after: Side::anything(),
            ahead: Some(Ahead { body: body.clone(), wanted: !wanted }),
        });
        let sides = [Self::before(self.before.opposite()), Self::after(self.after.opposite())];
        sides.into_iter().chain(ahead).collect()
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

    /// What holds exactly where this node does not match, if it consumes nothing.
    fn denied(&self) -> Option<Node> {
        let all = |nodes: &[Node]| nodes.iter().map(Node::denied).collect::<Option<Vec<_>>>();
        match self {
            // Where any would do, none may hold.
            Node::Look(conditions) => {
                Some(Node::concat(conditions.iter().map(|one| Node::Look(one.opposite())).collect()))
            }
            Node::Alternation(nodes) => Some(Node::concat(all(nodes)?)),
            Node::Concat(nodes) => Some(Node::Alternation(all(nodes)?)),
            Node::Atomic(body) => body.denied(),
            _ => None,
        }
    }

    /// A pattern that consumes nothing cuts a text where it matches. This is the one whose matches are the pieces.
    pub fn as_pieces(&self) -> Option<Node> {
        let any = || Node::class(set::any());
        let more = Node::concat(vec![self.denied()?, any()]);
        Some(Node::concat(vec![
            any(),
            Node::Repeat { body: Box::new(more), min: 0, max: None, greedy: true },
        ]))
    }

    /// Whether some look-ahead asks about more than the next character.
    pub fn looks_far(&self) -> bool {
        match self {
            Node::Empty | Node::Class { .. } => false,
            Node::Look(conditions) => conditions.iter().any(|condition| condition.ahead.is_some()),
            Node::Concat(nodes) | Node::Alternation(nodes) => nodes.iter().any(Node::looks_far),
            Node::Repeat { body, .. } | Node::Atomic(body) => body.looks_far(),
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
                    let is_of_next = condition.before.edge
                        && condition.before.chars == set::any()
                        && condition.ahead.is_none();
                    if !is_of_next {
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
