//! Token texts that differ from the vocabulary's.
//!
//! Kept as runs of tokens that share one text, so that a thousand padding tokens are one entry, and a slice
//! of an encoding copies pointers, never strings.

use std::ops::Range;
use std::sync::Arc;

/// Tokens that share one text.
#[derive(Debug, Clone)]
struct Run {
    tokens: Range<usize>,
    /// Which of the texts it is a part of, and where it stands there.
    of: usize,
    range: Range<usize>,
}

/// Texts by token index, in ascending order; tokens without one read as the vocabulary says.
#[derive(Debug, Clone, Default)]
pub struct Surfaces {
    runs: Vec<Run>,
    /// Apart from the runs, of which there may be thousands: those need not be counted one by one then.
    texts: Vec<Arc<str>>,
}

impl PartialEq for Surfaces {
    fn eq(&self, other: &Self) -> bool {
        self.all().eq(other.all())
    }
}

impl Eq for Surfaces {}

impl Surfaces {
    pub const fn new() -> Self {
        Surfaces { runs: Vec::new(), texts: Vec::new() }
    }

    pub fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    fn text(&self, run: &Run) -> &str {
        self.texts.get(run.of).and_then(|text| text.get(run.range.clone())).unwrap_or_default()
    }

    fn all(&self) -> impl Iterator<Item = (&Range<usize>, &str)> {
        self.runs.iter().map(|run| (&run.tokens, self.text(run)))
    }

    /// Gives the token `index` a text. Indices must come in ascending order; one that does not is ignored.
    pub fn push(&mut self, index: usize, text: impl Into<Arc<str>>) {
        self.push_run(index..index + 1, text.into());
    }

    /// Gives all tokens of a range one text.
    pub fn push_run(&mut self, tokens: Range<usize>, text: Arc<str>) {
        let range = 0..text.len();
        self.push_part(tokens, &text, range);
    }

    /// Gives them a part of one.
    fn push_part(&mut self, tokens: Range<usize>, text: &Arc<str>, range: Range<usize>) {
        if tokens.is_empty() {
            return;
        }
        if let Some(last) = self.runs.last() {
            if tokens.start < last.tokens.end {
                return;
            }
            let is_same = tokens.start == last.tokens.end && text.get(range.clone()) == Some(self.text(last));
            if let (true, Some(last)) = (is_same, self.runs.last_mut()) {
                last.tokens.end = tokens.end;
                return;
            }
        }
        // Parts of one text mostly come one after the other.
        if !self.texts.last().is_some_and(|last| Arc::ptr_eq(last, text)) {
            self.texts.push(text.clone());
        }
        self.runs.push(Run { tokens, of: self.texts.len() - 1, range });
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
        self.runs.get(at).filter(|run| run.tokens.contains(&index)).map(|run| self.text(run))
    }

    /// How many tokens have a text.
    pub(super) fn covered(&self) -> usize {
        self.runs.iter().map(|run| run.tokens.len()).sum()
    }

    /// The texts of a range of tokens, counted from its start.
    pub(crate) fn slice(&self, range: Range<usize>) -> Surfaces {
        let first = self.runs.partition_point(|run| run.tokens.end <= range.start);
        let mut slice = Surfaces::new();
        for run in self.runs[first..].iter().take_while(|run| run.tokens.start < range.end) {
            let tokens =
                run.tokens.start.max(range.start) - range.start..run.tokens.end.min(range.end) - range.start;
            slice.push_part(tokens, &self.texts[run.of], run.range.clone());
        }
        slice
    }

    /// Appends those of another list whose token 0 becomes token `at`.
    pub(super) fn append(&mut self, other: &Surfaces, at: usize) {
        for run in &other.runs {
            let tokens = run.tokens.start + at..run.tokens.end + at;
            self.push_part(tokens, &other.texts[run.of], run.range.clone());
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

/// Bytes of texts, and texts, whose room is kept for others.
const MOST_KEPT: usize = 1 << 16;

impl GrowingSurfaces {
    /// As [`Surfaces::push`].
    #[inline]
    pub fn push(&mut self, index: usize, text: &str) {
        if let Some((tokens, _)) = self.runs.last() {
            if index < tokens.end {
                return;
            }
            let is_next = index == tokens.end;
            if is_next && self.text_at(self.runs.len() - 1) == text {
                self.runs.last_mut().into_iter().for_each(|(tokens, _)| tokens.end += 1);
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

    /// All of them, of which none stay here.
    pub fn take(&mut self) -> Surfaces {
        if self.runs.is_empty() {
            return Surfaces::new();
        }
        let mut start = 0;
        let runs = self.runs.iter().map(|(tokens, end)| {
            let range = start..*end;
            start = *end;
            Run { tokens: tokens.clone(), of: 0, range }
        });
        let surfaces = Surfaces { runs: runs.collect(), texts: vec![self.text.as_str().into()] };
        self.truncate(0);
        surfaces
    }

    /// Without any of them, and with the room that they took unless that was much.
    pub fn emptied(mut self) -> Self {
        if self.text.capacity() > MOST_KEPT || self.runs.capacity() > MOST_KEPT {
            return GrowingSurfaces::default();
        }
        self.truncate(0);
        self
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
            assert_eq!(one, other.take());
            assert_eq!(other.take(), Surfaces::new());
        }
    }
}
