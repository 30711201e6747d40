//! A piece of sixteen to 32 bytes by its first and its last sixteen, which are read whatever its length.

use std::ops::RangeInclusive;

use crate::hash::Secret;

/// The lengths of pieces that have them.
const BYTES: RangeInclusive<usize> = 16..=32;
/// The first and the last sixteen bytes, which may overlap, as numbers. Of pieces of one length equal ones have equal sides,
/// different ones do not.
pub type Sides = [u32; 8];

/// Nothing for pieces of other lengths.
#[inline(always)]
pub fn of(piece: &[u8]) -> Option<Sides> {
    let (first, last) = (piece.first_chunk::<16>()?, piece.last_chunk::<16>()?);
    if !BYTES.contains(&piece.len()) {
        return None;
    }
    let mut sides = Sides::default();
    for (side, bytes) in sides.as_chunks_mut::<4>().0.iter_mut().zip([first, last]) {
        let number = u128::from_le_bytes(*bytes);
        *side = std::array::from_fn(|at| (number >> (32 * at)) as u32);
    }
    Some(sides)
}

/// The hash of a piece, by its sides where it has them.
#[inline(always)]
pub fn hash(secret: Secret, piece: &[u8]) -> u64 {
    let Some(sides) = of(piece) else { return secret.bytes(piece) };
    let word = |at: usize| u64::from(sides[2 * at]) | u64::from(sides[2 * at + 1]) << 32;
    secret.four([word(0), word(1), word(2), word(3)], piece.len() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::without_a_place;
    use crate::random::Random;

    #[test]
    fn equal_pieces_have_equal_sides_and_hashes_and_others_do_not() {
        let mut random = Random::from_seed(21);
        let mut below = |bound: usize| (random.next_u64() % bound as u64) as usize;
        let secret = Secret::of_seed(3);
        for _ in 0..2000 {
            let piece: Vec<u8> = (0..below(40)).map(|_| b"ab"[below(2)]).collect();
            assert_eq!(of(&piece).is_some(), BYTES.contains(&piece.len()));
            let Some(sides) = of(&piece) else { continue };
            assert_eq!(of(&piece.clone()), Some(sides));
            let mut other = piece.clone();
            other[below(piece.len())] ^= 1;
            assert_ne!(of(&other), Some(sides));
            assert_ne!(hash(secret, &other), hash(secret, &piece));
        }
        // Of one character pieces of all lengths have the same sides.
        let hashes: Vec<u64> = BYTES.map(|length| hash(secret, &vec![b'-'; length])).collect();
        assert!(hashes.iter().enumerate().all(|(at, hash)| !hashes[..at].contains(hash)));
    }

    #[test]
    fn pieces_that_differ_in_numbers_are_spread_by_every_secret() {
        let pieces: [fn(usize) -> String; 4] = [
            |number| format!("a text of some length {number}"),
            |number| format!("{number:05} stands in front of it"),
            |number| format!("sixteen by{number:05}!"),
            |number| format!("in{number:05}the middle of the piece"),
        ];
        for seed in 0..300 {
            let secret = Secret::of_seed(seed);
            for (piece, shift) in pieces.iter().flat_map(|piece| [0, 16, 32].map(|shift| (piece, shift))) {
                let hash = |number| hash(secret, piece(number).as_bytes()) >> shift;
                let lost = without_a_place((0..500).map(hash));
                // Fifteen by chance.
                assert!(lost < 45, "{seed} {shift} {lost}");
            }
        }
    }
}
