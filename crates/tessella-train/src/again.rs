//! Training a tokenizer that is there already: what stays of it.
//!
//! Of the model its settings stay ([`keep_settings`]), or those alone are left to begin with ([`emptied`]); what a
//! post-processor puts in keeps its place, under new names and ids ([`renumbered`]).

use std::collections::HashMap;
use std::sync::Arc;

use tessella_core::TokenId;
use tessella_core::error::excerpt;
use tessella_core::spec::described::Slot;
use tessella_core::spec::{Described, Merges, ModelSpec, PostProcessorSpec};
use tessella_core::{Error, ErrorKind, Result};

/// New names of tokens.
pub type Renamed = HashMap<String, String>;

fn name_of<'a>(token: &'a str, renamed: &'a Renamed) -> &'a str {
    renamed.get(token).map_or(token, String::as_str)
}

/// The new model with the settings of the old one that are not learned.
pub fn keep_settings(old: &ModelSpec, mut new: ModelSpec) -> ModelSpec {
    let mut old = old.clone();
    if old.kind() == new.kind() {
        let learned = new.learned();
        for (here, there) in new.fields().into_iter().zip(old.fields()) {
            if !learned.contains(&here.name) {
                here.slot.put(there.slot);
            }
        }
    }
    new
}

/// The model without what it learned. Of the entries only the unknown token of Unigram is left, which has to be one.
pub fn emptied(model: &ModelSpec, renamed: &Renamed) -> ModelSpec {
    let rename = |token: &str| name_of(token, renamed).to_string();
    let mut model = model.clone();
    match &mut model {
        ModelSpec::Bpe(model) => {
            // By ranks, a whole piece of the vocabulary is one token.
            model.ignore_merges |= matches!(model.merges, Merges::ConcatRank);
            model.merges = Merges::default();
        }
        ModelSpec::Unigram(model) => {
            let unknown = model.unk_id.and_then(|id| model.vocab.get(id));
            if let Some((token, _)) = unknown {
                model.vocab = Arc::new(vec![(rename(token), 0.0)]);
                model.unk_id = Some(0);
            }
        }
        // A vocabulary goes below; models of SentencePiece are trained from files alone, see `sentencepiece`.
        _ => {}
    }
    if let Some(vocab) = model.vocab_mut() {
        *vocab = Arc::default();
    }
    for field in model.fields().into_iter().filter(|field| field.name == "unk_token") {
        match field.slot {
            Slot::Text(token) => *token = rename(token),
            Slot::MaybeText(Some(token)) => *token = rename(token),
            _ => {}
        }
    }
    model
}

/// A post-processor that puts in the same tokens, under their new names, with the ids that they have now.
pub fn renumbered(
    processor: &PostProcessorSpec,
    renamed: &Renamed,
    id_of: &dyn Fn(&str) -> Option<TokenId>,
) -> Result<PostProcessorSpec> {
    let known = |token: &str| {
        let name = name_of(token, renamed);
        let id = id_of(name).ok_or_else(|| {
            let message = format!(
                "the post-processor puts in '{}', which the trained vocabulary does not have: add it to \
                 `new_special_tokens`, or rename it in `special_tokens_map`",
                excerpt(name)
            );
            Error::new(ErrorKind::Train, message)
        })?;
        Ok((name.to_string(), id))
    };
    let mut processor = processor.clone();
    match &mut processor {
        PostProcessorSpec::Bert { sep, cls } | PostProcessorSpec::Roberta { sep, cls, .. } => {
            (*cls, *sep) = (known(&cls.0)?, known(&sep.0)?);
        }
        PostProcessorSpec::Template(template) => {
            for special in &mut template.special_tokens {
                let tokens: Result<Vec<_>> = special.tokens.iter().map(|token| known(token)).collect();
                (special.tokens, special.ids) = tokens?.into_iter().unzip();
            }
        }
        PostProcessorSpec::Sequence(parts) => {
            for part in parts {
                *part = renumbered(part, renamed, id_of)?;
            }
        }
        PostProcessorSpec::ByteLevel { .. } => {}
    }
    Ok(processor)
}
