//! An engine for all workers of a tokenizer, built once.

use std::sync::{Arc, Mutex, OnceLock};

use super::Engine;

/// An engine that is built when it is first asked for, by whoever asks, and shared from then on.
///
/// Nobody ever waits for another thread: who comes while it is built goes the plain way, and so does a process that
/// was forked in that moment.
#[derive(Debug, Default)]
pub struct Shared {
    built: OnceLock<Built>,
    /// Whoever builds it has this.
    building: Mutex<()>,
}

/// An engine, or why there is none.
pub type Built = std::result::Result<Arc<Engine>, &'static str>;

impl Shared {
    pub fn get(&self, build: impl FnOnce() -> std::result::Result<Engine, &'static str>) -> Option<Built> {
        if !self.is_there() {
            let _building = self.building.try_lock().ok()?;
            // Another thread may have come to its end since.
            if !self.is_there() {
                let _ = self.built.set(build().map(Arc::new));
            }
        }
        self.built.get().cloned()
    }

    /// The engine, if it is built.
    #[inline]
    pub fn built(&self) -> Option<&Engine> {
        self.built.get()?.as_deref().ok()
    }

    /// Whether asking for it costs nothing any more.
    pub fn is_there(&self) -> bool {
        self.built.get().is_some()
    }
}
