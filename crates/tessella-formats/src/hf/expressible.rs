//! A description restated in what the document can say, before it is written.
//!
//! Readers of this format work out the ids of added tokens themselves: a token in the model's vocabulary keeps
//! its id there, any other gets the next free one, and the `id` in the file is only compared. A tokenizer of
//! ranks has special tokens at ids of its own choosing, with gaps; where the rule would give others, they are
//! put into the written vocabulary. No merge produces them there.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use tessella_core::error::excerpt;
use tessella_core::spec::{AddedToken, Merges, ModelSpec, Vocab};
use tessella_core::{Error, Result, TokenId, TokenizerSpec};

use super::concat_rank;

pub(super) const SENTENCEPIECE_OBSTACLE: &str = "tokenizer.json cannot express a model that runs by \
     SentencePiece's own rules (sums of 32-bit scores, control symbols that never match in text but vanish when \
     decoded, user-defined symbols cut before normalization); save as a SentencePiece model instead";

pub(super) fn expressible(spec: &TokenizerSpec) -> Result<Cow<'_, TokenizerSpec>> {
    let mut spec = Cow::Borrowed(spec);
    if let ModelSpec::Bpe(bpe) = &spec.model
        && matches!(bpe.merges, Merges::ConcatRank)
    {
        let mut bpe = bpe.clone();
        bpe.merges = Merges::Pairs(Arc::new(concat_rank::pairs(&bpe)?));
        bpe.ignore_merges = true;
        if let Some(vocab) = vocab_with_added(&bpe.vocab, &spec.added_tokens)? {
            bpe.vocab = Arc::new(vocab);
        }
        spec.to_mut().model = ModelSpec::Bpe(bpe);
    }
    if matches!(spec.model, ModelSpec::SentencePiece(_)) {
        return Err(Error::unsupported(SENTENCEPIECE_OBSTACLE));
    }
    let ascending = spec.added_tokens.windows(2).all(|pair| pair[0].id <= pair[1].id);
    if !ascending || spec.added_tokens.iter().any(|token| token.id.is_none()) {
        let tokens = with_ids(&spec.model, &spec.added_tokens);
        spec.to_mut().added_tokens = tokens;
    }
    Ok(spec)
}

/// The vocabulary with the added tokens in it, if their ids would not come out of the rule otherwise.
fn vocab_with_added(vocab: &Vocab, added: &[AddedToken]) -> Result<Option<Vocab>> {
    let mut declared: Vec<(TokenId, &str)> =
        added.iter().filter_map(|token| token.id.map(|id| (id, token.content.as_str()))).collect();
    declared.sort_unstable();
    let mut next = vocab.len() as TokenId;
    let mut agrees = true;
    for &(id, content) in &declared {
        match vocab.id(content) {
            Some(own) if own != id => {
                return Err(Error::unsupported(format!(
                    "tokenizer.json cannot express the added token `{}` with the id {id}: the vocabulary has the \
                     same text at the id {own}",
                    excerpt(content)
                )));
            }
            Some(_) => {}
            None => {
                agrees &= id == next;
                next = next.max(id.saturating_add(1));
            }
        }
    }
    if agrees {
        return Ok(None);
    }
    let entries = vocab.iter().chain(declared.iter().map(|&(id, content)| (content, id)));
    Vocab::from_entries(entries).map(Some)
}

/// Fills in missing ids by the rule and sorts.
fn with_ids(model: &ModelSpec, added: &[AddedToken]) -> Vec<AddedToken> {
    let unigram: HashMap<&str, TokenId> = match model {
        ModelSpec::Unigram(model) => {
            model.vocab.iter().zip(0..).map(|((text, _), id)| (text.as_str(), id)).collect()
        }
        _ => HashMap::new(),
    };
    let vocab = match model {
        ModelSpec::Bpe(model) => Some(&*model.vocab),
        ModelSpec::WordPiece(model) => Some(&*model.vocab),
        ModelSpec::WordLevel(model) => Some(&*model.vocab),
        ModelSpec::Unigram(_) | ModelSpec::SentencePiece(_) => None,
    };
    let own_id = |text: &str| match vocab {
        Some(vocab) => vocab.id(text),
        None => unigram.get(text).copied(),
    };
    let size = match model {
        ModelSpec::Unigram(model) => model.vocab.len(),
        _ => vocab.map_or(0, Vocab::len),
    };
    let after_declared = added.iter().filter_map(|token| token.id).max().map_or(0, |id| id.saturating_add(1));
    let mut next = after_declared.max(size as TokenId);
    let mut tokens = added.to_vec();
    for token in &mut tokens {
        if token.id.is_none() {
            token.id = Some(own_id(&token.content).unwrap_or_else(|| {
                next = next.saturating_add(1);
                next - 1
            }));
        }
    }
    tokens.sort_by_key(|token| token.id);
    tokens
}
