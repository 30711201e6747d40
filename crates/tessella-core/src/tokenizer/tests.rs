//! Every way of a text to the model against the way that takes any text: stage after stage.

use std::sync::Arc;

use super::pool::Pool;
use super::way::{Cut, Way};
use super::worker::LanesStart;
use super::{EncodeOptions, Input, Tokenizer};
use crate::encoding::OffsetUnit;
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
pub(super) fn stage_after_stage(tokenizer: &Tokenizer) -> Tokenizer {
    let mut slow = Tokenizer::new(tokenizer.spec().clone()).unwrap();
    let inner = Arc::get_mut(&mut slow.inner).unwrap();
    inner.plan.way = Way::any_text(&inner.texts.model, inner.pre_tokenizer.as_ref()).into();
    (inner.plan.words, inner.plan.units) = (None, None);
    inner.plan.track_for_ids = inner.plan.track_for_pieces;
    let mut workers = Pool::new(512 << 10);
    workers.lanes = LanesStart::Never;
    inner.workers = Arc::new(workers);
    slow
}

/// Ids, and by token where it stands, of which word it is, and its text.
pub(super) type Columns = (Vec<u32>, Vec<(usize, usize)>, Vec<u32>, Vec<String>);

/// All columns of a text, and its ids, which are the same.
pub(super) fn columns(
    tokenizer: &Tokenizer,
    text: &str,
    options: &EncodeOptions<'_>,
) -> crate::Result<Columns> {
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

pub(super) fn added(spec: &mut TokenizerSpec) {
    spec.added_tokens = vec![AddedToken { normalized: false, ..AddedToken::new("<s>", true) }];
}

/// Some that are looked for in normalized texts.
pub(super) fn added_behind(spec: &mut TokenizerSpec, random: &mut Random) {
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
pub(super) fn random_bpe(random: &mut Random) -> BpeSpec {
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
    let doubled = |source: &str| NormalizerSpec::Replace {
        pattern: Pattern::Regex { source: source.into(), dialect: Dialect::Oniguruma },
        content: "▁▁".into(),
    };
    let metaspace = |prepend| PreTokenizerSpec::Metaspace { replacement: '▁', prepend, split: false };
    for seed in 0..280 {
        let mut random = Random::from_seed(seed);
        let mut spec = TokenizerSpec::new(ModelSpec::Bpe(random_bpe(&mut random)));
        let scheme =
            [PrependScheme::Always, PrependScheme::First, PrependScheme::Never][seed as usize / 14 % 3];
        (spec.normalizer, spec.pre_tokenizer) = match seed % 14 {
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
            6 => (None, Some(metaspace(PrependScheme::Never))),
            7 => (Some(replace.clone()), Some(metaspace(scheme))),
            8 => {
                (Some(NormalizerSpec::Sequence(vec![prepend("▁"), replace.clone()])), Some(metaspace(scheme)))
            }
            9 => (Some(NormalizerSpec::Sequence(vec![replace.clone(), doubled(r"\A▁")])), None),
            10 => (
                Some(NormalizerSpec::Sequence(vec![replace.clone(), doubled(r"\A▁")])),
                Some(metaspace(PrependScheme::Never)),
            ),
            _ => (
                Some(NormalizerSpec::Sequence(vec![replace.clone(), doubled(r"\A▁")])),
                Some(metaspace(PrependScheme::Always)),
            ),
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

/// Units of all lengths up to beyond a lane, some of them again and again: merges join all letters, and no point.
#[test]
fn units_that_are_no_keys_are_as_the_stages() {
    let replace = NormalizerSpec::Replace { pattern: Pattern::Literal(" ".into()), content: "▁".into() };
    for seed in 0..24 {
        let mut random = Random::from_seed(seed);
        let mut below = |bound: usize| random.next_u64() as usize % bound;
        let letters = ["a", "b", "é", "漢"];
        let mut texts: Vec<String> =
            ["<unk>", "▁", "."].iter().chain(&letters).map(|text| text.to_string()).collect();
        texts.extend((0..=255).map(|byte| format!("<0x{byte:02X}>")));
        let mut parts: Vec<String> = letters.iter().map(|text| text.to_string()).collect();
        for round in 0..60 {
            // All pairs of letters first.
            let whole = match round {
                0..16 => letters[round / 4].to_string() + letters[round % 4],
                // A letter more, which most of them have several ways to; or long ones of long ones.
                _ if below(4) > 0 => parts[parts.len() - 1].clone() + letters[below(4)],
                _ => parts[below(parts.len())].clone() + &parts[below(parts.len())],
            };
            if whole.chars().count() <= 40 && !parts.contains(&whole) {
                parts.push(whole);
            }
        }
        texts.extend(parts[letters.len()..].iter().cloned());
        let vocab = Vocab::from_entries(texts.iter().zip(0..)).unwrap();
        // Every way to each token, in the order of the tokens, or mixed.
        let mut merges: Vec<(u32, u32)> = Vec::new();
        for part in &parts {
            for (at, _) in part.char_indices().skip(1) {
                if let (Some(left), Some(right)) = (vocab.id(&part[..at]), vocab.id(&part[at..])) {
                    merges.push((left, right));
                }
            }
        }
        for _ in 0..[0, 0, 5, merges.len()][seed as usize % 4] {
            let (one, other) = (below(merges.len()), below(merges.len()));
            merges.swap(one, other);
        }
        let mut bpe = BpeSpec::new(vocab, Merges::Pairs(Arc::new(merges)));
        (bpe.unk_token, bpe.fuse_unk, bpe.byte_fallback) = (Some("<unk>".into()), true, true);
        let mut spec = TokenizerSpec::new(ModelSpec::Bpe(bpe));
        spec.normalizer = Some(replace.clone());
        let fast = with_lanes(&spec, LanesStart::AtOnce);
        let slow = stage_after_stage(&fast);
        // Of letters, of tokens, and with what has no token.
        let mut word = |at: usize| -> String {
            let mut part = |_| match (at % 2, below(40)) {
                (_, 0) => "ж".to_string(),
                (0, _) => letters[below(4)].to_string(),
                _ => parts[below(parts.len())].clone(),
            };
            (0..[70, 6][at % 2]).take(1 + at).map(&mut part).collect()
        };
        let words: Vec<String> = (0..80).map(&mut word).collect();
        for _ in 0..40 {
            let text: Vec<&str> = (0..below(50)).map(|_| words[below(80)].as_str()).collect();
            let text = text.join([".", " ", " ."][below(3)]);
            let run = |tokenizer: &Tokenizer| columns(tokenizer, &text, &EncodeOptions::default()).unwrap();
            assert_eq!(run(&fast), run(&slow), "{seed}: {text:?}");
        }
        assert!(fast.inner.plan.units.as_ref().unwrap().tables().is_ok());
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
    for (source, content) in [("▁", "▁▁"), ("^▁", "▁▁"), (r"\A▁+", "▁▁"), (r"\A▁", "▁"), (r"\A.", "..")]
    {
        let pattern = Pattern::Regex { source: source.into(), dialect: Dialect::Oniguruma };
        let other = NormalizerSpec::Replace { pattern, content: content.into() };
        assert!(way(chain(replace.clone(), other), bpe.clone(), token.clone()), "{source} {content}");
    }
    assert!(way(replace.clone(), BpeSpec { ignore_merges: true, ..bpe.clone() }, token.clone()));
    assert!(way(replace.clone(), BpeSpec { dropout: Some(0.5), ..bpe.clone() }, token.clone()));
    assert!(way(replace.clone(), bpe.clone(), AddedToken { normalized: true, ..token.clone() }));
    assert!(!way(replace, bpe, token));
}

pub(super) fn unigram(byte_fallback: bool, unk: bool) -> ModelSpec {
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

#[test]
fn lanes_are_as_piece_by_piece() {
    let byte_level = |add_prefix_space| PreTokenizerSpec::ByteLevel {
        add_prefix_space,
        use_regex: true,
        trim_offsets: true,
    };
    let mut by_lanes = 0;
    for seed in 0..48 {
        let mut random = Random::from_seed(seed);
        // Bytes without a token: none, some that no text has, and some of all.
        let absent: Vec<u8> = match seed % 8 {
            0 | 1 => vec![0xC0, 0xFF],
            2..4 => (0..3)
                .map(|_| random.next_u64() as u8)
                .chain([b"a \xC3\xA9"[seed as usize / 8 % 4]])
                .collect(),
            _ => Vec::new(),
        };
        let alphabet: Vec<u8> = (0..=u8::MAX).filter(|byte| !absent.contains(byte)).collect();
        let to_char = crate::pretokenize::byte_alphabet::BYTE_TO_CHAR;
        let mut texts: Vec<String> =
            alphabet.iter().map(|&byte| to_char[usize::from(byte)].to_string()).collect();
        let mut tokens: Vec<usize> =
            PARTS.concat().bytes().filter_map(|byte| alphabet.binary_search(&byte).ok()).collect();
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
        let unknown = (seed % 16 > 12).then(|| texts[0].clone());
        let mut spec = TokenizerSpec::new(ModelSpec::Bpe(BpeSpec {
            ignore_merges: seed % 2 == 0,
            unk_token: unknown,
            fuse_unk: seed % 5 == 0,
            ..BpeSpec::new(
                Vocab::from_entries(texts.iter().zip(0..)).unwrap(),
                if by_rank { Merges::ConcatRank } else { Merges::Pairs(Arc::new(merges)) },
            )
        }));
        spec.pre_tokenizer = Some(byte_level(seed % 4 < 2));
        // Two characters become one of as many bytes, alone and before a stage that goes by characters.
        let joined = |content: &str| {
            let pattern = Pattern::Literal(["ab", ".."][seed as usize % 2].into());
            NormalizerSpec::Replace { pattern, content: content.into() }
        };
        spec.normalizer = match seed % 5 {
            0 => Some(NormalizerSpec::Nfkc),
            1 => Some(joined("é")),
            2 => Some(NormalizerSpec::Sequence(vec![joined("É"), NormalizerSpec::Lowercase])),
            _ => None,
        };
        added(&mut spec);
        if seed % 4 > 0 {
            added_behind(&mut spec, &mut random);
        }
        let (fast, slow) = (with_lanes(&spec, LanesStart::AtOnce), with_lanes(&spec, LanesStart::Never));
        let staged = stage_after_stage(&fast);
        for round in 0..60 {
            let mut text = random_text(&mut random, if round % 10 == 0 { 4000 } else { 40 });
            if round % 20 == 0 {
                // Between two added tokens more than goes together.
                text += &format!("<s>{}<s>{text}", "c.\n".repeat(1000 + round * 20));
            }
            if round % 10 == 5 {
                // Little else than added tokens.
                text += &"<s>".repeat(200);
            }
            let offsets = [OffsetUnit::Byte, OffsetUnit::Char, OffsetUnit::Utf16][round % 3];
            let encode_special_tokens = round % 7 == 0;
            let options = EncodeOptions { offsets, encode_special_tokens, ..EncodeOptions::default() };
            let columns = |tokenizer: &Tokenizer| columns(tokenizer, &text, &options).unwrap();
            let (fast, slow, staged) = (columns(&fast), columns(&slow), columns(&staged));
            assert!(fast == slow && slow == staged, "{seed} {text:?}");
        }
        let engine = |tokenizer: &Tokenizer| tokenizer.inner.workers.with(|worker| worker.lanes.is_some());
        assert!(!engine(&slow));
        by_lanes += usize::from(engine(&fast));
    }
    // By ranks a few have tokens that need more than one pair.
    assert!(by_lanes > 40, "{by_lanes}");
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
