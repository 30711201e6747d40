//! The little that is needed to use several threads with the same result for any number of them.

use std::cmp::Ordering;
use std::sync::atomic::{AtomicUsize, Ordering as Memory};

use tessella_core::{Error, ErrorKind, Result};

/// More threads only wait for one another; a slip of the pen must not take all that the system has.
const MOST_THREADS: usize = 256;

/// 0 means one thread per available core.
pub(crate) fn threads(asked: usize) -> usize {
    match asked {
        0 => std::thread::available_parallelism().map_or(1, |cores| cores.get()),
        given => given.min(MOST_THREADS),
    }
}

/// Sorts; `compare` must be a total order in which no two elements are equal.
pub(crate) fn sort_by<T: Send + Copy>(
    items: &mut [T],
    threads: usize,
    compare: impl Fn(&T, &T) -> Ordering + Sync,
) {
    const WORTH_IT: usize = 1 << 15;
    if threads < 2 || items.len() < WORTH_IT {
        items.sort_unstable_by(&compare);
        return;
    }
    let share = items.len().div_ceil(threads.min(16));
    std::thread::scope(|scope| {
        for part in items.chunks_mut(share) {
            // Where the system gives no more threads, the stable sort below does the work alone.
            let sort = || part.sort_unstable_by(&compare);
            if tessella_core::threads::start(std::thread::Builder::new(), scope, sort).is_err() {
                break;
            }
        }
    });
    // The stable sort recognises the sorted parts and merges them.
    items.sort_by(&compare);
}

/// Runs `work` on the numbers `0..jobs`, each thread with a state of its own; returns the states.
pub(crate) fn for_each<S: Send>(
    jobs: usize,
    threads: usize,
    state: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, usize) + Sync,
) -> Result<Vec<S>> {
    let next = AtomicUsize::new(0);
    let run = || {
        let mut state = state();
        loop {
            let job = next.fetch_add(1, Memory::Relaxed);
            if job >= jobs {
                return state;
            }
            work(&mut state, job);
        }
    };
    let threads = threads.min(jobs).max(1);
    if threads == 1 {
        return Ok(vec![run()]);
    }
    std::thread::scope(|scope| {
        // The calling thread works too, so that one is always there.
        let spawn = |_| tessella_core::threads::start(std::thread::Builder::new(), scope, run).ok();
        let workers: Vec<_> = (1..threads).map_while(spawn).collect();
        let mut states = vec![run()];
        for worker in workers {
            let state = worker.join();
            states.push(
                state.map_err(|_| Error::new(ErrorKind::Train, "a training thread stopped unexpectedly"))?,
            );
        }
        Ok(states)
    })
}
