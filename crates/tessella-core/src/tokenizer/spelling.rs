//! Pieces that are looked up as they stand in the text, and written as the model reads them only when the
//! cache does not know them.
//!
//! Some vocabularies write a mark for every blank and in front of every word. Writing it costs more than the
//! look-up that follows, and the mark follows from the text: a [`Reading`] is that rule. [`Spelling`] writes
//! a piece by the rule and translates the spans of its tokens back. A prefix shares the span of the character
//! after it, a replaced character keeps its own.

use std::sync::Arc;

use crate::ids::PieceToken;
use crate::model::bpe::{Bpe, Units};
use crate::normalize::{Front, Normalizer, Respelling};
use crate::pretokenize::PreTokenizer;
use crate::spec::PrependScheme;

/// What normalizer and pre-tokenizer do, if all they do is to write one character for another and to put that in front.
pub(super) fn respelling(
    normalizer: Option<&Normalizer>,
    pre_tokenizer: Option<&PreTokenizer>,
) -> Option<Respelling> {
    match (normalizer, pre_tokenizer) {
        (None, Some(pre_tokenizer)) => marks(pre_tokenizer.writes_marks()?),
        (normalizer, pre_tokenizer) => followed(normalizer?.respelling()?, pre_tokenizer),
    }
}

/// The same behind steps of the normalizer that do anything to a text, and how many these are.
pub(super) fn respelling_behind(
    normalizer: Option<&Normalizer>,
    pre_tokenizer: Option<&PreTokenizer>,
) -> Option<(usize, Respelling)> {
    if let Some(respelling) = respelling(normalizer, pre_tokenizer) {
        return Some((0, respelling));
    }
    let normalizer = normalizer.filter(|normalizer| !normalizer.needs_alignment())?;
    let respelled = || {
        let (behind, respelling) = normalizer.respelling_behind()?;
        Some((behind, followed(respelling, pre_tokenizer)?))
    };
    respelled().or_else(|| Some((normalizer.step_count(), marks(pre_tokenizer?.writes_marks()?)?)))
}

/// What a Metaspace that cuts nothing does by itself.
fn marks((to, scheme): (char, PrependScheme)) -> Option<Respelling> {
    let front = match scheme {
        PrependScheme::Always => Front::Missing,
        PrependScheme::First => Front::MissingAtStart,
        PrependScheme::Never => Front::Nothing,
    };
    (to != ' ').then_some(Respelling { from: b' ', to, front })
}

/// What a normalizer and the pre-tokenizer behind it do together, if that is a respelling too.
fn followed(respelling: Respelling, pre_tokenizer: Option<&PreTokenizer>) -> Option<Respelling> {
    let Some(pre) = pre_tokenizer else { return Some(respelling) };
    let Some(written) = pre.writes_marks() else {
        // Where the other character is written for all, it cuts no more.
        return pre.cuts_only_at(respelling.from.into()).then_some(respelling);
    };
    let marks = marks(written).filter(|marks| (marks.from, marks.to) == (respelling.from, respelling.to))?;
    let front = match (respelling.front, marks.front) {
        (Front::Nothing, front) => front,
        (Front::Present, Front::Missing) => Front::Always,
        // Where there is one in front already, none is put there.
        (front @ (Front::Always | Front::Present), Front::Nothing) | (front @ Front::Always, _) => front,
        _ => return None,
    };
    Some(Respelling { front, ..respelling })
}

/// How a piece is written for the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reading {
    /// A blank at its start is a mark; if `prepends`, a piece with neither gets a mark in front.
    Marked { mark: char, prepends: bool },
    /// Every `from` is a `to`.
    Respelled { from: u8, to: char },
}

/// A stretch of the written text that does not stand for itself.
#[derive(Debug, Clone, Copy)]
struct Edit {
    /// In the written text.
    start: u32,
    end: u32,
    /// The bytes of the piece that it stands for.
    raw_start: u32,
    raw_end: u32,
    /// The byte of the piece that the text after it stands for.
    raw_next: u32,
}

/// A piece as the model reads it.
#[derive(Debug, Default)]
pub(super) struct Spelling {
    text: String,
    edits: Vec<Edit>,
}

impl Spelling {
    /// Writes `piece`.
    pub fn write(&mut self, reading: Reading, piece: &str) -> &str {
        self.text.clear();
        self.edits.clear();
        match reading {
            Reading::Marked { mark, prepends } => {
                if let Some(rest) = piece.strip_prefix(' ') {
                    self.put(mark, 0, 1, 1);
                    self.text.push_str(rest);
                } else {
                    if prepends && !piece.starts_with(mark) {
                        let first = piece.chars().next().map_or(0, char::len_utf8);
                        self.put(mark, 0, first, 0);
                    }
                    self.text.push_str(piece);
                }
            }
            Reading::Respelled { from, to } => {
                let mut at = 0;
                for found in memchr::memchr_iter(from, piece.as_bytes()) {
                    self.text.push_str(&piece[at..found]);
                    at = found + 1;
                    self.put(to, found, at, at);
                }
                self.text.push_str(&piece[at..]);
            }
        }
        &self.text
    }

    fn put(&mut self, c: char, raw_start: usize, raw_end: usize, raw_next: usize) {
        let start = self.text.len() as u32;
        self.text.push(c);
        self.edits.push(Edit {
            start,
            end: self.text.len() as u32,
            raw_start: raw_start as u32,
            raw_end: raw_end as u32,
            raw_next: raw_next as u32,
        });
    }

    /// From spans of the written text to spans of the piece.
    pub fn translate(&self, tokens: &mut [PieceToken]) {
        if self.edits.is_empty() {
            return;
        }
        for token in tokens {
            let is_empty = token.start == token.end;
            token.start = match self.edit_before(token.start + 1) {
                Some(edit) if token.start < edit.end => edit.raw_start,
                Some(edit) => token.start - edit.end + edit.raw_next,
                None => token.start,
            };
            token.end = match self.edit_before(token.end) {
                // What stands for nothing stands where it begins.
                _ if is_empty => token.start,
                Some(edit) if token.end <= edit.end => edit.raw_end,
                Some(edit) => token.end - edit.end + edit.raw_next,
                None => token.end,
            };
        }
    }

    /// The last edit that starts before `byte`.
    fn edit_before(&self, byte: u32) -> Option<&Edit> {
        self.edits[..self.edits.partition_point(|edit| edit.start < byte)].last()
    }
}

/// Where a normalizer only respells and nothing splits: units of the text itself.
#[derive(Debug)]
pub(super) struct RespelledUnits {
    bpe: Arc<Bpe>,
    units: Units,
    respelling: Respelling,
}

impl RespelledUnits {
    pub fn new(bpe: &Arc<Bpe>, respelling: Respelling) -> Option<Self> {
        let units = bpe.units_reading(Some((respelling.from, respelling.to)))?;
        Some(RespelledUnits { bpe: bpe.clone(), units, respelling })
    }

    pub fn reading(&self) -> Reading {
        Reading::Respelled { from: self.respelling.from, to: self.respelling.to }
    }

    /// If a text, which may be at the start of the original, gets a character in front that it does not have: that character, and
    /// where the unit ends that begins with it.
    pub fn prefixed_end(&self, text: &str, at_start: bool) -> Option<(char, usize)> {
        let prefix = self.respelling.from as char;
        self.respelling
            .prepends_to(text, at_start)
            .then(|| (prefix, self.bpe.unit_end(&self.units, text, prefix, 0)))
    }

    /// The end of the unit that begins at byte `at`.
    #[inline]
    pub fn end(&self, text: &str, at: usize) -> usize {
        match text[at..].chars().next() {
            Some(first) => self.bpe.unit_end(&self.units, text, first, at + first.len_utf8()),
            None => at,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spans(reading: Reading, piece: &str) -> (String, Vec<(u32, u32)>) {
        let mut spelling = Spelling::default();
        let text = spelling.write(reading, piece).to_string();
        let mut tokens: Vec<PieceToken> =
            text.char_indices().map(|(at, c)| PieceToken::new(0, at, at + c.len_utf8())).collect();
        spelling.translate(&mut tokens);
        (text, tokens.iter().map(|token| (token.start, token.end)).collect())
    }

    #[test]
    fn marks_share_or_replace() {
        let marked = |prepends| Reading::Marked { mark: '▁', prepends };
        assert_eq!(spans(marked(true), "éa"), ("▁éa".into(), vec![(0, 2), (0, 2), (2, 3)]));
        assert_eq!(spans(marked(false), "éa"), ("éa".into(), vec![(0, 2), (2, 3)]));
        assert_eq!(spans(marked(true), " a"), ("▁a".into(), vec![(0, 1), (1, 2)]));
        assert_eq!(spans(marked(true), "▁a"), ("▁a".into(), vec![(0, 3), (3, 4)]));
        let respelled = Reading::Respelled { from: b' ', to: '▁' };
        assert_eq!(spans(respelled, " a  b"), ("▁a▁▁b".into(), vec![(0, 1), (1, 2), (2, 3), (3, 4), (4, 5)]));
    }
}
