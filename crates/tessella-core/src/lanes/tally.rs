//! How often pieces come, counted by the hundred.
//!
//! A table of all pieces that a corpus has is large, and every look into it waits for memory. But most of any text are a few
//! thousand pieces. A [`Tally`] stands in front of whoever keeps the whole count: it tells a piece when it comes for the
//! first time, and from then on counts it alone, until its place is needed for another one or all is asked for.
//!
//! A line of the processor's cache holds three pieces of up to 15 bytes, whose counts are 32 bits; lines are asked for some
//! hundred pieces ahead. If a line is full, the piece of it that came least goes. So memory is fixed, and a text made to
//! collide costs what counting without a tally costs. Longer pieces are told each time.

use super::key::Key;
use super::{CHUNK, Pieces};
use crate::error::Result;
use crate::flat::{BYTES, LINE, Room, prefetch};
use crate::random::Random;

/// Pieces of a line. Each has two words for its key; the last two words are their counts.
const WAYS: usize = 3;
const COUNTS: usize = 2 * WAYS;

/// Lines as a power of two: what a tally begins with, which the nearest caches hold, and what is enough.
const FIRST_LINES_LOG2: u32 = 10;
const MOST_LINES_LOG2: u32 = 18;
/// How much it grows, as a power of two.
const GROWS_BY_LOG2: u32 = 2;
/// So many pieces are counted before all counts are told, for each of them could be the same.
const MOST_COUNTED: u32 = 1 << 31;

type Line = [u64; LINE];

/// Takes pieces and how often they came since they were told before. It is told each piece once when it comes for the
/// first time, in order.
pub type Tell<'a> = dyn FnMut(&[u8], u64) -> Result<()> + 'a;

/// Counts that were not told yet.
#[derive(Debug)]
pub struct Tally {
    room: Room,
    lines_log2: u32,
    most_lines_log2: u32,
    hash_seed: [u64; 2],
    /// Of a chunk: the keys, the line of each, and which of them have no place.
    keys: Vec<Key>,
    places: Vec<u32>,
    missing: Vec<u32>,
    /// Pieces that had to go since it has grown.
    gone: usize,
    counted: u32,
}

impl Tally {
    /// A tally that stays within `budget` bytes; `None` if that is too little to be of use.
    pub fn new(budget: usize) -> Option<Tally> {
        let fits = |lines_log2: u32| Self::most_memory(lines_log2) <= budget;
        let most_lines_log2 =
            (FIRST_LINES_LOG2..=MOST_LINES_LOG2).rev().find(|&lines_log2| fits(lines_log2))?;
        let mut random = Random::from_entropy();
        Some(Tally {
            room: Room::new(FIRST_LINES_LOG2),
            lines_log2: FIRST_LINES_LOG2,
            most_lines_log2,
            hash_seed: [random.next_u64(), random.next_u64()],
            keys: vec![Key::default(); CHUNK],
            places: vec![0; CHUNK],
            missing: Vec::with_capacity(CHUNK),
            gone: 0,
            counted: 0,
        })
    }

    /// Bytes that may come into use.
    pub fn memory(&self) -> usize {
        Self::most_memory(self.most_lines_log2)
    }

    /// Beside the lines are those that they grew from.
    const fn most_memory(lines_log2: u32) -> usize {
        let before = if lines_log2 > FIRST_LINES_LOG2 { BYTES << (lines_log2 - 1) } else { 0 };
        (BYTES << lines_log2) + before
    }

    fn lines(&self) -> &[Line] {
        self.room.words().as_chunks().0
    }

    fn line_of(&self, key: Key) -> usize {
        (key.hash(self.hash_seed) >> (64 - self.lines_log2)) as usize
    }

    /// Counts pieces, at most [`Bounds::MOST`](super::Bounds::MOST).
    pub fn count(&mut self, pieces: Pieces<'_>, tell: &mut Tell<'_>) -> Result<()> {
        if self.counted >= MOST_COUNTED {
            self.tell_all(tell)?;
        }
        self.counted += pieces.starts.len() as u32;
        if self.gone > self.lines().len() * WAYS && self.lines_log2 < self.most_lines_log2 {
            self.grow(tell)?;
        }
        for (_, pieces) in pieces.chunks() {
            self.ask(pieces);
            self.count_known(pieces.starts.len());
            for at in 0..self.missing.len() {
                let at = self.missing[at] as usize;
                self.count_missing(at, pieces.piece(at), tell)?;
            }
        }
        Ok(())
    }

    /// Makes the keys of pieces and asks for their lines.
    fn ask(&mut self, pieces: Pieces<'_>) {
        let Pieces { text, starts, ends } = pieces;
        let Tally { room, keys, places, hash_seed, lines_log2, .. } = self;
        let lines: &[Line] = room.words().as_chunks().0;
        let shift = 64 - *lines_log2;
        let bounds = starts.iter().zip(ends);
        for ((&start, &end), (key, line)) in bounds.zip(keys.iter_mut().zip(places)) {
            *key = Key::new(text, start as usize, end as usize);
            let place = (key.hash(*hash_seed) >> shift) as usize;
            *line = place as u32;
            prefetch(lines, place);
        }
    }

    /// Counts the pieces of the chunk that have a place, and lists the others.
    fn count_known(&mut self, count: usize) {
        let Tally { room, keys, places, missing, .. } = self;
        let table: &mut [Line] = room.words_mut().as_chunks_mut().0;
        missing.clear();
        for (at, (&key, &line)) in keys.iter().zip(&*places).take(count).enumerate() {
            match way_of(&table[line as usize], key) {
                Some(way) => add_one(&mut table[line as usize], way),
                None => missing.push(at as u32),
            }
        }
    }

    #[inline(never)]
    fn count_missing(&mut self, at: usize, piece: &[u8], tell: &mut Tell<'_>) -> Result<()> {
        let (key, place) = (self.keys[at], self.places[at] as usize);
        if key.is_long() {
            return tell(piece, 1);
        }
        let line = &mut self.room.words_mut().as_chunks_mut::<LINE>().0[place];
        // It may have come twice.
        if let Some(way) = way_of(line, key) {
            add_one(line, way);
            return Ok(());
        }
        tell(piece, 1)?;
        let ways = (0..WAYS).map(|way| (line[2 * way + 1] != 0, count_of(line, way), way));
        let Some((is_taken, count, way)) = ways.min() else { return Ok(()) };
        if is_taken {
            self.gone += 1;
            tell_one(line, way, count, tell)?;
        }
        put(line, way, key, 0);
        Ok(())
    }

    /// Tells all counts that were not told yet; the pieces stay known.
    pub fn tell_all(&mut self, tell: &mut Tell<'_>) -> Result<()> {
        self.counted = 0;
        for line in self.room.words_mut().as_chunks_mut::<LINE>().0 {
            for way in 0..WAYS {
                tell_one(line, way, count_of(line, way), tell)?;
            }
            line[COUNTS..].fill(0);
        }
        Ok(())
    }

    /// Gets more lines.
    #[cold]
    fn grow(&mut self, tell: &mut Tell<'_>) -> Result<()> {
        self.gone = 0;
        self.lines_log2 = (self.lines_log2 + GROWS_BY_LOG2).min(self.most_lines_log2);
        let few = std::mem::replace(&mut self.room, Room::new(self.lines_log2));
        for line in few.words().as_chunks::<LINE>().0 {
            for way in 0..WAYS {
                let key = Key { low: line[2 * way], high: line[2 * way + 1] };
                let count = count_of(line, way);
                let place = self.line_of(key);
                let more = &mut self.room.words_mut().as_chunks_mut::<LINE>().0[place];
                match (0..WAYS).find(|way| more[2 * way + 1] == 0) {
                    Some(free) => put(more, free, key, count),
                    None => tell_one(line, way, count, tell)?,
                }
            }
        }
        Ok(())
    }
}

/// Where in its line a piece is.
#[inline(always)]
fn way_of(line: &Line, key: Key) -> Option<usize> {
    let is = |way: usize| (line[2 * way] ^ key.low) | (line[2 * way + 1] ^ key.high) == 0;
    let (first, second, third) = (is(0), is(1), is(2));
    // All are looked at, without a branch between them.
    (first | second | third).then_some(usize::from(second) + 2 * usize::from(third))
}

#[inline(always)]
fn add_one(line: &mut Line, way: usize) {
    line[COUNTS + way / 2] += 1 << (32 * (way % 2));
}

fn count_of(line: &Line, way: usize) -> u32 {
    (line[COUNTS + way / 2] >> (32 * (way % 2))) as u32
}

/// Puts a piece in the place of another one.
fn put(line: &mut Line, way: usize, key: Key, count: u32) {
    (line[2 * way], line[2 * way + 1]) = (key.low, key.high);
    let shift = 32 * (way % 2);
    let counts = &mut line[COUNTS + way / 2];
    *counts = *counts & !(u64::from(u32::MAX) << shift) | u64::from(count) << shift;
}

fn tell_one(line: &Line, way: usize, count: u32, tell: &mut Tell<'_>) -> Result<()> {
    if count == 0 {
        return Ok(());
    }
    let key = Key { low: line[2 * way], high: line[2 * way + 1] };
    tell(&key.bytes()[..key.len()], u64::from(count))
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;
    use crate::lanes::Bounds;
    use crate::scale::or_interpreted;

    /// Pieces of two random texts, told in the order in which they first come and adding up to their number, also with
    /// far too few lines and with a count of 32 bits that is nearly full.
    #[test]
    fn like_a_map() {
        let mut random = Random::from_seed(5);
        let mut below = |bound: usize| (random.next_u64() % bound as u64) as usize;
        for round in 0..or_interpreted(60, 3) {
            let most = [FIRST_LINES_LOG2, FIRST_LINES_LOG2 + 1, 14][round % 3];
            let mut tally = Tally::new(Tally::most_memory(most)).unwrap();
            assert_eq!(tally.most_lines_log2, most);
            let letters: &[u8] = [b"ab\xff".as_slice(), b"abcdefgh \xff\x00"][below(2)];
            let longest = [3, 9, 20][below(3)];
            let (mut told, mut order) = (HashMap::<Vec<u8>, u64>::new(), Vec::new());
            let (mut expected, mut expected_order) = (HashMap::<Vec<u8>, u64>::new(), Vec::new());
            let mut tell = |piece: &[u8], count: u64| {
                assert!(count > 0);
                let sum = told.entry(piece.to_vec()).or_insert_with(|| {
                    order.push(piece.to_vec());
                    0
                });
                *sum += count;
                Ok(())
            };
            for _ in 0..below(or_interpreted(200, 6)) {
                let text: Vec<u8> =
                    (0..or_interpreted(4000, 400)).map(|_| letters[below(letters.len())]).collect();
                let (mut starts, mut ends, mut at) = (Vec::new(), Vec::new(), below(3));
                while at < text.len() && starts.len() < 1 + below(Bounds::MOST) {
                    let end = (at + 1 + below(longest)).min(text.len());
                    starts.push(at as u32);
                    ends.push(end as u32);
                    let sum = expected.entry(text[at..end].to_vec()).or_insert_with(|| {
                        expected_order.push(text[at..end].to_vec());
                        0
                    });
                    *sum += 1;
                    at = end + usize::from(below(8) == 0);
                }
                if below(20) == 0 {
                    tally.counted = MOST_COUNTED;
                }
                tally.count(Pieces { text: &text, starts: &starts, ends: &ends }, &mut tell).unwrap();
            }
            tally.tell_all(&mut tell).unwrap();
            tally.tell_all(&mut |_, _| panic!("all was told")).unwrap();
            assert_eq!(told, expected);
            assert_eq!(order, expected_order);
        }
    }

    #[test]
    fn too_little_memory_is_told_and_none_is_taken_without_need() {
        assert!(Tally::new((BYTES << FIRST_LINES_LOG2) - 1).is_none());
        for budget in [BYTES << FIRST_LINES_LOG2, 1 << 20, usize::MAX] {
            let tally = Tally::new(budget).unwrap();
            assert!(tally.memory() <= budget && tally.lines_log2 == FIRST_LINES_LOG2);
        }
    }

    /// Keys of one line: every other piece goes, and none is lost.
    #[test]
    fn pieces_made_to_collide() {
        let mut tally = Tally::new(Tally::most_memory(FIRST_LINES_LOG2)).unwrap();
        // With some seeds numbers do not come to all lines.
        tally.hash_seed = [0x243F_6A88_85A3_08D3, 0x1319_8A2E_0370_7344];
        let pieces: Vec<String> =
            (0..).map(|number: u32| number.to_string()).take(or_interpreted(1 << 16, 1 << 12)).collect();
        let same: Vec<&String> =
            pieces.iter().filter(|piece| tally.line_of(Key::of(piece.as_bytes())) == 3).collect();
        assert!(same.len() > or_interpreted(20, 2));
        let mut sum = 0;
        let mut tell = |_: &[u8], count| {
            sum += count;
            Ok(())
        };
        for _ in 0..10 {
            for piece in &same {
                let pieces = Pieces { text: piece.as_bytes(), starts: &[0], ends: &[piece.len() as u32] };
                tally.count(pieces, &mut tell).unwrap();
            }
        }
        tally.tell_all(&mut tell).unwrap();
        assert_eq!(sum, 10 * same.len() as u64);
        assert!(tally.gone > 0);
    }
}
