//! The ids-only path: no alignment (unless a stage needs it), no strings, one growing output.

use super::plan::Way;
use super::spelling::RespelledUnits;
use super::worker::Worker;
use super::{EncodeOptions, Inner, Input, Sequence, Tokenizer};
use crate::cancel::Cancel;
use crate::error::Result;
use crate::ids::TokenId;
use crate::limits;
use crate::text::Pieces;

/// Pieces between two looks at the cancel flag.
const CHECK_EVERY: usize = 4096;

impl Tokenizer {
    /// Ids only. Truncation and padding of the options do not apply.
    pub fn encode_ids(&self, text: &str, options: &EncodeOptions<'_>) -> Result<Vec<TokenId>> {
        let mut ids = Vec::with_capacity(text.len() / 4 + 8);
        self.inner.workers.with(|worker| self.inner.append_ids(worker, text, options, &mut ids))?;
        Ok(ids)
    }

    /// The number of ids that [`encode_ids`](Self::encode_ids) would give.
    pub fn count(&self, text: &str, options: &EncodeOptions<'_>) -> Result<usize> {
        self.encode_ids(text, options).map(|ids| ids.len())
    }
}

impl Inner {
    /// Appends the ids of one text, with special tokens around it if asked for.
    pub(super) fn append_ids(
        &self,
        worker: &mut Worker,
        text: &str,
        options: &EncodeOptions<'_>,
        out: &mut Vec<TokenId>,
    ) -> Result<()> {
        let cancel = Cancel::new(options.cancel);
        worker.scratch.merge.stop_at(cancel.clone());
        let _work = limits::begin(text.len(), cancel);
        match &self.plan.around {
            Some(around) if options.add_special_tokens => {
                out.extend_from_slice(&around.before);
                self.append_text_ids(worker, text, options, out)?;
                out.extend_from_slice(&around.after);
                Ok(())
            }
            Some(_) => self.append_text_ids(worker, text, options, out),
            // A template repeats or drops the sequence, with special tokens or without.
            None => {
                let plain = EncodeOptions { truncation: None, padding: None, ..options.clone() };
                let input = Input { first: Sequence::Text(text), second: None };
                out.extend_from_slice(self.encode_with(worker, &input, &plain)?.ids());
                Ok(())
            }
        }
    }

    fn append_text_ids(
        &self,
        worker: &mut Worker,
        text: &str,
        options: &EncodeOptions<'_>,
        out: &mut Vec<TokenId>,
    ) -> Result<()> {
        if let Way::Respelled(units) = &self.plan.way {
            return self.append_unit_ids(worker, units, text, options, out);
        }
        let cached = self.plan.cache;
        let model = self.model();
        let mut pieces = self.segments(
            text,
            self.plan.track_for_ids,
            options.encode_special_tokens,
            &mut worker.segments,
        )?;
        let mut check = cancel_check(options);
        let pre = self.pre_tokenizer.as_deref();
        match (&self.plan.way, pre, model.as_bpe()) {
            (Way::RawBytes, Some(pre), Some(bpe)) => {
                let Some(view) = pre.byte_level_view() else { return Ok(()) };
                for_each_text(&pieces, out, |raw, out| {
                    let spaced;
                    let raw = if view.add_prefix_space() && !raw.starts_with(' ') {
                        spaced = format!(" {raw}");
                        &spaced
                    } else {
                        raw
                    };
                    let mut outcome = Ok(());
                    view.for_each_piece(raw, &mut |range| {
                        if outcome.is_ok() {
                            outcome = check()
                                .and_then(|()| worker.bytes_ids(bpe, cached, &raw.as_bytes()[range], out));
                        }
                    })?;
                    outcome
                })
            }
            (Way::Splits, Some(pre), _) => {
                let Some(view) = pre.split_view() else { return Ok(()) };
                for_each_text(&pieces, out, |text, out| {
                    let mut outcome = Ok(());
                    view.for_each_piece(text, &mut |range| {
                        if outcome.is_ok() {
                            outcome =
                                check().and_then(|()| worker.piece_ids(model, cached, &text[range], out));
                        }
                    })?;
                    outcome
                })
            }
            (Way::Marked(reading), Some(pre), _) => {
                let Some(view) = pre.marked_view() else { return Ok(()) };
                for_each_text(&pieces, out, |text, out| {
                    let mut outcome = Ok(());
                    view.for_each_piece(text, &mut |range| {
                        if outcome.is_ok() {
                            outcome =
                                check().and_then(|()| worker.spelled_ids(model, *reading, &text[range], out));
                        }
                    })?;
                    outcome
                })
            }
            _ => {
                if let Some(pre) = pre {
                    pre.pre_tokenize(&mut pieces)?;
                }
                for_each_text(&pieces, out, |text, out| {
                    check()?;
                    worker.piece_ids(model, cached, text, out)
                })
            }
        }
    }

    /// The ids of a text that is looked up as it is.
    fn append_unit_ids(
        &self,
        worker: &mut Worker,
        units: &RespelledUnits,
        text: &str,
        options: &EncodeOptions<'_>,
        out: &mut Vec<TokenId>,
    ) -> Result<()> {
        let model = self.model();
        let Some(bpe) = model.as_bpe() else { return Ok(()) };
        let reading = units.reading();
        let mut segments = std::mem::take(&mut worker.segments.raw);
        let mut prefixed = std::mem::take(&mut worker.prefixed);
        self.added().split_raw(text, options.encode_special_tokens, &mut segments);
        let mut check = cancel_check(options);
        let outcome = segments.iter().try_for_each(|segment| match segment.id {
            Some(id) => {
                out.push(id);
                Ok(())
            }
            None => units.for_each(bpe, &text[segment.range.clone()], &mut prefixed, |unit, _| {
                check()?;
                worker.spelled_ids(model, reading, unit, out)
            }),
        });
        worker.segments.raw = segments;
        worker.prefixed = prefixed;
        outcome
    }
}

/// Looks at the cancel flag now and then.
fn cancel_check<'o>(options: &'o EncodeOptions<'_>) -> impl FnMut() -> Result<()> + 'o {
    let mut until_check = CHECK_EVERY;
    move || {
        until_check -= 1;
        if until_check == 0 {
            until_check = CHECK_EVERY;
            options.check_cancelled()?;
        }
        Ok(())
    }
}

/// Writes the ids of added tokens and calls `encode` for the texts between them.
fn for_each_text(
    pieces: &Pieces<'_>,
    out: &mut Vec<TokenId>,
    mut encode: impl FnMut(&str, &mut Vec<TokenId>) -> Result<()>,
) -> Result<()> {
    for piece in pieces.pieces() {
        match piece.added_id() {
            Some(id) => out.push(id),
            None => encode(pieces.str(piece), out)?,
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::{
        BpeSpec, Merges, ModelSpec, PostProcessorSpec, Template, TemplatePiece, TemplateSpecial,
        TokenizerSpec, Vocab, WordLevelSpec,
    };

    /// A template may take the sequence twice or leave it out; then the ids are those of the full path.
    #[test]
    fn a_template_without_exactly_one_sequence_gives_the_same_ids_both_ways() {
        let sequence = TemplatePiece::Sequence { second: false, type_id: 0 };
        let special = TemplatePiece::Special { id: "x".into(), type_id: 0 };
        for (single, plain, whole) in [
            (vec![special.clone(), sequence.clone(), sequence.clone()], vec![0, 0], vec![9, 0, 0]),
            (vec![special], vec![], vec![9]),
            (vec![sequence.clone()], vec![0], vec![0]),
        ] {
            let mut spec = TokenizerSpec::new(ModelSpec::WordLevel(WordLevelSpec {
                vocab: Vocab::from_entries([("a", 0)]).unwrap().into(),
                unk_token: "a".into(),
            }));
            spec.post_processor = Some(PostProcessorSpec::Template(Template {
                single,
                pair: vec![sequence.clone(), TemplatePiece::Sequence { second: true, type_id: 0 }],
                special_tokens: vec![TemplateSpecial {
                    id: "x".into(),
                    ids: vec![9],
                    tokens: vec!["x".into()],
                }],
            }));
            let tokenizer = Tokenizer::new(spec).unwrap();
            for (add_special_tokens, wanted) in [(false, &plain), (true, &whole)] {
                let options = EncodeOptions { add_special_tokens, ..EncodeOptions::default() };
                assert_eq!(tokenizer.encode_ids("a", &options).unwrap(), *wanted);
                assert_eq!(tokenizer.encode(&Input::from("a"), &options).unwrap().ids(), wanted);
            }
        }
    }

    /// Long pieces are cut where no merge can cross. What stands between two cuts may be in the vocabulary and
    /// still not be a piece.
    #[test]
    fn the_whole_piece_rule_is_for_whole_pieces() {
        let vocab = Vocab::from_entries([("a", 0), ("b", 1), ("c", 2), ("ab", 3), (" ", 4)]).unwrap();
        let spec = TokenizerSpec::new(ModelSpec::Bpe(BpeSpec {
            vocab: vocab.into(),
            merges: Merges::Pairs(vec![].into()),
            dropout: None,
            unk_token: None,
            continuing_subword_prefix: None,
            end_of_word_suffix: None,
            fuse_unk: false,
            byte_fallback: false,
            ignore_merges: true,
        }));
        let mut with_merge = spec.clone();
        if let ModelSpec::Bpe(bpe) = &mut with_merge.model {
            bpe.merges = Merges::Pairs(vec![(0, 1)].into());
        }
        let (spec, with_merge) = (Tokenizer::new(spec).unwrap(), Tokenizer::new(with_merge).unwrap());
        let options = EncodeOptions::default();
        let text = "ab ".repeat(20);
        assert_eq!(spec.encode_ids("ab", &options).unwrap(), [3]);
        assert_eq!(spec.encode_ids(&text, &options).unwrap(), [0, 1, 4].repeat(20));
        assert_eq!(spec.encode(&Input::from(text.as_str()), &options).unwrap().ids(), [0, 1, 4].repeat(20));
        assert_eq!(with_merge.encode_ids(&text, &options).unwrap(), [3, 4].repeat(20));
    }
}
