//! Buffers and piece cache of one thread, and the pool that lends them.

use std::ops::Range;
use std::sync::{Arc, Mutex};

use super::EncodeOptions;
use super::brief::Brief;
use super::byte_lanes::ByteLanes;
use super::columns::{MOST_KEPT, Room};
use super::listed::Listed;
use super::piece_lanes::PieceLanes;
use super::segment::SegmentScratch;
use super::spelling::{Reading, Spelling};
use super::unit_lanes::UnitLanes;
use super::units::Units;
use super::untold::Noted;
use super::way::{Reader, Reads};
use super::word_lanes::WordLanes;
use super::words::Words;
use crate::cancel::Cancel;
use crate::error::Result;
use crate::ids::{PieceToken, TokenId};
use crate::lanes::Runner;
use crate::lanes::places::Places;
use crate::limits;
use crate::model::bpe::Bpe;
use crate::model::cache::PieceCache;
use crate::model::{Model, Scratch};
use crate::random::Random;

/// What one thread needs to encode: lent by the pool for a call.
#[derive(Debug)]
pub(super) struct Worker {
    pub scratch: Scratch,
    pub segments: SegmentScratch,
    cache: PieceCache,
    /// The fast engine, once there was enough text for it.
    pub lanes: Option<Box<ByteLanes>>,
    /// The same for words.
    pub words: Option<Box<WordLanes>>,
    /// The same for words whose tokens are wanted with their places.
    pub packed_words: Option<Box<WordLanes>>,
    /// Room for those.
    pub packed: Vec<u32>,
    /// Room for what places of a text stand for.
    pub places: Places,
    pub noted: Noted,
    /// The same for units of texts that nothing splits.
    pub units: Option<Box<UnitLanes>>,
    /// The same for pieces of texts that nothing of all this tells.
    pub pieces: Option<Box<PieceLanes>>,
    /// Texts of a few bytes.
    pub brief: Brief,
    /// Words of lists.
    pub listed: Listed,
    start: LanesStart,
    /// Whether the model has none of the fast engine for bytes.
    lanes_are_refused: bool,
    text_seen: usize,
    /// Bytes of text that are known to come in this call.
    text_ahead: usize,
    budget: usize,
    /// Room for texts that do not lie in memory as they are read.
    texts: [String; 2],
    /// Room for the ids of a text.
    pub room: Vec<TokenId>,
    /// The same for the other columns.
    pub columns: Room,
    tokens: Vec<PieceToken>,
    unit: Vec<PieceToken>,
    pub spelling: Spelling,
}

/// Budgets of the piece cache from which on whole texts are remembered too.
const BUDGET_FOR_TEXTS: usize = 64 << 10;
/// The share of it that is for words of lists: a sixty-fourth.
const WORDS_OF_BUDGET: usize = 64;

impl Worker {
    fn new(cache_budget: usize, start: LanesStart) -> Self {
        Worker {
            scratch: Scratch::remembering(cache_budget),
            segments: SegmentScratch::default(),
            cache: PieceCache::new(cache_budget),
            lanes: None,
            words: None,
            packed_words: None,
            packed: Vec::new(),
            places: Places::default(),
            noted: Noted::default(),
            units: None,
            pieces: None,
            brief: Brief::new(start != LanesStart::Never && cache_budget >= BUDGET_FOR_TEXTS),
            listed: Listed::new(if start == LanesStart::Never { 0 } else { cache_budget / WORDS_OF_BUDGET }),
            start,
            lanes_are_refused: false,
            text_seen: 0,
            text_ahead: 0,
            budget: cache_budget,
            texts: Default::default(),
            room: Vec::new(),
            columns: Room::default(),
            tokens: Vec::new(),
            unit: Vec::new(),
            spelling: Spelling::default(),
        }
    }

    /// Does work of which it is known how much text it brings: what takes much text to pay pays at once then.
    pub fn foreseeing<R>(&mut self, bytes: usize, work: impl FnOnce(&mut Worker) -> R) -> R {
        self.text_ahead = bytes;
        let result = work(self);
        self.text_ahead = 0;
        result
    }

    /// Opens the bill of texts of so many bytes, and says to those who work long how they are told to stop.
    pub fn begin(&mut self, bytes: usize, options: &EncodeOptions<'_>) -> limits::Work {
        let cancel = Cancel::new(options.cancel);
        self.scratch.merge.stop_at(cancel.clone());
        limits::begin(bytes, cancel)
    }

    /// Lends out room for a text or a pair, empty, and keeps it unless it has become large.
    pub fn in_rooms<R>(&mut self, work: impl FnOnce(&mut Worker, &mut [String; 2]) -> R) -> R {
        let mut rooms = std::mem::take(&mut self.texts);
        let result = work(self, &mut rooms);
        for room in &mut rooms {
            room.clear();
            if room.capacity() > MOST_KEPT {
                *room = String::new();
            }
        }
        self.texts = rooms;
        result
    }

    /// A text comes; says how much there was and is sure to come.
    #[inline]
    fn text_so_far(&mut self, bytes: usize) -> usize {
        self.text_seen = self.text_seen.saturating_add(bytes);
        self.text_ahead = self.text_ahead.saturating_sub(bytes);
        self.text_seen.saturating_add(self.text_ahead)
    }

    /// Says how much text comes next. Where there was much already, the fast engine takes it from here on.
    #[inline]
    pub fn expect_text(&mut self, reader: &Reader, bytes: usize) {
        if self.lanes.is_none()
            && !self.lanes_are_refused
            && self.start != LanesStart::Never
            && let Reads::Bytes(bpe) = &reader.reads
            && reader.remembers
            && self.text_so_far(bytes)
                >= self.start.after(bpe.lanes_are_there(), LanesStart::bytes_for_lanes(bpe.vocab().len()))
        {
            self.start_lanes(bpe);
        }
    }

    /// The same where raw words may be looked up: once there was enough, those go by the hundred.
    #[inline]
    pub fn expect_words(&mut self, words: &Arc<Words>, packs: bool, bytes: usize) {
        let lanes = if packs { &self.packed_words } else { &self.words };
        let are_there = lanes.as_ref().is_some_and(|lanes| lanes.are_for(words));
        if !are_there && self.start != LanesStart::Never {
            let text = self.text_so_far(bytes);
            if self.start == LanesStart::AtOnce || text >= LanesStart::BYTES_FOR_WORDS {
                self.start_words(words, packs);
            }
        }
    }

    #[cold]
    fn start_words(&mut self, words: &Arc<Words>, packs: bool) {
        // Ids alone are what much text is read for; both together leave something for the cache. By default both have slots for the
        // same number of words. What is written has what others leave.
        let writes = words.may_be_written();
        let share = if packs || writes { self.budget / 8 * 3 } else { self.budget / 2 };
        let other = if packs { &self.words } else { &self.packed_words };
        let other = other.as_ref().map_or(0, |lanes| lanes.memory());
        let left = self.budget.saturating_sub(other + share + self.budget / 64);
        let runner = words.characters().and_then(|_| Runner::new(share));
        let written = if writes { Runner::new(left.min(self.budget / 5)) } else { None };
        let Some(runner) = runner else {
            self.start = LanesStart::Never;
            return;
        };
        let lanes = Some(Box::new(WordLanes::new(words.clone(), runner, written, packs)));
        *(if packs { &mut self.packed_words } else { &mut self.words }) = lanes;
        // From now on pieces of texts that words cannot tell.
        self.cache.keep_within(self.budget.saturating_sub(self.taken()));
    }

    /// The same where texts fall into units.
    #[inline]
    pub fn expect_units(&mut self, units: &Arc<Units>, bytes: usize) {
        let are_there = self.units.as_ref().is_some_and(|lanes| lanes.are_for(units));
        if !are_there
            && self.start != LanesStart::Never
            && self.text_so_far(bytes)
                >= self.start.after(units.are_there(), LanesStart::bytes_for_units(units.vocab_size()))
        {
            self.start_units(units);
        }
    }

    #[cold]
    fn start_units(&mut self, units: &Arc<Units>) {
        let runner = units.tables().ok().and_then(|_| Runner::new(self.budget / 3 * 2));
        let Some(runner) = runner else {
            self.start = LanesStart::Never;
            return;
        };
        let rest = self.budget.saturating_sub(runner.memory());
        self.cache.keep_within(rest);
        self.scratch.remember_within(rest);
        self.units = Some(Box::new(UnitLanes::new(units.clone(), runner)));
    }

    /// The same where pieces are all that tells; `has_words` says that words were asked first. Whether pieces go by the hundred.
    #[inline]
    pub fn expect_pieces(&mut self, reader: &Reader, has_words: bool, bytes: usize) -> bool {
        if !reader.remembers || bytes > u32::MAX as usize {
            return false;
        }
        let is_other = matches!(reader.reads, Reads::Bytes(_)) && !self.lanes_are_refused;
        if self.pieces.is_none() && self.start != LanesStart::Never && !is_other {
            let is_much = match self.start {
                LanesStart::AtOnce => true,
                // What starts those starts these.
                _ if has_words => self.words.is_some(),
                _ => self.text_so_far(bytes) >= LanesStart::BYTES_FOR_WORDS,
            };
            if is_much && PieceLanes::may_keep(reader) {
                self.start_pieces();
            }
        }
        self.pieces.as_mut().map(|pieces| pieces.begin(bytes)).is_some()
    }

    #[cold]
    fn start_pieces(&mut self) {
        let left = self.budget.saturating_sub(self.taken());
        let Some(runner) = Runner::new(left / 2) else { return };
        self.pieces = Some(Box::new(PieceLanes::new(runner)));
        self.cache.keep_within(self.budget.saturating_sub(self.taken()));
    }

    /// Bytes that are not for the cache.
    fn taken(&self) -> usize {
        let words = [&self.words, &self.packed_words].into_iter().flatten();
        let words: usize = words.map(|lanes| lanes.memory()).sum();
        words + self.pieces.as_ref().map_or(0, |lanes| lanes.memory())
    }

    /// Takes out the fast engine, if it is there and knows all bytes of a text.
    #[inline]
    pub fn take_lanes(&mut self, text: &str) -> Option<Box<ByteLanes>> {
        self.lanes.take_if(|lanes| lanes.know(text.as_bytes()))
    }

    #[cold]
    fn start_lanes(&mut self, bpe: &Bpe) {
        match bpe.lanes() {
            Some(Ok(engine)) => match Runner::new(self.budget / 4 * 3) {
                Some(runner) => {
                    // From now on pieces that are too long for the engine, and those of whole encodings.
                    self.cache.keep_within(self.budget.saturating_sub(runner.memory()));
                    self.lanes = Some(Box::new(ByteLanes::new(engine, runner)));
                }
                None => self.start = LanesStart::Never,
            },
            Some(Err(_)) => self.lanes_are_refused = true,
            // Another thread builds it: the next text will have it.
            None => {}
        }
    }

    /// Appends the ids of a piece of a text. One of bytes may begin and end inside of characters.
    #[inline]
    pub fn ids(
        &mut self,
        reader: &Reader,
        (text, piece): (&str, Range<usize>),
        out: &mut Vec<TokenId>,
    ) -> Result<()> {
        match &reader.reads {
            Reads::Characters(model) => self.piece_ids(model, reader.remembers, &text[piece], out),
            Reads::Bytes(bpe) => self.bytes_ids(bpe, reader.remembers, &text.as_bytes()[piece], out),
            Reads::Spelled(model, reading) => self.spelled_ids(model, *reading, &text[piece], out),
        }
    }

    /// The same for a piece that others remember.
    pub fn ids_anew(&mut self, reader: &Reader, piece: &[u8], out: &mut Vec<TokenId>) -> Result<()> {
        self.unit.clear();
        let text = || std::str::from_utf8(piece).unwrap_or_default();
        let Scratch { merge, random, .. } = &mut self.scratch;
        match &reader.reads {
            Reads::Characters(model) => model.tokenize(text(), &mut self.scratch, &mut self.unit)?,
            Reads::Bytes(bpe) => bpe.tokenize_bytes(piece, merge, random, &mut self.unit)?,
            Reads::Spelled(model, reading) => {
                let text = self.spelling.write(*reading, text());
                model.tokenize(text, &mut self.scratch, &mut self.unit)?;
            }
        }
        out.extend(self.unit.iter().map(|token| token.id));
        Ok(())
    }

    /// The tokens of a piece of a text, which may be as for [`ids`](Self::ids).
    #[inline]
    pub fn tokens(&mut self, reader: &Reader, (text, piece): (&str, Range<usize>)) -> Result<&[PieceToken]> {
        match &reader.reads {
            Reads::Characters(model) => self.piece_tokens(model, reader.remembers, &text[piece]),
            Reads::Bytes(bpe) => self.bytes_tokens(bpe, reader.remembers, &text.as_bytes()[piece]),
            Reads::Spelled(model, reading) => self.spelled_tokens(model, *reading, &text[piece]),
        }
    }

    /// Ids of a piece of characters.
    fn piece_ids(&mut self, model: &Model, cached: bool, piece: &str, out: &mut Vec<TokenId>) -> Result<()> {
        if cached && self.cache.ids(piece.as_bytes(), out) {
            return Ok(());
        }
        if let Model::Bpe(bpe) = model
            && bpe.can_cut()
        {
            return bpe.for_each_unit(piece, |unit| self.unit_ids(model, cached, unit, out));
        }
        self.unit_ids(model, cached, piece, out)
    }

    fn unit_ids(&mut self, model: &Model, cached: bool, unit: &str, out: &mut Vec<TokenId>) -> Result<()> {
        if cached && self.cache.ids(unit.as_bytes(), out) {
            return Ok(());
        }
        self.unit_miss(model, cached, unit)?;
        out.extend(self.unit.iter().map(|token| token.id));
        Ok(())
    }

    /// Tokens of a unit that is not remembered.
    fn unit_miss(&mut self, model: &Model, cached: bool, unit: &str) -> Result<()> {
        self.unit.clear();
        model.tokenize(unit, &mut self.scratch, &mut self.unit)?;
        if cached {
            self.cache.insert(unit.as_bytes(), &self.unit);
        }
        Ok(())
    }

    /// Tokens of a piece of characters.
    fn piece_tokens(&mut self, model: &Model, cached: bool, piece: &str) -> Result<&[PieceToken]> {
        self.tokens.clear();
        if cached && self.cache.tokens(piece.as_bytes(), &mut self.tokens) {
            return Ok(&self.tokens);
        }
        if let Model::Bpe(bpe) = model
            && bpe.can_cut()
        {
            let mut offset = 0;
            bpe.for_each_unit(piece, |unit| {
                let before = self.tokens.len();
                self.unit_tokens(model, cached, unit)?;
                for token in &mut self.tokens[before..] {
                    token.start += offset;
                    token.end += offset;
                }
                offset += unit.len() as u32;
                Ok(())
            })?;
        } else {
            self.unit_tokens(model, cached, piece)?;
        }
        Ok(&self.tokens)
    }

    fn unit_tokens(&mut self, model: &Model, cached: bool, unit: &str) -> Result<()> {
        if cached && self.cache.tokens(unit.as_bytes(), &mut self.tokens) {
            return Ok(());
        }
        self.unit_miss(model, cached, unit)?;
        self.tokens.extend_from_slice(&self.unit);
        Ok(())
    }

    /// Ids of a byte-level piece, given as raw bytes.
    #[inline]
    pub fn bytes_ids(&mut self, bpe: &Bpe, cached: bool, piece: &[u8], out: &mut Vec<TokenId>) -> Result<()> {
        if cached && self.cache.ids(piece, out) {
            return Ok(());
        }
        self.bytes_miss(bpe, cached, piece)?;
        out.extend(self.unit.iter().map(|token| token.id));
        Ok(())
    }

    /// Tokens of a byte-level piece, given as raw bytes.
    fn bytes_tokens(&mut self, bpe: &Bpe, cached: bool, piece: &[u8]) -> Result<&[PieceToken]> {
        self.tokens.clear();
        if cached && self.cache.tokens(piece, &mut self.tokens) {
            return Ok(&self.tokens);
        }
        self.bytes_miss(bpe, cached, piece)?;
        Ok(&self.unit)
    }

    /// Ids of a piece that the model reads by a rule; only for models whose results may be remembered.
    #[inline]
    fn spelled_ids(
        &mut self,
        model: &Model,
        reading: Reading,
        piece: &str,
        out: &mut Vec<TokenId>,
    ) -> Result<()> {
        if !self.cache.ids(piece.as_bytes(), out) {
            self.spelled_miss(model, reading, piece)?;
            out.extend(self.unit.iter().map(|token| token.id));
        }
        Ok(())
    }

    /// Tokens of a piece that the model reads by a rule.
    #[inline]
    fn spelled_tokens(&mut self, model: &Model, reading: Reading, piece: &str) -> Result<&[PieceToken]> {
        self.tokens.clear();
        if self.cache.tokens(piece.as_bytes(), &mut self.tokens) {
            return Ok(&self.tokens);
        }
        self.spelled_miss(model, reading, piece)?;
        Ok(&self.unit)
    }

    #[cold]
    fn spelled_miss(&mut self, model: &Model, reading: Reading, piece: &str) -> Result<()> {
        self.unit.clear();
        model.tokenize(self.spelling.write(reading, piece), &mut self.scratch, &mut self.unit)?;
        self.spelling.translate(&mut self.unit);
        self.cache.insert(piece.as_bytes(), &self.unit);
        Ok(())
    }

    /// Calls `name` for every token of a piece that is named after the text that the model read: with its number
    /// among the piece's tokens, and that text.
    #[cold]
    pub fn for_each_surface(
        &mut self,
        reader: &Reader,
        piece: &str,
        mut name: impl FnMut(usize, &str),
    ) -> Result<()> {
        let (tokens, text) = match &reader.reads {
            Reads::Spelled(model, reading) => {
                self.unit.clear();
                let text = self.spelling.write(*reading, piece);
                model.tokenize(text, &mut self.scratch, &mut self.unit)?;
                (self.unit.as_slice(), text)
            }
            Reads::Characters(_) | Reads::Bytes(_) => (self.tokens.as_slice(), piece),
        };
        for (index, token) in tokens.iter().enumerate().filter(|(_, token)| token.surface) {
            name(index, &text[token.start as usize..token.end as usize]);
        }
        Ok(())
    }

    /// Ids of a byte-level unit, merged although there may be a token for a whole piece of these bytes.
    #[cold]
    pub fn merged_ids(&mut self, bpe: &Bpe, unit: &[u8], out: &mut Vec<TokenId>) -> Result<()> {
        self.unit.clear();
        bpe.merge_bytes(unit, &mut self.scratch.merge, &mut self.scratch.random, &mut self.unit)?;
        out.extend(self.unit.iter().map(|token| token.id));
        Ok(())
    }

    #[cold]
    fn bytes_miss(&mut self, bpe: &Bpe, cached: bool, piece: &[u8]) -> Result<()> {
        self.unit.clear();
        bpe.tokenize_bytes(piece, &mut self.scratch.merge, &mut self.scratch.random, &mut self.unit)?;
        if cached {
            self.cache.insert(piece, &self.unit);
        }
        Ok(())
    }
}

/// When the fast engine starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LanesStart {
    Never,
    AtOnce,
    /// After as much text on one worker as costs what the tables cost: before it a few texts would pay for all, and
    /// much later the plain way has cost more than they do.
    WhenItPays,
}

impl LanesStart {
    /// Bytes of text that pay for the memory of one more worker, once the tables are there.
    const BYTES_FOR_A_WORKER: usize = 2 << 10;
    /// The same of words, which the cache alone tells sooner.
    const BYTES_FOR_WORDS: usize = 8 << 10;

    /// Bytes of text for which the plain way takes longer by what a worker and the tables of so many tokens take to build, for
    /// bytes and for units.
    fn bytes_for_lanes(tokens: usize) -> usize {
        const LEAST: usize = 64 << 10;
        tokens.saturating_add(tokens / 2).saturating_add(LEAST)
    }

    fn bytes_for_units(tokens: usize) -> usize {
        tokens.saturating_mul(2)
    }

    /// By the environment variable `TESSELLA_LANES`: `off`, `at-once` (to compare both ways), and otherwise when it
    /// pays.
    fn from_environment() -> Self {
        match std::env::var("TESSELLA_LANES").as_deref() {
            Ok("off") => LanesStart::Never,
            Ok("at-once") => LanesStart::AtOnce,
            _ => LanesStart::WhenItPays,
        }
    }

    /// Bytes of text before the start, whether the tables are there already, or are to be made, for which so many pay.
    fn after(self, are_there: bool, pay: usize) -> usize {
        match self {
            LanesStart::Never => usize::MAX,
            LanesStart::AtOnce => 0,
            LanesStart::WhenItPays if are_there => Self::BYTES_FOR_A_WORKER,
            LanesStart::WhenItPays => pay,
        }
    }

    /// Whether the engine may ever start.
    pub fn may_be() -> bool {
        Self::from_environment() != LanesStart::Never
    }
}

/// Workers. Taking one never waits: if another thread holds a lock (or held it when the process forked), a new
/// worker is made.
#[derive(Debug)]
pub(super) struct Pool {
    /// The worker of whoever comes alone. It works where it lies: nothing is moved, and one lock is all it costs.
    first: Mutex<Option<Box<Worker>>>,
    /// Further ones at rest.
    #[expect(clippy::vec_box, reason = "a worker is large and moves in and out for every call")]
    idle: Mutex<Vec<Box<Worker>>>,
    cache_budget: usize,
    pub lanes: LanesStart,
    seed: Mutex<Option<Random>>,
}

/// Workers kept for the next call; more are dropped when they come back.
const MOST_IDLE: usize = 64;

impl Pool {
    pub fn new(cache_budget: usize) -> Self {
        let lanes = LanesStart::from_environment();
        Pool { first: Mutex::default(), idle: Mutex::default(), cache_budget, lanes, seed: Mutex::default() }
    }

    /// Workers for another state of a tokenizer, whose seed goes on.
    pub fn after(old: &Pool, cache_budget: usize) -> Self {
        let seed = old.seed.try_lock().ok().and_then(|seed| seed.clone());
        Pool { seed: Mutex::new(seed), ..Pool::new(cache_budget) }
    }

    /// Runs `work` with a worker of its own. `work` may ask for another one.
    pub fn with<R>(&self, work: impl FnOnce(&mut Worker) -> R) -> R {
        if let Ok(mut first) = self.first.try_lock() {
            let worker = first.get_or_insert_with(|| Box::new(self.new_worker()));
            worker.scratch.renew();
            return work(worker);
        }
        let idle = self.idle.try_lock().ok().and_then(|mut idle| idle.pop());
        let mut worker = idle.unwrap_or_else(|| Box::new(self.new_worker()));
        worker.scratch.renew();
        let result = work(&mut worker);
        if let Ok(mut idle) = self.idle.try_lock()
            && idle.len() < MOST_IDLE
        {
            idle.push(worker);
        }
        result
    }

    /// Looks at the worker of whoever comes alone, if there is one and it is at rest.
    pub fn peek<R>(&self, look: impl FnOnce(&Worker) -> Option<R>) -> Option<R> {
        self.first.try_lock().ok()?.as_deref().and_then(look)
    }

    fn new_worker(&self) -> Worker {
        let mut worker = Worker::new(self.cache_budget, self.lanes);
        if let Ok(mut seed) = self.seed.try_lock()
            && let Some(random) = seed.as_mut()
        {
            worker.scratch.seed(random.next_u64());
        }
        worker
    }

    /// Seeds all workers to come; those at rest are forgotten.
    pub fn seed(&self, seed: u64) {
        self.clear();
        if let Ok(mut random) = self.seed.lock() {
            *random = Some(Random::from_seed(seed));
        }
    }

    /// Whether chance is to be repeated. Who is just being asked for a seed may have one.
    pub fn is_seeded(&self) -> bool {
        self.seed.try_lock().map_or(true, |seed| seed.is_some())
    }

    /// Forgets the workers at rest.
    pub fn clear(&self) {
        // Who holds this lock is at work, for how long nobody knows.
        if let Ok(mut first) = self.first.try_lock() {
            *first = None;
        }
        if let Ok(mut idle) = self.idle.lock() {
            idle.clear();
        }
    }
}
