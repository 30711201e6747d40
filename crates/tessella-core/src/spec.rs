//! The plain-data description of a tokenizer.
//!
//! It stands in the middle: formats read into it and write from it, trainers produce it, a
//! [`Tokenizer`](crate::Tokenizer) is built from it. No behaviour lives here and no file format's words.
//! Large tables are behind `Arc`, so cloning a description is cheap. Each stage has a file here, which tells what its components
//! are called and what they are made of; all else that must know asks through [`Described`].

mod decoder;
pub mod described;
mod model;
mod normalizer;
mod post_processor;
mod pre_tokenizer;

use crate::ids::TokenId;
pub use crate::vocab::{Joined, Lead, Vocab};
pub use decoder::DecoderSpec;
pub use described::Described;
pub use model::{
    BpeSpec, Merges, ModelSpec, SentencePieceKind, SentencePieceSpec, Tables, UnigramSpec, WordLevelSpec,
    WordPieceSpec,
};
pub use normalizer::{NormalizerSpec, SentencePieceNormalizer};
pub use post_processor::{PostProcessorSpec, Template};
pub use pre_tokenizer::PreTokenizerSpec;

/// Everything that defines a tokenizer's behaviour.
#[derive(Debug, Clone)]
pub struct TokenizerSpec {
    /// Cut out of texts before anything else happens.
    pub added_tokens: Vec<AddedToken>,
    /// Stage 1.
    pub normalizer: Option<NormalizerSpec>,
    /// Stage 2.
    pub pre_tokenizer: Option<PreTokenizerSpec>,
    /// Stage 3.
    pub model: ModelSpec,
    /// Stage 4.
    pub post_processor: Option<PostProcessorSpec>,
    /// Stage 6.
    pub decoder: Option<DecoderSpec>,
    /// What holds for calls that do not say.
    pub truncation: Option<Truncation>,
    /// What holds for calls that do not say.
    pub padding: Option<Padding>,
}

impl TokenizerSpec {
    /// A tokenizer that is a model and nothing else.
    pub fn new(model: ModelSpec) -> Self {
        TokenizerSpec {
            added_tokens: Vec::new(),
            normalizer: None,
            pre_tokenizer: None,
            model,
            post_processor: None,
            decoder: None,
            truncation: None,
            padding: None,
        }
    }
}

/// A token that is cut out of the text before the model sees it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct AddedToken {
    /// The id, once the token belongs to a tokenizer.
    pub id: Option<TokenId>,
    /// Its text.
    pub content: String,
    /// Match only where no word character touches it.
    pub single_word: bool,
    /// Swallow white space on the left.
    pub lstrip: bool,
    /// Swallow white space on the right.
    pub rstrip: bool,
    /// Match in the normalized text (with normalized content) rather than in the raw one.
    pub normalized: bool,
    /// Skipped by `decode(skip_special_tokens=True)`, and by encoding when specials are to be plain text.
    pub special: bool,
}

impl AddedToken {
    /// A token that is matched as it is: in the raw text if it is special, else after normalisation.
    pub fn new(content: impl Into<String>, special: bool) -> Self {
        AddedToken {
            id: None,
            content: content.into(),
            single_word: false,
            lstrip: false,
            rstrip: false,
            normalized: !special,
            special,
        }
    }
}

/// Which engine's dialect a regular expression is written in: it decides what matches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Dialect {
    /// Oniguruma with Ruby syntax: patterns of `tokenizer.json`.
    Oniguruma,
    /// fancy-regex: patterns of tiktoken.
    Fancy,
}

/// What to look for in a text.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Pattern {
    /// This text.
    Literal(String),
    /// An expression.
    Regex {
        /// As it is written.
        source: String,
        /// Which engine reads it.
        dialect: Dialect,
    },
}

impl Default for Pattern {
    fn default() -> Self {
        Pattern::Literal(String::new())
    }
}

/// What becomes of the matches of a split.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[allow(missing_docs)] // The names say it.
pub enum SplitBehavior {
    Removed,
    #[default]
    Isolated,
    MergedWithPrevious,
    MergedWithNext,
    Contiguous,
}

/// How a SentencePiece character map is applied.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CharsmapMatching {
    /// Grapheme clusters are looked up whole, as the reference library does.
    Grapheme,
    /// The longest match from here on, as SentencePiece does.
    LongestMatch,
}

/// Which pieces get a blank in front.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PrependScheme {
    /// All that have none.
    Always,
    /// The one at the start of the text.
    First,
    /// None.
    Never,
}

/// A piece of a SentencePiece model.
#[derive(Debug, Clone, PartialEq)]
pub struct SentencePiece {
    /// What it stands for.
    pub text: String,
    /// The higher, the sooner it is chosen.
    pub score: f32,
    /// What it is for.
    pub kind: PieceKind,
}

/// What a piece of a SentencePiece model is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PieceKind {
    /// Text.
    Normal,
    /// What no other piece stands for.
    Unknown,
    /// Comes from no text: the beginning, the end, padding.
    Control,
    /// A user's symbol, which is matched before all others.
    UserDefined,
    /// Matches nothing.
    Unused,
    /// A byte of an unknown character.
    Byte,
}

/// A place in a template; the type goes to the tokens in it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(missing_docs)] // The page of `postprocess/template.rs` tells how each is written.
pub enum TemplatePiece {
    Sequence { second: bool, type_id: u32 },
    Special { id: String, type_id: u32 },
}

/// What a special token of a template expands to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TemplateSpecial {
    /// Its name in the template.
    pub id: String,
    /// The ids that stand there.
    pub ids: Vec<TokenId>,
    /// Their texts, one for each id.
    pub tokens: Vec<String>,
}

/// A side of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // The names say it.
pub enum Direction {
    Left,
    Right,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // The names say it.
pub enum TruncationStrategy {
    LongestFirst,
    OnlyFirst,
    OnlySecond,
}

/// Cut to `max_length` tokens, specials included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Truncation {
    /// The most tokens of a window.
    pub max_length: usize,
    /// Tokens that consecutive overflow windows share.
    pub stride: usize,
    /// Which sequence of a pair is cut.
    pub strategy: TruncationStrategy,
    /// The side that is cut off.
    pub direction: Direction,
}

/// What fills rows up to one length.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Padding {
    /// `None` pads to the longest of the batch.
    pub fixed_length: Option<usize>,
    /// The side that is filled.
    pub direction: Direction,
    /// The length becomes a multiple of this.
    pub pad_to_multiple_of: Option<usize>,
    /// What is put there.
    pub pad_id: TokenId,
    /// Its type.
    pub pad_type_id: u32,
    /// Its text.
    pub pad_token: String,
}
