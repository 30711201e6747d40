//! Whether a normalizer can be run on the words of a text instead of the whole.
//!
//! It can where every step makes of a word what it is, whatever stands around it: then a word and what becomes of it
//! may be remembered. Around a *character* nothing matters to steps that look at one character at a time. Around a
//! *blank* (a character that stays white space) nothing matters to more of them: canonical order and composition never
//! reach over a blank, a literal without one never matches over it, and a cluster of a character map begins or ends
//! there, unless a character joins with blanks, which [`Normalizer::joins_blanks`] tells.

use unicode_segmentation::UnicodeSegmentation;

use super::{Normalizer, Step};
use crate::error::Result;
use crate::spec::CharsmapMatching;
use crate::text::AlignedText;

impl Normalizer {
    /// Whether each character becomes what it becomes alone.
    pub fn is_local_to_characters(&self) -> bool {
        let by_character =
            |step: &Step| matches!(step, Step::Bert(_) | Step::Lowercase | Step::Nmt(_) | Step::StripAccents);
        self.steps.iter().all(by_character)
    }

    /// Whether what stands between blanks becomes what it becomes alone; `is_blank` says of a
    /// character that it is one.
    pub fn is_local_to_words(&self, is_blank: impl Fn(char) -> bool) -> bool {
        self.steps.iter().all(|step| match step {
            Step::Bert(_) | Step::Form(_) | Step::Lowercase | Step::Nmt(_) | Step::StripAccents => true,
            Step::Precompiled(map) => map.matching() == CharsmapMatching::Grapheme,
            Step::Replace(replace) => replace.grows_not_and_has_none(&is_blank),
            _ => false,
        })
    }

    /// What becomes of ASCII characters in words, if that can be told one by one.
    pub fn ascii_fates(&self) -> AsciiFates {
        let is_literal = |step: &&Step| matches!(step, Step::Replace(_));
        let count = self.steps.iter().take_while(is_literal).count();
        let (first, rest) = self.steps.split_at(count);
        let literals = first.iter().map(|step| match step {
            Step::Replace(replace) => replace.literal(),
            _ => None,
        });
        let Some(literals) = literals.collect::<Option<Vec<_>>>() else { return AsciiFates::unknown() };
        // Two ASCII characters never come to be one cluster or one character within a word; a later literal may be
        // made of several.
        if rest.iter().any(|step| is_literal(&step)) {
            return AsciiFates::unknown();
        }
        let fate = |byte: u8| {
            // With a line feed behind it this one is a cluster.
            if byte == b'\r' {
                return NO_FATE;
            }
            let before = char::from(byte).to_string();
            let mut text = AlignedText::untracked(&before);
            let mut fate = byte;
            for step in rest {
                match (step.run(&mut text), text.as_str().as_bytes()) {
                    (Ok(()), &[only]) if only.is_ascii() => fate = only,
                    _ => return NO_FATE,
                }
            }
            fate
        };
        AsciiFates {
            literals: literals.into_iter().map(Box::from).collect(),
            fates: std::array::from_fn(|byte| if byte < 0x80 { fate(byte as u8) } else { NO_FATE }),
        }
    }

    /// Normalizes a word that is too short to become much, without asking what time it took.
    pub fn normalize_short(&self, text: &mut AlignedText<'_>) -> Result<()> {
        self.steps.iter().try_for_each(|step| step.run(text))
    }

    /// Whether a character, or what some step makes of it, is one cluster with a blank beside it.
    pub fn joins_blanks(&self, c: char) -> Result<bool> {
        let mut text = c.to_string();
        if joins(&text) {
            return Ok(true);
        }
        for step in &self.steps {
            let mut next = AlignedText::untracked(&text);
            step.run(&mut next)?;
            if next.as_str() != text {
                let next = next.into_parts().0.into_owned();
                if joins(&next) {
                    return Ok(true);
                }
                text = next;
            }
        }
        Ok(false)
    }
}

/// What is no ASCII character.
const NO_FATE: u8 = 0xFF;

/// What becomes of the ASCII characters of a word.
#[derive(Debug, Clone)]
pub struct AsciiFates {
    /// Where one of these stands, nothing is known.
    literals: Box<[Box<str>]>,
    fates: [u8; 256],
}

impl AsciiFates {
    /// Nothing is known.
    pub fn unknown() -> Self {
        AsciiFates { literals: Box::default(), fates: [NO_FATE; 256] }
    }

    /// Nothing changes.
    pub fn none() -> Self {
        let fate = |byte: usize| if byte < 0x80 { byte as u8 } else { NO_FATE };
        AsciiFates { literals: Box::default(), fates: std::array::from_fn(fate) }
    }

    /// What a character becomes, if that is known and one character.
    #[inline]
    pub fn of(&self, byte: u8) -> Option<u8> {
        let fate = self.fates[usize::from(byte)];
        (fate != NO_FATE).then_some(fate)
    }

    /// Whether a word has none of the literals that would change it.
    #[inline]
    pub fn hold_for(&self, word: &str) -> bool {
        self.literals.iter().all(|literal| !word.contains(&**literal))
    }
}

fn joins(text: &str) -> bool {
    let count = |text: &str| text.graphemes(true).count();
    !text.is_empty() && count(&format!(" {text} ")) != count(text) + 2
}
