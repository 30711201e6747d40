//! A fast hash for short byte strings. Full keys are always compared after it, so its quality only decides
//! speed; nothing is ever stored by hash alone.
//!
//! Whoever knows a hash can make texts that share it, in seconds. So tables that fill with what texts bring have a [`Secret`] one: those
//! that look no further than a few places would lose what they remember, and those that are searched until a text is found take long.
//! Small ones that stand in front of others, and hold what came last, do without.

use std::collections::HashMap;
use std::hash::{BuildHasher, Hasher};
use std::hint::select_unpredictable;
use std::sync::OnceLock;

use crate::random::Random;

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

/// What [`hash_bytes`] makes of the first `len` of sixteen bytes, fewer than all, without a branch that hangs on how many they are.
#[inline(always)]
pub fn hash_first(bytes: &[u8; 16], len: usize) -> u64 {
    let [first, second] = [bytes.first_chunk(), bytes.last_chunk()].map(|word| *word.unwrap_or(&[0; 8]));
    let start = len as u64 ^ K;
    let is_one_word = len < 8;
    // Both are made, and one is chosen.
    let behind_first = mix(start ^ u64::from_le_bytes(first), K);
    let state = select_unpredictable(is_one_word, start, behind_first);
    let last = select_unpredictable(is_one_word, u64::from_be_bytes(first), u64::from_be_bytes(second));
    // The text's last bytes are on top. Sixty-four bits are shifted out in two steps.
    let tail = last >> 1 >> (63 - 8 * (len % 8));
    mix(state ^ tail, K ^ 0xA076_1D64_78BD_642F)
}

/// Hashes one word.
#[inline]
pub fn hash_u64(word: u64) -> u64 {
    mix(word ^ 0xA076_1D64_78BD_642F, K)
}

/// A hash that nobody knows who makes texts: no two processes have the same. Nothing that is kept or told may hang on it.
#[derive(Debug, Clone, Copy)]
pub struct Secret([u64; 2]);

impl Secret {
    /// The one of this process.
    #[inline]
    pub fn of_process() -> Secret {
        static SEED: OnceLock<[u64; 2]> = OnceLock::new();
        Secret(*SEED.get_or_init(|| {
            let mut random = Random::from_entropy();
            // No number times 0 would tell anything.
            [random.next_u64(), random.next_u64() | 1]
        }))
    }

    /// One that is the same in every process, for tests that count what is remembered.
    #[cfg(test)]
    pub fn of_seed(seed: u64) -> Secret {
        let mut random = Random::from_seed(seed);
        Secret([random.next_u64(), random.next_u64() | 1])
    }

    /// Of bytes; its high bits are as good as its low ones.
    #[inline]
    pub fn bytes(self, bytes: &[u8]) -> u64 {
        let Secret([first, factor]) = self;
        let (words, rest) = bytes.as_chunks::<8>();
        let start = bytes.len() as u64 ^ first;
        let state = words.iter().fold(start, |state, word| mix(state ^ u64::from_le_bytes(*word), factor));
        // What texts differ in may be a number at their ends, and the halves of its products with one of a hundred factors lie on few
        // places: half of such texts would have none in a table with room for all. The product with `K` spreads them.
        mix(mix(state ^ tail(bytes, rest.len()), factor), K)
    }

    /// Of four words and a number that tells apart those that have the same ones.
    #[inline(always)]
    pub fn four(self, [first, second, third, fourth]: [u64; 4], number: u64) -> u64 {
        mix(self.two(self.two(first, second), self.two(third, fourth) ^ number), K)
    }

    /// Of two words: all bits of the halves of a product hang on all of both.
    #[inline]
    pub fn two(self, first: u64, second: u64) -> u64 {
        mix(first ^ self.0[0], second ^ self.0[1])
    }
}

impl Default for Secret {
    fn default() -> Self {
        Secret::of_process()
    }
}

/// A map of the standard library by the secret hash, which takes a fraction of the time of its own.
pub type SecretMap<K, V> = HashMap<K, V, Secret>;

/// What a [`SecretMap`] adds a key up in.
#[derive(Debug)]
pub struct SecretSum {
    secret: Secret,
    sum: u64,
}

impl BuildHasher for Secret {
    type Hasher = SecretSum;

    #[inline]
    fn build_hasher(&self) -> SecretSum {
        SecretSum { secret: *self, sum: 0 }
    }
}

impl Hasher for SecretSum {
    #[inline]
    fn write(&mut self, bytes: &[u8]) {
        self.sum = self.sum.rotate_left(5) ^ self.secret.bytes(bytes);
    }

    /// What stands behind each text: lengths are in the hash of the bytes.
    #[inline]
    fn write_u8(&mut self, byte: u8) {
        self.sum = self.sum.wrapping_add(u64::from(byte));
    }

    #[inline]
    fn write_u32(&mut self, number: u32) {
        self.write_u64(u64::from(number));
    }

    #[inline]
    fn write_usize(&mut self, number: usize) {
        self.write_u64(number as u64);
    }

    #[inline]
    fn write_u64(&mut self, number: u64) {
        // Numbers that differ in few bits differ in all of the product's halves.
        self.sum = mix(self.secret.two(self.sum ^ number, K), K);
    }

    #[inline]
    fn finish(&self) -> u64 {
        self.sum
    }
}

/// Of hashes in a table of 1,024 lines of two places each, those that find none.
#[cfg(test)]
pub(crate) fn without_a_place(hashes: impl Iterator<Item = u64>) -> usize {
    let mut lines = [0; 1 << 10];
    hashes.for_each(|hash| lines[hash as usize % (1 << 10)] += 1);
    lines.iter().map(|&hashes: &usize| hashes.saturating_sub(2)).sum()
}

/// Texts of sixteen bytes that share the known hash: the second word is what the state is behind the first.
#[cfg(test)]
pub(crate) fn colliding(count: u64) -> Vec<[u8; 16]> {
    let text = |first: u64| {
        let mut text = [0; 16];
        text[..8].copy_from_slice(&first.to_le_bytes());
        text[8..].copy_from_slice(&mix(16 ^ K ^ first, K).to_le_bytes());
        text
    };
    (1..=count).map(text).collect()
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

    #[test]
    fn whatever_stands_behind_the_first_bytes_they_have_their_hash() {
        let bytes: [u8; 16] = std::array::from_fn(|at| (at * 89 + 131) as u8);
        for len in 0..bytes.len() {
            for behind in [0, b'x', 0xFF] {
                let mut bytes = bytes;
                bytes[len..].fill(behind);
                assert_eq!(hash_first(&bytes, len), hash_bytes(&bytes[..len]), "{len}");
            }
        }
    }

    #[test]
    fn texts_that_share_the_known_hash_do_not_share_the_secret_one() {
        let colliding = colliding(300);
        assert!(colliding.iter().all(|text| hash_bytes(text) == hash_bytes(&colliding[0])));
        let secret = Secret::of_process();
        let mut hashes: Vec<u64> = colliding.iter().map(|text| secret.bytes(text) >> 32).collect();
        hashes.sort_unstable();
        hashes.dedup();
        // Two of them in 32 bits would be chance.
        assert!(hashes.len() + 1 >= colliding.len(), "{}", hashes.len());
        assert_ne!(secret.two(1, 2), secret.two(2, 1));
    }

    #[test]
    fn texts_that_end_in_numbers_are_spread_by_every_secret() {
        let texts: [fn(usize) -> String; 3] = [
            |number| format!("a text of some length {number}"),
            |number| format!("the length is three words {number:04}"),
            |number| format!("{number:05} stands in front of the text"),
        ];
        for seed in 0..300 {
            let secret = Secret::of_seed(seed);
            for (text, shift) in texts.iter().flat_map(|text| [(text, 0), (text, 32)]) {
                let hash = |number| secret.bytes(text(number).as_bytes()) >> shift;
                let lost = without_a_place((0..500).map(hash));
                // Fifteen by chance.
                assert!(lost < 45, "{seed} {shift} {lost}");
            }
        }
    }

    #[test]
    fn maps_find_texts_numbers_and_both_together() {
        let mut texts: SecretMap<String, u32> = SecretMap::default();
        let mut numbers: SecretMap<u32, u32> = SecretMap::default();
        let mut both: SecretMap<(u32, Option<bool>), u32> = SecretMap::default();
        for number in 0..3000 {
            texts.insert(format!("text {number}"), number);
            numbers.insert(number << 16, number);
            both.insert((number, Some(number % 2 == 0)), number);
        }
        for number in 0..3000 {
            assert_eq!(texts.get(format!("text {number}").as_str()), Some(&number));
            assert_eq!(numbers.get(&(number << 16)), Some(&number));
            assert_eq!(both.get(&(number, Some(number % 2 == 0))), Some(&number));
            assert_eq!(both.get(&(number, Some(number % 2 != 0))), None);
        }
        // Neither end of a hash hangs on few bits of a number.
        for (shift, bits) in [(0, 0xFFF), (57, 0x7F)] {
            let ends =
                (0..3000_u32).map(|number| Secret::of_process().hash_one(number << 16) >> shift & bits);
            let different = ends.collect::<std::collections::HashSet<_>>().len() as u64;
            assert!(different > bits / 3, "{different}");
        }
    }
}
