//! WordPiece vocabularies, learned in one of two ways.
//!
//! - [`Scoring::Frequency`] is what the reference trainer does: BPE with a continuation prefix, of which only the
//!   vocabulary is kept. Its own result depends on hash order; ours has the written order of [`bpe`](crate::bpe).
//! - [`Scoring::Likelihood`] is the rule of the original description: merge the pair with the highest
//!   `count(ab) / (count(a) * count(b))`, see [`likelihood`].
//!
//! Options that BPE has as well mean the same here.

mod likelihood;

use std::borrow::Cow;
use std::sync::Arc;

use tessella_core::Result;
use tessella_core::spec::{AddedToken, ModelSpec, Vocab, WordPieceSpec};

use crate::bpe::{BpeTrainer, Checkpoint, TieBreak, TraceOptions, TraceStep, Traced};
use crate::counts::PieceCounts;
use crate::outcome::{Trained, as_special};
use crate::progress::Progress;

/// Which pair is merged next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Scoring {
    /// The most frequent pair.
    #[default]
    Frequency,
    /// The pair that is most frequent in relation to its parts.
    Likelihood,
}

/// Options of WordPiece training; the defaults are the reference trainer's.
#[derive(Debug, Clone)]
pub struct WordPieceTrainer {
    /// Entries, special tokens included.
    pub vocab_size: usize,
    /// Pairs rarer than this are not merged.
    pub min_frequency: u64,
    /// They take the first ids.
    pub special_tokens: Vec<AddedToken>,
    /// The rarest characters beyond this number are left out.
    pub limit_alphabet: Option<usize>,
    /// Characters that are in the vocabulary whether they occur or not.
    pub initial_alphabet: Vec<char>,
    /// Put before every symbol that does not begin a piece.
    pub continuing_subword_prefix: String,
    /// Put behind the last part of a word.
    pub end_of_word_suffix: Option<String>,
    /// What makes a pair worth merging.
    pub scoring: Scoring,
    /// Which of equally good pairs is merged.
    pub tie_break: TieBreak,
    /// Whether an alphabet that leaves no room is an error.
    pub strict_budget: bool,
    /// What unknown pieces become. It is in the vocabulary only if it is a special token.
    pub unk_token: String,
    /// Longer pieces become unknown.
    pub max_input_chars_per_word: usize,
    /// Saves the state now and then, and continues from it.
    pub checkpoint: Option<Checkpoint>,
}

impl Default for WordPieceTrainer {
    fn default() -> Self {
        WordPieceTrainer {
            vocab_size: 30_000,
            min_frequency: 0,
            special_tokens: Vec::new(),
            limit_alphabet: None,
            initial_alphabet: Vec::new(),
            continuing_subword_prefix: "##".to_string(),
            end_of_word_suffix: None,
            scoring: Scoring::Frequency,
            tie_break: TieBreak::SmallerIds,
            strict_budget: false,
            unk_token: "[UNK]".to_string(),
            max_input_chars_per_word: 100,
            checkpoint: None,
        }
    }
}

impl WordPieceTrainer {
    /// Learns a model.
    pub fn train(&self, counts: &PieceCounts, progress: &dyn Progress) -> Result<Trained> {
        self.train_from(Cow::Borrowed(counts), progress, None)
    }

    /// Learns and gives the memory of the counts back before the first merge.
    pub fn train_once(&self, counts: PieceCounts, progress: &dyn Progress) -> Result<Trained> {
        self.train_from(Cow::Owned(counts), progress, None)
    }

    /// Learns and tells about every step.
    pub fn train_traced(
        &self,
        counts: &PieceCounts,
        progress: &dyn Progress,
        options: &TraceOptions,
        sink: &mut dyn FnMut(TraceStep) -> Result<()>,
    ) -> Result<Trained> {
        self.train_from(Cow::Borrowed(counts), progress, Some((options, sink)))
    }

    fn train_from(
        &self,
        counts: Cow<'_, PieceCounts>,
        progress: &dyn Progress,
        traced: Option<Traced<'_>>,
    ) -> Result<Trained> {
        let pairs = self.pairs();
        let (tokens, report) = match self.scoring {
            Scoring::Frequency => {
                let learned = pairs.learn(counts, progress, traced)?;
                (learned.tokens, learned.report)
            }
            Scoring::Likelihood => likelihood::learn(&pairs, counts, progress, traced)?,
        };
        let model = ModelSpec::WordPiece(WordPieceSpec {
            vocab: Arc::new(Vocab::from_entries(tokens.iter())?),
            unk_token: self.unk_token.clone(),
            continuing_subword_prefix: self.continuing_subword_prefix.clone(),
            max_input_chars_per_word: self.max_input_chars_per_word,
        });
        // The merges of the way are not part of the model.
        let report = crate::TrainReport { merges: 0, tokens: None, ..report };
        Ok(Trained { model, special_tokens: as_special(&self.special_tokens), report })
    }

    /// About how many bytes [`train`](Self::train) takes at its peak, the counts not included.
    pub fn estimate_memory(&self, counts: &PieceCounts) -> Result<u64> {
        self.pairs().estimate_memory(counts)
    }

    /// The learner of pairs that does the work.
    fn pairs(&self) -> BpeTrainer {
        BpeTrainer {
            vocab_size: self.vocab_size,
            min_frequency: self.min_frequency,
            special_tokens: self.special_tokens.clone(),
            limit_alphabet: self.limit_alphabet,
            initial_alphabet: self.initial_alphabet.clone(),
            continuing_subword_prefix: Some(self.continuing_subword_prefix.clone()),
            end_of_word_suffix: self.end_of_word_suffix.clone(),
            tie_break: self.tie_break,
            strict_budget: self.strict_budget,
            checkpoint: self.checkpoint.clone(),
            ..BpeTrainer::default()
        }
    }
}
