//! The merges that a list of pieces implies, for models that merge pairs by rank.
//!
//! A SentencePiece model has no list of merges: it joins two neighbours if what they make is a piece, best piece
//! first. A BPE model has ranks of pairs instead. Here each piece gives one merge for every way to cut it into two
//! pieces, pieces in the order of their ids, of one piece the shorter first half first.

use tessella_core::spec::Vocab;
use tessella_core::{Result, TokenId};

/// The merges of these texts, which stand in the order of their ids: of each the places of both halves among the texts.
pub fn merges<T: AsRef<str>>(texts: &[T]) -> Result<Vec<(TokenId, TokenId)>> {
    let known = Vocab::from_entries(texts.iter().zip(0..))?;
    Ok(texts.iter().flat_map(|text| cuts(text.as_ref(), &known)).collect())
}

fn cuts<'t>(text: &'t str, known: &'t Vocab) -> impl Iterator<Item = (TokenId, TokenId)> + 't {
    let halves = text.char_indices().skip(1).map(|(place, _)| text.split_at(place));
    halves.filter_map(|(left, right)| Some((known.id(left)?, known.id(right)?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_cut_into_pieces_is_a_merge() {
        let texts: Vec<String> = ["abc", "a", "b", "c", "ab", "bc", "é", "aé"].map(str::to_string).into();
        let pairs = merges(&texts).unwrap();
        let text = |place: TokenId| texts[place as usize].as_str();
        let found: Vec<(&str, &str)> = pairs.iter().map(|&(left, right)| (text(left), text(right))).collect();
        assert_eq!(found, [("a", "bc"), ("ab", "c"), ("a", "b"), ("b", "c"), ("a", "é")]);
    }
}
