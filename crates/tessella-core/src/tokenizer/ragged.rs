//! The ids of many texts, one after the other, and where those of each begin.
//!
//! Several threads take a few texts at a time; where texts are few and large, they share each of them ([`super::together`]).

use std::ops::Range;

use super::batch::Queue;
use super::columns::MOST_KEPT;
use super::id_room::room_for;
use super::in_order::{InOrder, Join};
use super::together::LARGE;
use super::worker::Worker;
use super::{EncodeOptions, Tokenizer};
use crate::error::{Error, Result};
use crate::flat::{copy_of, pages_for};
use crate::ids::TokenId;
use crate::memory;
use crate::threads::{self, Later};

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

/// Some of the texts in a row, encoded.
#[derive(Default)]
struct Part {
    ids: Vec<TokenId>,
    /// Where those of each text end.
    ends: Vec<usize>,
}

impl Join<Part> for RaggedIds {
    fn join(&mut self, Part { ids, ends }: &mut Part) -> usize {
        let (before, texts) = (self.ids.len(), ends.len());
        if let Some(room) = self.ids.spare_capacity_mut().get_mut(..ids.len()) {
            pages_for(room);
        }
        self.ids.append(ids);
        self.offsets.extend(ends.drain(..).map(|end| (before + end) as i64));
        texts
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
        memory::ask(size, memory::FOR_IDS_OF_MANY)?;
        let threads = self.threads(count, size, options);
        let are_large = || count < threads * 4 && size / count >= LARGE;
        if threads == 1 || are_large() && self.inner.plan.way.can_share_a_text() {
            return self.ragged_alone(texts, size, options);
        }
        // All of them have something to do.
        self.ragged_by(threads, texts, size, &EncodeOptions { threads: 1, ..options.clone() })
    }

    fn ragged_alone(
        &self,
        texts: &(impl ManyTexts + ?Sized),
        size: usize,
        options: &EncodeOptions<'_>,
    ) -> Result<RaggedIds> {
        let mut offsets = Vec::with_capacity(texts.count() + 1);
        offsets.push(0);
        let append = |worker: &mut Worker, ids: &mut Vec<TokenId>| {
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
                return worker.in_room(append, |ids| copy_of(ids, 0));
            }
            worker.in_new_room(size, append)
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
        let joined = InOrder::new(RaggedIds { ids: room_for(size), offsets });
        let parts = |worker: &mut Worker, later: &Later<'_>| {
            while let Some(numbers) = queue.next() {
                later.make_way();
                let first = numbers.start;
                let mut part: Part = joined.begin();
                match self.append_part(worker, texts, numbers, options, &mut part) {
                    Ok(()) => joined.hand_in(first, part),
                    Err((index, error)) => {
                        joined.fail(index, error);
                        queue.close();
                    }
                }
            }
        };
        let work = |later: &Later<'_>| {
            self.inner
                .workers
                .with(|worker| worker.foreseeing(size / threads, |worker| parts(worker, later)));
        };
        threads::share(threads, work, work);
        let mut ragged = joined.finish()?;
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
