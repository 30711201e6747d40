//! What several of these tests need.

use std::path::PathBuf;

use tessella_core::random::Random;

/// The name of a file that is not there yet, and that goes with the test.
pub struct File(pub PathBuf);

impl File {
    pub fn new() -> File {
        File(std::env::temp_dir().join(format!("tessella-test-{:016x}", Random::from_entropy().next_u64())))
    }
}

impl Drop for File {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}
