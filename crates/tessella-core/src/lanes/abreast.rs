//! Where tokens stand that are told by one number each, sixteen at a time.
//!
//! What numbers tell, [`super::ends`] says. Where words end cannot be guessed, so nothing branches on it: each token takes
//! the bounds of its word out of a window of sixteen words, behind which no sixteen tokens can lead.

use super::Pieces;
use super::ends::{END_BITS, MANY, Sixteen};
use super::vectors::{Level, Task, Vectors};
use crate::ids::TokenId;

/// Numbers the words of tokens: the first word's number, and 1, or 0 where all have one number.
#[derive(Debug, Clone, Copy)]
pub struct Numbering<'o> {
    pub first: u32,
    pub step: u32,
    /// Where some of them are parts that go on a word: how many of those up to each do not.
    pub opened: &'o [u32],
}

/// What makes offsets of places in the text of the words.
pub trait Offset {
    /// Where tokens begin and end, of each that is one.
    fn of<V: Vectors>(&self, vectors: V, starts: &[u32; MANY], ends: &[u32; MANY]) -> [[u32; MANY]; 2];

    /// What is to be added to each place of a range, if that makes its offset.
    fn moved(&self, start: u32, end: u32) -> Option<u32>;
}

/// What is written of each token. All columns are of one length.
pub struct Columns<'c> {
    pub ids: &'c mut [TokenId],
    pub offsets: &'c mut [[u32; 2]],
    pub words: &'c mut [u32],
}

/// Writes what numbers tell of tokens, one of each. A token that ends where it begins is a mark, which has the byte
/// there. Returns how many words ended.
pub fn place(
    numbers: &[u32],
    words: Pieces<'_>,
    numbering: Numbering<'_>,
    offset: impl Offset,
    columns: Columns<'_>,
) -> usize {
    Level::best().run(Place { numbers, words, numbering, offset, columns })
}

struct Place<'p, O> {
    numbers: &'p [u32],
    words: Pieces<'p>,
    numbering: Numbering<'p>,
    offset: O,
    columns: Columns<'p>,
}

/// The bounds of some words, and zeros behind the last one.
#[inline(always)]
fn window<'w>(places: &'w [u32], first: usize, room: &'w mut [u32; MANY]) -> &'w [u32; MANY] {
    let rest = places.get(first..).unwrap_or_default();
    match rest.first_chunk() {
        Some(window) => window,
        None => {
            room[..rest.len()].copy_from_slice(rest);
            room
        }
    }
}

impl<O: Offset> Task for Place<'_, O> {
    type Output = usize;

    #[inline(always)]
    fn run<V: Vectors>(self, vectors: V) -> usize {
        let Place { numbers, words, numbering, offset, columns } = self;
        let mut steps = Steps { words, numbering, offset, ended: 0, at: 0 };
        let (numbers, rest) = numbers.as_chunks();
        let (ids, rest_of_ids) = columns.ids.as_chunks_mut();
        let (offsets, rest_of_offsets) = columns.offsets.as_chunks_mut();
        let (column, rest_of_column) = columns.words.as_chunks_mut();
        for (((numbers, ids), offsets), column) in numbers.iter().zip(ids).zip(offsets).zip(column) {
            steps.step(vectors, numbers, MANY, (ids, offsets, column));
        }
        if !rest.is_empty() {
            let (mut last, mut offsets) = ([0; MANY], [[0; 2]; MANY]);
            let (mut ids, mut column) = ([0; MANY], [0; MANY]);
            last[..rest.len()].copy_from_slice(rest);
            steps.step(vectors, &last, rest.len(), (&mut ids, &mut offsets, &mut column));
            rest_of_ids.copy_from_slice(&ids[..rest.len()]);
            rest_of_offsets.copy_from_slice(&offsets[..rest.len()]);
            rest_of_column.copy_from_slice(&column[..rest.len()]);
        }
        steps.ended
    }
}

/// How far a stretch of tokens has come.
struct Steps<'p, O> {
    words: Pieces<'p>,
    numbering: Numbering<'p>,
    offset: O,
    ended: usize,
    at: u32,
}

type Room<'r> = (&'r mut [TokenId; MANY], &'r mut [[u32; 2]; MANY], &'r mut [u32; MANY]);

impl<O: Offset> Steps<'_, O> {
    /// Writes sixteen tokens, of which the first `count` are some.
    #[inline(always)]
    fn step<V: Vectors>(&mut self, vectors: V, numbers: &[u32; MANY], count: usize, room: Room<'_>) {
        let (ids, offsets, column) = room;
        let (mut starts, mut ends) = ([0; MANY], [0; MANY]);
        let starts = window(self.words.starts, self.ended, &mut starts);
        let ends = window(self.words.ends, self.ended, &mut ends);
        let mut found = Sixteen::default();
        let before = vectors.abreast(numbers, starts, ends, self.at, &mut found);
        let Numbering { first, step, opened } = self.numbering;
        // Whole arrays, of which the compiler knows that none lies in another.
        *ids = numbers.map(|packed| packed >> END_BITS);
        let (from, passed) = match opened.first() {
            Some(&before) => {
                let mut room = [0; MANY];
                let opened = window(opened, self.ended, &mut room);
                (first.wrapping_sub(before.wrapping_mul(step)), vectors.taken(opened, &found.ended))
            }
            None => (first.wrapping_add((self.ended as u32).wrapping_mul(step)), found.ended),
        };
        *column = passed.map(|passed| from.wrapping_add(passed.wrapping_mul(step)));
        let [starts, ends] = match self.offset.moved(found.starts[0], found.ends[count - 1]) {
            Some(moved) => {
                [found.starts, found.ends].map(|places| places.map(|place| place.wrapping_add(moved)))
            }
            None => self.offset.of(vectors, &found.starts, &found.ends),
        };
        for ((pair, start), end) in offsets.iter_mut().zip(starts).zip(ends) {
            *pair = [start, end];
        }
        self.ended += before.ended as usize;
        self.at = before.at;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lanes::ends::TO_THE_END;
    use crate::random::Random;
    use crate::scale::or_interpreted;

    /// Bytes beyond a place are two further on; nothing is known of ranges that reach over it.
    struct Moved(u32);

    impl Moved {
        fn one(&self, place: u32) -> u32 {
            if place < self.0 { place + 7 } else { place + 9 }
        }
    }

    impl Offset for Moved {
        #[inline(always)]
        fn of<V: Vectors>(&self, _: V, starts: &[u32; MANY], ends: &[u32; MANY]) -> [[u32; MANY]; 2] {
            [starts, ends].map(|places| places.map(|place| self.one(place)))
        }

        fn moved(&self, start: u32, end: u32) -> Option<u32> {
            (end < self.0 || start >= self.0).then_some(if end < self.0 { 7 } else { 9 })
        }
    }

    /// Words of up to fourteen tokens, gaps and marks between them: with all vectors each token is where it is by itself.
    #[test]
    fn every_token_is_placed_as_by_itself() {
        let mut random = Random::from_seed(21);
        let mut below = |bound: u32| (random.next_u64() % u64::from(bound)) as u32;
        let mut marks = 0;
        for round in 0..or_interpreted(900, 6) {
            let (mut starts, mut ends, mut numbers, mut expected) = (vec![], vec![], vec![], vec![]);
            let (mut at, step, first) = (below(50), below(2), below(1000));
            let offset = || Moved(300);
            let (mut opened, mut word) = (Vec::new(), 0);
            let has_parts = round % 2 == 0;
            for index in 0..below(120) {
                at += below(4);
                word += u32::from(index > 0 && !(has_parts && below(3) == 0));
                opened.push(word + 8);
                let length = 1 + below(14);
                let mut inside = 0;
                let mut push = |id: u32, end: u32, start: u32, until: u32| {
                    numbers.push(id << END_BITS | end);
                    expected.push(([start, until].map(|place| offset().one(place)), first + word * step));
                };
                if below(5) == 0 {
                    push(7, 0, at, at + 1);
                    marks += 1;
                }
                while inside < length {
                    let most = [1, length - inside, length - inside][round % 3];
                    let end = inside + 1 + below(most);
                    push(below(1 << 19), if end < length { end } else { TO_THE_END }, at + inside, at + end);
                    inside = end;
                }
                starts.push(at);
                at += length;
                ends.push(at);
            }
            let words = Pieces { text: &[], starts: &starts, ends: &ends };
            let opened = if has_parts { &opened[..] } else { &[] };
            for level in Level::all() {
                let (mut offsets, mut column) = (vec![[0; 2]; numbers.len()], vec![0; numbers.len()]);
                let mut ids = column.clone();
                let columns = Columns { ids: &mut ids, offsets: &mut offsets, words: &mut column };
                let numbering = Numbering { first, step, opened };
                let found =
                    level.run(Place { numbers: &numbers, words, numbering, offset: offset(), columns });
                assert_eq!(found, starts.len());
                assert!(ids.iter().copied().eq(numbers.iter().map(|number| number >> END_BITS)));
                assert!(offsets.into_iter().zip(column).eq(expected.iter().copied()), "{}", level.name());
            }
        }
        assert!(marks > or_interpreted(100, 9), "{marks}");
    }
}
