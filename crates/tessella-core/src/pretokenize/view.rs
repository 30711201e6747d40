//! Looking at a pre-tokenizer from outside: what its stages are, and whether bytes can skip the alphabet.
//!
//! A model that works on bytes has no use for the printable characters of the byte-level alphabet. Where
//! only splits stand before one final ByteLevel, the pieces are plain ranges of the text:
//! [`ByteLevelView`] yields them without writing a single character. [`SplitView`] does the same for
//! pre-tokenizers that only split.

use std::ops::Range;

use super::cut::cut;
use super::table::TableSplit;
use super::{PreTokenizer, Stage};
use crate::error::Result;
use crate::pattern::Matcher;
use crate::spec::{PrependScheme, SplitBehavior};

/// What one stage of a pre-tokenizer is, nested sequences resolved.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum StageView<'a> {
    /// Cut at the matches of a pattern.
    Split { matcher: &'a Matcher, behavior: SplitBehavior, invert: bool },
    /// Cut by a rule about characters.
    Table(&'a TableSplit),
    /// A space in front, a split that isolates its matches, the alphabet.
    ByteLevel { add_prefix_space: bool, splitter: Option<&'a Matcher> },
    /// Spaces become `replacement`, which opens a new piece if `split`.
    Metaspace { replacement: char, prepend: PrependScheme, split: bool },
    /// A user's own component.
    Custom,
}

impl Stage {
    fn view(&self) -> StageView<'_> {
        match self {
            Stage::Split { matcher, behavior, invert } => {
                StageView::Split { matcher, behavior: *behavior, invert: *invert }
            }
            Stage::Table(table) => StageView::Table(table),
            Stage::ByteLevel { add_prefix_space, splitter } => {
                StageView::ByteLevel { add_prefix_space: *add_prefix_space, splitter: splitter.as_deref() }
            }
            Stage::Metaspace(metaspace) => StageView::Metaspace {
                replacement: metaspace.replacement,
                prepend: metaspace.scheme,
                split: metaspace.splitter.is_some(),
            },
            Stage::Custom(_) => StageView::Custom,
        }
    }
}

impl PreTokenizer {
    /// The stages in order, nested sequences resolved.
    pub fn stages(&self) -> Vec<StageView<'_>> {
        self.stages.iter().map(Stage::view).collect()
    }

    /// The splits, if there is nothing else: then the pieces are plain ranges of the text. `None` also for
    /// more than [`SplitView::MAX_SPLITS`], far beyond any real tokenizer.
    pub fn split_view(&self) -> Option<SplitView<'_>> {
        SplitView::of(&self.stages)
    }

    /// The way without an alphabet, if there is one: the last stage is ByteLevel, all stages before it only
    /// split, and no prefix space would have to go into the middle of a text.
    pub fn byte_level_view(&self) -> Option<ByteLevelView<'_>> {
        let (last, before) = self.stages.split_last()?;
        let Stage::ByteLevel { add_prefix_space, splitter } = last else { return None };
        if *add_prefix_space && !before.is_empty() {
            return None;
        }
        let mut splits = SplitView::of(before)?;
        if let Some(matcher) = splitter {
            splits.splits.push(Cut::Matches { matcher, behavior: SplitBehavior::Isolated, invert: false });
        }
        Some(ByteLevelView { splits, add_prefix_space: *add_prefix_space })
    }
}

/// A split without state.
#[derive(Debug, Clone, Copy)]
enum Cut<'a> {
    Matches { matcher: &'a Matcher, behavior: SplitBehavior, invert: bool },
    Table(&'a TableSplit),
}

impl Cut<'_> {
    #[inline]
    fn for_each_piece(&self, text: &str, emit: &mut impl FnMut(Range<usize>)) -> Result<()> {
        match *self {
            Cut::Matches { matcher, behavior, invert } => cut(matcher, behavior, invert, text, emit),
            Cut::Table(table) => table.for_each_piece(text, emit),
        }
    }
}

/// Splits and nothing else, to be run on any text.
#[derive(Debug, Clone)]
pub struct SplitView<'a> {
    splits: Vec<Cut<'a>>,
}

impl<'a> SplitView<'a> {
    /// Splits are nested calls, so their number is bounded.
    pub const MAX_SPLITS: usize = 16;

    fn of(stages: &'a [Stage]) -> Option<Self> {
        if stages.len() > Self::MAX_SPLITS {
            return None;
        }
        let split = |stage: &'a Stage| match stage {
            Stage::Split { matcher, behavior, invert } => {
                Some(Cut::Matches { matcher, behavior: *behavior, invert: *invert })
            }
            Stage::Table(table) => Some(Cut::Table(table)),
            _ => None,
        };
        Some(SplitView { splits: stages.iter().map(split).collect::<Option<_>>()? })
    }

    /// Emits the byte ranges of the pieces of one text, in order and none of them empty. Ranges may leave
    /// gaps where a split removes its matches.
    #[inline]
    pub fn for_each_piece(&self, text: &str, emit: &mut impl FnMut(Range<usize>)) -> Result<()> {
        match self.splits.as_slice() {
            [] if text.is_empty() => Ok(()),
            [] => {
                emit(0..text.len());
                Ok(())
            }
            [only] => only.for_each_piece(text, emit),
            [first, rest @ ..] => nested(*first, rest, 0, text, emit),
        }
    }

    /// The matcher, if one split that isolates its matches is all there is.
    pub fn only_matcher(&self) -> Option<&'a Matcher> {
        match self.splits.as_slice() {
            [Cut::Matches { matcher, behavior: SplitBehavior::Isolated, .. }] => Some(matcher),
            _ => None,
        }
    }
}

/// The splits of a byte-level pre-tokenizer, to be run on raw text.
#[derive(Debug, Clone)]
pub struct ByteLevelView<'a> {
    splits: SplitView<'a>,
    add_prefix_space: bool,
}

impl<'a> ByteLevelView<'a> {
    /// Whether every text segment (a stretch between added tokens) that does not start with U+0020 gets
    /// one in front. [`for_each_piece`](Self::for_each_piece) does not: the caller passes the segment with
    /// the space in front of it, and must do so before it cuts the segment anywhere. An empty segment gets
    /// none.
    pub fn add_prefix_space(&self) -> bool {
        self.add_prefix_space
    }

    /// The matcher, if one split that isolates its matches is all there is.
    pub fn only_matcher(&self) -> Option<&'a Matcher> {
        self.splits.only_matcher()
    }

    /// Emits the byte ranges of the pieces of one segment, in order and none of them empty. Ranges may
    /// leave gaps where a split removes its matches.
    #[inline]
    pub fn for_each_piece(&self, raw: &str, emit: &mut impl FnMut(Range<usize>)) -> Result<()> {
        self.splits.for_each_piece(raw, emit)
    }
}

/// Cuts `text`, which starts at byte `base`, and each of its pieces with the rest of the splits. As deep as
/// there are splits.
fn nested(
    first: Cut<'_>,
    rest: &[Cut<'_>],
    base: usize,
    text: &str,
    emit: &mut dyn FnMut(Range<usize>),
) -> Result<()> {
    let Some((next, rest)) = rest.split_first() else {
        return first.for_each_piece(text, &mut |range| emit(base + range.start..base + range.end));
    };
    let mut outcome = Ok(());
    first.for_each_piece(text, &mut |range| {
        if outcome.is_ok() {
            outcome = nested(*next, rest, base + range.start, &text[range], emit);
        }
    })?;
    outcome
}
