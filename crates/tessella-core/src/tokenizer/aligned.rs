//! The full path: ids with offsets, words and token texts, then truncation, special tokens and padding.

use std::sync::Arc;

use super::positions::Positions;
use super::worker::Worker;
use super::{EncodeOptions, Inner, Input, Sequence, Tokenizer};
use crate::encoding::{Encoding, Surfaces, TokenTexts};
use crate::error::Result;
use crate::ids::{Span, TokenId};
use crate::postprocess;
use crate::text::{AlignedText, Piece, Pieces};

/// The growing columns of one sequence.
#[derive(Default)]
struct Columns {
    ids: Vec<TokenId>,
    offsets: Vec<(usize, usize)>,
    words: Vec<u32>,
    surfaces: Surfaces,
}

impl Columns {
    fn push(&mut self, id: TokenId, span: Span, word: u32, positions: &mut Positions<'_>) {
        self.ids.push(id);
        self.offsets.push((positions.convert(span.start), positions.convert(span.end)));
        self.words.push(word);
    }

    /// Gives the token pushed last a text of its own.
    fn name_last(&mut self, text: &str) {
        self.surfaces.push(self.ids.len() - 1, text);
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
            None => postprocess::process_default(first, second),
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
        let Columns { ids, offsets, words, surfaces } = columns;
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
        let mut pieces = self.segments(text, true, options.encode_special_tokens, &mut worker.segments)?;
        let mut positions = Positions::new(text, options.offsets);
        if self.plan.raw_bytes {
            return self.encode_raw_bytes(worker, &pieces, word, options, &mut positions, columns);
        }
        if let Some(pre) = &self.pre_tokenizer {
            pre.pre_tokenize(&mut pieces)?;
        }
        let mut hint = 0;
        for (index, piece) in pieces.pieces().iter().enumerate() {
            if index % 4096 == 4095 {
                options.check_cancelled()?;
            }
            let word = word.unwrap_or(index as u32);
            if let Some(id) = piece.added_id() {
                self.push_added(&pieces, piece, id, word, &mut positions, columns);
                continue;
            }
            let piece_text = pieces.str(piece);
            let map = pieces.map();
            for token in worker.piece_tokens(self.model(), self.plan.cache, piece_text)? {
                let (start, end) = (piece.start + token.start as usize, piece.start + token.end as usize);
                let span = map.span_from(pieces.buffer(), start, end, &mut hint);
                columns.push(token.id, span, word, &mut positions);
                if token.surface {
                    columns.name_last(&pieces.buffer()[start..end]);
                } else if let Some(text) = self.texts.contested_text(token.id) {
                    columns.name_last(text);
                }
            }
        }
        Ok(())
    }

    fn push_added(
        &self,
        pieces: &Pieces<'_>,
        piece: &Piece,
        id: TokenId,
        word: u32,
        positions: &mut Positions<'_>,
        columns: &mut Columns,
    ) {
        let text = pieces.str(piece);
        columns.push(id, pieces.span(piece), word, positions);
        if self.added().token(id).is_none_or(|token| token.content != text) {
            columns.name_last(text);
        }
    }

    /// The same where pieces stay raw bytes up to the model.
    fn encode_raw_bytes(
        &self,
        worker: &mut Worker,
        pieces: &Pieces<'_>,
        word: Option<u32>,
        options: &EncodeOptions<'_>,
        positions: &mut Positions<'_>,
        columns: &mut Columns,
    ) -> Result<()> {
        let (Some(pre), Some(bpe)) = (&self.pre_tokenizer, self.model().as_bpe()) else { return Ok(()) };
        let Some(view) = pre.byte_level_view() else { return Ok(()) };
        let mut index = 0;
        for piece in pieces.pieces() {
            if let Some(id) = piece.added_id() {
                self.push_added(pieces, piece, id, word.unwrap_or(index), positions, columns);
                index += 1;
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
            let mut outcome = Ok(());
            view.for_each_piece(raw, &mut |range| {
                if outcome.is_err() {
                    return;
                }
                if index % 4096 == 4095 {
                    outcome = options.check_cancelled();
                }
                let word = word.unwrap_or(index);
                index += 1;
                match worker.bytes_tokens(bpe, self.plan.cache, &raw.as_bytes()[range.clone()]) {
                    Ok(tokens) => {
                        for token in tokens {
                            let start = offset + range.start + token.start as usize;
                            let end = offset + range.start + token.end as usize;
                            let span = map.span_from(buffer, start, end, &mut hint);
                            columns.push(token.id, span, word, positions);
                            if let Some(text) = self.texts.contested_text(token.id) {
                                columns.name_last(text);
                            }
                        }
                    }
                    Err(error) => outcome = Err(error),
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
