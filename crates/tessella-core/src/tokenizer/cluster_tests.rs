//! Clusters of several characters that become blanks, marks or nothing where blanks are counted, against the way that takes any text.

use super::EncodeOptions;
use super::tests::{stage_after_stage, unigram, with_lanes};
use super::word_tests::refusals;
use super::worker::LanesStart;
use crate::normalize::charsmap::build_charsmap;
use crate::random::Random;
use crate::spec::*;

const CLUSTERS: [&str; 4] = ["a\u{308}", "e\u{301}", "é\u{308}", "b\u{327}\u{308}"];
const WRITTEN: [&str; 11] = ["", " ", "  ", " a", "a ", "▁", "b▁", "ab", "\u{3000}", "\n", "\u{301}"];

/// Rules or literals for clusters, and what may stand around them.
fn normalizer(below: &mut impl FnMut(usize) -> usize) -> NormalizerSpec {
    use NormalizerSpec::{Lowercase, Nfc, Precompiled, Replace, Sequence, Strip, StripAccents};
    let chars = |text: &str| text.chars().collect::<Vec<_>>();
    let first = match below(3) {
        0 => Replace {
            pattern: Pattern::Literal(CLUSTERS[below(CLUSTERS.len())].into()),
            content: WRITTEN[below(WRITTEN.len())].into(),
        },
        _ => {
            let rules = CLUSTERS.map(|cluster| (chars(cluster), chars(WRITTEN[below(WRITTEN.len())])));
            let charsmap = build_charsmap(&rules).unwrap().into();
            Precompiled { charsmap, matching: CharsmapMatching::Grapheme }
        }
    };
    let join = Replace {
        pattern: Pattern::Regex { source: " {2,}".into(), dialect: Dialect::Oniguruma },
        content: ["▁", " "][below(2)].into(),
    };
    let mut steps = vec![first];
    match below(6) {
        0 => steps.push(Lowercase),
        1 => steps.push(StripAccents),
        2 => steps.insert(0, Lowercase),
        3 => steps.push(Nfc),
        _ => {}
    }
    match below(4) {
        0 => steps.push(join),
        1 => steps.push(Strip { left: below(2) == 0, right: true }),
        _ => {}
    }
    Sequence(steps)
}

#[test]
fn clusters_that_become_blanks_are_as_by_the_stages() {
    let (mut with_words, mut without) = (0, 0);
    for seed in 0..300 {
        let mut random = Random::from_seed(seed);
        let mut below = |bound: usize| random.next_u64() as usize % bound;
        let mut spec = TokenizerSpec::new(unigram(false, true));
        spec.normalizer = Some(normalizer(&mut below));
        spec.pre_tokenizer = Some(PreTokenizerSpec::Metaspace {
            replacement: '▁',
            prepend: PrependScheme::Always,
            split: true,
        });
        let fast = with_lanes(&spec, LanesStart::AtOnce);
        let slow = stage_after_stage(&fast);
        for _ in 0..60 {
            let parts = ["a", "b", " ", " ", "  ", "x", "\u{308}", "A\u{308}", "\n"];
            let part = |at: usize| if at < parts.len() { parts[at] } else { CLUSTERS[at - parts.len()] };
            let count = 1 + below(7);
            let text: String = (0..count).map(|_| part(below(parts.len() + CLUSTERS.len()))).collect();
            refusals(&fast, &slow, &text, &EncodeOptions::default());
        }
        let words = fast.inner.plan.words.as_ref().and_then(|words| words.characters());
        *(if words.is_some() { &mut with_words } else { &mut without }) += 1;
    }
    assert!(with_words > 10 && without > 50, "{with_words} {without}");
}
