//! What training counts: the pieces that a text is cut into before the model sees them.
//!
//! Where a pre-tokenizer has a view (see [`pretokenize`](crate::pretokenize)), pieces are handed over as they
//! stand in the text, or written one at a time into one small buffer, and no list of them is made. Running all
//! stages one after the other is the slow twin that this is tested against.

use std::ops::Range;

use super::drive::{Sink, Source, Walk};
use super::segment::SegmentScratch;
use super::spelling::Spelling;
use super::way::{Cut, Form};
use super::{Inner, Tokenizer};
use crate::cancel::Cancel;
use crate::error::Result;
use crate::ids::{Span, TokenId};
use crate::limits::{self, Work};
use crate::pattern::scan::MaskedPieces;
use crate::portion::Portion;
use crate::pretokenize::byte_alphabet::BYTE_TO_CHAR;
use crate::text::MOST_BYTES;

/// Cuts texts as one tokenizer does, with buffers that are used again: one for each thread.
#[derive(Debug)]
pub struct PieceCutter<'t> {
    inner: &'t Inner,
    segments: SegmentScratch,
    writer: Writer,
    cancel: Cancel,
}

impl Tokenizer {
    /// What hands over every piece of a text, in order: after added tokens, normalisation and pre-tokenization,
    /// exactly as encoding cuts it. The texts of added tokens are pieces too.
    pub fn piece_cutter(&self) -> PieceCutter<'_> {
        PieceCutter {
            inner: &self.inner,
            segments: SegmentScratch::default(),
            writer: Writer::default(),
            cancel: Cancel::never(),
        }
    }
}

impl PieceCutter<'_> {
    /// Stops in the middle of a text as well.
    pub fn stop_at(&mut self, cancel: Cancel) {
        self.cancel = cancel;
    }

    /// Hands over every piece of a text, as [`Tokenizer::piece_cutter`] says.
    pub fn cut(&mut self, text: &str, piece: &mut dyn FnMut(&str)) -> Result<()> {
        self.drive(text, |form, writer| Texts { form, writer, piece })
    }

    /// Cuts a text for a sink.
    pub(super) fn drive<'s, S: Sink>(
        &'s mut self,
        text: &str,
        sink: impl FnOnce(Form, &'s mut Writer) -> S,
    ) -> Result<()> {
        // Some components look at positions in the original text; for all others the way back is not kept.
        let walk = Walk { tracked: self.inner.plan.track_for_pieces, specials_as_text: false };
        let _work = self.begin(text.len());
        let PieceCutter { inner, segments, writer, .. } = self;
        let cut = &inner.plan.into_pieces;
        inner.drive(cut, text, walk, segments, &mut sink(cut.form(), writer))
    }

    /// The pieces of each of some texts, one after the other, where these are found by masks and nothing but the text
    /// decides them; and the writer of pieces.
    pub(super) fn masked_each<'c>(
        &'c mut self,
        texts: &'c Portion,
    ) -> Option<(MaskedPieces<'c>, Form, &'c mut Writer)> {
        let PieceCutter { inner, writer, .. } = self;
        let Cut::RawBytes(view) = &*inner.plan.into_pieces else { return None };
        let is_plain = inner.normalizer.is_none()
            && !inner.added().has_normalized()
            && !view.add_prefix_space()
            && texts.bytes() <= MOST_BYTES;
        // What stands in no text of them stands nowhere.
        if !is_plain || !inner.added().is_absent_raw(texts.joined()) {
            return None;
        }
        Some((view.masked_each(texts)?, inner.plan.into_pieces.form(), writer))
    }

    /// Opens the bill of so many bytes.
    pub(super) fn begin(&self, bytes: usize) -> Work {
        limits::begin(bytes, self.cancel.clone())
    }

    /// What writes pieces as the model reads them.
    pub(super) fn writer(&mut self) -> (Form, &mut Writer) {
        (self.inner.plan.into_pieces.form(), &mut self.writer)
    }
}

/// Writes pieces as the model reads them, into room that is used again.
#[derive(Debug, Default)]
pub(super) struct Writer {
    written: String,
    spelling: Spelling,
}

impl Writer {
    #[inline]
    pub fn write<'w>(&'w mut self, form: Form, piece: &'w str) -> &'w str {
        match form {
            Form::Characters => piece,
            Form::Bytes => in_alphabet(piece, &mut self.written),
            Form::Read(reading) => self.spelling.write(reading, piece),
        }
    }
}

/// The sink that hands over the texts of pieces, as the model reads them.
struct Texts<'s, 'p> {
    form: Form,
    writer: &'s mut Writer,
    piece: &'p mut dyn FnMut(&str),
}

impl Sink for Texts<'_, '_> {
    #[inline]
    fn word(&mut self) {}

    #[inline]
    fn part(&mut self, source: &Source<'_>, range: Range<usize>) -> Result<()> {
        (self.piece)(self.writer.write(self.form, &source.buffer[range]));
        Ok(())
    }

    fn added(&mut self, text: &str, _: impl FnOnce() -> Span, _: TokenId) -> Result<()> {
        if !text.is_empty() {
            (self.piece)(text);
        }
        Ok(())
    }
}

/// Writes the bytes of a text in the printable alphabet.
fn in_alphabet<'w>(raw: &str, written: &'w mut String) -> &'w str {
    written.clear();
    let mut copied = 0;
    for (at, &byte) in raw.as_bytes().iter().enumerate() {
        // These stand for themselves, so what lies between others is copied as it is.
        if !byte.is_ascii_graphic() {
            if let Some(run) = raw.get(copied..at) {
                written.push_str(run);
            }
            written.push(BYTE_TO_CHAR[usize::from(byte)]);
            copied = at + 1;
        }
    }
    written.push_str(raw.get(copied..).unwrap_or(""));
    written
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::{
        AddedToken, ModelSpec, NormalizerSpec, PreTokenizerSpec, PrependScheme, TokenizerSpec, Vocab,
        WordLevelSpec,
    };

    fn slowly(tokenizer: &Tokenizer, text: &str) -> Vec<String> {
        let inner = &tokenizer.inner;
        let mut pieces = inner.segments(text, false, &mut SegmentScratch::default()).unwrap();
        if let Some(pre_tokenizer) = &inner.pre_tokenizer {
            pre_tokenizer.pre_tokenize(&mut pieces).unwrap();
        }
        pieces.pieces().iter().map(|one| pieces.str(one).to_string()).filter(|one| !one.is_empty()).collect()
    }

    #[test]
    fn like_running_all_stages() {
        let byte_level = |add_prefix_space, use_regex| PreTokenizerSpec::ByteLevel {
            add_prefix_space,
            use_regex,
            trim_offsets: true,
        };
        let metaspace = |prepend, split| PreTokenizerSpec::Metaspace { replacement: '▁', prepend, split };
        let pre_tokenizers = [
            None,
            Some(PreTokenizerSpec::Bert),
            Some(PreTokenizerSpec::Whitespace),
            Some(byte_level(false, true)),
            Some(byte_level(true, true)),
            Some(byte_level(true, false)),
            Some(metaspace(PrependScheme::Always, true)),
            Some(metaspace(PrependScheme::First, true)),
            Some(metaspace(PrependScheme::Never, true)),
            Some(metaspace(PrependScheme::Always, false)),
            Some(PreTokenizerSpec::Sequence(vec![
                PreTokenizerSpec::WhitespaceSplit,
                byte_level(false, false),
            ])),
            Some(PreTokenizerSpec::Sequence(vec![
                PreTokenizerSpec::WhitespaceSplit,
                metaspace(PrependScheme::Always, true),
            ])),
        ];
        let texts = [
            "",
            " ",
            "one  two\n",
            "<x> a<x>b <x>",
            "<x>",
            "Ünïcode ﬁ ▁mark  ▁▁ 漢字😀\u{85}\u{0}",
            "don't 123 \t\r\n x",
        ];
        let vocab = Vocab::from_entries([("<x>", 0), ("a", 1)]).unwrap();
        for pre_tokenizer in pre_tokenizers {
            for normalizer in [None, Some(NormalizerSpec::Nfkc), Some(NormalizerSpec::Lowercase)] {
                let model = WordLevelSpec { vocab: vocab.clone().into(), unk_token: "<x>".into() };
                let mut spec = TokenizerSpec::new(ModelSpec::WordLevel(model));
                spec.normalizer = normalizer;
                spec.pre_tokenizer = pre_tokenizer.clone();
                spec.added_tokens = vec![AddedToken { id: Some(0), ..AddedToken::new("<x>", true) }];
                let tokenizer = Tokenizer::new(spec.clone()).unwrap();
                let mut cutter = tokenizer.piece_cutter();
                for text in texts {
                    let mut pieces = Vec::new();
                    cutter.cut(text, &mut |piece| pieces.push(piece.to_string())).unwrap();
                    pieces.retain(|piece| !piece.is_empty());
                    assert_eq!(pieces, slowly(&tokenizer, text), "{text:?} {:?}", spec.pre_tokenizer);
                }
            }
        }
    }
}
