//! Encodings against the reference library: random columns, random operations, every column and look-up.

use serde_json::Value;

use super::*;
use crate::spec::Direction;

/// The cases of a fixture; the first line says how it was made. `TESSELLA_CASES` names another folder with
/// more of them.
pub(crate) fn read_cases(name: &str) -> Vec<Value> {
    let folder = std::env::var("TESSELLA_CASES")
        .unwrap_or_else(|_| concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/conformance").to_owned());
    let text = std::fs::read_to_string(format!("{folder}/{name}.jsonl")).unwrap();
    let mut lines = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    assert!(lines.next().unwrap()["recipe"].is_string());
    let cases: Vec<Value> = lines.collect();
    assert!(cases.len() >= 50, "only {} cases in {name}", cases.len());
    cases
}

fn number(value: &Value) -> usize {
    value.as_u64().unwrap() as usize
}

fn numbers(value: &Value) -> Vec<u32> {
    value.as_array().unwrap().iter().map(|value| number(value) as u32).collect()
}

pub(crate) fn parts(state: &Value) -> EncodingParts {
    let list = |name: &str| state[name].as_array().unwrap().iter();
    let mut ranges: Vec<(usize, Range<usize>)> = state["sequence_ranges"]
        .as_object()
        .unwrap()
        .iter()
        .map(|(id, range)| (id.parse().unwrap(), number(&range["start"])..number(&range["end"])))
        .collect();
    ranges.sort_by_key(|(id, _)| *id);
    EncodingParts {
        ids: numbers(&state["ids"]),
        type_ids: numbers(&state["type_ids"]),
        tokens: list("tokens").map(|token| token.as_str().unwrap().into()).collect(),
        words: list("words").map(|word| word.as_u64().map(|word| word as u32)).collect(),
        offsets: list("offsets").map(|pair| (number(&pair[0]), number(&pair[1]))).collect(),
        special_tokens_mask: numbers(&state["special_tokens_mask"]),
        attention_mask: numbers(&state["attention_mask"]),
        sequence_ranges: ranges,
        overflowing: list("overflowing").map(parts).collect(),
    }
}

pub(crate) fn direction(value: &Value) -> Direction {
    if value == "left" { Direction::Left } else { Direction::Right }
}

#[derive(Debug)]
struct Names(Vec<String>);

impl TokenTexts for Names {
    fn token_text(&self, id: TokenId) -> Option<&str> {
        self.0.get(id as usize).map(String::as_str)
    }
}

/// The encoding of a state with texts from a vocabulary where that can be: a token whose text is not that
/// of the first token with its id is a surface.
pub(crate) fn encoding(state: &Value) -> Encoding {
    let parts = parts(state);
    let mut names = Names(vec![String::from("?"); 16]);
    for (&id, token) in parts.ids.iter().zip(&parts.tokens).rev() {
        names.0[id as usize] = token.to_string();
    }
    let mut surfaces = Surfaces::new();
    for (index, (&id, token)) in parts.ids.iter().zip(&parts.tokens).enumerate() {
        if names.0[id as usize] != **token {
            surfaces.push(index, token.clone());
        }
    }
    let mut encoding = Encoding::from_parts(parts).unwrap();
    encoding.vocabulary = Some(Arc::new(names));
    encoding.surfaces = surfaces;
    encoding
}

fn perform(encoding: &mut Encoding, step: &Value) -> crate::Result<()> {
    match step[0].as_str().unwrap() {
        "truncate" => encoding.truncate(number(&step[1]), number(&step[2]), direction(&step[3])),
        "pad" => encoding.pad(
            number(&step[1]),
            number(&step[2]) as u32,
            number(&step[3]) as u32,
            step[4].as_str().unwrap(),
            direction(&step[5]),
        ),
        _ => {
            encoding.set_sequence_id(number(&step[1]));
            Ok(())
        }
    }
}

/// What an encoding remembers of its columns once it was asked, every change has to forget.
fn ask(encoding: &Encoding) {
    let _ = (encoding.char_to_token(0, 0), encoding.word_to_tokens(0, 0));
}

fn run(case: &Value) -> crate::Result<Encoding> {
    let mut encodings = Vec::new();
    for (state, steps) in case["states"].as_array().unwrap().iter().zip(case["steps"].as_array().unwrap()) {
        let mut part = encoding(state);
        for step in steps.as_array().unwrap() {
            ask(&part);
            perform(&mut part, step)?;
        }
        ask(&part);
        encodings.push(part);
    }
    let mut joined = if encodings.len() == 1 {
        encodings.remove(0)
    } else {
        Encoding::merge(encodings, case["growing"] == true)?
    };
    for step in case["last"].as_array().unwrap() {
        ask(&joined);
        perform(&mut joined, step)?;
    }
    Ok(joined)
}

fn json<T: Into<Value>>(values: impl Iterator<Item = Option<T>>) -> Value {
    values.map(|value| value.map_or(Value::Null, Into::into)).collect()
}

fn pair((first, second): (usize, usize)) -> Value {
    vec![first, second].into()
}

/// Windows of windows only repeat combinations that are there already; they are not kept.
fn flat(mut parts: EncodingParts) -> EncodingParts {
    for window in &mut parts.overflowing {
        window.overflowing.clear();
    }
    parts
}

#[test]
fn operations_and_look_ups_are_those_of_the_reference() {
    for (number, case) in read_cases("encoding/operations").iter().enumerate() {
        let expected = &case["expected"];
        let encoding = match run(case) {
            Ok(encoding) => encoding,
            Err(error) => {
                assert!(expected.is_null(), "case {number}: {error}\n{case}");
                continue;
            }
        };
        assert!(!expected.is_null(), "case {number} should fail\n{case}");
        assert_eq!(flat(encoding.to_parts()), parts(&expected["state"]), "case {number}\n{case}");
        let sequences = 0..3usize;
        let mut found = vec![
            ("n_sequences", encoding.n_sequences().into()),
            ("token_to_chars", {
                let chars = (0..encoding.len()).map(|token| encoding.token_to_chars(token));
                json(chars.map(|found| found.map(|(_, span)| pair(span))))
            }),
            ("token_to_word", {
                let words = (0..encoding.len()).map(|token| encoding.token_to_word(token));
                json(words.map(|found| found.map(|(_, word)| word)))
            }),
        ];
        let table = |row: &dyn Fn(usize) -> Value| sequences.clone().map(row).collect::<Value>();
        found.push((
            "char_to_token",
            table(&|sequence| json((0..16).map(|at| encoding.char_to_token(at, sequence)))),
        ));
        found.push((
            "char_to_word",
            table(&|sequence| json((0..16).map(|at| encoding.char_to_word(at, sequence)))),
        ));
        found.push((
            "word_to_tokens",
            table(&|sequence| json((0..8).map(|word| encoding.word_to_tokens(word, sequence).map(pair)))),
        ));
        found.push((
            "word_to_chars",
            table(&|sequence| json((0..8).map(|word| encoding.word_to_chars(word, sequence).map(pair)))),
        ));
        let padded = encoding.sequence_ranges.is_empty() && encoding.attention_mask.to_vec().contains(&0);
        if !padded {
            found.push(("sequence_ids", json(encoding.sequence_ids().into_iter())));
            // Of ranges that overlap the reference takes any, by the order of a hash table.
            let overlap = match encoding.sequence_ranges.as_slice() {
                [(_, first), (_, second)] => first.start < second.end && second.start < first.end,
                _ => false,
            };
            if !overlap {
                let sequences = (0..encoding.len()).map(|token| encoding.token_to_sequence(token));
                found.push(("token_to_sequence", json(sequences)));
            }
        }
        for (name, value) in found {
            // Without ranges the reference counts padding to sequence 0; here it belongs to none.
            if padded && matches!(name, "token_to_chars" | "token_to_word" | "char_to_word") {
                continue;
            }
            assert_eq!(value, expected[name], "case {number}, {name}\n{case}");
        }
        let again = Encoding::from_parts(encoding.to_parts()).unwrap();
        assert_eq!(again.to_parts(), encoding.to_parts());
    }
}

#[test]
fn padding_belongs_to_no_sequence() {
    let parts = EncodingParts {
        ids: vec![1],
        type_ids: vec![0],
        tokens: vec!["a".into()],
        words: vec![Some(0)],
        offsets: vec![(0, 1)],
        special_tokens_mask: vec![0],
        attention_mask: vec![1],
        ..EncodingParts::default()
    };
    let mut encoding = Encoding::from_parts(parts).unwrap();
    encoding.pad(3, 0, 0, "[PAD]", Direction::Left).unwrap();
    assert_eq!(encoding.sequence_ids(), [None, None, Some(0)]);
    assert_eq!(encoding.token_to_sequence(3), None);
    assert_eq!(encoding.token_to_chars(0), None);
    assert_eq!(encoding.tokens(), ["[PAD]", "[PAD]", "a"]);
    assert!(encoding.pad(usize::MAX, 0, 0, "", Direction::Left).is_err());
}

#[test]
fn columns_of_unequal_length_are_an_error() {
    let parts = EncodingParts { ids: vec![1], ..EncodingParts::default() };
    let message = Encoding::from_parts(parts).unwrap_err().to_string();
    assert!(message.contains("`type_ids` has 0 entries"), "{message}");
    let parts = EncodingParts { sequence_ranges: vec![(0, 0..1)], ..EncodingParts::default() };
    assert!(Encoding::from_parts(parts).is_err());
}

#[test]
fn texts_of_two_vocabularies_survive_joining() {
    let of = |text: &str| {
        let vocabulary = Arc::new(Names(vec![text.to_owned(); 2]));
        Encoding::from_tokens(vec![0, 1], vec![(0, 1); 2].into(), vec![0; 2], 0, vocabulary, Surfaces::new())
    };
    let parts = vec![of("left"), Encoding::from_specials(&[0], &["s".into()], 0), of("right")];
    let joined = Encoding::merge(parts, false).unwrap();
    assert_eq!(joined.tokens(), ["left", "left", "s", "right", "right"]);
}

/// In what order offsets and words stand is found out at the first question, and no longer holds once there are others.
#[test]
fn what_was_found_out_before_padding_is_forgotten() {
    let vocabulary = Arc::new(Names(vec!["a".to_owned()]));
    let offsets: Vec<(usize, usize)> = (0..4).map(|at| (at, at + 1)).collect();
    let mut encoding =
        Encoding::from_tokens(vec![0; 4], offsets.into(), vec![0, 1, 2, 3], 0, vocabulary, Surfaces::new());
    ask(&encoding);
    encoding.pad(20, 0, 0, "p", Direction::Right).unwrap();
    for at in 0..4 {
        assert_eq!(encoding.char_to_token(at, 0), Some(at));
        assert_eq!(encoding.word_to_tokens(at as u32, 0), Some((at, at + 1)));
    }
    // What stands for no word is none.
    assert_eq!(encoding.word_to_tokens(u32::MAX, 0), None);
    let mut words = [7; 20];
    encoding.write_words(&mut words);
    assert_eq!((&words[..4], &words[4..]), (&[0, 1, 2, 3][..], &[-1; 16][..]));
}
