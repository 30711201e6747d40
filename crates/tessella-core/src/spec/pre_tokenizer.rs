//! Stage 2 as data: the pre-tokenizers.

use std::sync::Arc;

use super::described::described;
use super::{Pattern, PrependScheme, SplitBehavior};
use crate::hooks::CustomPreTokenizer;

described! {
    /// What cuts a text into pieces.
    PreTokenizerSpec "PreTokenizer" [Custom(Arc<dyn CustomPreTokenizer>)]

    /// At white space, and every punctuation character is a piece.
    Bert = "BertPreTokenizer";
    /// GPT-2's words, then bytes as printable characters.
    ByteLevel = "ByteLevel" {
        /// A space in front of a piece that has none.
        add_prefix_space: bool,
        /// For the post-processor of the same name, which files let share one description.
        trim_offsets: bool,
        /// Cut words; else only the bytes are rewritten.
        use_regex: bool = true,
    };
    /// At one character, which is dropped.
    CharDelimiter = "CharDelimiterSplit" | "Delimiter" {
        /// The character.
        delimiter: char,
    };
    /// Spaces become visible, and a piece begins at each of them.
    Metaspace = "Metaspace" {
        /// What is written for a space.
        replacement: char,
        /// Which pieces without a space in front get one.
        prepend: PrependScheme as "prepend_scheme" = PrependScheme::Always,
        /// Cut in front of every replacement.
        split: bool = true,
    };
    /// Runs of word characters, and runs of what is neither word character nor white space.
    Whitespace = "Whitespace";
    /// At the matches of a pattern.
    Split = "Split" {
        /// What is looked for.
        pattern: Pattern,
        /// What becomes of the matches.
        behavior: SplitBehavior,
        /// Matches and gaps change places first.
        invert: bool,
    };
    /// At punctuation characters.
    Punctuation = "Punctuation" {
        /// What becomes of them.
        behavior: SplitBehavior = SplitBehavior::Isolated,
    };
    /// At white space, which is dropped.
    WhitespaceSplit = "WhitespaceSplit";
    /// Numbers apart from the rest.
    Digits = "Digits" {
        /// Every digit is a piece.
        individual: bool as "individual_digits",
    };
    /// Where the script changes.
    UnicodeScripts = "UnicodeScripts" {
        /// Keeps the leading blanks that the reference library loses.
        keep_spaces: bool = false,
    };
    /// Pieces of one length.
    FixedLength = "FixedLength" {
        /// In characters; the last piece may be shorter.
        length: usize = 5,
    };
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
