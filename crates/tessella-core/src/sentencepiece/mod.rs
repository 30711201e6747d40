//! A model at work, with everything that SentencePiece tells about a segmentation.
//!
//! [`Processor`] puts the parts of a [`Description`] together: the tokenizer (the fast way to ids), its normalizer and
//! model (for offsets, n-best lists and samples), and decoding with surfaces. It is a second conductor, beside
//! [`Tokenizer`].
//!
//! A processor that was just made has its pieces, which many ask for and no more, and knows that they fit together. What
//! encoding needs is made for the first text ([`get_ready`](Processor::get_ready)), what decoding needs once it pays ([`decoding`]).
//! Whoever only wants ids and pieces is given a [`Cut`], which knows no places in the text.
//!
//! Texts are bytes: what is no valid UTF-8 becomes U+FFFD, byte by byte (see [`bytes`]). Positions are
//! bytes of the text as it was given.

pub mod bytes;
mod decoding;
mod segmentation;
mod surfaces;

use std::borrow::Cow;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use crate::cancel::Cancel;
use crate::error::{Error, Result};
use crate::ids::{PieceToken, TokenId};
use crate::model::Model;
use crate::model::sentencepiece::{Pieces, SentencePieceModel};
use crate::normalize::sentencepiece::SentencePieceNormalization;
use crate::random::Random;
use crate::spec::{
    ModelSpec, NormalizerSpec, PieceKind, SentencePiece, SentencePieceNormalizer, TokenizerSpec,
};
use crate::text::AlignedText;
use crate::tokenizer::{EncodeOptions, ManyTexts, RaggedIds, Tokenizer};

use decoding::Decoding;
pub use segmentation::{Cut, Piece, Segmentation};

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
    named: [Option<TokenId>; 4],
    pieces: Arc<Pieces>,
    spec: TokenizerSpec,
    /// Made for the first text.
    tokenizer: OnceLock<Tokenizer>,
    decoding: Decoding,
    normalizer: SentencePieceNormalizer,
    normalization: SentencePieceNormalization,
    denormalization: Option<SentencePieceNormalization>,
    unk_surface: String,
    source: Option<Arc<[u8]>>,
}

/// Bytes of all pieces beyond which a tokenizer is made at once: the tables of more may be too large, which is an error of loading.
const LARGE: usize = 1 << 22;

/// A normalized text.
pub fn normalize_text(normalization: &SentencePieceNormalization, text: &[u8]) -> Result<String> {
    let spelled = bytes::spell(text);
    let mut aligned = AlignedText::untracked(&spelled);
    normalization.normalize(&mut aligned)?;
    let normalized = aligned.into_parts().0.into_owned();
    Ok(match spelled {
        Cow::Borrowed(_) => normalized,
        Cow::Owned(_) => bytes::restore(&normalized).into_owned(),
    })
}

/// A normalized text, and for each of its bytes (and its end) where it comes from.
pub fn normalize(normalization: &SentencePieceNormalization, text: &[u8]) -> Result<(String, Vec<usize>)> {
    let spelled = bytes::spell(text);
    let (normalized, mut origins) = normalization.normalize_with_origins(&spelled)?;
    if let Some(positions) = bytes::positions(text) {
        origins.iter_mut().for_each(|origin| *origin = positions[*origin]);
        return Ok((bytes::restore(&normalized).into_owned(), origins));
    }
    Ok((normalized, origins))
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
        let pieces = SentencePieceModel::pieces(model)?;
        let processor = Processor {
            named: named_ids(&pieces, &named),
            normalizer: normalizer.clone(),
            normalization: SentencePieceNormalization::new(normalizer)?,
            denormalization: denormalizer.as_ref().map(SentencePieceNormalization::new).transpose()?,
            unk_surface: model.unk_surface.clone(),
            source: model.source.clone(),
            tokenizer: OnceLock::new(),
            decoding: Decoding::default(),
            pieces,
            spec,
        };
        if processor.pieces.size() > LARGE {
            processor.get_ready()?;
        }
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

    /// Whether all is there that encoding needs.
    pub fn is_ready(&self) -> bool {
        self.tokenizer.get().is_some()
    }

    /// Makes what encoding needs. Else the first text waits for it.
    pub fn get_ready(&self) -> Result<()> {
        self.tokenizer().map(drop)
    }

    fn tokenizer(&self) -> Result<&Tokenizer> {
        if let Some(tokenizer) = self.tokenizer.get() {
            return Ok(tokenizer);
        }
        let ModelSpec::SentencePiece(model) = &self.spec.model else {
            return Err(Error::model("the description is none of a SentencePiece model"));
        };
        let model = Model::SentencePiece(SentencePieceModel::of(model, Arc::clone(&self.pieces))?);
        let tokenizer = Tokenizer::of_model(self.spec.clone(), model)?;
        // Nobody waits for another thread, which a fork may have left behind: whoever is second drops what it made.
        Ok(self.tokenizer.get_or_init(|| tokenizer))
    }

    fn model(&self) -> Result<&SentencePieceModel> {
        match self.tokenizer()?.model() {
            Model::SentencePiece(model) => Ok(model),
            _ => Err(Error::model("the description is none of a SentencePiece model")),
        }
    }

    /// How many pieces there are.
    pub fn vocab_size(&self) -> usize {
        self.pieces.all().len()
    }

    /// The id of a piece; the unknown piece's if it is none.
    pub fn piece_to_id(&self, piece: &str) -> TokenId {
        self.pieces.id(piece).unwrap_or(self.pieces.unk_id())
    }

    /// The ids of many texts that `text` gives by their number, in order, `None` for those that are no pieces.
    pub fn ids_of<'t>(
        &self,
        count: usize,
        text: impl Fn(usize) -> &'t str,
        found: impl FnMut(Option<TokenId>),
    ) {
        self.pieces.ids(count, text, found);
    }

    /// The id of the one unknown piece, whatever its name.
    pub fn unk_id(&self) -> TokenId {
        self.pieces.unk_id()
    }

    /// As [`Processor::piece_to_id`], of bytes, which are no piece if they are no UTF-8.
    pub fn bytes_to_id(&self, piece: &[u8]) -> TokenId {
        std::str::from_utf8(piece).map_or(self.pieces.unk_id(), |piece| self.piece_to_id(piece))
    }

    /// A piece by its id.
    pub fn piece(&self, id: TokenId) -> Result<&SentencePiece> {
        self.known(id).ok_or_else(|| {
            Error::value(format!("piece id {id} is out of range: there are {} pieces", self.vocab_size()))
        })
    }

    /// The same, if there is one.
    pub fn known(&self, id: TokenId) -> Option<&SentencePiece> {
        self.pieces.all().get(id as usize)
    }

    /// Ids of the unknown, begin, end and padding pieces; `None` for those that the model does not have as such.
    pub fn named_ids(&self) -> [Option<TokenId>; 4] {
        self.named
    }

    /// What texts go through first.
    pub fn normalization(&self) -> &SentencePieceNormalization {
        &self.normalization
    }

    /// A normalized text.
    fn normalize_text(&self, text: &[u8]) -> Result<String> {
        normalize_text(&self.normalization, text)
    }

    /// A normalized text, and for each of its bytes and its end where in the text it comes from.
    pub fn normalize(&self, text: &[u8]) -> Result<(String, Vec<usize>)> {
        normalize(&self.normalization, text)
    }

    /// Ids only.
    pub fn encode_ids(&self, text: &[u8], options: &EncodeOptions<'_>) -> Result<Vec<TokenId>> {
        match std::str::from_utf8(text) {
            Ok(text) => self.tokenizer()?.encode_ids(text, options),
            Err(_) => {
                let cut = self.cut(text, &Cancel::new(options.cancel))?;
                Ok(cut.parts().map(|(id, _)| id).collect())
            }
        }
    }

    /// Lends out the ids of a text, as [`Tokenizer::with_ids`] does.
    pub fn with_ids<R>(
        &self,
        text: &str,
        options: &EncodeOptions<'_>,
        then: impl FnOnce(&[TokenId]) -> R,
    ) -> Result<R> {
        self.tokenizer()?.with_ids(text, options, then)
    }

    /// Ids of many texts that are UTF-8.
    pub fn encode_ids_of(
        &self,
        texts: &(impl ManyTexts + ?Sized),
        options: &EncodeOptions<'_>,
    ) -> Result<RaggedIds> {
        self.tokenizer()?.encode_ids_batch(texts, options)
    }

    /// Ids of many texts.
    pub fn encode_ids_batch(&self, texts: &[&[u8]], options: &EncodeOptions<'_>) -> Result<RaggedIds> {
        let valid: Option<Vec<&str>> = texts.iter().map(|text| std::str::from_utf8(text).ok()).collect();
        if let Some(texts) = valid {
            return self.encode_ids_of(texts.as_slice(), options);
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
        self.segment(text, |normalized| {
            let tokens = match self.best_by_ids(text, normalized, cancel)? {
                Some(tokens) => tokens,
                None => self.best(normalized, cancel)?,
            };
            Ok(vec![(tokens, None)])
        })
        .map(|list| list.into_iter().next().unwrap_or_default())
    }

    /// The same without places.
    pub fn cut(&self, text: &[u8], cancel: &Cancel) -> Result<Cut> {
        let normalized = self.normalize_text(text)?;
        let tokens = self.best(&normalized, cancel)?;
        Ok(Cut::new(normalized.into(), tokens))
    }

    fn best(&self, normalized: &str, cancel: &Cancel) -> Result<Vec<PieceToken>> {
        let mut tokens = Vec::new();
        self.model()?.tokenize(normalized, cancel, &mut tokens)?;
        Ok(tokens)
    }

    /// The same by the fast way to ids, where these say all: pieces that stand one behind the other in the normalized text.
    fn best_by_ids(&self, text: &[u8], normalized: &str, cancel: &Cancel) -> Result<Option<Vec<PieceToken>>> {
        let Ok(text) = std::str::from_utf8(text) else { return Ok(None) };
        let options = EncodeOptions { cancel: cancel.flag(), ..EncodeOptions::default() };
        self.with_ids(text, &options, |ids| {
            let mut tokens = Vec::with_capacity(ids.len());
            let mut at = 0;
            for &id in ids {
                let known = self.known(id).filter(|known| {
                    let spelled =
                        !matches!(known.kind, PieceKind::Unknown | PieceKind::Byte | PieceKind::Control);
                    spelled && normalized[at..].starts_with(&known.text)
                })?;
                tokens.push(PieceToken::new(id, at, at + known.text.len()));
                at += known.text.len();
            }
            (at == normalized.len()).then_some(tokens)
        })
    }

    /// A segmentation that is drawn.
    pub fn sample(&self, text: &[u8], sampling: Sampling) -> Result<Segmentation> {
        self.segment(text, |normalized| Ok(vec![(self.drawn(normalized, sampling)?, None)]))
            .map(|list| list.into_iter().next().unwrap_or_default())
    }

    /// The same without places.
    pub fn sample_cut(&self, text: &[u8], sampling: Sampling) -> Result<Cut> {
        let normalized = self.normalize_text(text)?;
        let tokens = self.drawn(&normalized, sampling)?;
        Ok(Cut::new(normalized.into(), tokens))
    }

    fn drawn(&self, normalized: &str, sampling: Sampling) -> Result<Vec<PieceToken>> {
        let mut tokens = Vec::new();
        let Sampling { nbest_size, alpha, seed, time } = sampling;
        let random = &mut Random::from_seed(seed);
        self.model()?.sample(normalized, nbest_size, alpha, time, random, &mut tokens)?;
        Ok(tokens)
    }

    /// The `n` best segmentations, at most [`MOST_LISTED`]; the best alone where they are not found within `time`.
    pub fn nbest(&self, text: &[u8], n: usize, time: Option<Duration>) -> Result<Vec<Segmentation>> {
        refuse_if!(n > MOST_LISTED, Value, "nbest_size is {n}: it must be at most {MOST_LISTED}");
        self.segment(text, |normalized| {
            let list = self.model()?.nbest(normalized, n, time)?;
            Ok(list.into_iter().map(|(tokens, score)| (tokens, Some(score))).collect())
        })
    }

    /// The same without places and scores.
    pub fn nbest_cuts(&self, text: &[u8], n: usize, time: Option<Duration>) -> Result<Vec<Cut>> {
        refuse_if!(n > MOST_LISTED, Value, "nbest_size is {n}: it must be at most {MOST_LISTED}");
        let normalized: Arc<str> = self.normalize_text(text)?.into();
        let list = self.model()?.nbest(&normalized, n, time)?.into_iter();
        Ok(list.map(|(tokens, _)| Cut::new(Arc::clone(&normalized), tokens)).collect())
    }

    fn segment(
        &self,
        text: &[u8],
        cut: impl FnOnce(&str) -> Result<Vec<(Vec<PieceToken>, Option<f32>)>>,
    ) -> Result<Vec<Segmentation>> {
        let (normalized, origins) = self.normalize(text)?;
        let lists = cut(&normalized)?;
        let origin = |at: u32| origins.get(at as usize).copied().unwrap_or(text.len());
        Ok(lists
            .into_iter()
            .map(|(tokens, score)| {
                let pieces = tokens
                    .iter()
                    .map(|token| {
                        let piece = self.known(token.id);
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

/// Ids of the unknown, begin, end and padding pieces, by their texts.
fn named_ids(pieces: &Pieces, named: &[String; 4]) -> [Option<TokenId>; 4] {
    let kinds = [PieceKind::Unknown, PieceKind::Control, PieceKind::Control, PieceKind::Control];
    std::array::from_fn(|at| {
        let id = pieces.id(&named[at]).unwrap_or(pieces.unk_id());
        (pieces.all()[id as usize].kind == kinds[at]).then_some(id)
    })
}
