//! What every component is called and made of, told once.
//!
//! A row of the tables below gives a component the name of its class in Python, which is its `type` in `tokenizer.json` too, and
//! its fields in the order of that file. Reading and writing, fingerprints, pickles, and the constructors, getters and setters of
//! Python follow from it through [`Described`], and so do the names in their messages. So a new component is a variant of its
//! stage, a row here, and what runs it.
//!
//! `Variant(Struct)` stands where a struct holds the fields. `| "Name"` is another name that files have for it. `field as "name"`
//! is a field that others call differently, and `field = value` one that a file may leave out.

use std::sync::Arc;

use super::{
    BpeSpec, CharsmapMatching, DecoderSpec, Merges, ModelSpec, NormalizerSpec, Pattern, PostProcessorSpec,
    PreTokenizerSpec, PrependScheme, SentencePiece, SentencePieceNormalizer, SplitBehavior, Template,
    TemplatePiece, TemplateSpecial, Vocab,
};
use crate::error::Result;
use crate::ids::TokenId;

/// A field of a component.
#[derive(Debug)]
pub struct Field<'s> {
    /// Its name in Python.
    pub name: &'static str,
    /// Whether a file must have it; what may be missing has its default already.
    pub required: bool,
    pub slot: Slot<'s>,
}

macro_rules! slots {
    ($($kind:ident($type:ty),)*) => {
        /// Where the value of a field lies, by its type.
        #[derive(Debug)]
        pub enum Slot<'s> {
            $($kind(&'s mut $type),)*
        }

        $(impl<'s> From<&'s mut $type> for Slot<'s> {
            fn from(value: &'s mut $type) -> Self {
                Slot::$kind(value)
            }
        })*
    };
}

slots! {
    Flag(bool),
    MaybeFlag(Option<bool>),
    Number(usize),
    MaybeNumber(Option<usize>),
    Probability(Option<f32>),
    MaybeReal(Option<f64>),
    Text(String),
    MaybeText(Option<String>),
    Texts(Arc<[String]>),
    Character(char),
    Bytes(Arc<[u8]>),
    Pattern(Pattern),
    Behavior(SplitBehavior),
    Scheme(PrependScheme),
    Matching(CharsmapMatching),
    Token((String, TokenId)),
    Template(Vec<TemplatePiece>),
    Specials(Vec<TemplateSpecial>),
    Pieces(Arc<Vec<SentencePiece>>),
}

/// The component of a stage, by name and fields.
pub trait Described: Clone + Send + Sync + 'static {
    /// The stage's name in messages.
    const TITLE: &'static str;
    /// All kinds but sequences and users' own.
    const KINDS: &'static [&'static str];

    /// The name of the class.
    fn kind(&self) -> &'static str;

    /// A component of a kind, or of another name for it, whose fields have their defaults.
    fn blank(kind: &str) -> Option<Self>;

    fn fields(&mut self) -> Vec<Field<'_>>;

    /// Whether the fields fit together.
    fn check(&self) -> Result<()> {
        Ok(())
    }

    /// Several as one. Models do not come in sequences: the first of them.
    fn sequence(parts: Vec<Self>) -> Self;

    /// The parts of a sequence, or the component itself.
    fn parts(self) -> std::result::Result<Vec<Self>, Self>;

    /// Of a component of the user's own, where it can be imported from, if anywhere.
    fn import_path(&self) -> Option<Option<String>> {
        None
    }
}

macro_rules! described {
    ($spec:ident $title:literal [$($custom:ident)? $(; $check:expr)?] $(
        $variant:ident $(($inner:ident))? = $kind:literal $(| $other:literal)* $({
            $($field:ident $(as $name:literal)? $(= $default:expr)?),* $(,)?
        })?;
    )*) => {
        impl Described for $spec {
            const TITLE: &'static str = $title;
            const KINDS: &'static [&'static str] = &[$($kind),*];

            fn kind(&self) -> &'static str {
                match self {
                    $($spec::$variant { .. } => $kind,)*
                    $spec::Sequence(_) => "Sequence",
                    $($spec::$custom(_) => $title,)?
                }
            }

            fn blank(kind: &str) -> Option<Self> {
                match kind {
                    $($kind $(| $other)* => Some(described!(@whole $spec $variant [$($inner)?]
                        $($($field: described!(@or $($default)?),)*)?)),)*
                    _ => None,
                }
            }

            fn fields(&mut self) -> Vec<Field<'_>> {
                match self {
                    $(described!(@whole $spec $variant [$($inner)?] $($($field: $field,)*)?) => vec![$($(Field {
                        name: described!(@name $field $($name)?),
                        required: described!(@required $($default)?),
                        slot: $field.into(),
                    },)*)?],)*
                    #[allow(unreachable_patterns)]
                    _ => Vec::new(),
                }
            }

            $(fn check(&self) -> Result<()> {
                let check: fn(&Self) -> Result<()> = $check;
                check(self)
            })?

            fn sequence(parts: Vec<Self>) -> Self {
                $spec::Sequence(parts)
            }

            fn parts(self) -> std::result::Result<Vec<Self>, Self> {
                match self {
                    $spec::Sequence(parts) => Ok(parts),
                    one => Err(one),
                }
            }

            $(fn import_path(&self) -> Option<Option<String>> {
                match self {
                    $spec::$custom(custom) => Some(custom.import_path()),
                    _ => None,
                }
            })?
        }
    };
    (@whole $spec:ident $variant:ident [] $($fields:tt)*) => { $spec::$variant { $($fields)* } };
    (@whole $spec:ident $variant:ident [$inner:ident] $($fields:tt)*) => { $spec::$variant($inner { $($fields)* }) };
    (@name $field:ident) => { stringify!($field) };
    (@name $field:ident $name:literal) => { $name };
    (@or) => { Default::default() };
    (@or $default:expr) => { $default };
    (@required) => { true };
    (@required $default:expr) => { false };
}

described! { NormalizerSpec "Normalizer" [Custom]
    Bert = "BertNormalizer" | "Bert" { clean_text, handle_chinese_chars, strip_accents = None, lowercase };
    Strip = "Strip" | "StripNormalizer" { left, right };
    StripAccents = "StripAccents";
    Nfc = "NFC";
    Nfd = "NFD";
    Nfkc = "NFKC";
    Nfkd = "NFKD";
    Lowercase = "Lowercase";
    Nmt = "Nmt";
    Precompiled = "Precompiled" { charsmap as "precompiled_charsmap", matching = CharsmapMatching::Grapheme };
    Replace = "Replace" { pattern, content };
    Prepend = "Prepend" { prepend };
    ByteLevel = "ByteLevel";
    SentencePiece(SentencePieceNormalizer) = "SentencePiece" {
        name, charsmap, add_dummy_prefix, remove_extra_whitespaces, escape_whitespaces, treat_whitespace_as_suffix, user_defined,
    };
}

described! { PreTokenizerSpec "PreTokenizer" [Custom]
    Bert = "BertPreTokenizer";
    ByteLevel = "ByteLevel" { add_prefix_space, trim_offsets, use_regex = true };
    CharDelimiter = "CharDelimiterSplit" | "Delimiter" { delimiter };
    Metaspace = "Metaspace" { replacement, prepend as "prepend_scheme" = PrependScheme::Always, split = true };
    Whitespace = "Whitespace";
    Split = "Split" { pattern, behavior, invert };
    Punctuation = "Punctuation" { behavior = SplitBehavior::Isolated };
    WhitespaceSplit = "WhitespaceSplit";
    Digits = "Digits" { individual as "individual_digits" };
    UnicodeScripts = "UnicodeScripts" { keep_spaces = false };
    FixedLength = "FixedLength" { length = 5 };
}

described! { PostProcessorSpec "PostProcessor" [; |spec| match spec {
        PostProcessorSpec::Template(template) => template.check(),
        _ => Ok(()),
    }]
    Bert = "BertProcessing" { sep, cls };
    Roberta = "RobertaProcessing" { sep, cls, trim_offsets = true, add_prefix_space = true };
    ByteLevel = "ByteLevel" { add_prefix_space, trim_offsets, use_regex = true };
    Template(Template) = "TemplateProcessing" { single, pair, special_tokens };
}

described! { DecoderSpec "Decoder" [Custom]
    Bpe = "BPEDecoder" { suffix };
    ByteLevel = "ByteLevel" { add_prefix_space, trim_offsets, use_regex = true };
    WordPiece = "WordPiece" { prefix, cleanup };
    Metaspace = "Metaspace" { replacement, prepend as "prepend_scheme" = PrependScheme::Always, split = true };
    Ctc = "CTC" { pad_token, word_delimiter_token, cleanup };
    Replace = "Replace" { pattern, content };
    Fuse = "Fuse";
    Strip = "Strip" { content, start, stop };
    ByteFallback = "ByteFallback";
    SentencePiece = "SentencePiece" {
        pieces, add_dummy_prefix, remove_extra_whitespaces, treat_whitespace_as_suffix, unk_surface,
    };
}

/// The settings of a model; its tables are no fields.
impl Described for ModelSpec {
    const TITLE: &'static str = "Model";
    const KINDS: &'static [&'static str] = &["BPE", "WordPiece", "WordLevel", "Unigram"];

    fn kind(&self) -> &'static str {
        match self {
            ModelSpec::Bpe(_) => "BPE",
            ModelSpec::WordPiece(_) => "WordPiece",
            ModelSpec::WordLevel(_) => "WordLevel",
            ModelSpec::Unigram(_) => "Unigram",
            ModelSpec::SentencePiece(_) => "SentencePiece",
        }
    }

    /// Only the empty model that a tokenizer without one has.
    fn blank(kind: &str) -> Option<Self> {
        (kind == "BPE").then(|| ModelSpec::Bpe(BpeSpec::new(Vocab::default(), Merges::default())))
    }

    fn fields(&mut self) -> Vec<Field<'_>> {
        macro_rules! settings {
            ($model:ident: $($field:ident),*) => {
                vec![$(Field { name: stringify!($field), required: false, slot: (&mut $model.$field).into() }),*]
            };
        }
        match self {
            ModelSpec::Bpe(model) => settings!(
                model: dropout, unk_token, continuing_subword_prefix, end_of_word_suffix, fuse_unk, byte_fallback, ignore_merges
            ),
            ModelSpec::WordPiece(model) => {
                settings!(model: unk_token, continuing_subword_prefix, max_input_chars_per_word)
            }
            ModelSpec::WordLevel(model) => settings!(model: unk_token),
            ModelSpec::Unigram(model) => settings!(model: unk_id, byte_fallback, alpha, nbest_size),
            ModelSpec::SentencePiece(model) => settings!(model: byte_fallback),
        }
    }

    fn sequence(mut parts: Vec<Self>) -> Self {
        match parts.is_empty() {
            true => ModelSpec::Bpe(BpeSpec::new(Vocab::default(), Merges::default())),
            false => parts.swap_remove(0),
        }
    }

    fn parts(self) -> std::result::Result<Vec<Self>, Self> {
        Err(self)
    }
}
