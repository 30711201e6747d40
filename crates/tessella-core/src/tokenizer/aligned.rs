//! The full path: ids with offsets, words and token texts, then truncation, special tokens and padding.

use std::ops::Range;
use std::sync::Arc;

use super::brief::Key;
use super::columns::Columns;
use super::drive::{Sink, Source, Walk, one_by_one};
use super::positions::Positions;
use super::spans::Spans;
use super::tokens::Tokens;
use super::untold::Covered;
use super::way::{Reader, Reads};
use super::worker::Worker;
use super::{EncodeOptions, Inner, Input, Sequence, Tokenizer};
use crate::encoding::{Encoding, TokenTexts};
use crate::error::Result;
use crate::ids::{Span, TokenId};
use crate::lanes::{Given, Pieces};
use crate::memory;
use crate::postprocess;
use crate::pretokenize::ByteLevelView;
use crate::text::Piece;

/// Texts of more bytes have columns that grow several times.
const LONG: usize = 1 << 13;

/// Parts between two looks at the cancel flag.
const CHECK_EVERY: usize = 4096;

impl Tokenizer {
    /// All columns of a text or a pair.
    pub fn encode(&self, input: &Input<'_>, options: &EncodeOptions<'_>) -> Result<Encoding> {
        memory::ask(input.size(), memory::FOR_COLUMNS)?;
        self.inner.workers.with(|worker| self.inner.encode_with(worker, input, options))
    }

    /// Truncates, post-processes and pads what is already encoded.
    pub fn post_process(
        &self,
        first: Encoding,
        second: Option<Encoding>,
        options: &EncodeOptions<'_>,
    ) -> Result<Encoding> {
        self.inner.post_process(first, second, options)
    }
}

impl Inner {
    pub(super) fn encode_with(
        &self,
        worker: &mut Worker,
        input: &Input<'_>,
        options: &EncodeOptions<'_>,
    ) -> Result<Encoding> {
        let _work = worker.begin(input.size(), options);
        let first = self.encode_sequence(worker, &input.first, 0, options)?;
        let second = match &input.second {
            Some(sequence) => Some(self.encode_sequence(worker, sequence, 1, options)?),
            None => None,
        };
        self.post_process(first, second, options)
    }

    fn post_process(
        &self,
        first: Encoding,
        second: Option<Encoding>,
        options: &EncodeOptions<'_>,
    ) -> Result<Encoding> {
        let (first, second) = match options.truncation {
            Some(truncation) => {
                let reserved = match &self.post_processor {
                    Some(post) if options.add_special_tokens => post.added_tokens(second.is_some()),
                    _ => 0,
                };
                postprocess::truncate(first, second, truncation, reserved)?
            }
            None => (first, second),
        };
        let mut whole = match &self.post_processor {
            Some(post) => post.process(first, second, options.add_special_tokens)?,
            None => postprocess::process_default(first, second)?,
        };
        if let Some(padding) = options.padding {
            postprocess::pad(std::slice::from_mut(&mut whole), padding)?;
        }
        Ok(whole)
    }

    fn encode_sequence(
        &self,
        worker: &mut Worker,
        sequence: &Sequence<'_>,
        type_id: u32,
        options: &EncodeOptions<'_>,
    ) -> Result<Encoding> {
        let room = std::mem::take(&mut worker.columns);
        let mut columns = Columns::in_room(std::mem::take(&mut worker.room), room);
        let outcome = match sequence {
            Sequence::Text(text) => {
                // Short columns grow once, when it is known how far.
                let expected = if text.len() > LONG { text.len() / 3 } else { 0 };
                columns.offsets.reserve(expected);
                columns.words.reserve(expected);
                self.encode_text(worker, text, None, options, &mut columns)
            }
            Sequence::Words(words) => (0..).zip(words.iter()).try_for_each(|(number, word)| {
                self.encode_word(worker, (word, number), options, &mut columns)
            }),
        };
        // Special tokens are put around them.
        let more = match &self.post_processor {
            Some(post) if options.add_special_tokens => post.added_tokens(false),
            _ => 0,
        };
        (worker.room, worker.columns) = columns.leave_room(more, self.plan.words.is_some());
        outcome?;
        let vocabulary: Arc<dyn TokenTexts> = self.texts.clone();
        if self.texts.has_contested() {
            columns.name_contested(&self.texts);
        }
        let Columns { ids, offsets, words, surfaces: mut growing, untold, .. } = columns;
        let surfaces = growing.take();
        worker.columns.keep(growing);
        Ok(match untold {
            Some(untold) => Encoding::from_untold(ids, untold, type_id, vocabulary, surfaces),
            None => Encoding::from_tokens(ids, offsets, words, type_id, vocabulary, surfaces),
        })
    }

    /// Appends the tokens of a word of a list, which may be known from the last time.
    #[inline]
    fn encode_word(
        &self,
        worker: &mut Worker,
        (word, number): (&str, u32),
        options: &EncodeOptions<'_>,
        columns: &mut Columns,
    ) -> Result<()> {
        let key = self.plan.remembered_as.and_then(|of| Key::new(of, word, options.encode_special_tokens));
        let key = key.map(|key| key.with_offsets(options.offsets));
        if key.is_some_and(|key| worker.listed.recall(&key, number, columns)) {
            let is_turn = (number as usize).is_multiple_of(CHECK_EVERY);
            return if is_turn { options.check_cancelled() } else { Ok(()) };
        }
        let first = columns.ids.len();
        self.encode_text(worker, word, Some(number), options, columns)?;
        if let Some(key) = key {
            worker.listed.remember(key, first, columns);
        }
        Ok(())
    }

    /// Appends the tokens of one text. Words are numbered by piece, or all get the given number.
    fn encode_text(
        &self,
        worker: &mut Worker,
        text: &str,
        word: Option<u32>,
        options: &EncodeOptions<'_>,
        columns: &mut Columns,
    ) -> Result<()> {
        let way = &self.plan.way;
        let walk = Walk { tracked: true, specials_as_text: options.encode_special_tokens };
        worker.expect_text(&way.reader, text.len());
        let mut segments = std::mem::take(&mut worker.segments);
        let mut tokens = Tokens {
            added: self.added(),
            columns,
            positions: Positions::new(text, options.offsets),
            options,
            fixed: word,
            words: 0,
            before: 0,
            packed: std::mem::take(&mut worker.packed),
            places: std::mem::take(&mut worker.places),
        };
        let by_words = match &self.plan.words {
            Some(words) => tokens.by_words(worker, words, text, &mut segments.raw),
            None => Ok(false),
        };
        worker.packed = std::mem::take(&mut tokens.packed);
        let by_units = match (&by_words, &self.plan.units) {
            (Ok(false), Some(units)) => tokens.by_units(worker, units, text, &mut segments.raw),
            _ => by_words,
        };
        let mut sink = Aligned { reader: &way.reader, worker, tokens, until_check: CHECK_EVERY };
        let outcome = match by_units {
            Ok(false) => self.drive(&way.cut, text, walk, &mut segments, &mut sink),
            done => done.map(|_| ()),
        };
        let Aligned { worker, tokens, .. } = sink;
        worker.places = tokens.places;
        worker.segments = segments;
        outcome
    }
}

/// The sink that keeps all columns.
struct Aligned<'r, 'o> {
    reader: &'r Reader,
    worker: &'r mut Worker,
    tokens: Tokens<'r, 'o>,
    /// Parts before the next look at the cancel flag.
    until_check: usize,
}

impl Aligned<'_, '_> {
    /// Gives the tokens of a part, from column `first` on, the texts that the model read.
    #[cold]
    fn name_tokens(&mut self, part: &str, first: usize) -> Result<()> {
        let surfaces = &mut self.tokens.columns.surfaces;
        self.worker.for_each_surface(self.reader, part, |index, text| surfaces.push(first + index, text))
    }
}

impl Sink for Aligned<'_, '_> {
    #[inline]
    fn word(&mut self) {
        self.tokens.words += 1;
    }

    #[inline]
    fn part(&mut self, source: &Source<'_>, range: Range<usize>) -> Result<()> {
        self.until_check -= 1;
        if self.until_check == 0 {
            self.until_check = CHECK_EVERY;
            self.tokens.options.check_cancelled()?;
        }
        let word = self.tokens.current_word();
        let part = (source.buffer, range.clone());
        let Tokens { columns, positions, .. } = &mut self.tokens;
        let first = columns.ids.len();
        let mut named = false;
        for token in self.worker.tokens(self.reader, part)? {
            let (start, end) = (range.start + token.start as usize, range.start + token.end as usize);
            columns.push(token.id, source.token_span(start, end, &range), word, positions);
            named |= token.surface;
        }
        // No token of bytes is named so.
        if named { self.name_tokens(&source.buffer[range], first) } else { Ok(()) }
    }

    fn raw_bytes(&mut self, source: &Source<'_>, range: Range<usize>, view: &ByteLevelView) -> Result<()> {
        let text = &source.buffer[range.clone()];
        let (Reads::Bytes(bpe), Some(mut lanes)) = (&self.reader.reads, self.worker.take_lanes(text)) else {
            return one_by_one(self, source, range, view);
        };
        let engine = lanes.engine().clone();
        let Some(lengths) = engine.lengths() else {
            self.worker.lanes = Some(lanes);
            return one_by_one(self, source, range, view);
        };
        let Tokens { columns, positions, options, fixed, words: number, places, .. } = &mut self.tokens;
        let Columns { ids, offsets, words, untold, .. } = &mut **columns;
        let mut masked = view.masked(text);
        let is_first = ids.is_empty() && fixed.is_none();
        if masked.is_some() && is_first && Covered::can_wait(positions, source, &range) {
            let mut noted = std::mem::take(&mut self.worker.noted);
            noted.clear();
            let note = |pieces: Pieces<'_>, _: &[TokenId]| {
                noted.pieces.push(pieces);
                options.check_cancelled()
            };
            let outcome = lanes.append(view, (text, masked.as_mut()), self.worker, bpe, ids, note);
            *untold = Some(Arc::new(Covered::new(engine, positions, &noted)));
            self.worker.noted = noted;
            self.worker.lanes = Some(lanes);
            return outcome;
        }
        let step = u32::from(fixed.is_none());
        let mut spans = Spans { offsets, words, positions, places, number: fixed.unwrap_or(*number), step };
        let each = |pieces: Pieces<'_>, ids: &[TokenId]| {
            let span = |start, end| source.span(range.start + start, range.start + end);
            spans.of_ids(pieces, ids, lengths, |from| source.stands(&range, from), span);
            options.check_cancelled()
        };
        let outcome = lanes.append(view, (text, masked.as_mut()), self.worker, bpe, ids, each);
        if fixed.is_none() {
            *number = spans.number;
        }
        self.worker.lanes = Some(lanes);
        outcome
    }

    fn between(&mut self, source: &Source<'_>, stretches: &[Piece], view: &ByteLevelView) -> Result<bool> {
        let text = source.buffer;
        let (2.., Reads::Bytes(bpe)) = (stretches.len(), &self.reader.reads) else { return Ok(false) };
        let Some(mut lanes) = self.worker.take_lanes(text) else { return Ok(false) };
        let engine = lanes.engine().clone();
        let Some(lengths) = engine.lengths() else {
            self.worker.lanes = Some(lanes);
            return Ok(false);
        };
        let Tokens { added, columns, positions, options, fixed, words: number, places, .. } =
            &mut self.tokens;
        let Columns { ids, offsets, words, surfaces, added: places_of_added, untold } = &mut **columns;
        let step = u32::from(fixed.is_none());
        let mut spans = Spans { offsets, words, positions, places, number: fixed.unwrap_or(*number), step };
        let mut told = ids.len();
        let mut noted = std::mem::take(&mut self.worker.noted);
        noted.clear();
        let is_first = told == 0 && fixed.is_none();
        let waits = is_first && Covered::can_wait(spans.positions, source, &(0..text.len()));
        let each = |pieces: Pieces<'_>, given: &Given, ids: &[TokenId]| {
            let stands = |from| source.stands(&(0..text.len()), from);
            let span = |start, end| source.span(start, end);
            let mut piece = 0;
            for (at, place) in given.written() {
                let content = pieces.range(at);
                if waits {
                    noted.added.push((place as u32, content.len() as u32));
                } else {
                    let between = pieces.from(piece).first(at - piece);
                    spans.of_ids(between, &ids[told..place], lengths, stands, span);
                    spans.word(source.span(content.start, content.end));
                }
                places_of_added.push(place);
                if added.token(ids[place]).is_none_or(|token| token.content != text[content.clone()]) {
                    surfaces.push(place, &text[content]);
                }
                (piece, told) = (at + 1, place + 1);
            }
            if waits {
                noted.pieces.push(pieces);
            } else {
                spans.of_ids(pieces.from(piece), &ids[told..], lengths, stands, span);
            }
            told = ids.len();
            options.check_cancelled()
        };
        let outcome = lanes.append_between(view, (text, stretches), self.worker, bpe, ids, each);
        if fixed.is_none() {
            *number = spans.number;
        }
        if waits && matches!(outcome, Ok(true)) {
            *untold = Some(Arc::new(Covered::new(engine, positions, &noted)));
        }
        self.worker.noted = noted;
        self.worker.lanes = Some(lanes);
        outcome
    }

    fn added(&mut self, text: &str, span: impl FnOnce() -> Span, id: TokenId) -> Result<()> {
        self.tokens.push_added(text, span(), id);
        Ok(())
    }
}
