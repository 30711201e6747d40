//! What one worker owns to make much text ids, or tokens with places, by its words ([`super::words`]).

use std::ops::Range;
use std::sync::Arc;

use super::merged::Merging;
use super::packed;
use super::word_gaps::{Gaps, Within};
use super::word_solver::{Buffers, Joined, Solver};
use super::words::{LONGEST_TEXT, Words};
use super::written_places::WrittenTokens;
use super::written_words::{self, WrittenLanes, is_wide};
use crate::added::Segment;
use crate::error::Result;
use crate::ids::TokenId;
use crate::lanes::{Characters, Filled, Pieces, Rectangles, Runner, Spans};
use crate::model::Scratch;

const _: () = assert!(LONGEST_TEXT <= packed::LONGEST);

/// The share of the memory for words that pieces of new ones have: a sixteenth.
const CACHE_OF_WORDS: usize = 16;

/// What one worker owns for it.
#[derive(Debug)]
pub(super) struct WordLanes {
    words: Arc<Words>,
    runner: Runner,
    /// For texts that are written, if there are such.
    written: Option<Box<WrittenLanes>>,
    /// Bytes of such texts that came.
    wide_bytes: usize,
    spans: Spans,
    buffers: Buffers,
    /// What pieces of new words are remembered in.
    cache_bytes: usize,
    /// Whether words become tokens with their places ([`packed`]) instead of ids alone.
    packs: bool,
    /// Bytes of text that came.
    bytes: usize,
    /// Words of which some do not come in the parts that were found.
    joined: Joined,
    trapped: Trapped,
}

/// Texts that were tried in vain, for they have added tokens.
#[derive(Debug, Default)]
struct Trapped {
    in_a_row: u32,
    left: u32,
}

impl Trapped {
    /// After so many in a row, most texts are not tried.
    const MANY: u32 = 8;

    /// Whether the next text is tried.
    fn try_next(&mut self) -> bool {
        self.left = self.left.saturating_sub(1);
        self.left == 0
    }

    fn note(&mut self, is_trapped: bool) {
        self.in_a_row = if is_trapped { self.in_a_row.saturating_add(1) } else { 0 };
        self.left = if self.in_a_row >= Self::MANY { Self::MANY } else { 0 };
    }
}

/// Who takes what the words of a text become.
pub(super) trait TakesWords {
    /// An added token stands between words.
    fn added(&mut self, segment: &Segment, id: TokenId) -> Result<()>;

    /// Whether the result is still wanted.
    fn looks(&mut self) -> Result<()> {
        Ok(())
    }

    /// Where the numbers of words are to be appended.
    fn room(&mut self) -> &mut Vec<u32>;

    /// The tokens of a stretch that begins at byte `origin`, as it was written; false, and then maybe with some of them taken, if that
    /// does not tell their places. Who takes ids alone is not asked.
    fn written(&mut self, _tokens: &WrittenTokens<'_>, _origin: usize) -> bool {
        false
    }

    /// Takes back what was handed over of a text before which there were so many numbers.
    fn take_back(&mut self, before: usize) {
        self.room().truncate(before);
    }

    /// Some words were appended, of a text that begins at byte `origin`; false if the text must take the slow way.
    fn words(&mut self, words: Pieces<'_>, origin: usize, solver: &mut Solver<'_>) -> Result<bool>;
}

impl WordLanes {
    pub fn new(words: Arc<Words>, runner: Runner, written: Option<Runner>, packs: bool) -> Self {
        let written = written.map(|runner| Box::new(WrittenLanes::new(runner)));
        let has_cache = packs && words.stages.cut_further();
        let cache_bytes = if has_cache { runner.memory() / CACHE_OF_WORDS } else { 0 };
        let (buffers, spans, joined, trapped) =
            (Buffers::new(cache_bytes), Spans::default(), Joined::default(), Trapped::default());
        WordLanes {
            words,
            runner,
            written,
            wide_bytes: 0,
            spans,
            buffers,
            cache_bytes,
            packs,
            bytes: 0,
            joined,
            trapped,
        }
    }

    /// Whether this is for those words.
    pub fn are_for(&self, words: &Arc<Words>) -> bool {
        Arc::ptr_eq(&self.words, words)
    }

    /// Bytes that may come into use.
    pub fn memory(&self) -> usize {
        let written = self.written.as_ref().map_or(0, |written| written.memory());
        self.runner.memory() + written + self.cache_bytes
    }

    /// Hands the words of a text over; false if it must take the slow way, and then some of them were.
    pub fn append(
        &mut self,
        segments: &[Segment],
        text: &str,
        scratch: &mut Scratch,
        out: &mut impl TakesWords,
    ) -> Result<bool> {
        if self.append_written(segments, text, scratch, out)?.is_some() {
            return Ok(true);
        }
        let WordLanes { words, runner, spans, buffers, packs, bytes, joined, trapped, .. } = self;
        let (words, packs) = (&**words, *packs);
        let Some(characters) = words.characters() else { return Ok(false) };
        if text.len() > LONGEST_TEXT || !words.pays_for(text) {
            return Ok(false);
        }
        let has_traps = !packs && !words.traps.are_none();
        if has_traps && !trapped.try_next() {
            return Ok(false);
        }
        *bytes = bytes.saturating_add(text.len());
        let breaks = words.breaks(*bytes, packs);
        let has_parts = breaks.is_some();
        let solving = words.solving(*bytes);
        let merging = if packs { None } else { Merging::of(&words.stages.model, *bytes) };
        let (stretch, is_trap) = (text, None);
        let solver =
            Solver { text, stretch, is_trap, words, scratch, buffers, packs, has_parts, solving, merging };
        let mut finding = Finding { characters, breaks, has_traps, runner, spans, joined, solver };
        for segment in segments {
            if let Some(id) = segment.id {
                out.added(segment, id)?;
                continue;
            }
            let found = finding.segment(&text[segment.range.clone()], segment.range.start, out);
            match found {
                // A model may refuse what it never reads, for there is an added token.
                Err(_) if !words.traps.are_none() => return Ok(false),
                Err(error) => return Err(error),
                Ok(Found::All) => {}
                Ok(Found::Trap) => {
                    trapped.note(true);
                    return Ok(false);
                }
                Ok(Found::NotAll) => return Ok(false),
            }
        }
        trapped.note(false);
        Ok(true)
    }
}

impl WordLanes {
    /// The same for a text that is written as the model reads it; `None`, and maybe with some ids, if raw words have to tell.
    fn append_written(
        &mut self,
        segments: &[Segment],
        text: &str,
        scratch: &mut Scratch,
        out: &mut impl TakesWords,
    ) -> Result<Option<()>> {
        let WordLanes { words, runner, written, wide_bytes, buffers, packs, bytes, .. } = self;
        let Some(lanes) = written.as_deref_mut().filter(|_| is_wide(text)) else { return Ok(None) };
        if text.len() > LONGEST_TEXT {
            return Ok(None);
        }
        *wide_bytes = wide_bytes.saturating_add(text.len());
        let (words, packs) = (&**words, *packs);
        // What words are solved by serves here, too.
        let Some(solving) = words.solving((*bytes).max(*wide_bytes)) else { return Ok(None) };
        let Some(tables) = written_words::tables(words, &solving, *wide_bytes) else { return Ok(None) };
        let before = out.room().len();
        for segment in segments {
            if let Some(id) = segment.id {
                out.added(segment, id)?;
                continue;
            }
            let (stretch, of) = (&text[segment.range.clone()], (words, solving, tables));
            let origin = segment.range.start;
            let behind = match packs {
                true => {
                    let with = |tokens: WrittenTokens<'_>, start| out.written(&tokens, origin + start);
                    lanes.append_placed(of, stretch, scratch, with)?
                }
                false => lanes.append(of, stretch, scratch, out.room())?,
            };
            let is_done = match behind {
                Some(behind) if !behind.is_empty() => {
                    let (solving, merging) = (Some(solving), None);
                    let (is_trap, has_parts) = (None, false);
                    let mut solver = Solver {
                        text,
                        stretch,
                        is_trap,
                        words,
                        scratch,
                        buffers,
                        packs,
                        has_parts,
                        solving,
                        merging,
                    };
                    alone((runner, &mut solver, false), stretch, behind, origin, out)?
                }
                behind => behind.is_some(),
            };
            if !is_done {
                out.take_back(before);
                return Ok(None);
            }
            out.looks()?;
        }
        Ok(Some(()))
    }
}

/// What finding the words of a stretch came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Found {
    All,
    /// Words do not tell what becomes of it.
    NotAll,
    /// An added token may be in it.
    Trap,
}

/// The words of a text on their way.
struct Finding<'f> {
    characters: &'f Characters,
    breaks: Option<&'f Rectangles>,
    has_traps: bool,
    runner: &'f mut Runner,
    spans: &'f mut Spans,
    joined: &'f mut Joined,
    solver: Solver<'f>,
}

impl<'f> Finding<'f> {
    /// Hands over the words of what stands between added tokens, which begins at byte `origin`.
    fn segment(&mut self, text: &'f str, origin: usize, out: &mut impl TakesWords) -> Result<Found> {
        let stages = &self.solver.words.stages;
        let gaps = stages.gaps();
        (self.solver.stretch, self.solver.is_trap) = (text, None);
        let within = match gaps {
            Some(gaps) => gaps.within(text, stages.normalizer.as_deref(), self.characters),
            None => Some(Within::all(text)),
        };
        let Some(Within { before, words, behind }) = within else { return Ok(Found::NotAll) };
        // Where places are wanted, blanks go with the word behind them.
        let with_blanks = self.solver.packs && gaps.is_some();
        let words = if with_blanks { before.start..words.end } else { words };
        if !with_blanks && !alone((self.runner, &mut self.solver, self.has_traps), text, before, origin, out)?
        {
            return Ok(Found::NotAll);
        }
        let (stretch, start) = (&text[words.clone()], origin + words.start);
        let found = crate::lanes::Words::new(stretch, self.characters).cut_at(self.breaks);
        let mut found = found.of_all(words.start == 0);
        self.spans.begin();
        loop {
            let filled = found.fill(self.runner.level(), self.spans);
            if filled == Filled::Odd {
                return Ok(Found::NotAll);
            }
            if with_blanks {
                self.spans.take_blanks_before();
            } else if gaps.is_some_and(Gaps::are_pieces) {
                self.spans.take_blanks(stretch, self.characters);
            }
            let pieces = self.spans.of(stretch.as_bytes());
            let first = out.room().len();
            let pieces = self.solver.words(self.runner, pieces, out.room(), self.joined)?;
            if self.has_traps && self.solver.is_trapped(out.room(), first)? {
                return Ok(Found::Trap);
            }
            if !out.words(pieces, start, &mut self.solver)? {
                return Ok(Found::NotAll);
            }
            if filled == Filled::Last {
                break;
            }
            self.spans.go_on();
        }
        let all = alone((self.runner, &mut self.solver, self.has_traps), text, behind, origin, out)?;
        Ok(if all { Found::All } else { Found::NotAll })
    }
}

/// Hands over blanks that are no word's; false if an added token may be in them, or the text must take the slow way.
fn alone(
    (runner, solver, has_traps): (&mut Runner, &mut Solver<'_>, bool),
    text: &str,
    blanks: Range<usize>,
    origin: usize,
    out: &mut impl TakesWords,
) -> Result<bool> {
    if blanks.is_empty() {
        return Ok(true);
    }
    let (start, end) = ([blanks.start as u32], [blanks.end as u32]);
    let pieces = Pieces { text: text.as_bytes(), starts: &start, ends: &end };
    let first = out.room().len();
    runner.solved_ids(solver, pieces, out.room())?;
    if has_traps && solver.is_trapped(out.room(), first)? {
        return Ok(false);
    }
    out.words(pieces, origin, solver)
}
