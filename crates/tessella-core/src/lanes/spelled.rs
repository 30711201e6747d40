//! Merges of characters, for models that no alphabet of bytes stands before, with one character standing for another.
//!
//! Such models get a whole text, with a mark for every blank. Here the blanks stay: texts have fewer bytes, and more of
//! their units fit into a key. A unit ends where no merge can join what stands to both sides ([`units`](super::units)).
//!
//! Lists name many pairs for most tokens, and symbols are numbered by their ranks, so that a token must have one. One
//! pair is enough for each token, whatever the order of the list: as long as no merge has crossed the ends of a stretch
//! that will become token `t`, its inside merges exactly as `t` alone would, and so it becomes `t` by the pair that
//! `t` alone ends with. No other pair of `t` is ever made.

use std::collections::HashSet;

use super::Work;
use super::build::{ByRank, Numbers, Ranked};
use super::ending::one_for_each;
use super::key::Key;
use super::lengths::Lengths;
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
    /// Which of two runs of blanks is merged first hangs on more than their ranks.
    runs_tie: bool,
    blank: u8,
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
        let runs_tie = drop_ties(&mut merges, |token| text(token).chars().all(|c| c == to))?;
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
        Ok(Spelled { boundaries, merger, lengths, runs_tie, blank: from })
    }

    /// Whether only the model itself knows what a unit becomes.
    #[inline(always)]
    pub fn is_hard(&self, unit: &[u8]) -> bool {
        let is_blank = |byte: u8| byte == self.blank;
        self.runs_tie && unit.windows(2).any(|two| is_blank(two[0]) && is_blank(two[1]))
    }

    /// Whether a unit that is no key is merged together with others.
    #[inline(always)]
    pub fn joins(&self, unit: &[u8]) -> bool {
        middle::takes(unit) && !self.is_hard(unit)
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

    /// Hands over the ids of units that are not hard, in any order, each with its number.
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
        merger.solve(vectors, work, units, found);
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
        work.merge(vectors, merger, count, unit, found);
    }
}

/// Takes out merges to tokens that share a rank with others: these go leftmost first, whichever they are, which numbers
/// cannot tell. Fine as long as all of them are runs of marks, for a text that has none is merged without them.
/// `merges` are in the order of their ranks. Returns whether there were any.
fn drop_ties(merges: &mut Vec<Ranked>, is_run: impl Fn(TokenId) -> bool) -> Result<bool, &'static str> {
    let mut tied = HashSet::new();
    for same in merges.chunk_by(|one, two| one.2 == two.2) {
        if same.iter().any(|merge| merge.3 != same[0].3) {
            tied.extend(same.iter().map(|merge| merge.3));
        }
    }
    if !tied.iter().all(|&token| is_run(token)) {
        return Err("two tokens have the same rank");
    }
    if tied.is_empty() {
        return Ok(false);
    }
    merges.retain(|merge| !tied.contains(&merge.3));
    Ok(true)
}
