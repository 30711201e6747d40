//! What a unit becomes as numbers: its ids, and a seal behind them that says where they hold.

use super::super::SentencePieceModel;
use super::super::added::SEAL;
use super::super::margins::{SLACK, limit};
use super::{LONGEST_SOLVED, STEPS, SumScratch, Sums};
use crate::error::Result;
use crate::ids::TokenId;
use crate::lanes::Key;
use crate::model::unigram::together::{Steps, Unit};

/// Bits of a seal that say by how much a sum is moved, in parts of [`STEPS`].
const MOVED_BITS: u32 = 15;
const MOST_MOVED: u32 = (1 << MOVED_BITS) - 1;
/// Limits are told in multiples of this many whole ones.
const LIMIT_STEP: f32 = 512.0;

/// A number behind the ids of a unit.
#[derive(Debug, Clone, Copy)]
pub struct Seal(pub u32);

impl Seal {
    /// How far from zero the sum in front may be, in parts of [`STEPS`]; below zero if it is never near enough.
    #[inline(always)]
    pub fn limit(self) -> i32 {
        ((self.0 & (SEAL - 1)) >> MOVED_BITS) as i32 * Self::STEP - Self::STEP
    }

    const STEP: i32 = (LIMIT_STEP * STEPS) as i32;

    #[inline(always)]
    pub fn moved(self) -> u32 {
        self.0 & MOST_MOVED
    }
}

impl SentencePieceModel {
    /// Hands over the numbers of units that are keys, with blanks for marks, each with its number.
    pub(crate) fn seal_keys(
        &self,
        sums: &Sums,
        units: &[Key],
        scratch: &mut SumScratch,
        mut found: impl FnMut(usize, &[u32]),
    ) -> Result<()> {
        let Some(steps) = &sums.steps else {
            for (at, unit) in units.iter().enumerate() {
                let (bytes, mut text, mut numbers) = (unit.bytes(), String::new(), Vec::new());
                // Units are whole characters, so this holds.
                let unit = std::str::from_utf8(&bytes[..unit.len()]).unwrap_or_default();
                text.extend(unit.chars().map(|c| if c == char::from(sums.blank) { sums.mark } else { c }));
                self.seal(sums, &text, scratch, &mut numbers);
                found(at, &numbers);
            }
            return Ok(());
        };
        let SumScratch { together, units: short, numbers, .. } = scratch;
        short.clear();
        short.extend(units.iter().map(|unit| Unit::with_marks(unit.bytes(), unit.len(), sums.blank)));
        let slack = SLACK + steps.slack();
        together.solve(steps, short, |at, best| {
            numbers.clear();
            let limit = sums.limit(steps, best.distance_per_character, best.largest);
            let moved = (best.sum.abs() + slack) as f32;
            sums.seal(best.ids().iter().copied(), (moved, limit), numbers);
            found(at, numbers);
            Ok(())
        })
    }

    /// Appends the numbers of a unit with blanks for marks: ids, and a seal behind them. False, and nothing is appended, if units are
    /// solved otherwise.
    pub(crate) fn seal_alone(
        &self,
        sums: &Sums,
        unit: &[u8],
        scratch: &mut SumScratch,
        numbers: &mut Vec<u32>,
    ) -> bool {
        let Some(steps) = sums.steps.as_ref().filter(|_| unit.len() <= LONGEST_SOLVED) else { return false };
        let SumScratch { arrivals, ids, .. } = scratch;
        ids.clear();
        let alone = arrivals.solve(steps, unit, sums.blank, ids);
        let limit = sums.limit(steps, alone.distance_per_character, alone.largest);
        let moved = (alone.sum.abs() + SLACK + steps.slack_of_each() * unit.len() as f64) as f32;
        sums.seal(ids.iter().copied(), (moved, limit), numbers);
        true
    }

    /// The same of the text of a unit, by the pieces themselves.
    pub(crate) fn seal(&self, sums: &Sums, unit: &str, scratch: &mut SumScratch, numbers: &mut Vec<u32>) {
        let (Some(model), true) = (self.unigram(), unit.len() <= LONGEST_SOLVED) else {
            return numbers.push(SEAL);
        };
        let limit = model.solve(unit, &self.pieces, &mut scratch.margins);
        let ids = || scratch.margins.parts.iter().map(|part| part.id());
        let moved = ids().map(|id| sums.worth[id as usize].abs()).sum();
        sums.seal(ids(), (moved, limit), numbers);
    }
}

impl Sums {
    /// How far from zero a sum in front of a unit may be. No sum in it is farther from that than those of boundaries and one piece.
    #[inline(always)]
    fn limit(&self, steps: &Steps, distance_per_character: f64, largest: f64) -> f32 {
        limit(distance_per_character - (SLACK + steps.slack_of_each()), largest + self.most_worth)
    }

    /// Appends ids and a seal behind them: how far they move a sum at most, and the limit of the one in front.
    #[inline(always)]
    fn seal(
        &self,
        ids: impl ExactSizeIterator<Item = TokenId>,
        (moved, limit): (f32, f32),
        numbers: &mut Vec<u32>,
    ) {
        let before = numbers.len();
        let count = ids.len();
        let mut run = 0;
        for id in ids {
            if id != self.unk {
                run = 0;
                numbers.push(id);
                continue;
            }
            run += 1;
            match numbers.last_mut() {
                Some(last) if run > 1 => *last = self.size + run,
                _ => numbers.push(id),
            }
        }
        // Every addition errs by less than 1/128, that of this total included.
        let moved = ((moved + count as f32 / 64.0) * STEPS).ceil() + 1.0;
        // Scores may be so large that a sum is infinite, or two of them no number.
        let is_small = moved <= MOST_MOVED as f32;
        if limit < 0.0 || count == 0 || !is_small {
            numbers.truncate(before);
            return numbers.push(SEAL);
        }
        let limit = (limit / LIMIT_STEP) as u32 + 1;
        numbers.push(SEAL | limit << MOVED_BITS | moved as u32);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;
    use crate::spec::{PieceKind, SentencePiece, SentencePieceKind, SentencePieceSpec};

    #[test]
    fn units_alone_are_those_of_their_texts() {
        let mut random = Random::from_seed(15);
        let mut below = |bound: usize| (random.next_u64() % bound as u64) as usize;
        let letters = ["a", "b", "c", "é", "漢", "😀", "z"];
        let (mut kept, mut given_up) = (0, 0);
        for round in 0..120usize {
            let mut pieces = vec![("<unk>".to_owned(), 0.0, PieceKind::Unknown)];
            let few = 2 + below(letters.len() - 2);
            for at in 0..40 {
                let mark = ["▁", ""][below(2)];
                let piece: String = (0..1 + below(5)).map(|_| letters[below(few)]).collect();
                let piece = format!("{mark}{piece}");
                // Sums that tie, nearly tie and do not.
                let score = -[0.1, 0.2, 0.3, 1.7, 3.1 + 1e-5, 12.34][at % 6] * (1 + at % 3) as f32;
                if pieces.iter().all(|(known, ..)| *known != piece) {
                    let kind = match (round % 3, below(30)) {
                        (0, 0) => PieceKind::UserDefined,
                        (0, 1) => PieceKind::Unused,
                        _ => PieceKind::Normal,
                    };
                    pieces.push((piece, score, kind));
                }
            }
            let pieces: Vec<SentencePiece> =
                pieces.into_iter().map(|(text, score, kind)| SentencePiece { text, score, kind }).collect();
            let spec = SentencePieceSpec::new(SentencePieceKind::Unigram, pieces);
            let Ok(model) = SentencePieceModel::new(&spec) else { continue };
            let Ok(sums) = model.sums((b' ', '▁')) else { continue };
            let mut scratch = SumScratch::default();
            for _ in 0..60 {
                let text: String = (0..1 + below(40)).map(|_| letters[below(letters.len())]).collect();
                let text = format!("{}{text}", ["▁", ""][below(2)]);
                let (mut alone, mut expected) = (Vec::new(), Vec::new());
                if !model.seal_alone(&sums, text.replace('▁', " ").as_bytes(), &mut scratch, &mut alone) {
                    continue;
                }
                model.seal(&sums, &text, &mut scratch, &mut expected);
                if alone == [SEAL] {
                    given_up += 1;
                    continue;
                }
                kept += 1;
                if expected != [SEAL] {
                    assert_eq!(alone[..alone.len() - 1], expected[..expected.len() - 1], "{text}");
                }
                let Some(Seal(seal)) = alone.pop().map(Seal) else { unreachable!() };
                let mut ids = Vec::new();
                for &number in &alone {
                    match number.checked_sub(sums.size) {
                        None => ids.push(number),
                        Some(run) => ids.extend((0..run).map(|_| sums.unk)),
                    }
                }
                for part in [0.0, 0.5, 1.0] {
                    let from = -(Seal(seal).limit() as f32 / STEPS) * part;
                    let mut found = Vec::new();
                    let scored = model.unigram().unwrap();
                    let to = scored
                        .search(&text, &model.pieces, from, &mut scratch.window, |_, _, id| found.push(id))
                        .unwrap();
                    assert_eq!(found, ids, "{text} behind {from}");
                    assert!((to - from).abs() * STEPS <= Seal(seal).moved() as f32, "{text} behind {from}");
                }
            }
        }
        assert!(kept > 1000 && given_up > 100, "{kept} {given_up}");
    }
}
