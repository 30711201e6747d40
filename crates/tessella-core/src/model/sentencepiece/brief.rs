//! The best segmentation of a short unit, and whether a sum in front of it can change that: what
//! [`margins`](super::margins) tell of any stretch, for those that are keys, with blanks for marks.
//!
//! Such units come for the first time by the thousand. Their nodes lie side by side in places whose number is known,
//! and nothing is written but ids.

use super::margins::{SLACK, limit};
use crate::ids::TokenId;
use crate::lanes::Key;
use crate::model::unigram::arrivals::NONE;
use crate::model::unigram::viterbi::char_width;
use crate::trie::{Cursor, Trie};

/// The boundaries of a unit.
const NODES: usize = Key::LONGEST + 1;
/// What a blank stands for.
const MARK: [u8; 3] = *b"\xE2\x96\x81";

/// Finds segmentations of short units.
pub(super) struct Brief<'m> {
    trie: &'m Trie,
    /// By id, what a piece adds to a sum; less than anything for one that may not be used.
    worth: &'m [f32],
    /// The largest of them, without its sign.
    most_worth: f64,
    unknown: TokenId,
    blank: u8,
    /// Where the mark leads from the root.
    mark: Option<(Cursor, u32)>,
}

/// The best segmentation of a unit.
#[derive(Debug)]
pub(super) struct Best {
    ids: [TokenId; NODES],
    /// The ids are the last ones.
    first: usize,
    /// How far from zero a sum in front may be; below zero if nothing is known even of zero.
    pub limit: f32,
}

impl Best {
    pub fn ids(&self) -> &[TokenId] {
        &self.ids[self.first..]
    }
}

impl<'m> Brief<'m> {
    /// With what pieces add to a sum, by id and the largest without its sign.
    pub fn new(trie: &'m Trie, (worth, most_worth): (&'m [f32], f64), unknown: TokenId, blank: u8) -> Self {
        let mut brief = Brief { trie, worth, most_worth, unknown, blank, mark: None };
        brief.mark = brief.step_mark(trie.root());
        brief
    }

    #[inline(never)]
    fn step_mark(&self, mut cursor: Cursor) -> Option<(Cursor, u32)> {
        let mut value = Trie::VALUES;
        for byte in MARK {
            value = self.trie.step_to_number(&mut cursor, byte)?;
        }
        Some((cursor, value))
    }

    #[inline(always)]
    fn step(&self, mut cursor: Cursor, byte: u8) -> Option<(Cursor, u32)> {
        if byte == self.blank {
            return self.step_mark(cursor);
        }
        let value = self.trie.step_to_number(&mut cursor, byte)?;
        Some((cursor, value))
    }

    /// Of a unit that is a key.
    pub fn solve(&self, unit: Key) -> Best {
        let (bytes, length) = (unit.bytes(), unit.len().min(Key::LONGEST));
        let mut nodes = [NONE; NODES];
        let mut chars = [0u8; NODES];
        nodes[0].best = 0.0;
        let none = self.worth.len().saturating_sub(1);
        let mut largest = 0f64;
        let mut at = 0;
        let mut count = 0;
        while at < length {
            let first = bytes[at];
            let width = char_width(first).min(length - at);
            chars[at] = count;
            let before = nodes[at].best;
            largest = largest.max(before.abs());
            let mut covered = false;
            let mut here = if first == self.blank { self.mark } else { self.step(self.trie.root(), first) };
            let mut end = at + 1;
            while let Some((cursor, id)) = here {
                // What is no piece adds what is less than anything.
                let score = f64::from(self.worth[(id as usize).min(none)]);
                covered |= end - at == width && score > f64::NEG_INFINITY;
                nodes[end % NODES].take(before + score, id, at);
                if end >= length {
                    break;
                }
                here = self.step(cursor, bytes[end % NODES]);
                end += 1;
            }
            if !covered {
                let sum = before + f64::from(self.worth[self.unknown as usize]);
                nodes[at + width].take(sum, self.unknown, at);
            }
            at += width;
            count += 1;
        }
        chars[at] = count;

        let mut found = Best { ids: [0; NODES], first: NODES, limit: 0.0 };
        let mut margin = f64::INFINITY;
        largest = largest.max(nodes[at].best.abs());
        while at > 0 {
            let node = &nodes[at];
            margin = margin.min((node.best - node.second - SLACK) / f64::from(chars[at]));
            found.first -= 1;
            found.ids[found.first] = node.id;
            at = node.from as usize;
        }
        // No sum is farther from zero than that of a boundary and one piece.
        found.limit = limit(margin, largest + self.most_worth);
        found
    }
}
