//! Stage 3 as data: the models.
//!
//! A model is a struct of tables and settings, and a row of `models!`, which tells its settings once: `tokenizer.json`, fingerprints,
//! training anew and Python take them from there. Which tables it has tells [`ModelSpec::tables`].

use std::sync::Arc;

use super::SentencePiece;
use super::described::{Described, Field};
use crate::ids::TokenId;
use crate::vocab::Vocab;

/// A row for each model: its struct, its kind, its tables, and its settings in the order of a file, which must have them (`required`)
/// or may leave them out (`optional`). The rows in brackets are of kinds that `tokenizer.json` does not know.
macro_rules! models {
    ($($(#[$about:meta])* $variant:ident($spec:ident) = $kind:literal, $tables:ident, $required:ident { $($field:ident),* };)*
     [$($(#[$tells:meta])* $other:ident($its:ident) = $name:literal, $has:ident, $needs:ident { $($own:ident),* };)*]) => {
        /// What makes tokens of a piece.
        #[derive(Debug, Clone)]
        pub enum ModelSpec {
            $($(#[$about])* $variant($spec),)*
            $($(#[$tells])* $other($its),)*
        }

        impl ModelSpec {
            /// What it has besides settings.
            pub fn tables(&self) -> Tables<'_> {
                match self {
                    $(ModelSpec::$variant(model) => models!(@tables $tables model),)*
                    $(ModelSpec::$other(model) => models!(@tables $has model),)*
                }
            }

            /// The place of the vocabulary of a model that has no scores.
            pub fn vocab_mut(&mut self) -> Option<&mut Arc<Vocab>> {
                match self {
                    $(ModelSpec::$variant(model) => models!(@vocab $tables model),)*
                    $(ModelSpec::$other(model) => models!(@vocab $has model),)*
                }
            }
        }

        /// The settings of a model; its tables are no fields.
        impl Described for ModelSpec {
            const TITLE: &'static str = "Model";
            const KINDS: &'static [&'static str] = &[$($kind),*];

            fn kind(&self) -> &'static str {
                match self {
                    $(ModelSpec::$variant(_) => $kind,)*
                    $(ModelSpec::$other(_) => $name,)*
                }
            }

            fn blank(kind: &str) -> Option<Self> {
                match kind {
                    $($kind => Some(ModelSpec::$variant($spec::default())),)*
                    _ => None,
                }
            }

            fn fields(&mut self) -> Vec<Field<'_>> {
                match self {
                    $(ModelSpec::$variant(model) => vec![$(models!(@field $required model $field)),*],)*
                    $(ModelSpec::$other(model) => vec![$(models!(@field $needs model $own)),*],)*
                }
            }

            fn sequence(mut parts: Vec<Self>) -> Self {
                match parts.is_empty() {
                    true => ModelSpec::Bpe(BpeSpec::default()),
                    false => parts.swap_remove(0),
                }
            }

            fn parts(self) -> std::result::Result<Vec<Self>, Self> {
                Err(self)
            }
        }
    };
    (@tables Vocab $model:ident) => { Tables::Vocab(&$model.vocab) };
    (@tables $tables:ident $model:ident) => { Tables::$tables($model) };
    (@vocab Vocab $model:ident) => { Some(&mut $model.vocab) };
    (@vocab Merges $model:ident) => { Some(&mut $model.vocab) };
    (@vocab $tables:ident $model:ident) => {{ let _ = $model; None }};
    (@field required $model:ident $field:ident) => {
        Field { name: stringify!($field), required: true, slot: (&mut $model.$field).into() }
    };
    (@field optional $model:ident $field:ident) => {
        Field { name: stringify!($field), required: false, slot: (&mut $model.$field).into() }
    };
}

models! {
    /// Byte-pair encoding.
    Bpe(BpeSpec) = "BPE", Merges, optional {
        dropout, unk_token, continuing_subword_prefix, end_of_word_suffix, fuse_unk, byte_fallback, ignore_merges
    };
    /// The longest known parts of a word, from its beginning.
    WordPiece(WordPieceSpec) = "WordPiece", Vocab, required {
        unk_token, continuing_subword_prefix, max_input_chars_per_word
    };
    /// Whole pieces.
    WordLevel(WordLevelSpec) = "WordLevel", Vocab, required { unk_token };
    /// The most probable segmentation.
    Unigram(UnigramSpec) = "Unigram", Scores, optional { unk_id, byte_fallback, alpha, nbest_size };
    [
        /// A model by SentencePiece's own rules.
        SentencePiece(SentencePieceSpec) = "SentencePiece", Pieces, optional { byte_fallback };
    ]
}

/// What a model has besides settings. Whoever must know all tables asks for them here, so that a model whose only table is a
/// vocabulary is nowhere told of again.
#[derive(Debug, Clone, Copy)]
pub enum Tables<'m> {
    /// Tokens and ids, and nothing else.
    Vocab(&'m Arc<Vocab>),
    /// Tokens and ids, and what is joined.
    Merges(&'m BpeSpec),
    /// Pieces with scores.
    Scores(&'m UnigramSpec),
    /// Pieces with scores and kinds.
    Pieces(&'m SentencePieceSpec),
}

impl ModelSpec {
    /// The tokens and ids of a model that has no scores.
    pub fn vocab(&self) -> Option<&Vocab> {
        match self.tables() {
            Tables::Vocab(vocab) => Some(vocab),
            Tables::Merges(model) => Some(&model.vocab),
            Tables::Scores(_) | Tables::Pieces(_) => None,
        }
    }

    /// The settings that training decides anew; all others stay as they are.
    pub fn learned(&self) -> &'static [&'static str] {
        match self {
            ModelSpec::Bpe(_) => &["continuing_subword_prefix", "end_of_word_suffix"],
            ModelSpec::WordPiece(_) => &["continuing_subword_prefix"],
            ModelSpec::Unigram(_) => &["unk_id"],
            // Trained from files alone.
            ModelSpec::SentencePiece(_) => &["byte_fallback"],
            _ => &[],
        }
    }

    /// Number of entries: texts for vocabularies, list length for models with scores.
    pub fn vocab_len(&self) -> usize {
        match self.tables() {
            Tables::Vocab(vocab) | Tables::Merges(BpeSpec { vocab, .. }) => vocab.len(),
            Tables::Scores(model) => model.vocab.len(),
            Tables::Pieces(model) => model.pieces.len(),
        }
    }

    /// Calls `entry` for every `(text, id)`.
    pub fn for_each_entry(&self, mut entry: impl FnMut(&str, TokenId)) {
        match self.tables() {
            Tables::Vocab(vocab) | Tables::Merges(BpeSpec { vocab, .. }) => {
                vocab.iter().for_each(|(text, id)| entry(text, id));
            }
            Tables::Scores(model) => {
                model.vocab.iter().zip(0..).for_each(|((text, _), id)| entry(text, id));
            }
            Tables::Pieces(model) => {
                model.pieces.iter().zip(0..).for_each(|(piece, id)| entry(&piece.text, id));
            }
        }
    }
}

/// Byte-pair encoding: symbols are joined in the order in which it was learned.
#[derive(Debug, Clone, Default)]
pub struct BpeSpec {
    /// Tokens and ids.
    pub vocab: Arc<Vocab>,
    /// What is joined, and in which order.
    pub merges: Merges,
    /// Probability of skipping a merge; `None` and 0 mean never.
    pub dropout: Option<f32>,
    /// For characters that the vocabulary lacks; without it they vanish.
    pub unk_token: Option<String>,
    /// Put before the symbols of a piece that do not begin it.
    pub continuing_subword_prefix: Option<String>,
    /// Put behind the last symbol of a piece.
    pub end_of_word_suffix: Option<String>,
    /// A run of unknown characters is one token.
    pub fuse_unk: bool,
    /// Unknown characters are written as tokens of their bytes, `<0x61>`.
    pub byte_fallback: bool,
    /// A piece that is in the vocabulary is one token, whatever the merges say.
    pub ignore_merges: bool,
}

impl BpeSpec {
    /// A model that has everything else switched off.
    pub fn new(vocab: impl Into<Arc<Vocab>>, merges: Merges) -> Self {
        BpeSpec { vocab: vocab.into(), merges, ..BpeSpec::default() }
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

/// The longest known parts of a word, from its beginning.
#[derive(Debug, Clone, Default)]
pub struct WordPieceSpec {
    /// Tokens and ids.
    pub vocab: Arc<Vocab>,
    /// For words that cannot be spelled.
    pub unk_token: String,
    /// Marks the parts that continue a word.
    pub continuing_subword_prefix: String,
    /// A longer word is unknown.
    pub max_input_chars_per_word: usize,
}

/// A token for each whole piece.
#[derive(Debug, Clone, Default)]
pub struct WordLevelSpec {
    /// Tokens and ids.
    pub vocab: Arc<Vocab>,
    /// For all other pieces.
    pub unk_token: String,
}

/// The most probable segmentation into pieces, each with its logarithmic probability.
#[derive(Debug, Clone, Default)]
pub struct UnigramSpec {
    /// Pieces in id order. A piece may occur twice; the later one wins the id and the score.
    pub vocab: Arc<Vec<(String, f64)>>,
    /// The piece for unknown characters.
    pub unk_id: Option<usize>,
    /// Unknown characters are written as tokens of their bytes, `<0x61>`.
    pub byte_fallback: bool,
    /// Sampling temperature; `None` and 0 mean the best segmentation.
    pub alpha: Option<f64>,
    /// Samples are drawn from so many best segmentations; `None` from all.
    pub nbest_size: Option<usize>,
}

/// A SentencePiece model run by SentencePiece's own rules (32-bit scores, user-defined symbols first,
/// per-character byte fallback).
#[derive(Debug, Clone)]
pub struct SentencePieceSpec {
    /// How pieces are chosen.
    pub kind: SentencePieceKind,
    /// Pieces in id order.
    pub pieces: Arc<Vec<SentencePiece>>,
    /// Unknown characters are written as pieces of their bytes.
    pub byte_fallback: bool,
    /// Words end with their space instead of beginning with it.
    pub treat_whitespace_as_suffix: bool,
    /// Unigram by llama.cpp's arithmetic: 64-bit sums, user-defined symbols are worth nothing, unused pieces are used.
    pub wide_sums: bool,
    /// What an unknown piece decodes to, ` ⁇ ` by default.
    pub unk_surface: String,
    /// The model file's own bytes (trainer and normalizer sections at least), carried along for writing.
    pub source: Option<Arc<[u8]>>,
}

impl SentencePieceSpec {
    /// A model that has everything else switched off.
    pub fn new(kind: SentencePieceKind, pieces: impl Into<Arc<Vec<SentencePiece>>>) -> Self {
        SentencePieceSpec {
            kind,
            pieces: pieces.into(),
            byte_fallback: false,
            treat_whitespace_as_suffix: false,
            wide_sums: false,
            unk_surface: " ⁇ ".into(),
            source: None,
        }
    }
}

/// How a SentencePiece model chooses pieces.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SentencePieceKind {
    /// The best sum of scores.
    Unigram,
    /// The best pair first.
    Bpe,
    /// Whole words.
    Word,
    /// Single characters.
    Char,
}
