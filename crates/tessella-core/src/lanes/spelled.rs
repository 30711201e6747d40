//! Merges of characters, for models that no alphabet of bytes stands before, with one character standing for another.
//!
//! Such models get a whole text, with a mark for every blank. Here the blanks stay: texts have fewer bytes, and more of
//! their units fit into a key. A unit ends where no merge can join what stands to both sides ([`units`](super::units)).
//!
//! Lists name many pairs for most tokens, and symbols are numbered by their ranks, so that a token must have one. One
//! pair is enough for each token, whatever the order of the list: as long as no merge has crossed the ends of a stretch
//! that will become token `t`, its inside merges exactly as `t` alone would, and so it becomes `t` by the pair that
//! `t` alone ends with. No other pair of `t` is ever made.

use super::Work;
use super::build::{ByRank, Numbers, Ranked};
use super::ending::one_for_each;
use super::key::Key;
use super::lengths::Lengths;
use super::merge::Merging as _;
use super::middle::{self, LongWork};
use super::pairs::{NEVER, Symbol};
use super::symbols::{Merger, Wide};
use super::units::Boundaries;
use super::vectors::{Level, Task, Vectors};
use crate::ids::TokenId;
use crate::unicode::CharTable;

/// What [`Spelled`] is made from.
pub struct SpelledParts<'m> {
    pub merges: ByRank,
    /// The token of every character that has one.
    pub characters: Vec<(char, TokenId)>,
    /// What all other characters are spelled in. None of these merges with anything.
    pub bytes: [TokenId; 256],
    /// This character of a text stands for that one, and that one for itself.
    pub read: (u8, char),
    pub text: &'m dyn Fn(TokenId) -> &'m str,
}

/// Where units end and what they become.
#[derive(Debug)]
pub struct Spelled {
    pub boundaries: Boundaries,
    merger: Merger,
    /// Bytes of a text, with blanks for marks, that each token stands for; `None` where that cannot be told.
    pub lengths: Option<Lengths>,
}

impl Spelled {
    /// Builds the tables, or says why this model is left to the plain loops.
    pub fn new(parts: SpelledParts<'_>) -> Result<Self, &'static str> {
        let SpelledParts { merges: ByRank(mut merges), characters, bytes, read: (from, to), text } = parts;
        let written = |c: char| if c == to { from as char } else { c };
        let largest = merges.iter().map(|&(left, right, _, result)| left.max(right).max(result)).max();
        if largest.unwrap_or(0) >= NEVER || merges.len() >= NEVER as usize {
            return Err("the vocabulary is too large");
        }
        let mut is_byte = vec![false; largest.map_or(0, |largest| largest as usize + 1)];
        bytes.iter().for_each(|&id| is_byte.get_mut(id as usize).map_or((), |is_byte| *is_byte = true));
        if merges.iter().any(|&(left, right, ..)| is_byte[left as usize] || is_byte[right as usize]) {
            return Err("tokens of single bytes merge");
        }
        let ends = merges.iter().filter_map(|&(left, right, ..)| {
            Some((written(text(left).chars().next_back()?), written(text(right).chars().next()?)))
        });
        let boundaries = Boundaries::new(ends).ok_or("too many characters are neighbours in tokens")?;
        let length = |c: char| written(c).len_utf8();
        let lengths = Lengths::of_characters(&merges, &characters, &bytes, length, text);
        let mut of_char = CharTable::new(NEVER);
        characters.iter().for_each(|&(c, id)| of_char.insert(c, id));
        untie(&mut merges, |token| {
            text(token).chars().all(|c| c == to).then(|| text(token).chars().count())
        })?;
        let merges =
            one_for_each(merges, &characters, &of_char, text).ok_or("its pairs cannot be told apart")?;

        // Results in the order of their ranks, then what is none.
        let mut numbers = Numbers::default();
        merges.iter().map(|&(_, _, _, result)| result).for_each(|result| {
            numbers.insert(result);
        });
        characters.iter().map(|&(_, id)| id).chain(bytes).for_each(|id| {
            numbers.insert(id);
        });
        let Numbers { of_id, ids } = numbers.checked()?;
        let number = |id: TokenId| of_id.get(id as usize).copied().unwrap_or(NEVER);
        let pairs: Vec<(Symbol, Symbol, Symbol)> = merges
            .iter()
            .map(|&(left, right, _, result)| (number(left), number(right), number(result)))
            .filter(|&(left, right, _)| left != NEVER && right != NEVER)
            .collect();
        let mut numbered = CharTable::new(NEVER);
        characters.iter().for_each(|&(c, id)| numbered.insert(c, number(id)));
        let read = |byte: u8| if byte == from { to } else { char::from(byte) };
        let of_ascii = |byte: u8| match numbered.get(read(byte)) {
            NEVER if byte == from => NEVER,
            NEVER => number(bytes[usize::from(byte)]),
            symbol => symbol,
        };
        let of_byte = std::array::from_fn(|byte| if byte < 128 { of_ascii(byte as u8) } else { NEVER });
        if of_byte[usize::from(from)] == NEVER {
            return Err("the mark of a blank is no token");
        }
        let mut merger =
            Merger::reading(&pairs, of_byte, &of_byte[..128], ids).ok_or("its pairs cannot be told apart")?;
        let bytes = bytes.map(number);
        merger.wide = Some(Box::new(Wide { of_char: numbered, of_byte: bytes }));
        Ok(Spelled { boundaries, merger, lengths })
    }

    /// Whether a unit that is no key is merged together with others.
    #[inline(always)]
    pub fn joins(unit: &[u8]) -> bool {
        middle::takes(unit)
    }

    /// Hands over the ids of so many such units, in any order, each with its number.
    pub fn solve_long<'u>(
        &self,
        work: &mut LongWork,
        count: usize,
        unit: impl Fn(usize) -> &'u [u8],
        found: impl FnMut(usize, &[TokenId]),
    ) {
        Level::best().run(MergingLong { merger: &self.merger, work, count, unit, found });
    }

    /// Hands over the ids of units that are keys, in any order, each with its number.
    pub fn solve(&self, work: &mut Work, units: &[Key], found: impl FnMut(usize, &[TokenId])) {
        Level::best().run(Merging { merger: &self.merger, work, units, found });
    }

    /// Sizes, for people.
    pub fn describe(&self) -> String {
        format!(
            "{} pairs in a perfect hash, {} kB for all threads",
            self.merger.pairs.len(),
            self.merger.memory() >> 10
        )
    }
}

/// Units that are merged many in turn.
struct Merging<'m, F> {
    merger: &'m Merger,
    work: &'m mut Work,
    units: &'m [Key],
    found: F,
}

impl<F: FnMut(usize, &[TokenId])> Task for Merging<'_, F> {
    type Output = ();

    #[inline(always)]
    fn run<V: Vectors>(self, vectors: V) {
        let Merging { merger, work, units, found } = self;
        merger.solve(vectors, work, units.len(), |number| units[number].into(), found);
    }
}

/// Units that are no keys, and are merged together.
struct MergingLong<'m, U, F> {
    merger: &'m Merger,
    work: &'m mut LongWork,
    count: usize,
    unit: U,
    found: F,
}

impl<'u, U: Fn(usize) -> &'u [u8], F: FnMut(usize, &[TokenId])> Task for MergingLong<'_, U, F> {
    type Output = ();

    #[inline(always)]
    fn run<V: Vectors>(self, vectors: V) {
        let MergingLong { merger, work, count, unit, found } = self;
        merger.solve(vectors, work, count, |number| middle::bytes(unit(number)), found);
    }
}

/// Gives merges to tokens that share a rank different ones: such merges go leftmost first, whichever they are, which numbers
/// cannot tell. All of these tokens have to be runs of marks, as in most models that keep blanks. Then the longest first is the
/// same: the leftmost pair of a run is one with the token that grows there, which makes a longer token than those behind it do.
/// `merges` are in the order of their ranks, and get new ones.
fn untie(merges: &mut [Ranked], marks: impl Fn(TokenId) -> Option<usize>) -> Result<(), &'static str> {
    let mut next = 0;
    for same in merges.chunk_by_mut(|one, two| one.2 == two.2) {
        if same.iter().any(|merge| merge.3 != same[0].3) {
            if same.iter().any(|merge| marks(merge.3).is_none()) {
                return Err("two tokens have the same rank");
            }
            same.sort_by_key(|merge| std::cmp::Reverse(marks(merge.3)));
        }
        for one in same.chunk_by_mut(|one, two| one.3 == two.3) {
            one.iter_mut().for_each(|merge| merge.2 = next);
            next += 1;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    /// What becomes of a text by merges of which the one with the lowest rank goes first, and of equal ranks the leftmost.
    fn merged(text: &str, merges: &[Ranked], of: impl Fn(char) -> TokenId) -> Vec<TokenId> {
        let mut symbols: Vec<TokenId> = text.chars().map(of).collect();
        loop {
            let pairs = symbols.windows(2).enumerate().filter_map(|(at, pair)| {
                let merge = merges.iter().find(|merge| (merge.0, merge.1) == (pair[0], pair[1]))?;
                Some((merge.2, at, merge.3))
            });
            let Some((_, at, result)) = pairs.min() else { return symbols };
            symbols.splice(at..at + 2, [result]);
        }
    }

    /// Runs of marks of some lengths, of one rank among others, with tokens of marks and letters, in texts of runs and letters.
    #[test]
    #[cfg_attr(miri, ignore = "takes minutes there, and has nothing unsafe in it")]
    fn the_longest_run_first_is_the_leftmost_first() {
        let mut random = Random::from_seed(3);
        let mut below = |n: usize| random.next_u64() as usize % n;
        let mut made_of_marks = 0;
        for round in 0..4000 {
            let mut texts: Vec<String> = ["_", "a", "b"].map(String::from).to_vec();
            let share = [3, 6, 9][below(3)];
            texts.extend((2..13).filter(|_| below(10) < share).map(|length| "_".repeat(length)));
            for _ in 0..below(14) {
                let text = [below(texts.len()), below(texts.len())].map(|at| texts[at].clone()).concat();
                if text.len() <= 9 && !texts.contains(&text) && text.contains(['a', 'b']) {
                    texts.push(text);
                }
            }
            let is_run = |text: &str| !text.contains(['a', 'b']);
            let of_runs = below(20) as u32;
            let mut ranks: Vec<u32> = (0..texts.len() as u32 + 20).filter(|&rank| rank != of_runs).collect();
            for at in 0..ranks.len() {
                let other = below(ranks.len());
                ranks.swap(at, other);
            }
            let id_of = |text: &str| texts.iter().position(|other| other == text).map(|at| at as TokenId);
            let mut tied: Vec<Ranked> = Vec::new();
            for (result, text) in (0..).zip(&texts) {
                let rank = if is_run(text) { of_runs } else { ranks[result as usize] };
                for at in 1..text.len() {
                    if let (Some(left), Some(right)) = (id_of(&text[..at]), id_of(&text[at..])) {
                        tied.push((left, right, rank, result));
                    }
                }
            }
            tied.sort_by_key(|&(_, _, rank, result)| (rank, result));
            let mut untied = tied.clone();
            let marks =
                |token: TokenId| Some(texts[token as usize].len()).filter(|_| is_run(&texts[token as usize]));
            untie(&mut untied, marks).unwrap();
            assert!(
                untied
                    .windows(2)
                    .all(|two| two[0].2 <= two[1].2 && (two[0].2 < two[1].2 || two[0].3 == two[1].3))
            );
            let of = |c: char| if c == '_' { 0 } else { 1 + u32::from(c == 'b') };
            for _ in 0..6 {
                let stretch =
                    |_| "_".repeat([1, 2, 3, 5, 9, 17][below(6)]) + ["", "a", "b", "ab", "a_b"][below(5)];
                let text: String = (0..4).map(stretch).collect();
                let found = merged(&text, &untied, of);
                assert_eq!(found, merged(&text, &tied, of), "{round}: {text} {texts:?}");
                made_of_marks += found.iter().filter(|&&token| marks(token) > Some(1)).count();
            }
        }
        assert!(made_of_marks > 20_000, "{made_of_marks}");
        let mut others = vec![(0, 1, 7, 2), (1, 0, 7, 3)];
        assert!(untie(&mut others, |_| None).is_err());
    }
}
