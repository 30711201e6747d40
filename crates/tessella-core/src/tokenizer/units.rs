//! Ids of much text by its units, where nothing splits a text and blanks are written as marks.
//!
//! A model behind no pre-tokenizer gets a text as a whole, but no token reaches over most of its boundaries, so what
//! stands between two of them comes to the same ids wherever it stands (in Unigram models: unless the sum in front is
//! too far from zero, which is looked at). Such units are found character by character and go by the hundred
//! ([`crate::lanes`]). Blanks stay blanks, and where merges are all, a mark that a text has already is written as a blank,
//! which the model reads alike. There the ids also tell how long each token is, and so where it stands. What the model
//! makes of the text as a whole is the slow way, which this one is tested against.

use std::sync::{Arc, OnceLock};

use super::EncodeOptions;
use super::spelling::{Reading, Spelling, respelling_behind};
use super::traps::Traps;
use crate::added::AddedVocabulary;
use crate::cancel::Cancel;
use crate::error::Result;
use crate::ids::{PieceToken, TokenId};
use crate::lanes::{
    self, Beside, Blanks, Bounds, Fate, Key, Lengths, LongPieces, Pieces, Rules, Runner, Solve, Spacing,
    Spelled, Strangers, Work, Written,
};
use crate::limits;
use crate::model::sentencepiece::{Progress, Settled, SumScratch, Sums};
use crate::model::{Model, Scratch};
use crate::normalize::sentencepiece::SentencePieceNormalization;
use crate::normalize::{Front, Normalizer, Respelling};
use crate::pretokenize::PreTokenizer;
use crate::random::Random;
use crate::text::{AlignedText, MOST_BYTES};

/// What all workers share.
#[derive(Debug)]
pub(super) struct Units {
    model: Arc<Model>,
    normalizer: Option<Arc<Normalizer>>,
    writes: Writes,
    traps: Traps,
    /// Made when the first worker has seen enough text.
    tables: OnceLock<std::result::Result<Tables, &'static str>>,
    hash_seed: [u64; 2],
}

/// What the places of tokens follow from, once their units are found.
#[derive(Debug, Clone, Copy)]
pub(super) struct UnitPlaces<'u> {
    pub lengths: &'u Lengths,
    respelling: Respelling,
    /// Of the bytes that a character is spelled in, the last one covers it and the others nothing, as what is written in
    /// front; else each one covers it, and what is written in front the character behind it.
    pub ends_cover: bool,
}

impl UnitPlaces<'_> {
    /// Bytes that are written in front of a text, which may be at the start of the original.
    pub fn lead(&self, text: &str, at_start: bool) -> u32 {
        u32::from(self.respelling.prepends_to(text, at_start))
    }
}

/// How the places of tokens are found.
#[derive(Debug, Clone, Copy)]
pub(super) enum Telling<'u> {
    /// As units come.
    Each(UnitPlaces<'u>),
    /// Of the whole text.
    All,
}

/// What the places of tokens follow from in a text that was written by SentencePiece's normalizer.
#[derive(Debug, Clone, Copy)]
pub(super) struct WrittenPlaces<'w> {
    pub lengths: &'w Lengths,
    /// The text, with blanks for marks and some characters for all that the model does not know.
    pub text: &'w [u8],
    /// Where in the original each byte of it came from, and behind the last one where that ends.
    pub sources: &'w [u32],
    /// How many characters each unknown token stands for, in order.
    pub runs: &'w [u32],
    pub unk: TokenId,
    /// What stands for characters that the model does not know; no rule writes them.
    pub strangers: Option<Strangers>,
    /// What a blank stands for.
    pub mark: char,
}

/// How a text is written with blanks for marks.
#[derive(Debug)]
enum Writes {
    /// Behind so many steps of the normalizer.
    Respelled(Respelling, usize),
    /// By SentencePiece's normalizer with other blanks. A text that has marks of its own then takes the slow way.
    Normalized(Box<SentencePieceNormalization>),
}

/// Where units end, and what they become.
#[derive(Debug)]
pub(super) enum Tables {
    Spelled(Box<Spelled>),
    Sums(Box<Summed>),
}

/// The model's tables, and how a text is written for it.
#[derive(Debug)]
pub(super) struct Summed {
    sums: Sums,
    blanks: Blanks,
    /// Whether what was written says what was there.
    tells_places: bool,
}

/// What texts are written by.
struct Writing<'w> {
    normalization: &'w SentencePieceNormalization,
    sums: &'w Sums,
}

impl Rules for Writing<'_> {
    fn fate(&self, c: char) -> (Fate, Beside) {
        let fate = match self.normalization.rule(c) {
            _ if c == MARK || self.normalization.begins_symbol(c) => Fate::Other,
            None if c == char::from(BLANK) => Fate::Blank,
            None if self.sums.knows(c) => Fate::Stays,
            None => Fate::Strange,
            Some(" ") => Fate::Blank,
            Some(_) => Fate::Other,
        };
        (fate, Beside::default())
    }

    fn goes_on(&self, c: char, with: &mut dyn FnMut(u8)) {
        self.normalization.goes_on(c, with);
    }

    fn inner(&self) -> Option<Vec<char>> {
        self.normalization.inner()
    }

    fn chunk<'t>(&'t self, text: &'t str) -> Option<(usize, &'t str)> {
        self.normalization.first(text).filter(|(_, chunk)| !chunk.contains(MARK))
    }
}

/// Numbers whose room is kept from one text to the next.
const MOST_KEPT: usize = 1 << 18;
/// What stands for [`MARK`] in texts that are normalized.
const BLANK: u8 = b' ';
const MARK: char = '▁';

/// Texts of this many bytes and more take the slow way, which knows what normalization may make of them.
pub(super) const LONGEST_TEXT: usize = MOST_BYTES / 8;

impl Units {
    /// `None` where units are not all that matters.
    pub fn new(
        model: &Arc<Model>,
        normalizer: Option<&Arc<Normalizer>>,
        pre_tokenizer: Option<&Arc<PreTokenizer>>,
        added: &AddedVocabulary,
    ) -> Option<Units> {
        let alone = || normalizer.filter(|_| pre_tokenizer.is_none());
        let writes = match &**model {
            Model::SentencePiece(model) if model.sums_scores() => {
                Writes::Normalized(Box::new(alone()?.with_blanks()?))
            }
            Model::SentencePiece(_) => Writes::Respelled(alone()?.writes_marks()?, 0),
            Model::Bpe(_) => {
                let (normalizer, pre) = (normalizer.map(|one| &**one), pre_tokenizer.map(|one| &**one));
                let (behind, respelling) = respelling_behind(normalizer, pre)?;
                Writes::Respelled(respelling, behind)
            }
            Model::WordPiece(_) | Model::WordLevel(_) | Model::Unigram(_) => return None,
        };
        let traps = match (&writes, &**model) {
            (Writes::Respelled(respelling, _), Model::Bpe(_)) => {
                Traps::written(added, (respelling.from, respelling.to))?
            }
            _ if added.has_normalized() => return None,
            _ => Traps::default(),
        };
        let mut random = Random::from_entropy();
        Some(Units {
            model: model.clone(),
            normalizer: normalizer.cloned(),
            writes,
            traps,
            tables: OnceLock::new(),
            hash_seed: [random.next_u64(), random.next_u64()],
        })
    }

    /// Whether texts come to the same ids in both.
    pub fn are_as_in(&self, other: &Units) -> bool {
        let same_normalizer = || match (&self.normalizer, &other.normalizer) {
            (Some(one), Some(two)) => Arc::ptr_eq(one, two),
            _ => false,
        };
        let are_written_alike = match (&self.writes, &other.writes) {
            (Writes::Respelled(one, 0), Writes::Respelled(two, 0)) => one == two,
            (Writes::Respelled(one, first), Writes::Respelled(two, second)) => {
                (one, first) == (two, second) && same_normalizer()
            }
            _ => same_normalizer(),
        };
        are_written_alike && self.traps == other.traps && Arc::ptr_eq(&self.model, &other.model)
    }

    /// Which character of a written text stands for which one.
    fn read(&self) -> (u8, char) {
        match &self.writes {
            Writes::Respelled(respelling, _) => (respelling.from, respelling.to),
            Writes::Normalized(_) => (BLANK, MARK),
        }
    }

    fn make(&self) -> std::result::Result<Tables, &'static str> {
        match (&self.writes, &*self.model) {
            (Writes::Normalized(normalization), Model::SentencePiece(model)) => {
                let sums = model.sums(self.read())?;
                let spacing = Spacing {
                    prepends: normalization.prepends(),
                    drops: normalization.remove_extra_whitespaces,
                };
                let blanks = Blanks::new(&Writing { normalization, sums: &sums }, spacing, sums.strangers);
                let alone = |byte| !normalization.writes(byte);
                let are_told =
                    sums.strangers.is_none_or(|Strangers { usual, last }| alone(usual) && alone(last));
                let tells_places = sums.lengths.is_some() && are_told;
                Ok(Tables::Sums(Box::new(Summed { sums, blanks, tells_places })))
            }
            (_, model) => model.spelled(self.read()).map(|spelled| Tables::Spelled(Box::new(spelled))),
        }
    }

    /// The tables, or why there are none. Whoever asks first makes them, and who asks at the same time makes the same, so
    /// that none waits for another.
    pub fn tables(&self) -> std::result::Result<&Tables, &'static str> {
        let tables = match self.tables.get() {
            Some(tables) => tables,
            None => {
                let _ = self.tables.set(self.make());
                self.tables.get().unwrap_or(&Err("they are being made"))
            }
        };
        tables.as_ref().map_err(|reason| *reason)
    }

    /// How the places of tokens are found, if the tables are there and tell it.
    pub fn places(&self) -> Option<Telling<'_>> {
        match (&self.writes, self.tables().ok()?) {
            (&Writes::Respelled(respelling, _), Tables::Spelled(spelled)) => {
                let ends_cover = matches!(&*self.model, Model::SentencePiece(_));
                let lengths = spelled.lengths.as_ref()?;
                Some(Telling::Each(UnitPlaces { lengths, respelling, ends_cover }))
            }
            (Writes::Normalized(_), Tables::Sums(summed)) => summed.tells_places.then_some(Telling::All),
            _ => None,
        }
    }

    /// Opens a bill of its own for a text that is normalized on this way: who takes the other one after that pays there.
    pub fn begin(&self, bytes: usize, options: &EncodeOptions<'_>) -> Option<limits::Work> {
        let is_normalized = matches!(self.writes, Writes::Respelled(_, 1..));
        is_normalized.then(|| limits::begin(bytes, Cancel::new(options.cancel)))
    }

    /// Whether asking for the tables costs nothing any more.
    pub fn are_there(&self) -> bool {
        self.tables.get().is_some()
    }

    /// The tokens of the model, which the tables take time for.
    pub fn vocab_size(&self) -> usize {
        match &*self.model {
            Model::Bpe(model) => model.vocab().len(),
            Model::SentencePiece(model) => model.size(),
            Model::WordPiece(_) | Model::WordLevel(_) | Model::Unigram(_) => 0,
        }
    }

    /// For the plan: engine and reason.
    pub fn explain(&self) -> (&'static str, String) {
        let what = match self.tables() {
            Ok(Tables::Spelled(spelled)) => spelled.describe(),
            Ok(Tables::Sums(_)) => "searched again where the sum in front is too far from zero".into(),
            Err(reason) => return ("text by text", reason.into()),
        };
        let level = lanes::vectors::Level::best().name();
        let behind = match self.writes {
            Writes::Respelled(_, 1..) => ", in the text as the steps before make it",
            _ => "",
        };
        (
            "units",
            format!(
                "once there is much text, what no token reaches over goes by the hundred, with blanks for marks{behind}: \
                 {what}; vectors: {level}"
            ),
        )
    }
}

/// What one worker owns for it.
#[derive(Debug)]
pub(super) struct UnitLanes {
    units: Arc<Units>,
    runner: Runner,
    bounds: Bounds,
    buffers: Buffers,
}

/// New units that not only the model itself knows, and their numbers among all new ones.
#[derive(Debug, Default)]
struct Plain {
    numbers: Vec<usize>,
    units: Vec<Key>,
}

#[derive(Debug, Default)]
struct Buffers {
    /// The text as units are found in it.
    text: String,
    written: Written,
    spelling: Spelling,
    tokens: Vec<PieceToken>,
    ids: Vec<TokenId>,
    new: Plain,
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
        let Buffers { text, spelling, tokens, ids, new, sums, .. } = buffers;
        let Ok(tables) = units.tables() else { return Ok(false) };
        let mut solver = Solver { units, tables, scratch, spelling, tokens, ids, new, sums };
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
        let Buffers { written, spelling, tokens, ids, new, sums: sum_scratch, numbers, .. } = buffers;
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
        let mut solver = Solver { units, tables, scratch, spelling, tokens, ids, new, sums: sum_scratch };
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
    new: &'s mut Plain,
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
}

impl Solve for Solver<'_> {
    #[inline(always)]
    fn hash_seed(&self) -> [u64; 2] {
        self.units.hash_seed
    }

    #[inline(never)]
    fn solve(
        &mut self,
        work: &mut Work,
        units: &[Key],
        mut found: impl FnMut(usize, &[TokenId]),
    ) -> Result<()> {
        let spelled = match (self.tables, &*self.units.model) {
            (Tables::Spelled(spelled), _) => spelled,
            (Tables::Sums(summed), Model::SentencePiece(model)) => {
                return model.seal_keys(&summed.sums, units, self.sums, found);
            }
            _ => return Ok(()),
        };
        let mut new = std::mem::take(self.new);
        new.numbers.clear();
        new.units.clear();
        for (number, &unit) in units.iter().enumerate() {
            if spelled.is_hard(unit) {
                self.unit(&unit.bytes()[..unit.len()])?;
                found(number, self.ids);
            } else {
                new.numbers.push(number);
                new.units.push(unit);
            }
        }
        spelled.solve(work, &new.units, |at, ids| found(new.numbers[at], ids));
        *self.new = new;
        Ok(())
    }
}
