//! Bytes that a text may have and no token has, and whether one of them is in a text.
//!
//! A model that was trained without the whole alphabet knows the bytes that it saw. What it makes of others depends on their
//! neighbours (they are left out, and these meet), so a text with one of them goes another way as a whole.

use super::ascii::BLOCK;
use super::characters::Sets;
use super::vectors::{Level, Task, Vectors};

/// Some bytes.
#[derive(Debug)]
pub struct Absent {
    /// Those of ASCII, and the others without their highest bit.
    low: Sets,
    high: Sets,
}

impl Absent {
    /// `None` if there are none.
    pub fn of(bytes: impl IntoIterator<Item = u8>) -> Option<Absent> {
        let mut absent = Absent { low: Sets::default(), high: Sets::default() };
        for byte in bytes {
            let sets = if byte < 0x80 { &mut absent.low } else { &mut absent.high };
            sets.word[usize::from(byte & 15)] |= 1 << (byte >> 4 & 7);
        }
        (absent.low != Sets::default() || absent.high != Sets::default()).then_some(absent)
    }

    /// Whether a text has one of them.
    pub fn any_in(&self, level: Level, text: &[u8]) -> bool {
        level.run(AnyIn { absent: self, text })
    }
}

struct AnyIn<'t> {
    absent: &'t Absent,
    text: &'t [u8],
}

impl Task for AnyIn<'_> {
    type Output = bool;

    #[inline(always)]
    fn run<V: Vectors>(self, vectors: V) -> bool {
        let AnyIn { absent: Absent { low, high }, text } = self;
        let mut any = |bytes: &[u8; BLOCK]| {
            let turned = bytes.map(|byte| byte ^ 0x80);
            vectors.kinds(bytes, low).word | vectors.kinds(&turned, high).word != 0
        };
        let (blocks, rest) = text.as_chunks();
        if blocks.iter().any(&mut any) {
            return true;
        }
        // What is there already stands for what is not there.
        let Some(&first) = rest.first() else { return false };
        let mut last = [first; BLOCK];
        last[..rest.len()].copy_from_slice(rest);
        any(&last)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;
    use crate::scale::or_interpreted;

    #[test]
    fn absent_bytes_are_found_wherever_they_are() {
        assert!(Absent::of([]).is_none());
        let mut random = Random::from_seed(3);
        for round in (0..400).step_by(or_interpreted(1, 37)) {
            let some: Vec<u8> = (0..1 + round % 9).map(|_| random.next_u64() as u8).collect();
            let absent = Absent::of(some.iter().copied()).unwrap();
            let mut text: Vec<u8> = (0..round).map(|_| random.next_u64() as u8).collect();
            text.retain(|byte| !some.contains(byte));
            for level in Level::all() {
                assert!(!absent.any_in(level, &text), "{some:?} {text:?}");
                if text.is_empty() {
                    continue;
                }
                let (place, which) = (random.next_u64() as usize % text.len(), random.next_u64() as usize);
                let before = std::mem::replace(&mut text[place], some[which % some.len()]);
                assert!(absent.any_in(level, &text), "{some:?} {text:?}");
                text[place] = before;
            }
        }
    }
}
