//! Which way a text takes, decided once when the tokenizer is built, with the reasons.

use super::Inner;
use super::spelling::{Reading, RespelledUnits};
use crate::added::AddedVocabulary;
use crate::cancel::Cancel;
use crate::encoding::{Encoding, TokenTexts};
use crate::error::Result;
use crate::ids::TokenId;
use crate::limits;
use crate::model::Model;
use crate::normalize::Normalizer;
use crate::postprocess::PostProcessor;
use crate::pretokenize::PreTokenizer;

/// One line of the plan: which engine runs a stage, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlanStep {
    pub stage: String,
    pub engine: String,
    pub reason: String,
}

/// The decisions.
#[derive(Debug)]
pub(super) struct Plan {
    /// How a text gets to the model.
    pub way: Way,
    /// The ids-only path must track positions, because a stage looks at them.
    pub track_for_ids: bool,
    /// Ids around a single sequence, when post-processing does no more than that to ids.
    pub around: Option<Around>,
    /// Pieces may be remembered.
    pub cache: bool,
}

/// The ways of a text to the model. All give the same tokens; the first one can take any text.
#[derive(Debug)]
pub(super) enum Way {
    /// Stage after stage.
    Stages,
    /// The pre-tokenizer only splits: its pieces go to the model one by one.
    Splits,
    /// The byte-level alphabet is never spelled out: pieces stay raw bytes up to the model.
    RawBytes,
    /// The mark in front of words is not written: pieces are looked up without it.
    Marked(Reading),
    /// The normalizer only writes one character for another: the text is looked up as it is.
    Respelled(RespelledUnits),
}

impl Way {
    fn new(
        model: &Model,
        normalizer: Option<&Normalizer>,
        pre_tokenizer: Option<&PreTokenizer>,
        added: &AddedVocabulary,
    ) -> Way {
        if let (Some(bpe), None, Some(normalizer)) = (model.as_bpe(), pre_tokenizer, normalizer)
            && bpe.is_deterministic()
            && !added.has_normalized()
            && let Some(respelling) = normalizer.respelling()
            && let Some(units) = RespelledUnits::new(bpe, respelling)
        {
            return Way::Respelled(units);
        }
        let Some(pre_tokenizer) = pre_tokenizer else { return Way::Stages };
        if model.as_bpe().is_some() {
            // Without a byte-level end, long pieces may be cut into units, which the cache knows as written.
            return if pre_tokenizer.byte_level_view().is_some() { Way::RawBytes } else { Way::Stages };
        }
        if pre_tokenizer.split_view().is_some() {
            return Way::Splits;
        }
        match pre_tokenizer.marked_view() {
            Some(view) if model.is_deterministic() => {
                Way::Marked(Reading::Marked { mark: view.mark(), prepends: view.prepends() })
            }
            _ => Way::Stages,
        }
    }

    /// What the cache knows a piece by.
    fn key(&self) -> Key {
        match self {
            Way::Stages | Way::Splits => Key::Characters,
            Way::RawBytes => Key::Bytes,
            Way::Marked(reading) => Key::Read(*reading),
            Way::Respelled(units) => Key::Read(units.reading()),
        }
    }

    fn explain(&self) -> Option<(&'static str, &'static str, &'static str)> {
        Some(match self {
            Way::Stages => return None,
            Way::Splits => ("pre-tokenizer", "no list of pieces", "splits are all there is"),
            Way::RawBytes => (
                "pre-tokenizer",
                "raw bytes",
                "byte-level mapping is last and the model is BPE: the printable alphabet is never spelled out",
            ),
            Way::Marked(_) => (
                "pre-tokenizer",
                "marks are not written",
                "only splits stand before the last Metaspace: pieces are looked up without their marks",
            ),
            Way::Respelled(_) => (
                "normalizer",
                "text is not written",
                "one character for another and nothing that splits: units are found and looked up in the text \
                 as it is",
            ),
        })
    }
}

#[derive(PartialEq)]
enum Key {
    Characters,
    Bytes,
    Read(Reading),
}

/// What post-processing puts before and after a single sequence.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) struct Around {
    pub before: Vec<TokenId>,
    pub after: Vec<TokenId>,
}

impl Plan {
    pub fn new(
        model: &Model,
        normalizer: Option<&Normalizer>,
        pre_tokenizer: Option<&PreTokenizer>,
        post_processor: Option<&PostProcessor>,
        added: &AddedVocabulary,
    ) -> Result<Self> {
        Ok(Plan {
            way: Way::new(model, normalizer, pre_tokenizer, added),
            track_for_ids: pre_tokenizer.is_some_and(PreTokenizer::needs_alignment)
                || normalizer.is_some_and(Normalizer::needs_alignment),
            around: around(post_processor)?,
            cache: model.is_deterministic(),
        })
    }

    /// Whether both plans hand the same piece to the model under the same key.
    pub fn same_keys(&self, other: &Plan) -> bool {
        self.way.key() == other.way.key()
    }
}

/// Finds what goes around a sequence by processing a marker.
fn around(post: Option<&PostProcessor>) -> Result<Option<Around>> {
    let Some(post) = post else { return Ok(Some(Around::default())) };
    #[derive(Debug)]
    struct NoTexts;
    impl TokenTexts for NoTexts {
        fn token_text(&self, _: TokenId) -> Option<&str> {
            None
        }
    }
    const MARKER: TokenId = TokenId::MAX;
    let marker = Encoding::from_tokens(
        vec![MARKER],
        vec![(0, 0)],
        vec![0],
        0,
        std::sync::Arc::new(NoTexts),
        Default::default(),
    );
    let _work = limits::begin(1, Cancel::never());
    let processed = post.process(marker, None, true)?;
    let ids = processed.ids();
    let mut places = ids.iter().enumerate().filter(|(_, id)| **id == MARKER).map(|(at, _)| at);
    Ok(match (places.next(), places.next()) {
        (Some(at), None) => Some(Around { before: ids[..at].to_vec(), after: ids[at + 1..].to_vec() }),
        _ => None,
    })
}

impl Inner {
    pub(super) fn explain(&self) -> Vec<PlanStep> {
        let mut steps = Vec::new();
        let mut step = |stage: &str, engine: String, reason: String| {
            steps.push(PlanStep { stage: stage.to_string(), engine, reason });
        };
        let added = self.added();
        if !added.is_empty() {
            let passes = match (added.has_raw(), added.has_normalized()) {
                (true, true) => "before and after normalisation",
                (true, false) => "before normalisation",
                _ => "after normalisation",
            };
            step(
                "added tokens",
                "Aho-Corasick automaton".into(),
                format!("{}, matched {passes}, leftmost-longest", counted(added.tokens().len(), "token")),
            );
        }
        if let Some(normalizer) = &self.normalizer {
            for (engine, reason) in normalizer.explain() {
                step("normalizer", engine, reason);
            }
        }
        if let Some(pre) = &self.pre_tokenizer {
            for (stage, engine, reason) in pre.explain() {
                step(&format!("pre-tokenizer {stage}"), engine, reason);
            }
        }
        if let Some((stage, engine, reason)) = self.plan.way.explain() {
            step(stage, engine.into(), reason.into());
        }
        let (engine, reason) = self.model().explain();
        step("model", engine, reason);
        if self.plan.cache {
            step(
                "model",
                "piece cache".into(),
                format!("equal pieces give equal tokens; up to {} MiB per thread", self.cache_budget >> 20),
            );
        } else {
            step("model", "no cache".into(), "dropout or sampling is on".into());
        }
        let ids_reason = if self.plan.track_for_ids {
            "a stage looks at positions in the original, so alignment is kept"
        } else {
            "no alignment, no strings"
        };
        step("ids only", "same stages".into(), ids_reason.into());
        if self.post_processor.is_some() {
            let how = match &self.plan.around {
                Some(around) => format!(
                    "a single sequence gets {} ids before and {} after",
                    around.before.len(),
                    around.after.len()
                ),
                None => "a sequence occurs more than once, or not at all: ids go through the full processor"
                    .into(),
            };
            step("post-processor", "template".into(), how);
        }
        steps
    }
}

/// "1 token", "2 tokens".
fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}
