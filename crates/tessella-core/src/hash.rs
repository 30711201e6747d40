//! A fast hash for short byte strings. Full keys are always compared after it, so its quality only decides
//! speed; nothing is ever stored by hash alone.

const K: u64 = 0x9E37_79B9_7F4A_7C15;

#[inline]
fn mix(a: u64, b: u64) -> u64 {
    let product = (a as u128).wrapping_mul(b as u128);
    (product as u64) ^ (product >> 64) as u64
}

/// Hashes bytes; the same on every machine.
#[inline]
pub fn hash_bytes(bytes: &[u8]) -> u64 {
    let mut state = bytes.len() as u64 ^ K;
    let mut chunks = bytes.chunks_exact(8);
    for chunk in &mut chunks {
        let word = u64::from_le_bytes(chunk.try_into().expect("a chunk has 8 bytes"));
        state = mix(state ^ word, K);
    }
    let mut tail = 0u64;
    for &byte in chunks.remainder() {
        tail = tail << 8 | byte as u64;
    }
    mix(state ^ tail, K ^ 0xA076_1D64_78BD_642F)
}

/// Hashes one word.
#[inline]
pub fn hash_u64(word: u64) -> u64 {
    mix(word ^ 0xA076_1D64_78BD_642F, K)
}
