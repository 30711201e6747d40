//! The merge loops. All of them take first symbols and leave merged ones.
//!
//! - up to [`LINEAR`] symbols: keep the rank of every adjacent pair, take the leftmost lowest, repeat. Quadratic
//!   with a tiny constant, and most pieces have under ten symbols. Nothing moves: what is merged away keeps its
//!   place and has no rank;
//! - above: an agenda of candidates by (rank, position) over a linked list. A candidate is stale if its pair is
//!   gone; it still counts if the pair now at its position gives the same token. O(n log n), no recursion;
//! - with dropout: the agenda, where a popped candidate is set aside with probability p and comes back after the
//!   next merge that goes through.

use super::pairs::{Merge, PairTable};
use crate::cancel::Cancel;
use crate::error::Result;
use crate::ids::{PieceToken, TokenId};
use crate::lanes::Engine;
use crate::model::agenda::Agenda;
use crate::random::Random;

const LINEAR: usize = 32;
const NO_RANK: u32 = u32::MAX;
const NO_LINK: u32 = u32::MAX;

/// Symbols that keep their room from one piece to the next.
const MOST_KEPT: usize = 1 << 20;

#[derive(Debug, Clone, Copy)]
struct Symbol {
    id: TokenId,
    /// Bytes of the piece, gap before included from `start`.
    start: u32,
    end: u32,
    prev: u32,
    next: u32,
    alive: bool,
}

/// Reusable buffers for merging one piece.
#[derive(Debug, Default)]
pub struct MergeScratch {
    symbols: Vec<Symbol>,
    /// Bytes consumed so far, gaps included.
    at: u32,
    /// With each candidate, the id that it would become.
    agenda: Agenda<TokenId>,
    set_aside: Vec<(u32, u32, TokenId)>,
    cancel: Cancel,
}

/// Who takes the first symbols of a piece, in order.
pub trait TakesSymbols {
    /// A symbol that covers the next `len` bytes.
    fn push(&mut self, id: TokenId, len: usize);

    /// So many bytes no symbol stands for.
    fn push_gap(&mut self, len: usize);
}

impl TakesSymbols for MergeScratch {
    #[inline]
    fn push(&mut self, id: TokenId, len: usize) {
        let start = self.at;
        self.at += len as u32;
        self.symbols.push(Symbol { id, start, end: self.at, prev: 0, next: 0, alive: true });
    }

    fn push_gap(&mut self, len: usize) {
        self.at += len as u32;
    }
}

impl MergeScratch {
    /// What stops a long merge from now on.
    pub(crate) fn stop_at(&mut self, cancel: Cancel) {
        self.cancel = cancel;
    }

    pub(crate) fn cancel(&self) -> &Cancel {
        &self.cancel
    }

    pub(super) fn clear(&mut self) {
        if self.symbols.capacity() > MOST_KEPT {
            self.symbols = Vec::new();
        }
        self.symbols.clear();
        self.at = 0;
    }

    pub(super) fn emit(&self, out: &mut Vec<PieceToken>) {
        for symbol in &self.symbols {
            if symbol.alive {
                out.push(PieceToken { id: symbol.id, start: symbol.start, end: symbol.end, surface: false });
            }
        }
    }
}

/// What pairs become.
pub(super) trait LookUp {
    fn get(&self, left: TokenId, right: TokenId) -> Option<Merge>;

    /// The same for pairs that are likely to be common first symbols.
    fn get_near(&self, left: TokenId, right: TokenId) -> Option<Merge>;
}

impl LookUp for PairTable {
    #[inline]
    fn get(&self, left: TokenId, right: TokenId) -> Option<Merge> {
        self.get(left, right)
    }

    #[inline]
    fn get_near(&self, left: TokenId, right: TokenId) -> Option<Merge> {
        self.get_near(left, right)
    }
}

/// The tables of an engine that [knows tokens by their ids](Engine::merges_ids), for pieces of bytes. Its tokens are in the order of their
/// ranks, so ids can stand for these.
impl LookUp for Engine {
    #[inline]
    fn get(&self, left: TokenId, right: TokenId) -> Option<Merge> {
        self.merged(left, right).map(|result| Merge { rank: result, result })
    }

    #[inline]
    fn get_near(&self, left: TokenId, right: TokenId) -> Option<Merge> {
        self.get(left, right)
    }
}

/// An error only if the merge was cancelled.
pub(super) fn merge_all(scratch: &mut MergeScratch, pairs: &impl LookUp) -> Result<()> {
    match scratch.symbols.len() {
        0 | 1 => Ok(()),
        2..=LINEAR => {
            merge_linear(scratch, pairs);
            Ok(())
        }
        _ => merge_long(scratch, pairs, || false),
    }
}

pub(super) fn merge_with_dropout(
    scratch: &mut MergeScratch,
    pairs: &PairTable,
    probability: f64,
    random: &mut Random,
) -> Result<()> {
    if scratch.symbols.len() > 1 {
        merge_long(scratch, pairs, || random.next_f64() < probability)?;
    }
    Ok(())
}

fn merge_linear(scratch: &mut MergeScratch, pairs: &impl LookUp) {
    let symbols = &mut scratch.symbols[..];
    let count = symbols.len();
    // Of the pair that begins at a symbol: its rank, what it becomes.
    let mut ranks = [NO_RANK; LINEAR];
    let mut results = [0; LINEAR];
    let mut previous = [0u8; LINEAR];
    let mut next = [0u8; LINEAR];
    for index in 0..count {
        previous[index] = (index as u8).wrapping_sub(1);
        next[index] = index as u8 + 1;
        if index + 1 < count
            && let Some(Merge { rank, result }) = pairs.get_near(symbols[index].id, symbols[index + 1].id)
        {
            (ranks[index], results[index]) = (rank, result);
        }
    }
    loop {
        let mut best = NO_RANK;
        let mut at = 0;
        for (index, &rank) in ranks[..count].iter().enumerate() {
            if rank < best {
                (best, at) = (rank, index);
            }
        }
        if best == NO_RANK {
            return;
        }
        let right = usize::from(next[at]);
        let merged = results[at];
        symbols[at].id = merged;
        symbols[at].end = symbols[right].end;
        symbols[right].alive = false;
        ranks[right] = NO_RANK;
        next[at] = next[right];
        let after = usize::from(next[at]);
        ranks[at] = NO_RANK;
        if after < count {
            previous[after] = at as u8;
            if let Some(Merge { rank, result }) = pairs.get(merged, symbols[after].id) {
                (ranks[at], results[at]) = (rank, result);
            }
        }
        if at > 0 {
            let before = usize::from(previous[at]);
            ranks[before] = NO_RANK;
            if let Some(Merge { rank, result }) = pairs.get(symbols[before].id, merged) {
                (ranks[before], results[before]) = (rank, result);
            }
        }
    }
}

fn merge_long(scratch: &mut MergeScratch, pairs: &impl LookUp, mut drop: impl FnMut() -> bool) -> Result<()> {
    let MergeScratch { symbols, agenda, set_aside, cancel, .. } = scratch;
    let mut watch = cancel.watch();
    let count = symbols.len() as u32;
    for (index, symbol) in symbols.iter_mut().enumerate() {
        symbol.prev = (index as u32).wrapping_sub(1);
        symbol.next = if index as u32 + 1 < count { index as u32 + 1 } else { NO_LINK };
    }
    agenda.clear();
    set_aside.clear();
    for (index, pair) in symbols.windows(2).enumerate() {
        if let Some(merge) = pairs.get(pair[0].id, pair[1].id) {
            agenda.push(merge.rank, index as u32, merge.result);
        }
    }
    while let Some(candidate) = agenda.pop() {
        watch.step()?;
        if drop() {
            set_aside.push(candidate);
            continue;
        }
        for (rank, at, result) in set_aside.drain(..) {
            agenda.push(rank, at, result);
        }
        let (_, at, result) = candidate;
        let left = symbols[at as usize];
        if !left.alive || left.next == NO_LINK {
            continue;
        }
        let right = symbols[left.next as usize];
        if pairs.get(left.id, right.id).is_none_or(|merge| merge.result != result) {
            continue;
        }
        symbols[left.next as usize].alive = false;
        let merged = &mut symbols[at as usize];
        merged.id = result;
        merged.end = right.end;
        merged.next = right.next;
        if right.next != NO_LINK {
            symbols[right.next as usize].prev = at;
            if let Some(merge) = pairs.get(result, symbols[right.next as usize].id) {
                agenda.push(merge.rank, at, merge.result);
            }
        }
        if left.prev != NO_LINK
            && let Some(merge) = pairs.get(symbols[left.prev as usize].id, result)
        {
            agenda.push(merge.rank, left.prev, merge.result);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::Vocab;

    /// Both loops over the same symbols, with random merges of few ids.
    #[test]
    fn short_and_long_pieces_merge_alike() {
        let mut random = Random::from_seed(11);
        let mut below = |n: usize| random.next_u64() as usize % n;
        for _ in 0..2000 {
            let mut texts: Vec<String> = ["a", "b", "c"].map(String::from).to_vec();
            let mut list = Vec::new();
            for _ in 0..below(14) {
                let (left, right) = (below(texts.len()), below(texts.len()));
                let whole = texts[left].clone() + &texts[right];
                if !texts.contains(&whole) {
                    texts.push(whole);
                }
                list.push((left as TokenId, right as TokenId));
            }
            let vocab = Vocab::from_entries(texts.iter().zip(0..)).unwrap();
            let pairs = PairTable::from_list(&list, &vocab, 0).unwrap();
            let mut scratches = [MergeScratch::default(), MergeScratch::default()];
            for _ in 0..2 + below(LINEAR - 1) {
                let (id, gap) = (below(3) as TokenId, below(6) / 5);
                for scratch in &mut scratches {
                    scratch.push_gap(gap);
                    scratch.push(id, 1);
                }
            }
            let [short, long] = &mut scratches;
            merge_linear(short, &pairs);
            merge_long(long, &pairs, || false).unwrap();
            let emitted = |scratch: &MergeScratch| {
                let mut tokens = Vec::new();
                scratch.emit(&mut tokens);
                tokens
            };
            assert_eq!(emitted(short), emitted(long), "{texts:?} {list:?}");
        }
    }

    /// To leave out one merge is not to stop: it comes up again after the next one.
    #[test]
    fn dropout_leaves_out_single_merges() {
        let vocab = Vocab::from_entries(["a", "b", "ab"].into_iter().zip(0..)).unwrap();
        let pairs = PairTable::from_list(&[(0, 1)], &vocab, 0).unwrap();
        let mut random = Random::from_seed(13);
        for (probability, expected) in [(0.0, 500..=500), (0.1, 498..=500), (0.5, 490..=500), (1.0, 0..=0)] {
            let mut scratch = MergeScratch::default();
            (0..1000).for_each(|at| scratch.push(at % 2, 1));
            merge_with_dropout(&mut scratch, &pairs, probability, &mut random).unwrap();
            let mut tokens = Vec::new();
            scratch.emit(&mut tokens);
            assert!(expected.contains(&(1000 - tokens.len())), "{probability} {}", tokens.len());
        }
    }

    /// Under the rule of concatenation: all pairs, and one for each token. Few letters, so that tokens have many
    /// halves, are inside one another, and are not all reached.
    #[test]
    fn one_pair_for_each_token_merges_as_all_pairs_do() {
        let mut random = Random::from_seed(12);
        let mut below = |n: usize| random.next_u64() as usize % n;
        for _ in 0..1500 {
            let mut texts: Vec<String> = ["a", "b", "c"].map(String::from).to_vec();
            for _ in 0..below(60) {
                let longest = if below(8) == 0 { 12 } else { 4 };
                let length = 2 + below(longest);
                let text: String = (0..length).map(|_| ['a', 'b', 'c', 'd'][below(31) / 10]).collect();
                if !texts.contains(&text) {
                    texts.insert(below(texts.len() + 1), text);
                }
            }
            let vocab = Vocab::from_entries(texts.iter().zip(0..)).unwrap();
            let symbol = |c: char| vocab.id(c.encode_utf8(&mut [0; 4]));
            let all = PairTable::from_ranks(&vocab).unwrap();
            let one_each = PairTable::one_for_each_token(&vocab, symbol).unwrap();
            assert!(one_each.iter().count() <= texts.len());
            for _ in 0..6 {
                let mut scratches = [MergeScratch::default(), MergeScratch::default()];
                for _ in 0..2 + below(80) {
                    let id = symbol(['a', 'b', 'c'][below(3)]).unwrap();
                    scratches.iter_mut().for_each(|scratch| scratch.push(id, 1));
                }
                let [expected, found] = [&all, &one_each].map(|pairs| {
                    let mut tokens = Vec::new();
                    let scratch = &mut scratches[usize::from(std::ptr::eq(pairs, &one_each))];
                    merge_all(scratch, pairs).unwrap();
                    scratch.emit(&mut tokens);
                    tokens
                });
                assert_eq!(expected, found, "{texts:?}");
            }
        }
    }
}
