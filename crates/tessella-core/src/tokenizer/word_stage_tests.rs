//! Words that further stages cut, against stage after stage.

use super::EncodeOptions;
use super::tests::{random_bpe, stage_after_stage, with_lanes};
use super::word_tests::{WORDS, refusals, took_words, word_spec};
use super::worker::LanesStart;
use crate::random::Random;
use crate::spec::*;

/// A tokenizer whose first stage leaves blanks out, with others behind it.
fn stage_spec(seed: u64) -> TokenizerSpec {
    let mut spec = word_spec(seed * 5 + 1);
    let mut random = Random::from_seed(seed);
    if random.next_u64().is_multiple_of(2) {
        // Bytes of a suffix stand for nothing.
        let suffix = Some("</w>".to_string());
        spec.model = ModelSpec::Bpe(BpeSpec { end_of_word_suffix: suffix, ..random_bpe(&mut random) });
    }
    let split = |pattern: &str, behavior, invert| PreTokenizerSpec::Split {
        pattern: Pattern::Regex { source: pattern.into(), dialect: Dialect::Oniguruma },
        behavior,
        invert,
    };
    let alone = |pattern| split(pattern, SplitBehavior::Removed, true);
    let digits = |individual| PreTokenizerSpec::Digits { individual };
    let bytes = || PreTokenizerSpec::ByteLevel {
        add_prefix_space: seed.is_multiple_of(2),
        trim_offsets: true,
        use_regex: seed.is_multiple_of(3),
    };
    let punctuation = PreTokenizerSpec::Punctuation { behavior: SplitBehavior::Contiguous };
    let metaspace =
        PreTokenizerSpec::Metaspace { replacement: '▁', prepend: PrependScheme::Never, split: true };
    spec.pre_tokenizer = Some(PreTokenizerSpec::Sequence(match seed % 8 {
        0 => vec![PreTokenizerSpec::Whitespace, digits(true)],
        1 => vec![PreTokenizerSpec::WhitespaceSplit, punctuation],
        2 => vec![PreTokenizerSpec::Bert, digits(false), PreTokenizerSpec::FixedLength { length: 2 }],
        3 => vec![alone(r"\w+|[^\w\s]+")],
        4 => vec![alone(r"'s|'t|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+"), bytes()],
        5 => {
            vec![PreTokenizerSpec::WhitespaceSplit, split("[ab]+", SplitBehavior::Isolated, false), metaspace]
        }
        6 => vec![alone(r"\S+?(?=x|\s|$)"), PreTokenizerSpec::UnicodeScripts { keep_spaces: true }],
        _ => vec![PreTokenizerSpec::WhitespaceSplit, bytes()],
    }));
    let runs = NormalizerSpec::Replace {
        pattern: Pattern::Regex { source: r"\s+".into(), dialect: Dialect::Oniguruma },
        content: " ".into(),
    };
    spec.normalizer = match seed / 8 % 4 {
        0 => None,
        1 => Some(NormalizerSpec::Sequence(vec![NormalizerSpec::Nfc, runs, NormalizerSpec::Lowercase])),
        2 => Some(NormalizerSpec::Sequence(vec![NormalizerSpec::Nfd, NormalizerSpec::StripAccents])),
        _ => Some(NormalizerSpec::Nfkc),
    };
    spec
}

#[test]
fn words_cut_by_stages_are_as_the_stages() {
    let (mut with_words, mut failed) = (0, 0);
    for seed in 0..160 {
        let spec = stage_spec(seed);
        let fast = with_lanes(&spec, LanesStart::AtOnce);
        let slow = stage_after_stage(&fast);
        let mut random = Random::from_seed(seed);
        for round in 0..80 {
            let parts = random.next_u64() as usize % if round % 40 == 0 { 3000 } else { 12 };
            let few: Vec<&str> = (0..6).map(|_| WORDS[random.next_u64() as usize % WORDS.len()]).collect();
            let text: String = (0..parts).map(|_| few[random.next_u64() as usize % few.len()]).collect();
            failed += refusals(&fast, &slow, &text, &EncodeOptions::default());
        }
        with_words += usize::from(took_words(&fast));
    }
    assert!(with_words > 80 && failed < 4000, "{with_words} {failed}");
}
