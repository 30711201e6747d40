//! WordPiece and WordLevel against the reference library.

use serde_json::Value;

use super::*;
use crate::encoding::tests::read_cases;
use crate::model::wordlevel::WordLevel;
use crate::spec::WordLevelSpec;

fn check(case: &Value, column: &str, tokenize: impl Fn(&str, &mut Vec<PieceToken>) -> Result<()>) {
    for (word, expected) in case["words"].as_array().unwrap().iter().zip(case[column].as_array().unwrap()) {
        let mut out = vec![PieceToken::new(77, 0, 0)];
        let found = match tokenize(word.as_str().unwrap(), &mut out) {
            Err(error) => Value::from(error.message()),
            Ok(()) => {
                out[1..].iter().map(|token| Value::from(vec![token.id, token.start, token.end])).collect()
            }
        };
        assert_eq!(found, *expected, "{column} of {word}\n{case}");
        assert_eq!(out[0].id, 77);
    }
}

#[test]
fn words_are_cut_as_by_the_reference() {
    for case in read_cases("model/words") {
        let entries = case["vocabulary"].as_array().unwrap().iter();
        let entries = entries.enumerate().map(|(id, text)| (text.as_str().unwrap(), id as u32));
        let vocab = Arc::new(Vocab::from_entries(entries).unwrap());
        let word_piece = WordPiece::new(&WordPieceSpec {
            vocab: Arc::clone(&vocab),
            unk_token: "[UNK]".into(),
            continuing_subword_prefix: case["prefix"].as_str().unwrap().into(),
            max_input_chars_per_word: case["max_chars"].as_u64().unwrap() as usize,
        })
        .unwrap();
        check(&case, "word_piece", |word, out| word_piece.tokenize(word, out));
        // Ids that are not positions: the same tokens under other numbers.
        let renumbered = vocab.iter().map(|(text, id)| (text, 1000 - id));
        let other = WordPiece::new(&WordPieceSpec {
            vocab: Arc::new(Vocab::from_entries(renumbered).unwrap()),
            unk_token: "[UNK]".into(),
            continuing_subword_prefix: case["prefix"].as_str().unwrap().into(),
            max_input_chars_per_word: case["max_chars"].as_u64().unwrap() as usize,
        })
        .unwrap();
        check(&case, "word_piece", |word, out| {
            let first = out.len();
            other.tokenize(word, out)?;
            out[first..].iter_mut().for_each(|token| token.id = 1000 - token.id);
            Ok(())
        });
        let word_level = WordLevel::new(&WordLevelSpec { vocab, unk_token: "[UNK]".into() }).unwrap();
        check(&case, "word_level", |word, out| word_level.tokenize(word, out));
    }
}

#[test]
fn the_name_of_a_missing_unknown_token_is_told() {
    let vocab = Arc::new(Vocab::from_entries([("a", 0)]).unwrap());
    let model = WordLevel::new(&WordLevelSpec { vocab, unk_token: "<unk>".into() }).unwrap();
    let message = model.tokenize("b", &mut Vec::new()).unwrap_err().to_string();
    assert_eq!(
        message,
        "WordLevel error: Missing [UNK] token from the vocabulary (the unknown token is `<unk>`)"
    );
    assert!(model.tokenize("a", &mut Vec::new()).is_ok());
}
