//! Vectors of 64-bit ARM processors: sixteen bytes, which all of them have.
//!
//! They have no instruction that makes a mask of a vector. So blocks are loaded four bytes apart ([`load`]): byte `4 * i + k` stands
//! in lane `i` of vector `k`, and the bits of four lanes that stand beside each other in the mask come together by shifting one
//! vector into the next ([`mask`]).
//!
//! What is not here is as it is on any processor, or compilers turn it into vectors.

use std::arch::aarch64::*;

use super::ascii::{Ascii, BLOCK, Cases};
use super::characters::{HIGH_HALVES, Kinds, Sets};
use super::kept::bytes_by_eights;
use super::leads::{FEW, Leads, Led, MIXED};
#[cfg(miri)]
use super::neon_interpreted::{vqtbl4q_u8, vqtbx4q_u8, vtbl1_u8};
use super::vectors::{Task, Vectors, WRITTEN};
use crate::ids::TokenId;

/// Vectors of 16 bytes.
#[derive(Debug, Clone, Copy)]
pub struct Neon;

impl Neon {
    #[inline]
    pub(super) fn run<T: Task>(task: T) -> T::Output {
        task.run(Neon)
    }
}

impl Vectors for Neon {
    #[inline(never)]
    fn apart<T: Task>(self, task: T) -> T::Output {
        task.run(self)
    }

    #[inline(always)]
    fn ascii(self, bytes: &[u8; BLOCK]) -> Ascii {
        // SAFETY: every processor that this is compiled for has these instructions; so below.
        #[allow(unsafe_code)]
        unsafe {
            ascii(bytes)
        }
    }

    #[inline(always)]
    fn cases(self, bytes: &[u8; BLOCK]) -> Cases {
        // SAFETY: as above.
        #[allow(unsafe_code)]
        unsafe {
            cases(bytes)
        }
    }

    #[inline(always)]
    fn led(self, bytes: &[u8; BLOCK], firsts: u64, leads: &Leads, look_up: impl Fn(usize) -> u8) -> Led {
        if firsts.count_ones() < FEW {
            return Led::one_by_one(bytes, firsts, leads, look_up);
        }
        // SAFETY: as above.
        #[allow(unsafe_code)]
        unsafe {
            led(bytes, firsts, leads, look_up)
        }
    }

    #[inline(always)]
    fn looked_up(self, bytes: &[u8; BLOCK], table: &[u8; 128], inner: u8, out: &mut [u8; BLOCK]) -> u64 {
        // SAFETY: as above.
        #[allow(unsafe_code)]
        unsafe {
            looked_up(bytes, table, inner, out)
        }
    }

    const LOOKS_UP: bool = true;

    #[inline(always)]
    fn share(self, one: &[u8; BLOCK], two: &[u8; BLOCK]) -> u64 {
        // SAFETY: as above.
        #[allow(unsafe_code)]
        unsafe {
            share(one, two)
        }
    }

    #[inline(always)]
    fn kinds(self, bytes: &[u8; BLOCK], sets: &Sets) -> Kinds {
        // SAFETY: as above.
        #[allow(unsafe_code)]
        unsafe {
            kinds(bytes, sets)
        }
    }

    #[inline(always)]
    fn kept(self, bytes: &[u8; BLOCK], bits: u64, out: &mut [u8; BLOCK]) {
        // SAFETY: as above.
        #[allow(unsafe_code)]
        unsafe {
            kept(bytes, bits, out);
        }
    }

    #[inline(always)]
    fn fives(self, words: &[u64; 2]) -> [TokenId; WRITTEN] {
        // SAFETY: as above.
        #[allow(unsafe_code)]
        unsafe {
            fives(words)
        }
    }
}

/// Byte `4 * i + k` in lane `i` of vector `k`.
#[target_feature(enable = "neon")]
#[inline]
fn load(bytes: &[u8; BLOCK]) -> [uint8x16_t; 4] {
    // SAFETY: 64 bytes are there, and this load asks for no alignment.
    #[allow(unsafe_code)]
    let uint8x16x4_t(a, b, c, d) = unsafe { vld4q_u8(bytes.as_ptr()) };
    [a, b, c, d]
}

/// What [`load`] takes apart, put together.
#[target_feature(enable = "neon")]
#[inline]
fn store([a, b, c, d]: [uint8x16_t; 4], out: &mut [u8; BLOCK]) {
    // SAFETY: there is room for 64 bytes, and this store asks for no alignment.
    #[allow(unsafe_code)]
    unsafe {
        vst4q_u8(out.as_mut_ptr(), uint8x16x4_t(a, b, c, d));
    }
}

/// Four vectors of a table of 64 bytes.
#[target_feature(enable = "neon")]
#[inline]
fn table_of(bytes: &[u8; BLOCK]) -> uint8x16x4_t {
    // SAFETY: 64 bytes are there, and this load asks for no alignment.
    #[allow(unsafe_code)]
    unsafe {
        vld1q_u8_x4(bytes.as_ptr())
    }
}

#[target_feature(enable = "neon")]
#[inline]
fn sixteen(bytes: &[u8; 16]) -> uint8x16_t {
    // SAFETY: 16 bytes are there, and this load asks for no alignment.
    #[allow(unsafe_code)]
    unsafe {
        vld1q_u8(bytes.as_ptr())
    }
}

/// A bit for each lane, of all ones or zeros, in the order of the bytes that were loaded.
#[target_feature(enable = "neon")]
#[inline]
fn mask([a, b, c, d]: [uint8x16_t; 4]) -> u64 {
    // The two highest bits of a lane are those of two vectors, then the four highest those of four, then both halves.
    let (low, high) = (vsriq_n_u8::<1>(b, a), vsriq_n_u8::<1>(d, c));
    let four = vsriq_n_u8::<2>(high, low);
    let twice = vreinterpretq_u16_u8(vsriq_n_u8::<4>(four, four));
    // Of two lanes beside each other a half each.
    vget_lane_u64::<0>(vreinterpret_u64_u8(vshrn_n_u16::<4>(twice)))
}

#[target_feature(enable = "neon")]
#[inline]
fn ascii(bytes: &[u8; BLOCK]) -> Ascii {
    let parts = load(bytes);
    let is = |part, byte: u8| vceqq_u8(part, vdupq_n_u8(byte));
    let within = |part, first: u8, count: u8| vcltq_u8(vsubq_u8(part, vdupq_n_u8(first)), vdupq_n_u8(count));
    let blank = parts.map(|part| is(part, b' '));
    let [first, second, third, fourth] = parts.map(|part| within(part, b'\t', 5));
    let white = [
        vorrq_u8(blank[0], first),
        vorrq_u8(blank[1], second),
        vorrq_u8(blank[2], third),
        vorrq_u8(blank[3], fourth),
    ];
    Ascii {
        letter: mask(parts.map(|part| within(vorrq_u8(part, vdupq_n_u8(0x20)), b'a', 26))),
        digit: mask(parts.map(|part| within(part, b'0', 10))),
        white: mask(white),
        line_end: mask(parts.map(|part| vorrq_u8(is(part, b'\n'), is(part, b'\r')))),
        blank: mask(blank),
        quote: mask(parts.map(|part| is(part, b'\''))),
        inner: mask(parts.map(|part| within(part, 0x80, 0x40))),
        high: mask(parts.map(|part| vcgeq_u8(part, vdupq_n_u8(0x80)))),
    }
}

#[target_feature(enable = "neon")]
#[inline]
fn cases(bytes: &[u8; BLOCK]) -> Cases {
    let parts = load(bytes);
    let upper = |part| vcltq_u8(vsubq_u8(part, vdupq_n_u8(b'A')), vdupq_n_u8(26));
    Cases { upper: mask(parts.map(upper)), slash: mask(parts.map(|part| vceqq_u8(part, vdupq_n_u8(b'/')))) }
}

/// Looks up the low six bits of all bytes together.
#[target_feature(enable = "neon")]
#[inline]
fn led(bytes: &[u8; BLOCK], firsts: u64, leads: &Leads, look_up: impl Fn(usize) -> u8) -> Led {
    let leads = table_of(leads);
    let roles = load(bytes).map(|part| vqtbl4q_u8(leads, vandq_u8(part, vdupq_n_u8(63))));
    let mixed = firsts & mask(roles.map(|part| vceqq_u8(part, vdupq_n_u8(MIXED))));
    let told = firsts & !mixed;
    let of = |kind: u8| told & mask(roles.map(|part| vtstq_u8(part, vdupq_n_u8(kind))));
    Led::of_masks(of, mixed, look_up)
}

#[target_feature(enable = "neon")]
#[inline]
fn looked_up(bytes: &[u8; BLOCK], table: &[u8; 128], inner: u8, out: &mut [u8; BLOCK]) -> u64 {
    let [low, high] = table.as_chunks::<BLOCK>().0 else { return 0 };
    let (low, high) = (table_of(low), table_of(high));
    let parts = load(bytes);
    let found = parts.map(|part| {
        // What is beyond one table is zero, what is beyond the other one stays.
        let found = vqtbx4q_u8(vqtbl4q_u8(low, part), high, vsubq_u8(part, vdupq_n_u8(64)));
        vbslq_u8(vcgeq_u8(part, vdupq_n_u8(0x80)), vdupq_n_u8(inner), found)
    });
    store(found, out);
    mask(parts.map(|part| vcgeq_u8(part, vdupq_n_u8(0xC0))))
}

#[target_feature(enable = "neon")]
#[inline]
fn share(one: &[u8; BLOCK], two: &[u8; BLOCK]) -> u64 {
    let ([a, b, c, d], [e, f, g, h]) = (load(one), load(two));
    mask([vtstq_u8(a, e), vtstq_u8(b, f), vtstq_u8(c, g), vtstq_u8(d, h)])
}

#[target_feature(enable = "neon")]
#[inline]
fn kinds(bytes: &[u8; BLOCK], sets: &Sets) -> Kinds {
    let parts = load(bytes);
    let (halves, word, alone) = (sixteen(&HIGH_HALVES), sixteen(&sets.word), sixteen(&sets.alone));
    let has = |set, part| {
        let low = vqtbl1q_u8(set, vandq_u8(part, vdupq_n_u8(15)));
        vtstq_u8(low, vqtbl1q_u8(halves, vshrq_n_u8::<4>(part)))
    };
    Kinds {
        word: mask(parts.map(|part| has(word, part))),
        alone: mask(parts.map(|part| has(alone, part))),
        inner: mask(parts.map(|part| vcltq_u8(vsubq_u8(part, vdupq_n_u8(0x80)), vdupq_n_u8(0x40)))),
        high: mask(parts.map(|part| vcgeq_u8(part, vdupq_n_u8(0x80)))),
    }
}

#[target_feature(enable = "neon")]
#[inline]
fn kept(bytes: &[u8; BLOCK], bits: u64, out: &mut [u8; BLOCK]) {
    bytes_by_eights(bytes, bits, out, |bytes, places| {
        vget_lane_u64::<0>(vreinterpret_u64_u8(vtbl1_u8(vcreate_u8(bytes), vcreate_u8(places))))
    });
}

#[target_feature(enable = "neon")]
#[inline]
fn fives(&[low, high]: &[u64; 2]) -> [TokenId; WRITTEN] {
    const NO: u8 = 0xFF;
    const FOUR: [u8; 16] = [0, 1, 2, NO, 3, 4, 5, NO, 6, 7, 8, NO, 9, 10, 11, NO];
    const FIFTH: [u8; 16] = [12, 13, 14, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO];
    let words = vcombine_u8(vcreate_u8(low), vcreate_u8(high));
    let of = |order| {
        let ids = vreinterpretq_u64_u8(vqtbl1q_u8(words, sixteen(order)));
        let two = |ids: u64| [ids as TokenId, (ids >> 32) as TokenId];
        [two(vgetq_lane_u64::<0>(ids)), two(vgetq_lane_u64::<1>(ids))]
    };
    let ([[a, b], [c, d]], [[e, f], [g, h]]) = (of(&FOUR), of(&FIFTH));
    [a, b, c, d, e, f, g, h]
}
