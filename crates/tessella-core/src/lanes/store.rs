//! Pieces to ids by what the slots know, and what they do not know found out together.
//!
//! A window of pieces, mostly a whole text, is written out by the hundred: keys and places are made for as many, and
//! asked for in time. A piece that the slots do not know leaves a gap. When the window is written, what is missing is
//! found out, each piece once, and the gaps are filled.

use crate::flat::{BYTES, prefetch};
use std::mem::MaybeUninit;

use super::append::{append, write};
use super::key::{Key, Sixteens};
use super::longs::Longs;
use super::slots::{MOST_IDS, RING_SPARE, Slots, Value};
use super::vectors::{Task, Vectors};
use super::{CHUNK, Pieces, Work};
use crate::error::Result;
use crate::ids::TokenId;

/// Finds out what pieces become that no slot knows.
pub trait Solve {
    /// Kept from those who write texts, so that none of them knows which pieces share a line.
    fn hash_seed(&self) -> [u64; 2];

    /// Which pieces are told apart from others of the same bytes.
    #[inline(always)]
    fn inner(&self) -> Inner {
        Inner::None
    }

    /// Whether pieces that are too long for a key may be remembered.
    #[inline(always)]
    fn remembers_long(&self) -> bool {
        true
    }

    /// Pieces that are not to be read are made keys that no slot has, as those that are too long. These are those of a chunk,
    /// `first` the number of its first piece.
    #[inline(always)]
    fn hide(&mut self, _first: usize, _pieces: &mut [Asked]) {}

    /// Appends the ids of an inner part that is too long for a key.
    fn long_inner(&mut self, _part: &[u8], _out: &mut Vec<TokenId>) {}

    /// Calls `found` with the number of each piece and its ids, in any order.
    fn solve(&mut self, work: &mut Work, pieces: &[Key], found: impl FnMut(usize, &[TokenId])) -> Result<()>;
}

/// Which pieces are inner parts of something, and may become something else than they would become alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Inner {
    None,
    /// Those that begin where the one before them ends.
    Parts,
    All,
}

/// What is known, and how more is found out.
#[derive(Debug)]
pub struct Store {
    pub slots: Slots,
    pub work: Work,
    /// Those that are too long for a key.
    pub longs: Longs,
}

/// A piece whose line was asked for. What a loop needs of a piece lies together, so that it needs one pointer for it.
#[derive(Debug, Clone, Copy, Default)]
pub struct Asked {
    pub key: Key,
    /// The place of its line.
    place: u32,
}

/// Pieces that are on their way.
#[derive(Debug)]
pub struct Batch {
    /// Those of a chunk.
    asked: Vec<Asked>,
    /// Which pieces of the chunk are not known, and how many ids of it are written before each.
    missing: Box<Missing>,
    gaps: Vec<Gap>,
    /// What is to be found out, each once, and the places of the lines where it belongs.
    wanted: Vec<Key>,
    places: Vec<u32>,
    /// The last of these by its line.
    latest: [u16; LATEST],
    /// The ids of each, from where to where.
    answers: Vec<(u32, u32)>,
    found: Vec<TokenId>,
    /// The ids behind the first gap, while it is filled.
    behind: Vec<TokenId>,
}

type Missing = [[u32; 2]; CHUNK];

/// Places for what was wanted last.
const LATEST: usize = 256;

/// A piece that the slots do not know, and where its ids belong.
#[derive(Debug, Clone, Copy)]
struct Gap {
    piece: u32,
    /// How many ids of the window are written before it.
    before: u32,
    /// Which of those that are wanted it is; [`TOO_LONG`] for one that is too long for a key.
    wanted: u32,
}

const TOO_LONG: u32 = u32::MAX;

/// So many lines ahead of the one that is written to the next ones are asked for.
const LINES_AHEAD: usize = 12;

impl Batch {
    pub fn new() -> Self {
        Batch {
            asked: vec![Asked::default(); CHUNK],
            missing: Box::new([[0; 2]; CHUNK]),
            gaps: Vec::new(),
            wanted: Vec::new(),
            places: Vec::new(),
            latest: [0; LATEST],
            answers: Vec::new(),
            found: Vec::new(),
            behind: Vec::new(),
        }
    }

    fn begin(&mut self) {
        self.gaps.clear();
        self.wanted.clear();
        self.places.clear();
    }

    /// What is missing at place `at` of a chunk leaves a gap. So many pieces and ids come before the chunk.
    #[inline(always)]
    fn leave(&mut self, at: usize, pieces_before: usize, ids_before: usize) {
        let [piece, before] = self.missing[at];
        let Asked { key, place } = self.asked[piece as usize];
        let wanted = if key.is_long() { TOO_LONG } else { self.want(key, place) };
        self.gaps.push(Gap {
            piece: pieces_before as u32 + piece,
            before: ids_before as u32 + before,
            wanted,
        });
    }

    /// Which of those that are wanted a piece is. What is new in a text comes again in it.
    #[inline(always)]
    fn want(&mut self, key: Key, place: u32) -> u32 {
        let latest = &mut self.latest[place as usize / BYTES % LATEST];
        if self.wanted.get(usize::from(*latest)) == Some(&key) {
            return u32::from(*latest);
        }
        *latest = self.wanted.len() as u16;
        self.wanted.push(key);
        self.places.push(place);
        u32::from(*latest)
    }
}

impl Store {
    /// Appends the ids of pieces; `long` appends those of one that is too long for a key, or hidden.
    #[inline(always)]
    pub fn take<V: Vectors, S: Solve>(
        &mut self,
        vectors: V,
        batch: &mut Batch,
        solver: &mut S,
        pieces: Pieces<'_>,
        out: &mut Vec<TokenId>,
        mut long: impl FnMut(&mut Store, &mut S, usize, &mut Vec<TokenId>) -> Result<()>,
    ) -> Result<()> {
        let base = out.len();
        batch.begin();
        for (first, chunk) in pieces.chunks() {
            let seed = solver.hash_seed();
            let last = first.checked_sub(1).map_or(u32::MAX, |last| pieces.ends[last]);
            let count = match solver.inner() {
                Inner::None => self.ask::<V, { Inner::None as u8 }>(vectors, batch, seed, chunk, last),
                Inner::Parts => self.ask::<V, { Inner::Parts as u8 }>(vectors, batch, seed, chunk, last),
                Inner::All => self.ask::<V, { Inner::All as u8 }>(vectors, batch, seed, chunk, last),
            };
            solver.hide(first, &mut batch.asked[..count]);
            let before = out.len() - base;
            let missing = self.write_known(vectors, batch, count, out);
            for at in 0..missing {
                batch.leave(at, first, before);
            }
        }
        let Some(first) = batch.gaps.first() else { return Ok(()) };
        let first = base + first.before as usize;
        if solver.remembers_long() {
            let long = batch.gaps.iter().filter(|gap| gap.wanted == TOO_LONG);
            self.longs.ask(long.map(|gap| (gap.piece as usize, pieces.piece(gap.piece as usize))));
        }
        self.resolve(batch, solver)?;
        let behind = out.len() - first;
        batch.behind.clear();
        batch.behind.extend_from_slice(&out[first..]);
        // So that sixteen can be read wherever one can.
        batch.behind.resize(behind + RING_SPARE, 0);
        out.truncate(first);
        out.reserve(batch.behind.len() + batch.found.len());
        let mut from = 0;
        for gap in &batch.gaps {
            let to = base + gap.before as usize - first;
            append(out, &batch.behind, from, to);
            from = to;
            if let Some(&(start, end)) = batch.answers.get(gap.wanted as usize) {
                append(out, &batch.found, start as usize, end as usize);
            } else {
                long(self, solver, gap.piece as usize, out)?;
            }
        }
        append(out, &batch.behind, from, behind);
        Ok(())
    }
}

impl Store {
    /// Makes the keys of pieces and asks for their lines.
    #[inline(always)]
    fn ask<V: Vectors, const INNER: u8>(
        &self,
        vectors: V,
        batch: &mut Batch,
        hash_seed: [u64; 2],
        pieces: Pieces<'_>,
        last: u32,
    ) -> usize {
        let asked = &mut batch.asked;
        vectors.apart(Ask::<INNER> { slots: &self.slots, asked, hash_seed, pieces, last });
        pieces.starts.len()
    }

    /// Writes the ids of the chunk's pieces that are known, lists the others, and returns how many of these there are.
    #[inline(always)]
    fn write_known<V: Vectors>(
        &self,
        vectors: V,
        batch: &mut Batch,
        count: usize,
        out: &mut Vec<TokenId>,
    ) -> usize {
        let Batch { asked, missing, .. } = batch;
        out.reserve(count * MOST_IDS + RING_SPARE);
        let room = out.spare_capacity_mut();
        let pieces = &asked[..count];
        let (missing, written) = vectors.apart(Known { slots: &self.slots, pieces, missing, room });
        let length = out.len() + written;
        debug_assert!(length <= out.capacity());
        // SAFETY: as many ids were written, without a gap, to the spare room from its start on.
        #[allow(unsafe_code)]
        unsafe {
            out.set_len(length);
        }
        missing
    }

    /// Finds out what is wanted, and puts it into slots.
    #[inline(always)]
    fn resolve(&mut self, batch: &mut Batch, solver: &mut impl Solve) -> Result<()> {
        let Store { slots, work, .. } = self;
        let Batch { wanted, places, answers, found, .. } = batch;
        found.clear();
        answers.clear();
        answers.resize(wanted.len(), (0, 0));
        solver.solve(work, wanted, |at, ids| {
            let start = found.len() as u32;
            found.extend_from_slice(ids);
            answers[at] = (start, found.len() as u32);
        })?;
        // So that sixteen can be read wherever one can.
        found.resize(found.len() + RING_SPARE, 0);
        // Lines that were asked for when the window began are far again.
        for (at, (&key, &(start, end))) in wanted.iter().zip(&*answers).enumerate() {
            let lines = slots.lines();
            if let Some(&place) = places.get(at + LINES_AHEAD) {
                prefetch(lines.at(place as usize), 0);
            }
            let count = (end - start) as usize;
            if count <= MOST_IDS
                && let Some(ids) = found[start as usize..].first_chunk()
            {
                slots.insert(places[at] as usize, key, ids, count);
            }
        }
        Ok(())
    }
}

/// The pieces of a chunk, to be made keys of; compiled for each [`Inner`].
struct Ask<'c, const INNER: u8> {
    slots: &'c Slots,
    asked: &'c mut [Asked],
    hash_seed: [u64; 2],
    pieces: Pieces<'c>,
    /// Where the piece before them ends.
    last: u32,
}

impl<const INNER: u8> Task for Ask<'_, INNER> {
    type Output = ();

    #[inline(always)]
    fn run<V: Vectors>(self, _: V) {
        let Ask { slots, asked, hash_seed, pieces: Pieces { text, starts, ends }, mut last } = self;
        let table = slots.lines();
        let bounds = || starts.iter().zip(ends);
        let sixteens = Sixteens::of(text);
        let mut done = 0;
        let mut ask = |key: Key, start: u32, end: u32| {
            let is_inner = INNER == Inner::All as u8 || INNER == Inner::Parts as u8 && start == last;
            let key = key.inner_if(is_inner);
            last = end;
            let place = table.place_of(key.hash(hash_seed));
            prefetch(table.at(place), 0);
            Asked { key, place: place as u32 }
        };
        for ((&start, &end), asked) in bounds().zip(asked.iter_mut()) {
            let Some(found) = sixteens.key(start as usize, end as usize) else { break };
            *asked = ask(found, start, end);
            done += 1;
        }
        for ((&start, &end), asked) in bounds().zip(asked).skip(done) {
            // A piece that is cut comes behind its units, and begins before them.
            *asked = ask(Key::new(text, start as usize, end as usize), start, end);
        }
    }
}

/// Pieces of which those that are known are to be written, and the others to be listed. Returns how many are listed, and
/// how many ids are written.
struct Known<'c> {
    slots: &'c Slots,
    pieces: &'c [Asked],
    missing: &'c mut Missing,
    room: &'c mut [MaybeUninit<TokenId>],
}

impl Task for Known<'_> {
    type Output = (usize, usize);

    #[inline(always)]
    fn run<V: Vectors>(self, vectors: V) -> (usize, usize) {
        let Known { slots, pieces, missing, room } = self;
        let table = slots.lines();
        let mut room = Spare::of(room);
        let mut gaps = 0;
        let mut written = 0;
        let mut rest = pieces.iter();
        while let Some(Asked { key, place }) = rest.next() {
            // Not by a closure, which would be compiled for no vectors.
            if let Some(value) = Slots::probe(vectors, table, *place as usize, key)
                && let Some(room) = room.at(written)
                && let Some(count) = write_value(vectors, slots, value, room)
            {
                written += count;
            } else {
                // A number that is counted for each piece would be one more in the processor's registers.
                let piece = pieces.len() - rest.len() - 1;
                missing[gaps % CHUNK] = [piece as u32, written as u32];
                gaps += 1;
            }
        }
        (gaps, written)
    }
}

/// Writes the ids of a piece and returns how many there are; nothing where they are forgotten. As many are written whatever
/// their number: what is too much is written over by the next piece.
#[inline(always)]
fn write_value(
    vectors: impl Vectors,
    slots: &Slots,
    value: Value<'_>,
    room: &mut [MaybeUninit<TokenId>; RING_SPARE],
) -> Option<usize> {
    if let Some(count) = value.few() {
        write(value.first_ids(vectors), room);
        return Some(count);
    }
    if let Some(count) = value.more() {
        write(value.ids(vectors), room);
        return Some(count);
    }
    let (ids, count) = slots.in_ring(value)?;
    write(*ids, room);
    Some(count)
}

/// Room for ids.
struct Spare<'r> {
    room: &'r mut [MaybeUninit<TokenId>],
    /// So many places have [`RING_SPARE`] of it behind them.
    places: usize,
}

impl<'r> Spare<'r> {
    fn of(room: &'r mut [MaybeUninit<TokenId>]) -> Self {
        let places = (room.len() + 1).saturating_sub(RING_SPARE);
        Spare { room, places }
    }

    /// The room behind so many ids.
    #[inline(always)]
    fn at(&mut self, written: usize) -> Option<&mut [MaybeUninit<TokenId>; RING_SPARE]> {
        if written >= self.places {
            return None;
        }
        // SAFETY: so much room is behind each of these places. Slices would be asked for both ends of it for each piece.
        #[allow(unsafe_code)]
        Some(unsafe { &mut *self.room.as_mut_ptr().add(written).cast() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn room_is_given_where_there_is_enough_of_it() {
        for length in 0..3 * RING_SPARE {
            let mut all = vec![MaybeUninit::new(0); length];
            let first = all.as_ptr();
            let mut room = Spare::of(&mut all);
            for written in 0..length + 2 {
                let found = room.at(written).map(|room| room.as_ptr());
                let expected = (written + RING_SPARE <= length).then(|| first.wrapping_add(written));
                assert_eq!(found, expected);
            }
        }
    }
}
