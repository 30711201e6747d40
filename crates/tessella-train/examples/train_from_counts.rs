//! Trains from a file of `piece<TAB>count` lines and prints the vocabulary, and for BPE the merges.
//!
//! `cargo run --release -p tessella-train --example train_from_counts -- bpe 8000 counts.tsv > vocabulary.txt`
//!
//! Kinds: `bpe`, `wordpiece`, `wordlevel`, `unigram`. Timings go to the standard error stream.

use std::io::Write;
use std::time::Instant;

use tessella_core::spec::{Merges, ModelSpec};
use tessella_core::{Error, Result};
use tessella_train::bpe::BpeTrainer;
use tessella_train::unigram::UnigramTrainer;
use tessella_train::wordlevel::WordLevelTrainer;
use tessella_train::wordpiece::WordPieceTrainer;
use tessella_train::{PieceCounts, Silent};

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [kind, size, file] = arguments.as_slice() else {
        return Err(Error::value("usage: train_from_counts KIND VOCAB_SIZE FILE"));
    };
    let vocab_size = size.parse().map_err(|_| Error::value(format!("`{size}` is not a size")))?;
    let start = Instant::now();
    let counts = PieceCounts::read_tsv(file.as_ref())?;
    let read = start.elapsed();
    let trained = match kind.as_str() {
        "bpe" => BpeTrainer { vocab_size, ..BpeTrainer::default() }.train(&counts, &Silent)?,
        "wordpiece" => {
            WordPieceTrainer { vocab_size, ..WordPieceTrainer::default() }.train(&counts, &Silent)?
        }
        "wordlevel" => {
            WordLevelTrainer { vocab_size, ..WordLevelTrainer::default() }.train(&counts, &Silent)?
        }
        "unigram" => UnigramTrainer { vocab_size, ..UnigramTrainer::default() }.train(&counts, &Silent)?,
        other => return Err(Error::value(format!("unknown kind `{other}`"))),
    };
    eprintln!("read {:.3} s, trained {:.3} s", read.as_secs_f64(), (start.elapsed() - read).as_secs_f64());
    eprintln!("{:?}", trained.report);

    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    match &trained.model {
        ModelSpec::Bpe(model) => {
            let text = |id| model.vocab.text(id).unwrap_or_default();
            for (_, text) in model.vocab.iter_by_id() {
                writeln!(out, "{text}")?;
            }
            if let Merges::Pairs(pairs) = &model.merges {
                for &(left, right) in pairs.iter() {
                    writeln!(out, "{}\t{}", text(left), text(right))?;
                }
            }
        }
        ModelSpec::WordPiece(model) => {
            for (_, text) in model.vocab.iter_by_id() {
                writeln!(out, "{text}")?;
            }
        }
        ModelSpec::WordLevel(model) => {
            for (_, text) in model.vocab.iter_by_id() {
                writeln!(out, "{text}")?;
            }
        }
        ModelSpec::Unigram(model) => {
            for (text, score) in model.vocab.iter() {
                writeln!(out, "{text}\t{score}")?;
            }
        }
        ModelSpec::SentencePiece(_) => {}
    }
    Ok(())
}
