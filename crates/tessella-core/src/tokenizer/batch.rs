//! Many texts on several threads: the results are in order and the same for any number of threads.
//!
//! Threads are made for the call and end with it: nothing is left running, so a fork finds nothing broken.
//! Small batches stay on the caller's thread.

use std::num::NonZero;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::columns::MOST_KEPT;
use super::worker::Worker;
use super::{EncodeOptions, Input, RaggedIds, Tokenizer};
use crate::cancel::Cancel;
use crate::encoding::Encoding;
use crate::error::Result;
use crate::ids::TokenId;
use crate::postprocess;

/// Room for ids that the fast engine wants beyond those that it writes.
const SPARE: usize = 8 << 10;

/// Below this many bytes of text, threads cost more than they bring.
const PARALLEL_ABOVE: usize = 64 << 10;

impl Tokenizer {
    /// In order, on several threads, the same for any number of them.
    pub fn encode_batch(&self, inputs: &[Input<'_>], options: &EncodeOptions<'_>) -> Result<Vec<Encoding>> {
        let size: usize = inputs.iter().map(Input::size).sum();
        let threads = self.threads(inputs.len(), size, options);
        let mut encodings = self.run(inputs.len(), size, threads, options, |worker, index| {
            self.inner.encode_with(worker, &inputs[index], options)
        })?;
        if let Some(padding) = options.padding {
            postprocess::pad(&mut encodings, padding)?;
        }
        Ok(encodings)
    }

    /// Ids of many texts. Truncation and padding of the options do not apply.
    pub fn encode_ids_batch(&self, texts: &[&str], options: &EncodeOptions<'_>) -> Result<RaggedIds> {
        let size: usize = texts.iter().map(|text| text.len()).sum();
        let mut offsets = Vec::with_capacity(texts.len() + 1);
        offsets.push(0i64);
        let threads = self.threads(texts.len(), size, options);
        if threads == 1 {
            let mut append = |worker: &mut Worker, ids: &mut Vec<TokenId>| {
                worker.foreseeing(size, |worker| {
                    texts.iter().try_for_each(|text| {
                        options.check_cancelled()?;
                        self.inner.append_ids(worker, text, options, ids)?;
                        offsets.push(ids.len() as i64);
                        Ok(())
                    })
                })
            };
            let ids = self.inner.workers.with(|worker| {
                if size <= MOST_KEPT {
                    return worker.in_room(append, <[TokenId]>::to_vec);
                }
                // Untouched room costs nothing, growing costs a copy.
                let mut ids = Vec::with_capacity(size / 3 + SPARE);
                append(worker, &mut ids)?;
                ids.shrink_to_fit();
                Ok(ids)
            })?;
            return Ok(RaggedIds { ids, offsets });
        }
        let parts: Vec<Vec<TokenId>> = self.run(texts.len(), size, threads, options, |worker, index| {
            let mut ids = Vec::with_capacity(texts[index].len() / 4 + 8);
            self.inner.append_ids(worker, texts[index], options, &mut ids)?;
            Ok(ids)
        })?;
        let mut ids = Vec::with_capacity(parts.iter().map(Vec::len).sum());
        for part in parts {
            ids.extend_from_slice(&part);
            offsets.push(ids.len() as i64);
        }
        Ok(RaggedIds { ids, offsets })
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
    fn threads(&self, count: usize, size: usize, options: &EncodeOptions<'_>) -> usize {
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
        // Chunks are handed out in order; many small ones, so that no thread is left with a long tail.
        let chunk = count.div_ceil(threads * 16).max(1);
        let next = AtomicUsize::new(0);
        let done: Mutex<Vec<(usize, Vec<Result<R>>)>> = Mutex::new(Vec::new());
        let chunks = |worker: &mut Worker| {
            loop {
                let start = next.fetch_add(1, Ordering::Relaxed) * chunk;
                if start >= count {
                    return;
                }
                let mut results = Vec::with_capacity(chunk);
                for index in start..(start + chunk).min(count) {
                    let result = options.check_cancelled().and_then(|()| job(worker, index));
                    let failed = result.is_err();
                    results.push(result);
                    if failed {
                        next.store(usize::MAX / 2 / chunk, Ordering::Relaxed);
                        break;
                    }
                }
                if let Ok(mut done) = done.lock() {
                    done.push((start, results));
                }
            }
        };
        std::thread::scope(|scope| {
            let work = || self.inner.workers.with(|worker| worker.foreseeing(size / threads, chunks));
            // Where the system gives no more threads, those at hand do all the work: at least this one.
            for _ in 1..threads {
                if crate::threads::start(std::thread::Builder::new(), scope, work).is_err() {
                    break;
                }
            }
            work();
        });
        let mut done = done.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner());
        done.sort_unstable_by_key(|(start, _)| *start);
        done.into_iter().flat_map(|(_, results)| results).collect()
    }
}

fn threads(count: usize, size: usize, options: &EncodeOptions<'_>) -> usize {
    if count < 2 || size < PARALLEL_ABOVE {
        return 1;
    }
    let wanted = match options.threads {
        0 => std::thread::available_parallelism().map_or(1, NonZero::get),
        threads => threads,
    };
    wanted.clamp(1, count).min(256)
}
