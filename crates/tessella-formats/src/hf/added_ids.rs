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
            find(&mut wanted, model.vocab.iter().map(|(text, _)| text.as_str()))
        }
        (ModelSpec::SentencePiece(model), _) => {
            find(&mut wanted, model.pieces.iter().map(|piece| piece.text.as_str()))
        }
        _ => 0,
    };
    (wanted.into_iter().filter_map(|(text, id)| Some((text, id?))).collect(), size as TokenId)
}

/// Gives the texts that are wanted their places among pieces, and counts these. Of a repeated piece the later one counts.
fn find<'p>(wanted: &mut HashMap<&str, Option<TokenId>>, pieces: impl Iterator<Item = &'p str>) -> usize {
    // Most pieces begin as none of the texts, which takes less time to see than to look them up.
    let mut begins = [false; 256];
    let first = |text: &str| text.bytes().next().map_or(0, usize::from);
    wanted.keys().for_each(|text| begins[first(text)] = true);
    let mut count = 0;
    for piece in pieces {
        if begins[first(piece)]
            && let Some(id) = wanted.get_mut(piece)
        {
            *id = Some(count as TokenId);
        }
        count += 1;
    }
    count
}

/// So many claims are told one by one; of a file whose tokens were all moved nobody reads each.
const MOST_TOLD: usize = 3;

/// The tokens with the ids that the rule gives them, and what is to be said of claims that disagree.
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
    let others = disagreements.len().saturating_sub(MOST_TOLD);
    if others > 1 {
        disagreements.truncate(MOST_TOLD);
        disagreements.push(format!("{others} more added tokens say other ids than they get"));
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use tessella_core::spec::{Vocab, WordLevelSpec};

    #[test]
    fn many_claims_that_disagree_are_told_together() {
        let vocab = Vocab::from_entries(["a", "b"].into_iter().zip(0..)).unwrap();
        let model = ModelSpec::WordLevel(WordLevelSpec { vocab: vocab.into(), unk_token: "a".into() });
        for (count, told) in [(1, 1), (3, 3), (4, 4), (5, 4), (90, 4)] {
            let token =
                |at: u32| AddedToken { id: Some(100 + at), ..AddedToken::new(format!("<{at}>"), true) };
            let tokens: Vec<AddedToken> = (0..count).map(token).collect();
            let (resolved, notices) = by_rule(&model, &tokens);
            assert!(resolved.iter().zip(2..).all(|(token, id)| token.id == Some(id)));
            assert_eq!(notices.len(), told, "{notices:?}");
            if count == 90 {
                assert_eq!(notices[3], "87 more added tokens say other ids than they get");
            }
        }
    }
}
