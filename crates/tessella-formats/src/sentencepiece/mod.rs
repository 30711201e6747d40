//! SentencePiece model files.
//!
//! From the bottom up: [`wire`] reads and writes the fields of messages, [`sections`] gives names and
//! defaults to those of the trainer and normalizer sections, and this file turns a model into a description
//! that runs by SentencePiece's own rules, and back.
//!
//! The description has no added tokens: control symbols are never found in text, and user-defined symbols
//! are the model's and the normalizer's own business. The file itself is carried along in
//! [`SentencePieceSpec::source`]: what has not changed is written again as it stood, byte for byte.

pub mod merges;
pub mod messages;
pub mod normalizer;
mod rules;
mod rules_named;
mod rules_table;
pub mod sections;
mod wire;

use std::sync::Arc;

use tessella_core::sentencepiece::Description;
use tessella_core::spec::{
    DecoderSpec, ModelSpec, NormalizerSpec, PieceKind, SentencePiece, SentencePieceKind,
    SentencePieceNormalizer, SentencePieceSpec,
};
use tessella_core::{Error, Result, TokenizerSpec};

use sections::{NormalizerSection, TrainerSpec};
use wire::{Fields, Writer, broken};

/// Fields of the whole model.
const PIECES: u32 = 1;
const TRAINER: u32 = 2;
const NORMALIZER: u32 = 3;
const SELF_TEST: u32 = 4;
const DENORMALIZER: u32 = 5;
/// Fields of the self test and of one sample.
const SAMPLE: u32 = 1;
const SAMPLE_TEXT: u32 = 1;
const SAMPLE_EXPECTED: u32 = 2;
/// Fields of a piece.
const PIECE_TEXT: u32 = 1;
const PIECE_SCORE: u32 = 2;
const PIECE_KIND: u32 = 3;

/// A whole model, part by part.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Model {
    /// The pieces, by id.
    pub pieces: Vec<SentencePiece>,
    /// How it was trained.
    pub trainer: TrainerSpec,
    /// How texts are prepared.
    pub normalizer: NormalizerSection,
    /// How decoded texts are finished.
    pub denormalizer: Option<NormalizerSection>,
    /// Texts and the pieces that they should become, with spaces between them.
    pub self_test: Vec<(String, String)>,
}

impl Model {
    /// The bytes of the file.
    pub fn write(&self) -> Vec<u8> {
        let mut writer = Writer::default();
        self.pieces.iter().for_each(|piece| write_piece(piece, &mut writer));
        writer.bytes(TRAINER, &self.trainer.write());
        writer.bytes(NORMALIZER, &self.normalizer.write());
        if !self.self_test.is_empty() {
            let mut samples = Writer::default();
            for (text, expected) in &self.self_test {
                let mut sample = Writer::default();
                sample.bytes(SAMPLE_TEXT, text.as_bytes());
                sample.bytes(SAMPLE_EXPECTED, expected.as_bytes());
                samples.bytes(SAMPLE, &sample.bytes);
            }
            writer.bytes(SELF_TEST, &samples.bytes);
        }
        if let Some(denormalizer) = &self.denormalizer {
            writer.bytes(DENORMALIZER, &denormalizer.write());
        }
        writer.bytes
    }
}

/// Everything of a model but its pieces.
#[derive(Debug, Clone, Default, PartialEq)]
struct Sections {
    trainer: TrainerSpec,
    normalizer: NormalizerSection,
    denormalizer: NormalizerSection,
    /// Whether there is one, which few models have.
    has_self_test: bool,
}

/// Reads a serialized model.
pub fn read_model(bytes: &[u8]) -> Result<TokenizerSpec> {
    let pieces = read_pieces(bytes)?;
    let sections = read_sections(bytes)?;
    if !sections.denormalizer.precompiled_charsmap().is_empty() {
        return Err(Error::unsupported(
            "the SentencePiece model has a denormalizer with a character map, which decoding does not apply",
        ));
    }
    Ok(describe(&sections, pieces, bytes))
}

/// Reads a serialized model with what only [`Processor`](tessella_core::sentencepiece::Processor) makes use of.
pub fn read_description(bytes: &[u8]) -> Result<Description> {
    let sections = read_sections(bytes)?;
    let (trainer, denormalizer) = (&sections.trainer, &sections.denormalizer);
    Ok(Description {
        denormalizer: (!denormalizer.precompiled_charsmap().is_empty())
            .then(|| denormalizer.described(false, Vec::new())),
        named: [trainer.unk_piece(), trainer.bos_piece(), trainer.eos_piece(), trainer.pad_piece()],
        self_test: if sections.has_self_test { read_self_test(bytes)? } else { Vec::new() },
        spec: describe(&sections, read_pieces(bytes)?, bytes),
    })
}

fn read_pieces(bytes: &[u8]) -> Result<Vec<SentencePiece>> {
    let mut pieces = Vec::new();
    let mut fields = Fields::new(bytes, 0);
    while let Some(field) = fields.next_field()? {
        if field.number == PIECES {
            let piece = field.bytes()?;
            pieces.push(match read_usual_piece(piece) {
                Some(piece) => piece,
                None => read_piece(piece, field.value_offset)?,
            });
        }
    }
    refuse_if!(pieces.is_empty(), Format, "this is no SentencePiece model: it has no pieces");
    Ok(pieces)
}

/// The texts of the self test with the pieces that they should become.
fn read_self_test(bytes: &[u8]) -> Result<Vec<(String, String)>> {
    let mut samples = Vec::new();
    let mut fields = Fields::new(bytes, 0);
    while let Some(field) = fields.next_field()? {
        if field.number != SELF_TEST {
            continue;
        }
        let mut list = Fields::new(field.bytes()?, field.value_offset);
        while let Some(sample) = list.next_field()? {
            if sample.number != SAMPLE {
                continue;
            }
            let mut pair = (String::new(), String::new());
            let mut parts = Fields::new(sample.bytes()?, sample.value_offset);
            while let Some(part) = parts.next_field()? {
                match part.number {
                    SAMPLE_TEXT => pair.0 = part.text()?.to_string(),
                    SAMPLE_EXPECTED => pair.1 = part.text()?.to_string(),
                    _ => {}
                }
            }
            samples.push(pair);
        }
    }
    Ok(samples)
}

/// A piece as it is written by everybody: a short text, the score, and the kind of one that is not normal. A model has tens of
/// thousands of them, and many read it for nothing else.
fn read_usual_piece(bytes: &[u8]) -> Option<SentencePiece> {
    const TEXT: u8 = (PIECE_TEXT << 3 | 2) as u8;
    const SCORE: u8 = (PIECE_SCORE << 3 | 5) as u8;
    const KIND: u8 = (PIECE_KIND << 3) as u8;
    let [TEXT, length @ 0..0x80, rest @ ..] = bytes else { return None };
    let (text, rest) = rest.split_at_checked(usize::from(*length))?;
    let (score, kind) = match *rest {
        [SCORE, a, b, c, d] => ([a, b, c, d], PieceKind::Normal),
        [SCORE, a, b, c, d, KIND, kind] => ([a, b, c, d], kind_of_piece(u64::from(kind))?),
        _ => return None,
    };
    let text = std::str::from_utf8(text).ok()?.to_string();
    Some(SentencePiece { text, score: f32::from_le_bytes(score), kind })
}

pub(crate) fn kind_of_piece(number: u64) -> Option<PieceKind> {
    Some(match number {
        1 => PieceKind::Normal,
        2 => PieceKind::Unknown,
        3 => PieceKind::Control,
        4 => PieceKind::UserDefined,
        5 => PieceKind::Unused,
        6 => PieceKind::Byte,
        _ => return None,
    })
}

fn read_piece(bytes: &[u8], base: usize) -> Result<SentencePiece> {
    let mut piece = SentencePiece { text: String::new(), score: 0.0, kind: PieceKind::Normal };
    let mut fields = Fields::new(bytes, base);
    while let Some(field) = fields.next_field()? {
        match field.number {
            PIECE_TEXT => piece.text = field.text()?.to_string(),
            PIECE_SCORE => piece.score = field.float()?,
            PIECE_KIND => {
                let number = field.varint()?;
                let message = || format!("a piece has type {number}: types are 1 to 6");
                piece.kind = kind_of_piece(number).ok_or_else(|| broken(message(), field.offset))?;
            }
            _ => {}
        }
    }
    Ok(piece)
}

/// Reads all but the pieces. Of a section that comes twice, the fields add up.
fn read_sections(bytes: &[u8]) -> Result<Sections> {
    let mut sections = Sections::default();
    let mut parts: [(Vec<u8>, usize); 3] = Default::default();
    let mut fields = Fields::new(bytes, 0);
    while let Some(field) = fields.next_field()? {
        let part = match field.number {
            TRAINER => 0,
            NORMALIZER => 1,
            DENORMALIZER => 2,
            SELF_TEST => {
                sections.has_self_test = true;
                continue;
            }
            _ => continue,
        };
        if parts[part].0.is_empty() {
            parts[part].1 = field.value_offset;
        }
        parts[part].0.extend_from_slice(field.bytes()?);
    }
    sections.trainer = TrainerSpec::read(&parts[0].0, parts[0].1)?;
    sections.normalizer = NormalizerSection::read(&parts[1].0, parts[1].1)?;
    sections.denormalizer = NormalizerSection::read(&parts[2].0, parts[2].1)?;
    let model_type = sections.trainer.model_type();
    if kind_of(model_type).is_none() {
        let message =
            format!("model_type is {model_type}: it must be 1 (unigram), 2 (bpe), 3 (word) or 4 (char)");
        return Err(broken(message, parts[0].1));
    }
    Ok(sections)
}

fn kind_of(model_type: i32) -> Option<SentencePieceKind> {
    match model_type {
        sections::UNIGRAM => Some(SentencePieceKind::Unigram),
        sections::BPE => Some(SentencePieceKind::Bpe),
        sections::WORD => Some(SentencePieceKind::Word),
        sections::CHAR => Some(SentencePieceKind::Char),
        _ => None,
    }
}

impl NormalizerSection {
    /// What runs this section; user-defined symbols pass through it.
    fn described(
        &self,
        treat_whitespace_as_suffix: bool,
        user_defined: Vec<String>,
    ) -> SentencePieceNormalizer {
        SentencePieceNormalizer {
            name: self.name(),
            charsmap: self.precompiled_charsmap().into(),
            add_dummy_prefix: self.add_dummy_prefix(),
            remove_extra_whitespaces: self.remove_extra_whitespaces(),
            escape_whitespaces: self.escape_whitespaces(),
            treat_whitespace_as_suffix,
            user_defined: user_defined.into(),
            blanks_before_words: false,
        }
    }
}

/// The symbols that pass through a normalizer: the longest first.
pub(crate) fn user_defined(pieces: &[SentencePiece]) -> Vec<String> {
    let symbols = pieces.iter().filter(|piece| piece.kind == PieceKind::UserDefined);
    let mut symbols: Vec<String> = symbols.map(|piece| piece.text.clone()).collect();
    symbols.sort_by(|a, b| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
    symbols
}

/// The tokenizer that a model's sections and pieces describe.
fn describe(sections: &Sections, pieces: Vec<SentencePiece>, source: &[u8]) -> TokenizerSpec {
    let Sections { trainer, normalizer, .. } = sections;
    let user_defined = user_defined(&pieces);
    let pieces = Arc::new(pieces);
    let mut spec = TokenizerSpec::new(ModelSpec::SentencePiece(SentencePieceSpec {
        kind: kind_of(trainer.model_type()).unwrap_or(SentencePieceKind::Unigram),
        pieces: Arc::clone(&pieces),
        byte_fallback: trainer.byte_fallback(),
        treat_whitespace_as_suffix: trainer.treat_whitespace_as_suffix(),
        wide_sums: false,
        unk_surface: trainer.unk_surface(),
        source: Some(source.into()),
    }));
    let described = normalizer.described(trainer.treat_whitespace_as_suffix(), user_defined);
    spec.normalizer = Some(NormalizerSpec::SentencePiece(described));
    spec.decoder = Some(DecoderSpec::SentencePiece {
        pieces,
        add_dummy_prefix: normalizer.add_dummy_prefix(),
        remove_extra_whitespaces: normalizer.remove_extra_whitespaces(),
        treat_whitespace_as_suffix: trainer.treat_whitespace_as_suffix(),
        unk_surface: trainer.unk_surface(),
    });
    spec
}

/// The trainer section that a description carries along, or the defaults.
pub fn trainer_spec(spec: &SentencePieceSpec) -> Result<TrainerSpec> {
    Ok(read_sections(spec.source.as_deref().unwrap_or_default())?.trainer)
}

/// The normalizer section that a description carries along, or the defaults.
pub fn normalizer_spec(spec: &SentencePieceSpec) -> Result<NormalizerSection> {
    Ok(read_sections(spec.source.as_deref().unwrap_or_default())?.normalizer)
}

/// Writes a serialized model.
///
/// Only a SentencePiece model with SentencePiece's own normalizer and decoder, and nothing around them, is
/// such a file; anything else is an error that names what stands in the way.
pub fn write_model(spec: &TokenizerSpec) -> Result<Vec<u8>> {
    let obstacle =
        |what: &str| Err(Error::unsupported(format!("a SentencePiece model file cannot express {what}")));
    let ModelSpec::SentencePiece(model) = &spec.model else {
        return obstacle(
            "this kind of model: only what was trained as a SentencePiece model, by tessella.compat.sentencepiece",
        );
    };
    let normalizer = match &spec.normalizer {
        Some(NormalizerSpec::SentencePiece(normalizer)) => normalizer.clone(),
        None => SentencePieceNormalizer {
            name: "identity".to_string(),
            charsmap: Arc::new([]),
            add_dummy_prefix: false,
            remove_extra_whitespaces: false,
            escape_whitespaces: false,
            treat_whitespace_as_suffix: model.treat_whitespace_as_suffix,
            user_defined: Arc::new([]),
            blanks_before_words: false,
        },
        Some(_) => return obstacle("a normalizer other than SentencePiece's own"),
    };
    if normalizer.blanks_before_words {
        return obstacle(
            "a normalizer that sets blanks as llama.cpp does, in front of words: SentencePiece takes `▁` off the ends of texts",
        );
    }
    if model.wide_sums {
        return obstacle(
            "scores that are added as 64-bit numbers, as llama.cpp does: SentencePiece adds 32-bit numbers",
        );
    }
    if let Some(token) = spec.added_tokens.iter().find(|token| !is_piece(model, token.id, &token.content)) {
        return obstacle(&format!(
            "the added token `{}`, which is none of the model's pieces",
            token.content
        ));
    }
    if spec.pre_tokenizer.is_some() {
        return obstacle("a pre-tokenizer");
    }
    if spec.post_processor.is_some() {
        return obstacle("a post-processor");
    }
    if !matches!(spec.decoder, None | Some(DecoderSpec::SentencePiece { .. })) {
        return obstacle("a decoder other than SentencePiece's own");
    }
    if normalizer.treat_whitespace_as_suffix != model.treat_whitespace_as_suffix {
        return obstacle(
            "a normalizer that treats white space as suffix for a model that does not, or the reverse",
        );
    }

    let mut writer = Writer::default();
    write_pieces(model, &mut writer)?;
    write_sections(model, &normalizer, &mut writer)?;
    Ok(writer.bytes)
}

/// Writes the pieces, each as it stood in the file carried along unless it has changed since.
fn write_pieces(model: &SentencePieceSpec, writer: &mut Writer) -> Result<()> {
    let mut old = Fields::new(model.source.as_deref().unwrap_or_default(), 0);
    for piece in model.pieces.iter() {
        let field = loop {
            match old.next_field()? {
                Some(field) if field.number != PIECES => {}
                field => break field,
            }
        };
        if let Some(field) = field
            && read_piece(field.bytes()?, field.value_offset)? == *piece
        {
            writer.raw(field.raw);
            continue;
        }
        write_piece(piece, writer);
    }
    Ok(())
}

fn write_piece(piece: &SentencePiece, writer: &mut Writer) {
    let mut fields = Writer::default();
    fields.bytes(PIECE_TEXT, piece.text.as_bytes());
    fields.float(PIECE_SCORE, piece.score);
    let kind = match piece.kind {
        PieceKind::Normal => None,
        PieceKind::Unknown => Some(2),
        PieceKind::Control => Some(3),
        PieceKind::UserDefined => Some(4),
        PieceKind::Unused => Some(5),
        PieceKind::Byte => Some(6),
    };
    kind.into_iter().for_each(|kind| fields.varint(PIECE_KIND, kind));
    writer.bytes(PIECES, &fields.bytes);
}

fn is_piece(model: &SentencePieceSpec, id: Option<u32>, text: &str) -> bool {
    match id {
        Some(id) => model.pieces.get(id as usize).is_some_and(|piece| piece.text == text),
        None => model.pieces.iter().any(|piece| piece.text == text),
    }
}

/// Writes the sections carried along, each as it stood unless the description has changed since.
fn write_sections(
    model: &SentencePieceSpec,
    normalizer: &SentencePieceNormalizer,
    writer: &mut Writer,
) -> Result<()> {
    let source = model.source.as_deref().unwrap_or_default();
    let old = read_sections(source)?;
    let mut new = old.clone();
    fn set<T: PartialEq>(place: &mut Option<T>, now: T, value: T) {
        if now != value {
            *place = Some(value);
        }
    }
    let model_type = match model.kind {
        SentencePieceKind::Unigram => sections::UNIGRAM,
        SentencePieceKind::Bpe => sections::BPE,
        SentencePieceKind::Word => sections::WORD,
        SentencePieceKind::Char => sections::CHAR,
    };
    let trainer = &mut new.trainer;
    set(&mut trainer.model_type, old.trainer.model_type(), model_type);
    set(&mut trainer.byte_fallback, old.trainer.byte_fallback(), model.byte_fallback);
    let suffix = model.treat_whitespace_as_suffix;
    set(&mut trainer.treat_whitespace_as_suffix, old.trainer.treat_whitespace_as_suffix(), suffix);
    set(&mut trainer.unk_surface, old.trainer.unk_surface(), model.unk_surface.clone());
    let section = &mut new.normalizer;
    set(&mut section.name, old.normalizer.name(), normalizer.name.clone());
    set(
        &mut section.precompiled_charsmap,
        old.normalizer.precompiled_charsmap(),
        normalizer.charsmap.to_vec(),
    );
    set(&mut section.add_dummy_prefix, old.normalizer.add_dummy_prefix(), normalizer.add_dummy_prefix);
    let remove = normalizer.remove_extra_whitespaces;
    set(&mut section.remove_extra_whitespaces, old.normalizer.remove_extra_whitespaces(), remove);
    set(&mut section.escape_whitespaces, old.normalizer.escape_whitespaces(), normalizer.escape_whitespaces);

    let unchanged = new == old && model.source.is_some();
    if !unchanged {
        writer.bytes(TRAINER, &new.trainer.write());
        writer.bytes(NORMALIZER, &new.normalizer.write());
    }
    let mut fields = Fields::new(source, 0);
    while let Some(field) = fields.next_field()? {
        match field.number {
            PIECES => {}
            TRAINER | NORMALIZER if !unchanged => {}
            _ => writer.raw(field.raw),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
