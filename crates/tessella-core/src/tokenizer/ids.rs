//! The ids-only path: no alignment (unless a stage needs it), no strings, one growing output.

use std::ops::Range;
use std::sync::Arc;

use super::batch::threads;
use super::brief::Key;
use super::columns::MOST_KEPT;
use super::drive::{Sink, Source, Walk, one_by_one};
use super::id_room::fit;
use super::piece_lanes::PieceLanes;
use super::pool::Pool;
use super::together::{self, Helpers, LARGE};
use super::units::{self, Units};
use super::way::{Reader, Reads};
use super::word_lanes::TakesWords;
use super::word_solver::Solver;
use super::words::Words;
use super::worker::Worker;
use super::{EncodeOptions, Inner, Input, Sequence, Tokenizer};
use crate::added::Segment;
use crate::error::Result;
use crate::flat::copy_of;
use crate::ids::{Span, TokenId};
use crate::lanes::{Given, Pieces};
use crate::memory;
use crate::model::Model;
use crate::pretokenize::ByteLevelView;
use crate::text::Piece;

/// Parts between two looks at the cancel flag.
const CHECK_EVERY: usize = 4096;

impl Tokenizer {
    /// Ids only. Truncation and padding of the options do not apply.
    pub fn encode_ids(&self, text: &str, options: &EncodeOptions<'_>) -> Result<Vec<TokenId>> {
        if text.len() > MOST_KEPT {
            memory::ask(text.len(), memory::FOR_IDS)?;
            return self.inner.workers.with(|worker| {
                worker
                    .in_new_room(text.len(), |worker, ids| self.inner.append_ids(worker, text, options, ids))
            });
        }
        self.with_ids(text, options, |ids| copy_of(ids, 0))
    }

    /// Appends the ids of a text to room that the caller keeps.
    pub fn append_ids(&self, text: &str, options: &EncodeOptions<'_>, out: &mut Vec<TokenId>) -> Result<()> {
        memory::ask(text.len(), memory::FOR_IDS)?;
        self.inner.workers.with(|worker| self.inner.append_ids(worker, text, options, out))
    }

    /// The number of ids that [`encode_ids`](Self::encode_ids) would give.
    pub fn count(&self, text: &str, options: &EncodeOptions<'_>) -> Result<usize> {
        self.with_ids(text, options, <[TokenId]>::len)
    }

    /// Lends out the ids of a text, which stand in room that the worker keeps: it is there, and known to the
    /// processor's caches. `then` may encode again.
    pub fn with_ids<R>(
        &self,
        text: &str,
        options: &EncodeOptions<'_>,
        then: impl FnOnce(&[TokenId]) -> R,
    ) -> Result<R> {
        memory::ask(text.len(), memory::FOR_IDS)?;
        self.inner.workers.with(|worker| {
            worker.in_room(|worker, ids| self.inner.append_ids(worker, text, options, ids), then)
        })
    }
}

impl Worker {
    /// The ids that `fill` writes, which come of so many bytes, in a vector of their own.
    pub(super) fn in_new_room(
        &mut self,
        bytes: usize,
        fill: impl FnOnce(&mut Worker, &mut Vec<TokenId>) -> Result<()>,
    ) -> Result<Vec<TokenId>> {
        let mut ids = self.density.room(bytes);
        fill(self, &mut ids)?;
        self.density.note(ids.len(), bytes);
        fit(&mut ids);
        Ok(ids)
    }

    /// Has ids written into the kept room and lends them out.
    pub(super) fn in_room<R>(
        &mut self,
        fill: impl FnOnce(&mut Worker, &mut Vec<TokenId>) -> Result<()>,
        then: impl FnOnce(&[TokenId]) -> R,
    ) -> Result<R> {
        let mut ids = std::mem::take(&mut self.room);
        ids.clear();
        let result = fill(self, &mut ids).map(|()| then(&ids));
        if ids.capacity() <= MOST_KEPT {
            self.room = ids;
        }
        result
    }
}

impl Inner {
    /// Appends the ids of one text, with special tokens around it if asked for. The text's own may be known from the last time.
    pub(super) fn append_ids(
        &self,
        worker: &mut Worker,
        text: &str,
        options: &EncodeOptions<'_>,
        out: &mut Vec<TokenId>,
    ) -> Result<()> {
        let Some(around) = &self.plan.around else {
            // A template repeats or drops the sequence, with special tokens or without.
            let _work = worker.begin(text.len(), options);
            let plain = EncodeOptions { truncation: None, padding: None, ..options.clone() };
            let input = Input { first: Sequence::Text(text), second: None };
            out.extend_from_slice(self.encode_with(worker, &input, &plain)?.ids());
            return Ok(());
        };
        if options.add_special_tokens {
            out.extend_from_slice(&around.before);
        }
        let number = self.plan.remembered_as;
        let key = number.and_then(|number| Key::new(number, text, options.encode_special_tokens));
        if let Some(ids) = key.and_then(|key| worker.brief.recall(&key)) {
            out.extend_from_slice(ids);
        } else {
            let before = out.len();
            let _work = worker.begin(text.len(), options);
            self.append_text_ids(worker, text, options, out)?;
            if let Some(key) = key {
                worker.brief.remember(key, &out[before..]);
            }
        }
        if options.add_special_tokens {
            out.extend_from_slice(&around.after);
        }
        Ok(())
    }

    /// The ids of a text alone.
    fn append_text_ids(
        &self,
        worker: &mut Worker,
        text: &str,
        options: &EncodeOptions<'_>,
        out: &mut Vec<TokenId>,
    ) -> Result<()> {
        let way = &self.plan.way;
        let walk = Walk { tracked: self.plan.track_for_ids, specials_as_text: options.encode_special_tokens };
        worker.expect_text(&way.reader, text.len());
        if let Some(words) = &self.plan.words
            && self.append_words(worker, words, text, options, out)?
        {
            return Ok(());
        }
        if let Some(units) = &self.plan.units
            && self.append_units(worker, units, text, options, out)?
        {
            return Ok(());
        }
        let by_hundreds = worker.expect_pieces(&way.reader, self.plan.words.is_some(), text.len());
        let mut segments = std::mem::take(&mut worker.segments);
        let pool = &*self.workers;
        let until_check = CHECK_EVERY;
        let mut sink = Ids { reader: &way.reader, pool, worker, options, by_hundreds, until_check, out };
        let outcome = self.drive(&way.cut, text, walk, &mut segments, &mut sink);
        worker.segments = segments;
        outcome
    }
}

impl Inner {
    /// Appends the ids of a text by its words; false, with nothing appended, if it must take the other way.
    pub(super) fn append_words(
        &self,
        worker: &mut Worker,
        words: &Arc<Words>,
        text: &str,
        options: &EncodeOptions<'_>,
        out: &mut Vec<TokenId>,
    ) -> Result<bool> {
        worker.expect_words(words, false, text.len());
        let Some(mut lanes) = worker.words.take() else { return Ok(false) };
        let before = out.len();
        let raw = &mut worker.segments.raw;
        self.added().split_raw(text, options.encode_special_tokens, raw);
        let mut sink = WordIds { options, out };
        let outcome = lanes.append(raw, text, &mut worker.scratch, &mut sink);
        worker.words = Some(lanes);
        let done = outcome?;
        if !done {
            out.truncate(before);
        }
        Ok(done)
    }
}

impl Inner {
    /// Appends the ids of a text by its units; false, with nothing appended, if it must take the other way.
    fn append_units(
        &self,
        worker: &mut Worker,
        units: &Arc<Units>,
        text: &str,
        options: &EncodeOptions<'_>,
        out: &mut Vec<TokenId>,
    ) -> Result<bool> {
        if text.len() > units::LONGEST_TEXT {
            return Ok(false);
        }
        worker.expect_units(units, text.len());
        let Some(mut lanes) = worker.units.take() else { return Ok(false) };
        let raw = &mut worker.segments.raw;
        self.added().split_raw(text, options.encode_special_tokens, raw);
        let before = out.len();
        let _own = units.begin(text.len(), options);
        let mut taken = Ok(true);
        for Segment { range, id, .. } in raw.iter() {
            match id {
                Some(id) => out.push(*id),
                None => {
                    let raw = (&text[range.clone()], range.start == 0);
                    taken = lanes.append(raw, false, options, &mut worker.scratch, out, |_, _| true);
                }
            }
            if !matches!(taken, Ok(true)) {
                break;
            }
        }
        worker.units = Some(lanes);
        let taken = taken?;
        if !taken {
            out.truncate(before);
        }
        Ok(taken)
    }
}

/// Keeps the ids of words.
struct WordIds<'i, 'o> {
    options: &'i EncodeOptions<'o>,
    out: &'i mut Vec<TokenId>,
}

impl TakesWords for WordIds<'_, '_> {
    fn added(&mut self, _: &Segment, id: TokenId) -> Result<()> {
        self.out.push(id);
        Ok(())
    }

    fn looks(&mut self) -> Result<()> {
        self.options.check_cancelled()
    }

    fn room(&mut self) -> &mut Vec<u32> {
        self.out
    }

    fn words(&mut self, _: Pieces<'_>, _: usize, _: &mut Solver<'_>) -> Result<bool> {
        self.looks().map(|()| true)
    }
}

/// The sink that keeps ids alone.
struct Ids<'i, 'o> {
    reader: &'i Reader,
    pool: &'i Pool,
    worker: &'i mut Worker,
    options: &'i EncodeOptions<'o>,
    /// Whether parts wait until there are many.
    by_hundreds: bool,
    /// Parts before the next look at the cancel flag.
    until_check: usize,
    out: &'i mut Vec<TokenId>,
}

impl Ids<'_, '_> {
    /// A part that is taken along with others.
    #[inline]
    fn wait(&mut self, source: &Source<'_>, range: Range<usize>) -> Result<()> {
        match &mut self.worker.pieces {
            Some(pieces) => match pieces.wait(range) {
                true => self.pause(source),
                false => Ok(()),
            },
            None => Ok(()),
        }
    }
}

impl Sink for Ids<'_, '_> {
    #[inline]
    fn word(&mut self) {}

    #[inline]
    fn part(&mut self, source: &Source<'_>, range: Range<usize>) -> Result<()> {
        self.until_check -= 1;
        if self.until_check == 0 {
            self.until_check = CHECK_EVERY;
            self.options.check_cancelled()?;
        }
        if !self.by_hundreds || range.is_empty() {
            self.pause(source)?;
            return self.worker.ids(self.reader, (source.buffer, range), self.out);
        }
        match &self.reader.reads {
            // What no merge can cross tells more of a long piece than the whole.
            Reads::Characters(model)
                if range.len() > PieceLanes::SHORT
                    && let Model::Bpe(bpe) = &**model
                    && bpe.can_cut() =>
            {
                let (piece, mut at) = (&source.buffer[range.clone()], range.start);
                bpe.for_each_unit(piece, |unit| {
                    let start = at;
                    at += unit.len();
                    self.wait(source, start..at)
                })
            }
            _ => self.wait(source, range),
        }
    }

    /// Takes the pieces that wait.
    #[inline]
    fn pause(&mut self, source: &Source<'_>) -> Result<()> {
        if !self.by_hundreds {
            return Ok(());
        }
        let Some(mut pieces) = self.worker.pieces.take() else { return Ok(()) };
        let outcome = pieces.flush(self.reader, source.buffer, self.worker, self.out);
        self.worker.pieces = Some(pieces);
        outcome
    }

    fn raw_bytes(&mut self, source: &Source<'_>, range: Range<usize>, view: &ByteLevelView) -> Result<()> {
        let text = &source.buffer[range.clone()];
        let (Reads::Bytes(bpe), Some(mut lanes)) = (&self.reader.reads, self.worker.take_lanes(text)) else {
            one_by_one(self, source, range, view)?;
            // The next stretch may be of another source.
            return self.pause(source);
        };
        let (pool, reader, options) = (self.pool, self.reader, self.options);
        let mut masked = view.masked(text);
        let threads = if text.len() < LARGE { 1 } else { threads(usize::MAX, text.len(), options) };
        let outcome = match masked.take_if(|_| threads > 1) {
            Some(pieces) => {
                let helpers = Helpers { pool, reader, options, threads };
                together::append(&helpers, pieces, text, (&mut lanes, &mut *self.worker, bpe), self.out)
            }
            None => {
                let check = |_: Pieces<'_>, _: &[TokenId]| options.check_cancelled();
                lanes.append(view, (text, masked.as_mut()), &mut *self.worker, bpe, self.out, check)
            }
        };
        self.worker.lanes = Some(lanes);
        outcome
    }

    fn between(&mut self, source: &Source<'_>, stretches: &[Piece], view: &ByteLevelView) -> Result<bool> {
        let (text, options) = (source.buffer, self.options);
        // A long stretch is for several threads.
        let is_long = |stretch: &Piece| stretch.is_text() && stretch.range().len() >= LARGE;
        if stretches.len() < 2
            || threads(usize::MAX, text.len(), options) > 1 && stretches.iter().any(is_long)
        {
            return Ok(false);
        }
        let Reads::Bytes(bpe) = &self.reader.reads else { return Ok(false) };
        let Some(mut lanes) = self.worker.take_lanes(text) else { return Ok(false) };
        let check = |_: Pieces<'_>, _: &Given, _: &[TokenId]| options.check_cancelled();
        let outcome = lanes.append_between(view, (text, stretches), self.worker, bpe, self.out, check);
        self.worker.lanes = Some(lanes);
        outcome
    }

    fn added(&mut self, _: &str, _: impl FnOnce() -> Span, id: TokenId) -> Result<()> {
        self.out.push(id);
        Ok(())
    }
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
            ignore_merges: true,
            ..BpeSpec::new(vocab, Merges::default())
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
