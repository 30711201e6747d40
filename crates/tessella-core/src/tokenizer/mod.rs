//! The conductor: the only module that joins stages.
//!
//! - `options`: what a call is given and gives back
//! - `build`: a description becomes a tokenizer; what did not change is shared with the one before
//! - `way`: the ways of a text to the model: where it is cut, and how the model reads what is cut out
//! - `plan`: which way a text takes, decided once, with the reasons
//! - `segment`: raw text to pieces: added tokens, normalisation, pre-tokenization
//! - `spelling`: pieces that are looked up as they stand in the text, without what the model reads around them
//! - `words`, `units`: what much text is cut into where nothing around it matters, by the hundred
//! - `worker`: buffers and piece cache of one thread; a piece becomes tokens; `pool`: workers at rest, which are lent
//! - `brief`: texts of a few bytes, remembered whole; `listed`: words of lists, with their places
//! - `drive`: the one driver: a text is cut, and its parts go to a sink. The sinks:
//!   - `aligned`: the full path, with offsets, words and token texts: `columns`, into which `tokens` brings those of a text, and
//!     which `spans` (and of settled sums, `settled`) fills many tokens at a time
//!   - `ids`: the ids-only path
//!   - `pieces`: the pieces alone
//!   - `counting`: how often each piece comes, for training
//! - `batch`: many texts on several threads; `ragged`: ids alone, in one array; `together`: one large text; `in_order`: what is
//!   done is put in its place
//! - `decoding`: ids back to text; `joined`: in the form in which others keep it, `placed`:
//!   texts that depend on the place
//! - `ranked`: a table of ranks as bytes, which may be no text, and what a text may still become
//!
//! A [`Tokenizer`] is immutable and shared by threads without a lock. A change makes a new one.

#[cfg(test)]
mod affix_tests;
mod aligned;
mod batch;
mod brief;
mod build;
mod byte_lanes;
#[cfg(test)]
mod cluster_tests;
mod columns;
mod counting;
mod decoding;
#[cfg(test)]
mod decoding_tests;
mod drive;
mod fresh;
mod id_room;
mod ids;
mod in_order;
mod joined;
mod listed;
#[cfg(test)]
mod long_word_tests;
mod merged;
mod options;
mod packed;
mod parts;
mod piece_lanes;
#[cfg(test)]
mod piece_lanes_tests;
mod pieces;
mod placed;
mod plan;
mod pool;
mod positions;
mod ragged;
mod ranked;
mod rows;
mod segment;
mod settled;
mod short;
mod spans;
mod spelling;
mod stages;
mod starts;
#[cfg(test)]
mod tests;
mod together;
mod tokens;
mod traps;
mod unit_lanes;
mod units;
mod untold;
mod way;
mod word_blanks;
#[cfg(test)]
mod word_gap_tests;
mod word_gaps;
mod word_lanes;
#[cfg(test)]
mod word_part_tests;
mod word_places;
mod word_solver;
#[cfg(test)]
mod word_stage_tests;
mod word_stages;
#[cfg(test)]
mod word_tests;
mod word_together;
mod word_tokens;
mod words;
mod worker;
mod writings;
mod written_places;
mod written_tables;
#[cfg(test)]
mod written_word_tests;
mod written_words;

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use crate::added::AddedVocabulary;
use crate::decode::Decoder;
use crate::encoding::{Blanks, TokenTexts};
use crate::ids::TokenId;
use crate::lanes::vectors::Level;
use crate::model::Model;
use crate::normalize::Normalizer;
use crate::postprocess::PostProcessor;
use crate::pretokenize::PreTokenizer;
use crate::spec::{AddedToken, TokenizerSpec};

pub use batch::ManyInputs;
pub use brief::{FewIds, MOST_BYTES as BRIEF};
pub use build::Compiled;
pub use counting::PieceCounter;
pub use joined::{DecodeRoom, Joined};
pub use options::{EncodeOptions, Input, Sequence};
pub use pieces::PieceCutter;
pub use plan::PlanStep;
pub use ragged::{ManyTexts, RaggedIds};
pub use ranked::Ranked;
pub use stages::StagePiece;
use worker::LanesStart;

/// Environment variables by which the engine is asked for another of its ways, and what they may say.
pub const WAYS: [(&str, &[&str]); 2] =
    [(Level::VARIABLE, Level::NAMES), (LanesStart::VARIABLE, LanesStart::NAMES)];

/// An immutable tokenizer, shared by threads without a lock. A change makes a new one and shares all that
/// stayed the same.
#[derive(Debug, Clone)]
pub struct Tokenizer {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    spec: TokenizerSpec,
    normalizer: Option<Arc<Normalizer>>,
    pre_tokenizer: Option<Arc<PreTokenizer>>,
    post_processor: Option<Arc<PostProcessor>>,
    decoder: Option<Arc<Decoder>>,
    texts: Arc<Texts>,
    decoding: Arc<decoding::Decoding>,
    plan: plan::Plan,
    workers: Arc<pool::Pool>,
    cache_budget: usize,
}

/// What gives ids their texts: shared with the encodings that come out.
#[derive(Debug)]
struct Texts {
    added: Arc<AddedVocabulary>,
    model: Arc<Model>,
    /// Ids, ascending, that mean one text as an added token and another in the model.
    contested: Vec<TokenId>,
    /// No others have it.
    number: u64,
    /// How many added tokens are none of the model's; counted when it is first asked for.
    beside: OnceLock<usize>,
    blanks: Blanks,
}

impl Texts {
    /// Of a model with so many tokens.
    fn new(added: Arc<AddedVocabulary>, model: Arc<Model>, tokens: usize) -> Self {
        let contested = added
            .tokens()
            .iter()
            .filter_map(|token| {
                let id = token.id?;
                model.id_to_token(id).is_some_and(|text| text != token.content).then_some(id)
            })
            .collect();
        static LAST: AtomicU64 = AtomicU64::new(0);
        let number = LAST.fetch_add(1, Ordering::Relaxed);
        let blanks = Blanks::of(tokens + added.tokens().len());
        Texts { added, model, contested, number, beside: OnceLock::new(), blanks }
    }

    fn beside(&self) -> usize {
        let is_new = |token: &&AddedToken| self.model.token_to_id(&token.content).is_none();
        *self.beside.get_or_init(|| self.added.tokens().iter().filter(is_new).count())
    }

    fn has_contested(&self) -> bool {
        !self.contested.is_empty()
    }

    /// The model's text of an id that an added token also has.
    fn contested_text(&self, id: TokenId) -> Option<&str> {
        self.contested.binary_search(&id).ok().and_then(|_| self.model.id_to_token(id))
    }
}

impl TokenTexts for Texts {
    fn token_text(&self, id: TokenId) -> Option<&str> {
        match self.added.token(id) {
            Some(token) => Some(&token.content),
            None => self.model.id_to_token(id),
        }
    }

    fn number(&self) -> Option<u64> {
        Some(self.number)
    }

    fn blanks(&self) -> Option<&Blanks> {
        Some(&self.blanks)
    }
}

impl Inner {
    fn model(&self) -> &Model {
        &self.texts.model
    }

    fn added(&self) -> &AddedVocabulary {
        &self.texts.added
    }
}

impl Tokenizer {
    /// The model.
    pub fn model(&self) -> &Model {
        self.inner.model()
    }

    /// The description, added tokens with their ids; large tables are shared, so cloning it is cheap.
    pub fn spec(&self) -> &TokenizerSpec {
        &self.inner.spec
    }

    /// Added tokens first, then the model.
    pub fn token_to_id(&self, token: &str) -> Option<TokenId> {
        self.inner.added().id(token).or_else(|| self.inner.model().token_to_id(token))
    }

    /// The text of an id: an added token's own content, or the model's entry.
    pub fn id_to_token(&self, id: TokenId) -> Option<&str> {
        self.inner.texts.token_text(id)
    }

    /// A number that no tokenizer has whose ids have other texts.
    pub fn texts_number(&self) -> u64 {
        self.inner.texts.number
    }

    /// The text of an id as decoders see it: for an added token that is matched after normalisation, its
    /// normalized content.
    pub fn id_to_decoded_token(&self, id: TokenId) -> Option<&str> {
        self.inner.added().decoded_text(id).or_else(|| self.inner.model().id_to_token(id))
    }

    /// All added tokens by ascending id.
    pub fn added_tokens(&self) -> &[AddedToken] {
        self.inner.added().tokens()
    }

    /// Whether decoding may skip an id: that of a special token, or a second id of a special token's text.
    pub fn is_special(&self, id: TokenId) -> bool {
        let added = self.inner.added();
        match added.token(id) {
            Some(token) => token.special,
            None => {
                added.has_special
                    && self.inner.model().id_to_token(id).is_some_and(|text| added.is_special_content(text))
            }
        }
    }

    /// Number of texts in the vocabulary (not the largest id plus one).
    pub fn vocab_size(&self, with_added_tokens: bool) -> usize {
        let model = self.inner.spec.model.vocab_len();
        if !with_added_tokens {
            return model;
        }
        model + self.inner.texts.beside()
    }

    /// Hands out all texts and ids, the model's first.
    pub fn for_each_entry(&self, with_added_tokens: bool, mut entry: impl FnMut(&str, TokenId)) {
        self.inner.spec.model.for_each_entry(&mut entry);
        if with_added_tokens {
            for token in self.added_tokens() {
                if let Some(id) = token.id {
                    entry(&token.content, id);
                }
            }
        }
    }

    /// How many special tokens post-processing adds.
    pub fn added_tokens_to_add(&self, is_pair: bool) -> usize {
        self.inner.post_processor.as_ref().map_or(0, |post| post.added_tokens(is_pair))
    }

    /// Which engine runs each stage, and why.
    pub fn explain_plan(&self) -> Vec<PlanStep> {
        self.inner.explain()
    }

    /// Seeds the random streams of dropout and sampling on this tokenizer's workers. Where there is either, batches are encoded on one
    /// thread from then on, so that they repeat.
    pub fn seed(&self, seed: u64) {
        self.inner.workers.seed(seed);
    }
}
