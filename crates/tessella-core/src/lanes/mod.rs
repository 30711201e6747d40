//! The fast engine for byte-level BPE: pieces in, ids out, without a branch or a wait for each of them.
//!
//! What costs time in encoding is waiting: for memory that is not in the processor's caches, and for branches that
//! were guessed wrong because they hung on such memory. So pieces are taken by the hundred:
//!
//! 1. [`key`]: every piece of a chunk becomes a key of 16 bytes and a hash, and its place is asked for;
//! 2. [`slots`]: the places are read. What they hold is written out whatever its length, and the next piece writes
//!    over what was too much;
//! 3. a piece that is not known leaves a gap. When a text is written, what is missing is merged together ([`merge`], over
//!    [`pairs`]; sixteen in a vector where there are such: [`sixteen`]), and the gaps are filled ([`store`]).
//!
//! An [`Engine`] is what all workers share: tables made from the model once. A [`Runner`] is what one worker owns.
//! Pieces above 15 bytes are cut into units where no token crosses ([`cuts`]), or merged in longer lanes up to 63 bytes
//! ([`middle`]), those of a window together ([`together`]), or become tokens without merging ([`longest`]); what is too long even then
//! goes another way, which the caller gives.
//!
//! Who counts pieces instead of encoding them has a [`Tally`] of them, filled by the hundred as well.
//!
//! Where the tokens of words stand in a text is told sixteen at a time ([`abreast`]), and where those of pieces do that leave no
//! gap ([`covering`], over [`places`]).
//!
//! Texts that SentencePiece normalizes are written with blanks for marks first ([`blanks`]), and where each byte came from is
//! noted on the way where somebody asks ([`written`]).
//!
//! Decoded text becomes characters of one width by blocks as well ([`wide`]), and such characters UTF-8 ([`narrow`]).
//!
//! All of it is compiled for the vectors of several processors, and the best are chosen once ([`vectors`]).
//!
//! Everything here has a slow twin: the worker's piece cache and the model's own loops give the same ids, and the
//! tests compare them. Besides `flat.rs` this is the only place of the crate with unsafe code, for four things: writing ids into
//! room that was reserved before ([`store`]), looking at a place of a text or a table that was compared once ([`key`], [`slots`]),
//! calling the bytes of whole characters a text ([`narrow`]), and vectors ([`ascii`], and the rooms named after a processor's:
//! `neon`, `x86` and those behind them).

pub mod abreast;
mod absent;
mod append;
pub mod ascii;
mod begins;
mod blanks;
mod bounds;
mod build;
mod bytes;
mod characters;
pub mod covering;
mod cuts;
mod ending;
pub mod ends;
mod firsts;
mod fold;
mod given;
pub mod kept;
mod key;
pub mod last;
pub mod leads;
mod lengths;
mod longest;
mod longs;
mod merge;
mod middle;
mod narrow;
#[cfg(target_arch = "aarch64")]
mod neon;
#[cfg(all(target_arch = "aarch64", miri))]
mod neon_interpreted;
mod pairs;
mod pieces;
pub mod places;
mod rectangles;
pub mod rows;
mod rules;
mod shared;
mod sides;
mod sixteen;
mod slots;
mod spelled;
mod store;
mod symbols;
mod tally;
#[cfg(test)]
mod tests;
mod together;
mod told;
mod unfold;
mod units;
pub mod vectors;
pub mod walk;
pub mod wide;
mod words;
mod written;
#[cfg(target_arch = "x86_64")]
mod x86;
#[cfg(target_arch = "x86_64")]
mod x86_abreast;
#[cfg(target_arch = "x86_64")]
mod x86_avx2;
#[cfg(target_arch = "x86_64")]
mod x86_avx2_abreast;
#[cfg(target_arch = "x86_64")]
mod x86_avx2_halves;
#[cfg(target_arch = "x86_64")]
mod x86_avx2_wide;
#[cfg(target_arch = "x86_64")]
mod x86_eights;
#[cfg(all(target_arch = "x86_64", any(test, miri)))]
mod x86_interpreted;
#[cfg(target_arch = "x86_64")]
mod x86_kept;
#[cfg(target_arch = "x86_64")]
mod x86_sixteen;
#[cfg(target_arch = "x86_64")]
mod x86_told;
#[cfg(target_arch = "x86_64")]
mod x86_walk;
#[cfg(target_arch = "x86_64")]
mod x86_wide;

use std::collections::HashMap;
use std::sync::OnceLock;

use crate::error::Result;
use crate::ids::TokenId;
use crate::scale::or_for_fuzzers;

pub use absent::Absent;
pub use blanks::Blanks;
#[cfg(test)]
pub use blanks::tests::RULES as WRITING_RULES;
pub use bounds::Bounds;
pub use build::{ByRank, Known, Parts, Ranked};
pub use characters::{Characters, Kind};
use cuts::Cuts;
pub use firsts::{FEW_SYMBOLS, MOST_SYMBOLS, SymbolMerger};
pub use given::Given;
pub use key::Key;
pub use lengths::Lengths;
use longest::{Longest, Row};
use longs::Longs;
use merge::Merging as _;
pub use middle::LongWork;
use middle::Wholes;
pub use narrow::Narrow;
pub use pairs::Symbol;
pub use pieces::Pieces;
pub use rectangles::Rectangles;
pub use rules::{Beside, Fate, Rules, Spacing, Strangers, WholeWord};
pub use shared::{Built, Shared};
pub use slots::ID_BOUND;
use slots::Slots;
pub use spelled::{Spelled, SpelledParts};
use store::{Asked, Batch, Store};
pub use store::{Inner, Solve};
use symbols::Merger;
pub use tally::Tally;
use together::{Gather, InUnits, Noted, Together, Way, Ways};
pub use units::{Boundaries, Units};
use vectors::{Level, Task, Vectors};
pub use words::{Filled, MOST_BEFORE_CUT, Spans, Words};
pub use written::{Sources, Written};

/// Pieces that are taken together.
const CHUNK: usize = or_for_fuzzers(256, 16);

/// The tables that all workers share.
pub struct Engine {
    merger: Merger,
    /// The ids of its symbols.
    known: Known,
    /// Pieces that are one token although merges would not make it, by key.
    whole: HashMap<Key, TokenId>,
    hash_seed: [u64; 2],
    tokens: EachToken,
    /// Bytes that it does not know; texts with one of them are not for it.
    absent: Option<Absent>,
    cuts: OnceLock<Option<Cuts>>,
    lengths: OnceLock<Option<Lengths>>,
    /// Whether a whole piece that is a token is that token.
    whole_pieces: bool,
    /// Whether merges are those with which tokens end when they are merged alone.
    by_concatenation: bool,
    wholes: OnceLock<Wholes>,
    longest: OnceLock<Option<Longest>>,
}

/// Room for merging pieces that are keys.
pub type Work = merge::Work<{ bytes::SHORT }>;

/// Calls its second argument for every token but those of its first one that stands for bytes, with those.
pub type EachToken = Box<dyn Fn(&Known, &mut dyn FnMut(&[u8], TokenId)) + Send + Sync>;

/// The slots and buffers of one worker.
#[derive(Debug)]
pub struct Runner {
    level: Level,
    store: Store,
    pieces: Batch,
    /// Those that are too long for a key.
    together: Together,
    noted: Noted,
    row: Row,
    /// Lines that the slots get when they need them, as a power of two.
    most_lines_log2: u32,
}

/// Lines of a runner's slots, as a power of two: what is of use, and what is enough. Two slots to a line.
const LINES_LOG2: std::ops::RangeInclusive<u32> = or_for_fuzzers(10, 2) as u32..=or_for_fuzzers(18, 6) as u32;
/// What they begin with: 256 kB, which are there in less time than some thousand bytes of text take without them, or up to two
/// megabytes where it is known that much text comes.
const FIRST_LINES_LOG2: std::ops::RangeInclusive<u32> =
    or_for_fuzzers(12, 2) as u32..=or_for_fuzzers(15, 3) as u32;
/// So many bytes of text have a new piece for half of a line, at first.
const BYTES_PER_LINE: usize = 16;
/// So many tokens for a byte of long pieces that may be cut pay for finding out where: that takes some
/// twenty nanoseconds a token, and cutting saves some forty a byte.
const TOKENS_PER_BYTE_FOR_CUTS: usize = or_for_fuzzers(2, 1 << 10);

/// So many bytes that are merged by themselves, for each token, pay for tables that make them tokens without merging: these take a
/// microsecond a token, merging some 60 ns a byte more.
const LONG_BYTES_PER_TOKEN: usize = or_for_fuzzers(16, 0);

/// So many bytes of long pieces pay for looking through the vocabulary for long tokens.
const BYTES_FOR_WHOLES: usize = or_for_fuzzers(1 << 14, 64);

/// Makes ids of pieces that are too long for a key.
pub trait LongPieces {
    fn ids(&mut self, piece: &[u8], out: &mut Vec<TokenId>) -> Result<()>;

    /// Whether a piece is best found out along with others.
    #[inline(always)]
    fn joins(&self, _piece: &[u8]) -> bool {
        false
    }

    /// Hands over the ids of so many such pieces, in any order, each with its number.
    fn ids_together<'p>(
        &mut self,
        _work: &mut LongWork,
        _count: usize,
        _piece: impl Fn(usize) -> &'p [u8],
        _found: impl FnMut(usize, &[TokenId]),
    ) -> Result<()> {
        Ok(())
    }
}

/// And of units of pieces, which are merged although there is a token for a whole piece of the same bytes.
pub trait LongUnits: LongPieces {
    fn unit_ids(&mut self, unit: &[u8], out: &mut Vec<TokenId>) -> Result<()>;
}

impl Runner {
    /// Bytes that may come into use.
    pub fn memory(&self) -> usize {
        Slots::memory(self.most_lines_log2) + self.store.longs.most_memory()
    }

    /// A runner that stays within `budget` bytes and is to read so many bytes of text at first; `None` if that is too little budget to
    /// be of use.
    pub fn new(budget: usize, text_ahead: usize) -> Option<Runner> {
        let most = LINES_LOG2.rev().find(|&lines_log2| Slots::memory(lines_log2) <= budget)?;
        // Text that is known will fill them at once, instead of moving what it filled.
        let enough = (text_ahead / BYTES_PER_LINE).max(1).next_power_of_two().ilog2();
        let first = most.min(enough.clamp(*FIRST_LINES_LOG2.start(), *FIRST_LINES_LOG2.end()));
        let slots = if first > *FIRST_LINES_LOG2.start() {
            Slots::to_be_filled(first, most)
        } else {
            Slots::new(first, most)
        };
        Some(Runner {
            level: Level::best(),
            store: Store { slots, work: Work::new(), longs: Longs::new(budget - Slots::memory(most)) },
            pieces: Batch::new(),
            together: Together::new(),
            noted: Noted::default(),
            row: Row::default(),
            most_lines_log2: most,
        })
    }

    /// Slots that are soon crowded.
    #[cfg(test)]
    fn begin_small(&mut self) {
        self.store.slots = Slots::new(*LINES_LOG2.start(), self.most_lines_log2);
    }

    /// Which vectors pieces are to be found with.
    pub fn level(&self) -> Level {
        self.level
    }

    /// Appends the ids of pieces.
    pub fn ids(
        &mut self,
        engine: &Engine,
        pieces: Pieces<'_>,
        out: &mut Vec<TokenId>,
        long: &mut impl LongUnits,
    ) -> Result<()> {
        self.ids_between(engine, pieces, &mut Given::default(), out, long)
    }

    /// The same where some of the pieces are tokens whatever their bytes.
    pub fn ids_between(
        &mut self,
        engine: &Engine,
        pieces: Pieces<'_>,
        given: &mut Given,
        out: &mut Vec<TokenId>,
        long: &mut impl LongUnits,
    ) -> Result<()> {
        self.make_room(engine.hash_seed);
        let level = self.level;
        level.run(Chunk { runner: self, engine, pieces, given, out, long })
    }

    /// The same for pieces that somebody else solves.
    pub fn solved_ids(
        &mut self,
        solver: &mut (impl Solve + LongPieces),
        pieces: Pieces<'_>,
        out: &mut Vec<TokenId>,
    ) -> Result<()> {
        self.make_room(solver.hash_seed());
        let level = self.level;
        level.run(Solved { runner: self, solver, pieces, out })
    }

    /// More lines for slots that are crowded.
    #[inline]
    fn make_room(&mut self, hash_seed: [u64; 2]) {
        if self.store.slots.are_crowded() {
            self.store.slots.grow(|key| key.hash(hash_seed));
        }
    }
}

/// The pieces of a window whose solver is not an engine. Those that are too long for a key are remembered whole.
struct Solved<'c, S> {
    runner: &'c mut Runner,
    solver: &'c mut S,
    pieces: Pieces<'c>,
    out: &'c mut Vec<TokenId>,
}

impl<S: Solve + LongPieces> Task for Solved<'_, S> {
    type Output = Result<()>;

    #[inline(always)]
    fn run<V: Vectors>(self, vectors: V) -> Result<()> {
        let Solved { runner, solver, pieces, out } = self;
        let Runner { store, pieces: batch, together, .. } = runner;
        together.begin();
        store.take(vectors, batch, solver, pieces, out, |store, solver, at, out| {
            let piece = pieces.piece(at);
            if solver.inner() == Inner::Parts && pieces.goes_on(at) {
                solver.long_inner(piece, out);
                return Ok(());
            }
            if together.write(at, out) {
                return Ok(());
            }
            let new = match store.longs.get_asked(at, piece) {
                Ok(known) => {
                    known.append_to(out);
                    return Ok(());
                }
                Err(new) => new,
            };
            if solver.joins(piece) {
                together.gather_solved(&mut store.longs, solver, pieces, (at, new))?;
                together.write(at, out);
                return Ok(());
            }
            let before = out.len();
            solver.ids(piece, out)?;
            store.longs.remember(new, piece, &out[before..]);
            Ok(())
        })
    }
}

/// The pieces of a window on their way.
struct Chunk<'c, L> {
    runner: &'c mut Runner,
    engine: &'c Engine,
    pieces: Pieces<'c>,
    given: &'c mut Given,
    out: &'c mut Vec<TokenId>,
    long: &'c mut L,
}

impl<L: LongUnits> Task for Chunk<'_, L> {
    type Output = Result<()>;

    #[inline(always)]
    fn run<V: Vectors>(self, vectors: V) -> Result<()> {
        let Chunk { runner, engine, pieces, given, out, long } = self;
        let Runner { level, store, pieces: batch, together, noted, row, .. } = runner;
        let mut merging = Merging { engine, vectors, are_units: false, given };
        together.begin();
        store.take(vectors, batch, &mut merging, pieces, out, |store, merging, at, out| {
            if merging.given.write(at, out) {
                return Ok(());
            }
            if together.write(at, out) {
                return Ok(());
            }
            let piece = pieces.piece(at);
            let new = match store.longs.get_asked(at, piece) {
                Ok(known) => {
                    known.append_to(out);
                    return Ok(());
                }
                Err(new) => new,
            };
            noted.piece(piece, V::SIXTEENS);
            let ways = engine.ways(noted, piece, V::SIXTEENS);
            let alone_bytes = &mut noted.alone;
            let mut alone = |unit: &[u8], is_unit: bool, out: &mut Vec<TokenId>| {
                *alone_bytes += unit.len();
                if is_unit && ways.are_whole(unit) {
                    return long.unit_ids(unit, out);
                }
                match engine.longest(*alone_bytes).filter(|_| piece.len() <= longest::MOST) {
                    Some(longest) => {
                        longest.ids(&engine.merger, unit, row, out);
                        Ok(())
                    }
                    None => long.ids(unit, out),
                }
            };
            let before = out.len();
            let mut none = Given::default();
            let mut merging = Merging { engine, vectors: merging.vectors, are_units: true, given: &mut none };
            let merging = &mut merging;
            match ways.of(piece, &mut together.worth) {
                Way::Units(cuts) if piece.len() > together::MOST_BYTES => {
                    let (text, place) = (pieces.text, pieces.starts[at] as usize..pieces.ends[at] as usize);
                    let alone = |unit: &[u8], out: &mut Vec<TokenId>| alone(unit, true, out);
                    level.run(InUnits { together, store, merging, cuts, text, place, alone, out })?;
                }
                way @ (Way::Units(_) | Way::Lane) => {
                    let mut behind = Noted::default();
                    let (merger, first, note) = (&engine.merger, (at, new, way), &mut behind);
                    let alone = |unit: &[u8], out: &mut Vec<TokenId>| alone(unit, true, out);
                    level.run(Gather {
                        together,
                        store,
                        merging,
                        merger,
                        ways,
                        pieces,
                        first,
                        note,
                        alone,
                    })?;
                    noted.all += behind.all;
                    noted.to_cut += behind.to_cut;
                    together.write(at, out);
                    return Ok(());
                }
                Way::Alone => alone(piece, false, out)?,
            }
            store.longs.remember(new, piece, &out[before..]);
            Ok(())
        })
    }
}

/// Pieces, or units of pieces, are solved by merging them.
struct Merging<'e, V> {
    engine: &'e Engine,
    vectors: V,
    are_units: bool,
    given: &'e mut Given,
}

impl<V: Vectors> Solve for Merging<'_, V> {
    #[inline(always)]
    fn hash_seed(&self) -> [u64; 2] {
        self.engine.hash_seed
    }

    #[inline(always)]
    fn remembers_long(&self) -> bool {
        !self.are_units
    }

    /// A unit is another key than the same bytes as a piece, where there are tokens for whole pieces alone.
    #[inline(always)]
    fn inner(&self) -> Inner {
        if self.are_units && !self.engine.whole.is_empty() { Inner::All } else { Inner::None }
    }

    #[inline(always)]
    fn hide(&mut self, first: usize, pieces: &mut [Asked]) {
        self.given.hide(first, pieces);
    }

    #[inline(always)]
    fn solve(
        &mut self,
        work: &mut Work,
        pieces: &[Key],
        mut found: impl FnMut(usize, &[TokenId]),
    ) -> Result<()> {
        let Engine { merger, whole, .. } = self.engine;
        let piece = |at: usize| pieces[at].into();
        if whole.is_empty() {
            merger.solve(self.vectors, work, pieces.len(), piece, found);
        } else {
            merger.solve(self.vectors, work, pieces.len(), piece, |at, ids| match whole.get(&pieces[at]) {
                Some(&id) => found(at, &[id]),
                None => found(at, ids),
            });
        }
        Ok(())
    }
}

impl std::fmt::Debug for Engine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Engine").field("sizes", &self.describe()).finish_non_exhaustive()
    }
}

impl Engine {
    /// How long pieces become ids, after so many of them: `piece` is the next one.
    #[inline]
    fn ways(&self, noted: &Noted, piece: &[u8], sixteens: bool) -> Ways<'_> {
        let cuts =
            if piece.is_ascii() { self.cuts.get().and_then(Option::as_ref) } else { self.cuts(noted.to_cut) };
        let wholes = self.wholes(noted.all);
        // What is cut is merged, so it must be known which pieces are one token although merges would not make it.
        Ways { cuts: cuts.filter(|_| wholes.is_some()), wholes, sixteens }
    }

    /// Where long pieces are cut, if anywhere. Found out when so many bytes of them came that it pays, by every thread that
    /// needs it and has not got it yet, so that none waits for another.
    #[inline]
    fn cuts(&self, bytes_to_cut: usize) -> Option<&Cuts> {
        match self.cuts.get() {
            None if bytes_to_cut * TOKENS_PER_BYTE_FOR_CUTS >= self.merger.ids.bound() => self.build_cuts(),
            cuts => cuts.and_then(Option::as_ref),
        }
    }

    /// How long pieces become tokens without merging them. Found out when so many bytes of them were merged that it
    /// pays; `None` until then, or where merges are not as it needs them.
    #[inline]
    fn longest(&self, alone_bytes: usize) -> Option<&Longest> {
        match self.longest.get() {
            Some(longest) => longest.as_ref(),
            None if alone_bytes < self.merger.ids.bound() * LONG_BYTES_PER_TOKEN => None,
            None => self.build_longest(),
        }
    }

    /// Tokens of the middle lengths that merges do not make. Found out when so much came of long pieces that it pays, or at
    /// once where there are none.
    #[inline]
    fn wholes(&self, long_bytes: usize) -> Option<&Wholes> {
        let pays = || !self.whole_pieces || self.by_concatenation || long_bytes >= BYTES_FOR_WHOLES;
        match self.wholes.get() {
            None if pays() => self.build_wholes(),
            wholes => wholes,
        }
    }

    /// Finds out now what else would be found out when there are long pieces.
    pub fn get_ready(&self) {
        self.build_cuts();
    }

    #[cold]
    fn build_wholes(&self) -> Option<&Wholes> {
        let _ = self.wholes.set(Wholes::new(self));
        self.wholes.get()
    }

    #[cold]
    fn build_longest(&self) -> Option<&Longest> {
        let longest = self
            .lengths()
            .and_then(|lengths| Longest::new(&self.merger, lengths, &self.tokens, self.whole_pieces));
        let _ = self.longest.set(longest);
        self.longest.get()?.as_ref()
    }

    #[cold]
    fn build_cuts(&self) -> Option<&Cuts> {
        let _ = self.cuts.set(Cuts::new(&self.merger));
        self.cuts.get()?.as_ref()
    }

    /// How many bytes of a piece each of its tokens stands for, where the token alone tells. Found out when it is first
    /// asked for.
    pub fn lengths(&self) -> Option<&Lengths> {
        match self.lengths.get() {
            Some(lengths) => lengths.as_ref(),
            None => {
                let by_merges = !self.whole_pieces || self.by_concatenation;
                let _ = self.lengths.set(Lengths::new(&self.tokens, &self.merger, by_merges));
                self.lengths.get()?.as_ref()
            }
        }
    }

    /// Whether it knows all bytes of a text.
    #[inline]
    pub fn knows(&self, level: Level, text: &[u8]) -> bool {
        !self.absent.as_ref().is_some_and(|absent| absent.any_in(level, text))
    }

    /// Sizes, for people.
    pub fn describe(&self) -> String {
        format!(
            "{} pairs in a perfect hash of {} kB, {} whole pieces besides; {} kB for all threads; long pieces are cut where no token crosses; vectors: {}",
            self.merger.pairs.len(),
            self.merger.pairs.memory() >> 10,
            self.whole.len(),
            self.memory() >> 10,
            Level::best().name(),
        ) + if self.absent.is_some() { "; texts with bytes that have no token go piece by piece" } else { "" }
    }
}
