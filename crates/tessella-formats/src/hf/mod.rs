//! `tokenizer.json`: one JSON document that holds every stage of a tokenizer.
//!
//! Reading is layered like the document: [`document`] walks the top level, [`settings`] knows truncation,
//! padding and added tokens, and there is one module per kind of component. The model's large tables are
//! streamed ([`models`]); all the rest is small and read through a tree. Older spellings are understood:
//! components without `type` are told by their fields, merges may be `"a b"`, and so on.
//!
//! Writing goes the same way back, in the field order that readers of this format know. What the format has
//! no words for is first restated ([`concat_rank`](crate::concat_rank), [`dialect`]) where that is exact, or refused.

mod added_ids;
mod decoders;
mod dialect;
mod document;
mod expressible;
mod model_write;
mod models;
mod normalizers;
mod pattern;
mod post_processors;
mod pre_tokenizers;
mod remarks;
mod settings;

use std::sync::Arc;

use tessella_core::hooks::{CustomDecoder, CustomNormalizer, CustomPreTokenizer};
use tessella_core::spec::{
    AddedToken, DecoderSpec, ModelSpec, NormalizerSpec, Padding, PostProcessorSpec, PreTokenizerSpec,
    Truncation, Vocab,
};
use tessella_core::{Error, Result, TokenizerSpec};

use crate::json::{Layout, Node, Parser, Value, Writer};

pub use dialect::fancy_to_oniguruma;
pub use models::build_vocab;

/// Finds user-written components again by the import path under which they were saved.
pub trait CustomResolver {
    fn normalizer(&self, import_path: &str) -> Result<Arc<dyn CustomNormalizer>>;
    fn pre_tokenizer(&self, import_path: &str) -> Result<Arc<dyn CustomPreTokenizer>>;
    fn decoder(&self, import_path: &str) -> Result<Arc<dyn CustomDecoder>>;
}

/// How custom components are resolved while reading, if at all.
pub type Resolver<'r> = Option<&'r dyn CustomResolver>;

/// A document that was read.
#[derive(Debug)]
pub struct Document {
    pub spec: TokenizerSpec,
    /// What the file says and what is not so, one sentence each; worth a warning, or a refusal where strict.
    pub notices: Vec<String>,
}

/// Reads a document with all that there is to say about it.
pub fn read_document(bytes: &[u8], resolver: Resolver<'_>) -> Result<Document> {
    document::read(Parser::from_bytes(bytes)?, resolver)
}

/// Reads a document.
pub fn from_str(text: &str) -> Result<TokenizerSpec> {
    from_str_with(text, None)
}

/// Reads a document whose custom components can be found again.
pub fn from_str_with(text: &str, resolver: Resolver<'_>) -> Result<TokenizerSpec> {
    Ok(document::read(Parser::new(text), resolver)?.spec)
}

/// Reads a document from UTF-8 bytes.
pub fn from_bytes(bytes: &[u8]) -> Result<TokenizerSpec> {
    from_bytes_with(bytes, None)
}

pub fn from_bytes_with(bytes: &[u8], resolver: Resolver<'_>) -> Result<TokenizerSpec> {
    Ok(read_document(bytes, resolver)?.spec)
}

fn layout(pretty: bool) -> Layout {
    if pretty { Layout::Pretty } else { Layout::Compact }
}

/// Writes a document; pretty means indented by two spaces.
pub fn to_string(spec: &TokenizerSpec, pretty: bool) -> Result<String> {
    let mut writer = Writer::new(layout(pretty));
    document::write(&mut writer, spec)?;
    Ok(writer.finish())
}

/// Reads a small section and hands it to its reader as the root of its own document.
fn section<T>(text: &str, read: impl FnOnce(&Node<'_>) -> Result<T>) -> Result<T> {
    let mut parser = Parser::new(text);
    let value: Value = parser.value()?;
    parser.end()?;
    read(&Node::new(&value, "$"))
}

fn written(pretty: bool, write: impl FnOnce(&mut Writer) -> Result<()>) -> Result<String> {
    let mut writer = Writer::new(layout(pretty));
    write(&mut writer)?;
    Ok(writer.finish())
}

pub fn normalizer_from_json(text: &str, resolver: Resolver<'_>) -> Result<NormalizerSpec> {
    section(text, |node| normalizers::read(node, resolver))
}

pub fn normalizer_to_json(spec: &NormalizerSpec, pretty: bool) -> Result<String> {
    written(pretty, |writer| normalizers::write(writer, spec))
}

pub fn pre_tokenizer_from_json(text: &str, resolver: Resolver<'_>) -> Result<PreTokenizerSpec> {
    section(text, |node| pre_tokenizers::read(node, resolver))
}

pub fn pre_tokenizer_to_json(spec: &PreTokenizerSpec, pretty: bool) -> Result<String> {
    written(pretty, |writer| pre_tokenizers::write(writer, spec))
}

pub fn post_processor_from_json(text: &str) -> Result<PostProcessorSpec> {
    section(text, post_processors::read)
}

pub fn post_processor_to_json(spec: &PostProcessorSpec, pretty: bool) -> Result<String> {
    written(pretty, |writer| {
        post_processors::write(writer, spec);
        Ok(())
    })
}

pub fn decoder_from_json(text: &str, resolver: Resolver<'_>) -> Result<DecoderSpec> {
    section(text, |node| decoders::read(node, resolver))
}

pub fn decoder_to_json(spec: &DecoderSpec, pretty: bool) -> Result<String> {
    written(pretty, |writer| decoders::write(writer, spec))
}

pub fn model_from_json(text: &str) -> Result<ModelSpec> {
    let mut parser = Parser::new(text);
    let model = models::read(&mut parser, "$", &mut remarks::Remarks::default())?;
    parser.end()?;
    Ok(model)
}

/// Reads an object of tokens and ids, as in `vocab.json`; tells what deserves a warning.
pub fn read_vocab_json(bytes: &[u8]) -> Result<(Vocab, Vec<String>)> {
    let mut parser = Parser::from_bytes(bytes)?;
    let mut remarks = remarks::Remarks::default();
    let vocab = models::read_map(&mut parser, "$", &mut remarks)?;
    parser.end()?;
    Ok((vocab, remarks.into_notices()))
}

/// The keys that come twice anywhere in settings, as sentences for their reader.
pub fn repeated_keys(settings: &Value) -> Vec<String> {
    let mut remarks = remarks::Remarks::default();
    remarks.repeated_in(settings, "$");
    remarks.into_notices()
}

pub fn model_to_json(spec: &ModelSpec, pretty: bool) -> Result<String> {
    written(pretty, |writer| model_write::write(writer, spec))
}

pub fn added_token_from_json(text: &str) -> Result<AddedToken> {
    section(text, settings::read_added_token)
}

pub fn added_token_to_json(token: &AddedToken, pretty: bool) -> Result<String> {
    written(pretty, |writer| {
        settings::write_added_token(writer, token);
        Ok(())
    })
}

/// Truncation and padding, as the document has them.
pub fn settings_to_json(truncation: Option<&Truncation>, padding: Option<&Padding>) -> String {
    let mut writer = Writer::new(Layout::Compact);
    writer.begin_object();
    writer.key("truncation");
    match truncation {
        Some(truncation) => settings::write_truncation(&mut writer, truncation),
        None => writer.null(),
    }
    writer.key("padding");
    match padding {
        Some(padding) => settings::write_padding(&mut writer, padding),
        None => writer.null(),
    }
    writer.end_object();
    writer.finish()
}

/// The `type` of a component; `None` where an old file leaves it out.
fn tag<'v>(node: &Node<'v>) -> Result<Option<&'v str>> {
    node.must_be_object()?;
    node.field("type").map(|tag| tag.str()).transpose()
}

fn unknown_tag<T>(node: &Node<'_>, known: &[&str]) -> Result<T> {
    node.required("type")?.unknown(known)
}

/// A component without `type` whose fields belong to none that is known.
fn unknown_shape<T>(node: &Node<'_>, known: &[&str]) -> Result<T> {
    node.fail(format!(
        "the component has no `type` and its fields fit none of those that may leave it out; known types: {}",
        known.join(", ")
    ))
}

/// The import path in `{"type": "Custom", "path": ...}` and the means to follow it.
fn custom<'v, 'r>(node: &Node<'v>, resolver: Resolver<'r>) -> Result<(&'v str, &'r dyn CustomResolver)> {
    let path = node.required("path")?.str()?;
    match resolver {
        Some(resolver) => Ok((path, resolver)),
        None => node.fail(format!(
            "the custom component `{}` can only be loaded where it can be imported; load the file with a \
             resolver for custom components",
            tessella_core::error::excerpt(path)
        )),
    }
}

fn write_custom(writer: &mut Writer, kind: &str, import_path: Option<String>) -> Result<()> {
    let Some(path) = import_path else {
        return Err(Error::unsupported(format!(
            "Custom {kind} cannot be serialized: it has no import path; define its class at the top level of \
             an importable module (not in `__main__` or inside of a function) so that it can be found again"
        )));
    };
    writer.begin_object();
    writer.string_field("type", "Custom");
    writer.string_field("path", &path);
    writer.end_object();
    Ok(())
}
