//! Vocabularies that need no learning: characters and bytes.
//!
//! Both are BPE models without merges, so every piece becomes its characters or its bytes.
//!
//! - [`CharacterTrainer`]: special tokens, then characters by count descending, equal counts by code point
//! - [`ByteTrainer`]: special tokens, then the 256 bytes, either as the printable characters of the byte-level
//!   alphabet (for a byte-level pre-tokenizer) or as `<0x00>` to `<0xFF>` (for byte fallback)

use std::collections::{BTreeMap, HashSet};

use tessella_core::Result;
use tessella_core::spec::{AddedToken, BpeSpec, Merges, ModelSpec, Vocab};

use crate::counts::PieceCounts;
use crate::outcome::{Ending, TrainReport, Trained, as_special};
use crate::progress::{Progress, Stage, report};

/// Options of a character vocabulary.
#[derive(Debug, Clone)]
pub struct CharacterTrainer {
    /// Entries of the vocabulary, special tokens included; `None` takes every character.
    pub vocab_size: Option<usize>,
    /// Rarer characters are left out.
    pub min_frequency: u64,
    /// The share of all occurrences of characters that has to be covered, 1.0 for all: the rarest characters are
    /// left out as long as the rest covers it.
    pub coverage: f64,
    pub special_tokens: Vec<AddedToken>,
    /// Characters that are in the vocabulary whether they occur or not.
    pub initial_alphabet: Vec<char>,
    /// What other characters become; without one they are dropped. It is in the vocabulary only if it is a special
    /// token.
    pub unk_token: Option<String>,
}

impl Default for CharacterTrainer {
    fn default() -> Self {
        CharacterTrainer {
            vocab_size: None,
            min_frequency: 0,
            coverage: 1.0,
            special_tokens: Vec::new(),
            initial_alphabet: Vec::new(),
            unk_token: None,
        }
    }
}

fn model(
    entries: impl Iterator<Item = String>,
    unk_token: Option<String>,
    byte_fallback: bool,
) -> Result<BpeSpec> {
    let mut seen = HashSet::new();
    let entries: Vec<String> = entries.filter(|entry| seen.insert(entry.clone())).collect();
    Ok(BpeSpec {
        unk_token,
        byte_fallback,
        ..BpeSpec::new(Vocab::from_entries(entries.iter().zip(0u32..))?, Merges::default())
    })
}

impl CharacterTrainer {
    pub fn train(&self, counts: &PieceCounts, progress: &dyn Progress) -> Result<Trained> {
        if !(self.coverage > 0.0 && self.coverage <= 1.0) {
            return Err(tessella_core::Error::value(format!(
                "coverage is {}; it must lie above 0 and not above 1",
                self.coverage
            )));
        }
        report(progress, Stage::Prepare, 0, 0)?;
        let mut frequency: BTreeMap<char, u128> = BTreeMap::new();
        let (mut total, mut distinct) = (0u128, 0u64);
        let mut cursor = counts.cursor()?;
        while let Some((piece, count)) = cursor.next()? {
            distinct += 1;
            for character in piece.chars() {
                *frequency.entry(character).or_default() += u128::from(count);
                total += u128::from(count);
            }
        }
        for character in &self.initial_alphabet {
            frequency.insert(*character, u128::MAX);
        }
        let mut characters: Vec<(char, u128)> = frequency.into_iter().collect();
        characters.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(&b.0)));

        let special_tokens = as_special(&self.special_tokens);
        let names: HashSet<&str> = special_tokens.iter().map(|token| token.content.as_str()).collect();
        let room = self.vocab_size.map_or(usize::MAX, |size| size.saturating_sub(special_tokens.len()));
        let (mut covered, mut kept, mut ending) = (0u128, Vec::new(), Ending::Exhausted);
        for (character, count) in characters {
            let given = count == u128::MAX;
            if kept.len() >= room || (!given && covered as f64 >= self.coverage * total as f64) {
                ending = Ending::Full;
                break;
            }
            if !given && count < u128::from(self.min_frequency) {
                ending = Ending::TooRare;
                break;
            }
            covered += if given { 0 } else { count };
            let text = character.to_string();
            if !names.contains(text.as_str()) {
                kept.push(text);
            }
        }
        let summary = TrainReport {
            target: self.vocab_size.unwrap_or(special_tokens.len() + kept.len()),
            vocab_size: special_tokens.len() + kept.len(),
            special_tokens: special_tokens.len(),
            alphabet: kept.len(),
            distinct_pieces: distinct,
            total_pieces: counts.total(),
            dropped_characters: total.saturating_sub(covered),
            tokens: Some(total),
            ending,
            ..TrainReport::default()
        };
        let entries = special_tokens.iter().map(|token| token.content.clone()).chain(kept);
        let model = ModelSpec::Bpe(model(entries, self.unk_token.clone(), false)?);
        Ok(Trained { model, special_tokens, report: summary })
    }
}

/// How bytes are written in a vocabulary.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ByteNames {
    /// One printable character for each byte.
    #[default]
    Printable,
    /// `<0x00>` to `<0xFF>`.
    Hexadecimal,
}

/// Options of a byte vocabulary. It is the same for every corpus.
#[derive(Debug, Clone, Default)]
pub struct ByteTrainer {
    pub special_tokens: Vec<AddedToken>,
    pub names: ByteNames,
}

impl ByteTrainer {
    pub fn train(&self) -> Result<Trained> {
        let special_tokens = as_special(&self.special_tokens);
        let name = |byte: u8| match self.names {
            ByteNames::Printable => {
                tessella_core::pretokenize::byte_alphabet::BYTE_TO_CHAR[usize::from(byte)].to_string()
            }
            ByteNames::Hexadecimal => format!("<0x{byte:02X}>"),
        };
        let specials = special_tokens.iter().map(|token| token.content.clone());
        let spec = model(specials.chain((0..=255).map(name)), None, self.names == ByteNames::Hexadecimal)?;
        let summary = TrainReport {
            target: spec.vocab.len(),
            vocab_size: spec.vocab.len(),
            special_tokens: special_tokens.len(),
            alphabet: 256,
            ..TrainReport::default()
        };
        Ok(Trained { model: ModelSpec::Bpe(spec), special_tokens, report: summary })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Silent;

    fn texts(trained: &Trained) -> Vec<String> {
        let ModelSpec::Bpe(model) = &trained.model else { panic!() };
        model.vocab.iter_by_id().map(|(_, text)| text.to_string()).collect()
    }

    #[test]
    fn characters_by_count() {
        let counts = PieceCounts::from_pairs([("abba", 10u64), ("bé", 3), ("z", 1)]).unwrap();
        let trainer = CharacterTrainer {
            special_tokens: vec![AddedToken::new("<s>", true)],
            initial_alphabet: vec!['Q'],
            ..CharacterTrainer::default()
        };
        assert_eq!(texts(&trainer.train(&counts, &Silent).unwrap()), ["<s>", "Q", "b", "a", "é", "z"]);
        // a and b are 43 of 47 occurrences.
        let covering = CharacterTrainer { coverage: 0.9, ..CharacterTrainer::default() };
        let trained = covering.train(&counts, &Silent).unwrap();
        assert_eq!(texts(&trained), ["b", "a"]);
        assert_eq!(trained.report.dropped_characters, 4);
        let three = CharacterTrainer { vocab_size: Some(3), ..trainer };
        assert_eq!(texts(&three.train(&counts, &Silent).unwrap()), ["<s>", "Q", "b"]);
    }

    #[test]
    fn bytes_in_two_spellings() {
        let trained = ByteTrainer::default().train().unwrap();
        assert_eq!((texts(&trained).len(), texts(&trained)[32].as_str()), (256, "Ġ"));
        let trained =
            ByteTrainer { names: ByteNames::Hexadecimal, ..ByteTrainer::default() }.train().unwrap();
        assert_eq!(texts(&trained)[255], "<0xFF>");
    }
}
