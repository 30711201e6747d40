//! The same as `x86_interpreted` for NEON: look-ups in tables of 64 and of eight bytes, which interpreters do not know, lane by lane.

use std::arch::aarch64::{uint8x8_t, uint8x16_t, uint8x16x4_t};
use std::mem::transmute;

/// What places hold, and what stands for those that are beyond the table.
fn looked_up(table: uint8x16x4_t, places: uint8x16_t, beyond: uint8x16_t) -> uint8x16_t {
    // SAFETY: all bits are numbers, and both are as large.
    #[allow(unsafe_code)]
    unsafe {
        let table = transmute::<uint8x16x4_t, [u8; 64]>(table);
        let (places, beyond) =
            (transmute::<uint8x16_t, [u8; 16]>(places), transmute::<uint8x16_t, [u8; 16]>(beyond));
        let found =
            std::array::from_fn(|lane| table.get(usize::from(places[lane])).copied().unwrap_or(beyond[lane]));
        transmute::<[u8; 16], uint8x16_t>(found)
    }
}

#[target_feature(enable = "neon")]
pub fn vqtbl4q_u8(table: uint8x16x4_t, places: uint8x16_t) -> uint8x16_t {
    looked_up(table, places, std::arch::aarch64::vdupq_n_u8(0))
}

#[target_feature(enable = "neon")]
pub fn vqtbx4q_u8(beyond: uint8x16_t, table: uint8x16x4_t, places: uint8x16_t) -> uint8x16_t {
    looked_up(table, places, beyond)
}

#[target_feature(enable = "neon")]
pub fn vtbl1_u8(table: uint8x8_t, places: uint8x8_t) -> uint8x8_t {
    // SAFETY: as above.
    #[allow(unsafe_code)]
    unsafe {
        let table = transmute::<uint8x8_t, [u8; 8]>(table);
        let found = transmute::<uint8x8_t, [u8; 8]>(places)
            .map(|place| table.get(usize::from(place)).copied().unwrap_or(0));
        transmute::<[u8; 8], uint8x8_t>(found)
    }
}
