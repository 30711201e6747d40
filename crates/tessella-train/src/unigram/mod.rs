//! Unigram: begin with far too many entries, estimate their probabilities, drop what is needed least, repeat.
//!
//! Layers from the bottom up:
//!
//! - [`corpus`]: distinct pieces as one array of character numbers
//! - [`seeds`]: which substrings to begin with; [`lattice`]: where each of them matches
//! - [`estimate`]: expectation and maximisation; [`prune`]: what can go; [`checkpoint`]: the state between rounds
//! - this page: the options, the rounds, the final vocabulary
//!
//! The objective, the rounds and the rules are those of the reference trainer. Everything that it leaves to hash
//! order or to the order of floating-point sums has a fixed order here: the same counts give the same bytes for any
//! number of threads.
//!
//! # The final vocabulary
//!
//! Special tokens come first with score 0, or that of the piece with the same text, which has no other place; an
//! unknown token that is not among them comes before them. Every character of the corpus and of `initial_alphabet`
//! is an entry; one that the estimate dropped gets the lowest
//! score, raised by 0.0001 for each such character before it (by code point). Then the remaining entries in the
//! order of the last pruning until the vocabulary is full. Entries are ordered by score descending; equal scores
//! keep characters first, by code point.

mod checkpoint;
pub(crate) mod corpus;
pub(crate) mod estimate;
pub(crate) mod lattice;
pub(crate) mod prune;
pub(crate) mod seeds;

use std::borrow::Cow;
use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

use tessella_core::spec::{AddedToken, ModelSpec, UnigramSpec};
use tessella_core::{Error, Result};

use crate::bpe::Checkpoint;
use crate::budget::{Budget, Must};
use crate::counts::PieceCounts;
use crate::outcome::{Ending, TrainReport, Trained, as_special};
use crate::parallel;
use crate::progress::{Progress, Stage, report};

use checkpoint::Progressed;
use corpus::Corpus;
use lattice::{Lattice, Piece};

/// Options of Unigram training; the defaults are the reference trainer's.
#[derive(Debug, Clone)]
pub struct UnigramTrainer {
    /// Entries of the vocabulary, specials included. The result may be smaller if the corpus gives no more.
    pub vocab_size: usize,
    /// They take the first ids.
    pub special_tokens: Vec<AddedToken>,
    /// Characters that become entries whether they occur or not.
    pub initial_alphabet: Vec<char>,
    /// The share of entries that a pruning keeps, between 0 and 1.
    pub shrinking_factor: f64,
    /// What unknown characters become. Without one the model cannot encode unknown characters.
    pub unk_token: Option<String>,
    /// In characters.
    pub max_piece_length: usize,
    /// Rounds of estimation between two prunings.
    pub n_sub_iterations: usize,
    /// Entries to begin with, characters included.
    pub seed_size: usize,
    /// Makes a vocabulary that cannot hold specials and characters an error; otherwise it holds all of them and
    /// nothing else.
    pub strict_budget: bool,
    /// Worker threads; 0 means one per available core. The result does not depend on it.
    pub threads: usize,
    /// Saves the state after each round of estimation, and continues from it.
    pub checkpoint: Option<Checkpoint>,
}

impl Default for UnigramTrainer {
    fn default() -> Self {
        UnigramTrainer {
            vocab_size: 8000,
            special_tokens: Vec::new(),
            initial_alphabet: Vec::new(),
            shrinking_factor: 0.75,
            unk_token: None,
            max_piece_length: 16,
            n_sub_iterations: 2,
            seed_size: 1_000_000,
            strict_budget: false,
            threads: 0,
            checkpoint: None,
        }
    }
}

/// One step of a Unigram training.
#[derive(Debug, Clone, PartialEq)]
#[allow(missing_docs)] // The variants tell their fields.
pub enum UnigramStep {
    /// After a round of estimation: entries that are left, and the negative log-likelihood per occurrence of a
    /// piece before the new scores.
    Estimated { entries: usize, loss: f64 },
    /// After a pruning: entries that are left, and what went with the estimated loss, most valuable first.
    Pruned { entries: usize, dropped: Vec<(String, f64)> },
}

type Sink<'a> = &'a mut dyn FnMut(UnigramStep) -> Result<()>;

impl UnigramTrainer {
    /// Learns a model.
    pub fn train(&self, counts: &PieceCounts, progress: &dyn Progress) -> Result<Trained> {
        self.train_with(Cow::Borrowed(counts), progress, None)
    }

    /// Learns and gives the memory of the counts back before the first round.
    pub fn train_once(&self, counts: PieceCounts, progress: &dyn Progress) -> Result<Trained> {
        self.train_with(Cow::Owned(counts), progress, None)
    }

    /// Trains and tells about every round.
    pub fn train_traced(
        &self,
        counts: &PieceCounts,
        progress: &dyn Progress,
        sink: &mut dyn FnMut(UnigramStep) -> Result<()>,
    ) -> Result<Trained> {
        self.train_with(Cow::Borrowed(counts), progress, Some(sink))
    }

    fn check(&self) -> Result<()> {
        if !(self.shrinking_factor > 0.0 && self.shrinking_factor < 1.0) {
            return Err(Error::value(format!(
                "shrinking_factor is {}; it must lie between 0 and 1, for example 0.75",
                self.shrinking_factor
            )));
        }
        if self.max_piece_length == 0 || self.max_piece_length > 1 << 16 {
            return Err(Error::value(format!(
                "max_piece_length is {}; it must lie between 1 and {}",
                self.max_piece_length,
                1 << 16
            )));
        }
        if self.n_sub_iterations == 0 {
            return Err(Error::value("n_sub_iterations is 0; at least one round of estimation is needed"));
        }
        Ok(())
    }

    fn train_with(
        &self,
        counts: Cow<'_, PieceCounts>,
        progress: &dyn Progress,
        mut sink: Option<Sink<'_>>,
    ) -> Result<Trained> {
        self.check()?;
        let threads = parallel::threads(self.threads);
        report(progress, Stage::Prepare, 0, 0)?;
        let fingerprint = self.fingerprint(&counts)?;
        progress.expect_memory(self.estimate_memory(&counts)?);
        let corpus = Corpus::new(&counts, progress)?;
        drop(counts);
        let required = self.required(&corpus)?;

        report(progress, Stage::Seed, 0, corpus.weights.len() as u64)?;
        let characters = corpus.alphabet.len() - 1;
        // The reference looks at the size behind each seed, so that one is taken in any case.
        let room = self.seed_size.saturating_sub(characters).max(1);
        let seeds = seeds::find(&corpus, self.max_piece_length, room, threads, progress)?;
        let (mut pieces, mut lattice) = lattice::build(&corpus, seeds, progress)?;
        to_log_probabilities(&mut pieces);
        report(progress, Stage::Seed, corpus.weights.len() as u64, corpus.weights.len() as u64)?;

        let first_size = pieces.len();
        let mut at = Progressed { rounds: 0, last_size: usize::MAX };
        if let Some(checkpoint) = &self.checkpoint
            && let Some(saved) = checkpoint::resume(&checkpoint.file, fingerprint, &mut pieces, &mut lattice)?
        {
            at = saved;
        }
        let mut loss = None;
        let enough = self.vocab_size.saturating_mul(11) / 10;
        if !corpus.weights.is_empty() {
            loop {
                while at.rounds < self.n_sub_iterations {
                    loss = Some(self.estimate(&corpus, &mut lattice, &mut pieces, threads, progress)?);
                    if let (Some(sink), Some(loss)) = (&mut sink, loss) {
                        sink(UnigramStep::Estimated { entries: pieces.len() - 1, loss })?;
                    }
                    let above = |size: usize| size.saturating_sub(enough) as u64;
                    let done = above(first_size) - above(pieces.len()).min(above(first_size));
                    at.rounds += 1;
                    if let Some(checkpoint) = &self.checkpoint {
                        checkpoint::save(&checkpoint.file, fingerprint, at, &pieces)?;
                    }
                    report(progress, Stage::Estimate, done, above(first_size))?;
                }
                if pieces.len() <= enough || pieces.len() >= at.last_size {
                    break;
                }
                at = Progressed { rounds: 0, last_size: pieces.len() };
                let size = enough.max((pieces.len() as f64 * self.shrinking_factor) as usize);
                self.prune(&corpus, &mut lattice, &mut pieces, size, threads, progress, &mut sink)?;
            }
        }
        let (vocab, unk_id) = self.finish(&corpus, &pieces, &required);
        self.checkpoint.as_ref().map_or(Ok(()), Checkpoint::forget)?;
        let summary = TrainReport { loss, ..self.summary(&corpus, vocab.len(), required.len()) };
        report(progress, Stage::Finish, vocab.len() as u64, vocab.len() as u64)?;
        let model = ModelSpec::Unigram(UnigramSpec {
            vocab: Arc::new(vocab),
            unk_id,
            byte_fallback: false,
            alpha: None,
            nbest_size: None,
        });
        Ok(Trained { model, special_tokens: as_special(&self.special_tokens), report: summary })
    }

    fn summary(&self, corpus: &Corpus, vocab_size: usize, characters: usize) -> TrainReport {
        TrainReport {
            target: self.vocab_size,
            vocab_size,
            special_tokens: self.special_tokens.len(),
            alphabet: characters,
            distinct_pieces: corpus.weights.len() as u64,
            total_pieces: corpus.total,
            ending: match vocab_size.cmp(&self.vocab_size) {
                std::cmp::Ordering::Less => Ending::Exhausted,
                std::cmp::Ordering::Equal => Ending::Full,
                std::cmp::Ordering::Greater => Ending::AlphabetFills,
            },
            ..TrainReport::default()
        }
    }

    /// A hash of the pieces and of all options that the result depends on.
    fn fingerprint(&self, counts: &PieceCounts) -> Result<u64> {
        if self.checkpoint.is_none() {
            return Ok(0);
        }
        let options = UnigramTrainer { checkpoint: None, threads: 0, ..self.clone() };
        crate::bpe::fingerprint(&format!("{options:?}"), &counts.words(false))
    }

    /// About how many bytes [`train`](Self::train) takes at its peak, the counts not included.
    pub fn estimate_memory(&self, counts: &PieceCounts) -> Result<u64> {
        // When the places of all seeds are being written down. Measured over English, source code and text in ninety
        // languages, 0.3 to 8 million characters, with a million seeds: 38 to 47 bytes for each character.
        const CHARACTER: u64 = 41;
        const FIXED: u64 = 1_000_000;
        let mut characters = 0u64;
        counts.for_each_unordered(&mut |piece, _| {
            characters += piece.chars().count() as u64 + 1;
            Ok(())
        })?;
        Ok(characters * CHARACTER + FIXED)
    }

    /// The characters that must be entries; those that special tokens are have their place already.
    fn required(&self, corpus: &Corpus) -> Result<BTreeSet<char>> {
        let nul = usize::from(!corpus.has_nul);
        let mut required: BTreeSet<char> =
            corpus.alphabet[nul..].iter().chain(&self.initial_alphabet).copied().collect();
        for text in self.special_tokens.iter().map(|token| &token.content).chain(&self.unk_token) {
            let mut characters = text.chars();
            if let (Some(character), None) = (characters.next(), characters.next()) {
                required.remove(&character);
            }
        }
        let specials = as_special(&self.special_tokens).len() + usize::from(self.adds_unknown());
        let must = required.len() + if self.strict_budget { specials } else { 0 };
        if must > self.vocab_size {
            let characters = required.len();
            let must = Must::Characters { specials, characters };
            return Err(Budget { size: self.vocab_size, needed: specials + characters, must }.into());
        }
        Ok(required)
    }

    /// True if the unknown token is not among the special tokens.
    fn adds_unknown(&self) -> bool {
        self.unk_token.as_ref().is_some_and(|unk| self.special_tokens.iter().all(|t| t.content != *unk))
    }

    fn estimate(
        &self,
        corpus: &Corpus,
        lattice: &mut Lattice,
        pieces: &mut Vec<Piece>,
        threads: usize,
        progress: &dyn Progress,
    ) -> Result<f64> {
        let (expected, likelihood) =
            estimate::expectation(corpus, lattice, pieces, self.max_piece_length, threads, progress)?;
        if let Some(numbers) = estimate::maximisation(pieces, &expected) {
            lattice.renumber(&numbers);
        }
        Ok(-likelihood / corpus.total as f64)
    }

    #[allow(clippy::too_many_arguments)]
    fn prune(
        &self,
        corpus: &Corpus,
        lattice: &mut Lattice,
        pieces: &mut Vec<Piece>,
        size: usize,
        threads: usize,
        progress: &dyn Progress,
        sink: &mut Option<Sink<'_>>,
    ) -> Result<()> {
        let pruned = prune::prune(corpus, lattice, pieces, size, threads, progress)?;
        if let Some(sink) = sink {
            let text = |entry: u32| corpus.text(pieces[entry as usize].position, pieces[entry as usize].len);
            let mut dropped: Vec<(String, f64)> =
                pruned.dropped.iter().map(|&(entry, loss)| (text(entry), loss)).collect();
            dropped.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
            sink(UnigramStep::Pruned { entries: pruned.kept - 1, dropped })?;
        }
        lattice.keep(pieces, &pruned.numbers, pruned.kept);
        Ok(())
    }

    /// The vocabulary in id order, and the id of the unknown token.
    fn finish(
        &self,
        corpus: &Corpus,
        pieces: &[Piece],
        required: &BTreeSet<char>,
    ) -> (Vec<(String, f64)>, Option<usize>) {
        const PENALTY: f64 = 0.0001;
        let texts: Vec<(String, f64)> =
            pieces[1..].iter().map(|piece| (corpus.text(piece.position, piece.len), piece.score)).collect();
        let known: std::collections::HashMap<&str, f64> =
            texts.iter().map(|(text, score)| (text.as_str(), *score)).collect();
        let least = if pieces.len() > 1 { estimate::least_score(pieces) } else { 0.0 };
        let mut missing = 0.0;
        let mut entries: Vec<(String, f64)> = Vec::new();
        for text in required.iter().map(char::to_string) {
            let score = known.get(text.as_str()).copied().unwrap_or_else(|| {
                missing += PENALTY;
                least + missing - PENALTY
            });
            entries.push((text, score));
        }
        let specials = as_special(&self.special_tokens);
        let names: HashSet<&str> =
            specials.iter().map(|token| token.content.as_str()).chain(self.unk_token.as_deref()).collect();
        let before = specials.len() + usize::from(self.adds_unknown());
        let room = self.vocab_size.saturating_sub(before);
        for (text, score) in &texts {
            if entries.len() >= room {
                break;
            }
            let mut characters = text.chars();
            let is_character = characters.next().is_some() && characters.next().is_none();
            if !is_character && !names.contains(text.as_str()) {
                entries.push((text.clone(), *score));
            }
        }
        entries.sort_by(|a, b| b.1.total_cmp(&a.1));
        let unknown = self.unk_token.as_ref().filter(|_| self.adds_unknown());
        let unk_id = match (&self.unk_token, unknown) {
            (Some(_), Some(_)) => Some(0),
            (Some(unk), None) => specials.iter().position(|token| token.content == *unk),
            _ => None,
        };
        let vocab = unknown
            .into_iter()
            .cloned()
            .chain(specials.iter().map(|token| token.content.clone()))
            .map(|text| {
                // Stages may write what is cut out of texts, so that the model meets it all the same.
                let score = known.get(text.as_str()).copied().unwrap_or(0.0);
                (text, score)
            })
            .chain(entries)
            .collect();
        (vocab, unk_id)
    }
}

fn to_log_probabilities(pieces: &mut [Piece]) {
    let sum: f64 = pieces[1..].iter().map(|piece| piece.score).sum();
    let log_sum = sum.ln();
    pieces[1..].iter_mut().for_each(|piece| piece.score = piece.score.ln() - log_sum);
}
