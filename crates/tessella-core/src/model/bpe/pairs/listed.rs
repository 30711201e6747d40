//! The merges of a model, as a list for as long as no pair is looked up.
//!
//! Whoever takes all pairs at once, to make tables of their own (the engine for pieces of bytes, to begin with), needs no table to look
//! them up in, and that takes as long to make as the vocabulary. A list can stand for the table where each of its merges makes the
//! token next to that of the merge before, as trainers number them: it needs no results, no pair can be in it twice, and
//! it can be seen at once that all of them are there.

use std::sync::{Arc, OnceLock};

use super::{Merge, PairTable};
use crate::error::Result;
use crate::flat::{Arrays, Shelf};
use crate::ids::TokenId;
use crate::spec::Vocab;
use crate::vocab::Lead;

/// Merges that can be looked up.
#[derive(Debug)]
pub(in crate::model::bpe) struct Pairs {
    listed: Option<Listed>,
    /// Made when it is first asked for, if there is a list.
    table: OnceLock<PairTable>,
    /// For [`PairTable::bring_near`].
    near: Vec<TokenId>,
    id_bound: usize,
}

/// A list of merges, the first of which makes the token `above`, and each other one the next.
#[derive(Debug)]
struct Listed {
    pairs: Arc<Vec<(TokenId, TokenId)>>,
    above: TokenId,
}

impl Listed {
    /// A list that is one.
    fn of(pairs: &Arc<Vec<(TokenId, TokenId)>>, vocab: &Vocab) -> Option<Self> {
        let text = |id: TokenId| vocab.text_lead(id);
        let &(left, right) = pairs.first()?;
        let first = [text(left)?.text(), text(right)?.text()].concat();
        let above = vocab.id(std::str::from_utf8(&first).ok()?)?;
        let makes = |(&(left, right), id): (&(TokenId, TokenId), TokenId)| {
            let [whole, left, right] = [id, left, right].map(text);
            whole.zip(left.zip(right)).is_some_and(|(whole, (left, right))| is_joined(whole, left, right))
        };
        pairs.iter().zip(above..).all(makes).then(|| Listed { pairs: pairs.clone(), above })
    }

    fn iter(&self) -> impl Iterator<Item = (TokenId, TokenId, Merge)> + Clone + '_ {
        let merge = |(&(left, right), rank): (&(TokenId, TokenId), u32)| {
            (left, right, Merge { rank, result: self.above + rank })
        };
        self.pairs.iter().zip(0..).map(merge)
    }
}

/// Whether a text is what two others make.
#[inline]
pub(super) fn is_joined(text: Lead<'_>, left: Lead<'_>, right: Lead<'_>) -> bool {
    if text.len() != left.len() + right.len() {
        return false;
    }
    let (first, second) = text.split(left.len());
    first.is(left) & second.is(right)
}

impl Pairs {
    /// Of a list in rank order, as [`PairTable::from_list`].
    pub(in crate::model::bpe) fn from_list(
        pairs: &Arc<Vec<(TokenId, TokenId)>>,
        vocab: &Vocab,
        prefix_len: usize,
    ) -> Result<Self> {
        match Some(pairs).filter(|_| prefix_len == 0).and_then(|pairs| Listed::of(pairs, vocab)) {
            Some(listed) => Ok(Pairs {
                listed: Some(listed),
                table: OnceLock::new(),
                near: Vec::new(),
                id_bound: vocab.id_bound(),
            }),
            None => Ok(PairTable::from_list(pairs, vocab, prefix_len)?.into()),
        }
    }

    /// Says which symbols are common, as [`PairTable::bring_near`].
    pub(in crate::model::bpe) fn bring_near(
        &mut self,
        symbols: impl Iterator<Item = TokenId>,
        id_bound: usize,
    ) {
        match self.table.get_mut() {
            Some(table) => table.bring_near(symbols, id_bound),
            None => (self.near, self.id_bound) = (symbols.collect(), id_bound),
        }
    }

    /// Whether the table is made.
    #[inline]
    pub(in crate::model::bpe) fn has_table(&self) -> bool {
        self.table.get().is_some()
    }

    /// The table. Who asks at the same time makes the same, so that none waits for another.
    #[inline]
    pub(in crate::model::bpe) fn table(&self) -> &PairTable {
        match self.table.get() {
            Some(table) => table,
            None => self.build(),
        }
    }

    #[cold]
    fn build(&self) -> &PairTable {
        let made = || {
            let mut table = PairTable::of(self.len(), self.listed.iter().flat_map(Listed::iter));
            table.bring_near(self.near.iter().copied(), self.id_bound);
            table
        };
        if self.table.get().is_none() {
            let _ = self.table.set(made());
        }
        self.table.get_or_init(made)
    }

    /// Number of different pairs.
    pub(in crate::model::bpe) fn len(&self) -> usize {
        match (&self.listed, self.table.get()) {
            (Some(listed), _) => listed.pairs.len(),
            (None, table) => table.map_or(0, PairTable::len),
        }
    }

    /// Left, right, rank and result of every pair, in any order.
    pub(in crate::model::bpe) fn ranked(
        &self,
    ) -> impl Iterator<Item = (TokenId, TokenId, u32, TokenId)> + Clone + '_ {
        let mut list = self.listed.as_ref().map(Listed::iter);
        let mut table = self.table.get().filter(|_| list.is_none()).map(PairTable::iter);
        let next = move || match (&mut list, &mut table) {
            (Some(list), _) => list.next(),
            (None, table) => table.as_mut()?.next(),
        };
        std::iter::from_fn(next).map(|(left, right, merge)| (left, right, merge.rank, merge.result))
    }

    /// Puts the table down.
    pub(in crate::model::bpe) fn put(&self, arrays: &mut Arrays) {
        self.table().put(arrays);
    }

    /// Takes what was put, with tokens below `id_bound`.
    pub(in crate::model::bpe) fn take(shelf: &mut Shelf, id_bound: usize) -> Result<Self> {
        Ok(PairTable::take(shelf, id_bound)?.into())
    }
}

impl From<PairTable> for Pairs {
    fn from(table: PairTable) -> Self {
        Pairs { listed: None, table: table.into(), near: Vec::new(), id_bound: 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sorted(pairs: &Pairs) -> Vec<(TokenId, TokenId, u32, TokenId)> {
        let mut all: Vec<_> = pairs.ranked().collect();
        all.sort_unstable();
        all
    }

    /// Whether a list stands for its table; what comes of it is the same.
    fn is_listed(texts: &[&str], first: TokenId, list: &[(TokenId, TokenId)], prefix_len: usize) -> bool {
        let vocab = Vocab::from_entries(texts.iter().zip(first..)).unwrap();
        let list = Arc::new(list.to_vec());
        let mut pairs = Pairs::from_list(&list, &vocab, prefix_len).unwrap();
        let table = Pairs::from(PairTable::from_list(&list, &vocab, prefix_len).unwrap());
        pairs.bring_near(first..first + 2, vocab.id_bound());
        let is_listed = !pairs.has_table();
        assert_eq!((pairs.len(), sorted(&pairs)), (table.len(), sorted(&table)));
        for left in 0..vocab.id_bound() as TokenId + 2 {
            for right in 0..vocab.id_bound() as TokenId + 2 {
                let found = pairs.table().get(left, right);
                assert_eq!(found, table.table().get(left, right));
                assert_eq!(found, pairs.table().get_near(left, right));
            }
        }
        assert_eq!((pairs.len(), sorted(&pairs)), (table.len(), sorted(&table)));
        is_listed
    }

    #[test]
    fn a_list_in_the_order_of_its_tokens_stands_for_its_table() {
        let texts = ["a", "b", "ab", "aba", "abab"];
        for first in [0, 7] {
            let list = |pairs: &[(TokenId, TokenId)]| -> Vec<_> {
                pairs.iter().map(|&(left, right)| (left + first, right + first)).collect()
            };
            assert!(is_listed(&texts, first, &list(&[(0, 1), (2, 0), (2, 2)]), 0));
            assert!(is_listed(&texts, first, &list(&[(2, 0), (3, 1)]), 0));
            // One that is made twice, one left out, one too early.
            assert!(!is_listed(&texts, first, &list(&[(0, 1), (2, 0), (2, 2), (3, 1)]), 0));
            assert!(!is_listed(&texts, first, &list(&[(0, 1), (2, 2)]), 0));
            assert!(!is_listed(&texts, first, &list(&[(2, 0), (0, 1)]), 0));
            assert!(!is_listed(&texts, first, &list(&[(0, 1), (0, 1)]), 0));
        }
        assert!(!is_listed(&texts, 0, &[], 0));
        assert!(!is_listed(&["a", "#b", "ab"], 0, &[(0, 1)], 1));
    }

    #[test]
    fn what_a_list_lacks_is_told_as_before() {
        let vocab = Vocab::from_entries([("a", 0), ("b", 1), ("ab", 2)]).unwrap();
        let error =
            |list: &[(TokenId, TokenId)]| Pairs::from_list(&Arc::new(list.to_vec()), &vocab, 0).unwrap_err();
        assert!(error(&[(0, 1), (2, 1)]).message().contains("`abb` out of vocabulary: merge 1"));
        assert!(error(&[(0, 1), (9, 1)]).message().contains("merge 1 names the id 9"));
        assert!(error(&[(9, 1)]).message().contains("merge 0 names the id 9"));
    }
}
