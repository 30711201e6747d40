//! Ids of the words of a Unigram model in texts that are mostly beyond ASCII: written as the model reads them, and cut into units.
//!
//! A word of a script with characters of two and three bytes is soon longer than a key, and most words of a language that a
//! vocabulary does not know are nothing to it but characters that no entry has. So such a text is normalized first, 64 bytes at a
//! time, with one blank in front of each word for its mark ([`Blanks`]), characters that no entry has as
//! one of ASCII, and falls into units at all places that no entry reaches over, as the texts of `.model` files do
//! ([`units`](super::units)).
//!
//! What a character becomes, the stages say ([`words`](super::words)); a word of which characters do not tell it is normalized by
//! itself and written as a whole, and a text that words do not tell takes their way. A unit comes to what it comes to anywhere, or it is
//! *uncertain* ([`apart`](crate::model::unigram::apart)), and then its word is solved whole, as it is written: what stands for a
//! character that no entry has counts as much. The raw words ([`word_lanes`](super::word_lanes)) are the slow twin.

use std::ops::Range;
use std::sync::OnceLock;

use super::fresh::Solving;
use super::parts::{UNCERTAIN, some_uncertain};
use super::spelling::Spelling;
use super::words::Words;
use super::writings::Writings;
use super::written_places::{self, Lengths, WrittenTokens};
use super::written_tables::{Tables, Told};
use crate::error::Result;
use crate::ids::{PieceToken, TokenId};
use crate::lanes::kept::{MANY, Unknown};
use crate::lanes::vectors::{Level, Task, Vectors};
use crate::lanes::{
    Beside, Blanks, Boundaries, Bounds, Characters, Fate, Key, LongPieces, Pieces, Rules, Runner, Solve,
    Spacing, Strangers, Units, WholeWord, Work, Written,
};
use crate::model::Scratch;
use crate::model::unigram::Unigram;
use crate::model::unigram::alone::Arrivals;
use crate::model::unigram::apart::MOST_BYTES;
use crate::model::unigram::together::{Together, Unit};
use crate::normalize::{InCluster, LONG_CLUSTER};

/// So many bytes of such texts, for each piece of the vocabulary, pay for finding out where units end: that takes a quarter of a
/// microsecond a piece, and raw words some 15 ns a byte more.
const BYTES_PER_PIECE: usize = 16;
/// Of so many bytes of a text one must be beyond ASCII.
const ONE_WIDE_OF: usize = 8;
/// Bytes that a word becomes for each byte that is written of it, at most: of Hangul one is written for three characters.
const GROWTH: usize = 12;
/// Bytes of words that are looked at together where some of them have uncertain units.
const FEW: usize = 160;

/// The tables for such texts, if there were so many bytes of them that it pays.
pub(super) fn tables<'s>(words: &'s Words, solving: &Solving<'_>, bytes: usize) -> Option<&'s Tables> {
    let (model, _) = solving.parts();
    let pays = bytes >= model.size().saturating_mul(BYTES_PER_PIECE);
    words.writing.get(pays, || make(words, solving))
}

/// The stages, as those that texts are written by.
struct ByStages<'w> {
    words: &'w Words,
    characters: &'w Characters,
    model: &'w Unigram,
    writings: Option<&'w Writings>,
    joins_hangul: bool,
    /// Whether nothing is in front of the text.
    is_all: bool,
    /// Whether it is to be told where everything came from, and what stands for others, which nothing is to be written as then.
    places: bool,
    strangers: Option<Strangers>,
}

/// Whether a character is a syllable that takes several characters apart.
fn is_syllable(c: char) -> bool {
    ('\u{AC00}'..='\u{D7A3}').contains(&c)
}

/// What the writer needs to know of a character.
struct Character {
    in_cluster: InCluster,
    is_blank: bool,
}

impl Character {
    /// What it is to its neighbours.
    fn beside(&self, c: char) -> Beside {
        let &Character { in_cluster: InCluster { ref text, bytes, extends, opens }, is_blank } = self;
        let vanishes = text.is_empty();
        if bytes == 0 {
            // What is in front of it joins with what is behind it; and it has as many bytes as are likely there.
            let is_long = c.len_utf8() > 2;
            return Beside { goes_on: (true, !is_long), is_inner: (false, is_long), is_blank, vanishes };
        }
        let joins_with = |others: usize| opens && bytes + others < LONG_CLUSTER;
        Beside {
            goes_on: (joins_with(2), joins_with(3)),
            is_inner: (extends && bytes < 3, extends && bytes >= 3),
            is_blank,
            vanishes,
        }
    }
}

impl<'w> ByStages<'w> {
    /// `None` if the stages tell nothing of characters.
    fn new(words: &'w Words, model: &'w Unigram, places: bool, strangers: Option<Strangers>) -> Option<Self> {
        let (characters, writings) = (words.characters()?, None);
        let (joins_hangul, is_all) = (false, true);
        let mut rules =
            ByStages { words, characters, model, writings, joins_hangul, is_all, places, strangers };
        let is_told = |c: char| rules.told(c).is_some();
        let [end, first, second] = ["\r\n", "\r", "\n"].map(|text| words.stages.written(text));
        let apart = first? + &second?;
        let is_blank = |text: &str| text.chars().all(|c| c == ' ');
        let are_alike = end.is_some_and(|end| end == apart || is_blank(&end) && is_blank(&apart));
        if !(is_told('a') && is_told('漢') && are_alike) {
            return None;
        }
        let syllable = rules.told('\u{AC01}').map(|told| told.in_cluster.text);
        // Where a token is unknown, what the model read there is its text.
        rules.joins_hangul =
            !places && syllable.is_some_and(|text| rules.are_strange(&text) && text.chars().count() > 1);
        Some(rules)
    }

    /// What a character is, if it becomes blanks alone or none of them; else its word tells.
    fn told(&self, c: char) -> Option<Character> {
        let stages = &self.words.stages;
        let in_cluster = match &stages.normalizer {
            Some(normalizer) => normalizer.in_cluster(c),
            None => Some(InCluster { text: c.into(), bytes: c.len_utf8(), extends: false, opens: false }),
        }?;
        let keeps_places = || stages.normalizer.as_ref().is_none_or(|normalizer| normalizer.keeps_places(c));
        if self.places
            && (!keeps_places() || !in_cluster.text.starts_with(c) && self.has_stranger(&in_cluster.text))
        {
            return None;
        }
        let written = stages.with_blanks(&in_cluster.text)?;
        let is_blank = written.contains(' ');
        // No letter is a blank: what composes with others is something else beside them.
        let is_told = !is_blank || !c.is_alphanumeric() && written.chars().all(|c| c == ' ');
        is_told.then_some(Character { in_cluster, is_blank })
    }

    fn has_stranger(&self, text: &str) -> bool {
        self.strangers.is_some_and(|strangers| text.bytes().any(|byte| strangers.has(byte)))
    }

    /// Whether each blank that a word becomes is a gap by itself, if gaps have places: that in front is one with those before it. None
    /// ends a word, and no two are beside each other, for the stages see to that.
    fn tells_gaps(&self, text: &str) -> bool {
        self.words.stages.gaps().is_none() || !text.starts_with(' ')
    }

    fn are_strange(&self, text: &str) -> bool {
        !text.chars().any(|c| self.model.knows(c))
    }

    /// A character that is written as it is.
    fn of_kept(&self, c: char) -> Fate {
        if self.model.knows(c) { Fate::Stays } else { Fate::Strange }
    }
}

impl Rules for ByStages<'_> {
    const BY_WORDS: bool = true;

    fn fate(&self, c: char) -> (Fate, Beside) {
        let told = self.told(c);
        if let Ok(byte @ 0..0x80) = u8::try_from(c) {
            let kind = self.characters.of(c);
            let fate = match self.words.ascii_of(byte) {
                _ if kind.is_blank() => Fate::Blank,
                Some(same) if kind.is_within() && same == byte => self.of_kept(c),
                Some(other) if kind.is_within() => Fate::Becomes(other),
                _ => Fate::Other,
            };
            let beside = told.map_or_else(Beside::default, |told| told.beside(c));
            return (fate, Beside { is_blank: kind.is_blank(), ..beside });
        }
        let Some(told) = told else { return (Fate::Other, Beside::default()) };
        let text = &*told.in_cluster.text;
        let fate = match (text.chars().count(), text.as_bytes()) {
            _ if told.is_blank => Fate::Blank,
            (0, _) => Fate::Gone,
            (1, _) if text.starts_with(c) => self.of_kept(c),
            (1, &[byte]) => Fate::Becomes(byte),
            // Where places are told, what is strange is what stands there.
            (1, _) if self.are_strange(text) && !self.places => Fate::Strange,
            _ if self.joins_hangul && is_syllable(c) && self.are_strange(text) => Fate::Strange,
            _ => Fate::Other,
        };
        (fate, told.beside(c))
    }

    fn goes_on(&self, _: char, _: &mut dyn FnMut(u8)) {}

    fn inner(&self) -> Option<Vec<char>> {
        Some(Vec::new())
    }

    fn chunk<'t>(&'t self, _: &'t str) -> Option<(usize, &'t str)> {
        None
    }

    fn alone(&self, c: char, out: &mut String) -> bool {
        let find = || self.told(c).filter(|told| !told.is_blank).map(|told| told.in_cluster.text);
        self.writings.is_some_and(|writings| writings.write(c, out, find))
    }

    fn word(&self, text: &str, at: usize) -> Option<WholeWord> {
        let is_blank = |c: char| self.characters.is_blank(c);
        let start = text[..at]
            .rfind(is_blank)
            .map_or(0, |blank| blank + text[blank..].chars().next().map_or(1, char::len_utf8));
        let end = text[at..].find(is_blank).map_or(text.len(), |length| at + length);
        let word = text.get(start..end).filter(|_| at < end)?;
        // What a character leans on, or that nothing is in front of it at all.
        let mut holds = start == 0 && self.is_all;
        for c in word.chars() {
            let kind = self.characters.of(c);
            if !kind.is_within() || kind.leans() && !holds {
                return None;
            }
            holds |= !kind.is_gone();
        }
        let stages = &self.words.stages;
        let (text, mut spans) = match self.places {
            true => stages.written_with_places(word, start == 0 && self.is_all)?,
            false => (stages.written(word)?, Vec::new()),
        };
        if self.places && (self.has_stranger(&text) || !self.tells_gaps(&text)) {
            return None;
        }
        spans.iter_mut().flatten().for_each(|place| *place += start as u32);
        Some(WholeWord { range: start..end, text, spans })
    }
}

#[cold]
fn make(words: &Words, solving: &Solving<'_>) -> Option<Tables> {
    let mark = words.stages.mark_of_words()?;
    let (model, steps) = solving.parts();
    let unk = model.unknown_in_units(steps)?;
    if model.size() > UNCERTAIN as usize {
        return None;
    }
    let blank = |c: char| if c == mark { ' ' } else { c };
    let mut pairs = Vec::new();
    for entry in model.entries_for_parts()? {
        // A word has its mark in front, and no blank at all.
        if entry.chars().skip(1).any(|c| c == ' ') {
            return None;
        }
        let mut left = None;
        for c in entry.chars().map(blank) {
            pairs.extend(left.replace(c).filter(|_| c != ' ').map(|left| (left, c)));
        }
    }
    let mut strange = (1..0x80u8).filter(|&byte| byte != b' ' && !model.knows(byte.into()));
    let strangers = strange.next().zip(strange.next());
    let strangers = strangers.map(|(usual, last)| Strangers { usual, last });
    if let Some(Strangers { usual, last }) = strangers {
        pairs.extend([usual, last].map(|right| (usual.into(), right.into())));
    }
    let boundaries = Boundaries::new(pairs.into_iter())?;
    let rules = ByStages::new(words, model, false, strangers)?;
    let are_joined = rules.joins_hangul;
    let told = Told { blanks: Blanks::new(&rules, SPACING, strangers), writings: Writings::new() };
    Some(Tables { boundaries, told, placed: OnceLock::new(), unk, strangers, are_joined })
}

const SPACING: Spacing = Spacing { prepends: true, drops: true };

/// What tells of characters, with the places that what they become comes from; `None` if there are ids that do not share a number with
/// a length.
fn placed<'t>(words: &Words, model: &Unigram, tables: &'t Tables) -> Option<&'t Told> {
    let make = || {
        let fits = model.size() <= written_places::ID_BOUND as usize;
        let rules = ByStages::new(words, model, true, tables.strangers).filter(|_| fits)?;
        let blanks = Blanks::new(&rules, SPACING, tables.strangers);
        Some(Box::new(Told { blanks, writings: Writings::new() }))
    };
    if tables.placed.get().is_none() {
        // By every thread that needs it and has not got it yet, so that none waits for another.
        let _ = tables.placed.set(make());
    }
    tables.placed.get()?.as_deref()
}

/// Whether a text is to be written.
pub(super) fn is_wide(text: &str) -> bool {
    // Few at a time, so that bytes count them.
    let count = |few: &[u8]| few.iter().map(|byte| byte >> 7).sum::<u8>();
    let wide = text.as_bytes().chunks(128).map(|few| usize::from(count(few))).sum::<usize>();
    wide * ONE_WIDE_OF > text.len()
}

/// What one worker owns for it.
#[derive(Debug)]
pub(super) struct WrittenLanes {
    runner: Runner,
    bounds: Bounds,
    buffers: Buffers,
}

#[derive(Debug, Default)]
struct Buffers {
    written: Written,
    together: Together,
    units: Vec<Unit>,
    arrivals: Arrivals,
    tokens: Vec<PieceToken>,
    spelling: Spelling,
    ids: Vec<TokenId>,
    of_unit: Vec<TokenId>,
    /// Of a text: tokens with their lengths.
    numbers: Vec<u32>,
}

impl WrittenLanes {
    pub fn new(runner: Runner) -> Self {
        WrittenLanes { runner, bounds: Bounds::default(), buffers: Buffers::default() }
    }

    /// Bytes that may come into use.
    pub fn memory(&self) -> usize {
        self.runner.memory()
    }

    /// Appends the ids of what stands between added tokens, and returns where the blanks behind are that are no word's; `None`, and then
    /// maybe some ids, if raw words have to tell.
    pub fn append(
        &mut self,
        of: (&Words, Solving<'_>, &Tables),
        text: &str,
        scratch: &mut Scratch,
        out: &mut Vec<TokenId>,
    ) -> Result<Option<Range<usize>>> {
        let before = out.len();
        let (tables, level) = (of.2, self.runner.level());
        let behind = self.numbers(of, &tables.told, (text, false), scratch, out, |_, _, _| true)?;
        join_unknown(level, tables.unk, before, out);
        Ok(behind)
    }

    /// The same, but the tokens are handed over with what their places follow from, and where in the text these begin; `with` says whether
    /// they do. These lanes remember
    /// units with the lengths of their tokens, so all that they do is done this way.
    pub fn append_placed(
        &mut self,
        of: (&Words, Solving<'_>, &Tables),
        text: &str,
        scratch: &mut Scratch,
        with: impl FnOnce(WrittenTokens<'_>, usize) -> bool,
    ) -> Result<Option<Range<usize>>> {
        let (words, solving, tables) = of;
        let model = solving.parts().0;
        let Some(told) = placed(words, model, tables).filter(|_| text.len() <= written_places::LONGEST_TEXT)
        else {
            return Ok(None);
        };
        let mut numbers = std::mem::take(&mut self.buffers.numbers);
        numbers.clear();
        let is_blank = |c: char| words.characters().is_some_and(|characters| characters.is_blank(c));
        let behind =
            self.numbers(of, told, (text, true), scratch, &mut numbers, |written, stretch, numbers| {
                let original = &text[stretch.clone()];
                let tokens = WrittenTokens {
                    numbers,
                    text: written.bytes(),
                    sources: written.places(),
                    original,
                    unk: tables.unk,
                    strangers: tables.strangers,
                    mark: words.stages.mark_of_words(),
                    gaps: words.stages.gaps(),
                    begins_with_gap: original.starts_with(is_blank),
                };
                with(tokens, stretch.start)
            });
        self.buffers.numbers = numbers;
        behind
    }

    /// Appends what the units of a text come to, and hands over how it was written, and what of it. Blanks behind are left.
    fn numbers(
        &mut self,
        (words, solving, tables): (&Words, Solving<'_>, &Tables),
        told: &Told,
        (text, places): (&str, bool),
        scratch: &mut Scratch,
        out: &mut Vec<u32>,
        with: impl FnOnce(&Written, Range<usize>, &[u32]) -> bool,
    ) -> Result<Option<Range<usize>>> {
        let WrittenLanes { runner, bounds, buffers } = self;
        let Some(characters) = words.characters() else { return Ok(None) };
        let Some((stretch, behind)) = words.stages.without_ends(text, characters) else { return Ok(None) };
        let (is_all, text) = (stretch.start == 0, &text[stretch.clone()]);
        let mut written = std::mem::take(&mut buffers.written);
        written.tells_sources = places;
        let (model, writings) = (solving.parts().0, Some(&told.writings));
        let joins_hangul = tables.are_joined && !places;
        let strangers = tables.strangers;
        let rules = ByStages { words, characters, model, writings, joins_hangul, is_all, places, strangers };
        let is_written =
            words.has_no_literal(text) && told.blanks.write(runner.level(), &rules, text, &mut written)?;
        // Where blanks are marks, those at the end are pieces unless they were stripped; those that ends were told by are cut off.
        let ends = words.stages.gaps().is_none() || !written.ended_with_blanks;
        let mut is_done = is_written && ends && are_short(written.bytes());
        if is_done {
            let mut solver = Solver { words, solving, buffers, places };
            let (before, bytes) = (out.len(), written.bytes());
            units(runner, &mut solver, (tables, bounds), bytes, out)?;
            if some_uncertain(&out[before..]) {
                out.truncate(before);
                is_done = by_words(runner, &mut solver, (tables, bounds), bytes, scratch, out)?;
            }
            is_done = is_done && with(&written, stretch, &out[before..]);
        }
        written.rest();
        buffers.written = written;
        Ok(is_done.then_some(behind))
    }
}

/// Whether no word is so long that its sums err by more than what decides about units.
fn are_short(written: &[u8]) -> bool {
    const MOST: usize = MOST_BYTES / GROWTH;
    written.len() <= MOST || written.split(|&byte| byte == b' ').all(|word| word.len() <= MOST)
}

/// Appends the ids of the units of a written text, or of whole words of it.
fn units(
    runner: &mut Runner,
    solver: &mut Solver<'_, '_>,
    (tables, bounds): (&Tables, &mut Bounds),
    text: &[u8],
    out: &mut Vec<TokenId>,
) -> Result<()> {
    bounds.begin(0);
    let mut found = Units::new(&tables.boundaries, text);
    loop {
        let more = found.fill(runner.level(), bounds);
        runner.solved_ids(solver, Pieces::within(bounds, text), out)?;
        if !more {
            return Ok(());
        }
        bounds.go_on();
    }
}

/// The same where some units are uncertain; false if raw words have to tell.
#[cold]
fn by_words(
    runner: &mut Runner,
    solver: &mut Solver<'_, '_>,
    (tables, bounds): (&Tables, &mut Bounds),
    text: &[u8],
    scratch: &mut Scratch,
    out: &mut Vec<TokenId>,
) -> Result<bool> {
    let mut rest = text;
    while !rest.is_empty() {
        let (few, behind) = rest.split_at(words_end(rest, FEW));
        rest = behind;
        let before = out.len();
        units(runner, solver, (tables, bounds), few, out)?;
        if !some_uncertain(&out[before..]) {
            continue;
        }
        out.truncate(before);
        let mut few = few;
        while !few.is_empty() {
            let (word, behind) = few.split_at(words_end(few, 1));
            few = behind;
            let before = out.len();
            units(runner, solver, (tables, bounds), word, out)?;
            if some_uncertain(&out[before..]) {
                out.truncate(before);
                if !solver.places && tables.is_open(word) {
                    return Ok(false);
                }
                solver.whole(word, scratch, out)?;
            }
        }
    }
    Ok(true)
}

/// Where the first word ends behind so many bytes of a text that begins with a word.
fn words_end(text: &[u8], least: usize) -> usize {
    let from = least.min(text.len());
    memchr::memchr(b' ', &text[from..]).map_or(text.len(), |blank| from + blank)
}

/// Makes one of the unknown tokens that are beside each other, of the ids from a place on.
fn join_unknown(level: Level, unk: TokenId, from: usize, ids: &mut Vec<TokenId>) {
    level.run(JoinUnknown { unk, from, ids });
}

struct JoinUnknown<'i> {
    unk: TokenId,
    from: usize,
    ids: &'i mut Vec<TokenId>,
}

impl Task for JoinUnknown<'_> {
    type Output = ();

    #[inline(always)]
    fn run<V: Vectors>(self, vectors: V) {
        let JoinUnknown { unk, from, ids } = self;
        let count = ids.len() - from;
        // As many are read and written at once wherever they begin.
        ids.resize(from + count + MANY, 0);
        let room = &mut ids[from..];
        let unknown = Unknown { id: unk, from: TokenId::MAX };
        let (mut kept, mut is_row) = (0, false);
        for first in (0..count).step_by(MANY) {
            // What is written lies before what is read.
            let Some(&sixteen) = room[first..].first_chunk() else { break };
            let Some(room) = room[kept..].first_chunk_mut() else { break };
            kept += vectors.rows(&sixteen, MANY.min(count - first), unknown, &mut is_row, room);
        }
        ids.truncate(from + kept);
    }
}

/// The model for units.
struct Solver<'s, 'b> {
    words: &'s Words,
    solving: Solving<'s>,
    buffers: &'b mut Buffers,
    /// Whether tokens come with their lengths.
    places: bool,
}

impl Solver<'_, '_> {
    /// Appends the ids of a written word.
    fn whole(&mut self, word: &[u8], scratch: &mut Scratch, out: &mut Vec<TokenId>) -> Result<()> {
        // Words end at blanks, so this holds.
        let word = std::str::from_utf8(word).unwrap_or_default();
        let Buffers { spelling, tokens, .. } = &mut *self.buffers;
        tokens.clear();
        self.words.stages.tokenize(word, spelling, scratch, tokens)?;
        if self.places {
            spelling.translate(tokens);
            let mut lengths = Lengths { at: 0, out };
            tokens.iter().for_each(|token| lengths.push(token.id, token.end as usize));
        } else {
            out.extend(tokens.iter().map(|token| token.id));
        }
        Ok(())
    }
}

impl LongPieces for Solver<'_, '_> {
    fn ids(&mut self, unit: &[u8], out: &mut Vec<TokenId>) -> Result<()> {
        let (model, steps) = self.solving.parts();
        let Buffers { arrivals, of_unit, tokens, .. } = &mut *self.buffers;
        let is_told = if self.places {
            let mut lengths = Lengths { at: 0, out: &mut *out };
            let each = |id, end| lengths.push(id, end);
            model.tokens_of_long_unit(steps, unit, (arrivals, of_unit), tokens, each)
        } else {
            model.ids_of_long_unit(steps, unit, (arrivals, of_unit), tokens, out)
        };
        if !is_told {
            out.push(UNCERTAIN);
        }
        Ok(())
    }
}

impl Solve for Solver<'_, '_> {
    #[inline(always)]
    fn hash_seed(&self) -> [u64; 2] {
        self.words.hash_seed
    }

    #[inline(never)]
    fn solve(&mut self, _: &mut Work, keys: &[Key], mut found: impl FnMut(usize, &[TokenId])) -> Result<()> {
        let ((model, steps), places) = (self.solving.parts(), self.places);
        let Buffers { together, units, tokens, ids, .. } = &mut *self.buffers;
        units.clear();
        units.extend(keys.iter().map(|unit| Unit::with_marks(unit.bytes(), unit.len(), b' ')));
        together.solve(steps, units, |at, best| {
            ids.clear();
            let is_told = if places {
                let mut lengths = Lengths { at: 0, out: &mut *ids };
                model.tokens_of_unit(steps, best, &units[at], tokens, |id, end| lengths.push(id, end))
            } else {
                model.ids_of_unit(steps, best, &units[at], tokens, ids)
            };
            if !is_told {
                ids.push(UNCERTAIN);
            }
            found(at, ids);
            Ok(())
        })
    }
}
