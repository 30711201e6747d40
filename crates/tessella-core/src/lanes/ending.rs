//! Of each token that several pairs make, the one that it alone ends with.
//!
//! Merging the text of every token from its characters would tell. Mostly that is not needed: pairs are gone through in the order
//! of their ranks, and a pair is the one that its token ends with if nothing merges across the boundary inside of it before it
//! does. Each half has come to be by such pairs itself, and what stands to both sides of the boundary is known by taking these
//! apart again, the last one first. What was there until a merge took place would have merged across before it if its own rank
//! is lower, and of equal ranks the leftmost comes first.
//!
//! That holds as long as each half has come to be by merges of lower ranks than the pair's. Where a list goes up and down no such
//! pair is found for a token, and its text is merged.

use super::build::Ranked;
use super::last::last_two;
use super::middle::ROOM;
use super::pairs::{NEVER, PairHash, Symbol};
use crate::ids::TokenId;
use crate::unicode::CharTable;

/// Most characters of a unit that is merged by these pairs.
const MOST: usize = ROOM - 1;

/// How a token comes to be when it is merged alone.
#[derive(Debug, Clone, Copy)]
struct Making {
    left: TokenId,
    right: TokenId,
    /// One more than the rank of that pair; zero of a character, which is there from the beginning.
    rank: u32,
    characters: u32,
}

impl Making {
    /// Not known, or nothing makes it.
    const UNKNOWN: Making = Making { left: 0, right: 0, rank: u32::MAX, characters: 0 };
    const CHARACTER: Making = Making { left: 0, right: 0, rank: 0, characters: 1 };

    fn is_known(self) -> bool {
        self.rank != u32::MAX
    }

    fn is(self, left: TokenId, right: TokenId) -> bool {
        self.is_known() && (self.left, self.right) == (left, right) && self.characters as usize <= MOST
    }
}

/// Leaves of each token that has several pairs the one that it ends with, or none if there is none. `merges` are in the order of
/// their ranks, those of one rank all make the same token, and what a pair makes has the text of both.
pub fn one_for_each<'m>(
    merges: Vec<Ranked>,
    characters: &[(char, TokenId)],
    of_char: &CharTable<TokenId>,
    text: &dyn Fn(TokenId) -> &'m str,
) -> Option<Vec<Ranked>> {
    let results = merges.iter().map(|&(left, right, _, result)| left.max(right).max(result));
    let largest = results.chain(characters.iter().map(|&(_, id)| id)).max();
    let bound = largest.map_or(0, |largest| largest as usize + 1);
    // By token, how many pairs it has: none, one, or more.
    let mut counts = vec![0u8; bound];
    for &(_, _, _, result) in &merges {
        let count = &mut counts[result as usize];
        *count = count.saturating_add(1);
    }
    let pairs = Pairs::new(&merges)?;
    let mut makings = vec![Making::UNKNOWN; bound];
    characters.iter().for_each(|&(_, id)| makings[id as usize] = Making::CHARACTER);
    pairs.go_through(&merges, &mut makings);
    for (token, _) in (0..).zip(&counts).filter(|&(_, &count)| count > 1) {
        let making = &mut makings[token as usize];
        if !making.is_known()
            && let Some((left, right)) = pairs.last_of(text(token), of_char)
        {
            *making = Making { left, right, rank: 0, characters: 0 };
        }
    }
    let kept = merges.into_iter().filter(|&(left, right, _, result)| {
        let result = result as usize;
        counts[result] == 1 || makings[result].is(left, right)
    });
    Some(kept.collect())
}

/// All pairs, with ranks by numbers from zero on, and what pairs of each become: of one rank all become the same.
struct Pairs {
    ranks: PairHash,
    results: Vec<TokenId>,
}

impl Pairs {
    fn new(merges: &[Ranked]) -> Option<Pairs> {
        let (mut results, mut numbered) = (Vec::new(), Vec::with_capacity(merges.len()));
        for same in merges.chunk_by(|one, two| one.2 == two.2) {
            let rank = results.len() as Symbol;
            numbered.extend(same.iter().map(|&(left, right, ..)| (left, right, rank)));
            results.push(same[0].3);
        }
        Some(Pairs { ranks: PairHash::new(&numbered, numbered.len() / 4)?, results })
    }

    /// Notes of each token the pair that it ends with, where that can be told by its halves.
    fn go_through(&self, merges: &[Ranked], makings: &mut [Making]) {
        for (rank, same) in (1..).zip(merges.chunk_by(|one, two| one.2 == two.2)) {
            for &(left, right, _, result) in same {
                if makings[result as usize].is_known() {
                    continue;
                }
                let (one, other) = (makings[left as usize], makings[right as usize]);
                if one.is_known() && other.is_known() && self.stay_apart((left, one), (right, other), makings)
                {
                    let characters = one.characters.saturating_add(other.characters);
                    makings[result as usize] = Making { left, right, rank, characters };
                }
            }
        }
    }

    /// Whether two neighbours come to be without a merge across the boundary between them.
    #[inline]
    fn stay_apart(
        &self,
        (mut left, mut one): (TokenId, Making),
        (mut right, mut other): (TokenId, Making),
        makings: &[Making],
    ) -> bool {
        loop {
            let later = one.rank.max(other.rank);
            if later == 0 {
                return true;
            }
            // What merges across and makes the same token as the left half comes behind it, being further to the right; and before
            // the right half. Of two equal halves the left one is the first.
            let is_left = one.rank > other.rank;
            if is_left {
                left = one.right;
                one = makings[left as usize];
            } else {
                right = other.left;
                other = makings[right as usize];
            }
            let across = self.ranks.get(left, right) + 1;
            if across < later || !is_left && across == later {
                return false;
            }
        }
    }

    /// The last two symbols of a text that is merged by itself.
    fn last_of(&self, text: &str, of_char: &CharTable<TokenId>) -> Option<(TokenId, TokenId)> {
        if text.chars().nth(MOST).is_some() {
            return None;
        }
        let mut symbols: Vec<TokenId> = text.chars().map(|c| of_char.get(c)).collect();
        if symbols.contains(&NEVER) {
            return None;
        }
        let rank = |left, right| self.ranks.get(left, right);
        last_two(&mut symbols, &mut Vec::new(), NEVER, rank, |rank| self.results[rank as usize])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    /// The slow twin: every token that has several pairs is merged from its characters.
    fn merged_alone(merges: &[Ranked], of_char: &CharTable<TokenId>, texts: &[String]) -> Vec<Ranked> {
        let pairs = Pairs::new(merges).unwrap();
        let several = |token| merges.iter().filter(|merge| merge.3 == token).count() > 1;
        let is_kept = |&(left, right, _, result): &Ranked| {
            !several(result) || pairs.last_of(&texts[result as usize], of_char) == Some((left, right))
        };
        merges.iter().copied().filter(is_kept).collect()
    }

    /// Lists as training makes them, with all pairs of each token; in any order; with one rank for all pairs of a token, as scores
    /// of pieces are; with tokens that are parts of themselves, characters that are none, and texts that are too long.
    #[test]
    #[cfg_attr(miri, ignore = "takes minutes there, and has nothing unsafe in it")]
    fn pairs_are_those_of_tokens_merged_alone() {
        let mut random = Random::from_seed(11);
        let mut below = |n: usize| random.next_u64() as usize % n;
        let (mut several, mut left_out, mut in_turn) = (0, 0, 0);
        for round in 0..3000 {
            let letters = &"abcdefgh"[..2 + below(3)];
            let mut texts: Vec<String> = letters.chars().map(String::from).collect();
            let longest = [5, 9, 80][below(3)];
            for _ in 0..3 + below(60) {
                let text = [below(texts.len()), below(texts.len())].map(|at| texts[at].clone()).concat();
                if text.len() <= longest && !texts.contains(&text) {
                    texts.push(text);
                }
            }
            let id_of = |text: &str| texts.iter().position(|other| other == text).map(|at| at as TokenId);
            let mut pairs: Vec<(TokenId, TokenId, TokenId)> = Vec::new();
            for (result, text) in (0..).zip(&texts) {
                for at in 1..text.len() {
                    if let (Some(left), Some(right)) = (id_of(&text[..at]), id_of(&text[at..])) {
                        pairs.push((left, right, result));
                    }
                }
            }
            // In the order of the tokens; some of them moved; any order.
            let moves = [0, 0, 3, pairs.len()][below(4)];
            for _ in 0..moves {
                let (one, other) = (below(pairs.len()), below(pairs.len()));
                pairs.swap(one, other);
            }
            let shared_ranks = moves == 0 && below(2) == 0;
            let ranked = |(rank, (left, right, result)): (u32, (TokenId, TokenId, TokenId))| {
                (left, right, if shared_ranks { result } else { rank }, result)
            };
            let merges: Vec<Ranked> = (0..).zip(pairs).map(ranked).collect();
            let mut characters: Vec<(char, TokenId)> = letters.chars().zip(0..).collect();
            if below(8) == 0 {
                characters.pop();
            }
            let mut of_char = CharTable::new(NEVER);
            characters.iter().for_each(|&(c, id)| of_char.insert(c, id));
            let text = |token: TokenId| texts[token as usize].as_str();
            let found = one_for_each(merges.clone(), &characters, &of_char, &text).unwrap();
            assert_eq!(found, merged_alone(&merges, &of_char, &texts), "{round}: {texts:?} {merges:?}");
            several += merges.len();
            left_out += merges.len() - found.len();
            // Most of them were told without merging.
            let mut makings = vec![Making::UNKNOWN; texts.len()];
            characters.iter().for_each(|&(_, id)| makings[id as usize] = Making::CHARACTER);
            Pairs::new(&merges).unwrap().go_through(&merges, &mut makings);
            in_turn += found.iter().filter(|merge| makings[merge.3 as usize].is_known()).count();
        }
        let kept = several - left_out;
        assert!(left_out > 10_000 && kept > 30_000 && in_turn > kept / 2, "{several} {left_out} {in_turn}");
    }
}
