//! WordPiece by likelihood: the pair with the highest `count(ab) / (count(a) * count(b))` is merged.
//!
//! The first symbols are the characters in the forms in which they occur, by their bytes: `a` if it begins a piece,
//! `##a` if it stands inside of one.
//!
//! A merge changes the counts of both parts, and with them the score of every pair that contains one. Those pairs
//! are found through lists per symbol and queued again with their new score; outdated entries are recognised when
//! they come up. Scores are computed in 64-bit floats from whole counts, so equal ratios give equal scores (up to
//! counts of 2^26); equal scores follow the tie rule.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

use tessella_core::Result;

use crate::bpe::learner::{Learner, Merge};
use crate::bpe::tokens::Tokens;
use crate::bpe::{BpeTrainer, Recreated, TieBreak, Traced, pairs, trace};
use crate::counts::PieceCounts;
use crate::outcome::{Ending, TrainReport};
use crate::progress::{Progress, Stage, report};

/// Score as ordered bits, then the tie rule, then the pair.
type Ranked = (u64, Reverse<u64>, u32);

struct Scorer {
    learner: Learner,
    tie_break: TieBreak,
    least: u64,
    /// Occurrences of each symbol, weighted.
    frequency: Vec<u64>,
    /// Pairs that each symbol is part of; some may have died.
    pairs_of: Vec<Vec<u32>>,
    heap: BinaryHeap<Ranked>,
    /// When the heap grows beyond this, outdated entries are swept out.
    sweep_at: usize,
}

pub(super) fn learn(
    options: &BpeTrainer,
    counts: Cow<'_, PieceCounts>,
    progress: &dyn Progress,
    mut traced: Option<Traced<'_>>,
) -> Result<(Tokens, TrainReport)> {
    let options = BpeTrainer { recreated: Recreated::Exact, ..options.clone() };
    let fingerprint = options.fingerprint("likelihood", &counts)?;
    let (learner, mut summary) = match options.resume(fingerprint)? {
        Some(resumed) => resumed,
        None => options.prepare(counts, true, false, progress)?,
    };
    let mut scorer = Scorer {
        frequency: vec![0; learner.tokens.len()],
        pairs_of: vec![Vec::new(); learner.tokens.len()],
        learner,
        tie_break: options.tie_break,
        least: options.min_frequency.max(1),
        heap: BinaryHeap::new(),
        sweep_at: 0,
    };
    for word in 0..scorer.learner.symbols.starts.len() {
        let weight = scorer.learner.symbols.weights[word];
        for symbol in scorer.learner.symbols.word(word) {
            scorer.frequency[symbol as usize] += weight;
        }
    }
    let pairs = scorer.learner.pairs.pairs.len() as u32;
    (0..pairs).for_each(|pair| scorer.enlist(pair));
    scorer.requeue_all();

    let mut step = 0;
    summary.ending = loop {
        let size = scorer.learner.tokens.len();
        if size >= options.vocab_size {
            break if scorer.learner.merges.is_empty() { Ending::AlphabetFills } else { Ending::Full };
        }
        if step % 64 == 0 {
            let told = report(progress, Stage::Merge, size as u64, options.vocab_size as u64);
            options.save(&mut scorer.learner, fingerprint, &summary, told.is_err())?;
            told?;
        }
        step += 1;
        match scorer.best() {
            Some(pair) => match &mut traced {
                None => drop(scorer.merge(pair)?),
                Some((options, sink)) => {
                    let score = scorer.score(pair).map(f64::from_bits);
                    let runner_up = scorer.runner_up(pair);
                    let merge = scorer.merge(pair)?;
                    sink(trace::step(&scorer.learner, &merge, score, runner_up, options))?;
                }
            },
            None if scorer.learner.pairs.pairs.iter().any(|pair| pair.count > 0) => break Ending::TooRare,
            None => break Ending::Exhausted,
        }
    };
    summary.vocab_size = scorer.learner.tokens.len();
    // Too late to be stopped: everything is learned.
    let (size, wanted) = (summary.vocab_size as u64, options.vocab_size as u64);
    progress.update(Stage::Merge, size, wanted.max(size));
    options.forget_checkpoint()?;
    Ok((scorer.learner.tokens, summary))
}

impl Scorer {
    fn enlist(&mut self, pair: u32) {
        let key = self.learner.pairs.pairs[pair as usize].key;
        let (left, right) = (pairs::left(key), pairs::right(key));
        self.pairs_of[left as usize].push(pair);
        if left != right {
            self.pairs_of[right as usize].push(pair);
        }
    }

    /// The score, if the pair is frequent enough to be merged.
    fn score(&self, pair: u32) -> Option<u64> {
        let pair = self.learner.pairs.pairs[pair as usize];
        let part = |symbol: u32| self.frequency[symbol as usize] as f64;
        let score = pair.count as f64 / (part(pairs::left(pair.key)) * part(pairs::right(pair.key)));
        // Positive floats are ordered like their bits.
        (pair.count >= self.least && score.is_finite()).then(|| score.to_bits())
    }

    fn order(&mut self, pair: u32) -> Option<u64> {
        let known = self.learner.pairs.pairs[pair as usize];
        match self.tie_break {
            TieBreak::SmallerIds => Some(known.key),
            TieBreak::FirstSeen => self.learner.first_live(known.newest).map(u64::from),
        }
    }

    fn queue(&mut self, pair: u32) {
        if let Some(score) = self.score(pair)
            && let Some(order) = self.order(pair)
        {
            self.heap.push((score, Reverse(order), pair));
        }
    }

    fn requeue_all(&mut self) {
        self.heap.clear();
        (0..self.learner.pairs.pairs.len() as u32).for_each(|pair| self.queue(pair));
        self.sweep_at = self.heap.len() * 4 + 1024;
    }

    fn best(&mut self) -> Option<u32> {
        if self.heap.len() > self.sweep_at {
            self.requeue_all();
        }
        while let Some((score, Reverse(order), pair)) = self.heap.pop() {
            if self.score(pair) != Some(score) {
                continue;
            }
            match self.order(pair) {
                Some(now) if now == order => return Some(pair),
                Some(now) => self.heap.push((score, Reverse(now), pair)),
                None => {}
            }
        }
        None
    }

    /// The pair that comes second behind the one that was taken.
    fn runner_up(&mut self, taken: u32) -> Option<trace::TracePair> {
        loop {
            let second = self.best()?;
            // A pair may be queued several times with the same score.
            if second == taken {
                continue;
            }
            self.queue(second);
            let known = self.learner.pairs.pairs[second as usize];
            let score = self.score(second).map(f64::from_bits);
            return Some(trace::told(&self.learner, known.key, known.count, score));
        }
    }

    fn merge(&mut self, pair: u32) -> Result<Merge> {
        let known = self.learner.pairs.occurrences.len();
        let total = self.learner.token_total;
        let merge = self.learner.merge_entry(self.learner.pairs.pairs[pair as usize].newest)?;
        // Each joining makes one symbol out of two.
        let joined = (total - self.learner.token_total) as u64;
        self.frequency.resize(self.learner.tokens.len(), 0);
        self.pairs_of.resize(self.learner.tokens.len(), Vec::new());
        self.frequency[merge.left as usize] -= joined;
        self.frequency[merge.right as usize] -= joined;
        self.frequency[merge.merged as usize] += joined;
        for entry in known..self.learner.pairs.occurrences.len() {
            self.enlist(self.learner.pairs.occurrences[entry].pair);
        }
        for symbol in [merge.left, merge.right, merge.merged] {
            let mut pairs = std::mem::take(&mut self.pairs_of[symbol as usize]);
            pairs.retain(|&pair| self.learner.pairs.pairs[pair as usize].count > 0);
            for &pair in &pairs {
                self.queue(pair);
            }
            self.pairs_of[symbol as usize] = pairs;
        }
        Ok(merge)
    }
}
