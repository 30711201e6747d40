//! Pieces that are too long for a key, all of a window together.
//!
//! At the first one of a window that nobody remembers, the rest of the window is looked through for more of them. Those that may
//! be cut become units ([`super::cuts`]); pieces and units of the middle lengths are merged in long lanes ([`super::middle`]), many in
//! turn; and the units of all pieces go through the slots like short pieces, so that those that are new are merged
//! together as well. Behind the units of each piece stands the piece itself, which is too long for a slot: it is where its ids
//! end.

use std::ops::Range;

use super::append::append;
use super::bounds::Bounds;
use super::cuts::{Cuts, Memo};
use super::key::LONGEST;
use super::longs::{Longs, New};
use super::merge::Merging;
use super::middle::{self, LongWork, Wholes};
use super::store::{Batch, Solve, Store};
use super::symbols::Merger;
use super::vectors::{Task, Vectors};
use super::{LongPieces, Pieces};
use crate::error::Result;
use crate::ids::TokenId;
use crate::scale::or_for_fuzzers;

/// Units that are gathered before the window is looked through no further.
const MOST_UNITS: usize = Bounds::MOST;
/// Longer pieces are cut in portions, each for itself.
pub const MOST_BYTES: usize = or_for_fuzzers(2048, 64);

/// How a piece becomes ids that is too long for a key.
#[derive(Debug, Clone, Copy)]
pub enum Way<'e> {
    /// Merged in a long lane.
    Lane,
    /// Cut into units.
    Units(&'e Cuts),
    /// None of these.
    Alone,
}

/// What decides about that.
#[derive(Debug, Clone, Copy)]
pub struct Ways<'e> {
    /// For pieces with other characters than ASCII.
    pub cuts: Option<&'e Cuts>,
    /// For others of the middle lengths, once it is known which of them are one token.
    pub wholes: Option<&'e Wholes>,
    /// Whether sixteen are merged at once.
    pub sixteens: bool,
}

/// Pieces of fewer bytes are merged sixteen at once in less time than it takes to look at their boundaries and then at their units.
const CUT_FROM: usize = or_for_fuzzers(32, 20);

/// Whether a piece may be cut, as far as its characters and its length tell.
#[inline(always)]
fn may_be_cut(piece: &[u8], sixteens: bool) -> bool {
    !(piece.is_ascii() || sixteens && piece.len() < CUT_FROM)
}

impl<'e> Ways<'e> {
    /// Whether a piece of these bytes is one token although merges would not make it.
    #[inline(always)]
    pub fn are_whole(self, bytes: &[u8]) -> bool {
        self.wholes.is_some_and(|wholes| wholes.get(bytes).is_some())
    }

    #[inline(always)]
    pub fn of(self, piece: &[u8], worth: &mut Worth) -> Way<'e> {
        let takes = self.wholes.is_some() && middle::takes(piece);
        let stays =
            !may_be_cut(piece, self.sixteens) || self.are_whole(piece) || takes && worth.is_none(piece);
        match self.cuts {
            Some(cuts) if !stays => Way::Units(cuts),
            _ if takes => Way::Lane,
            _ => Way::Alone,
        }
    }
}

/// Whether cutting pieces that a lane would take has left anything short, by the script that they are written in: nearly nothing
/// is, where tokens cross most boundaries, and then it is done for nothing.
#[derive(Debug)]
pub struct Worth {
    /// Pieces in a row that were cut for nothing; from [`TRIED`] on, those that were not cut.
    by_script: [u8; 256],
}

/// Pieces that are cut for nothing before others like them are not cut, and pieces that are not cut before one is.
const TRIED: u8 = 4;
const LEFT: u8 = 64;

impl Worth {
    /// The first character beyond ASCII tells, by its first byte and two bits of its second one.
    #[inline(always)]
    fn script(piece: &[u8]) -> usize {
        let first = piece.iter().position(|&byte| byte >= 0xC0).unwrap_or(0);
        let second = piece.get(first + 1).copied().unwrap_or(0);
        usize::from(piece[first] & 0x3F) << 2 | usize::from(second >> 4 & 3)
    }

    /// Whether this piece is better not cut.
    #[inline(always)]
    fn is_none(&mut self, piece: &[u8]) -> bool {
        let count = &mut self.by_script[Self::script(piece)];
        if *count < TRIED {
            return false;
        }
        *count = if *count < TRIED + LEFT { *count + 1 } else { TRIED - 1 };
        true
    }

    /// A piece was cut, and so many of its bytes are in units that are still long.
    #[inline(always)]
    fn note(&mut self, piece: &[u8], long: usize) {
        let count = &mut self.by_script[Self::script(piece)];
        *count = if long * 4 > piece.len() * 3 { (*count + 1).min(TRIED) } else { 0 };
    }
}

/// Where something begins and ends, in the text or among ids.
type Span = (u32, u32);

/// What goes through a long lane: a piece or a unit.
#[derive(Debug, Clone, Copy)]
struct InLane {
    text: Span,
    is_unit: bool,
    ids: Span,
}

/// A new piece of the window and what is found out about it.
#[derive(Debug, Clone, Copy)]
struct Found {
    at: u32,
    /// What the table of long pieces said about it.
    new: New,
    how: How,
    ids: Span,
}

#[derive(Debug, Clone, Copy)]
enum How {
    /// By the lane of this number.
    Lane(u32),
    Units,
}

/// The buffers of one worker, and what became of the pieces of a window.
#[derive(Debug)]
pub struct Together {
    work: LongWork,
    found: Vec<Found>,
    /// How many of them are written out.
    taken: usize,
    ids: Vec<TokenId>,
    lanes: Vec<InLane>,
    /// Units of all pieces that are cut, each piece behind its units, and the numbers of those that are pieces.
    starts: Vec<u32>,
    ends: Vec<u32>,
    pieces: Vec<u32>,
    /// Room for where ids begin and end.
    spans: Vec<Span>,
    batch: Batch,
    bounds: Bounds,
    memo: Memo,
    pub worth: Worth,
}

impl Together {
    pub fn new() -> Self {
        Together {
            work: LongWork::new(),
            found: Vec::new(),
            taken: 0,
            ids: Vec::new(),
            lanes: Vec::new(),
            starts: Vec::new(),
            ends: Vec::new(),
            pieces: Vec::new(),
            spans: Vec::new(),
            batch: Batch::new(),
            bounds: Bounds::default(),
            memo: Memo::new(),
            worth: Worth { by_script: [0; 256] },
        }
    }

    /// Forgets the pieces of the last window.
    pub fn begin(&mut self) {
        self.found.clear();
        self.taken = 0;
        self.ids.clear();
        self.lanes.clear();
        self.starts.clear();
        self.ends.clear();
        self.pieces.clear();
    }

    /// Appends the ids of a piece that was found out along with one before it; false if it was not.
    #[inline(always)]
    pub fn write(&mut self, at: usize, out: &mut Vec<TokenId>) -> bool {
        while let Some(&Found { at: place, ids: (start, end), .. }) = self.found.get(self.taken) {
            if place as usize > at {
                return false;
            }
            self.taken += 1;
            if place as usize == at {
                append(out, &self.ids, start as usize, end as usize);
                return true;
            }
        }
        false
    }

    /// Lists a piece that goes through a lane, or its units where it is cut.
    #[inline(always)]
    fn list(
        &mut self,
        cuts: Option<&Cuts>,
        text: &[u8],
        (at, new): (usize, New),
        place @ (start, end): Span,
    ) {
        let how = match cuts {
            Some(cuts) => {
                let lanes = self.lanes.len();
                self.cut(cuts, text, place);
                let long = self.lanes[lanes..].iter().map(|lane| (lane.text.1 - lane.text.0) as usize).sum();
                let piece = &text[start as usize..end as usize];
                if middle::takes(piece) {
                    self.worth.note(piece, long);
                }
                self.pieces.push(self.starts.len() as u32);
                self.starts.push(start);
                self.ends.push(end);
                How::Units
            }
            None => {
                self.lanes.push(InLane { text: place, is_unit: false, ids: (0, 0) });
                How::Lane(self.lanes.len() as u32 - 1)
            }
        };
        self.found.push(Found { at: at as u32, new, how, ids: (0, 0) });
    }

    /// Lists the units of a piece.
    #[inline(always)]
    fn cut(&mut self, cuts: &Cuts, text: &[u8], (start, end): Span) {
        let mut cut = start as usize;
        self.bounds.begin(start);
        while cut < end as usize {
            cut = self.memo.units(cuts, &text[..end as usize], cut, &mut self.bounds);
            let (starts, ends) = (self.bounds.starts(), self.bounds.ends());
            for (&start, &end) in starts.iter().zip(ends) {
                if middle::takes(&text[start as usize..end as usize]) {
                    self.lanes.push(InLane { text: (start, end), is_unit: true, ids: (0, 0) });
                }
            }
            self.starts.extend_from_slice(starts);
            self.ends.extend_from_slice(ends);
            self.bounds.go_on();
        }
    }

    /// Merges what is listed for lanes, sixteen at once where vectors can.
    #[inline(always)]
    fn merge<V: Vectors>(&mut self, vectors: V, merger: &Merger, wholes: Option<&Wholes>, text: &[u8]) {
        let Together { work, ids, lanes, spans, .. } = self;
        let piece = |number: usize| &text[lanes[number].text.0 as usize..lanes[number].text.1 as usize];
        spans.clear();
        spans.resize(lanes.len(), (0, 0));
        let bytes = |number| middle::bytes(piece(number));
        merger.solve(vectors, work, lanes.len(), bytes, |number, made| {
            let start = ids.len() as u32;
            match wholes.filter(|_| !lanes[number].is_unit).and_then(|wholes| wholes.get(piece(number))) {
                Some(id) => ids.push(id),
                None => ids.extend_from_slice(made),
            }
            spans[number] = (start, ids.len() as u32);
        });
        for (lane, span) in lanes.iter_mut().zip(spans) {
            lane.ids = *span;
        }
    }

    /// Finds out the ids of all units, and where those of each piece are.
    #[inline(always)]
    fn take<V: Vectors, S: Solve>(
        &mut self,
        vectors: V,
        store: &mut Store,
        merging: &mut S,
        text: &[u8],
        mut alone: impl FnMut(&[u8], &mut Vec<TokenId>) -> Result<()>,
    ) -> Result<()> {
        let Together { found, ids, lanes, starts, ends, pieces, batch, spans, .. } = self;
        let mut in_lanes = lanes.iter().filter(|lane| lane.is_unit);
        let mut begin = ids.len() as u32;
        spans.clear();
        let units = Pieces { text, starts, ends };
        store.take(vectors, batch, merging, units, ids, |_, _, at, out| {
            if pieces.get(spans.len()) == Some(&(at as u32)) {
                spans.push((begin, out.len() as u32));
                begin = out.len() as u32;
                return Ok(());
            }
            let unit = units.piece(at);
            if !middle::takes(unit) {
                return alone(unit, out);
            }
            if let Some(&InLane { ids: (start, end), .. }) = in_lanes.next() {
                out.extend_from_within(start as usize..end as usize);
            }
            Ok(())
        })?;
        let mut spans = spans.iter();
        for one in found.iter_mut() {
            one.ids = match one.how {
                How::Lane(lane) => lanes[lane as usize].ids,
                How::Units => spans.next().copied().unwrap_or_default(),
            };
        }
        Ok(())
    }
}

/// So many pieces in a row that are remembered, and those behind them wait: what is known is found once more when it is written.
const KNOWN_IN_A_ROW: usize = or_for_fuzzers(24, 2);

impl Together {
    /// Finds out, along with the first long piece of a window that nobody remembers, those behind it that `solver` solves with it.
    pub fn gather_solved<S: LongPieces>(
        &mut self,
        longs: &mut Longs,
        solver: &mut S,
        pieces: Pieces<'_>,
        (first, new): (usize, New),
    ) -> Result<()> {
        let Pieces { text, starts, ends } = pieces;
        self.begin();
        self.list(None, text, (first, new), (starts[first], ends[first]));
        let mut known = 0;
        for at in first + 1..starts.len() {
            let place @ (start, end) = (starts[at], ends[at]);
            if (end - start) as usize <= LONGEST || !solver.joins(pieces.piece(at)) {
                continue;
            }
            if self.lanes.len() >= MOST_UNITS || known >= KNOWN_IN_A_ROW {
                break;
            }
            match longs.get_asked(at, pieces.piece(at)) {
                Ok(_) => known += 1,
                Err(new) => {
                    known = 0;
                    self.list(None, text, (at, new), place);
                }
            }
        }
        let Together { work, found, ids, lanes, spans, .. } = self;
        let piece = |number: usize| &text[lanes[number].text.0 as usize..lanes[number].text.1 as usize];
        spans.clear();
        spans.resize(lanes.len(), (0, 0));
        solver.ids_together(work, lanes.len(), piece, |number, made| {
            let start = ids.len() as u32;
            ids.extend_from_slice(made);
            spans[number] = (start, ids.len() as u32);
        })?;
        for one in found {
            if let How::Lane(lane) = one.how {
                let (start, end) = spans[lane as usize];
                one.ids = (start, end);
                longs.remember(one.new, pieces.piece(one.at as usize), &ids[start as usize..end as usize]);
            }
        }
        Ok(())
    }
}

/// The first long piece of a window that nobody remembers, and the window. A task of its own, for what is called from within another
/// is not compiled for its vectors.
pub struct Gather<'c, S, A> {
    pub together: &'c mut Together,
    pub store: &'c mut Store,
    pub merging: &'c mut S,
    pub merger: &'c Merger,
    pub ways: Ways<'c>,
    pub pieces: Pieces<'c>,
    pub first: (usize, New, Way<'c>),
    /// Is told about every piece that is gathered behind the first one.
    pub note: &'c mut Noted,
    /// Appends the ids of a unit that is too long for a lane.
    pub alone: A,
}

impl<S: Solve, A: FnMut(&[u8], &mut Vec<TokenId>) -> Result<()>> Task for Gather<'_, S, A> {
    type Output = Result<()>;

    #[inline(always)]
    fn run<V: Vectors>(self, vectors: V) -> Result<()> {
        let Gather { together, store, merging, merger, ways, pieces, first, note, alone } = self;
        let Pieces { text, starts, ends } = pieces;
        let (at, new, way) = first;
        together.begin();
        let cuts = match way {
            Way::Units(cuts) => Some(cuts),
            Way::Lane | Way::Alone => None,
        };
        together.list(cuts, text, (at, new), (starts[at], ends[at]));
        for at in at + 1..starts.len() {
            let place @ (start, end) = (starts[at], ends[at]);
            if (end - start) as usize <= LONGEST {
                continue;
            }
            if together.starts.len() >= MOST_UNITS {
                break;
            }
            let piece = pieces.piece(at);
            let cuts = match ways.of(piece, &mut together.worth) {
                Way::Units(cuts) if piece.len() <= MOST_BYTES => Some(cuts),
                Way::Lane => None,
                Way::Units(_) | Way::Alone => continue,
            };
            // What is known is found once more when it is written.
            if let Err(new) = store.longs.get_asked(at, piece) {
                note.piece(piece, V::SIXTEENS);
                together.list(cuts, text, (at, new), place);
            }
        }
        together.merge(vectors, merger, ways.wholes, text);
        together.take(vectors, store, merging, text, alone)?;
        for &Found { at, new, ids: (start, end), .. } in &together.found {
            let ids = &together.ids[start as usize..end as usize];
            store.longs.remember(new, pieces.piece(at as usize), ids);
        }
        Ok(())
    }
}

/// A piece that is cut by itself, in portions.
pub struct InUnits<'c, S, A> {
    pub together: &'c mut Together,
    pub store: &'c mut Store,
    pub merging: &'c mut S,
    pub cuts: &'c Cuts,
    pub text: &'c [u8],
    /// Where the piece stands.
    pub place: Range<usize>,
    /// Appends the ids of a unit that is too long for a key.
    pub alone: A,
    pub out: &'c mut Vec<TokenId>,
}

impl<S: Solve, A: FnMut(&[u8], &mut Vec<TokenId>) -> Result<()>> Task for InUnits<'_, S, A> {
    type Output = Result<()>;

    #[inline(always)]
    fn run<V: Vectors>(self, vectors: V) -> Result<()> {
        let InUnits { together, store, merging, cuts, text, place, mut alone, out } = self;
        let Together { batch, bounds, memo, .. } = together;
        let mut cut = place.start;
        bounds.begin(cut as u32);
        while cut < place.end {
            cut = memo.units(cuts, &text[..place.end], cut, bounds);
            let pieces = Pieces::within(bounds, text);
            store.take(vectors, batch, merging, pieces, out, |_, _, at, out| alone(pieces.piece(at), out))?;
            bounds.go_on();
        }
        Ok(())
    }
}

/// What came of pieces that are too long for a key, in bytes.
#[derive(Debug, Default)]
pub struct Noted {
    pub all: usize,
    /// Of those that may be cut.
    pub to_cut: usize,
    /// Of those, and of units, that went neither through slots nor through lanes.
    pub alone: usize,
}

impl Noted {
    pub fn piece(&mut self, piece: &[u8], sixteens: bool) {
        self.all += piece.len();
        self.to_cut += if may_be_cut(piece, sixteens) { piece.len() } else { 0 };
    }
}
