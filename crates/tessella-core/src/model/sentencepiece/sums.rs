//! A Unigram model for the units of a text, which go by the hundred: what a unit becomes, as numbers, and when it does.
//!
//! A unit becomes the same pieces wherever the sum in front of it is near enough to zero ([`margins`](super::margins)).
//! That goes with its pieces into one list of numbers of 24 bits: the ids, and behind them a *seal* with two things, how
//! far from zero the sum may be and by how much the unit moves it. Both are rounded to the safe side.

use super::margins::Margins;
use super::unigram::ScoredPieces;
use super::{Algorithm, SentencePieceModel};
use crate::error::Result;
use crate::ids::TokenId;
use crate::lanes::Boundaries;
use crate::model::unigram::viterbi::Window;

/// Numbers from here on are seals; ids are below.
const SEAL: u32 = 1 << 23;
/// Bits of a seal that say by how much a sum is moved, in parts of [`STEPS`].
const MOVED_BITS: u32 = 15;
const MOST_MOVED: u32 = (1 << MOVED_BITS) - 1;
/// Parts of one that sums are bounded in.
const STEPS: f32 = 16.0;
/// Limits are told in multiples of this many whole ones.
const LIMIT_STEP: f32 = 512.0;
/// Longer units are not solved on their own.
const LONGEST_SOLVED: usize = 1 << 12;

/// The model's part in it, shared by all workers.
#[derive(Debug)]
pub(crate) struct Sums {
    pub boundaries: Boundaries,
    /// What each piece adds to a sum.
    worth: Vec<f32>,
    unk: TokenId,
}

/// Buffers of one worker.
#[derive(Debug, Default)]
pub(crate) struct SumScratch {
    margins: Margins,
    window: Window<f32>,
    ids: Vec<TokenId>,
}

/// How far a text has come.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Progress {
    /// The sum that was known last, and behind how many numbers of the text.
    sum: f32,
    known: usize,
    /// Not below the distance of the sum from zero, in parts of [`STEPS`].
    bound: u32,
    after_unknown: bool,
}

/// Hands over the text of a unit by its number.
pub(crate) type UnitText<'u> = &'u mut dyn FnMut(usize, &mut dyn FnMut(&str) -> Result<()>) -> Result<()>;

impl SentencePieceModel {
    /// Whether a Unigram model is at work.
    pub(crate) fn sums_scores(&self) -> bool {
        self.unigram().is_some()
    }

    /// For texts in which `read.0` stands for `read.1`; an error says why the model goes another way.
    pub(crate) fn sums(&self, read: (u8, char)) -> std::result::Result<Sums, &'static str> {
        let Algorithm::Unigram(model) = &self.algorithm else {
            return Err("the model does not sum scores");
        };
        if !model.has_joints() || self.pieces.byte_ids().is_some() {
            return Err(
                "scores are not finite, sums are of 64 bits, or unknown characters are spelled in bytes",
            );
        }
        if self.size() >= SEAL as usize {
            return Err("the vocabulary is too large");
        }
        let (from, to) = read;
        let written = |c: char| if c == to { from as char } else { c };
        let texts = self.pieces.ordinary_pieces().map(|(_, piece)| piece.text.as_str());
        let pairs = texts.flat_map(|text| text.chars().zip(text.chars().skip(1)));
        let boundaries = Boundaries::new(pairs.map(|(left, right)| (written(left), written(right))));
        Ok(Sums {
            boundaries: boundaries.ok_or("too many characters are neighbours in pieces")?,
            worth: (0..)
                .zip(self.pieces.all())
                .map(|(id, piece)| model.worth(id, piece.text.len()))
                .collect(),
            unk: self.unk_id(),
        })
    }

    fn unigram(&self) -> Option<&ScoredPieces> {
        match &self.algorithm {
            Algorithm::Unigram(model) => Some(model),
            _ => None,
        }
    }

    /// Appends the numbers of a unit: ids, and a seal behind them.
    pub(crate) fn seal(&self, sums: &Sums, unit: &str, scratch: &mut SumScratch, numbers: &mut Vec<u32>) {
        let (Some(model), true) = (self.unigram(), unit.len() <= LONGEST_SOLVED) else {
            return numbers.push(SEAL);
        };
        let limit = model.solve(unit, &self.pieces, &mut scratch.margins);
        let parts = &scratch.margins.parts;
        let total: f32 = parts.iter().map(|part| sums.worth[part.id() as usize].abs()).sum();
        // Every addition errs by less than 1/128, that of this total included.
        let moved = ((total + parts.len() as f32 / 64.0) * STEPS).ceil() as u32 + 1;
        if limit < 0.0 || parts.is_empty() || moved > MOST_MOVED {
            return numbers.push(SEAL);
        }
        let limit = (limit / LIMIT_STEP) as u32 + 1;
        numbers.extend(parts.iter().map(|part| part.id()));
        numbers.push(SEAL | limit << MOVED_BITS | moved);
    }

    /// Settles the numbers of some units of a text, which begin at a place of those of the whole text: appends their tokens.
    /// `unit` hands over the text of one of them, as the model reads it.
    pub(crate) fn settle(
        &self,
        sums: &Sums,
        progress: &mut Progress,
        (numbers, from): (&[u32], usize),
        scratch: &mut SumScratch,
        unit: UnitText<'_>,
        out: &mut Vec<TokenId>,
    ) -> Result<()> {
        let before = out.len();
        if let Some(then) = sums.settle_all(*progress, &numbers[from..], out) {
            *progress = then;
            return Ok(());
        }
        out.truncate(before);
        let Some(model) = self.unigram() else { return Ok(()) };
        let mut start = from;
        let seals = (from..numbers.len()).filter(|&at| numbers[at] >= SEAL);
        for (number, at) in seals.enumerate() {
            let seal = Seal(numbers[at]);
            if progress.bound as i32 <= seal.limit() {
                progress.bound += seal.moved();
                numbers[start..at].iter().for_each(|&id| progress.emit(id, sums.unk, out));
            } else {
                let known = numbers[progress.known..start].iter().filter(|&&number| number < SEAL);
                let sum = known.fold(progress.sum, |sum, &id| sum + sums.worth[id as usize]);
                let SumScratch { window, ids, .. } = scratch;
                ids.clear();
                let mut sum = sum;
                unit(number, &mut |text| {
                    sum = model.search(text, &self.pieces, sum, window, |_, _, id| ids.push(id))?;
                    Ok(())
                })?;
                ids.iter().for_each(|&id| progress.emit(id, sums.unk, out));
                progress.sum = sum;
                progress.known = at + 1;
                progress.bound = (sum.abs() * STEPS) as u32 + 1;
            }
            start = at + 1;
        }
        Ok(())
    }
}

/// A number behind the ids of a unit.
#[derive(Debug, Clone, Copy)]
struct Seal(u32);

impl Seal {
    /// How far from zero the sum in front may be, in parts of [`STEPS`]; below zero if it is never near enough.
    #[inline(always)]
    fn limit(self) -> i32 {
        ((self.0 & (SEAL - 1)) >> MOVED_BITS) as i32 * Self::STEP - Self::STEP
    }

    const STEP: i32 = (LIMIT_STEP * STEPS) as i32;

    #[inline(always)]
    fn moved(self) -> u32 {
        self.0 & MOST_MOVED
    }
}

impl Progress {
    /// Appends a token; unknown neighbours are one.
    #[inline(always)]
    fn emit(&mut self, id: TokenId, unk: TokenId, out: &mut Vec<TokenId>) {
        let is_unknown = id == unk;
        if !(is_unknown && self.after_unknown) {
            out.push(id);
        }
        self.after_unknown = is_unknown;
    }
}

impl Sums {
    /// Takes the seals off, and all units as they are; `None` if some sum may be too far from zero.
    #[inline]
    fn settle_all(
        &self,
        mut progress: Progress,
        numbers: &[u32],
        out: &mut Vec<TokenId>,
    ) -> Option<Progress> {
        let start = out.len();
        out.resize(start + numbers.len() + 1, 0);
        let room = &mut out[start..];
        let mut written = 0;
        let mut after = u32::from(progress.after_unknown);
        let mut bound = progress.bound;
        let mut fails = false;
        // No branch hangs on what a number is.
        for &number in numbers {
            let is_seal = number >> 23;
            let seal = Seal(number);
            fails |= is_seal == 1 && bound as i32 > seal.limit();
            bound += seal.moved() & is_seal.wrapping_neg();
            let is_unknown = u32::from(number == self.unk);
            room[written] = number;
            written += ((is_seal | is_unknown & after) ^ 1) as usize;
            after = is_seal & after | (is_seal ^ 1) & is_unknown;
        }
        out.truncate(start + written);
        progress.bound = bound;
        progress.after_unknown = after == 1;
        (!fails).then_some(progress)
    }
}
