//! Encodings whose offsets and words are told when somebody reads them: they follow from the lengths of the tokens and of the
//! pieces, and those of a text are noted as a byte for each piece.
//!
//! For a text that raw bytes cover from its first to its last, and whose pieces the engine took all. Their slow twin is
//! [`super::spans`], which all other texts take.

use std::cell::Cell;
use std::sync::Arc;

use super::positions::Positions;
use crate::encoding::{OffsetUnit, Source};
use crate::ids::TokenId;
use crate::lanes::Engine;
use crate::lanes::covering::{Covering, Pair};
use crate::lanes::places::{Ending, PieceLengths, Places};

/// Longer texts have their columns at once: reading them takes tables as long as the text.
const LONGEST: usize = 1 << 24;

/// A text of which ids and lengths of pieces tell the rest.
#[derive(Debug)]
pub(super) struct Covered {
    /// It knows the lengths of tokens.
    engine: Arc<Engine>,
    /// Nothing where bytes are characters.
    text: Box<str>,
    /// Bytes of the text.
    length: u32,
    pieces: PieceLengths,
}

impl Covered {
    /// Whether offsets of a text can wait, if pieces cover it.
    pub fn can_wait(positions: &Positions<'_>) -> bool {
        let are_counted = positions.is_ascii || positions.unit == OffsetUnit::Char;
        are_counted && positions.text.len() <= LONGEST
    }

    pub fn new(engine: Arc<Engine>, positions: &Positions<'_>, pieces: &PieceLengths) -> Self {
        let text = if positions.is_ascii { "" } else { positions.text };
        let length = positions.text.len() as u32;
        Covered { engine, text: text.into(), length, pieces: pieces.clone() }
    }

    /// The first token of a text that is covered, and nothing known of it but lengths.
    fn begin(&self) -> Option<Covering<'_>> {
        let lengths = self.engine.lengths()?.by_value();
        let ending = Ending::default();
        Some(Covering { lengths, ending, counted: None, begin: 0, at: 0, first: 0, number: 0, step: 0 })
    }
}

thread_local! {
    /// Tables of those who read, so that there is memory for them once, and not for each column.
    static ROOM: Cell<Places> = const { Cell::new(Places::new()) };
}

/// Tables of longer texts are not kept.
const MOST_KEPT: usize = 1 << 16;

impl Covered {
    /// With the tables of the thread.
    fn with_tables(&self, work: impl FnOnce(&mut Places)) {
        let mut tables = ROOM.take();
        work(&mut tables);
        if self.length as usize <= MOST_KEPT {
            ROOM.set(tables);
        }
    }

    fn write_offsets(&self, ids: &[TokenId], out: &mut [impl Pair]) {
        self.with_tables(|tables| {
            let Some(mut covering) = self.begin() else { return };
            covering.counted = (!self.text.is_empty()).then(|| tables.counts.of(self.text.as_bytes()));
            covering.write_offsets(ids, out);
        });
    }

    fn write_words(&self, ids: &[TokenId], out: &mut [impl From<u32>]) {
        self.with_tables(|tables| {
            let Some(mut covering) = self.begin() else { return };
            covering.ending = tables.ends.of_lengths(self.length as usize, &self.pieces);
            covering.step = 1;
            covering.write_words(ids, out);
        });
    }
}

impl Source for Covered {
    fn offsets(&self, ids: &[TokenId], out: &mut [[u32; 2]]) {
        self.write_offsets(ids, out);
    }

    fn wide_offsets(&self, ids: &[TokenId], out: &mut [[i64; 2]]) {
        self.write_offsets(ids, out);
    }

    fn words(&self, ids: &[TokenId], out: &mut [u32]) {
        self.write_words(ids, out);
    }

    fn wide_words(&self, ids: &[TokenId], out: &mut [i64]) {
        self.write_words(ids, out);
    }
}
