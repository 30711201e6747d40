//! SentencePiece's Unigram arithmetic.
//!
//! Scores are 32-bit. The best-path encoder adds in 64 bits, compares with the rounded best so far and
//! stores rounded, so a candidate that rounds to the same number can still replace the best. An unknown
//! character is added in 32 bits. The lattice (n-best, sampling) adds in 32 bits throughout; its best path
//! can differ from the encoder's.
//!
//! User-defined symbols get a bonus that grows with their length (in bytes in the encoder, in characters
//! in the lattice), so that they always win. Unused pieces do not exist here.

use std::cell::RefCell;

use super::pieces::PieceTable;
use crate::error::{Error, Result};
use crate::model::unigram::lattice::{Agenda, Lattice};
use crate::model::unigram::viterbi::{Scoring, Window, best_path};
use crate::spec::PieceKind;

const UNKNOWN_PENALTY: f32 = 10.0;
pub(super) const AGENDA: Agenda = Agenda { limit: 10_000 };

thread_local! {
    static WINDOW: RefCell<Window<f32>> = RefCell::default();
}

#[derive(Debug)]
pub(super) struct ScoredPieces {
    /// Score of each piece; NaN marks user-defined symbols. (A model with a NaN is refused.)
    scores: Vec<f32>,
    unused: Vec<bool>,
    highest: f32,
    unknown: f32,
}

impl ScoredPieces {
    pub(super) fn new(pieces: &PieceTable) -> Result<Self> {
        if pieces.ordinary_pieces().next().is_none() {
            return Err(Error::model("the model has no piece to segment with: it needs one of kind normal"));
        }
        let mut lowest = f32::MAX;
        // Not the lowest number but the smallest positive one: so it is for SentencePiece.
        let mut highest = f32::MIN_POSITIVE;
        for piece in pieces.all().iter().filter(|piece| piece.kind == PieceKind::Normal) {
            lowest = lowest.min(piece.score);
            highest = highest.max(piece.score);
        }
        let score = |piece: &crate::spec::SentencePiece| match piece.kind {
            PieceKind::UserDefined => f32::NAN,
            _ => piece.score,
        };
        Ok(ScoredPieces {
            scores: pieces.all().iter().map(score).collect(),
            unused: pieces.all().iter().map(|piece| piece.kind == PieceKind::Unused).collect(),
            highest,
            unknown: lowest - UNKNOWN_PENALTY,
        })
    }

    fn symbol_score(&self, length: usize) -> f64 {
        (length as f32 * self.highest) as f64 - 0.1
    }

    /// The best segmentation.
    pub(super) fn segment(&self, text: &str, pieces: &PieceTable, edge: impl FnMut(usize, usize, u32)) {
        // With an unknown id the search never fails.
        let _ = WINDOW.with_borrow_mut(|window| {
            best_path(text, pieces.ordinary(), self, Some(pieces.unk_id()), window, edge)
        });
    }

    pub(super) fn lattice(&self, text: &str, pieces: &PieceTable) -> Lattice<f32> {
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
                    score = self.symbol_score(text[start..end].chars().count()) as f32;
                }
                edges.push((start, end, id, score));
                covered |= length == c.len_utf8();
            });
            if !covered {
                edges.push((start, start + c.len_utf8(), pieces.unk_id(), self.unknown));
            }
        }
        Lattice::new(text.len(), edges)
    }
}

impl Scoring for ScoredPieces {
    type Stored = f32;
    type Wide = f64;

    #[inline]
    fn with_piece(&self, id: u32, bytes: usize, before: f32) -> Option<f64> {
        if self.unused[id as usize] {
            return None;
        }
        let score = self.scores[id as usize];
        let score = if score.is_nan() { self.symbol_score(bytes) } else { score as f64 };
        Some(score + before as f64)
    }

    #[inline]
    fn with_unknown(&self, before: f32) -> f64 {
        (self.unknown + before) as f64
    }

    #[inline]
    fn is_better(candidate: f64, best: f32) -> bool {
        candidate > best as f64
    }

    #[inline]
    fn store(candidate: f64) -> f32 {
        candidate as f32
    }
}
