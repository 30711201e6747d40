//! Tokens of one text on their way into the columns: of many words or units at once, where the worker has seen so much text that
//! it takes them, or one by one, as the driver hands its parts over.

use std::ops::Range;
use std::sync::Arc;

use super::EncodeOptions;
use super::columns::Columns;
use super::packed::{self, Next, Packed, Placed, Text};
use super::positions::Positions;
use super::settled;
use super::spans::{self, Mapped, Spans};
use super::unit_lanes::UnitLanes;
use super::units::{self, Telling, Units};
use super::word_lanes::TakesWords;
use super::word_solver::Solver;
use super::words::Words;
use super::worker::Worker;
use super::written_places::WrittenTokens;
use crate::added::{AddedVocabulary, Segment};
use crate::error::Result;
use crate::ids::{Span, TokenId};
use crate::lanes::Pieces;
use crate::lanes::places::Places;

/// The tokens of one text on their way into the columns.
pub(super) struct Tokens<'r, 'o> {
    pub added: &'r AddedVocabulary,
    pub columns: &'r mut Columns,
    pub positions: Positions<'r>,
    pub options: &'r EncodeOptions<'o>,
    /// The word of everything, if it is not the number of the word in this text.
    pub fixed: Option<u32>,
    /// Words so far.
    pub words: u32,
    /// Tokens before those of the text.
    pub before: usize,
    /// Room for words with the places of their tokens.
    pub packed: Vec<u32>,
    pub places: Places,
}

impl<'r> Tokens<'r, '_> {
    /// The number of the word that began last.
    #[inline]
    pub fn current_word(&self) -> u32 {
        self.fixed.unwrap_or(self.words.wrapping_sub(1))
    }

    /// A word that is an added token.
    pub fn push_added(&mut self, text: &str, span: Span, id: TokenId) {
        self.words += 1;
        let word = self.current_word();
        self.columns.added.push(self.columns.ids.len());
        self.columns.push(id, span, word, &mut self.positions);
        if self.added.token(id).is_none_or(|token| token.content != text) {
            self.columns.name_last(text);
        }
    }

    /// Appends the tokens of a text by its words; false, with nothing appended, if it must take the other way.
    pub fn by_words(
        &mut self,
        worker: &mut Worker,
        words: &Arc<Words>,
        text: &str,
        segments: &mut Vec<Segment>,
    ) -> Result<bool> {
        worker.expect_words(words, true, text.len());
        let Some(mut lanes) = worker.packed_words.take() else { return Ok(false) };
        self.added.split_raw(text, self.options.encode_special_tokens, segments);
        self.before = self.columns.ids.len();
        let outcome = lanes.append(segments, text, &mut worker.scratch, self);
        worker.packed_words = Some(lanes);
        self.packed.clear();
        if !matches!(outcome, Ok(true)) {
            self.begin_anew();
        }
        outcome
    }

    /// Takes back all tokens of the text.
    fn begin_anew(&mut self) {
        self.columns.truncate(self.before);
        self.words = 0;
    }

    /// Appends the tokens of a text by its units; false, with nothing appended, if it must take the other way.
    pub fn by_units(
        &mut self,
        worker: &mut Worker,
        units: &Arc<Units>,
        text: &str,
        segments: &mut Vec<Segment>,
    ) -> Result<bool> {
        if text.len() > units::LONGEST_TEXT {
            return Ok(false);
        }
        worker.expect_units(units, text.len());
        let Some(mut lanes) = worker.units.take() else { return Ok(false) };
        self.before = self.columns.ids.len();
        let units = lanes.units().clone();
        let outcome = match units.places() {
            Some(Telling::All) if text.len() > settled::LONGEST_TEXT => Ok(false),
            Some(told) => {
                self.added.split_raw(text, self.options.encode_special_tokens, segments);
                let _own = units.begin(text.len(), self.options);
                self.segments_by_units(&mut lanes, told, text, segments, worker)
            }
            None => Ok(false),
        };
        worker.units = Some(lanes);
        if !matches!(outcome, Ok(true)) {
            self.begin_anew();
        }
        outcome
    }

    fn segments_by_units(
        &mut self,
        lanes: &mut UnitLanes,
        telling: Telling<'_>,
        text: &str,
        segments: &[Segment],
        worker: &mut Worker,
    ) -> Result<bool> {
        for segment in segments {
            if let Some(id) = segment.id {
                TakesWords::added(self, segment, id)?;
                continue;
            }
            self.words += 1;
            let number = self.current_word();
            let segment = segment.range.clone();
            let Columns { ids, offsets, words, surfaces, .. } = &mut *self.columns;
            let (positions, places) = (&mut self.positions, &mut self.places);
            let mut spans = Spans { offsets, words, positions, places, number, step: 0 };
            let (raw, at_start, scratch) = (&text[segment.clone()], segment.start == 0, &mut worker.scratch);
            let (first, mut is_empty) = (ids.len(), false);
            let is_told = match telling {
                Telling::Each(told) => {
                    let lead = told.lead(raw, at_start);
                    lanes.append((raw, at_start), true, self.options, scratch, ids, |pieces, ids| {
                        // A text that has marks of its own is written in another length.
                        pieces.text.len() == segment.len() + lead as usize
                            && spans.of_units(pieces, ids, (told, lead), segment.start)
                    })
                }
                Telling::All => lanes.append_all(raw, self.options, scratch, ids, |written, ids| {
                    is_empty = written.text.is_empty();
                    spans.of_written(written, ids, segment.clone(), first, surfaces)
                }),
            };
            if !is_told? {
                return Ok(false);
            }
            // What is nothing when normalized is no word.
            self.words -= u32::from(is_empty);
        }
        Ok(true)
    }

    /// Appends the tokens of words from what was packed; false if that does not tell them all.
    fn unpack(
        &mut self,
        numbers: &[u32],
        words: Pieces<'_>,
        origin: usize,
        solver: &mut Solver<'_>,
    ) -> Result<bool> {
        let mut counts = std::mem::take(&mut self.places.counts);
        let mut opened = std::mem::take(&mut self.places.opened);
        opened.clear();
        if solver.has_parts {
            words.note_opened(&mut opened);
        }
        let mapped = self.spans().map(words, origin, &mut counts);
        let outcome = self.unpack_mapped(numbers, (words, &opened), (origin, mapped), solver);
        (self.places.counts, self.places.opened) = (counts, opened);
        outcome
    }

    /// What grows with the words of pieces.
    fn spans(&mut self) -> Spans<'_, 'r> {
        let Columns { offsets, words, .. } = &mut *self.columns;
        let (number, step) = self.fixed.map_or((self.words, 1), |word| (word, 0));
        Spans { offsets, words, positions: &mut self.positions, places: &mut self.places, number, step }
    }

    fn unpack_mapped(
        &mut self,
        numbers: &[u32],
        (words, opened): (Pieces<'_>, &[u32]),
        origin: (usize, Option<Mapped<'_>>),
        solver: &mut Solver<'_>,
    ) -> Result<bool> {
        let mut numbers = numbers;
        let mut word = 0;
        loop {
            // Nearly all words, many at a time.
            let (short, rest) = numbers.split_at(packed::count_short(numbers));
            if !short.is_empty() {
                let goes_on = word > 0 && opened.get(word).is_some_and(|&count| count == opened[word - 1]);
                let mut ids = std::mem::take(&mut self.columns.ids);
                let mut spans = self.spans();
                // The word of a part that goes on has begun.
                spans.number = spans.number.saturating_sub(u32::from(goes_on) & spans.step);
                let opened = opened.get(word..).unwrap_or_default();
                let some = spans::Packed { words: words.from(word), opened };
                word += spans.of_packed(some, short, &mut ids, origin.0, origin.1);
                let number = spans.number;
                self.columns.ids = ids;
                if self.fixed.is_none() {
                    self.words = number;
                }
            }
            // And one that is written out.
            let one = words.from(word).first(1);
            if one.starts.is_empty() || one.ends.is_empty() {
                return Ok(true);
            }
            if let Some((&packed::TRAP, behind)) = rest.split_first() {
                if solver.is_trap()? {
                    return Ok(false);
                }
                numbers = behind;
                continue;
            }
            if let Some(behind) = packed::behind_odd(rest)
                && origin.0 + one.starts[0] as usize == 0
            {
                let found = solver.first_word(one.piece(0))?.to_vec();
                // An added token may be in it, besides.
                let told = found.strip_prefix(&[packed::TRAP]).unwrap_or(&found);
                if packed::behind_odd(told).is_some()
                    || !self.unpack_mapped(&found, (one, &[]), origin, solver)?
                {
                    return Ok(false);
                }
                word += 1;
                numbers = behind;
                continue;
            }
            let mut packed = Packed::new(rest);
            if !self.unpack_one(&mut packed, one, origin, solver)? {
                return Ok(false);
            }
            word += 1;
            numbers = packed.rest();
        }
    }

    /// The same for a word that is written out.
    fn unpack_one(
        &mut self,
        packed: &mut Packed<'_>,
        word: Pieces<'_>,
        (origin, mapped): (usize, Option<Mapped<'_>>),
        solver: &mut Solver<'_>,
    ) -> Result<bool> {
        let (first_byte, last_byte) = (word.starts[0], word.ends[0]);
        let all = self.positions.text;
        let base = origin + first_byte as usize;
        let first = self.columns.ids.len();
        let mut has_read = false;
        loop {
            let Placed { id, start, end, opens, text, is_last } = match packed.next() {
                Some(Next::Token(token)) => token,
                Some(Next::Nothing) => break,
                Some(Next::Odd) | None => return Ok(false),
            };
            self.words += u32::from(opens);
            let number = self.current_word();
            match mapped {
                Some(mapped) => {
                    let Columns { ids, offsets, words, .. } = &mut *self.columns;
                    ids.push(id);
                    offsets.push((mapped.before(first_byte + start), mapped.before(first_byte + end)));
                    words.push(number);
                }
                None => {
                    let span = Span::new(base + start as usize, base + end as usize);
                    self.columns.push(id, span, number, &mut self.positions);
                }
            }
            let place = || all.get(base + start as usize..base + end as usize);
            let name = match text {
                Text::Vocabulary => None,
                Text::Stands => place(),
                Text::Told => place().and_then(|place| solver.told(place)),
                Text::Read => {
                    has_read = true;
                    None
                }
            };
            match (text, name) {
                (_, Some(name)) => self.columns.name_last(name),
                (Text::Stands | Text::Told, None) => return Ok(false),
                (Text::Vocabulary | Text::Read, None) => {}
            }
            if is_last {
                break;
            }
        }
        if has_read {
            let bytes = word.text.get(first_byte as usize..last_byte as usize).unwrap_or_default();
            for (index, text) in solver.surfaces(bytes)? {
                self.columns.surfaces.push(first + index, text);
            }
        }
        Ok(true)
    }
}

impl TakesWords for Tokens<'_, '_> {
    fn added(&mut self, segment: &Segment, id: TokenId) -> Result<()> {
        let Range { start, end } = segment.range;
        self.push_added(self.positions.text(start..end), Span::new(start, end), id);
        Ok(())
    }

    fn room(&mut self) -> &mut Vec<u32> {
        &mut self.packed
    }

    fn written(&mut self, tokens: &WrittenTokens<'_>, origin: usize) -> bool {
        let Columns { ids, offsets, words, surfaces, .. } = &mut *self.columns;
        let (number, step) = self.fixed.map_or((self.words, 1), |word| (word, 0));
        let (positions, places) = (&mut self.positions, &mut self.places);
        let mut spans = Spans { offsets, words, positions, places, number, step };
        let is_told = spans.of_written_words(tokens, origin, ids, surfaces);
        if self.fixed.is_none() {
            self.words = spans.number;
        }
        is_told
    }

    fn take_back(&mut self, _: usize) {
        self.begin_anew();
    }

    fn words(&mut self, words: Pieces<'_>, origin: usize, solver: &mut Solver<'_>) -> Result<bool> {
        let mut numbers = std::mem::take(&mut self.packed);
        let outcome = self.unpack(&numbers, words, origin, solver);
        numbers.clear();
        self.packed = numbers;
        self.options.check_cancelled()?;
        outcome
    }
}
