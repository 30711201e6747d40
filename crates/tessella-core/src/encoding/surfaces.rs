//! Token texts that differ from the vocabulary's.
//!
//! Kept as runs of tokens that share one text, so that a thousand padding tokens are one entry, and a slice
//! of an encoding copies pointers, never strings.

use std::ops::Range;
use std::sync::Arc;

/// Tokens that share one text: a part of a text that other runs may have parts of.
#[derive(Debug, Clone)]
struct Run {
    tokens: Range<usize>,
    whole: Arc<str>,
    part: Range<usize>,
}

impl Run {
    fn text(&self) -> &str {
        &self.whole[self.part.clone()]
    }
}

impl PartialEq for Run {
    fn eq(&self, other: &Self) -> bool {
        self.tokens == other.tokens && self.text() == other.text()
    }
}

impl Eq for Run {}

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

    /// Gives tokens parts of one text. A part that is none, for it cuts a character, is ignored.
    pub fn push_parts(&mut self, whole: &Arc<str>, parts: impl IntoIterator<Item = (usize, Range<usize>)>) {
        let runs = parts.into_iter().filter(|(_, part)| whole.get(part.clone()).is_some());
        let runs = runs.map(|(index, part)| Run { tokens: index..index + 1, whole: Arc::clone(whole), part });
        runs.for_each(|run| self.put(run));
    }

    /// Gives all tokens of a range one text.
    pub fn push_run(&mut self, tokens: Range<usize>, text: Arc<str>) {
        let part = 0..text.len();
        self.put(Run { tokens, whole: text, part });
    }

    fn put(&mut self, run: Run) {
        let tokens = &run.tokens;
        if tokens.is_empty() {
            return;
        }
        if let Some(last) = self.runs.last_mut() {
            if tokens.start < last.tokens.end {
                return;
            }
            if tokens.start == last.tokens.end && last.text() == run.text() {
                last.tokens.end = tokens.end;
                return;
            }
        }
        self.runs.push(run);
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
        self.runs.get(at).filter(|run| run.tokens.contains(&index)).map(Run::text)
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
            whole: Arc::clone(&run.whole),
            part: run.part.clone(),
        });
        Surfaces { runs: runs.collect() }
    }

    /// Appends those of another list whose token 0 becomes token `at`.
    pub(super) fn append(&mut self, other: &Surfaces, at: usize) {
        for run in &other.runs {
            self.put(Run { tokens: run.tokens.start + at..run.tokens.end + at, ..run.clone() });
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
