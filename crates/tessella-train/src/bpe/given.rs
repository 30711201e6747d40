//! Merges that are decided before learning begins.
//!
//! An [`InitialVocabulary`] is continued: its ids stay, its merges come first. A forced token is built from its
//! first symbols: whatever merges exist by then are applied to it in their order, and as long as more than one
//! symbol is left, the pair of neighbours that is most frequent in the corpus (ties: smaller ids) becomes a new
//! merge. Those merges come before every learned one, so the token is always reachable.

use tessella_core::error::excerpt;
use tessella_core::{Error, ErrorKind, Result};

use super::learner::Learner;
use super::pairs::key;
use super::tokens::Tokens;
use crate::progress::{Progress, Stage, report};

/// A vocabulary and its merges, to be continued.
#[derive(Debug, Clone, Default)]
pub struct InitialVocabulary {
    /// Tokens in id order, without holes.
    pub tokens: Vec<String>,
    /// Merges as texts, in rank order.
    pub merges: Vec<(String, String)>,
}

impl InitialVocabulary {
    pub(super) fn add_tokens(&self, tokens: &mut Tokens) -> Result<()> {
        for text in &self.tokens {
            let (_, is_new) = tokens.insert(text)?;
            if !is_new {
                return Err(Error::value(format!(
                    "the initial vocabulary has the token `{}` twice: ids must be distinct",
                    excerpt(text)
                )));
            }
        }
        Ok(())
    }
}

/// Applies the merges of the initial vocabulary.
pub(super) fn replay(
    learner: &mut Learner,
    initial: &InitialVocabulary,
    progress: &dyn Progress,
) -> Result<()> {
    let total = initial.merges.len() as u64;
    for (rank, (left, right)) in initial.merges.iter().enumerate() {
        let id = |text: &str| {
            learner.tokens.id(text).ok_or_else(|| {
                Error::value(format!(
                    "merge {rank} of the initial vocabulary uses `{}`, which is not one of its tokens",
                    excerpt(text)
                ))
            })
        };
        let (left, right) = (id(left)?, id(right)?);
        let merged = learner.merged_text(left, right);
        if learner.tokens.id(&merged).is_none() {
            return Err(Error::value(format!(
                "merge {rank} of the initial vocabulary gives `{}`, which is not one of its tokens",
                excerpt(&merged)
            )));
        }
        learner.merge_given(left, right)?;
        if rank % 256 == 0 {
            report(progress, Stage::Merge, rank as u64, total)?;
        }
    }
    Ok(())
}

/// Builds every forced token out of merges.
pub(super) fn force(learner: &mut Learner, forced: &[String]) -> Result<()> {
    for text in forced {
        let mut symbols = Vec::new();
        for character in text.chars() {
            let plain = character.to_string();
            let form = match &learner.rules.prefix {
                Some(prefix) if !symbols.is_empty() => format!("{prefix}{plain}"),
                _ => plain,
            };
            symbols.push(learner.tokens.id(&form).ok_or_else(|| {
                Error::new(
                    ErrorKind::Train,
                    format!(
                        "the forced token `{}` needs the symbol `{}`, which is not in the alphabet: add it to \
                         initial_alphabet",
                        excerpt(text),
                        excerpt(&form)
                    ),
                )
            })?);
        }
        for merge in &learner.merges {
            join_all(&mut symbols, merge.left, merge.right, merge.merged);
        }
        while symbols.len() > 1 {
            let most_frequent = symbols
                .windows(2)
                .map(|pair| key(pair[0], pair[1]))
                .max_by_key(|&name| {
                    let pair =
                        learner.pairs.find(name).map_or(0, |at| learner.pairs.pairs[at as usize].count);
                    (pair, std::cmp::Reverse(name))
                })
                .unwrap_or_default();
            let (left, right) = (super::pairs::left(most_frequent), super::pairs::right(most_frequent));
            let merge = learner.merge_given(left, right)?;
            join_all(&mut symbols, left, right, merge.merged);
        }
    }
    Ok(())
}

/// Merges a pair in a short word, left to right.
fn join_all(symbols: &mut Vec<u32>, left: u32, right: u32, merged: u32) {
    let mut kept = 0;
    let mut at = 0;
    while at < symbols.len() {
        if symbols[at] == left && symbols.get(at + 1) == Some(&right) {
            symbols[kept] = merged;
            at += 2;
        } else {
            symbols[kept] = symbols[at];
            at += 1;
        }
        kept += 1;
    }
    symbols.truncate(kept);
}
