//! The four small sections of the document: what old files may leave out, and what cannot be said.

use tessella_core::spec::{
    CharsmapMatching, DecoderSpec, NormalizerSpec, PostProcessorSpec, PreTokenizerSpec,
};

use super::components::{Find, Stage};

type Shapes = &'static [(&'static [&'static str], &'static str)];

impl Stage for NormalizerSpec {
    const PARTS: &'static str = "normalizers";
    const SHAPES: Shapes = &[
        (&["clean_text"], "BertNormalizer"),
        (&["strip_left"], "Strip"),
        (&["normalizers"], "Sequence"),
        (&["precompiled_charsmap"], "Precompiled"),
        (&["pattern", "content"], "Replace"),
        (&["prepend"], "Prepend"),
    ];
    const CUSTOM: Option<Find<Self>> =
        Some(|path, resolver| resolver.normalizer(path).map(NormalizerSpec::Custom));

    fn obstacle(&self) -> Option<&'static str> {
        match self {
            NormalizerSpec::SentencePiece(_) => Some(
                "tokenizer.json cannot express SentencePiece's own normalizer (longest-match character map, \
                 trimmed and collapsed white space, protected user-defined symbols); save as a SentencePiece \
                 model instead",
            ),
            NormalizerSpec::Precompiled { matching: CharsmapMatching::LongestMatch, .. } => Some(
                "tokenizer.json cannot express a character map that is applied by longest match; readers of \
                 this format apply it by grapheme",
            ),
            _ => None,
        }
    }
}

impl Stage for PreTokenizerSpec {
    const PARTS: &'static str = "pretokenizers";
    const SHAPES: Shapes = &[
        (&["replacement"], "Metaspace"),
        (&["trim_offsets"], "ByteLevel"),
        (&["delimiter"], "CharDelimiterSplit"),
        (&["pretokenizers"], "Sequence"),
        (&["pattern", "behavior"], "Split"),
        (&["behavior"], "Punctuation"),
        (&["individual_digits"], "Digits"),
        (&["length"], "FixedLength"),
    ];
    const CUSTOM: Option<Find<Self>> =
        Some(|path, resolver| resolver.pre_tokenizer(path).map(PreTokenizerSpec::Custom));

    fn obstacle(&self) -> Option<&'static str> {
        matches!(self, PreTokenizerSpec::UnicodeScripts { keep_spaces: true }).then_some(
            "tokenizer.json cannot express UnicodeScripts that keep leading blanks; readers of this format \
             lose them (use keep_spaces=False to save)",
        )
    }
}

impl Stage for PostProcessorSpec {
    const PARTS: &'static str = "processors";
    const SHAPES: Shapes = &[
        (&["sep", "trim_offsets"], "RobertaProcessing"),
        (&["sep"], "BertProcessing"),
        (&["trim_offsets"], "ByteLevel"),
        (&["single"], "TemplateProcessing"),
        (&["processors"], "Sequence"),
    ];
    const CUSTOM: Option<Find<Self>> = None;

    fn obstacle(&self) -> Option<&'static str> {
        None
    }
}

impl Stage for DecoderSpec {
    const PARTS: &'static str = "decoders";
    const SHAPES: Shapes = &[
        (&["suffix"], "BPEDecoder"),
        (&["replacement"], "Metaspace"),
        (&["trim_offsets"], "ByteLevel"),
        (&["pad_token"], "CTC"),
        (&["prefix", "cleanup"], "WordPiece"),
        (&["decoders"], "Sequence"),
        (&["pattern", "content"], "Replace"),
        (&["content", "start"], "Strip"),
    ];
    const CUSTOM: Option<Find<Self>> = Some(|path, resolver| resolver.decoder(path).map(DecoderSpec::Custom));

    fn obstacle(&self) -> Option<&'static str> {
        matches!(self, DecoderSpec::SentencePiece { .. }).then_some(
            "tokenizer.json cannot express SentencePiece's own decoding (by the type of each piece); save \
             as a SentencePiece model instead",
        )
    }
}
