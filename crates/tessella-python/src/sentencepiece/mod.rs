//! SentencePiece's own way of looking at its models: pieces with surfaces, messages, n-best lists, training.
//!
//! - `model`: the engine's processor with Python's texts of its pieces
//! - `handle`: a loaded model, and what it is asked in full
//! - `plain`: the same for calls with plain arguments, which are nearly all of them: what comes back is made at once
//! - `messages`: what a segmentation's message says, as Python's values
//! - `normalizer`: a normalizer by itself
//! - `training`: learning models, and taking them apart

mod handle;
mod messages;
mod model;
mod normalizer;
mod plain;
mod training;

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};
use tessella_core::spec::PieceKind;

pub use handle::SentencePieceHandle;
pub use messages::read_segmentation;
pub use normalizer::SentencePieceNormalizerHandle;
pub use training::{piece_merges, sentencepiece_parts, train_sentencepiece};

/// Texts come as `str` or `bytes`.
fn text<'a>(value: &'a Bound<'_, PyAny>) -> PyResult<&'a [u8]> {
    if let Ok(text) = value.cast::<PyString>() {
        Ok(text.to_str()?.as_bytes())
    } else if let Ok(bytes) = value.cast::<PyBytes>() {
        Ok(bytes.as_bytes())
    } else {
        Err(PyTypeError::new_err("Input must be str or bytes"))
    }
}

fn kind_name(kind: PieceKind) -> &'static str {
    match kind {
        PieceKind::Normal => "normal",
        PieceKind::Unknown => "unknown",
        PieceKind::Control => "control",
        PieceKind::UserDefined => "user_defined",
        PieceKind::Unused => "unused",
        PieceKind::Byte => "byte",
    }
}
