//! Words of scripts whose characters join and are told among each other, short and too long for a key, against stage after stage.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::EncodeOptions;
use super::tests::{columns, stage_after_stage, with_lanes};
use super::worker::LanesStart;
use crate::encoding::OffsetUnit;
use crate::normalize::charsmap::build_charsmap;
use crate::random::Random;
use crate::spec::*;

/// Letters and marks of three bytes, some of which compose, and what has fewer and more bytes.
pub(super) const LETTERS: &[&str] = &[
    "\u{915}",
    "\u{937}",
    "\u{93e}",
    "\u{93f}",
    "\u{94d}",
    "\u{93c}",
    "\u{bc6}",
    "\u{bbe}",
    "\u{b95}",
    "\u{e01}",
    "\u{e33}",
    "漢",
    "가",
    "\u{1100}",
    "\u{1161}",
    "😀",
    "\u{1f3fd}",
    "\u{200d}",
    "a",
    "é",
    "ж",
    "\u{301}",
    "\u{600}",
    "｟",
    "``",
    "▁",
];

/// A model of such letters with sums that tie, nearly tie and do not.
pub(super) fn spec(seed: u64) -> TokenizerSpec {
    let mut random = Random::from_seed(seed);
    let mut below = |bound: usize| (random.next_u64() % bound as u64) as usize;
    let chars = |text: &str| text.chars().collect::<Vec<_>>();
    let mut rules: BTreeMap<Vec<char>, Vec<char>> = [
        ("\u{bc6}\u{bbe}", "\u{bca}"),
        ("\u{915}\u{93c}", "\u{958}"),
        ("é", "e\u{301}"),
        ("a\u{93e}", "b"),
        ("a\u{301}", "á"),
        ("\u{1100}\u{1161}", "가"),
        ("\u{200d}", " "),
        ("\u{600}", ""),
    ]
    .map(|(from, to)| (chars(from), chars(to)))
    .into();
    for _ in 0..below(4) {
        let (from, to) = (LETTERS[below(LETTERS.len())], LETTERS[below(LETTERS.len())]);
        rules.insert(chars(from), chars(to));
    }
    let mut texts = vec!["<unk>".to_string()];
    for _ in 0..60 {
        let piece: String = (0..1 + below(3)).map(|_| LETTERS[below(LETTERS.len())]).collect();
        let piece = ["", "", "▁"][below(3)].to_string() + &piece;
        if !texts.contains(&piece) {
            texts.push(piece);
        }
    }
    let scores = [[-0.1, -0.2, -0.3, -0.4], [-1.0, -2.5, -3.1, -1e-8], [-249.0, -3.0, -1.0, 0.0]][below(3)];
    let mut vocab: Vec<(String, f64)> = texts.into_iter().map(|text| (text, scores[below(4)])).collect();
    let byte_fallback = below(4) == 0;
    vocab.extend("漢é\u{94d}".bytes().map(|byte| (format!("<0x{byte:02X}>"), -3.0)));
    let mut spec = TokenizerSpec::new(ModelSpec::Unigram(UnigramSpec {
        vocab: Arc::new(vocab),
        unk_id: Some(0),
        byte_fallback,
        alpha: None,
        nbest_size: None,
    }));
    let map = NormalizerSpec::Precompiled {
        charsmap: build_charsmap(&rules.into_iter().collect::<Vec<_>>()).unwrap().into(),
        matching: CharsmapMatching::Grapheme,
    };
    let literal = NormalizerSpec::Replace { pattern: Pattern::Literal("``".into()), content: "\"".into() };
    spec.normalizer = Some(match below(4) {
        0 => map,
        1 => NormalizerSpec::Sequence(vec![literal, map]),
        2 => NormalizerSpec::Sequence(vec![literal, NormalizerSpec::Nfkd, NormalizerSpec::StripAccents, map]),
        _ => NormalizerSpec::Sequence(vec![map, NormalizerSpec::Nfd]),
    });
    let metaspace =
        PreTokenizerSpec::Metaspace { replacement: '▁', prepend: PrependScheme::Always, split: true };
    spec.pre_tokenizer = Some(match below(2) {
        0 => PreTokenizerSpec::Sequence(vec![PreTokenizerSpec::WhitespaceSplit, metaspace]),
        _ => metaspace,
    });
    spec
}

#[test]
fn words_of_characters_that_join_are_as_the_stages() {
    let (mut with_words, mut long) = (0, 0);
    for seed in 0..150 {
        let spec = spec(seed);
        let fast = with_lanes(&spec, LanesStart::AtOnce);
        let slow = stage_after_stage(&fast);
        let mut random = Random::from_seed(seed);
        for round in 0..30 {
            let most = if round % 10 == 0 { 200 } else { 12 };
            let from = random.next_u64() as usize;
            let few = 2 + random.next_u64() as usize % 9;
            let mut word = || -> String {
                let length = 1 + random.next_u64() as usize % 14;
                let letter = |random: &mut Random| (from + random.next_u64() as usize % few) % LETTERS.len();
                (0..length).map(|_| LETTERS[letter(&mut random)]).collect()
            };
            let text = (0..most).map(|_| word()).collect::<Vec<_>>().join(" ");
            long += text.split(' ').filter(|word| word.len() > 15).count();
            let offsets = [OffsetUnit::Byte, OffsetUnit::Char, OffsetUnit::Utf16][round % 3];
            let options = EncodeOptions { offsets, ..EncodeOptions::default() };
            let expected = columns(&slow, &text, &options).unwrap();
            for _ in 0..2 {
                assert_eq!(columns(&fast, &text, &options).unwrap(), expected, "{seed} {text:?}");
            }
            let words = fast.inner.plan.words.as_ref();
            let Some(characters) = words.and_then(|words| words.characters()) else { continue };
            let mut spans = crate::lanes::Spans::default();
            let filled = crate::lanes::Words::new(&text, characters)
                .of_all(true)
                .fill(crate::lanes::vectors::Level::best(), &mut spans);
            with_words += usize::from(filled != crate::lanes::Filled::Odd);
        }
    }
    assert!(with_words > 400 && long > 50_000, "{with_words} {long}");
}
