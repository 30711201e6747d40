//! Token texts that differ from the vocabulary's.
//!
//! Kept as runs of tokens that share one text, so that a thousand padding tokens are one entry, and a slice
//! of an encoding copies pointers, never strings.

use std::ops::Range;
use std::sync::Arc;

#[derive(Debug, Clone, PartialEq, Eq)]
struct Run {
    tokens: Range<usize>,
    text: Arc<str>,
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
        self.runs.get(at).filter(|run| run.tokens.contains(&index)).map(|run| &*run.text)
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
            text: Arc::clone(&run.text),
        });
        Surfaces { runs: runs.collect() }
    }

    /// Appends those of another list whose token 0 becomes token `at`.
    pub(super) fn append(&mut self, other: &Surfaces, at: usize) {
        for run in &other.runs {
            self.push_run(run.tokens.start + at..run.tokens.end + at, Arc::clone(&run.text));
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
