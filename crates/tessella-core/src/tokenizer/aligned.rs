//! The full path: ids with offsets, words and token texts, then truncation, special tokens and padding.

use std::ops::Range;
use std::sync::Arc;

use super::drive::{Sink, Source, Walk};
use super::positions::Positions;
use super::way::Reader;
use super::worker::Worker;
use super::{EncodeOptions, Inner, Input, Sequence, Texts, Tokenizer};
use crate::added::AddedVocabulary;
use crate::cancel::Cancel;
use crate::encoding::{Encoding, Surfaces, TokenTexts};
use crate::error::Result;
use crate::ids::{Span, TokenId};
use crate::limits;
use crate::postprocess;

/// Parts between two looks at the cancel flag.
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
    /// All columns of a text or a pair.
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
        let way = &self.plan.way;
        let walk = Walk { tracked: true, specials_as_text: options.encode_special_tokens };
        let mut segments = std::mem::take(&mut worker.segments);
        let mut sink = Aligned {
            reader: &way.reader,
            added: self.added(),
            worker,
            columns,
            positions: Positions::new(text, options.offsets),
            options,
            fixed: word,
            words: 0,
            until_check: CHECK_EVERY,
        };
        let outcome = self.drive(&way.cut, text, walk, &mut segments, &mut sink);
        worker.segments = segments;
        outcome
    }
}

/// The sink that keeps all columns: one text on its way into them.
struct Aligned<'r, 'o> {
    reader: &'r Reader,
    added: &'r AddedVocabulary,
    worker: &'r mut Worker,
    columns: &'r mut Columns,
    positions: Positions<'r>,
    options: &'r EncodeOptions<'o>,
    /// The word of everything, if it is not the number of the word in this text.
    fixed: Option<u32>,
    /// Words so far.
    words: u32,
    /// Parts before the next look at the cancel flag.
    until_check: usize,
}

impl Aligned<'_, '_> {
    /// The number of the word that began last.
    #[inline]
    fn current_word(&self) -> u32 {
        self.fixed.unwrap_or(self.words.wrapping_sub(1))
    }

    /// Gives the tokens of a part, from column `first` on, the texts that the model read.
    #[cold]
    fn name_tokens(&mut self, part: &str, first: usize) -> Result<()> {
        let surfaces = &mut self.columns.surfaces;
        self.worker.for_each_surface(self.reader, part, |index, text| surfaces.push(first + index, text))
    }
}

impl Sink for Aligned<'_, '_> {
    #[inline]
    fn word(&mut self) {
        self.words += 1;
    }

    #[inline]
    fn part(&mut self, source: &Source<'_>, range: Range<usize>) -> Result<()> {
        self.until_check -= 1;
        if self.until_check == 0 {
            self.until_check = CHECK_EVERY;
            self.options.check_cancelled()?;
        }
        let word = self.current_word();
        let part = &source.buffer[range.clone()];
        let first = self.columns.ids.len();
        let mut named = false;
        for token in self.worker.tokens(self.reader, part)? {
            let (start, end) = (range.start + token.start as usize, range.start + token.end as usize);
            self.columns.push(token.id, source.span(start, end), word, &mut self.positions);
            named |= token.surface;
        }
        if named { self.name_tokens(part, first) } else { Ok(()) }
    }

    fn added(&mut self, text: &str, span: impl FnOnce() -> Span, id: TokenId) -> Result<()> {
        self.word();
        let word = self.current_word();
        self.columns.added.push(self.columns.ids.len());
        self.columns.push(id, span(), word, &mut self.positions);
        if self.added.token(id).is_none_or(|token| token.content != text) {
            self.columns.name_last(text);
        }
        Ok(())
    }
}
