//! Training by SentencePiece's rules: what needs no library beside it.

use tessella_core::random::Random;
use tessella_core::sentencepiece::Processor;
use tessella_core::{EncodeOptions, ErrorKind};
use tessella_formats::sentencepiece::read_description;
use tessella_train::Silent;
use tessella_train::sentencepiece::{SentencePieceTrainer, TrainedModel, split_csv};

fn train(line: &str, sentences: &[String]) -> tessella_core::Result<TrainedModel> {
    let mut items = sentences.iter().map(|sentence| Ok(sentence.as_bytes().to_vec()));
    SentencePieceTrainer::from_line(line)?.train(&mut items, None, &Silent)
}

/// Words of a small made-up language, some more frequent than others.
fn corpus(seed: u64, lines: usize) -> Vec<String> {
    let mut random = Random::from_seed(seed);
    let mut below = |n: u64| random.next_u64() % n;
    let syllables = ["ta", "ri", "mo", "ne", "shu", "京", "ка"];
    (0..lines)
        .map(|_| {
            let words = 1 + below(7);
            let mut line = String::new();
            for _ in 0..words {
                for _ in 0..=below(3) {
                    let most = below(7) + 1;
                    line.push_str(syllables[below(most) as usize]);
                }
                line.push(' ');
            }
            line
        })
        .collect()
}

/// Pieces with scores of a `.vocab` text.
fn vocabulary(trained: &TrainedModel) -> Vec<&str> {
    trained.vocab.lines().map(|line| line.split('\t').next().unwrap_or_default()).collect()
}

/// The slow and obvious way: count all neighbours anew for every piece.
fn slow_pairs(sentences: &[String], size: usize) -> Vec<String> {
    let mut words: Vec<Vec<String>> = sentences
        .iter()
        .flat_map(|sentence| sentence.split_whitespace())
        .map(|word| format!("▁{word}").chars().map(String::from).collect())
        .collect();
    let mut pieces: Vec<String> = Vec::new();
    let mut passed: std::collections::HashSet<(String, String)> = Default::default();
    while pieces.len() < size {
        let mut counts: std::collections::HashMap<(String, String), u64> = Default::default();
        for word in &words {
            for pair in word.windows(2) {
                *counts.entry((pair[0].clone(), pair[1].clone())).or_default() += 1;
            }
        }
        counts.retain(|pair, _| !passed.contains(pair));
        let key = |pair: &(String, String)| format!("{}{}", pair.0, pair.1);
        let best = counts.into_iter().min_by(|(a, n), (b, m)| {
            let (a, b) = (key(a), key(b));
            m.cmp(n).then(a.chars().count().cmp(&b.chars().count())).then(a.cmp(&b))
        });
        let Some((best, _)) = best else { break };
        let text = key(&best);
        if pieces.contains(&text) {
            passed.insert(best);
            continue;
        }
        for word in &mut words {
            let mut at = 0;
            while at + 1 < word.len() {
                if word[at] == best.0 && word[at + 1] == best.1 {
                    word[at] = text.clone();
                    word.remove(at + 1);
                }
                at += 1;
            }
        }
        pieces.push(text);
    }
    pieces
}

#[test]
fn pairs_are_learned_as_the_slow_way_learns_them() {
    for seed in 0..12 {
        let sentences: Vec<String> = corpus(seed, 30)
            .iter()
            .map(|line| line.replace(['京', 'к', 'а'], "a"))
            .chain(["aaaa aaa aaaaa".to_string()])
            .collect();
        let options =
            "--model_type=bpe --vocab_size=40 --normalization_rule_name=identity --character_coverage=1";
        let trained = train(options, &sentences).unwrap();
        let characters = vocabulary(&trained).iter().filter(|piece| piece.chars().count() == 1).count();
        let expected = slow_pairs(&sentences, 40 - 3 - characters);
        assert_eq!(vocabulary(&trained)[3..40 - characters], expected, "{seed}");
    }
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let sentences = corpus(1, 3000);
    for kind in ["unigram", "bpe", "word", "char"] {
        let line = |threads: usize| {
            format!(
                "--model_type={kind} --vocab_size=90 --hard_vocab_limit=false --num_threads={threads} \
                 --normalization_rule_name=identity"
            )
        };
        let one = train(&line(1), &sentences).unwrap().vocab;
        assert_eq!(train(&line(4), &sentences).unwrap().vocab, one, "{kind}");
        assert!(one.lines().count() > 8, "{kind}");
    }
}

#[test]
fn of_the_order_of_sentences_only_the_last_one_matters() {
    for seed in 0..20 {
        let sentences = corpus(seed, 12);
        let mut turned = sentences.clone();
        turned[..11].reverse();
        turned[..11].rotate_left(seed as usize % 11);
        for kind in ["unigram", "bpe", "word", "char"] {
            let line = format!(
                "--model_type={kind} --vocab_size=40 --hard_vocab_limit=false --normalization_rule_name=identity"
            );
            let (one, other) = (train(&line, &sentences).unwrap(), train(&line, &turned).unwrap());
            assert_eq!(one.model, other.model, "{kind} {seed}");
        }
    }
}

#[test]
fn a_vocabulary_may_be_as_small_as_the_text() {
    let sentences = corpus(4, 10);
    for kind in ["unigram", "bpe", "word", "char"] {
        let line = |size: i32| {
            format!(
                "--model_type={kind} --vocab_size={size} --hard_vocab_limit=false \
                 --normalization_rule_name=identity --pad_id=5"
            )
        };
        let most = train(&line(i32::MAX), &sentences).unwrap();
        assert_eq!(most.vocab, train(&line(10_000), &sentences).unwrap().vocab, "{kind}");
    }
}

#[test]
fn what_was_trained_runs() {
    let sentences = corpus(2, 200);
    let options = "--model_type=unigram --vocab_size=60 --hard_vocab_limit=false --byte_fallback \
                   --normalization_rule_name=identity --self_test_sample_size=7";
    let trained = train(&options.replace("vocab_size=60", "vocab_size=320"), &sentences).unwrap();
    let processor = Processor::new(read_description(&trained.model).unwrap()).unwrap();
    for sentence in &sentences[..50] {
        let ids = processor.encode_ids(sentence.as_bytes(), &EncodeOptions::default()).unwrap();
        assert_eq!(processor.decode_ids(&ids).unwrap().text, sentence.trim_end().as_bytes());
    }
    // Bytes that are no text come back as replacement characters, one each.
    let ids = processor.encode_ids(b"ta\xFFri\xE3\x81", &EncodeOptions::default()).unwrap();
    let text = String::from_utf8(processor.decode_ids(&ids).unwrap().text).unwrap();
    assert_eq!(text, "ta\u{FFFD}ri\u{FFFD}\u{FFFD}");
}

#[test]
fn options_from_a_line() {
    assert_eq!(split_csv(r#"a,"b,""c""",d"#), ["a", "b,\"c\"", "d"]);
    assert_eq!(split_csv(""), Vec::<String>::new());
    let kind = |line: &str| SentencePieceTrainer::from_line(line).unwrap_err().kind();
    assert_eq!(kind("--foo=1"), ErrorKind::Unsupported);
    assert_eq!(kind("--vocab_size=many"), ErrorKind::Value);
    let trainer = SentencePieceTrainer::from_line("--split_digits --pad_id=3 --control_symbols=a,b").unwrap();
    assert_eq!((trainer.trainer.split_digits(), trainer.trainer.pad_id()), (true, 3));
    assert_eq!(trainer.trainer.control_symbols, ["a", "b"]);
}

#[test]
fn misuse_is_refused() {
    let sentences = corpus(3, 5);
    for line in [
        "--vocab_size=0",
        "--character_coverage=0.5",
        "--unk_id=-1",
        "--bos_id=0",
        "--control_symbols=<unk>",
        "--control_symbols=a --user_defined_symbols=a",
        "--escape_whitespaces=false",
        "--vocab_size=100000 --normalization_rule_name=identity",
        "--normalization_rule_tsv=/does/not/exist",
    ] {
        assert!(train(line, &sentences).is_err(), "{line}");
    }
    assert!(train("--normalization_rule_name=identity", &[]).is_err());
}
