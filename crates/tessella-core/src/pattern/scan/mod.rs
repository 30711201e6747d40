//! Patterns compiled to tables: one automaton step per character, no backtracking.
//!
//! The splitting patterns of tokenizers use a small part of what a regular-expression engine offers. This
//! module compiles that part into a deterministic automaton and leaves everything else, with a reason, to the
//! exact engine. The way down:
//!
//! 1. `parse`, `class`, `cursor`, `properties`, `fold`: the text of the pattern to a tree (`syntax`) in which every class
//!    is a set of characters, exactly as the dialect's engine understands it
//! 2. `program`: the tree as branches in order of preference
//! 3. `alphabet`: characters sorted into classes that the pattern cannot tell apart
//! 4. `automaton`: one state per situation, one symbol of look-ahead
//! 5. `table`, `pairs`, of `rows`: rows laid out for running, pieces chained to pieces, two ASCII characters per step
//! 6. `run`: the loops, and why they are linear
//! 7. `family`, `masks`, `starts`, `cased`, `masked`: well-known patterns, known by their automaton, as arithmetic on 64 bytes at a time
//! 8. `tracks`, `transducer`, `fourfold`, `joint`: all others, and several patterns in a row, without a step back and at four
//!    places of a text in turn
//! 9. `ahead`: what look-aheads of any length ask, for those; `bytes`: patterns behind an alphabet that spells bytes
//!
//! Beside them `accepted` sees to it that what the dialect's engine rejects stays an error.
//!
//! Look-around of one character, anchors at edges and lines, word boundaries, lazy, greedy and possessive
//! repeats are covered, and where the pieces of a text are all that is wanted, look-ahead of any length. Back-references, longer look-behind, nested repeats of empty things, and folds of one
//! letter to several are not.
//!
//! ```
//! use tessella_core::pattern::scan::Scanner;
//! use tessella_core::spec::Dialect;
//!
//! let scanner = Scanner::compile(r"\s+(?!\S)|\s+|\S+", Dialect::Oniguruma).unwrap().unwrap();
//! let mut pieces = Vec::new();
//! scanner.for_each_piece("one  two", |start, end, _| pieces.push(&"one  two"[start..end]));
//! assert_eq!(pieces, ["one", " ", " ", "two"]);
//! ```

mod accepted;
mod ahead;
mod alphabet;
mod automaton;
mod bytes;
mod cased;
mod class;
mod cursor;
mod family;
mod fold;
mod fold_table;
mod fourfold;
mod joint;
mod masked;
mod masks;
mod pairs;
mod parse;
mod program;
mod properties;
mod rows;
mod run;
mod set;
mod starts;
mod syntax;
mod table;
mod tracks;
mod transducer;

#[cfg(test)]
mod tests;

use std::ops::Range;
use std::sync::Arc;

use crate::error::Result;
use crate::flat::{Arrays, Shelf};
use crate::portion::Portion;
use crate::spec::Dialect;
use alphabet::Alphabet;
use family::Reading;
use fourfold::Fourfold;
pub use joint::{Joint, Link, Removed, Rule};
use masked::Masked;
pub use masked::MaskedPieces;
use program::Program;
use run::Search;
use set::CharSet;
use syntax::Node;
use table::Table;
pub use tracks::Borders;
use transducer::Transducer;

/// A pattern as a deterministic automaton, proven to match as the dialect's own engine does.
#[derive(Debug)]
pub struct Scanner {
    /// By whose rules the pattern is read.
    pub(super) dialect: Dialect,
    alphabet: Arc<Alphabet>,
    table: Table,
    /// How all pieces of a text are found by masks, if the automaton is that of a known family.
    reading: Option<Box<Reading>>,
    /// How they are found at four places in turn, if there is no reading, or why not.
    transducer: std::result::Result<Box<Transducer>, &'static str>,
    /// By class, whether what stands before such a character and what stands behind it are matched as texts of their own, and it by
    /// nothing.
    divides: Vec<bool>,
}

/// Why a pattern that is read by masks has no transducer.
const MASKS: &str = "masks do better";

/// Texts of fewer bytes are not worth the preparations.
const SHORT: usize = 64;

/// If a pattern matches a character of a set and all that follow it in the set: that, and how many there must be at least.
pub fn run_of(source: &str, dialect: Dialect) -> Option<(CharSet, u32)> {
    let mut node = parse::parse(source, dialect).ok()?;
    while let Node::Atomic(body) = node {
        node = *body;
    }
    match node {
        Node::Repeat { body, min: min @ 1.., max: None, greedy: true } => Some((body.as_class()?, min)),
        _ => None,
    }
}

impl Scanner {
    /// Compiles `source`, or says why the pattern is left to the exact engine. A pattern that is wrong is left
    /// to it as well: its message is the one to show.
    pub fn compile(source: &str, dialect: Dialect) -> Result<std::result::Result<Scanner, String>> {
        Ok(Self::try_compile(source, dialect))
    }

    fn try_compile(source: &str, dialect: Dialect) -> std::result::Result<Scanner, String> {
        let tree = parse::parse(source, dialect)?;
        let program = Program::new(&tree)?;
        if !program.aheads.is_empty() {
            return Err(parse::FAR.into());
        }
        let (alphabet, members) = Alphabet::new(&program.sets.iter().collect::<Vec<_>>())?;
        let automaton = automaton::build(&program, &alphabet, &members)?;
        let table = Table::new(&automaton, &alphabet);
        accepted::check(source, dialect)?;
        let divides = automaton.dividing();
        let reading = Reading::of(&automaton, &alphabet).map(Box::new);
        let alphabet = Arc::new(alphabet);
        let transducer = match &reading {
            Some(_) => Err(MASKS),
            None => Transducer::new(&[(automaton, Borders::ALL)], 0, &alphabet).map(Box::new),
        };
        Ok(Scanner { dialect, alphabet, table, reading, transducer, divides })
    }

    /// Whether the text before a character and the text behind it have the matches that each has alone, and the character none.
    pub fn divides_at(&self, c: char) -> bool {
        let class = match u8::try_from(c) {
            Ok(byte @ 0..0x80) => self.alphabet.of_ascii(byte),
            _ => self.alphabet.of_wide(c.encode_utf8(&mut [0; 4]).as_bytes(), 0).0,
        };
        self.divides.get(usize::from(class)).is_some_and(|&divides| divides)
    }

    /// Whether [`put`](Self::put) has a form for it: patterns of the well-known families have one.
    pub fn can_be_put(&self) -> bool {
        self.reading.is_some()
    }

    /// Puts the finished tables of a scanner down that [`can_be_put`](Self::can_be_put).
    pub fn put(&self, arrays: &mut Arrays) {
        let Some(reading) = &self.reading else { return };
        self.alphabet.put(arrays);
        self.table.put(arrays);
        reading.put(arrays);
    }

    /// Takes what was put, for a pattern of this dialect.
    pub fn take(dialect: Dialect, shelf: &mut Shelf) -> Result<Scanner> {
        let alphabet = Alphabet::take(shelf)?;
        let table = Table::take(shelf, &alphabet)?;
        let reading = Some(Box::new(Reading::take(shelf)?));
        let (transducer, divides) = (Err(MASKS), Vec::new());
        Ok(Scanner { dialect, alphabet: Arc::new(alphabet), table, reading, transducer, divides })
    }

    /// The leftmost match that starts at or after byte `at`, which must be a character boundary. What stands
    /// before `at` is seen by anchors and look-behind.
    ///
    /// For all matches of a text there is [`Scanner::for_each_piece`], which remembers what it has seen.
    #[cfg(test)]
    pub fn find_at(&self, text: &str, at: usize) -> Option<(usize, usize)> {
        if !text.is_char_boundary(at) {
            return None;
        }
        Search::new(&self.table, &self.alphabet, text).find_from(at)
    }

    /// Where the match ends that starts exactly at byte `at`, a character boundary.
    #[cfg(test)]
    pub fn next_end(&self, text: &str, at: usize) -> Option<usize> {
        if !text.is_char_boundary(at) {
            return None;
        }
        Search::new(&self.table, &self.alphabet, text).end_from(at)
    }

    /// All matches and the gaps between them, in order, covering the text: start, end, whether it is a match.
    /// Empty matches come as the engine's iterator gives them. Linear in the text.
    #[inline]
    pub fn for_each_piece(&self, text: &str, mut emit: impl FnMut(usize, usize, bool)) {
        match self.masked(text).filter(|_| self.table.total) {
            Some(pieces) => pieces.for_each(|start, end| emit(start, end, true)),
            None => self.for_each_piece_by_steps(text, emit),
        }
    }

    /// The matches of a text and the gaps between them, which together cover it, by masks or at four places in turn, if
    /// the pattern allows it. `None` also for a text of 4 GiB or more, and for one that is too short to gain.
    pub fn masked<'t>(&'t self, text: &'t str) -> Option<MaskedPieces<'t>> {
        if u32::try_from(text.len()).is_err() {
            return None;
        }
        match (&self.reading, &self.transducer) {
            (Some(reading), _) => Some(MaskedPieces::Masked(Masked::new(reading, &self.alphabet, text))),
            (None, Ok(transducer)) if text.len() >= SHORT => {
                Some(MaskedPieces::Fourfold(Fourfold::new(transducer, text)))
            }
            _ => None,
        }
    }

    /// The same of each of some texts, one after the other, where that is done by masks. `None` also where they have
    /// 4 GiB or more together.
    pub fn masked_each<'t>(&'t self, texts: &'t Portion) -> Option<MaskedPieces<'t>> {
        u32::try_from(texts.bytes()).ok()?;
        let reading = self.reading.as_ref()?;
        Some(MaskedPieces::Masked(Masked::of_each(reading, &self.alphabet, texts)))
    }

    /// The same of stretches of a text, each as if it were one for itself.
    pub fn masked_within<'t>(&'t self, text: &'t str) -> Option<impl Fn(Range<usize>) -> MaskedPieces<'t>> {
        u32::try_from(text.len()).ok()?;
        let reading = self.reading.as_ref()?;
        Some(move |stretch| MaskedPieces::Masked(Masked::within(reading, &self.alphabet, text, stretch)))
    }

    /// As [`for_each_piece`](Self::for_each_piece), by the automaton: the slow twin of masks.
    fn for_each_piece_by_steps(&self, text: &str, mut emit: impl FnMut(usize, usize, bool)) {
        let mut search = Search::new(&self.table, &self.alphabet, text);
        if self.table.nullable {
            search.for_each_with_empty(&mut emit);
        } else {
            search.for_each(emit);
        }
    }

    /// Whether its matches leave no gap in any text.
    pub fn is_total(&self) -> bool {
        self.table.total
    }

    /// How texts are read, for people.
    pub fn explain(&self) -> String {
        match (&self.reading, &self.transducer) {
            (Some(_), _) => "read by masks of 64 bytes".to_string(),
            (None, Ok(transducer)) => transducer.describe(),
            (None, Err(reason)) => format!("read step by step ({reason})"),
        }
    }
}
