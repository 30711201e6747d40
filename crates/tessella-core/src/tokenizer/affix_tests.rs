//! Tokens of words' affixes, which stand for nothing of the text, against the way that takes any text.

use super::tests::{random_bpe, stage_after_stage, with_lanes};
use super::word_tests::{refusals, took_words, word_spec};
use super::worker::LanesStart;
use super::{EncodeOptions, Input};
use crate::random::Random;
use crate::spec::*;

/// Bytes of a prefix and of a suffix stand for nothing, which is beside the characters of its piece, whatever comes behind it.
#[test]
fn what_stands_for_nothing_is_placed_as_by_the_stages() {
    let (mut with_words, mut empty) = (0, 0);
    for seed in 0..160 {
        let mut random = Random::from_seed(seed);
        let bpe = loop {
            let bpe = random_bpe(&mut random);
            if bpe.byte_fallback {
                break bpe;
            }
        };
        let affix = |text: &str, is_there| if is_there { Some(text.to_string()) } else { None };
        // What is merged has the prefix, as nothing here has.
        let merges = if seed % 3 == 1 { bpe.merges.clone() } else { Merges::default() };
        let spec = TokenizerSpec {
            model: ModelSpec::Bpe(BpeSpec {
                continuing_subword_prefix: affix("##", seed % 3 != 1),
                end_of_word_suffix: affix("</w>", seed % 3 != 2),
                merges,
                ..bpe
            }),
            ..word_spec(seed)
        };
        let fast = with_lanes(&spec, LanesStart::AtOnce);
        let slow = stage_after_stage(&fast);
        for _ in 0..60 {
            let count = 1 + random.next_u64() as usize % 9;
            // Characters that are longer or shorter in lower case, go, or are cut off.
            let parts =
                ["a", "b", "É", "ẞ", "İ", "\u{1}", "\u{b}", " ", ".", "e\u{301}", "漢", "▁", "ﬁ", "c"];
            let text: String = (0..count).map(|_| parts[random.next_u64() as usize % parts.len()]).collect();
            refusals(&fast, &slow, &text, &EncodeOptions::default());
            let encoding = slow.encode(&Input::from(text.as_str()), &EncodeOptions::default()).unwrap();
            empty += encoding.offsets().iter().filter(|(start, end)| start == end).count();
        }
        with_words += usize::from(took_words(&fast));
    }
    assert!(with_words > 80 && empty > 10_000, "{with_words} {empty}");
}
