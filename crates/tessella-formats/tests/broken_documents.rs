//! Documents that are cut off or hold the wrong things lead to errors, never to a panic.

use tessella_core::ErrorKind;
use tessella_core::spec::{ModelSpec, NormalizerSpec, PostProcessorSpec, PreTokenizerSpec};
use tessella_formats::json::{Layout, Number, Parser, Value, Writer};
use tessella_formats::{fingerprint, hf};

const WHOLE: &str = r##"{
  "version": "1.0",
  "truncation": {"direction": "Left", "max_length": 8, "strategy": "OnlyFirst", "stride": 2},
  "padding": {"strategy": {"Fixed": 4}, "direction": "Right", "pad_to_multiple_of": null, "pad_id": 0, "pad_type_id": 0, "pad_token": "[PAD]"},
  "added_tokens": [{"id": 4, "content": "[PAD]", "single_word": false, "lstrip": false, "rstrip": false, "normalized": false, "special": true}],
  "normalizer": {"type": "Sequence", "normalizers": [
    {"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true, "strip_accents": null, "lowercase": true},
    {"type": "Replace", "pattern": {"Regex": "x+"}, "content": "\ud83d\ude00"},
    {"type": "Precompiled", "precompiled_charsmap": "AAAA"},
    {"type": "Prepend", "prepend": "a"}, {"type": "Strip", "strip_left": true, "strip_right": false}]},
  "pre_tokenizer": {"type": "Sequence", "pretokenizers": [
    {"type": "Split", "pattern": {"String": " "}, "behavior": "Isolated", "invert": false},
    {"type": "Metaspace", "replacement": "_", "prepend_scheme": "first", "split": true},
    {"type": "Digits", "individual_digits": true}, {"type": "FixedLength", "length": 5},
    {"type": "Punctuation", "behavior": "Contiguous"}, {"type": "CharDelimiterSplit", "delimiter": "-"},
    {"type": "ByteLevel", "add_prefix_space": true, "trim_offsets": true, "use_regex": true}]},
  "post_processor": {"type": "Sequence", "processors": [
    {"type": "RobertaProcessing", "sep": ["a", 0], "cls": ["b", 1], "trim_offsets": true, "add_prefix_space": false},
    {"type": "TemplateProcessing", "single": [{"SpecialToken": {"id": "a", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}],
     "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}}],
     "special_tokens": {"a": {"id": "a", "ids": [0], "tokens": ["a"]}}}]},
  "decoder": {"type": "Sequence", "decoders": [
    {"type": "CTC", "pad_token": "p", "word_delimiter_token": "|", "cleanup": true},
    {"type": "Strip", "content": " ", "start": 1, "stop": 0}, {"type": "WordPiece", "prefix": "+", "cleanup": true},
    {"type": "BPEDecoder", "suffix": "</w>"}, {"type": "Fuse"}, {"type": "ByteFallback"}]},
  "model": {"type": "BPE", "dropout": 0.5, "unk_token": "a", "continuing_subword_prefix": null, "end_of_word_suffix": "",
    "fuse_unk": false, "byte_fallback": true, "ignore_merges": false, "vocab": {"a": 0, "b": 1, "ab": 2, "c": 3}, "merges": [["a", "b"]]}
}"##;

fn written(value: &Value) -> String {
    let mut writer = Writer::new(Layout::Compact);
    writer.value(value);
    writer.finish()
}

/// Calls back with a copy of the tree for each value in it replaced by `with`.
fn each_replaced(value: &Value, with: &Value, found: &mut dyn FnMut(Value)) {
    found(with.clone());
    match value {
        Value::Array(items) => {
            for at in 0..items.len() {
                each_replaced(&items[at], with, &mut |item| {
                    let mut items = items.clone();
                    items[at] = item;
                    found(Value::Array(items));
                });
            }
        }
        Value::Object(entries) => {
            for at in 0..entries.len() {
                each_replaced(&entries[at].1, with, &mut |item| {
                    let mut entries = entries.clone();
                    entries[at].1 = item;
                    found(Value::Object(entries));
                });
            }
        }
        _ => {}
    }
}

#[test]
fn the_whole_document_reads_and_comes_back() {
    let spec = hf::from_str(WHOLE).unwrap();
    for pretty in [false, true] {
        let text = hf::to_string(&spec, pretty).unwrap();
        let again = hf::from_str(&text).unwrap();
        assert_eq!(hf::to_string(&again, pretty).unwrap(), text);
        assert_eq!(fingerprint(&again).unwrap(), fingerprint(&spec).unwrap());
    }
}

#[test]
fn a_document_cut_off_anywhere_is_an_error() {
    for end in (0..WHOLE.len()).filter(|end| WHOLE.is_char_boundary(*end)) {
        let error = hf::from_str(&WHOLE[..end]).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Format, "{end}: {error}");
        assert!(error.location().is_some(), "{end}: {error}");
    }
}

#[test]
fn wrong_values_are_errors_with_a_path() {
    let tree = Parser::new(WHOLE).value().unwrap();
    let wrong = [
        Value::Null,
        Value::Bool(true),
        Value::Number(Number::Negative(-1)),
        Value::Number(Number::Float(0.25)),
        Value::Number(Number::Unsigned(u64::MAX)),
        Value::Number(Number::Unsigned(u32::MAX as u64)),
        Value::String("no such thing".into()),
        Value::Array(vec![]),
        Value::Object(vec![]),
    ];
    let (mut errors, mut read) = (0, 0);
    for with in &wrong {
        each_replaced(&tree, with, &mut |broken| match hf::from_str(&written(&broken)) {
            Ok(_) => read += 1,
            Err(error) => {
                assert!(error.location().is_some_and(|at| at.starts_with('$')), "{error}");
                errors += 1;
            }
        });
    }
    // Some replacements are harmless (another string for a text); most are not.
    assert!(errors > 700 && read > 100, "{errors} errors, {read} read");
}

#[test]
fn odd_forms_are_understood() {
    let model = |fields: &str| hf::component_from_json::<ModelSpec>(&format!("{{{fields}}}"), None);
    assert!(model(r##""merges": ["a b", "#version: 1"], "vocab": {"a":0,"b":1,"ab":2}"##).is_ok());
    assert!(model(r#""merges": [["a","b"]], "vocab": {"a":0,"b":1,"ab":7}, "type": "BPE""#).is_ok());
    assert!(model(r#""unk_id": 0, "vocab": [["<unk>", 0]]"#).is_ok());
    for (fields, part) in [
        (r#""merges": ["a b", ["a","b"]], "vocab": {"a":0,"b":1,"ab":2}"#, "mixed"),
        (r#""merges": ["a c"], "vocab": {"a":0,"b":1}"#, "Token `c` out of vocabulary"),
        (r#""type": "BPE", "vocab": {"a":0}"#, "`merges`"),
        (r#""type": "Unigram", "unk_id": 3, "vocab": [["a", 0.0]]"#, "larger than vocabulary size"),
        (r#""vocab": {"a": 4294967295}, "merges": []"#, "implausible"),
        (r#""vocab": {"a": 1.0}, "merges": []"#, "integer"),
        (r#""type": "GPT", "vocab": {}"#, "known: BPE"),
    ] {
        let error = model(fields).unwrap_err();
        assert!(error.to_string().contains(part), "{fields}: {error}");
    }

    let pre = |text: &str| {
        hf::component_from_json::<PreTokenizerSpec>(text, None)
            .map(|spec| hf::component_to_json(&spec, false).unwrap())
    };
    assert_eq!(
        pre(r#"{"type":"Metaspace","replacement":"▁","str_rep":"▁","add_prefix_space":false}"#).unwrap(),
        r#"{"type":"Metaspace","replacement":"▁","prepend_scheme":"never","split":true}"#
    );
    assert_eq!(
        pre(r#"{"type":"Delimiter","delimiter":"-"}"#).unwrap(),
        r#"{"type":"CharDelimiterSplit","delimiter":"-"}"#
    );
    assert_eq!(
        pre(r#"{"individual_digits":true}"#).unwrap(),
        r#"{"type":"Digits","individual_digits":true}"#
    );
    let error = pre(r#"{"type":"Sequence","pretokenizers":[{"type":"Punctuation","behavior":"Isolate"}]}"#)
        .unwrap_err();
    assert_eq!(error.location(), Some("$.pretokenizers[0].behavior"));
    assert_eq!(
        error.message(),
        "unknown value `Isolate`; known: Removed, Isolated, MergedWithPrevious, MergedWithNext, Contiguous"
    );
    assert!(pre(r#"{"type":"Custom","path":"m:C"}"#).unwrap_err().message().contains("resolver"));

    let post: PostProcessorSpec =
        hf::component_from_json(r#"{"type":"RobertaProcessing","sep":["a",0],"cls":["b",1]}"#, None).unwrap();
    assert!(hf::component_to_json(&post, false).unwrap().contains("RobertaProcessing"));
    assert!(
        hf::component_from_json::<NormalizerSpec>(
            r#"{"type":"Precompiled","precompiled_charsmap":null}"#,
            None
        )
        .is_err()
    );
}

#[test]
fn ids_that_a_file_claims_are_only_claims() {
    let text = WHOLE.replace(r#"{"id": 4,"#, r#"{"id": 50,"#);
    let document = hf::read_document(text.as_bytes(), None).unwrap();
    assert_eq!(document.spec.added_tokens[0].id, Some(4));
    assert!(document.notices[0].contains("50") && document.notices[0].contains("gets 4"));
    assert!(hf::read_document(WHOLE.as_bytes(), None).unwrap().notices.is_empty());
}
