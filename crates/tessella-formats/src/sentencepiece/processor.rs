//! A model at work, with everything that SentencePiece tells about a segmentation.
//!
//! [`Processor`] puts a model file's parts together: the tokenizer (the fast way to ids), its normalizer and
//! model (for offsets, n-best lists and samples), and decoding with surfaces. Results can be written as the
//! messages that the library exchanges ([`Segmentation::write`]).
//!
//! Texts are bytes: what is no valid UTF-8 becomes U+FFFD, byte by byte (see [`super::bytes`]). Positions are
//! bytes of the text as it was given.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use tessella_core::cancel::Cancel;
use tessella_core::model::sentencepiece::SentencePieceModel;
use tessella_core::normalize::sentencepiece::SentencePieceNormalization;
use tessella_core::random::Random;
use tessella_core::spec::{ModelSpec, NormalizerSpec, PieceKind, SentencePiece, SentencePieceNormalizer};
use tessella_core::text::AlignedText;
use tessella_core::{EncodeOptions, Error, RaggedIds, Result, TokenId, Tokenizer};

use super::sections::{NormalizerSection, TrainerSpec};
use super::wire::Writer;
use super::{Sections, bytes, describe, read_pieces, read_sections, read_self_test};

const SPACE_SYMBOL: char = '▁';

/// One piece of a text.
#[derive(Debug, Clone, PartialEq)]
pub struct Piece {
    pub id: TokenId,
    /// The piece; of an unknown stretch, its normalized text. Only one that decoding was given may be no UTF-8.
    pub text: Vec<u8>,
    /// What it stands for in the text. The bytes of one character stand for it at the last of them.
    pub surface: Option<Vec<u8>>,
    pub begin: usize,
    pub end: usize,
}

impl Piece {
    /// The piece as a text; only one that is no UTF-8 is changed.
    pub fn as_text(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(&self.text)
    }

    /// As [`Piece::as_text`], without a copy.
    pub fn into_text(self) -> String {
        String::from_utf8(self.text)
            .unwrap_or_else(|broken| String::from_utf8_lossy(broken.as_bytes()).into_owned())
    }
}

/// A text in pieces.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Segmentation {
    pub text: Vec<u8>,
    pub pieces: Vec<Piece>,
    /// Of n-best lists.
    pub score: Option<f32>,
}

/// Fields of a segmentation, of its pieces and of a list of segmentations.
const TEXT: u32 = 1;
const PIECES: u32 = 2;
const SCORE: u32 = 3;
const PIECE: u32 = 1;
const ID: u32 = 2;
const SURFACE: u32 = 3;
const BEGIN: u32 = 4;
const END: u32 = 5;
const LIST: u32 = 1;

impl Segmentation {
    /// The bytes of a `SentencePieceText` message.
    pub fn write(&self) -> Vec<u8> {
        let mut writer = Writer::default();
        writer.bytes(TEXT, &self.text);
        for piece in &self.pieces {
            let mut fields = Writer::default();
            fields.bytes(PIECE, &piece.text);
            fields.varint(ID, u64::from(piece.id));
            piece.surface.iter().for_each(|surface| fields.bytes(SURFACE, surface));
            fields.varint(BEGIN, piece.begin as u64);
            fields.varint(END, piece.end as u64);
            writer.bytes(PIECES, &fields.bytes);
        }
        self.score.into_iter().for_each(|score| writer.float(SCORE, score));
        writer.bytes
    }
}

/// The bytes of an `NBestSentencePieceText` message.
pub fn write_list(list: &[Segmentation]) -> Vec<u8> {
    let mut writer = Writer::default();
    list.iter().for_each(|one| writer.bytes(LIST, &one.write()));
    writer.bytes
}

/// How to draw a segmentation.
#[derive(Debug, Clone, Copy)]
pub struct Sampling {
    /// Among how many: 0 and 1 mean the best one, a negative number all.
    pub nbest_size: i32,
    /// Unigram: exponent of the probabilities. BPE: the probability that a merge is skipped.
    pub alpha: f32,
    pub seed: u64,
    /// How long to search for the best ones; see [`Processor::nbest`].
    pub time: Option<Duration>,
}

/// A loaded model.
#[derive(Debug)]
pub struct Processor {
    source: Arc<[u8]>,
    trainer: TrainerSpec,
    tokenizer: Tokenizer,
    model: SentencePieceModel,
    normalization: SentencePieceNormalization,
    normalizer: NormalizerSection,
    denormalization: Option<SentencePieceNormalization>,
}

/// A normalizer as a section describes it. User-defined symbols pass through it.
pub fn normalization(
    section: &NormalizerSection,
    treat_whitespace_as_suffix: bool,
    user_defined: Vec<String>,
) -> Result<SentencePieceNormalization> {
    SentencePieceNormalization::new(&SentencePieceNormalizer {
        name: section.name(),
        charsmap: section.precompiled_charsmap().into(),
        add_dummy_prefix: section.add_dummy_prefix(),
        remove_extra_whitespaces: section.remove_extra_whitespaces(),
        escape_whitespaces: section.escape_whitespaces(),
        treat_whitespace_as_suffix,
        user_defined: user_defined.into(),
    })
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
    /// Loads a serialized model and runs its self test.
    pub fn load(source: &[u8]) -> Result<Self> {
        let sections = read_sections(source)?;
        let spec = describe(&sections, read_pieces(source)?, source);
        let (ModelSpec::SentencePiece(model), Some(NormalizerSpec::SentencePiece(normalizer))) =
            (&spec.model, &spec.normalizer)
        else {
            return Err(Error::model("the description is none of a SentencePiece model"));
        };
        let model = SentencePieceModel::new(model)?;
        let normalization = SentencePieceNormalization::new(normalizer)?;
        let Sections { trainer, normalizer, denormalizer } = sections;
        let denormalization = match denormalizer.precompiled_charsmap().is_empty() {
            true => None,
            false => Some(self::normalization(&denormalizer, false, Vec::new())?),
        };
        let tokenizer = Tokenizer::new(spec)?;
        let source = source.into();
        let processor =
            Processor { source, trainer, tokenizer, model, normalization, normalizer, denormalization };
        processor.test_itself()?;
        Ok(processor)
    }

    fn test_itself(&self) -> Result<()> {
        for (text, expected) in read_self_test(&self.source)? {
            let pieces = self.encode(text.as_bytes(), &Cancel::never())?.pieces;
            let found = pieces.iter().map(Piece::as_text).collect::<Vec<_>>().join(" ");
            if found != expected {
                return Err(Error::model(format!(
                    "the model's self test failed: `{text}` should become `{expected}`, but is `{found}`"
                )));
            }
        }
        Ok(())
    }

    /// The file's bytes.
    pub fn source(&self) -> &[u8] {
        &self.source
    }

    pub fn tokenizer(&self) -> &Tokenizer {
        &self.tokenizer
    }

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

    pub fn piece(&self, id: TokenId) -> Result<&SentencePiece> {
        self.model.piece(id).ok_or_else(|| {
            Error::value(format!("piece id {id} is out of range: there are {} pieces", self.vocab_size()))
        })
    }

    /// Ids of the unknown, begin, end and padding pieces; `None` for those that the model does not have as such.
    pub fn named_ids(&self) -> [Option<TokenId>; 4] {
        let trainer = &self.trainer;
        let of_kind = |text: String, kind: PieceKind| {
            let id = self.piece_to_id(&text);
            self.model.piece(id).is_some_and(|piece| piece.kind == kind).then_some(id)
        };
        [
            of_kind(trainer.unk_piece(), PieceKind::Unknown),
            of_kind(trainer.bos_piece(), PieceKind::Control),
            of_kind(trainer.eos_piece(), PieceKind::Control),
            of_kind(trainer.pad_piece(), PieceKind::Control),
        ]
    }

    /// A normalized text, and for each of its bytes and its end where in the text it comes from.
    pub fn normalize(&self, text: &[u8]) -> Result<(String, Vec<usize>)> {
        normalize(&self.normalization, text)
    }

    /// Ids only.
    pub fn encode_ids(&self, text: &[u8]) -> Result<Vec<TokenId>> {
        match std::str::from_utf8(text) {
            Ok(text) => self.tokenizer.encode_ids(text, &EncodeOptions::default()),
            Err(_) => {
                Ok(self.encode(text, &Cancel::never())?.pieces.into_iter().map(|piece| piece.id).collect())
            }
        }
    }

    /// Ids of many texts.
    pub fn encode_ids_batch(&self, texts: &[&[u8]], options: &EncodeOptions<'_>) -> Result<RaggedIds> {
        let valid: Option<Vec<&str>> = texts.iter().map(|text| std::str::from_utf8(text).ok()).collect();
        if let Some(texts) = valid {
            return self.tokenizer.encode_ids_batch(&texts, options);
        }
        let mut ragged = RaggedIds { ids: Vec::new(), offsets: vec![0] };
        for text in texts {
            ragged.ids.extend(self.encode_ids(text)?);
            ragged.offsets.push(ragged.ids.len() as i64);
        }
        Ok(ragged)
    }

    pub fn encode(&self, text: &[u8], cancel: &Cancel) -> Result<Segmentation> {
        self.segment(text, |model, normalized| {
            let mut tokens = Vec::new();
            model.tokenize(normalized, cancel, &mut tokens)?;
            Ok(vec![(tokens, None)])
        })
        .map(|list| list.into_iter().next().unwrap_or_default())
    }

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

    /// The `n` best segmentations; the best alone where they are not found within `time`.
    pub fn nbest(&self, text: &[u8], n: usize, time: Option<Duration>) -> Result<Vec<Segmentation>> {
        self.segment(text, |model, normalized| {
            let list = model.nbest(normalized, n, time)?;
            Ok(list.into_iter().map(|(tokens, score)| (tokens, Some(score))).collect())
        })
    }

    fn segment(
        &self,
        text: &[u8],
        cut: impl FnOnce(
            &SentencePieceModel,
            &str,
        ) -> Result<Vec<(Vec<tessella_core::ids::PieceToken>, Option<f32>)>>,
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

    pub fn decode_ids(&self, ids: &[TokenId]) -> Result<Segmentation> {
        let pieces = ids.iter().map(|&id| Ok((id, self.piece(id)?.text.clone().into_bytes())));
        Ok(self.decode(pieces.collect::<Result<Vec<_>>>()?))
    }

    fn decode(&self, pieces: Vec<(TokenId, Vec<u8>)>) -> Segmentation {
        let strips = self.normalizer.add_dummy_prefix() || self.normalizer.remove_extra_whitespaces();
        let unk_surface = self.trainer.unk_surface();
        let mut out = Surfaces::default();
        let mut spelled: Vec<(TokenId, Vec<u8>, u8)> = Vec::new();
        let (mut at_start, mut stripped) = (true, false);
        for (id, piece) in pieces {
            let known = self.model.piece(id);
            let kind = known.map_or(PieceKind::Unknown, |known| known.kind);
            if kind == PieceKind::Byte
                && let Some(byte) = byte_of(&piece)
            {
                spelled.push((id, piece, byte));
                continue;
            }
            out.bytes(&mut spelled);
            at_start &= !stripped && out.text.is_empty();
            stripped = false;
            let surface = match (kind, std::str::from_utf8(&piece)) {
                (PieceKind::Control, _) => Vec::new(),
                (PieceKind::Unknown, Ok(text)) if known.is_some_and(|known| known.text == text) => {
                    unk_surface.clone().into_bytes()
                }
                (PieceKind::Unknown, _) | (_, Err(_)) => piece.clone(),
                (_, Ok(mut text)) => {
                    if at_start
                        && strips
                        && let Some(rest) = text.strip_prefix(SPACE_SYMBOL)
                    {
                        text = rest;
                        stripped = !self.normalizer.remove_extra_whitespaces();
                    }
                    text.replace(SPACE_SYMBOL, " ").into_bytes()
                }
            };
            out.push(id, piece, &surface);
        }
        out.bytes(&mut spelled);
        let mut text = out.text;
        if let Some(denormalization) = &self.denormalization {
            let spelled = bytes::spell(&text);
            let mut aligned = AlignedText::untracked(&spelled);
            // Fails on no text: the map was checked when it was loaded.
            if denormalization.normalize(&mut aligned).is_ok() {
                text = bytes::restore(aligned.as_str()).into_owned().into_bytes();
            }
        }
        Segmentation { text, pieces: out.pieces, score: None }
    }
}

/// A decoded text that grows.
#[derive(Default)]
struct Surfaces {
    text: Vec<u8>,
    pieces: Vec<Piece>,
}

impl Surfaces {
    fn push(&mut self, id: TokenId, text: Vec<u8>, surface: &[u8]) {
        let begin = self.text.len();
        self.text.extend_from_slice(surface);
        let surface = Some(surface.to_vec());
        self.pieces.push(Piece { id, text, surface, begin, end: self.text.len() });
    }

    /// Turns bytes into characters, each at its last byte; U+FFFD for every byte that is part of none.
    fn bytes(&mut self, spelled: &mut Vec<(TokenId, Vec<u8>, u8)>) {
        if spelled.is_empty() {
            return;
        }
        let bytes: Vec<u8> = spelled.iter().map(|(_, _, byte)| *byte).collect();
        let mut pieces = spelled.drain(..);
        for chunk in bytes.utf8_chunks() {
            for c in chunk.valid().chars() {
                for (id, text, _) in pieces.by_ref().take(c.len_utf8() - 1) {
                    self.push(id, text, b"");
                }
                pieces
                    .by_ref()
                    .take(1)
                    .for_each(|(id, text, _)| self.push(id, text, c.encode_utf8(&mut [0; 4]).as_bytes()));
            }
            for (id, text, _) in pieces.by_ref().take(chunk.invalid().len()) {
                self.push(id, text, "\u{FFFD}".as_bytes());
            }
        }
    }
}

/// The byte that `<0x41>` stands for.
fn byte_of(piece: &[u8]) -> Option<u8> {
    let digits = std::str::from_utf8(piece).ok()?.strip_prefix("<0x")?.strip_suffix('>')?;
    (digits.len() == 2).then(|| u8::from_str_radix(digits, 16).ok()).flatten()
}
