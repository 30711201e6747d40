//! Which bytes of the original text each byte of a derived text stands for.
//!
//! A derived text is what normalizers and pre-tokenizers make of the original. Every *character* of it
//! carries one span of the original; all of its bytes share that span. Most characters stand for
//! themselves, so the map is stored as runs:
//!
//! - an *identity* run: characters follow the original's one by one, with equal byte lengths, so that both have their boundaries
//!   at the same bytes;
//! - a *fixed* run: every character of the run stands for the same span.
//!
//! Plain text is one run whatever its length. Spans are always absolute positions in the original, so a
//! slice of a derived text needs no translation.
//!
//! An alignment may be switched off ([`Alignment::untracked`]): then it records nothing and costs a
//! predictable branch. This is how the ids-only path shares the code of the aligned one.

use std::ops::Range;

use smallvec::SmallVec;

use crate::ids::Span;

const IDENTITY: usize = usize::MAX;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Run {
    /// First derived byte of the run; it ends where the next one starts.
    derived: usize,
    /// Original byte that the run's first character starts at.
    origin: usize,
    /// Length of the shared span, or `IDENTITY`.
    width: usize,
}

/// The map from a derived text to the original.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Alignment {
    runs: SmallVec<[Run; 1]>,
    len: usize,
    tracked: bool,
}

impl Alignment {
    /// An empty map that records what is pushed.
    pub fn new() -> Self {
        Alignment { runs: SmallVec::new(), len: 0, tracked: true }
    }

    /// A map that records nothing. Look-ups in it answer with an empty span at 0.
    pub fn untracked() -> Self {
        Alignment { runs: SmallVec::new(), len: 0, tracked: false }
    }

    /// An empty map that tracks if `self` does.
    pub fn like(&self) -> Self {
        Alignment { runs: SmallVec::new(), len: 0, tracked: self.tracked }
    }

    /// `len` bytes that are the original's own from `origin` on.
    pub fn identity(origin: usize, len: usize) -> Self {
        let mut alignment = Alignment::new();
        alignment.push_identity(len, origin);
        alignment
    }

    /// Whether anything is recorded.
    pub fn is_tracked(&self) -> bool {
        self.tracked
    }

    /// Derived bytes covered so far (0 when untracked).
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether it is the map of an empty text.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Appends `len` bytes of characters that are the original's own from `origin` on.
    #[inline]
    pub fn push_identity(&mut self, len: usize, origin: usize) {
        self.push_run(len, origin, IDENTITY, |last, derived| last.origin + (derived - last.derived));
    }

    /// Appends `len` bytes; the last run goes on if it has this width and `next` says that it goes on with this origin.
    #[inline(always)]
    fn push_run(&mut self, len: usize, origin: usize, width: usize, next: impl FnOnce(&Run, usize) -> usize) {
        if !self.tracked || len == 0 {
            return;
        }
        let derived = self.len;
        self.len += len;
        if self.runs.last().is_none_or(|last| last.width != width || next(last, derived) != origin) {
            self.runs.push(Run { derived, origin, width });
        }
    }

    /// Appends one character of `len` bytes that stands for `span`.
    #[inline]
    pub fn push_char(&mut self, len: usize, span: Span) {
        // Of more bytes it could stand for several characters, between which its own bytes are no boundaries.
        self.push_char_for(len, span, len <= 1);
    }

    /// The same, told whether that is one character of the original where it has as many bytes.
    #[inline]
    pub fn push_char_for(&mut self, len: usize, span: Span, is_own: bool) {
        if !self.tracked {
            return;
        }
        if is_own && span.len() == len {
            self.push_identity(len, span.start);
        } else {
            self.push_fixed(len, span);
        }
    }

    /// Appends `len` bytes of characters that all stand for `span`.
    pub fn push_fixed(&mut self, len: usize, span: Span) {
        self.push_run(len, span.start, span.len(), |last, _| last.origin);
    }

    /// Appends the part `start..end` of another map. Both ends must be character boundaries there.
    pub fn append(&mut self, other: &Alignment, start: usize, end: usize) {
        if !self.tracked || start >= end {
            return;
        }
        let mut index = other.run_index(start);
        let mut at = start;
        while at < end {
            let run = other.runs[index];
            let stop = other.runs.get(index + 1).map_or(other.len, |next| next.derived).min(end);
            if run.width == IDENTITY {
                self.push_identity(stop - at, run.origin + (at - run.derived));
            } else {
                self.push_fixed(stop - at, Span::new(run.origin, run.origin + run.width));
            }
            at = stop;
            index += 1;
        }
    }

    fn run_index(&self, byte: usize) -> usize {
        self.runs.partition_point(|run| run.derived <= byte).saturating_sub(1)
    }

    /// Where in the original a place stands from which on it is the original's own, byte by byte, and up to where it is, or is not.
    pub fn origin(&self, start: usize) -> (Option<usize>, usize) {
        let index = self.run_index(start);
        let end = |index: usize| self.runs.get(index + 1).map_or(self.len, |next| next.derived);
        match self.runs.get(index) {
            Some(run) if run.width == IDENTITY && run.derived <= start => {
                (Some(run.origin + (start - run.derived)), end(index))
            }
            _ => (None, end(index)),
        }
    }

    /// The span of the character that holds derived byte `byte` of `text` (the whole derived text).
    pub fn char_span(&self, text: &str, byte: usize) -> Span {
        self.char_span_from(text, byte, &mut 0)
    }

    /// As [`char_span`](Self::char_span), remembering the run in `hint`: cheap for a forward walk.
    pub fn char_span_from(&self, text: &str, byte: usize, hint: &mut usize) -> Span {
        if byte >= self.len {
            let end = self.len.checked_sub(1).map_or(0, |last| self.char_span(text, last).end);
            return Span::new(end, end);
        }
        let run = self.seek(byte, hint);
        if run.width != IDENTITY {
            return Span::new(run.origin, run.origin + run.width);
        }
        let mut start = byte;
        while !text.is_char_boundary(start) {
            start -= 1;
        }
        let mut end = byte + 1;
        while !text.is_char_boundary(end) {
            end += 1;
        }
        Span::new(run.origin + (start - run.derived), run.origin + (end - run.derived))
    }

    /// Whether the character that holds a derived byte is the original's own, or stands for one that has as many bytes.
    #[inline]
    pub fn is_own(&self, byte: usize, hint: &mut usize) -> bool {
        byte < self.len && self.seek(byte, hint).width == IDENTITY
    }

    fn seek(&self, byte: usize, hint: &mut usize) -> Run {
        let covers = |index: usize| {
            self.runs.get(index).is_some_and(|run| run.derived <= byte)
                && self.runs.get(index + 1).is_none_or(|next| next.derived > byte)
        };
        if !covers(*hint) {
            *hint = if covers(*hint + 1) { *hint + 1 } else { self.run_index(byte) };
        }
        self.runs[*hint]
    }

    /// The original span of derived bytes `start..end`: from the start of the first character's span to
    /// the end of the last one's. An empty range gives an empty span where its byte stands.
    pub fn span(&self, text: &str, start: usize, end: usize) -> Span {
        self.span_from(text, start, end, &mut 0)
    }

    /// As [`span`](Self::span), remembering the run in `hint`.
    #[inline]
    pub fn span_from(&self, text: &str, start: usize, end: usize, hint: &mut usize) -> Span {
        // Nearly always both ends stand in the run that was used last, at boundaries of characters.
        if let Some(run) = self.runs.get(*hint)
            && run.width == IDENTITY
            && run.derived <= start
            && start < end
            && self.runs.get(*hint + 1).map_or(self.len, |next| next.derived) >= end
            && text.is_char_boundary(start)
            && text.is_char_boundary(end)
        {
            return Span::new(run.origin + (start - run.derived), run.origin + (end - run.derived));
        }
        self.any_span(text, start, end, hint)
    }

    /// The span of the bytes `start..end`, which are of a piece. Those of none stand in front of the character that comes next in the
    /// piece, and else behind the one before: what follows the piece says nothing of it.
    #[inline]
    pub fn span_in_piece(
        &self,
        text: &str,
        (start, end): (usize, usize),
        piece: &Range<usize>,
        hint: &mut usize,
    ) -> Span {
        if start == end && end == piece.end && !piece.is_empty() {
            let at = self.char_span_from(text, end - 1, hint).end;
            return Span::new(at, at);
        }
        self.span_from(text, start, end, hint)
    }

    /// The definition of [`span_from`](Self::span_from).
    fn any_span(&self, text: &str, start: usize, end: usize, hint: &mut usize) -> Span {
        if self.runs.is_empty() {
            return Span::default();
        }
        if start >= end {
            let at = self.char_span_from(text, start, hint).start;
            return Span::new(at, at);
        }
        let first = self.char_span_from(text, start, hint).start;
        let last = self.char_span_from(text, end - 1, hint).end;
        // Reordering can put an earlier character last; a span never runs backwards.
        Span::new(first, last.max(first))
    }
}

impl Default for Alignment {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_text_is_one_run() {
        let mut map = Alignment::new();
        for i in 0..100 {
            map.push_char(1, Span::new(i, i + 1));
        }
        assert_eq!(map.runs.len(), 1);
        assert_eq!(map.span(&"a".repeat(100), 3, 7), Span::new(3, 7));
    }

    #[test]
    fn expanded_and_swallowed_characters() {
        // "ﬁ" (3 bytes) -> "f", "i"; then "b".
        let mut map = Alignment::new();
        map.push_char(1, Span::new(0, 3));
        map.push_char(1, Span::new(0, 3));
        map.push_char(1, Span::new(3, 4));
        assert_eq!(map.span("fib", 0, 1), Span::new(0, 3));
        assert_eq!(map.span("fib", 1, 2), Span::new(0, 3));
        assert_eq!(map.span("fib", 1, 3), Span::new(0, 4));
        let mut copy = Alignment::new();
        copy.append(&map, 1, 3);
        assert_eq!(copy.span("ib", 0, 2), Span::new(0, 4));
        assert_eq!((map.origin(2), map.origin(1), copy.origin(0)), ((Some(3), 3), (None, 2), (None, 1)));
    }

    /// "..." becomes "…", which has as many bytes and no boundary between them.
    #[test]
    fn a_character_for_several_is_not_the_originals_own() {
        let mut map = Alignment::identity(0, 1);
        map.push_char(3, Span::new(1, 4));
        map.push_char_for(3, Span::new(4, 7), true);
        assert_eq!([0, 1, 4].map(|at| map.origin(at).0), [Some(0), None, Some(4)]);
        assert_eq!([0, 1, 4].map(|at| map.is_own(at, &mut 0)), [true, false, true]);
        assert_eq!(map.span("a…漢", 2, 3), Span::new(1, 4));
    }

    #[test]
    fn a_byte_inside_a_character_has_the_whole_character() {
        let map = Alignment::identity(10, 4);
        assert_eq!(map.span("aéb", 2, 3), Span::new(11, 13));
        assert_eq!(map.span("aéb", 0, 2), Span::new(10, 13));
    }

    #[test]
    fn a_remembered_run_changes_nothing() {
        let text = "aéb漢cdef😀gh";
        let mut map = Alignment::new();
        map.push_identity(3, 2);
        map.push_fixed(1, Span::new(5, 9));
        map.push_identity(3, 9);
        map.push_identity(2, 20);
        map.push_fixed(2, Span::new(22, 22));
        map.push_identity(text.len() - 11, 22);
        for start in 0..=text.len() {
            for end in start..=text.len() {
                for hint in 0..8 {
                    let mut hint = hint;
                    assert_eq!(
                        map.span_from(text, start, end, &mut hint),
                        map.any_span(text, start, end, &mut 0)
                    );
                }
            }
        }
    }

    #[test]
    fn untracked_records_nothing() {
        let mut map = Alignment::untracked();
        map.push_char(1, Span::new(5, 6));
        assert_eq!((map.len(), map.span("a", 0, 1)), (0, Span::default()));
    }
}
