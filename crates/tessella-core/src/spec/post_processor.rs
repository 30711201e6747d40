//! Stage 4 as data: special tokens round the sequences.

use super::described::described;
use super::{TemplatePiece, TemplateSpecial};
use crate::ids::TokenId;

described! {
    /// What is put round one sequence and two.
    PostProcessorSpec "PostProcessor" [; |spec| match spec {
        PostProcessorSpec::Template(template) => template.check(),
        _ => Ok(()),
    }]

    /// `[CLS] A [SEP]`, and `B [SEP]` behind it.
    Bert = "BertProcessing" {
        /// The separator.
        sep: (String, TokenId),
        /// The first token.
        cls: (String, TokenId),
    };
    /// The same with two separators between the sequences.
    Roberta = "RobertaProcessing" {
        /// The separator.
        sep: (String, TokenId),
        /// The first token.
        cls: (String, TokenId),
        /// Offsets leave white space out.
        trim_offsets: bool = true,
        /// The first space of a text was put there, and offsets do not count it.
        add_prefix_space: bool = true,
    };
    /// Offsets for byte-level tokens; adds no token.
    ByteLevel = "ByteLevel" {
        /// The first space of a text was put there, and offsets do not count it.
        add_prefix_space: bool,
        /// Offsets leave white space out.
        trim_offsets: bool,
        /// For the pre-tokenizer of the same name.
        use_regex: bool = true,
    };
    /// As a template says.
    Template(Template) = "TemplateProcessing" [single, pair, special_tokens];
}

/// Where the sequences and special tokens go.
#[derive(Debug, Clone, PartialEq)]
pub struct Template {
    /// Of one sequence.
    pub single: Vec<TemplatePiece>,
    /// Of two.
    pub pair: Vec<TemplatePiece>,
    /// What the names in both stand for.
    pub special_tokens: Vec<TemplateSpecial>,
}
