//! Tokenizers and components as Python data, for pickling: all of a description, whether or not some file
//! format can express it.
//!
//! What `tokenizer.json` can say of a component is its JSON. The rest has shapes of its own: parts that run
//! by SentencePiece's rules are the bytes of a model file, patterns in the dialect of tables of ranks stand
//! beside the JSON that they belong to. Ids of added tokens are kept as they are and not worked out anew.

use std::sync::Arc;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyTuple};
use tessella_core::spec::{
    BpeSpec, CharsmapMatching, DecoderSpec, Dialect, Merges, ModelSpec, NormalizerSpec, Pattern, PieceKind,
    PostProcessorSpec, PreTokenizerSpec, SentencePiece, SentencePieceKind, SentencePieceNormalizer,
    SentencePieceSpec,
};
use tessella_core::{Error, Result, TokenizerSpec};
use tessella_formats::{hf, sentencepiece};

use crate::border::errors::OrRaise;
use crate::components::live::MAX_DEPTH;
use crate::components::stage::Component;

/// A component, packed.
pub enum Packed {
    Json(String),
    Many(Vec<Packed>),
    /// Bytes of a SentencePiece model that has the component.
    SentencePiece(Vec<u8>),
    /// The component that comes with the tokenizer's SentencePiece model.
    Own,
    /// A pattern of the fancy-regex dialect, and the JSON of the component with an empty one.
    Fancy(String, String),
    /// A character map that is applied by the longest match.
    Charsmap(Vec<u8>),
    /// `UnicodeScripts` that keeps blanks.
    Scripts,
    /// A BPE model whose merges go by rank: its JSON without merges.
    Ranks(String),
}

/// What a component needs to be packed; the defaults suit those that JSON can always express.
pub trait Pack: Component {
    fn pack_one(&self) -> Result<Packed> {
        self.to_json().map(Packed::Json)
    }

    fn unpack_one(packed: Packed) -> Result<Self> {
        let _ = packed;
        Err(mismatch())
    }

    /// For a component written in Python: where it can be imported from.
    fn import_path(&self) -> Option<String> {
        None
    }
}

fn mismatch() -> Error {
    Error::format(
        "the pickled data does not fit the component that it should be; was it made by another version?",
    )
}

/// Packs a component and what is in it.
pub fn pack<S: Pack>(spec: &S) -> Result<Packed> {
    match spec.clone().unchain() {
        Ok(parts) => parts.iter().map(pack).collect::<Result<_>>().map(Packed::Many),
        Err(spec) => spec.pack_one(),
    }
}

pub fn unpack<S: Pack>(packed: Packed, allowed: &[String]) -> Result<S> {
    match packed {
        Packed::Json(json) => S::from_json(&json, allowed),
        Packed::Many(parts) => {
            parts.into_iter().map(|part| unpack(part, allowed)).collect::<Result<_>>().map(S::chain)
        }
        other => S::unpack_one(other),
    }
}

/// The import paths of all components written in Python.
pub fn import_paths<S: Pack>(spec: &S, paths: &mut Vec<String>) {
    match spec.clone().unchain() {
        Ok(parts) => parts.iter().for_each(|part| import_paths(part, paths)),
        Err(spec) => paths.extend(spec.import_path()),
    }
}

impl Packed {
    pub fn to_python<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        match self {
            Packed::Json(json) => ("json", json).into_pyobject(py),
            Packed::Many(parts) => {
                let parts = parts
                    .iter()
                    .map(|part| part.to_python(py))
                    .collect::<PyResult<Vec<Bound<'py, PyTuple>>>>()?;
                ("sequence", PyList::new(py, parts)?).into_pyobject(py)
            }
            Packed::SentencePiece(bytes) => ("sentencepiece", PyBytes::new(py, bytes)).into_pyobject(py),
            Packed::Own => ("own", ()).into_pyobject(py),
            Packed::Fancy(pattern, json) => ("pattern", (pattern, json)).into_pyobject(py),
            Packed::Charsmap(bytes) => ("charsmap", PyBytes::new(py, bytes)).into_pyobject(py),
            Packed::Scripts => ("scripts", ()).into_pyobject(py),
            Packed::Ranks(json) => ("ranks", json).into_pyobject(py),
        }
    }

    pub fn from_python(data: &Bound<'_, PyAny>) -> PyResult<Packed> {
        Self::read(data, 0)
    }

    fn read(data: &Bound<'_, PyAny>, depth: usize) -> PyResult<Packed> {
        if depth > 2 * MAX_DEPTH {
            return Err(PyValueError::new_err("the pickled component is nested too deep"));
        }
        let (kind, data): (String, Bound<'_, PyAny>) = data.extract()?;
        Ok(match kind.as_str() {
            "json" => Packed::Json(data.extract()?),
            "sequence" => Packed::Many(
                data.try_iter()?.map(|part| Self::read(&part?, depth + 1)).collect::<PyResult<_>>()?,
            ),
            "sentencepiece" => Packed::SentencePiece(data.extract()?),
            "own" => Packed::Own,
            "pattern" => {
                let (pattern, json) = data.extract()?;
                Packed::Fancy(pattern, json)
            }
            "charsmap" => Packed::Charsmap(data.extract()?),
            "scripts" => Packed::Scripts,
            "ranks" => Packed::Ranks(data.extract()?),
            other => {
                return Err(PyValueError::new_err(format!(
                    "the pickled component has the unknown shape {other:?}; was it made by a newer version?"
                )));
            }
        })
    }
}

/// The source of a pattern that JSON cannot hold as it is.
fn fancy(pattern: &Pattern) -> Option<&str> {
    match pattern {
        Pattern::Regex { source, dialect: Dialect::Fancy } => Some(source),
        _ => None,
    }
}

fn no_pattern() -> Pattern {
    Pattern::Literal(String::new())
}

/// A model that only carries a normalizer or decoder along.
fn carrier(pieces: Arc<Vec<SentencePiece>>, suffix: bool, unk_surface: String) -> TokenizerSpec {
    TokenizerSpec::new(ModelSpec::SentencePiece(SentencePieceSpec {
        kind: SentencePieceKind::Unigram,
        pieces,
        byte_fallback: false,
        treat_whitespace_as_suffix: suffix,
        unk_surface,
        source: None,
    }))
}

impl Pack for NormalizerSpec {
    fn pack_one(&self) -> Result<Packed> {
        match self {
            NormalizerSpec::SentencePiece(normalizer) => {
                let piece = |text: &str, kind| SentencePiece { text: text.to_string(), score: 0.0, kind };
                let mut pieces = vec![piece("<unk>", PieceKind::Unknown)];
                pieces.extend(normalizer.user_defined.iter().map(|text| piece(text, PieceKind::UserDefined)));
                let mut spec =
                    carrier(Arc::new(pieces), normalizer.treat_whitespace_as_suffix, String::new());
                spec.normalizer = Some(self.clone());
                sentencepiece::write_model(&spec).map(Packed::SentencePiece)
            }
            NormalizerSpec::Precompiled { charsmap, matching: CharsmapMatching::LongestMatch } => {
                Ok(Packed::Charsmap(charsmap.to_vec()))
            }
            NormalizerSpec::Replace { pattern, content } => match fancy(pattern) {
                Some(source) => {
                    let bare = NormalizerSpec::Replace { pattern: no_pattern(), content: content.clone() };
                    Ok(Packed::Fancy(source.to_string(), bare.to_json()?))
                }
                None => self.to_json().map(Packed::Json),
            },
            _ => self.to_json().map(Packed::Json),
        }
    }

    fn unpack_one(packed: Packed) -> Result<Self> {
        match packed {
            Packed::SentencePiece(bytes) => {
                sentencepiece::read_model(&bytes)?.normalizer.ok_or_else(mismatch)
            }
            Packed::Charsmap(bytes) => Ok(NormalizerSpec::Precompiled {
                charsmap: bytes.into(),
                matching: CharsmapMatching::LongestMatch,
            }),
            Packed::Fancy(source, json) => match Self::from_json(&json, &[])? {
                NormalizerSpec::Replace { content, .. } => Ok(NormalizerSpec::Replace {
                    pattern: Pattern::Regex { source, dialect: Dialect::Fancy },
                    content,
                }),
                _ => Err(mismatch()),
            },
            _ => Err(mismatch()),
        }
    }

    fn import_path(&self) -> Option<String> {
        match self {
            NormalizerSpec::Custom(custom) => custom.import_path(),
            _ => None,
        }
    }
}

impl Pack for PreTokenizerSpec {
    fn pack_one(&self) -> Result<Packed> {
        match self {
            PreTokenizerSpec::UnicodeScripts { keep_spaces: true } => Ok(Packed::Scripts),
            PreTokenizerSpec::Split { pattern, behavior, invert } => match fancy(pattern) {
                Some(source) => {
                    let bare = PreTokenizerSpec::Split {
                        pattern: no_pattern(),
                        behavior: *behavior,
                        invert: *invert,
                    };
                    Ok(Packed::Fancy(source.to_string(), bare.to_json()?))
                }
                None => self.to_json().map(Packed::Json),
            },
            _ => self.to_json().map(Packed::Json),
        }
    }

    fn unpack_one(packed: Packed) -> Result<Self> {
        match packed {
            Packed::Scripts => Ok(PreTokenizerSpec::UnicodeScripts { keep_spaces: true }),
            Packed::Fancy(source, json) => match Self::from_json(&json, &[])? {
                PreTokenizerSpec::Split { behavior, invert, .. } => Ok(PreTokenizerSpec::Split {
                    pattern: Pattern::Regex { source, dialect: Dialect::Fancy },
                    behavior,
                    invert,
                }),
                _ => Err(mismatch()),
            },
            _ => Err(mismatch()),
        }
    }

    fn import_path(&self) -> Option<String> {
        match self {
            PreTokenizerSpec::Custom(custom) => custom.import_path(),
            _ => None,
        }
    }
}

impl Pack for PostProcessorSpec {}

impl Pack for DecoderSpec {
    fn pack_one(&self) -> Result<Packed> {
        match self {
            DecoderSpec::SentencePiece {
                pieces,
                add_dummy_prefix,
                remove_extra_whitespaces,
                treat_whitespace_as_suffix,
                unk_surface,
            } => {
                let mut spec = carrier(pieces.clone(), *treat_whitespace_as_suffix, unk_surface.clone());
                spec.normalizer = Some(NormalizerSpec::SentencePiece(SentencePieceNormalizer {
                    name: "identity".to_string(),
                    charsmap: Arc::new([]),
                    add_dummy_prefix: *add_dummy_prefix,
                    remove_extra_whitespaces: *remove_extra_whitespaces,
                    escape_whitespaces: true,
                    treat_whitespace_as_suffix: *treat_whitespace_as_suffix,
                    user_defined: Arc::new([]),
                }));
                sentencepiece::write_model(&spec).map(Packed::SentencePiece)
            }
            DecoderSpec::Replace { pattern, content } => match fancy(pattern) {
                Some(source) => {
                    let bare = DecoderSpec::Replace { pattern: no_pattern(), content: content.clone() };
                    Ok(Packed::Fancy(source.to_string(), bare.to_json()?))
                }
                None => self.to_json().map(Packed::Json),
            },
            _ => self.to_json().map(Packed::Json),
        }
    }

    fn unpack_one(packed: Packed) -> Result<Self> {
        match packed {
            Packed::SentencePiece(bytes) => sentencepiece::read_model(&bytes)?.decoder.ok_or_else(mismatch),
            Packed::Fancy(source, json) => match Self::from_json(&json, &[])? {
                DecoderSpec::Replace { content, .. } => Ok(DecoderSpec::Replace {
                    pattern: Pattern::Regex { source, dialect: Dialect::Fancy },
                    content,
                }),
                _ => Err(mismatch()),
            },
            _ => Err(mismatch()),
        }
    }

    fn import_path(&self) -> Option<String> {
        match self {
            DecoderSpec::Custom(custom) => custom.import_path(),
            _ => None,
        }
    }
}

impl Pack for ModelSpec {
    fn pack_one(&self) -> Result<Packed> {
        match self {
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
                let merges = Merges::Pairs(Arc::new(Vec::new()));
                let bare = ModelSpec::Bpe(BpeSpec { merges, ..bpe.clone() });
                bare.to_json().map(Packed::Ranks)
            }
            _ => self.to_json().map(Packed::Json),
        }
    }

    fn unpack_one(packed: Packed) -> Result<Self> {
        match packed {
            Packed::SentencePiece(bytes) => Ok(sentencepiece::read_model(&bytes)?.model),
            Packed::Ranks(json) => match Self::from_json(&json, &[])? {
                ModelSpec::Bpe(bpe) => Ok(ModelSpec::Bpe(BpeSpec { merges: Merges::ConcatRank, ..bpe })),
                _ => Err(mismatch()),
            },
            _ => Err(mismatch()),
        }
    }
}

/// A whole tokenizer, packed.
pub struct Whole {
    model: Packed,
    normalizer: Option<Packed>,
    pre_tokenizer: Option<Packed>,
    post_processor: Option<Packed>,
    decoder: Option<Packed>,
    added_tokens: Vec<String>,
    settings: String,
    import_paths: Vec<String>,
}

/// Packs a stage, unless it is the one that comes with the model.
fn stage<S: Pack + PartialEq>(
    spec: &Option<S>,
    own: Option<&S>,
    paths: &mut Vec<String>,
) -> Result<Option<Packed>> {
    let Some(spec) = spec else { return Ok(None) };
    import_paths(spec, paths);
    if own == Some(spec) { Ok(Some(Packed::Own)) } else { pack(spec).map(Some) }
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
    pub fn of(spec: &TokenizerSpec) -> Result<Self> {
        let (model, own) = match model_file(spec) {
            Some((bytes, own)) => (Packed::SentencePiece(bytes), Some(own)),
            None => (pack(&spec.model)?, None),
        };
        let own_normalizer = own.as_ref().and_then(|own| own.normalizer.as_ref());
        let own_decoder = own.as_ref().and_then(|own| own.decoder.as_ref());
        let mut import_paths = Vec::new();
        let mut settings = TokenizerSpec::new(crate::components::models::empty_bpe());
        settings.truncation = spec.truncation;
        settings.padding = spec.padding.clone();
        Ok(Whole {
            model,
            normalizer: stage(&spec.normalizer, own_normalizer, &mut import_paths)?,
            pre_tokenizer: stage(&spec.pre_tokenizer, None, &mut import_paths)?,
            post_processor: stage(&spec.post_processor, None, &mut import_paths)?,
            decoder: stage(&spec.decoder, own_decoder, &mut import_paths)?,
            added_tokens: spec
                .added_tokens
                .iter()
                .map(|token| hf::added_token_to_json(token, false))
                .collect::<Result<_>>()?,
            settings: hf::to_string(&settings, false)?,
            import_paths,
        })
    }

    pub fn to_python<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let data = PyDict::new(py);
        let stage = |packed: &Option<Packed>| packed.as_ref().map(|one| one.to_python(py)).transpose();
        data.set_item("model", self.model.to_python(py)?)?;
        data.set_item("normalizer", stage(&self.normalizer)?)?;
        data.set_item("pre_tokenizer", stage(&self.pre_tokenizer)?)?;
        data.set_item("post_processor", stage(&self.post_processor)?)?;
        data.set_item("decoder", stage(&self.decoder)?)?;
        data.set_item("added_tokens", &self.added_tokens)?;
        data.set_item("settings", &self.settings)?;
        data.set_item("import_paths", &self.import_paths)?;
        Ok(data)
    }

    pub fn from_python(data: &Bound<'_, PyDict>) -> PyResult<Self> {
        let field = |name: &str| {
            data.get_item(name)?
                .ok_or_else(|| PyValueError::new_err(format!("the pickled tokenizer has no {name:?}")))
        };
        let stage = |name: &str| {
            let packed = field(name)?;
            if packed.is_none() { Ok(None) } else { Packed::from_python(&packed).map(Some) }
        };
        Ok(Whole {
            model: Packed::from_python(&field("model")?)?,
            normalizer: stage("normalizer")?,
            pre_tokenizer: stage("pre_tokenizer")?,
            post_processor: stage("post_processor")?,
            decoder: stage("decoder")?,
            added_tokens: field("added_tokens")?.extract()?,
            settings: field("settings")?.extract()?,
            import_paths: field("import_paths")?.extract()?,
        })
    }

    pub fn spec(self) -> PyResult<TokenizerSpec> {
        self.read().or_raise()
    }

    fn read(self) -> Result<TokenizerSpec> {
        fn stage<S: Pack>(packed: Option<Packed>, own: Option<S>, allowed: &[String]) -> Result<Option<S>> {
            match packed {
                None => Ok(None),
                Some(Packed::Own) => own.map(Some).ok_or_else(mismatch),
                Some(packed) => unpack(packed, allowed).map(Some),
            }
        }
        let allowed = &self.import_paths;
        let own = match self.model {
            Packed::SentencePiece(bytes) => sentencepiece::read_model(&bytes)?,
            packed => TokenizerSpec::new(unpack(packed, allowed)?),
        };
        let settings = hf::from_str(&self.settings)?;
        Ok(TokenizerSpec {
            normalizer: stage(self.normalizer, own.normalizer, allowed)?,
            pre_tokenizer: stage(self.pre_tokenizer, None, allowed)?,
            post_processor: stage(self.post_processor, None, allowed)?,
            decoder: stage(self.decoder, own.decoder, allowed)?,
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
