//! The pieces of a text after every stage, for people who want to see them.
//!
//! This runs the stages one after the other, as the slow twin of the fused ways does.

use super::positions::Positions;
use super::segment::SegmentScratch;
use super::{Inner, Tokenizer};
use crate::cancel::Cancel;
use crate::encoding::OffsetUnit;
use crate::error::Result;
use crate::ids::TokenId;
use crate::limits;
use crate::text::Pieces;

/// A piece at some stage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StagePiece {
    /// Its text at this stage.
    pub text: String,
    /// Characters of the original.
    pub start: usize,
    /// Behind its last character.
    pub end: usize,
    /// The added token that it is.
    pub added: Option<TokenId>,
}

/// The pieces of a text on its way to the model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stages {
    /// The raw text, cut at added tokens that match raw text.
    pub raw: Vec<StagePiece>,
    /// After normalisation, cut at added tokens that match normalized text; then after every stage of the
    /// pre-tokenizer.
    pub later: Vec<Vec<StagePiece>>,
}

impl Tokenizer {
    /// The pieces of a text after every stage.
    pub fn stages(&self, text: &str, specials_as_text: bool) -> Result<Stages> {
        self.inner.stages(text, specials_as_text)
    }
}

impl Inner {
    fn stages(&self, text: &str, specials_as_text: bool) -> Result<Stages> {
        let _work = limits::begin(text.len(), Cancel::never());
        let mut scratch = SegmentScratch::default();
        let mut pieces = self.segments(text, specials_as_text, &mut scratch)?;
        let mut positions = Positions::new(text, OffsetUnit::Char);
        let raw = scratch
            .raw
            .iter()
            .map(|segment| StagePiece {
                text: text[segment.range.clone()].to_string(),
                start: positions.convert(segment.range.start),
                end: positions.convert(segment.range.end),
                added: segment.id,
            })
            .collect();
        let mut later = vec![shown(&pieces, text)];
        if let Some(pre) = self.pre_tokenizer.as_deref() {
            for stage in 0..pre.stage_count() {
                pre.pre_tokenize_stage(stage, &mut pieces)?;
                later.push(shown(&pieces, text));
            }
        }
        Ok(Stages { raw, later })
    }
}

fn shown(pieces: &Pieces<'_>, text: &str) -> Vec<StagePiece> {
    let mut positions = Positions::new(text, OffsetUnit::Char);
    pieces
        .pieces()
        .iter()
        .map(|piece| {
            let span = pieces.span(piece);
            StagePiece {
                text: pieces.str(piece).to_string(),
                start: positions.convert(span.start),
                end: positions.convert(span.end),
                added: piece.added_id(),
            }
        })
        .collect()
}
