//! The one driver of pieces: a text is cut once, whatever becomes of its parts.
//!
//! A text becomes *words* (what word ids count: pieces, or stretches between added tokens) and added tokens, in
//! order; a word is one *part*, or several where it is cut further. Whoever wants them is a [`Sink`]: ids alone
//! (`ids`), all columns of an encoding (`aligned`), the texts of the pieces (`pieces`) or their number (`counting`).

use std::cell::Cell;
use std::ops::Range;

use super::Inner;
use super::segment::SegmentScratch;
use super::spans::{Origin, Stands};
use super::spelling::RespelledUnits;
use super::way::Cut;
use crate::added::Segment;
use crate::error::Result;
use crate::ids::{Span, TokenId};
use crate::pretokenize::ByteLevelView;
use crate::text::{Alignment, MOST_BYTES, Piece};

/// The text that parts are ranges of, and its way back to the original.
#[derive(Debug)]
pub(super) struct Source<'s> {
    pub buffer: &'s str,
    map: &'s Alignment,
    /// Where the map was asked last.
    hint: Cell<usize>,
}

impl<'s> Source<'s> {
    fn new(buffer: &'s str, map: &'s Alignment) -> Self {
        Source { buffer, map, hint: Cell::new(0) }
    }

    /// How a range stands in the original, from byte `from` of it on.
    pub fn stands(&self, range: &Range<usize>, from: u32) -> Stands {
        let (from, start) = (from as usize, range.start + from as usize);
        let (at, until) = self.map.origin(start);
        let until = until.min(range.end) - range.start;
        Stands { origin: at.map(|at| Origin { from, at }), until: until as u32 }
    }

    /// Whether a range is all that there is, and the original byte by byte. A normalizer may write more around it.
    pub fn is_original(&self, range: &Range<usize>, original: &str) -> bool {
        let is_all = *range == (0..self.buffer.len()) && self.buffer.len() == original.len();
        let Stands { origin, until } = self.stands(range, 0);
        is_all && until as usize >= range.len() && origin.is_some_and(|origin| origin.is_start())
    }

    /// The span in the original of bytes `start..end`.
    #[inline]
    pub fn span(&self, start: usize, end: usize) -> Span {
        let mut hint = self.hint.get();
        let span = self.map.span_from(self.buffer, start, end, &mut hint);
        self.hint.set(hint);
        span
    }

    /// The same for a token of a part, which may stand for none of its bytes.
    #[inline]
    pub fn token_span(&self, start: usize, end: usize, part: &Range<usize>) -> Span {
        let mut hint = self.hint.get();
        let span = self.map.span_in_piece(self.buffer, (start, end), part, &mut hint);
        self.hint.set(hint);
        span
    }
}

/// What a text becomes. The first error ends the walk.
pub(super) trait Sink {
    /// A word begins: the parts up to the next word belong to it.
    fn word(&mut self);

    /// A part of the word, as it stands in the text.
    fn part(&mut self, source: &Source<'_>, range: Range<usize>) -> Result<()>;

    /// A word that is an added token; its text and its span in the original.
    fn added(&mut self, text: &str, span: impl FnOnce() -> Span, id: TokenId) -> Result<()>;

    /// A stretch of raw bytes: every piece that the view cuts out of it is a word of one part. A sink that can take
    /// many pieces at once takes them here.
    fn raw_bytes(&mut self, source: &Source<'_>, range: Range<usize>, view: &ByteLevelView) -> Result<()> {
        one_by_one(self, source, range, view)
    }

    /// Stretches of raw bytes with added tokens between them, which cover the source. A sink that can take many at once takes them
    /// here; false, with nothing taken, if it cannot.
    fn between(&mut self, _: &Source<'_>, _: &[Piece], _: &ByteLevelView) -> Result<bool> {
        Ok(false)
    }

    /// The source ends, or an added token comes: a sink that gathers parts takes them now.
    #[inline]
    fn pause(&mut self, _: &Source<'_>) -> Result<()> {
        Ok(())
    }

    /// A word of one part.
    #[inline]
    fn piece(&mut self, source: &Source<'_>, range: Range<usize>) -> Result<()> {
        self.word();
        self.part(source, range)
    }
}

/// Hands over the pieces of a stretch of raw bytes.
pub(super) fn one_by_one(
    sink: &mut (impl Sink + ?Sized),
    source: &Source<'_>,
    range: Range<usize>,
    view: &ByteLevelView,
) -> Result<()> {
    view.for_each_piece(&source.buffer[range.clone()], &mut |piece| {
        sink.piece(source, range.start + piece.start..range.start + piece.end)
    })
}

/// What a call says about its text, and whether the way back to the original is wanted.
#[derive(Debug, Clone, Copy)]
pub(super) struct Walk {
    pub tracked: bool,
    pub specials_as_text: bool,
}

impl Inner {
    /// Cuts a text and hands its parts to a sink.
    pub(super) fn drive(
        &self,
        cut: &Cut,
        text: &str,
        walk: Walk,
        scratch: &mut SegmentScratch,
        sink: &mut impl Sink,
    ) -> Result<()> {
        self.added().split_raw(text, walk.specials_as_text, &mut scratch.raw);
        if let Cut::Respelled(units) = cut {
            return respelled(units, text, walk.tracked, scratch, sink);
        }
        if let Cut::RawBytes(view) = cut
            && self.is_one_raw_segment(text, walk, scratch)
        {
            // Most texts, and all that costs something here is what short ones would pay for each time.
            let map = if walk.tracked { Alignment::identity(0, text.len()) } else { Alignment::untracked() };
            let source = Source::new(text, &map);
            raw_bytes(view, &source, 0..text.len(), sink)?;
            return sink.pause(&source);
        }
        let mut pieces = self.segments_of_split(text, walk.tracked, walk.specials_as_text, scratch)?;
        if let Cut::Stages(Some(pre_tokenizer)) = cut {
            pre_tokenizer.pre_tokenize(&mut pieces)?;
        }
        let source = Source::new(pieces.buffer(), pieces.map());
        if let Cut::RawBytes(view) = cut
            && !view.add_prefix_space()
            && sink.between(&source, pieces.pieces(), view)?
        {
            return Ok(());
        }
        for piece in pieces.pieces() {
            if let Some(id) = piece.added_id() {
                sink.pause(&source)?;
                sink.added(pieces.str(piece), || pieces.span(piece), id)?;
                continue;
            }
            let text = pieces.str(piece);
            let mut emit =
                |range: Range<usize>| sink.piece(&source, piece.start + range.start..piece.start + range.end);
            match cut {
                Cut::Stages(_) | Cut::Respelled(_) => sink.piece(&source, piece.range())?,
                Cut::Splits(view) => view.for_each_piece(text, &mut emit)?,
                Cut::Marked(view) => view.for_each_piece(text, &mut emit)?,
                Cut::RawBytes(view) => raw_bytes(view, &source, piece.range(), sink)?,
            }
        }
        sink.pause(&source)
    }

    /// Whether a text that was cut at raw added tokens is one segment, which is as the text has it.
    fn is_one_raw_segment(&self, text: &str, walk: Walk, scratch: &mut SegmentScratch) -> bool {
        let is_one = |segments: &[Segment]| matches!(segments, [only] if only.id.is_none());
        if self.normalizer.is_some() || text.len() > MOST_BYTES || !is_one(&scratch.raw) {
            return false;
        }
        if self.added().has_normalized() {
            // With nothing that normalizes, those are looked for in the same text.
            self.added().split_normalized(text, walk.specials_as_text, &mut scratch.normalized);
            return is_one(&scratch.normalized);
        }
        true
    }
}

/// Hands over a segment of raw bytes, with a blank in front where the view wants one.
fn raw_bytes(
    view: &ByteLevelView,
    source: &Source<'_>,
    range: Range<usize>,
    sink: &mut impl Sink,
) -> Result<()> {
    let text = &source.buffer[range.clone()];
    if !view.add_prefix_space() || text.is_empty() || text.starts_with(' ') {
        return sink.raw_bytes(source, range, view);
    }
    let mut spaced = String::with_capacity(text.len() + 1);
    let map = put_in_front(' ', source, range, &mut spaced);
    sink.raw_bytes(&Source::new(&spaced, &map), 0..spaced.len(), view)
}

/// A text that is looked up as it is: what stands between added tokens is one word, its units are the parts.
fn respelled(
    units: &RespelledUnits,
    text: &str,
    tracked: bool,
    scratch: &mut SegmentScratch,
    sink: &mut impl Sink,
) -> Result<()> {
    let map = if tracked { Alignment::identity(0, text.len()) } else { Alignment::untracked() };
    let source = Source::new(text, &map);
    let SegmentScratch { raw, prefixed, .. } = scratch;
    for segment in raw.iter() {
        let Range { mut start, end } = segment.range.clone();
        if let Some(id) = segment.id {
            sink.pause(&source)?;
            sink.added(&text[start..end], || Span::new(start, end), id)?;
            continue;
        }
        sink.word();
        if let Some((prefix, until)) = units.prefixed_end(&text[start..end], start == 0) {
            let first = start + text[start..end].chars().next().map_or(0, char::len_utf8);
            let until = start + until;
            prefixed.clear();
            let map = put_in_front(prefix, &source, start..until.max(first), prefixed);
            sink.pause(&source)?;
            let prefixed = Source::new(prefixed, &map);
            sink.part(&prefixed, 0..prefix.len_utf8() + until - start)?;
            sink.pause(&prefixed)?;
            start = until;
        }
        while start < end {
            let until = units.end(&text[..end], start);
            sink.part(&source, start..until)?;
            start = until;
        }
    }
    sink.pause(&source)
}

/// Writes a part of a text with a character in front, which shares the span of the part's first character.
fn put_in_front(prefix: char, source: &Source<'_>, range: Range<usize>, out: &mut String) -> Alignment {
    let Source { buffer, map, .. } = source;
    out.push(prefix);
    out.push_str(&buffer[range.clone()]);
    let mut prefixed = map.like();
    if map.is_tracked() && !range.is_empty() {
        let span = map.char_span(buffer, range.start);
        prefixed.push_char_for(prefix.len_utf8(), span, map.is_own(range.start, &mut 0));
        prefixed.append(map, range.start, range.end);
    }
    prefixed
}
