//! Looking at a pre-tokenizer from outside: what its stages are, and whether bytes can skip the alphabet.
//!
//! A model that works on bytes has no use for the printable characters of the byte-level alphabet. Where
//! only splits stand before one final ByteLevel, the pieces are plain ranges of the text:
//! [`ByteLevelView`] yields them without writing a single character. [`SplitView`] does the same for
//! pre-tokenizers that only split, and [`MarkedView`] where a final Metaspace would put a mark in front of
//! every piece: whoever knows the mark need not write it.
//!
//! Views borrow the stages and are free to make.

use std::ops::Range;

use super::cut::cut;
use super::metaspace::Metaspace;
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
        let splits = SplitView { last: splitter.as_deref(), ..SplitView::of(before)? };
        Some(ByteLevelView { splits, add_prefix_space: *add_prefix_space })
    }

    /// The way without a written mark, if there is one: the last stage is a Metaspace that splits and does
    /// not look at positions, and all stages before it only split.
    pub fn marked_view(&self) -> Option<MarkedView<'_>> {
        let (last, before) = self.stages.split_last()?;
        let Stage::Metaspace(metaspace) = last else { return None };
        if metaspace.splitter.is_none() || metaspace.scheme == PrependScheme::First {
            return None;
        }
        Some(MarkedView { splits: SplitView::of(before)?, metaspace })
    }
}

/// A split without state.
#[derive(Debug, Clone, Copy)]
enum Cut<'a> {
    Matches { matcher: &'a Matcher, behavior: SplitBehavior, invert: bool },
    Table(&'a TableSplit),
}

impl<'a> Cut<'a> {
    fn of(stage: &'a Stage) -> Option<Self> {
        match stage {
            Stage::Split { matcher, behavior, invert } => {
                Some(Cut::Matches { matcher, behavior: *behavior, invert: *invert })
            }
            Stage::Table(table) => Some(Cut::Table(table)),
            _ => None,
        }
    }

    fn isolated(matcher: &'a Matcher) -> Self {
        Cut::Matches { matcher, behavior: SplitBehavior::Isolated, invert: false }
    }

    #[inline]
    fn for_each_piece(&self, text: &str, emit: &mut impl FnMut(Range<usize>)) -> Result<()> {
        match *self {
            Cut::Matches { matcher, behavior, invert } => cut(matcher, behavior, invert, text, emit),
            Cut::Table(table) => table.for_each_piece(text, emit),
        }
    }
}

/// Splits and nothing else, to be run on any text.
#[derive(Debug, Clone, Copy)]
pub struct SplitView<'a> {
    /// All of them are splits.
    stages: &'a [Stage],
    /// One more split, which isolates its matches.
    last: Option<&'a Matcher>,
}

impl<'a> SplitView<'a> {
    /// Splits are nested calls, so their number is bounded.
    pub const MAX_SPLITS: usize = 16;

    fn of(stages: &'a [Stage]) -> Option<Self> {
        let only_splits = stages.iter().all(|stage| Cut::of(stage).is_some());
        (stages.len() <= Self::MAX_SPLITS && only_splits).then_some(SplitView { stages, last: None })
    }

    /// The first split and all that come after it.
    #[inline]
    fn split_first(self) -> Option<(Cut<'a>, Self)> {
        match (self.stages, self.last) {
            ([first, rest @ ..], last) => Some((Cut::of(first)?, SplitView { stages: rest, last })),
            ([], Some(matcher)) => Some((Cut::isolated(matcher), SplitView { stages: &[], last: None })),
            ([], None) => None,
        }
    }

    fn is_empty(&self) -> bool {
        self.stages.is_empty() && self.last.is_none()
    }

    /// Emits the byte ranges of the pieces of one text, in order and none of them empty. Ranges may leave
    /// gaps where a split removes its matches.
    #[inline]
    pub fn for_each_piece(&self, text: &str, emit: &mut impl FnMut(Range<usize>)) -> Result<()> {
        match self.split_first() {
            None if text.is_empty() => Ok(()),
            None => {
                emit(0..text.len());
                Ok(())
            }
            Some((only, rest)) if rest.is_empty() => only.for_each_piece(text, emit),
            Some((first, rest)) => nested(first, rest, 0, text, emit),
        }
    }

    /// The matcher, if one split that isolates its matches is all there is.
    pub fn only_matcher(&self) -> Option<&'a Matcher> {
        match self.split_first() {
            Some((Cut::Matches { matcher, behavior: SplitBehavior::Isolated, .. }, rest))
                if rest.is_empty() =>
            {
                Some(matcher)
            }
            _ => None,
        }
    }
}

/// The pieces before a Metaspace writes its marks into them.
#[derive(Debug, Clone, Copy)]
pub struct MarkedView<'a> {
    splits: SplitView<'a>,
    metaspace: &'a Metaspace,
}

impl MarkedView<'_> {
    /// What spaces become, and what stands in front of a piece.
    pub fn mark(&self) -> char {
        self.metaspace.replacement
    }

    /// Whether a piece that starts neither with a space nor with the mark gets the mark in front.
    pub fn prepends(&self) -> bool {
        self.metaspace.scheme == PrependScheme::Always
    }

    /// Emits the byte ranges of the pieces of one segment, in order and none of them empty. A piece has a
    /// space or a mark at its very start or not at all; a space stands for the mark.
    #[inline]
    pub fn for_each_piece(&self, text: &str, emit: &mut impl FnMut(Range<usize>)) -> Result<()> {
        let mark = self.metaspace.replacement;
        let mut utf8 = [0; 4];
        let lead = mark.encode_utf8(&mut utf8).as_bytes()[0];
        self.splits.for_each_piece(text, &mut |range| {
            let Range { mut start, end } = range;
            let bytes = &text.as_bytes()[..end];
            // A mark opens a piece of its own.
            for at in start + 1..end {
                if bytes[at] == b' ' || (bytes[at] == lead && text[at..end].starts_with(mark)) {
                    emit(start..at);
                    start = at;
                }
            }
            emit(start..end);
        })
    }
}

/// The splits of a byte-level pre-tokenizer, to be run on raw text.
#[derive(Debug, Clone, Copy)]
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
    rest: SplitView<'_>,
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
            outcome = nested(next, rest, base + range.start, &text[range], emit);
        }
    })?;
    outcome
}
