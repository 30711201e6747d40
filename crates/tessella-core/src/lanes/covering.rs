//! Where tokens stand that cover a text one after the other and are as long as their ids say, sixteen at a time.
//!
//! Where a token ends is the sum of all lengths up to it; what is to be known of that place, [`super::places`] has written
//! down. So sixteen lengths are asked for at once, and then sixteen places, with vectors that can; with others one token
//! comes after the other, which is the twin.

use super::ends::MANY;
use super::lengths::LengthsByValue;
use super::places::{Counted, Ending};
use super::vectors::{Level, Task, Vectors};
use crate::ids::TokenId;

/// A stretch of text, and where its next token begins.
#[derive(Debug, Clone, Copy)]
pub struct Covering<'p> {
    pub lengths: LengthsByValue<'p>,
    /// Where words end. It is not asked where all tokens are of one.
    pub ending: Ending<'p>,
    /// What begins before each place; `None` where bytes are characters.
    pub counted: Option<Counted<'p>>,
    /// Characters before the stretch.
    pub begin: u32,
    /// Bytes of the stretch before the next token, and characters. One of which it has the last bytes is its first.
    pub at: u32,
    pub first: u32,
    /// The number of the next token's word, and 1, or 0 where all tokens have one number.
    pub number: u32,
    pub step: u32,
}

/// What is written of each token. Both columns are as long as there are ids.
pub struct Columns<'c, P = [u32; 2]> {
    pub offsets: &'c mut [P],
    pub words: &'c mut [u32],
}

/// A start and an end.
pub trait Pair: Copy {
    fn of(places: [u32; 2]) -> Self;
}

impl Pair for [u32; 2] {
    #[inline(always)]
    fn of(places: [u32; 2]) -> Self {
        places
    }
}

impl Pair for [i64; 2] {
    #[inline(always)]
    fn of(places: [u32; 2]) -> Self {
        places.map(i64::from)
    }
}

impl Covering<'_> {
    /// Writes the offsets and the word of each token, and goes on behind the last one.
    pub fn write(&mut self, ids: &[TokenId], columns: Columns<'_>) {
        *self = Level::best().run(Cover { covering: *self, ids, columns });
    }

    /// Writes the offsets alone.
    pub fn write_offsets(&mut self, ids: &[TokenId], offsets: &mut [impl Pair]) {
        *self = Level::best().run(CoverOffsets { covering: *self, ids, offsets });
    }

    /// Writes the words alone: a sum of lengths, and a look at where it led, wait for nothing else.
    pub fn write_words(&mut self, ids: &[TokenId], words: &mut [impl From<u32>]) {
        // What changes is in registers, if it is not to be seen from elsewhere.
        let Covering { lengths, ending, mut at, mut number, step, .. } = *self;
        for (&id, word) in ids.iter().zip(words) {
            at = at.wrapping_add(lengths.of(id));
            *word = number.into();
            number = number.wrapping_add(ending.at(at) & step);
        }
        (self.at, self.number) = (at, number);
    }

    /// Writes the offsets of tokens whose bytes are characters each; false if they are not, or some have more than 255.
    #[inline(always)]
    fn plain(&mut self, ids: &[TokenId; MANY], offsets: &mut [impl Pair; MANY]) -> bool {
        let from = self.begin.wrapping_add(self.first);
        let (mut start, mut any_unknown) = (from, 0);
        for (&id, offset) in ids.iter().zip(offsets) {
            let bytes = self.lengths.short_of(id);
            // Without a branch, for which length is the shortest cannot be guessed.
            any_unknown |= bytes.wrapping_sub(1);
            let end = start.wrapping_add(bytes);
            *offset = Pair::of([start, end]);
            start = end;
        }
        let length = start.wrapping_sub(from);
        let (at, first) = (self.at.wrapping_add(length), self.first.wrapping_add(length));
        if any_unknown > u8::MAX.into() || self.counted.is_some_and(|counted| counted.at(at) != (first, 0)) {
            return false;
        }
        (self.at, self.first) = (at, first);
        true
    }

    /// The next token.
    #[inline(always)]
    pub fn one(&mut self, id: TokenId) -> ([u32; 2], u32) {
        self.one_of(self.lengths.of(id))
    }

    /// The next token, of so many bytes.
    #[inline(always)]
    pub fn one_of(&mut self, bytes: u32) -> ([u32; 2], u32) {
        self.at = self.at.wrapping_add(bytes);
        let word = self.number;
        self.number = word.wrapping_add(self.ending.at(self.at) & self.step);
        let (count, inside) = match self.counted {
            None => (self.at, 0),
            Some(counted) => counted.at(self.at),
        };
        let offset = [self.begin.wrapping_add(self.first), self.begin.wrapping_add(count)];
        self.first = count.wrapping_sub(inside);
        (offset, word)
    }

    fn one_by_one<P: Pair>(&mut self, ids: &[TokenId], columns: Columns<'_, P>) {
        let Columns { offsets, words } = columns;
        // What changes is in registers, if it is not to be seen from elsewhere.
        let mut covering = *self;
        for ((&id, offset), word) in ids.iter().zip(offsets).zip(words) {
            let (places, number) = covering.one(id);
            (*offset, *word) = (P::of(places), number);
        }
        *self = covering;
    }

    #[inline(always)]
    fn sixteen<V: Vectors, P: Pair>(
        &mut self,
        vectors: V,
        ids: &[TokenId; MANY],
        offsets: &mut [P; MANY],
        words: &mut [u32; MANY],
    ) {
        let lengths = vectors.bytes_at(self.lengths.short(), ids);
        if lengths.contains(&0) {
            // Tokens of more than 255 bytes.
            return self.one_by_one(ids, Columns { offsets, words });
        }
        let ends = vectors.sums(&lengths).map(|sum| self.at.wrapping_add(sum));
        *words = [self.number; MANY];
        if self.step > 0 {
            let ended = self.ending.at_all(vectors, &ends);
            let sums = vectors.sums(&ended);
            for ((word, sum), ended) in words.iter_mut().zip(sums).zip(ended) {
                *word = word.wrapping_add(sum - ended);
            }
            self.number = self.number.wrapping_add(sums[MANY - 1]);
        }
        let last = ends[MANY - 1];
        let (counts, inside) = match self.counted {
            None => (ends, [0; MANY]),
            // As many characters as bytes come up to the last place: each byte is one.
            Some(counted) if counted.at(last) == (self.first.wrapping_add(last.wrapping_sub(self.at)), 0) => {
                (ends.map(|end| end.wrapping_sub(self.at).wrapping_add(self.first)), [0; MANY])
            }
            Some(counted) => counted.at_all(vectors, &ends),
        };
        let mut firsts = [0; MANY];
        for ((first, count), inside) in firsts.iter_mut().zip(counts).zip(inside) {
            *first = count.wrapping_sub(inside);
        }
        let next = firsts[MANY - 1];
        firsts.copy_within(..MANY - 1, 1);
        firsts[0] = self.first;
        for ((offset, first), count) in offsets.iter_mut().zip(firsts).zip(counts) {
            *offset = P::of([self.begin.wrapping_add(first), self.begin.wrapping_add(count)]);
        }
        (self.at, self.first) = (ends[MANY - 1], next);
    }
}

struct Cover<'p, 'c> {
    covering: Covering<'p>,
    ids: &'c [TokenId],
    columns: Columns<'c>,
}

impl<'p> Task for Cover<'p, '_> {
    type Output = Covering<'p>;

    #[inline(always)]
    fn run<V: Vectors>(self, vectors: V) -> Covering<'p> {
        let Cover { mut covering, ids, columns: Columns { offsets, words } } = self;
        if !V::GATHERS {
            covering.one_by_one(ids, Columns { offsets, words });
            return covering;
        }
        let (many, rest) = ids.as_chunks();
        let (offsets, rest_of_offsets) = offsets.as_chunks_mut();
        let (words, rest_of_words) = words.as_chunks_mut();
        for ((ids, offsets), words) in many.iter().zip(offsets).zip(words) {
            covering.sixteen(vectors, ids, offsets, words);
        }
        covering.one_by_one(rest, Columns { offsets: rest_of_offsets, words: rest_of_words });
        covering
    }
}

struct CoverOffsets<'p, 'c, P> {
    covering: Covering<'p>,
    ids: &'c [TokenId],
    offsets: &'c mut [P],
}

impl<'p, P: Pair> Task for CoverOffsets<'p, '_, P> {
    type Output = Covering<'p>;

    #[inline(always)]
    fn run<V: Vectors>(self, vectors: V) -> Covering<'p> {
        let CoverOffsets { mut covering, ids, offsets } = self;
        let (many, rest) = ids.as_chunks();
        let (offsets, rest_of_offsets) = offsets.as_chunks_mut();
        let mut words = [0; MANY];
        // Where a text has long characters, it has more of them.
        let mut are_plain = true;
        for (ids, offsets) in many.iter().zip(offsets) {
            if are_plain && covering.plain(ids, offsets) {
                continue;
            }
            let (at, first) = (covering.at, covering.first);
            match V::GATHERS {
                true => covering.sixteen(vectors, ids, offsets, &mut words),
                false => covering.one_by_one(ids, Columns { offsets, words: &mut words }),
            }
            are_plain = covering.first.wrapping_sub(first) == covering.at.wrapping_sub(at);
        }
        covering.one_by_one(rest, Columns { offsets: rest_of_offsets, words: &mut words });
        covering
    }
}

#[cfg(test)]
mod tests {
    use super::super::Pieces;
    use super::super::lengths::Lengths;
    use super::super::places::Places;
    use super::*;
    use crate::random::Random;
    use crate::scale::or_interpreted;

    /// Texts of all kinds of characters, cut into pieces and tokens at any byte: with all vectors each token is where it is by
    /// itself.
    #[test]
    fn every_token_is_placed_as_by_itself() {
        let mut random = Random::from_seed(31);
        let mut below = |bound: u32| (random.next_u64() % u64::from(bound)) as u32;
        // Ids of lengths 1 to 300; a few have no length in the table of bytes.
        let lengths = Lengths::from((0..=300).collect::<Vec<u16>>());
        let mut places = Places::default();
        let rare: Vec<char> = std::iter::repeat_n('a', 80).chain("é漢😀".chars()).collect();
        for round in (0..600).step_by(or_interpreted(1, 61)) {
            let letters = [&['a', 'b'][..], &['a', 'a', 'a', 'é', '漢', '😀'], &rare][round % 3];
            let length = [0, 3, 40, or_interpreted(3000, 70) as u32][round / 3 % 4] + below(30);
            let text: String = (0..length).map(|_| letters[below(letters.len() as u32) as usize]).collect();
            let longest = [1, 4, 9, 300][round / 12 % 4];
            let (mut ids, mut bounds, mut at) = (Vec::new(), vec![0], 0);
            while at < text.len() as u32 {
                let id = (1 + below(longest)).min(text.len() as u32 - at);
                ids.push(id);
                at += id;
                if at == text.len() as u32 || below(3) > 0 {
                    bounds.push(at);
                }
            }
            let Places { ends, counts, .. } = &mut places;
            let pieces =
                Pieces { text: text.as_bytes(), starts: &bounds[..bounds.len() - 1], ends: &bounds[1..] };
            let covering = Covering {
                lengths: lengths.by_value(),
                ending: ends.of(pieces),
                counted: (!text.is_ascii()).then(|| counts.of(text.as_bytes())),
                begin: below(100),
                at: 0,
                first: 0,
                number: below(50),
                step: below(2),
            };
            // Characters that begin before each byte.
            let mut begun = vec![0];
            for byte in 0..text.len() {
                begun.push(begun[byte] + u32::from(text.is_char_boundary(byte)));
            }
            let (mut at, mut expected) = (0, Vec::new());
            for &id in &ids {
                let (start, end) = (at as usize, (at + id) as usize);
                let passed = bounds[1..].partition_point(|&bound| bound <= at) as u32;
                let offset = [begun[start + 1] - 1, begun[end]].map(|count| covering.begin + count);
                expected.push((offset, covering.number + passed * covering.step));
                at += id;
            }
            for level in Level::all() {
                let (mut offsets, mut words) = (vec![[0; 2]; ids.len()], vec![0; ids.len()]);
                let columns = Columns { offsets: &mut offsets, words: &mut words };
                assert_eq!(level.run(Cover { covering, ids: &ids, columns }).at, text.len() as u32);
                assert!(offsets.into_iter().zip(words).eq(expected.iter().copied()), "{}", level.name());
                // Each column alone, and of two halves.
                let (mut offsets, mut words) = (vec![[0_i64; 2]; ids.len()], vec![0_i64; ids.len()]);
                let mut of_words = covering;
                let (half, mut first) = (below(ids.len() as u32 + 1) as usize, covering);
                for part in [0..half, half..ids.len()] {
                    let (ids, offsets) = (&ids[part.clone()], &mut offsets[part.clone()]);
                    first = level.run(CoverOffsets { covering: first, ids, offsets });
                    of_words.write_words(ids, &mut words[part]);
                }
                let expected = expected.iter().map(|&(pair, word)| (pair.map(i64::from), i64::from(word)));
                assert!(offsets.into_iter().zip(words).eq(expected), "{}", level.name());
            }
        }
    }
}
