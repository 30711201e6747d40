//! What several threads make of numbered parts, joined in the order of the numbers.
//!
//! A part that is done is put in its place by whoever finds everything before it done: so all results are never there twice, and
//! no thread waits for another.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::error::{Error, Result};

/// What parts are joined to.
pub(super) trait Join<P> {
    /// Appends a part, empties it for its room, and says how many numbers it had.
    fn join(&mut self, part: &mut P) -> usize;
}

/// Parts of threads on their way to what they are joined to.
pub(super) struct InOrder<P, J> {
    /// Parts before which something is missing, by their first number.
    waiting: Mutex<BTreeMap<usize, P>>,
    /// Parts that are in their place, for their room.
    empty: Mutex<Vec<P>>,
    /// All up to the first number that is missing, and that number.
    joined: Mutex<(usize, J)>,
    /// The first number that failed.
    failed: Mutex<Option<(usize, Error)>>,
}

/// Nobody leaves anything half done here, also where a thread ended.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<P: Default, J: Join<P>> InOrder<P, J> {
    pub fn new(joined: J) -> Self {
        InOrder {
            waiting: Mutex::default(),
            empty: Mutex::default(),
            joined: Mutex::new((0, joined)),
            failed: Mutex::default(),
        }
    }

    /// Room for a part.
    pub fn begin(&self) -> P {
        lock(&self.empty).pop().unwrap_or_default()
    }

    /// The part from this number on is done.
    pub fn hand_in(&self, first: usize, part: P) {
        lock(&self.waiting).insert(first, part);
        // Whoever joins already may be past this part: then the next one to come sees to it.
        if let Ok(mut joined) = self.joined.try_lock() {
            self.join(&mut joined);
        }
    }

    fn join(&self, (next, joined): &mut (usize, J)) {
        let ready = |number: usize| lock(&self.waiting).remove(&number);
        while let Some(mut part) = ready(*next) {
            *next += joined.join(&mut part);
            lock(&self.empty).push(part);
        }
    }

    /// What has this number cannot be done. Of several errors the first by number counts.
    pub fn fail(&self, number: usize, error: Error) {
        let mut failed = lock(&self.failed);
        if failed.as_ref().is_none_or(|&(first, _)| number < first) {
            *failed = Some((number, error));
        }
    }

    /// All parts together, when all threads are done.
    pub fn finish(self) -> Result<J> {
        self.join(&mut lock(&self.joined));
        match self.failed.into_inner().unwrap_or_else(PoisonError::into_inner) {
            Some((_, error)) => Err(error),
            None => Ok(self.joined.into_inner().unwrap_or_else(PoisonError::into_inner).1),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    impl Join<Vec<u32>> for Vec<u32> {
        fn join(&mut self, part: &mut Vec<u32>) -> usize {
            let numbers = part.len();
            self.append(part);
            numbers
        }
    }

    #[test]
    fn parts_come_out_in_order_whoever_comes_first() {
        let mut random = Random::from_seed(5);
        for _ in 0..50 {
            let mut parts: Vec<Vec<u32>> = Vec::new();
            let mut next = 0;
            while next < 300 {
                let end = next + 1 + (random.next_u64() % 9) as u32;
                parts.push((next..end).collect());
                next = end;
            }
            for at in (1..parts.len()).rev() {
                parts.swap(at, random.next_u64() as usize % (at + 1));
            }
            let joined = InOrder::new(Vec::new());
            std::thread::scope(|scope| {
                let halves = parts.split_at(parts.len() / 2);
                for half in [halves.0, halves.1] {
                    let joined = &joined;
                    scope.spawn(move || {
                        for part in half {
                            joined.hand_in(part[0] as usize, part.clone());
                        }
                    });
                }
            });
            assert_eq!(joined.finish().unwrap(), (0..next).collect::<Vec<_>>());
        }
    }

    #[test]
    fn the_first_error_by_number_counts() {
        let joined: InOrder<Vec<u32>, Vec<u32>> = InOrder::new(Vec::new());
        joined.hand_in(0, vec![0, 1]);
        joined.fail(9, Error::value("nine"));
        joined.fail(4, Error::value("four"));
        joined.fail(7, Error::value("seven"));
        assert_eq!(joined.finish().unwrap_err().message(), "four");
    }
}
