//! The compiled module `tessella._tessella`: the only place that knows PyO3.
//!
//! It is private. The public classes in `python/tessella` give the things here their names, defaults, types
//! and documentation; an adapter here converts, lets go of the interpreter, calls the engine and translates
//! the error. From the bottom up:
//!
//! - `errors`, `interrupt`, `limits`, `values`, `arrays`, `inputs`, `options`: what crosses the border
//! - `live`, `fields`, `stage`: components that stay changeable, their fields, and what their handles share
//! - `regex`, `strings`, `pretokenized`, `token`, `added`, `custom`: values that users and their components hold
//! - `normalizers`, `pre_tokenizers`, `models`, `processors`, `decoders`: one handle for each stage
//! - `encoding`, `stream`: results
//! - `state`, `tokenizer`: the whole
//! - `progress`, `tracing`, `training`: counting pieces and learning models; `sentencepiece`: its processor, normalizer
//!   and trainer
//! - `wire`, `pack`, `files`, `loading`, `saving`, `reading`: JSON, pickles, files, and the texts of a corpus

mod arrays;
mod errors;
mod fields;
mod inputs;
mod interrupt;
mod limits;
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

mod files;
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

/// Lets no thread be in the middle of being started. Called before a fork; `release_threads` comes after it.
#[pyfunction]
fn hold_threads(py: Python<'_>) {
    py.detach(tessella_core::threads::hold);
}

#[pyfunction]
fn release_threads(in_child: bool) {
    tessella_core::threads::release(in_child);
}

#[pymodule(gil_used = false)]
fn _tessella(module: &Bound<'_, PyModule>) -> PyResult<()> {
    interrupt::listen();
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_function(wrap_pyfunction!(limits::limits_now, module)?)?;
    module.add_function(wrap_pyfunction!(limits::set_limits, module)?)?;
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
    module.add_function(wrap_pyfunction!(hold_threads, module)?)?;
    module.add_function(wrap_pyfunction!(release_threads, module)?)?;
    module.add_class::<files::Replacing>()?;
    module.add_function(wrap_pyfunction!(files::commit, module)?)?;
    module.add_function(wrap_pyfunction!(files::read_file, module)?)?;
    module.add_function(wrap_pyfunction!(files::write_together, module)?)?;
    module.add_function(wrap_pyfunction!(saving::known_formats, module)?)?;
    module.add_function(wrap_pyfunction!(saving::encodings, module)?)?;
    module.add_function(wrap_pyfunction!(saving::format_to_write, module)?)?;
    module.add_function(wrap_pyfunction!(saving::save_file, module)?)?;
    module.add_function(wrap_pyfunction!(saving::save_folder, module)?)?;
    module.add_function(wrap_pyfunction!(loading::read_merges, module)?)?;
    module.add_function(wrap_pyfunction!(loading::read_vocab_txt, module)?)?;
    Ok(())
}
