//! Pieces by the hundred, and new ones of BPE that are merged together, against stage after stage.

use std::sync::Arc;

use super::tests::{added, columns, stage_after_stage, unigram, with_lanes};
use super::worker::LanesStart;
use super::{EncodeOptions, Tokenizer};
use crate::lanes::vectors::Level;
use crate::pretokenize::byte_alphabet::BYTE_TO_CHAR;
use crate::random::Random;
use crate::spec::*;

const LETTERS: &[&str] = &["a", "b", "c", "é", "漢", "x", "1", ".", "▁"];

/// Letters with affixes by their places, and merges of them, in a vocabulary of any order.
fn affixed_bpe(letters: &[String], below: &mut impl FnMut(usize) -> usize) -> BpeSpec {
    struct Token {
        text: String,
        is_inside: bool,
        is_last: bool,
    }
    let prefix = ["", "", "##", "é"][below(4)];
    let suffix = ["", "</w>", "</w>", "b"][below(4)];
    let mut tokens: Vec<Token> = Vec::new();
    for letter in letters {
        for (is_inside, is_last) in [(false, false), (true, false), (false, true), (true, true)] {
            let before = if is_inside { prefix } else { "" };
            let text = format!("{before}{letter}{}", if is_last { suffix } else { "" });
            let is_new = tokens.iter().all(|token| token.text != text);
            if is_new && (letters.len() > 100 || below(12) > 0) {
                tokens.push(Token {
                    text,
                    is_inside: is_inside || prefix.is_empty(),
                    is_last: is_last && !suffix.is_empty(),
                });
            }
        }
    }
    let mut merges: Vec<[String; 2]> = Vec::new();
    for _ in 0..below(120) {
        let (left, right) = (below(tokens.len()), below(tokens.len()));
        let (left, right) = (&tokens[left], &tokens[right]);
        let whole = format!("{}{}", left.text, right.text.strip_prefix(prefix).unwrap_or_default());
        if !left.is_last && right.is_inside && tokens.iter().all(|token| token.text != whole) {
            merges.push([left.text.clone(), right.text.clone()]);
            tokens.push(Token { text: whole, is_inside: left.is_inside, is_last: right.is_last });
        }
    }
    let mut texts: Vec<String> = tokens.into_iter().map(|token| token.text).collect();
    texts.push("<unk>".into());
    let byte_fallback = below(3) == 0;
    if byte_fallback {
        texts.extend((0..=255).map(|byte| format!("<0x{byte:02X}>")));
    }
    if below(2) == 0 {
        for at in 0..texts.len() {
            let other = below(texts.len());
            texts.swap(at, other);
        }
    }
    let vocab = Vocab::from_entries(texts.iter().zip(0..)).unwrap();
    let id = |text: &String| vocab.id(text).unwrap();
    let merges = merges.iter().map(|[left, right]| (id(left), id(right))).collect();
    let affix = |affix: &str| (!affix.is_empty()).then(|| affix.to_string());
    BpeSpec {
        unk_token: (below(3) > 0).then(|| "<unk>".to_string()),
        continuing_subword_prefix: affix(prefix),
        end_of_word_suffix: affix(suffix),
        fuse_unk: below(2) == 0,
        byte_fallback,
        ..BpeSpec::new(vocab, Merges::Pairs(Arc::new(merges)))
    }
}

fn spec(seed: u64) -> TokenizerSpec {
    let mut random = Random::from_seed(seed);
    let mut below = |bound: usize| (random.next_u64() % bound as u64) as usize;
    let of_bytes = seed.is_multiple_of(3);
    let letters: Vec<String> = match of_bytes {
        true => BYTE_TO_CHAR.iter().map(|c| c.to_string()).collect(),
        false => LETTERS.iter().map(|letter| letter.to_string()).collect(),
    };
    let mut spec = TokenizerSpec::new(match below(8) {
        0 if !of_bytes => unigram(below(2) == 0, true),
        _ => ModelSpec::Bpe(affixed_bpe(&letters, &mut below)),
    });
    use NormalizerSpec::{Lowercase, Nfc, Nfkc};
    spec.normalizer =
        [None, Some(Nfc), Some(Nfkc), Some(NormalizerSpec::Sequence(vec![Nfc, Lowercase]))][below(4)].clone();
    let split = |source: &str, behavior, invert| PreTokenizerSpec::Split {
        pattern: Pattern::Regex { source: source.into(), dialect: Dialect::Oniguruma },
        behavior,
        invert,
    };
    let words = || split(r"[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+", SplitBehavior::Removed, true);
    let bytes =
        PreTokenizerSpec::ByteLevel { add_prefix_space: below(3) == 0, use_regex: false, trim_offsets: true };
    let metaspace =
        PreTokenizerSpec::Metaspace { replacement: '▁', prepend: PrependScheme::Always, split: true };
    spec.pre_tokenizer = Some(match (of_bytes, below(6)) {
        (true, 0..3) => PreTokenizerSpec::Sequence(vec![words(), bytes]),
        (true, _) => PreTokenizerSpec::Sequence(vec![PreTokenizerSpec::WhitespaceSplit, bytes]),
        (false, 0) => metaspace,
        (false, 1) => PreTokenizerSpec::Whitespace,
        (false, 2) => words(),
        // Blanks stay, and look at what is beside them.
        (false, 3) => split(r"\s?\w+|\s+(?!\S)|\W", SplitBehavior::Isolated, false),
        (false, 4) => PreTokenizerSpec::Sequence(vec![
            PreTokenizerSpec::WhitespaceSplit,
            PreTokenizerSpec::Digits { individual: true },
        ]),
        _ => split("é", SplitBehavior::MergedWithNext, false),
    });
    added(&mut spec);
    spec
}

fn took_pieces(tokenizer: &Tokenizer) -> bool {
    tokenizer.inner.workers.with(|worker| worker.pieces.is_some())
}

#[test]
fn pieces_by_the_hundred_are_as_the_stages() {
    let (mut by_pieces, mut together) = (0, 0);
    for seed in 0..120 {
        let fast = with_lanes(&spec(seed), LanesStart::AtOnce);
        let slow = stage_after_stage(&fast);
        let mut random = Random::from_seed(seed);
        let mut below = |bound: usize| (random.next_u64() % bound as u64) as usize;
        let options = EncodeOptions::default();
        for round in 0..24 {
            let words: Vec<String> = (0..1 + below(40))
                .map(|_| {
                    let most = [3, 8, 20, 90][below(4)];
                    let length = 1 + below(most);
                    let letter = |_| match below(12) {
                        0 => ["\n", "\u{301}", "ﬁ", "Q", "<s>", "\u{200d}", "😀", "\0"][below(8)],
                        _ => LETTERS[below(LETTERS.len())],
                    };
                    (0..length).map(letter).collect()
                })
                .collect();
            // Some words again, in another order.
            let picked: Vec<&str> = (0..60).map(|_| words[below(words.len())].as_str()).collect();
            let text = picked.join([" ", "  ", "\n"][round % 3]);
            let expected = columns(&slow, &text, &options);
            // Ids first, before words with places take the memory that pieces need.
            if let (Ok(ids), Ok(expected)) = (fast.encode_ids(&text, &options), &expected) {
                assert_eq!(ids, expected.0, "{seed} {text:?}");
            }
            if round < 12 {
                by_pieces += usize::from(round == 11 && took_pieces(&fast));
                continue;
            }
            match (columns(&fast, &text, &options), expected) {
                (Ok(found), Ok(expected)) => assert_eq!(found, expected, "{seed} {text:?}"),
                (found, expected) => assert_eq!(found.is_err(), expected.is_err(), "{seed} {text:?}"),
            }
        }
        if let crate::model::Model::Bpe(bpe) = fast.model() {
            together += usize::from(bpe.merges_together(0).is_some());
        }
    }
    assert!(by_pieces > 60 && together > 50, "{by_pieces} {together} {}", Level::best().name());
}

/// What words and pieces become is kept in 24 bits an id.
#[test]
fn ids_that_find_no_room_among_others_stay() {
    for (first, by_words) in [(3, true), ((1 << 24) - 3, false), (1 << 24, false)] {
        let entries = ["[UNK]", "ab", "cd", "a", "##b"].into_iter().zip(first..);
        let vocab: Arc<Vocab> = Vocab::from_entries(entries).unwrap().into();
        let unk_token = "[UNK]".to_string();
        for model in [
            ModelSpec::WordLevel(WordLevelSpec { vocab: vocab.clone(), unk_token: unk_token.clone() }),
            ModelSpec::WordPiece(WordPieceSpec {
                vocab: vocab.clone(),
                unk_token: unk_token.clone(),
                continuing_subword_prefix: "##".into(),
                max_input_chars_per_word: 100,
            }),
        ] {
            let mut spec = TokenizerSpec::new(model);
            spec.pre_tokenizer = Some(PreTokenizerSpec::Whitespace);
            let tokenizer = with_lanes(&spec, LanesStart::AtOnce);
            let ids = tokenizer.encode_ids(&"ab cd q ".repeat(50), &EncodeOptions::default()).unwrap();
            assert_eq!(ids, [first + 1, first + 2, first].repeat(50));
            assert_eq!(tokenizer.inner.plan.words.is_some(), by_words);
        }
    }
}

/// A text begins with a word that leaves no token and may be part of an added one.
#[test]
fn a_first_word_without_tokens_may_be_a_trap() {
    let vocab = Vocab::from_entries([("a", 0), ("b", 1)]).unwrap();
    let mut spec = TokenizerSpec::new(ModelSpec::Bpe(BpeSpec::new(vocab, Merges::default())));
    spec.pre_tokenizer = Some(PreTokenizerSpec::Whitespace);
    spec.added_tokens = vec![AddedToken { normalized: true, ..AddedToken::new("漢 字", false) }];
    let fast = with_lanes(&spec, LanesStart::AtOnce);
    let slow = stage_after_stage(&fast);
    let options = EncodeOptions::default();
    for text in ["字 a", "漢 a", "漢 a b", "字 漢 字 a", "漢 字"] {
        let expected = columns(&slow, text, &options).unwrap();
        assert_eq!(columns(&fast, text, &options).unwrap(), expected, "{text}");
    }
    assert!(fast.inner.workers.with(|worker| worker.packed_words.is_some()));
}
