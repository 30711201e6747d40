//! The merges that a list of pieces implies, for models that merge pairs by rank.
//!
//! A SentencePiece model has no list of merges: it joins two neighbours if what they make is a piece, best piece
//! first. A BPE model has ranks of pairs instead. Here each piece gives one merge for every way to cut it into two
//! pieces, pieces in the order of their ids, of one piece the shorter first half first.

use std::collections::HashSet;

/// The merges of these texts, which stand in the order of their ids.
pub fn merges(texts: &[String]) -> Vec<(String, String)> {
    let known: HashSet<&str> = texts.iter().map(String::as_str).collect();
    texts.iter().flat_map(|text| cuts(text, &known)).collect()
}

fn cuts<'t>(text: &'t str, known: &'t HashSet<&str>) -> impl Iterator<Item = (String, String)> + 't {
    let halves = text.char_indices().skip(1).map(|(place, _)| text.split_at(place));
    halves
        .filter(|(left, right)| known.contains(left) && known.contains(right))
        .map(|(left, right)| (left.to_string(), right.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_cut_into_pieces_is_a_merge() {
        let texts: Vec<String> = ["abc", "a", "b", "c", "ab", "bc", "é", "aé"].map(str::to_string).into();
        let pairs = merges(&texts);
        let found: Vec<(&str, &str)> =
            pairs.iter().map(|(left, right)| (left.as_str(), right.as_str())).collect();
        assert_eq!(found, [("a", "bc"), ("ab", "c"), ("a", "b"), ("b", "c"), ("a", "é")]);
    }
}
