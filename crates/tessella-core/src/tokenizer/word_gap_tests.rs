//! Words that lie between marks, behind what normalizers do to blanks, against stage after stage.

use super::EncodeOptions;
use super::tests::{random_bpe, stage_after_stage, unigram, with_lanes};
use super::word_tests::{WORDS, refusals, took_words, word_spec};
use super::worker::LanesStart;
use crate::encoding::OffsetUnit;
use crate::random::Random;
use crate::spec::*;

/// A tokenizer that cuts at nothing but marks, behind what normalizers do to blanks.
fn gap_spec(seed: u64) -> TokenizerSpec {
    use crate::normalize::charsmap::build_charsmap;
    let mut spec = word_spec(seed * 7 + 3);
    let mut random = Random::from_seed(seed);
    match (&spec.model, random.next_u64() % 3) {
        (ModelSpec::Unigram(_), 0) | (_, 1) => spec.model = ModelSpec::Bpe(random_bpe(&mut random)),
        (ModelSpec::Unigram(_), _) => {}
        _ => spec.model = unigram(random.next_u64().is_multiple_of(2), true),
    }
    let rules = [
        ("\n", " "),
        ("\u{200d}", " "),
        ("\u{200b}", " "),
        ("\t", "  "),
        ("\u{ad}", ""),
        ("´", " \u{301}"),
        ("½", "1 2"),
        ("ﬁ", "fi"),
        ("ß", "ss "),
        ("Σ", "▁"),
    ];
    let few = 1 + random.next_u64() as usize % rules.len();
    let rules: Vec<_> =
        rules[..few].iter().map(|(from, to)| (from.chars().collect(), to.chars().collect())).collect();
    let map = NormalizerSpec::Precompiled {
        charsmap: build_charsmap(&rules).unwrap().into(),
        matching: CharsmapMatching::Grapheme,
    };
    let join = |pattern: &str, content: &str| NormalizerSpec::Replace {
        pattern: Pattern::Regex { source: pattern.into(), dialect: Dialect::Oniguruma },
        content: content.into(),
    };
    let strip = |left, right| NormalizerSpec::Strip { left, right };
    let steps = match seed % 12 {
        0 => vec![],
        1 => vec![map],
        2 => vec![map, strip(false, true), join(" {2,}", "▁")],
        3 => vec![strip(true, true), map, join(" {2,}", " ")],
        4 => vec![NormalizerSpec::Nmt, NormalizerSpec::Nfkc, join(" {2,}", " ")],
        5 => vec![map, join(" +", " "), strip(true, true)],
        6 if seed % 24 == 6 => {
            vec![NormalizerSpec::Nfkd, NormalizerSpec::StripAccents, NormalizerSpec::Lowercase]
        }
        6 => vec![NormalizerSpec::Nfd, NormalizerSpec::StripAccents, join(" {2,}", " ")],
        7 => vec![strip(true, false), NormalizerSpec::Nfc],
        8 => vec![map, NormalizerSpec::Nfkc, strip(false, true)],
        9 => vec![NormalizerSpec::Nmt, strip(true, true), map, join(" {2,}", "▁")],
        10 => vec![NormalizerSpec::Lowercase, map, join(" +", "▁")],
        _ => vec![NormalizerSpec::Nmt, strip(false, true)],
    };
    spec.normalizer = (!steps.is_empty()).then_some(NormalizerSpec::Sequence(steps));
    let prepend = PrependScheme::Always;
    spec.pre_tokenizer = Some(PreTokenizerSpec::Metaspace { replacement: '▁', prepend, split: true });
    spec
}

#[test]
fn words_between_marks_are_as_the_stages() {
    let mut told = 0;
    for seed in 0..240 {
        let spec = gap_spec(seed);
        let fast = with_lanes(&spec, LanesStart::AtOnce);
        assert!(fast.inner.plan.words.is_some(), "{:?}", spec.normalizer);
        let slow = stage_after_stage(&fast);
        let mut random = Random::from_seed(seed);
        for round in 0..120 {
            let parts = random.next_u64() as usize % if round % 40 == 0 { 3000 } else { 9 };
            let few: Vec<&str> = (0..5).map(|_| WORDS[random.next_u64() as usize % WORDS.len()]).collect();
            let part = |random: &mut Random| match random.next_u64() % 3 {
                0 => [" ", " ", "  ", "\n", "\n   "][random.next_u64() as usize % 5],
                _ => few[random.next_u64() as usize % few.len()],
            };
            let text: String = (0..parts).map(|_| part(&mut random)).collect();
            let offsets = [OffsetUnit::Byte, OffsetUnit::Char, OffsetUnit::Utf16][round % 3];
            refusals(&fast, &slow, &text, &EncodeOptions { offsets, ..EncodeOptions::default() });
            let words = fast.inner.plan.words.as_ref().unwrap();
            let (gaps, normalizer) = (words.stages.gaps().unwrap(), words.stages.normalizer.as_deref());
            if let Some(characters) = words.characters() {
                told += usize::from(gaps.within(&text, normalizer, characters).is_some());
            }
        }
        assert_eq!(fast.inner.plan.words.as_ref().unwrap().characters().is_some(), took_words(&fast));
    }
    assert!(told > 9000, "{told}");
}

/// Of what goes at the ends of a text, and of which blanks are beside each other, no character tells where several of them are
/// replaced by something else, or by nothing.
#[test]
fn literals_beside_blanks_are_as_the_stages() {
    let literals = ["\n\n", "a\n", "\na", "ab", "b", "``", "\n", "\u{3000}", "é\u{301}"];
    let mut taken = 0;
    for seed in 0..432 {
        let mut spec = gap_spec(1);
        let literal = NormalizerSpec::Replace {
            pattern: Pattern::Literal(literals[seed % 9].into()),
            content: ["x", "", "\n", "\"", "\u{1}", "\u{3000}"][seed / 9 % 6].into(),
        };
        let strip = NormalizerSpec::Strip { left: true, right: seed / 54 % 2 == 0 };
        let mut steps = match seed / 108 {
            0 => vec![literal, strip],
            1 => vec![strip, literal],
            2 => vec![strip.clone(), literal, NormalizerSpec::Nmt, strip],
            _ => vec![literal, NormalizerSpec::Nmt],
        };
        if seed % 4 < 2 {
            steps.push(NormalizerSpec::Replace {
                pattern: Pattern::Regex { source: " {2,}".into(), dialect: Dialect::Oniguruma },
                content: " ".into(),
            });
        }
        spec.normalizer = Some(NormalizerSpec::Sequence(steps));
        let fast = with_lanes(&spec, LanesStart::AtOnce);
        let slow = stage_after_stage(&fast);
        taken += usize::from(fast.inner.plan.words.is_some());
        let mut random = Random::from_seed(seed as u64);
        for _ in 0..60 {
            let parts = ["a", "b", "``", "\n", "\n", " ", "é\u{301}", "x", "\u{3000}"];
            let count = 1 + random.next_u64() as usize % 7;
            let text: String = (0..count).map(|_| parts[random.next_u64() as usize % parts.len()]).collect();
            refusals(&fast, &slow, &text, &EncodeOptions::default());
        }
    }
    assert!(taken > 100, "{taken}");
}
