//! The table of decoded texts against the chain of the decoder's stages: random decoders, random ids.

use std::sync::Arc;

use super::{DecodeRoom, Joined, Tokenizer};
use crate::decode::{Added, DecodeStream, lossy_text};
use crate::ids::TokenId;
use crate::random::Random;
use crate::scale::or_interpreted;
use crate::spec::*;
use crate::vocab::Vocab;

fn pick<'t, T>(random: &mut Random, of: &'t [T]) -> &'t T {
    &of[random.next_u64() as usize % of.len()]
}

/// Texts that every kind of decoder does something with: marks, prefixes, suffixes, bytes, broken bytes of the alphabet,
/// nothing at all, texts longer than a slot, and holes between the ids.
fn tokens(random: &mut Random) -> Vec<(String, u32)> {
    let mut texts: Vec<String> = [
        "",
        "a",
        "▁",
        "▁▁",
        "▁the",
        "the",
        "##s",
        "s</w>",
        "</w>",
        "Ġthe",
        "Ã",
        "©",
        "é",
        "漢",
        "\u{FFFD}",
        "ï¿½",
        "aï¿½",
        "ï¿",
        "½",
        "😀",
        " ",
        " a",
        "  ",
        "<unk>",
        "<s>",
        "ab</w>b",
        "do not",
        " do not",
        "a very long token of many letters",
        "▁internationalization",
        "n't",
        ".",
    ]
    .iter()
    .map(|text| text.to_string())
    .collect();
    texts.extend([0x41, 0xC3, 0xA9, 0xE6, 0xBC, 0xA2, 0xFF].iter().map(|byte| format!("<0x{byte:02X}>")));
    let mut id = 0;
    texts
        .into_iter()
        .map(|text| {
            id += 1 + (random.next_u64() % 3) as u32;
            (text, id)
        })
        .collect()
}

fn stage(random: &mut Random) -> DecoderSpec {
    match random.next_u64() % 9 {
        0 => DecoderSpec::Bpe { suffix: "</w>".into() },
        1 => DecoderSpec::ByteLevel { add_prefix_space: false, trim_offsets: false, use_regex: false },
        2 => DecoderSpec::WordPiece { prefix: "##".into(), cleanup: random.next_u64().is_multiple_of(2) },
        3 => DecoderSpec::Metaspace {
            replacement: '▁',
            prepend: *pick(random, &[PrependScheme::Always, PrependScheme::Never, PrependScheme::First]),
            split: true,
        },
        4 => DecoderSpec::Replace {
            pattern: Pattern::Literal(pick(random, &["▁", "a", "é"]).to_string()),
            content: pick(random, &["", " ", "<0xC3>", "long enough to leave the slot"]).to_string(),
        },
        5 => DecoderSpec::Fuse,
        6 => DecoderSpec::Strip {
            content: *pick(random, &[' ', '漢', 'a']),
            start: random.next_u64() as usize % 3,
            stop: random.next_u64() as usize % 3,
        },
        7 => DecoderSpec::ByteFallback,
        _ => DecoderSpec::Ctc {
            pad_token: "<unk>".into(),
            word_delimiter_token: "▁".into(),
            cleanup: random.next_u64().is_multiple_of(2),
        },
    }
}

fn sentencepiece(random: &mut Random, tokens: &[(String, u32)]) -> DecoderSpec {
    let kind = |text: &str| match text {
        "<unk>" => PieceKind::Unknown,
        "<s>" => PieceKind::Control,
        _ if text.starts_with("<0x") => PieceKind::Byte,
        _ => PieceKind::Normal,
    };
    // One text is no piece: an added token.
    let pieces = tokens.iter().filter(|(text, _)| text != "▁the");
    DecoderSpec::SentencePiece {
        pieces: Arc::new(
            pieces
                .map(|(text, _)| SentencePiece { text: text.clone(), score: 0.0, kind: kind(text) })
                .collect(),
        ),
        add_dummy_prefix: random.next_u64().is_multiple_of(2),
        remove_extra_whitespaces: random.next_u64().is_multiple_of(2),
        treat_whitespace_as_suffix: false,
        unk_surface: pick(random, &["", " ⁇ ", "a long surface of the unknown"]).to_string(),
    }
}

/// What is joined is the text, in the narrowest form.
fn check_joined(joined: Joined<'_>, wanted: &str, context: impl Fn() -> String) {
    let found = match joined {
        Joined::Ascii(bytes) => {
            assert!(bytes.is_ascii(), "{}", context());
            Some(String::from_utf8(bytes.to_vec()).unwrap())
        }
        Joined::Replaced(bytes) => Some(lossy_text(bytes.to_vec())),
        Joined::Unsettled(bytes) => String::from_utf8(bytes.to_vec()).ok(),
    };
    assert!(found.is_none_or(|found| found == wanted), "{} {joined:?}", context());
}

/// A stream that asks the table first gives step by step what one gives that decodes by the chain, and is where that is.
fn check_steps(fast: &Tokenizer, slow: &Tokenizer, ids: &[u32], skip: bool, context: impl Fn() -> String) {
    let (mut quick, mut stepwise) = (DecodeStream::default(), DecodeStream::default());
    for &id in ids {
        let wanted = stepwise.step(&[id], |ids| slow.decode_by_chain(ids, skip));
        let at_once = fast.decode_at_once(&mut quick, id, skip);
        let found = match at_once {
            Some(text) => Ok(text.map(|added| match added {
                Added::Ascii(text) => {
                    assert!(text.is_ascii(), "{}", context());
                    String::from_utf8(text.to_vec()).unwrap()
                }
                Added::Own(text) | Added::Joined(text) => text.to_owned(),
            })),
            None => match fast.decode_next(&mut quick, id, skip).unwrap() {
                Some(text) => Ok(Some(text.to_owned())),
                None => quick.step(&[id], |ids| fast.decode(ids, skip)),
            },
        };
        let (found, wanted) = (found.map_err(|e| e.to_string()), wanted.map_err(|e| e.to_string()));
        assert_eq!(found, wanted, "{}", context());
        let mut made = quick.clone();
        made.make_prefix(|ids| slow.decode_by_chain(ids, skip)).unwrap();
        assert_eq!(made, stepwise, "{}", context());
        if wanted.is_err() {
            break;
        }
    }
}

/// Runs that are longer than what is told together, with what is skipped in between.
#[test]
fn runs_of_any_length_that_spell_nothing_are_told_as_by_the_chain() {
    let mut random = Random::from_seed(12);
    let mut below = |bound: u64| random.next_u64() % bound;
    let texts = ["<0xE2>", "<0x82>", "<0xAC>", "a", "<unk>"];
    let vocab = Arc::new(Vocab::from_entries(texts.into_iter().zip(0..)).unwrap());
    let mut spec =
        TokenizerSpec::new(ModelSpec::WordLevel(WordLevelSpec { vocab, unk_token: "<unk>".into() }));
    spec.added_tokens = vec![AddedToken::new("<s>", true)];
    spec.decoder = Some(DecoderSpec::ByteFallback);
    let tokenizer = Tokenizer::new(spec).unwrap();
    let special = tokenizer.token_to_id("<s>").unwrap();
    assert!(tokenizer.table(usize::MAX / 2).is_some());
    for round in 0..or_interpreted(200, 10) as u64 {
        let mut ids = Vec::new();
        let spared = 1 + below(40);
        for _ in 0..500 + below(700) {
            match below(spared * 20) {
                0 => ids.push(3),
                1..4 => ids.push(special),
                at => ids.push(if at == 4 && round % 2 == 0 { 2 } else { (ids.len() % 3) as TokenId }),
            }
        }
        for skip in [false, true] {
            let wanted = tokenizer.decode_by_chain(&ids, skip).unwrap();
            assert_eq!(tokenizer.decode(&ids, skip).unwrap(), wanted, "{ids:?} {skip}");
        }
    }
}

#[test]
fn the_table_and_the_chain_give_the_same() {
    let mut random = Random::from_seed(11);
    let (mut with_table, mut found_at_hand) = (0, 0);
    let mut room = DecodeRoom::default();
    for round in 0..600 {
        let tokens = tokens(&mut random);
        let bound = tokens.last().map_or(0, |(_, id)| id + 4);
        let entries = tokens.iter().map(|(text, id)| (text.as_str(), *id));
        let vocab = Arc::new(Vocab::from_entries(entries).unwrap());
        let mut spec =
            TokenizerSpec::new(ModelSpec::WordLevel(WordLevelSpec { vocab, unk_token: "<unk>".into() }));
        // The special token's own id, or a second one of a text that the model has too.
        let id = random.next_u64().is_multiple_of(2).then_some(bound - 1);
        spec.added_tokens =
            vec![AddedToken { id, ..AddedToken::new("<s>", true) }, AddedToken::new("▁new", false)];
        spec.decoder = match round % 8 {
            0 => None,
            1 => Some(sentencepiece(&mut random, &tokens)),
            2 | 3 => Some(stage(&mut random)),
            _ => {
                Some(DecoderSpec::Sequence((0..random.next_u64() % 4).map(|_| stage(&mut random)).collect()))
            }
        };
        let fast = Tokenizer::new(spec.clone()).unwrap();
        let slow = Tokenizer::new(spec).unwrap();
        with_table += usize::from(fast.table(usize::MAX / 2).is_some());
        for _ in 0..40 {
            let length = random.next_u64() % if random.next_u64().is_multiple_of(16) { 1200 } else { 9 };
            let ids: Vec<u32> = (0..length).map(|_| (random.next_u64() % u64::from(bound)) as u32).collect();
            let skip = random.next_u64().is_multiple_of(2);
            let context = || format!("{:?} {ids:?} {skip}", fast.spec().decoder);
            assert_eq!(
                fast.decode(&ids, skip).unwrap(),
                slow.decode_by_chain(&ids, skip).unwrap(),
                "{}",
                context()
            );
            assert_eq!(
                fast.decode_bytes(&ids, skip).unwrap(),
                slow.decode_bytes_by_chain(&ids, skip).unwrap(),
                "{}",
                context()
            );
            if let Some(joined) = fast.decode_joined(&ids, skip, &mut room, || Ok(())).unwrap() {
                check_joined(joined, &slow.decode_by_chain(&ids, skip).unwrap(), context);
            }
            let at_hand = fast.decode_at_hand(&ids, skip, &mut room).map(|joined| format!("{joined:?}"));
            if let Some(at_hand) = at_hand {
                let joined = fast.decode_joined(&ids, skip, &mut room, || Ok(())).unwrap();
                assert_eq!(at_hand, format!("{:?}", joined.unwrap()), "{}", context());
                found_at_hand += 1;
            }
            check_steps(&fast, &slow, &ids[..ids.len().min(60)], skip, context);
        }
    }
    assert!(with_table > 200, "{with_table} of 600");
    assert!(found_at_hand > 2000, "{found_at_hand} of 24000");
}

#[test]
fn a_table_is_built_when_it_pays_and_lasts_as_long_as_its_texts() {
    let texts: Vec<String> = (0..6400).map(|number| format!("t{number}")).collect();
    let vocab = Vocab::from_entries(texts.iter().map(String::as_str).zip(0..)).unwrap();
    let spec = WordLevelSpec { vocab: Arc::new(vocab), unk_token: String::new() };
    let tokenizer = Tokenizer::new(TokenizerSpec::new(ModelSpec::WordLevel(spec))).unwrap();
    let ready = |tokenizer: &Tokenizer| tokenizer.inner.decoding.is_ready();
    assert_eq!(tokenizer.decode(&[5, 7], false).unwrap(), "t5 t7");
    assert!(!ready(&tokenizer));
    assert_eq!(tokenizer.decode(&vec![5; 100], false).unwrap().len(), 299);
    assert!(ready(&tokenizer));
    let (more, _) = tokenizer.with_added_tokens(&[AddedToken::new("t7", true)]).unwrap();
    assert!(!ready(&more));
    assert_eq!(more.decode(&vec![7; 200], true).unwrap(), "");
    let mut spec = tokenizer.spec().clone();
    spec.decoder = Some(DecoderSpec::Fuse);
    let fused = tokenizer.with_spec(spec).unwrap();
    assert!(!ready(&fused));
    assert_eq!(fused.decode(&[5; 150], false).unwrap(), "t5".repeat(150));
}

/// A stream of single ids, or a list of tokens that is shown, asks for nothing else.
#[test]
fn an_id_alone_needs_no_chain_where_the_first_one_is_another_text() {
    let texts = ["▁a", "b", "▁", "<s>"];
    let vocab = Arc::new(Vocab::from_entries(texts.into_iter().zip(0..)).unwrap());
    let mut spec = TokenizerSpec::new(ModelSpec::WordLevel(WordLevelSpec { vocab, unk_token: "b".into() }));
    spec.added_tokens = vec![AddedToken::new("<s>", true)];
    spec.decoder =
        Some(DecoderSpec::Metaspace { replacement: '▁', prepend: PrependScheme::Always, split: true });
    let tokenizer = Tokenizer::new(spec).unwrap();
    assert!(tokenizer.table(100).is_some());
    let mut room = DecodeRoom::default();
    for (ids, known) in
        [(&[0][..], true), (&[1], true), (&[2], true), (&[3], false), (&[3, 0], true), (&[], false)]
    {
        let wanted = tokenizer.decode_by_chain(ids, true).unwrap();
        let joined = tokenizer.decode_joined(ids, true, &mut room, || Ok(())).unwrap();
        assert_eq!(joined.is_some(), known, "{ids:?}");
        joined.into_iter().for_each(|joined| check_joined(joined, &wanted, || format!("{ids:?}")));
        assert_eq!(tokenizer.decode(ids, true).unwrap(), wanted);
    }
}
