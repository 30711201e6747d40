//! How the corpus ends, which the seeds of a Unigram model depend on.
//!
//! The library looks for seeds in one text of all sentences with a mark behind each. A repeated substring is a seed if
//! different things follow it. What ends the last sentence and other sentences too is looked at twice: as it is, and
//! together with the mark, which other sentences follow, and at last nothing. Both times it is worth its occurrences
//! there, and the mark is no part of the seed.

/// How many sentences end as the last one does, for every length.
#[derive(Debug)]
pub(super) struct Ending {
    /// The characters of the last unit.
    last: Vec<char>,
    /// Sentences whose longest common ending with the last one has so many characters; once they are counted, those
    /// that have such an ending at all.
    sentences: Vec<u64>,
}

impl Ending {
    pub(super) fn new(last: &str) -> Self {
        let last: Vec<char> = last.chars().collect();
        Ending { sentences: vec![0; last.len() + 1], last }
    }

    /// Takes the last unit of so many sentences.
    pub(super) fn count(&mut self, unit: &str, sentences: u64) {
        let common = unit.chars().rev().zip(self.last.iter().rev()).take_while(|(a, b)| a == *b).count();
        self.sentences[common] = self.sentences[common].saturating_add(sentences);
    }

    pub(super) fn counted(mut self) -> Self {
        for len in (1..self.sentences.len()).rev() {
            self.sentences[len - 1] = self.sentences[len - 1].saturating_add(self.sentences[len]);
        }
        self
    }

    /// How often a substring that stands at so many places is counted.
    pub(super) fn occurrences(&self, substring: &[char], places: u64) -> u64 {
        if !self.last.ends_with(substring) {
            return places;
        }
        match self.sentences[substring.len()] {
            // Where sentences alone end with it, it is one seed, by its mark.
            ends if ends > 1 && places > ends => places.saturating_add(ends),
            _ => places,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_ends_sentences_counts_twice() {
        let mut ending = Ending::new("▁ab");
        for (unit, sentences) in [("▁ab", 3), ("▁b", 2), ("▁c", 1)] {
            ending.count(unit, sentences);
        }
        let ending = ending.counted();
        assert_eq!(ending.occurrences(&['b'], 9), 14);
        assert_eq!(ending.occurrences(&['a', 'b'], 4), 7);
        // At the ends of sentences alone; at the end of none.
        assert_eq!(ending.occurrences(&['a', 'b'], 3), 3);
        assert_eq!(ending.occurrences(&['a'], 4), 4);
    }
}
