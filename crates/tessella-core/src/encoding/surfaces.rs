//! Token texts that differ from the vocabulary's.
//!
//! Kept as runs of tokens that share one text, so that a thousand padding tokens are one entry, and a slice
//! of an encoding copies pointers, never strings.

use std::ops::Range;
use std::sync::Arc;

/// A text of its own, or a part of one that many tokens share.
#[derive(Debug, Clone)]
struct Text {
    all: Arc<str>,
    range: Range<usize>,
}

impl Text {
    fn as_str(&self) -> &str {
        self.all.get(self.range.clone()).unwrap_or_default()
    }
}

impl From<Arc<str>> for Text {
    fn from(all: Arc<str>) -> Self {
        Text { range: 0..all.len(), all }
    }
}

impl PartialEq for Text {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}

impl Eq for Text {}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Run {
    tokens: Range<usize>,
    text: Text,
}

/// Texts by token index, in ascending order; tokens without one read as the vocabulary says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Surfaces {
    runs: Vec<Run>,
}

impl Surfaces {
    pub const fn new() -> Self {
        Surfaces { runs: Vec::new() }
    }

    pub fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    /// Gives the token `index` a text. Indices must come in ascending order; one that does not is ignored.
    pub fn push(&mut self, index: usize, text: impl Into<Arc<str>>) {
        self.push_run(index..index + 1, text.into());
    }

    /// Gives all tokens of a range one text.
    pub fn push_run(&mut self, tokens: Range<usize>, text: Arc<str>) {
        self.push_text(tokens, text.into());
    }

    fn push_text(&mut self, tokens: Range<usize>, text: Text) {
        if tokens.is_empty() {
            return;
        }
        if let Some(last) = self.runs.last_mut() {
            if tokens.start < last.tokens.end {
                return;
            }
            if tokens.start == last.tokens.end && last.text == text {
                last.tokens.end = tokens.end;
                return;
            }
        }
        self.runs.push(Run { tokens, text });
    }

    pub fn get(&self, index: usize) -> Option<&str> {
        self.get_from(index, &mut None)
    }

    /// As [`get`](Self::get), remembering the run in `cursor`: constant time in a forward walk.
    pub(super) fn get_from(&self, index: usize, cursor: &mut Option<usize>) -> Option<&str> {
        if self.runs.is_empty() {
            return None;
        }
        let mut at = match *cursor {
            Some(at) => at,
            None => self.runs.partition_point(|run| run.tokens.end <= index),
        };
        while self.runs.get(at).is_some_and(|run| run.tokens.end <= index) {
            at += 1;
        }
        *cursor = Some(at);
        self.runs.get(at).filter(|run| run.tokens.contains(&index)).map(|run| run.text.as_str())
    }

    /// How many tokens have a text.
    pub(super) fn covered(&self) -> usize {
        self.runs.iter().map(|run| run.tokens.len()).sum()
    }

    /// The texts of a range of tokens, counted from its start.
    pub(crate) fn slice(&self, range: Range<usize>) -> Surfaces {
        let first = self.runs.partition_point(|run| run.tokens.end <= range.start);
        let runs = self.runs[first..].iter().take_while(|run| run.tokens.start < range.end).map(|run| Run {
            tokens: run.tokens.start.max(range.start) - range.start
                ..run.tokens.end.min(range.end) - range.start,
            text: run.text.clone(),
        });
        Surfaces { runs: runs.collect() }
    }

    /// Appends those of another list whose token 0 becomes token `at`.
    pub(super) fn append(&mut self, other: &Surfaces, at: usize) {
        for run in &other.runs {
            self.push_text(run.tokens.start + at..run.tokens.end + at, run.text.clone());
        }
    }

    /// Makes room for `count` tokens in front, all with one text.
    pub(super) fn prepend(&mut self, count: usize, text: Arc<str>) {
        let later = std::mem::take(self);
        self.runs.reserve(later.runs.len() + 1);
        self.push_run(0..count, text);
        self.append(&later, count);
    }
}

/// Texts of tokens that come one after the other: all of them in one, so that none asks for memory.
#[derive(Debug, Default)]
pub(crate) struct GrowingSurfaces {
    text: String,
    /// The tokens of each text, and where it ends.
    runs: Vec<(Range<usize>, usize)>,
}

impl GrowingSurfaces {
    /// As [`Surfaces::push`].
    pub fn push(&mut self, index: usize, text: &str) {
        let last = self.runs.len().checked_sub(1);
        if let Some(last) = last {
            let is_same = self.text_at(last) == text;
            let tokens = &mut self.runs[last].0;
            if index < tokens.end {
                return;
            }
            if index == tokens.end && is_same {
                tokens.end += 1;
                return;
            }
        }
        self.text.push_str(text);
        self.runs.push((index..index + 1, self.text.len()));
    }

    fn range(&self, run: usize) -> Range<usize> {
        let start = run.checked_sub(1).map_or(0, |before| self.runs[before].1);
        start..self.runs[run].1
    }

    fn text_at(&self, run: usize) -> &str {
        &self.text[self.range(run)]
    }

    /// The text of a token.
    pub fn get(&self, index: usize) -> Option<&str> {
        let run = self.runs.partition_point(|(tokens, _)| tokens.end <= index);
        self.runs.get(run).filter(|(tokens, _)| tokens.contains(&index)).map(|_| self.text_at(run))
    }

    /// Forgets those of tokens from one on.
    pub fn truncate(&mut self, count: usize) {
        self.runs.truncate(self.runs.partition_point(|(tokens, _)| tokens.start < count));
        if let Some((tokens, _)) = self.runs.last_mut() {
            tokens.end = tokens.end.min(count);
        }
        self.text.truncate(self.runs.last().map_or(0, |&(_, end)| end));
    }

    /// All of them.
    pub fn done(self) -> Surfaces {
        if self.runs.is_empty() {
            return Surfaces::new();
        }
        let all: Arc<str> = self.text.as_str().into();
        let runs = self.runs.iter().enumerate().map(|(run, (tokens, _))| Run {
            tokens: tokens.clone(),
            text: Text { all: Arc::clone(&all), range: self.range(run) },
        });
        Surfaces { runs: runs.collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    /// Texts that grow are those that are pushed one by one.
    #[test]
    fn growing_texts_are_as_others() {
        let mut random = Random::from_seed(8);
        let mut below = |bound: usize| (random.next_u64() % bound as u64) as usize;
        for _ in 0..500 {
            let (mut one, mut other) = (Surfaces::new(), GrowingSurfaces::default());
            let mut index = 0;
            for _ in 0..below(30) {
                index = (index + below(4)).saturating_sub(1);
                let text = ["", "a", "漢字", "bc"][below(4)];
                one.push(index, text);
                other.push(index, text);
                if below(8) == 0 {
                    let count = below(index + 2);
                    one = one.slice(0..count);
                    other.truncate(count);
                    index = count;
                }
            }
            for index in 0..index + 2 {
                assert_eq!(one.get(index), other.get(index));
            }
            assert_eq!(one, other.done());
        }
    }
}
