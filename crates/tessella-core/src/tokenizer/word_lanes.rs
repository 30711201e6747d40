//! What one worker owns to make much text ids, or tokens with places, by its words ([`super::words`]).

use std::ops::Range;
use std::sync::Arc;

use super::packed;
use super::parts;
use super::word_gaps::{Gaps, Within};
use super::word_solver::{Buffers, Joined, Solver};
use super::words::{LONGEST_TEXT, Words};
use crate::added::Segment;
use crate::error::Result;
use crate::ids::TokenId;
use crate::lanes::{Filled, Pieces, Runner, Spans};
use crate::model::Scratch;

const _: () = assert!(LONGEST_TEXT <= packed::LONGEST);

/// What one worker owns for it.
#[derive(Debug)]
pub(super) struct WordLanes {
    words: Arc<Words>,
    runner: Runner,
    spans: Spans,
    buffers: Buffers,
    /// Whether words become tokens with their places ([`packed`]) instead of ids alone.
    packs: bool,
    /// Bytes of text that came.
    bytes: usize,
    /// Words of which some do not come in the parts that were found.
    joined: Joined,
}

/// Who takes what the words of a text become.
pub(super) trait TakesWords {
    /// An added token stands between words.
    fn added(&mut self, segment: &Segment, id: TokenId) -> Result<()>;

    /// Where the numbers of words are to be appended.
    fn room(&mut self) -> &mut Vec<u32>;

    /// Some words were appended, of a text that begins at byte `origin`; false if the text must take the slow way.
    fn words(&mut self, words: Pieces<'_>, origin: usize, solver: &mut Solver<'_>) -> Result<bool>;
}

impl WordLanes {
    pub fn new(words: Arc<Words>, runner: Runner, packs: bool) -> Self {
        let (spans, buffers, joined) = Default::default();
        WordLanes { words, runner, spans, buffers, packs, bytes: 0, joined }
    }

    /// Whether this is for those words.
    pub fn are_for(&self, words: &Arc<Words>) -> bool {
        Arc::ptr_eq(&self.words, words)
    }

    /// Bytes that may come into use.
    pub fn memory(&self) -> usize {
        self.runner.memory()
    }

    /// Hands the words of a text over; false if it must take the slow way, and then some of them were.
    pub fn append(
        &mut self,
        segments: &[Segment],
        text: &str,
        scratch: &mut Scratch,
        out: &mut impl TakesWords,
    ) -> Result<bool> {
        let Some(characters) = self.words.characters() else { return Ok(false) };
        if text.len() > LONGEST_TEXT || !self.words.pays_for(text) {
            return Ok(false);
        }
        let packs = self.packs;
        self.bytes = self.bytes.saturating_add(text.len());
        let breaks = self.words.breaks(self.bytes, packs);
        let has_parts = breaks.is_some();
        let has_traps = !self.packs && !self.words.traps.are_none();
        let solving = self.words.solving(self.bytes);
        let buffers = &mut self.buffers;
        let words = &*self.words;
        let mut solver = Solver { words, scratch, buffers, packs, has_parts, solving };
        for segment in segments {
            if let Some(id) = segment.id {
                out.added(segment, id)?;
                continue;
            }
            let origin = segment.range.start;
            let text = &text[segment.range.clone()];
            let gaps = words.stages.gaps();
            let within = match gaps {
                Some(gaps) => gaps.within(text, words.stages.normalizer.as_deref(), characters),
                None => Some(Within::all(text)),
            };
            let Some(Within { before, words: within, behind }) = within else { return Ok(false) };
            // Where places are wanted, blanks go with the word behind them.
            let with_blanks = packs && gaps.is_some();
            let within = if with_blanks { before.start..within.end } else { within };
            let alone = |blanks: Range<usize>, runner: &mut Runner, solver: &mut Solver<'_>, out: &mut _| {
                let (start, end) = ([blanks.start as u32], [blanks.end as u32]);
                let pieces = Pieces { text: text.as_bytes(), starts: &start, ends: &end };
                if blanks.is_empty() { Ok(true) } else { take(pieces, origin, runner, solver, out) }
            };
            if !with_blanks && !alone(before, &mut self.runner, &mut solver, out)? {
                return Ok(false);
            }
            let (text, origin) = (&text[within.clone()], origin + within.start);
            let mut found = crate::lanes::Words::new(text, characters).cut_at(breaks);
            self.spans.begin();
            loop {
                let filled = found.fill(self.runner.level(), &mut self.spans);
                if filled == Filled::Odd {
                    return Ok(false);
                }
                if with_blanks {
                    self.spans.take_blanks_before();
                } else if gaps.is_some_and(Gaps::are_pieces) {
                    self.spans.take_blanks(text, characters);
                }
                let pieces = self.spans.of(text.as_bytes());
                let before = out.room().len();
                let pieces = solver.words(&mut self.runner, pieces, out.room(), &mut self.joined)?;
                if has_traps && parts::some_uncertain(&out.room()[before..]) {
                    return Ok(false);
                }
                if !out.words(pieces, origin, &mut solver)? {
                    return Ok(false);
                }
                if filled == Filled::Last {
                    break;
                }
                self.spans.go_on();
            }
            if !alone(behind, &mut self.runner, &mut solver, out)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// Hands over a word that stands alone.
fn take(
    word: Pieces<'_>,
    origin: usize,
    runner: &mut Runner,
    solver: &mut Solver<'_>,
    out: &mut impl TakesWords,
) -> Result<bool> {
    runner.solved_ids(solver, word, out.room())?;
    out.words(word, origin, solver)
}
