//! What training hands back: a model description, its special tokens and a plain report.

use tessella_core::spec::{AddedToken, ModelSpec};

/// A trained model.
#[derive(Debug, Clone)]
pub struct Trained {
    /// The description of the model.
    pub model: ModelSpec,
    /// The special tokens that the trainer was given, ready to be added to the tokenizer.
    pub special_tokens: Vec<AddedToken>,
    /// What is worth knowing about the training.
    pub report: TrainReport,
}

/// Why learning ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Ending {
    /// The vocabulary has the size asked for.
    #[default]
    Full,
    /// There was nothing left to learn from.
    Exhausted,
    /// The best candidate was rarer than `min_frequency`.
    TooRare,
    /// Specials and alphabet alone reached the target.
    AlphabetFills,
}

impl Ending {
    /// The reason in words.
    pub fn explain(self) -> &'static str {
        match self {
            Ending::Full => "the vocabulary reached its target size",
            Ending::Exhausted => "no candidate was left to learn",
            Ending::TooRare => "every candidate left is rarer than min_frequency",
            Ending::AlphabetFills => {
                "the special tokens and the alphabet already reach the target; no merge was learned"
            }
        }
    }
}

/// Numbers about a training run.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TrainReport {
    /// Size asked for.
    pub target: usize,
    /// Entries of the vocabulary.
    pub vocab_size: usize,
    /// How many there are.
    pub special_tokens: usize,
    /// Single characters, decorated forms included.
    pub alphabet: usize,
    /// Merge rules (BPE), 0 elsewhere.
    pub merges: usize,
    /// Distinct pieces that were learned from.
    pub distinct_pieces: u64,
    /// Occurrences of pieces.
    pub total_pieces: u128,
    /// Occurrences of characters that are not in the alphabet and were left out.
    pub dropped_characters: u128,
    /// Symbols that the corpus has under the trained model (weighted), if the trainer knows it.
    pub tokens: Option<u128>,
    /// Why it ended.
    pub ending: Ending,
    /// Bytes that learning held at its peak, the counts not included, if the trainer knows it.
    pub peak_memory: Option<u64>,
    /// Negative log-likelihood per piece occurrence of the last estimate (Unigram).
    pub loss: Option<f64>,
}

/// Gives the special tokens the form that the tokenizer expects: special, no doubles.
pub(crate) fn as_special(tokens: &[AddedToken]) -> Vec<AddedToken> {
    let mut seen = std::collections::HashSet::new();
    tokens
        .iter()
        .filter(|token| seen.insert(token.content.as_str()))
        .map(|token| AddedToken { id: None, special: true, ..token.clone() })
        .collect()
}
