//! What training counts: the pieces that a text is cut into before the model sees them.
//!
//! Where a pre-tokenizer has a view (see [`pretokenize`](crate::pretokenize)), pieces are handed over as they
//! stand in the text, or written one at a time into one small buffer, and no list of them is made. Running all
//! stages one after the other is the slow twin that this is tested against.

use super::segment::SegmentScratch;
use super::spelling::{Reading, Spelling};
use super::{Inner, Tokenizer};
use crate::cancel::Cancel;
use crate::error::Result;
use crate::limits;
use crate::pretokenize::PreTokenizer;
use crate::pretokenize::byte_alphabet::BYTE_TO_CHAR;

/// Cuts texts as one tokenizer does, with buffers that are used again: one for each thread.
#[derive(Debug)]
pub struct PieceCutter<'t> {
    inner: &'t Inner,
    segments: SegmentScratch,
    written: String,
    spelling: Spelling,
    cancel: Cancel,
}

impl Tokenizer {
    /// Hands over every piece of a text, in order: after added tokens, normalisation and pre-tokenization,
    /// exactly as encoding cuts it. The texts of added tokens are pieces too.
    pub fn for_each_piece(&self, text: &str, piece: &mut dyn FnMut(&str)) -> Result<()> {
        self.piece_cutter().cut(text, piece)
    }

    /// For many texts.
    pub fn piece_cutter(&self) -> PieceCutter<'_> {
        PieceCutter {
            inner: &self.inner,
            segments: SegmentScratch::default(),
            written: String::new(),
            spelling: Spelling::default(),
            cancel: Cancel::never(),
        }
    }
}

/// Cuts one stretch of text and hands its pieces over.
type Cut<'c> = dyn FnMut(&str, &mut dyn FnMut(&str)) -> Result<()> + 'c;

impl PieceCutter<'_> {
    /// Stops in the middle of a text as well.
    pub fn stop_at(&mut self, cancel: Cancel) {
        self.cancel = cancel;
    }

    /// See [`Tokenizer::for_each_piece`].
    pub fn cut(&mut self, text: &str, piece: &mut dyn FnMut(&str)) -> Result<()> {
        // Some components look at positions in the original text; for all others the way back is not kept.
        let tracked = self.inner.plan.track_for_ids;
        let _work = limits::begin(text.len(), self.cancel.clone());
        let PieceCutter { inner, segments, written, spelling, .. } = self;
        let mut pieces = inner.segments(text, tracked, false, segments)?;
        let pre_tokenizer = inner.pre_tokenizer.as_deref();
        let mut hand_over = |part: &str, cut: &mut Cut<'_>| {
            // An empty text has no pieces in any view.
            if part.is_empty() { Ok(()) } else { cut(part, piece) }
        };
        let mut each = |cut: &mut Cut<'_>| {
            pieces.pieces().iter().try_for_each(|one| match one.added_id() {
                Some(_) => hand_over(pieces.str(one), &mut |text, piece| {
                    piece(text);
                    Ok(())
                }),
                None => hand_over(pieces.str(one), cut),
            })
        };
        if let Some(view) = pre_tokenizer.and_then(PreTokenizer::byte_level_view) {
            each(&mut |raw, piece| {
                let spaced;
                let raw = if view.add_prefix_space() && !raw.starts_with(' ') {
                    spaced = format!(" {raw}");
                    &spaced
                } else {
                    raw
                };
                view.for_each_piece(raw, &mut |range| piece(in_alphabet(&raw[range], written)))
            })
        } else if let Some(view) = pre_tokenizer.and_then(PreTokenizer::split_view) {
            each(&mut |text, piece| view.for_each_piece(text, &mut |range| piece(&text[range])))
        } else if let Some(view) = pre_tokenizer.and_then(PreTokenizer::marked_view) {
            let reading = Reading::Marked { mark: view.mark(), prepends: view.prepends() };
            each(&mut |text, piece| {
                view.for_each_piece(text, &mut |range| piece(spelling.write(reading, &text[range])))
            })
        } else {
            if let Some(pre_tokenizer) = pre_tokenizer {
                pre_tokenizer.pre_tokenize(&mut pieces)?;
            }
            pieces.pieces().iter().for_each(|one| piece(pieces.str(one)));
            Ok(())
        }
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
        let mut pieces = inner.segments(text, true, false, &mut SegmentScratch::default()).unwrap();
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
