//! Compares the trainers with recorded results of the reference library.
//!
//! Cases are JSON lines; the first line tells how they were made. `TESSELLA_TRAIN_CASES` names further files, for
//! large random runs.

use serde_json::Value;
use tessella_core::spec::{AddedToken, Merges, ModelSpec, Vocab};
use tessella_train::bpe::BpeTrainer;
use tessella_train::wordlevel::WordLevelTrainer;
use tessella_train::{PieceCounts, Silent};

fn strings(value: &Value) -> Vec<String> {
    value
        .as_array()
        .map(|list| list.iter().map(|v| v.as_str().unwrap().to_string()).collect())
        .unwrap_or_default()
}

fn specials(options: &Value) -> Vec<AddedToken> {
    strings(&options["special_tokens"]).into_iter().map(|token| AddedToken::new(token, true)).collect()
}

fn number(options: &Value, name: &str) -> Option<usize> {
    options[name].as_u64().map(|n| n as usize)
}

fn counts(case: &Value) -> PieceCounts {
    let words = case["words"].as_array().unwrap();
    PieceCounts::from_pairs(words.iter().map(|w| (w[0].as_str().unwrap(), w[1].as_u64().unwrap()))).unwrap()
}

fn entries(vocab: &Vocab) -> Vec<(String, u64)> {
    vocab.iter_by_id().map(|(id, text)| (text.to_string(), u64::from(id))).collect()
}

fn expected_entries(case: &Value) -> Vec<(String, u64)> {
    let list = case["vocab"].as_array().unwrap();
    list.iter().map(|e| (e[0].as_str().unwrap().to_string(), e[1].as_u64().unwrap())).collect()
}

fn check_bpe(case: &Value) {
    let options = &case["options"];
    let trainer = BpeTrainer {
        vocab_size: number(options, "vocab_size").unwrap_or(30_000),
        min_frequency: options["min_frequency"].as_u64().unwrap_or(0),
        special_tokens: specials(options),
        max_token_length: number(options, "max_token_length"),
        limit_alphabet: number(options, "limit_alphabet"),
        initial_alphabet: strings(&options["initial_alphabet"])
            .iter()
            .filter_map(|s| s.chars().next())
            .collect(),
        ..BpeTrainer::default()
    };
    let trained = trainer.train(&counts(case), &Silent).unwrap();
    let ModelSpec::Bpe(model) = trained.model else { panic!("not BPE") };
    let Merges::Pairs(merges) = &model.merges else { panic!("no pairs") };
    let text = |id| model.vocab.text(id).unwrap().to_string();
    let merges: Vec<[String; 2]> = merges.iter().map(|&(a, b)| [text(a), text(b)]).collect();
    let expected: Vec<[String; 2]> = case["merges"]
        .as_array()
        .unwrap()
        .iter()
        .map(|m| [m[0].as_str().unwrap().to_string(), m[1].as_str().unwrap().to_string()])
        .collect();
    if let Some(at) = (0..merges.len().max(expected.len())).find(|&i| merges.get(i) != expected.get(i)) {
        panic!("merge {at}: {:?} instead of {:?}", merges.get(at), expected.get(at));
    }
    assert_eq!(entries(&model.vocab), expected_entries(case));
}

fn check_wordlevel(case: &Value) {
    let options = &case["options"];
    let trainer = WordLevelTrainer {
        vocab_size: number(options, "vocab_size").unwrap(),
        min_frequency: options["min_frequency"].as_u64().unwrap_or(0),
        special_tokens: specials(options),
        ..WordLevelTrainer::default()
    };
    let ModelSpec::WordLevel(model) = trainer.train(&counts(case), &Silent).unwrap().model else { panic!() };
    assert_eq!(entries(&model.vocab), expected_entries(case));
}

#[test]
fn reference_cases() {
    let mut files =
        vec![format!("{}/../../tests/conformance/train/reference.jsonl", env!("CARGO_MANIFEST_DIR"))];
    files.extend(
        std::env::var("TESSELLA_TRAIN_CASES").iter().flat_map(|list| list.split(':').map(String::from)),
    );
    let (mut checked, mut failed) = (0, 0);
    for file in files {
        let text = std::fs::read_to_string(&file).unwrap_or_else(|error| panic!("{file}: {error}"));
        for (number, line) in text.lines().enumerate().skip(1) {
            let case: Value = serde_json::from_str(line).unwrap();
            let outcome = std::panic::catch_unwind(|| match case["kind"].as_str().unwrap() {
                "bpe" => check_bpe(&case),
                "wordlevel" => check_wordlevel(&case),
                other => panic!("unknown kind {other}"),
            });
            checked += 1;
            if outcome.is_err() {
                failed += 1;
                let shown: String = line.chars().take(600).collect();
                eprintln!("{file} line {}: {shown}", number + 1);
            }
        }
    }
    eprintln!("{checked} cases, {failed} mismatches");
    assert!(checked > 50 && failed == 0, "{failed} of {checked} cases differ");
}
