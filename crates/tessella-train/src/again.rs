//! Training a tokenizer that is there already: what stays of it.
//!
//! Of the model its settings stay ([`keep_settings`]), or those alone are left to begin with ([`emptied`]); what a
//! post-processor puts in keeps its place, under new names and ids ([`renumbered`]).

use std::collections::HashMap;
use std::sync::Arc;

use tessella_core::TokenId;
use tessella_core::error::excerpt;
use tessella_core::spec::{Merges, ModelSpec, PostProcessorSpec, Vocab};
use tessella_core::{Error, ErrorKind, Result};

/// New names of tokens.
pub type Renamed = HashMap<String, String>;

fn name_of<'a>(token: &'a str, renamed: &'a Renamed) -> &'a str {
    renamed.get(token).map_or(token, String::as_str)
}

/// The new model with the settings of the old one that are not learned.
pub fn keep_settings(old: &ModelSpec, new: ModelSpec) -> ModelSpec {
    match (old, new) {
        (ModelSpec::Bpe(old), ModelSpec::Bpe(mut new)) => {
            new.dropout = old.dropout;
            new.unk_token = old.unk_token.clone();
            new.fuse_unk = old.fuse_unk;
            new.byte_fallback = old.byte_fallback;
            new.ignore_merges = old.ignore_merges;
            ModelSpec::Bpe(new)
        }
        (ModelSpec::WordPiece(old), ModelSpec::WordPiece(mut new)) => {
            new.unk_token = old.unk_token.clone();
            new.max_input_chars_per_word = old.max_input_chars_per_word;
            ModelSpec::WordPiece(new)
        }
        (ModelSpec::WordLevel(old), ModelSpec::WordLevel(mut new)) => {
            new.unk_token = old.unk_token.clone();
            ModelSpec::WordLevel(new)
        }
        (ModelSpec::Unigram(old), ModelSpec::Unigram(mut new)) => {
            new.byte_fallback = old.byte_fallback;
            new.alpha = old.alpha;
            new.nbest_size = old.nbest_size;
            ModelSpec::Unigram(new)
        }
        (_, new) => new,
    }
}

/// The model without what it learned. Of the entries only the unknown token of Unigram is left, which has to be one.
pub fn emptied(model: &ModelSpec, renamed: &Renamed) -> ModelSpec {
    let rename = |token: &String| name_of(token, renamed).to_string();
    let mut model = model.clone();
    match &mut model {
        ModelSpec::Bpe(model) => {
            // By ranks, a whole piece of the vocabulary is one token.
            model.ignore_merges |= matches!(model.merges, Merges::ConcatRank);
            model.vocab = Arc::new(Vocab::default());
            model.merges = Merges::Pairs(Arc::new(Vec::new()));
            model.unk_token = model.unk_token.as_ref().map(rename);
        }
        ModelSpec::WordPiece(model) => {
            model.vocab = Arc::new(Vocab::default());
            model.unk_token = rename(&model.unk_token);
        }
        ModelSpec::WordLevel(model) => {
            model.vocab = Arc::new(Vocab::default());
            model.unk_token = rename(&model.unk_token);
        }
        ModelSpec::Unigram(model) => {
            let unknown = model.unk_id.and_then(|id| model.vocab.get(id));
            if let Some((token, _)) = unknown {
                model.vocab = Arc::new(vec![(rename(token), 0.0)]);
                model.unk_id = Some(0);
            }
        }
        // Trained from files alone; see `sentencepiece`.
        ModelSpec::SentencePiece(_) => {}
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
