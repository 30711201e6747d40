//! Starting threads, and not while the process forks.
//!
//! A C library may keep the stacks of threads that have ended and use them again. glibc (2.36 at least) clears one for
//! its new thread in two steps: it frees the thread-local memory of the old one, then forgets where that was. A process
//! that another thread forks between the two keeps the stack for reuse in the child, with the memory freed and not
//! forgotten; the first thread that the child starts on it frees that again and ends the child in `free`.
//!
//! So threads start through [`start`], and whoever forks calls [`hold`] before and [`release`] after: in between none
//! is in the middle of being started.
//!
//! Not every kernel gives a new thread a core that has nothing to do: some leave it behind the one that started it until somebody
//! balances the two, after milliseconds, which is all the time that a batch takes. So threads that [`share`] work look after that.

use std::cell::Cell;
use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::{Builder, Scope, ScopedJoinHandle};
use std::time::{Duration, Instant};

use crate::random;

/// Threads that are being started, and forks that are under way. No lock: a forked child could find one taken.
static STARTING: AtomicUsize = AtomicUsize::new(0);
static FORKING: AtomicUsize = AtomicUsize::new(0);

const PAUSE: Duration = Duration::from_micros(50);

/// So long a thread takes to begin where it finds a core, with time to spare.
const BEGINNING: Duration = Duration::from_micros(200);

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

/// Has this thread do some work and start others that take part in it. This one is told of those that have not begun.
pub fn share(threads: usize, own: impl FnOnce(&Later<'_>), others: impl Fn(&Later<'_>) + Sync) {
    let waiting = AtomicUsize::new(0);
    let help = || {
        waiting.fetch_sub(1, Ordering::Relaxed);
        others(&Later::new(None, 0));
    };
    std::thread::scope(|scope| {
        // Where the system gives no more threads, those at hand do all the work: at least this one.
        for _ in 1..threads {
            waiting.fetch_add(1, Ordering::Relaxed);
            if start(Builder::new(), scope, help).is_err() {
                waiting.fetch_sub(1, Ordering::Relaxed);
                break;
            }
        }
        own(&Later::new(Some(&waiting), threads.saturating_sub(1)));
    });
}

/// Threads that were started and have not begun.
#[derive(Debug)]
pub struct Later<'s> {
    threads: Option<&'s AtomicUsize>,
    /// How often somebody goes out of their way, at most.
    moves: Cell<usize>,
    /// When the last thread could begin, or could have.
    since: Cell<Instant>,
}

impl<'s> Later<'s> {
    fn new(threads: Option<&'s AtomicUsize>, moves: usize) -> Self {
        Later { threads, moves: Cell::new(moves), since: Cell::new(Instant::now()) }
    }

    /// To be called between parts of the work: a thread that has not begun by now may wait for this very core. Then this thread goes
    /// to another one.
    pub fn make_way(&self) {
        if self.threads.is_some_and(|threads| threads.load(Ordering::Relaxed) > 0)
            && self.since.get().elapsed() >= BEGINNING
            && let Some(moves) = self.moves.get().checked_sub(1)
        {
            self.moves.set(moves);
            self.since.set(Instant::now());
            leave_core();
        }
    }
}

/// Goes on on another core, if this thread may.
#[cfg(target_os = "linux")]
fn leave_core() {
    use rustix::thread::{CpuSet, sched_getaffinity, sched_getcpu, sched_setaffinity};
    let (Ok(allowed), core) = (sched_getaffinity(None), sched_getcpu()) else { return };
    let mut others = allowed;
    if core < CpuSet::MAX_CPU {
        others.unset(core);
    }
    if others.count() > 0 && sched_setaffinity(None, &others).is_ok() {
        let _ = sched_setaffinity(None, &allowed);
    }
}

/// Elsewhere it is left to the system.
#[cfg(not(target_os = "linux"))]
fn leave_core() {}

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

    #[test]
    #[cfg_attr(miri, ignore = "an interpreter does not know on which core it is")]
    fn all_that_share_work_do_some_of_it_and_may_go_where_they_could_before() {
        let (parts, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let work = |later: &Later<'_>| {
            #[cfg(target_os = "linux")]
            let allowed = rustix::thread::sched_getaffinity(None).unwrap();
            while parts.fetch_add(1, Ordering::SeqCst) < 40 {
                std::thread::sleep(Duration::from_millis(1));
                later.make_way();
                done.fetch_add(1, Ordering::SeqCst);
            }
            leave_core();
            #[cfg(target_os = "linux")]
            assert_eq!(rustix::thread::sched_getaffinity(None).unwrap(), allowed);
        };
        share(3, work, work);
        assert_eq!(done.load(Ordering::SeqCst), 40);
    }
}
