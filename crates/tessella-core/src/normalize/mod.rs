//! Stage 1: text to text, with alignment.
//!
//! A [`Normalizer`] is compiled from its description once and then shared. Each kind has its own file;
//! all of them say what becomes of which character through [`edit`], so a text that a normalizer leaves
//! alone is not copied, and the same code serves with and without alignment.
//!
//! - one character at a time: [`bert`], [`lowercase`], [`nmt`], [`strip`], [`byte_level`]
//! - Unicode forms: [`forms`], over [`crate::unicode::normalization`]
//! - found and put in: [`replace`], [`prepend`]
//! - character maps: [`precompiled`], [`sentencepiece`]
//! - a user's own: [`custom`]
//!
//! [`local`] tells which of them can be run word by word, and [`ascii_fates`] what becomes of ASCII there.
//!
//! Compiling fails on a pattern that its engine rejects and on a broken character map; running fails only
//! when a pattern gives up or a user's component raises.

use std::sync::Arc;

use crate::error::{ErrorKind, Result};
use crate::hooks::CustomNormalizer;
use crate::limits;
use crate::spec::NormalizerSpec;
use crate::text::AlignedText;
use crate::unicode::normalization::Form;

mod ascii;
mod ascii_fates;
mod bert;
mod byte_level;
pub mod charsmap;
mod charsmap_nodes;
#[cfg(test)]
mod conformance;
mod custom;
mod edit;
mod forms;
mod local;
mod lowercase;
mod nmt;
mod precompiled;
mod prepend;
mod replace;
pub mod sentencepiece;
mod stays;
mod strip;
#[cfg(test)]
mod testing;

pub use ascii_fates::AsciiFates;
pub use local::{BesideBlanks, Blanks, InCluster, Stays};
pub(crate) use precompiled::LONG_CLUSTER;

/// A compiled normalizer.
#[derive(Debug)]
pub struct Normalizer {
    /// In the order in which they run; nested sequences are laid out flat.
    steps: Arc<[Step]>,
    /// Whether any step is a user's own.
    has_custom: bool,
    /// Whether only words are normalized, of which nothing is stripped.
    of_words: bool,
}

/// One ASCII character is written as another character, and that may also be put in front.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Respelling {
    /// The character that goes.
    pub from: u8,
    /// The one that is written for it.
    pub to: char,
    /// Where it is also put in front.
    pub front: Front,
}

/// Before which texts, none of them empty, a character is put.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Front {
    /// Before none.
    Nothing,
    /// Before every one.
    Always,
    /// Before those that begin with it, or with what it is written for.
    Present,
    /// Before those that do not begin with it, nor with what it is written for.
    Missing,
    /// Before such a one if the original begins with it.
    MissingAtStart,
}

impl Respelling {
    /// Whether a character is put in front of a text, which may be at the start of the original.
    pub fn prepends_to(&self, text: &str, at_start: bool) -> bool {
        let is_present = || text.starts_with([char::from(self.from), self.to]);
        let is_missing = || !text.is_empty() && !is_present();
        match self.front {
            Front::Nothing => false,
            Front::Always => !text.is_empty(),
            Front::Present => is_present(),
            Front::Missing => is_missing(),
            Front::MissingAtStart => at_start && is_missing(),
        }
    }
}

#[derive(Debug)]
enum Step {
    Bert(Box<bert::Bert>),
    Form(Form),
    Lowercase,
    Strip { left: bool, right: bool },
    StripAccents,
    Nmt(Box<nmt::Nmt>),
    Precompiled(precompiled::Precompiled),
    Replace(replace::Replace),
    Prepend(String),
    ByteLevel,
    SentencePiece(sentencepiece::SentencePieceNormalization),
    Custom(Arc<dyn CustomNormalizer>),
}

impl Normalizer {
    /// Compiles a description.
    pub fn new(spec: &NormalizerSpec) -> Result<Self> {
        let mut steps = Vec::new();
        // A stack instead of recursion: a file may nest sequences as deep as it likes.
        let mut open = vec![spec];
        while let Some(spec) = open.pop() {
            match spec {
                NormalizerSpec::Sequence(members) => open.extend(members.iter().rev()),
                _ => steps.push(Step::new(spec)?),
            }
        }
        let has_custom = steps.iter().any(|step| matches!(step, Step::Custom(_)));
        Ok(Normalizer { steps: steps.into(), has_custom, of_words: false })
    }

    /// What the normalizer does, if all it does is to write one character for another and, maybe, the same
    /// in front of every text: then the text need not be written for those who know that.
    pub fn respelling(&self) -> Option<Respelling> {
        Step::respelling(&self.steps)
    }

    /// The same where that is done last, and how many steps are done before it.
    pub fn respelling_behind(&self) -> Option<(usize, Respelling)> {
        let last = |count: usize| {
            let before = self.steps.len().checked_sub(count)?;
            Some((before, Step::respelling(&self.steps[before..])?))
        };
        last(2).or_else(|| last(1))
    }

    /// How many steps there are.
    pub fn step_count(&self) -> usize {
        self.steps.len()
    }

    /// The same of SentencePiece's normalizer as well, whose texts have other spans.
    pub fn writes_marks(&self) -> Option<Respelling> {
        match &*self.steps {
            [Step::SentencePiece(step)] => step.respelling(),
            _ => self.respelling(),
        }
    }

    /// SentencePiece's normalizer, writing blanks in place of marks.
    pub fn with_blanks(&self) -> Option<sentencepiece::SentencePieceNormalization> {
        match &*self.steps {
            [Step::SentencePiece(step)] => step.with_blanks(),
            _ => None,
        }
    }

    /// Whether a component may look at positions in the original: only a user's own can.
    pub fn needs_alignment(&self) -> bool {
        self.has_custom
    }

    /// Name and way of each normalizer, for the plan.
    pub fn explain(&self) -> Vec<(String, String)> {
        self.steps.iter().map(Step::explain).collect()
    }

    /// Rewrites a text.
    pub fn normalize(&self, text: &mut AlignedText<'_>) -> Result<()> {
        self.normalize_by_first(self.steps.len(), text)
    }

    /// Rewrites a text by the first steps alone.
    pub fn normalize_by_first(&self, steps: usize, text: &mut AlignedText<'_>) -> Result<()> {
        let _work = limits::begin_alone(text.as_str().len());
        if self.has_custom {
            custom::in_own_coordinates(text, |source, text| {
                self.run(steps, text, |step, text| match step {
                    Step::Custom(component) => custom::normalize(component.as_ref(), source, text),
                    step => step.run(text),
                })
            })?;
        } else {
            self.run(steps, text, Step::run)?;
        }
        limits::add_written(text.as_str().len());
        Ok(())
    }

    /// The first steps in order. After each one somebody may stop, and the text may not have grown beyond its limit.
    fn run<'t>(
        &self,
        steps: usize,
        text: &mut AlignedText<'t>,
        mut run: impl FnMut(&Step, &mut AlignedText<'t>) -> Result<()>,
    ) -> Result<()> {
        for (index, step) in self.steps.iter().take(steps).enumerate() {
            let name = || format!("normalizer {} of {} ({})", index + 1, self.steps.len(), step.explain().0);
            if index > 0 {
                limits::check()?;
            }
            if self.of_words && matches!(step, Step::Strip { .. }) {
                continue;
            }
            run(step, text).map_err(|error| match error.kind() {
                ErrorKind::Value => error.at(name()),
                _ => error,
            })?;
            limits::check_part(text.as_str().len(), name)?;
        }
        Ok(())
    }
}

impl Step {
    fn respelling(steps: &[Step]) -> Option<Respelling> {
        let (replace, prefix) = match steps {
            [Step::Replace(replace)] => (replace, None),
            [Step::Replace(replace), Step::Replace(next)] => {
                let (from, to) = replace.single_chars()?;
                return next.doubles_at_start(to).then_some(Respelling { from, to, front: Front::Present });
            }
            [Step::Prepend(prefix), Step::Replace(replace)] => (replace, Some((prefix, true))),
            [Step::Replace(replace), Step::Prepend(prefix)] => (replace, Some((prefix, false))),
            _ => return None,
        };
        let (from, to) = replace.single_chars()?;
        if let Some((prefix, replaced)) = prefix {
            let mut chars = prefix.chars();
            let (Some(c), None) = (chars.next(), chars.next()) else { return None };
            if c != to && !(replaced && c == from as char) {
                return None;
            }
        }
        let front = if prefix.is_some() { Front::Always } else { Front::Nothing };
        Some(Respelling { from, to, front })
    }

    fn explain(&self) -> (String, String) {
        let tables = "ASCII byte loop, Unicode tables above";
        let (name, way) = match self {
            Step::Bert(_) => ("Bert", tables),
            Step::Form(form) => {
                return (format!("{form:?}").to_uppercase(), "quick check, own tables".into());
            }
            Step::Lowercase => ("Lowercase", tables),
            Step::Strip { .. } => ("Strip", "white space at the ends"),
            Step::StripAccents => ("StripAccents", tables),
            Step::Nmt(_) => ("Nmt", "character table"),
            Step::Precompiled(_) => {
                ("Precompiled", "character map of the file, ASCII that maps to itself skipped")
            }
            Step::Replace(replace) => {
                let (engine, reason) = replace.explain();
                return ("Replace".into(), format!("{engine}: {reason}"));
            }
            Step::Prepend(_) => ("Prepend", "in front of any text that is not empty"),
            Step::ByteLevel => ("ByteLevel", "byte table"),
            Step::SentencePiece(_) => {
                ("SentencePiece", "longest match in the model's character map, then spaces")
            }
            Step::Custom(_) => ("Custom", "a component of the user's own"),
        };
        (name.to_string(), way.to_string())
    }

    fn new(spec: &NormalizerSpec) -> Result<Self> {
        Ok(match spec {
            NormalizerSpec::Bert { clean_text, handle_chinese_chars, strip_accents, lowercase } => {
                Step::Bert(Box::new(bert::Bert::new(
                    *clean_text,
                    *handle_chinese_chars,
                    *strip_accents,
                    *lowercase,
                )))
            }
            NormalizerSpec::Nfc => Step::Form(Form::Nfc),
            NormalizerSpec::Nfd => Step::Form(Form::Nfd),
            NormalizerSpec::Nfkc => Step::Form(Form::Nfkc),
            NormalizerSpec::Nfkd => Step::Form(Form::Nfkd),
            NormalizerSpec::Lowercase => Step::Lowercase,
            NormalizerSpec::Strip { left, right } => Step::Strip { left: *left, right: *right },
            NormalizerSpec::StripAccents => Step::StripAccents,
            NormalizerSpec::Nmt => Step::Nmt(Box::new(nmt::Nmt::new())),
            NormalizerSpec::Precompiled { charsmap, matching } => {
                Step::Precompiled(precompiled::Precompiled::new(charsmap, *matching)?)
            }
            NormalizerSpec::Replace { pattern, content } => {
                Step::Replace(replace::Replace::new(pattern, content)?)
            }
            NormalizerSpec::Prepend { prepend } => Step::Prepend(prepend.clone()),
            NormalizerSpec::ByteLevel => Step::ByteLevel,
            NormalizerSpec::SentencePiece(spec) => {
                Step::SentencePiece(sentencepiece::SentencePieceNormalization::new(spec)?)
            }
            NormalizerSpec::Custom(component) => Step::Custom(component.clone()),
            NormalizerSpec::Sequence(_) => unreachable!("sequences are laid out flat before"),
        })
    }

    fn run(&self, text: &mut AlignedText<'_>) -> Result<()> {
        match self {
            Step::Bert(bert) => bert.normalize(text),
            Step::Form(form) => forms::normalize(*form, text),
            Step::Lowercase => lowercase::normalize(text),
            Step::Strip { left, right } => strip::strip(text, *left, *right),
            Step::StripAccents => strip::strip_accents(text),
            Step::Nmt(nmt) => nmt.normalize(text),
            Step::Precompiled(precompiled) => return precompiled.normalize(text),
            Step::Replace(replace) => return replace.normalize(text),
            Step::Prepend(prefix) => prepend::normalize(text, prefix),
            Step::ByteLevel => byte_level::normalize(text),
            Step::SentencePiece(sentencepiece) => return sentencepiece.normalize(text),
            Step::Custom(_) => unreachable!("a user's own step runs in its own coordinates"),
        }
        Ok(())
    }
}
