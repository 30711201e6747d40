//! The ways of a text to the model, each with all that it needs.
//!
//! A [`Cut`] says where a text is cut, a [`Reader`] says how the model reads what is cut out. A [`Way`] is one
//! of each, chosen once when the tokenizer is built. Both own their parts (shared with the tokenizer), so a way
//! that was chosen can be gone: nothing is looked up, and found missing, while a text is encoded.

use std::sync::Arc;

use super::spelling::{Reading, RespelledUnits, respelling};
use crate::added::AddedVocabulary;
use crate::model::Model;
use crate::model::bpe::Bpe;
use crate::normalize::Normalizer;
use crate::pretokenize::{ByteLevelView, MarkedView, PreTokenizer, SplitView};

/// Where a text is cut. All cuts of one tokenizer give the same tokens; the first kind can take any text.
#[derive(Debug)]
pub(super) enum Cut {
    /// Stage after stage.
    Stages(Option<Arc<PreTokenizer>>),
    /// The pre-tokenizer only splits: its pieces go to the model one by one.
    Splits(SplitView),
    /// The byte-level alphabet is never spelled out: pieces stay raw bytes up to the model, which may be inside of characters.
    RawBytes(ByteLevelView),
    /// The mark in front of words is not written: pieces are looked up without it.
    Marked(MarkedView),
    /// All that is done before the model is to write one character for another: the text is looked up as it is.
    Respelled(RespelledUnits),
}

impl Cut {
    /// The cut into the pieces that a model sees, whichever model it is.
    pub fn into_pieces(pre_tokenizer: Option<&Arc<PreTokenizer>>) -> Cut {
        let views = pre_tokenizer.and_then(|pre| {
            // Pieces are texts here.
            let raw = pre.byte_level_view().filter(|view| !view.cuts_inside()).map(Cut::RawBytes);
            raw.or_else(|| pre.split_view().map(Cut::Splits)).or_else(|| pre.marked_view().map(Cut::Marked))
        });
        views.unwrap_or_else(|| Cut::Stages(pre_tokenizer.cloned()))
    }

    /// How the text of a piece differs from what the model reads.
    pub fn form(&self) -> Form {
        match self {
            Cut::Stages(_) | Cut::Splits(_) => Form::Characters,
            Cut::RawBytes(_) => Form::Bytes,
            Cut::Marked(view) => Form::Read(Reading::Marked { mark: view.mark(), prepends: view.prepends() }),
            Cut::Respelled(units) => Form::Read(units.reading()),
        }
    }
}

/// How the text of a piece differs from what the model reads; equal pieces of one form are read alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// Not at all.
    Characters,
    /// Raw bytes, which the model knows in the printable alphabet.
    Bytes,
    /// Written by a rule.
    Read(Reading),
}

/// How the model reads what is cut out.
#[derive(Debug)]
pub(super) struct Reader {
    pub reads: Reads,
    /// Equal pieces give equal tokens, so that results may be remembered.
    pub remembers: bool,
}

/// A form and the model that reads it.
#[derive(Debug)]
pub(super) enum Reads {
    Characters(Arc<Model>),
    Bytes(Arc<Bpe>),
    Spelled(Arc<Model>, Reading),
}

/// Whether the results of whole pieces are kept.
fn remembers(model: &Model) -> bool {
    model.is_deterministic() && !model.remembers_parts()
}

/// How a text gets to the model.
#[derive(Debug)]
pub(super) struct Way {
    pub cut: Cut,
    pub reader: Reader,
}

impl Way {
    /// Whether several threads can share one text.
    pub fn can_share_a_text(&self) -> bool {
        let finds_many = |view: &ByteLevelView| view.masked(&" ".repeat(64)).is_some();
        self.reader.remembers
            && matches!(self.reader.reads, Reads::Bytes(_))
            && matches!(&self.cut, Cut::RawBytes(view) if finds_many(view))
    }

    pub fn new(
        model: &Arc<Model>,
        normalizer: Option<&Normalizer>,
        pre_tokenizer: Option<&Arc<PreTokenizer>>,
        added: &AddedVocabulary,
    ) -> Way {
        let spelled = |cut: Cut, reading| Way {
            cut,
            reader: Reader { reads: Reads::Spelled(model.clone(), reading), remembers: true },
        };
        let remembers = remembers(model);
        if let Model::Bpe(bpe) = &**model
            && remembers
            && !added.has_normalized()
            && let Some(respelling) = respelling(normalizer, pre_tokenizer.map(|pre| &**pre))
            && let Some(units) = RespelledUnits::new(bpe, respelling)
        {
            let reading = units.reading();
            return spelled(Cut::Respelled(units), reading);
        }
        if let Model::Bpe(bpe) = &**model
            && bpe.alphabet().spells_all_texts()
            && let Some(view) = pre_tokenizer.and_then(|pre| pre.byte_level_view())
        {
            let reader = Reader { reads: Reads::Bytes(bpe.clone()), remembers };
            return Way { reader, cut: Cut::RawBytes(view) };
        }
        let cut = Cut::into_pieces(pre_tokenizer);
        match (&cut, &**model) {
            (Cut::RawBytes(_), Model::Bpe(bpe)) => {
                Way { reader: Reader { reads: Reads::Bytes(bpe.clone()), remembers }, cut }
            }
            // Long pieces may be cut into units, which the cache knows as written.
            (_, Model::Bpe(_)) | (Cut::RawBytes(_), _) => Self::any_text(model, pre_tokenizer),
            (Cut::Marked(_), _) => match cut.form() {
                Form::Read(reading) if remembers => spelled(cut, reading),
                _ => Self::any_text(model, pre_tokenizer),
            },
            _ => Way { cut, reader: Reader { reads: Reads::Characters(model.clone()), remembers } },
        }
    }

    /// Stage after stage: the slow twin of all other ways.
    pub fn any_text(model: &Arc<Model>, pre_tokenizer: Option<&Arc<PreTokenizer>>) -> Way {
        Way {
            cut: Cut::Stages(pre_tokenizer.cloned()),
            reader: Reader { reads: Reads::Characters(model.clone()), remembers: remembers(model) },
        }
    }

    /// Stage, engine and reason, for the plan.
    pub fn explain(&self) -> Option<(&'static str, &'static str, &'static str)> {
        Some(match self.cut {
            Cut::Stages(_) => return None,
            Cut::Splits(_) => ("pre-tokenizer", "no list of pieces", "splits are all there is"),
            Cut::RawBytes(_) => (
                "pre-tokenizer",
                "raw bytes",
                "byte-level mapping is last and the model is BPE: the printable alphabet is never spelled out",
            ),
            Cut::Marked(_) => (
                "pre-tokenizer",
                "marks are not written",
                "only splits stand before the last Metaspace: pieces are looked up without their marks",
            ),
            Cut::Respelled(_) => (
                "text",
                "not written",
                "one character for another and nothing that splits: units are found and looked up in the text \
                 as it is",
            ),
        })
    }
}
