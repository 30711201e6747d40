//! Which ids added tokens get when a document is read.
//!
//! The `id` of an added token in a file is only a claim. A token whose text is in the model's vocabulary has
//! the id that it has there; any other gets the next free one after the model's size and all earlier added
//! tokens. A claim that disagrees is passed over, and reported.

use std::collections::HashMap;

use tessella_core::TokenId;
use tessella_core::error::excerpt;
use tessella_core::spec::{AddedToken, ModelSpec};

/// The ids that a model gives to some texts, and its size.
fn in_model<'t>(model: &ModelSpec, tokens: &'t [AddedToken]) -> (HashMap<&'t str, TokenId>, TokenId) {
    let mut wanted: HashMap<&str, Option<TokenId>> =
        tokens.iter().map(|token| (token.content.as_str(), None)).collect();
    let size = match (model, model.vocab()) {
        (_, Some(vocab)) => {
            wanted.iter_mut().for_each(|(text, id)| *id = vocab.id(text));
            vocab.len()
        }
        (ModelSpec::Unigram(model), _) => {
            // Of a repeated piece the later one counts.
            for ((text, _), id) in model.vocab.iter().zip(0..) {
                if let Some(slot) = wanted.get_mut(text.as_str()) {
                    *slot = Some(id);
                }
            }
            model.vocab.len()
        }
        (ModelSpec::SentencePiece(model), _) => {
            for (piece, id) in model.pieces.iter().zip(0..) {
                if let Some(slot) = wanted.get_mut(piece.text.as_str()) {
                    *slot = Some(id);
                }
            }
            model.pieces.len()
        }
        _ => 0,
    };
    (wanted.into_iter().filter_map(|(text, id)| Some((text, id?))).collect(), size as TokenId)
}

/// The tokens with the ids that the rule gives them, and a line about each claim that disagrees.
pub(super) fn by_rule(model: &ModelSpec, tokens: &[AddedToken]) -> (Vec<AddedToken>, Vec<String>) {
    let (own, size) = in_model(model, tokens);
    let mut given: HashMap<&str, TokenId> = HashMap::new();
    let mut next = size;
    let mut disagreements = Vec::new();
    let resolved = tokens
        .iter()
        .filter(|token| !token.content.is_empty())
        .map(|token| {
            let content = token.content.as_str();
            let id = given.get(content).or_else(|| own.get(content)).copied().unwrap_or(next);
            given.insert(content, id);
            next = next.max(id.saturating_add(1));
            if let Some(claimed) = token.id
                && claimed != id
            {
                disagreements.push(format!(
                    "the added token `{}` says that its id is {claimed}, but it gets {id}",
                    excerpt(content)
                ));
            }
            AddedToken { id: Some(id), ..token.clone() }
        })
        .collect();
    (resolved, disagreements)
}

/// Ids for the tokens that have none; the others keep theirs. Tokens without text are dropped.
pub(super) fn fill(model: &ModelSpec, tokens: &[AddedToken]) -> Vec<AddedToken> {
    let (own, size) = in_model(model, tokens);
    let mut next =
        tokens.iter().filter_map(|token| token.id).max().map_or(size, |id| size.max(id.saturating_add(1)));
    tokens
        .iter()
        .filter(|token| !token.content.is_empty())
        .map(|token| {
            let id = token.id.or_else(|| own.get(token.content.as_str()).copied()).unwrap_or_else(|| {
                next = next.saturating_add(1);
                next - 1
            });
            AddedToken { id: Some(id), ..token.clone() }
        })
        .collect()
}
