//! A model at work, with everything that SentencePiece tells about a segmentation.
//!
//! [`Processor`] puts the parts of a [`Description`] together: the tokenizer (the fast way to ids), its normalizer and
//! model (for offsets, n-best lists and samples), and decoding with surfaces. It is a second conductor, beside
//! [`Tokenizer`].
//!
//! Texts are bytes: what is no valid UTF-8 becomes U+FFFD, byte by byte (see [`bytes`]). Positions are
//! bytes of the text as it was given.

pub mod bytes;
mod segmentation;
mod surfaces;

use std::sync::Arc;
use std::time::Duration;

use crate::cancel::Cancel;
use crate::error::{Error, Result};
use crate::ids::{PieceToken, TokenId};
use crate::model::sentencepiece::SentencePieceModel;
use crate::normalize::sentencepiece::SentencePieceNormalization;
use crate::random::Random;
use crate::spec::{
    ModelSpec, NormalizerSpec, PieceKind, SentencePiece, SentencePieceNormalizer, TokenizerSpec,
};
use crate::text::AlignedText;
use crate::tokenizer::{EncodeOptions, RaggedIds, Tokenizer};

pub use segmentation::{Piece, Segmentation};

/// All that a model says, with what a tokenizer alone has no use for.
#[derive(Debug, Clone)]
pub struct Description {
    /// The tokenizer that the file describes.
    pub spec: TokenizerSpec,
    /// What decoded text goes through.
    pub denormalizer: Option<SentencePieceNormalizer>,
    /// The texts of the unknown, begin, end and padding pieces.
    pub named: [String; 4],
    /// Texts and the pieces that they should become, with spaces between them.
    pub self_test: Vec<(String, String)>,
}

/// Longer lists of segmentations are refused, as the library does it.
pub const MOST_LISTED: usize = 512;

/// How to draw a segmentation.
#[derive(Debug, Clone, Copy)]
pub struct Sampling {
    /// Among how many: 0 and 1 mean the best one, a negative number all.
    pub nbest_size: i32,
    /// Unigram: exponent of the probabilities. BPE: the probability that a merge is skipped.
    pub alpha: f32,
    /// Equal seeds give equal samples.
    pub seed: u64,
    /// How long to search for the best ones; see [`Processor::nbest`].
    pub time: Option<Duration>,
}

/// A model at work.
#[derive(Debug)]
pub struct Processor {
    named: [String; 4],
    tokenizer: Tokenizer,
    model: SentencePieceModel,
    normalizer: SentencePieceNormalizer,
    normalization: SentencePieceNormalization,
    denormalization: Option<SentencePieceNormalization>,
    unk_surface: String,
    source: Option<Arc<[u8]>>,
}

/// A normalized text, and for each of its bytes (and its end) where it comes from.
pub fn normalize(normalization: &SentencePieceNormalization, text: &[u8]) -> Result<(String, Vec<usize>)> {
    let spelled = bytes::spell(text);
    let mut aligned = AlignedText::borrowed(&spelled, 0);
    let end = normalization.normalize_to_end(&mut aligned)?;
    let normalized = aligned.as_str();
    let mut origins = Vec::with_capacity(normalized.len() + 1);
    let mut hint = 0;
    for (at, c) in normalized.char_indices() {
        let span = aligned.map().char_span_from(normalized, at, &mut hint);
        origins.extend(std::iter::repeat_n(span.start, c.len_utf8()));
    }
    origins.extend(end);
    if let Some(positions) = bytes::positions(text) {
        origins.iter_mut().for_each(|origin| *origin = positions[*origin]);
        return Ok((bytes::restore(normalized).into_owned(), origins));
    }
    Ok((normalized.to_string(), origins))
}

impl Processor {
    /// Builds all parts and runs the self test.
    pub fn new(description: Description) -> Result<Self> {
        let Description { spec, denormalizer, named, self_test } = description;
        let (ModelSpec::SentencePiece(model), Some(NormalizerSpec::SentencePiece(normalizer))) =
            (&spec.model, &spec.normalizer)
        else {
            return Err(Error::model("the description is none of a SentencePiece model"));
        };
        let processor = Processor {
            named,
            model: SentencePieceModel::new(model)?,
            normalizer: normalizer.clone(),
            normalization: SentencePieceNormalization::new(normalizer)?,
            denormalization: denormalizer.as_ref().map(SentencePieceNormalization::new).transpose()?,
            unk_surface: model.unk_surface.clone(),
            source: model.source.clone(),
            tokenizer: Tokenizer::new(spec)?,
        };
        for (text, expected) in self_test {
            let pieces = processor.encode(text.as_bytes(), &Cancel::never())?.pieces;
            let found = pieces.iter().map(Piece::as_text).collect::<Vec<_>>().join(" ");
            if found != expected {
                return Err(Error::model(format!(
                    "the model's self test failed: `{text}` should become `{expected}`, but is `{found}`"
                )));
            }
        }
        Ok(processor)
    }

    /// The bytes of the file that the model was read from.
    pub fn source(&self) -> &[u8] {
        self.source.as_deref().unwrap_or_default()
    }

    /// How many pieces there are.
    pub fn vocab_size(&self) -> usize {
        self.tokenizer.vocab_size(false)
    }

    /// The id of a piece; the unknown piece's if it is none.
    pub fn piece_to_id(&self, piece: &str) -> TokenId {
        self.model.token_to_id(piece).unwrap_or(self.model.unk_id())
    }

    /// As [`Processor::piece_to_id`], of bytes, which are no piece if they are no UTF-8.
    pub fn bytes_to_id(&self, piece: &[u8]) -> TokenId {
        std::str::from_utf8(piece).map_or(self.model.unk_id(), |piece| self.piece_to_id(piece))
    }

    /// A piece by its id.
    pub fn piece(&self, id: TokenId) -> Result<&SentencePiece> {
        self.model.piece(id).ok_or_else(|| {
            Error::value(format!("piece id {id} is out of range: there are {} pieces", self.vocab_size()))
        })
    }

    /// Ids of the unknown, begin, end and padding pieces; `None` for those that the model does not have as such.
    pub fn named_ids(&self) -> [Option<TokenId>; 4] {
        let kinds = [PieceKind::Unknown, PieceKind::Control, PieceKind::Control, PieceKind::Control];
        std::array::from_fn(|at| {
            let id = self.piece_to_id(&self.named[at]);
            self.model.piece(id).is_some_and(|piece| piece.kind == kinds[at]).then_some(id)
        })
    }

    /// A normalized text, and for each of its bytes and its end where in the text it comes from.
    pub fn normalize(&self, text: &[u8]) -> Result<(String, Vec<usize>)> {
        normalize(&self.normalization, text)
    }

    /// Ids only.
    pub fn encode_ids(&self, text: &[u8], options: &EncodeOptions<'_>) -> Result<Vec<TokenId>> {
        match std::str::from_utf8(text) {
            Ok(text) => self.tokenizer.encode_ids(text, options),
            Err(_) => {
                let pieces = self.encode(text, &Cancel::new(options.cancel))?.pieces;
                Ok(pieces.into_iter().map(|piece| piece.id).collect())
            }
        }
    }

    /// Ids of many texts.
    pub fn encode_ids_batch(&self, texts: &[&[u8]], options: &EncodeOptions<'_>) -> Result<RaggedIds> {
        let valid: Option<Vec<&str>> = texts.iter().map(|text| std::str::from_utf8(text).ok()).collect();
        if let Some(texts) = valid {
            return self.tokenizer.encode_ids_batch(texts.as_slice(), options);
        }
        let mut ragged = RaggedIds { ids: Vec::new(), offsets: vec![0] };
        for text in texts {
            ragged.ids.extend(self.encode_ids(text, options)?);
            ragged.offsets.push(ragged.ids.len() as i64);
        }
        Ok(ragged)
    }

    /// The best segmentation of a text.
    pub fn encode(&self, text: &[u8], cancel: &Cancel) -> Result<Segmentation> {
        self.segment(text, |model, normalized| {
            let mut tokens = Vec::new();
            model.tokenize(normalized, cancel, &mut tokens)?;
            Ok(vec![(tokens, None)])
        })
        .map(|list| list.into_iter().next().unwrap_or_default())
    }

    /// A segmentation that is drawn.
    pub fn sample(&self, text: &[u8], sampling: Sampling) -> Result<Segmentation> {
        self.segment(text, |model, normalized| {
            let mut tokens = Vec::new();
            let Sampling { nbest_size, alpha, seed, time } = sampling;
            let random = &mut Random::from_seed(seed);
            model.sample(normalized, nbest_size, alpha, time, random, &mut tokens)?;
            Ok(vec![(tokens, None)])
        })
        .map(|list| list.into_iter().next().unwrap_or_default())
    }

    /// The `n` best segmentations, at most [`MOST_LISTED`]; the best alone where they are not found within `time`.
    pub fn nbest(&self, text: &[u8], n: usize, time: Option<Duration>) -> Result<Vec<Segmentation>> {
        refuse_if!(n > MOST_LISTED, Value, "nbest_size is {n}: it must be at most {MOST_LISTED}");
        self.segment(text, |model, normalized| {
            let list = model.nbest(normalized, n, time)?;
            Ok(list.into_iter().map(|(tokens, score)| (tokens, Some(score))).collect())
        })
    }

    fn segment(
        &self,
        text: &[u8],
        cut: impl FnOnce(&SentencePieceModel, &str) -> Result<Vec<(Vec<PieceToken>, Option<f32>)>>,
    ) -> Result<Vec<Segmentation>> {
        let (normalized, origins) = self.normalize(text)?;
        let lists = cut(&self.model, &normalized)?;
        let origin = |at: u32| origins.get(at as usize).copied().unwrap_or(text.len());
        Ok(lists
            .into_iter()
            .map(|(tokens, score)| {
                let pieces = tokens
                    .iter()
                    .map(|token| {
                        let piece = self.model.piece(token.id);
                        let (begin, end) = (origin(token.start), origin(token.end));
                        // Of the bytes that stand for one character only the last one covers it.
                        let covered = token.end > token.start;
                        Piece {
                            id: token.id,
                            text: match piece {
                                Some(piece) if !token.surface => piece.text.clone().into_bytes(),
                                _ => normalized[token.start as usize..token.end as usize].into(),
                            },
                            surface: covered.then(|| text[begin..end.max(begin)].to_vec()),
                            begin,
                            end,
                        }
                    })
                    .collect();
                Segmentation { text: text.to_vec(), pieces, score }
            })
            .collect())
    }

    /// Decodes pieces, which need not be the model's, nor UTF-8: others stand for themselves.
    pub fn decode_pieces(&self, pieces: impl IntoIterator<Item = impl Into<Vec<u8>>>) -> Segmentation {
        let numbered = pieces.into_iter().map(|piece| {
            let piece = piece.into();
            (self.bytes_to_id(&piece), piece)
        });
        self.decode(numbered.collect())
    }

    /// The text of ids, with what each stands for.
    pub fn decode_ids(&self, ids: &[TokenId]) -> Result<Segmentation> {
        let pieces = ids.iter().map(|&id| Ok((id, self.piece(id)?.text.clone().into_bytes())));
        Ok(self.decode(pieces.collect::<Result<Vec<_>>>()?))
    }
}
