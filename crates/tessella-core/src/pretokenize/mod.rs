//! Stage 2: text to pieces.
//!
//! A model never looks across the border of two pieces; a pre-tokenizer draws the borders. Twelve kinds,
//! four ways to work:
//!
//! - [`table`]: a rule about characters (white space, punctuation, numbers, scripts, length);
//! - [`cut`]: the matches of a pattern, and what becomes of them;
//! - [`byte_level`], [`metaspace`]: change the text as well, keeping the way back;
//! - [`custom`]: a user's own.
//!
//! A [`PreTokenizer`] is a flat list of such stages; nested sequences are resolved when it is built. Splits
//! push ranges of one buffer and copy no text. [`view`] shows the stages to whoever wants to fuse them with
//! what follows, and [`byte_alphabet`] is the alphabet that byte-level models are written in.
//!
//! ```
//! use tessella_core::pretokenize::PreTokenizer;
//! use tessella_core::spec::PreTokenizerSpec;
//! use tessella_core::text::{AlignedText, Pieces};
//!
//! let bert = PreTokenizer::new(&PreTokenizerSpec::Bert)?;
//! let mut pieces = Pieces::whole(AlignedText::borrowed("how are  you?", 0));
//! bert.pre_tokenize(&mut pieces)?;
//! let texts: Vec<_> = pieces.pieces().iter().map(|piece| pieces.str(piece)).collect();
//! assert_eq!(texts, ["how", "are", "you", "?"]);
//! # Ok::<(), tessella_core::Error>(())
//! ```
//!
//! Building fails for a pattern that does not compile and for pieces of length 0; running fails when a
//! regular-expression engine gives up, or with a user's component.

pub mod byte_alphabet;
mod byte_level;
mod custom;
mod cut;
mod metaspace;
mod table;
mod view;

use std::num::NonZeroUsize;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use crate::error::{Error, Result};
use crate::flat::{Arrays, Shelf};
use crate::hooks::CustomPreTokenizer;
use crate::limits;
use crate::pattern::Matcher;
use crate::spec::{Pattern, PreTokenizerSpec, PrependScheme, SplitBehavior};
use crate::text::Pieces;

pub use byte_level::GPT2;
pub use cut::parts;
use metaspace::Metaspace;
pub use table::{Standing, TableSplit};
pub use view::{ByteLevelView, MarkedView, SplitView};

/// A compiled pre-tokenizer. Immutable, shared by threads.
#[derive(Debug)]
pub struct PreTokenizer {
    stages: Vec<Stage>,
    /// All splits of a byte-level view at once, or why that is not possible; built when the first view is asked for.
    joint: OnceLock<Option<view::JointSplits>>,
}

#[derive(Debug)]
enum Stage {
    Split { matcher: Arc<Matcher>, behavior: SplitBehavior, invert: bool },
    Table(TableSplit),
    ByteLevel { add_prefix_space: bool, splitter: Option<Arc<Matcher>> },
    Metaspace(Metaspace),
    Custom(Arc<dyn CustomPreTokenizer>),
}

impl PreTokenizer {
    /// Compiles a description.
    pub fn new(spec: &PreTokenizerSpec) -> Result<Self> {
        Self::with(spec, &mut |pattern| match pattern {
            Some(pattern) => Matcher::new(pattern).map(Arc::new),
            None => byte_level::gpt2(),
        })
    }

    /// Puts the compiled patterns down.
    pub(crate) fn put(&self, arrays: &mut Arrays) {
        for stage in &self.stages {
            match stage {
                Stage::Split { matcher, .. } | Stage::ByteLevel { splitter: Some(matcher), .. } => {
                    matcher.put(arrays);
                }
                _ => {}
            }
        }
    }

    /// The pre-tokenizer of the same description with the patterns that were put down.
    pub(crate) fn take(spec: &PreTokenizerSpec, shelf: &mut Shelf) -> Result<Self> {
        let gpt2 = byte_level::gpt2_pattern();
        Self::with(spec, &mut |pattern| Matcher::take(pattern.unwrap_or(&gpt2), shelf).map(Arc::new))
    }

    fn with(spec: &PreTokenizerSpec, compile: Compile<'_>) -> Result<Self> {
        let mut stages = Vec::new();
        let mut waiting = vec![spec];
        while let Some(spec) = waiting.pop() {
            match spec {
                PreTokenizerSpec::Sequence(parts) => waiting.extend(parts.iter().rev()),
                single => stages.push(Stage::new(single, &mut *compile)?),
            }
        }
        Ok(PreTokenizer { stages, joint: OnceLock::new() })
    }

    /// Cuts every text piece, stage after stage. A custom stage needs [`Pieces::set_original`] if the
    /// pieces are tracked.
    pub fn pre_tokenize(&self, pieces: &mut Pieces<'_>) -> Result<()> {
        let _work = limits::begin_alone(pieces.buffer().len());
        (0..self.stages.len()).try_for_each(|stage| self.pre_tokenize_stage(stage, pieces))
    }

    /// The number of stages.
    pub fn stage_count(&self) -> usize {
        self.stages.len()
    }

    /// Cuts every text piece by one stage; a stage that is not there does nothing.
    pub fn pre_tokenize_stage(&self, stage: usize, pieces: &mut Pieces<'_>) -> Result<()> {
        let Some(one) = self.stages.get(stage) else { return Ok(()) };
        if stage > 0 {
            limits::check()?;
        }
        one.pre_tokenize(pieces)?;
        limits::check_growth(pieces.buffer().len(), || {
            format!("pre-tokenizer {} of {} ({})", stage + 1, self.stages.len(), one.explain().0)
        })
    }

    /// Whether the pieces depend on where text stands in the original, so that they must be tracked even
    /// if nobody asks for offsets: Metaspace prepends to what starts at byte 0, and a user's component may
    /// look at anything.
    pub fn needs_alignment(&self) -> bool {
        self.stages.iter().any(|stage| match stage {
            Stage::Metaspace(metaspace) => metaspace.scheme == PrependScheme::First,
            Stage::Custom(_) => true,
            _ => false,
        })
    }

    /// Name, engine and reason of every stage.
    pub fn explain(&self) -> Vec<(String, String, String)> {
        self.stages.iter().map(Stage::explain).collect()
    }
}

/// Compiles a pattern; none stands for that of GPT-2.
type Compile<'c> = &'c mut dyn FnMut(Option<&Pattern>) -> Result<Arc<Matcher>>;

impl Stage {
    fn new(spec: &PreTokenizerSpec, compile: Compile<'_>) -> Result<Self> {
        Ok(match spec {
            PreTokenizerSpec::Bert => Stage::Table(TableSplit::Bert),
            PreTokenizerSpec::ByteLevel { add_prefix_space, use_regex, trim_offsets: _ } => {
                Stage::ByteLevel {
                    add_prefix_space: *add_prefix_space,
                    splitter: use_regex.then(|| compile(None)).transpose()?,
                }
            }
            PreTokenizerSpec::CharDelimiter { delimiter } => Stage::Split {
                matcher: compile(Some(&Pattern::Literal(delimiter.to_string())))?,
                behavior: SplitBehavior::Removed,
                invert: false,
            },
            PreTokenizerSpec::Digits { individual } => {
                Stage::Table(TableSplit::Digits { individual: *individual })
            }
            PreTokenizerSpec::FixedLength { length } => {
                let length = NonZeroUsize::new(*length).ok_or_else(|| {
                    Error::value(
                        "FixedLength cannot cut pieces of length 0; expected a length of at least 1 character",
                    )
                })?;
                Stage::Table(TableSplit::FixedLength(length))
            }
            PreTokenizerSpec::Metaspace { replacement, prepend, split } => {
                Stage::Metaspace(Metaspace::new(*replacement, *prepend, *split))
            }
            PreTokenizerSpec::Punctuation { behavior } => Stage::Table(TableSplit::Punctuation(*behavior)),
            PreTokenizerSpec::Split { pattern, behavior, invert } => {
                let matcher = compile(Some(pattern))?;
                Stage::Split { matcher, behavior: *behavior, invert: *invert }
            }
            PreTokenizerSpec::UnicodeScripts { keep_spaces } => {
                Stage::Table(TableSplit::UnicodeScripts { keep_spaces: *keep_spaces })
            }
            PreTokenizerSpec::Whitespace => Stage::Table(TableSplit::Whitespace),
            PreTokenizerSpec::WhitespaceSplit => Stage::Table(TableSplit::WhitespaceSplit),
            PreTokenizerSpec::Custom(hook) => Stage::Custom(Arc::clone(hook)),
            PreTokenizerSpec::Sequence(_) => {
                return Err(Error::value(
                    "a sequence inside a sequence was not resolved; build it with PreTokenizer::new",
                ));
            }
        })
    }

    fn pre_tokenize(&self, pieces: &mut Pieces<'_>) -> Result<()> {
        match self {
            Stage::Split { matcher, behavior, invert } => split_pieces(pieces, |text, ranges| {
                cut::cut(&**matcher, *behavior, *invert, text, &mut |range| ranges.push(range))
            }),
            Stage::Table(table) => split_pieces(pieces, |text, ranges| {
                table.for_each_piece(text, &mut |range| ranges.push(range))
            }),
            Stage::ByteLevel { add_prefix_space, splitter } => {
                if *add_prefix_space {
                    byte_level::add_prefix_spaces(pieces);
                }
                if let Some(matcher) = splitter {
                    split_pieces(pieces, |text, ranges| {
                        cut::cut(&**matcher, SplitBehavior::Isolated, false, text, &mut |range| {
                            ranges.push(range)
                        })
                    })?;
                }
                byte_level::map_bytes(pieces);
                Ok(())
            }
            Stage::Metaspace(metaspace) => metaspace.pre_tokenize(pieces),
            Stage::Custom(hook) => custom::pre_tokenize(&**hook, pieces),
        }
    }

    fn explain(&self) -> (String, String, String) {
        let with = |name: &str, matcher: &Matcher| {
            let (engine, reason) = matcher.explain();
            (name.to_string(), engine, reason)
        };
        let plain = |name: &str, engine: &str, reason: &str| {
            (name.to_string(), engine.to_string(), reason.to_string())
        };
        match self {
            Stage::Split { matcher, .. } => with("Split", matcher),
            Stage::Table(table) => plain(table.name(), "table", "a rule about single characters"),
            Stage::ByteLevel { splitter: Some(matcher), .. } => with("ByteLevel", matcher),
            Stage::ByteLevel { splitter: None, .. } => plain("ByteLevel", "table", "no split was asked for"),
            Stage::Metaspace(_) => plain("Metaspace", "substring search", "only spaces are looked for"),
            Stage::Custom(hook) => {
                let name = hook.import_path().unwrap_or_else(|| "custom".to_string());
                (name, "user code".to_string(), "the component is the user's own".to_string())
            }
        }
    }
}

/// [`Pieces::split`] with a cut that can fail.
fn split_pieces(
    pieces: &mut Pieces<'_>,
    cut: impl Fn(&str, &mut Vec<Range<usize>>) -> Result<()>,
) -> Result<()> {
    let mut outcome = Ok(());
    pieces.split(|text, ranges| {
        if outcome.is_ok() {
            outcome = cut(text, ranges);
        }
    });
    outcome
}

#[cfg(test)]
mod tests;
