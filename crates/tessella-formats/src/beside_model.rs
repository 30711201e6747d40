//! Added tokens beside a SentencePiece model, whose own file has no place for them.
//!
//! They stand in the settings of the folder, under the name that the `transformers` library uses:
//! `"added_tokens_decoder": {"32000": {"content": "<ent>", "special": true, ...}}`. Folders of older releases of
//! that library hold texts and ids in `added_tokens.json` instead.

use tessella_core::spec::AddedToken;
use tessella_core::{Error, Result};

use crate::json::{Node, Value};

/// Where the settings hold them.
pub const KEY: &str = "added_tokens_decoder";

/// The tokens that settings hold; `None` if they say nothing about them.
pub fn read(config: Option<&Value>) -> Result<Option<Vec<AddedToken>>> {
    let Some(node) = config.and_then(|config| Node::new(config, "tokenizer_config.json: $").field(KEY))
    else {
        return Ok(None);
    };
    node.entries()?.map(|(id, token)| read_token(id, &token)).collect::<Result<_>>().map(Some)
}

fn read_token(id: &str, node: &Node<'_>) -> Result<AddedToken> {
    let Ok(id) = id.parse() else {
        return Err(
            Error::format(format!("expected an id as the key of a token, found `{id}`")).at(node.path())
        );
    };
    let special = node.bool_or("special", false)?;
    Ok(AddedToken {
        id: Some(id),
        content: node.string_field("content")?,
        single_word: node.bool_or("single_word", false)?,
        lstrip: node.bool_or("lstrip", false)?,
        rstrip: node.bool_or("rstrip", false)?,
        normalized: node.bool_or("normalized", !special)?,
        special,
    })
}

/// Settings that hold these tokens, and nothing else of what they held about tokens before.
pub fn written(config: Option<Value>, tokens: &[AddedToken]) -> Option<Value> {
    let mut entries = match config {
        Some(Value::Object(entries)) => entries,
        None if tokens.is_empty() => return None,
        None => Vec::new(),
        Some(other) => return Some(other),
    };
    entries.retain(|(key, _)| key != KEY);
    if !tokens.is_empty() {
        entries.push((KEY.to_string(), Value::Object(tokens.iter().filter_map(entry).collect())));
    }
    Some(Value::Object(entries))
}

fn entry(token: &AddedToken) -> Option<(String, Value)> {
    let id = token.id?;
    let flags = [
        ("lstrip", token.lstrip),
        ("normalized", token.normalized),
        ("rstrip", token.rstrip),
        ("single_word", token.single_word),
        ("special", token.special),
    ];
    let content = ("content".to_string(), Value::String(token.content.clone()));
    let flags = flags.into_iter().map(|(name, flag)| (name.to_string(), Value::Bool(flag)));
    Some((id.to_string(), Value::Object(std::iter::once(content).chain(flags).collect())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::Number;

    #[test]
    fn tokens_come_back_as_they_were() {
        let mut mask = AddedToken { id: Some(8), lstrip: true, ..AddedToken::new("<m>", true) };
        mask.normalized = true;
        let tokens = [AddedToken { id: Some(7), ..AddedToken::new("a b", false) }, mask];
        let config = Value::Object(vec![("x".to_string(), Value::Number(Number::Unsigned(1)))]);
        let config = written(Some(config), &tokens).unwrap();
        assert!(config.get("x").is_some());
        assert_eq!(read(Some(&config)).unwrap().unwrap(), tokens);
        assert_eq!(read(written(Some(config), &[]).as_ref()).unwrap(), None);
        assert_eq!(written(None, &[]), None);
    }
}
