//! Packed tokenizers and components as Python data, for pickling.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyTuple};
use tessella_core::TokenizerSpec;
use tessella_formats::packed::{Packed, Whole};

use crate::border::errors::OrRaise;
use crate::components::custom::Allowed;

/// A packed component as its kind and its data.
pub fn part_to_python<'py>(part: &Packed, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
    match part {
        Packed::Json(json) => ("json", json).into_pyobject(py),
        Packed::SentencePiece(bytes) => ("sentencepiece", PyBytes::new(py, bytes)).into_pyobject(py),
        Packed::WideSums(bytes) => ("wide", PyBytes::new(py, bytes)).into_pyobject(py),
        Packed::Own => ("own", ()).into_pyobject(py),
        Packed::Ranks(json) => ("ranks", json).into_pyobject(py),
    }
}

/// The component that such a pair stands for.
pub fn part_from_python(data: &Bound<'_, PyAny>) -> PyResult<Packed> {
    let (kind, data): (String, Bound<'_, PyAny>) = data.extract()?;
    Ok(match kind.as_str() {
        "json" => Packed::Json(data.extract()?),
        "sentencepiece" => Packed::SentencePiece(data.extract()?),
        "wide" => Packed::WideSums(data.extract()?),
        "own" => Packed::Own,
        "ranks" => Packed::Ranks(data.extract()?),
        other => {
            return Err(PyValueError::new_err(format!(
                "the pickled component has the unknown shape {other:?}; was it made by a newer version?"
            )));
        }
    })
}

/// A whole tokenizer as a dict.
pub fn to_python<'py>(whole: &Whole, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
    let data = PyDict::new(py);
    let stage = |packed: &Option<Packed>| packed.as_ref().map(|one| part_to_python(one, py)).transpose();
    data.set_item("model", part_to_python(&whole.model, py)?)?;
    data.set_item("normalizer", stage(&whole.normalizer)?)?;
    data.set_item("pre_tokenizer", stage(&whole.pre_tokenizer)?)?;
    data.set_item("post_processor", stage(&whole.post_processor)?)?;
    data.set_item("decoder", stage(&whole.decoder)?)?;
    data.set_item("added_tokens", &whole.added_tokens)?;
    data.set_item("settings", &whole.settings)?;
    data.set_item("import_paths", &whole.import_paths)?;
    Ok(data)
}

/// The description that such a dict stands for. What it names of the user's own is imported.
pub fn spec_from_python(data: &Bound<'_, PyDict>) -> PyResult<TokenizerSpec> {
    let field = |name: &str| {
        data.get_item(name)?
            .ok_or_else(|| PyValueError::new_err(format!("the pickled tokenizer has no {name:?}")))
    };
    let stage = |name: &str| {
        let packed = field(name)?;
        if packed.is_none() { Ok(None) } else { part_from_python(&packed).map(Some) }
    };
    let whole = Whole {
        model: part_from_python(&field("model")?)?,
        normalizer: stage("normalizer")?,
        pre_tokenizer: stage("pre_tokenizer")?,
        post_processor: stage("post_processor")?,
        decoder: stage("decoder")?,
        added_tokens: field("added_tokens")?.extract()?,
        settings: field("settings")?.extract()?,
        import_paths: field("import_paths")?.extract()?,
    };
    let allowed = whole.import_paths.clone();
    whole.spec(Some(&Allowed(&allowed))).or_raise()
}
