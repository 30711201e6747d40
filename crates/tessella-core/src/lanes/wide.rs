//! UTF-8 to characters of one width, as an interpreter keeps its texts, 64 bytes at a time.
//!
//! How many characters there are and how wide the widest is, the bytes that begin them tell, so that the characters are written where
//! they will stay. What the blocks leave ([`super::unfold`]) is read one character at a time. That finds out, too, whether the
//! bytes are UTF-8.

use super::ascii::BLOCK;
use super::unfold::{Unfolded, first};
use super::vectors::{Level, Task, Vectors};

/// Characters that are written at once, at most.
pub const TOGETHER: usize = BLOCK;

/// Bytes of a character, at most.
const LONGEST: usize = 4;

/// Bytes that are to become characters.
#[derive(Debug, Clone, Copy)]
pub struct Unfolding<'b> {
    bytes: &'b [u8],
    level: Level,
    /// What is read of the bytes; before it and behind it stand so many U+FFFD for the others.
    read: &'b [u8],
    replaced: Replaced,
    counted: Counted,
}

/// How many U+FFFD stand for what is left of characters that were cut.
#[derive(Debug, Clone, Copy, Default)]
struct Replaced {
    before: usize,
    behind: usize,
}

/// What the widest character of a text takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Width {
    /// A byte, and it is at most U+007F.
    Ascii,
    /// A byte too, and it is at most U+00FF.
    One,
    /// It is at most U+FFFF.
    Two,
    /// It is above that.
    Four,
}

/// A character of one of these widths, in which those of a text fit, or the place of one.
pub trait Character: Copy {
    /// A character that is known to fit.
    fn of_two(two: u16) -> Self;

    /// A character, if it fits.
    fn of(one: char) -> Option<Self>;

    /// Writes many that are known to fit.
    #[inline(always)]
    fn put(twos: &[u16; TOGETHER], places: &mut [Self; TOGETHER]) {
        for (place, &two) in places.iter_mut().zip(twos) {
            *place = Self::of_two(two);
        }
    }
}

impl Character for u8 {
    #[inline(always)]
    fn of_two(two: u16) -> Self {
        two as u8
    }

    fn of(one: char) -> Option<Self> {
        one.try_into().ok()
    }
}

impl Character for u16 {
    #[inline(always)]
    fn of_two(two: u16) -> Self {
        two
    }

    fn of(one: char) -> Option<Self> {
        one.try_into().ok()
    }
}

impl Character for u32 {
    #[inline(always)]
    fn of_two(two: u16) -> Self {
        two.into()
    }

    fn of(one: char) -> Option<Self> {
        Some(one.into())
    }
}

impl<'b> Unfolding<'b> {
    /// `None` where the processor has no vectors that read UTF-8 faster than it is read one character after the other.
    pub fn new(bytes: &'b [u8]) -> Option<Self> {
        let level = Level::best();
        level.unfolds().then(|| Self::at(level, bytes))
    }

    /// The same for bytes that may begin and end within characters: what is there of these becomes U+FFFD, once for each byte in
    /// front and once for all behind, as in every text that is read so. Other bytes that are no UTF-8 are left to others.
    pub fn of_cut(bytes: &'b [u8]) -> Option<Self> {
        let level = Level::best();
        level.unfolds().then(|| Self::of_cut_at(level, bytes))
    }

    fn at(level: Level, bytes: &'b [u8]) -> Self {
        Self::within(level, bytes, bytes, Replaced::default())
    }

    fn of_cut_at(level: Level, bytes: &'b [u8]) -> Self {
        let is_inner = |byte: &u8| !begins(*byte);
        let before = bytes.iter().take(LONGEST - 1).take_while(|&byte| is_inner(byte)).count();
        let rest = &bytes[before..];
        let inner = rest.iter().rev().take(LONGEST - 1).take_while(|&byte| is_inner(byte)).count();
        // A character that wants more bytes than there are.
        let last = &rest[rest.len() - (inner + 1).min(rest.len())..];
        let is_cut = std::str::from_utf8(last).is_err_and(|error| error.error_len().is_none());
        let read = &rest[..rest.len() - if is_cut { last.len() } else { 0 }];
        Self::within(level, bytes, read, Replaced { before, behind: is_cut.into() })
    }

    fn within(level: Level, bytes: &'b [u8], read: &'b [u8], replaced: Replaced) -> Self {
        Unfolding { bytes, level, read, replaced, counted: level.run(Count(read)) }
    }

    /// The bytes as they came.
    pub fn bytes(&self) -> &'b [u8] {
        self.bytes
    }

    /// How many characters there are, if the bytes are UTF-8.
    pub fn count(&self) -> usize {
        self.replaced.before + self.counted.characters + self.replaced.behind
    }

    /// What the widest of them takes, if the bytes are UTF-8.
    pub fn width(&self) -> Width {
        let is_replaced = self.replaced.before + self.replaced.behind > 0;
        match self.counted.highest {
            0xF0.. => Width::Four,
            0xC4.. => Width::Two,
            _ if is_replaced => Width::Two,
            0x80.. => Width::One,
            _ => Width::Ascii,
        }
    }

    /// Writes the characters to `out`, to all of it; false where they do not come to that, or the bytes are no UTF-8.
    pub fn write<C: Character>(&self, out: &mut [C]) -> bool {
        let Replaced { before, behind } = self.replaced;
        let Some(inner) = out.len().checked_sub(before + behind) else { return false };
        let (first, out) = out.split_at_mut(before);
        let (out, last) = out.split_at_mut(inner);
        let replace = |place: &mut C| C::of(char::REPLACEMENT_CHARACTER).map(|one| *place = one).is_some();
        first.iter_mut().chain(last).all(replace) && self.level.run(Write { bytes: self.read, out }).is_some()
    }
}

/// What the bytes that begin characters tell.
#[derive(Debug, Clone, Copy)]
struct Counted {
    characters: usize,
    highest: u8,
}

struct Count<'b>(&'b [u8]);

/// Whether a byte begins a character, if it is part of one.
#[inline(always)]
fn begins(byte: u8) -> bool {
    (byte as i8) >= -0x40
}

impl Task for Count<'_> {
    type Output = Counted;

    #[inline(always)]
    fn run<V: Vectors>(self, _: V) -> Counted {
        let (blocks, rest) = self.0.as_chunks::<BLOCK>();
        let mut highest = [0; BLOCK];
        let mut characters = 0;
        // Each lane counts in a byte.
        for blocks in blocks.chunks(u8::MAX.into()) {
            let mut counts = [0; BLOCK];
            for block in blocks {
                for ((count, high), &byte) in counts.iter_mut().zip(&mut highest).zip(block) {
                    *count += u8::from(begins(byte));
                    *high = byte.max(*high);
                }
            }
            characters += counts.iter().map(|&count| usize::from(count)).sum::<usize>();
        }
        characters += rest.iter().filter(|&&byte| begins(byte)).count();
        let highest = highest.iter().chain(rest).copied().max().unwrap_or(0);
        Counted { characters, highest }
    }
}

struct Write<'b, 'o, C> {
    bytes: &'b [u8],
    out: &'o mut [C],
}

impl<C: Character> Task for Write<'_, '_, C> {
    type Output = Option<()>;

    #[inline(always)]
    fn run<V: Vectors>(self, vectors: V) -> Option<()> {
        let Write { mut bytes, mut out } = self;
        let mut twos = [0; BLOCK];
        while !bytes.is_empty() {
            let found = block(vectors, bytes, &mut twos);
            // As many whatever their number, where there is room: what is too much is written over.
            match out.first_chunk_mut() {
                Some(places) => C::put(&twos, places),
                None => {
                    let places = out.get_mut(..found.written)?;
                    places.iter_mut().zip(&twos).for_each(|(place, &two)| *place = C::of_two(two));
                }
            }
            bytes = &bytes[found.bytes..];
            out = out.get_mut(found.written..)?;
            if found.bytes == 0 {
                let one = first(bytes)?;
                *out.split_off_first_mut()? = C::of(one)?;
                bytes = &bytes[one.len_utf8()..];
            }
        }
        out.is_empty().then_some(())
    }
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
    use crate::scale::or_interpreted;

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

    /// The characters and their width; `None` for bytes that are no UTF-8. Room that is a character too small or too large is
    /// refused.
    fn characters(unfolding: Unfolding<'_>) -> Option<(Vec<u32>, Width)> {
        fn of<C: Character + Into<u32>>(unfolding: Unfolding<'_>, none: C) -> Option<Vec<u32>> {
            let written = |count: usize| {
                let mut room = vec![none; count];
                unfolding.write(&mut room).then(|| room.into_iter().map(Into::into).collect())
            };
            assert_eq!(written(unfolding.count() + 1), None);
            if let Some(fewer) = unfolding.count().checked_sub(1) {
                assert_eq!(written(fewer), None);
            }
            written(unfolding.count())
        }
        let all = match unfolding.width() {
            Width::Ascii | Width::One => of(unfolding, 0_u8),
            Width::Two => of(unfolding, 0_u16),
            Width::Four => of(unfolding, 0_u32),
        };
        all.map(|all| (all, unfolding.width()))
    }

    #[test]
    fn all_vectors_read_what_the_standard_library_reads() {
        let mut random = Random::from_seed(12);
        let mut seen = [0; 5];
        for _ in 0..or_interpreted(6000, 24) {
            let bytes = bytes(&mut random);
            let wanted: Option<Vec<u32>> =
                std::str::from_utf8(&bytes).ok().map(|text| text.chars().map(u32::from).collect());
            for level in Level::all() {
                let found = characters(Unfolding::at(level, &bytes));
                assert_eq!(
                    found.as_ref().map(|(all, _)| all),
                    wanted.as_ref(),
                    "{} {bytes:x?}",
                    level.name()
                );
                let Some((all, kind)) = found else {
                    seen[4] += 1;
                    continue;
                };
                assert_eq!(kind, width(&all), "{} {bytes:x?}", level.name());
                seen[kind as usize] += 1;
            }
        }
        let levels = Level::all().len();
        assert!(cfg!(miri) || seen.iter().all(|&times| times > 50 * levels), "{seen:?} with {levels} levels");
    }

    fn width(characters: &[u32]) -> Width {
        match characters.iter().max() {
            Some(0x1_0000..) => Width::Four,
            Some(0x100..) => Width::Two,
            Some(0x80..) => Width::One,
            _ => Width::Ascii,
        }
    }

    /// What is cut out of a text is read, wherever it begins and ends; of other bytes some are, and all of these rightly.
    #[test]
    fn what_is_cut_is_replaced_as_the_standard_library_replaces_it() {
        let mut random = Random::from_seed(13);
        let mut seen = [0; 2];
        for _ in 0..or_interpreted(6000, 24) {
            let bytes = bytes(&mut random);
            let is_whole = std::str::from_utf8(&bytes).is_ok();
            let start = random.next_u64() as usize % bytes.len().clamp(1, 70);
            let end = bytes.len() - random.next_u64() as usize % (bytes.len() - start).clamp(1, 70);
            for (from, to) in [(start, end), (start, start), (start, (start + 2).min(bytes.len()))] {
                let bytes = &bytes[from..to];
                let wanted: Vec<u32> = String::from_utf8_lossy(bytes).chars().map(u32::from).collect();
                for level in Level::all() {
                    let found = characters(Unfolding::of_cut_at(level, bytes));
                    assert!(found.is_some() || !is_whole, "{} {bytes:x?}", level.name());
                    seen[usize::from(found.is_some() && std::str::from_utf8(bytes).is_err())] += 1;
                    if let Some((all, kind)) = found {
                        assert_eq!((&all, kind), (&wanted, width(&wanted)), "{} {bytes:x?}", level.name());
                    }
                }
            }
        }
        assert!(cfg!(miri) || seen.iter().all(|&times| times > 500), "{seen:?}");
    }

    /// Every lead with every second and third byte, at both ends of a block.
    #[test]
    fn what_is_no_character_is_refused() {
        for lead in (0x80..=0xFF).step_by(or_interpreted(1, 23)) {
            for second in (0..=0xFF)
                .step_by(or_interpreted(if lead < 0xE0 { 1 } else { 3 }, 51))
                .chain([0x80, 0x8F, 0x90, 0x9F, 0xA0])
            {
                let thirds = [0x20, 0x7F, 0x80, 0xBF, 0xC2, 0xE1, 0xFF];
                for third in thirds.into_iter().step_by(or_interpreted(1, 3)) {
                    for place in [0, 61, 62, 63].into_iter().step_by(or_interpreted(1, 2)) {
                        let mut bytes = vec![b'x'; place];
                        bytes.extend([lead, second, third, b'y']);
                        let wanted = std::str::from_utf8(&bytes).is_ok();
                        for level in Level::all() {
                            let found = characters(Unfolding::at(level, &bytes)).is_some();
                            assert_eq!(found, wanted, "{} {bytes:x?}", level.name());
                        }
                    }
                }
            }
        }
    }
}
