//! Words of signs, which are cut in parts, and new words that are solved together, against stage after stage.

use std::sync::Arc;

use super::tests::{columns, stage_after_stage, with_lanes};
use super::word_tests::took_words;
use super::worker::LanesStart;
use super::{EncodeOptions, Tokenizer};
use crate::encoding::OffsetUnit;
use crate::lanes::vectors::Level;
use crate::random::Random;
use crate::spec::*;

/// A Unigram model for words of letters and signs that few entries join, with sums that tie, and what is unknown.
fn sign_spec(random: &mut Random) -> TokenizerSpec {
    let mut below = |bound: usize| (random.next_u64() % bound as u64) as usize;
    let (letters, signs) = (["a", "b", "ab", "é"], ["(", ")", "`", "\"", "=", "((", ">"]);
    let mut texts = vec!["<unk>".to_string()];
    for _ in 0..40 {
        let from: &[&str] = if below(2) == 0 { &letters } else { &signs };
        let piece: String = (0..1 + below(3)).map(|_| from[below(from.len())]).collect();
        let mark = ["", "", "▁"][below(3)];
        let piece = mark.to_string() + &piece + ["", "", "", "a", "\"", "é"][below(6)];
        if !texts.contains(&piece) {
            texts.push(piece);
        }
    }
    let scores = [[-0.1, -0.2, -0.3, -0.4], [-1.0, -2.5, -3.1, -1e-8], [-249.0, -3.0, -1.0, 0.0]][below(3)];
    let vocab = texts.into_iter().map(|text| (text, scores[below(4)])).collect();
    let mut spec = TokenizerSpec::new(ModelSpec::Unigram(UnigramSpec {
        vocab: Arc::new(vocab),
        unk_id: Some(0),
        byte_fallback: false,
        alpha: None,
        nbest_size: None,
    }));
    // Where signs are words of their own, there is no gap between words, as there is none between parts of one.
    let by_blanks = below(4) != 0;
    let splits = if by_blanks { PreTokenizerSpec::WhitespaceSplit } else { PreTokenizerSpec::Bert };
    let metaspace =
        PreTokenizerSpec::Metaspace { replacement: '▁', prepend: PrependScheme::Always, split: true };
    spec.pre_tokenizer = Some(PreTokenizerSpec::Sequence(vec![splits, metaspace]));
    let literal = || NormalizerSpec::Replace { pattern: Pattern::Literal("``".into()), content: "\"".into() };
    spec.normalizer = match (by_blanks, below(3)) {
        (_, 0) => None,
        (true, 1) => Some(literal()),
        (true, _) => Some(NormalizerSpec::Nfc),
        (false, _) => Some(NormalizerSpec::Lowercase),
    };
    spec
}

#[test]
fn words_in_parts_are_as_the_stages() {
    let (mut cut, mut cut_beside_added) = (0, 0);
    for seed in 0..400 {
        let mut random = Random::from_seed(seed);
        let mut spec = sign_spec(&mut random);
        // Of some, added tokens are looked for in normalized text, which begin, end and stand where words may be cut.
        let contents = ["(a", "=b)", "ab(", "b", ")``", "x(é", "=", "~x", "(((", "a b"];
        for _ in 0..(seed % 4 / 3) * 3 {
            let content = contents[random.next_u64() as usize % contents.len()];
            let added = AddedToken::new(content, false);
            spec.added_tokens.push(AddedToken { normalized: true, ..added });
        }
        let has_traps = seed % 4 == 3;
        let fast = with_lanes(&spec, LanesStart::AtOnce);
        let slow = stage_after_stage(&fast);
        for round in 0..30 {
            let most = if round % 10 == 0 { 3000 } else { 60 };
            let parts = [
                "a", "b", "ab", "(", ")", "``", "\"", "=", "é", " ", " ", "x", "((a=b)", "e\u{301}", "~",
                "{}", ">", "<unk>",
            ];
            let few: Vec<&str> = (0..9).map(|_| parts[random.next_u64() as usize % parts.len()]).collect();
            let length = random.next_u64() as usize % most;
            let text: String = (0..length).map(|_| few[random.next_u64() as usize % few.len()]).collect();
            let offsets = [OffsetUnit::Byte, OffsetUnit::Char, OffsetUnit::Utf16][round % 3];
            let options = EncodeOptions { offsets, ..EncodeOptions::default() };
            let all = |tokenizer: &Tokenizer| columns(tokenizer, &text, &options).unwrap();
            for _ in 0..2 {
                assert_eq!(all(&fast), all(&slow), "{seed} {text:?} {spec:?}");
            }
            let words = fast.inner.plan.words.as_ref().unwrap();
            for level in Level::all() {
                let mut spans = crate::lanes::Spans::default();
                crate::lanes::Words::new(&text, words.characters().unwrap())
                    .cut_at(words.breaks(usize::MAX, false))
                    .fill(level, &mut spans);
                let found = spans.of(text.as_bytes());
                let joints = found.starts.iter().skip(1).zip(found.ends);
                let count = joints.filter(|(start, end)| start == end).count();
                *if has_traps { &mut cut_beside_added } else { &mut cut } += count;
            }
        }
        assert!(took_words(&fast));
    }
    // Not all vectors can tell.
    assert!((cut > 10_000 && cut_beside_added > 3_000) || Level::all().len() < 3, "{cut} {cut_beside_added}");
}

#[test]
fn new_words_that_are_solved_together_are_as_the_stages() {
    let (mut failed, mut done) = (0, 0);
    for seed in 0..240 {
        let mut random = Random::from_seed(seed);
        let mut spec = sign_spec(&mut random);
        let ModelSpec::Unigram(model) = &mut spec.model else { unreachable!() };
        model.byte_fallback = seed % 3 == 0;
        model.unk_id = (seed % 5 != 0).then_some(0);
        let vocab = Arc::make_mut(&mut model.vocab);
        let bytes = if seed % 2 == 0 { "x" } else { "漢x" };
        vocab.extend(bytes.bytes().map(|byte| (format!("<0x{byte:02X}>"), -3.0)));
        // What is unknown may be a piece as a whole.
        vocab
            .extend([("xx".to_string(), -90.0), ("z".to_string(), -0.5)].into_iter().take(seed as usize % 3));
        let fast = with_lanes(&spec, LanesStart::AtOnce);
        let slow = stage_after_stage(&fast);
        let parts = ["a", "b", "ab", "é", "x", "漢", "z", "=", "▁", "<unk>", "~"];
        for round in 0..30 {
            let most = if round % 10 == 0 { 400 } else { 40 };
            let few: Vec<&str> = (0..4).map(|_| parts[random.next_u64() as usize % parts.len()]).collect();
            let mut word = || -> String {
                let length = 1 + random.next_u64() as usize % 7;
                (0..length).map(|_| few[random.next_u64() as usize % few.len()]).collect()
            };
            let text = (0..most).map(|_| word()).collect::<Vec<_>>().join(" ");
            let all = |tokenizer: &Tokenizer| {
                let all = columns(tokenizer, &text, &EncodeOptions::default());
                all.map_err(|error| error.message().to_string())
            };
            for _ in 0..2 {
                let expected = all(&slow);
                assert_eq!(all(&fast), expected, "{seed} {text:?} {spec:?}");
                *if expected.is_ok() { &mut done } else { &mut failed } += 1;
            }
        }
        assert!(took_words(&fast));
    }
    assert!(failed > 500 && done > 5000, "{failed} {done}");
}

#[test]
fn words_that_may_become_long_have_no_parts() {
    let mut spec = sign_spec(&mut Random::from_seed(1));
    let mut may_be_cut = |target: usize| {
        let rules = [(vec!['é'], vec!['x'; target])];
        let charsmap = crate::normalize::charsmap::build_charsmap(&rules).unwrap().into();
        spec.normalizer =
            Some(NormalizerSpec::Precompiled { charsmap, matching: CharsmapMatching::Grapheme });
        let tokenizer = Tokenizer::new(spec.clone()).unwrap();
        tokenizer.inner.plan.words.as_ref().unwrap().breaks(usize::MAX, false).is_some()
    };
    assert!(may_be_cut(30) && !may_be_cut(3000));
}
