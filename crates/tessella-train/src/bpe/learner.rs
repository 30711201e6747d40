//! The heart of BPE training: take the best pair, join it everywhere, adjust the counts around it, repeat.
//!
//! Work per merge is proportional to the occurrences of the merged pair. Count changes are first summed per
//! neighbour in dense tables, so the pair table is asked once per distinct neighbour and not once per occurrence.
//!
//! Two ways of treating a token that is made a second time by another pair (`ab`+`c` after `a`+`bc`):
//!
//! - [`Recreated::AsReference`]: the reference trainer keeps a partial list of words per queue entry and does not
//!   reset a pair's count when it merges it; the same pair may be learned again. Needed for identical results.
//! - [`Recreated::Exact`]: counts are the true counts and lists are complete.

use std::cmp::Reverse;

use tessella_core::{Result, with_large_pages};

use super::near::{Ahead, Grid};
use super::pairs::{self, Pairs, key};
use super::queue::{Candidate, Queue};
use super::symbols::{SEPARATOR, Symbols};
use super::tokens::Tokens;
use super::{Recreated, TieBreak};

/// One learned merge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Merge {
    pub(crate) left: u32,
    pub(crate) right: u32,
    pub(crate) merged: u32,
    pub(crate) count: u64,
}

/// What the learner obeys.
#[derive(Debug, Clone)]
pub(crate) struct Rules {
    pub(crate) tie_break: TieBreak,
    pub(crate) recreated: Recreated,
    pub(crate) max_length: Option<usize>,
    pub(crate) prefix: Option<String>,
}

/// Sums for one neighbour of the merged pair.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Neighbour {
    /// Weight by which the pair with the new symbol rises, and the pair with the old one falls.
    rise: u64,
    fall: u64,
    /// Positions of the new pair, and later the next free place for one.
    events: u32,
    touched: bool,
}

/// The neighbours on one side of the merged pair.
#[derive(Debug, Clone, Default)]
pub(super) struct Side {
    pub(super) of: Vec<Neighbour>,
    touched: Vec<u32>,
    /// (neighbour, position of the new pair), ascending by position.
    events: Vec<(u32, u32)>,
}

impl Side {
    #[inline]
    fn touch(&mut self, symbol: u32) -> &mut Neighbour {
        let neighbour = &mut self.of[symbol as usize];
        if !neighbour.touched {
            neighbour.touched = true;
            self.touched.push(symbol);
        }
        neighbour
    }

    #[inline]
    fn fall(&mut self, symbol: u32, weight: u64) {
        self.touch(symbol).fall += weight;
    }

    #[inline]
    fn rise(&mut self, symbol: u32, weight: u64, position: u32) {
        let neighbour = self.touch(symbol);
        neighbour.rise += weight;
        neighbour.events += 1;
        self.events.push((symbol, position));
    }
}

#[derive(Debug, Clone)]
pub(crate) struct Learner {
    pub(crate) rules: Rules,
    pub(crate) tokens: Tokens,
    pub(crate) symbols: Symbols,
    pub(crate) pairs: Pairs,
    pub(crate) queue: Queue,
    pub(crate) merges: Vec<Merge>,
    /// Merges at the last checkpoint.
    pub(crate) saved_at: usize,
    /// Places in the distinct words where each symbol stands.
    pub(crate) places: Vec<u64>,
    /// Symbols from here on are in no pair yet.
    first_unused: u32,
    /// Occurrences of all symbols, weighted.
    pub(crate) token_total: u128,
    pub(super) left: Side,
    pub(super) right: Side,
    scratch: Vec<u32>,
}

/// The first position at which the pair of an entry still stands. Dead ones before it are forgotten.
fn first_live(symbols: &Symbols, pairs: &mut Pairs, entry: u32) -> Option<u32> {
    let wanted = pairs.pairs[pairs.occurrences[entry as usize].pair as usize].key;
    let positions = pairs.positions(entry);
    let (left, right) = (pairs::left(wanted), pairs::right(wanted));
    let dead = positions.iter().take_while(|&&p| !symbols.is_pair(p, left, right)).count();
    let first = positions.get(dead).copied();
    let occurrences = &mut pairs.occurrences[entry as usize];
    occurrences.start += dead as u32;
    occurrences.len -= dead as u32;
    first
}

/// What decides between equally frequent pairs; `None` if the pair stands nowhere any more.
fn order_of(tie_break: TieBreak, symbols: &Symbols, pairs: &mut Pairs, entry: u32) -> Option<u64> {
    match tie_break {
        TieBreak::SmallerIds => {
            let pair = pairs.occurrences[entry as usize].pair;
            Some(pairs.pairs[pair as usize].key)
        }
        TieBreak::FirstSeen => first_live(symbols, pairs, entry).map(u64::from),
    }
}

impl Learner {
    /// Counts the initial pairs. The sum of all weights times lengths must fit in 64 bits.
    pub(crate) fn new(rules: Rules, tokens: Tokens, symbols: Symbols) -> Result<Self> {
        let mut learner = Learner::empty(rules, tokens, symbols, Pairs::new(), Vec::new());
        learner.count_initial_pairs()?;
        Ok(learner)
    }

    fn empty(rules: Rules, tokens: Tokens, symbols: Symbols, pairs: Pairs, merges: Vec<Merge>) -> Self {
        Learner {
            rules,
            symbols,
            pairs,
            queue: Queue::new(),
            saved_at: merges.len(),
            merges,
            places: vec![0; tokens.len()],
            first_unused: tokens.len() as u32,
            token_total: 0,
            left: Side::default(),
            right: Side::default(),
            scratch: Vec::new(),
            tokens,
        }
    }

    /// One of several that share a vocabulary of `known` tokens, which lies elsewhere.
    pub(crate) fn sharing(rules: Rules, known: usize, symbols: Symbols) -> Result<Self> {
        let mut learner = Learner::empty(rules, Tokens::default(), symbols, Pairs::new(), Vec::new());
        learner.places = vec![0; known];
        learner.first_unused = known as u32;
        learner.count_initial_pairs()?;
        Ok(learner)
    }

    /// From the parts that a checkpoint holds.
    pub(crate) fn from_parts(
        rules: Rules,
        tokens: Tokens,
        symbols: Symbols,
        pairs: Pairs,
        candidates: &[(u64, u32)],
        merges: Vec<Merge>,
    ) -> Self {
        let mut learner = Learner::empty(rules, tokens, symbols, pairs, merges);
        for word in 0..learner.symbols.starts.len() {
            let weight = learner.symbols.weights[word];
            for symbol in learner.symbols.word(word) {
                learner.places[symbol as usize] += 1;
                learner.token_total += u128::from(weight);
            }
        }
        for &(count, entry) in candidates {
            learner.push(count, entry);
        }
        learner
    }

    fn count_initial_pairs(&mut self) -> Result<()> {
        // Pass 1: one look-up per place gives counts and list lengths; pass 2 fills the lists.
        let mut known = Grid::new(self.places.len());
        let mut lengths: Vec<u32> = Vec::new();
        for word in 0..self.symbols.starts.len() {
            let weight = self.symbols.weights[word];
            let start = self.symbols.starts[word] as usize;
            let mut before = SEPARATOR;
            for &symbol in &self.symbols.cells[start..] {
                if symbol == SEPARATOR {
                    break;
                }
                self.places[symbol as usize] += 1;
                self.token_total += u128::from(weight);
                if before != SEPARATOR {
                    let pair = known.find_or_insert(&mut self.pairs, before, symbol)?;
                    self.pairs.pairs[pair as usize].count += weight;
                    if pair as usize == lengths.len() {
                        lengths.push(0);
                    }
                    lengths[pair as usize] += 1;
                }
                before = symbol;
            }
        }
        let mut starts: Vec<u32> = Vec::with_capacity(lengths.len());
        let mut start = 0;
        for (pair, &len) in lengths.iter().enumerate() {
            self.pairs.add_occurrences(pair as u32, 0, start, len);
            starts.push(start);
            start += len;
        }
        let mut segment = with_large_pages(start as usize);
        segment.resize(start as usize, 0u32);
        for (position, pair) in self.symbols.cells.windows(2).enumerate() {
            if pair[0] == SEPARATOR || pair[1] == SEPARATOR {
                continue;
            }
            if let Some(pair) = known.find(&self.pairs, pair[0], pair[1]) {
                let free = &mut starts[pair as usize];
                segment[*free as usize] = position as u32;
                *free += 1;
            }
        }
        self.pairs.push_segment(segment, 0, self.pairs.pairs.len());
        Ok(())
    }

    /// Queues every pair that there is. To be called once, before the first [`best`](Self::best).
    pub(crate) fn fill_queue(&mut self) {
        self.queue = Queue::new();
        for pair in 0..self.pairs.pairs.len() {
            let pair = self.pairs.pairs[pair];
            self.enqueue(pair.newest);
        }
    }

    fn enqueue(&mut self, entry: u32) {
        let Some(occurrences) = self.pairs.occurrences.get(entry as usize) else { return };
        let pair = self.pairs.pairs[occurrences.pair as usize];
        if pair.count == 0 {
            return;
        }
        self.push(pair.count, entry);
    }

    /// Queues an entry with a count.
    pub(crate) fn push(&mut self, count: u64, entry: u32) {
        let Learner { rules, symbols, pairs, queue, .. } = self;
        queue.push(count, entry, |entry| order_of(rules.tie_break, symbols, pairs, entry));
    }

    /// The first position at which the pair of an entry still stands. Dead ones before it are forgotten.
    pub(crate) fn first_live(&mut self, entry: u32) -> Option<u32> {
        first_live(&self.symbols, &mut self.pairs, entry)
    }

    fn exact(&self) -> bool {
        self.rules.recreated == Recreated::Exact || self.rules.tie_break == TieBreak::FirstSeen
    }

    /// Takes the best candidate out of the queue: highest count, ties by the rule. Outdated ones are queued
    /// again on the way.
    pub(crate) fn best(&mut self) -> Option<Candidate> {
        loop {
            let Learner { rules, symbols, pairs, queue, .. } = &mut *self;
            let candidate = queue.pop(|entry| order_of(rules.tie_break, symbols, pairs, entry))?;
            let pair = self.pair_of(candidate.entry);
            if self.exact() && pair.newest != candidate.entry {
                continue; // a longer list took its place
            }
            if pair.count != candidate.count {
                self.enqueue(candidate.entry);
                continue;
            }
            if self.rules.tie_break == TieBreak::FirstSeen {
                match self.first_live(candidate.entry) {
                    Some(first) if u64::from(first) == candidate.order => {}
                    _ => {
                        self.enqueue(candidate.entry);
                        continue;
                    }
                }
            }
            return Some(candidate);
        }
    }

    /// The pair that comes second behind `best`, and its count. The queue is left as it is, outdated counts
    /// included: when they are noticed matters to [`Recreated::AsReference`].
    pub(crate) fn runner_up(&mut self, best: Candidate) -> Option<(u64, u64)> {
        let best = self.pair_of(best.entry).key;
        let mut taken = Vec::new();
        let mut found: Option<(u64, Reverse<u64>, u64)> = None;
        loop {
            let Learner { rules, symbols, pairs, queue, .. } = &mut *self;
            let order = |entry| order_of(rules.tie_break, symbols, pairs, entry);
            let Some(candidate) = queue.pop(order) else { break };
            taken.push(candidate);
            if found.is_some_and(|(count, ..)| candidate.count < count) {
                break;
            }
            let pair = self.pair_of(candidate.entry);
            let replaced = self.exact() && pair.newest != candidate.entry;
            if pair.count == 0 || pair.key == best || replaced {
                continue;
            }
            let Learner { rules, symbols, pairs, .. } = &mut *self;
            if let Some(order) = order_of(rules.tie_break, symbols, pairs, candidate.entry) {
                found = found.max(Some((pair.count, Reverse(order), pair.key)));
            }
        }
        taken.iter().for_each(|candidate| self.push(candidate.count, candidate.entry));
        found.map(|(count, _, key)| (key, count))
    }

    pub(crate) fn pair_of(&self, entry: u32) -> pairs::Pair {
        self.pairs.pairs[self.pairs.occurrences[entry as usize].pair as usize]
    }

    /// The text that a merge of the two would give.
    pub(crate) fn merged_text(&self, left: u32, right: u32) -> String {
        let (left, right) = (self.tokens.text(left), self.tokens.text(right));
        let prefix = self.rules.prefix.as_deref().unwrap_or("");
        format!("{left}{}", right.strip_prefix(prefix).unwrap_or(right))
    }

    /// Merges the pair of a candidate and queues what arises.
    pub(crate) fn merge(&mut self, candidate: Candidate) -> Result<Merge> {
        let before = self.pairs.occurrences.len();
        let merge = self.merge_entry(candidate.entry)?;
        for entry in before..self.pairs.occurrences.len() {
            self.enqueue(entry as u32);
        }
        Ok(merge)
    }

    /// Merges the pair of an entry; nothing is queued.
    pub(crate) fn merge_entry(&mut self, entry: u32) -> Result<Merge> {
        let pair = self.pair_of(entry);
        let (left, right) = (pairs::left(pair.key), pairs::right(pair.key));
        let text = self.merged_text(left, right);
        let (merged, is_new) = self.tokens.insert(&text)?;
        if is_new {
            self.places.push(0);
        }
        let merge = Merge { left, right, merged, count: pair.count };
        self.merges.push(merge);

        let mut positions = std::mem::take(&mut self.scratch);
        positions.clear();
        if pair.recreated && !self.exact() {
            self.expand_to_words(entry, left, right, &mut positions);
        } else {
            positions.extend_from_slice(self.pairs.positions(entry));
        }
        let exact = self.exact();
        self.apply(&merge, &positions, exact)?;
        self.scratch = positions;
        self.pairs.release(entry);
        Ok(merge)
    }

    /// Merges a pair that was decided on beforehand, wherever it stands, before anything is queued.
    pub(crate) fn merge_given(&mut self, left: u32, right: u32) -> Result<Merge> {
        let text = self.merged_text(left, right);
        let (merged, is_new) = self.tokens.insert(&text)?;
        if is_new {
            self.places.push(0);
        }
        let found = self.pairs.find(key(left, right)).map(|pair| self.pairs.pairs[pair as usize]);
        let merge = Merge { left, right, merged, count: found.map_or(0, |pair| pair.count) };
        self.merges.push(merge);
        if let Some(pair) = found {
            let positions = self.pairs.positions(pair.newest).to_vec();
            self.apply(&merge, &positions, true)?;
        }
        Ok(merge)
    }

    /// Merges a pair whose token is known elsewhere, wherever it stands.
    pub(crate) fn merge_shared(&mut self, left: u32, right: u32, merged: u32) -> Result<()> {
        self.places.resize(self.places.len().max(merged as usize + 1), 0);
        let Some(pair) = self.pairs.find(key(left, right)).map(|pair| self.pairs.pairs[pair as usize]) else {
            return Ok(());
        };
        let positions = self.pairs.positions(pair.newest).to_vec();
        self.apply(&Merge { left, right, merged, count: pair.count }, &positions, true)?;
        self.pairs.release(pair.newest);
        Ok(())
    }

    /// All places of the pair in every word that the entry touches: what the reference trainer looks at.
    fn expand_to_words(&self, entry: u32, left: u32, right: u32, positions: &mut Vec<u32>) {
        let mut last = usize::MAX;
        for &position in self.pairs.positions(entry) {
            let word = self.symbols.word_at(position);
            if word == last {
                continue;
            }
            last = word;
            let mut at = self.symbols.starts[word];
            while self.symbols.cells[at as usize] != SEPARATOR {
                if self.symbols.is_pair(at, left, right) {
                    positions.push(at);
                }
                at = self.symbols.next(at);
            }
        }
    }

    /// True if a pair of this many initial symbols, created by a merge, may be counted.
    #[inline]
    fn admits(&self, span: u32) -> bool {
        self.rules.max_length.is_none_or(|limit| (span as usize) < limit)
    }

    /// True if a pair of this many initial symbols is counted: initial pairs always are.
    #[inline]
    fn is_counted(&self, span: u32) -> bool {
        span == 2 || self.admits(span)
    }

    /// Joins the pair at the given ascending positions (stale ones are skipped) and adjusts all counts.
    ///
    /// `complete`: the merged pair's own count falls too, and lists of recreated pairs are completed.
    fn apply(&mut self, merge: &Merge, positions: &[u32], complete: bool) -> Result<()> {
        let &Merge { left, right, merged, .. } = merge;
        self.left.of.resize(self.places.len(), Neighbour::default());
        self.right.of.resize(self.places.len(), Neighbour::default());
        let (mut joined, mut weight_joined) = (0u64, 0u64);
        let mut ahead = Ahead::begin(&self.symbols, positions);
        for (at, &position) in positions.iter().enumerate() {
            let weight = ahead.weight(&self.symbols, positions, at);
            if !self.symbols.is_pair(position, left, right) {
                continue;
            }
            let second = self.symbols.next(position);
            let (span_left, span_right) = (second - position, self.symbols.span(second));
            let span = span_left + span_right;
            let before = self.symbols.previous(position);
            let after = second + span_right;
            let neighbour = self.symbols.cells[before as usize];
            if neighbour != SEPARATOR {
                let span_before = position - before;
                if self.is_counted(span_before + span_left) {
                    self.left.fall(neighbour, weight);
                }
                if self.admits(span_before + span) {
                    self.left.rise(neighbour, weight, before);
                }
            }
            self.symbols.join(position, second, merged);
            let neighbour = self.symbols.cells[after as usize];
            if neighbour != SEPARATOR {
                let span_after = self.symbols.span(after);
                if self.is_counted(span_right + span_after) {
                    self.right.fall(neighbour, weight);
                }
                if self.admits(span + span_after) {
                    // (merged, merged) is the same pair seen from both sides.
                    let side = if neighbour == merged { &mut self.left } else { &mut self.right };
                    side.rise(neighbour, weight, position);
                }
            }
            joined += 1;
            weight_joined += weight;
        }
        self.places[left as usize] -= joined;
        self.places[right as usize] -= joined;
        self.places[merged as usize] += joined;
        self.token_total -= u128::from(weight_joined);
        self.settle(merge, if complete { Some(weight_joined) } else { None })
    }

    /// Asks for all pairs whose counts will change.
    fn ask_for_pairs(&self, merge: &Merge) {
        let &Merge { left, right, merged, .. } = merge;
        let before = self.left.touched.iter().map(|&symbol| (key(symbol, merged), key(symbol, left)));
        let behind = self.right.touched.iter().map(|&symbol| (key(merged, symbol), key(right, symbol)));
        for (new, old) in before.clone().chain(behind.clone()) {
            self.pairs.ask(new);
            self.pairs.ask(old);
        }
        before.chain(behind).for_each(|(_, old)| self.pairs.ask_pair(old));
    }

    /// Moves the sums per neighbour into the pair table and the positions into a segment.
    fn settle(&mut self, merge: &Merge, complete: Option<u64>) -> Result<()> {
        let &Merge { left, right, merged, .. } = merge;
        // No pair can have a symbol that has never stood anywhere.
        let is_first = merged >= self.first_unused;
        self.first_unused = self.first_unused.max(merged + 1);
        let events = self.left.events.len() + self.right.events.len();
        let number = self.pairs.segments.len() as u32;
        let mut segment = vec![0u32; events];
        // (pair, start, length) of every list in the segment.
        let mut lists: Vec<(u32, u32, u32)> = Vec::new();
        let mut free = 0u32;
        self.ask_for_pairs(merge);
        for (side, is_left) in [(&mut self.left, true), (&mut self.right, false)] {
            for &symbol in &side.touched {
                let neighbour = &mut side.of[symbol as usize];
                if neighbour.events > 0 {
                    let new = if is_left { key(symbol, merged) } else { key(merged, symbol) };
                    let pair = match is_first {
                        true => self.pairs.insert_new(new)?,
                        false => self.pairs.find_or_insert(new)?,
                    };
                    let entry = &mut self.pairs.pairs[pair as usize];
                    entry.count = entry.count.checked_add(neighbour.rise).ok_or_else(|| {
                        let (left, right) = (pairs::left(new), pairs::right(new));
                        pairs::count_overflow(self.tokens.text(left), self.tokens.text(right))
                    })?;
                    lists.push((pair, free, neighbour.events));
                    free += std::mem::replace(&mut neighbour.events, free);
                }
            }
            for &(symbol, position) in &side.events {
                let place = &mut side.of[symbol as usize].events;
                segment[*place as usize] = position;
                *place += 1;
            }
            side.events.clear();
        }
        for (side, is_left) in [(&mut self.left, true), (&mut self.right, false)] {
            for symbol in side.touched.drain(..) {
                let neighbour = std::mem::take(&mut side.of[symbol as usize]);
                if neighbour.fall > 0 {
                    let old = if is_left { key(symbol, left) } else { key(right, symbol) };
                    if let Some(pair) = self.pairs.find(old) {
                        let entry = &mut self.pairs.pairs[pair as usize];
                        entry.count = entry.count.saturating_sub(neighbour.fall);
                    }
                }
            }
        }
        if let Some(weight) = complete
            && let Some(pair) = self.pairs.find(key(left, right))
        {
            let entry = &mut self.pairs.pairs[pair as usize];
            entry.count = entry.count.saturating_sub(weight);
        }
        let completes = complete.is_some();
        self.pairs.push_segment(segment, self.pairs.occurrences.len(), lists.len());
        for (pair, start, len) in lists {
            let newest = self.pairs.pairs[pair as usize].newest;
            self.pairs.add_occurrences(pair, number, start, len);
            if completes && newest != u32::MAX {
                self.complete_list(pair, newest);
            }
        }
        Ok(())
    }

    /// Joins the newest list of a pair with an older one, so that the newest holds every position.
    fn complete_list(&mut self, pair: u32, older: u32) {
        let Some(newest) = self.pairs.occurrences.len().checked_sub(1) else { return };
        let key = self.pairs.pairs[pair as usize].key;
        let (left, right) = (pairs::left(key), pairs::right(key));
        let mut positions = self.pairs.positions(newest as u32).to_vec();
        positions
            .extend(self.pairs.positions(older).iter().filter(|&&p| self.symbols.is_pair(p, left, right)));
        positions.sort_unstable();
        positions.dedup();
        let len = positions.len() as u32;
        let occurrences = &mut self.pairs.occurrences[newest];
        *occurrences = pairs::Occurrences { pair, segment: self.pairs.segments.len() as u32, start: 0, len };
        self.pairs.push_segment(positions, newest, 1);
    }

    /// Words as texts of their symbols, with their weights.
    pub(crate) fn words(&self) -> impl Iterator<Item = (Vec<&str>, u64)> + '_ {
        (0..self.symbols.starts.len()).map(|word| {
            let texts = self.symbols.word(word).map(|symbol| self.tokens.text(symbol)).collect();
            (texts, self.symbols.weights[word])
        })
    }

    /// Distinct symbols that stand somewhere.
    pub(crate) fn distinct_symbols(&self) -> usize {
        self.places.iter().filter(|&&places| places > 0).count()
    }
}
