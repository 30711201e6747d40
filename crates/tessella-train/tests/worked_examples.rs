//! Small examples worked out by hand or in textbooks.

use tessella_core::spec::{AddedToken, BpeSpec, Merges, ModelSpec, WordPieceSpec};
use tessella_train::bpe::{BpeTrainer, TieBreak, TraceOptions, TraceStep};
use tessella_train::wordpiece::{Scoring, WordPieceTrainer};
use tessella_train::{Ending, PieceCounts, Silent, Trained};

fn bpe(trained: &Trained) -> &BpeSpec {
    match &trained.model {
        ModelSpec::Bpe(model) => model,
        other => panic!("{other:?}"),
    }
}

fn merges(trained: &Trained) -> Vec<String> {
    let model = bpe(trained);
    let Merges::Pairs(pairs) = &model.merges else { panic!() };
    let text = |id| model.vocab.text(id).unwrap();
    pairs.iter().map(|&(a, b)| format!("{}+{}", text(a), text(b))).collect()
}

fn in_order(words: &[&str]) -> PieceCounts {
    PieceCounts::from_pairs(words.iter().map(|word| (*word, 1))).unwrap()
}

fn steps(trainer: &BpeTrainer, counts: &PieceCounts) -> (Trained, Vec<TraceStep>) {
    let mut steps = Vec::new();
    let trained = trainer
        .train_traced(counts, &Silent, &TraceOptions::default(), &mut |step| {
            steps.push(step);
            Ok(())
        })
        .unwrap();
    (trained, steps)
}

#[test]
fn compression_of_one_string() {
    let counts = in_order(&["aaabdaaabac"]);
    let trainer = BpeTrainer { min_frequency: 2, ..BpeTrainer::default() };
    let (trained, steps) = steps(&trainer, &counts);
    assert_eq!(merges(&trained), ["a+a", "a+b", "aa+ab"]);
    let corpus = |step: usize| steps[step].corpus.as_ref().unwrap()[0].0.join(" ");
    assert_eq!(corpus(0), "aa a b d aa a b a c");
    assert_eq!(corpus(1), "aa ab d aa ab a c");
    assert_eq!(corpus(2), "aaab d aaab a c");
    assert_eq!(trained.report.ending, Ending::TooRare);
}

fn cats() -> PieceCounts {
    PieceCounts::from_pairs([
        ("cat", 5),
        ("cats", 2),
        ("eat", 10),
        ("eating", 3),
        ("running", 2),
        ("jumping", 1),
        ("food", 6),
    ])
    .unwrap()
}

#[test]
fn words_about_cats() {
    let trainer = BpeTrainer { vocab_size: 21, tie_break: TieBreak::FirstSeen, ..BpeTrainer::default() };
    let (trained, steps) = steps(&trainer, &cats());
    let alphabet = trained.report.alphabet;
    assert_eq!(alphabet, 16);
    assert_eq!(merges(&trained), ["a+t", "e+at", "c+at", "i+n", "in+g"]);
    assert_eq!(steps[1].corpus.as_ref().unwrap()[2], (vec!["eat".to_string()], 10));

    let strict = BpeTrainer { vocab_size: alphabet - 1, strict_budget: true, ..trainer.clone() };
    let error = strict.train(&cats(), &Silent).unwrap_err();
    assert!(error.message().contains(&format!("{alphabet} characters")), "{error}");

    let all = BpeTrainer { vocab_size: 1000, ..trainer };
    let trained = all.train(&cats(), &Silent).unwrap();
    assert_eq!(trained.report.ending, Ending::Exhausted);
    assert!(trained.report.vocab_size < 1000);
}

#[test]
fn end_of_word_as_a_symbol() {
    // One character of the private use area stands for the end of a word.
    const END: &str = "\u{E000}";
    let text = "There is an 80% chance of rainfall today. We are pretty sure it is going to rain.";
    let mut counts = PieceCounts::new();
    for word in text.split(' ') {
        counts.add(&format!("{word}{END}"), 1).unwrap();
    }
    let trainer = BpeTrainer { tie_break: TieBreak::FirstSeen, ..BpeTrainer::default() };
    let (trained, steps) = steps(&trainer, &counts);
    let learned: Vec<String> = merges(&trained).iter().map(|merge| merge.replace(END, "</w>")).collect();
    let expected = [
        "e+</w>",
        "r+e</w>",
        "i+n",
        "i+s",
        "is+</w>",
        "a+n",
        "r+a",
        "ra+in",
        "t+o",
        ".+</w>",
        "T+h",
        "Th+e",
        "The+re</w>",
        "an+</w>",
        "8+0",
    ];
    assert_eq!(learned[..15], expected);
    assert_eq!(steps[0].pair.count, 5);
    assert_eq!(trained.report.alphabet, 24);
    assert_eq!(steps[0].distinct_symbols, 25);
    assert_eq!(steps[13].distinct_symbols, 31);
    assert_eq!(steps.iter().map(|step| step.distinct_symbols).max(), Some(31));
    assert_eq!((steps.len(), steps[49].distinct_symbols), (50, 16));
    assert_eq!(trained.report.ending, Ending::Exhausted);
}

#[test]
fn hugs_and_puns() {
    let counts =
        PieceCounts::from_pairs([("hug", 10), ("pug", 5), ("pun", 12), ("bun", 4), ("hugs", 5)]).unwrap();
    let trainer = BpeTrainer { vocab_size: 10, ..BpeTrainer::default() };
    let (trained, steps) = steps(&trainer, &counts);
    assert_eq!(merges(&trained), ["u+g", "u+n", "h+ug"]);
    assert_eq!(steps.iter().map(|step| step.pair.count).collect::<Vec<_>>(), [20, 16, 15]);
    let second = steps[0].runner_up.as_ref().unwrap();
    assert_eq!((second.left.as_str(), second.right.as_str(), second.count), ("p", "u", 17));
    // pun 2 x 12, bun 2 x 4, pug 2 x 5, hug 1 x 10, hugs 2 x 5
    assert_eq!(trained.report.tokens, Some(24 + 8 + 10 + 10 + 10));
}

const SENTENCES: [&str; 4] = [
    "This| is| the| Hugging| Face| Course|.",
    "This| chapter| is| about| tokenization|.",
    "This| section| shows| several| tokenizer| algorithms|.",
    "Hopefully|,| you| will| be| able| to| understand| how| they| are| trained| and| generate| tokens|.",
];

fn sentences(first: &str) -> PieceCounts {
    let mut counts = PieceCounts::new();
    for sentence in std::iter::once(first).chain(SENTENCES[1..].iter().copied()) {
        for piece in sentence.split('|') {
            counts.add(&piece.replace(' ', "Ġ"), 1).unwrap();
        }
    }
    counts
}

#[test]
fn four_sentences() {
    let trainer = BpeTrainer {
        vocab_size: 50,
        special_tokens: vec![AddedToken::new("<|endoftext|>", true)],
        tie_break: TieBreak::FirstSeen,
        ..BpeTrainer::default()
    };
    let (trained, steps) = steps(&trainer, &sentences(SENTENCES[0]));
    let expected = [
        "Ġ+t",
        "i+s",
        "e+r",
        "Ġ+a",
        "Ġt+o",
        "e+n",
        "T+h",
        "Th+is",
        "o+u",
        "s+e",
        "Ġto+k",
        "Ġtok+en",
        "n+d",
        "Ġ+is",
        "Ġt+h",
        "Ġth+e",
        "i+n",
        "Ġa+b",
        "Ġtoken+i",
    ];
    assert_eq!(merges(&trained), expected);
    assert_eq!(steps[0].pair.count, 7);

    let other = "This| is| the| Hugging| Face| Course|.| This| is| for| you";
    let trainer = BpeTrainer { special_tokens: Vec::new(), ..trainer };
    let (trained, steps) = self::steps(&trainer, &sentences(other));
    assert_eq!((merges(&trained)[0].as_str(), steps[0].pair.count), ("i+s", 7));
}

fn wordpiece(trained: &Trained) -> &WordPieceSpec {
    match &trained.model {
        ModelSpec::WordPiece(model) => model,
        other => panic!("{other:?}"),
    }
}

#[test]
fn wordpiece_by_likelihood() {
    let mut counts = PieceCounts::new();
    for piece in SENTENCES.iter().flat_map(|sentence| sentence.split('|')) {
        counts.add(piece.trim(), 1).unwrap();
    }
    let specials = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"];
    let trainer = WordPieceTrainer {
        vocab_size: 70,
        special_tokens: specials.iter().map(|token| AddedToken::new(*token, true)).collect(),
        scoring: Scoring::Likelihood,
        tie_break: TieBreak::FirstSeen,
        ..WordPieceTrainer::default()
    };
    let trained = trainer.train(&counts, &Silent).unwrap();
    let vocab: Vec<&str> = wordpiece(&trained).vocab.iter_by_id().map(|(_, text)| text).collect();
    let expected = "ab ##fu Fa Fac ##ct ##ful ##full ##fully Th ch ##hm cha chap chapt ##thm Hu Hug Hugg sh th is \
                    ##thms ##za ##zat ##ut";
    assert_eq!(vocab[45..].join(" "), expected);
}

/// The reference rule on paper: count everything anew at every step.
#[test]
fn likelihood_equals_the_slow_way() {
    let mut random = tessella_core::random::Random::from_seed(5);
    for round in 0..60 {
        let mut words: Vec<(String, u64)> = Vec::new();
        for _ in 0..20 {
            let len = 1 + random.next_u64() % 7;
            let letters = 2 + round % 4;
            let word = (0..len).map(|_| char::from(b'a' + (random.next_u64() % letters) as u8)).collect();
            if !words.iter().any(|(known, _)| *known == word) {
                words.push((word, 1 + random.next_u64() % 9));
            }
        }
        words.sort();
        let counts = PieceCounts::from_pairs(words.clone()).unwrap();
        let trainer =
            WordPieceTrainer { vocab_size: 40, scoring: Scoring::Likelihood, ..WordPieceTrainer::default() };
        let trained = trainer.train(&counts, &Silent).unwrap();
        let fast: Vec<String> = wordpiece(&trained).vocab.iter_by_id().map(|(_, t)| t.to_string()).collect();
        assert_eq!(fast, slow_likelihood(&words, 40), "round {round}");
    }
}

fn slow_likelihood(words: &[(String, u64)], target: usize) -> Vec<String> {
    use std::collections::{BTreeMap, BTreeSet};
    let form = |(i, c): (usize, char)| if i == 0 { c.to_string() } else { format!("##{c}") };
    let mut split: Vec<Vec<String>> =
        words.iter().map(|(word, _)| word.chars().enumerate().map(form).collect()).collect();
    let alphabet: BTreeSet<String> = split.iter().flatten().cloned().collect();
    let mut vocab: Vec<String> = alphabet.into_iter().collect();
    while vocab.len() < target {
        let (mut parts, mut pairs) = (BTreeMap::<&str, u64>::new(), BTreeMap::<(usize, usize), u64>::new());
        let id = |text: &str| vocab.iter().position(|known| known == text).unwrap();
        for (symbols, (_, count)) in split.iter().zip(words) {
            symbols.iter().for_each(|symbol| *parts.entry(symbol).or_default() += count);
            for pair in symbols.windows(2) {
                *pairs.entry((id(&pair[0]), id(&pair[1]))).or_default() += count;
            }
        }
        let score = |(&(a, b), &n): (&(usize, usize), &u64)| {
            n as f64 / (parts[vocab[a].as_str()] as f64 * parts[vocab[b].as_str()] as f64)
        };
        let mut best: Option<((usize, usize), f64)> = None;
        for pair in &pairs {
            if best.is_none_or(|(_, known)| score(pair) > known) {
                best = Some((*pair.0, score(pair)));
            }
        }
        let Some(((a, b), _)) = best else { break };
        let (left, right) = (vocab[a].clone(), vocab[b].clone());
        let merged = format!("{left}{}", right.strip_prefix("##").unwrap_or(&right));
        for symbols in &mut split {
            let mut at = 0;
            while at + 1 < symbols.len() {
                if symbols[at] == left && symbols[at + 1] == right {
                    symbols.splice(at..at + 2, [merged.clone()]);
                }
                at += 1;
            }
        }
        if !vocab.contains(&merged) {
            vocab.push(merged);
        }
    }
    vocab
}

/// One undivided text in raw bytes, each written as a character of the byte-level alphabet.
#[test]
fn raw_bytes_of_one_text() {
    use tessella_core::pretokenize::byte_alphabet::{BYTE_TO_CHAR, bytes_to_alphabet};
    let text = "this is an example. I am an engineer. this is test";
    let counts = PieceCounts::from_pairs([(bytes_to_alphabet(text.as_bytes()), 1)]).unwrap();
    let trainer = BpeTrainer {
        vocab_size: 257,
        initial_alphabet: BYTE_TO_CHAR.to_vec(),
        tie_break: TieBreak::FirstSeen,
        ..BpeTrainer::default()
    };
    let mut steps = Vec::new();
    let trained = trainer
        .train_traced(&counts, &Silent, &TraceOptions::default(), &mut |step| {
            steps.push((step.pair.left, step.pair.right, step.pair.count, step.symbols));
            Ok(())
        })
        .unwrap();
    assert_eq!(text.len(), 50);
    assert_eq!(steps, [("i".to_string(), "s".to_string(), 4, 46)]);
    let ModelSpec::Bpe(model) = &trained.model else { panic!() };
    assert_eq!(model.vocab.id("is"), Some(256));
    assert_eq!(trained.report.tokens, Some(46));
}
