//! Stage 6 as data: the decoders.

use std::sync::Arc;

use super::described::described;
use super::{Pattern, PrependScheme, SentencePiece};
use crate::hooks::CustomDecoder;

described! {
    /// What makes text of tokens.
    DecoderSpec "Decoder" [Custom(Arc<dyn CustomDecoder>)]

    /// The mark at the end of words becomes a space.
    Bpe = "BPEDecoder" {
        /// The mark.
        suffix: String,
    };
    /// Printable characters become the bytes that they stand for. The fields are those that files have, and say nothing here.
    ByteLevel = "ByteLevel" {
        /// For the pre-tokenizer of the same name.
        add_prefix_space: bool,
        /// For the post-processor of the same name.
        trim_offsets: bool,
        /// For the pre-tokenizer of the same name.
        use_regex: bool = true,
    };
    /// Word pieces are joined.
    WordPiece = "WordPiece" {
        /// Marks the pieces that continue a word.
        prefix: String,
        /// Close the gaps in front of punctuation and inside contractions.
        cleanup: bool,
    };
    /// Visible spaces become spaces.
    Metaspace = "Metaspace" {
        /// What was written for a space.
        replacement: char,
        /// Unless this is `Never`, the first token loses its space.
        prepend: PrependScheme as "prepend_scheme" = PrependScheme::Always,
        /// For the pre-tokenizer of the same name.
        split: bool = true,
    };
    /// Connectionist temporal classification: repeated tokens count once, padding separates.
    Ctc = "CTC" {
        /// The padding token.
        pad_token: String,
        /// The token between words.
        word_delimiter_token: String,
        /// The delimiter becomes a space, gaps in front of punctuation are closed.
        cleanup: bool,
    };
    /// Another text for every match inside of a token.
    Replace = "Replace" {
        /// What is looked for.
        pattern: Pattern,
        /// What is written instead, literally.
        content: String,
    };
    /// All tokens become one.
    Fuse = "Fuse";
    /// A character off the ends of every token.
    Strip = "Strip" {
        /// The character.
        content: char,
        /// How often at most in front.
        start: usize,
        /// How often at most behind.
        stop: usize,
    };
    /// Tokens like `<0x61>` become the bytes that they name.
    ByteFallback = "ByteFallback";
    /// SentencePiece's own decoding.
    SentencePiece = "SentencePiece" {
        /// What each piece is, by id.
        pieces: Arc<Vec<SentencePiece>>,
        /// The model puts a space in front of texts, which goes.
        add_dummy_prefix: bool,
        /// The model trims and collapses spaces: those in front go.
        remove_extra_whitespaces: bool,
        /// That space stands behind.
        treat_whitespace_as_suffix: bool,
        /// What an unknown piece decodes to.
        unk_surface: String,
    };
}

impl DecoderSpec {
    /// Whether tokens are read as spelled bytes; see [`PreTokenizerSpec::spells_bytes`](super::PreTokenizerSpec::spells_bytes).
    pub fn spells_bytes(&self) -> bool {
        match self {
            DecoderSpec::ByteLevel { .. } => true,
            DecoderSpec::Sequence(parts) => parts.iter().any(Self::spells_bytes),
            _ => false,
        }
    }
}
