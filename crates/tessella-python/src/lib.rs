//! The compiled module `tessella._tessella`: the only place that knows PyO3.
//!
//! It is private. The public classes in `python/tessella` give the things here their names, defaults, types
//! and documentation; an adapter here converts, lets go of the interpreter, calls the engine and translates
//! the error. From the bottom up:
//!
//! - `border`: values, texts, options, arrays, errors and interrupts on their way between Python and Rust
//! - `components`: the stages as handles, which stay changeable, and the values that they hold
//! - `results`: encodings, tokens, streams
//! - `training`: counting, learning, and progress
//! - `tokenizer`: the whole
//! - `files`: loading, saving, pickles, texts of a corpus
//! - `sentencepiece`: that library's processor, normalizer and trainer
//!
//! Each room has a page of its own in its `mod.rs`.

#![deny(missing_docs)]

mod border;

mod components;
mod results;
mod tokenizer;
mod training;

mod files;
mod sentencepiece;

use pyo3::prelude::*;
use pyo3::types::PyBytes;

use border::interpreter::quick::quicken;

/// Finishes everything that is looked up once and kept. Called before a fork: a thread that is in the middle of
/// such a look-up does not exist in the child, which would wait for it for ever.
#[pyfunction]
fn settle(py: Python<'_>) -> PyResult<()> {
    border::arrays::ready(py)?;
    drop(border::errors::new(py, "TessellaError", ""));
    drop(components::added::to_python(py, &tessella_core::spec::AddedToken::new("x", false))?);
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

/// The room of the whole.
fn add_tokenizer(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<tokenizer::Description>()?;
    module.add_class::<tokenizer::Tokenizer>()?;
    tokenizer::quick::quicken_tokenizer(module.py())?;
    module.add_function(wrap_pyfunction!(tokenizer::listed::tokens_of, module)?)?;
    module.add_function(wrap_pyfunction!(tokenizer::listed::ids_of, module)?)?;
    module.add_function(wrap_pyfunction!(tokenizer::listed::text_of_tokens, module)?)?;
    module.add_function(wrap_pyfunction!(tokenizer::listed::mask_of, module)?)?;
    module.add_function(wrap_pyfunction!(tokenizer::listed::copy_of_numbers, module)?)?;
    module.add_class::<tokenizer::ranked::Ranked>()?;
    module.add_function(wrap_pyfunction!(tokenizer::ranked::read_ranks, module)?)?;
    module.add_function(wrap_pyfunction!(tokenizer::call::worker_threads, module)?)?;
    module.add_class::<tokenizer::comparing::Comparison>()?;
    module.add_function(wrap_pyfunction!(tokenizer::explaining::stages, module)?)?;
    module.add_function(wrap_pyfunction!(tokenizer::explaining::derive, module)?)?;
    module.add_function(wrap_pyfunction!(tokenizer::explaining::model_id, module)?)?;
    module.add_function(wrap_pyfunction!(tokenizer::explaining::model_token, module)?)?;
    Ok(())
}

#[pymodule(gil_used = false)]
fn _tessella(module: &Bound<'_, PyModule>) -> PyResult<()> {
    border::interrupt::listen();
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<border::interrupt::Stop>()?;
    module.add_function(wrap_pyfunction!(border::limits::limits_now, module)?)?;
    module.add_function(wrap_pyfunction!(border::limits::set_limits, module)?)?;
    module.add_class::<components::regex::Regex>()?;
    module.add_class::<results::token::Token>()?;
    module.add_class::<components::strings::NormalizedString>()?;
    module.add_class::<components::pretokenized::PreTokenizedString>()?;
    module.add_class::<results::encoding::Encoding>()?;
    module.add_function(wrap_pyfunction!(results::encoding::matrix, module)?)?;
    module.add_class::<results::stream::DecodeStream>()?;
    module.add_class::<results::stream::TextStream>()?;
    module.add_class::<results::stream::TextIterator>()?;
    results::lookups::quicken_lookups(module.py())?;
    quicken::<results::stream::DecodeStep>(module.py())?;
    quicken::<results::stream::TextStep>(module.py())?;
    module.add_class::<components::normalizers::NormalizerHandle>()?;
    module.add_class::<components::pre_tokenizers::PreTokenizerHandle>()?;
    module.add_class::<components::models::ModelHandle>()?;
    module.add_class::<components::processors::PostProcessorHandle>()?;
    module.add_class::<components::decoders::DecoderHandle>()?;
    add_tokenizer(module)?;
    module.add_class::<training::counting::PieceCounts>()?;
    module.add_class::<files::reading::TextFiles>()?;
    module.add_class::<files::reading::Portion>()?;
    module.add_function(wrap_pyfunction!(files::reading::names_json_lines, module)?)?;
    module.add_function(wrap_pyfunction!(files::reading::encode_column, module)?)?;
    module.add_function(wrap_pyfunction!(files::reading::check_fetched, module)?)?;
    module.add_function(wrap_pyfunction!(files::reading::check_packing, module)?)?;
    module.add_function(wrap_pyfunction!(files::reading::packing, module)?)?;
    module.add("PACKED", tessella_formats::corpus::PACKED.map(|(ending, _)| ending))?;
    module.add("JSON_LINES", tessella_formats::corpus::JSON_LINES)?;
    module.add("WAYS", tessella_core::WAYS.map(|(variable, names)| (variable, names.to_vec())))?;
    module.add_class::<training::progress::Meter>()?;
    module.add("LEAST_BUDGET", tessella_train::counts::LEAST_BUDGET)?;
    module.add("COUNTS_BEGIN", PyBytes::new(module.py(), tessella_train::counts::MAGIC))?;
    module.add_class::<training::texts::TextsOf>()?;
    module.add_function(wrap_pyfunction!(training::counting::count_texts_into, module)?)?;
    module.add_function(wrap_pyfunction!(training::counting::count_files_into, module)?)?;
    module.add_function(wrap_pyfunction!(training::learning::learn, module)?)?;
    module.add_function(wrap_pyfunction!(training::learning::learn_parity, module)?)?;
    module.add_function(wrap_pyfunction!(training::learning::estimate_memory, module)?)?;
    module.add_class::<sentencepiece::SentencePieceHandle>()?;
    module.add_class::<sentencepiece::SentencePieceNormalizerHandle>()?;
    module.add_function(wrap_pyfunction!(sentencepiece::train_sentencepiece, module)?)?;
    module.add_function(wrap_pyfunction!(sentencepiece::read_segmentation, module)?)?;
    module.add_function(wrap_pyfunction!(sentencepiece::sentencepiece_parts, module)?)?;
    module.add_function(wrap_pyfunction!(sentencepiece::piece_merges, module)?)?;
    module.add_function(wrap_pyfunction!(files::loading::load, module)?)?;
    module.add_function(wrap_pyfunction!(settle, module)?)?;
    module.add_function(wrap_pyfunction!(hold_threads, module)?)?;
    module.add_function(wrap_pyfunction!(release_threads, module)?)?;
    module.add_class::<files::writing::Replacing>()?;
    module.add_function(wrap_pyfunction!(files::writing::commit, module)?)?;
    module.add_function(wrap_pyfunction!(files::writing::read_file, module)?)?;
    module.add_function(wrap_pyfunction!(files::writing::write_together, module)?)?;
    module.add_function(wrap_pyfunction!(files::known::known_formats, module)?)?;
    module.add_function(wrap_pyfunction!(files::known::encodings, module)?)?;
    module.add_function(wrap_pyfunction!(files::known::encoding, module)?)?;
    module.add_function(wrap_pyfunction!(files::known::gguf_cuts, module)?)?;
    module.add_function(wrap_pyfunction!(files::known::format_to_write, module)?)?;
    module.add_function(wrap_pyfunction!(files::known::folder_names, module)?)?;
    module.add_function(wrap_pyfunction!(files::known::roles, module)?)?;
    module.add_function(wrap_pyfunction!(files::known::model_classes, module)?)?;
    module.add_function(wrap_pyfunction!(files::known::same_classes, module)?)?;
    module.add_function(wrap_pyfunction!(files::known::class_of_model, module)?)?;
    module.add_function(wrap_pyfunction!(files::saving::save_file, module)?)?;
    module.add_function(wrap_pyfunction!(files::saving::save_folder, module)?)?;
    module.add_function(wrap_pyfunction!(files::saving::save_snapshot, module)?)?;
    module.add_function(wrap_pyfunction!(files::loading::read_merges, module)?)?;
    module.add_function(wrap_pyfunction!(files::loading::read_vocab_txt, module)?)?;
    Ok(())
}
