//! The full path: ids with offsets, words and token texts, then truncation, special tokens and padding.

use std::ops::Range;
use std::sync::Arc;

use super::plan::Way;
use super::positions::Positions;
use super::spelling::{Reading, RespelledUnits, without_prefix};
use super::worker::Worker;
use super::{EncodeOptions, Inner, Input, Sequence, Texts, Tokenizer};
use crate::cancel::Cancel;
use crate::encoding::{Encoding, Surfaces, TokenTexts};
use crate::error::Result;
use crate::ids::{Span, TokenId};
use crate::limits;
use crate::model::bpe::Bpe;
use crate::postprocess;
use crate::pretokenize::ByteLevelView;
use crate::text::{AlignedText, Alignment, Piece, Pieces};

/// Pieces between two looks at the cancel flag.
const CHECK_EVERY: usize = 4096;

/// The growing columns of one sequence.
#[derive(Default)]
struct Columns {
    ids: Vec<TokenId>,
    offsets: Vec<(usize, usize)>,
    words: Vec<u32>,
    surfaces: Surfaces,
    /// Which of the tokens are added ones, ascending.
    added: Vec<usize>,
}

impl Columns {
    #[inline]
    fn push(&mut self, id: TokenId, span: Span, word: u32, positions: &mut Positions<'_>) {
        self.ids.push(id);
        self.offsets.push((positions.convert(span.start), positions.convert(span.end)));
        self.words.push(word);
    }

    /// Gives the token pushed last a text of its own.
    fn name_last(&mut self, text: &str) {
        self.surfaces.push(self.ids.len() - 1, text);
    }

    /// Gives tokens of the model whose id an added token also has the model's text.
    #[cold]
    fn name_contested(&mut self, texts: &Texts) {
        let given = std::mem::take(&mut self.surfaces);
        for (index, &id) in self.ids.iter().enumerate() {
            let of_model = || texts.contested_text(id).filter(|_| self.added.binary_search(&index).is_err());
            if let Some(text) = given.get(index).or_else(of_model) {
                self.surfaces.push(index, text);
            }
        }
    }
}

impl Tokenizer {
    pub fn encode(&self, input: &Input<'_>, options: &EncodeOptions<'_>) -> Result<Encoding> {
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
        let cancel = Cancel::new(options.cancel);
        worker.scratch.merge.stop_at(cancel.clone());
        let _work = limits::begin(input.size(), cancel);
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
        let mut columns = Columns::default();
        match sequence {
            Sequence::Text(text) => {
                let expected = text.len() / 3 + 8;
                columns.ids.reserve(expected);
                columns.offsets.reserve(expected);
                columns.words.reserve(expected);
                self.encode_text(worker, text, None, options, &mut columns)?;
            }
            Sequence::Words(words) => {
                for (index, word) in words.iter().enumerate() {
                    self.encode_text(worker, word, Some(index as u32), options, &mut columns)?;
                }
            }
        }
        let vocabulary: Arc<dyn TokenTexts> = self.texts.clone();
        if self.texts.has_contested() {
            columns.name_contested(&self.texts);
        }
        let Columns { ids, offsets, words, surfaces, .. } = columns;
        Ok(Encoding::from_tokens(ids, offsets, words, type_id, vocabulary, surfaces))
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
        let mut run = Run {
            inner: self,
            worker,
            columns,
            positions: Positions::new(text, options.offsets),
            options,
            word,
            index: 0,
        };
        if let Way::Respelled(units) = &self.plan.way {
            return run.units(units, text);
        }
        let mut pieces =
            self.segments(text, true, options.encode_special_tokens, &mut run.worker.segments)?;
        let pre = self.pre_tokenizer.as_deref();
        match (&self.plan.way, pre, self.model().as_bpe()) {
            (Way::RawBytes, Some(pre), Some(bpe)) => {
                let Some(view) = pre.byte_level_view() else { return Ok(()) };
                run.raw_bytes(&pieces, &view, bpe)
            }
            (Way::Splits, Some(pre), _) => {
                let Some(view) = pre.split_view() else { return Ok(()) };
                run.splits(&pieces, |text, emit| view.for_each_piece(text, &mut |range| emit(range)), None)
            }
            (Way::Marked(reading), Some(pre), _) => {
                let Some(view) = pre.marked_view() else { return Ok(()) };
                run.splits(
                    &pieces,
                    |text, emit| view.for_each_piece(text, &mut |range| emit(range)),
                    Some(*reading),
                )
            }
            _ => {
                if let Some(pre) = pre {
                    pre.pre_tokenize(&mut pieces)?;
                }
                run.stages(&pieces)
            }
        }
    }
}

/// One text on its way into the columns.
struct Run<'r, 'o> {
    inner: &'r Inner,
    worker: &'r mut Worker,
    columns: &'r mut Columns,
    positions: Positions<'r>,
    options: &'r EncodeOptions<'o>,
    /// The word of all pieces, if it is not their number.
    word: Option<u32>,
    /// Pieces so far.
    index: u32,
}

/// The text that pieces are ranges of, and its way back to the original.
#[derive(Clone, Copy)]
struct Source<'s> {
    buffer: &'s str,
    map: &'s Alignment,
}

impl<'s> Source<'s> {
    fn of(pieces: &'s Pieces<'_>) -> Self {
        Source { buffer: pieces.buffer(), map: pieces.map() }
    }
}

impl Run<'_, '_> {
    /// The word of the next piece.
    #[inline]
    fn next_word(&mut self) -> Result<u32> {
        let index = self.index;
        self.index += 1;
        if index as usize % CHECK_EVERY == CHECK_EVERY - 1 {
            self.options.check_cancelled()?;
        }
        Ok(self.word.unwrap_or(index))
    }

    /// A piece that is an added token.
    fn push_added(&mut self, text: &str, span: Span, id: TokenId) -> Result<()> {
        let word = self.next_word()?;
        self.columns.added.push(self.columns.ids.len());
        self.columns.push(id, span, word, &mut self.positions);
        if self.inner.added().token(id).is_none_or(|token| token.content != text) {
            self.columns.name_last(text);
        }
        Ok(())
    }

    /// Pieces as the stages left them.
    fn stages(&mut self, pieces: &Pieces<'_>) -> Result<()> {
        let source = Source::of(pieces);
        let mut hint = 0;
        for piece in pieces.pieces() {
            match piece.added_id() {
                Some(id) => self.push_added(pieces.str(piece), pieces.span(piece), id)?,
                None => self.piece(source, piece.range(), &mut hint)?,
            }
        }
        Ok(())
    }

    /// Pieces as a view cuts them, written or only read by a rule.
    fn splits(
        &mut self,
        pieces: &Pieces<'_>,
        mut cut: impl FnMut(&str, &mut dyn FnMut(Range<usize>)) -> Result<()>,
        reading: Option<Reading>,
    ) -> Result<()> {
        let source = Source::of(pieces);
        let mut hint = 0;
        for piece in pieces.pieces() {
            if let Some(id) = piece.added_id() {
                self.push_added(pieces.str(piece), pieces.span(piece), id)?;
                continue;
            }
            let mut outcome = Ok(());
            cut(pieces.str(piece), &mut |range| {
                if outcome.is_ok() {
                    let range = piece.start + range.start..piece.start + range.end;
                    outcome = match reading {
                        Some(reading) => self.read_piece(source, range, reading, &mut hint),
                        None => self.piece(source, range, &mut hint),
                    };
                }
            })?;
            outcome?;
        }
        Ok(())
    }

    #[inline]
    fn piece(&mut self, source: Source<'_>, range: Range<usize>, hint: &mut usize) -> Result<()> {
        let word = self.next_word()?;
        let Source { buffer, map } = source;
        let inner = self.inner;
        for token in self.worker.piece_tokens(inner.model(), inner.plan.cache, &buffer[range.clone()])? {
            let (start, end) = (range.start + token.start as usize, range.start + token.end as usize);
            let span = map.span_from(buffer, start, end, hint);
            self.columns.push(token.id, span, word, &mut self.positions);
            if token.surface {
                self.columns.name_last(&buffer[start..end]);
            }
        }
        Ok(())
    }

    #[inline]
    fn read_piece(
        &mut self,
        source: Source<'_>,
        range: Range<usize>,
        reading: Reading,
        hint: &mut usize,
    ) -> Result<()> {
        let word = self.next_word()?;
        let Source { buffer, map } = source;
        let piece = &buffer[range.clone()];
        let first = self.columns.ids.len();
        let mut named = false;
        for token in self.worker.spelled_tokens(self.inner.model(), reading, piece)? {
            let (start, end) = (range.start + token.start as usize, range.start + token.end as usize);
            let span = map.span_from(buffer, start, end, hint);
            self.columns.push(token.id, span, word, &mut self.positions);
            named |= token.surface;
        }
        if named { self.name_read(piece, reading, first) } else { Ok(()) }
    }

    /// Gives the tokens of a piece, from column `first` on, the texts that the model read.
    #[cold]
    fn name_read(&mut self, piece: &str, reading: Reading, first: usize) -> Result<()> {
        let (tokens, text) = self.worker.spelled_again(self.inner.model(), reading, piece)?;
        for (index, token) in tokens.iter().enumerate().filter(|(_, token)| token.surface) {
            self.columns.surfaces.push(first + index, &text[token.start as usize..token.end as usize]);
        }
        Ok(())
    }

    /// A text that is looked up as it is. What stands between added tokens is one piece.
    fn units(&mut self, units: &RespelledUnits, text: &str) -> Result<()> {
        let model = self.inner.model();
        let Some(bpe) = model.as_bpe() else { return Ok(()) };
        let mut segments = std::mem::take(&mut self.worker.segments.raw);
        let mut prefixed = std::mem::take(&mut self.worker.prefixed);
        self.inner.added().split_raw(text, self.options.encode_special_tokens, &mut segments);
        let map = Alignment::identity(0, text.len());
        let reading = units.reading();
        let outcome = segments.iter().try_for_each(|segment| {
            let part = &text[segment.range.clone()];
            let base = segment.range.start;
            if let Some(id) = segment.id {
                return self.push_added(part, Span::new(base, segment.range.end), id);
            }
            let word = self.next_word()?;
            let mut until_check = CHECK_EVERY;
            units.for_each(bpe, part, &mut prefixed, |unit, at| {
                until_check -= 1;
                if until_check == 0 {
                    until_check = CHECK_EVERY;
                    self.options.check_cancelled()?;
                }
                for token in self.worker.spelled_tokens(model, reading, unit)? {
                    let (start, end) = match at {
                        Some(at) => (at + token.start as usize, at + token.end as usize),
                        None => without_prefix(token, part),
                    };
                    let span = map.span_from(text, base + start, base + end, &mut 0);
                    self.columns.push(token.id, span, word, &mut self.positions);
                }
                Ok(())
            })
        });
        self.worker.segments.raw = segments;
        self.worker.prefixed = prefixed;
        outcome
    }

    /// Pieces that stay raw bytes up to the model.
    fn raw_bytes(&mut self, pieces: &Pieces<'_>, view: &ByteLevelView<'_>, bpe: &Bpe) -> Result<()> {
        let cached = self.inner.plan.cache;
        for piece in pieces.pieces() {
            if let Some(id) = piece.added_id() {
                self.push_added(pieces.str(piece), pieces.span(piece), id)?;
                continue;
            }
            let raw = pieces.str(piece);
            // With a space in front, which shares the first character's span, the text has a map of its own.
            let spaced =
                (view.add_prefix_space() && !raw.starts_with(' ')).then(|| space_in_front(pieces, piece));
            let (raw, buffer, map, offset) = match &spaced {
                Some(spaced) => (spaced.as_str(), spaced.as_str(), spaced.map(), 0),
                None => (raw, pieces.buffer(), pieces.map(), piece.start),
            };
            let mut hint = 0;
            let mut cut_piece = |range: Range<usize>| -> Result<()> {
                let word = self.next_word()?;
                for token in self.worker.bytes_tokens(bpe, cached, &raw.as_bytes()[range.clone()])? {
                    let start = offset + range.start + token.start as usize;
                    let end = offset + range.start + token.end as usize;
                    let span = map.span_from(buffer, start, end, &mut hint);
                    self.columns.push(token.id, span, word, &mut self.positions);
                }
                Ok(())
            };
            let mut outcome = Ok(());
            view.for_each_piece(raw, &mut |range| {
                if outcome.is_ok() {
                    outcome = cut_piece(range);
                }
            })?;
            outcome?;
        }
        Ok(())
    }
}

/// A piece with a space in front of it; the space shares the first character's span.
fn space_in_front<'p>(pieces: &'p Pieces<'_>, piece: &Piece) -> AlignedText<'p> {
    let raw = pieces.str(piece);
    let mut map = pieces.map().like();
    map.append(pieces.map(), piece.start, piece.end);
    let mut spaced = AlignedText::from_parts(raw, map);
    spaced.rewrite(|rewriter| {
        rewriter.replace(' ');
        raw.chars().take(1).for_each(|first| rewriter.insert(first));
        rewriter.keep(rewriter.rest().len());
    });
    spaced
}
