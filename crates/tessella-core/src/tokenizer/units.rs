//! Ids of much text by its units, where nothing splits a text and blanks are written as marks.
//!
//! A model behind no pre-tokenizer gets a text as a whole, but no token reaches over most of its boundaries, so what
//! stands between two of them comes to the same ids wherever it stands (in Unigram models: unless the sum in front is
//! too far from zero, which is looked at). Such units are found character by character and go by the hundred
//! ([`crate::lanes`]). Blanks stay blanks, and where merges are all, a mark that a text has already is written as a blank,
//! which the model reads alike. There the ids also tell how long each token is, and so where it stands. What the model
//! makes of the text as a whole is the slow way, which this one is tested against.

use std::sync::{Arc, OnceLock};

use super::EncodeOptions;
use super::spelling::respelling_behind;
use super::traps::Traps;
use crate::added::AddedVocabulary;
use crate::cancel::Cancel;
use crate::ids::TokenId;
use crate::lanes::{self, Beside, Blanks, Fate, Lengths, Rules, Spacing, Spelled, Strangers};
use crate::limits;
use crate::model::Model;
use crate::model::sentencepiece::Sums;
use crate::normalize::sentencepiece::{SentencePieceNormalization, Symbol};
use crate::normalize::{Normalizer, Respelling};
use crate::pretokenize::PreTokenizer;
use crate::random::Random;
use crate::text::MOST_BYTES;

/// What all workers share.
#[derive(Debug)]
pub(super) struct Units {
    pub model: Arc<Model>,
    pub normalizer: Option<Arc<Normalizer>>,
    pub writes: Writes,
    pub traps: Traps,
    /// Made when the first worker has seen enough text.
    tables: OnceLock<std::result::Result<Tables, &'static str>>,
    pub hash_seed: [u64; 2],
}

/// What the places of tokens follow from, once their units are found.
#[derive(Debug, Clone, Copy)]
pub(super) struct UnitPlaces<'u> {
    pub lengths: &'u Lengths,
    respelling: Respelling,
    /// Of the bytes that a character is spelled in, the last one covers it and the others nothing, as what is written in
    /// front; else each one covers it, and what is written in front the character behind it.
    pub ends_cover: bool,
}

impl UnitPlaces<'_> {
    /// Bytes that are written in front of a text, which may be at the start of the original.
    pub fn lead(&self, text: &str, at_start: bool) -> u32 {
        u32::from(self.respelling.prepends_to(text, at_start))
    }
}

/// How the places of tokens are found.
#[derive(Debug, Clone, Copy)]
pub(super) enum Telling<'u> {
    /// As units come.
    Each(UnitPlaces<'u>),
    /// Of the whole text.
    All,
}

/// What the places of tokens follow from in a text that was written by SentencePiece's normalizer.
#[derive(Debug, Clone, Copy)]
pub(super) struct WrittenPlaces<'w> {
    pub lengths: &'w Lengths,
    /// The text, with blanks for marks and some characters for all that the model does not know.
    pub text: &'w [u8],
    /// Where in the original each byte of it came from, and behind the last one where that ends.
    pub sources: &'w [u32],
    /// How many characters each unknown token stands for, in order.
    pub runs: &'w [u32],
    pub unk: TokenId,
    /// What stands for characters that the model does not know; no rule writes them.
    pub strangers: Option<Strangers>,
    /// What a blank stands for.
    pub mark: char,
}

/// How a text is written with blanks for marks.
#[derive(Debug)]
pub(super) enum Writes {
    /// Behind so many steps of the normalizer.
    Respelled(Respelling, usize),
    /// By SentencePiece's normalizer with other blanks. A text that has marks of its own then takes the slow way.
    Normalized(Box<SentencePieceNormalization>),
}

/// Where units end, and what they become.
#[derive(Debug)]
pub(super) enum Tables {
    Spelled(Box<Spelled>),
    Sums(Box<Summed>),
}

/// The model's tables, and how a text is written for it.
#[derive(Debug)]
pub(super) struct Summed {
    pub sums: Sums,
    pub blanks: Blanks,
    /// Whether what was written says what was there.
    tells_places: bool,
}

/// What texts are written by.
pub(super) struct Writing<'w> {
    pub normalization: &'w SentencePieceNormalization,
    pub sums: &'w Sums,
}

impl Rules for Writing<'_> {
    fn fate(&self, c: char) -> (Fate, Beside) {
        let is_blank = c == char::from(BLANK);
        let fate = match (self.normalization.symbol(c), self.normalization.rule(c)) {
            _ if c == MARK => Fate::Other,
            (Symbol::Alone, _) if !is_blank && self.sums.knows(c) => Fate::Stays,
            (Symbol::Alone | Symbol::Longer, _) => Fate::Other,
            (_, None) if is_blank => Fate::Blank,
            (_, None) if self.sums.knows(c) => Fate::Stays,
            (_, None) => Fate::Strange,
            (_, Some(" ")) => Fate::Blank,
            (_, Some(_)) => Fate::Other,
        };
        (fate, Beside::default())
    }

    fn goes_on(&self, c: char, with: &mut dyn FnMut(u8)) {
        self.normalization.goes_on(c, with);
    }

    fn inner(&self) -> Option<Vec<char>> {
        self.normalization.inner()
    }

    fn chunk<'t>(&'t self, text: &'t str) -> Option<(usize, &'t str)> {
        self.normalization.first(text).filter(|(_, chunk)| !chunk.contains(MARK))
    }
}

/// What stands for [`MARK`] in texts that are normalized.
const BLANK: u8 = b' ';
const MARK: char = '▁';

/// Texts of this many bytes and more take the slow way, which knows what normalization may make of them.
pub(super) const LONGEST_TEXT: usize = MOST_BYTES / 8;

impl Units {
    /// `None` where units are not all that matters.
    pub fn new(
        model: &Arc<Model>,
        normalizer: Option<&Arc<Normalizer>>,
        pre_tokenizer: Option<&Arc<PreTokenizer>>,
        added: &AddedVocabulary,
    ) -> Option<Units> {
        let alone = || normalizer.filter(|_| pre_tokenizer.is_none());
        let writes = match &**model {
            Model::SentencePiece(model) if model.sums_scores() => {
                Writes::Normalized(Box::new(alone()?.with_blanks()?))
            }
            Model::SentencePiece(_) => Writes::Respelled(alone()?.writes_marks()?, 0),
            Model::Bpe(_) => {
                let (normalizer, pre) = (normalizer.map(|one| &**one), pre_tokenizer.map(|one| &**one));
                let (behind, respelling) = respelling_behind(normalizer, pre)?;
                Writes::Respelled(respelling, behind)
            }
            // None that is cut at units.
            _ => return None,
        };
        let traps = match (&writes, &**model) {
            (Writes::Respelled(respelling, _), Model::Bpe(_)) => {
                Traps::written(added, (respelling.from, respelling.to))
            }
            _ if added.has_normalized() => return None,
            _ => Traps::default(),
        };
        let mut random = Random::from_entropy();
        Some(Units {
            model: model.clone(),
            normalizer: normalizer.cloned(),
            writes,
            traps,
            tables: OnceLock::new(),
            hash_seed: [random.next_u64(), random.next_u64()],
        })
    }

    /// Whether texts come to the same ids in both.
    pub fn are_as_in(&self, other: &Units) -> bool {
        let same_normalizer = || match (&self.normalizer, &other.normalizer) {
            (Some(one), Some(two)) => Arc::ptr_eq(one, two),
            _ => false,
        };
        let are_written_alike = match (&self.writes, &other.writes) {
            (Writes::Respelled(one, 0), Writes::Respelled(two, 0)) => one == two,
            (Writes::Respelled(one, first), Writes::Respelled(two, second)) => {
                (one, first) == (two, second) && same_normalizer()
            }
            _ => same_normalizer(),
        };
        are_written_alike && self.traps == other.traps && Arc::ptr_eq(&self.model, &other.model)
    }

    /// Which character of a written text stands for which one.
    pub fn read(&self) -> (u8, char) {
        match &self.writes {
            Writes::Respelled(respelling, _) => (respelling.from, respelling.to),
            Writes::Normalized(_) => (BLANK, MARK),
        }
    }

    fn make(&self) -> std::result::Result<Tables, &'static str> {
        match (&self.writes, &*self.model) {
            (Writes::Normalized(normalization), Model::SentencePiece(model)) => {
                let sums = model.sums(self.read())?;
                let spacing = Spacing {
                    prepends: normalization.prepends(),
                    drops: normalization.remove_extra_whitespaces,
                };
                let blanks = Blanks::new(&Writing { normalization, sums: &sums }, spacing, sums.strangers);
                let alone = |byte| !normalization.writes(byte);
                let are_told =
                    sums.strangers.is_none_or(|Strangers { usual, last }| alone(usual) && alone(last));
                let tells_places = sums.lengths.is_some() && are_told;
                Ok(Tables::Sums(Box::new(Summed { sums, blanks, tells_places })))
            }
            (_, model) => model.spelled(self.read()).map(|spelled| Tables::Spelled(Box::new(spelled))),
        }
    }

    /// The tables, or why there are none. Whoever asks first makes them, and who asks at the same time makes the same, so
    /// that none waits for another.
    pub fn tables(&self) -> std::result::Result<&Tables, &'static str> {
        let tables = match self.tables.get() {
            Some(tables) => tables,
            None => {
                let _ = self.tables.set(self.make());
                self.tables.get().unwrap_or(&Err("they are being made"))
            }
        };
        tables.as_ref().map_err(|reason| *reason)
    }

    /// How the places of tokens are found, if the tables are there and tell it.
    pub fn places(&self) -> Option<Telling<'_>> {
        match (&self.writes, self.tables().ok()?) {
            (&Writes::Respelled(respelling, _), Tables::Spelled(spelled)) => {
                let ends_cover = matches!(&*self.model, Model::SentencePiece(_));
                let lengths = spelled.lengths.as_ref()?;
                Some(Telling::Each(UnitPlaces { lengths, respelling, ends_cover }))
            }
            (Writes::Normalized(_), Tables::Sums(summed)) => summed.tells_places.then_some(Telling::All),
            _ => None,
        }
    }

    /// Opens a bill of its own for a text that is normalized on this way: who takes the other one after that pays there.
    pub fn begin(&self, bytes: usize, options: &EncodeOptions<'_>) -> Option<limits::Work> {
        let is_normalized = matches!(self.writes, Writes::Respelled(_, 1..));
        is_normalized.then(|| limits::begin(bytes, Cancel::new(options.cancel)))
    }

    /// Whether asking for the tables costs nothing any more.
    pub fn are_there(&self) -> bool {
        self.tables.get().is_some()
    }

    /// The tokens of the model, which the tables take time for.
    pub fn vocab_size(&self) -> usize {
        match &*self.model {
            Model::Bpe(model) => model.vocab().len(),
            Model::SentencePiece(model) => model.size(),
            _ => 0,
        }
    }

    /// For the plan: engine and reason.
    pub fn explain(&self) -> (&'static str, String) {
        let what = match self.tables() {
            Ok(Tables::Spelled(spelled)) => spelled.describe(),
            Ok(Tables::Sums(_)) => "searched again where the sum in front is too far from zero".into(),
            Err(reason) => return ("text by text", reason.into()),
        };
        let level = lanes::vectors::Level::best().name();
        let behind = match self.writes {
            Writes::Respelled(_, 1..) => ", in the text as the steps before make it",
            _ => "",
        };
        (
            "units",
            format!(
                "once there is much text, what no token reaches over goes by the hundred, with blanks for marks{behind}: \
                 {what}; vectors: {level}"
            ),
        )
    }
}
