//! Numbers of units on their way to tokens: where the sum in front of them is near enough to zero, their ids are theirs; a unit that
//! is farther off is searched from the very sum, which is added up then.

use std::ops::Range;

use super::super::SentencePieceModel;
use super::super::added::{AddUp, SEAL};
use super::super::unigram::ScoredPieces;
use super::seal::Seal;
use super::{STEPS, SumScratch, Sums};
use crate::error::Result;
use crate::ids::TokenId;
use crate::lanes::kept::{MANY, Unknown};
use crate::lanes::vectors::{Level, Task, Vectors};

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

/// The tokens of a text as they come.
#[derive(Debug)]
pub(crate) struct Settled<'t> {
    pub ids: &'t mut Vec<TokenId>,
    /// How many characters each unknown token of the text stands for, in order; only where that is asked for.
    pub runs: Option<&'t mut Vec<u32>>,
}

impl Settled<'_> {
    /// Notes so many unknown characters, which may go on with those of the token before.
    #[inline(always)]
    fn note(&mut self, characters: u32, go_on: bool) {
        let Some(runs) = &mut self.runs else { return };
        match runs.last_mut() {
            Some(last) if go_on => *last += characters,
            _ => runs.push(characters),
        }
    }
}

/// Hands over the text of a unit by its number.
pub(crate) type UnitText<'u> = &'u mut dyn FnMut(usize, &mut dyn FnMut(&str) -> Result<()>) -> Result<()>;

impl SentencePieceModel {
    /// Settles the numbers of some units of a text, which begin at a place of those of the whole text: appends their tokens.
    /// `unit` hands over the text of one of them, as the model reads it.
    pub(crate) fn settle(
        &self,
        sums: &Sums,
        progress: &mut Progress,
        (numbers, from): (&[u32], usize),
        scratch: &mut SumScratch,
        unit: UnitText<'_>,
        out: &mut Settled<'_>,
    ) -> Result<()> {
        let Some(scored) = self.unigram() else { return Ok(()) };
        let settle = Settle { model: self, scored, sums, progress, numbers, from, scratch, unit, out };
        Level::best().run(settle)
    }

    /// The same for some units, of which some may have to be searched.
    #[cold]
    #[allow(clippy::too_many_arguments)]
    fn settle_one_by_one(
        &self,
        model: &ScoredPieces,
        sums: &Sums,
        progress: &mut Progress,
        (numbers, range): (&[u32], Range<usize>),
        scratch: &mut SumScratch,
        unit: UnitText<'_>,
        out: &mut Settled<'_>,
    ) -> Result<()> {
        let mut start = range.start;
        let seals = range.filter(|&at| numbers[at] >= SEAL);
        for (number, at) in seals.enumerate() {
            let seal = Seal(numbers[at]);
            if progress.bound as i32 <= seal.limit() {
                progress.bound += seal.moved();
                numbers[start..at].iter().for_each(|&number| progress.emit(number, sums, out));
            } else {
                let numbers = &numbers[progress.known..start];
                let mut sum = Level::best().run(AddUp { scores: sums.scores(), numbers, sum: progress.sum });
                let SumScratch { window, ids, .. } = scratch;
                ids.clear();
                unit(number, &mut |text| {
                    sum = model.search(text, &self.pieces, sum, window, |_, _, id| ids.push(id))?;
                    Ok(())
                })?;
                ids.iter().for_each(|&id| progress.emit(id, sums, out));
                progress.sum = sum;
                progress.known = at + 1;
                progress.bound = bound_of(sum);
            }
            start = at + 1;
        }
        Ok(())
    }
}

/// How far from zero a sum is at most, in parts of [`STEPS`]: beyond all limits if it is infinite or no number.
fn bound_of(sum: f32) -> u32 {
    const FAR: u32 = 1 << 30;
    let parts = sum.abs() * STEPS;
    if parts < FAR as f32 { parts as u32 + 1 } else { FAR }
}

/// The numbers of units on their way to tokens.
struct Settle<'s, 'u, 'o> {
    model: &'s SentencePieceModel,
    scored: &'s ScoredPieces,
    sums: &'s Sums,
    progress: &'s mut Progress,
    numbers: &'s [u32],
    from: usize,
    scratch: &'s mut SumScratch,
    unit: UnitText<'u>,
    out: &'s mut Settled<'o>,
}

impl Task for Settle<'_, '_, '_> {
    type Output = Result<()>;

    #[inline(always)]
    fn run<V: Vectors>(self, vectors: V) -> Result<()> {
        let Settle { model, scored, sums, progress, numbers, from, scratch, unit, out } = self;
        let mut units = 0;
        let mut start = from;
        while start < numbers.len() {
            let rest = &numbers[start..];
            let portion = sums.portion(rest);
            let look = sums.look(portion);
            if progress.bound.saturating_add(look.moved) as i32 <= look.least_limit {
                progress.bound += look.moved;
                progress.take(vectors, portion, look.has_unknown, sums, out);
            } else {
                model.settle_one_by_one(
                    scored,
                    sums,
                    progress,
                    (numbers, start..start + portion.len()),
                    scratch,
                    &mut |number, search| unit(units + number, search),
                    out,
                )?;
            }
            units += look.units;
            start += portion.len();
        }
        Ok(())
    }
}

/// Numbers that are looked at together.
const PORTION: usize = 64;

/// What some units come to.
#[derive(Debug, Clone, Copy)]
struct Look {
    units: usize,
    moved: u32,
    least_limit: i32,
    has_unknown: bool,
}

impl Progress {
    /// Appends what a number says; unknown neighbours are one.
    #[inline(always)]
    fn emit(&mut self, number: u32, sums: &Sums, out: &mut Settled<'_>) {
        let is_unknown = sums.is_unknown(number);
        if is_unknown {
            out.note(sums.unknown_characters(number), self.after_unknown);
        }
        if !(is_unknown && self.after_unknown) {
            out.ids.push(if is_unknown { sums.unk } else { number });
        }
        self.after_unknown = is_unknown;
    }

    /// Takes the seals off some units.
    #[inline(always)]
    fn take<V: Vectors>(
        &mut self,
        vectors: V,
        numbers: &[u32],
        has_unknown: bool,
        sums: &Sums,
        out: &mut Settled<'_>,
    ) {
        let start = out.ids.len();
        // As many are written at once wherever they begin.
        out.ids.resize(start + numbers.len() + MANY, 0);
        let room = &mut out.ids[start..];
        let mut written = 0;
        let (sixteens, few) = numbers.as_chunks();
        for sixteen in sixteens {
            let Some(room) = room[written..].first_chunk_mut() else { break };
            written += vectors.below(sixteen, SEAL, room);
        }
        for &number in few {
            room[written] = number;
            written += usize::from(number < SEAL);
        }
        if !has_unknown {
            self.after_unknown &= written == 0;
            out.ids.truncate(start + written);
            return;
        }
        if out.runs.is_some() {
            self.note_unknown(numbers, sums, out);
        }
        let room = &mut out.ids[start..];
        let unknown = Unknown { id: sums.unk, from: sums.size };
        let mut kept = 0;
        for first in (0..written).step_by(MANY) {
            // What is written lies before what is read.
            let Some(&sixteen) = room[first..].first_chunk() else { break };
            let Some(room) = room[kept..].first_chunk_mut() else { break };
            kept += vectors.rows(&sixteen, MANY.min(written - first), unknown, &mut self.after_unknown, room);
        }
        out.ids.truncate(start + kept);
    }

    /// Notes how many unknown characters there are in a row.
    #[inline(never)]
    fn note_unknown(self, numbers: &[u32], sums: &Sums, out: &mut Settled<'_>) {
        let mut after_unknown = self.after_unknown;
        for &number in numbers.iter().filter(|&&number| number < SEAL) {
            let is_unknown = sums.is_unknown(number);
            if is_unknown {
                out.note(sums.unknown_characters(number), after_unknown);
            }
            after_unknown = is_unknown;
        }
    }
}

impl Sums {
    /// The first units of some: few, and whole ones.
    #[inline(always)]
    fn portion<'n>(&self, numbers: &'n [u32]) -> &'n [u32] {
        let is_seal = |&number: &u32| number >= SEAL;
        let few = &numbers[..numbers.len().min(PORTION)];
        match few.iter().rposition(is_seal) {
            Some(last) => &few[..=last],
            None => &numbers[..numbers.iter().position(is_seal).map_or(numbers.len(), |last| last + 1)],
        }
    }

    /// Looks at units without a branch for each.
    #[inline(always)]
    fn look(&self, numbers: &[u32]) -> Look {
        let (mut units, mut moved, mut least_limit, mut unknown) = (0, 0, i32::MAX, 0);
        let size = self.size;
        for &number in numbers {
            let is_seal = number >> 23;
            let seal = Seal(number);
            units += is_seal;
            moved += seal.moved() & is_seal.wrapping_neg();
            least_limit = least_limit.min(if is_seal == 1 { seal.limit() } else { i32::MAX });
            unknown |= u32::from(number == self.unk) | u32::from(number >= size) & !is_seal;
        }
        Look { units: units as usize, moved, least_limit, has_unknown: unknown & 1 == 1 }
    }
}
