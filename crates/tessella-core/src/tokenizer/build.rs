//! A description becomes a tokenizer.

use std::sync::Arc;

use super::plan::Plan;
use super::pool::Pool;
use super::worker::LanesStart;
use super::{Inner, Texts, Tokenizer};
use crate::added::{AddedVocabulary, resolve_ids};
use crate::cancel::Cancel;
use crate::decode::Decoder;
use crate::error::{Error, Result};
use crate::flat::{Arrays, Shelf};
use crate::hash::SecretMap;
use crate::limits;
use crate::model::Model;
use crate::model::cache::DEFAULT_BUDGET;
use crate::normalize::Normalizer;
use crate::postprocess::PostProcessor;
use crate::pretokenize::PreTokenizer;
use crate::spec::{AddedToken, Described, Merges, ModelSpec, Tables, TokenizerSpec, Truncation};

impl Tokenizer {
    /// Builds all stages. Added tokens without an id get one; those with an id keep it.
    pub fn new(spec: TokenizerSpec) -> Result<Self> {
        Self::of(spec, Compiled::default())
    }

    /// The tokenizer of a description of which some stages were compiled before.
    pub fn of(spec: TokenizerSpec, compiled: Compiled) -> Result<Self> {
        Self::build(spec, None, DEFAULT_BUDGET, compiled)
    }

    /// All stages, compiled.
    pub fn compiled(&self) -> Compiled {
        let inner = &self.inner;
        Compiled {
            normalizer: inner.normalizer.clone(),
            pre_tokenizer: inner.pre_tokenizer.clone(),
            model: Some(inner.texts.model.clone()),
            post_processor: inner.post_processor.clone(),
            decoder: inner.decoder.clone(),
        }
    }

    /// Makes what much text is read with before there is any. Else it is made when so much text came that it pays, by each process
    /// that was forked before for itself.
    pub fn get_ready(&self) {
        self.inner.added().get_ready();
        if self.inner.workers.lanes != LanesStart::Never {
            self.inner.plan.get_ready();
        }
    }

    /// Puts the tables down that take time to make. All else follows from the description: [`taking`](Self::taking)
    /// makes the tokenizer of both.
    pub fn put(&self, arrays: &mut Arrays) {
        self.model().put(arrays);
        if let Some(pre_tokenizer) = &self.inner.pre_tokenizer {
            pre_tokenizer.put(arrays);
        }
    }

    /// The tokenizer of a description, with the tables that one of the same description put down.
    pub fn taking(spec: TokenizerSpec, shelf: &mut Shelf) -> Result<Self> {
        let model = Some(Arc::new(Model::take(&spec.model, shelf)?));
        let pre_tokenizer = spec.pre_tokenizer.as_ref().map(|spec| PreTokenizer::take(spec, shelf));
        let pre_tokenizer = pre_tokenizer.transpose()?.map(Arc::new);
        Self::of(spec, Compiled { model, pre_tokenizer, ..Compiled::default() })
    }

    /// The tokenizer of a description whose model was made.
    pub(crate) fn of_model(spec: TokenizerSpec, model: Model) -> Result<Self> {
        Self::of(spec, Compiled { model: Some(Arc::new(model)), ..Compiled::default() })
    }

    /// A tokenizer of another description; compiled parts whose description is the same are reused.
    pub fn with_spec(&self, spec: TokenizerSpec) -> Result<Self> {
        Self::build(spec, Some(&self.inner), self.inner.cache_budget, Compiled::default())
    }

    /// A tokenizer with more added tokens, and how many were new or changed. A token with known content
    /// replaces the old one and keeps its id.
    pub fn with_added_tokens(&self, tokens: &[AddedToken]) -> Result<(Self, usize)> {
        let mut spec = self.inner.spec.clone();
        let mut changed = 0;
        let old = &self.inner.spec.added_tokens;
        // Of many tokens, added one by one, each is new.
        let is_old = |token: &AddedToken| self.inner.added().id(&token.content).is_some();
        let mut known: SecretMap<&str, usize> = match tokens.iter().any(is_old) {
            true => old.iter().enumerate().map(|(at, token)| (token.content.as_str(), at)).collect(),
            false => SecretMap::default(),
        };
        for token in tokens {
            if token.content.is_empty() {
                continue;
            }
            match known.get(token.content.as_str()) {
                Some(&at) => {
                    let old = &mut spec.added_tokens[at];
                    let new = AddedToken { id: old.id, ..token.clone() };
                    if *old != new {
                        *old = new;
                        changed += 1;
                    }
                }
                None => {
                    known.insert(&token.content, spec.added_tokens.len());
                    spec.added_tokens.push(AddedToken { id: None, ..token.clone() });
                    changed += 1;
                }
            }
        }
        if changed == 0 {
            return Ok((self.clone(), 0));
        }
        Ok((self.with_spec(spec)?, changed))
    }

    /// The same tokenizer with at most `bytes` of piece cache per thread; 0 switches caching off.
    pub fn with_cache_budget(&self, bytes: usize) -> Result<Self> {
        let mut tokenizer =
            Self::build(self.inner.spec.clone(), Some(&self.inner), bytes, Compiled::default())?;
        if let Some(inner) = Arc::get_mut(&mut tokenizer.inner) {
            inner.workers = Arc::new(Pool::after(&self.inner.workers, bytes));
        }
        Ok(tokenizer)
    }

    /// Bytes of piece cache that each thread may use.
    pub fn cache_budget(&self) -> usize {
        self.inner.cache_budget
    }

    /// Forgets all cached pieces.
    pub fn clear_cache(&self) {
        self.inner.workers.clear();
    }

    fn build(
        mut spec: TokenizerSpec,
        old: Option<&Arc<Inner>>,
        cache_budget: usize,
        compiled: Compiled,
    ) -> Result<Self> {
        let model = match (&compiled.model, old) {
            (Some(model), _) => model.clone(),
            (None, Some(old)) if same_model(&old.spec.model, &spec.model) => old.texts.model.clone(),
            (None, old) => Arc::new(Model::reusing(&spec.model, old.map(|old| old.model()))?),
        };
        let compiled = compiled.around_model(&spec, old)?;
        let Compiled { normalizer, pre_tokenizer, post_processor, decoder, .. } = compiled;
        spec.added_tokens = resolve_ids(spec.added_tokens, &spec.model, |text| model.token_to_id(text));
        let added = match old {
            Some(old)
                if old.spec.added_tokens == spec.added_tokens && old.spec.normalizer == spec.normalizer =>
            {
                old.texts.added.clone()
            }
            old => {
                // What a content becomes is known as long as the normalizer is the same.
                let known = old.filter(|old| old.spec.normalizer == spec.normalizer).map(|old| old.added());
                Arc::new(added_vocabulary(&spec.added_tokens, normalizer.as_deref(), known)?)
            }
        };
        check_truncation(spec.truncation.as_ref())?;
        // Finding a way looks at the whole vocabulary; much is set that no text gets to see.
        let reads_alike = |old: &&Arc<Inner>| {
            Arc::ptr_eq(&old.texts.model, &model)
                && Arc::ptr_eq(&old.texts.added, &added)
                && is_same(&old.normalizer, &normalizer)
                && is_same(&old.pre_tokenizer, &pre_tokenizer)
        };
        let plan = match old.filter(reads_alike) {
            Some(old) => old.plan.around(post_processor.as_deref())?,
            None => Plan::new(
                &model,
                normalizer.as_ref(),
                pre_tokenizer.as_ref(),
                post_processor.as_deref(),
                &added,
                old.map(|old| &old.plan),
            )?,
        };
        // Cached pieces stay right as long as model and way are the same.
        let workers = match old {
            Some(old) if Arc::ptr_eq(&old.texts.model, &model) && old.plan.same_keys(&plan) => {
                old.workers.clone()
            }
            Some(old) => Arc::new(Pool::after(&old.workers, cache_budget)),
            None => Arc::new(Pool::new(cache_budget)),
        };
        let texts = match old {
            Some(old) if Arc::ptr_eq(&old.texts.model, &model) && Arc::ptr_eq(&old.texts.added, &added) => {
                old.texts.clone()
            }
            _ => Arc::new(Texts::new(added, model, spec.model.vocab_len())),
        };
        // What ids decode to stays right as long as texts and decoder are the same.
        let decoding = match old {
            Some(old) if Arc::ptr_eq(&old.texts, &texts) && old.spec.decoder == spec.decoder => {
                old.decoding.clone()
            }
            _ => Arc::default(),
        };
        let inner = Inner {
            spec,
            normalizer,
            pre_tokenizer,
            post_processor,
            decoder,
            texts,
            decoding,
            plan,
            workers,
            cache_budget,
        };
        Ok(Tokenizer { inner: Arc::new(inner) })
    }
}

/// Stages as they run.
#[derive(Debug, Clone, Default)]
pub struct Compiled {
    /// Text to text.
    pub normalizer: Option<Arc<Normalizer>>,
    /// Text to pieces.
    pub pre_tokenizer: Option<Arc<PreTokenizer>>,
    /// Pieces to ids.
    pub model: Option<Arc<Model>>,
    /// Special tokens around sequences.
    pub post_processor: Option<Arc<PostProcessor>>,
    /// Tokens to text.
    pub decoder: Option<Arc<Decoder>>,
}

impl Compiled {
    /// All stages of a description but its model: those that are here, those of an unchanged description, or new ones.
    fn around_model(self, spec: &TokenizerSpec, old: Option<&Arc<Inner>>) -> Result<Self> {
        Ok(Compiled {
            normalizer: reuse(
                &spec.normalizer,
                self.normalizer,
                old.map(|old| (&old.spec.normalizer, &old.normalizer)),
                Normalizer::new,
            )?,
            pre_tokenizer: reuse(
                &spec.pre_tokenizer,
                self.pre_tokenizer,
                old.map(|old| (&old.spec.pre_tokenizer, &old.pre_tokenizer)),
                PreTokenizer::new,
            )?,
            model: None,
            post_processor: reuse(
                &spec.post_processor,
                self.post_processor,
                old.map(|old| (&old.spec.post_processor, &old.post_processor)),
                PostProcessor::new,
            )?,
            decoder: reuse(
                &spec.decoder,
                self.decoder,
                old.map(|old| (&old.spec.decoder, &old.decoder)),
                Decoder::new,
            )?,
        })
    }
}

/// Windows must move on.
fn check_truncation(truncation: Option<&Truncation>) -> Result<()> {
    match truncation {
        Some(&Truncation { max_length, stride, .. }) if max_length > 0 && stride >= max_length => {
            Err(Error::value(format!(
                "the truncation stride is {stride}, the maximum length {max_length}: the stride must be smaller"
            )))
        }
        _ => Ok(()),
    }
}

/// The added tokens with what normalisation makes of them, within the limits that a text of theirs has.
fn added_vocabulary(
    tokens: &[AddedToken],
    normalizer: Option<&Normalizer>,
    known: Option<&AddedVocabulary>,
) -> Result<AddedVocabulary> {
    let contents = tokens.iter().map(|token| token.content.len()).sum();
    let _work = limits::begin(contents, Cancel::never());
    AddedVocabulary::new(tokens, |content| match known.and_then(|known| known.normalized(content)) {
        Some(form) => Ok(form.to_string()),
        None => super::segment::normalize_str(normalizer, content),
    })
}

/// The stage that is compiled, that of an unchanged description, or a new one.
fn reuse<S: PartialEq, C>(
    spec: &Option<S>,
    compiled: Option<Arc<C>>,
    old: Option<(&Option<S>, &Option<Arc<C>>)>,
    build: impl FnOnce(&S) -> Result<C>,
) -> Result<Option<Arc<C>>> {
    match (spec, old) {
        (None, _) => Ok(None),
        (Some(_), _) if compiled.is_some() => Ok(compiled),
        (Some(_), Some((old_spec, Some(compiled)))) if old_spec == spec => Ok(Some(compiled.clone())),
        (Some(spec), _) => Ok(Some(Arc::new(build(spec)?))),
    }
}

/// Whether both are one and the same stage, or none.
fn is_same<C>(one: &Option<Arc<C>>, other: &Option<Arc<C>>) -> bool {
    one.as_ref().map(Arc::as_ptr) == other.as_ref().map(Arc::as_ptr)
}

/// Whether two model descriptions are the same, large tables by identity.
fn same_model(a: &ModelSpec, b: &ModelSpec) -> bool {
    let tables = match (a.tables(), b.tables()) {
        (Tables::Merges(a), Tables::Merges(b)) => match (&a.merges, &b.merges) {
            (Merges::Pairs(a), Merges::Pairs(b)) => Arc::ptr_eq(a, b),
            (Merges::ConcatRank, Merges::ConcatRank) => true,
            _ => false,
        },
        (Tables::Scores(a), Tables::Scores(b)) => Arc::ptr_eq(&a.vocab, &b.vocab),
        (Tables::Pieces(a), Tables::Pieces(b)) => {
            Arc::ptr_eq(&a.pieces, &b.pieces)
                && a.kind == b.kind
                && a.treat_whitespace_as_suffix == b.treat_whitespace_as_suffix
                && a.wide_sums == b.wide_sums
        }
        (Tables::Vocab(_), Tables::Vocab(_)) => true,
        _ => false,
    };
    let vocab = match (a.vocab(), b.vocab()) {
        (Some(a), Some(b)) => std::ptr::eq(a, b),
        (a, b) => a.is_none() && b.is_none(),
    };
    let slots = |model: &mut ModelSpec, other: &mut ModelSpec| {
        model.fields().iter().map(|field| &field.slot).eq(other.fields().iter().map(|field| &field.slot))
    };
    a.kind() == b.kind() && tables && vocab && slots(&mut a.clone(), &mut b.clone())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::{DecoderSpec, PostProcessorSpec, PreTokenizerSpec, WordLevelSpec};
    use crate::tokenizer::EncodeOptions;
    use crate::vocab::Vocab;

    fn spec() -> TokenizerSpec {
        let vocab = Vocab::from_entries(["a", "b", "[CLS]", "[SEP]"].into_iter().zip(0..)).unwrap();
        let model = WordLevelSpec { vocab: Arc::new(vocab), unk_token: "b".into() };
        let mut spec = TokenizerSpec::new(ModelSpec::WordLevel(model));
        spec.pre_tokenizer = Some(PreTokenizerSpec::Whitespace);
        spec
    }

    fn ids(tokenizer: &Tokenizer) -> Vec<u32> {
        tokenizer.encode_ids("a c a", &EncodeOptions::default()).unwrap()
    }

    /// Finding the way looks at the whole vocabulary.
    #[test]
    fn a_stage_behind_the_model_finds_no_way_anew() {
        let bert =
            |cls: u32| Some(PostProcessorSpec::Bert { sep: ("[SEP]".into(), 3), cls: ("[CLS]".into(), cls) });
        let first = Tokenizer::new(spec()).unwrap();
        assert_eq!(ids(&first), [0, 1, 0]);
        let mut last = first.clone();
        let changes: [(TokenizerSpec, &[u32]); 4] = [
            (TokenizerSpec { decoder: Some(DecoderSpec::Fuse), ..spec() }, &[0, 1, 0]),
            (TokenizerSpec { post_processor: bert(2), ..spec() }, &[2, 0, 1, 0, 3]),
            (TokenizerSpec { post_processor: bert(1), ..spec() }, &[1, 0, 1, 0, 3]),
            (spec(), &[0, 1, 0]),
        ];
        for (changed, wanted) in changes {
            last = last
                .with_spec(TokenizerSpec { model: first.spec().model.clone(), ..changed.clone() })
                .unwrap();
            assert!(Arc::ptr_eq(&first.inner.plan.way, &last.inner.plan.way), "{changed:?}");
            // A short text that was asked for before has other ids around it now.
            assert_eq!(ids(&last), wanted);
            assert_eq!(ids(&Tokenizer::new(changed).unwrap()), wanted);
        }
        let lower = TokenizerSpec { pre_tokenizer: None, ..last.spec().clone() };
        let other = last.with_spec(lower).unwrap();
        assert!(!Arc::ptr_eq(&first.inner.plan.way, &other.inner.plan.way));
        assert_eq!(ids(&other), [1]);
    }
}
