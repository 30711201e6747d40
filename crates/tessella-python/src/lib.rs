//! The compiled module `tessella._tessella`: the only place that knows PyO3.
//!
//! It is private. The public classes in `python/tessella` give the things here their names, defaults, types
//! and documentation; an adapter here converts, lets go of the interpreter, calls the engine and translates
//! the error. From the bottom up:
//!
//! - `errors`, `interrupt`, `values`, `arrays`, `inputs`, `options`: what crosses the border
//! - `live`, `stage`: components that stay changeable, and what their handles share
//! - `regex`, `strings`, `pretokenized`, `token`, `added`, `custom`: values that users and their components hold
//! - `normalizers`, `pre_tokenizers`, `models`, `processors`, `decoders`: one handle for each stage
//! - `encoding`, `stream`: results
//! - `state`, `tokenizer`: the whole
//! - `progress`, `tracing`, `training`: counting pieces and learning models; `sentencepiece`: its processor, normalizer
//!   and trainer
//! - `wire`, `pack`, `loading`, `saving`, `reading`: JSON, pickles, files, and the texts of a corpus

mod arrays;
mod errors;
mod inputs;
mod interrupt;
mod options;
mod place;
mod values;

mod learning;
mod live;
mod stage;

mod added;
mod counting;
mod custom;
mod pretokenized;
mod regex;
mod strings;
mod token;

mod decoders;
mod models;
mod normalizers;
mod pre_tokenizers;
mod processors;

mod encoding;
mod stream;

mod state;
mod tokenizer;

mod comparing;
mod explaining;

mod progress;
mod sentencepiece;
mod tracing;
mod training;

mod loading;
mod pack;
mod reading;
mod saving;
mod wire;

use pyo3::prelude::*;

/// Finishes everything that is looked up once and kept. Called before a fork: a thread that is in the middle of
/// such a look-up does not exist in the child, which would wait for it for ever.
#[pyfunction]
fn settle(py: Python<'_>) -> PyResult<()> {
    arrays::ready(py)?;
    drop(errors::new(py, "TessellaError", ""));
    drop(added::to_python(py, &tessella_core::spec::AddedToken::new("x", false))?);
    Ok(())
}

#[pymodule(gil_used = false)]
fn _tessella(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<regex::Regex>()?;
    module.add_class::<token::Token>()?;
    module.add_class::<strings::NormalizedString>()?;
    module.add_class::<pretokenized::PreTokenizedString>()?;
    module.add_class::<encoding::Encoding>()?;
    module.add_class::<stream::DecodeStream>()?;
    module.add_class::<normalizers::NormalizerHandle>()?;
    module.add_class::<pre_tokenizers::PreTokenizerHandle>()?;
    module.add_class::<models::ModelHandle>()?;
    module.add_class::<processors::PostProcessorHandle>()?;
    module.add_class::<decoders::DecoderHandle>()?;
    module.add_class::<tokenizer::Description>()?;
    module.add_class::<tokenizer::Tokenizer>()?;
    module.add_class::<counting::PieceCounts>()?;
    module.add_class::<reading::TextFiles>()?;
    module.add_class::<comparing::Comparison>()?;
    module.add_class::<progress::Meter>()?;
    module.add("LEAST_BUDGET", tessella_train::counts::LEAST_BUDGET)?;
    module.add_function(wrap_pyfunction!(counting::count_texts_into, module)?)?;
    module.add_function(wrap_pyfunction!(counting::count_files_into, module)?)?;
    module.add_function(wrap_pyfunction!(learning::learn, module)?)?;
    module.add_function(wrap_pyfunction!(learning::learn_parity, module)?)?;
    module.add_function(wrap_pyfunction!(learning::estimate_memory, module)?)?;
    module.add_class::<sentencepiece::SentencePieceHandle>()?;
    module.add_class::<sentencepiece::SentencePieceNormalizerHandle>()?;
    module.add_function(wrap_pyfunction!(sentencepiece::train_sentencepiece, module)?)?;
    module.add_function(wrap_pyfunction!(sentencepiece::sentencepiece_parts, module)?)?;
    module.add_function(wrap_pyfunction!(sentencepiece::piece_merges, module)?)?;
    module.add_function(wrap_pyfunction!(loading::load, module)?)?;
    module.add_function(wrap_pyfunction!(explaining::trace, module)?)?;
    module.add_function(wrap_pyfunction!(explaining::derive, module)?)?;
    module.add_function(wrap_pyfunction!(explaining::model_id, module)?)?;
    module.add_function(wrap_pyfunction!(explaining::model_token, module)?)?;
    module.add_function(wrap_pyfunction!(settle, module)?)?;
    module.add_function(wrap_pyfunction!(saving::is_folder, module)?)?;
    module.add_function(wrap_pyfunction!(saving::save_file, module)?)?;
    module.add_function(wrap_pyfunction!(saving::save_folder, module)?)?;
    module.add_function(wrap_pyfunction!(loading::read_merges, module)?)?;
    module.add_function(wrap_pyfunction!(loading::read_vocab_txt, module)?)?;
    Ok(())
}
