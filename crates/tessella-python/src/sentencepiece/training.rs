//! Learning models by SentencePiece's rules, and taking its models apart.

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyIterator, PyString};
use tessella_core::spec::{ModelSpec, NormalizerSpec, PieceKind, SentencePieceKind};
use tessella_core::{Error, ErrorKind, Result, TokenId};
use tessella_formats::sentencepiece;
use tessella_formats::sentencepiece::sections::NormalizerSection;
use tessella_train::sentencepiece::SentencePieceTrainer;

use super::{kind_name, text};
use crate::border::errors::{OrRaise, argument, from_python};
use crate::border::interrupt::run;
use crate::tokenizer::Tokenizer;
use crate::training::progress::Display;

/// Sentences from a Python iterator.
struct Items(Py<PyIterator>);

impl Iterator for Items {
    type Item = Result<Vec<u8>>;

    fn next(&mut self) -> Option<Self::Item> {
        Python::attach(|py| {
            let item = self.0.bind(py).clone().next()?;
            let sentence = item.and_then(|item| {
                let mut sentence =
                    text(&item).map_err(|_| argument("sentence_iterator must give str or bytes"))?.to_vec();
                while matches!(sentence.last(), Some(b'\r' | b'\n')) {
                    sentence.pop();
                }
                Ok(sentence)
            });
            Some(sentence.map_err(from_python))
        })
    }
}

/// Trains; gives the model, or writes the files that the options name.
#[pyfunction]
#[pyo3(signature = (line, options, sentences, normalizer, pretokenizer, write))]
pub fn train_sentencepiece(
    py: Python<'_>,
    line: Option<String>,
    options: Vec<(String, String)>,
    sentences: Option<Bound<'_, PyAny>>,
    normalizer: Option<Vec<u8>>,
    pretokenizer: Option<Py<PyAny>>,
    write: bool,
) -> PyResult<Option<Py<PyBytes>>> {
    let mut trainer = SentencePieceTrainer::from_line(line.as_deref().unwrap_or_default()).or_raise()?;
    for (name, value) in options {
        trainer.set(&name, &value).or_raise()?;
    }
    if let Some(section) = normalizer {
        trainer.normalizer = NormalizerSection::read(&section, 0).or_raise()?;
    }
    let items = match &sentences {
        Some(sentences) => Some(Items(sentences.try_iter()?.unbind())),
        None => None,
    };
    let split = pretokenizer.map(|function| {
        move |text: &str| -> Result<Vec<String>> {
            Python::attach(|py| function.call1(py, (text,))?.extract(py)).map_err(from_python)
        }
    });
    let trained = run(py, |cancel| {
        let display = Display::new("silent", cancel, None);
        let split = split.as_ref().map(|split| split as &tessella_train::sentencepiece::Pretokenizer<'_>);
        let prefix = if write { Some(trainer.prefix()?) } else { None };
        if prefix.is_none() && !trainer.trainer.model_prefix().is_empty() {
            return Err(both("model_prefix", "a writer"));
        }
        let trained = match items {
            Some(_) if !trainer.trainer.input.is_empty() => return Err(both("input", "an iterator")),
            Some(mut items) => trainer.train(&mut items, split, &display)?,
            None => trainer.train_from_files(split, &display)?,
        };
        prefix.map_or(Ok(Some(trained.model.clone())), |prefix| trained.save(&prefix).map(|()| None))
    })?;
    Ok(trained.map(|model| PyBytes::new(py, &model).unbind()))
}

fn both(one: &str, other: &str) -> Error {
    Error::new(ErrorKind::Train, format!("both `{one}` and {other} are given: leave one of them out"))
}

/// What a model's file says, for those who build other tokenizers of its pieces: texts, scores and kinds of the
/// pieces, the character map, and the trainer's options that matter then.
#[allow(clippy::type_complexity)]
#[pyfunction]
pub fn sentencepiece_parts<'py>(
    py: Python<'py>,
    tokenizer: &Bound<'py, Tokenizer>,
) -> PyResult<(Vec<(String, f32, &'static str)>, Bound<'py, PyBytes>, Bound<'py, PyDict>)> {
    let spec = tokenizer.get().value()?.spec();
    let ModelSpec::SentencePiece(model) = &spec.model else {
        return Err(argument("the model is no SentencePiece model"));
    };
    let trainer = sentencepiece::trainer_spec(model).or_raise()?;
    let charsmap = match &spec.normalizer {
        // A model from another kind of file carries no normalizer of its own.
        Some(NormalizerSpec::SentencePiece(own)) if model.source.is_none() => own.charsmap.to_vec(),
        _ => sentencepiece::normalizer_spec(model).or_raise()?.precompiled_charsmap().to_vec(),
    };
    let options = PyDict::new(py);
    options.set_item("unigram", model.kind == SentencePieceKind::Unigram)?;
    options.set_item("byte_fallback", model.byte_fallback)?;
    options.set_item("wide_sums", model.wide_sums)?;
    let unknown = model.pieces.iter().position(|piece| piece.kind == PieceKind::Unknown);
    for (name, id, piece) in [
        ("unk", trainer.unk_id(), trainer.unk_piece()),
        ("bos", trainer.bos_id(), trainer.bos_piece()),
        ("eos", trainer.eos_id(), trainer.eos_piece()),
    ] {
        let id = match (&model.source, name) {
            (Some(_), _) => id,
            (None, "unk") => unknown.map_or(-1, |id| id as i32),
            (None, _) => -1,
        };
        options.set_item(name, (id, piece))?;
    }
    let pieces = model.pieces.iter().map(|piece| (piece.text.clone(), piece.score, kind_name(piece.kind)));
    Ok((pieces.collect(), PyBytes::new(py, &charsmap), options))
}

/// The merges that pieces imply, in the order of their ids, of the texts that were given.
#[pyfunction]
pub fn piece_merges<'py>(
    py: Python<'py>,
    texts: Vec<Bound<'py, PyString>>,
) -> PyResult<Vec<(Bound<'py, PyString>, Bound<'py, PyString>)>> {
    let read = texts.iter().map(|text| text.to_str()).collect::<PyResult<Vec<_>>>()?;
    let merges = py.detach(|| sentencepiece::merges::merges(&read)).or_raise()?;
    let text = |place: TokenId| texts[place as usize].clone();
    Ok(merges.into_iter().map(|(left, right)| (text(left), text(right))).collect())
}
