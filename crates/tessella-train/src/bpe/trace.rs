//! What one step of BPE training saw: for teaching, and to see why a token is there.

use tessella_core::Result;

use super::learner::Learner;
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

/// One learned merge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TraceStep {
    pub left: String,
    pub right: String,
    pub merged: String,
    pub count: u64,
    /// The pair that came second, and its count.
    pub runner_up: Option<(String, String, u64)>,
    /// After the step: entries of the vocabulary, distinct symbols that still stand somewhere in the corpus, and
    /// occurrences of all symbols.
    pub vocab_size: usize,
    pub distinct_symbols: usize,
    pub symbols: u128,
    /// The distinct pieces after the step, with their counts.
    pub corpus: Option<Vec<(Vec<String>, u64)>>,
}

/// Merges and tells.
pub(super) fn merge_traced(
    learner: &mut Learner,
    best: Candidate,
    options: &TraceOptions,
) -> Result<TraceStep> {
    let second = learner.best();
    let runner_up = second.map(|candidate| {
        learner.push(candidate.count, candidate.entry);
        let pair = learner.pair_of(candidate.entry);
        let text = |id| learner.tokens.text(id).to_string();
        (text(pairs::left(pair.key)), text(pairs::right(pair.key)), candidate.count)
    });
    let merge = learner.merge(best)?;
    let text = |id| learner.tokens.text(id).to_string();
    let corpus = (learner.symbols.starts.len() <= options.corpus_up_to).then(|| {
        let owned = |texts: Vec<&str>| texts.into_iter().map(String::from).collect();
        learner.words().map(|(texts, count)| (owned(texts), count)).collect()
    });
    Ok(TraceStep {
        left: text(merge.left),
        right: text(merge.right),
        merged: text(merge.merged),
        count: merge.count,
        runner_up,
        vocab_size: learner.tokens.len(),
        distinct_symbols: learner.distinct_symbols(),
        symbols: learner.token_total,
        corpus,
    })
}
