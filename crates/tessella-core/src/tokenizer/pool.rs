//! The workers of a tokenizer, which are lent for a call each.

use std::sync::Mutex;

use super::worker::{LanesStart, Worker};
use crate::random::Random;

/// Workers. Taking one never waits: if another thread holds a lock (or held it when the process forked), a new
/// worker is made.
#[derive(Debug)]
pub(super) struct Pool {
    /// The worker of whoever comes alone. It works where it lies: nothing is moved, and one lock is all it costs.
    first: Mutex<Option<Box<Worker>>>,
    /// Further ones at rest.
    #[expect(clippy::vec_box, reason = "a worker is large and moves in and out for every call")]
    idle: Mutex<Vec<Box<Worker>>>,
    cache_budget: usize,
    pub lanes: LanesStart,
    seed: Mutex<Option<Random>>,
}

/// Workers kept for the next call; more are dropped when they come back.
const MOST_IDLE: usize = 64;

impl Pool {
    pub fn new(cache_budget: usize) -> Self {
        let lanes = LanesStart::from_environment();
        Pool { first: Mutex::default(), idle: Mutex::default(), cache_budget, lanes, seed: Mutex::default() }
    }

    /// Workers for another state of a tokenizer, whose seed goes on.
    pub fn after(old: &Pool, cache_budget: usize) -> Self {
        let seed = old.seed.try_lock().ok().and_then(|seed| seed.clone());
        Pool { seed: Mutex::new(seed), ..Pool::new(cache_budget) }
    }

    /// Runs `work` with a worker of its own. `work` may ask for another one.
    pub fn with<R>(&self, work: impl FnOnce(&mut Worker) -> R) -> R {
        if let Ok(mut first) = self.first.try_lock() {
            let worker = first.get_or_insert_with(|| Box::new(self.new_worker()));
            worker.scratch.renew();
            return work(worker);
        }
        let idle = self.idle.try_lock().ok().and_then(|mut idle| idle.pop());
        let mut worker = idle.unwrap_or_else(|| Box::new(self.new_worker()));
        worker.scratch.renew();
        let result = work(&mut worker);
        if let Ok(mut idle) = self.idle.try_lock()
            && idle.len() < MOST_IDLE
        {
            idle.push(worker);
        }
        result
    }

    /// Looks at the worker of whoever comes alone, if there is one and it is at rest.
    pub fn peek<R>(&self, look: impl FnOnce(&Worker) -> Option<R>) -> Option<R> {
        self.first.try_lock().ok()?.as_deref().and_then(look)
    }

    fn new_worker(&self) -> Worker {
        let mut worker = Worker::new(self.cache_budget, self.lanes);
        if let Ok(mut seed) = self.seed.try_lock()
            && let Some(random) = seed.as_mut()
        {
            worker.scratch.seed(random.next_u64());
        }
        worker
    }

    /// Seeds all workers to come; those at rest are forgotten.
    pub fn seed(&self, seed: u64) {
        self.clear();
        if let Ok(mut random) = self.seed.lock() {
            *random = Some(Random::from_seed(seed));
        }
    }

    /// Whether chance is to be repeated. Who is just being asked for a seed may have one.
    pub fn is_seeded(&self) -> bool {
        self.seed.try_lock().map_or(true, |seed| seed.is_some())
    }

    /// Forgets the workers at rest.
    pub fn clear(&self) {
        // Who holds this lock is at work, for how long nobody knows.
        if let Ok(mut first) = self.first.try_lock() {
            *first = None;
        }
        if let Ok(mut idle) = self.idle.lock() {
            idle.clear();
        }
    }
}
