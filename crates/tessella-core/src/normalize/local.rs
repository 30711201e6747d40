//! Whether a normalizer can be run on the words of a text instead of the whole.
//!
//! It can where every step makes of a word what it is, whatever stands around it: then a word and what becomes of it
//! may be remembered. Around a *character* nothing matters to steps that look at one character at a time. Around a
//! *blank* (a character that stays white space) nothing matters to more of them: canonical order and composition never
//! reach over a blank, a literal without one never matches over it, and a cluster of a character map begins or ends
//! there, unless a character joins with blanks, which [`Normalizer::beside_blanks`] tells.
//!
//! Many characters become the same around any other in steps that look at more than one at a time, too:
//! [`Normalizer::anywhere`] tells of each, with what else is told of single [`characters`].

mod characters;

use super::{Normalizer, Step};
use crate::error::Result;
use crate::spec::CharsmapMatching;
use crate::text::AlignedText;
use crate::unicode::normalization::Form;

pub use characters::{BesideBlanks, InCluster, Stays};

/// What a normalizer does to blanks between words and at the ends of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Blanks {
    /// Whether several come to one.
    pub join: bool,
    /// Whether white space goes at the start of a text, and at its end.
    pub strips: (bool, bool),
}

impl Normalizer {
    /// The same for words alone, and what it does around them, where each blank is written as a mark. `None` if it cannot be told
    /// apart.
    pub fn of_words(&self, mark: char) -> Option<(Normalizer, Blanks)> {
        let of_words = Normalizer { steps: self.steps.clone(), has_custom: self.has_custom, of_words: true };
        let mut blanks = Blanks { join: false, strips: (false, false) };
        for (number, step) in self.steps.iter().enumerate() {
            match step {
                Step::Strip { left, right } => {
                    blanks.strips = (blanks.strips.0 | left, blanks.strips.1 | right);
                }
                Step::Replace(replace) if replace.is_of_blanks() => {
                    // Behind it nothing may make a blank, or strip one that is written as a mark already.
                    let mut rest = self.steps[number + 1..].iter();
                    let strips = |step: &Step| matches!(step, Step::Strip { .. });
                    let joins = replace.joins_blanks(mark);
                    if !joins || !rest.all(|step| replace.keeps_blanks() && strips(step)) {
                        return None;
                    }
                    blanks.join = true;
                }
                _ => {}
            }
        }
        // What goes at the ends, and which blanks are beside each other, is told by characters: they say nothing of several together.
        self.literals_are_solid(mark).then_some((of_words, blanks))
    }

    /// Whether no literal of several characters has white space in it or becomes such, or a mark, or nothing.
    fn literals_are_solid(&self, mark: char) -> bool {
        let is_told = |(number, step): (usize, &Step)| match step {
            Step::Replace(replace) if !replace.is_of_blanks() => replace.literal().is_some_and(|literal| {
                let behind = self.steps[number + 1..].iter().filter(|step| changes_words(step));
                literal.chars().count() == 1
                    || !literal.contains(char::is_whitespace)
                        && holds_at_each(replace.content().into(), behind, |c| is_inner(c, mark))
            }),
            _ => true,
        };
        self.steps.iter().enumerate().all(is_told)
    }

    /// The same of what maps of characters look up whole: clusters of several characters. It is looked for in all rules.
    pub fn clusters_are_solid(&self, mark: char) -> bool {
        let is_told = |(number, step): (usize, &Step)| match step {
            Step::Precompiled(map) => {
                // No letter becomes white space in lower case, nor what is none.
                let is_none = !mark.is_alphabetic();
                let changes =
                    |step: &&Step| changes_words(step) && !(is_none && matches!(step, Step::Lowercase));
                let behind = self.steps[number + 1..].iter().filter(changes);
                // Who counts blanks knows of this one.
                map.all_of_clusters(|cluster, written| {
                    cluster == b"\r\n" || holds_at_each(written.into(), behind.clone(), |c| is_inner(c, mark))
                })
            }
            _ => true,
        };
        self.steps.iter().enumerate().all(is_told)
    }

    /// The steps that change words.
    pub(super) fn word_steps(&self) -> impl Iterator<Item = &Step> + Clone {
        self.steps.iter().filter(|step| !self.of_words || changes_words(step))
    }

    /// Whether each character becomes what it becomes alone.
    pub fn is_local_to_characters(&self) -> bool {
        self.word_steps().enumerate().all(|(number, step)| match step {
            step if step.growth_of_each().is_some() => true,
            // Only what may trade places with its neighbours looks at them, and that goes.
            Step::Form(Form::Nfd | Form::Nfkd) => self.strips_behind(number),
            _ => false,
        })
    }

    /// The same where all characters are [apart](Self::is_apart).
    pub fn is_local_to_those_apart(&self) -> bool {
        self.word_steps().all(|step| matches!(step, Step::Form(_)) || step.growth_of_each().is_some())
    }

    /// Whether what stands between blanks becomes what it becomes alone; `is_blank` says of a
    /// character that it is one, and `is_dropped` that it is left out where it stands in the normalized text.
    pub fn is_local_to_words(
        &self,
        is_blank: impl Fn(char) -> bool,
        is_dropped: impl Fn(char) -> bool,
    ) -> bool {
        self.word_steps().enumerate().all(|(number, step)| match step {
            step if step.growth_of_each().is_some() => true,
            Step::Form(_) => true,
            Step::Precompiled(map) => map.matching == CharsmapMatching::Grapheme,
            Step::Replace(replace) => {
                // Where blanks are counted, these would have to be told. That a text of a blank would become one says nothing of what is
                // written by this step: the steps in front of it do not see that.
                let becomes_blanks = || self.comes_to(number, replace.content(), &is_dropped);
                replace.grows_not_and_has_none(&is_blank)
                    || !self.of_words && replace.is_of_such(&is_blank) && becomes_blanks()
            }
            _ => false,
        })
    }

    /// Whether the steps behind one make such characters of what it writes, and nothing else.
    fn comes_to(&self, number: usize, written: &str, is_such: impl Fn(char) -> bool) -> bool {
        let mut behind = self.word_steps().skip(number + 1);
        let text = behind.try_fold(written.to_string(), |text, step| step.of(&text));
        text.is_ok_and(|text| !text.is_empty() && text.chars().all(is_such))
    }

    /// Bytes that one byte becomes at most, or more than that, where words are normalized by themselves.
    pub fn growth(&self) -> usize {
        let of = |step: &Step| match step {
            Step::Form(_) => DECOMPOSED,
            Step::Precompiled(map) => map.longest_replacement().max(1),
            // Such that do not grow.
            Step::Replace(_) => 1,
            step => step.growth_of_each().unwrap_or(usize::MAX),
        };
        self.word_steps().map(of).fold(1, usize::saturating_mul)
    }

    /// Normalizes a word that is too short to become much, without asking what time it took.
    pub fn normalize_short(&self, text: &mut AlignedText<'_>) -> Result<()> {
        let kept = |step: &&Step| !(self.of_words && matches!(step, Step::Strip { .. }));
        self.steps.iter().filter(kept).try_for_each(|step| step.run(text))
    }

    /// Whether marks go behind a step before anything looks at them; no mark changes in lower case.
    fn strips_behind(&self, number: usize) -> bool {
        let mut behind = self.word_steps().skip(number + 1);
        behind
            .find(|step| !matches!(step, Step::Lowercase))
            .is_some_and(|step| matches!(step, Step::StripAccents))
    }
}

/// Whether a step does more than what is done between words and at the ends of a text.
fn changes_words(step: &Step) -> bool {
    match step {
        Step::Strip { .. } => false,
        Step::Replace(replace) => !replace.is_of_blanks(),
        _ => true,
    }
}

/// Whether a character is no white space, and no mark.
fn is_inner(c: char, mark: char) -> bool {
    !c.is_whitespace() && c != mark
}

/// Whether a text has such characters and no others, and so has what each of the steps makes of it.
fn holds_at_each<'s>(
    mut text: String,
    mut steps: impl Iterator<Item = &'s Step>,
    is: impl Fn(char) -> bool,
) -> bool {
    let holds = |text: &str| !text.is_empty() && text.chars().all(&is);
    holds(&text)
        && steps.all(|step| {
            step.of(&text).is_ok_and(|next| {
                text = next;
                holds(&text)
            })
        })
}

/// No character of Unicode is decomposed into more than eleven times its bytes.
const DECOMPOSED: usize = 12;

impl Step {
    /// Of a step that looks at one character at a time, so that each becomes what it becomes alone: the bytes that one byte becomes at
    /// most. `None` for all others.
    fn growth_of_each(&self) -> Option<usize> {
        match self {
            Step::Bert(_) => Some(DECOMPOSED),
            Step::Lowercase => Some(2),
            Step::Nmt(_) | Step::StripAccents => Some(1),
            _ => None,
        }
    }

    /// What the step makes of a text.
    fn of(&self, text: &str) -> Result<String> {
        let mut next = AlignedText::untracked(text);
        self.run(&mut next)?;
        Ok(next.into_parts().0.into_owned())
    }
}

#[cfg(test)]
mod tests;
