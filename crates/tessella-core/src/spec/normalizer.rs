//! Stage 1 as data: the normalizers.

use std::sync::Arc;

use super::described::described;
use super::{CharsmapMatching, Pattern};
use crate::hooks::CustomNormalizer;

described! {
    /// What rewrites a text.
    NormalizerSpec "Normalizer" [Custom(Arc<dyn CustomNormalizer>)]

    /// BERT's clean-up.
    Bert = "BertNormalizer" | "Bert" {
        /// Drop control characters, make all white space a space.
        clean_text: bool,
        /// Put spaces round Chinese characters, which makes each of them a word.
        handle_chinese_chars: bool,
        /// Drop accents, leaving the text decomposed; `None` does what `lowercase` says.
        strip_accents: Option<bool> = None,
        /// Lower-case the text.
        lowercase: bool,
    };
    /// White space off the ends.
    Strip = "Strip" | "StripNormalizer" {
        /// In front.
        left: bool,
        /// Behind.
        right: bool,
    };
    /// Combining marks out of the text, which is not decomposed before.
    StripAccents = "StripAccents";
    /// Canonical composition.
    Nfc = "NFC";
    /// Canonical decomposition.
    Nfd = "NFD";
    /// Compatibility composition.
    Nfkc = "NFKC";
    /// Compatibility decomposition.
    Nfkd = "NFKD";
    /// Lower case, character by character.
    Lowercase = "Lowercase";
    /// The clean-up of corpora for machine translation.
    Nmt = "Nmt";
    /// A SentencePiece character map.
    Precompiled = "Precompiled" {
        /// The map as it stands in a model.
        charsmap: Arc<[u8]> as "precompiled_charsmap",
        /// Applied as the reference library does, or as SentencePiece does.
        matching: CharsmapMatching = CharsmapMatching::Grapheme,
    };
    /// Another text for every match.
    Replace = "Replace" {
        /// What is looked for.
        pattern: Pattern,
        /// What is written instead, literally.
        content: String,
    };
    /// A text in front, unless the text is empty.
    Prepend = "Prepend" {
        /// What is put there.
        prepend: String,
    };
    /// Bytes become the printable characters of the byte-level alphabet.
    ByteLevel = "ByteLevel";
    /// SentencePiece's whole normalizer: character map, space handling, dummy prefix, escaping.
    SentencePiece(SentencePieceNormalizer) = "SentencePiece" [
        name, charsmap, add_dummy_prefix, remove_extra_whitespaces, escape_whitespaces, treat_whitespace_as_suffix, user_defined,
        blanks_before_words
    ];
}

/// SentencePiece's `NormalizerSpec`, with the trainer flag and symbols that it depends on.
#[derive(Debug, Clone, PartialEq)]
pub struct SentencePieceNormalizer {
    /// Rule name as written in the model, e.g. `nmt_nfkc`; carried along for writing.
    pub name: String,
    /// Empty for the identity.
    pub charsmap: Arc<[u8]>,
    /// A space in front of every text, so that its first word looks like the others.
    pub add_dummy_prefix: bool,
    /// Spaces off the ends, and one for several.
    pub remove_extra_whitespaces: bool,
    /// Spaces are written as `▁`.
    pub escape_whitespaces: bool,
    /// The dummy prefix goes behind the text.
    pub treat_whitespace_as_suffix: bool,
    /// User-defined symbols, which pass through unchanged (longest first).
    pub user_defined: Arc<[String]>,
    /// As llama.cpp writes spaces: where extra ones are removed, one in front of each word, whether or not there is a
    /// prefix; a `▁` of the text's own is a letter, and nothing is taken back at the end.
    pub blanks_before_words: bool,
}
