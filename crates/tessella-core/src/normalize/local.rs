//! Whether a normalizer can be run on the words of a text instead of the whole.
//!
//! It can where every step makes of a word what it is, whatever stands around it: then a word and what becomes of it
//! may be remembered. Around a *character* nothing matters to steps that look at one character at a time. Around a
//! *blank* (a character that stays white space) nothing matters to more of them: canonical order and composition never
//! reach over a blank, a literal without one never matches over it, and a cluster of a character map begins or ends
//! there, unless a character joins with blanks, which [`Normalizer::beside_blanks`] tells.
//!
//! Many characters become the same around any other in steps that look at more than one at a time, too:
//! [`Normalizer::anywhere`] tells of each.

use unicode_segmentation::UnicodeSegmentation;

use super::precompiled::LONG_CLUSTER;
use super::{Normalizer, Step};
use crate::error::Result;
use crate::spec::CharsmapMatching;
use crate::text::AlignedText;
use crate::unicode::categories::is_mark;
use crate::unicode::class_of;
use crate::unicode::normalization::Form;

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
                    let joins = replace.joins_blanks(mark) && !blanks.join;
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

/// Whether a character is never part of a cluster that a character map looks up with others in it. What joins neither before
/// nor behind a letter is one cluster at most with what leans on it, or where parts of Hangul or regional indicators meet;
/// these are so long that such a cluster is looked up character by character. A line feed may be behind the other ASCII
/// character that joins.
fn is_looked_up_alone(c: char) -> bool {
    c != '\r' && format!("a{c}a").graphemes(true).count() == 3
}

#[cfg(test)]
mod tests {
    use super::super::charsmap::build_charsmap;
    use super::*;
    use crate::random::Random;
    use crate::spec::{NormalizerSpec, Pattern};

    #[test]
    fn no_character_grows_beyond_what_is_told() {
        let replaced = build_charsmap(&[(vec!['é'], vec!['x'; 99])]).unwrap();
        let specs = [
            NormalizerSpec::Nfc,
            NormalizerSpec::Nfd,
            NormalizerSpec::Nfkc,
            NormalizerSpec::Nfkd,
            NormalizerSpec::Lowercase,
            NormalizerSpec::Nmt,
            NormalizerSpec::StripAccents,
            NormalizerSpec::Bert {
                clean_text: true,
                handle_chinese_chars: true,
                strip_accents: None,
                lowercase: true,
            },
            NormalizerSpec::Precompiled { charsmap: replaced.into(), matching: CharsmapMatching::Grapheme },
        ];
        for spec in specs {
            let normalizer = Normalizer::new(&spec).unwrap();
            for c in '\0'..=char::MAX {
                let before = c.to_string();
                let mut after = AlignedText::untracked(&before);
                normalizer.normalize(&mut after).unwrap();
                let after = after.as_str();
                assert!(after.len() <= c.len_utf8() * normalizer.growth(), "{c:?} {spec:?}");
            }
        }
    }

    const CHARS: [char; 38] = [
        'a',
        'é',
        'Σ',
        '`',
        '\r',
        '\n',
        '\u{1}',
        '\u{301}',
        '\u{345}',
        '\u{308}',
        '¨',
        'ﬁ',
        'ﷺ',
        '™',
        '½',
        'ی',
        '\u{600}',
        '\u{93f}',
        '\u{94d}',
        'क',
        '\u{e33}',
        '가',
        '각',
        '\u{1100}',
        '\u{1161}',
        '\u{11a8}',
        'か',
        '\u{3099}',
        'ﾞ',
        '\u{200c}',
        '\u{200d}',
        '👍',
        '\u{1f3fd}',
        '\u{1f1e9}',
        '\u{d4e}',
        '\u{e0067}',
        '\u{302e}',
        '\u{1d165}',
    ];

    fn normalizers() -> Vec<Normalizer> {
        let rules = [
            ("\u{200c}", " "),
            ("\u{200d}", " "),
            ("\u{600}", ""),
            ("ی", "ي"),
            ("か", "カ"),
            ("a\u{301}", "á"),
            ("\u{1100}\u{1161}", "가"),
            ("\r", " "),
            ("\n", " "),
        ];
        let chars = |text: &str| text.chars().collect::<Vec<_>>();
        let rules: Vec<_> = rules.iter().map(|(from, to)| (chars(from), chars(to))).collect();
        let map = |matching| NormalizerSpec::Precompiled {
            charsmap: build_charsmap(&rules).unwrap().into(),
            matching,
        };
        let by_cluster = || map(CharsmapMatching::Grapheme);
        let quotes =
            || NormalizerSpec::Replace { pattern: Pattern::Literal("``".into()), content: "\"".into() };
        use NormalizerSpec::{Bert, Lowercase, Nfc, Nfd, Nfkc, Nfkd, Sequence, StripAccents};
        let bert = || Bert {
            clean_text: true,
            handle_chinese_chars: true,
            strip_accents: Some(true),
            lowercase: true,
        };
        let chains = [
            vec![bert()],
            vec![bert(), Nfkc],
            vec![Lowercase, Nfkd],
            vec![Nfd, Lowercase, Nfc, StripAccents],
            vec![quotes(), Nfkd, StripAccents, by_cluster()],
            vec![quotes(), Nfkd, StripAccents, Lowercase, by_cluster()],
            vec![Nfd, Lowercase, StripAccents, by_cluster()],
            vec![Nfd, by_cluster()],
            vec![Nfkc, by_cluster()],
            vec![StripAccents, Nfc],
            vec![by_cluster(), Nfkd, StripAccents],
            vec![Nfc],
        ];
        chains.into_iter().map(|steps| Normalizer::new(&Sequence(steps)).unwrap()).collect()
    }

    fn normalized(normalizer: &Normalizer, text: &str) -> String {
        let mut text = AlignedText::untracked(text);
        normalizer.normalize(&mut text).unwrap();
        text.as_str().into()
    }

    #[test]
    fn no_mark_changes_in_lower_case() {
        let all = (0..=0x10_FFFF).filter_map(char::from_u32);
        assert!(all.filter(|&c| is_mark(c)).all(|c| c.to_lowercase().eq([c])));
    }

    #[test]
    fn what_is_told_of_a_character_holds_around_all_others() {
        let mut random = Random::from_seed(3);
        let mut below = |bound: usize| (random.next_u64() % bound as u64) as usize;
        let mut kept = 0;
        for normalizer in normalizers() {
            let told = CHARS.map(|c| normalizer.anywhere(c));
            let stays = CHARS.map(|c| normalizer.stays(c));
            for ((stays, told), c) in stays.iter().zip(&told).zip(CHARS) {
                let is_same = told.as_deref() == Some(&*c.to_string());
                assert!(is_same && normalizer.keeps_places(c) || !stays.anywhere, "{c:?} {normalizer:?}");
            }
            assert!(!normalizer.tells_anywhere() || told.iter().flatten().count() > 18);
            for _ in 0..4000 {
                let numbers: Vec<usize> = (0..1 + below(6)).map(|_| below(CHARS.len())).collect();
                let text: String = numbers.iter().map(|&number| CHARS[number]).collect();
                let parts: Option<String> = numbers.iter().map(|&number| told[number].as_deref()).collect();
                if let Some(parts) = parts
                    && !text.contains("``")
                {
                    assert_eq!(normalized(&normalizer, &text), parts, "{text:?} {normalizer:?}");
                }
                let among = |at: usize| numbers.get(at).is_none_or(|&number| stays[number].among);
                let stays_here = |at: usize| {
                    let Stays { anywhere, among: is_among } = stays[numbers[at]];
                    let ends = |number: &usize| CHARS[*number].is_ascii();
                    let ends = numbers.get(at + 1).is_some_and(ends);
                    anywhere || is_among && among(at.wrapping_sub(1)) && (ends || among(at + 1))
                };
                if (0..numbers.len()).all(stays_here) && !text.contains("``") {
                    assert_eq!(normalized(&normalizer, &text), text, "{normalizer:?}");
                    kept += 1;
                }
            }
        }
        assert!(kept > 300, "{kept}");
    }

    #[test]
    fn characters_that_are_apart_become_what_they_become_alone() {
        let mut random = Random::from_seed(5);
        let mut below = |bound: usize| (random.next_u64() % bound as u64) as usize;
        let (mut odd, mut of_several) = (0, 0);
        for normalizer in normalizers().iter().filter(|normalizer| normalizer.is_local_to_those_apart()) {
            let apart: Vec<char> = CHARS.into_iter().filter(|&c| normalizer.is_apart(c)).collect();
            odd += CHARS.len() - apart.len();
            of_several += usize::from(normalizer.word_steps().count() > 1);
            for _ in 0..4000 {
                let text: String = (0..1 + below(6)).map(|_| apart[below(apart.len())]).collect();
                let alone: String = text.chars().map(|c| normalized(normalizer, &c.to_string())).collect();
                assert_eq!(normalized(normalizer, &text), alone, "{text:?} {normalizer:?}");
            }
        }
        assert!(odd > 20 && of_several > 3, "{odd} {of_several}");
    }

    #[test]
    fn words_are_apart_from_blanks_unless_a_character_of_them_joins() {
        let mut random = Random::from_seed(4);
        let mut below = |bound: usize| (random.next_u64() % bound as u64) as usize;
        let mut apart = 0;
        for normalizer in normalizers() {
            let told = CHARS.map(|c| normalizer.beside_blanks(c).unwrap());
            for _ in 0..4000 {
                let numbers: Vec<usize> = (0..1 + below(5)).map(|_| below(CHARS.len())).collect();
                let word: String = numbers.iter().map(|&number| CHARS[number]).collect();
                let mut kinds = numbers.iter().map(|&number| told[number]);
                let joins = kinds.clone().any(|kind| kind == BesideBlanks::Joins);
                let leans = kinds.find(|&kind| kind != BesideBlanks::Gone) == Some(BesideBlanks::Leans);
                if !joins && !leans {
                    let expected = format!("a {} a", normalized(&normalizer, &word));
                    assert_eq!(normalized(&normalizer, &format!("a {word} a")), expected, "{word:?}");
                    apart += 1;
                }
            }
        }
        assert!(apart > 9000, "{apart}");
    }
}
