//! When a worker starts the engines for much text, and with how much of its memory.
//!
//! Each of them has tables of its own on every worker, which pay after some text. Who is about to encode says how much comes
//! (`expect_...`); what starts then takes its share of the budget from the piece cache.

use std::sync::Arc;

use super::super::byte_lanes::ByteLanes;
use super::super::piece_lanes::PieceLanes;
use super::super::unit_lanes::UnitLanes;
use super::super::units::Units;
use super::super::way::{Reader, Reads};
use super::super::word_lanes::WordLanes;
use super::super::words::Words;
use super::Worker;
use crate::lanes::Runner;
use crate::model::bpe::Bpe;

/// When the fast engine starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LanesStart {
    Never,
    AtOnce,
    /// After as much text on one worker as costs what the tables cost: before it a few texts would pay for all, and
    /// much later the plain way has cost more than they do.
    WhenItPays,
}

impl LanesStart {
    /// The environment variable that decides, with `off` or `at-once` (to compare both ways).
    pub const VARIABLE: &str = "TESSELLA_LANES";
    pub const NAMES: &[&str] = &[Self::OFF, Self::AT_ONCE];
    const OFF: &str = "off";
    const AT_ONCE: &str = "at-once";

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

    /// By the environment variable; where it says nothing, when it pays.
    pub fn from_environment() -> Self {
        match std::env::var(Self::VARIABLE).as_deref() {
            Ok(Self::OFF) => LanesStart::Never,
            Ok(Self::AT_ONCE) => LanesStart::AtOnce,
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

impl Worker {
    /// Does work of which it is known how much text it brings: what takes much text to pay pays at once then.
    pub fn foreseeing<R>(&mut self, bytes: usize, work: impl FnOnce(&mut Worker) -> R) -> R {
        self.text_ahead = bytes;
        let result = work(self);
        self.text_ahead = 0;
        result
    }

    /// A text comes; says how much there was and is sure to come.
    #[inline]
    fn text_so_far(&mut self, bytes: usize) -> usize {
        self.text_seen = self.text_seen.saturating_add(bytes);
        self.text_ahead = self.text_ahead.saturating_sub(bytes);
        self.text_seen.saturating_add(self.text_ahead)
    }

    /// Bytes of text that come now: those of one that was counted, and what is foreseen behind it.
    fn text_ahead_of(&self, bytes: usize) -> usize {
        bytes.saturating_add(self.text_ahead)
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
            self.start_lanes(bpe, bytes);
        }
    }

    #[cold]
    fn start_lanes(&mut self, bpe: &Bpe, bytes: usize) {
        match bpe.lanes() {
            Some(Ok(engine)) => match Runner::new(self.budget / 4 * 3, self.text_ahead_of(bytes)) {
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

    /// The same where raw words may be looked up: once there was enough, those go by the hundred.
    #[inline]
    pub fn expect_words(&mut self, words: &Arc<Words>, packs: bool, bytes: usize) {
        let lanes = if packs { &self.packed_words } else { &self.words };
        let are_there = lanes.as_ref().is_some_and(|lanes| lanes.are_for(words));
        if !are_there && self.start != LanesStart::Never {
            let text = self.text_so_far(bytes);
            if self.start == LanesStart::AtOnce || text >= LanesStart::BYTES_FOR_WORDS {
                self.start_words(words, packs, bytes);
            }
        }
    }

    #[cold]
    fn start_words(&mut self, words: &Arc<Words>, packs: bool, bytes: usize) {
        // They take what words leave, and begin anew with that.
        self.pieces = None;
        // Ids alone are what much text is read for; both together leave something for the cache. By default both have slots for the
        // same number of words. What is written has what others leave.
        let writes = words.may_be_written();
        let share = if packs || writes { self.budget / 8 * 3 } else { self.budget / 2 };
        let other = if packs { &self.words } else { &self.packed_words };
        let other = other.as_ref().map_or(0, |lanes| lanes.memory());
        let left = self.budget.saturating_sub(other + share + self.budget / 64);
        let ahead = self.text_ahead_of(bytes);
        let runner = words.characters().and_then(|_| Runner::new(share, ahead));
        let written = if writes { Runner::new(left.min(self.budget / 5), 0) } else { None };
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
            self.start_units(units, bytes);
        }
    }

    #[cold]
    fn start_units(&mut self, units: &Arc<Units>, bytes: usize) {
        let ahead = self.text_ahead_of(bytes);
        let runner = units.tables().ok().and_then(|_| Runner::new(self.budget / 3 * 2, ahead));
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
                // Few pieces are left by words.
                self.start_pieces(if has_words { 0 } else { self.text_ahead_of(bytes) });
            }
        }
        self.pieces.as_mut().map(|pieces| pieces.begin(bytes)).is_some()
    }

    #[cold]
    fn start_pieces(&mut self, text_ahead: usize) {
        let left = self.budget.saturating_sub(self.taken());
        let Some(runner) = Runner::new(left / 2, text_ahead) else { return };
        self.pieces = Some(Box::new(PieceLanes::new(runner)));
        self.cache.keep_within(self.budget.saturating_sub(self.taken()));
    }

    /// Bytes that are not for the cache.
    fn taken(&self) -> usize {
        let words = [&self.words, &self.packed_words].into_iter().flatten();
        let words: usize = words.map(|lanes| lanes.memory()).sum();
        words + self.pieces.as_ref().map_or(0, |lanes| lanes.memory())
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::pool::Pool;
    use super::super::super::tests::random_bpe;
    use super::super::super::{EncodeOptions, Input, Tokenizer, long_word_tests, word_tests};
    use super::*;
    use crate::model::cache::DEFAULT_BUDGET;
    use crate::random::Random;
    use crate::spec::{ModelSpec, NormalizerSpec, Pattern, PreTokenizerSpec, TokenizerSpec};

    /// Bytes that the engines that have started, and the cache beside them, may come to.
    fn most_memory(worker: &Worker) -> usize {
        let engines = [
            worker.lanes.as_ref().map(|lanes| lanes.memory()),
            worker.units.as_ref().map(|lanes| lanes.memory()),
        ];
        let engines: usize = engines.into_iter().flatten().sum();
        engines + worker.taken() + worker.cache.budget()
    }

    #[test]
    fn engines_share_the_budget_in_whatever_order_they_start() {
        let mut specs: Vec<TokenizerSpec> = (0..40).map(word_tests::word_spec).collect();
        specs.extend((0..20).map(long_word_tests::spec));
        let mut random = Random::from_seed(7);
        for seed in 0..20 {
            let mut spec = TokenizerSpec::new(ModelSpec::Bpe(random_bpe(&mut random)));
            spec.normalizer = (seed <= 4).then(|| NormalizerSpec::Replace {
                pattern: Pattern::Literal(" ".into()),
                content: "▁".into(),
            });
            spec.pre_tokenizer = (seed > 4).then_some(PreTokenizerSpec::ByteLevel {
                add_prefix_space: false,
                use_regex: seed % 2 == 0,
                trim_offsets: false,
            });
            specs.push(spec);
        }
        let options = EncodeOptions::default();
        let mut counts = [0; 5];
        for (number, spec) in specs.iter().enumerate() {
            let mut tokenizer = Tokenizer::new(spec.clone()).unwrap();
            let mut pool = Pool::new([3 << 20, DEFAULT_BUDGET][number % 2]);
            pool.lanes = LanesStart::AtOnce;
            Arc::get_mut(&mut tokenizer.inner).unwrap().workers = Arc::new(pool);
            for round in 0..6 {
                let text = ["a b", "ab 漢字 ab, c\u{301}d", "É x\n``y''"][(number + round) % 3];
                // What cannot be encoded has started something, too.
                let _ = match random.next_u64() % 2 {
                    0 => tokenizer.encode_ids(text, &options).map(drop),
                    _ => tokenizer.encode(&Input::from(text), &options).map(drop),
                };
                tokenizer.inner.workers.with(|worker| {
                    let have_started = [
                        worker.lanes.is_some(),
                        worker.words.is_some(),
                        worker.packed_words.is_some(),
                        worker.units.is_some(),
                        worker.pieces.is_some(),
                    ];
                    let (most, budget) = (most_memory(worker), worker.budget);
                    assert!(most <= budget, "{most} of {budget}: tokenizer {number} with {have_started:?}");
                    counts.iter_mut().zip(have_started).for_each(|(count, has)| *count += usize::from(has));
                });
            }
        }
        assert!(counts.iter().all(|&count| count > 4), "{counts:?}");
    }
}
