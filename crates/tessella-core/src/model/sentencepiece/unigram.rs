//! SentencePiece's Unigram arithmetic.
//!
//! Scores are 32-bit and every sum is rounded, so a piece can be worth its place in one sentence and not in
//! another: sentences are never cut for speed, and scores are never reset.
//!
//! A user-defined symbol is worth a tenth for every byte but the first (in n-best lists and sampling: for
//! every character but the first), so that it wins against pieces, whose scores are negative. Unused pieces
//! do not exist here.

use std::cell::RefCell;

use super::pieces::PieceTable;
use crate::error::{Error, Result};
use crate::model::unigram::lattice::{Agenda, Bounds, Lattice};
use crate::model::unigram::viterbi::{Scoring, Window, best_path};
use crate::spec::PieceKind;

const UNKNOWN_PENALTY: f32 = 10.0;
/// The bounds of SentencePiece's own search. How long it may take is said by the caller.
pub(super) const AGENDA: Agenda =
    Agenda { limit: 10_000, bounds: Some(Bounds { added: 100_000, total: 500_000, cuts: 10, time: None }) };

thread_local! {
    static WINDOW: RefCell<Window<f32>> = RefCell::default();
}

#[derive(Debug)]
pub(super) struct ScoredPieces {
    /// Score of each piece; NaN marks user-defined symbols. (A model with a NaN is refused.)
    scores: Vec<f32>,
    unused: Vec<bool>,
    unknown: f32,
}

impl ScoredPieces {
    pub(super) fn new(pieces: &PieceTable) -> Result<Self> {
        if pieces.ordinary_pieces().next().is_none() {
            return Err(Error::model("the model has no piece to segment with: it needs one of kind normal"));
        }
        let mut lowest = f32::MAX;
        for piece in pieces.all().iter().filter(|piece| piece.kind == PieceKind::Normal) {
            lowest = lowest.min(piece.score);
        }
        let score = |piece: &crate::spec::SentencePiece| match piece.kind {
            PieceKind::UserDefined => f32::NAN,
            _ => piece.score,
        };
        Ok(ScoredPieces {
            scores: pieces.all().iter().map(score).collect(),
            unused: pieces.all().iter().map(|piece| piece.kind == PieceKind::Unused).collect(),
            unknown: lowest - UNKNOWN_PENALTY,
        })
    }

    /// The best segmentation.
    pub(super) fn segment(&self, text: &str, pieces: &PieceTable, edge: impl FnMut(usize, usize, u32)) {
        // With an unknown id the search never fails.
        let _ = WINDOW.with_borrow_mut(|window| {
            best_path(text, pieces.ordinary(), self, Some(pieces.unk_id()), window, edge)
        });
    }

    pub(super) fn lattice(&self, text: &str, pieces: &PieceTable) -> Lattice<f32> {
        Lattice::new(text.len(), self.edges(text, pieces))
    }

    /// All pieces that fit into a text, with their scores.
    pub(super) fn edges(&self, text: &str, pieces: &PieceTable) -> Vec<(usize, usize, u32, f32)> {
        let bytes = text.as_bytes();
        let mut edges = Vec::new();
        for (start, c) in text.char_indices() {
            let mut covered = false;
            pieces.ordinary().prefixes(&bytes[start..], |length, id| {
                if self.unused[id as usize] {
                    return;
                }
                let end = start + length;
                let mut score = self.scores[id as usize];
                if score.is_nan() {
                    score = symbol_score(text[start..end].chars().count());
                }
                edges.push((start, end, id, score));
                covered |= length == c.len_utf8();
            });
            if !covered {
                edges.push((start, start + c.len_utf8(), pieces.unk_id(), self.unknown));
            }
        }
        edges
    }
}

/// What a user-defined symbol of this length is worth.
fn symbol_score(length: usize) -> f32 {
    (0.1 * (length as f64 - 1.0)) as f32
}

impl Scoring for ScoredPieces {
    type Score = f32;

    #[inline]
    fn with_piece(&self, id: u32, bytes: usize, before: f32) -> Option<f32> {
        if self.unused[id as usize] {
            return None;
        }
        let score = self.scores[id as usize];
        let score = if score.is_nan() { symbol_score(bytes) } else { score };
        Some(score + before)
    }

    #[inline]
    fn with_unknown(&self, before: f32) -> f32 {
        self.unknown + before
    }

    #[inline]
    fn counted_from(&self, score: f32, base: f32) -> Option<f32> {
        (base < FARTHEST).then_some(score - base)
    }
}

/// Sums below this are counted from zero again, so that 32 bits keep their precision in long texts.
const FARTHEST: f32 = -100_000.0;
