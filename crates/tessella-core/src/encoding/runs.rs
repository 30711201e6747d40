//! A column in which neighbours are mostly alike: types and masks. What a text's thousand tokens have in common is
//! one entry.

use std::ops::Range;

use smallvec::SmallVec;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Run {
    /// The first token behind it.
    end: usize,
    value: u32,
}

/// Numbers of tokens; no two neighbouring runs have one value, and none is empty. Special tokens around a text are three, which
/// ask for no memory.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Runs(SmallVec<[Run; 3]>);

impl Runs {
    pub fn of(value: u32, count: usize) -> Self {
        let mut runs = Runs::default();
        runs.push(value, count);
        runs
    }

    pub fn len(&self) -> usize {
        self.0.last().map_or(0, |run| run.end)
    }

    /// Appends `count` entries.
    pub fn push(&mut self, value: u32, count: usize) {
        if count == 0 {
            return;
        }
        let end = self.len() + count;
        match self.0.last_mut() {
            Some(last) if last.value == value => last.end = end,
            _ => self.0.push(Run { end, value }),
        }
    }

    /// Puts `count` entries in front.
    pub fn prepend(&mut self, value: u32, count: usize) {
        let later = std::mem::replace(self, Runs::of(value, count));
        self.append(&later);
    }

    pub fn append(&mut self, other: &Runs) {
        other.each(0..other.len()).for_each(|(value, count)| self.push(value, count));
    }

    /// The same for all.
    pub fn fill(&mut self, value: u32) {
        *self = Runs::of(value, self.len());
    }

    pub fn slice(&self, range: Range<usize>) -> Runs {
        let mut runs = Runs::default();
        self.each(range).for_each(|(value, count)| runs.push(value, count));
        runs
    }

    pub fn get(&self, index: usize) -> Option<u32> {
        self.0.get(self.0.partition_point(|run| run.end <= index)).map(|run| run.value)
    }

    /// Each entry for itself.
    pub fn to_vec(&self) -> Vec<u32> {
        match self.0.as_slice() {
            [only] => vec![only.value; only.end],
            _ => {
                let mut entries = Vec::with_capacity(self.len());
                self.each(0..self.len())
                    .for_each(|(value, count)| entries.resize(entries.len() + count, value));
                entries
            }
        }
    }

    /// Values in a range, and how many neighbours have each.
    fn each(&self, range: Range<usize>) -> impl Iterator<Item = (u32, usize)> {
        let first = self.0.partition_point(|run| run.end <= range.start);
        let mut at = range.start;
        self.0[first..].iter().map_while(move |run| {
            let count = run.end.min(range.end).checked_sub(at).filter(|&count| count > 0)?;
            at += count;
            Some((run.value, count))
        })
    }
}

impl From<Vec<u32>> for Runs {
    fn from(entries: Vec<u32>) -> Self {
        let mut runs = Runs::default();
        entries.chunk_by(|one, two| one == two).for_each(|alike| runs.push(alike[0], alike.len()));
        runs
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    /// Every operation comes to what it does to a list.
    #[test]
    fn runs_are_lists() {
        let mut random = Random::from_seed(12);
        let mut below = |bound: usize| (random.next_u64() % bound as u64) as usize;
        for _ in 0..2000 {
            let (mut list, mut runs) = (Vec::new(), Runs::default());
            for _ in 0..below(12) {
                let (value, count) = (below(3) as u32, below(4));
                match below(5) {
                    0 | 1 => {
                        list.resize(list.len() + count, value);
                        runs.push(value, count);
                    }
                    2 => {
                        list.splice(0..0, std::iter::repeat_n(value, count));
                        runs.prepend(value, count);
                    }
                    3 => {
                        let start = below(list.len() + 1);
                        let range = start..start + below(list.len() - start + 1);
                        let other = runs.slice(range.clone());
                        assert_eq!(other.to_vec(), list[range.clone()]);
                        list.extend_from_within(range);
                        runs.append(&other);
                    }
                    _ if below(4) == 0 => {
                        list.fill(value);
                        runs.fill(value);
                    }
                    _ => {}
                }
            }
            assert_eq!((runs.to_vec(), runs.len()), (list.clone(), list.len()));
            assert_eq!(runs, Runs::from(list.clone()));
            assert!((0..list.len() + 2).all(|index| runs.get(index) == list.get(index).copied()));
        }
    }
}
