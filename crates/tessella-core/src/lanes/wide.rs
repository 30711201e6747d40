//! UTF-8 to characters of two or four bytes each, as an interpreter keeps its texts, 64 bytes at a time.
//!
//! What the blocks leave ([`super::unfold`]) is read one character at a time, and by the first above U+FFFF all become four
//! bytes wide.

use super::ascii::BLOCK;
use super::unfold::{Unfolded, first};
use super::vectors::{Level, Task, Vectors};

/// Room for the characters of one text, kept for the next.
#[derive(Debug, Default)]
pub struct Wide {
    twos: Vec<u16>,
    fours: Vec<u32>,
}

/// The characters of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Characters<'w> {
    /// None is above U+00FF.
    Latin(&'w [u16]),
    /// None is above U+FFFF.
    Twos(&'w [u16]),
    Fours(&'w [u32]),
}

/// What the characters take.
enum Width {
    Latin(usize),
    Two(usize),
    Four,
}

impl Wide {
    /// The characters of UTF-8; `None` for bytes that are none.
    pub fn characters(&mut self, bytes: &[u8], level: Level) -> Option<Characters<'_>> {
        Some(match level.run(Unfold { bytes, wide: self })? {
            Width::Latin(count) => Characters::Latin(&self.twos[..count]),
            Width::Two(count) => Characters::Twos(&self.twos[..count]),
            Width::Four => Characters::Fours(&self.fours),
        })
    }

    /// Bytes that the room takes.
    pub fn memory(&self) -> usize {
        self.twos.capacity() * size_of::<u16>() + self.fours.capacity() * size_of::<u32>()
    }
}

struct Unfold<'b, 'w> {
    bytes: &'b [u8],
    wide: &'w mut Wide,
}

impl Task for Unfold<'_, '_> {
    type Output = Option<Width>;

    #[inline(always)]
    fn run<V: Vectors>(self, vectors: V) -> Self::Output {
        let Unfold { bytes, wide: Wide { twos, fours } } = self;
        let needed = bytes.len() + BLOCK;
        if twos.len() < needed {
            twos.resize(needed, 0);
        }
        let (mut at, mut count, mut above_latin) = (0, 0, false);
        while at < bytes.len() {
            let found = block(vectors, &bytes[at..], twos[count..].first_chunk_mut()?);
            above_latin |= found.above_latin;
            at += found.bytes;
            count += found.written;
            if found.bytes == 0 {
                let one = first(&bytes[at..])?;
                let Ok(two) = u16::try_from(u32::from(one)) else {
                    fours.clear();
                    // No more characters than bytes.
                    fours.reserve(count + bytes.len() - at);
                    fours.extend(twos[..count].iter().map(|&two| u32::from(two)));
                    go_on(vectors, &bytes[at..], fours)?;
                    return Some(Width::Four);
                };
                twos[count] = two;
                (at, count) = (at + one.len_utf8(), count + 1);
            }
        }
        Some(if above_latin { Width::Two(count) } else { Width::Latin(count) })
    }
}

/// Appends the other characters of a text with some above U+FFFF.
#[inline(always)]
fn go_on<V: Vectors>(vectors: V, bytes: &[u8], fours: &mut Vec<u32>) -> Option<()> {
    let mut twos = [0; BLOCK];
    let mut at = 0;
    while at < bytes.len() {
        let found = block(vectors, &bytes[at..], &mut twos);
        fours.extend(twos[..found.written].iter().map(|&two| u32::from(two)));
        at += found.bytes;
        if found.bytes == 0 {
            let one = first(&bytes[at..])?;
            fours.push(one.into());
            at += one.len_utf8();
        }
    }
    Some(())
}

/// The first 64 bytes, or all that there are.
#[inline(always)]
fn block<V: Vectors>(vectors: V, bytes: &[u8], out: &mut [u16; BLOCK]) -> Unfolded {
    if let Some(block) = bytes.first_chunk() {
        return vectors.unfolded(block, out);
    }
    let mut block = [0; BLOCK];
    block[..bytes.len()].copy_from_slice(bytes);
    let mut found = vectors.unfolded(&block, out);
    // The zeros are characters as well.
    let beyond = found.bytes.saturating_sub(bytes.len());
    found.bytes -= beyond;
    found.written -= beyond;
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    /// Bytes of a text, or of what nearly is one.
    fn bytes(random: &mut Random) -> Vec<u8> {
        let ranges =
            [0x20u64..0x7F, 0x80..0x100, 0x400..0x500, 0x4E00..0x5000, 0xD7F0..0xE010, 0xFF00..0x10100];
        let mut text = String::new();
        let most = [40, 200, 1000][random.next_u64() as usize % 3];
        let (usual, rare) = (random.next_u64() as usize % 5, random.next_u64() % 40);
        while text.len() < most {
            let kind = if random.next_u64() % 40 < rare { random.next_u64() as usize % 6 } else { usual };
            let (start, end) = (ranges[kind].start, ranges[kind].end);
            text.extend(char::from_u32((start + random.next_u64() % (end - start)) as u32));
        }
        let mut bytes = text.into_bytes();
        match random.next_u64() % 4 {
            0 => bytes.truncate(random.next_u64() as usize % most),
            1 => {
                let place = random.next_u64() as usize % bytes.len();
                bytes[place] = random.next_u64() as u8;
            }
            _ => {}
        }
        bytes
    }

    #[test]
    fn all_vectors_read_what_the_standard_library_reads() {
        let mut random = Random::from_seed(12);
        let mut wide = Wide::default();
        let mut seen = [0; 4];
        for _ in 0..6000 {
            let bytes = bytes(&mut random);
            let wanted: Option<Vec<u32>> =
                std::str::from_utf8(&bytes).ok().map(|text| text.chars().map(u32::from).collect());
            for level in Level::all() {
                let (found, kind): (Option<Vec<u32>>, usize) = match wide.characters(&bytes, level) {
                    None => (None, 0),
                    Some(Characters::Latin(twos)) => (Some(twos.iter().map(|&c| c.into()).collect()), 1),
                    Some(Characters::Twos(twos)) => (Some(twos.iter().map(|&c| c.into()).collect()), 2),
                    Some(Characters::Fours(fours)) => (Some(fours.to_vec()), 3),
                };
                assert_eq!(found, wanted, "{} {bytes:x?}", level.name());
                let width = wanted.as_ref().map_or(0, |all| match all.iter().max() {
                    Some(0x1_0000..) => 3,
                    Some(0x100..) => 2,
                    _ => 1,
                });
                assert_eq!(kind, width, "{} {bytes:x?}", level.name());
                seen[kind] += 1;
            }
        }
        assert!(seen.iter().all(|&times| times > 300), "{seen:?}");
    }

    /// Every lead with every second and third byte, at both ends of a block.
    #[test]
    fn what_is_no_character_is_refused() {
        let mut wide = Wide::default();
        for lead in 0x80..=0xFF {
            for second in
                (0..=0xFF).step_by(if lead < 0xE0 { 1 } else { 3 }).chain([0x80, 0x8F, 0x90, 0x9F, 0xA0])
            {
                for third in [0x20, 0x7F, 0x80, 0xBF, 0xC2, 0xE1, 0xFF] {
                    for place in [0, 61, 62, 63] {
                        let mut bytes = vec![b'x'; place];
                        bytes.extend([lead, second, third, b'y']);
                        let wanted = std::str::from_utf8(&bytes).is_ok();
                        for level in Level::all() {
                            let found = wide.characters(&bytes, level).is_some();
                            assert_eq!(found, wanted, "{} {bytes:x?}", level.name());
                        }
                    }
                }
            }
        }
    }
}
