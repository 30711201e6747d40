//! What one worker owns to make ids of [units](super::units), and the model that it asks for new ones.

use std::sync::Arc;

use super::EncodeOptions;
use super::spelling::{Reading, Spelling};
use super::units::{Summed, Tables, Units, Writes, Writing, WrittenPlaces};
use crate::error::Result;
use crate::ids::{PieceToken, TokenId};
use crate::lanes::{self, Bounds, Key, LongPieces, LongWork, Pieces, Runner, Solve, Spelled, Work, Written};
use crate::model::sentencepiece::{Progress, Settled, SumScratch, Sums};
use crate::model::{Model, Scratch};
use crate::normalize::{Front, Respelling};
use crate::text::AlignedText;

/// Numbers whose room is kept from one text to the next.
const MOST_KEPT: usize = 1 << 18;

/// What one worker owns for it.
#[derive(Debug)]
pub(super) struct UnitLanes {
    units: Arc<Units>,
    runner: Runner,
    bounds: Bounds,
    buffers: Buffers,
}

#[derive(Debug, Default)]
struct Buffers {
    /// The text as units are found in it.
    text: String,
    written: Written,
    spelling: Spelling,
    tokens: Vec<PieceToken>,
    ids: Vec<TokenId>,
    sums: SumScratch,
    /// What the units of a text became, before sums are looked at.
    numbers: Vec<u32>,
    /// How many characters each unknown token stands for, where places are wanted.
    runs: Vec<u32>,
}

impl UnitLanes {
    pub fn new(units: Arc<Units>, runner: Runner) -> Self {
        UnitLanes { units, runner, bounds: Bounds::default(), buffers: Buffers::default() }
    }

    /// Bytes that may come into use.
    #[cfg(test)]
    pub fn memory(&self) -> usize {
        self.runner.memory()
    }

    pub fn units(&self) -> &Arc<Units> {
        &self.units
    }

    /// Whether this is for those units.
    pub fn are_for(&self, units: &Arc<Units>) -> bool {
        Arc::ptr_eq(&self.units, units)
    }

    /// Appends the ids of a text between added tokens, which may be at the start of the original; false if it must take the other
    /// way, and then maybe some of them.
    /// `in_place`: where the text stays as it was, behind all steps that do not respell it, or the other way is taken.
    /// Where units alone decide, `each` gets them as they come, in the text as they were found in it, with their ids; it says
    /// whether to go on.
    pub fn append(
        &mut self,
        (raw, at_start): (&str, bool),
        in_place: bool,
        options: &EncodeOptions<'_>,
        scratch: &mut Scratch,
        out: &mut Vec<TokenId>,
        mut each: impl FnMut(Pieces<'_>, &[TokenId]) -> bool,
    ) -> Result<bool> {
        if let Writes::Normalized(_) = self.units.writes {
            let is_done = self.settle(raw, options, scratch, Settled { ids: out, runs: None });
            self.buffers.rest();
            return is_done;
        }
        let UnitLanes { units, runner, bounds, buffers } = self;
        let Buffers { text, spelling, tokens, ids, sums, .. } = buffers;
        let Ok(tables) = units.tables() else { return Ok(false) };
        let mut solver = Solver { units, tables, scratch, spelling, tokens, ids, sums };
        let (&Writes::Respelled(respelling, behind), Tables::Spelled(spelled)) = (&units.writes, tables)
        else {
            return Ok(false);
        };
        let mut normalized = AlignedText::untracked(raw);
        if behind > 0
            && let Some(normalizer) = &units.normalizer
        {
            // An error is told by the other way, which names all steps.
            let is_done = normalizer.normalize_by_first(behind, &mut normalized).is_ok();
            let looks_at_places = in_place || respelling.front == Front::MissingAtStart;
            if !is_done || looks_at_places && normalized.as_str() != raw {
                return Ok(false);
            }
        }
        bounds.begin(0);
        write(respelling, (normalized.as_str(), at_start), text);
        if units.traps.are_in(text) {
            return Ok(false);
        }
        let mut found = lanes::Units::new(&spelled.boundaries, text.as_bytes());
        loop {
            let more = found.fill(runner.level(), bounds);
            let (pieces, before) = (Pieces::within(bounds, text.as_bytes()), out.len());
            runner.solved_ids(&mut solver, pieces, out)?;
            options.check_cancelled()?;
            let goes_on = each(pieces, &out[before..]);
            if !more || !goes_on {
                return Ok(goes_on);
            }
            bounds.go_on();
        }
    }

    /// Appends the ids of a text between added tokens, and hands over what their places follow from; false, and then maybe
    /// with some of them, if the text must take the other way.
    pub fn append_all(
        &mut self,
        raw: &str,
        options: &EncodeOptions<'_>,
        scratch: &mut Scratch,
        out: &mut Vec<TokenId>,
        mut with: impl FnMut(WrittenPlaces<'_>, &[TokenId]) -> bool,
    ) -> Result<bool> {
        let before = out.len();
        let mut runs = std::mem::take(&mut self.buffers.runs);
        runs.clear();
        self.buffers.written.tells_sources = true;
        let done = self.settle(raw, options, scratch, Settled { ids: out, runs: Some(&mut runs) });
        self.buffers.written.tells_sources = false;
        let is_done = done.map(|is_done| {
            is_done && self.written(&runs).is_some_and(|written| with(written, &out[before..]))
        });
        self.buffers.runs = runs;
        self.buffers.rest();
        is_done
    }

    /// The text that was written last.
    fn written<'w>(&'w self, runs: &'w [u32]) -> Option<WrittenPlaces<'w>> {
        let Ok(Tables::Sums(summed)) = self.units.tables() else { return None };
        let Summed { sums, .. } = &**summed;
        let written = &self.buffers.written;
        Some(WrittenPlaces {
            lengths: sums.lengths.as_ref()?,
            text: written.bytes(),
            sources: written.sources(),
            runs,
            unk: sums.unk,
            strangers: sums.strangers,
            mark: self.units.read().1,
        })
    }

    /// Appends the tokens of a text that SentencePiece's normalizer writes; false, and then maybe with some of them, if
    /// it must take the other way.
    fn settle(
        &mut self,
        raw: &str,
        options: &EncodeOptions<'_>,
        scratch: &mut Scratch,
        mut out: Settled<'_>,
    ) -> Result<bool> {
        let UnitLanes { units, runner, bounds, buffers } = self;
        let Buffers { written, spelling, tokens, ids, sums: sum_scratch, numbers, .. } = buffers;
        let (Writes::Normalized(normalization), Ok(tables)) = (&units.writes, units.tables()) else {
            return Ok(false);
        };
        let Tables::Sums(summed) = tables else { return Ok(false) };
        let Summed { sums, blanks, .. } = &**summed;
        let writing = Writing { normalization, sums };
        if !blanks.write(runner.level(), &writing, raw, written)? {
            return Ok(false);
        }
        bounds.begin(0);
        let mut solver = Solver { units, tables, scratch, spelling, tokens, ids, sums: sum_scratch };
        let mut found = lanes::Units::new(&sums.boundaries, written.bytes());
        let mut progress = Progress::default();
        numbers.clear();
        loop {
            let more = found.fill(runner.level(), bounds);
            let pieces = Pieces::within(bounds, written.bytes());
            let from = numbers.len();
            runner.solved_ids(&mut solver, pieces, numbers)?;
            solver.settle(sums, &mut progress, (numbers, from), pieces, &mut out)?;
            options.check_cancelled()?;
            if !more {
                return Ok(true);
            }
            bounds.go_on();
        }
    }
}

impl Buffers {
    /// Gives back what a long text took.
    fn rest(&mut self) {
        self.written.rest();
        if self.numbers.capacity() > MOST_KEPT {
            self.numbers = Vec::new();
        }
        if self.runs.capacity() > MOST_KEPT {
            self.runs = Vec::new();
        }
    }
}

/// Writes a text, which may be at the start of the original, as units are found in it.
fn write(respelling: Respelling, (text, at_start): (&str, bool), written: &mut String) {
    let Respelling { from, to, .. } = respelling;
    written.clear();
    if respelling.prepends_to(text, at_start) {
        written.push(from.into());
    }
    let mut mark = [0; 4];
    let mark = to.encode_utf8(&mut mark).as_bytes();
    let mut copied = 0;
    for at in memchr::memmem::find_iter(text.as_bytes(), mark) {
        written.push_str(&text[copied..at]);
        written.push(from.into());
        copied = at + mark.len();
    }
    written.push_str(&text[copied..]);
}

/// The model for one unit.
struct Solver<'s> {
    units: &'s Units,
    tables: &'s Tables,
    scratch: &'s mut Scratch,
    spelling: &'s mut Spelling,
    tokens: &'s mut Vec<PieceToken>,
    ids: &'s mut Vec<TokenId>,
    sums: &'s mut SumScratch,
}

impl Solver<'_> {
    /// Puts what a unit becomes into the buffer.
    fn unit(&mut self, unit: &[u8]) -> Result<()> {
        self.ids.clear();
        if let (Tables::Sums(summed), Model::SentencePiece(model)) = (self.tables, &*self.units.model)
            && model.seal_alone(&summed.sums, unit, self.sums, self.ids)
        {
            return Ok(());
        }
        // Units end at characters, so this holds.
        let Ok(unit) = std::str::from_utf8(unit) else { return Ok(()) };
        let (from, to) = self.units.read();
        let unit = self.spelling.write(Reading::Respelled { from, to }, unit);
        match (self.tables, &*self.units.model) {
            (Tables::Sums(summed), Model::SentencePiece(model)) => {
                model.seal(&summed.sums, unit, self.sums, self.ids)
            }
            (_, model) => {
                self.tokens.clear();
                model.tokenize(unit, self.scratch, self.tokens)?;
                self.ids.extend(self.tokens.iter().map(|token| token.id));
            }
        }
        Ok(())
    }

    /// Appends the tokens of some units, whose numbers begin at the given place of those of the text.
    fn settle(
        &mut self,
        sums: &Sums,
        progress: &mut Progress,
        (numbers, from): (&[u32], usize),
        units: Pieces<'_>,
        out: &mut Settled<'_>,
    ) -> Result<()> {
        let Model::SentencePiece(model) = &*self.units.model else { return Ok(()) };
        let (blank, mark) = self.units.read();
        let (spelling, scratch) = (&mut *self.spelling, &mut *self.sums);
        let mut spelled = |number: usize, search: &mut dyn FnMut(&str) -> Result<()>| {
            let unit = &units.text[units.starts[number] as usize..units.ends[number] as usize];
            // Units end at characters, so this holds.
            let Ok(unit) = std::str::from_utf8(unit) else { return Ok(()) };
            search(spelling.write(Reading::Respelled { from: blank, to: mark }, unit))
        };
        model.settle(sums, progress, (numbers, from), scratch, &mut spelled, out)
    }
}

impl LongPieces for Solver<'_> {
    fn ids(&mut self, unit: &[u8], out: &mut Vec<TokenId>) -> Result<()> {
        self.unit(unit)?;
        out.extend_from_slice(self.ids);
        Ok(())
    }

    #[inline]
    fn joins(&self, unit: &[u8]) -> bool {
        matches!(self.tables, Tables::Spelled(_)) && Spelled::joins(unit)
    }

    fn ids_together<'p>(
        &mut self,
        work: &mut LongWork,
        count: usize,
        unit: impl Fn(usize) -> &'p [u8],
        found: impl FnMut(usize, &[TokenId]),
    ) -> Result<()> {
        if let Tables::Spelled(spelled) = self.tables {
            spelled.solve_long(work, count, unit, found);
        }
        Ok(())
    }
}

impl Solve for Solver<'_> {
    #[inline(always)]
    fn hash_seed(&self) -> [u64; 2] {
        self.units.hash_seed
    }

    #[inline(never)]
    fn solve(&mut self, work: &mut Work, units: &[Key], found: impl FnMut(usize, &[TokenId])) -> Result<()> {
        let spelled = match (self.tables, &*self.units.model) {
            (Tables::Spelled(spelled), _) => spelled,
            (Tables::Sums(summed), Model::SentencePiece(model)) => {
                return model.seal_keys(&summed.sums, units, self.sums, found);
            }
            _ => return Ok(()),
        };
        spelled.solve(work, units, found);
        Ok(())
    }
}
