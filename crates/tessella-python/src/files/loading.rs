//! Tokenizers from files of any known format, and the models' own files.

use std::path::PathBuf;

use pyo3::prelude::*;
use tessella_formats::detect::{Format, LoadOptions, load_path};
use tessella_formats::vocab_files;

use crate::border::errors::{OrRaise, argument};
use crate::border::interrupt::run;
use crate::components::custom::Allowed;
use crate::files::saving::{Beside, beside, snapshot_beside};
use crate::tokenizer::Description;

/// A description from a file or folder, what deserves a warning, and what else a folder holds.
#[pyfunction]
pub fn load(
    py: Python<'_>,
    path: PathBuf,
    pattern: Option<String>,
    special_tokens: Option<Vec<(String, u32)>>,
    allow_custom: Vec<String>,
) -> PyResult<(Description, Vec<String>, Option<Beside>)> {
    let loaded = run(py, |_| {
        let resolver = Allowed(&allow_custom);
        let options = LoadOptions {
            pattern: pattern.as_deref(),
            specials: special_tokens.as_deref(),
            resolver: Some(&resolver),
        };
        load_path(&path, &options)
    })?;
    if loaded.format != Format::Tiktoken {
        for (name, given) in [("pattern", pattern.is_some()), ("special_tokens", special_tokens.is_some())] {
            if given {
                return Err(argument(format!(
                    "`{name}` is only for .tiktoken files; {} says this itself: leave `{name}` out",
                    path.display()
                )));
            }
        }
    }
    let mut description = Description::new(loaded.spec);
    let beside = match loaded.snapshot {
        Some(snapshot) => {
            description.built = Some(snapshot.tokenizer);
            snapshot_beside(snapshot.beside)
        }
        None => loaded.folder.map(beside),
    };
    Ok((description, loaded.notices, beside))
}

/// The pairs of a `merges.txt`.
#[pyfunction]
pub fn read_merges(bytes: &[u8]) -> PyResult<Vec<(String, String)>> {
    vocab_files::read_merges_txt(bytes).or_raise()
}

/// The tokens of a `vocab.txt` with their ids.
#[pyfunction]
pub fn read_vocab_txt<'py>(py: Python<'py>, bytes: &[u8]) -> PyResult<Bound<'py, pyo3::types::PyDict>> {
    let vocab = pyo3::types::PyDict::new(py);
    for (token, id) in vocab_files::read_vocab_txt(bytes).or_raise()?.iter() {
        vocab.set_item(token, id)?;
    }
    Ok(vocab)
}
