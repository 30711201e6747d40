//! Maps whose keys are numbers of our own making: nobody writes them to collide, so they are only spread.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use tessella_core::hash::{hash_bytes, hash_u64};

/// A map by numbers.
pub(super) type ByNumber<T> = HashMap<u64, T, BuildHasherDefault<NumberHasher>>;

#[derive(Default)]
pub(super) struct NumberHasher(u64);

impl Hasher for NumberHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        self.0 = hash_bytes(bytes);
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = hash_u64(number);
    }
}
