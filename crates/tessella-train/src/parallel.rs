//! The little that is needed to use several threads with the same result for any number of them.

use std::cmp::Ordering;
use std::sync::atomic::{AtomicUsize, Ordering as Memory};
use std::sync::{Mutex, PoisonError};

use tessella_core::{Error, ErrorKind, Result};

use crate::progress::{Progress, check};

/// More threads only wait for one another; a slip of the pen must not take all that the system has.
const MOST_THREADS: usize = 256;

/// 0 means one thread per available core.
pub(crate) fn threads(asked: usize) -> usize {
    match asked {
        0 => std::thread::available_parallelism().map_or(1, |cores| cores.get()),
        given => given.min(MOST_THREADS),
    }
}

/// Sorts each of the parts, which follow each other without gaps; `starts` has one more to close the last. A wish
/// to stop is heeded between two parts.
pub(crate) fn sort_parts<T: Send>(
    items: &mut [T],
    starts: &[usize],
    threads: usize,
    progress: &dyn Progress,
    compare: impl Fn(&T, &T) -> Ordering + Sync,
) -> Result<()> {
    let mut parts = Vec::with_capacity(starts.len());
    let mut rest = items;
    for ends in starts.windows(2) {
        let (part, more) = rest.split_at_mut(ends[1] - ends[0]);
        rest = more;
        if part.len() > 1 {
            parts.push(Mutex::new(part));
        }
    }
    // Each part is locked once, by the thread that sorts it.
    for_each(
        parts.len(),
        threads,
        progress,
        || (),
        |_: &mut (), part: usize| {
            let mut part = parts[part].lock().unwrap_or_else(PoisonError::into_inner);
            part.sort_unstable_by(&compare);
        },
    )?;
    Ok(())
}

/// Runs `work` on the numbers `0..jobs`, each thread with a state of its own; returns the states. A wish to stop
/// is heeded between two jobs.
pub(crate) fn for_each<S: Send>(
    jobs: usize,
    threads: usize,
    progress: &dyn Progress,
    state: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, usize) + Sync,
) -> Result<Vec<S>> {
    let next = AtomicUsize::new(0);
    let run = || {
        let mut state = state();
        loop {
            let job = next.fetch_add(1, Memory::Relaxed);
            if job >= jobs || progress.cancelled() {
                return state;
            }
            work(&mut state, job);
        }
    };
    let threads = threads.min(jobs).max(1);
    if threads == 1 {
        let state = run();
        return check(progress).map(|()| vec![state]);
    }
    let states = std::thread::scope(|scope| -> Result<Vec<S>> {
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
    })?;
    check(progress).map(|()| states)
}
