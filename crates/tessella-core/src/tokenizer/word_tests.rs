//! Words that go by the hundred, against the way that takes any text: stage after stage.

use std::sync::Arc;

use super::tests::{added, added_behind, columns, random_bpe, stage_after_stage, unigram, with_lanes};
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
const WORDS: &[&str] = &[
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
