//! What a normalizer makes of one character, as far as that can be told without what stands around it.
//!
//! Each answer is for somebody who cuts texts or looks characters up: whether a blank beside a character is one, what it becomes
//! around any others, what in a cluster that is looked up character by character, and where it stays as it is. All of them
//! follow the character step by step, and say nothing where a step looks at more than one.

use unicode_segmentation::UnicodeSegmentation;

use super::super::precompiled::LONG_CLUSTER;
use super::super::{Normalizer, Step};
use super::holds_at_each;
use crate::error::Result;
use crate::spec::CharsmapMatching;
use crate::unicode::categories::is_mark;
use crate::unicode::class_of;
use crate::unicode::normalization::Form;

/// What becomes of a character and a blank that stand side by side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BesideBlanks {
    /// They are apart.
    Apart,
    /// The character, or what some step makes of it, is one cluster with the blank.
    Joins,
    /// With a blank in front of it, not with one behind it.
    Leans,
    /// The character goes before that matters, and what is behind it stands beside the blank.
    Gone,
}

/// A character in clusters that are looked up character by character. A cluster is, if its first character opens no rule, or it has
/// six bytes and more, as any has but for two of which one joins with what is in front.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InCluster {
    /// What it becomes.
    pub text: String,
    /// Bytes of it, or of the last character that it has become, as it is looked up; none if it is gone before that.
    pub bytes: usize,
    /// Whether it joins with a letter in front of it.
    pub extends: bool,
    /// Whether a rule begins with it that may go on with what joins with it.
    pub opens: bool,
}

/// Where a character stays as it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Stays {
    /// Whatever stands around it.
    pub anywhere: bool,
    /// Between others of which this is said, in front of ASCII, and at the ends of a word: also one that joins with its neighbours. Two
    /// of them are longer than any cluster that a character map looks up whole. Not of one that joins with ASCII behind it.
    pub among: bool,
}

impl Normalizer {
    /// Whether no step composes a character with one before it, or has them trade places. Between two that are apart nothing is.
    pub fn is_apart(&self, c: char) -> bool {
        let mut text = c.to_string();
        self.word_steps().all(|step| {
            let is_apart = match (step, text.chars().next()) {
                (Step::Form(form), Some(first)) => form.begins_anew(first),
                // It decomposes too.
                (Step::Bert(_), Some(first)) => Form::Nfd.begins_anew(first),
                _ => true,
            };
            is_apart && step.of(&text).map(|next| text = next).is_ok()
        })
    }

    /// Whether a character stays beside what goes at the ends of a text: it becomes something without white space, step by
    /// step.
    pub fn is_solid(&self, c: char) -> bool {
        self.is_at_each_step(c, |c| !c.is_whitespace())
    }

    /// Whether a character goes at the ends of a text: it becomes white space and no less, step by step.
    pub fn is_white(&self, c: char) -> bool {
        self.is_at_each_step(c, char::is_whitespace)
    }

    fn is_at_each_step(&self, c: char, is: impl Fn(char) -> bool) -> bool {
        holds_at_each(c.into(), self.word_steps(), is)
    }

    /// What a blank beside a character is to it, in steps that look at clusters or compose.
    pub fn beside_blanks(&self, c: char) -> Result<BesideBlanks> {
        let sees_clusters =
            |step: &&Step| matches!(step, Step::Precompiled(_) | Step::Form(Form::Nfc | Form::Nfkc));
        let is_only_one = self.word_steps().filter(sees_clusters).count() == 1;
        let mut text = c.to_string();
        for step in self.word_steps() {
            if sees_clusters(&step) {
                let count = |text: &str| text.graphemes(true).count();
                let alone = count(&text);
                if text.is_empty() && is_only_one {
                    return Ok(BesideBlanks::Gone);
                }
                if text.is_empty() || count(&format!("{text} ")) != alone + 1 {
                    return Ok(BesideBlanks::Joins);
                }
                if count(&format!(" {text}")) != alone + 1 {
                    return if is_only_one { Ok(BesideBlanks::Leans) } else { Ok(BesideBlanks::Joins) };
                }
            }
            text = step.of(&text)?;
        }
        Ok(BesideBlanks::Apart)
    }

    /// Whether [`Normalizer::anywhere`] tells of most characters.
    pub fn tells_anywhere(&self) -> bool {
        ['a', 'é', 'ж', '漢'].into_iter().all(|c| self.anywhere(c).is_some())
    }

    /// What a character becomes around which others soever, if that can be told. A literal that it is no part of may be
    /// replaced beside it.
    pub fn anywhere(&self, c: char) -> Option<String> {
        let mut text = c.to_string();
        for (number, step) in self.word_steps().enumerate() {
            let before = std::mem::take(&mut text);
            text = step.of(&before).ok()?;
            let is_alone = match step {
                Step::Precompiled(map) => {
                    map.matching == CharsmapMatching::Grapheme && before.chars().all(is_looked_up_alone)
                }
                _ => self.is_alone(number, step, &before, &text),
            };
            if !is_alone {
                return None;
            }
        }
        Some(text)
    }

    /// Whether a step that is no character map makes of some characters what it makes of them around which others soever.
    fn is_alone(&self, number: usize, step: &Step, before: &str, text: &str) -> bool {
        let never_trades = |c: char| class_of(c).combining() == 0;
        match step {
            // It decomposes, and not all marks go.
            Step::Bert(_) => text.chars().all(never_trades),
            step if step.growth_of_each().is_some() => true,
            // What may trade places with neighbours goes at once.
            Step::Form(Form::Nfd | Form::Nfkd) => {
                let goes = self.strips_behind(number);
                text.chars().all(|c| never_trades(c) || goes && is_mark(c))
            }
            Step::Replace(replace) => replace
                .literal()
                .is_some_and(|literal| !literal.is_empty() && !before.contains(|c| literal.contains(c))),
            _ => false,
        }
    }

    /// What a character is where clusters are looked up character by character; `None` if it is not told by itself even there, or
    /// joins with a letter behind it.
    pub fn in_cluster(&self, c: char) -> Option<InCluster> {
        let mut text = c.to_string();
        let (mut looked_up, mut opens, mut extends) = (None::<String>, false, false);
        for (number, step) in self.word_steps().enumerate() {
            let before = std::mem::take(&mut text);
            if let Step::Precompiled(map) = step
                && map.matching == CharsmapMatching::Grapheme
                && looked_up.is_none()
            {
                let is_one = before.chars().count() == 1;
                extends = is_one && format!("a{before}").graphemes(true).count() == 1;
                let is_apart = extends && format!("{before}a").graphemes(true).count() == 2;
                if !is_apart && !before.chars().all(is_looked_up_alone) {
                    return None;
                }
                let holds = |last: &char| format!("{last}\u{301}").graphemes(true).count() == 1;
                opens = before.chars().next_back().filter(holds).is_some_and(|last| map.opens(last));
                for c in before.chars() {
                    map.alone(c, &mut text);
                }
                looked_up = Some(before);
                continue;
            }
            text = step.of(&before).ok()?;
            let is_alone = self.is_alone(number, step, &before, &text);
            if !is_alone {
                return None;
            }
        }
        let looked_up = looked_up.unwrap_or_else(|| c.to_string());
        let bytes = looked_up.chars().next_back().map_or(0, char::len_utf8);
        Some(InCluster { text, bytes, extends, opens })
    }

    /// Where a character stays as it is, step by step.
    pub fn stays(&self, c: char) -> Stays {
        let text = c.to_string();
        let (mut anywhere, mut among) = (true, 2 * text.len() >= LONG_CLUSTER);
        for step in self.word_steps() {
            let is_alone = match step {
                Step::Bert(_) | Step::Form(Form::Nfd | Form::Nfkd) => class_of(c).combining() == 0,
                step if step.growth_of_each().is_some() => true,
                Step::Precompiled(map) => {
                    anywhere &= is_looked_up_alone(c);
                    among &= format!("{c}a").graphemes(true).count() == 2;
                    map.matching == CharsmapMatching::Grapheme
                }
                Step::Replace(replace) => {
                    replace.literal().is_some_and(|literal| !literal.is_empty() && !literal.contains(c))
                }
                _ => false,
            };
            let stays = is_alone && step.of(&text).is_ok_and(|next| next == text);
            (anywhere, among) = (anywhere && stays, among && stays);
            if !anywhere && !among {
                break;
            }
        }
        Stays { anywhere, among }
    }

    /// Whether what [`Normalizer::anywhere`] tells of a character stands where the character stood, whatever is in front of it, and
    /// whether nothing in front of it stands elsewhere because of it. What is deleted belongs to the character before, which
    /// may be made a wider one by the step of a character map; a step that only takes marks out leaves their places to nobody.
    pub fn keeps_places(&self, c: char) -> bool {
        let mut text = c.to_string();
        for step in self.word_steps() {
            let Some(first) = text.chars().next() else { return true };
            let (Ok(next), Ok(of_first)) = (step.of(&text), step.of(&first.to_string())) else {
                return false;
            };
            let leaves_nothing = next.is_empty() && matches!(step, Step::StripAccents);
            if of_first.is_empty() && !leaves_nothing {
                return false;
            }
            text = next;
        }
        true
    }
}

/// Whether a character is never part of a cluster that a character map looks up with others in it. What joins neither before
/// nor behind a letter is one cluster at most with what leans on it, or where parts of Hangul or regional indicators meet;
/// these are so long that such a cluster is looked up character by character. A line feed may be behind the other ASCII
/// character that joins.
fn is_looked_up_alone(c: char) -> bool {
    c != '\r' && format!("a{c}a").graphemes(true).count() == 3
}
