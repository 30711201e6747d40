//! An engine for all workers of a tokenizer, built once.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use super::Engine;

/// An engine that is built when it is first asked for, by whoever asks, and shared from then on.
///
/// Nobody ever waits for another thread: who comes while it is built goes the plain way, and so does a process that
/// was forked in that moment.
#[derive(Debug, Default)]
pub struct Shared {
    built: Mutex<Option<Built>>,
    is_there: AtomicBool,
}

/// An engine, or why there is none.
pub type Built = std::result::Result<Arc<Engine>, &'static str>;

impl Shared {
    pub fn get(&self, build: impl FnOnce() -> std::result::Result<Engine, &'static str>) -> Option<Built> {
        let mut built = self.built.try_lock().ok()?;
        let built = built.get_or_insert_with(|| build().map(Arc::new)).clone();
        self.is_there.store(true, Ordering::Relaxed);
        Some(built)
    }

    /// The engine, if it is built.
    pub fn built(&self) -> Option<Arc<Engine>> {
        let built = self.built.try_lock().ok().filter(|_| self.is_there())?;
        built.as_ref()?.as_ref().ok().cloned()
    }

    /// Whether asking for it costs nothing any more.
    pub fn is_there(&self) -> bool {
        self.is_there.load(Ordering::Relaxed)
    }
}
