//! Byte-pair encoding: learn to join the most frequent neighbours, again and again.
//!
//! Layers from the bottom up:
//!
//! - [`tokens`]: the growing vocabulary; [`alphabet`]: pieces to first symbols
//! - [`symbols`]: the corpus as one flat array; [`pairs`]: pair counts and positions; [`queue`]: who is next
//! - [`learner`]: one merge after the other; [`near`]: what it would wait for
//! - [`parity`]: one vocabulary for several languages
//! - [`given`]: merges that are decided before learning (an initial vocabulary, forced tokens)
//! - [`trace`]: what each step saw; [`checkpoint`]: the whole state on disk; [`memory`]: what it will take
//! - this page: the options and the order of the steps
//!
//! # The order of everything
//!
//! Ids: special tokens as given, then the alphabet by code point, then forms with prefix or suffix in the order in
//! which they are met (pieces by their bytes), then merged tokens as they are learned. The next merge is the pair
//! with the highest count; of equally frequent ones the one with the smaller left id, then the smaller right id.
//! Within a word a pair is merged from left to right without overlap. Learning ends when the vocabulary is full,
//! when no pair is left, or when the best pair is rarer than `min_frequency`.
//!
//! The result does not depend on threads, on the order of the input or on the run.
//!
//! ```
//! use tessella_train::{PieceCounts, Silent, bpe::BpeTrainer};
//!
//! let counts = PieceCounts::from_pairs([("hug", 10), ("pug", 5), ("pun", 12), ("bun", 4), ("hugs", 5)])?;
//! let trainer = BpeTrainer { vocab_size: 10, ..BpeTrainer::default() };
//! let trained = trainer.train(&counts, &Silent)?;
//! let tessella_core::spec::ModelSpec::Bpe(model) = trained.model else { unreachable!() };
//! assert_eq!(model.vocab.iter_by_id().map(|(_, text)| text).collect::<Vec<_>>(),
//!            ["b", "g", "h", "n", "p", "s", "u", "ug", "un", "hug"]);
//! # Ok::<(), tessella_core::Error>(())
//! ```

pub(crate) mod alphabet;
mod checkpoint;
mod given;
pub(crate) mod learner;
mod memory;
mod near;
pub(crate) mod pairs;
pub mod parity;
pub(crate) mod queue;
pub(crate) mod symbols;
pub(crate) mod tokens;
pub(crate) mod trace;

use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt::Debug;
use std::sync::Arc;

use tessella_core::Result;
use tessella_core::spec::{AddedToken, BpeSpec, Merges, ModelSpec};

use crate::budget::{Budget, Must};
use crate::counts::{PieceCounts, Words};
use crate::outcome::{Ending, TrainReport, Trained, as_special};
use crate::progress::{Progress, Stage, report};

use alphabet::{AlphabetRules, Spelling, add_alphabet, spell_all};
use learner::{Learner, Merge, Rules};
use tokens::Tokens;

pub use checkpoint::Checkpoint;
pub(crate) use checkpoint::fingerprint;
pub use given::InitialVocabulary;
pub(crate) use trace::Traced;
pub use trace::{TraceOptions, TracePair, TraceStep};

/// Which of two equally frequent pairs is merged first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TieBreak {
    /// Smaller left id, then smaller right id: the reference trainer's order.
    #[default]
    SmallerIds,
    /// The pair that stands first in the corpus as it is now. The corpus is the pieces in the order of
    /// appearance if the counts still know it, by their bytes otherwise. Textbooks do it so.
    FirstSeen,
}

/// What happens when a token is made a second time, by another pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Recreated {
    /// As the reference trainer: its counts are slightly off from there on, and a pair may be learned twice.
    #[default]
    AsReference,
    /// Counts stay true.
    Exact,
}

/// May veto a merge.
pub trait MergeFilter: Debug + Send + Sync {
    /// False if the two must never become one token. Asked once, when the pair is about to be merged.
    fn allows(&self, left: &str, right: &str, merged: &str, count: u64) -> Result<bool>;

    /// What tells it from other filters, where that can be known: a checkpoint belongs to one of them.
    fn name(&self) -> String {
        String::from("a filter")
    }
}

/// Options of BPE training; the defaults are the reference trainer's.
#[derive(Debug, Clone)]
pub struct BpeTrainer {
    /// Entries of the vocabulary, specials and alphabet included. The alphabet is kept even beyond it.
    pub vocab_size: usize,
    /// Pairs rarer than this are not merged.
    pub min_frequency: u64,
    /// They take the first ids.
    pub special_tokens: Vec<AddedToken>,
    /// Keeps only the most frequent characters; ties keep the smaller code point.
    pub limit_alphabet: Option<usize>,
    /// Characters that are in the alphabet whether they occur or not.
    pub initial_alphabet: Vec<char>,
    /// Put before every symbol that does not begin a piece.
    pub continuing_subword_prefix: Option<String>,
    /// Put after the last symbol of every piece.
    pub end_of_word_suffix: Option<String>,
    /// Tokens are shorter than this, in initial symbols; pairs of initial symbols are exempt.
    pub max_token_length: Option<usize>,
    /// Which of equally frequent pairs is merged.
    pub tie_break: TieBreak,
    /// What happens when a merge makes a token that is there.
    pub recreated: Recreated,
    /// Makes a target that specials and alphabet alone exceed an error; otherwise nothing is learned then.
    pub strict_budget: bool,
    /// Tokens that will be in the vocabulary, reachable by merges, before anything is learned.
    pub forced_tokens: Vec<String>,
    /// A vocabulary with merges that training continues.
    pub initial_vocab: Option<InitialVocabulary>,
    /// Merges that are never made.
    pub merge_filter: Option<Arc<dyn MergeFilter>>,
    /// Saves the state now and then, and continues from it.
    pub checkpoint: Option<Checkpoint>,
}

impl Default for BpeTrainer {
    fn default() -> Self {
        BpeTrainer {
            vocab_size: 30_000,
            min_frequency: 0,
            special_tokens: Vec::new(),
            limit_alphabet: None,
            initial_alphabet: Vec::new(),
            continuing_subword_prefix: None,
            end_of_word_suffix: None,
            max_token_length: None,
            tie_break: TieBreak::default(),
            recreated: Recreated::default(),
            strict_budget: false,
            forced_tokens: Vec::new(),
            initial_vocab: None,
            merge_filter: None,
            checkpoint: None,
        }
    }
}

/// What was learned, before it becomes a model.
pub(crate) struct Learned {
    pub(crate) tokens: Tokens,
    merges: Vec<Merge>,
    pub(crate) report: TrainReport,
}

/// The pairs by rank. A pair may have been learned twice: the later rank is the one that counts.
fn last_ranks(merges: Vec<Merge>) -> Vec<(u32, u32)> {
    let mut seen: HashSet<(u32, u32)> = HashSet::with_capacity(merges.len());
    let mut pairs: Vec<(u32, u32)> = merges
        .iter()
        .rev()
        .map(|merge| (merge.left, merge.right))
        .filter(|&pair| seen.insert(pair))
        .collect();
    pairs.reverse();
    pairs
}

/// Merges between two progress reports.
const REPORT_EVERY: usize = 64;

impl BpeTrainer {
    /// Learns a BPE model.
    pub fn train(&self, counts: &PieceCounts, progress: &dyn Progress) -> Result<Trained> {
        let learned = self.learn(Cow::Borrowed(counts), progress, None)?;
        self.finish(learned)
    }

    /// Learns a BPE model and gives the memory of the counts back before the first merge.
    pub fn train_once(&self, counts: PieceCounts, progress: &dyn Progress) -> Result<Trained> {
        let learned = self.learn(Cow::Owned(counts), progress, None)?;
        self.finish(learned)
    }

    /// Learns a BPE model and tells about every step.
    pub fn train_traced(
        &self,
        counts: &PieceCounts,
        progress: &dyn Progress,
        options: &TraceOptions,
        sink: &mut dyn FnMut(TraceStep) -> Result<()>,
    ) -> Result<Trained> {
        let learned = self.learn(Cow::Borrowed(counts), progress, Some((options, sink)))?;
        self.finish(learned)
    }

    fn finish(&self, learned: Learned) -> Result<Trained> {
        let merges = last_ranks(learned.merges);
        let report = TrainReport { merges: merges.len(), ..learned.report };
        let model = ModelSpec::Bpe(BpeSpec {
            continuing_subword_prefix: self.continuing_subword_prefix.clone(),
            end_of_word_suffix: self.end_of_word_suffix.clone(),
            ..BpeSpec::new(learned.tokens.into_vocab(), Merges::Pairs(Arc::new(merges)))
        });
        Ok(Trained { model, special_tokens: as_special(&self.special_tokens), report })
    }

    /// The pieces in the order in which they are learned from.
    fn words<'c>(&self, counts: &'c PieceCounts) -> Words<'c> {
        counts.words(self.tie_break == TieBreak::FirstSeen)
    }

    /// True if the order of the pieces cannot be told from the result: positions decide nothing, no symbol gets its
    /// id by where it is met first, and no state is saved.
    fn ignores_order(&self) -> bool {
        let plain = |affix: &Option<String>| affix.as_deref().unwrap_or_default().is_empty();
        self.tie_break == TieBreak::SmallerIds
            && plain(&self.continuing_subword_prefix)
            && plain(&self.end_of_word_suffix)
            && self.checkpoint.is_none()
    }

    fn rules(&self) -> Rules {
        Rules {
            tie_break: self.tie_break,
            recreated: self.recreated,
            max_length: self.max_token_length,
            prefix: self.continuing_subword_prefix.clone(),
        }
    }

    /// Everything up to the first merge: the vocabulary so far, the corpus as symbols, the report begun. In
    /// `any_order` the pieces need not be sorted.
    pub(crate) fn prepare(
        &self,
        counts: Cow<'_, PieceCounts>,
        only_forms: bool,
        any_order: bool,
        progress: &dyn Progress,
    ) -> Result<(Learner, TrainReport)> {
        report(progress, Stage::Prepare, 0, 0)?;
        let words = [if any_order { counts.words_in_any_order() } else { self.words(&counts) }];
        let mut tokens = Tokens::default();
        if let Some(initial) = &self.initial_vocab {
            initial.add_tokens(&mut tokens)?;
        }
        let before = tokens.len();
        for token in &self.special_tokens {
            tokens.insert(&token.content)?;
        }
        let specials = tokens.len() - before;
        let rules = AlphabetRules {
            limit: self.limit_alphabet,
            initial: &self.initial_alphabet,
            prefix: self.continuing_subword_prefix.as_deref(),
            suffix: self.end_of_word_suffix.as_deref(),
            only_forms,
        };
        let extent = add_alphabet(&mut tokens, &words, &rules)?;
        let mut spelling = Spelling::new(rules);
        let symbols = match spell_all(&mut tokens, &words[0], extent, &mut spelling) {
            // In their own order once more, so that the error names the same piece every time.
            Err(_) if any_order => spell_all(&mut tokens, &self.words(&counts), extent, &mut spelling)?,
            spelled => spelled?,
        };
        let alphabet = tokens.len() - before - specials;
        if self.strict_budget && tokens.len() > self.vocab_size {
            let must = Must::Alphabet { initial: before, specials, alphabet };
            return Err(Budget { size: self.vocab_size, needed: tokens.len(), must }.into());
        }
        let summary = TrainReport {
            target: self.vocab_size,
            special_tokens: specials,
            alphabet,
            distinct_pieces: counts.distinct()?,
            total_pieces: counts.total(),
            dropped_characters: spelling.dropped,
            ..TrainReport::default()
        };
        drop(words);
        drop(counts);
        report(progress, Stage::Prepare, summary.distinct_pieces, summary.distinct_pieces)?;
        progress.expect_memory(memory::estimate_for(&symbols, self.vocab_size));
        let mut learner = Learner::new(self.rules(), tokens, symbols)?;
        learner.reserve(self.vocab_size);
        if let Some(initial) = &self.initial_vocab {
            given::replay(&mut learner, initial, progress)?;
        }
        let before_forced = learner.tokens.len();
        given::force(&mut learner, &self.forced_tokens)?;
        if self.strict_budget && learner.tokens.len() > self.vocab_size {
            let needed = learner.tokens.len();
            let must = Must::Forced { before: before_forced, forced: needed - before_forced };
            return Err(Budget { size: self.vocab_size, needed, must }.into());
        }
        Ok((learner, summary))
    }

    /// A hash of the pieces and of all options that the result depends on.
    pub(crate) fn fingerprint(&self, kind: &str, counts: &PieceCounts) -> Result<u64> {
        if self.checkpoint.is_none() {
            return Ok(0);
        }
        let filter = self.merge_filter.as_ref().map(|filter| filter.name());
        let options = BpeTrainer { checkpoint: None, merge_filter: None, ..self.clone() };
        fingerprint(&format!("{kind} {options:?} {filter:?}"), &self.words(counts))
    }

    /// What the checkpoint holds, if there is one.
    pub(crate) fn resume(&self, fingerprint: u64) -> Result<Option<(Learner, TrainReport)>> {
        let Some(checkpoint) = &self.checkpoint else { return Ok(None) };
        let mut summary = TrainReport { target: self.vocab_size, ..TrainReport::default() };
        let learner = checkpoint::load(&checkpoint.file, fingerprint, self.rules(), &mut summary)?;
        Ok(learner.map(|learner| (learner, summary)))
    }

    /// Saves the state if it is time to, or if it has to be `now`.
    pub(crate) fn save(
        &self,
        learner: &mut Learner,
        fingerprint: u64,
        report: &TrainReport,
        now: bool,
    ) -> Result<()> {
        let Some(checkpoint) = &self.checkpoint else { return Ok(()) };
        if now || learner.merges.len() - learner.saved_at >= checkpoint.every.max(1) {
            learner.saved_at = learner.merges.len();
            checkpoint::save(&checkpoint.file, fingerprint, learner, report)?;
        }
        Ok(())
    }

    /// Removes the file of a training that is complete.
    pub(crate) fn forget_checkpoint(&self) -> Result<()> {
        self.checkpoint.as_ref().map_or(Ok(()), Checkpoint::forget)
    }

    /// From the checkpoint, if there is one, or from the counts.
    fn begin(
        &self,
        counts: Cow<'_, PieceCounts>,
        fingerprint: u64,
        traced: bool,
        progress: &dyn Progress,
    ) -> Result<(Learner, TrainReport)> {
        if let Some(resumed) = self.resume(fingerprint)? {
            return Ok(resumed);
        }
        let (mut learner, summary) =
            self.prepare(counts, false, !traced && self.ignores_order(), progress)?;
        learner.fill_queue();
        Ok((learner, summary))
    }

    pub(crate) fn learn(
        &self,
        counts: Cow<'_, PieceCounts>,
        progress: &dyn Progress,
        mut traced: Option<Traced<'_>>,
    ) -> Result<Learned> {
        let fingerprint = self.fingerprint("pairs", &counts)?;
        let (mut learner, mut summary) = self.begin(counts, fingerprint, traced.is_some(), progress)?;
        let mut since_report = 0;
        summary.ending = loop {
            if learner.tokens.len() >= self.vocab_size {
                break if learner.merges.is_empty() { Ending::AlphabetFills } else { Ending::Full };
            }
            if since_report % REPORT_EVERY == 0 {
                let memory = Some(learner.memory() as u64);
                summary.peak_memory = summary.peak_memory.max(memory);
                let told =
                    report(progress, Stage::Merge, learner.tokens.len() as u64, self.vocab_size as u64);
                self.save(&mut learner, fingerprint, &summary, told.is_err())?;
                told?;
            }
            since_report += 1;
            let Some(best) = learner.best() else { break Ending::Exhausted };
            if best.count < self.min_frequency.max(1) {
                break Ending::TooRare;
            }
            if let Some(filter) = &self.merge_filter {
                let pair = learner.pair_of(best.entry);
                let (left, right) = (pairs::left(pair.key), pairs::right(pair.key));
                let merged = learner.merged_text(left, right);
                let (left, right) = (learner.tokens.text(left), learner.tokens.text(right));
                if !filter.allows(left, right, &merged, best.count)? {
                    continue;
                }
            }
            match &mut traced {
                None => drop(learner.merge(best)?),
                Some((options, sink)) => sink(trace::merge_traced(&mut learner, best, options)?)?,
            }
        };
        summary.vocab_size = learner.tokens.len();
        summary.merges = learner.merges.len();
        summary.tokens = Some(learner.token_total);
        // Too late to be stopped: everything is learned.
        let (size, wanted) = (summary.vocab_size as u64, self.vocab_size as u64);
        progress.update(Stage::Merge, size, wanted.max(size));
        self.forget_checkpoint()?;
        Ok(Learned { tokens: learner.tokens, merges: learner.merges, report: summary })
    }
}
