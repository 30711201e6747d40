//! Parity-aware BPE: one vocabulary for several languages, none of which is left behind.
//!
//! Every language has its own pieces. At each step one language is chosen, the one that is served worst so far, and
//! *its* most frequent pair becomes the next merge, for all languages. What comes out is an ordinary BPE model.
//!
//! From the bottom up:
//!
//! - [`language`]: the pieces of one language, and which pair is next there
//! - [`choice`]: which language is next
//! - this page: the options and the order of the steps
//!
//! # The order of everything
//!
//! Ids: special tokens, the alphabet of all languages by code point, forms with prefix or suffix as they are met
//! (languages in order, pieces by their bytes), then merged tokens. The first `global_merges` merges are the most
//! frequent pairs of all languages together. Of equally frequent pairs the one with the *greater* texts wins, left
//! text first, bytes compared. Equally served languages come in their order.
//!
//! This is what the reference trainer does. Where it would never end (every language that could be chosen is either
//! used up or was chosen too often of late), the first language that is left is taken.

mod choice;
mod language;

use std::collections::{BTreeSet, HashSet};

use tessella_core::spec::AddedToken;
use tessella_core::{Error, Result};

use super::alphabet::{AlphabetRules, Spelling, add_alphabet, spell_all, spell_known};
use super::learner::{Learner, Merge, Rules};
use super::symbols::Extent;
use super::tokens::Tokens;
use super::{BpeTrainer, Learned, Recreated, TieBreak, pairs};
use crate::counts::{PieceCounts, Words};
use crate::outcome::{Ending, TrainReport, Trained};
use crate::progress::{Progress, Stage, report};

use choice::{Chooser, Served};
use language::{Language, TextQueue, best_of_all};

pub use choice::ParityVariant;

/// Options of parity-aware training; the defaults are the reference trainer's.
#[derive(Debug, Clone)]
pub struct ParityTrainer {
    /// Merges to learn.
    pub num_merges: usize,
    /// Which rule chooses the pair.
    pub variant: ParityVariant,
    /// A language whose best pair is rarer than this has nothing more to learn.
    pub min_frequency: u64,
    /// For each language the compression that it should reach, in relation to the others; the language that is
    /// furthest from it comes next. Not used where there is a development text.
    pub ratio: Option<Vec<f64>>,
    /// Merges at the beginning that count all languages together.
    pub global_merges: usize,
    /// With [`ParityVariant::Window`]: choices that are remembered.
    pub window_size: usize,
    /// With [`ParityVariant::Window`]: a language may have at most `alpha / languages` of the remembered choices.
    pub alpha: f64,
    /// Takes the entries that are there before the first merge off `num_merges`: special tokens, alphabet, forms.
    pub total_symbols: bool,
    /// They take the first ids.
    pub special_tokens: Vec<AddedToken>,
    /// These four mean what they mean in [`BpeTrainer`].
    pub limit_alphabet: Option<usize>,
    /// Characters that are in the vocabulary whether they occur or not.
    pub initial_alphabet: Vec<char>,
    /// Put before symbols that do not begin a piece.
    pub continuing_subword_prefix: Option<String>,
    /// Put behind the last symbol of a piece.
    pub end_of_word_suffix: Option<String>,
    /// Tokens are shorter than this, in initial symbols; pairs of initial symbols are exempt.
    pub max_token_length: Option<usize>,
}

impl Default for ParityTrainer {
    fn default() -> Self {
        ParityTrainer {
            num_merges: 32_000,
            variant: ParityVariant::Base,
            min_frequency: 0,
            ratio: None,
            global_merges: 0,
            window_size: 100,
            alpha: 2.0,
            total_symbols: false,
            special_tokens: Vec::new(),
            limit_alphabet: None,
            initial_alphabet: Vec::new(),
            continuing_subword_prefix: None,
            end_of_word_suffix: None,
            max_token_length: None,
        }
    }
}

impl ParityTrainer {
    /// Learns from the pieces of each language. `development` has other pieces of each language, or is empty; they
    /// say how well a language is served, and no merge is learned from them.
    pub fn train(
        &self,
        languages: &[PieceCounts],
        development: &[PieceCounts],
        progress: &dyn Progress,
    ) -> Result<Trained> {
        self.check(languages.len(), development.len())?;
        report(progress, Stage::Prepare, 0, 0)?;
        let corpora: Vec<Words<'_>> =
            languages.iter().chain(development).map(|counts| counts.words(false)).collect();
        let mut tokens = Tokens::default();
        for token in &self.special_tokens {
            tokens.insert(&token.content)?;
        }
        let specials = tokens.len();
        let rules = AlphabetRules {
            limit: self.limit_alphabet,
            initial: &self.initial_alphabet,
            prefix: self.continuing_subword_prefix.as_deref(),
            suffix: self.end_of_word_suffix.as_deref(),
            only_forms: false,
        };
        add_alphabet(&mut tokens, &corpora, &rules)?;
        let mut summary = TrainReport { special_tokens: specials, ..TrainReport::default() };
        let mut trained_on = Vec::new();
        for (words, counts) in corpora.iter().zip(languages) {
            let mut spelling = Spelling::new(rules.clone());
            trained_on.push(spell_all(&mut tokens, words, Extent::default(), &mut spelling)?);
            summary.dropped_characters += spelling.dropped;
            summary.distinct_pieces += counts.distinct()?;
            summary.total_pieces += counts.total();
        }
        summary.alphabet = tokens.len() - specials;
        let learner = |symbols, max_length| Learner::sharing(self.rules(max_length), tokens.len(), symbols);
        let mut judges = Vec::new();
        for words in &corpora[languages.len()..] {
            judges.push(learner(spell_known(&tokens, words, &rules)?, None)?);
        }
        let mut languages = Vec::new();
        for symbols in trained_on {
            languages.push(Language::new(learner(symbols, self.max_token_length)?, &tokens));
        }
        let wanted = match self.total_symbols {
            true => self.num_merges.saturating_sub(tokens.len()),
            false => self.num_merges,
        };
        drop(corpora);
        summary.target = tokens.len() + wanted;
        report(progress, Stage::Prepare, summary.distinct_pieces, summary.distinct_pieces)?;
        self.learn(tokens, languages, judges, wanted, summary, progress)
    }

    fn check(&self, languages: usize, development: usize) -> Result<()> {
        if languages == 0 {
            return Err(Error::value("there is no language to learn from: give the pieces of one or more"));
        }
        if development != 0 && development != languages {
            return Err(Error::value(format!(
                "there are development texts for {development} languages, but {languages} languages are trained: \
                 give one for each, or none"
            )));
        }
        if let Some(ratio) = &self.ratio {
            if ratio.len() != languages {
                return Err(Error::value(format!(
                    "ratio has {} numbers for {languages} languages: give one for each",
                    ratio.len()
                )));
            }
            if let Some((at, wrong)) = ratio.iter().enumerate().find(|(_, r)| !(r.is_finite() && **r > 0.0)) {
                return Err(Error::value(format!("ratio[{at}] is {wrong}; it must be a number above 0")));
            }
        }
        if self.variant == ParityVariant::Window {
            if self.window_size == 0 {
                return Err(Error::value("window_size is 0; the window must remember at least one choice"));
            }
            if !(self.alpha.is_finite() && self.alpha > 0.0) {
                return Err(Error::value(format!("alpha is {}; it must be a number above 0", self.alpha)));
            }
        }
        Ok(())
    }

    fn rules(&self, max_length: Option<usize>) -> Rules {
        Rules {
            tie_break: TieBreak::SmallerIds,
            recreated: Recreated::Exact,
            max_length,
            prefix: self.continuing_subword_prefix.clone(),
        }
    }

    /// The pairs of all languages, for the merges at the beginning that count them together.
    fn all_together(&self, languages: &[Language], tokens: &Tokens) -> TextQueue {
        let mut together = TextQueue::default();
        if self.global_merges > 0 {
            let keys: BTreeSet<u64> = languages.iter().flat_map(Language::keys).collect();
            for key in keys {
                together.push(language::count_of_all(languages, key), key, tokens);
            }
        }
        together
    }

    fn learn(
        &self,
        mut tokens: Tokens,
        mut languages: Vec<Language>,
        mut judges: Vec<Learner>,
        wanted: usize,
        mut summary: TrainReport,
        progress: &dyn Progress,
    ) -> Result<Trained> {
        let prefix = self.continuing_subword_prefix.as_deref().unwrap_or("");
        let least = u128::from(self.min_frequency.max(1));
        let mut together = self.all_together(&languages, &tokens);
        let ratio = self.ratio.as_deref().filter(|_| judges.is_empty());
        let begun: Vec<u128> = languages.iter().map(Language::tokens).collect();
        let mut chooser = Chooser::new(self.variant, languages.len(), self.window_size, self.alpha);
        let mut merges: Vec<Merge> = Vec::new();
        summary.ending = loop {
            if merges.len() >= wanted {
                break if merges.is_empty() { Ending::AlphabetFills } else { Ending::Full };
            }
            if merges.len().is_multiple_of(super::REPORT_EVERY) {
                report(progress, Stage::Merge, merges.len() as u64, wanted as u64)?;
            }
            let is_global = merges.len() < self.global_merges;
            let best = if is_global {
                best_of_all(&mut together, &languages, &tokens)
            } else {
                let lengths = lengths(&languages, &judges);
                let served = match ratio {
                    Some(ratio) => Served::Rates { begun: &begun, now: &lengths, ratio },
                    None => Served::Lengths(&lengths),
                };
                let Some(chosen) = chooser.choose(&served) else { break Ending::Exhausted };
                let best = languages[chosen].best(&tokens).filter(|&(count, _)| count >= least);
                if best.is_none() {
                    chooser.used_up(chosen);
                    continue;
                }
                best
            };
            let Some((count, key)) = best.filter(|&(count, _)| count >= least) else {
                break Ending::Exhausted;
            };
            let (left, right) = (pairs::left(key), pairs::right(key));
            let second = tokens.text(right);
            let text = format!("{}{}", tokens.text(left), second.strip_prefix(prefix).unwrap_or(second));
            let (merged, _) = tokens.insert(&text)?;
            merges.push(Merge { left, right, merged, count: u64::try_from(count).unwrap_or(u64::MAX) });
            let mut risen: HashSet<u64> = HashSet::new();
            for language in &mut languages {
                let changed = language.merge(left, right, merged, &tokens)?;
                if is_global {
                    risen.extend(changed);
                }
            }
            for judge in &mut judges {
                judge.merge_shared(left, right, merged)?;
            }
            for key in risen {
                together.push(language::count_of_all(&languages, key), key, &tokens);
            }
        };
        summary.vocab_size = tokens.len();
        summary.merges = merges.len();
        summary.tokens = Some(languages.iter().map(Language::tokens).sum());
        progress.update(Stage::Merge, merges.len() as u64, wanted as u64);
        BpeTrainer {
            special_tokens: self.special_tokens.clone(),
            continuing_subword_prefix: self.continuing_subword_prefix.clone(),
            end_of_word_suffix: self.end_of_word_suffix.clone(),
            ..BpeTrainer::default()
        }
        .finish(Learned { tokens, merges, report: summary })
    }
}

/// How many tokens each language takes by now: its development text if there is one, else what it learns from.
fn lengths(languages: &[Language], judges: &[Learner]) -> Vec<u128> {
    match judges {
        [] => languages.iter().map(Language::tokens).collect(),
        judges => judges.iter().map(|judge| judge.token_total).collect(),
    }
}
