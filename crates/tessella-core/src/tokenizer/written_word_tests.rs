//! Texts that are written as a Unigram model reads them, against stage after stage.

use super::columns::Columns;
use super::fresh::Solving;
use super::long_word_tests::{LETTERS, spec};
use super::positions::Positions;
use super::spans::Spans;
use super::tests::{self, columns, stage_after_stage, with_lanes};
use super::words::Words;
use super::worker::LanesStart;
use super::written_places::{Placing, SoFar, WrittenTokens};
use super::written_tables::Tables;
use super::written_words::{WrittenLanes, tables};
use super::{EncodeOptions, Tokenizer};
use crate::encoding::{Encoding, OffsetUnit};
use crate::lanes::Runner;
use crate::lanes::places::{Counts, Places};
use crate::lanes::vectors::Level;
use crate::normalize::charsmap::build_charsmap;
use crate::random::Random;
use crate::spec::*;

/// What stands between words, is written in a row, ties, and becomes several characters or none.
const OTHERS: &[&str] = &[
    " ",
    " ",
    "  ",
    "\n",
    "\r\n",
    "\t",
    "\u{a0}",
    "\u{3000}",
    "aaaa",
    "....",
    "漢漢漢漢漢漢漢漢漢漢漢漢漢漢漢漢漢漢",
    "жжжжжжжжжжжжжжжжжжжж",
    "각",
    "A",
    "Ж",
    "ﬁ",
    "´",
    "\u{ad}",
    "\u{1}",
    "\u{2}",
    "\0",
    "<unk>",
    "\u{2028}",
    "\u{1f1e6}",
    "\u{10ffff}",
    "longer than a key is",
];

/// A map by which characters vanish, become what is written for others, and join.
fn odd_map() -> NormalizerSpec {
    let rules = [
        ("\u{ad}", ""),
        ("Ж", "\u{1}"),
        ("é", "e\u{301}"),
        ("\u{bc6}\u{bbe}", "\u{bca}"),
        ("ж\u{ad}", "a"),
        ("\r", " "),
        ("\n", " "),
        ("\r\n", " "),
        ("´", " \u{301}"),
        ("각", " "),
        ("ﬁ", "f  i"),
    ];
    let rules: Vec<_> =
        rules.iter().map(|(from, to)| (from.chars().collect(), to.chars().collect())).collect();
    NormalizerSpec::Precompiled {
        charsmap: build_charsmap(&rules).unwrap().into(),
        matching: CharsmapMatching::Grapheme,
    }
}

/// Makes it one that cuts at marks alone, where several blanks are one.
fn between_marks(spec: &mut TokenizerSpec, seed: u64) {
    let Some(PreTokenizerSpec::Sequence(stages)) = &mut spec.pre_tokenizer else { unreachable!() };
    spec.pre_tokenizer = stages.pop();
    let join = NormalizerSpec::Replace {
        pattern: Pattern::Regex { source: " {2,}".into(), dialect: Dialect::Oniguruma },
        content: [" ", "▁"][seed as usize / 2 % 2].into(),
    };
    let strip = NormalizerSpec::Strip { left: seed % 8 < 4, right: true };
    let first = spec.normalizer.take();
    let strip = Some(strip).filter(|_| !seed.is_multiple_of(6));
    let steps = first.into_iter().chain(strip).chain([join]);
    spec.normalizer = Some(NormalizerSpec::Sequence(steps.collect()));
}

/// By all vectors, tokens are where they are by themselves.
fn many_are_as_one_by_one(tokens: &WrittenTokens<'_>) {
    let most = tokens.numbers.len();
    let (mut ids, mut ends) = (vec![0; most], vec![0; most]);
    let Some(count) = tokens.joined(&mut ids, &mut ends).filter(|_| tokens.gaps.is_none()) else { return };
    ends.truncate(count);
    let mut counts = Counts::default();
    let counted = counts.of(tokens.original.as_bytes());
    let place = |at| 7 + counted.before(at);
    let columns = || (vec![[0; 2]; count], vec![0; count]);
    let so_far = || SoFar { start: 0, number: 3, step: 1 };
    let (mut offsets, mut words) = columns();
    let (mut last, columns_of_one) = (so_far(), (&*ends, &mut *offsets, &mut *words));
    let is_told = last.one_by_one(tokens, columns_of_one, place);
    for level in Level::all() {
        let (mut found, mut found_words) = columns();
        let (mut so_far, columns) = (so_far(), (&*ends, &mut *found, &mut *found_words));
        let (written, so_far_of_many) = (tokens, &mut so_far);
        let placing = Placing { written, counted, begin: 7, so_far: so_far_of_many, columns, place };
        assert_eq!(level.run(placing), is_told, "{}", level.name());
        if is_told.is_some() {
            assert_eq!((&found, &found_words), (&offsets, &words), "{} {:?}", level.name(), tokens.original);
            assert_eq!((so_far.number, so_far.start), (last.number, last.start));
        }
    }
}

/// All columns of a text, if it is written with places and no blanks are behind its words.
fn with_places(
    tokenizer: &Tokenizer,
    lanes: &mut WrittenLanes,
    of: (&Words, Solving<'_>, &Tables),
    text: &str,
    options: &EncodeOptions<'_>,
) -> Option<tests::Columns> {
    let (mut columns, mut places) = (Columns::default(), Places::default());
    let Columns { ids, offsets, words, surfaces, .. } = &mut columns;
    let positions = &mut Positions::new(text, options.offsets);
    let mut spans = Spans { offsets, words, positions, places: &mut places, number: 0, step: 1 };
    let with = |tokens: WrittenTokens<'_>, from| {
        many_are_as_one_by_one(&tokens);
        spans.of_written_words(&tokens, from, ids, surfaces)
    };
    let workers = &tokenizer.inner.workers;
    let behind = workers.with(|worker| lanes.append_placed(of, text, &mut worker.scratch, with).unwrap());
    behind.filter(|behind| behind.is_empty()).map(|_| {
        let Columns { ids, offsets, words, mut surfaces, .. } = columns;
        let texts = tokenizer.inner.texts.clone();
        let found = Encoding::from_tokens(ids, offsets, words, 0, texts, surfaces.take());
        (found.ids().to_vec(), found.offsets().to_vec(), found.words().to_vec(), found.tokens())
    })
}

#[test]
fn written_texts_are_as_the_stages() {
    let (mut written, mut refused, mut models, mut placed) = ([0, 0], 0, 0, [0, 0]);
    // Texts with blanks behind their words, which are not written.
    let mut cut = 0;
    for seed in 0..400 {
        let mut spec = spec(seed);
        if seed % 5 == 0 {
            spec.normalizer = Some(odd_map());
        }
        let ModelSpec::Unigram(unigram) = &mut spec.model else { unreachable!() };
        unigram.byte_fallback &= seed % 8 == 0;
        let metaspace =
            PreTokenizerSpec::Metaspace { replacement: '▁', prepend: PrependScheme::Always, split: true };
        spec.pre_tokenizer =
            Some(PreTokenizerSpec::Sequence(vec![PreTokenizerSpec::WhitespaceSplit, metaspace]));
        if seed % 3 == 0
            && let Some(normalizer) = spec.normalizer.take()
        {
            spec.normalizer = Some(NormalizerSpec::Sequence(vec![normalizer, NormalizerSpec::Lowercase]));
        }
        if seed % 2 == 0 {
            between_marks(&mut spec, seed);
        }
        let fast = with_lanes(&spec, LanesStart::AtOnce);
        let slow = stage_after_stage(&fast);
        let Some(words) = &fast.inner.plan.words else { continue };
        let Some(solving) = words.solving(usize::MAX) else { continue };
        let Some(tables) = tables(words, &solving, usize::MAX) else { continue };
        models += 1;
        let mut lanes = WrittenLanes::new(Runner::new(1 << 20, 0).unwrap());
        let mut placed_lanes = WrittenLanes::new(Runner::new(1 << 20, 0).unwrap());
        let mut random = Random::from_seed(seed);
        for round in 0..60 {
            let mut below = |bound: usize| (random.next_u64() % bound as u64) as usize;
            let most = if round % 10 == 0 { 900 } else { 40 };
            let all: Vec<&str> = LETTERS.iter().chain(OTHERS).copied().collect();
            let few: Vec<&str> = (0..2 + below(9)).map(|_| all[below(all.len())]).chain([" "]).collect();
            let text: String = (0..1 + below(most)).map(|_| few[below(few.len())]).collect();
            let expected = slow.encode_ids(&text, &EncodeOptions::default());
            // Twice: unknown to the slots and known.
            for _ in 0..2 {
                let mut ids = Vec::new();
                let behind = fast.inner.workers.with(|worker| {
                    lanes.append((words, solving, tables), &text, &mut worker.scratch, &mut ids).unwrap()
                });
                if let Some(behind) = &behind {
                    let expected = expected.as_ref().unwrap();
                    // What is behind is no part of what is in front of it.
                    let expected = if behind.is_empty() { &expected[..] } else { &expected[..ids.len()] };
                    assert_eq!(ids, expected, "{seed} {text:?} {:?}", spec.normalizer);
                    cut += usize::from(!behind.is_empty());
                }
                *(if behind.is_some() { &mut written[seed as usize % 2] } else { &mut refused }) += 1;
            }
            // All of it, by whatever takes it.
            let found = fast.encode_ids(&text, &EncodeOptions::default());
            assert_eq!(found.as_ref().ok(), expected.as_ref().ok(), "{seed} {text:?} {:?}", spec.normalizer);
            let offsets = [OffsetUnit::Char, OffsetUnit::Byte, OffsetUnit::Utf16][round % 3];
            let options = EncodeOptions { offsets, ..EncodeOptions::default() };
            let expected = columns(&slow, &text, &options);
            let found = columns(&fast, &text, &options);
            assert_eq!(found.as_ref().ok(), expected.as_ref().ok(), "{seed} {text:?} {:?}", spec.normalizer);
            for _ in 0..2 {
                let found = with_places(&fast, &mut placed_lanes, (words, solving, tables), &text, &options);
                if let Some(found) = found {
                    placed[seed as usize % 2] += 1;
                    assert_eq!(found, *expected.as_ref().unwrap(), "{seed} {text:?} {:?}", spec.normalizer);
                }
            }
        }
    }
    let [between_marks, others] = written;
    assert!(placed[0] > 2000 && placed[1] > 4000, "{placed:?}");
    let is_much = models > 100 && between_marks > 2000 && others > 5000 && refused > 500 && cut > 200;
    assert!(is_much, "{models} {written:?} {refused} {cut}");
}
