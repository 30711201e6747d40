//! The top level of the document.

use tessella_core::error::excerpt;
use tessella_core::{Error, Result, TokenizerSpec};

use super::components::{self, Stage};
use super::expressible::expressible;
use super::remarks::{PARTS, Remarks, unknown_part};
use super::{Document, Reading, Resolver, added_ids, model_write, models, settings};
use crate::json::{Kind, Node, Parser, Value, Writer};

/// The only version there is.
const VERSION: &str = "1.0";

pub(super) fn read(mut parser: Parser<'_>, resolver: Resolver<'_>) -> Result<Document> {
    if parser.peek()? != Kind::Object {
        return Err(Error::format("expected an object with the field `model`").at("$"));
    }
    let mut model = None;
    let mut parts: Vec<(String, Value)> = Vec::new();
    let mut remarks = Remarks::default();
    parser.begin_object()?;
    while let Some(key) = parser.next_key()? {
        if !PARTS.contains(&key.as_ref()) {
            return unknown_part(&key);
        }
        let before = parts.len();
        parts.retain(|(part, _)| *part != *key);
        if parts.len() < before || (key == "model" && model.is_some()) {
            remarks.repeated(&format!("$.{key}"));
        }
        if key == "model" {
            model = Some(models::read(&mut parser, "$.model", &mut remarks)?);
        } else {
            let value = parser.value()?;
            remarks.part(&key, &value)?;
            parts.push((key.into_owned(), value));
        }
    }
    parser.end()?;
    let Some(model) = model else {
        return Err(Error::format("Model missing. A tokenizer needs the field `model`").at("$"));
    };

    let reading = Reading { resolver, exact: false };
    let mut spec = TokenizerSpec::new(model);
    for (key, value) in &parts {
        let node = Node::new(value, format!("$.{key}"));
        if key == "version" {
            let version = node.str()?;
            if version != VERSION {
                return node.fail(format!(
                    "Unknown tokenizer version '{}'; this reads version {VERSION}",
                    excerpt(version)
                ));
            }
            continue;
        }
        if value.is_null() {
            continue;
        }
        match key.as_str() {
            "truncation" => spec.truncation = Some(settings::read_truncation(&node)?),
            "padding" => spec.padding = Some(settings::read_padding(&node)?),
            "added_tokens" => spec.added_tokens = settings::read_added_tokens(&node)?,
            "normalizer" => spec.normalizer = Some(components::read(&node, reading)?),
            "pre_tokenizer" => spec.pre_tokenizer = Some(components::read(&node, reading)?),
            "post_processor" => spec.post_processor = Some(components::read(&node, reading)?),
            _ => spec.decoder = Some(components::read(&node, reading)?),
        }
    }
    let (added_tokens, mut notices) = added_ids::by_rule(&spec.model, &spec.added_tokens);
    spec.added_tokens = added_tokens;
    notices.extend(remarks.into_notices());
    Ok(Document { spec, notices })
}

pub(super) fn write(writer: &mut Writer, spec: &TokenizerSpec) -> Result<()> {
    let spec = &*expressible(spec)?;
    writer.begin_object();
    writer.string_field("version", VERSION);
    settings::write(writer, spec.truncation.as_ref(), spec.padding.as_ref());
    writer.key("added_tokens");
    writer.begin_array();
    spec.added_tokens.iter().for_each(|token| settings::write_added_token(writer, token));
    writer.end_array();
    write_stage(writer, "normalizer", &spec.normalizer)?;
    write_stage(writer, "pre_tokenizer", &spec.pre_tokenizer)?;
    write_stage(writer, "post_processor", &spec.post_processor)?;
    write_stage(writer, "decoder", &spec.decoder)?;
    writer.key("model");
    model_write::write(writer, &spec.model)?;
    writer.end_object();
    Ok(())
}

fn write_stage<S: Stage>(writer: &mut Writer, key: &str, stage: &Option<S>) -> Result<()> {
    writer.key(key);
    match stage {
        Some(component) => components::write(writer, component, false)?,
        None => writer.null(),
    }
    Ok(())
}
