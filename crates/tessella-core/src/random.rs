//! A small seedable generator (xoshiro256++) for dropout and sampling. Not for secrets.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::SystemTime;

/// Forks between the first process and this one.
static FORKS: AtomicU64 = AtomicU64::new(0);

/// To be called in a process that was forked: streams that nobody seeded must not go on as its parent's and its siblings' do.
pub fn forked() {
    FORKS.fetch_add(1, Ordering::Relaxed);
}

/// What [`forked`] changes.
pub(crate) fn forks() -> u64 {
    FORKS.load(Ordering::Relaxed)
}

/// Random numbers that a seed repeats exactly.
#[derive(Debug, Clone)]
pub struct Random {
    state: [u64; 4],
}

impl Random {
    /// The stream of a seed, the same on every machine.
    pub fn from_seed(seed: u64) -> Self {
        // SplitMix64 spreads any seed over the whole state.
        let mut next = seed;
        let state = std::array::from_fn(|_| {
            next = next.wrapping_add(0x9E37_79B9_7F4A_7C15);
            let mut z = next;
            z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
            z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
            z ^ (z >> 31)
        });
        Random { state }
    }

    /// A seed that differs from call to call and from process to process.
    pub fn from_entropy() -> Self {
        use std::hash::{BuildHasher, Hasher};
        // A thread gets its keys once: those of a process that was forked are its parent's.
        let mut hasher = std::collections::hash_map::RandomState::new().build_hasher();
        hasher.write_u32(std::process::id());
        hasher.write_u64(forks());
        if let Ok(now) = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH) {
            hasher.write_u128(now.as_nanos());
        }
        Self::from_seed(hasher.finish())
    }

    /// The next number.
    pub fn next_u64(&mut self) -> u64 {
        let [a, b, c, d] = &mut self.state;
        let result = a.wrapping_add(*d).rotate_left(23).wrapping_add(*a);
        let t = *b << 17;
        *c ^= *a;
        *d ^= *b;
        *b ^= *c;
        *a ^= *d;
        *c ^= t;
        *d = d.rotate_left(45);
        result
    }

    /// Uniform in `[0, 1)`.
    pub fn next_f64(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 / (1u64 << 53) as f64
    }
}
