//! Running the tables over a text.
//!
//! Two loops. `Search::for_each` follows the fused rows through the whole text and notes boundaries without a
//! branch per piece. `Search::end_from` answers one anchored question on the plain rows; it serves the rest:
//! single matches, and the stretches where the fused loop has to back off far.
//!
//! # Why the cost stays linear
//!
//! A scan may run on after its last accept in the hope of a longer match, and in vain. What lies behind a
//! (state, position) pair depends on the text alone, so a pair that once led to no accept never will. After
//! a vain run of more than [`SPACING`] bytes, the scans that start inside of it remember such pairs at
//! checkpoints every [`SPACING`] bytes and stop at a known one. A stretch is run over in vain at most twice
//! without checkpoints (by the fused loop and by the plain rows that it asks), and with them each start costs
//! at most [`SPACING`] bytes beyond what it matches or adds to memory: linear in the text for a given pattern,
//! with at most states times text / [`SPACING`] pairs.

use std::collections::HashSet;

use super::alphabet::Alphabet;
use super::pairs::{FIRST_BOUNDARY, FIRST_GAP, PAIR_STOP, SECOND_BOUNDARY, SECOND_GAP};
use super::rows::{ACCEPT, BOUNDARY, STOP, WAS_GAP};
use super::table::Table;

/// Bytes between checkpoints, and the vain run that is not worth remembering.
const SPACING: usize = 64;

/// Texts of up to so many bytes, pieces of another stage mostly, are read match by match.
const SHORT: usize = 32;

/// Bytes between two deliveries of boundaries; a boundary is at least a byte apart from the next.
const BLOCK: usize = 256;

/// What earlier scans of the same text have found to lead nowhere.
#[derive(Debug, Default)]
struct Vain {
    /// Scans that start before this byte look out for checkpoints.
    until: usize,
    /// Position and state from which no accept comes.
    known: HashSet<(usize, u32)>,
    /// Checkpoints of the scan that is running.
    passed: Vec<(usize, u32)>,
}

/// Anchored scans over one text.
pub struct Search<'a> {
    table: &'a Table,
    alphabet: &'a Alphabet,
    bytes: &'a [u8],
    vain: Vain,
}

impl<'a> Search<'a> {
    pub fn new(table: &'a Table, alphabet: &'a Alphabet, text: &'a str) -> Self {
        Search { table, alphabet, bytes: text.as_bytes(), vain: Vain::default() }
    }

    /// The kind of the character before `at`.
    fn kind(&self, at: usize) -> usize {
        if self.table.starts.len() == 1 {
            return 0;
        }
        if at == 0 {
            return self.table.kinds[self.alphabet.classes];
        }
        let mut before = at - 1;
        while before > 0 && self.bytes[before] & 0xC0 == 0x80 {
            before -= 1;
        }
        self.table.kinds[usize::from(self.alphabet.at(self.bytes, before).0)]
    }

    /// Where the match ends that starts at `start`.
    pub fn end_from(&mut self, start: usize) -> Option<usize> {
        if start < self.vain.until {
            self.vain.passed.clear();
            return self.scan::<true>(start);
        }
        if !self.vain.known.is_empty() {
            self.vain.known.clear();
        }
        self.scan::<false>(start)
    }

    /// The same, with checkpoints or without.
    #[inline(always)]
    fn scan<const CAREFUL: bool>(&mut self, start: usize) -> Option<usize> {
        let rows = &self.table.plain;
        let mut state = self.table.starts[self.kind(start)];
        let mut last = None;
        let mut at = start;
        let mut block = start / SPACING;
        loop {
            if CAREFUL && at / SPACING != block {
                block = at / SPACING;
                if self.vain.known.contains(&(at, state)) {
                    break;
                }
                self.vain.passed.push((at, state));
            }
            let (class, length) = self.alphabet.at(self.bytes, at);
            let index = state as usize + usize::from(class);
            let (next, flags) = rows.get(index);
            if flags & ACCEPT != 0 {
                last = Some(at);
            }
            state = next;
            if state == 0 {
                break;
            }
            at += length;
        }
        if CAREFUL {
            // A checkpoint at the very position of the last accept saw that accept; later ones saw none.
            let vain = self.vain.passed.iter().filter(|(at, _)| last.is_none_or(|last| *at > last));
            self.vain.known.extend(vain);
        }
        // What came after the last accept was of no use.
        if at - last.unwrap_or(start) > SPACING {
            self.vain.until = self.vain.until.max(at);
        }
        last
    }

    /// The leftmost match at or after `at`.
    pub fn find_from(&mut self, mut at: usize) -> Option<(usize, usize)> {
        loop {
            if let Some(end) = self.end_from(at) {
                return Some((at, end));
            }
            if at >= self.bytes.len() {
                return None;
            }
            at += self.alphabet.at(self.bytes, at).1;
        }
    }

    /// Matches and gaps in order, for a pattern with empty matches: as the engines' iterators give them, an
    /// empty match right behind another match does not count.
    pub fn for_each_with_empty(&mut self, emit: &mut dyn FnMut(usize, usize, bool)) {
        let mut covered = 0;
        let mut at = 0;
        let mut last_end = None;
        while at <= self.bytes.len() {
            let Some((start, end)) = self.find_from(at) else { break };
            if start == end && last_end == Some(end) {
                at += self.alphabet.at(self.bytes, at).1.max(1);
                continue;
            }
            if covered < start {
                emit(covered, start, false);
            }
            emit(start, end, true);
            covered = end;
            at = end;
            last_end = Some(end);
        }
        if covered < self.bytes.len() {
            emit(covered, self.bytes.len(), false);
        }
    }

    /// Matches and gaps in order, for a pattern without empty matches.
    pub fn for_each(&mut self, emit: impl FnMut(usize, usize, bool)) {
        let (table, alphabet, bytes) = (self.table, self.alphabet, self.bytes);
        let mut pieces = Pieces { covered: 0, gap: None, emit };
        if bytes.len() <= SHORT {
            // Clearing the room for boundaries would take longer.
            while pieces.covered < bytes.len() {
                self.push_one(&mut pieces);
            }
            return pieces.finish();
        }
        let mut boundaries: Boundaries = [0; 2 * BLOCK];
        let mut at = 0;
        let mut state = table.starts[self.kind(0)];
        loop {
            let stopped;
            let count;
            (at, state, count, stopped) = run_block(table, alphabet, bytes, at, state, &mut boundaries);
            for &boundary in &boundaries[..count.min(2 * BLOCK)] {
                pieces.push(boundary >> 1, boundary & 1 == 1);
            }
            if !stopped {
                if at < bytes.len() {
                    continue;
                }
                if pieces.covered == bytes.len() {
                    break;
                }
                if state >= table.first_gap {
                    pieces.push(at, true);
                    break;
                }
                let (_, flags) = table.fused.get(state as usize + usize::from(alphabet.end()));
                if flags & ACCEPT != 0 {
                    pieces.push(at, false);
                    break;
                }
            }
            // The piece that began at `covered` ended before the place that the loop has come to, or it is no
            // match. The plain rows find out; where they run far in vain, they go on with checkpoints.
            at = self.push_one(&mut pieces);
            while at < self.vain.until && at < bytes.len() {
                at = self.push_one(&mut pieces);
            }
            let kind = self.kind(at);
            state = if pieces.gap.is_some() { table.gaps[kind] } else { table.starts[kind] };
        }
        pieces.finish();
    }

    /// Finds and pushes the next piece, a match or one character of a gap; returns its end.
    fn push_one<F: FnMut(usize, usize, bool)>(&mut self, pieces: &mut Pieces<F>) -> usize {
        let begin = pieces.covered;
        match self.end_from(begin) {
            Some(end) => pieces.push(end, false),
            None => pieces.push(begin + self.alphabet.at(self.bytes, begin).1, true),
        }
        pieces.covered
    }
}

/// Ends of pieces, each with a last bit that says whether the piece is a gap.
type Boundaries = [usize; 2 * BLOCK];

/// Written always, kept only if it is a boundary: no branch depends on the text. Returns the new count.
#[inline(always)]
fn note(boundaries: &mut Boundaries, count: usize, at: usize, was_gap: bool, kept: bool) -> usize {
    boundaries[count % (2 * BLOCK)] = at << 1 | usize::from(was_gap);
    count + usize::from(kept)
}

/// Follows the fused rows for about a block of bytes. Returns the position, the state, the number of boundaries,
/// and whether it came to a stop. Called once a block, so it stands once, not in every caller of the loop.
#[inline(never)]
fn run_block(
    table: &Table,
    alphabet: &Alphabet,
    bytes: &[u8],
    mut at: usize,
    mut state: u32,
    boundaries: &mut Boundaries,
) -> (usize, u32, usize, bool) {
    let rows = &table.fused;
    let mut count = 0;
    let block_end = bytes.len().min(at + BLOCK);
    while at < block_end {
        let byte = bytes[at];
        let (class, length) = if byte < 128 {
            if let Some(pairs) = &table.pairs
                && let Some(&second) = bytes.get(at + 1)
                && second < 128
            {
                let column = pairs.first[usize::from(byte & 127)] + pairs.second[usize::from(second & 127)];
                let (next, flags) = pairs.rows.get(state as usize + usize::from(column));
                if flags & PAIR_STOP == 0 {
                    state = next;
                    let (gap, kept) = (flags & FIRST_GAP != 0, flags & FIRST_BOUNDARY != 0);
                    count = note(boundaries, count, at, gap, kept);
                    let (gap, kept) = (flags & SECOND_GAP != 0, flags & SECOND_BOUNDARY != 0);
                    count = note(boundaries, count, at + 1, gap, kept);
                    at += 2;
                    continue;
                }
            }
            (alphabet.of_ascii(byte), 1)
        } else {
            alphabet.of_wide(bytes, at)
        };
        let (next, flags) = rows.get(state as usize + usize::from(class));
        if flags & STOP != 0 {
            return (at, state, count, true);
        }
        state = next;
        count = note(boundaries, count, at, flags & WAS_GAP != 0, flags & BOUNDARY != 0);
        at += length;
    }
    (at, state, count, false)
}

/// Hands pieces on, neighbouring gaps joined.
struct Pieces<F> {
    /// Everything before this byte has been pushed.
    covered: usize,
    /// Start of a gap that may still grow.
    gap: Option<usize>,
    emit: F,
}

impl<F: FnMut(usize, usize, bool)> Pieces<F> {
    #[inline(always)]
    fn push(&mut self, end: usize, is_gap: bool) {
        let start = std::mem::replace(&mut self.covered, end);
        if is_gap {
            self.gap = self.gap.or(Some(start));
            return;
        }
        if let Some(gap) = self.gap.take() {
            (self.emit)(gap, start, false);
        }
        (self.emit)(start, end, true);
    }

    fn finish(&mut self) {
        if let Some(gap) = self.gap.take() {
            (self.emit)(gap, self.covered, false);
        }
    }
}
