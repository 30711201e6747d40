//! The pieces of one language, and which of its pairs is the most frequent.

use tessella_core::Result;

use crate::bpe::learner::Learner;
use crate::bpe::pairs;
use crate::bpe::tokens::Tokens;

/// One language in training.
#[derive(Debug)]
pub(super) struct Language {
    learner: Learner,
    queue: TextQueue,
}

impl Language {
    pub(super) fn new(learner: Learner, tokens: &Tokens) -> Self {
        let mut language = Language { learner, queue: TextQueue::default() };
        for pair in &language.learner.pairs.pairs {
            language.queue.push(u128::from(pair.count), pair.key, tokens);
        }
        language
    }

    pub(super) fn keys(&self) -> impl Iterator<Item = u64> + '_ {
        self.learner.pairs.pairs.iter().map(|pair| pair.key)
    }

    /// Occurrences of a pair.
    fn count(&self, key: u64) -> u64 {
        self.learner.pairs.find(key).map_or(0, |pair| self.learner.pairs.pairs[pair as usize].count)
    }

    /// Occurrences of all symbols.
    pub(super) fn tokens(&self) -> u128 {
        self.learner.token_total
    }

    /// The most frequent pair; it leaves the queue.
    pub(super) fn best(&mut self, tokens: &Tokens) -> Option<(u128, u64)> {
        let Language { learner, queue } = self;
        let pairs = &learner.pairs;
        queue.best(tokens, |key| {
            u128::from(pairs.find(key).map_or(0, |pair| pairs.pairs[pair as usize].count))
        })
    }

    /// Merges a pair wherever it stands; gives the pairs that became more frequent.
    pub(super) fn merge(&mut self, left: u32, right: u32, merged: u32, tokens: &Tokens) -> Result<Vec<u64>> {
        let before = self.learner.pairs.occurrences.len();
        self.learner.merge_shared(left, right, merged)?;
        let pairs = &self.learner.pairs;
        let risen: Vec<u64> = pairs.occurrences[before..]
            .iter()
            .map(|entry| {
                let pair = pairs.pairs[entry.pair as usize];
                self.queue.push(u128::from(pair.count), pair.key, tokens);
                pair.key
            })
            .collect();
        Ok(risen)
    }
}

/// Occurrences of a pair in all languages.
pub(super) fn count_of_all(languages: &[Language], key: u64) -> u128 {
    languages.iter().map(|language| u128::from(language.count(key))).sum()
}

/// The pair that is most frequent in all languages together; it leaves the queue.
pub(super) fn best_of_all(
    queue: &mut TextQueue,
    languages: &[Language],
    tokens: &Tokens,
) -> Option<(u128, u64)> {
    queue.best(tokens, |key| count_of_all(languages, key))
}

/// Pairs by count descending, then by their texts descending: a binary heap whose order looks at texts, which no
/// heap of the standard library can.
#[derive(Debug, Default)]
pub(super) struct TextQueue {
    heap: Vec<(u128, u64)>,
}

impl TextQueue {
    pub(super) fn push(&mut self, count: u128, key: u64, tokens: &Tokens) {
        if count == 0 {
            return;
        }
        let mut slot = self.heap.len();
        self.heap.push((count, key));
        while slot > 0 {
            let parent = (slot - 1) / 2;
            if !comes_before(self.heap[slot], self.heap[parent], tokens) {
                return;
            }
            self.heap.swap(slot, parent);
            slot = parent;
        }
    }

    fn pop(&mut self, tokens: &Tokens) -> Option<(u128, u64)> {
        let last = self.heap.pop()?;
        let Some(first) = self.heap.first_mut() else { return Some(last) };
        let top = std::mem::replace(first, last);
        let mut slot = 0;
        loop {
            let mut best = slot;
            for child in [2 * slot + 1, 2 * slot + 2] {
                if child < self.heap.len() && comes_before(self.heap[child], self.heap[best], tokens) {
                    best = child;
                }
            }
            if best == slot {
                return Some(top);
            }
            self.heap.swap(slot, best);
            slot = best;
        }
    }

    /// Takes the best pair out. Counts fall without notice: an outdated one is queued again on the way.
    fn best(&mut self, tokens: &Tokens, count: impl Fn(u64) -> u128) -> Option<(u128, u64)> {
        loop {
            let (queued, key) = self.pop(tokens)?;
            let now = count(key);
            if now == queued {
                return Some((now, key));
            }
            self.push(now, key, tokens);
        }
    }
}

fn comes_before(a: (u128, u64), b: (u128, u64), tokens: &Tokens) -> bool {
    if a.0 != b.0 {
        return a.0 > b.0;
    }
    let texts = |key| (tokens.text(pairs::left(key)), tokens.text(pairs::right(key)));
    a.1 != b.1 && texts(a.1) > texts(b.1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tessella_core::random::Random;

    #[test]
    fn like_a_sorted_list() {
        let mut tokens = Tokens::default();
        let texts = ["b", "a", "ab", "é", "z", "aa"];
        for text in texts {
            tokens.insert(text).unwrap();
        }
        let mut random = Random::from_seed(3);
        let (mut queue, mut list) = (TextQueue::default(), Vec::new());
        for _ in 0..2000 {
            if random.next_f64() < 0.55 {
                let mut id = || (random.next_u64() % texts.len() as u64) as u32;
                let (left, right) = (id(), id());
                let count = 1 + u128::from(random.next_u64() % 4);
                queue.push(count, pairs::key(left, right), &tokens);
                list.push((count, texts[left as usize], texts[right as usize]));
                list.sort();
            } else {
                let found = queue.pop(&tokens).map(|(count, key)| {
                    (count, tokens.text(pairs::left(key)), tokens.text(pairs::right(key)))
                });
                assert_eq!(found, list.pop());
            }
        }
    }
}
