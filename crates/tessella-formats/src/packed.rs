//! All of a description in parts, whether or not some file format can express it: for pickles and snapshots.
//!
//! A component is its exact JSON. Models by SentencePiece's rules are the bytes of a model file, and ranks need no
//! merges. Ids of added tokens are kept as they are and not worked out anew.

use tessella_core::spec::{
    BpeSpec, DecoderSpec, Described, Merges, ModelSpec, NormalizerSpec, PostProcessorSpec, PreTokenizerSpec,
    SentencePieceSpec,
};
use tessella_core::{Error, Result, TokenizerSpec};

use crate::hf::{self, Resolver, Section};
use crate::sentencepiece;

/// A component, packed.
#[derive(Debug)]
pub enum Packed {
    /// Its exact JSON.
    Json(String),
    /// Bytes of a SentencePiece model.
    SentencePiece(Vec<u8>),
    /// The same, of one whose sums are wide, which such a file does not say.
    WideSums(Vec<u8>),
    /// The component that comes with the tokenizer's SentencePiece model.
    Own,
    /// A BPE model whose merges go by rank: its JSON without merges.
    Ranks(String),
}

fn mismatch() -> Error {
    Error::format(
        "the packed data does not fit the component that it should be; was it made by another version?",
    )
}

/// A component that can be packed; the defaults suit all but models.
pub trait Pack: Section {
    /// All of the component.
    fn pack(&self) -> Result<Packed> {
        hf::exact(self).map(Packed::Json)
    }

    /// The component that was packed; the resolver finds what users wrote.
    fn unpack(packed: Packed, resolver: Resolver<'_>) -> Result<Self> {
        match packed {
            Packed::Json(json) => hf::from_exact(&json, resolver),
            _ => Err(mismatch()),
        }
    }
}

impl Pack for NormalizerSpec {}
impl Pack for PreTokenizerSpec {}
impl Pack for PostProcessorSpec {}
impl Pack for DecoderSpec {}

impl Pack for ModelSpec {
    fn pack(&self) -> Result<Packed> {
        match self {
            ModelSpec::SentencePiece(model) if model.wide_sums => {
                let narrow = SentencePieceSpec { wide_sums: false, ..model.clone() };
                let spec = TokenizerSpec::new(ModelSpec::SentencePiece(narrow));
                sentencepiece::write_model(&spec).map(Packed::WideSums)
            }
            ModelSpec::SentencePiece(model) => {
                // The normalizer that the model's own file describes goes along unchanged.
                let normalizer = match &model.source {
                    Some(source) => sentencepiece::read_model(source).ok().and_then(|spec| spec.normalizer),
                    None => None,
                };
                let mut spec = TokenizerSpec::new(self.clone());
                spec.normalizer = normalizer.filter(|normalizer| {
                    matches!(normalizer, NormalizerSpec::SentencePiece(own)
                        if own.treat_whitespace_as_suffix == model.treat_whitespace_as_suffix)
                });
                sentencepiece::write_model(&spec).map(Packed::SentencePiece)
            }
            ModelSpec::Bpe(bpe) if matches!(bpe.merges, Merges::ConcatRank) => {
                let bare = ModelSpec::Bpe(BpeSpec { merges: Merges::default(), ..bpe.clone() });
                hf::exact(&bare).map(Packed::Ranks)
            }
            _ => hf::exact(self).map(Packed::Json),
        }
    }

    fn unpack(packed: Packed, _resolver: Resolver<'_>) -> Result<Self> {
        match packed {
            Packed::Json(json) => hf::from_exact(&json, None),
            Packed::SentencePiece(bytes) => Ok(sentencepiece::read_model(&bytes)?.model),
            Packed::WideSums(bytes) => match sentencepiece::read_model(&bytes)?.model {
                ModelSpec::SentencePiece(model) => {
                    Ok(ModelSpec::SentencePiece(SentencePieceSpec { wide_sums: true, source: None, ..model }))
                }
                _ => Err(mismatch()),
            },
            Packed::Ranks(json) => match hf::from_exact(&json, None)? {
                ModelSpec::Bpe(bpe) => Ok(ModelSpec::Bpe(BpeSpec { merges: Merges::ConcatRank, ..bpe })),
                _ => Err(mismatch()),
            },
            Packed::Own => Err(mismatch()),
        }
    }
}

/// The import paths of all components written in Python.
pub fn import_paths<S: Described>(spec: &S, paths: &mut Vec<String>) {
    match spec.clone().parts() {
        Ok(parts) => parts.iter().for_each(|part| import_paths(part, paths)),
        Err(spec) => paths.extend(spec.import_path().flatten()),
    }
}

/// A whole tokenizer, packed.
#[derive(Debug)]
#[allow(missing_docs)] // Stages are named as in a description.
pub struct Whole {
    pub model: Packed,
    pub normalizer: Option<Packed>,
    pub pre_tokenizer: Option<Packed>,
    pub post_processor: Option<Packed>,
    pub decoder: Option<Packed>,
    /// Each as JSON, with its id.
    pub added_tokens: Vec<String>,
    /// A `tokenizer.json` of truncation and padding.
    pub settings: String,
    /// Where all components that users wrote are imported from.
    pub import_paths: Vec<String>,
}

/// Packs a stage, unless it is the one that comes with the model.
fn stage<S: Pack + PartialEq>(
    spec: &Option<S>,
    own: Option<&S>,
    paths: &mut Vec<String>,
) -> Result<Option<Packed>> {
    let Some(spec) = spec else { return Ok(None) };
    import_paths(spec, paths);
    if own == Some(spec) { Ok(Some(Packed::Own)) } else { spec.pack().map(Some) }
}

/// The file of a SentencePiece model with its normalizer and decoder, and what reading it gives.
fn model_file(spec: &TokenizerSpec) -> Option<(Vec<u8>, TokenizerSpec)> {
    if !matches!(spec.model, ModelSpec::SentencePiece(_)) {
        return None;
    }
    let mut core = TokenizerSpec::new(spec.model.clone());
    core.normalizer = spec.normalizer.clone();
    core.decoder = spec.decoder.clone();
    let bytes = sentencepiece::write_model(&core).ok()?;
    let own = sentencepiece::read_model(&bytes).ok()?;
    Some((bytes, own))
}

impl Whole {
    /// All of a description.
    pub fn of(spec: &TokenizerSpec) -> Result<Self> {
        let (model, own) = match model_file(spec) {
            Some((bytes, own)) => (Packed::SentencePiece(bytes), Some(own)),
            None => (spec.model.pack()?, None),
        };
        let own_normalizer = own.as_ref().and_then(|own| own.normalizer.as_ref());
        let own_decoder = own.as_ref().and_then(|own| own.decoder.as_ref());
        let mut import_paths = Vec::new();
        let mut settings = TokenizerSpec::new(ModelSpec::sequence(Vec::new()));
        settings.truncation = spec.truncation;
        settings.padding = spec.padding.clone();
        Ok(Whole {
            model,
            normalizer: stage(&spec.normalizer, own_normalizer, &mut import_paths)?,
            pre_tokenizer: stage(&spec.pre_tokenizer, None, &mut import_paths)?,
            post_processor: stage(&spec.post_processor, None, &mut import_paths)?,
            decoder: stage(&spec.decoder, own_decoder, &mut import_paths)?,
            added_tokens: spec.added_tokens.iter().map(hf::added_token_to_json).collect::<Result<_>>()?,
            settings: hf::to_string(&settings, false)?,
            import_paths,
        })
    }

    /// The description that was packed; the resolver finds what users wrote.
    pub fn spec(self, resolver: Resolver<'_>) -> Result<TokenizerSpec> {
        fn stage<S: Pack>(
            packed: Option<Packed>,
            own: Option<S>,
            resolver: Resolver<'_>,
        ) -> Result<Option<S>> {
            match packed {
                None => Ok(None),
                Some(Packed::Own) => own.map(Some).ok_or_else(mismatch),
                Some(packed) => S::unpack(packed, resolver).map(Some),
            }
        }
        let own = match self.model {
            Packed::SentencePiece(bytes) => sentencepiece::read_model(&bytes)?,
            packed => TokenizerSpec::new(ModelSpec::unpack(packed, resolver)?),
        };
        let settings = hf::from_str(&self.settings)?;
        Ok(TokenizerSpec {
            normalizer: stage(self.normalizer, own.normalizer, resolver)?,
            pre_tokenizer: stage(self.pre_tokenizer, None, resolver)?,
            post_processor: stage(self.post_processor, None, resolver)?,
            decoder: stage(self.decoder, own.decoder, resolver)?,
            model: own.model,
            added_tokens: self
                .added_tokens
                .iter()
                .map(|json| hf::added_token_from_json(json))
                .collect::<Result<_>>()?,
            truncation: settings.truncation,
            padding: settings.padding,
        })
    }
}
