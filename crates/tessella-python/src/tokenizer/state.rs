//! What a Python tokenizer is made of: the engine's tokenizer, the live components that it was built from,
//! and the settings that are data of a call.
//!
//! All of it is one immutable value behind a pointer. A change builds the next value and swaps the pointer;
//! whoever encodes meanwhile goes on with the value that it took. No lock is held while anything is built,
//! because building may call components written in Python.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use pyo3::prelude::*;
use tessella_core::spec::{
    DecoderSpec, ModelSpec, NormalizerSpec, Padding, PostProcessorSpec, PreTokenizerSpec, Truncation,
};
use tessella_core::{Compiled, Tokenizer as Core, TokenizerSpec};

use crate::border::errors::OrRaise;
use crate::border::token_texts::TokenTexts;
use crate::components::live::{Node, now};
use crate::components::stage::Component;

/// A component and the time of its latest change that the engine's tokenizer knows about.
pub struct Slot<S: Component> {
    pub node: Node<S>,
    built: u64,
}

impl<S: Component> Clone for Slot<S> {
    fn clone(&self) -> Self {
        Slot { node: self.node.clone(), built: self.built }
    }
}

impl<S: Component> Slot<S> {
    pub fn new(node: Node<S>) -> Self {
        Slot { node, built: 0 }
    }

    /// A component of its own for a description that the engine's tokenizer has.
    fn of(spec: &S) -> Self {
        let node = Node::new(spec.clone());
        Slot { built: node.changed(), node }
    }

    fn is_current(&self) -> bool {
        self.node.changed() == self.built
    }

    /// Puts the description into `spec` if it changed.
    fn refresh(&mut self, spec: &mut S) {
        // The time is read first: a change in between is noticed the next time.
        let changed = self.node.changed();
        if changed != self.built {
            *spec = self.node.spec();
            self.built = changed;
        }
    }

    /// Whoever holds the component need not build it once more.
    fn keep(&self, built: &Option<Arc<S::Built>>) {
        if let Some(built) = built {
            self.node.keep(self.built, built.clone());
        }
    }
}

fn refresh<S: Component>(slot: &mut Option<Slot<S>>, spec: &mut Option<S>) {
    let Some(slot) = slot else { return *spec = None };
    slot.refresh(spec.get_or_insert_with(|| slot.node.spec()));
}

#[derive(Clone)]
pub struct Parts {
    pub normalizer: Option<Slot<NormalizerSpec>>,
    pub pre_tokenizer: Option<Slot<PreTokenizerSpec>>,
    pub model: Slot<ModelSpec>,
    pub post_processor: Option<Slot<PostProcessorSpec>>,
    pub decoder: Option<Slot<DecoderSpec>>,
    pub truncation: Option<Arc<Truncation>>,
    pub padding: Option<Arc<Padding>>,
    pub encode_special_tokens: bool,
}

impl Parts {
    /// Components of their own for a description, and no settings.
    fn of(spec: &TokenizerSpec, model: Slot<ModelSpec>) -> Self {
        fn slot<S: Component>(spec: &Option<S>) -> Option<Slot<S>> {
            spec.as_ref().map(Slot::of)
        }
        Parts {
            normalizer: slot(&spec.normalizer),
            pre_tokenizer: slot(&spec.pre_tokenizer),
            model,
            post_processor: slot(&spec.post_processor),
            decoder: slot(&spec.decoder),
            truncation: None,
            padding: None,
            encode_special_tokens: false,
        }
    }

    /// Whether no component has changed since it was built.
    fn are_current(&self) -> bool {
        fn same<S: Component>(slot: &Option<Slot<S>>) -> bool {
            slot.as_ref().is_none_or(Slot::is_current)
        }
        self.model.is_current()
            && same(&self.normalizer)
            && same(&self.pre_tokenizer)
            && same(&self.post_processor)
            && same(&self.decoder)
    }

    /// Whether a description, which had all components once, has them as they are.
    fn are_in(&self, spec: &TokenizerSpec) -> bool {
        self.are_current()
            && self.normalizer.is_some() == spec.normalizer.is_some()
            && self.pre_tokenizer.is_some() == spec.pre_tokenizer.is_some()
            && self.post_processor.is_some() == spec.post_processor.is_some()
            && self.decoder.is_some() == spec.decoder.is_some()
    }

    /// Gives the components what runs them.
    fn keep(&self, compiled: &Compiled) {
        fn keep<S: Component>(slot: &Option<Slot<S>>, built: &Option<Arc<S::Built>>) {
            slot.iter().for_each(|slot| slot.keep(built));
        }
        keep(&self.normalizer, &compiled.normalizer);
        keep(&self.pre_tokenizer, &compiled.pre_tokenizer);
        self.model.keep(&compiled.model);
        keep(&self.post_processor, &compiled.post_processor);
        keep(&self.decoder, &compiled.decoder);
    }
}

/// One value of a tokenizer.
pub struct State {
    pub core: Core,
    pub parts: Parts,
    /// No other value has this number.
    pub version: u64,
    /// The time up to which the components are known not to have changed.
    checked: AtomicU64,
    /// What streams give out.
    pub texts: TokenTexts,
}

fn next_version() -> u64 {
    static LAST: AtomicU64 = AtomicU64::new(0);
    LAST.fetch_add(1, Ordering::Relaxed)
}

impl State {
    pub fn new(spec: TokenizerSpec, model: Option<Node<ModelSpec>>) -> PyResult<Self> {
        Self::with(spec, model, |spec, compiled| Core::of(spec, compiled).or_raise())
    }

    /// The first value of an engine's tokenizer that is there.
    pub fn of(core: Core) -> PyResult<Self> {
        Self::with(core.spec().clone(), None, |spec, _| match core.spec() {
            whole if whole.truncation.is_none() && whole.padding.is_none() => Ok(core),
            // They are data of a call here.
            _ => core.with_spec(spec).or_raise(),
        })
    }

    fn with(
        mut spec: TokenizerSpec,
        model: Option<Node<ModelSpec>>,
        build: impl FnOnce(TokenizerSpec, Compiled) -> PyResult<Core>,
    ) -> PyResult<Self> {
        let truncation = spec.truncation.take().map(Arc::new);
        let padding = spec.padding.take().map(Arc::new);
        let checked = now();
        let mut compiled = Compiled::default();
        let model = match model {
            Some(node) => {
                let mut slot = Slot::new(node);
                slot.refresh(&mut spec.model);
                let built = slot.node.built().or_raise()?;
                compiled.model = (slot.node.changed() == slot.built).then_some(built);
                slot
            }
            None => Slot::of(&spec.model),
        };
        let parts = Parts { truncation, padding, ..Parts::of(&spec, model) };
        let core = build(spec, compiled)?;
        parts.keep(&core.compiled());
        Ok(Self::value(core, parts, checked))
    }

    /// A value that does the same and shares the engine's tokenizer, with components of its own.
    pub fn detached(&self) -> Self {
        let (spec, settings) = (self.core.spec(), &self.parts);
        let parts = Parts {
            truncation: settings.truncation.clone(),
            padding: settings.padding.clone(),
            encode_special_tokens: settings.encode_special_tokens,
            ..Parts::of(spec, Slot::of(&spec.model))
        };
        parts.keep(&self.core.compiled());
        Self::value(self.core.clone(), parts, 0)
    }

    /// The next value: these parts, and a tokenizer built from them if any of them changed.
    pub fn next(core: &Core, mut parts: Parts) -> PyResult<Self> {
        let checked = now();
        let core = if parts.are_in(core.spec()) {
            core.clone()
        } else {
            let mut spec = core.spec().clone();
            refresh(&mut parts.normalizer, &mut spec.normalizer);
            refresh(&mut parts.pre_tokenizer, &mut spec.pre_tokenizer);
            parts.model.refresh(&mut spec.model);
            refresh(&mut parts.post_processor, &mut spec.post_processor);
            refresh(&mut parts.decoder, &mut spec.decoder);
            let core = core.with_spec(spec).or_raise()?;
            parts.keep(&core.compiled());
            core
        };
        Ok(Self::value(core, parts, checked))
    }

    /// Another value, whose components were looked at then.
    fn value(core: Core, parts: Parts, checked: u64) -> Self {
        let checked = AtomicU64::new(checked);
        State { core, parts, version: next_version(), checked, texts: TokenTexts::default() }
    }

    /// The whole description, settings included.
    pub fn spec(&self) -> TokenizerSpec {
        let mut spec = self.core.spec().clone();
        spec.truncation = self.parts.truncation.as_deref().copied();
        spec.padding = self.parts.padding.as_deref().cloned();
        spec
    }
}

/// The pointer to the current value.
pub struct Shared {
    value: RwLock<Arc<State>>,
    /// The version of the value, for who has it already.
    version: AtomicU64,
}

impl Shared {
    pub fn new(value: State) -> Self {
        Shared { version: AtomicU64::new(value.version), value: RwLock::new(Arc::new(value)) }
    }

    /// Whether a value is what [`get`](Self::get) would give.
    pub fn is_current(&self, value: &State) -> bool {
        value.version == self.version.load(Ordering::Acquire)
            && value.checked.load(Ordering::Acquire) == now()
    }

    /// Looks at the value, if it is current and nobody is about to change it. `look` runs no code of others.
    pub fn peek<R>(&self, look: impl FnOnce(&State) -> Option<R>) -> Option<R> {
        let value = self.value.try_read().ok()?;
        if value.checked.load(Ordering::Acquire) == now() { look(&value) } else { None }
    }

    fn load(&self) -> Arc<State> {
        self.value.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Swaps `new` in if `old` is still the current value.
    fn swap(&self, old: &Arc<State>, new: Arc<State>) -> bool {
        let mut current = self.value.write().unwrap_or_else(PoisonError::into_inner);
        let still = Arc::ptr_eq(&current, old);
        if still {
            self.version.store(new.version, Ordering::Release);
            *current = new;
        }
        still
    }

    /// The value as of now, components included.
    pub fn get(&self) -> PyResult<Arc<State>> {
        loop {
            let value = self.load();
            let time = now();
            if value.checked.load(Ordering::Acquire) == time {
                return Ok(value);
            }
            if value.parts.are_current() {
                value.checked.store(time, Ordering::Release);
                return Ok(value);
            }
            let next = Arc::new(State::next(&value.core, value.parts.clone())?);
            if self.swap(&value, next.clone()) {
                return Ok(next);
            }
        }
    }

    /// Replaces the value by what `change` makes of it. `change` runs again if somebody was faster.
    pub fn update<R>(&self, change: impl Fn(&State) -> PyResult<(State, R)>) -> PyResult<R> {
        loop {
            let old = self.get()?;
            let (new, result) = change(&old)?;
            if self.swap(&old, Arc::new(new)) {
                return Ok(result);
            }
        }
    }

    /// Replaces some parts.
    pub fn change(&self, change: impl Fn(&mut Parts)) -> PyResult<()> {
        self.update(|old| {
            let mut parts = old.parts.clone();
            change(&mut parts);
            Ok((State::next(&old.core, parts)?, ()))
        })
    }
}
