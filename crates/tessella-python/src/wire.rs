//! `tokenizer.json` with our own way to find the components that users wrote.

use std::sync::Arc;

use pyo3::prelude::*;
use tessella_core::hooks::{CustomDecoder, CustomNormalizer, CustomPreTokenizer};
use tessella_core::{Result, TokenizerSpec};
use tessella_formats::hf::{self, CustomResolver};

use crate::custom::{Custom, resolve};

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

/// A whole tokenizer from `tokenizer.json` text.
pub fn from_json(json: &[u8], allowed: &[String]) -> Result<hf::Document> {
    hf::read_document(json, Some(&Allowed(allowed)))
}

pub fn to_json(spec: &TokenizerSpec, pretty: bool) -> Result<String> {
    hf::to_string(spec, pretty)
}
