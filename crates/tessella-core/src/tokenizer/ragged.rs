//! The ids of many texts, one after the other, and where those of each begin.
//!
//! Several threads take a few texts at a time. What is done is put in its place by whoever finds everything before it done: so
//! all ids are never there twice, and no thread waits for another.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::batch::{Queue, on_threads};
use super::columns::MOST_KEPT;
use super::worker::Worker;
use super::{EncodeOptions, Tokenizer};
use crate::error::{Error, Result};
use crate::ids::TokenId;

/// The ids of many texts.
#[derive(Debug, Clone, Default)]
pub struct RaggedIds {
    /// The ids of all texts, one after the other.
    pub ids: Vec<TokenId>,
    /// Where each text begins in them, and the end.
    pub offsets: Vec<i64>,
}

/// Texts that are read when their turn comes, by the thread that encodes them.
pub trait ManyTexts: Sync {
    /// How many there are.
    fn count(&self) -> usize;

    /// Bytes of a text, or about as many.
    fn size(&self, index: usize) -> usize;

    /// A text. One that does not lie in memory as it is read is written to `room`, which is empty.
    fn read<'t>(&'t self, index: usize, room: &'t mut String) -> Result<&'t str>;
}

impl ManyTexts for [&str] {
    fn count(&self) -> usize {
        self.len()
    }

    fn size(&self, index: usize) -> usize {
        self[index].len()
    }

    fn read<'t>(&'t self, index: usize, _: &'t mut String) -> Result<&'t str> {
        Ok(self[index])
    }
}

/// Room for ids that the fast engine wants beyond those that it writes.
const SPARE: usize = 8 << 10;

/// Some of the texts in a row, encoded.
#[derive(Default)]
struct Part {
    ids: Vec<TokenId>,
    /// Where those of each text end.
    ends: Vec<usize>,
}

/// What several threads have done.
#[derive(Default)]
struct Done {
    /// Parts before which something is missing, by their first text.
    waiting: Mutex<BTreeMap<usize, Part>>,
    /// Parts whose ids are in their place, for their room.
    empty: Mutex<Vec<Part>>,
    /// The ids of all texts up to the first that is missing.
    joined: Mutex<RaggedIds>,
    /// The first text that could not be encoded.
    failed: Mutex<Option<(usize, Error)>>,
}

/// Nobody leaves anything half done here, also where a thread ended.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Done {
    fn hand_in(&self, first: usize, part: Part) {
        lock(&self.waiting).insert(first, part);
        // Whoever joins already may be past this part: then the next one to come sees to it.
        if let Ok(mut joined) = self.joined.try_lock() {
            self.join(&mut joined);
        }
    }

    fn join(&self, RaggedIds { ids, offsets }: &mut RaggedIds) {
        let next = |texts: usize| lock(&self.waiting).remove(&texts);
        while let Some(mut part) = next(offsets.len() - 1) {
            let before = ids.len();
            ids.extend_from_slice(&part.ids);
            offsets.extend(part.ends.iter().map(|end| (before + end) as i64));
            part.ids.clear();
            part.ends.clear();
            lock(&self.empty).push(part);
        }
    }

    fn fail(&self, index: usize, error: Error) {
        let mut failed = lock(&self.failed);
        if failed.as_ref().is_none_or(|&(first, _)| index < first) {
            *failed = Some((index, error));
        }
    }

    fn result(self) -> Result<RaggedIds> {
        let mut joined = lock(&self.joined);
        self.join(&mut joined);
        match lock(&self.failed).take() {
            Some((_, error)) => Err(error),
            None => Ok(std::mem::take(&mut joined)),
        }
    }
}

impl Tokenizer {
    /// Ids of many texts. Truncation and padding of the options do not apply.
    pub fn encode_ids_batch(
        &self,
        texts: &(impl ManyTexts + ?Sized),
        options: &EncodeOptions<'_>,
    ) -> Result<RaggedIds> {
        let count = texts.count();
        let size: usize = (0..count).map(|index| texts.size(index)).sum();
        match self.threads(count, size, options) {
            1 => self.ragged_alone(texts, size, options),
            threads => self.ragged_by(threads, texts, size, options),
        }
    }

    fn ragged_alone(
        &self,
        texts: &(impl ManyTexts + ?Sized),
        size: usize,
        options: &EncodeOptions<'_>,
    ) -> Result<RaggedIds> {
        let mut offsets = Vec::with_capacity(texts.count() + 1);
        offsets.push(0);
        let mut append = |worker: &mut Worker, ids: &mut Vec<TokenId>| {
            worker.foreseeing(size, |worker| {
                (0..texts.count()).try_for_each(|index| {
                    self.append_text(worker, texts, index, options, ids)?;
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
        Ok(RaggedIds { ids, offsets })
    }

    fn append_text(
        &self,
        worker: &mut Worker,
        texts: &(impl ManyTexts + ?Sized),
        index: usize,
        options: &EncodeOptions<'_>,
        ids: &mut Vec<TokenId>,
    ) -> Result<()> {
        options.check_cancelled()?;
        worker.in_rooms(|worker, [room, _]| {
            self.inner.append_ids(worker, texts.read(index, room)?, options, ids)
        })
    }

    fn ragged_by(
        &self,
        threads: usize,
        texts: &(impl ManyTexts + ?Sized),
        size: usize,
        options: &EncodeOptions<'_>,
    ) -> Result<RaggedIds> {
        let queue = Queue::new(texts.count(), threads);
        let mut offsets = Vec::with_capacity(texts.count() + 1);
        offsets.push(0);
        let ids = Vec::with_capacity(size / 3 + SPARE);
        let done = Done { joined: Mutex::new(RaggedIds { ids, offsets }), ..Done::default() };
        let parts = |worker: &mut Worker| {
            while let Some(numbers) = queue.next() {
                let first = numbers.start;
                let mut part = lock(&done.empty).pop().unwrap_or_default();
                match self.append_part(worker, texts, numbers, options, &mut part) {
                    Ok(()) => done.hand_in(first, part),
                    Err((index, error)) => {
                        done.fail(index, error);
                        queue.close();
                    }
                }
            }
        };
        on_threads(threads, || self.inner.workers.with(|worker| worker.foreseeing(size / threads, parts)));
        let mut ragged = done.result()?;
        ragged.ids.shrink_to_fit();
        Ok(ragged)
    }

    /// Encodes some texts, or says which of them cannot be encoded, and why.
    fn append_part(
        &self,
        worker: &mut Worker,
        texts: &(impl ManyTexts + ?Sized),
        numbers: Range<usize>,
        options: &EncodeOptions<'_>,
        Part { ids, ends }: &mut Part,
    ) -> std::result::Result<(), (usize, Error)> {
        for index in numbers {
            self.append_text(worker, texts, index, options, ids).map_err(|error| (index, error))?;
            ends.push(ids.len());
        }
        Ok(())
    }
}
