//! Characters of one width, as an interpreter keeps its texts, to UTF-8, sixteen at a time: the way back from [`super::wide`].
//!
//! Asked for the UTF-8 of a text, an interpreter makes it one character after the other, and keeps it for as long as the text
//! lives. Here a character is a lane of four bytes that ends where the character does, and the bytes in use are brought
//! together.

use super::fold::{FOLDED, TOGETHER};
use super::vectors::{Level, Task, Vectors};
use crate::flat::make_room;

/// The characters of a text.
#[derive(Debug, Clone, Copy)]
pub enum Narrow<'t> {
    /// None is above U+00FF.
    Ones(&'t [u8]),
    /// None is above U+FFFF.
    Twos(&'t [u16]),
    /// One is above U+FFFF, or none.
    Fours(&'t [u32]),
}

/// Characters that are looked at together: whether all of them are ASCII.
const BLOCK: usize = 32;
/// Characters that are written to nearby memory before they are appended.
const PORTION: usize = 256;

impl Narrow<'_> {
    /// Bytes that the UTF-8 takes at most.
    pub fn most_bytes(&self) -> usize {
        match self {
            Narrow::Ones(units) => units.len() * 2,
            Narrow::Twos(units) => units.len() * 3,
            Narrow::Fours(units) => units.len() * 4,
        }
    }

    /// How many it is likely to take.
    pub fn about_as_many_bytes(&self) -> usize {
        match self {
            Narrow::Ones(units) => units.len(),
            Narrow::Twos(units) => units.len() * 2,
            Narrow::Fours(units) => units.len() * 2,
        }
    }

    /// Appends the UTF-8. `None`, with `out` as it was, where something is no character: half of a pair.
    pub fn append_to(self, out: &mut String) -> Option<()> {
        self.append_by(Level::best(), out)
    }

    fn append_by(self, level: Level, out: &mut String) -> Option<()> {
        let before = out.len();
        let most = before + self.most_bytes();
        // SAFETY: a task appends the UTF-8 of whole characters. If it gives up, what it has appended is taken off again.
        #[allow(unsafe_code)]
        let bytes = unsafe { out.as_mut_vec() };
        let done = match self {
            Narrow::Ones(units) => level.run(Fold { units, out: bytes, most }),
            Narrow::Twos(units) => level.run(Fold { units, out: bytes, most }),
            Narrow::Fours(units) => level.run(Fold { units, out: bytes, most }),
        };
        if done.is_none() {
            bytes.truncate(before);
        }
        done
    }
}

struct Fold<'t, 'o, T> {
    units: &'t [T],
    out: &'o mut Vec<u8>,
    /// Bytes that there are in the end, at most.
    most: usize,
}

impl<T: Copy + Into<u32>> Task for Fold<'_, '_, T> {
    type Output = Option<()>;

    #[inline(always)]
    fn run<V: Vectors>(self, vectors: V) -> Self::Output {
        let Fold { units, out, most } = self;
        let mut room = [0; PORTION * 4 + FOLDED];
        for portion in units.chunks(PORTION) {
            let mut at = 0;
            let (blocks, rest) = portion.as_chunks::<BLOCK>();
            for block in blocks {
                let all = block.iter().fold(0, |all, &unit| all | unit.into());
                if all < 0x80 {
                    let place: &mut [u8; BLOCK] = room[at..].first_chunk_mut()?;
                    *place = block.map(|unit| unit.into() as u8);
                    at += BLOCK;
                } else {
                    for part in block.as_chunks::<TOGETHER>().0 {
                        at += vectors.folded(&part.map(Into::into), room[at..].first_chunk_mut()?)?;
                    }
                }
            }
            for part in rest.chunks(TOGETHER) {
                let mut characters = [0; TOGETHER];
                for (character, &unit) in characters.iter_mut().zip(part) {
                    *character = unit.into();
                }
                let length = vectors.folded(&characters, room[at..].first_chunk_mut()?)?;
                // The zeros are characters of one byte as well.
                at += length - (TOGETHER - part.len());
            }
            make_room(out, at, most);
            out.extend_from_slice(&room[..at]);
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;
    use crate::scale::or_interpreted;

    fn characters(random: &mut Random, bounds: &[u32], length: usize) -> Vec<u32> {
        let mut bound = 0x80;
        (0..length)
            .map(|_| {
                if random.next_u64().is_multiple_of(9) {
                    bound = bounds[(random.next_u64() % bounds.len() as u64) as usize];
                }
                (random.next_u64() % u64::from(bound)) as u32
            })
            .collect()
    }

    /// What the standard library says of the characters, and what each level does.
    fn check(units: Narrow<'_>, values: &[u32]) {
        let wanted: Option<String> = values.iter().map(|&value| char::from_u32(value)).collect();
        for level in Level::all() {
            let mut out = "in front é".to_owned();
            let done = units.append_by(level, &mut out);
            assert_eq!(done.map(|()| &out["in front é".len()..]), wanted.as_deref(), "{}", level.name());
            assert!(out.starts_with("in front é") && (done.is_some() || out.len() == "in front é".len()));
            assert!(out.len() <= "in front é".len() + units.most_bytes());
        }
    }

    #[test]
    fn characters_of_every_width_are_written_as_the_standard_library_writes_them() {
        let random = &mut Random::from_seed(11);
        for round in 0..or_interpreted(4000, 4) {
            let most = if round % 50 == 0 { or_interpreted(3000, 300) } else { 100 };
            let length = random.next_u64() as usize % most;
            let ones = characters(random, &[0x80, 0x80, 0x100], length);
            check(Narrow::Ones(&ones.iter().map(|&value| value as u8).collect::<Vec<_>>()), &ones);
            // Halves of pairs are rare among them, and at times there are none.
            let twos = characters(random, &[0x80, 0x800, 0xD800, 0xD802, 0x1_0000], length);
            check(Narrow::Twos(&twos.iter().map(|&value| value as u16).collect::<Vec<_>>()), &twos);
            let fours = characters(random, &[0x80, 0xD800, 0xD800, 0x11_0001], length);
            check(Narrow::Fours(&fours), &fours);
        }
    }

    #[test]
    fn every_character_and_every_number_that_is_none() {
        let all: Vec<u32> = (0..0xD800).chain(0xE000..0x11_0000).step_by(or_interpreted(1, 4001)).collect();
        check(Narrow::Fours(&all), &all);
        for none in [0xD800, 0xDBFF, 0xDC00, 0xDFFF, 0x11_0000, u32::MAX] {
            for at in
                [0, 15, 16, 31, 32, 40, 255, 256, 511, 512, 599].into_iter().step_by(or_interpreted(1, 4))
            {
                let mut values = vec![0x41; 600];
                values[at] = none;
                check(Narrow::Fours(&values), &values);
            }
        }
    }
}
