//! `tokenizer.json`: one JSON document that holds every stage of a tokenizer.
//!
//! Reading is layered like the document: [`document`] walks the top level, [`settings`] knows truncation,
//! padding and added tokens, [`components`] the four stages around the model, whose peculiarities are in [`stages`]. The model's
//! large tables are streamed ([`models`]); all the rest is small and read through a tree. Older spellings are understood:
//! components without `type` are told by their fields, merges may be `"a b"`, and so on.
//!
//! Writing goes the same way back, in the field order that readers of this format know. What the format has
//! no words for is first restated ([`concat_rank`](crate::concat_rank), [`dialect`]) where that is exact, or refused.

mod added_ids;
mod components;
mod dialect;
mod document;
mod expressible;
mod model_write;
mod models;
mod pattern;
mod remarks;
mod settings;
mod stages;
mod template;

use std::sync::Arc;

use tessella_core::hooks::{CustomDecoder, CustomNormalizer, CustomPreTokenizer};
use tessella_core::spec::{AddedToken, Described, ModelSpec, Padding, Truncation, Vocab};
use tessella_core::{Result, TokenizerSpec};

use crate::json::{Layout, Node, Parser, Value, Writer};

pub use dialect::fancy_to_oniguruma;
pub use models::build_vocab;

/// Finds user-written components again by the import path under which they were saved.
#[allow(missing_docs)] // Each finds a component by where it can be imported from.
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
    /// The tokenizer.
    pub spec: TokenizerSpec,
    /// What the file says and what is not so, one sentence each; worth a warning, or a refusal where strict.
    pub notices: Vec<String>,
}

/// Reads a document with all that there is to say about it.
pub fn read_document(bytes: &[u8], resolver: Resolver<'_>) -> Result<Document> {
    document::read(Parser::from_bytes(bytes)?, resolver)
}

/// As [`read_document`], of a text.
pub(crate) fn read_text(text: &str, resolver: Resolver<'_>) -> Result<Document> {
    document::read(Parser::new(text), resolver)
}

/// Reads a document.
pub fn from_str(text: &str) -> Result<TokenizerSpec> {
    Ok(read_text(text, None)?.spec)
}

/// Reads a document from UTF-8 bytes.
pub fn from_bytes(bytes: &[u8]) -> Result<TokenizerSpec> {
    Ok(read_document(bytes, None)?.spec)
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

/// How components are read.
#[derive(Clone, Copy, Default)]
pub struct Reading<'r> {
    /// Finds components of the user's own.
    pub resolver: Resolver<'r>,
    /// Whether the words of [`exact`] are known.
    pub exact: bool,
}

/// A component that is a section of the document.
pub trait Section: Described {
    /// Reads a section.
    fn read(text: &str, reading: Reading<'_>) -> Result<Self>;
    /// Writes a section, in the exact form for pickles.
    fn write(&self, writer: &mut Writer, exact: bool) -> Result<()>;
}

impl<S: components::Stage> Section for S {
    fn read(text: &str, reading: Reading<'_>) -> Result<Self> {
        section(text, |node| components::read(node, reading))
    }

    fn write(&self, writer: &mut Writer, exact: bool) -> Result<()> {
        components::write(writer, self, exact)
    }
}

impl Section for ModelSpec {
    fn read(text: &str, _reading: Reading<'_>) -> Result<Self> {
        let mut parser = Parser::new(text);
        let model = models::read(&mut parser, "$", &mut remarks::Remarks::default())?;
        parser.end()?;
        Ok(model)
    }

    fn write(&self, writer: &mut Writer, _exact: bool) -> Result<()> {
        model_write::write(writer, self)
    }
}

/// Reads a component by itself.
pub fn component_from_json<S: Section>(text: &str, resolver: Resolver<'_>) -> Result<S> {
    S::read(text, Reading { resolver, exact: false })
}

/// Writes a component by itself.
pub fn component_to_json<S: Section>(spec: &S, pretty: bool) -> Result<String> {
    written(pretty, |writer| spec.write(writer, false))
}

/// The same with no more than so many entries of a table, for who looks at it.
pub fn component_in_brief<S: Section>(spec: &S, most: usize) -> Result<String> {
    let mut writer = Writer::brief(most);
    spec.write(&mut writer, false)?;
    Ok(writer.finish())
}

/// A component in words of our own where the document has none: for pickles, not for files.
pub fn exact<S: Section>(spec: &S) -> Result<String> {
    written(false, |writer| spec.write(writer, true))
}

/// Reads what [`exact`] wrote.
pub fn from_exact<S: Section>(text: &str, resolver: Resolver<'_>) -> Result<S> {
    S::read(text, Reading { resolver, exact: true })
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
    remarks.repeated_in(settings);
    remarks.into_notices()
}

/// An added token as a document has it.
pub fn added_token_from_json(text: &str) -> Result<AddedToken> {
    section(text, settings::read_added_token)
}

/// An added token as a document would have it.
pub fn added_token_to_json(token: &AddedToken) -> Result<String> {
    written(false, |writer| {
        settings::write_added_token(writer, token);
        Ok(())
    })
}

/// Truncation and padding, as the document has them.
pub fn settings_to_json(truncation: Option<&Truncation>, padding: Option<&Padding>) -> String {
    let mut writer = Writer::new(Layout::Compact);
    writer.begin_object();
    settings::write(&mut writer, truncation, padding);
    writer.end_object();
    writer.finish()
}

/// The same with the added tokens, by their ids.
pub fn settings_with_tokens_to_json(spec: &TokenizerSpec) -> Result<String> {
    let mut tokens: Vec<_> = spec.added_tokens.iter().collect();
    tokens.sort_by_key(|token| token.id);
    written(false, |writer| {
        writer.begin_object();
        settings::write(writer, spec.truncation.as_ref(), spec.padding.as_ref());
        writer.key("added_tokens");
        writer.begin_array();
        for token in tokens {
            settings::write_added_token(writer, token);
        }
        writer.end_array();
        writer.end_object();
        Ok(())
    })
}
