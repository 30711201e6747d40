//! Word vocabularies: the most frequent pieces, whole.
//!
//! Ids: special tokens as given, then words by count descending, equal counts by their bytes, down to
//! `min_frequency`, up to `vocab_size` in all. A word that is also a special token keeps the special token's id and
//! takes no second place (the reference trainer leaves a hole there).

use std::sync::Arc;

use tessella_core::Result;
use tessella_core::spec::{AddedToken, ModelSpec, Vocab, WordLevelSpec};

use crate::counts::PieceCounts;
use crate::outcome::{Ending, TrainReport, Trained, as_special};
use crate::progress::{Progress, Stage, report};

/// Options of word-level training; the defaults are the reference trainer's.
#[derive(Debug, Clone)]
pub struct WordLevelTrainer {
    /// Entries of the vocabulary, special tokens included.
    pub vocab_size: usize,
    /// Rarer words are left out.
    pub min_frequency: u64,
    /// They take the first ids.
    pub special_tokens: Vec<AddedToken>,
    /// What unknown words become. It is in the vocabulary only if it is a special token.
    pub unk_token: String,
}

impl Default for WordLevelTrainer {
    fn default() -> Self {
        WordLevelTrainer {
            vocab_size: 30_000,
            min_frequency: 0,
            special_tokens: Vec::new(),
            unk_token: "<unk>".to_string(),
        }
    }
}

impl WordLevelTrainer {
    /// About how many bytes [`train`](Self::train) takes at its peak, the counts not included: a list of the most
    /// frequent words, and the vocabulary.
    pub fn estimate_memory(&self, counts: &PieceCounts) -> Result<u64> {
        const WORD: u64 = 250;
        Ok(counts.distinct()?.min(self.vocab_size as u64) * WORD)
    }

    /// Learns a model.
    pub fn train(&self, counts: &PieceCounts, progress: &dyn Progress) -> Result<Trained> {
        report(progress, Stage::Finish, 0, self.vocab_size as u64)?;
        let special_tokens = as_special(&self.special_tokens);
        let specials: std::collections::HashSet<&str> =
            special_tokens.iter().map(|token| token.content.as_str()).collect();
        // One spare candidate for every special token that may turn up among the words.
        let words = counts.top(self.vocab_size)?;
        let exhausted = words.len() < self.vocab_size;
        let mut too_rare = false;
        let learned = words
            .iter()
            .filter(|(word, _)| !specials.contains(word.as_str()))
            .take_while(|&&(_, count)| {
                too_rare |= count < self.min_frequency;
                count >= self.min_frequency
            })
            .map(|(word, _)| word.as_str());
        let entries: Vec<&str> = special_tokens
            .iter()
            .map(|token| token.content.as_str())
            .chain(learned)
            .take(self.vocab_size)
            .collect();
        let ending = match (entries.len() == self.vocab_size, too_rare, exhausted) {
            (true, _, _) => Ending::Full,
            (_, true, _) => Ending::TooRare,
            _ => Ending::Exhausted,
        };
        let vocab = Arc::new(Vocab::from_entries(entries.iter().zip(0u32..))?);
        let summary = TrainReport {
            target: self.vocab_size,
            vocab_size: vocab.len(),
            special_tokens: special_tokens.len(),
            distinct_pieces: counts.distinct()?,
            total_pieces: counts.total(),
            ending,
            ..TrainReport::default()
        };
        report(progress, Stage::Finish, vocab.len() as u64, vocab.len() as u64)?;
        let model = ModelSpec::WordLevel(WordLevelSpec { vocab, unk_token: self.unk_token.clone() });
        Ok(Trained { model, special_tokens, report: summary })
    }
}
