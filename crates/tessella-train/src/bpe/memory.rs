//! How much memory learning takes, before it begins and while it goes on.
//!
//! The parts that grow with the corpus are known before: its symbols and its words. Two have to be guessed: how many
//! different pairs there will be, and how many of their positions are held at the same time. Over English, source
//! code and text in ninety languages, from 2 to 56 MB, cut at spaces or by the rules of GPT-2, learning 8,000 to
//! 64,000 entries, the number of pairs stays near `214,000 * (symbols / 10^6)^0.72 * (merges / 32,000)^0.33`, and
//! positions between 1.1 and 1.5 times the initial ones. The whole estimate was within 20 % of the memory taken.

use tessella_core::Result;

use super::BpeTrainer;
use super::learner::{Learner, Merge, Neighbour};
use super::pairs::{Occurrences, PAIR};
use super::symbols::{BLOCK, Symbols};
use super::tokens::TOKEN;
use crate::counts::PieceCounts;

/// Whatever the corpus: buckets, buffers, the parts of the allocator.
const FIXED: f64 = 2e6;

impl BpeTrainer {
    /// About how many bytes [`train`](Self::train) takes at its peak, the counts not included.
    pub fn estimate_memory(&self, counts: &PieceCounts) -> Result<u64> {
        let (mut words, mut symbols) = (0u64, 0u64);
        counts.for_each_unordered(&mut |piece, _| {
            words += 1;
            symbols += piece.chars().count() as u64;
            Ok(())
        })?;
        Ok(estimate(words as f64, symbols as f64, self.vocab_size as f64))
    }
}

/// For a corpus that is spelled already.
pub(super) fn estimate_for(corpus: &Symbols, vocab_size: usize) -> u64 {
    let words = corpus.starts.len();
    let symbols = corpus.cells.len() - 1 - words;
    estimate(words as f64, symbols as f64, vocab_size as f64)
}

/// Different pairs that there will have been.
fn pairs(initial_pairs: f64, symbols: f64, merges: f64) -> f64 {
    (214e3 * (symbols / 1e6).powf(0.72) * (merges / 32e3).powf(0.33)).min(4.0 * initial_pairs)
}

fn estimate(words: f64, symbols: f64, vocab_size: f64) -> u64 {
    let initial_pairs = (symbols - words).max(0.0);
    // Every merge joins at least one place, so short corpora end before the vocabulary is full.
    let merges = vocab_size.min(initial_pairs);
    let pairs = pairs(initial_pairs, symbols, merges);
    let slots = ((pairs * 4.0 / 3.0).max(1.0) as usize).next_power_of_two() as f64;
    let positions = 1.3 * initial_pairs;
    let per_pair = (PAIR + size_of::<Occurrences>() + size_of::<u32>()) as f64;
    let per_token = (TOKEN + size_of::<Merge>() + 2 * size_of::<Neighbour>() + size_of::<u64>() + 32) as f64;
    let bytes = (symbols + words) * (1.0 + 1.0 / BLOCK as f64) * 4.0
        + words * 12.0
        + (positions + slots) * 4.0
        + pairs * per_pair
        + merges * per_token
        + FIXED;
    bytes as u64
}

impl Learner {
    /// Sets room aside for the pairs that will come, so that their tables do not move while they grow, which would
    /// leave holes behind. Room that is never written to takes no memory.
    pub(crate) fn reserve(&mut self, vocab_size: usize) {
        let words = self.symbols.starts.len();
        let symbols = self.symbols.cells.len() - 1 - words;
        let initial_pairs = symbols.saturating_sub(words) as f64;
        let room = 1.25 * pairs(initial_pairs, symbols as f64, (vocab_size as f64).min(initial_pairs));
        self.pairs.reserve(room as usize);
    }

    /// Bytes in use.
    pub(crate) fn memory(&self) -> usize {
        self.symbols.memory()
            + self.pairs.memory()
            + self.queue.memory()
            + self.tokens.memory()
            + self.merges.len() * size_of::<Merge>()
            + (self.left.of.len() + self.right.of.len()) * size_of::<Neighbour>()
            + self.places.len() * size_of::<u64>()
            + FIXED as usize
    }
}
