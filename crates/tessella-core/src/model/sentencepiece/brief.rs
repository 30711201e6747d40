//! The best segmentation of a short unit, and whether a sum in front of it can change that: what
//! [`margins`](super::margins) tell of any stretch, for those that are keys, with blanks for marks.
//!
//! Such units come for the first time by the thousand. Their nodes lie side by side in places whose number is known,
//! and nothing is written but ids.

use super::margins::{SLACK, limit};
use crate::ids::TokenId;
use crate::lanes::Key;
use crate::model::unigram::viterbi::char_width;
use crate::trie::{Cursor, Trie};

/// The boundaries of a unit.
const NODES: usize = Key::LONGEST + 1;
/// What a blank stands for.
const MARK: [u8; 3] = *b"\xE2\x96\x81";

/// Finds segmentations of short units.
pub(super) struct Brief<'m> {
    trie: &'m Trie,
    /// By id, what a piece adds to a sum; NaN for one that may not be used.
    worth: &'m [f32],
    unknown: TokenId,
    blank: u8,
    /// Where the mark leads from the root.
    mark: Option<(Cursor, Option<u32>)>,
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
    pub fn new(trie: &'m Trie, worth: &'m [f32], unknown: TokenId, blank: u8) -> Self {
        let mut brief = Brief { trie, worth, unknown, blank, mark: None };
        brief.mark = brief.step_mark(trie.root());
        brief
    }

    fn step_mark(&self, mut cursor: Cursor) -> Option<(Cursor, Option<u32>)> {
        let mut value = None;
        for byte in MARK {
            value = self.trie.step(&mut cursor, byte)?;
        }
        Some((cursor, value))
    }

    #[inline(always)]
    fn step(&self, mut cursor: Cursor, byte: u8) -> Option<(Cursor, Option<u32>)> {
        if byte == self.blank {
            return self.step_mark(cursor);
        }
        let value = self.trie.step(&mut cursor, byte)?;
        Some((cursor, value))
    }

    /// Of a unit that is a key.
    pub fn solve(&self, unit: &[u8]) -> Best {
        let unit = &unit[..unit.len().min(Key::LONGEST)];
        let mut best = [f64::NEG_INFINITY; NODES];
        let mut second = [f64::NEG_INFINITY; NODES];
        let mut came = [(0, 0u8); NODES];
        let mut chars = [0u8; NODES];
        best[0] = 0.0;
        let mut largest = 0f64;
        let mut at = 0;
        let mut count = 0;
        while at < unit.len() {
            let first = unit[at];
            let width = char_width(first).min(unit.len() - at);
            chars[at] = count;
            let before = best[at];
            let mut covered = false;
            let mut arrive = |end: usize, id: TokenId, score: f32| {
                let sum = before + f64::from(score);
                largest = largest.max(sum.abs());
                if sum > best[end] {
                    second[end] = best[end];
                    best[end] = sum;
                    came[end] = (id, at as u8);
                } else {
                    second[end] = second[end].max(sum);
                }
            };
            let mut here = if first == self.blank { self.mark } else { self.step(self.trie.root(), first) };
            let mut end = at + 1;
            while let Some((cursor, value)) = here {
                if let Some(id) = value {
                    let score = self.worth[id as usize];
                    if !score.is_nan() {
                        covered |= end - at == width;
                        arrive(end, id, score);
                    }
                }
                here = match unit.get(end) {
                    Some(&byte) => self.step(cursor, byte),
                    None => None,
                };
                end += 1;
            }
            if !covered {
                arrive(at + width, self.unknown, self.worth[self.unknown as usize]);
            }
            at += width;
            count += 1;
        }
        chars[at] = count;

        let mut found = Best { ids: [0; NODES], first: NODES, limit: 0.0 };
        let mut margin = f64::INFINITY;
        while at > 0 {
            margin = margin.min((best[at] - second[at] - SLACK) / f64::from(chars[at]));
            let (id, from) = came[at];
            found.first -= 1;
            found.ids[found.first] = id;
            at = usize::from(from);
        }
        found.limit = limit(margin, largest);
        found
    }
}
