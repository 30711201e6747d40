//! Pieces of raw bytes by the hundred: where they are comes from the view of the splitter, what they become from the
//! fast engine ([`crate::lanes`]).

use std::ops::Range;
use std::sync::Arc;

use super::worker::Worker;
use crate::error::Result;
use crate::ids::TokenId;
use crate::lanes::vectors::Level;
use crate::lanes::{Bounds, Engine, Given, LongPieces, LongUnits, Pieces, Runner};
use crate::model::bpe::Bpe;
use crate::pattern::scan::MaskedPieces;
use crate::pretokenize::ByteLevelView;
use crate::text::Piece;

/// So many stretches to one that is no added token are nearly all: a token that leaves a gap costs some 40 ns more than one that
/// is told.
const ADDED_TO_ONE: usize = 8;

/// The fast engine and what a worker owns of it.
#[derive(Debug)]
pub(super) struct ByteLanes {
    engine: Arc<Engine>,
    runner: Runner,
    bounds: Bounds,
    given: Given,
    /// Pieces that may leave gaps between them.
    starts: Vec<u32>,
    ends: Vec<u32>,
}

/// Pieces that are too long for the fast engine.
struct OneByOne<'w> {
    worker: &'w mut Worker,
    bpe: &'w Bpe,
}

impl LongPieces for OneByOne<'_> {
    fn ids(&mut self, piece: &[u8], out: &mut Vec<TokenId>) -> Result<()> {
        self.worker.bytes_ids(self.bpe, true, piece, out)
    }
}

impl LongUnits for OneByOne<'_> {
    fn unit_ids(&mut self, unit: &[u8], out: &mut Vec<TokenId>) -> Result<()> {
        self.worker.merged_ids(self.bpe, unit, out)
    }
}

impl ByteLanes {
    pub fn new(engine: Arc<Engine>, runner: Runner) -> Self {
        let room = || Vec::with_capacity(Bounds::MOST);
        ByteLanes {
            engine,
            runner,
            bounds: Bounds::default(),
            given: Given::default(),
            starts: room(),
            ends: room(),
        }
    }

    /// Bytes that may come into use.
    #[cfg(test)]
    pub fn memory(&self) -> usize {
        self.runner.memory()
    }

    pub fn engine(&self) -> &Arc<Engine> {
        &self.engine
    }

    /// Appends the ids of a text, whose pieces the view may find [by masks](ByteLevelView::masked). After every chunk `each` gets
    /// its pieces and the ids of these, and says whether to go on. `worker` takes what is too long for the engine.
    pub fn append(
        &mut self,
        view: &ByteLevelView,
        (text, masked): (&str, Option<&mut MaskedPieces<'_>>),
        worker: &mut Worker,
        bpe: &Bpe,
        out: &mut Vec<TokenId>,
        mut each: impl FnMut(Pieces<'_>, &[TokenId]) -> Result<()>,
    ) -> Result<()> {
        let mut long = OneByOne { worker, bpe };
        if let Some(pieces) = masked {
            return self.masked(pieces, text.as_bytes(), &mut long, out, each);
        }
        let outcome = view
            .for_each_piece(text, &mut |piece| {
                if !self.wait(piece) {
                    return Ok(());
                }
                self.flush(text.as_bytes(), &mut long, out, &mut each)
            })
            .and_then(|()| self.flush(text.as_bytes(), &mut long, out, &mut each));
        self.forget();
        outcome
    }

    /// The same for a text with added tokens in it, which together with what lies between them cover it: they go along with the
    /// pieces, so that short stretches cost no more for being many. After every window `each` gets its pieces, which of them are
    /// added tokens, and all ids so far. False, with nothing appended, where pieces are not found by masks, or nearly all that there is
    /// are added tokens, which are sooner told one by one.
    pub fn append_between(
        &mut self,
        view: &ByteLevelView,
        (text, stretches): (&str, &[Piece]),
        worker: &mut Worker,
        bpe: &Bpe,
        out: &mut Vec<TokenId>,
        mut each: impl FnMut(Pieces<'_>, &Given, &[TokenId]) -> Result<()>,
    ) -> Result<bool> {
        let between = stretches.iter().filter(|stretch| stretch.is_text()).count();
        let Some(pieces_of) = view.masked_within(text).filter(|_| between * ADDED_TO_ONE > stretches.len())
        else {
            return Ok(false);
        };
        let level = self.level();
        self.bounds.begin(0);
        self.given.clear();
        for stretch in stretches {
            match stretch.added_id() {
                Some(id) => {
                    self.given.push(self.bounds.count(), id);
                    self.bounds.push(stretch.end as u32);
                }
                None => {
                    let mut pieces = pieces_of(stretch.range());
                    while pieces.fill(level, &mut self.bounds) {
                        self.take(text, worker, bpe, out, &mut each)?;
                    }
                }
            }
            if self.bounds.is_full() {
                self.take(text, worker, bpe, out, &mut each)?;
            }
        }
        self.take(text, worker, bpe, out, &mut each)?;
        Ok(true)
    }

    /// Appends the ids of the pieces that are there, and goes on behind them.
    fn take(
        &mut self,
        text: &str,
        worker: &mut Worker,
        bpe: &Bpe,
        out: &mut Vec<TokenId>,
        each: &mut impl FnMut(Pieces<'_>, &Given, &[TokenId]) -> Result<()>,
    ) -> Result<()> {
        let ByteLanes { engine, runner, bounds, given, .. } = self;
        let pieces = Pieces::within(bounds, text.as_bytes());
        runner.ids_between(engine, pieces, given, out, &mut OneByOne { worker, bpe })?;
        each(pieces, given, out)?;
        bounds.go_on();
        given.clear();
        Ok(())
    }

    /// Whether the engine knows all bytes of a text.
    #[inline]
    pub fn know(&self, text: &[u8]) -> bool {
        self.engine.knows(self.level(), text)
    }

    /// Which vectors pieces are to be found with.
    pub fn level(&self) -> Level {
        self.runner.level()
    }

    /// Appends the ids of pieces of a text that are found.
    pub fn window(
        &mut self,
        bounds: &Bounds,
        text: &[u8],
        worker: &mut Worker,
        bpe: &Bpe,
        out: &mut Vec<TokenId>,
    ) -> Result<()> {
        self.runner.ids(&self.engine, Pieces::within(bounds, text), out, &mut OneByOne { worker, bpe })
    }

    /// The same for a text whose pieces are found by masks.
    fn masked(
        &mut self,
        pieces: &mut MaskedPieces<'_>,
        text: &[u8],
        long: &mut impl LongUnits,
        out: &mut Vec<TokenId>,
        mut each: impl FnMut(Pieces<'_>, &[TokenId]) -> Result<()>,
    ) -> Result<()> {
        self.bounds.begin(0);
        loop {
            let more = pieces.fill(self.runner.level(), &mut self.bounds);
            let pieces = Pieces::within(&self.bounds, text);
            let before = out.len();
            self.runner.ids(&self.engine, pieces, out, long)?;
            each(pieces, &out[before..])?;
            if !more {
                return Ok(());
            }
            self.bounds.go_on();
        }
    }

    /// A piece that waits, until there are enough of them: then true.
    #[inline]
    fn wait(&mut self, piece: Range<usize>) -> bool {
        self.starts.push(piece.start as u32);
        self.ends.push(piece.end as u32);
        self.starts.len() == Bounds::MOST
    }

    /// Appends the ids of the pieces that wait.
    fn flush(
        &mut self,
        text: &[u8],
        long: &mut impl LongUnits,
        out: &mut Vec<TokenId>,
        each: &mut impl FnMut(Pieces<'_>, &[TokenId]) -> Result<()>,
    ) -> Result<()> {
        let pieces = Pieces { text, starts: &self.starts, ends: &self.ends };
        let before = out.len();
        self.runner.ids(&self.engine, pieces, out, long)?;
        each(pieces, &out[before..])?;
        self.forget();
        Ok(())
    }

    /// Drops the pieces that wait.
    fn forget(&mut self) {
        self.starts.clear();
        self.ends.clear();
    }
}
