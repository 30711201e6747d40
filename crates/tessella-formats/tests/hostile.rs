//! Broken tokenizer files of every kind: always an error or a tokenizer that works, never a panic, never more
//! memory than a small file can ask for.

#[path = "hostile/files.rs"]
mod files;

use tessella_core::{EncodeOptions, Input, Result, Tokenizer, TokenizerSpec};
use tessella_formats::json::{Layout, Number, Parser, Value, Writer};
use tessella_formats::{detect, gguf, hf, sentencepiece, tekken, tiktoken, vocab_files};

/// What a tokenizer must survive once it is built.
fn work(tokenizer: &Tokenizer) {
    let truncation = tokenizer.spec().truncation;
    let options = EncodeOptions { truncation: truncation.as_ref(), ..EncodeOptions::default() };
    for text in ["", "ab a the 12!", "é 你 🙂\u{301}", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab"] {
        if let Ok(ids) = tokenizer.encode_ids(text, &options) {
            let _ = tokenizer.decode(&ids, true);
        }
        let _ = tokenizer.encode(&Input::from((text, "b")), &options);
    }
    let _ = tokenizer.decode(&[0, 1, 77, u32::MAX], false);
}

/// Builds what was read and lets it work; the message of an error says something.
fn build(read: Result<TokenizerSpec>) -> bool {
    match read.and_then(Tokenizer::new) {
        Ok(tokenizer) => {
            work(&tokenizer);
            true
        }
        Err(error) => {
            assert!(error.message().len() > 8, "{error:?}");
            if std::env::var_os("TESSELLA_HOSTILE_SHOW").is_some() {
                println!("{error}");
            }
            false
        }
    }
}

/// Hands bytes to the readers of one kind of file, by its name. Whether any of them took it.
fn load(name: &str, bytes: &[u8]) -> bool {
    let _ = detect::sniff(bytes);
    match name.rsplit('.').next().unwrap_or_default() {
        "tiktoken" => build(tiktoken::from_bytes(bytes, "cl100k_base", None)),
        "gguf" => build(gguf::from_bytes(bytes)),
        "model" => build(sentencepiece::read_model(bytes)),
        "txt" if name.starts_with("merges") => vocab_files::read_merges_txt(bytes).is_ok(),
        "txt" => vocab_files::read_vocab_txt(bytes).is_ok(),
        "json" if name.starts_with("tekken") => build(tekken::from_bytes(bytes)),
        "json" if name.starts_with("vocab") => hf::read_vocab_json(bytes).is_ok(),
        _ => build(hf::from_bytes(bytes)),
    }
}

fn all_files() -> Vec<(String, Vec<u8>)> {
    let json = files::JSON.iter().map(|(name, text)| (name.to_string(), text.as_bytes().to_vec()));
    json.chain(files::binary()).collect()
}

/// The most memory that this process has ever held, in megabytes; none where the system does not say.
fn peak_megabytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse::<u64>().ok().map(|kilobytes| kilobytes >> 10)
}

/// All tests of this file share a process, so this bounds each of them.
fn assert_little_memory() {
    if let Some(peak) = peak_megabytes() {
        assert!(peak < 200, "{peak} MB for files of a few kilobytes");
    }
}

/// Runs with the stack of a small thread.
fn on_a_small_stack(test: impl FnOnce() + Send) {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(512 << 10);
        let outcome = thread.spawn_scoped(scope, test).expect("a thread").join();
        assert!(outcome.is_ok(), "the thread panicked");
    });
}

#[test]
fn the_files_are_valid_before_they_are_broken() {
    for (name, bytes) in all_files() {
        assert!(load(&name, &bytes), "{name} must load");
    }
}

#[test]
fn truncated_files_are_refused() {
    for (name, bytes) in all_files() {
        let json = bytes.first() == Some(&b'{');
        for length in (0..bytes.len()).step_by(37).chain(bytes.len().saturating_sub(40)..bytes.len()) {
            let loaded = load(&name, &bytes[..length]);
            assert!(!(json && loaded), "{name} loads when cut to {length} of {} bytes", bytes.len());
        }
    }
    assert_little_memory();
}

#[test]
fn flipped_and_overwritten_bytes_do_no_harm() {
    for (name, bytes) in all_files() {
        for at in (0..bytes.len()).step_by(if bytes.len() > 4000 { 31 } else { 3 }) {
            for value in [0x00, 0xFF, b'"', bytes[at] ^ 0x80, bytes[at].wrapping_add(1)] {
                let mut broken = bytes.clone();
                broken[at] = value;
                load(&name, &broken);
            }
        }
    }
    assert_little_memory();
}

/// Lengths and counts in binary files say that there is more than the file holds.
#[test]
fn huge_lengths_do_no_harm() {
    let huge = [u64::MAX, i64::MAX as u64, 1 << 32, 1 << 31, u64::from(u32::MAX), 1 << 40, 1 << 20, 3 << 61];
    for (name, bytes) in
        all_files().into_iter().filter(|(name, _)| name.ends_with("gguf") || name.ends_with("model"))
    {
        for at in 0..bytes.len() {
            for number in huge {
                let mut broken = bytes.clone();
                for (place, byte) in broken[at..].iter_mut().zip(number.to_le_bytes()) {
                    *place = byte;
                }
                load(&name, &broken);
                // As a variable-length number, put in place of one byte.
                let mut broken = bytes[..at].to_vec();
                let mut rest = number;
                while rest >= 128 {
                    broken.push(rest as u8 | 128);
                    rest >>= 7;
                }
                broken.push(rest as u8);
                broken.extend(&bytes[at + 1..]);
                load(&name, &broken);
            }
        }
    }
    assert_little_memory();
}

/// One step into a tree: a position in an array or object.
type Path = Vec<usize>;

fn paths(value: &Value) -> Vec<Path> {
    let mut found = Vec::new();
    let mut open = vec![(value, Path::new())];
    while let Some((value, path)) = open.pop() {
        let children: Vec<&Value> = match value {
            Value::Array(items) => items.iter().collect(),
            Value::Object(entries) => entries.iter().map(|(_, value)| value).collect(),
            _ => Vec::new(),
        };
        for (index, child) in children.into_iter().enumerate() {
            open.push((child, [path.as_slice(), &[index]].concat()));
        }
        found.push(path);
    }
    found
}

fn at<'v>(mut value: &'v mut Value, path: &[usize]) -> &'v mut Value {
    for &index in path {
        value = match value {
            Value::Array(items) => &mut items[index],
            Value::Object(entries) => &mut entries[index].1,
            other => unreachable!("{other:?} has no parts"),
        };
    }
    value
}

fn parse(bytes: &[u8]) -> Value {
    let mut parser = Parser::from_bytes(bytes).unwrap();
    let value = parser.value().unwrap();
    parser.end().unwrap();
    value
}

fn write(value: &Value) -> String {
    let mut writer = Writer::new(Layout::Compact);
    writer.value(value);
    writer.finish()
}

/// Values of every type and of extreme sizes.
fn wrong_values() -> Vec<Value> {
    vec![
        Value::Null,
        Value::Bool(true),
        Value::Number(Number::Unsigned(0)),
        Value::Number(Number::Unsigned(u64::MAX)),
        Value::Number(Number::Unsigned(u64::from(u32::MAX))),
        Value::Number(Number::Unsigned((1 << 28) - 1)),
        Value::Number(Number::Unsigned((1 << 24) - 1)),
        Value::Number(Number::Negative(-1)),
        Value::Number(Number::Float(1e300)),
        Value::Number(Number::Float(0.5)),
        Value::String(String::new()),
        Value::String("a".into()),
        Value::String("(".into()),
        Value::String("\u{0}🙂 x".into()),
        Value::Array(Vec::new()),
        Value::Array(vec![Value::Null, Value::String("a".into())]),
        Value::Object(Vec::new()),
        Value::Object(vec![("type".into(), Value::String("Sequence".into())), ("a".into(), Value::Null)]),
    ]
}

/// The file with each of its values replaced, left out or written twice.
fn with_wrong_values(bytes: &[u8], mut each: impl FnMut(&str)) {
    let value = parse(bytes);
    let paths = paths(&value);
    // Of the many entries of a long list the first few stand for all.
    for path in paths.iter().filter(|path| path.iter().all(|index| *index < 12)) {
        for wrong in wrong_values() {
            let mut broken = value.clone();
            *at(&mut broken, path) = wrong;
            each(&write(&broken));
        }
        let Some((last, parent)) = path.split_last() else { continue };
        for twice in [false, true] {
            let mut broken = value.clone();
            match at(&mut broken, parent) {
                Value::Array(items) if twice => items.insert(*last, items[*last].clone()),
                Value::Array(items) => drop(items.remove(*last)),
                Value::Object(entries) if twice => entries.insert(*last, entries[*last].clone()),
                Value::Object(entries) => drop(entries.remove(*last)),
                _ => {}
            }
            each(&write(&broken));
        }
    }
}

#[test]
fn wrong_types_do_no_harm() {
    let (mut refused, mut tried) = (0, 0);
    let json = all_files().into_iter().filter(|(_, bytes)| bytes.first() == Some(&b'{'));
    for (name, bytes) in json {
        with_wrong_values(&bytes, |broken| {
            tried += 1;
            refused += usize::from(!load(&name, broken.as_bytes()));
        });
    }
    assert!(tried > 5000 && refused * 2 > tried, "{refused} of {tried} refused");
    assert_little_memory();
}

#[test]
fn deep_nesting_is_refused() {
    const DEPTH: usize = 100_000;
    let repeat = |open: &str, middle: &str, close: &str| {
        format!("{}{middle}{}", open.repeat(DEPTH), close.repeat(DEPTH))
    };
    let sequence = |part: &str, list: &str, end: &str| {
        let chain = repeat(&format!(r#"{{"type":"Sequence","{list}":["#), end, "]}");
        format!(
            r#"{{"version":"1.0","added_tokens":[],"{part}":{chain},
            "model":{{"type":"WordLevel","unk_token":"a","vocab":{{"a":0}}}}}}"#
        )
    };
    let documents = [
        "[".repeat(DEPTH),
        r#"{"a":"#.repeat(DEPTH),
        repeat("[", "", "]"),
        repeat(r#"{"model":"#, "1", "}"),
        repeat(r#"[{"vocab":"#, "1", "}]"),
        sequence("normalizer", "normalizers", r#"{"type":"NFC"}"#),
        sequence("pre_tokenizer", "pretokenizers", r#"{"type":"Whitespace"}"#),
        sequence("post_processor", "processors", ""),
        sequence("decoder", "decoders", r#"{"type":"Fuse"}"#),
        // Patterns nest too.
        format!(
            r#"{{"version":"1.0","added_tokens":[],"pre_tokenizer":{{"type":"Split","pattern":{{"Regex":"{}a{}"}},
            "behavior":"Isolated","invert":false}},"model":{{"type":"WordLevel","unk_token":"a","vocab":{{"a":0}}}}}}"#,
            "(?:".repeat(DEPTH),
            ")".repeat(DEPTH)
        ),
    ];
    on_a_small_stack(|| {
        for document in &documents {
            for name in ["x", "tekken.json", "vocab.json"] {
                assert!(!load(name, document.as_bytes()), "{}", &document[..60]);
            }
        }
    });
    assert_little_memory();
}

/// As deep as documents may nest, everything works, on a small stack too.
#[test]
fn the_deepest_allowed_nesting_works() {
    let depth = 50;
    let chain = format!(
        "{}{}{}",
        r#"{"type":"Sequence","normalizers":["#.repeat(depth),
        r#"{"type":"Lowercase"}"#,
        "]}".repeat(depth)
    );
    let document = format!(
        r#"{{"version":"1.0","added_tokens":[],"normalizer":{chain},
        "model":{{"type":"WordLevel","unk_token":"a","vocab":{{"a":0,"b":1}}}}}}"#
    );
    on_a_small_stack(|| {
        let tokenizer = Tokenizer::new(hf::from_str(&document).unwrap()).unwrap();
        assert_eq!(tokenizer.encode_ids("B", &EncodeOptions::default()).unwrap(), [1]);
        let written = hf::to_string(tokenizer.spec(), true).unwrap();
        assert!(hf::from_str(&written).is_ok());
    });
}

/// Long single things: one token, one merge list, one regular expression, one key.
#[test]
fn one_long_thing_costs_no_more_than_its_length() {
    let long = "a".repeat(1 << 20);
    let vocabularies = [
        format!(r#"{{"a":0,"{long}":1}}"#),
        format!(r#"{{"a":0,"{}":1}}"#, "ab".repeat(1 << 19)),
        format!(r#"{{"a":0,"{}":1}}"#, "é".repeat(1 << 19)),
    ];
    for vocab in vocabularies {
        for model in [
            format!(r#"{{"type":"WordLevel","unk_token":"a","vocab":{vocab}}}"#),
            format!(
                r###"{{"type":"WordPiece","unk_token":"a","continuing_subword_prefix":"##","max_input_chars_per_word":100,"vocab":{vocab}}}"###
            ),
            format!(r#"{{"type":"BPE","vocab":{vocab},"merges":[]}}"#),
        ] {
            let document = format!(r#"{{"version":"1.0","added_tokens":[],"model":{model}}}"#);
            assert!(load("x", document.as_bytes()));
        }
    }
    let unigram = format!(
        r#"{{"version":"1.0","added_tokens":[],"model":{{"type":"Unigram","unk_id":0,"vocab":[["a",0.0],["{long}",-1.0]]}}}}"#
    );
    assert!(load("x", unigram.as_bytes()));
    let line = format!("{} 0", "YWFh".repeat(1 << 18));
    assert!(!load("x.tiktoken", line.as_bytes()));
}
