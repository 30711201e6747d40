//! Decoders and streams against the reference library.

use serde_json::Value;

use super::*;
use crate::encoding::tests::read_cases;
use crate::error::{Error, ErrorKind};
use crate::ids::TokenId;
use crate::random::Random;
use crate::spec::Pattern;

fn spec(data: &Value) -> DecoderSpec {
    let text = |name: &str| data[name].as_str().unwrap().to_owned();
    let count = |name: &str| data[name].as_u64().unwrap() as usize;
    match data["type"].as_str().unwrap() {
        "bpe" => DecoderSpec::Bpe { suffix: text("suffix") },
        "byte_level" => {
            DecoderSpec::ByteLevel { add_prefix_space: true, trim_offsets: true, use_regex: true }
        }
        "word_piece" => DecoderSpec::WordPiece { prefix: text("prefix"), cleanup: data["cleanup"] == true },
        "metaspace" => DecoderSpec::Metaspace {
            replacement: '▁',
            prepend: match data["prepend"].as_str().unwrap() {
                "always" => PrependScheme::Always,
                "first" => PrependScheme::First,
                _ => PrependScheme::Never,
            },
            split: true,
        },
        "ctc" => DecoderSpec::Ctc {
            pad_token: text("pad_token"),
            word_delimiter_token: text("word_delimiter_token"),
            cleanup: data["cleanup"] == true,
        },
        "replace" => {
            DecoderSpec::Replace { pattern: Pattern::Literal(text("pattern")), content: text("content") }
        }
        "fuse" => DecoderSpec::Fuse,
        "strip" => DecoderSpec::Strip {
            content: text("content").chars().next().unwrap(),
            start: count("start"),
            stop: count("stop"),
        },
        "byte_fallback" => DecoderSpec::ByteFallback,
        _ => DecoderSpec::Sequence(data["decoders"].as_array().unwrap().iter().map(spec).collect()),
    }
}

fn list(value: &Value) -> Vec<String> {
    value.as_array().unwrap().iter().map(|text| text.as_str().unwrap().to_owned()).collect()
}

fn ids(value: &Value) -> Vec<TokenId> {
    value.as_array().unwrap().iter().map(|id| id.as_u64().unwrap() as TokenId).collect()
}

#[test]
fn chains_are_those_of_the_reference() {
    for (number, case) in read_cases("decode/chains").iter().enumerate() {
        let decoder = Decoder::new(&spec(&case["decoder"])).unwrap();
        let tokens = list(&case["tokens"]);
        let text = decoder.decode(tokens.clone()).unwrap();
        // Where the reference aborts, any text without a panic is right.
        if let Some(expected) = case["expected"].as_str() {
            assert_eq!(text, expected, "case {number}\n{case}");
        }
        let bytes = decoder.decode_bytes(&tokens).unwrap();
        if std::str::from_utf8(&bytes).is_ok() && !text.contains('\u{FFFD}') {
            assert_eq!(bytes, text.as_bytes(), "case {number}\n{case}");
        }
        if decoder.is_byte_level() {
            let mut joined = Vec::new();
            tokens.iter().for_each(|token| append_token_bytes(token, &mut joined));
            assert_eq!(bytes, joined, "case {number}\n{case}");
            assert_eq!(text, lossy_text(joined), "case {number}\n{case}");
        }
    }
}

#[test]
fn streams_are_those_of_the_reference() {
    for (number, case) in read_cases("decode/streams").iter().enumerate() {
        let decoder = Decoder::new(&spec(&case["decoder"])).unwrap();
        let vocabulary = list(&case["vocabulary"]);
        let decode =
            |ids: &[TokenId]| decoder.decode(ids.iter().map(|&id| vocabulary[id as usize].clone()).collect());
        let mut stream = DecodeStream::new(ids(&case["initial"]));
        let steps = case["steps"].as_array().unwrap().iter();
        for (step, expected) in steps.zip(case["expected"].as_array().unwrap()) {
            if expected["error"] == "abort" {
                break;
            }
            match stream.clone().step(&ids(step), decode) {
                Ok(text) => assert_eq!(Value::from(text), expected["text"], "case {number}\n{case}"),
                Err(error) => assert_eq!(error.message(), expected["error"], "case {number}\n{case}"),
            }
            // A copy went ahead; the stream itself must come to the same end.
            if stream.step(&ids(step), decode).is_err() {
                break;
            }
        }
    }
}

#[test]
fn a_flushed_stream_gives_what_was_held_back() {
    let decoder = Decoder::ByteLevel;
    let vocabulary = ["a", "â", "Ĥ", "¬"];
    let decode =
        |ids: &[TokenId]| decoder.decode(ids.iter().map(|&id| vocabulary[id as usize].to_owned()).collect());
    let mut stream = DecodeStream::new(vec![0]);
    assert_eq!(stream.step(&[1], decode).unwrap(), None);
    assert_eq!(stream.step(&[2], decode).unwrap(), None);
    let mut whole = stream.clone();
    assert_eq!(whole.step(&[3], decode).unwrap().as_deref(), Some("€"));
    assert_eq!(whole.flush(decode).unwrap(), None);
    assert_eq!(stream.flush(decode).unwrap().as_deref(), Some("\u{FFFD}"));
    assert_eq!(stream.flush(decode).unwrap(), None);
    assert_eq!(DecodeStream::new(vec![0]).flush(decode).unwrap(), None);
}

/// Tokens that are parts of characters, in runs longer than what a stream holds back.
#[test]
fn long_runs_of_parts_of_characters() {
    let joined = |decoder: &Decoder, vocabulary: &[&str], steps: &mut dyn Iterator<Item = Vec<TokenId>>| {
        let decode = |ids: &[TokenId]| {
            decoder.decode(ids.iter().map(|&id| vocabulary[id as usize].to_owned()).collect())
        };
        let mut stream = DecodeStream::new(Vec::new());
        let mut out = String::new();
        for ids in steps {
            let step = ids.len();
            out.extend(stream.step(&ids, decode).unwrap());
            assert!(stream.pending_ids().len() <= 2100 + step, "{}", stream.pending_ids().len());
        }
        out.extend(stream.flush(decode).unwrap());
        out
    };
    // 🙂 is F0 9F 99 82: its first three bytes, the last of one with the first three of the next, the last.
    let parts = ["ðŁĻ", "ĤðŁĻ", "Ĥ"];
    for count in [0, 10, 1500, 5000] {
        let ids: Vec<TokenId> = [vec![0], vec![1; count], vec![2]].concat();
        let mut steps = ids.iter().map(|&id| vec![id]);
        assert_eq!(joined(&Decoder::ByteLevel, &parts, &mut steps), "🙂".repeat(count + 1));
    }
    // Bytes one by one, many in a step, each step ending in the middle of a character.
    let bytes = ["<0xF0>", "<0x9F>", "<0x99>", "<0x82>"];
    let ids: Vec<TokenId> = [0, 1, 2, 3].repeat(3000);
    for step in [1, 2, 3, 1501, 5001] {
        let mut steps = ids.chunks(step).map(<[TokenId]>::to_vec);
        assert_eq!(joined(&Decoder::ByteFallback, &bytes, &mut steps), "🙂".repeat(3000), "{step}");
    }
    // One broken byte breaks the run that it is in. What is kept of a long one may be whole by itself, as soon
    // as it ends with a character.
    for broken in 1..=3 {
        let bytes = ["<0xFF>", "<0xE2>", "<0x82>", "<0xAC>"];
        let ids: Vec<TokenId> = [vec![0; broken], [1, 2, 3].repeat(1000)].concat();
        let mut steps = ids.iter().map(|&id| vec![id]);
        let text = joined(&Decoder::ByteFallback, &bytes, &mut steps);
        assert!(text.starts_with(&"\u{FFFD}".repeat(1000)) && text.chars().count() > 1500, "{broken} {text}");
        assert!(text.chars().all(|c| matches!(c, '€' | '\u{FFFD}')), "{broken} {text}");
    }
    // What is broken stays broken.
    let mut steps = (0..5000).map(|_| vec![0]);
    assert_eq!(joined(&Decoder::ByteLevel, &["Ĥ"], &mut steps), "\u{FFFD}".repeat(5000));
    // Ids without a text.
    let mut steps = (0..5000).map(|at| vec![(at == 4999) as TokenId]);
    assert_eq!(joined(&Decoder::ByteLevel, &["", "a"], &mut steps), "a");
    // The same behind one that has a text.
    let mut steps = (0..5000).map(|at| vec![(at % 4999 == 0) as TokenId]);
    assert_eq!(joined(&Decoder::ByteLevel, &["", "a"], &mut steps), "aa");
    // Blanks that would go if they were the first, one in each step.
    let marks = Decoder::Metaspace { replacement: '▁', keep_first: false };
    let mut steps = (0..3000).map(|at| vec![(at > 0) as TokenId]);
    assert_eq!(joined(&marks, &["a", "▁"], &mut steps), format!("a{}", " ".repeat(2999)));
}

#[test]
fn bytes_come_out_unbroken() {
    let owned = |tokens: &[&str]| tokens.iter().map(|&token| token.to_owned()).collect::<Vec<_>>();
    let tokens = owned(&["<0x20>", "<0xE2>", "<0x82>", "x"]);
    let chain = Decoder::Sequence(vec![
        Decoder::ByteFallback,
        Decoder::Fuse,
        Decoder::Strip { content: ' ', start: 1, stop: 0 },
    ]);
    assert_eq!(chain.decode_bytes(&tokens).unwrap(), b"\xE2\x82x");
    assert_eq!(chain.decode(tokens).unwrap(), "\u{FFFD}\u{FFFD}\u{FFFD}x");
    assert_eq!(Decoder::ByteLevel.decode_bytes(&["Ã", "a"]).unwrap(), b"\xC3a");
    assert!(Decoder::Sequence(vec![Decoder::ByteLevel, Decoder::Fuse]).is_byte_level());
    assert!(!chain.is_byte_level());
}

/// What is replaced in bytes is replaced in the parts that are text, and the others stay as they are.
#[test]
fn broken_bytes_stay_where_text_between_them_is_replaced() {
    let mut random = Random::from_seed(21);
    let mut below = |bound: usize| random.next_u64() as usize % bound;
    let replace = |from: &str, to: &str| Decoder::Replace {
        matcher: crate::pattern::Matcher::new(&Pattern::Literal(from.to_owned())).unwrap(),
        content: to.to_owned(),
    };
    let mut broken = 0;
    for _ in 0..1000 {
        let tokens = ["a", "ba", "é", "<0xC3>", "<0xA9>", "<0x61>", "<0xFF>", "<0xE2>", ""];
        let tokens: Vec<&str> = (0..below(9)).map(|_| tokens[below(9)]).collect();
        let chain = |last| Decoder::Sequence(vec![Decoder::ByteFallback, Decoder::Fuse, last]);
        let whole = chain(Decoder::Fuse).decode_bytes(&tokens).unwrap();
        // Of ASCII, what is looked for stands in no other character and in no broken one.
        let expected: Vec<u8> = whole
            .iter()
            .flat_map(|&byte| if byte == b'a' { "xé".as_bytes().to_vec() } else { vec![byte] })
            .collect();
        assert_eq!(chain(replace("a", "xé")).decode_bytes(&tokens).unwrap(), expected, "{tokens:?}");
        broken += usize::from(std::str::from_utf8(&whole).is_err());
    }
    assert!(broken > 300, "{broken}");
}

/// A chain of which it is said that it joins bytes does nothing else.
#[test]
fn chains_of_bytes_only_join_them() {
    let mut random = Random::from_seed(22);
    let mut below = |bound: usize| random.next_u64() as usize % bound;
    let (mut yes, mut no) = (0, 0);
    for _ in 0..2000 {
        let mut stages: Vec<Decoder> = (0..below(3))
            .map(|_| match below(4) {
                0 => Decoder::Strip { content: ' ', start: 1, stop: 1 },
                1 => Decoder::ByteLevel,
                _ => Decoder::Fuse,
            })
            .collect();
        stages.insert(below(stages.len() + 1), Decoder::ByteLevel);
        let decoder = Decoder::Sequence(stages);
        let tokens: Vec<&str> =
            (0..1 + below(6)).map(|_| ["Ġ", "Ã", "©", "a", " ", "漢"][below(6)]).collect();
        if !decoder.is_byte_level() {
            no += 1;
            continue;
        }
        yes += 1;
        let mut joined = Vec::new();
        tokens.iter().for_each(|token| append_token_bytes(token, &mut joined));
        assert_eq!(decoder.decode_bytes(&tokens).unwrap(), joined, "{decoder:?} {tokens:?}");
    }
    assert!(yes > 500 && no > 500, "{yes} {no}");
}

#[derive(Debug)]
struct Shout;

impl CustomDecoder for Shout {
    fn decode_chain(&self, tokens: Vec<String>) -> Result<Vec<String>> {
        if tokens.is_empty() {
            return Err(Error::new(ErrorKind::Custom, "nothing to shout"));
        }
        Ok(tokens.iter().map(|token| token.to_uppercase()).collect())
    }

    fn import_path(&self) -> Option<String> {
        None
    }
}

#[test]
fn custom_decoders_join_in_and_their_errors_come_through() {
    let custom = DecoderSpec::Custom(Arc::new(Shout));
    let chain = Decoder::new(&DecoderSpec::Sequence(vec![custom, DecoderSpec::Fuse])).unwrap();
    assert_eq!(chain.decode(vec!["a".into(), "b".into()]).unwrap(), "AB");
    assert_eq!(chain.decode_bytes(&["é"]).unwrap(), "É".as_bytes());
    assert_eq!(chain.decode(Vec::new()).unwrap_err().kind(), ErrorKind::Custom);
}

/// What each of them makes is twice as long.
#[derive(Debug)]
struct Twice;

impl CustomDecoder for Twice {
    fn decode_chain(&self, tokens: Vec<String>) -> Result<Vec<String>> {
        Ok(vec![tokens.concat().repeat(2)])
    }

    fn import_path(&self) -> Option<String> {
        None
    }
}

#[test]
fn a_chain_stops_where_the_text_has_grown_too_much() {
    let twice = DecoderSpec::Custom(Arc::new(Twice));
    let chain = Decoder::new(&DecoderSpec::Sequence(vec![twice; 25])).unwrap();
    // A byte may become 4 MiB.
    for error in [chain.decode(vec!["a".into()]).unwrap_err(), chain.decode_bytes(&["a"]).unwrap_err()] {
        assert!(error.to_string().contains("decoder 23 of 25 would make 8388608 bytes"), "{error}");
    }
}
