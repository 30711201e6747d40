//! Many texts on several threads: the results are in order and the same for any number of threads.
//!
//! Threads are made for the call and end with it: nothing is left running, so a fork finds nothing broken.
//! Small batches stay on the caller's thread.

use std::num::NonZero;
use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::worker::Worker;
use super::{EncodeOptions, Input, Tokenizer};
use crate::cancel::Cancel;
use crate::encoding::Encoding;
use crate::error::Result;
use crate::ids::TokenId;
use crate::memory;
use crate::postprocess;
use crate::scale::or_for_fuzzers;
use crate::threads::{Later, share};

/// Below this many bytes of text, threads cost more than they bring.
const PARALLEL_ABOVE: usize = or_for_fuzzers(64 << 10, 1 << 8);

/// Texts and pairs that are read when their turn comes, by the thread that encodes them.
pub trait ManyInputs: Sync {
    /// How many there are.
    fn count(&self) -> usize;

    /// Bytes of all texts of an input, or about as many.
    fn size(&self, index: usize) -> usize;

    /// An input. Texts that do not lie in memory as they are read are written to `rooms`, which are empty.
    fn read<'t>(&'t self, index: usize, rooms: &'t mut [String; 2]) -> Result<Input<'t>>;
}

impl ManyInputs for [Input<'_>] {
    fn count(&self) -> usize {
        self.len()
    }

    fn size(&self, index: usize) -> usize {
        self[index].size()
    }

    fn read<'t>(&'t self, index: usize, _: &'t mut [String; 2]) -> Result<Input<'t>> {
        Ok(self[index].clone())
    }
}

impl Tokenizer {
    /// In order, on several threads, the same for any number of them.
    pub fn encode_batch(
        &self,
        inputs: &(impl ManyInputs + ?Sized),
        options: &EncodeOptions<'_>,
    ) -> Result<Vec<Encoding>> {
        let count = inputs.count();
        let size: usize = (0..count).map(|index| inputs.size(index)).sum();
        memory::ask(size, memory::FOR_COLUMNS)?;
        let threads = self.threads(count, size, options);
        let mut encodings = self.run(count, size, threads, options, |worker, index| {
            worker.in_rooms(|worker, rooms| {
                self.inner.encode_with(worker, &inputs.read(index, rooms)?, options)
            })
        })?;
        if let Some(padding) = options.padding {
            postprocess::pad(&mut encodings, padding)?;
        }
        Ok(encodings)
    }

    /// Decodes many id sequences.
    pub fn decode_batch<S: AsRef<[TokenId]> + Sync>(
        &self,
        sequences: &[S],
        skip_special_tokens: bool,
        options: &EncodeOptions<'_>,
    ) -> Result<Vec<String>> {
        let size: usize = sequences.iter().map(|ids| ids.as_ref().len() * 4).sum();
        let threads = threads(sequences.len(), size, options);
        self.run(sequences.len(), size, threads, options, |_, index| {
            self.decode_until(sequences[index].as_ref(), skip_special_tokens, Cancel::new(options.cancel))
        })
    }

    /// One, too, where a seed is to repeat what chance does: which thread takes which text is chance as well.
    pub(super) fn threads(&self, count: usize, size: usize, options: &EncodeOptions<'_>) -> usize {
        match threads(count, size, options) {
            2.. if !self.inner.model().is_deterministic() && self.inner.workers.is_seeded() => 1,
            threads => threads,
        }
    }

    /// Runs `job` for every index and collects the results in order. The first error by index wins.
    fn run<R: Send>(
        &self,
        count: usize,
        size: usize,
        threads: usize,
        options: &EncodeOptions<'_>,
        job: impl Fn(&mut Worker, usize) -> Result<R> + Sync,
    ) -> Result<Vec<R>> {
        if threads == 1 {
            return self.inner.workers.with(|worker| {
                worker.foreseeing(size, |worker| {
                    let checked = |index| {
                        options.check_cancelled()?;
                        job(worker, index)
                    };
                    (0..count).map(checked).collect()
                })
            });
        }
        let queue = Queue::new(count, threads);
        let done: Mutex<Vec<(usize, Vec<Result<R>>)>> = Mutex::new(Vec::new());
        let chunks = |worker: &mut Worker, later: &Later<'_>| {
            while let Some(chunk) = queue.next() {
                later.make_way();
                let start = chunk.start;
                let mut results = Vec::with_capacity(chunk.len());
                for index in chunk {
                    let result = options.check_cancelled().and_then(|()| job(worker, index));
                    let failed = result.is_err();
                    results.push(result);
                    if failed {
                        queue.close();
                        break;
                    }
                }
                if let Ok(mut done) = done.lock() {
                    done.push((start, results));
                }
            }
        };
        let work = |later: &Later<'_>| {
            self.inner
                .workers
                .with(|worker| worker.foreseeing(size / threads, |worker| chunks(worker, later)));
        };
        share(threads, work, work);
        let mut done = done.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner());
        done.sort_unstable_by_key(|(start, _)| *start);
        done.into_iter().flat_map(|(_, results)| results).collect()
    }
}

/// Numbers that are handed out in order and in many small chunks, so that no thread is left with a long tail.
pub(super) struct Queue {
    next: AtomicUsize,
    chunk: usize,
    count: usize,
}

impl Queue {
    pub fn new(count: usize, threads: usize) -> Self {
        Queue { next: AtomicUsize::new(0), chunk: count.div_ceil(threads * 64).max(1), count }
    }

    pub fn next(&self) -> Option<Range<usize>> {
        let start = self.next.fetch_add(1, Ordering::Relaxed) * self.chunk;
        (start < self.count).then(|| start..(start + self.chunk).min(self.count))
    }

    /// Nothing more is handed out. What was handed out before is done, so the first error by number is known.
    pub fn close(&self) {
        self.next.store(usize::MAX / 2 / self.chunk, Ordering::Relaxed);
    }
}

/// How many threads take so many texts of so many bytes together.
pub(super) fn threads(count: usize, size: usize, options: &EncodeOptions<'_>) -> usize {
    if count < 2 || size < PARALLEL_ABOVE {
        return 1;
    }
    let wanted = match options.threads {
        0 => std::thread::available_parallelism().map_or(1, NonZero::get),
        threads => threads,
    };
    wanted.clamp(1, count).min(256)
}
