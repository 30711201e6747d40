//! Ids that are copied sixteen at once where few are wanted: how many there are is seldom foreseen, and a copy of any length is a call.

use std::mem::MaybeUninit;

use super::slots::RING_SPARE;
use crate::ids::TokenId;

/// Appends `ids[from..to]`; where these are few, sixteen at once.
#[inline(always)]
pub fn append(out: &mut Vec<TokenId>, ids: &[TokenId], from: usize, to: usize) {
    let count = to - from;
    if count <= RING_SPARE
        && let Some(sixteen) = ids[from..].first_chunk::<RING_SPARE>()
        && let Some((place, _)) = out.spare_capacity_mut().split_first_chunk_mut()
    {
        write(*sixteen, place);
        let length = out.len() + count;
        // SAFETY: sixteen ids, and no fewer than `count`, were just written to the spare room.
        #[allow(unsafe_code)]
        unsafe {
            out.set_len(length);
        }
    } else {
        out.extend_from_slice(&ids[from..to]);
    }
}

/// Writes ids to the beginning of some room.
#[inline(always)]
pub fn write<const N: usize>(ids: [TokenId; N], room: &mut [MaybeUninit<TokenId>; RING_SPARE]) {
    const { assert!(N <= RING_SPARE) };
    // SAFETY: there is room for as many, of the same type and so of the same alignment.
    #[allow(unsafe_code)]
    unsafe {
        room.as_mut_ptr().cast::<[TokenId; N]>().write(ids);
    }
}
