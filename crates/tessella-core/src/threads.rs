//! Starting threads, and not while the process forks.
//!
//! A C library may keep the stacks of threads that have ended and use them again. glibc (2.36 at least) clears one for
//! its new thread in two steps: it frees the thread-local memory of the old one, then forgets where that was. A process
//! that another thread forks between the two keeps the stack for reuse in the child, with the memory freed and not
//! forgotten; the first thread that the child starts on it frees that again and ends the child in `free`.
//!
//! So threads start through [`start`], and whoever forks calls [`hold`] before and [`release`] after: in between none
//! is in the middle of being started.

use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::{Builder, Scope, ScopedJoinHandle};
use std::time::{Duration, Instant};

use crate::random;

/// Threads that are being started, and forks that are under way. No lock: a forked child could find one taken.
static STARTING: AtomicUsize = AtomicUsize::new(0);
static FORKING: AtomicUsize = AtomicUsize::new(0);

const PAUSE: Duration = Duration::from_micros(50);

/// A fork takes milliseconds. Whoever waits for longer goes on: the other side may wait for something that is held
/// here, an interpreter for example.
const PATIENCE: Duration = Duration::from_millis(500);

fn wait(done: impl Fn() -> bool) {
    let began = Instant::now();
    while !done() && began.elapsed() < PATIENCE {
        std::thread::sleep(PAUSE);
    }
}

/// As [`Builder::spawn_scoped`].
pub fn start<'scope, F, T>(
    builder: Builder,
    scope: &'scope Scope<'scope, '_>,
    work: F,
) -> io::Result<ScopedJoinHandle<'scope, T>>
where
    F: FnOnce() -> T + Send + 'scope,
    T: Send + 'scope,
{
    loop {
        STARTING.fetch_add(1, Ordering::SeqCst);
        if FORKING.load(Ordering::SeqCst) == 0 {
            break;
        }
        STARTING.fetch_sub(1, Ordering::SeqCst);
        let began = Instant::now();
        wait(|| FORKING.load(Ordering::SeqCst) == 0);
        if began.elapsed() >= PATIENCE {
            STARTING.fetch_add(1, Ordering::SeqCst);
            break;
        }
    }
    let started = builder.spawn_scoped(scope, work);
    STARTING.fetch_sub(1, Ordering::SeqCst);
    started
}

/// Before a fork: waits until no thread is being started, and lets none start.
pub fn hold() {
    FORKING.fetch_add(1, Ordering::SeqCst);
    wait(|| STARTING.load(Ordering::SeqCst) == 0);
}

/// After the fork. `in_child` forgets the threads that exist in the parent only.
pub fn release(in_child: bool) {
    if in_child {
        STARTING.store(0, Ordering::SeqCst);
        FORKING.store(0, Ordering::SeqCst);
        random::forked();
    } else {
        FORKING.fetch_sub(1, Ordering::SeqCst);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_thread_starts_while_the_process_forks() {
        hold();
        let began = Instant::now();
        let started = std::thread::scope(|scope| {
            scope.spawn(|| {
                std::thread::sleep(Duration::from_millis(20));
                release(false);
            });
            let thread = start(Builder::new(), scope, || began.elapsed()).unwrap();
            thread.join().unwrap()
        });
        assert!(started >= Duration::from_millis(20));
        assert_eq!((STARTING.load(Ordering::SeqCst), FORKING.load(Ordering::SeqCst)), (0, 0));
    }
}
