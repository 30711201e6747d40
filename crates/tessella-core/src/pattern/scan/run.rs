//! Running the tables over a text.
//!
//! Two loops. `for_each_piece` follows the fused rows through the whole text and notes boundaries without a
//! branch per piece. `Search::end_from` answers one anchored question on the plain rows; it serves the rest:
//! single matches, and the stretches where the fused loop has to back off far.
//!
//! # Why the cost stays linear
//!
//! A scan may run on after its last accept in the hope of a longer match, and in vain. What lies behind a
//! (state, position) pair depends on the text alone, so a pair that once led to no accept never will. After
//! a vain run of more than [`SPACING`] bytes, the scans that start inside of it remember such pairs at
//! checkpoints every [`SPACING`] bytes and stop at a known one. A stretch is run over in vain at most once
//! without checkpoints, and with them each start costs at most [`SPACING`] bytes beyond what it matches or
//! adds new to memory: linear in the text for a given pattern, at most states times text / [`SPACING`] pairs.

use std::collections::HashSet;

use super::alphabet::Alphabet;
use super::pairs::{FIRST_BOUNDARY, LAST_SHIFT, PAIR_STOP, SECOND_BOUNDARY};
use super::table::{ACCEPT, BOUNDARY, STOP, Table, WAS_GAP};

/// Bytes between checkpoints, and the vain run that is not worth remembering.
const SPACING: usize = 64;

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
            return self.table.kinds[self.alphabet.classes()];
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
            return self.careful_end_from(start);
        }
        if !self.vain.known.is_empty() {
            self.vain.known.clear();
        }
        let rows = &self.table.plain;
        let mut state = self.table.starts[self.kind(start)];
        let mut last = None;
        let mut at = start;
        loop {
            let (class, length) = self.alphabet.at(self.bytes, at);
            let index = state as usize + usize::from(class);
            if rows.flags[index] & ACCEPT != 0 {
                last = Some(at);
            }
            state = rows.next[index];
            if state == 0 {
                break;
            }
            at += length;
        }
        self.note_vain_run(last.unwrap_or(start), at);
        last
    }

    /// After a scan that stopped at `stopped` without use of what comes after `useful`.
    fn note_vain_run(&mut self, useful: usize, stopped: usize) {
        if stopped - useful > SPACING {
            self.vain.until = self.vain.until.max(stopped);
        }
    }

    /// `end_from` with checkpoints.
    fn careful_end_from(&mut self, start: usize) -> Option<usize> {
        let rows = &self.table.plain;
        let mut state = self.table.starts[self.kind(start)];
        let mut last = None;
        let mut at = start;
        let mut block = start / SPACING;
        self.vain.passed.clear();
        loop {
            if at / SPACING != block {
                block = at / SPACING;
                if self.vain.known.contains(&(at, state)) {
                    break;
                }
                self.vain.passed.push((at, state));
            }
            let (class, length) = self.alphabet.at(self.bytes, at);
            let index = state as usize + usize::from(class);
            if rows.flags[index] & ACCEPT != 0 {
                last = Some(at);
            }
            state = rows.next[index];
            if state == 0 {
                break;
            }
            at += length;
        }
        // A checkpoint at the very position of the last accept saw that accept; later ones saw none.
        let vain = self.vain.passed.iter().filter(|(at, _)| last.is_none_or(|last| *at > last));
        self.vain.known.extend(vain);
        self.note_vain_run(last.unwrap_or(start), at);
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
    pub fn for_each_with_empty(&mut self, mut emit: impl FnMut(usize, usize, bool)) {
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
        let rows = &table.fused;
        let mut pieces = Pieces { covered: 0, gap: None, emit };
        // Written always, kept only if it is a boundary. The last pair of a block may reach beyond it.
        let mut boundaries = [0usize; 2 * BLOCK];
        let room = boundaries.len();
        let pairs = table.pairs.as_ref();
        let mut at = 0;
        let mut last = 0;
        let mut state = table.starts[self.kind(0)];
        loop {
            let block_end = bytes.len().min(at + BLOCK);
            let mut count = 0;
            let mut stopped = false;
            while at < block_end {
                if let Some(pairs) = pairs
                    && let Some(&[one, two]) = bytes.get(at..at + 2)
                    && (one | two) < 128
                {
                    let column = pairs.first[usize::from(one & 127)] + pairs.second[usize::from(two & 127)];
                    let index = state as usize + usize::from(column);
                    let flags = pairs.rows.flags[index];
                    if flags & PAIR_STOP == 0 {
                        state = pairs.rows.next[index];
                        boundaries[count % room] = at << 1 | usize::from(flags >> 1 & 1);
                        count += usize::from(flags & FIRST_BOUNDARY);
                        boundaries[count % room] = (at + 1) << 1 | usize::from(flags >> 3 & 1);
                        count += usize::from(flags & SECOND_BOUNDARY != 0);
                        let place = usize::from(flags >> LAST_SHIFT & 3);
                        last = if place != 0 { at + place - 1 } else { last };
                        at += 2;
                        continue;
                    }
                }
                let byte = bytes[at];
                let (class, length) =
                    if byte < 128 { (alphabet.of_ascii(byte), 1) } else { alphabet.of_wide(bytes, at) };
                let index = state as usize + usize::from(class);
                let flags = rows.flags[index];
                if flags & STOP != 0 {
                    stopped = true;
                    break;
                }
                state = rows.next[index];
                boundaries[count % room] = at << 1 | usize::from(flags & WAS_GAP != 0);
                count += usize::from(flags & BOUNDARY != 0);
                last = if flags & (ACCEPT | BOUNDARY) != 0 { at } else { last };
                at += length;
            }
            for &boundary in &boundaries[..count.min(room)] {
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
                if rows.flags[state as usize + usize::from(alphabet.end())] & ACCEPT != 0 {
                    pieces.push(at, false);
                    break;
                }
            }
            // The piece that began at `covered` ended earlier than the scan has come, or is no match.
            let begin = pieces.covered;
            self.note_vain_run(last.max(begin), at);
            if last > begin {
                pieces.push(last, false);
                at = last;
            } else {
                at = begin + alphabet.at(bytes, begin).1;
                pieces.push(at, true);
            }
            while at < self.vain.until && at < bytes.len() {
                match self.careful_end_from(at) {
                    Some(end) => pieces.push(end, false),
                    None => pieces.push(at + alphabet.at(bytes, at).1, true),
                }
                at = pieces.covered;
            }
            if !self.vain.known.is_empty() {
                self.vain.known.clear();
            }
            last = at;
            let kind = self.kind(at);
            state = if pieces.gap.is_some() { table.gaps[kind] } else { table.starts[kind] };
        }
        pieces.finish();
    }
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
