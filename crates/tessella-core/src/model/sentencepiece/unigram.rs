//! SentencePiece's Unigram arithmetic.
//!
//! Scores are 32-bit and every sum is rounded, so a piece can be worth its place in one sentence and not in
//! another: what a stretch of a sentence became is used again only where the sum in front of it cannot change that
//! ([`margins`](super::margins)); else it is searched again, from the very sum that SentencePiece has there.
//!
//! A user-defined symbol is worth a tenth for every byte but the first (in n-best lists and sampling: for
//! every character but the first), so that it wins against pieces, whose scores are negative. Unused pieces
//! do not exist here.

use std::cell::RefCell;

use super::joints::Joints;
use super::margins::Margins;
use super::memo::{Memo, Stretch};
use super::pieces::PieceTable;
use crate::cancel::{Cancel, Watch};
use crate::error::Result;
use crate::model::unigram::lattice::{Agenda, Bounds, Lattice};
use crate::model::unigram::viterbi::{NoPath, Scoring, Window, best_path};
use crate::spec::PieceKind;

const UNKNOWN_PENALTY: f32 = 10.0;
/// The bounds of SentencePiece's own search. How long it may take is said by the caller.
pub(super) const AGENDA: Agenda =
    Agenda { limit: 10_000, bounds: Some(Bounds { added: 100_000, total: 500_000, cuts: 10, time: None }) };

thread_local! {
    static SCRATCH: RefCell<Scratch> = RefCell::default();
    static WIDE: RefCell<Window<f64>> = RefCell::default();
}

#[derive(Debug, Default)]
struct Scratch {
    window: Window<f32>,
    margins: Margins,
}

#[derive(Debug)]
pub(super) struct ScoredPieces {
    /// Score of each piece, and of what is unknown; NaN marks user-defined symbols. (A model with a NaN is refused.)
    scores: Vec<f32>,
    unused: Vec<bool>,
    unknown: f32,
    /// Where sentences fall apart into stretches; only where all scores are finite.
    pub(super) joints: Option<Joints>,
    /// The best segmentation is found by these instead.
    wide: Option<WideScores>,
}

/// llama.cpp's arithmetic: sums of 64 bits, to which a user-defined symbol adds nothing, and unused pieces are used.
#[derive(Debug)]
struct WideScores {
    scores: Vec<f64>,
    unknown: f64,
}

impl WideScores {
    fn new(pieces: &PieceTable, unknown: f32) -> Self {
        let score = |piece: &crate::spec::SentencePiece| match piece.kind {
            PieceKind::UserDefined => 0.0,
            _ => f64::from(piece.score),
        };
        WideScores { scores: pieces.all().iter().map(score).collect(), unknown: f64::from(unknown) }
    }
}

impl Scoring for WideScores {
    type Score = f64;

    #[inline]
    fn with_piece(&self, id: u32, _bytes: usize, before: f64) -> Option<f64> {
        Some(self.scores[id as usize] + before)
    }

    #[inline]
    fn with_unknown(&self, before: f64) -> f64 {
        self.unknown + before
    }
}

impl ScoredPieces {
    pub(super) fn new(pieces: &PieceTable, wide: bool) -> Self {
        let mut lowest = f32::MAX;
        for piece in pieces.all().iter().filter(|piece| piece.kind == PieceKind::Normal) {
            lowest = lowest.min(piece.score);
        }
        let score = |piece: &crate::spec::SentencePiece| match piece.kind {
            PieceKind::UserDefined => f32::NAN,
            _ => piece.score,
        };
        let mut scores: Vec<f32> = pieces.all().iter().map(score).collect();
        let unknown = lowest - UNKNOWN_PENALTY;
        // Its own score is that of a piece that is never in a text.
        scores[pieces.unk_id() as usize] = unknown;
        let used = || pieces.ordinary_pieces().filter(|(_, piece)| piece.kind != PieceKind::Unused);
        // What a stretch became is kept for sums of 32 bits.
        let finite = !wide && unknown.is_finite() && used().all(|(id, _)| !scores[id as usize].is_infinite());
        ScoredPieces {
            scores,
            unused: pieces.all().iter().map(|piece| piece.kind == PieceKind::Unused).collect(),
            unknown,
            joints: finite.then(|| Joints::new(used().map(|(_, piece)| piece.text.as_str()))),
            wide: wide.then(|| WideScores::new(pieces, unknown)),
        }
    }

    /// The best segmentation.
    pub(super) fn segment(
        &self,
        text: &str,
        pieces: &PieceTable,
        cancel: &Cancel,
        memo: Option<&mut Memo>,
        edge: impl FnMut(usize, usize, u32),
    ) -> Result<()> {
        if let Some(wide) = &self.wide {
            return WIDE.with_borrow_mut(|window| {
                match best_path(text, pieces.ordinary(), wide, Some(pieces.unk_id()), 0.0, window, edge) {
                    Err(NoPath::Stopped(error)) => Err(error),
                    // There is an unknown id.
                    Ok(_) | Err(NoPath::NoUnknown) => Ok(()),
                }
            });
        }
        SCRATCH.with_borrow_mut(|scratch| match (&self.joints, memo) {
            (Some(joints), Some(memo)) => {
                self.by_stretches(text, pieces, joints, memo, scratch, cancel.watch(), edge)
            }
            _ => self.search(text, pieces, 0.0, &mut scratch.window, edge).map(|_| ()),
        })
    }

    /// The best segmentation of a stretch on its own goes to `margins`, with how far from zero a sum in front may be.
    pub(super) fn solve(&self, stretch: &str, pieces: &PieceTable, margins: &mut Margins) -> f32 {
        let unknown = (pieces.unk_id(), self.unknown);
        let worth = |id, bytes| (!self.unused[id as usize]).then(|| self.worth(id, bytes));
        margins.solve(stretch.as_bytes(), pieces.ordinary(), unknown, worth)
    }

    /// The best segmentation of a text behind others that came to `sum`, and what they come to with it.
    pub(super) fn search(
        &self,
        text: &str,
        pieces: &PieceTable,
        sum: f32,
        window: &mut Window<f32>,
        edge: impl FnMut(usize, usize, u32),
    ) -> Result<f32> {
        match best_path(text, pieces.ordinary(), self, Some(pieces.unk_id()), sum, window, edge) {
            Ok(sum) => Ok(sum),
            Err(NoPath::Stopped(error)) => Err(error),
            // There is an unknown id.
            Err(NoPath::NoUnknown) => Ok(sum),
        }
    }

    /// As [`search`](Self::search) from zero on, stretch by stretch. No edge crosses the boundary of two stretches, so
    /// every path goes through it, and one sum is all that the second knows of the first.
    #[allow(clippy::too_many_arguments)]
    fn by_stretches(
        &self,
        text: &str,
        pieces: &PieceTable,
        joints: &Joints,
        memo: &mut Memo,
        Scratch { window, margins }: &mut Scratch,
        mut watch: Watch<'_>,
        mut edge: impl FnMut(usize, usize, u32),
    ) -> Result<()> {
        let bytes = text.as_bytes();
        let mut sum = 0f32;
        let mut at = 0;
        while at < bytes.len() {
            watch.step()?;
            let end = joints.end(bytes, at);
            let stretch = Stretch::new(bytes, at, end);
            let mut known = memo.get(&stretch).map(|known| (known.limit, known.parts));
            if known.is_none() && stretch.can_be_kept() {
                let limit = self.solve(&text[at..end], pieces, margins);
                memo.insert(&stretch, limit, &margins.parts);
                known = Some((limit, &margins.parts));
            }
            match known {
                Some((limit, parts)) if sum.abs() <= limit => {
                    let mut start = at;
                    for part in parts.iter().take_while(|part| part.bytes() > 0) {
                        sum += self.worth(part.id(), part.bytes());
                        edge(start, start + part.bytes(), part.id());
                        start += part.bytes();
                    }
                }
                _ => {
                    sum = self.search(&text[at..end], pieces, sum, window, |from, to, id| {
                        edge(at + from, at + to, id);
                    })?;
                }
            }
            at = end;
        }
        Ok(())
    }

    /// A text as it falls apart.
    #[cfg(test)]
    pub(super) fn stretches<'t>(&self, text: &'t str) -> Vec<&'t str> {
        let mut found = Vec::new();
        let mut at = 0;
        while let Some(joints) = &self.joints
            && at < text.len()
        {
            let end = joints.end(text.as_bytes(), at);
            found.push(&text[at..end]);
            at = end;
        }
        found
    }

    /// The score of a piece, or of what is unknown.
    #[inline]
    pub(super) fn worth(&self, id: u32, bytes: usize) -> f32 {
        let score = self.scores[id as usize];
        if score.is_nan() { symbol_score(bytes) } else { score }
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
        (!self.unused[id as usize]).then(|| self.worth(id, bytes) + before)
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
