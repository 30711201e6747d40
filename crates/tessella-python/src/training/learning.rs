//! Trainers: from their options in Python to the engine's, and what they learn back.

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use tessella_core::Result;
use tessella_core::spec::AddedToken;
use tessella_train::bpe::parity::{ParityTrainer, ParityVariant};
use tessella_train::bpe::{BpeTrainer, Checkpoint, InitialVocabulary, MergeFilter, TieBreak};
use tessella_train::unigram::UnigramTrainer;
use tessella_train::wordlevel::WordLevelTrainer;
use tessella_train::wordpiece::{Scoring, WordPieceTrainer};
use tessella_train::{PieceCounts as Core, Progress, Trained};

use crate::border::interrupt::run;
use crate::components::models::ModelHandle;
use crate::training::counting::PieceCounts;
use crate::training::progress::Display;
use crate::training::tracing::{Listener, filter};

fn option<'py, T>(options: &Bound<'py, PyDict>, name: &str) -> PyResult<T>
where
    T: for<'a> FromPyObject<'a, 'py, Error: Into<PyErr>>,
{
    options
        .get_item(name)?
        .ok_or_else(|| crate::border::errors::argument(format!("the trainer has no option `{name}`")))?
        .extract()
        .map_err(Into::into)
}

fn special_tokens(options: &Bound<'_, PyDict>) -> PyResult<Vec<AddedToken>> {
    match options.get_item("special_tokens")? {
        Some(tokens) => crate::components::added::tokens(&tokens, true),
        None => Ok(Vec::new()),
    }
}

/// Where the state is saved, if it is to be.
fn checkpoint(options: &Bound<'_, PyDict>) -> PyResult<Option<Checkpoint>> {
    let Some(file) = options.get_item("checkpoint")? else { return Ok(None) };
    Ok(file.extract::<Option<std::path::PathBuf>>()?.map(Checkpoint::new))
}

fn tie_break(options: &Bound<'_, PyDict>) -> PyResult<TieBreak> {
    Ok(match option::<String>(options, "tie_break")?.as_str() {
        "first_seen" => TieBreak::FirstSeen,
        _ => TieBreak::SmallerIds,
    })
}

/// Tokens in id order, and merges.
type Given = (Vec<String>, Vec<(String, String)>);

fn initial_vocab(options: &Bound<'_, PyDict>) -> PyResult<Option<InitialVocabulary>> {
    let given: Option<Given> = option(options, "initial_vocab")?;
    Ok(given.map(|(tokens, merges)| InitialVocabulary { tokens, merges }))
}

fn merge_filter(options: &Bound<'_, PyDict>) -> PyResult<Option<Arc<dyn MergeFilter>>> {
    filter(&option::<Bound<'_, PyAny>>(options, "merge_filter")?)
}

/// A trainer with the options of these names, others that are read in their own way, and the rest from elsewhere.
macro_rules! trainer {
    ($trainer:ident, $options:ident, [$($name:ident)+], $($other:ident: $value:expr),* $(; $rest:expr)?) => {
        $trainer {
            $($name: option($options, stringify!($name))?,)+
            $($other: $value,)*
            special_tokens: special_tokens($options)?,
            $(..$rest)?
        }
    };
}

/// A trainer of any kind.
enum Trainer {
    Bpe(BpeTrainer),
    WordPiece(WordPieceTrainer),
    WordLevel(WordLevelTrainer),
    Unigram(UnigramTrainer),
}

/// The same of every kind.
macro_rules! each {
    ($of:expr, $trainer:ident => $does:expr) => {
        match $of {
            Trainer::Bpe($trainer) => $does,
            Trainer::WordPiece($trainer) => $does,
            Trainer::WordLevel($trainer) => $does,
            Trainer::Unigram($trainer) => $does,
        }
    };
}

impl Trainer {
    fn new(kind: &str, options: &Bound<'_, PyDict>) -> PyResult<Self> {
        Ok(match kind {
            "BPE" => Trainer::Bpe(trainer!(
                BpeTrainer,
                options,
                [vocab_size min_frequency limit_alphabet initial_alphabet continuing_subword_prefix end_of_word_suffix
                    max_token_length strict_budget forced_tokens],
                tie_break: tie_break(options)?,
                initial_vocab: initial_vocab(options)?,
                merge_filter: merge_filter(options)?,
                checkpoint: checkpoint(options)?;
                BpeTrainer::default()
            )),
            "WordPiece" => Trainer::WordPiece(trainer!(
                WordPieceTrainer,
                options,
                [vocab_size min_frequency limit_alphabet initial_alphabet end_of_word_suffix strict_budget],
                continuing_subword_prefix: option::<Option<String>>(options, "continuing_subword_prefix")?
                    .unwrap_or_default(),
                scoring: match option::<String>(options, "score")?.as_str() {
                    "likelihood" => Scoring::Likelihood,
                    _ => Scoring::Frequency,
                },
                tie_break: tie_break(options)?,
                checkpoint: checkpoint(options)?;
                WordPieceTrainer::default()
            )),
            "WordLevel" => Trainer::WordLevel(
                trainer!(WordLevelTrainer, options, [vocab_size min_frequency],; WordLevelTrainer::default()),
            ),
            "Unigram" => Trainer::Unigram(trainer!(
                UnigramTrainer,
                options,
                [vocab_size initial_alphabet shrinking_factor unk_token max_piece_length n_sub_iterations seed_size
                    strict_budget],
                checkpoint: checkpoint(options)?;
                UnigramTrainer::default()
            )),
            other => {
                return Err(crate::border::errors::argument(format!(
                    "there is no trainer for {other} models"
                )));
            }
        })
    }

    fn train(&self, counts: &Core, progress: &dyn Progress) -> Result<Trained> {
        each!(self, trainer => trainer.train(counts, progress))
    }

    fn train_once(&self, counts: Core, progress: &dyn Progress) -> Result<Trained> {
        match self {
            Trainer::Bpe(trainer) => trainer.train_once(counts, progress),
            Trainer::WordPiece(trainer) => trainer.train_once(counts, progress),
            Trainer::WordLevel(trainer) => trainer.train(&counts, progress),
            Trainer::Unigram(trainer) => trainer.train_once(counts, progress),
        }
    }

    fn train_traced(&self, counts: &Core, progress: &dyn Progress, listener: &Listener) -> Result<Trained> {
        let options = listener.options();
        let trained = match self {
            Trainer::Bpe(trainer) => {
                trainer.train_traced(counts, progress, &options, &mut |step| listener.merged(step))
            }
            Trainer::WordPiece(trainer) => {
                trainer.train_traced(counts, progress, &options, &mut |step| listener.merged(step))
            }
            // Nothing is learned step by step.
            Trainer::WordLevel(trainer) => trainer.train(counts, progress),
            Trainer::Unigram(trainer) => {
                trainer.train_traced(counts, progress, &mut |step| listener.estimated(step))
            }
        }?;
        listener.ended(trained.report.ending)?;
        Ok(trained)
    }

    fn estimate_memory(&self, counts: &Core) -> Result<u64> {
        each!(self, trainer => trainer.estimate_memory(counts))
    }
}

/// A model, its special tokens, and why learning ended.
type Learned<'py> = (ModelHandle, Bound<'py, PyList>, &'static str);

fn learned(py: Python<'_>, trained: Trained) -> PyResult<Learned<'_>> {
    let tokens = trained
        .special_tokens
        .iter()
        .map(|token| crate::components::added::to_python(py, token))
        .collect::<PyResult<Vec<_>>>()?;
    Ok((trained.model.into(), PyList::new(py, tokens)?, trained.report.ending.explain()))
}

/// Learns a model of a kind from counts; gives it with its special tokens and why learning ended. With `once` the counts are empty
/// afterwards, and their memory is given back as early as possible, unless the steps are told.
#[pyfunction]
pub fn learn<'py>(
    py: Python<'py>,
    kind: &str,
    options: &Bound<'py, PyDict>,
    counts: &Bound<'py, PieceCounts>,
    progress: &str,
    once: bool,
    trace: Option<Listener>,
) -> PyResult<Learned<'py>> {
    let trainer = Trainer::new(kind, options)?;
    let counts = counts.get();
    let trained = run(py, |cancel| {
        let display = Display::new(progress, cancel, None);
        let trained = match &trace {
            Some(listener) => counts.read(|counts| trainer.train_traced(counts, &display, listener)),
            None if once => trainer.train_once(counts.take(), &display),
            None => counts.read(|counts| trainer.train(counts, &display)),
        }?;
        display.ended(&trained.report);
        Ok(trained)
    })?;
    learned(py, trained)
}

/// About how many bytes learning will take at its peak, the counts not included.
#[pyfunction]
pub fn estimate_memory(
    py: Python<'_>,
    kind: &str,
    options: &Bound<'_, PyDict>,
    counts: &Bound<'_, PieceCounts>,
) -> PyResult<u64> {
    let trainer = Trainer::new(kind, options)?;
    let counts = counts.get();
    run(py, |_| counts.read(|counts| trainer.estimate_memory(counts)))
}

/// Learns one BPE model for several languages, each with counts of its own.
#[pyfunction]
pub fn learn_parity<'py>(
    py: Python<'py>,
    options: &Bound<'py, PyDict>,
    languages: Vec<Bound<'py, PieceCounts>>,
    development: Vec<Bound<'py, PieceCounts>>,
    progress: &str,
) -> PyResult<Learned<'py>> {
    let trainer = trainer!(
        ParityTrainer,
        options,
        [num_merges min_frequency ratio global_merges window_size alpha total_symbols limit_alphabet initial_alphabet
            continuing_subword_prefix end_of_word_suffix max_token_length],
        variant: match option::<String>(options, "variant")?.as_str() {
            "window" => ParityVariant::Window,
            _ => ParityVariant::Base,
        }
    );
    let take = |counts: Vec<Bound<'py, PieceCounts>>| -> Vec<Core> {
        counts.iter().map(|counts| counts.get().take()).collect()
    };
    let (languages, development) = (take(languages), take(development));
    let trained = run(py, |cancel| {
        let display = Display::new(progress, cancel, None);
        let trained = trainer.train(&languages, &development, &display)?;
        display.ended(&trained.report);
        Ok(trained)
    })?;
    learned(py, trained)
}
