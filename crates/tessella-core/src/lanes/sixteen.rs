//! Merging sixteen pieces at once, a piece to each lane of the vectors: what an instruction does, it does for all.
//!
//! Symbols stand in rows: row `r` holds symbol `r` of every piece, and beside it what each makes with the one below. A
//! step finds the lowest rank of every piece, makes that merge, and looks up the two new pairs of all pieces. Pieces that
//! are done wait for the others, so those of a group are of about the same length. Two groups go in turn, for the steps
//! of one wait for each other. In the end symbols become ids, row by row.
//!
//! The steps are in `x86_sixteen`; the lanes of [`super::merge`] are the slow twin.

use super::key::{Key, LONGEST};
use super::pairs::NEVER;
use super::rows::{Group, LANES, ROWS};
use super::symbols::{Merger, Wide};
use super::vectors::Vectors;
use crate::ids::TokenId;

/// Puts pieces into a group.
#[inline(always)]
fn begin(vectors: impl Vectors, group: &mut Group, merger: &Merger, pieces: &[Key]) {
    let is_wide = |piece: Key| merger.wide.is_some() && !piece.is_ascii();
    let lengths = std::array::from_fn(|lane| match pieces.get(lane) {
        Some(&piece) if !is_wide(piece) => piece.len() as u32,
        _ => 0,
    });
    vectors.begin_group(group, &merger.of_byte, &merger.of_two, (pieces, &lengths));
    if let Some(wide) = &merger.wide {
        for (lane, &piece) in pieces.iter().take(LANES).enumerate() {
            if is_wide(piece) {
                begin_wide(group, merger, wide, lane, piece);
            }
        }
    }
}

/// A piece with other characters than ASCII, where symbols are characters. Its lane is empty, and it has no more symbols
/// than there are rows in use.
#[cold]
fn begin_wide(group: &mut Group, merger: &Merger, wide: &Wide, lane: usize, piece: Key) {
    let mut row = 0;
    let mut above = NEVER;
    wide.each_symbol(merger, &piece.bytes()[..piece.len()], |symbol| {
        if row > 0 {
            group.ranks[row - 1].0[lane] = merger.pairs.get(above, symbol);
        }
        group.symbols[row].0[lane] = symbol;
        above = symbol;
        row += 1;
    });
}

/// Room for two groups.
#[derive(Debug, Default)]
pub struct Sixteens {
    /// None until they are needed.
    groups: Option<Box<[Group; 2]>>,
    /// The pieces, by their lengths.
    order: Vec<u32>,
}

impl Sixteens {
    /// Hands over the ids of pieces when they are merged, in any order, each with its number.
    #[inline(always)]
    pub fn merge<V: Vectors>(
        &mut self,
        vectors: V,
        merger: &Merger,
        pieces: &[Key],
        mut done: impl FnMut(usize, &[TokenId]),
    ) {
        self.sort(pieces);
        let groups = self.groups.get_or_insert_with(|| Box::new([Group::new(), Group::new()]));
        for two in self.order.chunks(2 * LANES) {
            let mut keys = [Key::default(); 2 * LANES];
            for (key, &number) in keys.iter_mut().zip(two) {
                *key = pieces[number as usize];
            }
            // Half each, so that both have something to do.
            let half = two.len().div_ceil(2);
            let (first, second) = keys[..two.len()].split_at(half);
            let [group, other] = &mut **groups;
            begin(vectors, group, merger, first);
            begin(vectors, other, merger, second);
            vectors.merge_groups(groups, &merger.pairs, &merger.ids);
            for (at, &number) in two.iter().enumerate() {
                let (group, lane) = if at < half { (0, at) } else { (1, at - half) };
                done(number as usize, groups[group].ids(lane));
            }
        }
    }

    /// Pieces by their lengths.
    fn sort(&mut self, pieces: &[Key]) {
        let mut places = [0u32; LONGEST + 2];
        pieces.iter().for_each(|key| places[key.len() % ROWS + 1] += 1);
        for length in 1..places.len() {
            places[length] += places[length - 1];
        }
        self.order.clear();
        self.order.resize(pieces.len(), 0);
        for (key, number) in pieces.iter().zip(0..) {
            let place = &mut places[key.len() % ROWS];
            self.order[*place as usize] = number;
            *place += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::merge::{SHORT, Work};
    use super::super::pairs::{PairHash, Symbol};
    use super::super::vectors::{Level, Plain, Task};
    use super::*;
    use crate::random::Random;
    use crate::unicode::CharTable;

    struct Solve<'s> {
        merger: &'s Merger,
        pieces: &'s [Key],
    }

    impl Task for Solve<'_> {
        type Output = Option<Vec<Vec<Symbol>>>;

        #[inline(always)]
        fn run<V: Vectors>(self, vectors: V) -> Self::Output {
            let mut found = vec![Vec::new(); self.pieces.len()];
            // Symbols are their own ids here.
            let done = |at: usize, ids: &[TokenId]| found[at] = ids.to_vec();
            Sixteens::default().merge(vectors, self.merger, self.pieces, done);
            V::SIXTEENS.then_some(found)
        }
    }

    /// Pairs of bytes and of what came of them before, each of which makes a symbol of its own.
    fn merger(random: &mut Random, wide: bool) -> Merger {
        let mut below = |bound: usize| (random.next_u64() % bound as u64) as usize;
        let count = 3 + below(200);
        let first = count as Symbol;
        let letters: Vec<Symbol> = (b'a'..=b'e').map(|byte| first + Symbol::from(byte)).collect();
        let mut pairs: Vec<(Symbol, Symbol, Symbol)> = Vec::new();
        for result in 0..first {
            let mut pick = || match below(2) {
                0 if result > 0 => below(result as usize) as Symbol,
                _ => letters[below(letters.len())],
            };
            let (left, right) = (pick(), pick());
            if pairs.iter().all(|&(l, r, _)| (l, r) != (left, right)) {
                pairs.push((left, right, result));
            }
        }
        let of_byte = std::array::from_fn(|byte| first + byte as Symbol);
        let ids = (0..first + 256).collect();
        let firsts = if wide { &of_byte[..128] } else { &of_byte[..] };
        let mut merger = Merger::reading(&pairs, of_byte, firsts, ids).unwrap();
        let mut of_char = CharTable::new(NEVER);
        of_char.insert('ä', letters[0]);
        of_char.insert('語', letters[1]);
        merger.wide = wide.then(|| Box::new(Wide { of_char, of_byte }));
        merger
    }

    #[test]
    fn sixteen_at_once_are_as_one_by_one() {
        let mut random = Random::from_seed(8);
        let letters = ["a", "b", "c", "d", "e", "ä", "語", "é"];
        let mut merged = 0;
        for round in 0..150 {
            let merger = merger(&mut random, round % 2 == 1);
            let mut below = |bound: usize| (random.next_u64() % bound as u64) as usize;
            let pieces: Vec<Key> = (0..below(90))
                .map(|_| {
                    let length = 1 + below(LONGEST);
                    let mut text: String = (0..length).map(|_| letters[below(letters.len())]).collect();
                    while text.len() > LONGEST {
                        text.pop();
                    }
                    Key::of(text.as_bytes())
                })
                .collect();
            let mut expected = vec![Vec::new(); pieces.len()];
            merger.merge(Plain, &mut Work::<SHORT>::new(), pieces.iter().copied(), |at, symbols| {
                expected[at] = symbols.to_vec();
            });
            for level in Level::all() {
                if let Some(found) = level.run(Solve { merger: &merger, pieces: &pieces }) {
                    assert_eq!(found, expected, "{}", level.name());
                }
            }
            merged +=
                expected.iter().flatten().filter(|&&symbol| (symbol as usize) < merger.pairs.len()).count();
        }
        assert!(merged > 1000, "{merged}");
        assert!(!PairHash::new(&[], 0).unwrap().may_be_gathered());
    }
}
