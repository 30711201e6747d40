//! Every way of a text to the model against the way that takes any text: stage after stage.

use std::sync::Arc;

use super::way::{Cut, Way};
use super::worker::{LanesStart, Pool};
use super::{EncodeOptions, Input, Tokenizer};
use crate::encoding::OffsetUnit;
use crate::lanes::vectors::Level;
use crate::random::Random;
use crate::spec::*;

/// Blanks of several kinds, the mark, characters of all lengths, an added token, and what is in no vocabulary.
const PARTS: &[&str] =
    &["a", "b", "c", "ab", " ", "  ", " a", "\n", "▁", "▁▁", "é", "漢", "😀", "x", ".", "<s>", "\u{a0}"];

fn random_text(random: &mut Random, parts: usize) -> String {
    (0..random.next_u64() as usize % (parts + 1))
        .map(|_| PARTS[random.next_u64() as usize % PARTS.len()])
        .collect()
}

/// The same tokenizer on the slow way.
fn stage_after_stage(tokenizer: &Tokenizer) -> Tokenizer {
    let mut slow = Tokenizer::new(tokenizer.spec().clone()).unwrap();
    let inner = Arc::get_mut(&mut slow.inner).unwrap();
    inner.plan.way = Way::any_text(&inner.texts.model, inner.pre_tokenizer.as_ref());
    (inner.plan.words, inner.plan.units) = (None, None);
    inner.plan.track_for_ids = inner.plan.track_for_pieces;
    slow
}

/// Ids, and by token where it stands, of which word it is, and its text.
type Columns = (Vec<u32>, Vec<(usize, usize)>, Vec<u32>, Vec<String>);

/// All columns of a text, and its ids, which are the same.
fn columns(tokenizer: &Tokenizer, text: &str, options: &EncodeOptions<'_>) -> crate::Result<Columns> {
    let encoding = tokenizer.encode(&Input::from(text), options)?;
    let ids = tokenizer.encode_ids(text, options)?;
    assert_eq!(ids, encoding.ids(), "{text:?}");
    let tokens = encoding.tokens();
    Ok((ids, encoding.offsets().to_vec(), encoding.words().to_vec(), tokens))
}

fn assert_same_ways(spec: TokenizerSpec, seed: u64, expected: fn(&Cut) -> bool) {
    // By pieces, and what can go by the hundred.
    let start = [LanesStart::Never, LanesStart::AtOnce][seed as usize / 4 % 2];
    let fast = with_lanes(&spec, start);
    assert!(expected(&fast.inner.plan.way.cut), "{:?}", fast.inner.plan.way.cut);
    let slow = stage_after_stage(&fast);
    let mut random = Random::from_seed(seed);
    for round in 0..300 {
        let text = random_text(&mut random, if round % 10 == 0 { 80 } else { 12 });
        let offsets = [OffsetUnit::Byte, OffsetUnit::Char, OffsetUnit::Utf16][round % 3];
        let options = EncodeOptions { offsets, ..EncodeOptions::default() };
        let run = |tokenizer: &Tokenizer| columns(tokenizer, &text, &options);
        // Twice: unknown to the cache and known.
        for _ in 0..2 {
            match (run(&fast), run(&slow)) {
                (Ok(fast), Ok(slow)) => assert_eq!(fast, slow, "{text:?}"),
                (Err(fast), Err(slow)) => assert_eq!(fast.message(), slow.message(), "{text:?}"),
                (fast, slow) => panic!("{text:?}: {fast:?} {slow:?}"),
            }
        }
    }
}

fn added(spec: &mut TokenizerSpec) {
    spec.added_tokens = vec![AddedToken { normalized: false, ..AddedToken::new("<s>", true) }];
}

/// Some that are looked for in normalized texts.
fn added_behind(spec: &mut TokenizerSpec, random: &mut Random) {
    let contents =
        ["ab", "b a", "É", ". .", "▁a", "xx", "<t>", "a.b", "漢", "x ", "aab", "bA", "か", "''a", "éé", "sb"];
    // A few, or so many that they are looked for at once.
    for _ in 0..[1, 2, 1, 40][random.next_u64() as usize % 4] {
        let content = contents[random.next_u64() as usize % contents.len()];
        spec.added_tokens.push(AddedToken {
            normalized: true,
            single_word: random.next_u64().is_multiple_of(4),
            lstrip: random.next_u64().is_multiple_of(4),
            ..AddedToken::new(content, random.next_u64().is_multiple_of(2))
        });
    }
}

/// A merge list over few characters, each merge of two tokens there are.
fn random_bpe(random: &mut Random) -> BpeSpec {
    let mut texts: Vec<String> =
        ["a", "b", "c", "▁", ".", " ", "é", "<unk>"].iter().map(|text| text.to_string()).collect();
    let mark = !random.next_u64().is_multiple_of(4);
    if !mark {
        texts.retain(|text| text != "▁");
    }
    let byte_fallback = random.next_u64().is_multiple_of(2);
    if byte_fallback {
        texts.extend((0..=255).map(|byte| format!("<0x{byte:02X}>")));
    }
    let mut merges: Vec<(u32, u32)> = Vec::new();
    for _ in 0..random.next_u64() % 16 {
        let pick = |random: &mut Random| loop {
            let at = random.next_u64() as usize % texts.len();
            if !texts[at].starts_with('<') {
                return at;
            }
        };
        let (left, right) = (pick(random), pick(random));
        let whole = texts[left].clone() + &texts[right];
        if !texts.contains(&whole) {
            texts.push(whole);
            merges.push((left as u32, right as u32));
        }
    }
    BpeSpec {
        vocab: Arc::new(Vocab::from_entries(texts.iter().zip(0..)).unwrap()),
        merges: Merges::Pairs(Arc::new(merges)),
        dropout: None,
        unk_token: random.next_u64().is_multiple_of(2).then(|| "<unk>".to_string()),
        continuing_subword_prefix: None,
        end_of_word_suffix: None,
        fuse_unk: random.next_u64().is_multiple_of(2),
        byte_fallback,
        ignore_merges: false,
    }
}

#[test]
fn respelled_units_are_as_the_stages() {
    let replace = NormalizerSpec::Replace { pattern: Pattern::Literal(" ".into()), content: "▁".into() };
    let prepend = |prefix: &str| NormalizerSpec::Prepend { prepend: prefix.into() };
    let metaspace = |prepend| PreTokenizerSpec::Metaspace { replacement: '▁', prepend, split: false };
    for seed in 0..140 {
        let mut random = Random::from_seed(seed);
        let mut spec = TokenizerSpec::new(ModelSpec::Bpe(random_bpe(&mut random)));
        (spec.normalizer, spec.pre_tokenizer) = match seed % 7 {
            0 => (Some(NormalizerSpec::Sequence(vec![prepend("▁"), replace.clone()])), None),
            1 => (Some(NormalizerSpec::Sequence(vec![replace.clone(), prepend("▁")])), None),
            2 => (Some(NormalizerSpec::Sequence(vec![prepend(" "), replace.clone()])), None),
            // A split at what is not there any more.
            3 => (
                Some(replace.clone()),
                (seed % 2 == 0).then(|| PreTokenizerSpec::Split {
                    pattern: Pattern::Literal(" ".into()),
                    behavior: SplitBehavior::MergedWithPrevious,
                    invert: false,
                }),
            ),
            4 => (None, Some(metaspace(PrependScheme::Always))),
            5 => (None, Some(metaspace(PrependScheme::First))),
            _ => (None, Some(metaspace(PrependScheme::Never))),
        };
        added(&mut spec);
        if seed % 5 == 0 {
            added_behind(&mut spec, &mut random);
            assert!(Tokenizer::new(spec.clone()).unwrap().inner.plan.units.is_some());
            assert_same_ways(spec, seed, |cut| matches!(cut, Cut::Stages(_)));
        } else {
            assert_same_ways(spec, seed, |cut| matches!(cut, Cut::Respelled(_)));
        }
    }
}

#[test]
fn what_is_more_than_respelling_goes_stage_by_stage() {
    let replace = NormalizerSpec::Replace { pattern: Pattern::Literal(" ".into()), content: "▁".into() };
    let prepend = |prefix: &str| NormalizerSpec::Prepend { prepend: prefix.into() };
    let way = |normalizer: NormalizerSpec, bpe: BpeSpec, token: AddedToken| {
        let mut spec = TokenizerSpec::new(ModelSpec::Bpe(bpe));
        spec.normalizer = Some(normalizer);
        spec.added_tokens = vec![token];
        matches!(Tokenizer::new(spec).unwrap().inner.plan.way.cut, Cut::Stages(_))
    };
    let split = |literal: &str, invert| {
        let mut spec = TokenizerSpec::new(ModelSpec::Bpe(random_bpe(&mut Random::from_seed(1))));
        spec.normalizer = Some(replace.clone());
        let (pattern, behavior) = (Pattern::Literal(literal.into()), SplitBehavior::Removed);
        spec.pre_tokenizer = Some(PreTokenizerSpec::Split { pattern, behavior, invert });
        matches!(Tokenizer::new(spec).unwrap().inner.plan.way.cut, Cut::Stages(_))
    };
    assert!(split("▁", false) && split(" ", true) && !split("a ", false));
    let bpe = random_bpe(&mut Random::from_seed(1));
    let token = AddedToken { normalized: false, ..AddedToken::new("<s>", true) };
    let chain = |first, second| NormalizerSpec::Sequence(vec![first, second]);
    assert!(way(chain(replace.clone(), prepend(" ")), bpe.clone(), token.clone()));
    assert!(way(chain(prepend("x"), replace.clone()), bpe.clone(), token.clone()));
    assert!(way(chain(replace.clone(), replace.clone()), bpe.clone(), token.clone()));
    assert!(way(replace.clone(), BpeSpec { ignore_merges: true, ..bpe.clone() }, token.clone()));
    assert!(way(replace.clone(), BpeSpec { dropout: Some(0.5), ..bpe.clone() }, token.clone()));
    assert!(way(replace.clone(), bpe.clone(), AddedToken { normalized: true, ..token.clone() }));
    assert!(!way(replace, bpe, token));
}

fn unigram(byte_fallback: bool, unk: bool) -> ModelSpec {
    let mut vocab: Vec<(String, f64)> =
        [("<unk>", 0.0), ("▁", -3.0), ("a", -2.0), ("▁a", -2.5), ("b", -2.2), ("ab", -2.9), ("▁ab", -3.1)]
            .map(|(text, score)| (text.to_string(), score))
            .to_vec();
    vocab.extend([("c".to_string(), -4.0), ("▁▁".to_string(), -4.5), ("é".to_string(), -5.0)]);
    if byte_fallback {
        vocab.extend((0..=255).map(|byte| (format!("<0x{byte:02X}>"), -9.0)));
    }
    ModelSpec::Unigram(UnigramSpec {
        vocab: Arc::new(vocab),
        unk_id: unk.then_some(0),
        byte_fallback,
        alpha: None,
        nbest_size: None,
    })
}

#[test]
fn marks_that_are_not_written_are_as_the_stages() {
    let metaspace = |prepend| PreTokenizerSpec::Metaspace { replacement: '▁', prepend, split: true };
    for seed in 0..32 {
        let scheme = if seed & 1 == 0 { PrependScheme::Always } else { PrependScheme::Never };
        let mut spec = TokenizerSpec::new(unigram(seed & 4 != 0, seed & 16 == 0));
        spec.pre_tokenizer = Some(if seed & 2 == 0 {
            PreTokenizerSpec::Sequence(vec![PreTokenizerSpec::WhitespaceSplit, metaspace(scheme)])
        } else {
            metaspace(scheme)
        });
        if seed & 8 != 0 {
            spec.normalizer = Some(NormalizerSpec::Nfd);
        }
        added(&mut spec);
        assert_same_ways(spec, seed, |cut| matches!(cut, Cut::Marked(_)));
    }
}

#[test]
fn splits_without_a_list_are_as_the_stages() {
    let vocab = [("[UNK]", 0), ("a", 1), ("b", 2), ("##a", 3), ("##b", 4), ("ab", 5), ("漢", 6), (".", 7)];
    let vocab = Arc::new(Vocab::from_entries(vocab).unwrap());
    let splits = [
        PreTokenizerSpec::Bert,
        PreTokenizerSpec::Whitespace,
        PreTokenizerSpec::Sequence(vec![
            PreTokenizerSpec::WhitespaceSplit,
            PreTokenizerSpec::Punctuation { behavior: SplitBehavior::Isolated },
            PreTokenizerSpec::CharDelimiter { delimiter: 'x' },
        ]),
        PreTokenizerSpec::Sequence(vec![]),
    ];
    for (seed, pre_tokenizer) in splits.into_iter().enumerate() {
        let model = WordPieceSpec {
            vocab: vocab.clone(),
            unk_token: "[UNK]".into(),
            continuing_subword_prefix: "##".into(),
            max_input_chars_per_word: 10,
        };
        let mut spec = TokenizerSpec::new(ModelSpec::WordPiece(model));
        spec.normalizer = (seed % 2 == 0).then_some(NormalizerSpec::Nfd);
        spec.pre_tokenizer = Some(pre_tokenizer);
        added(&mut spec);
        assert_same_ways(spec, seed as u64, |cut| matches!(cut, Cut::Splits(_)));
    }
}

/// Who holds a worker may ask for another one, as users' components do, and nobody waits.
#[test]
fn work_may_ask_for_another_worker() {
    let pool = Pool::new(1 << 10);
    let two = pool.with(|one| {
        one.room.push(1);
        pool.with(|two| {
            two.room.push(2);
            two.room.clone()
        })
    });
    assert_eq!(two, [2]);
    assert_eq!(pool.with(|one| one.room.clone()), [1], "the first is still there");
    pool.clear();
    assert!(pool.with(|one| one.room.is_empty()));
    assert!(pool.with(|_| pool.with(|two| two.room.is_empty())));
}

/// The same tokenizer with the fast engine from the first byte on, or without it.
pub(super) fn with_lanes(spec: &TokenizerSpec, lanes: LanesStart) -> Tokenizer {
    let mut tokenizer = Tokenizer::new(spec.clone()).unwrap();
    let small = 512 << 10;
    let mut workers = Pool::new(small);
    workers.lanes = lanes;
    Arc::get_mut(&mut tokenizer.inner).unwrap().workers = Arc::new(workers);
    tokenizer
}

/// Whether words of it went by the hundred.
fn took_words(tokenizer: &Tokenizer) -> bool {
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

fn word_spec(seed: u64) -> TokenizerSpec {
    use crate::normalize::charsmap::build_charsmap;
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
    spec.normalizer = match (by_blanks, one_of(5)) {
        (_, 0) => None,
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
    };
    added(&mut spec);
    if seed.is_multiple_of(4) {
        added_behind(&mut spec, &mut random);
    }
    spec
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
            for _ in 0..2 {
                match (columns(&fast, &text, &options), columns(&slow, &text, &options)) {
                    (Ok(fast), Ok(slow)) => assert_eq!(fast, slow, "{text:?} {:?}", spec.normalizer),
                    (Err(fast), Err(slow)) => {
                        failed += 1;
                        assert_eq!(fast.message(), slow.message(), "{text:?}");
                    }
                    (fast, slow) => panic!("{text:?}: {fast:?} {slow:?}"),
                }
            }
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
            for _ in 0..2 {
                let offsets = [OffsetUnit::Byte, OffsetUnit::Char, OffsetUnit::Utf16][round % 3];
                let options = EncodeOptions { offsets, ..EncodeOptions::default() };
                match (columns(&fast, &text, &options), columns(&slow, &text, &options)) {
                    (Ok(fast), Ok(slow)) => assert_eq!(fast, slow, "{text:?} {:?}", spec.normalizer),
                    (Err(fast), Err(slow)) => assert_eq!(fast.message(), slow.message(), "{text:?}"),
                    (fast, slow) => panic!("{text:?}: {fast:?} {slow:?}"),
                }
            }
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

/// A tokenizer whose first stage leaves blanks out, with others behind it.
fn stage_spec(seed: u64) -> TokenizerSpec {
    let mut spec = word_spec(seed * 5 + 1);
    let mut random = Random::from_seed(seed);
    if random.next_u64().is_multiple_of(2) {
        let bpe = random_bpe(&mut random);
        // Bytes of a suffix stand for nothing, which has no place of its own.
        let suffix = (!bpe.byte_fallback).then(|| "</w>".to_string());
        spec.model = ModelSpec::Bpe(BpeSpec { end_of_word_suffix: suffix, ..bpe });
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
            for _ in 0..2 {
                let options = EncodeOptions::default();
                match (columns(&fast, &text, &options), columns(&slow, &text, &options)) {
                    (Ok(fast), Ok(slow)) => assert_eq!(fast, slow, "{text:?} {:?}", spec.pre_tokenizer),
                    (Err(fast), Err(slow)) => {
                        failed += 1;
                        assert_eq!(fast.message(), slow.message(), "{text:?}");
                    }
                    (fast, slow) => panic!("{text:?}: {fast:?} {slow:?}"),
                }
            }
        }
        with_words += usize::from(took_words(&fast));
    }
    assert!(with_words > 80 && failed < 4000, "{with_words} {failed}");
}

/// A Unigram model for words of letters and signs that few entries join, with sums that tie, and what is unknown.
fn sign_spec(random: &mut Random) -> TokenizerSpec {
    let mut below = |bound: usize| (random.next_u64() % bound as u64) as usize;
    let (letters, signs) = (["a", "b", "ab", "é"], ["(", ")", "`", "\"", "=", "(("]);
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
    let mut cut = 0;
    for seed in 0..300 {
        let mut random = Random::from_seed(seed);
        let spec = sign_spec(&mut random);
        let fast = with_lanes(&spec, LanesStart::AtOnce);
        let slow = stage_after_stage(&fast);
        for round in 0..30 {
            let most = if round % 10 == 0 { 3000 } else { 60 };
            let parts = ["a", "b", "ab", "(", ")", "``", "\"", "=", "é", " ", " ", "x", "((a=b)", "e\u{301}"];
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
                cut += joints.filter(|(start, end)| start == end).count();
            }
        }
        assert!(took_words(&fast));
    }
    // Not all vectors can tell.
    assert!(cut > 10_000 || Level::all().len() < 3, "{cut}");
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
        let parts = ["a", "b", "ab", "é", "x", "漢", "z", "=", "▁", "<unk>"];
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
    assert!(!takes(|spec| spec.normalizer = Some(NormalizerSpec::Nfc)));
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
fn lanes_are_as_piece_by_piece() {
    let byte_level = |add_prefix_space| PreTokenizerSpec::ByteLevel {
        add_prefix_space,
        use_regex: true,
        trim_offsets: true,
    };
    for seed in 0..24 {
        let mut random = Random::from_seed(seed);
        let alphabet = crate::pretokenize::byte_alphabet::BYTE_TO_CHAR;
        let mut texts: Vec<String> = alphabet.iter().map(char::to_string).collect();
        let common: Vec<usize> = PARTS.concat().bytes().map(usize::from).collect();
        let mut tokens = common.clone();
        let mut merges = Vec::new();
        for _ in 0..60 {
            let mut pick = || tokens[random.next_u64() as usize % tokens.len()];
            let (left, right) = (pick(), pick());
            let whole = texts[left].clone() + &texts[right];
            if !texts.contains(&whole) {
                tokens.push(texts.len());
                texts.push(whole);
                merges.push((left as u32, right as u32));
            }
        }
        let by_rank = seed % 3 == 0;
        let mut spec = TokenizerSpec::new(ModelSpec::Bpe(BpeSpec {
            ignore_merges: seed % 2 == 0,
            ..BpeSpec::new(
                Vocab::from_entries(texts.iter().zip(0..)).unwrap(),
                if by_rank { Merges::ConcatRank } else { Merges::Pairs(Arc::new(merges)) },
            )
        }));
        spec.pre_tokenizer = Some(byte_level(seed % 4 < 2));
        spec.normalizer = (seed % 5 == 0).then_some(NormalizerSpec::Nfkc);
        added(&mut spec);
        let (fast, slow) = (with_lanes(&spec, LanesStart::AtOnce), with_lanes(&spec, LanesStart::Never));
        for round in 0..60 {
            let text = random_text(&mut random, if round % 10 == 0 { 4000 } else { 40 });
            let options = EncodeOptions { encode_special_tokens: round % 7 == 0, ..EncodeOptions::default() };
            let ids = |tokenizer: &Tokenizer| tokenizer.encode_ids(&text, &options).unwrap();
            assert!(ids(&fast) == ids(&slow), "{seed} {text:?}");
        }
        let engine = |tokenizer: &Tokenizer| tokenizer.inner.workers.with(|worker| worker.lanes.is_some());
        assert!(engine(&fast) && !engine(&slow));
    }
}

#[test]
fn a_batch_that_pays_is_taken_by_lanes_from_its_first_text_on() {
    let bytes = crate::pretokenize::byte_alphabet::BYTE_TO_CHAR.iter().map(char::to_string);
    let vocab = Vocab::from_entries(bytes.zip(0..)).unwrap();
    let merges = Merges::Pairs(Arc::new(vec![]));
    let mut spec = TokenizerSpec::new(ModelSpec::Bpe(BpeSpec::new(vocab, merges)));
    spec.pre_tokenizer =
        Some(PreTokenizerSpec::ByteLevel { add_prefix_space: false, use_regex: true, trim_offsets: true });
    let engine = |tokenizer: &Tokenizer| tokenizer.inner.workers.with(|worker| worker.lanes.is_some());
    let options = EncodeOptions::default();
    // 256 tokens pay after 64 kB and 384 bytes.
    for (count, pays) in [(21_900, false), (22_000, true)] {
        let tokenizer = with_lanes(&spec, LanesStart::WhenItPays);
        let texts = vec!["a b"; count];
        tokenizer.inner.workers.with(|worker| {
            worker.foreseeing(3 * count, |worker| worker.expect_text(&tokenizer.inner.plan.way.reader, 3))
        });
        assert_eq!(engine(&tokenizer), pays);
        tokenizer.encode_ids("a", &options).unwrap();
        assert_eq!(engine(&tokenizer), pays, "what was foreseen is over");
        assert_eq!(tokenizer.encode_ids_batch(texts.as_slice(), &options).unwrap().ids.len(), 3 * count);
    }
    // Where the tables are there, all that is left to pay is a worker's own memory.
    let text = "a b ".repeat(3000);
    for is_ready in [false, true] {
        let tokenizer = with_lanes(&spec, LanesStart::WhenItPays);
        if is_ready {
            tokenizer.get_ready();
        }
        tokenizer.encode_ids("a", &options).unwrap();
        assert!(!engine(&tokenizer));
        tokenizer.encode_ids(&text, &options).unwrap();
        assert_eq!(engine(&tokenizer), is_ready);
    }
}
