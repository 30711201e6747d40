//! What every processor has: no vectors, one byte or number after the other. The slow twin of all others.

use super::super::ascii::{Ascii, BLOCK};
use super::super::characters::{Kinds, Sets};
use super::{PLACE_BITS, Task, Vectors};

/// What every processor has.
#[derive(Debug, Clone, Copy)]
pub struct Plain;

impl Vectors for Plain {
    #[inline(never)]
    fn apart<T: Task>(self, task: T) -> T::Output {
        task.run(self)
    }

    #[inline(always)]
    fn ascii(self, bytes: &[u8; BLOCK]) -> Ascii {
        Ascii::of(bytes)
    }

    #[inline(always)]
    fn kinds(self, bytes: &[u8; BLOCK], sets: &Sets) -> Kinds {
        let mut found = Kinds::default();
        for (at, &byte) in bytes.iter().enumerate() {
            let bit = |set: bool| u64::from(set) << at;
            found.word |= bit(Sets::has(&sets.word, byte));
            found.alone |= bit(Sets::has(&sets.alone, byte));
            found.inner |= bit(byte & 0xC0 == 0x80);
            found.high |= bit(byte >= 0x80);
        }
        found
    }
}

/// Compilers turn it, and the next one, into vectors.
#[inline(always)]
pub(super) fn lowest_one_by_one<const N: usize>(numbers: &[u32; N]) -> u32 {
    let mut lowest = u32::MAX;
    for (at, &number) in numbers.iter().enumerate() {
        lowest = lowest.min(number << PLACE_BITS | at as u32);
    }
    lowest
}

#[inline(always)]
pub(super) fn join_one_by_one<const N: usize>(numbers: &mut [u32; N], at: usize, joined: u32, last: u32) {
    for place in 0..N {
        let behind = if place + 1 < N { numbers[place + 1] } else { last };
        let moved = if place == at { joined } else { behind };
        numbers[place] = if place >= at { moved } else { numbers[place] };
    }
}

#[inline(always)]
pub(super) fn looked_up_one_by_one(
    bytes: &[u8; BLOCK],
    table: &[u8; 128],
    inner: u8,
    out: &mut [u8; BLOCK],
) -> u64 {
    let mut high = 0;
    for (out, &byte) in out.iter_mut().zip(bytes) {
        *out = table[usize::from(byte & 127)];
        high |= byte;
    }
    let mut firsts = 0;
    if high >= 128 {
        for (at, (out, &byte)) in out.iter_mut().zip(bytes).enumerate() {
            if byte >= 128 {
                *out = inner;
                firsts |= u64::from(byte >= 0xC0) << at;
            }
        }
    }
    firsts
}

#[inline(always)]
pub(super) fn share_one_by_one(one: &[u8; BLOCK], two: &[u8; BLOCK]) -> u64 {
    let both = one.iter().zip(two).enumerate();
    both.fold(0, |found, (at, (one, two))| found | u64::from(one & two != 0) << at)
}

/// Eight places at a time, so that the loop ends by their number and not by each bit.
#[inline(always)]
pub(super) fn places_by_bits(mut bits: u64, base: u32, out: &mut [u32; BLOCK]) {
    let groups = (bits.count_ones() as usize).div_ceil(8);
    for group in out.as_chunks_mut::<8>().0.iter_mut().take(groups) {
        for place in group {
            *place = base.wrapping_add(bits.trailing_zeros());
            bits &= bits.wrapping_sub(1);
        }
    }
}
