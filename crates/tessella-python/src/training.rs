//! Learning models from counts.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use tessella_core::Result;
use tessella_core::spec::{AddedToken, ModelSpec};
use tessella_train::bpe::BpeTrainer;
use tessella_train::unigram::UnigramTrainer;
use tessella_train::wordlevel::WordLevelTrainer;
use tessella_train::wordpiece::WordPieceTrainer;
use tessella_train::{PieceCounts as Core, Trained};

use crate::counting::PieceCounts;
use crate::interrupt::run;
use crate::models::ModelHandle;
use crate::progress::Display;

fn option<'py, T>(options: &Bound<'py, PyDict>, name: &str) -> PyResult<T>
where
    T: for<'a> FromPyObject<'a, 'py, Error: Into<PyErr>>,
{
    options
        .get_item(name)?
        .ok_or_else(|| crate::errors::argument(format!("the trainer has no option `{name}`")))?
        .extract()
        .map_err(Into::into)
}

fn special_tokens(options: &Bound<'_, PyDict>) -> PyResult<Vec<AddedToken>> {
    match options.get_item("special_tokens")? {
        Some(tokens) => crate::added::tokens(&tokens, true),
        None => Ok(Vec::new()),
    }
}

/// Learns a model of a kind from counts; gives it with its special tokens.
#[pyfunction]
pub fn learn<'py>(
    py: Python<'py>,
    kind: &str,
    options: &Bound<'py, PyDict>,
    counts: &Bound<'py, PieceCounts>,
    progress: &str,
) -> PyResult<(ModelHandle, Bound<'py, PyList>)> {
    let learn = learner(kind, options)?;
    let counts = counts.get();
    let trained = run(py, |cancel| {
        let display = Display::new(progress, cancel, None);
        counts.read(|counts| learn(counts, &display))
    })?;
    let tokens = trained
        .special_tokens
        .iter()
        .map(|token| crate::added::to_python(py, token))
        .collect::<PyResult<Vec<_>>>()?;
    Ok((trained.model.into(), PyList::new(py, tokens)?))
}

type Learner = Box<dyn Fn(&Core, &dyn tessella_train::Progress) -> Result<Trained> + Send + Sync>;

fn learner(kind: &str, options: &Bound<'_, PyDict>) -> PyResult<Learner> {
    match kind {
        "BPE" => {
            let trainer = BpeTrainer {
                vocab_size: option(options, "vocab_size")?,
                min_frequency: option(options, "min_frequency")?,
                special_tokens: special_tokens(options)?,
                limit_alphabet: option(options, "limit_alphabet")?,
                initial_alphabet: option(options, "initial_alphabet")?,
                continuing_subword_prefix: option(options, "continuing_subword_prefix")?,
                end_of_word_suffix: option(options, "end_of_word_suffix")?,
                max_token_length: option(options, "max_token_length")?,
                ..BpeTrainer::default()
            };
            Ok(Box::new(move |counts, progress| trainer.train(counts, progress)))
        }
        "WordPiece" => {
            let trainer = WordPieceTrainer {
                vocab_size: option(options, "vocab_size")?,
                min_frequency: option(options, "min_frequency")?,
                special_tokens: special_tokens(options)?,
                limit_alphabet: option(options, "limit_alphabet")?,
                initial_alphabet: option(options, "initial_alphabet")?,
                continuing_subword_prefix: option::<Option<String>>(options, "continuing_subword_prefix")?
                    .unwrap_or_default(),
                end_of_word_suffix: option(options, "end_of_word_suffix")?,
                ..WordPieceTrainer::default()
            };
            Ok(Box::new(move |counts, progress| trainer.train(counts, progress)))
        }
        "WordLevel" => {
            let trainer = WordLevelTrainer {
                vocab_size: option(options, "vocab_size")?,
                min_frequency: option(options, "min_frequency")?,
                special_tokens: special_tokens(options)?,
                ..WordLevelTrainer::default()
            };
            Ok(Box::new(move |counts, progress| trainer.train(counts, progress)))
        }
        "Unigram" => {
            let trainer = UnigramTrainer {
                vocab_size: option(options, "vocab_size")?,
                special_tokens: special_tokens(options)?,
                initial_alphabet: option(options, "initial_alphabet")?,
                shrinking_factor: option(options, "shrinking_factor")?,
                unk_token: option(options, "unk_token")?,
                max_piece_length: option(options, "max_piece_length")?,
                n_sub_iterations: option(options, "n_sub_iterations")?,
                seed_size: option(options, "seed_size")?,
                ..UnigramTrainer::default()
            };
            Ok(Box::new(move |counts, progress| trainer.train(counts, progress)))
        }
        other => Err(crate::errors::argument(format!("there is no trainer for {other} models"))),
    }
}

/// What training leaves of the model that was there: the settings that are not learned.
pub fn replace_trained(old: &ModelSpec, new: ModelSpec) -> ModelSpec {
    match (old, new) {
        (ModelSpec::Bpe(old), ModelSpec::Bpe(mut new)) => {
            new.dropout = old.dropout;
            new.unk_token = old.unk_token.clone();
            new.fuse_unk = old.fuse_unk;
            new.byte_fallback = old.byte_fallback;
            new.ignore_merges = old.ignore_merges;
            ModelSpec::Bpe(new)
        }
        (ModelSpec::WordPiece(old), ModelSpec::WordPiece(mut new)) => {
            new.unk_token = old.unk_token.clone();
            new.max_input_chars_per_word = old.max_input_chars_per_word;
            ModelSpec::WordPiece(new)
        }
        (ModelSpec::WordLevel(old), ModelSpec::WordLevel(mut new)) => {
            new.unk_token = old.unk_token.clone();
            ModelSpec::WordLevel(new)
        }
        (ModelSpec::Unigram(old), ModelSpec::Unigram(mut new)) => {
            new.byte_fallback = old.byte_fallback;
            new.alpha = old.alpha;
            new.nbest_size = old.nbest_size;
            ModelSpec::Unigram(new)
        }
        (_, new) => new,
    }
}
