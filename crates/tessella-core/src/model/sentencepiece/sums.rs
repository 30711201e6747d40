//! A Unigram model for the units of a text, which go by the hundred: what a unit becomes, as numbers, and when it does.
//!
//! A unit becomes the same pieces wherever the sum in front of it is near enough to zero ([`margins`](super::margins)).
//! That goes with its pieces into one list of numbers of 24 bits: the ids, and behind them a *seal* with two things, how
//! far from zero the sum may be and by how much the unit moves it. Both are rounded to the safe side. Unknown characters
//! in a row, which become one token, are one number that tells how many there are.

use std::ops::Range;

use super::added::{AddUp, SEAL, Scores};
use super::margins::{Margins, SLACK, limit};
use super::unigram::ScoredPieces;
use super::{Algorithm, SentencePieceModel};
use crate::error::Result;
use crate::ids::TokenId;
use crate::lanes::kept::{MANY, Unknown};
use crate::lanes::vectors::{Level, Task, Vectors};
use crate::lanes::{Boundaries, Key, Lengths, Strangers};
use crate::model::unigram::alone::Arrivals;
use crate::model::unigram::together::{Steps, Together, Unit};
use crate::model::unigram::viterbi::Window;
use crate::spec::{PieceKind, SentencePiece};
use crate::trie::Trie;
use crate::unicode::CharTable;

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
    /// What each piece adds to a sum; less than anything for one that may not be used, and for what is none, which is
    /// the last.
    worth: Vec<f32>,
    /// Pieces.
    size: u32,
    /// The largest of them, without its sign.
    most_worth: f64,
    pub(crate) unk: TokenId,
    /// What a mark is written as, and the mark.
    blank: u8,
    mark: char,
    /// Characters of pieces.
    known: CharTable<bool>,
    /// How unknown characters are written, and whether the model knows one.
    pub(crate) strangers: Option<Strangers>,
    /// For units that are keys; `None` if those are solved as others are.
    steps: Option<Steps>,
    /// Bytes of a text, with blanks for marks, that each piece stands for, and none for what is unknown; `None` where
    /// that cannot be told.
    pub(crate) lengths: Option<Lengths>,
}

/// Buffers of one worker.
#[derive(Debug, Default)]
pub(crate) struct SumScratch {
    margins: Margins,
    arrivals: Arrivals,
    window: Window<f32>,
    ids: Vec<TokenId>,
    together: Box<Together>,
    units: Vec<Unit>,
    numbers: Vec<u32>,
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
    /// Whether a Unigram model is at work.
    pub(crate) fn sums_scores(&self) -> bool {
        self.unigram().is_some()
    }

    /// For texts in which `read.0` stands for `read.1`; an error says why the model goes another way.
    pub(crate) fn sums(&self, read: (u8, char)) -> std::result::Result<Sums, &'static str> {
        let Algorithm::Unigram(model) = &self.algorithm else {
            return Err("the model does not sum scores");
        };
        if model.joints.is_none() || self.pieces.byte_ids().is_some() {
            return Err(
                "scores are not finite, sums are of 64 bits, or unknown characters are spelled in bytes",
            );
        }
        if self.size() + LONGEST_SOLVED >= SEAL as usize {
            return Err("the vocabulary is too large");
        }
        let (from, to) = read;
        let written = |c: char| if c == to { from as char } else { c };
        let mut known = CharTable::new(false);
        let mut pairs = Vec::new();
        for (_, piece) in self.pieces.ordinary_pieces() {
            let mut left = None;
            for c in piece.text.chars().map(written) {
                known.insert(c, true);
                pairs.extend(left.replace(c).map(|left| (left, c)));
            }
        }
        let mut strange = (1..0x80u8).filter(|&byte| byte != from && !known.get(byte.into()));
        let strangers = strange.next().zip(strange.next());
        let strangers = strangers.map(|(usual, last)| Strangers { usual, last });
        if let Some(Strangers { usual, last }) = strangers {
            pairs.extend([usual, last].map(|right| (usual.into(), right.into())));
        }
        let lengths =
            self.pieces.ordinary_pieces().try_fold(vec![0; self.size()], |mut lengths, (id, piece)| {
                let marks = piece.text.matches(to).count();
                let bytes = piece.text.len() - marks * (to.len_utf8() - 1);
                lengths[id as usize] = u16::try_from(bytes).ok()?;
                Some(lengths)
            });
        let worth = |(id, piece): (u32, &SentencePiece)| match piece.kind {
            PieceKind::Unused => f32::NEG_INFINITY,
            _ => model.worth(id, piece.text.len()),
        };
        let worth: Vec<f32> = (0..).zip(self.pieces.all()).map(worth).collect();
        let finite = worth.iter().map(|worth| f64::from(worth.abs())).filter(|worth| worth.is_finite());
        let most_worth = finite.fold(0.0, f64::max);
        let of_id = |id: TokenId| f64::from(worth[id as usize]);
        let steps = self.steps(read, of_id)?;
        Ok(Sums {
            most_worth,
            boundaries: Boundaries::new(pairs.into_iter())
                .ok_or("too many characters are neighbours in pieces")?,
            worth,
            size: self.size() as u32,
            unk: self.unk_id(),
            blank: from,
            mark: to,
            known,
            strangers,
            steps,
            lengths: lengths.map(Lengths::from),
        })
    }

    /// For units in which `read.0` stands for `read.1`, by what pieces add to a sum.
    fn steps(
        &self,
        (blank, mark): (u8, char),
        worth: impl Fn(TokenId) -> f64,
    ) -> std::result::Result<Option<Steps>, &'static str> {
        let unknown = (self.unk_id(), worth(self.unk_id()));
        let blank = char::from(blank);
        let is_plain = |text: &str| !text.contains(blank) && !text.chars().skip(1).any(|c| c == mark);
        if !self.pieces.has_unused && self.pieces.ordinary_pieces().all(|(_, piece)| is_plain(&piece.text)) {
            let mark = mark.encode_utf8(&mut [0; 4]).to_owned();
            return Ok(Steps::new(self.pieces.ordinary(), worth, unknown, &mark));
        }
        let used = self.pieces.ordinary_pieces().filter(|(_, piece)| piece.kind != PieceKind::Unused);
        // No text has such a blank as it is.
        let used = used.filter(|(_, piece)| !piece.text.contains(blank));
        let mut written = [0; 4];
        let blank = &*blank.encode_utf8(&mut written);
        let keys: Vec<(String, u32)> =
            used.map(|(id, piece)| (piece.text.replace(mark, blank), id)).collect();
        let trie = Trie::build(keys.iter().map(|(key, id)| (key.as_bytes(), *id)).collect());
        Ok(Steps::new(&trie.map_err(|_| "the vocabulary is too large")?, worth, unknown, blank))
    }

    fn unigram(&self) -> Option<&ScoredPieces> {
        match &self.algorithm {
            Algorithm::Unigram(model) => Some(model),
            _ => None,
        }
    }

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
    pub(crate) fn knows(&self, c: char) -> bool {
        self.known.get(c)
    }

    /// Numbers from the size of the vocabulary on are runs of unknown characters.
    #[inline(always)]
    fn is_unknown(&self, number: u32) -> bool {
        number == self.unk || number >= self.size
    }

    /// Characters that such a number stands for.
    #[inline(always)]
    fn unknown_characters(&self, number: u32) -> u32 {
        if number == self.unk { 1 } else { number - self.size }
    }

    /// What numbers add to a sum.
    fn scores(&self) -> Scores<'_> {
        Scores { worth: &self.worth, size: self.size, most: self.most_worth as f32, unk: self.unk }
    }

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;
    use crate::spec::{SentencePieceKind, SentencePieceSpec};

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
