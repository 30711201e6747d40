//! Encodings whose offsets and words are told when somebody reads them: they follow from the lengths of the tokens and of the
//! pieces, and those of a text are noted as a byte for each piece.
//!
//! For a text that raw bytes and added tokens cover from its first byte to its last, and whose pieces the engine took all. Their slow
//! twin is [`super::spans`], which all other texts take.

use std::cell::Cell;
use std::ops::Range;
use std::sync::Arc;

use super::drive::Source;
use super::positions::Positions;
use crate::encoding::{OffsetUnit, Untold};
use crate::ids::TokenId;
use crate::lanes::Engine;
use crate::lanes::covering::{Covering, Pair};
use crate::lanes::places::{Ending, PieceLengths, Places};
use crate::scale::or_for_fuzzers;

/// Shorter texts have their columns at once, too: noting costs as much as telling.
const SHORTEST: usize = or_for_fuzzers(256, 8);

/// Longer texts have their columns at once as well: whether there is memory for these is asked before a text is encoded.
const LONGEST: usize = 1 << 20;

/// What is noted of a text while it is encoded.
#[derive(Debug, Clone, Default)]
pub(super) struct Noted {
    /// Added tokens are pieces.
    pub pieces: PieceLengths,
    /// Of each added token which one it is, and its bytes.
    pub added: Vec<(u32, u32)>,
}

/// A text of which ids and what was noted tell the rest.
#[derive(Debug)]
pub(super) struct Covered {
    /// It knows the lengths of tokens.
    engine: Arc<Engine>,
    /// Nothing where bytes are characters.
    text: Box<str>,
    /// Bytes of the text.
    length: u32,
    noted: Noted,
}

impl Noted {
    pub fn clear(&mut self) {
        self.pieces.clear();
        self.added.clear();
    }
}

impl Covered {
    /// Whether the columns of a text can wait of which tokens cover a range.
    pub fn can_wait(positions: &Positions<'_>, source: &Source<'_>, range: &Range<usize>) -> bool {
        let are_counted = positions.is_ascii || positions.unit == OffsetUnit::Char;
        let fits = (SHORTEST..=LONGEST).contains(&positions.text.len());
        are_counted && fits && source.is_original(range, positions.text)
    }

    pub fn new(engine: Arc<Engine>, positions: &Positions<'_>, noted: &Noted) -> Self {
        let text = if positions.is_ascii { "" } else { positions.text };
        let length = positions.text.len() as u32;
        Covered { engine, text: text.into(), length, noted: noted.clone() }
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

    /// Goes through the tokens: those of the model many at a time, and added ones, whose bytes are told, one by one.
    fn each<T>(
        &self,
        ids: &[TokenId],
        out: &mut [T],
        mut write: impl FnMut(&[TokenId], Option<u32>, &mut [T]),
    ) {
        let mut done = 0;
        let (ids_of, count) = (|from: usize, to: usize| ids.get(from..to).unwrap_or_default(), ids.len());
        for &(token, bytes) in &self.noted.added {
            let token = token as usize;
            for (from, to, added) in [(done, token, None), (token, token + 1, Some(bytes))] {
                write(ids_of(from, to), added, out.get_mut(from..to).unwrap_or_default());
            }
            done = token + 1;
        }
        write(ids_of(done, count), None, out.get_mut(done..).unwrap_or_default());
    }

    fn write_offsets(&self, ids: &[TokenId], out: &mut [impl Pair]) {
        self.with_tables(|tables| {
            let Some(mut covering) = self.begin() else { return };
            covering.counted = (!self.text.is_empty()).then(|| tables.counts.of(self.text.as_bytes()));
            self.each(ids, out, |ids, added, out| match added {
                None => covering.write_offsets(ids, out),
                Some(bytes) => out.iter_mut().for_each(|out| *out = Pair::of(covering.one_of(bytes).0)),
            });
        });
    }

    fn write_words(&self, ids: &[TokenId], out: &mut [impl From<u32>]) {
        self.with_tables(|tables| {
            let Some(mut covering) = self.begin() else { return };
            covering.ending = tables.ends.of_lengths(self.length as usize, &self.noted.pieces);
            covering.step = 1;
            self.each(ids, out, |ids, added, out| match added {
                None => covering.write_words(ids, out),
                Some(bytes) => out.iter_mut().for_each(|out| *out = covering.one_of(bytes).1.into()),
            });
        });
    }
}

impl Untold for Covered {
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
