//! What a training does besides learning: stopping, resuming, continuing, forcing, refusing.

mod common;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use common::File;
use tessella_core::random::Random;
use tessella_core::spec::{Merges, ModelSpec};
use tessella_core::{ErrorKind, Result};
use tessella_train::bpe::{
    BpeTrainer, Checkpoint, InitialVocabulary, MergeFilter, Recreated, TieBreak, TraceOptions,
};
use tessella_train::unigram::{UnigramStep, UnigramTrainer};
use tessella_train::wordlevel::WordLevelTrainer;
use tessella_train::{CancelFlag, Ending, PieceCounts, Progress, Silent, Stage, TrainReport, Trained};

fn corpus(seed: u64, words: usize) -> PieceCounts {
    let mut random = Random::from_seed(seed);
    let syllables =
        ["ka", "to", "mi", "ra", "shi", "ing", "er", "est", "pre", "un", "lo", "日本", "é", "aaa"];
    let mut counts = PieceCounts::new();
    for number in 0..words {
        let len = 1 + random.next_u64() % 6;
        let word: String =
            (0..len).map(|_| syllables[(random.next_u64() % syllables.len() as u64) as usize]).collect();
        counts.add(&word, 1 + random.next_u64() % (1 + 5000 / (number as u64 + 1))).unwrap();
    }
    counts
}

/// Vocabulary and merges as texts.
fn shown(trained: &Trained) -> (Vec<String>, Vec<[String; 2]>) {
    let ModelSpec::Bpe(model) = &trained.model else { panic!() };
    let Merges::Pairs(pairs) = &model.merges else { panic!() };
    let text = |id| model.vocab.text(id).unwrap().to_string();
    (
        model.vocab.iter_by_id().map(|(_, text)| text.to_string()).collect(),
        pairs.iter().map(|&(left, right)| [text(left), text(right)]).collect(),
    )
}

/// Stops a job after some reports of merging.
struct StopAfter(AtomicUsize, usize);

impl Progress for StopAfter {
    fn update(&self, stage: Stage, _: u64, _: u64) {
        if stage == Stage::Merge {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed) > self.1
    }
}

#[test]
fn a_stopped_training_goes_on_as_if_nothing_happened() {
    let counts = corpus(1, 3000);
    for tie_break in [TieBreak::SmallerIds, TieBreak::FirstSeen] {
        let plain = BpeTrainer { vocab_size: 1500, tie_break, ..BpeTrainer::default() };
        let whole = plain.train(&counts, &Silent).unwrap();
        for stop in [0, 1, 7, 15] {
            let file = File::new();
            let trainer = BpeTrainer {
                checkpoint: Some(Checkpoint { every: 300, file: file.0.clone() }),
                ..plain.clone()
            };
            let mut runs = 0;
            let resumed = loop {
                runs += 1;
                match trainer.train(&counts, &StopAfter(AtomicUsize::new(0), stop)) {
                    Ok(trained) => break trained,
                    Err(error) => assert_eq!(error.kind(), ErrorKind::Interrupted),
                }
                assert!(file.0.exists());
                if stop == 0 {
                    break trainer.train(&counts, &Silent).unwrap();
                }
            };
            assert!(runs > usize::from(stop != 0), "the training was never stopped");
            assert!(!file.0.exists());
            assert_eq!(shown(&resumed), shown(&whole));
            // What learning goes on from takes more or less memory than what it began with.
            let peak_memory = whole.report.peak_memory;
            assert_eq!(TrainReport { peak_memory, ..resumed.report }, whole.report);
        }
    }
}

#[test]
fn a_foreign_or_damaged_checkpoint_is_refused() {
    let (counts, file) = (corpus(2, 60), File::new());
    let checkpoint = Some(Checkpoint::new(&file.0));
    let trainer = BpeTrainer { vocab_size: 300, checkpoint, ..BpeTrainer::default() };
    trainer.train(&counts, &StopAfter(AtomicUsize::new(0), 1)).unwrap_err();
    let good = std::fs::read(&file.0).unwrap();
    let filtered = BpeTrainer { merge_filter: Some(Arc::new(NeverK)), ..trainer.clone() };
    assert!(filtered.train(&counts, &Silent).unwrap_err().message().contains("other options"));
    let other = BpeTrainer { min_frequency: 5, ..trainer.clone() };
    assert!(other.train(&counts, &Silent).unwrap_err().message().contains("other options"));
    assert!(trainer.train(&corpus(3, 60), &Silent).unwrap_err().message().contains("other counts"));
    for at in (0..good.len()).step_by(37).filter(|at| !(12..16).contains(at)) {
        let mut bad = good.clone();
        bad[at] ^= 0x10;
        std::fs::write(&file.0, bad).unwrap();
        assert_eq!(trainer.train(&counts, &Silent).unwrap_err().kind(), ErrorKind::Format, "byte {at}");
    }
    std::fs::write(&file.0, &good[..good.len() / 2]).unwrap();
    trainer.train(&counts, &Silent).unwrap_err();
}

#[test]
fn continuing_a_vocabulary_gives_the_longer_training() {
    // Without recreated tokens in play, replaying merges is the same as having learned them.
    let counts = corpus(4, 800);
    let exact = BpeTrainer { recreated: Recreated::Exact, ..BpeTrainer::default() };
    let short = shown(&BpeTrainer { vocab_size: 200, ..exact.clone() }.train(&counts, &Silent).unwrap());
    let long = BpeTrainer { vocab_size: 600, ..exact.clone() };
    let merges = short.1.iter().map(|[left, right]| (left.clone(), right.clone())).collect();
    let continued = BpeTrainer {
        initial_vocab: Some(InitialVocabulary { tokens: short.0.clone(), merges }),
        ..long.clone()
    };
    assert_eq!(
        shown(&continued.train(&counts, &Silent).unwrap()),
        shown(&long.train(&counts, &Silent).unwrap())
    );
    let broken = InitialVocabulary { tokens: short.0, merges: vec![("x".into(), "y".into())] };
    let error = BpeTrainer { initial_vocab: Some(broken), ..exact }.train(&counts, &Silent).unwrap_err();
    assert!(error.message().contains("`x`"), "{error}");
}

/// A traced training sorts its pieces, a plain one takes them as they lie: with few letters nearly all counts tie.
#[test]
fn the_order_of_the_pieces_is_not_seen() {
    for seed in 0..40 {
        let mut random = Random::from_seed(seed);
        let mut counts = PieceCounts::new();
        for _ in 0..300 {
            let len = 1 + random.next_u64() % 12;
            let word: String = (0..len).map(|_| ["a", "b", "é"][(random.next_u64() % 3) as usize]).collect();
            counts.add(&word, 1 + random.next_u64() % 3).unwrap();
        }
        let recreated = [Recreated::AsReference, Recreated::Exact][(seed % 2) as usize];
        let max_token_length = (seed % 3 == 0).then_some(5);
        let trainer = BpeTrainer { vocab_size: 400, recreated, max_token_length, ..BpeTrainer::default() };
        let plain = trainer.train(&counts, &Silent).unwrap();
        let sorted =
            trainer.train_traced(&counts, &Silent, &TraceOptions::default(), &mut |_| Ok(())).unwrap();
        assert_eq!(shown(&plain), shown(&sorted), "{seed}");
    }
}

#[test]
fn forced_tokens_count_in_the_budget() {
    let trainer = BpeTrainer {
        vocab_size: 7,
        strict_budget: true,
        forced_tokens: vec!["hugs".into(), "pun".into()],
        ..BpeTrainer::default()
    };
    let counts =
        PieceCounts::from_pairs([("hug", 10), ("pug", 5), ("pun", 12), ("bun", 4), ("hugs", 5)]).unwrap();
    let error = trainer.train(&counts, &Silent).unwrap_err();
    assert!(error.message().contains("= 12. Ask for 12 or more"), "{error}");
    assert!(BpeTrainer { vocab_size: 12, ..trainer }.train(&counts, &Silent).is_ok());
}

#[test]
fn forced_tokens_are_there_and_reachable() {
    let counts = corpus(5, 300);
    let forced: Vec<String> = ["mirakaka", "kakato", "zzz", "aaaaa"].map(String::from).to_vec();
    let trainer = BpeTrainer {
        vocab_size: 120,
        forced_tokens: forced.clone(),
        initial_alphabet: vec!['z'],
        ..BpeTrainer::default()
    };
    let (vocab, merges) = shown(&trainer.train(&counts, &Silent).unwrap());
    assert_eq!(vocab.len(), 120);
    for token in &forced {
        let mut symbols: Vec<String> = token.chars().map(String::from).collect();
        while let Some(rank) = merges.iter().position(|merge| symbols.windows(2).any(|pair| pair == merge)) {
            let mut at = 0;
            while at + 1 < symbols.len() {
                if symbols[at..at + 2] == merges[rank] {
                    symbols.splice(at..at + 2, [merges[rank].concat()]);
                }
                at += 1;
            }
        }
        assert_eq!(symbols.concat(), *token);
        assert_eq!(symbols.len(), 1);
    }
    let missing = BpeTrainer { initial_alphabet: Vec::new(), ..trainer };
    assert!(missing.train(&counts, &Silent).unwrap_err().message().contains("initial_alphabet"));
}

#[derive(Debug)]
struct NeverK;

impl MergeFilter for NeverK {
    fn allows(&self, _: &str, _: &str, merged: &str, count: u64) -> Result<bool> {
        assert!(count > 0);
        Ok(!merged.contains('k'))
    }
}

#[derive(Debug)]
struct Named(&'static str);

impl MergeFilter for Named {
    fn allows(&self, _: &str, _: &str, _: &str, _: u64) -> Result<bool> {
        Ok(true)
    }

    fn name(&self) -> String {
        self.0.into()
    }
}

#[test]
fn a_checkpoint_belongs_to_one_filter() {
    let (counts, file) = (corpus(2, 60), File::new());
    let trainer = |name| BpeTrainer {
        vocab_size: 300,
        checkpoint: Some(Checkpoint::new(&file.0)),
        merge_filter: Some(Arc::new(Named(name))),
        ..BpeTrainer::default()
    };
    trainer("[a-z]").train(&counts, &StopAfter(AtomicUsize::new(0), 1)).unwrap_err();
    assert!(trainer("[a-e]").train(&counts, &Silent).unwrap_err().message().contains("other options"));
    trainer("[a-z]").train(&counts, &Silent).unwrap();
}

#[test]
fn vetoed_merges_do_not_happen() {
    let trainer =
        BpeTrainer { vocab_size: 400, merge_filter: Some(Arc::new(NeverK)), ..BpeTrainer::default() };
    let (vocab, merges) = shown(&trainer.train(&corpus(6, 500), &Silent).unwrap());
    assert!(merges.len() > 50 && vocab.iter().all(|text| text == "k" || !text.contains('k')));
}

#[test]
fn counts_beyond_32_bits() {
    let mut counts = PieceCounts::new();
    counts.add(&"ab".repeat(50_000), 45_000).unwrap();
    counts.add("xy", 1_000_000_000).unwrap();
    let trainer = BpeTrainer { vocab_size: 5, ..BpeTrainer::default() };
    assert_eq!(shown(&trainer.train(&counts, &Silent).unwrap()).1, [["a", "b"]]);

    let huge = PieceCounts::from_pairs([("abab", u64::MAX / 2)]).unwrap();
    let error = trainer.train(&huge, &Silent).unwrap_err();
    assert!(error.message().contains("`abab`"), "{error}");
}

#[test]
fn empty_corpora_and_cancelling() {
    let (empty, stop) = (PieceCounts::new(), std::sync::atomic::AtomicBool::new(true));
    let trained = BpeTrainer::default().train(&empty, &Silent).unwrap();
    assert_eq!((trained.report.vocab_size, trained.report.ending), (0, Ending::Exhausted));
    assert_eq!(UnigramTrainer::default().train(&empty, &Silent).unwrap().report.vocab_size, 0);
    assert_eq!(WordLevelTrainer::default().train(&empty, &Silent).unwrap().report.vocab_size, 0);
    let counts = corpus(7, 50);
    let cancel = CancelFlag(&stop);
    for result in [
        BpeTrainer::default().train(&counts, &cancel),
        UnigramTrainer::default().train(&counts, &cancel),
        WordLevelTrainer::default().train(&counts, &cancel),
    ] {
        assert_eq!(result.unwrap_err().kind(), ErrorKind::Interrupted);
    }
}

#[test]
fn unigram_is_the_same_for_any_number_of_threads() {
    let counts = corpus(8, 9000);
    let vocab = |threads| {
        let trainer = UnigramTrainer { vocab_size: 300, threads, ..UnigramTrainer::default() };
        let ModelSpec::Unigram(model) = trainer.train(&counts, &Silent).unwrap().model else { panic!() };
        model.vocab.iter().map(|(text, score)| (text.clone(), score.to_bits())).collect::<Vec<_>>()
    };
    assert!(vocab(1) == vocab(2) && vocab(1) == vocab(5));
}

#[test]
fn unigram_of_long_texts_neither_overflows_nor_stalls() {
    // Two thousand characters without a cut: probabilities far below what a float can hold.
    let mut random = Random::from_seed(9);
    let syllables = ["ka", "to", "mi", "ra", "shi"];
    let text = |random: &mut Random| -> String {
        (0..2000).map(|_| syllables[(random.next_u64() % 5) as usize]).collect()
    };
    let counts = PieceCounts::from_pairs((0..20).map(|_| (text(&mut random), 1))).unwrap();
    let trainer = UnigramTrainer { vocab_size: 100, ..UnigramTrainer::default() };
    let mut losses = Vec::new();
    trainer
        .train_traced(&counts, &Silent, &mut |step| {
            if let UnigramStep::Estimated { loss, .. } = step {
                losses.push(loss);
            }
            Ok(())
        })
        .unwrap();
    assert!(losses.len() > 4 && losses.iter().all(|loss| loss.is_finite() && *loss > 0.0), "{losses:?}");
    // A fair source of five syllables has 2000 ln 5 nats. With a hundred entries the estimate comes near it; it may
    // fit the sample a little better than its source does.
    let (last, source) = (losses[losses.len() - 1], 2000.0 * 5f64.ln());
    assert!(last > source * 0.95 && last < source * 1.3, "{last} against {source}");
}

#[test]
fn unigram_needs_room_for_its_characters() {
    let trainer = UnigramTrainer { vocab_size: 5, ..UnigramTrainer::default() };
    let error = trainer.train(&corpus(10, 50), &Silent).unwrap_err();
    assert!(error.message().contains("not large enough to contain all characters"), "{error}");
}
