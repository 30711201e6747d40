//! The files beside a tokenizer: objects of JSON, and the list of added tokens of older releases.

use std::path::Path;

use tessella_core::spec::AddedToken;
use tessella_core::{Error, Result, TokenizerSpec};

use super::ADDED_TOKENS;
use crate::atomic;
use crate::hf;
use crate::json::{Node, Parser, Value};

/// A file beside the tokenizer, if it is there: an object.
pub(super) fn read_json(folder: &Path, name: &str, notices: &mut Vec<String>) -> Result<Option<Value>> {
    let path = folder.join(name);
    if !atomic::is_there(&path) {
        return Ok(None);
    }
    let bytes = atomic::read(&path)?;
    let read = || {
        let mut parser = Parser::from_bytes(&bytes)?;
        let value = parser.value()?;
        parser.end()?;
        Ok(value)
    };
    let value = read().map_err(|error: Error| error.at(path.display().to_string()))?;
    if !matches!(value, Value::Object(_)) {
        return Err(Error::format(format!(
            "expected a JSON object, as the transformers library writes it, found {}; mend the file, or remove it to \
             do without",
            value.describe()
        ))
        .at(path.display().to_string()));
    }
    notices.extend(hf::repeated_keys(&value).into_iter().map(|notice| format!("{name}: {notice}")));
    Ok(Some(value))
}

/// `added_tokens.json`: texts and ids. It does not say which of them are special.
pub(super) fn add_added_tokens(
    spec: &mut TokenizerSpec,
    folder: &Path,
    is_special: &dyn Fn(&str) -> bool,
    notices: &mut Vec<String>,
) -> Result<()> {
    let Some(value) = read_json(folder, ADDED_TOKENS, notices)? else { return Ok(()) };
    let node = Node::new(&value, "added_tokens.json: $");
    for (text, _) in node.entries()? {
        // Of a repeated key this is the last value.
        let id = node.required(text)?.u32()?;
        if !text.is_empty() && spec.added_tokens.iter().all(|token| token.content != text) {
            spec.added_tokens.push(AddedToken { id: Some(id), ..AddedToken::new(text, is_special(text)) });
        }
    }
    Ok(())
}
