//! Stage 3: piece to tokens.
//!
//! Models differ only in what happens when a piece is not in the worker's [`cache`]. [`Model`] is the one
//! type that the conductor holds; each algorithm has a room or file of its own.

mod agenda;
pub(crate) mod bpe;
pub(crate) mod cache;
pub mod derivation;
mod length;
pub mod sentencepiece;
pub(crate) mod unigram;
pub(crate) mod wordlevel;
pub(crate) mod wordpiece;

use std::sync::Arc;

use crate::error::Result;
use crate::flat::{Arrays, Shelf};
use crate::ids::{PieceToken, TokenId};
use crate::lanes::Spelled;
use crate::random::{self, Random};
use crate::spec::ModelSpec;

use derivation::Derivation;

/// Buffers and the random stream of one worker.
#[derive(Debug)]
pub struct Scratch {
    /// Chance, for dropout and sampling.
    pub random: Random,
    /// Forks before `random` was drawn; `None` where it has a seed, which is to be repeated.
    forks: Option<u64>,
    pub(crate) merge: bpe::MergeScratch,
    /// What stretches of sentences became; only where something may be remembered.
    memo: Option<sentencepiece::Memo>,
}

impl Scratch {
    /// Empty buffers that remember nothing, and a stream that nobody can foretell.
    pub fn new() -> Self {
        Self::remembering(0)
    }

    /// Buffers that may take so many bytes for what they remember.
    pub(crate) fn remembering(bytes: usize) -> Self {
        Scratch {
            random: Random::from_entropy(),
            forks: Some(random::forks()),
            merge: bpe::MergeScratch::default(),
            memo: sentencepiece::Memo::within(bytes),
        }
    }
}

impl Scratch {
    /// The stream of a seed from now on.
    pub(crate) fn seed(&mut self, seed: u64) {
        (self.random, self.forks) = (Random::from_seed(seed), None);
    }

    /// To be called before work: in a process that was forked, a stream that nobody seeded is another than the parent's.
    pub fn renew(&mut self) {
        if self.forks.is_some_and(|forks| forks != random::forks()) {
            (self.random, self.forks) = (Random::from_entropy(), Some(random::forks()));
        }
    }

    /// Forgets, and may take so many bytes from now on.
    pub(crate) fn remember_within(&mut self, bytes: usize) {
        self.memo = sentencepiece::Memo::within(bytes);
    }
}

impl Default for Scratch {
    fn default() -> Self {
        Self::new()
    }
}

/// A compiled model.
#[derive(Debug)]
#[allow(missing_docs)] // Each is what compiling the variant of `ModelSpec` gives.
pub enum Model {
    Bpe(Arc<bpe::Bpe>),
    WordPiece(wordpiece::WordPiece),
    WordLevel(wordlevel::WordLevel),
    Unigram(unigram::Unigram),
    SentencePiece(sentencepiece::SentencePieceModel),
}

/// The same of a model of any kind.
macro_rules! each {
    ($model:expr, $one:ident => $value:expr) => {
        match $model {
            Model::Bpe($one) => $value,
            Model::WordPiece($one) => $value,
            Model::WordLevel($one) => $value,
            Model::Unigram($one) => $value,
            Model::SentencePiece($one) => $value,
        }
    };
}

impl Model {
    /// Compiles a description.
    pub fn new(spec: &ModelSpec) -> Result<Self> {
        Self::reusing(spec, None)
    }

    /// Puts the tables down that take time to make, where they have a form for that.
    pub fn put(&self, arrays: &mut Arrays) {
        match self {
            Model::Bpe(model) => model.put(arrays),
            Model::WordPiece(model) => model.put(arrays),
            _ => {}
        }
    }

    /// The model of the same description with the tables that were put down.
    pub fn take(spec: &ModelSpec, shelf: &mut Shelf) -> Result<Self> {
        match spec {
            ModelSpec::Bpe(spec) => Ok(Model::Bpe(Arc::new(bpe::Bpe::take(spec, shelf)?))),
            ModelSpec::WordPiece(spec) => Ok(Model::WordPiece(wordpiece::WordPiece::take(spec, shelf)?)),
            _ => Self::new(spec),
        }
    }

    /// Builds a model, taking over from `other` whatever large tables are the same.
    pub fn reusing(spec: &ModelSpec, other: Option<&Model>) -> Result<Self> {
        Ok(match spec {
            ModelSpec::Bpe(spec) => {
                let other = match other {
                    Some(Model::Bpe(other)) => Some(&**other),
                    _ => None,
                };
                Model::Bpe(Arc::new(bpe::Bpe::reusing(spec, other)?))
            }
            ModelSpec::WordPiece(spec) => Model::WordPiece(wordpiece::WordPiece::new(spec)?),
            ModelSpec::WordLevel(spec) => Model::WordLevel(wordlevel::WordLevel::new(spec)?),
            ModelSpec::Unigram(spec) => Model::Unigram(unigram::Unigram::new(spec)?),
            ModelSpec::SentencePiece(spec) => {
                Model::SentencePiece(sentencepiece::SentencePieceModel::new(spec)?)
            }
        })
    }

    /// Appends the tokens of one piece; spans are bytes of the piece.
    pub fn tokenize(&self, piece: &str, scratch: &mut Scratch, out: &mut Vec<PieceToken>) -> Result<()> {
        match self {
            Model::Bpe(model) => model.tokenize(piece, &mut scratch.merge, &mut scratch.random, out),
            Model::WordPiece(model) => model.tokenize(piece, out),
            Model::WordLevel(model) => model.tokenize(piece, out),
            Model::Unigram(model) => model.tokenize(piece, &mut scratch.random, out),
            Model::SentencePiece(model) => {
                model.tokenize_with(piece, scratch.merge.cancel(), scratch.memo.as_mut(), out)
            }
        }
    }

    /// How the model comes to the tokens of a piece, with the `n_best` best segmentations where it has several.
    /// Chance (dropout, sampling) is left out.
    pub fn derive(&self, piece: &str, n_best: usize) -> Result<Derivation> {
        match self {
            Model::Bpe(model) => model.derive(piece),
            Model::Unigram(model) => model.derive(piece, n_best),
            Model::SentencePiece(model) => model.derive(piece, n_best),
            _ => Ok(Derivation::Plain),
        }
    }

    /// Whether equal pieces always give equal tokens, so that results may be remembered.
    pub fn is_deterministic(&self) -> bool {
        match self {
            Model::Bpe(model) => model.is_deterministic(),
            Model::Unigram(model) => model.is_deterministic(),
            // Told one by one: what is remembered of a model that draws would be wrong without a word.
            Model::WordPiece(_) | Model::WordLevel(_) | Model::SentencePiece(_) => true,
        }
    }

    /// The tables that take many units of a text at once, in which the first of two characters stands for the second,
    /// or why this model has none.
    pub(crate) fn spelled(&self, read: (u8, char)) -> std::result::Result<Spelled, &'static str> {
        match self {
            Model::Bpe(model) => model.spelled(read),
            Model::SentencePiece(model) => model.spelled(read),
            _ => Err("the model does not merge"),
        }
    }

    /// Whether the model remembers parts of a piece by itself, so that there is no gain in remembering the whole.
    pub fn remembers_parts(&self) -> bool {
        match self {
            Model::SentencePiece(model) => model.remembers_parts(),
            _ => false,
        }
    }

    /// Engine and reason, for the plan.
    pub fn explain(&self) -> (String, String) {
        let (engine, reason) = match self {
            Model::Bpe(model) => return model.explain(),
            Model::WordPiece(_) => ("WordPiece trie", "longest match from the left, linear in the word"),
            Model::WordLevel(_) => ("WordLevel table", "one look-up per piece"),
            Model::Unigram(_) => ("Unigram Viterbi over a trie", "64-bit scores, as in tokenizer.json files"),
            Model::SentencePiece(model) if model.remembers_parts() => (
                "SentencePiece by remembered stretches",
                "32-bit scores and symbol rules of .model files; stretches that no piece reaches over are looked up",
            ),
            Model::SentencePiece(_) => ("SentencePiece", "32-bit scores and symbol rules of .model files"),
        };
        (engine.to_string(), reason.to_string())
    }

    /// All ids are below.
    pub fn id_bound(&self) -> usize {
        match self {
            Model::Bpe(model) => model.vocab().id_bound(),
            Model::WordPiece(model) => model.id_bound(),
            Model::WordLevel(model) => model.id_bound(),
            Model::Unigram(model) => model.size(),
            Model::SentencePiece(model) => model.size(),
        }
    }

    /// The id of a token.
    pub fn token_to_id(&self, token: &str) -> Option<TokenId> {
        each!(self, model => model.token_to_id(token))
    }

    /// The text of an id.
    pub fn id_to_token(&self, id: TokenId) -> Option<&str> {
        each!(self, model => model.id_to_token(id))
    }
}
