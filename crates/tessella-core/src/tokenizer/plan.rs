//! Which way a text takes, decided once when the tokenizer is built, with the reasons.

use std::sync::Arc;

use super::Inner;
use super::brief::Number;
use super::piece_lanes::PieceLanes;
use super::units::Units;
use super::way::{Cut, Reads, Way};
use super::words::Words;
use super::worker::LanesStart;
use crate::added::AddedVocabulary;
use crate::cancel::Cancel;
use crate::encoding::{Encoding, TokenTexts};
use crate::error::Result;
use crate::ids::TokenId;
use crate::lanes::vectors::Level;
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
#[derive(Debug, Clone)]
pub(super) struct Plan {
    /// How a text gets to the model.
    pub way: Arc<Way>,
    /// Where texts are cut for those who only want the pieces.
    pub into_pieces: Arc<Cut>,
    /// The ids-only path must track positions, because a stage looks at them.
    pub track_for_ids: bool,
    /// The same for those who only want the pieces.
    pub track_for_pieces: bool,
    /// Ids around a single sequence, when post-processing does no more than that to ids.
    pub around: Option<Around>,
    /// Raw words may be looked up without anything around them.
    pub words: Option<Arc<Words>>,
    /// Texts that nothing splits fall into units.
    pub units: Option<Arc<Units>>,
    /// Equal texts give equal ids, whoever is asked: short ones may be remembered under this number.
    pub remembered_as: Option<Number>,
}

/// What post-processing puts before and after a single sequence.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) struct Around {
    pub before: Vec<TokenId>,
    pub after: Vec<TokenId>,
}

impl Plan {
    pub fn new(
        model: &Arc<Model>,
        normalizer: Option<&Arc<Normalizer>>,
        pre_tokenizer: Option<&Arc<PreTokenizer>>,
        post_processor: Option<&PostProcessor>,
        added: &AddedVocabulary,
        old: Option<&Plan>,
    ) -> Result<Self> {
        let looks_at_positions = pre_tokenizer.is_some_and(|pre| pre.needs_alignment())
            || normalizer.is_some_and(|normalizer| normalizer.needs_alignment());
        let words = Words::new(model, normalizer, pre_tokenizer, added);
        let words = words.map(|words| match old.and_then(|old| old.words.as_ref()) {
            Some(old) if old.are_as_in(&words) => old.clone(),
            _ => Arc::new(words),
        });
        let units = Units::new(model, normalizer, pre_tokenizer, added);
        let units = units.map(|units| match old.and_then(|old| old.units.as_ref()) {
            Some(old) if old.are_as_in(&units) => old.clone(),
            _ => Arc::new(units),
        });
        let way = Way::new(model, normalizer.map(|normalizer| &**normalizer), pre_tokenizer, added);
        // Where a text is looked up as it is, what stands at its start is known.
        let track_for_ids = looks_at_positions && !matches!(way.cut, Cut::Respelled(_));
        let is_raw = normalizer.is_none() && matches!(way.cut, Cut::RawBytes(_)) && way.reader.remembers;
        let remembers = model.is_deterministic() && (is_raw || words.is_some() || units.is_some());
        Ok(Plan {
            way: Arc::new(way),
            into_pieces: Arc::new(Cut::into_pieces(pre_tokenizer)),
            track_for_ids,
            track_for_pieces: looks_at_positions,
            around: around(post_processor)?,
            words,
            units,
            remembered_as: if remembers { Number::next() } else { None },
        })
    }

    /// The plan for another post-processor: nothing else hangs on it.
    pub fn around(&self, post_processor: Option<&PostProcessor>) -> Result<Plan> {
        let remembered_as = self.remembered_as.and_then(|_| Number::next());
        Ok(Plan { around: around(post_processor)?, remembered_as, ..self.clone() })
    }

    /// Makes the tables that this way needs once there is much text.
    pub fn get_ready(&self) {
        if let Reads::Bytes(bpe) = &self.way.reader.reads
            && self.way.reader.remembers
            && let Some(Ok(engine)) = bpe.lanes()
        {
            engine.get_ready();
        }
    }

    /// Whether both plans hand the same piece to the model under the same key, and the same word to the stages.
    pub fn same_keys(&self, other: &Plan) -> bool {
        same(&self.words, &other.words)
            && same(&self.units, &other.units)
            && self.way.cut.form() == other.way.cut.form()
    }
}

fn same<T>(one: &Option<Arc<T>>, two: &Option<Arc<T>>) -> bool {
    match (one, two) {
        (Some(one), Some(two)) => Arc::ptr_eq(one, two),
        (one, two) => one.is_none() && two.is_none(),
    }
}

/// Finds what goes around a sequence by processing a marker, which has to be alone where no special tokens are asked for.
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
    let marker = || {
        Encoding::from_tokens(
            vec![MARKER],
            vec![(0, 0)].into(),
            vec![0],
            0,
            std::sync::Arc::new(NoTexts),
            Default::default(),
        )
    };
    let _work = limits::begin(1, Cancel::never());
    let processed = post.process(marker(), None, true)?;
    // Of templates in a row, the second one may repeat what the first one left: a special token, or the sequence itself.
    if !post.process(marker(), None, false).is_ok_and(|plain| plain.ids() == [MARKER]) {
        return Ok(None);
    }
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
        if let Cut::RawBytes(view) = &self.plan.way.cut
            && let Some(joint) = view.explain_joint()
        {
            match joint {
                Ok(how) => step("pre-tokenizer", "all stages at once".into(), how),
                Err(reason) => step("pre-tokenizer", "stage by stage".into(), reason),
            }
        }
        if let (Cut::Stages(Some(pre)), Model::Bpe(_)) = (&self.plan.way.cut, self.model())
            && let Some(reason) = pre.why_not_in_bytes()
        {
            step("pre-tokenizer", "stage by stage".into(), reason);
        }
        if let Some((stage, engine, reason)) = self.plan.way.explain() {
            step(stage, engine.into(), reason.into());
        }
        let (engine, reason) = self.model().explain();
        step("model", engine, reason);
        if self.plan.way.reader.remembers {
            step(
                "model",
                "piece cache".into(),
                format!("equal pieces give equal tokens; up to {} MiB per thread", self.cache_budget >> 20),
            );
        } else if !self.model().is_deterministic() {
            step("model", "no cache".into(), "dropout or sampling is on".into());
        }
        self.explain_uses(&mut step);
        steps
    }

    /// What is done by the hundred, for ids only, for counts, and behind the model.
    fn explain_uses(&self, step: &mut impl FnMut(&str, String, String)) {
        if LanesStart::may_be()
            && let Some((engine, reason)) = self.explain_much_text()
        {
            step("much text", engine.into(), reason);
        }
        let ids_reason = if self.plan.track_for_ids {
            "a stage looks at positions in the original, so alignment is kept"
        } else {
            "no alignment, no strings"
        };
        step("ids only", "same stages".into(), ids_reason.into());
        let (engine, reason) = match LanesStart::may_be() {
            true => (
                "by the hundred",
                "a piece is told when it comes for the first time, and then counted where it is",
            ),
            false => ("piece by piece", "TESSELLA_LANES is off"),
        };
        step("counting", engine.into(), reason.into());
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
    }

    /// What takes over once there is much text, or why nothing does.
    fn explain_much_text(&self) -> Option<(&'static str, String)> {
        let mut without_lanes = None;
        if let Reads::Bytes(bpe) = &self.plan.way.reader.reads
            && let Some(lanes) = bpe.lanes()
        {
            match lanes {
                Ok(engine) => {
                    let offsets = match engine.lengths() {
                        Some(_) => {
                            "offsets follow from the lengths of ids, when they are read if pieces cover a whole text"
                        }
                        None => "offsets piece by piece, for ids do not tell lengths",
                    };
                    let reason = format!(
                        "once there is much text, pieces go by the hundred: {}; {offsets}",
                        engine.describe()
                    );
                    return Some(("lanes", reason));
                }
                Err(reason) => without_lanes = Some(("piece by piece", reason.to_string())),
            }
        }
        if let Some(units) = &self.plan.units {
            return Some(units.explain());
        }
        let together = match self.model() {
            Model::Bpe(bpe) if bpe.merges_together(usize::MAX).is_some() => ", and are merged many at once",
            _ => "",
        };
        let reader = &self.plan.way.reader;
        let may_keep = reader.remembers && PieceLanes::may_keep(reader);
        let by_pieces = |why: &str| {
            let reason = format!(
                "once there is much text, what the stages have cut goes by the hundred, and only new pieces take the \
                 model{together}; words in the raw text do not: {why}; vectors: {}",
                Level::best().name()
            );
            ("pieces", reason)
        };
        let Some(words) = &self.plan.words else {
            let why = match &without_lanes {
                Some((_, reason)) => reason.as_str(),
                None => "what stands around them matters, or a token has an id that there is no room for",
            };
            return if may_keep { Some(by_pieces(why)) } else { without_lanes };
        };
        if words.characters().is_none() {
            return Some(by_pieces(
                "some ASCII character is more than a blank or a part of a word, or several become blanks",
            ));
        }
        let pieces =
            without_lanes.map_or(String::new(), |(_, reason)| format!(", and pieces do not: {reason}"));
        let reason = format!(
            "once there is much text, raw words go by the hundred: nothing around a word matters to it, and only new \
             ones take the stages{together}{pieces}; vectors: {}",
            Level::best().name()
        );
        Some(("words", reason))
    }
}

/// "1 token", "2 tokens".
fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}
