//! The plain-data description of a tokenizer.
//!
//! It stands in the middle: formats read into it and write from it, trainers produce it, a
//! [`Tokenizer`](crate::Tokenizer) is built from it. No behaviour lives here and no file format's words.
//! Large tables are behind `Arc`, so cloning a description is cheap. What each component is called, and its fields by name, is told in
//! [`described`].

pub mod described;

use std::sync::Arc;

use crate::hooks::{CustomDecoder, CustomNormalizer, CustomPreTokenizer};
use crate::ids::TokenId;
pub use crate::vocab::Vocab;
pub use described::Described;

/// Everything that defines a tokenizer's behaviour.
#[derive(Debug, Clone)]
pub struct TokenizerSpec {
    pub added_tokens: Vec<AddedToken>,
    pub normalizer: Option<NormalizerSpec>,
    pub pre_tokenizer: Option<PreTokenizerSpec>,
    pub model: ModelSpec,
    pub post_processor: Option<PostProcessorSpec>,
    pub decoder: Option<DecoderSpec>,
    pub truncation: Option<Truncation>,
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
    Literal(String),
    Regex { source: String, dialect: Dialect },
}

impl Default for Pattern {
    fn default() -> Self {
        Pattern::Literal(String::new())
    }
}

/// What becomes of the matches of a split.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum SplitBehavior {
    Removed,
    #[default]
    Isolated,
    MergedWithPrevious,
    MergedWithNext,
    Contiguous,
}

#[derive(Debug, Clone, PartialEq)]
pub enum NormalizerSpec {
    Bert {
        clean_text: bool,
        handle_chinese_chars: bool,
        strip_accents: Option<bool>,
        lowercase: bool,
    },
    Nfc,
    Nfd,
    Nfkc,
    Nfkd,
    Lowercase,
    Strip {
        left: bool,
        right: bool,
    },
    StripAccents,
    Nmt,
    /// A SentencePiece character map, applied as the reference library does (`Grapheme`) or as
    /// SentencePiece does (`LongestMatch`).
    Precompiled {
        charsmap: Arc<[u8]>,
        matching: CharsmapMatching,
    },
    Replace {
        pattern: Pattern,
        content: String,
    },
    Prepend {
        prepend: String,
    },
    /// Bytes become the printable characters of the byte-level alphabet.
    ByteLevel,
    /// SentencePiece's whole normalizer: character map, space handling, dummy prefix, escaping.
    SentencePiece(SentencePieceNormalizer),
    Sequence(Vec<NormalizerSpec>),
    Custom(Arc<dyn CustomNormalizer>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CharsmapMatching {
    Grapheme,
    LongestMatch,
}

/// SentencePiece's `NormalizerSpec`, with the trainer flag and symbols that it depends on.
#[derive(Debug, Clone, PartialEq)]
pub struct SentencePieceNormalizer {
    /// Rule name as written in the model, e.g. `nmt_nfkc`; carried along for writing.
    pub name: String,
    /// Empty for the identity.
    pub charsmap: Arc<[u8]>,
    pub add_dummy_prefix: bool,
    pub remove_extra_whitespaces: bool,
    pub escape_whitespaces: bool,
    pub treat_whitespace_as_suffix: bool,
    /// User-defined symbols, which pass through unchanged (longest first).
    pub user_defined: Arc<[String]>,
}

#[derive(Debug, Clone, PartialEq)]
pub enum PreTokenizerSpec {
    Bert,
    ByteLevel {
        add_prefix_space: bool,
        trim_offsets: bool,
        use_regex: bool,
    },
    CharDelimiter {
        delimiter: char,
    },
    Digits {
        individual: bool,
    },
    FixedLength {
        length: usize,
    },
    Metaspace {
        replacement: char,
        prepend: PrependScheme,
        split: bool,
    },
    Punctuation {
        behavior: SplitBehavior,
    },
    Split {
        pattern: Pattern,
        behavior: SplitBehavior,
        invert: bool,
    },
    /// `keep_spaces` keeps the leading blanks that the reference library loses.
    UnicodeScripts {
        keep_spaces: bool,
    },
    Whitespace,
    WhitespaceSplit,
    Sequence(Vec<PreTokenizerSpec>),
    Custom(Arc<dyn CustomPreTokenizer>),
}

impl PreTokenizerSpec {
    /// Whether bytes are spelled as printable characters on the way to the model, which then knows all text if
    /// its vocabulary has the 256 of them.
    pub fn spells_bytes(&self) -> bool {
        match self {
            PreTokenizerSpec::ByteLevel { .. } => true,
            PreTokenizerSpec::Sequence(parts) => parts.iter().any(Self::spells_bytes),
            _ => false,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PrependScheme {
    Always,
    First,
    Never,
}

#[derive(Debug, Clone)]
pub enum ModelSpec {
    Bpe(BpeSpec),
    WordPiece(WordPieceSpec),
    WordLevel(WordLevelSpec),
    Unigram(UnigramSpec),
    SentencePiece(SentencePieceSpec),
}

#[derive(Debug, Clone)]
pub struct BpeSpec {
    pub vocab: Arc<Vocab>,
    pub merges: Merges,
    /// Probability of skipping a merge; `None` and 0 mean never.
    pub dropout: Option<f32>,
    pub unk_token: Option<String>,
    pub continuing_subword_prefix: Option<String>,
    pub end_of_word_suffix: Option<String>,
    pub fuse_unk: bool,
    pub byte_fallback: bool,
    /// A piece that is in the vocabulary is one token, whatever the merges say.
    pub ignore_merges: bool,
}

impl BpeSpec {
    /// A model that has everything else switched off.
    pub fn new(vocab: impl Into<Arc<Vocab>>, merges: Merges) -> Self {
        BpeSpec {
            vocab: vocab.into(),
            merges,
            dropout: None,
            unk_token: None,
            continuing_subword_prefix: None,
            end_of_word_suffix: None,
            fuse_unk: false,
            byte_fallback: false,
            ignore_merges: false,
        }
    }
}

/// How merges are ranked. The two ways differ on real vocabularies and are never converted silently.
#[derive(Debug, Clone)]
pub enum Merges {
    /// A list of pairs; an earlier pair merges first. Of a duplicate pair the last rank counts.
    Pairs(Arc<Vec<(TokenId, TokenId)>>),
    /// tiktoken: a pair's rank is the id of its concatenation, and a whole piece in the vocabulary is
    /// one token.
    ConcatRank,
}

impl Default for Merges {
    fn default() -> Self {
        Merges::Pairs(Arc::default())
    }
}

#[derive(Debug, Clone)]
pub struct WordPieceSpec {
    pub vocab: Arc<Vocab>,
    pub unk_token: String,
    pub continuing_subword_prefix: String,
    pub max_input_chars_per_word: usize,
}

#[derive(Debug, Clone)]
pub struct WordLevelSpec {
    pub vocab: Arc<Vocab>,
    pub unk_token: String,
}

#[derive(Debug, Clone)]
pub struct UnigramSpec {
    /// Pieces in id order. A piece may occur twice; the later one wins the id and the score.
    pub vocab: Arc<Vec<(String, f64)>>,
    pub unk_id: Option<usize>,
    pub byte_fallback: bool,
    /// Sampling temperature; `None` and 0 mean the best segmentation.
    pub alpha: Option<f64>,
    pub nbest_size: Option<usize>,
}

/// A SentencePiece model run by SentencePiece's own rules (32-bit scores, user-defined symbols first,
/// per-character byte fallback).
#[derive(Debug, Clone)]
pub struct SentencePieceSpec {
    pub kind: SentencePieceKind,
    /// Pieces in id order.
    pub pieces: Arc<Vec<SentencePiece>>,
    pub byte_fallback: bool,
    pub treat_whitespace_as_suffix: bool,
    /// What an unknown piece decodes to, ` ⁇ ` by default.
    pub unk_surface: String,
    /// The model file's own bytes (trainer and normalizer sections at least), carried along for writing.
    pub source: Option<Arc<[u8]>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SentencePieceKind {
    Unigram,
    Bpe,
    Word,
    Char,
}

#[derive(Debug, Clone, PartialEq)]
pub struct SentencePiece {
    pub text: String,
    pub score: f32,
    pub kind: PieceKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PieceKind {
    Normal,
    Unknown,
    Control,
    UserDefined,
    Unused,
    Byte,
}

#[derive(Debug, Clone, PartialEq)]
pub enum PostProcessorSpec {
    Bert { sep: (String, TokenId), cls: (String, TokenId) },
    Roberta { sep: (String, TokenId), cls: (String, TokenId), trim_offsets: bool, add_prefix_space: bool },
    ByteLevel { add_prefix_space: bool, trim_offsets: bool, use_regex: bool },
    Template(Template),
    Sequence(Vec<PostProcessorSpec>),
}

/// Where the sequences and special tokens go.
#[derive(Debug, Clone, PartialEq)]
pub struct Template {
    pub single: Vec<TemplatePiece>,
    pub pair: Vec<TemplatePiece>,
    pub special_tokens: Vec<TemplateSpecial>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TemplatePiece {
    Sequence { second: bool, type_id: u32 },
    Special { id: String, type_id: u32 },
}

/// What a special token of a template expands to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TemplateSpecial {
    pub id: String,
    pub ids: Vec<TokenId>,
    pub tokens: Vec<String>,
}

#[derive(Debug, Clone, PartialEq)]
pub enum DecoderSpec {
    Bpe {
        suffix: String,
    },
    ByteLevel {
        add_prefix_space: bool,
        trim_offsets: bool,
        use_regex: bool,
    },
    WordPiece {
        prefix: String,
        cleanup: bool,
    },
    Metaspace {
        replacement: char,
        prepend: PrependScheme,
        split: bool,
    },
    Ctc {
        pad_token: String,
        word_delimiter_token: String,
        cleanup: bool,
    },
    Replace {
        pattern: Pattern,
        content: String,
    },
    Fuse,
    Strip {
        content: char,
        start: usize,
        stop: usize,
    },
    ByteFallback,
    /// SentencePiece's own decoding; what each piece is comes from the list.
    SentencePiece {
        pieces: Arc<Vec<SentencePiece>>,
        add_dummy_prefix: bool,
        remove_extra_whitespaces: bool,
        treat_whitespace_as_suffix: bool,
        unk_surface: String,
    },
    Sequence(Vec<DecoderSpec>),
    Custom(Arc<dyn CustomDecoder>),
}

impl DecoderSpec {
    /// Whether tokens are read as spelled bytes; see [`PreTokenizerSpec::spells_bytes`].
    pub fn spells_bytes(&self) -> bool {
        match self {
            DecoderSpec::ByteLevel { .. } => true,
            DecoderSpec::Sequence(parts) => parts.iter().any(Self::spells_bytes),
            _ => false,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Direction {
    Left,
    Right,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TruncationStrategy {
    LongestFirst,
    OnlyFirst,
    OnlySecond,
}

/// Cut to `max_length` tokens, specials included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Truncation {
    pub max_length: usize,
    /// Tokens that consecutive overflow windows share.
    pub stride: usize,
    pub strategy: TruncationStrategy,
    pub direction: Direction,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Padding {
    /// `None` pads to the longest of the batch.
    pub fixed_length: Option<usize>,
    pub direction: Direction,
    pub pad_to_multiple_of: Option<usize>,
    pub pad_id: TokenId,
    pub pad_type_id: u32,
    pub pad_token: String,
}
