//! A few thousand pieces that come again and again, counted before they reach the table.
//!
//! The table of all pieces is large, and every look into it waits for memory. A [`Front`] stays in the nearest caches: a
//! place holds one piece of up to 15 bytes, and a piece that comes often is not driven out by those that come once.
//! A piece is told when it comes for the first time, so that the order of appearance stays what it is.

use tessella_core::Result;
use tessella_core::hash::hash_u64;

/// Takes pieces and how often they came since they were told before.
type Add<'a> = dyn FnMut(&str, u64) -> Result<()> + 'a;

/// Places, a power of two.
const PLACES: usize = 1 << 12;
/// The longest piece, in bytes; the length takes one more.
const LONGEST: usize = 15;
/// How often a piece that does not come may be passed over.
const MOST_CREDIT: u8 = 8;

#[derive(Debug, Clone, Copy, Default)]
struct Place {
    /// The piece, zeros, and its length.
    key: [u64; 2],
    /// How often it came since it was told.
    count: u32,
    credit: u8,
}

/// Counts that were not told yet.
#[derive(Debug)]
pub(super) struct Front {
    places: Box<[Place]>,
}

impl Front {
    /// Bytes that it takes.
    pub(super) const MEMORY: usize = PLACES * size_of::<Place>();

    pub(super) fn new() -> Self {
        Front { places: vec![Place::default(); PLACES].into() }
    }

    /// Counts a piece once.
    #[inline]
    pub(super) fn count(&mut self, piece: &str, add: &mut Add<'_>) -> Result<()> {
        let len = piece.len();
        if len == 0 || len > LONGEST {
            return add(piece, 1);
        }
        let mut bytes = [0u8; LONGEST + 1];
        bytes[..len].copy_from_slice(piece.as_bytes());
        bytes[LONGEST] = len as u8;
        let number = u128::from_le_bytes(bytes);
        let key = [number as u64, (number >> 64) as u64];
        let place = &mut self.places[hash_u64(key[0] ^ key[1].rotate_left(31)) as usize % PLACES];
        if place.key == key && place.count < u32::MAX {
            place.count += 1;
            place.credit = (place.credit + 1).min(MOST_CREDIT);
            return Ok(());
        }
        if place.key != key && place.credit > 0 {
            place.credit -= 1;
            return add(piece, 1);
        }
        let before = std::mem::replace(place, Place { key, count: 0, credit: 0 });
        before.tell(add)?;
        add(piece, 1)
    }

    /// Tells all that was not told yet.
    pub(super) fn tell_all(&mut self, add: &mut Add<'_>) -> Result<()> {
        for place in &mut self.places {
            std::mem::take(place).tell(add)?;
        }
        Ok(())
    }
}

impl Place {
    fn tell(self, add: &mut Add<'_>) -> Result<()> {
        if self.count == 0 {
            return Ok(());
        }
        let bytes = (u128::from(self.key[1]) << 64 | u128::from(self.key[0])).to_le_bytes();
        // The bytes were copied from a text, so they are one.
        let piece = std::str::from_utf8(&bytes[..usize::from(bytes[LONGEST])]).unwrap_or_default();
        add(piece, u64::from(self.count))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use tessella_core::random::Random;

    use super::*;

    /// Sums and the order of first appearance are those of every piece told.
    #[test]
    fn like_telling_every_piece() {
        let mut random = Random::from_seed(11);
        let (mut expected, mut told) = (HashMap::<String, u64>::new(), HashMap::<String, u64>::new());
        let (mut expected_order, mut order) = (Vec::new(), Vec::new());
        let mut front = Front::new();
        let mut telling = 0;
        for round in 0..200_000u64 {
            let number = random.next_u64() % [7, 900, 60_000][(random.next_u64() % 3) as usize];
            let piece = match number % 5 {
                0 => "é".repeat((number % 11) as usize),
                1 => format!("{number}\0"),
                _ => format!("{number:x}"),
            };
            *expected.entry(piece.clone()).or_insert_with(|| {
                expected_order.push(piece.clone());
                0
            }) += 1;
            let mut add = |piece: &str, count: u64| {
                assert!(count > 0);
                telling += 1;
                *told.entry(piece.to_string()).or_insert_with(|| {
                    order.push(piece.to_string());
                    0
                }) += count;
                Ok(())
            };
            if round == 1000 {
                front.places.iter_mut().filter(|place| place.count > 0).for_each(|place| {
                    let mut full = *place;
                    full.count = u32::MAX - place.count;
                    full.tell(&mut add).unwrap();
                    place.count = u32::MAX;
                    let bytes = (u128::from(place.key[1]) << 64 | u128::from(place.key[0])).to_le_bytes();
                    let piece = std::str::from_utf8(&bytes[..usize::from(bytes[LONGEST])]).unwrap();
                    *expected.get_mut(piece).unwrap() += 2 * u64::from(full.count);
                });
            }
            front.count(&piece, &mut add).unwrap();
        }
        front
            .tell_all(&mut |piece, count| {
                *told.entry(piece.to_string()).or_default() += count;
                Ok(())
            })
            .unwrap();
        assert_eq!(told, expected);
        assert_eq!(order, expected_order);
        assert!(telling < 150_000, "{telling} of 200,000 were told");
        front.tell_all(&mut |_, _| panic!("all was told")).unwrap();
    }
}
