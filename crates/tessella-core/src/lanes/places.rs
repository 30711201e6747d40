//! What is to be known of each place of a stretch of text: whether a piece ends there, and how many characters begin
//! before it.
//!
//! Tokens that ask a table need not wait for what the token before them found, and sixteen of them can ask at once.

use super::Pieces;
use super::ends::{BEHIND, MANY};
use super::vectors::Vectors;

/// Tables of one worker, whose room is kept from one stretch to the next.
#[derive(Debug, Default)]
pub struct Places {
    pub ends: Ends,
    pub counts: Counts,
    /// Of words in parts, how many words begin up to each part.
    pub opened: Vec<u32>,
}

impl Places {
    /// Without room.
    pub const fn new() -> Self {
        let counts = Counts { within: Vec::new(), before: Vec::new() };
        Places { ends: Ends(Vec::new()), counts, opened: Vec::new() }
    }
}

/// Where pieces end.
#[derive(Debug, Default)]
pub struct Ends(Vec<u8>);

/// What [`Ends`] found out about some pieces. It is handed by value to loops, which then have it in registers.
#[derive(Debug, Clone, Copy, Default)]
pub struct Ending<'p>(&'p [u8]);

impl Ends {
    /// Notes the ends of pieces, counted from the start of the first.
    pub fn of(&mut self, pieces: Pieces<'_>) -> Ending<'_> {
        self.0.clear();
        if let (Some(&from), Some(&to)) = (pieces.starts.first(), pieces.ends.last()) {
            self.0.resize((to - from) as usize + 1 + BEHIND, 0);
            for &end in pieces.ends {
                self.0[(end - from) as usize] = 1;
            }
        }
        Ending(&self.0)
    }

    /// The same for pieces of these lengths that follow one another in `length` bytes.
    pub fn of_lengths(&mut self, length: usize, pieces: &PieceLengths) -> Ending<'_> {
        self.0.clear();
        self.0.resize(length + 1 + BEHIND, 0);
        let (mut end, places) = (0, &mut self.0[..]);
        for &length in &pieces.0 {
            end += usize::from(length);
            if let Some(place) = places.get_mut(end) {
                *place = (length < GOES_ON).into();
            }
        }
        Ending(&self.0)
    }
}

/// The lengths of pieces that follow one another, a byte for each that is short.
#[derive(Debug, Clone, Default)]
pub struct PieceLengths(Vec<u8>);

/// So many bytes of a piece, with which it does not end.
const GOES_ON: u8 = u8::MAX;

impl PieceLengths {
    /// No pieces.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// Notes the next pieces.
    pub fn push(&mut self, pieces: Pieces<'_>) {
        let lengths = || pieces.starts.iter().zip(pieces.ends).map(|(start, end)| end - start);
        let (before, mut bits) = (self.0.len(), 0);
        self.0.resize(before + pieces.ends.len(), 0);
        for (noted, length) in self.0[before..].iter_mut().zip(lengths()) {
            bits |= length;
            *noted = length as u8;
        }
        // None is longer than all their bits together.
        if bits >= GOES_ON.into() {
            self.0.truncate(before);
            for mut length in lengths() {
                while length >= GOES_ON.into() {
                    self.0.push(GOES_ON);
                    length -= u32::from(GOES_ON);
                }
                self.0.push(length as u8);
            }
        }
    }
}

impl Ending<'_> {
    /// 1 where a piece ends.
    #[inline(always)]
    pub fn at(self, place: u32) -> u32 {
        self.0.get(place as usize).copied().unwrap_or(0).into()
    }

    /// The same of sixteen places.
    #[inline(always)]
    pub fn at_all<V: Vectors>(self, vectors: V, places: &[u32; MANY]) -> [u32; MANY] {
        vectors.bytes_at(self.0, places)
    }
}

/// How many characters begin before each place.
#[derive(Debug, Default)]
pub struct Counts {
    /// By the bytes of a text: of the characters in its block, and [`INSIDE`] for a byte that continues one.
    within: Vec<u8>,
    /// By blocks.
    before: Vec<u32>,
}

/// What [`Counts`] found out about a text.
#[derive(Debug, Clone, Copy)]
pub struct Counted<'p> {
    within: &'p [u8],
    before: &'p [u32],
}

/// So many characters before a place fit into a byte, beside its mark.
const BLOCK: usize = 128;
const INSIDE: u8 = 0x80;
const WORD: usize = 8;

/// Bytes that are looked at together.
const HALF: usize = BLOCK / 2;

/// Characters that came.
#[derive(Default)]
struct SoFar {
    before_block: u32,
    in_block: u64,
}

impl SoFar {
    fn end_block(&mut self) -> u32 {
        self.before_block += self.in_block as u32;
        self.in_block = 0;
        self.before_block
    }

    /// Tells the places of some words.
    #[inline(always)]
    fn words(&mut self, words: &[[u8; WORD]], places: &mut [u8]) {
        for (word, places) in words.iter().zip(places.as_chunks_mut::<WORD>().0) {
            let begins = begins(u64::from_le_bytes(*word));
            let sums = begins.wrapping_mul(LOW_BITS);
            let inside = (begins ^ LOW_BITS) << INSIDE.trailing_zeros();
            *places = ((sums << 8).wrapping_add(self.in_block * LOW_BITS) | inside).to_le_bytes();
            self.in_block += sums >> 56;
        }
    }
}

impl Counts {
    /// Counts the characters of a text.
    pub fn of(&mut self, text: &[u8]) -> Counted<'_> {
        self.within.clear();
        self.before.clear();
        // The place at the end is one more.
        self.within.resize(text.len() / WORD * WORD + WORD + BEHIND, 0);
        let mut so_far = SoFar::default();
        let (many, rest) = text.as_chunks::<HALF>();
        let (rooms, _) = self.within.as_chunks_mut::<HALF>();
        for (number, (half, places)) in many.iter().zip(rooms).enumerate() {
            if number % (BLOCK / HALF) == 0 {
                self.before.push(so_far.end_block());
            }
            if half.is_ascii() {
                let before = so_far.in_block as u8;
                *places = std::array::from_fn(|place| place as u8 + before);
                so_far.in_block += HALF as u64;
            } else {
                so_far.words(half.as_chunks().0, places);
            }
        }
        if many.len() % (BLOCK / HALF) == 0 {
            self.before.push(so_far.end_block());
        }
        let (words, rest) = rest.as_chunks::<WORD>();
        // What fills the last word begins no character.
        let mut last = [0x80; WORD];
        last[..rest.len()].copy_from_slice(rest);
        let places = &mut self.within[many.len() * HALF..];
        so_far.words(words, places);
        so_far.words(&[last], &mut places[words.len() * WORD..]);
        Counted { within: &self.within, before: &self.before }
    }
}

impl Counted<'_> {
    /// The characters that begin before a place.
    #[inline(always)]
    pub fn before(self, place: u32) -> u32 {
        self.at(place).0
    }

    /// The same, and 1 if the place is inside of the last of them.
    #[inline(always)]
    pub fn at(self, place: u32) -> (u32, u32) {
        match (self.before.get(place as usize / BLOCK), self.within.get(place as usize)) {
            (Some(&before), Some(&within)) => {
                (before + u32::from(within & !INSIDE), u32::from(within / INSIDE))
            }
            _ => (0, 0),
        }
    }

    /// The same of sixteen places.
    #[inline(always)]
    pub fn at_all<V: Vectors>(self, vectors: V, places: &[u32; MANY]) -> ([u32; MANY], [u32; MANY]) {
        let within = vectors.bytes_at(self.within, places);
        let mut counts = vectors.numbers_at(self.before, &places.map(|place| place / BLOCK as u32));
        for (count, within) in counts.iter_mut().zip(within) {
            *count = count.wrapping_add(within & u32::from(!INSIDE));
        }
        (counts, within.map(|within| within / u32::from(INSIDE)))
    }
}

const LOW_BITS: u64 = 0x0101_0101_0101_0101;

/// 1 in each byte of a word in which a character begins.
#[inline(always)]
pub fn begins(word: u64) -> u64 {
    (!(word >> 7) | word >> 6) & LOW_BITS
}

#[cfg(test)]
mod tests {
    use super::super::vectors::{Level, Task};
    use super::*;
    use crate::random::Random;
    use crate::scale::or_interpreted;

    struct Ask<'p> {
        counts: Counted<'p>,
        places: &'p [u32; MANY],
    }

    impl Task for Ask<'_> {
        type Output = ([u32; MANY], [u32; MANY]);

        #[inline(always)]
        fn run<V: Vectors>(self, vectors: V) -> Self::Output {
            self.counts.at_all(vectors, self.places)
        }
    }

    #[test]
    fn every_place_knows_the_characters_before_it() {
        let mut random = Random::from_seed(4);
        let mut below = |bound: usize| (random.next_u64() % bound as u64) as usize;
        let mut counts = Counts::default();
        for length in (0..600).chain([1023, 1024, 1025, 5000]).step_by(or_interpreted(1, 200)) {
            let letters = if length % 3 == 0 { &['a', 'b'][..] } else { &['a', 'é', '漢', '😀'][..] };
            let text: String = (0..length).map(|_| letters[below(letters.len())]).collect();
            let counts = counts.of(text.as_bytes());
            let mut begun = 0;
            for (place, byte) in text.bytes().enumerate() {
                let begins = u32::from(byte & 0xC0 != 0x80);
                assert_eq!(counts.at(place as u32), (begun, 1 - begins));
                begun += begins;
            }
            assert_eq!(counts.before(text.len() as u32), begun);
            // The last places among them.
            let end = text.len() as u32;
            for places in [std::array::from_fn(|lane| (end + lane as u32).saturating_sub(15)), [end; MANY]] {
                let expected = places.map(|place| counts.at(place));
                for level in Level::all() {
                    let (found, inside) = level.run(Ask { counts, places: &places });
                    let found = std::array::from_fn(|lane| (found[lane], inside[lane]));
                    assert_eq!(found, expected, "{}", level.name());
                }
            }
        }
    }

    #[test]
    fn lengths_tell_where_pieces_end() {
        let mut random = Random::from_seed(6);
        let mut below = |bound: usize| (random.next_u64() % bound as u64) as usize;
        let (mut lengths, mut ends, mut told) = (PieceLengths::default(), Ends::default(), Ends::default());
        for round in 0..or_interpreted(300, 8) {
            let most = [6, 20, 254, 256, 600][round % 5];
            let mut bounds = vec![below(40) as u32];
            for _ in 0..1 + below(50) {
                let length = [1 + below(most), 255, 510, 1][if round % 3 == 0 { below(4) } else { 0 }];
                bounds.push(bounds[bounds.len() - 1] + length as u32);
            }
            let all = Pieces { text: &[], starts: &bounds[..bounds.len() - 1], ends: &bounds[1..] };
            lengths.clear();
            let cut = below(bounds.len());
            lengths.push(all.first(cut));
            lengths.push(all.from(cut));
            let length = bounds[bounds.len() - 1] - bounds[0];
            let (ends, told) = (ends.of(all), told.of_lengths(length as usize, &lengths));
            assert!((0..=length).all(|place| ends.at(place) == told.at(place)), "{bounds:?}");
        }
    }

    #[test]
    fn pieces_end_where_they_end() {
        let mut ends = Ends::default();
        for pieces in [&[3, 5, 6, 20][..], &[3, 4], &[0, 7, 9]] {
            let all = Pieces { text: &[], starts: &pieces[..pieces.len() - 1], ends: &pieces[1..] };
            let ends = ends.of(all);
            let expected = |place: u32| u32::from(pieces[1..].contains(&(place + pieces[0])));
            assert!((0..25).all(|place| ends.at(place) == expected(place)));
        }
    }
}
