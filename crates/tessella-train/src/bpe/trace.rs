//! What one step of training by pairs saw: for teaching, and to see why a token is there.

use tessella_core::Result;

use super::learner::{Learner, Merge};
use super::pairs;
use super::queue::Candidate;

/// How much each step tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TraceOptions {
    /// The corpus after the step is told if it has at most this many distinct pieces.
    pub corpus_up_to: usize,
}

impl Default for TraceOptions {
    fn default() -> Self {
        TraceOptions { corpus_up_to: 1000 }
    }
}

/// Two symbols that stand next to each other.
#[derive(Debug, Clone, PartialEq)]
pub struct TracePair {
    /// The left symbol.
    pub left: String,
    /// The right one.
    pub right: String,
    /// How often they stand side by side.
    pub count: u64,
    /// What WordPiece by likelihood chooses by.
    pub score: Option<f64>,
}

/// One learned merge.
#[derive(Debug, Clone, PartialEq)]
pub struct TraceStep {
    /// What is merged.
    pub pair: TracePair,
    /// The symbol that comes of it.
    pub merged: String,
    /// The pair that came second.
    pub runner_up: Option<TracePair>,
    /// After the step: entries of the vocabulary, distinct symbols that still stand somewhere in the corpus, and
    /// occurrences of all symbols.
    pub vocab_size: usize,
    /// How many different ones stand in the corpus.
    pub distinct_symbols: usize,
    /// How many symbols the corpus has.
    pub symbols: u128,
    /// The distinct pieces after the step, with their counts.
    pub corpus: Option<Vec<(Vec<String>, u64)>>,
}

/// How much to tell about each step, and to whom.
pub(crate) type Traced<'a> = (&'a TraceOptions, &'a mut dyn FnMut(TraceStep) -> Result<()>);

/// A pair by its key.
pub(crate) fn told(learner: &Learner, key: u64, count: u64, score: Option<f64>) -> TracePair {
    let text = |id| learner.tokens.text(id).to_string();
    TracePair { left: text(pairs::left(key)), right: text(pairs::right(key)), count, score }
}

/// A merge that was just made.
pub(crate) fn step(
    learner: &Learner,
    merge: &Merge,
    score: Option<f64>,
    runner_up: Option<TracePair>,
    options: &TraceOptions,
) -> TraceStep {
    let corpus = (learner.symbols.starts.len() <= options.corpus_up_to).then(|| {
        let owned = |texts: Vec<&str>| texts.into_iter().map(String::from).collect();
        learner.words().map(|(texts, count)| (owned(texts), count)).collect()
    });
    TraceStep {
        pair: told(learner, pairs::key(merge.left, merge.right), merge.count, score),
        merged: learner.tokens.text(merge.merged).to_string(),
        runner_up,
        vocab_size: learner.tokens.len(),
        distinct_symbols: learner.distinct_symbols(),
        symbols: learner.token_total,
        corpus,
    }
}

/// Merges and tells.
pub(super) fn merge_traced(
    learner: &mut Learner,
    best: Candidate,
    options: &TraceOptions,
) -> Result<TraceStep> {
    let runner_up = learner.runner_up(best).map(|(key, count)| told(learner, key, count, None));
    let merge = learner.merge(best)?;
    Ok(step(learner, &merge, None, runner_up, options))
}
