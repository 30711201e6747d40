//! Ids of much text by its units, where nothing splits a text and blanks are written as marks.
//!
//! A model behind no pre-tokenizer gets a text as a whole, but no token reaches over most of its boundaries, so what
//! stands between two of them comes to the same ids wherever it stands. Such units are found character by character and
//! go by the hundred ([`crate::lanes`]); blanks stay blanks, and a mark that a text has already is written as a blank, which
//! the model reads alike. What the model makes of the written text is the slow way, which this one is tested
//! against.

use std::sync::{Arc, OnceLock};

use super::EncodeOptions;
use super::spelling::{Reading, Spelling};
use crate::added::AddedVocabulary;
use crate::error::Result;
use crate::ids::{PieceToken, TokenId};
use crate::lanes::{self, Bounds, Key, LongPieces, Pieces, Runner, Solve, Spelled, Work};
use crate::model::{Model, Scratch};
use crate::normalize::{Normalizer, Respelling};
use crate::pretokenize::PreTokenizer;
use crate::random::Random;
use crate::text::MOST_BYTES;

/// What all workers share.
#[derive(Debug)]
pub(super) struct Units {
    model: Arc<Model>,
    respelling: Respelling,
    /// Made when the first worker has seen enough text.
    spelled: OnceLock<std::result::Result<Spelled, &'static str>>,
    hash_seed: [u64; 2],
}

/// Texts of this many bytes and more take the slow way, which knows what normalization may make of them.
pub(super) const LONGEST_TEXT: usize = MOST_BYTES / 8;

impl Units {
    /// `None` where units are not all that matters.
    pub fn new(
        model: &Arc<Model>,
        normalizer: Option<&Normalizer>,
        pre_tokenizer: Option<&Arc<PreTokenizer>>,
        added: &AddedVocabulary,
    ) -> Option<Units> {
        if !matches!(&**model, Model::Bpe(_) | Model::SentencePiece(_))
            || pre_tokenizer.is_some()
            || added.has_normalized()
        {
            return None;
        }
        let mut random = Random::from_entropy();
        Some(Units {
            model: model.clone(),
            respelling: normalizer?.writes_marks()?,
            spelled: OnceLock::new(),
            hash_seed: [random.next_u64(), random.next_u64()],
        })
    }

    /// Whether texts come to the same ids in both.
    pub fn are_as_in(&self, other: &Units) -> bool {
        Arc::ptr_eq(&self.model, &other.model) && self.respelling == other.respelling
    }

    /// The tables, or why there are none. Whoever asks first makes them, and who asks at the same time makes the same, so
    /// that none waits for another.
    pub fn spelled(&self) -> std::result::Result<&Spelled, &'static str> {
        let spelled = match self.spelled.get() {
            Some(spelled) => spelled,
            None => {
                let _ = self.spelled.set(self.model.spelled((self.respelling.from, self.respelling.to)));
                self.spelled.get().unwrap_or(&Err("they are being made"))
            }
        };
        spelled.as_ref().map_err(|reason| *reason)
    }

    /// Whether asking for the tables costs nothing any more.
    pub fn are_there(&self) -> bool {
        self.spelled.get().is_some()
    }

    /// The tokens of the model, which the tables take time for.
    pub fn vocab_size(&self) -> usize {
        match &*self.model {
            Model::Bpe(model) => model.vocab().len(),
            Model::SentencePiece(model) => model.size(),
            Model::WordPiece(_) | Model::WordLevel(_) | Model::Unigram(_) => 0,
        }
    }

    /// For the plan: engine and reason.
    pub fn explain(&self) -> (&'static str, String) {
        match self.spelled() {
            Ok(spelled) => (
                "units",
                format!(
                    "once there is much text, what no token reaches over goes by the hundred, with blanks for marks: {}; \
                     vectors: {}",
                    spelled.describe(),
                    lanes::vectors::Level::best().name()
                ),
            ),
            Err(reason) => ("text by text", reason.into()),
        }
    }
}

/// What one worker owns for it.
#[derive(Debug)]
pub(super) struct UnitLanes {
    units: Arc<Units>,
    runner: Runner,
    bounds: Bounds,
    buffers: Buffers,
}

#[derive(Debug, Default)]
struct Buffers {
    /// The text as units are found in it.
    text: String,
    spelling: Spelling,
    tokens: Vec<PieceToken>,
    ids: Vec<TokenId>,
    /// New units with their numbers: those that only the model itself knows, and all others.
    new: [Vec<(usize, Key)>; 2],
}

impl UnitLanes {
    pub fn new(units: Arc<Units>, runner: Runner) -> Self {
        UnitLanes { units, runner, bounds: Bounds::default(), buffers: Buffers::default() }
    }

    /// Whether this is for those units.
    pub fn are_for(&self, units: &Arc<Units>) -> bool {
        Arc::ptr_eq(&self.units, units)
    }

    /// Appends the ids of a text between added tokens.
    pub fn append(
        &mut self,
        text: &str,
        options: &EncodeOptions<'_>,
        scratch: &mut Scratch,
        out: &mut Vec<TokenId>,
    ) -> Result<()> {
        let UnitLanes { units, runner, bounds, buffers } = self;
        let Ok(spelled) = units.spelled() else { return Ok(()) };
        let Buffers { text: written, spelling, tokens, ids, new } = buffers;
        write(units.respelling, text, written);
        let mut solver = Solver { units, spelled, scratch, spelling, tokens, ids, new };
        let mut found = lanes::Units::new(&spelled.boundaries, written);
        bounds.begin(0);
        loop {
            let more = found.fill(bounds);
            runner.solved_ids(&mut solver, Pieces::within(bounds, written.as_bytes()), out)?;
            options.check_cancelled()?;
            if !more {
                return Ok(());
            }
            bounds.go_on();
        }
    }
}

/// Writes a text as units are found in it.
fn write(respelling: Respelling, text: &str, written: &mut String) {
    let Respelling { from, to, prepends } = respelling;
    written.clear();
    if prepends && !text.is_empty() {
        written.push(from.into());
    }
    let mut mark = [0; 4];
    let mark = to.encode_utf8(&mut mark).as_bytes();
    let mut copied = 0;
    for at in memchr::memmem::find_iter(text.as_bytes(), mark) {
        written.push_str(&text[copied..at]);
        written.push(from.into());
        copied = at + mark.len();
    }
    written.push_str(&text[copied..]);
}

/// The model for one unit.
struct Solver<'s> {
    units: &'s Units,
    spelled: &'s Spelled,
    scratch: &'s mut Scratch,
    spelling: &'s mut Spelling,
    tokens: &'s mut Vec<PieceToken>,
    ids: &'s mut Vec<TokenId>,
    new: &'s mut [Vec<(usize, Key)>; 2],
}

impl Solver<'_> {
    /// Puts the tokens of a unit into the buffer.
    fn tokenize(&mut self, unit: &[u8]) -> Result<()> {
        self.tokens.clear();
        // Units end at characters, so this holds.
        let Ok(unit) = std::str::from_utf8(unit) else { return Ok(()) };
        let Respelling { from, to, .. } = self.units.respelling;
        let unit = self.spelling.write(Reading::Respelled { from, to }, unit);
        self.units.model.tokenize(unit, self.scratch, self.tokens)
    }
}

impl LongPieces for Solver<'_> {
    fn ids(&mut self, unit: &[u8], out: &mut Vec<TokenId>) -> Result<()> {
        self.tokenize(unit)?;
        out.extend(self.tokens.iter().map(|token| token.id));
        Ok(())
    }
}

impl Solve for Solver<'_> {
    #[inline(always)]
    fn hash_seed(&self) -> [u64; 2] {
        self.units.hash_seed
    }

    #[inline(always)]
    fn whole(&self, _: Key) -> Option<TokenId> {
        None
    }

    #[inline(never)]
    fn solve(
        &mut self,
        work: &mut Work,
        units: impl Iterator<Item = Key>,
        mut found: impl FnMut(usize, &[TokenId]),
    ) -> Result<()> {
        let mut lists = std::mem::take(self.new);
        let [hard, plain] = &mut lists;
        hard.clear();
        plain.clear();
        for unit in units.enumerate() {
            if self.spelled.is_hard(unit.1) { hard.push(unit) } else { plain.push(unit) }
        }
        self.spelled.solve(work, plain, &mut found);
        for &(number, unit) in hard.iter() {
            self.tokenize(&unit.bytes()[..unit.len()])?;
            self.ids.clear();
            self.ids.extend(self.tokens.iter().map(|token| token.id));
            found(number, self.ids);
        }
        *self.new = lists;
        Ok(())
    }
}
