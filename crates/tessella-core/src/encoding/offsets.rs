//! The column of offsets: pairs of 32 bits as long as all of them fit, which is what nearly every text comes to and half of
//! what memory moves, and pairs of any size else.

use std::ops::Range;

/// Start and end of each token.
#[derive(Debug, Clone)]
pub enum Offsets {
    /// All that fit.
    Narrow(Vec<[u32; 2]>),
    /// Any.
    Wide(Vec<(usize, usize)>),
}

impl Default for Offsets {
    fn default() -> Self {
        Offsets::Narrow(Vec::new())
    }
}

fn narrow((start, end): (usize, usize)) -> Option<[u32; 2]> {
    Some([u32::try_from(start).ok()?, u32::try_from(end).ok()?])
}

fn wide([start, end]: [u32; 2]) -> (usize, usize) {
    (start as usize, end as usize)
}

impl Offsets {
    /// How many there are.
    pub fn len(&self) -> usize {
        match self {
            Offsets::Narrow(pairs) => pairs.len(),
            Offsets::Wide(pairs) => pairs.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Start and end of one token.
    pub fn get(&self, index: usize) -> Option<(usize, usize)> {
        match self {
            Offsets::Narrow(pairs) => pairs.get(index).copied().map(wide),
            Offsets::Wide(pairs) => pairs.get(index).copied(),
        }
    }

    /// All of them, in order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (usize, usize)> + ExactSizeIterator {
        (0..self.len()).map(|index| self.get(index).unwrap_or_default())
    }

    /// All of them as pairs.
    pub fn to_vec(&self) -> Vec<(usize, usize)> {
        self.iter().collect()
    }

    /// How many come before the first of a range for which `holds` is false, counted from the start of the range.
    pub(super) fn partition_point(
        &self,
        range: Range<usize>,
        holds: impl Fn((usize, usize)) -> bool,
    ) -> usize {
        let (mut low, mut high) = (range.start, range.end.min(self.len()));
        while low < high {
            let middle = low + (high - low) / 2;
            if self.get(middle).is_some_and(&holds) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low.saturating_sub(range.start)
    }

    #[inline]
    pub(crate) fn push(&mut self, pair: (usize, usize)) {
        if let Offsets::Narrow(pairs) = self {
            match narrow(pair) {
                Some(pair) => return pairs.push(pair),
                None => *self = Offsets::Wide(self.to_vec()),
            }
        }
        if let Offsets::Wide(pairs) = self {
            pairs.push(pair);
        }
    }

    pub(crate) fn reserve(&mut self, additional: usize) {
        match self {
            Offsets::Narrow(pairs) => pairs.reserve(additional),
            Offsets::Wide(pairs) => pairs.reserve(additional),
        }
    }

    pub(crate) fn truncate(&mut self, count: usize) {
        match self {
            Offsets::Narrow(pairs) => pairs.truncate(count),
            Offsets::Wide(pairs) => pairs.truncate(count),
        }
    }

    pub(super) fn slice(&self, range: Range<usize>) -> Offsets {
        match self {
            Offsets::Narrow(pairs) => Offsets::Narrow(pairs[range].to_vec()),
            Offsets::Wide(pairs) => Offsets::Wide(pairs[range].to_vec()),
        }
    }

    /// Appends others, moved by `base`.
    pub(super) fn append(&mut self, other: &Offsets, base: usize) {
        match (&mut *self, other) {
            (Offsets::Narrow(pairs), Offsets::Narrow(others)) if base == 0 => pairs.extend_from_slice(others),
            _ => {
                self.reserve(other.len());
                for (start, end) in other.iter() {
                    self.push((start.saturating_add(base), end.saturating_add(base)));
                }
            }
        }
    }

    /// Changes every pair in its place, to what is no larger.
    pub(super) fn change(&mut self, mut change: impl FnMut(usize, [usize; 2]) -> [usize; 2]) {
        match self {
            Offsets::Narrow(pairs) => {
                for (index, pair) in pairs.iter_mut().enumerate() {
                    *pair = change(index, pair.map(|place| place as usize)).map(|place| place as u32);
                }
            }
            Offsets::Wide(pairs) => {
                for (index, (start, end)) in pairs.iter_mut().enumerate() {
                    [*start, *end] = change(index, [*start, *end]);
                }
            }
        }
    }

    /// Puts `count` times (0, 0) in front, for which room was reserved.
    pub(super) fn prepend_none(&mut self, count: usize) {
        match self {
            Offsets::Narrow(pairs) => drop(pairs.splice(0..0, std::iter::repeat_n([0, 0], count))),
            Offsets::Wide(pairs) => drop(pairs.splice(0..0, std::iter::repeat_n((0, 0), count))),
        }
    }

    /// Puts them behind.
    pub(super) fn append_none(&mut self, count: usize) {
        match self {
            Offsets::Narrow(pairs) => pairs.resize(pairs.len() + count, [0, 0]),
            Offsets::Wide(pairs) => pairs.resize(pairs.len() + count, (0, 0)),
        }
    }
}

impl From<Vec<(usize, usize)>> for Offsets {
    fn from(pairs: Vec<(usize, usize)>) -> Self {
        match pairs.iter().copied().map(narrow).collect() {
            Some(pairs) => Offsets::Narrow(pairs),
            None => Offsets::Wide(pairs),
        }
    }
}

impl PartialEq for Offsets {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Offsets::Narrow(one), Offsets::Narrow(two)) => one == two,
            _ => self.iter().eq(other.iter()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    /// Every operation comes to what it does to a list, also where numbers outgrow 32 bits.
    #[test]
    fn offsets_are_lists_of_any_size() {
        let mut random = Random::from_seed(3);
        let mut below = |bound: usize| (random.next_u64() % bound as u64) as usize;
        let mut widened = 0;
        for _ in 0..2000 {
            let (mut list, mut offsets) = (Vec::new(), Offsets::default());
            let most = [50, u32::MAX as usize, 1 << 40][below(3)];
            for _ in 0..below(10) {
                match below(4) {
                    0 | 1 => {
                        let pair = (below(most), below(most));
                        list.push(pair);
                        offsets.push(pair);
                    }
                    2 => {
                        list.splice(0..0, [(0, 0), (0, 0)]);
                        offsets.prepend_none(2);
                        list.push((0, 0));
                        offsets.append_none(1);
                    }
                    _ => {
                        let start = below(list.len() + 1);
                        let range = start..start + below(list.len() - start + 1);
                        let base = [0, below(most)][below(2)];
                        let other = offsets.slice(range.clone());
                        assert_eq!(other.to_vec(), list[range.clone()]);
                        offsets.append(&other, base);
                        let moved = list[range].iter().map(|(start, end)| (start + base, end + base));
                        list.extend(moved.collect::<Vec<_>>());
                    }
                }
            }
            widened += usize::from(matches!(offsets, Offsets::Wide(_)));
            assert_eq!((offsets.to_vec(), offsets.len()), (list.clone(), list.len()));
            assert!(offsets == Offsets::from(list.clone()));
            assert_eq!(offsets.get(list.len()), None);
            list.sort();
            let sorted = Offsets::from(list.clone());
            let (start, bound) = (below(list.len() + 1), below(most));
            let expected = list[start..].partition_point(|pair| pair.0 < bound);
            assert_eq!(sorted.partition_point(start..list.len(), |pair| pair.0 < bound), expected);
        }
        assert!(widened > 100, "{widened}");
    }
}
