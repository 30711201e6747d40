//! How a stage changes text without losing the way back.
//!
//! A [`Rewriter`] walks a derived text from left to right and writes the next one. Each call says what
//! becomes of the characters under the cursor; the rules that define the spans live here and nowhere else:
//!
//! | call | text | span of the new character |
//! |---|---|---|
//! | [`keep`](Rewriter::keep) | copied | its own |
//! | [`replace`](Rewriter::replace) | one character becomes another | that of the character replaced |
//! | [`insert`](Rewriter::insert) | a character appears | that of the source character before the cursor; empty at the region's start if there is none |
//! | [`skip`](Rewriter::skip) | characters vanish | nobody's |
//! | [`emit`](Rewriter::emit) | anything | the span given |
//!
//! So an expansion `ﬁ` -> `f`, `i` is a replace and an insert; a composition `e`, `◌́` -> `é` is a replace
//! and a skip, and the accent's bytes belong to nobody.

use super::Alignment;
use crate::ids::Span;

/// Writes a new derived text from an old one.
pub struct Rewriter<'s> {
    source: &'s str,
    map: &'s Alignment,
    hint: usize,
    at: usize,
    region: usize,
    out: String,
    out_map: Alignment,
}

impl<'s> Rewriter<'s> {
    /// Begins with an empty text.
    pub fn new(source: &'s str, map: &'s Alignment) -> Self {
        let out = String::with_capacity(source.len() + source.len() / 8 + 16);
        Rewriter { source, map, hint: 0, at: 0, region: 0, out, out_map: map.like() }
    }

    /// Starts a region of its own at source byte `start`: an insertion there has nothing before it.
    pub fn begin_region(&mut self, start: usize) {
        self.at = start;
        self.region = start;
    }

    /// Source bytes consumed so far.
    pub fn position(&self) -> usize {
        self.at
    }

    /// Bytes written so far.
    pub fn written(&self) -> usize {
        self.out.len()
    }

    /// What is left of the source.
    pub fn rest(&self) -> &'s str {
        &self.source[self.at..]
    }

    /// Copies the next `bytes` bytes (whole characters).
    #[inline]
    pub fn keep(&mut self, bytes: usize) {
        let end = self.at + bytes;
        self.out.push_str(&self.source[self.at..end]);
        self.out_map.append(self.map, self.at, end);
        self.at = end;
    }

    /// Writes `text` in place of the next `text.len()` bytes, character for character with equal byte
    /// lengths (ASCII case folding, for example).
    #[inline]
    pub fn keep_as(&mut self, text: &str) {
        let end = self.at + text.len();
        self.out.push_str(text);
        self.out_map.append(self.map, self.at, end);
        self.at = end;
    }

    /// The next source character becomes `c`. With nothing left, as [`insert`](Self::insert).
    pub fn replace(&mut self, c: char) {
        let Some(old) = self.source[self.at..].chars().next() else { return self.insert(c) };
        self.out.push(c);
        if self.out_map.is_tracked() {
            let span = self.map.char_span_from(self.source, self.at, &mut self.hint);
            let is_own = self.map.is_own(self.at, &mut self.hint);
            self.out_map.push_char_for(c.len_utf8(), span, is_own);
        }
        self.at += old.len_utf8();
    }

    /// `c` appears at the cursor.
    pub fn insert(&mut self, c: char) {
        self.out.push(c);
        if self.out_map.is_tracked() {
            let span = self.span_before();
            let is_own = self.map.is_own(self.at.saturating_sub(1), &mut self.hint);
            self.out_map.push_char_for(c.len_utf8(), span, is_own);
        }
    }

    fn span_before(&mut self) -> Span {
        if self.at > self.region {
            self.map.char_span_from(self.source, self.at - 1, &mut self.hint)
        } else {
            let start = self.map.char_span_from(self.source, self.region, &mut self.hint).start;
            Span::new(start, start)
        }
    }

    /// The next `count` source characters vanish.
    pub fn skip(&mut self, count: usize) {
        self.at += self.source[self.at..].chars().take(count).map(char::len_utf8).sum::<usize>();
    }

    /// The next `bytes` source bytes vanish.
    pub fn skip_bytes(&mut self, bytes: usize) {
        self.at += bytes;
    }

    /// Writes `text`, all of it standing for `span`, without moving the cursor.
    pub fn emit(&mut self, text: &str, span: Span) {
        self.out.push_str(text);
        if self.out_map.is_tracked() {
            for c in text.chars() {
                self.out_map.push_char(c.len_utf8(), span);
            }
        }
    }

    /// The original span of the source bytes `start..end`.
    pub fn source_span(&mut self, start: usize, end: usize) -> Span {
        self.map.span_from(self.source, start, end, &mut self.hint)
    }

    /// Applies `(character, change)` pairs as the reference library words them: 0 replaces, 1 inserts,
    /// `-n` replaces and swallows the `n` characters that follow.
    pub fn apply(&mut self, changes: impl IntoIterator<Item = (char, isize)>) {
        for (c, change) in changes {
            if change > 0 {
                self.insert(c);
            } else {
                self.replace(c);
                if change < 0 {
                    self.skip(change.unsigned_abs());
                }
            }
        }
    }

    /// The text written and its map. What was neither kept nor replaced is gone.
    pub fn finish(self) -> (String, Alignment) {
        (self.out, self.out_map)
    }
}
