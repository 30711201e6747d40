//! Ranks of concatenations restated as a list of merges, and lists of merges as ranks.
//!
//! Under the rank-of-concatenation rule any two neighbours whose concatenation is a token may merge, the
//! lowest rank first, leftmost first among equals. The restatement is a list with at most one pair per token,
//! in rank order, together with "a piece that is a token stays whole". It is exact:
//!
//! 1. When a token `t` is formed somewhere in a text, no earlier merge crossed the borders of `t`, for merges
//!    only ever grow symbols. So all earlier merges inside of `t` happened between symbols inside of `t`, and
//!    each was the lowest and leftmost one there. That is the very sequence that the rule takes on the
//!    text of `t` alone.
//! 2. Hence `t` is always formed from the same two parts: those of the last merge on `t` alone. A token whose
//!    own text does not end up as one symbol is never formed by merging at all.
//! 3. So in every state the merge that the rule takes is in the list, in the order of the rule; the list only
//!    lacks pairs that the rule would never have taken next. By induction both take the same steps.
//!
//! Steps 1 and 2 hold for any list of merges too: a pair that is not the last merge on the text of its result
//! alone is never taken. So a list says the same as ranks if, without such pairs, it is the list that restates
//! the ranks.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, HashSet};
use std::sync::Arc;

use tessella_core::error::excerpt;
use tessella_core::spec::{BpeSpec, Vocab};
use tessella_core::{Error, Result, TokenId};

const GONE: usize = usize::MAX;

/// The two parts of which merging forms `text` last, `None` if it never gets there. `rank_of` two neighbours: the text
/// of both, and where it is cut.
fn last_merge(
    vocab: &Vocab,
    text: &str,
    rank_of: impl Fn(&str, usize) -> Option<u32>,
) -> Option<(TokenId, TokenId)> {
    // Symbols by their start byte: where each ends, and where the one before starts.
    let mut end = vec![GONE; text.len() + 1];
    let mut before = vec![GONE; text.len() + 1];
    let mut queue = BinaryHeap::new();
    let mut previous = GONE;
    for (start, c) in text.char_indices() {
        let stop = start + c.len_utf8();
        end[start] = stop;
        before[start] = previous;
        if previous != GONE
            && let Some(rank) = rank_of(&text[previous..stop], start - previous)
        {
            queue.push(Reverse((rank, previous, start, stop)));
        }
        previous = start;
    }
    let mut parts = None;
    while let Some(Reverse((_, start, middle, stop))) = queue.pop() {
        if end[start] != middle || end[middle] != stop {
            continue;
        }
        parts = Some((&text[start..middle], &text[middle..stop]));
        end[start] = stop;
        end[middle] = GONE;
        if stop < text.len() {
            before[stop] = start;
            if let Some(rank) = rank_of(&text[start..end[stop]], stop - start) {
                queue.push(Reverse((rank, start, stop, end[stop])));
            }
        }
        if start > 0
            && let Some(rank) = rank_of(&text[before[start]..stop], start - before[start])
        {
            queue.push(Reverse((rank, before[start], start, stop)));
        }
    }
    if end[0] != text.len() {
        return None;
    }
    let (left, right) = parts?;
    Some((vocab.id(left)?, vocab.id(right)?))
}

/// The list of merges that encodes as the ranks do, given that whole pieces are looked up first.
pub(crate) fn pairs(bpe: &BpeSpec) -> Result<Vec<(TokenId, TokenId)>> {
    if bpe.dropout.is_some_and(|dropout| dropout > 0.0) {
        return Err(Error::unsupported(
            "ranks with dropout cannot be restated as merges: with dropout, readers of tokenizer.json no longer \
             keep whole pieces",
        ));
    }
    let mut merges = Vec::with_capacity(bpe.vocab.len());
    for (_, text) in bpe.vocab.iter_by_id() {
        if text.chars().nth(1).is_none() {
            continue;
        }
        if let Some(missing) = text.chars().find(|c| bpe.vocab.id(c.encode_utf8(&mut [0; 4])).is_none()) {
            return Err(Error::unsupported(format!(
                "the ranks cannot be restated as merges: `{missing}` of the token `{}` is no token of its own",
                excerpt(text)
            )));
        }
        merges.extend(last_merge(&bpe.vocab, text, |both, _| bpe.vocab.id(both)));
    }
    Ok(merges)
}

fn refuse<T>(what: String) -> Result<T> {
    Err(Error::unsupported(format!("a table of ranks cannot express {what}; write tokenizer.json instead")))
}

/// Refuses settings of a model that readers of ranks know nothing of.
fn no_settings(bpe: &BpeSpec) -> Result<()> {
    if bpe.dropout.is_some_and(|dropout| dropout > 0.0) {
        return refuse("dropout".into());
    }
    if bpe.continuing_subword_prefix.as_ref().is_some_and(|prefix| !prefix.is_empty()) {
        return refuse("a prefix of continuing pieces".into());
    }
    if bpe.end_of_word_suffix.as_ref().is_some_and(|suffix| !suffix.is_empty()) {
        return refuse("a suffix at the end of words".into());
    }
    Ok(())
}

/// Refuses a model of ranks that does not do what readers of them do: settings can be changed once it is read.
pub(crate) fn as_read(bpe: &BpeSpec) -> Result<()> {
    no_settings(bpe)?;
    if !bpe.ignore_merges {
        return refuse(
            "a model with `ignore_merges` off: ranks give a token wherever it is a whole piece".into(),
        );
    }
    Ok(())
}

/// The vocabulary whose ids are ranks that encode as the list of merges does: all of it but `left_out`.
pub(crate) fn ranks(bpe: &BpeSpec, merges: &[(TokenId, TokenId)], left_out: &HashSet<&str>) -> Result<Vocab> {
    no_settings(bpe)?;
    let vocab = Vocab::from_entries(bpe.vocab.iter().filter(|(text, _)| !left_out.contains(text)))?;
    let wanted = pairs(&BpeSpec { vocab: Arc::new(vocab), ..bpe.clone() })?;
    let vocab = Vocab::from_entries(bpe.vocab.iter().filter(|(text, _)| !left_out.contains(text)))?;

    let ranks: HashMap<(TokenId, TokenId), u32> = merges.iter().copied().zip(0..).collect();
    let rank_of = |both: &str, cut: usize| {
        ranks.get(&(bpe.vocab.id(&both[..cut])?, bpe.vocab.id(&both[cut..])?)).copied()
    };
    let mut listed: Vec<((TokenId, TokenId), u32)> = Vec::with_capacity(wanted.len());
    for (_, text) in vocab.iter_by_id().filter(|(_, text)| text.chars().nth(1).is_some()) {
        match last_merge(&bpe.vocab, text, rank_of) {
            Some(pair) => listed.push((pair, ranks[&pair])),
            None if bpe.ignore_merges => {}
            None => {
                return refuse(format!(
                    "that no merges lead to the token `{}`: ranks give it wherever it is a whole piece",
                    excerpt(text)
                ));
            }
        }
    }
    listed.sort_by_key(|&(_, rank)| rank);
    let differing = listed.iter().map(|&(pair, _)| pair).zip(&wanted).find(|(ours, theirs)| ours != *theirs);
    let spelled = |pair: (TokenId, TokenId)| {
        let text = |id| excerpt(bpe.vocab.text(id).unwrap_or_default());
        format!("`{}` + `{}`", text(pair.0), text(pair.1))
    };
    match differing {
        Some((ours, &theirs)) => refuse(format!(
            "this order of merges: where {} is merged, the ids of the tokens say {}",
            spelled(ours),
            spelled(theirs)
        )),
        None if listed.len() != wanted.len() => {
            refuse(format!("a list of {} merges where the ids say {}", listed.len(), wanted.len()))
        }
        None => Ok(vocab),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The rule, word for word.
    fn by_rank(vocab: &Vocab, text: &str) -> Vec<TokenId> {
        if let Some(id) = vocab.id(text) {
            return vec![id];
        }
        let mut parts: Vec<String> = text.chars().map(String::from).collect();
        loop {
            let best = (0..parts.len().saturating_sub(1))
                .filter_map(|i| vocab.id(&format!("{}{}", parts[i], parts[i + 1])).map(|rank| (rank, i)))
                .min();
            let Some((_, i)) = best else {
                return parts.iter().map(|part| vocab.id(part).unwrap()).collect();
            };
            let right = parts.remove(i + 1);
            parts[i].push_str(&right);
        }
    }

    /// Merging by a list, word for word.
    fn by_merges(bpe: &BpeSpec, merges: &[(TokenId, TokenId)], text: &str) -> Vec<TokenId> {
        let vocab = &bpe.vocab;
        if bpe.ignore_merges
            && let Some(id) = vocab.id(text)
        {
            return vec![id];
        }
        let mut ids: Vec<TokenId> =
            text.chars().map(|c| vocab.id(c.encode_utf8(&mut [0; 4])).unwrap()).collect();
        loop {
            let best = (0..ids.len().saturating_sub(1))
                .filter_map(|i| {
                    merges.iter().position(|pair| *pair == (ids[i], ids[i + 1])).map(|rank| (rank, i))
                })
                .min();
            let Some((_, i)) = best else { return ids };
            let text = format!("{}{}", vocab.text(ids[i]).unwrap(), vocab.text(ids[i + 1]).unwrap());
            ids[i] = vocab.id(&text).unwrap();
            ids.remove(i + 1);
        }
    }

    /// Random vocabularies, most of which no training would produce: tokens that merging cannot reach, and
    /// ranks that go down while symbols grow.
    #[test]
    fn random_ranks_encode_as_their_merges_do() {
        let mut state = 7u64;
        let mut next = move |bound: u64| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 33) % bound
        };
        let mut compared = 0;
        for _ in 0..400 {
            let mut texts: Vec<String> = vec!["a".into(), "b".into(), "c".into()];
            for _ in 0..next(20) + 3 {
                let text: String = (0..next(4) + 2).map(|_| ['a', 'b', 'c'][next(3) as usize]).collect();
                if !texts.contains(&text) {
                    texts.push(text);
                }
            }
            // Also single characters may rank anywhere.
            for i in (1..texts.len()).rev() {
                texts.swap(i, next(i as u64 + 1) as usize);
            }
            let vocab = Vocab::from_entries(texts.iter().zip(0..)).unwrap();
            let bpe = crate::tiktoken::concat_rank_bpe(vocab);
            let merges = pairs(&bpe).unwrap();
            for _ in 0..50 {
                let text: String = (0..next(14) + 1).map(|_| ['a', 'b', 'c'][next(3) as usize]).collect();
                assert_eq!(by_rank(&bpe.vocab, &text), by_merges(&bpe, &merges, &text), "{text} {texts:?}");
                compared += 1;
            }
        }
        assert_eq!(compared, 20_000);
    }

    /// Random lists, some trained-like, some not: whatever is accepted as ranks encodes as the list does.
    #[test]
    fn lists_written_as_ranks_encode_alike() {
        let mut state = 11u64;
        let mut next = move |bound: u64| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 33) % bound
        };
        let (mut accepted, mut refused) = (0, 0);
        for _ in 0..3000 {
            let mut texts: Vec<String> = vec!["a".into(), "b".into(), "c".into()];
            let mut merges: Vec<(TokenId, TokenId)> = Vec::new();
            for _ in 0..next(8) + 1 {
                let (left, right) = (next(texts.len() as u64) as usize, next(texts.len() as u64) as usize);
                let both = texts[left].clone() + &texts[right];
                if !texts.contains(&both) {
                    texts.push(both);
                }
                if !merges.contains(&(left as TokenId, right as TokenId)) {
                    merges.push((left as TokenId, right as TokenId));
                }
            }
            if next(4) == 0 {
                let (from, to) = (next(merges.len() as u64) as usize, next(merges.len() as u64) as usize);
                merges.swap(from, to);
            }
            if next(6) == 0 {
                texts.push("cabac".into());
            }
            let Ok(vocab) = Vocab::from_entries(texts.iter().zip(0..)) else { continue };
            let mut bpe = crate::tiktoken::concat_rank_bpe(vocab);
            bpe.ignore_merges = next(2) == 0;
            let Ok(table) = ranks(&bpe, &merges, &HashSet::new()) else {
                refused += 1;
                continue;
            };
            accepted += 1;
            for _ in 0..40 {
                let text: String = (0..next(14) + 1).map(|_| ['a', 'b', 'c'][next(3) as usize]).collect();
                assert_eq!(
                    by_rank(&table, &text),
                    by_merges(&bpe, &merges, &text),
                    "{text} {texts:?} {merges:?}"
                );
            }
        }
        assert!(accepted > 500 && refused > 100, "{accepted} {refused}");
    }
}
