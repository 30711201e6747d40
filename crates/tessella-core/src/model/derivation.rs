//! How a model comes to the tokens of a piece, step by step, for people who want to see it.
//!
//! Slow on purpose: pairs are searched for again after every merge, so this also is what the fast loops are
//! compared with. Long pieces are not derived, for the candidates of all steps grow with the square.

use std::collections::HashSet;

use crate::error::Result;
use crate::ids::{PieceToken, TokenId};

/// Pieces of more symbols than this have no derivation.
pub const MOST_SYMBOLS: usize = 1024;

/// A stretch of the piece that stands for itself, before any merge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Symbol {
    /// The token that it would be, if nothing is merged; two symbols may share one.
    pub id: TokenId,
    /// Bytes of the piece.
    pub start: usize,
    /// The byte behind it.
    pub end: usize,
}

/// Two neighbours that could be merged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Candidate {
    /// The number of the left symbol among those of this step.
    pub position: usize,
    /// The earlier it was learned, the smaller.
    pub rank: u32,
    /// What they would become.
    pub id: TokenId,
}

/// One merge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MergeStep {
    /// The merge that was made.
    pub chosen: Candidate,
    /// The other pairs that could have been merged, in order of their position.
    pub losing: Vec<Candidate>,
}

/// A token that the piece could have at this place.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Edge {
    /// The first byte.
    pub start: usize,
    /// The byte behind the last.
    pub end: usize,
    /// The token.
    pub id: TokenId,
    /// What it adds to the sum of a way.
    pub score: f64,
}

/// One segmentation and its score.
#[derive(Debug, Clone, PartialEq)]
pub struct Path {
    /// The tokens, from left to right.
    pub tokens: Vec<PieceToken>,
    /// The sum of their scores.
    pub score: f64,
}

/// Ways that are looked at, at most, where many of them are the same tokens.
const MOST_WAYS: usize = 1 << 12;

/// The `n` best ways of different tokens; `best` gives so many ways, the best first.
///
/// Several ways through a lattice may be the same tokens: unknown neighbours become one, however they were cut, and that one is
/// the entry that is spelled so, if there is one.
pub(super) fn different<S: Into<f64>>(
    n: usize,
    best: impl Fn(usize) -> Result<Vec<(Vec<PieceToken>, S)>>,
) -> Result<Vec<Path>> {
    let (mut found, mut most) = (Vec::new(), n);
    loop {
        let ways = best(most)?;
        let are_all = ways.len() < most || most >= MOST_WAYS;
        let mut known = HashSet::new();
        let mut paths: Vec<Path> =
            ways.into_iter().map(|(tokens, score)| Path { tokens, score: score.into() }).collect();
        paths.retain(|path| known.insert(path.tokens.iter().map(|token| token.id).collect::<Vec<_>>()));
        // A longer search may give up, and has the best way alone then.
        if paths.len() >= found.len() {
            found = paths;
        }
        if are_all || found.len() >= n {
            found.truncate(n);
            return Ok(found);
        }
        most = MOST_WAYS.min(8 * most);
    }
}

/// How a model comes to the tokens of one piece.
#[derive(Debug, Clone, PartialEq)]
#[allow(missing_docs)] // The fields are called as their types are.
pub enum Derivation {
    /// The piece is a token, and the model takes it whole.
    Whole(TokenId),
    /// Byte pairs.
    Merges { symbols: Vec<Symbol>, steps: Vec<MergeStep> },
    /// All tokens that fit, and the best ways through them, the best first.
    Lattice { edges: Vec<Edge>, paths: Vec<Path> },
    /// A rule that needs no explanation beyond its result, or a piece that is too long.
    Plain,
}

/// The merges that first symbols go through: the lowest rank first, the leftmost of equals. `pair` gives the rank
/// and the result of two neighbours, by what stands for each.
pub(super) fn merges<S: Copy>(
    mut line: Vec<S>,
    pair: impl Fn(S, S) -> Option<(u32, TokenId, S)>,
) -> Vec<MergeStep> {
    let mut steps = Vec::new();
    loop {
        let mut candidates = Vec::new();
        let mut results = Vec::new();
        for (position, two) in line.windows(2).enumerate() {
            if let [left, right] = *two
                && let Some((rank, id, result)) = pair(left, right)
            {
                candidates.push(Candidate { position, rank, id });
                results.push(result);
            }
        }
        let Some(best) = (0..candidates.len()).min_by_key(|&at| candidates[at].rank) else { return steps };
        let chosen = candidates.remove(best);
        line[chosen.position] = results[best];
        line.remove(chosen.position + 1);
        steps.push(MergeStep { chosen, losing: candidates });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Model, Scratch};
    use crate::random::Random;
    use crate::spec::{BpeSpec, Merges, ModelSpec, UnigramSpec, Vocab};
    use std::sync::Arc;

    fn bpe(random: &mut Random, fallback: bool) -> ModelSpec {
        let mut tokens: Vec<String> = ["a", "b", "c", "<unk>"].map(str::to_string).to_vec();
        if fallback {
            tokens.extend((0..=255).map(|byte| format!("<0x{byte:02X}>")));
        }
        let mut pairs = Vec::new();
        for _ in 0..12 {
            let mut pick = || random.next_u64() as usize % tokens.len().min(12);
            let (left, right) = (pick(), pick());
            if left == 3 || right == 3 || tokens[left].len() + tokens[right].len() > 6 {
                continue;
            }
            let joined = format!("{}{}", tokens[left], tokens[right]);
            let id = tokens.iter().position(|token| *token == joined).unwrap_or_else(|| {
                tokens.push(joined);
                tokens.len() - 1
            });
            if !pairs.iter().any(|(l, r)| (*l, *r) == (left as u32, right as u32)) && id > 3 {
                pairs.push((left as u32, right as u32));
            }
        }
        let entries = tokens.into_iter().enumerate().map(|(id, token)| (token, id as TokenId));
        ModelSpec::Bpe(BpeSpec {
            unk_token: Some("<unk>".into()),
            byte_fallback: fallback,
            ..BpeSpec::new(Vocab::from_entries(entries).unwrap(), Merges::Pairs(Arc::new(pairs)))
        })
    }

    /// What the symbols are after all merges.
    fn end(symbols: &[Symbol], steps: &[MergeStep]) -> Vec<TokenId> {
        let mut ids: Vec<TokenId> = symbols.iter().map(|symbol| symbol.id).collect();
        for MergeStep { chosen, losing } in steps {
            assert!(losing.iter().all(|one| (one.rank, one.position) > (chosen.rank, chosen.position)));
            ids[chosen.position] = chosen.id;
            ids.remove(chosen.position + 1);
        }
        ids
    }

    #[test]
    fn merges_end_at_the_tokens_of_the_fast_loops() {
        let mut random = Random::from_seed(5);
        for round in 0..60 {
            let model = Model::new(&bpe(&mut random, round % 2 == 0)).unwrap();
            for length in [0, 1, 3, 8, 30, 70] {
                let piece: String =
                    (0..length).map(|_| ["a", "b", "c", "é"][random.next_u64() as usize % 4]).collect();
                let mut tokens = Vec::new();
                model.tokenize(&piece, &mut Scratch::new(), &mut tokens).unwrap();
                let ids: Vec<TokenId> = tokens.iter().map(|token| token.id).collect();
                let Derivation::Merges { symbols, steps } = model.derive(&piece, 1).unwrap() else {
                    panic!("a piece of {length} characters has merges")
                };
                assert_eq!(end(&symbols, &steps), ids, "{piece:?}");
            }
        }
    }

    #[test]
    fn long_pieces_have_no_derivation() {
        let model = Model::new(&bpe(&mut Random::from_seed(1), false)).unwrap();
        assert!(matches!(model.derive(&"a".repeat(MOST_SYMBOLS), 1), Ok(Derivation::Merges { .. })));
        assert!(matches!(model.derive(&"a".repeat(MOST_SYMBOLS + 1), 1), Ok(Derivation::Plain)));
        assert!(model.is_deterministic());
    }

    #[test]
    fn ways_of_the_same_tokens_are_one() {
        // Where neither letter is known, a run of both is spelled as an entry, which is a way of its own.
        let entries = [("<unk>", 0.0), ("xy", -1.0), ("a", -1.5), ("b", -2.0), ("ab", -3.0), ("ba", -3.5)];
        let model = Model::new(&ModelSpec::Unigram(UnigramSpec {
            vocab: Arc::new(entries.map(|(text, score)| (text.to_string(), score)).to_vec()),
            unk_id: Some(0),
            byte_fallback: false,
            alpha: None,
            nbest_size: None,
        }))
        .unwrap();
        // Each part can be cut in two ways or in one; "ab" in two with different tokens.
        for (piece, all) in
            [("xy", 1), ("axyb", 1), ("abxy", 2), ("axyaxyaxyaxyb", 1), ("abxyabxyabxyab", 16)]
        {
            for n in [1, 2, 5, 40] {
                let Derivation::Lattice { paths, .. } = model.derive(piece, n).unwrap() else {
                    panic!("{piece} has a lattice")
                };
                let ids = |path: &Path| path.tokens.iter().map(|token| token.id).collect::<Vec<_>>();
                let different: HashSet<_> = paths.iter().map(ids).collect();
                assert_eq!((paths.len(), different.len()), (n.min(all), n.min(all)), "{piece} {n}");
                assert!(paths.windows(2).all(|two| two[0].score >= two[1].score));
            }
        }
    }

    #[test]
    fn the_best_path_is_the_one_that_is_taken() {
        let entries = [("<unk>", 0.0), ("a", -1.0), ("b", -1.5), ("ab", -2.0), ("ba", -2.2), ("aba", -3.0)]
            .map(|(t, s)| (t.to_string(), s));
        let model = Model::new(&ModelSpec::Unigram(UnigramSpec {
            vocab: Arc::new(entries.to_vec()),
            unk_id: Some(0),
            byte_fallback: false,
            alpha: None,
            nbest_size: None,
        }))
        .unwrap();
        for piece in ["a", "abab", "abaab", "bxa"] {
            let mut tokens = Vec::new();
            model.tokenize(piece, &mut Scratch::new(), &mut tokens).unwrap();
            let Derivation::Lattice { edges, paths } = model.derive(piece, 3).unwrap() else {
                panic!("{piece} has a lattice")
            };
            assert_eq!(paths[0].tokens, tokens);
            assert!(paths.windows(2).all(|two| two[0].score >= two[1].score));
            assert!(edges.iter().all(|edge| edge.start < edge.end && edge.end <= piece.len()));
        }
    }
}
