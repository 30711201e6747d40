//! One large text of raw bytes by several threads.
//!
//! Finding pieces takes a small part of the time that their ids take, so nothing is cut blindly: whoever is free finds the next
//! window of pieces, from where the one before it ended, and then looks up its ids while others go on from there.

use std::sync::{Mutex, PoisonError};

use super::EncodeOptions;
use super::byte_lanes::ByteLanes;
use super::in_order::{InOrder, Join};
use super::pool::Pool;
use super::way::{Reader, Reads};
use super::worker::Worker;
use crate::error::Result;
use crate::ids::TokenId;
use crate::lanes::Bounds;
use crate::lanes::vectors::Level;
use crate::model::bpe::Bpe;
use crate::pattern::scan::MaskedPieces;
use crate::scale::or_for_fuzzers;
use crate::threads::{self, Later};

/// Bytes from which on a text is large.
pub(super) const LARGE: usize = or_for_fuzzers(1 << 20, 1 << 8);

/// The other threads' way to a text.
pub(super) struct Helpers<'i> {
    pub pool: &'i Pool,
    pub reader: &'i Reader,
    pub options: &'i EncodeOptions<'i>,
    pub threads: usize,
}

/// How far a text was cut.
struct Cut<'t> {
    pieces: MaskedPieces<'t>,
    end: u32,
    windows: usize,
    is_over: bool,
}

impl Join<Vec<TokenId>> for &mut Vec<TokenId> {
    fn join(&mut self, part: &mut Vec<TokenId>) -> usize {
        self.append(part);
        1
    }
}

impl Cut<'_> {
    /// Finds the pieces of the next window, and says which one it is.
    fn next(&mut self, level: Level, bounds: &mut Bounds) -> Option<usize> {
        if self.is_over {
            return None;
        }
        bounds.begin(self.end);
        self.is_over = !self.pieces.fill(level, bounds);
        self.end = bounds.ends().last().copied().unwrap_or(self.end);
        self.windows += 1;
        Some(self.windows - 1)
    }
}

/// Appends the ids of a text, of which `lanes` and `worker` are this thread's.
pub(super) fn append(
    helpers: &Helpers<'_>,
    pieces: MaskedPieces<'_>,
    text: &str,
    (lanes, worker, bpe): (&mut ByteLanes, &mut Worker, &Bpe),
    out: &mut Vec<TokenId>,
) -> Result<()> {
    let &Helpers { pool, reader, options, threads } = helpers;
    let cut = Mutex::new(Cut { pieces, end: 0, windows: 0, is_over: false });
    let ids = InOrder::new(out);
    let take = |lanes: &mut ByteLanes, worker: &mut Worker, bpe: &Bpe, later: &Later<'_>| {
        let mut bounds = Box::<Bounds>::default();
        loop {
            later.make_way();
            let mut next = cut.lock().unwrap_or_else(PoisonError::into_inner);
            let Some(number) = next.next(lanes.level(), &mut bounds) else { return };
            drop(next);
            let mut part = ids.begin();
            let done = options
                .check_cancelled()
                .and_then(|()| lanes.window(&bounds, text.as_bytes(), worker, bpe, &mut part));
            match done {
                Ok(()) => ids.hand_in(number, part),
                Err(error) => {
                    ids.fail(number, error);
                    cut.lock().unwrap_or_else(PoisonError::into_inner).is_over = true;
                }
            }
        }
    };
    let help = |later: &Later<'_>| {
        pool.with(|worker| {
            let Reads::Bytes(bpe) = &reader.reads else { return };
            worker.foreseeing(text.len() / threads, |worker| worker.expect_text(reader, 0));
            let _work = worker.begin(text.len(), options);
            // A worker that has no room for them, or found them being made, leaves the text to the others.
            if let Some(mut lanes) = worker.lanes.take() {
                take(&mut lanes, worker, bpe, later);
                worker.lanes = Some(lanes);
            }
        });
    };
    threads::share(threads, |later| take(lanes, worker, bpe, later), help);
    ids.finish().map(|_| ())
}
