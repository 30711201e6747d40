//! A description restated in what the document can say, before it is written.
//!
//! Readers of this format work out the ids of added tokens themselves ([`added_ids`]); the
//! `id` in the file is only compared. Where a tokenizer has other ids than would come out (special tokens of
//! a tokenizer of ranks stand where they like, with gaps), the added tokens are put into the written BPE
//! vocabulary, which fixes their ids. No merge produces them there; one that text could have as a whole piece, where
//! such pieces are looked up, is refused.

use std::borrow::Cow;
use std::sync::Arc;

use tessella_core::error::excerpt;
use tessella_core::pretokenize::PreTokenizer;
use tessella_core::spec::{Merges, ModelSpec, Vocab};
use tessella_core::text::{AlignedText, Pieces};
use tessella_core::{Error, Result, TokenizerSpec};

use super::added_ids;
use crate::concat_rank;

pub(super) const SENTENCEPIECE_OBSTACLE: &str = "tokenizer.json cannot express a model that runs by \
     SentencePiece's own rules (sums of 32-bit scores, control symbols that never match in text but vanish when \
     decoded, user-defined symbols cut before normalization); save as a SentencePiece model instead";

pub(super) fn expressible(spec: &TokenizerSpec) -> Result<Cow<'_, TokenizerSpec>> {
    if matches!(spec.model, ModelSpec::SentencePiece(_)) {
        return Err(Error::unsupported(SENTENCEPIECE_OBSTACLE));
    }
    let mut spec = Cow::Borrowed(spec);
    if spec.added_tokens.iter().any(|token| token.id.is_none() || token.content.is_empty()) {
        let tokens = added_ids::fill(&spec.model, &spec.added_tokens);
        spec.to_mut().added_tokens = tokens;
    }
    if spec.added_tokens.windows(2).any(|pair| pair[0].id > pair[1].id) {
        spec.to_mut().added_tokens.sort_by_key(|token| token.id);
    }
    if let ModelSpec::Bpe(bpe) = &spec.model
        && matches!(bpe.merges, Merges::ConcatRank)
    {
        if !bpe.ignore_merges {
            return Err(Error::unsupported(
                "ranks with `ignore_merges` off cannot be restated as merges, which say the same only where whole \
                 pieces are looked up first",
            ));
        }
        let mut bpe = bpe.clone();
        bpe.merges = Merges::Pairs(Arc::new(concat_rank::pairs(&bpe)?));
        spec.to_mut().model = ModelSpec::Bpe(bpe);
    }
    let (by_rule, _) = added_ids::by_rule(&spec.model, &spec.added_tokens);
    if by_rule != spec.added_tokens {
        let model = with_added(&spec)?;
        spec.to_mut().model = model;
    }
    Ok(spec)
}

/// The model with the added tokens in its vocabulary.
fn with_added(spec: &TokenizerSpec) -> Result<ModelSpec> {
    let (model, added) = (&spec.model, &spec.added_tokens);
    let vocab = model.vocab();
    let looks_up = matches!(model, ModelSpec::Bpe(bpe) if bpe.ignore_merges);
    let stages = match &spec.pre_tokenizer {
        Some(stages) if looks_up => Some(PreTokenizer::new(stages)?),
        _ => None,
    };
    for token in added {
        let refuse = |reason: &str| {
            Err(Error::unsupported(format!(
                "tokenizer.json cannot express the added token `{}` with the id {}: readers would give it another \
                 one, and {reason}",
                excerpt(&token.content),
                token.id.unwrap_or_default()
            )))
        };
        match vocab.and_then(|vocab| vocab.id(&token.content)) {
            Some(own) if Some(own) != token.id => {
                return refuse(&format!("the model's vocabulary has the same text at the id {own}"));
            }
            Some(_) => {}
            None if !matches!(model, ModelSpec::Bpe(_)) => {
                return refuse("only the vocabulary of BPE could hold it without a change of behavior");
            }
            None if token.content.chars().nth(1).is_none() => {
                return refuse("as a single character in the model's vocabulary it would match in text");
            }
            None if looks_up && is_a_piece(stages.as_ref(), &token.content)? => {
                return refuse(
                    "as a whole piece in the model's vocabulary it would match in text whose special tokens are \
                     no special ones",
                );
            }
            None => {}
        }
    }
    let ModelSpec::Bpe(bpe) = model else { return Ok(model.clone()) };
    let mut bpe = bpe.clone();
    let entries =
        bpe.vocab.iter().chain(added.iter().filter_map(|token| Some((token.content.as_str(), token.id?))));
    bpe.vocab = Arc::new(Vocab::from_entries(entries)?);
    Ok(ModelSpec::Bpe(bpe))
}

/// Whether a text comes to the model as it is, in one piece.
fn is_a_piece(stages: Option<&PreTokenizer>, text: &str) -> Result<bool> {
    let Some(stages) = stages else { return Ok(true) };
    let mut pieces = Pieces::whole(AlignedText::borrowed(text, 0));
    stages.pre_tokenize(&mut pieces)?;
    Ok(pieces.pieces().iter().any(|piece| pieces.str(piece) == text))
}
