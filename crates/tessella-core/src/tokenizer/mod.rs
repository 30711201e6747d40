//! The conductor: the only module that joins stages.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::encoding::{Encoding, OffsetUnit};
use crate::error::Result;
use crate::ids::TokenId;
use crate::spec::{AddedToken, Padding, TokenizerSpec, Truncation};

/// What is encoded as one sequence.
#[derive(Debug, Clone)]
pub enum Sequence<'a> {
    Text(&'a str),
    /// Already split into words; offsets are relative to each word.
    Words(Vec<&'a str>),
}

/// A sequence or a pair.
#[derive(Debug, Clone)]
pub struct Input<'a> {
    pub first: Sequence<'a>,
    pub second: Option<Sequence<'a>>,
}

impl<'a> From<&'a str> for Input<'a> {
    fn from(text: &'a str) -> Self {
        Input { first: Sequence::Text(text), second: None }
    }
}

/// The settings of one call. Nothing of it stays in the tokenizer.
#[derive(Debug, Clone)]
pub struct EncodeOptions<'a> {
    pub add_special_tokens: bool,
    pub offsets: OffsetUnit,
    /// Special tokens in the text are ordinary text.
    pub encode_special_tokens: bool,
    /// Truncation and padding of this call (the tokenizer's own are only data in its description; the
    /// caller passes them here when they should apply).
    pub truncation: Option<&'a Truncation>,
    pub padding: Option<&'a Padding>,
    /// Worker threads of a batch; 0 means one per available core.
    pub threads: usize,
    /// Set from elsewhere to make the call return [`crate::ErrorKind::Interrupted`] soon.
    pub cancel: Option<&'a AtomicBool>,
}

impl Default for EncodeOptions<'_> {
    fn default() -> Self {
        EncodeOptions {
            add_special_tokens: true,
            offsets: OffsetUnit::Char,
            encode_special_tokens: false,
            truncation: None,
            padding: None,
            threads: 0,
            cancel: None,
        }
    }
}

/// Many id sequences in one buffer: sequence `i` is `ids[offsets[i]..offsets[i + 1]]`.
#[derive(Debug, Clone, Default)]
pub struct RaggedIds {
    pub ids: Vec<TokenId>,
    pub offsets: Vec<i64>,
}

/// One line of the plan: which engine runs a stage, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlanStep {
    pub stage: String,
    pub engine: String,
    pub reason: String,
}

/// An immutable tokenizer, shared by threads without a lock. A change makes a new one and shares all that
/// stayed the same.
#[derive(Debug, Clone)]
pub struct Tokenizer {
    _inner: Arc<()>,
}

impl Tokenizer {
    pub fn new(_spec: TokenizerSpec) -> Result<Self> {
        unimplemented!()
    }

    /// The description; large tables are shared, so this is cheap.
    pub fn spec(&self) -> &TokenizerSpec {
        unimplemented!()
    }

    /// A tokenizer of another description; compiled parts whose description is the same are reused.
    pub fn with_spec(&self, _spec: TokenizerSpec) -> Result<Self> {
        unimplemented!()
    }

    /// A tokenizer with more added tokens, and how many were new or changed.
    pub fn with_added_tokens(&self, _tokens: &[AddedToken]) -> Result<(Self, usize)> {
        unimplemented!()
    }

    pub fn encode(&self, _input: &Input<'_>, _options: &EncodeOptions<'_>) -> Result<Encoding> {
        unimplemented!()
    }

    /// In order, on several threads, the same for any number of them.
    pub fn encode_batch(&self, _inputs: &[Input<'_>], _options: &EncodeOptions<'_>) -> Result<Vec<Encoding>> {
        unimplemented!()
    }

    /// Ids only: no alignment, no strings. Truncation and padding of the options do not apply.
    pub fn encode_ids(&self, _text: &str, _options: &EncodeOptions<'_>) -> Result<Vec<TokenId>> {
        unimplemented!()
    }

    pub fn encode_ids_batch(&self, _texts: &[&str], _options: &EncodeOptions<'_>) -> Result<RaggedIds> {
        unimplemented!()
    }

    /// The number of ids that [`encode_ids`](Self::encode_ids) would give.
    pub fn count(&self, _text: &str, _options: &EncodeOptions<'_>) -> Result<usize> {
        unimplemented!()
    }

    /// Truncates, post-processes and pads what is already encoded.
    pub fn post_process(
        &self,
        _first: Encoding,
        _second: Option<Encoding>,
        _options: &EncodeOptions<'_>,
    ) -> Result<Encoding> {
        unimplemented!()
    }

    /// Unknown ids are skipped.
    pub fn decode(&self, _ids: &[TokenId], _skip_special_tokens: bool) -> Result<String> {
        unimplemented!()
    }

    /// The bytes that the ids stand for, before any lossy conversion to text.
    pub fn decode_bytes(&self, _ids: &[TokenId], _skip_special_tokens: bool) -> Result<Vec<u8>> {
        unimplemented!()
    }

    /// The text, and for each id the character at which its part starts.
    pub fn decode_with_offsets(
        &self,
        _ids: &[TokenId],
        _skip_special_tokens: bool,
    ) -> Result<(String, Vec<usize>)> {
        unimplemented!()
    }

    /// Added tokens first, then the model.
    pub fn token_to_id(&self, _token: &str) -> Option<TokenId> {
        unimplemented!()
    }

    pub fn id_to_token(&self, _id: TokenId) -> Option<&str> {
        unimplemented!()
    }

    /// Number of texts in the vocabulary (not the largest id plus one).
    pub fn vocab_size(&self, _with_added_tokens: bool) -> usize {
        unimplemented!()
    }

    /// All `(text, id)` pairs.
    pub fn vocab(&self, _with_added_tokens: bool) -> Vec<(String, TokenId)> {
        unimplemented!()
    }

    pub fn added_tokens_to_add(&self, _is_pair: bool) -> usize {
        unimplemented!()
    }

    /// Which engine runs each stage, and why.
    pub fn explain_plan(&self) -> Vec<PlanStep> {
        unimplemented!()
    }
}
