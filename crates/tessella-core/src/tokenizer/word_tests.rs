//! Words that go by the hundred, against the way that takes any text: stage after stage.

use std::sync::Arc;

use super::tests::{added, added_behind, columns, stage_after_stage, with_lanes};
use super::worker::LanesStart;
use super::{EncodeOptions, Tokenizer};
use crate::encoding::OffsetUnit;
use crate::lanes::vectors::Level;
use crate::random::Random;
use crate::spec::*;

/// Whether words of it went by the hundred.
pub(super) fn took_words(tokenizer: &Tokenizer) -> bool {
    tokenizer.inner.workers.with(|worker| worker.words.is_some() || worker.packed_words.is_some())
}

/// Characters that join with blanks, vanish, become blanks or several characters, and what literals are made of.
pub(super) const WORDS: &[&str] = &[
    "a",
    "b",
    "ab",
    "A",
    " ",
    " ",
    "  ",
    "\n",
    "\r\n",
    "\t",
    "\u{b}",
    "\0",
    ".",
    "'",
    "''",
    "``",
    "-",
    "▁",
    "é",
    "É",
    "e\u{301}",
    "\u{301}",
    "\u{308}",
    "\u{200d}",
    "\u{200b}",
    "\u{a0}",
    "\u{ad}",
    "漢",
    "字",
    "か",
    "\u{3099}",
    "한",
    "ﬁ",
    "½",
    "´",
    "≠",
    "＝",
    "İ",
    "ß",
    "Σ",
    "\u{93e}",
    "\u{600}",
    "\u{302e}",
    "\u{1d165}",
    "😀",
    "𠀀",
    "x",
    "<s>",
    "longer than a key is",
];

fn word_normalizer(
    by_blanks: bool,
    by_signs: bool,
    one_of: &mut impl FnMut(u64) -> u64,
) -> Option<NormalizerSpec> {
    use crate::normalize::charsmap::build_charsmap;
    let literal = |from: &str, to: &str| NormalizerSpec::Replace {
        pattern: Pattern::Literal(from.into()),
        content: to.into(),
    };
    let rules =
        [("ﬁ", "fi"), ("é", "e"), ("\u{200b}", " "), ("\u{ad}", ""), (" \u{308}", "x"), ("か\u{3099}", "が")];
    let rules: Vec<_> =
        rules.iter().map(|(from, to)| (from.chars().collect(), to.chars().collect())).collect();
    let charsmap = || NormalizerSpec::Precompiled {
        charsmap: build_charsmap(&rules).unwrap().into(),
        matching: CharsmapMatching::Grapheme,
    };
    let bert = NormalizerSpec::Bert {
        clean_text: one_of(4) != 0,
        handle_chinese_chars: one_of(4) != 0,
        strip_accents: [None, Some(true), Some(false)][one_of(3) as usize],
        lowercase: one_of(2) == 0,
    };
    match (by_blanks, one_of(8)) {
        (_, 0) => None,
        (_, 5..) => {
            use NormalizerSpec::{Lowercase, Nfc, Nfd, Nfkc, Nfkd, Nmt, StripAccents};
            let all = [Nfc, Nfkc, Nfd, Nfkd, Lowercase, StripAccents, Nmt];
            Some(NormalizerSpec::Sequence((0..3).map(|_| all[one_of(7) as usize].clone()).collect()))
        }
        (true, 1) => Some(NormalizerSpec::Nfc),
        (true, 2) => {
            Some(NormalizerSpec::Sequence(vec![literal("``", "\""), literal("''", "\""), charsmap()]))
        }
        (true, 3) => Some(NormalizerSpec::Sequence(vec![
            literal("``", "\""),
            literal("''", "\""),
            NormalizerSpec::Nfkd,
            NormalizerSpec::StripAccents,
            charsmap(),
        ])),
        (false, 1) => Some(NormalizerSpec::Lowercase),
        (false, one) if one == 2 || by_signs => Some(NormalizerSpec::Sequence(vec![
            if one % 2 == 0 { NormalizerSpec::Nfd } else { NormalizerSpec::Nfkd },
            NormalizerSpec::Lowercase,
            NormalizerSpec::StripAccents,
        ])),
        _ => Some(bert),
    }
}

pub(super) fn word_spec(seed: u64) -> TokenizerSpec {
    let mut random = Random::from_seed(seed);
    let mut one_of = |count: u64| random.next_u64() % count;
    let mut texts = vec!["[UNK]".to_string()];
    for part in WORDS.iter().chain(&["fi", "=", "i", "e", "が", "ss", "σ", "1", "2"]) {
        for text in [part.trim().to_string(), format!("##{}", part.trim()), format!("▁{}", part.trim())] {
            if !part.trim().is_empty() && one_of(4) != 0 && !texts.contains(&text) {
                texts.push(text);
            }
        }
    }
    let marked = one_of(3) == 0;
    let model = if marked {
        let vocab = texts.iter().map(|text| (text.clone(), -1.0 - one_of(40) as f64 / 8.0)).collect();
        ModelSpec::Unigram(UnigramSpec {
            vocab: Arc::new(vocab),
            unk_id: Some(0),
            byte_fallback: false,
            alpha: None,
            nbest_size: None,
        })
    } else {
        let unk_token = if one_of(8) == 0 { "missing" } else { "[UNK]" };
        ModelSpec::WordPiece(WordPieceSpec {
            vocab: Arc::new(Vocab::from_entries(texts.iter().zip(0..)).unwrap()),
            unk_token: unk_token.into(),
            continuing_subword_prefix: "##".into(),
            max_input_chars_per_word: 10,
        })
    };
    let mut spec = TokenizerSpec::new(model);
    let by_blanks = (one_of(3) == 0) != marked;
    let metaspace =
        PreTokenizerSpec::Metaspace { replacement: '▁', prepend: PrependScheme::Always, split: true };
    spec.pre_tokenizer = Some(match (marked, by_blanks) {
        (true, true) => PreTokenizerSpec::Sequence(vec![PreTokenizerSpec::WhitespaceSplit, metaspace]),
        (true, false) => PreTokenizerSpec::Sequence(vec![PreTokenizerSpec::Bert, metaspace]),
        (_, true) => PreTokenizerSpec::WhitespaceSplit,
        (_, false) if seed.is_multiple_of(3) => PreTokenizerSpec::Whitespace,
        (_, false) => PreTokenizerSpec::Bert,
    });
    // With this one, control characters would have to be looked at.
    let by_signs = spec.pre_tokenizer == Some(PreTokenizerSpec::Whitespace);
    spec.normalizer = word_normalizer(by_blanks, by_signs, &mut one_of);
    added(&mut spec);
    if seed.is_multiple_of(4) {
        added_behind(&mut spec, &mut random);
    }
    spec
}

/// Both give the same columns of a text or the same error, asked twice: unknown to the slots and known. Returns the errors.
pub(super) fn refusals(fast: &Tokenizer, slow: &Tokenizer, text: &str, options: &EncodeOptions<'_>) -> usize {
    let fast_spec = fast.spec();
    let both = || match (columns(fast, text, options), columns(slow, text, options)) {
        (Ok(fast), Ok(slow)) => {
            let (normalizer, cut) = (&fast_spec.normalizer, &fast_spec.pre_tokenizer);
            assert_eq!(fast, slow, "{text:?} {normalizer:?} {cut:?}");
            false
        }
        (Err(fast), Err(slow)) => {
            assert_eq!(fast.message(), slow.message(), "{text:?}");
            true
        }
        (fast, slow) => panic!("{text:?}: {fast:?} {slow:?}"),
    };
    (0..2).filter(|_| both()).count()
}

#[test]
fn raw_words_are_as_the_stages() {
    let (mut odd, mut failed) = (0, 0);
    for seed in 0..150 {
        let spec = word_spec(seed);
        let fast = with_lanes(&spec, LanesStart::AtOnce);
        assert!(fast.inner.plan.words.is_some(), "{:?}", spec.normalizer);
        let slow = stage_after_stage(&fast);
        let mut random = Random::from_seed(seed);
        for round in 0..120 {
            let parts = random.next_u64() as usize % if round % 40 == 0 { 3000 } else { 12 };
            // Few kinds of parts, so that not every text has one that is odd.
            let few: Vec<&str> = (0..8).map(|_| WORDS[random.next_u64() as usize % WORDS.len()]).collect();
            let text: String = (0..parts).map(|_| few[random.next_u64() as usize % few.len()]).collect();
            let offsets = [OffsetUnit::Byte, OffsetUnit::Char, OffsetUnit::Utf16][round % 3];
            let options = EncodeOptions { offsets, ..EncodeOptions::default() };
            failed += refusals(&fast, &slow, &text, &options);
            let words = fast.inner.plan.words.as_ref().unwrap();
            let characters = words.characters().unwrap();
            let mut spans = crate::lanes::Spans::default();
            let filled = crate::lanes::Words::new(&text, characters).fill(Level::best(), &mut spans);
            odd += usize::from(filled == crate::lanes::Filled::Odd);
        }
        assert!(took_words(&fast));
    }
    assert!((500..9000).contains(&odd) && failed > 100, "{odd} {failed}");
}

#[test]
fn what_looks_beyond_words_goes_stage_by_stage() {
    let takes = |change: fn(&mut TokenizerSpec)| {
        let mut spec =
            (0..).map(word_spec).find(|spec| spec.pre_tokenizer == Some(PreTokenizerSpec::Bert)).unwrap();
        spec.normalizer = None;
        change(&mut spec);
        Tokenizer::new(spec).unwrap().inner.plan.words.is_some()
    };
    assert!(takes(|_| {}));
    assert!(takes(|spec| spec.normalizer = Some(NormalizerSpec::Nfc)));
    assert!(!takes(|spec| {
        let pattern = Pattern::Literal("ab".into());
        spec.normalizer = Some(NormalizerSpec::Replace { pattern, content: "c".into() });
    }));
    assert!(takes(|spec| spec.added_tokens[0].normalized = true));
    assert!(!takes(|spec| spec.added_tokens.push(AddedToken::new("  ", false))));
    assert!(takes(|spec| spec.pre_tokenizer = Some(PreTokenizerSpec::Whitespace)));
    assert!(!takes(|spec| spec.pre_tokenizer = Some(PreTokenizerSpec::Digits { individual: true })));
    assert!(!takes(|spec| {
        spec.pre_tokenizer = Some(PreTokenizerSpec::WhitespaceSplit);
        let pattern = Pattern::Literal("a b".into());
        spec.normalizer = Some(NormalizerSpec::Replace { pattern, content: "c".into() });
    }));
    assert!(!takes(|spec| {
        spec.pre_tokenizer = Some(PreTokenizerSpec::WhitespaceSplit);
        spec.normalizer = Some(NormalizerSpec::Strip { left: true, right: true });
    }));
}

#[test]
fn texts_without_brackets_are_no_traps_for_tokens_in_brackets() {
    let mut spec = word_spec(2);
    spec.normalizer = Some(NormalizerSpec::Lowercase);
    spec.pre_tokenizer = Some(PreTokenizerSpec::Bert);
    let tokens = ["<s>", "</s>", "<pad>", "[MASK]", "<|end|>"];
    spec.added_tokens =
        tokens.map(|content| AddedToken { normalized: true, ..AddedToken::new(content, true) }).into();
    let tokenizer = with_lanes(&spec, LanesStart::AtOnce);
    let traps = &tokenizer.inner.plan.words.as_ref().unwrap().traps;
    for word in ["s", "pad", "ends", "mask", "unusual"] {
        assert!(!traps.are_in(word), "{word}");
    }
    for word in [">", "]", "<>"] {
        assert!(traps.are_in(word), "{word}");
    }
    // Brackets alone do not send a text the slow way.
    let (slow, options) = (stage_after_stage(&tokenizer), EncodeOptions::default());
    for (text, expected) in [
        ("a <b> s</s", true),
        ("x <S> y", false),
        ("[mask", true),
        ("<p\0ad>", true),
        ("< s >", true),
        ("a<|END|>", false),
        ("a]", true),
        ("", true),
    ] {
        for _ in 0..2 {
            let (inner, mut ids) = (&tokenizer.inner, Vec::new());
            let words = inner.plan.words.as_ref().unwrap();
            let by_words = inner
                .workers
                .with(|worker| inner.append_words(worker, words, text, &options, &mut ids))
                .unwrap();
            assert_eq!(by_words, expected, "{text:?}");
            assert_eq!(refusals(&tokenizer, &slow, text, &options), 0);
            if by_words {
                assert_eq!(ids, slow.encode_ids(text, &options).unwrap(), "{text:?}");
            }
        }
    }
}
