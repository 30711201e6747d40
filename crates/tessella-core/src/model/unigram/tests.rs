//! Unigram against the reference library's results, and its own properties.

use super::*;
use serde_json::Value;

fn unigram(vocab: &[(&str, f64)], unk_id: Option<usize>, byte_fallback: bool) -> Result<Unigram> {
    let vocab = vocab.iter().map(|(text, score)| (text.to_string(), *score)).collect();
    Unigram::new(&UnigramSpec {
        vocab: Arc::new(vocab),
        unk_id,
        byte_fallback,
        alpha: None,
        nbest_size: None,
    })
}

/// One model and its cases per line: `[text, [[id, start, end, token text]...]]` or `[text, error message]`.
fn check_file(lines: &str) -> usize {
    let mut checked = 0;
    for line in lines.lines() {
        let line: Value = serde_json::from_str(line).unwrap();
        if line.get("recipe").is_some() {
            continue;
        }
        let vocab = line["vocab"].as_array().unwrap().iter();
        let vocab = vocab.map(|entry| {
            (entry[0].as_str().unwrap().to_string(), entry[1].as_str().unwrap().parse().unwrap())
        });
        let model = Unigram::new(&UnigramSpec {
            vocab: Arc::new(vocab.collect()),
            unk_id: line["unk_id"].as_u64().map(|id| id as usize),
            byte_fallback: line["byte_fallback"].as_bool().unwrap(),
            alpha: None,
            nbest_size: None,
        })
        .unwrap();
        let mut random = Random::from_seed(0);
        for case in line["cases"].as_array().unwrap() {
            let text = case[0].as_str().unwrap();
            let mut tokens = Vec::new();
            let result = model.tokenize(text, &mut random, &mut tokens);
            checked += 1;
            if let Some(message) = case[1].as_str() {
                assert_eq!(result.unwrap_err().message(), message, "{text:?}");
                continue;
            }
            result.unwrap();
            let found: Vec<Value> = tokens
                .iter()
                .map(|token| {
                    let covered = &text[token.start as usize..token.end as usize];
                    let value = if token.surface { covered } else { model.id_to_token(token.id).unwrap() };
                    serde_json::json!([token.id, token.start, token.end, value])
                })
                .collect();
            assert_eq!(Value::from(found), case[1], "{text:?} with {}", line["vocab"]);
        }
    }
    checked
}

#[test]
fn agrees_with_the_reference_library() {
    let fixture = include_str!("../../../../../tests/conformance/model/unigram.jsonl");
    assert!(check_file(fixture) >= 300);
    if let Ok(path) = std::env::var("TESSELLA_UNIGRAM_CASES") {
        let checked = check_file(&std::fs::read_to_string(path).unwrap());
        println!("{checked} more cases");
    }
}

#[test]
fn vocabulary_checks() {
    let message = |result: Result<Unigram>| result.unwrap_err().message().to_string();
    assert_eq!(message(unigram(&[], Some(0), false)), "The vocabulary is empty but at least <unk> is needed");
    assert_eq!(
        message(unigram(&[("a", 0.0)], Some(1), false)),
        "The `unk_id` is larger than vocabulary size"
    );
    let empty = unigram(&[], None, false).unwrap();
    assert!(empty.tokenize("", &mut Random::from_seed(0), &mut Vec::new()).is_ok());
    assert!(empty.tokenize("a", &mut Random::from_seed(0), &mut Vec::new()).is_err());
}

#[test]
fn of_equal_pieces_the_later_one_counts() {
    let model = unigram(&[("<unk>", 0.0), ("a", -1.0), ("", -2.0), ("a", -3.0)], Some(0), false).unwrap();
    assert_eq!((model.token_to_id("a"), model.token_to_id("")), (Some(3), Some(2)));
    assert_eq!((model.id_to_token(1), model.id_to_token(4)), (Some("a"), None));
}

#[test]
fn n_best_starts_with_the_best_and_falls() {
    let vocab =
        [("<unk>", 0.0), ("h", -2.0), ("u", -1.8), ("g", -2.1), ("hu", -2.5), ("ug", -2.4), ("hug", -3.9)];
    let model = unigram(&vocab, Some(0), false).unwrap();
    let list = model.nbest("hugx", 10).unwrap();
    assert_eq!(list.len(), 4);
    assert!(list.windows(2).all(|pair| pair[0].1 >= pair[1].1));
    let mut best = Vec::new();
    model.tokenize("hugx", &mut Random::from_seed(0), &mut best).unwrap();
    assert_eq!(list[0].0, best);
    assert_eq!(model.nbest("hugx", 0).unwrap(), []);
}

#[test]
fn sampling_repeats_with_its_seed_and_keeps_the_text() {
    let vocab: Vec<(String, f64)> =
        [("<unk>", 0.0), ("a", -1.0), ("b", -1.1), ("ab", -1.5), ("ba", -1.7), ("aba", -2.0)]
            .map(|(text, score)| (text.to_string(), score))
            .to_vec();
    for nbest_size in [None, Some(8)] {
        let model = Unigram::new(&UnigramSpec {
            vocab: Arc::new(vocab.clone()),
            unk_id: Some(0),
            byte_fallback: false,
            alpha: Some(0.3),
            nbest_size,
        })
        .unwrap();
        let draw = |seed| {
            let mut random = Random::from_seed(seed);
            let mut tokens = Vec::new();
            for _ in 0..20 {
                let first = tokens.len();
                model.tokenize("abababba", &mut random, &mut tokens).unwrap();
                assert_eq!(tokens[first].start, 0);
                assert_eq!(tokens.last().unwrap().end, 8);
            }
            tokens
        };
        assert_eq!(draw(5), draw(5));
        assert_ne!(draw(5), draw(6));
    }
}

#[test]
fn long_input_is_linear_in_time_and_memory() {
    let vocab = [("<unk>", 0.0), ("a", -1.0), ("aa", -1.5), ("aaaa", -2.5), ("b", -1.0)];
    let model = unigram(&vocab, Some(0), false).unwrap();
    let text = "a".repeat(3_000_001);
    let mut tokens = Vec::new();
    model.tokenize(&text, &mut Random::from_seed(0), &mut tokens).unwrap();
    assert_eq!(tokens.last().unwrap().end as usize, text.len());
    assert_eq!(tokens.len(), 750_001);
}

#[test]
fn short_texts_take_the_path_of_long_ones() {
    let mut random = Random::from_seed(12);
    let mut below = |bound: usize| (random.next_u64() % bound as u64) as usize;
    let letters = ["a", "b", "é", "▁", "漢", "😀"];
    for round in 0..3000 {
        let mut word = |most: usize| -> String { (0..below(most)).map(|_| letters[below(6)]).collect() };
        // Few scores, so that ways tie.
        let vocab: Vec<(String, f64)> =
            (0..1 + round % 40).map(|at| (word(5), -f64::from(at as u32 % 4))).collect();
        let mut text = word(16);
        while text.len() > viterbi::SHORT {
            text.pop();
        }
        let unk_id = (round % 5 > 0).then_some(0);
        let vocab: Vec<(&str, f64)> = vocab.iter().map(|(text, score)| (text.as_str(), *score)).collect();
        let Unigram { trie, scores, unk_id, .. } = unigram(&vocab, unk_id, false).unwrap();
        let (mut short, mut long) = (Vec::new(), Vec::new());
        let mut window = Window::default();
        let shortly = best_short_path(&text, &trie, &scores, unk_id, 0.0, |start, end, id| {
            short.push((start, end, id))
        });
        let settling = best_path(&text, &trie, &scores, unk_id, 0.0, &mut window, |start, end, id| {
            long.push((start, end, id));
        });
        assert_eq!(shortly.is_ok(), settling.is_ok(), "{text:?} {vocab:?}");
        if let (Ok(shortly), Ok(settling)) = (shortly, settling) {
            assert_eq!(shortly, settling, "{text:?} {vocab:?}");
            assert_eq!(short, long, "{text:?} {vocab:?}");
        }
    }
}

/// The search of a whole piece, as it was before strangers were looked at.
fn searched_whole(model: &Unigram, piece: &str) -> Result<Vec<PieceToken>> {
    let mut tokens = Vec::new();
    let mut writer = Writer { model, piece, run: None, failed: false, out: &mut tokens };
    let edge = |start, end, id| writer.edge(start, end, id);
    let mut window = Window::default();
    best_path(piece, &model.trie, &model.scores, model.unk_id, 0.0, &mut window, edge)
        .map_err(|_| missing_unk())?;
    writer.finish()?;
    Ok(tokens)
}

#[test]
fn stretches_between_strangers_are_what_they_are_in_the_whole_piece() {
    let mut random = Random::from_seed(33);
    let mut below = |bound: usize| (random.next_u64() % bound as u64) as usize;
    let letters = ["a", "b", "é", "▁", "漢", "😀", "я", "ก", "\u{10FFFF}", "c"];
    for round in 0..6000 {
        let known = 1 + round % letters.len();
        let mut word =
            |most: usize, of: usize| -> String { (0..below(most)).map(|_| letters[below(of)]).collect() };
        // Sums that tie, nearly tie by rounding, and do not.
        let score = |at: usize| -[0.1, 0.2, 0.3, 0.7, 2.9][at % 5] * (1 + at % 3) as f64;
        let mut vocab: Vec<(String, f64)> =
            (0..1 + round % 40).map(|at| (word(5, known), score(at))).collect();
        let with_bytes = round % 7 == 0;
        if with_bytes {
            vocab.extend((0..=u8::MAX).map(|byte| (format!("<0x{byte:02X}>"), -9.0)));
        }
        let vocab: Vec<(&str, f64)> = vocab.iter().map(|(text, score)| (text.as_str(), *score)).collect();
        let model = unigram(&vocab, (round % 5 > 0).then_some(0), with_bytes).unwrap();
        let text = word([8, 40, 90][round % 3], letters.len());
        let mut tokens = Vec::new();
        let found = model.tokenize(&text, &mut Random::from_seed(0), &mut tokens);
        match searched_whole(&model, &text) {
            Ok(whole) => {
                found.unwrap();
                assert_eq!(tokens, whole, "{text:?} {vocab:?}");
            }
            Err(error) => assert_eq!(found.unwrap_err().message(), error.message()),
        }
    }
}

#[test]
fn strangers_by_the_hundred_thousand_are_one_token() {
    let model = unigram(&[("<unk>", 0.0), ("a", -1.0)], Some(0), false).unwrap();
    let text = "語".repeat(200_000) + "a";
    let mut tokens = Vec::new();
    model.tokenize(&text, &mut Random::from_seed(0), &mut tokens).unwrap();
    let spans: Vec<(u32, u32)> = tokens.iter().map(|token| (token.start, token.end)).collect();
    assert_eq!(spans, [(0, 600_000), (600_000, 600_001)]);
}
