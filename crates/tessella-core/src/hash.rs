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
    let (words, rest) = bytes.as_chunks::<8>();
    for word in words {
        state = mix(state ^ u64::from_le_bytes(*word), K);
    }
    mix(state ^ tail(bytes, rest.len()), K ^ 0xA076_1D64_78BD_642F)
}

/// The last bytes, up to seven of them, as a number, the first of them on top. They are read by words that overlap others, for a
/// loop over so few bytes ends where nobody foresees it.
#[inline(always)]
pub fn tail(bytes: &[u8], count: usize) -> u64 {
    let low = |bytes: usize| (1u64 << (8 * bytes)) - 1;
    if let Some(last) = bytes.last_chunk::<8>() {
        return u64::from_be_bytes(*last) & low(count % 8);
    }
    let rest = &bytes[bytes.len().saturating_sub(count)..];
    if let (Some(first), Some(last)) = (rest.first_chunk::<4>(), rest.last_chunk::<4>()) {
        let [first, last] = [first, last].map(|word| u64::from(u32::from_be_bytes(*word)));
        return first << (8 * (rest.len() - 4)) | last & low(rest.len() - 4);
    }
    if let (Some(first), Some(last)) = (rest.first(), rest.last()) {
        // Of one byte all three are it, of two the second and the last.
        let middle = rest.len() / 2;
        let place = |at: usize| 8 * (rest.len() - 1 - at);
        return u64::from(*first) << place(0) | u64::from(rest[middle]) << place(middle) | u64::from(*last);
    }
    0
}

/// Hashes one word.
#[inline]
pub fn hash_u64(word: u64) -> u64 {
    mix(word ^ 0xA076_1D64_78BD_642F, K)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tail_is_what_its_bytes_are_one_after_the_other() {
        let bytes: Vec<u8> = (0..40u32).map(|at| (at * 89 + 131) as u8).collect();
        for start in 0..8 {
            for end in start..bytes.len() {
                let bytes = &bytes[start..end];
                let rest = bytes.as_chunks::<8>().1;
                let expected = rest.iter().fold(0, |tail, &byte| tail << 8 | u64::from(byte));
                assert_eq!(tail(bytes, rest.len()), expected, "{start}..{end}");
            }
        }
        // What is kept by this number would not be found under another.
        let hashes =
            [0x05f3_fdbe_068f_3564, 0x5a76_2edb_0124_0b3f, 0xbf10_0b9e_145c_5f37, 0x8f6d_26ec_d415_51ed];
        assert_eq!([b"".as_slice(), b"a", b"tiles", b"mosaic tiles"].map(hash_bytes), hashes);
    }
}
