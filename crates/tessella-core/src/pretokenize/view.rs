//! Looking at a pre-tokenizer from outside: whether bytes can skip the alphabet.
//!
//! A model that works on bytes has no use for the printable characters of the byte-level alphabet. Where
//! only splits stand around one ByteLevel, the pieces are plain ranges of the text, or of its bytes where splits stand behind it:
//! [`ByteLevelView`] yields them without writing a single character. [`SplitView`] does the same for
//! pre-tokenizers that only split, and [`MarkedView`] where a final Metaspace would put a mark in front of
//! every piece: whoever knows the mark need not write it.
//!
//! Views share the compiled parts of the stages, so they are cheap to make and stand on their own: whoever keeps
//! one need not ask again whether it exists. A visitor that fails is not called again, and its error comes back.

use std::ops::Range;
use std::sync::Arc;

use super::byte_alphabet::{BYTE_TO_CHAR, bytes_to_alphabet};
use super::cut::{borders, cut};
use super::table::{Standing, TableSplit};
use super::{PreTokenizer, Stage};
use crate::error::Result;
use crate::pattern::Matcher;
use crate::pattern::scan::{Borders, Joint, Link, MaskedPieces, Removed, Rule, Scanner};
use crate::portion::Portion;
use crate::spec::{PrependScheme, SplitBehavior};

impl PreTokenizer {
    /// The splits, if there is nothing else: then the pieces are plain ranges of the text. `None` also for
    /// more than [`SplitView::MAX_SPLITS`], far beyond any real tokenizer.
    pub fn split_view(&self) -> Option<SplitView> {
        SplitView::of(&self.stages)
    }

    /// The way without an alphabet, if there is one: one stage is ByteLevel, all stages before it only
    /// split, and no prefix space would have to go into the middle of a text. Stages behind it must be splits that are one automaton
    /// with those before.
    pub fn byte_level_view(&self) -> Option<ByteLevelView> {
        let at = self.stages.iter().position(|stage| matches!(stage, Stage::ByteLevel { .. }))?;
        let (before, [Stage::ByteLevel { add_prefix_space, splitter }, behind @ ..]) =
            self.stages.split_at(at)
        else {
            return None;
        };
        if *add_prefix_space && !before.is_empty() {
            return None;
        }
        let mut splits = SplitView::of(before)?;
        splits.cuts.extend(splitter.as_ref().map(Cut::isolated));
        let behind = SplitView::of(behind)?;
        let joint = self.joint.get_or_init(|| match behind.cuts.is_empty() {
            true => splits.joint(),
            false => Some(splits.joint_before(&behind)),
        });
        let joint = joint.clone();
        if !behind.cuts.is_empty() && !joint.as_ref().is_some_and(std::result::Result::is_ok) {
            return None;
        }
        Some(ByteLevelView { splits, behind, joint, add_prefix_space: *add_prefix_space })
    }

    /// Why stages behind ByteLevel are not done in raw bytes, where that is asked.
    pub fn why_not_in_bytes(&self) -> Option<String> {
        match self.joint.get()? {
            Some(Err(reason)) if self.byte_level_view().is_none() => Some(reason.to_string()),
            _ => None,
        }
    }

    /// The way without a written mark, if there is one: the last stage is a Metaspace that splits and does
    /// not look at positions, and all stages before it only split.
    pub fn marked_view(&self) -> Option<MarkedView> {
        let (last, before) = self.stages.split_last()?;
        let Stage::Metaspace(metaspace) = last else { return None };
        if metaspace.splitter.is_none() || metaspace.scheme == PrependScheme::First {
            return None;
        }
        let prepends = metaspace.scheme == PrependScheme::Always;
        Some(MarkedView { splits: SplitView::of(before)?, mark: metaspace.replacement, prepends })
    }

    /// What spaces become and before what it is put, if a Metaspace that cuts nothing is all there is.
    pub fn writes_marks(&self) -> Option<(char, PrependScheme)> {
        match self.stages.as_slice() {
            [Stage::Metaspace(metaspace)] if metaspace.splitter.is_none() => {
                Some((metaspace.replacement, metaspace.scheme))
            }
            _ => None,
        }
    }

    /// Whether the first stage leaves a character out and looks at nothing on its other side. If it does so with blanks, each word
    /// is cut as it is alone, by all stages that look at no positions.
    pub fn leaves_out(&self, c: char) -> bool {
        match self.stages.first() {
            Some(Stage::Table(table)) => table.standing(c) == Some(Standing::Between),
            Some(Stage::Split { matcher, behavior: SplitBehavior::Removed, invert: true }) => {
                matcher.scanner().is_some_and(|scanner| scanner.divides_at(c))
            }
            _ => false,
        }
    }

    /// Whether a text without a character is never cut.
    pub fn cuts_only_at(&self, c: char) -> bool {
        self.stages.iter().all(|stage| match stage {
            Stage::Split { matcher, invert: false, .. } => {
                matcher.as_literal().is_some_and(|literal| literal.contains(c))
            }
            _ => false,
        })
    }
}

/// A split without state.
#[derive(Debug, Clone)]
enum Cut {
    Matches { matcher: Arc<Matcher>, behavior: SplitBehavior, invert: bool },
    Table(TableSplit),
}

impl Cut {
    fn of(stage: &Stage) -> Option<Self> {
        match stage {
            // Where there are no gaps, all is kept.
            Stage::Split { matcher, behavior: SplitBehavior::Removed, invert: true }
                if matcher.scanner().is_some_and(Scanner::is_total) =>
            {
                Some(Cut::isolated(matcher))
            }
            Stage::Split { matcher, behavior, invert } => {
                Some(Cut::Matches { matcher: matcher.clone(), behavior: *behavior, invert: *invert })
            }
            Stage::Table(table) => Some(Cut::Table(*table)),
            _ => None,
        }
    }

    fn isolated(matcher: &Arc<Matcher>) -> Self {
        Cut::Matches { matcher: matcher.clone(), behavior: SplitBehavior::Isolated, invert: false }
    }

    /// The cut as a link of one automaton, if the scanner reads it.
    fn link(&self) -> Option<Link<'_>> {
        let (rule, behavior, invert) = match self {
            Cut::Matches { matcher, behavior, invert } => {
                let (source, dialect) = matcher.expression();
                (Rule::Expression(source, dialect), *behavior, *invert)
            }
            Cut::Table(table) => {
                let (characters, behavior) = table.characters()?;
                (Rule::Characters(characters), behavior, false)
            }
        };
        let removed = match borders(behavior, invert) {
            Some(_) => Removed::Nothing,
            None if invert => Removed::Gaps,
            None => Removed::Matches,
        };
        Some(Link { rule, borders: borders(behavior, invert).unwrap_or(Borders::ALL), removed })
    }

    #[inline]
    fn for_each_piece(&self, text: &str, emit: &mut impl FnMut(Range<usize>)) -> Result<()> {
        match self {
            Cut::Matches { matcher, behavior, invert } => cut(&**matcher, *behavior, *invert, text, emit),
            Cut::Table(table) => table.for_each_piece(text, emit),
        }
    }
}

/// Splits and nothing else, to be run on any text.
#[derive(Debug, Clone)]
pub struct SplitView {
    cuts: Vec<Cut>,
}

impl SplitView {
    /// Splits are nested calls, so their number is bounded.
    pub const MAX_SPLITS: usize = 16;

    fn of(stages: &[Stage]) -> Option<Self> {
        if stages.len() > Self::MAX_SPLITS {
            return None;
        }
        stages.iter().map(Cut::of).collect::<Option<_>>().map(|cuts| SplitView { cuts })
    }

    /// Emits the byte ranges of the pieces of one text, in order and none of them empty. Ranges may leave
    /// gaps where a split removes its matches.
    #[inline]
    pub fn for_each_piece(
        &self,
        text: &str,
        emit: &mut impl FnMut(Range<usize>) -> Result<()>,
    ) -> Result<()> {
        let mut outcome = Ok(());
        let mut visit = |range| {
            if outcome.is_ok() {
                outcome = emit(range);
            }
        };
        match self.cuts.as_slice() {
            [] if text.is_empty() => {}
            [] => visit(0..text.len()),
            [only] => only.for_each_piece(text, &mut visit)?,
            cuts => nested(cuts, 0, text, &mut visit)?,
        }
        outcome
    }

    /// The matcher, if one split that isolates its matches is all there is.
    pub fn only_matcher(&self) -> Option<&Matcher> {
        match self.cuts.as_slice() {
            [Cut::Matches { matcher, behavior: SplitBehavior::Isolated, .. }] => Some(matcher),
            _ => None,
        }
    }

    /// The splits as one automaton, or why that is not possible; none of it where a single pattern's own scanner serves.
    fn joint(&self) -> Option<JointSplits> {
        let only = self.only_matcher();
        if self.cuts.is_empty() || only.is_some_and(|matcher| matcher.scanner().is_some()) {
            return None;
        }
        let joint = self.links().and_then(|links| match links.as_slice() {
            [Link { removed: Removed::Matches | Removed::Gaps, .. }] => {
                Err("a single stage that removes something takes fewer steps by itself".into())
            }
            links => Joint::new(links),
        });
        let joint = joint.map(Arc::new).map_err(Arc::from);
        // Of a single pattern its engine is told.
        (only.is_none() || joint.is_ok()).then_some(joint)
    }

    /// The splits and others behind the byte-level alphabet as one automaton, or why that is not possible.
    fn joint_before(&self, behind: &SplitView) -> JointSplits {
        let joint = self.links().and_then(|links| Joint::spelled(&links, &behind.links()?, &BYTE_TO_CHAR));
        joint.map(Arc::new).map_err(Arc::from)
    }

    fn links(&self) -> std::result::Result<Vec<Link<'_>>, String> {
        let links = self.cuts.iter().map(Cut::link).collect::<Option<_>>();
        links.ok_or_else(|| "some stage does more than cut by what the scanner matches".into())
    }

    /// The rule about characters, if it is all there is.
    pub fn only_table(&self) -> Option<TableSplit> {
        match self.cuts.as_slice() {
            [Cut::Table(table)] => Some(*table),
            _ => None,
        }
    }
}

/// The pieces before a Metaspace writes its marks into them.
#[derive(Debug, Clone)]
pub struct MarkedView {
    splits: SplitView,
    mark: char,
    prepends: bool,
}

impl MarkedView {
    /// What cuts before it.
    pub fn splits(&self) -> &SplitView {
        &self.splits
    }

    /// Whether nothing cuts before it.
    pub fn only_marks(&self) -> bool {
        self.splits.cuts.is_empty()
    }

    /// What spaces become, and what stands in front of a piece.
    pub fn mark(&self) -> char {
        self.mark
    }

    /// Whether a piece that starts neither with a space nor with the mark gets the mark in front.
    pub fn prepends(&self) -> bool {
        self.prepends
    }

    /// Emits the byte ranges of the pieces of one segment, in order and none of them empty. A piece has a
    /// space or a mark at its very start or not at all; a space stands for the mark.
    #[inline]
    pub fn for_each_piece(
        &self,
        text: &str,
        emit: &mut impl FnMut(Range<usize>) -> Result<()>,
    ) -> Result<()> {
        let mark = self.mark;
        let mut utf8 = [0; 4];
        let lead = mark.encode_utf8(&mut utf8).as_bytes()[0];
        self.splits.for_each_piece(text, &mut |range| {
            let Range { mut start, end } = range;
            let bytes = &text.as_bytes()[..end];
            // A mark opens a piece of its own.
            for at in start + 1..end {
                if bytes[at] == b' ' || (bytes[at] == lead && text[at..end].starts_with(mark)) {
                    emit(start..at)?;
                    start = at;
                }
            }
            emit(start..end)
        })
    }
}

/// Several splits as one automaton, or why they are none.
pub(super) type JointSplits = std::result::Result<Arc<Joint>, Arc<str>>;

/// The splits of a byte-level pre-tokenizer, to be run on raw text. Pieces are ranges of characters, unless it
/// [cuts inside](ByteLevelView::cuts_inside) of them.
#[derive(Debug, Clone)]
pub struct ByteLevelView {
    splits: SplitView,
    /// What cuts behind the alphabet.
    behind: SplitView,
    /// All splits at once, if there are several.
    joint: Option<JointSplits>,
    add_prefix_space: bool,
}

impl ByteLevelView {
    /// Whether every text segment (a stretch between added tokens) that does not start with U+0020 gets
    /// one in front. [`for_each_piece`](Self::for_each_piece) does not: the caller passes the segment with
    /// the space in front of it, and must do so before it cuts the segment anywhere. An empty segment gets
    /// none.
    pub fn add_prefix_space(&self) -> bool {
        self.add_prefix_space
    }

    /// The matcher, if one split that isolates its matches is all there is.
    pub fn only_matcher(&self) -> Option<&Matcher> {
        if self.cuts_inside() { None } else { self.splits.only_matcher() }
    }

    /// Whether pieces may begin and end inside of characters, for some splits read bytes.
    pub fn cuts_inside(&self) -> bool {
        !self.behind.cuts.is_empty()
    }

    /// The pieces of one segment, which cover it, if a single pattern or all of them together find them many at a time.
    pub fn masked<'t>(&'t self, raw: &'t str) -> Option<MaskedPieces<'t>> {
        match &self.joint {
            Some(joint) => joint.as_ref().ok().filter(|joint| !joint.removes())?.pieces(raw),
            None => self.only_matcher()?.scanner()?.masked(raw),
        }
    }

    /// The same of each of some segments, where one pattern finds them by masks.
    pub fn masked_each<'t>(&'t self, segments: &'t Portion) -> Option<MaskedPieces<'t>> {
        if self.joint.is_some() { None } else { self.only_matcher()?.scanner()?.masked_each(segments) }
    }

    /// The same of stretches of a text, each as if it were one for itself.
    pub fn masked_within<'t>(&'t self, text: &'t str) -> Option<impl Fn(Range<usize>) -> MaskedPieces<'t>> {
        if self.joint.is_some() { None } else { self.only_matcher()?.scanner()?.masked_within(text) }
    }

    /// How several splits are done at once, or why they are not; `None` for a single one.
    pub fn explain_joint(&self) -> Option<std::result::Result<String, String>> {
        let joint = self.joint.as_ref()?;
        Some(joint.as_ref().map(|joint| joint.describe()).map_err(|reason| reason.to_string()))
    }

    /// Emits the byte ranges of the pieces of one segment, in order and none of them empty. Ranges may
    /// leave gaps where a split removes its matches.
    #[inline]
    pub fn for_each_piece(&self, raw: &str, emit: &mut impl FnMut(Range<usize>) -> Result<()>) -> Result<()> {
        let joint = self.joint.as_ref().and_then(|joint| joint.as_ref().ok());
        let pieces = joint.and_then(|joint| Some((joint, joint.pieces(raw)?)));
        let Some((joint, pieces)) = pieces else {
            return match self.cuts_inside() {
                true => self.for_each_spelled(raw, emit),
                false => self.splits.for_each_piece(raw, emit),
            };
        };
        let mut outcome = Ok(());
        let removes = joint.removes();
        pieces.for_each(|start, end| {
            if outcome.is_ok() && !(removes && joint.is_removed(raw, start)) {
                outcome = emit(start..end);
            }
        });
        outcome
    }
}

impl ByteLevelView {
    /// The same with the alphabet written for the splits behind it.
    #[cold]
    pub(super) fn for_each_spelled(
        &self,
        raw: &str,
        emit: &mut impl FnMut(Range<usize>) -> Result<()>,
    ) -> Result<()> {
        self.splits.for_each_piece(raw, &mut |range| {
            let spelled = bytes_to_alphabet(&raw.as_bytes()[range.clone()]);
            let (mut at, mut byte) = (0, range.start);
            self.behind.for_each_piece(&spelled, &mut |piece| {
                // A character for each byte.
                let start = byte + spelled[at..piece.start].chars().count();
                byte = start + spelled[piece.clone()].chars().count();
                at = piece.end;
                emit(start..byte)
            })
        })
    }
}

/// Cuts `text`, which starts at byte `base`, by the first split and each of its pieces with the rest of them. As
/// deep as there are splits.
fn nested(cuts: &[Cut], base: usize, text: &str, emit: &mut dyn FnMut(Range<usize>)) -> Result<()> {
    let Some((first, rest)) = cuts.split_first() else {
        emit(base..base + text.len());
        return Ok(());
    };
    if rest.is_empty() {
        return first.for_each_piece(text, &mut |range| emit(base + range.start..base + range.end));
    }
    let mut outcome = Ok(());
    first.for_each_piece(text, &mut |range| {
        if outcome.is_ok() {
            outcome = nested(rest, base + range.start, &text[range], emit);
        }
    })?;
    outcome
}
