//! Components written in Python, as the engine sees them.
//!
//! Each call attaches to the interpreter, lends its objects out and takes them back. Saving goes by import
//! path: `tessella._custom.import_path` says under which name an object can be made again, if under any.

use std::fmt;
use std::sync::Arc;

use pyo3::prelude::*;
use tessella_core::hooks::{CustomDecoder, CustomNormalizer, CustomPreTokenizer};
use tessella_core::text::NormalizedString as Text;
use tessella_core::{Error, Result};
use tessella_formats::hf::CustomResolver;

use crate::border::errors::from_python;
use crate::components::pretokenized::lend_pieces;
use crate::components::strings::lend;

/// An object of the user's.
pub struct Custom(pub Py<PyAny>);

impl fmt::Debug for Custom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Custom({})", self.0)
    }
}

impl Custom {
    fn path(&self) -> Option<String> {
        Python::attach(|py| {
            py.import("tessella._custom")?.getattr("import_path")?.call1((&self.0,))?.extract()
        })
        .unwrap_or(None)
    }
}

impl CustomNormalizer for Custom {
    fn normalize(&self, text: &mut Text) -> Result<()> {
        Python::attach(|py| lend(py, text, |lent| self.0.call_method1(py, "normalize", (lent,)).map(drop)))
    }

    fn import_path(&self) -> Option<String> {
        self.path()
    }
}

impl CustomPreTokenizer for Custom {
    fn pre_tokenize(&self, pieces: Vec<Text>) -> Result<Vec<Vec<Text>>> {
        Python::attach(|py| {
            lend_pieces(py, pieces, |lent| self.0.call_method1(py, "pre_tokenize", (lent,)).map(drop))
        })
    }

    fn import_path(&self) -> Option<String> {
        self.path()
    }
}

impl CustomDecoder for Custom {
    fn decode_chain(&self, tokens: Vec<String>) -> Result<Vec<String>> {
        Python::attach(|py| self.0.call_method1(py, "decode_chain", (tokens,))?.extract(py))
            .map_err(|error: PyErr| from_python(error))
    }

    fn import_path(&self) -> Option<String> {
        self.path()
    }
}

/// Finds the components that a file names, through the names that the caller allows.
fn resolve(py: Python<'_>, path: &str, allowed: &[String]) -> Result<Custom> {
    if !allowed.iter().any(|known| known == path) {
        return Err(Error::value(format!(
            "the file wants to run `{path}`, code that is not part of it; pass allow_custom=[{path:?}] if you trust it"
        )));
    }
    py.import("tessella._custom")
        .and_then(|module| module.getattr("from_import_path")?.call1((path,)))
        .map(|object| Custom(object.unbind()))
        .map_err(from_python)
}

/// Finds components by the import paths that the caller allows.
pub struct Allowed<'a>(pub &'a [String]);

impl Allowed<'_> {
    fn find(&self, path: &str) -> Result<Arc<Custom>> {
        Python::attach(|py| resolve(py, path, self.0)).map(Arc::new)
    }
}

impl CustomResolver for Allowed<'_> {
    fn normalizer(&self, import_path: &str) -> Result<Arc<dyn CustomNormalizer>> {
        Ok(self.find(import_path)?)
    }

    fn pre_tokenizer(&self, import_path: &str) -> Result<Arc<dyn CustomPreTokenizer>> {
        Ok(self.find(import_path)?)
    }

    fn decoder(&self, import_path: &str) -> Result<Arc<dyn CustomDecoder>> {
        Ok(self.find(import_path)?)
    }
}
