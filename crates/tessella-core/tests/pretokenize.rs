//! The pre-tokenizers against recorded results of the reference library.
//!
//! Cases lie in `tests/conformance/pretokenize/*.jsonl`, one object per line: `spec` (as `tokenizer.json`
//! words it), `text`, and `pieces` as `[text, first character, last character]`. The variable
//! `PRETOKENIZE_CASES` names one more file, for long runs made with `tools/pretokenize_cases.py`.

use std::path::{Path, PathBuf};

use serde_json::Value;
use tessella_core::pretokenize::PreTokenizer;
use tessella_core::spec::{Dialect, Pattern, PreTokenizerSpec, PrependScheme, SplitBehavior};
use tessella_core::text::{AlignedText, Pieces};

type Found = Vec<(String, usize, usize)>;

fn behavior(value: &Value) -> SplitBehavior {
    match value.as_str().unwrap() {
        "Removed" => SplitBehavior::Removed,
        "Isolated" => SplitBehavior::Isolated,
        "MergedWithPrevious" => SplitBehavior::MergedWithPrevious,
        "MergedWithNext" => SplitBehavior::MergedWithNext,
        "Contiguous" => SplitBehavior::Contiguous,
        other => panic!("unknown behavior {other}"),
    }
}

fn spec(value: &Value) -> PreTokenizerSpec {
    let flag = |name: &str| value[name].as_bool().unwrap();
    let character = |name: &str| value[name].as_str().unwrap().chars().next().unwrap();
    match value["type"].as_str().unwrap() {
        "BertPreTokenizer" => PreTokenizerSpec::Bert,
        "ByteLevel" => PreTokenizerSpec::ByteLevel {
            add_prefix_space: flag("add_prefix_space"),
            trim_offsets: flag("trim_offsets"),
            use_regex: flag("use_regex"),
        },
        "CharDelimiterSplit" => PreTokenizerSpec::CharDelimiter { delimiter: character("delimiter") },
        "Digits" => PreTokenizerSpec::Digits { individual: flag("individual_digits") },
        "FixedLength" => PreTokenizerSpec::FixedLength {
            length: usize::try_from(value["length"].as_u64().unwrap()).unwrap(),
        },
        "Metaspace" => PreTokenizerSpec::Metaspace {
            replacement: character("replacement"),
            prepend: match value["prepend_scheme"].as_str().unwrap() {
                "always" => PrependScheme::Always,
                "first" => PrependScheme::First,
                _ => PrependScheme::Never,
            },
            split: flag("split"),
        },
        "Punctuation" => PreTokenizerSpec::Punctuation { behavior: behavior(&value["behavior"]) },
        "Split" => PreTokenizerSpec::Split {
            pattern: match &value["pattern"]["Regex"] {
                Value::String(source) => {
                    Pattern::Regex { source: source.clone(), dialect: Dialect::Oniguruma }
                }
                _ => Pattern::Literal(value["pattern"]["String"].as_str().unwrap().to_string()),
            },
            behavior: behavior(&value["behavior"]),
            invert: flag("invert"),
        },
        "UnicodeScripts" => PreTokenizerSpec::UnicodeScripts { keep_spaces: false },
        "Whitespace" => PreTokenizerSpec::Whitespace,
        "WhitespaceSplit" => PreTokenizerSpec::WhitespaceSplit,
        "Sequence" => {
            PreTokenizerSpec::Sequence(value["pretokenizers"].as_array().unwrap().iter().map(spec).collect())
        }
        other => panic!("unknown pre-tokenizer {other}"),
    }
}

fn pieces(pre_tokenizer: &PreTokenizer, text: &str) -> Found {
    let mut pieces = Pieces::whole(AlignedText::borrowed(text, 0));
    pre_tokenizer.pre_tokenize(&mut pieces).unwrap();
    let chars = |bytes: usize| text[..bytes].chars().count();
    pieces
        .pieces()
        .iter()
        .map(|piece| {
            let span = pieces.span(piece);
            (pieces.str(piece).to_string(), chars(span.start), chars(span.end))
        })
        .collect()
}

fn expected(value: &Value) -> Found {
    let number = |value: &Value| usize::try_from(value.as_u64().unwrap()).unwrap();
    value
        .as_array()
        .unwrap()
        .iter()
        .map(|piece| (piece[0].as_str().unwrap().to_string(), number(&piece[1]), number(&piece[2])))
        .collect()
}

/// What holds for every pre-tokenizer, whatever it does.
fn check_other_ways(pre_tokenizer: &PreTokenizer, text: &str, tracked: &Found) {
    if !pre_tokenizer.needs_alignment() {
        let mut untracked = Pieces::whole(AlignedText::untracked(text));
        pre_tokenizer.pre_tokenize(&mut untracked).unwrap();
        let texts: Vec<_> = untracked.pieces().iter().map(|piece| untracked.str(piece)).collect();
        assert_eq!(texts, tracked.iter().map(|piece| piece.0.as_str()).collect::<Vec<_>>(), "untracked");
    }
    if let Some(view) = pre_tokenizer.split_view() {
        let mut texts = Vec::new();
        view.for_each_piece(text, &mut |range| {
            texts.push(&text[range]);
            Ok(())
        })
        .unwrap();
        assert_eq!(texts, tracked.iter().map(|piece| piece.0.as_str()).collect::<Vec<_>>(), "split view");
    }
    if let Some(view) = pre_tokenizer.byte_level_view() {
        let prefix =
            if view.add_prefix_space() && !text.is_empty() && !text.starts_with(' ') { " " } else { "" };
        let raw = format!("{prefix}{text}");
        let mut texts = Vec::new();
        view.for_each_piece(&raw, &mut |range| {
            texts.push(tessella_core::pretokenize::byte_alphabet::bytes_to_alphabet(&raw.as_bytes()[range]));
            Ok(())
        })
        .unwrap();
        assert_eq!(texts, tracked.iter().map(|piece| piece.0.clone()).collect::<Vec<_>>(), "byte-level view");
    }
}

fn files() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/conformance/pretokenize");
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "jsonl"));
    files.extend(std::env::var_os("PRETOKENIZE_CASES").map(PathBuf::from));
    files
}

#[test]
fn pieces_and_offsets_are_the_reference_librarys() {
    let (mut cases, mut wrong) = (0, Vec::new());
    for path in files() {
        let content = std::fs::read_to_string(&path).unwrap();
        for (number, line) in content.lines().enumerate() {
            let case: Value = serde_json::from_str(line).unwrap();
            if case.get("recipe").is_some() {
                continue;
            }
            cases += 1;
            let text = case["text"].as_str().unwrap();
            let pre_tokenizer = PreTokenizer::new(&spec(&case["spec"])).unwrap();
            let found = pieces(&pre_tokenizer, text);
            check_other_ways(&pre_tokenizer, text, &found);
            let expected = expected(&case["pieces"]);
            if found != expected {
                let place = format!("{}:{}", path.display(), number + 1);
                wrong.push(format!(
                    "{place}\n{}\n{text:?}\n  got {found:?}\n want {expected:?}",
                    case["spec"]
                ));
            }
        }
    }
    println!("{cases} cases");
    assert!(cases >= 200, "only {cases} cases were read");
    assert!(
        wrong.is_empty(),
        "{} of {cases} cases differ, first:\n{}",
        wrong.len(),
        wrong[..wrong.len().min(8)].join("\n")
    );
}
