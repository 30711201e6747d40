//! The reference library's results, read from `tests/conformance/normalize`.
//!
//! `TESSELLA_NORMALIZE_CASES` names a further file of the same form, made with `tools/gen_unicode_cases.py --random`.
//! What users call on a string, upper case too, is compared in `tests/python/test_strings.py`.

use std::sync::Arc;

use serde_json::Value;

use super::Normalizer;
use super::testing::with_spans;
use crate::error::Result;
use crate::hooks::CustomNormalizer;
use crate::ids::Span;
use crate::spec::{Dialect, NormalizerSpec, Pattern};
use crate::text::{AlignedText, NormalizedString};
use crate::unicode::categories;

fn cases(path: &str) -> Vec<Value> {
    let text = std::fs::read_to_string(path).unwrap();
    text.lines().skip(1).map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn committed(name: &str) -> String {
    format!("{}/../../tests/conformance/normalize/{name}", env!("CARGO_MANIFEST_DIR"))
}

fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0u32, |crc, &byte| {
        (0..8).fold(crc ^ u32::from(byte), |crc, _| (crc >> 1) ^ if crc & 1 == 1 { 0xEDB8_8320 } else { 0 })
    })
}

fn bert(
    clean_text: bool,
    handle_chinese_chars: bool,
    strip_accents: Option<bool>,
    lowercase: bool,
) -> NormalizerSpec {
    NormalizerSpec::Bert { clean_text, handle_chinese_chars, strip_accents, lowercase }
}

fn simple(name: &str) -> Option<NormalizerSpec> {
    Some(match name {
        "NFC" => NormalizerSpec::Nfc,
        "NFD" => NormalizerSpec::Nfd,
        "NFKC" => NormalizerSpec::Nfkc,
        "NFKD" => NormalizerSpec::Nfkd,
        "Lowercase" => NormalizerSpec::Lowercase,
        "StripAccents" => NormalizerSpec::StripAccents,
        "Nmt" => NormalizerSpec::Nmt,
        "ByteLevel" => NormalizerSpec::ByteLevel,
        _ => return None,
    })
}

fn pattern_of(value: &Value) -> Pattern {
    let text = |key: &str| value[key].as_str().map(str::to_string);
    match (text("Literal"), text("Regex")) {
        (Some(literal), _) => Pattern::Literal(literal),
        (_, source) => Pattern::Regex { source: source.unwrap(), dialect: Dialect::Oniguruma },
    }
}

fn spec_of(value: &Value) -> NormalizerSpec {
    let on = |key: &str| value[key].as_bool().unwrap();
    let text = |key: &str| value[key].as_str().unwrap().to_string();
    match value["type"].as_str().unwrap() {
        "Bert" => bert(
            on("clean_text"),
            on("handle_chinese_chars"),
            value["strip_accents"].as_bool(),
            on("lowercase"),
        ),
        "Strip" => NormalizerSpec::Strip { left: on("left"), right: on("right") },
        "Prepend" => NormalizerSpec::Prepend { prepend: text("prepend") },
        "Replace" => {
            NormalizerSpec::Replace { pattern: pattern_of(&value["pattern"]), content: text("content") }
        }
        name => simple(name).unwrap(),
    }
}

fn spans_of(value: &Value) -> Vec<Span> {
    let number = |value: &Value| value.as_u64().unwrap() as usize;
    value.as_array().unwrap().iter().map(|span| Span::new(number(&span[0]), number(&span[1]))).collect()
}

fn normalized(normalizer: &Normalizer, mut text: AlignedText<'_>) -> (String, Vec<Span>) {
    normalizer.normalize(&mut text).unwrap();
    with_spans(&text)
}

fn check_random(path: &str) -> usize {
    let cases = cases(path);
    for case in &cases {
        let members = case["normalizer"].as_array().unwrap().iter().map(spec_of).collect();
        let normalizer = Normalizer::new(&NormalizerSpec::Sequence(members)).unwrap();
        let text = case["text"].as_str().unwrap();
        let expected = (case["out"].as_str().unwrap().to_string(), spans_of(&case["spans"]));
        assert_eq!(normalized(&normalizer, AlignedText::borrowed(text, 0)), expected, "{case}");
        let untracked = normalized(&normalizer, AlignedText::untracked(text));
        assert_eq!(untracked.0, expected.0, "untracked: {case}");
    }
    cases.len()
}

#[test]
fn random_texts() {
    assert!(check_random(&committed("random.jsonl")) > 200);
    if let Ok(path) = std::env::var("TESSELLA_NORMALIZE_CASES") {
        check_random(&path);
    }
}

#[test]
fn every_code_point() {
    let cases = cases(&committed("code_points.jsonl"));
    assert_eq!(cases.len(), 16);
    for case in cases.iter().filter(|case| case["operation"] != "uppercase") {
        let name = case["operation"].as_str().unwrap();
        let spec = match name {
            "Bert" => Some(bert(true, true, None, true)),
            "BertCased" => Some(bert(true, true, None, false)),
            "BertAccents" => Some(bert(false, false, Some(true), false)),
            "Strip" => Some(NormalizerSpec::Strip { left: true, right: true }),
            name => simple(name),
        };
        let normalizer = spec.map(|spec| Normalizer::new(&spec).unwrap());
        let answer = |c: char| {
            let flag = |yes: bool| if yes { "1" } else { "0" }.to_string();
            match (&normalizer, name) {
                (Some(normalizer), _) => {
                    let text = c.to_string();
                    normalized(normalizer, AlignedText::untracked(&text)).0
                }
                (_, "is_punctuation") => flag(categories::is_punctuation(c)),
                (_, "is_numeric") => flag(categories::is_numeric(c)),
                (_, "is_whitespace") => flag(c.is_whitespace()),
                _ => panic!("unknown operation {name}"),
            }
        };
        let sums: Vec<&str> = case["crc32"].as_str().unwrap().split(' ').collect();
        assert_eq!(sums.len(), 0x110);
        for (block, expected) in (0u32..).step_by(4096).zip(sums) {
            let mut out = String::new();
            for c in (block..block + 4096).filter_map(char::from_u32) {
                out.push_str(&answer(c));
                out.push('\n');
            }
            assert_eq!(format!("{:08x}", crc32(out.as_bytes())), expected, "{name}, block U+{block:04X}");
        }
    }
}

/// Upper-cases what it is handed and says how long the original was.
#[derive(Debug)]
struct Witness;

impl CustomNormalizer for Witness {
    fn normalize(&self, text: &mut NormalizedString) -> Result<()> {
        let length = text.original().len().to_string();
        let now = text.normalized().to_uppercase();
        let last = text.map().span(&now, now.len() - 1, now.len());
        text.change(|text| {
            text.rewrite(|rewriter| {
                now.chars().for_each(|c| rewriter.replace(c));
                rewriter.emit(&length, last);
            });
        });
        Ok(())
    }

    fn import_path(&self) -> Option<String> {
        None
    }
}

#[test]
fn a_users_own_sees_the_original_with_or_without_offsets() {
    let witness = || NormalizerSpec::Custom(Arc::new(Witness));
    let chain = vec![NormalizerSpec::Nfd, NormalizerSpec::StripAccents, witness(), NormalizerSpec::Lowercase];
    let normalizer = Normalizer::new(&NormalizerSpec::Sequence(chain)).unwrap();
    // A stretch in the middle of a longer text: spans count in the whole.
    let (text, spans) = normalized(&normalizer, AlignedText::borrowed("é x", 10));
    assert_eq!(text, "e x4");
    assert_eq!(spans, [(10, 12), (12, 13), (13, 14), (13, 14)].map(|(start, end)| Span::new(start, end)));
    assert_eq!(normalized(&normalizer, AlignedText::untracked("é x")).0, "e x4");
}

#[test]
fn deep_nesting_and_long_texts_are_ordinary() {
    let nested = (0..100_000).fold(NormalizerSpec::Nfc, |inner, _| NormalizerSpec::Sequence(vec![inner]));
    let normalizer = Normalizer::new(&nested).unwrap();
    let marks = format!("a{}", "\u{301}\u{323}".repeat(100_000));
    let (text, spans) = normalized(&normalizer, AlignedText::borrowed(&marks, 0));
    assert_eq!((text.chars().count(), spans[0]), (200_000, Span::new(0, 1)));
    assert!(text.starts_with("ạ\u{323}"));
    // Dropping a description this deep would recurse; that is the caller's affair, not this stage's.
    std::mem::forget(nested);
}
