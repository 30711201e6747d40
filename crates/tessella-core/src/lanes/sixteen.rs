//! Merging sixteen pieces at once, a piece to each lane of the vectors: what an instruction does, it does for all.
//!
//! Symbols stand in rows: row `r` holds symbol `r` of every piece, and beside it what each makes with the one below. A
//! step finds the lowest rank of every piece, makes that merge, and looks up the two new pairs of all pieces. Pieces that
//! are done wait for the others, so those of a group are of about the same length. Two groups take each step together, so that
//! what both look up is on its way at once. In the end symbols become ids, row by row.
//!
//! The steps are in `x86_sixteen`, and in `x86_eights` for vectors of half that length; the lanes of [`super::merge`] are the slow
//! twin.

use super::begins::Merges;
use super::rows::{Group, LANES};
use super::vectors::Vectors;
use crate::ids::TokenId;

/// Room for two groups.
#[derive(Debug, Default)]
pub struct Sixteens<const N: usize> {
    /// None until they are needed.
    groups: Option<Box<[Group<N>; 2]>>,
    /// The pieces, by their lengths.
    order: Vec<u32>,
}

impl<const N: usize> Sixteens<N> {
    /// Hands over the ids of pieces when they are merged, in any order, each with its number.
    #[inline(always)]
    pub fn merge<'p, V: Vectors, M: Merges<N>>(
        &mut self,
        vectors: V,
        merger: &M,
        count: usize,
        piece: impl Fn(usize) -> M::Piece<'p>,
        mut done: impl FnMut(usize, &[TokenId]),
    ) {
        self.sort((0..count).map(|number| M::length(&piece(number))));
        let groups = self.groups.get_or_insert_with(|| Box::new([Group::new(), Group::new()]));
        for two in self.order.chunks(2 * LANES) {
            // Half each, so that both have something to do.
            let halves = two.split_at(two.len().div_ceil(2));
            for (group, half) in groups.iter_mut().zip([halves.0, halves.1]) {
                let mut some = [M::nothing(); LANES];
                for (place, &number) in some.iter_mut().zip(half) {
                    *place = piece(number as usize);
                }
                merger.begin_group(vectors, group, &some);
            }
            vectors.merge_groups(groups, merger.pairs(), merger.ids());
            for (group, half) in groups.iter().zip([halves.0, halves.1]) {
                for (lane, &number) in half.iter().enumerate() {
                    done(number as usize, group.ids(lane));
                }
            }
        }
    }

    /// Pieces by their lengths.
    fn sort(&mut self, lengths: impl ExactSizeIterator<Item = usize> + Clone) {
        let mut places = [0u32; N];
        lengths.clone().for_each(|length| places[length % N] += 1);
        // How many are shorter.
        let mut before = 0;
        for place in &mut places {
            before += std::mem::replace(place, before);
        }
        self.order.clear();
        self.order.resize(lengths.len(), 0);
        for (length, number) in lengths.zip(0..) {
            let place = &mut places[length % N];
            self.order[*place as usize] = number;
            *place += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::bytes::{Bytes, SHORT};
    use super::super::key::Key;
    use super::super::merge::{Merging, Work};
    use super::super::middle;
    use super::super::pairs::{NEVER, PairHash, Symbol};
    use super::super::symbols::{Merger, Wide};
    use super::super::vectors::{Level, Plain, Task};
    use super::*;
    use crate::random::Random;
    use crate::scale::or_interpreted;
    use crate::unicode::CharTable;

    struct Solve<'s, const N: usize> {
        merger: &'s Merger,
        pieces: &'s [Bytes<N>],
    }

    impl<const N: usize> Task for Solve<'_, N> {
        type Output = Option<Vec<Vec<Symbol>>>;

        #[inline(always)]
        fn run<V: Vectors>(self, vectors: V) -> Self::Output {
            let mut found = vec![Vec::new(); self.pieces.len()];
            // Symbols are their own ids here.
            let done = |at: usize, ids: &[TokenId]| found[at] = ids.to_vec();
            let piece = |at: usize| self.pieces[at];
            Sixteens::<N>::default().merge(vectors, self.merger, self.pieces.len(), piece, done);
            V::SIXTEENS.then_some(found)
        }
    }

    /// Pairs of bytes and of what came of them before, each of which makes a symbol of its own.
    fn merger(random: &mut Random, wide: bool) -> Merger {
        let mut below = |bound: usize| (random.next_u64() % bound as u64) as usize;
        let count = 3 + below(200);
        let first = count as Symbol;
        // Symbols of bytes that a byte tells from the least of them, or that lie further apart.
        let apart = 1 + below(2) as Symbol;
        let letters: Vec<Symbol> = (b'a'..=b'e').map(|byte| first + apart * Symbol::from(byte)).collect();
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
        let of_byte = std::array::from_fn(|byte| first + apart * byte as Symbol);
        let ids = (0..first + apart * 256).collect();
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
        check(Random::from_seed(8), |text| Bytes::<SHORT>::from(Key::of(text)));
        check(Random::from_seed(9), middle::bytes);
        assert!(!PairHash::new(&[], 0).unwrap().may_be_gathered());
    }

    fn check<const N: usize>(mut random: Random, bytes: impl Fn(&[u8]) -> Bytes<N>) {
        let letters = ["a", "b", "c", "d", "e", "ä", "語", "é"];
        let mut merged = 0;
        for round in 0..or_interpreted(150, 2) {
            let merger = merger(&mut random, round % 2 == 1);
            let mut below = |bound: usize| (random.next_u64() % bound as u64) as usize;
            let pieces: Vec<Bytes<N>> = (0..below(or_interpreted(90, 20)))
                .map(|_| {
                    let length = 1 + below(N - 1);
                    let mut text: String = (0..length).map(|_| letters[below(letters.len())]).collect();
                    while text.len() >= N {
                        text.pop();
                    }
                    bytes(text.as_bytes())
                })
                .collect();
            let mut expected = vec![Vec::new(); pieces.len()];
            merger.merge(Plain, &mut Work::<N>::new(), pieces.iter().copied(), |at, symbols| {
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
        assert!(merged > or_interpreted(1000, 0), "{merged}");
    }
}
