//! The best segmentations of short units, some of them at a time.
//!
//! Units come for the first time by the dozen. What solving one of them waits for is not arithmetic but steps in the trie, and
//! guesses of where a way through it ends. So the units of a batch are solved side by side, a byte of each at a time: all ways
//! that began somewhere in front of it are taken over it, and a way that has ended is written over by the next one. What a step
//! looks at was asked for when the step before it was taken, a round ago, and no branch hangs on what it finds: what is no piece
//! arrives like one, with a score that never wins. When a round is over, all is known of what ends there, and the ways that
//! begin there can begin.
//!
//! Scores are whole numbers here, in which a sum has room for where it comes from. What that errs by is told: who needs to know
//! whether the best way is the best looks at how far all others are from it.

use std::hint::select_unpredictable;

use crate::error::Result;
use crate::flat::{LINE, Room, prefetch};
use crate::ids::TokenId;
use crate::trie::Trie;

/// Bytes of a unit, the mark in front counted as one.
pub(crate) const MOST_BYTES: usize = 15;
/// Bytes and the place behind them.
const STRIDE: usize = 16;
/// Units of a batch: a word has a bit for each, and what is written of them stays in the nearest cache.
const BATCH: usize = 32;
const PLACES: usize = BATCH * STRIDE;
/// No text has it.
const END: u8 = 0xFF;
/// The score of what is no piece.
const NOTHING: i32 = i32::MIN;
/// Scores are nearer to zero than this, so that no way with [`NOTHING`] in it is better than one without.
const MOST_WORTH: i32 = 1 << 26;

/// A text of at most [`MOST_BYTES`].
#[derive(Debug, Clone, Copy)]
pub(crate) struct Unit {
    /// Behind the text, [`END`].
    bytes: [u8; STRIDE],
    /// A bit for each byte that begins a character, and one for the end.
    starts: u16,
    /// A bit for each byte that stands for the mark.
    marks: u16,
}

/// A bit for each of sixteen bytes whose highest bit `of` sets, of eight at a time.
#[inline(always)]
fn bits(bytes: [u8; STRIDE], of: impl Fn(u64) -> u64) -> u16 {
    let bytes = u128::from_le_bytes(bytes);
    let highest = |eight: u64| of(eight) >> 7 & 0x0101_0101_0101_0101;
    let together = |eight: u64| highest(eight).wrapping_mul(0x0102_0408_1020_4080) >> 56;
    (together(bytes as u64) | together((bytes >> 64) as u64) << 8) as u16
}

impl Unit {
    /// Of the first bytes of sixteen, whole characters but for those that stand for the mark.
    #[inline(always)]
    pub fn new(bytes: [u8; STRIDE], length: usize, marks: u16) -> Unit {
        debug_assert!((1..=MOST_BYTES).contains(&length));
        let length = length & MOST_BYTES;
        let end = 1u16 << length;
        let behind = u128::MAX << (8 * length);
        let inner = bits(bytes, |eight| eight & !(eight << 1));
        Unit {
            bytes: (u128::from_le_bytes(bytes) | behind).to_le_bytes(),
            starts: !inner & (end - 1) | end | marks,
            marks,
        }
    }

    /// The same of a text in which a byte of ASCII stands for the mark wherever it is.
    #[inline(always)]
    pub fn with_marks(bytes: [u8; STRIDE], length: usize, mark: u8) -> Unit {
        let all = u64::from(mark) * 0x0101_0101_0101_0101;
        let low = 0x7F7F_7F7F_7F7F_7F7F_u64;
        let is_mark = |eight: u64| !((((eight ^ all) & low) + low) | (eight ^ all) | low);
        let marks = bits(bytes, is_mark) & ((1 << (length & MOST_BYTES)) - 1);
        Self::new(bytes, length, marks)
    }

    /// As it was given, with any byte for a mark.
    pub fn text(&self) -> &[u8] {
        &self.bytes[..self.length()]
    }

    #[inline(always)]
    fn length(&self) -> usize {
        (15 - self.starts.leading_zeros()) as usize % STRIDE
    }
}

/// A node of the trie as it is walked: the base of its children above the byte that leads to it, what its piece adds to a sum,
/// and the piece. Sixteen bytes, so that none lies in two lines of the processor's cache.
#[derive(Debug, Clone, Copy)]
struct Node {
    base_and_byte: u32,
    worth: i32,
    id: TokenId,
}

impl Node {
    #[inline(always)]
    fn of(words: &[u64; 2]) -> Node {
        Node { base_and_byte: words[0] as u32, worth: (words[0] >> 32) as i32, id: words[1] as u32 }
    }

    fn words(self) -> [u64; 2] {
        [u64::from(self.base_and_byte) | u64::from(self.worth as u32) << 32, self.id.into()]
    }

    #[inline(always)]
    fn base(self) -> u32 {
        self.base_and_byte >> 8
    }
}

/// A trie whose nodes tell what pieces add to a sum.
#[derive(Debug)]
pub(crate) struct Steps {
    room: Room,
    /// Where ways begin that have a character in front of them, by its first byte; what it is worth, also if it is unknown.
    of_byte: Box<[Node; 256]>,
    mark: Node,
    unknown: TokenId,
    /// What scores are multiples of: a power of two.
    step: f64,
}

impl Steps {
    /// Of a trie whose values are ids, what pieces and unknown characters add to a sum, the id of these, and the text of the
    /// mark. `None` if scores are not finite, or what is unknown is not worse than all pieces, which it is offered besides.
    pub fn new(
        trie: &Trie,
        worth: impl Fn(TokenId) -> f64,
        (unknown, unknown_worth): (TokenId, f64),
        mark: &str,
    ) -> Option<Steps> {
        let mut most = unknown_worth.abs();
        for id in (0..trie.slots()).map(|slot| trie.value_at(slot)).filter(|&id| id != Trie::NO_VALUE) {
            let worth = worth(id);
            if !worth.is_finite() || worth <= unknown_worth {
                return None;
            }
            most = most.max(worth.abs());
        }
        // From where no way goes on: behind all nodes, with other bytes than those that lead there.
        let dead = trie.slots() as u32;
        if !most.is_finite() || !dead.is_multiple_of(256) || dead >= (1 << 24) - 256 {
            return None;
        }
        let mut step = (-40f64).exp2();
        while most / step >= f64::from(MOST_WORTH) {
            step *= 2.0;
        }
        let number = |score: f64| (score / step).round() as i32;
        let lines = (trie.slots() + 256).div_ceil(LINE / 2);
        let mut room = Room::new(lines.next_power_of_two().ilog2());
        let nodes = room.words_mut().as_chunks_mut::<2>().0;
        for (slot, node) in nodes.iter_mut().enumerate().take(trie.slots()) {
            let (base, byte) = trie.node_at(slot);
            let (id, worth) = match trie.value_at(slot) {
                Trie::NO_VALUE => (unknown, NOTHING),
                id => (id, number(worth(id))),
            };
            // All children of a node are in one block of 256 slots.
            let base = base.filter(|base| base | 255 < dead).unwrap_or(dead);
            let base_and_byte = base << 8 | u32::from(byte);
            *node = Node { base_and_byte, worth, id }.words();
        }
        for (byte, node) in (0..).zip(&mut nodes[trie.slots()..][..256]) {
            *node = Node { base_and_byte: dead << 8 | byte ^ 1, worth: NOTHING, id: unknown }.words();
        }
        let first = |bytes: &[u8]| {
            let mut node = Node::of(&nodes[0]);
            for &byte in bytes {
                node = Node::of(&nodes[(node.base() ^ u32::from(byte)) as usize]);
                if node.base_and_byte as u8 != byte {
                    node = Node { base_and_byte: dead << 8, worth: NOTHING, id: unknown };
                }
            }
            match node.worth {
                NOTHING => Node { worth: number(unknown_worth), ..node },
                _ => node,
            }
        };
        let of_byte = Box::new(std::array::from_fn(|byte| first(&[byte as u8])));
        let mark = first(mark.as_bytes());
        Some(Steps { room, of_byte, mark, unknown, step })
    }

    #[inline(always)]
    fn nodes(&self) -> &[[u64; 2]] {
        self.room.words().as_chunks().0
    }

    /// More than what the difference of two sums of a unit errs by, were they made of the scores themselves in 64 bits.
    pub fn slack(&self) -> f64 {
        self.step * (2 * STRIDE) as f64
    }
}

/// A way that goes on: where in the trie, and the place where it began.
#[derive(Debug, Clone, Copy)]
struct Way {
    base: u32,
    from: u16,
}

/// Buffers.
#[derive(Debug)]
pub(crate) struct Together {
    /// One text after the other.
    text: [u8; PLACES],
    ways: [Way; PLACES],
    /// By where they end and where in the unit they begin.
    pieces: [[TokenId; STRIDE]; PLACES],
    arrivals: [Arrival; PLACES],
    /// The best sum at a place, marked as coming from there.
    before: [i64; PLACES],
}

impl Default for Together {
    fn default() -> Self {
        Together {
            text: [END; PLACES],
            ways: [Way { base: 0, from: 0 }; PLACES],
            pieces: [[0; STRIDE]; PLACES],
            arrivals: [Arrival::NONE; PLACES],
            before: [0; PLACES],
        }
    }
}

/// What arrives at a place: a sum, and in its lowest bits where it comes from, so that the better of two is found with all
/// that is to be known of it.
#[derive(Debug, Clone, Copy)]
struct Arrival {
    best: i64,
    /// The best of all others.
    second: i64,
}

/// Bits of an arrival that tell where it comes from.
const FROM_BITS: u32 = STRIDE.ilog2();
const FROM: i64 = STRIDE as i64 - 1;

impl Arrival {
    /// Less than any sum.
    const NONE: Arrival = Arrival { best: i64::MIN / 4, second: i64::MIN / 4 };

    /// Takes one more, without a branch: which of two is better cannot be foreseen. Compilers are told, for they make branches of
    /// what looks like none.
    #[inline(always)]
    fn take(&mut self, before: i64, worth: i32) {
        let sum = before + (i64::from(worth) << FROM_BITS);
        let Arrival { best, second } = *self;
        let is_better = sum > best;
        let lower = select_unpredictable(is_better, best, sum);
        *self = Arrival {
            best: select_unpredictable(is_better, sum, best),
            second: select_unpredictable(lower > second, lower, second),
        };
    }
}

/// The best segmentation of a unit.
#[derive(Debug)]
pub(crate) struct Best {
    ids: [TokenId; STRIDE],
    /// Where each begins.
    starts: [u8; STRIDE],
    /// The ids are the last ones.
    first: usize,
    /// By how much the best arrival is better than all others, the least of all boundaries of the segmentation.
    pub distance: f64,
    /// The same for each character in front of the boundary.
    pub distance_per_character: f64,
    /// The farthest from zero that a sum at a boundary is.
    pub largest: f64,
    /// The sum of all.
    pub sum: f64,
}

impl Best {
    pub fn ids(&self) -> &[TokenId] {
        &self.ids[self.first..]
    }

    /// Where each of them begins.
    pub fn starts(&self) -> &[u8] {
        &self.starts[self.first..]
    }
}

/// One by the number of characters, rounded down.
const ONE_BY: [f64; STRIDE] = {
    let mut table = [1.0; STRIDE];
    let mut count = 1;
    while count < STRIDE {
        table[count] = (1.0 / count as f64).next_down();
        count += 1;
    }
    table
};

impl Together {
    /// Calls with the number of each unit and its best segmentation.
    pub fn solve(
        &mut self,
        steps: &Steps,
        units: &[Unit],
        mut each: impl FnMut(usize, &Best) -> Result<()>,
    ) -> Result<()> {
        for (batch, units) in units.chunks(BATCH).enumerate() {
            self.walk(steps, units);
            for (at, unit) in units.iter().enumerate() {
                each(batch * BATCH + at, &self.best(steps, at * STRIDE, unit))?;
            }
        }
        Ok(())
    }

    /// Finds what arrives at all places of some units.
    #[inline(never)]
    fn walk(&mut self, steps: &Steps, units: &[Unit]) {
        // By place in a unit, those that have a character there.
        let mut begin = [0u64; STRIDE];
        for (at, unit) in units.iter().enumerate().take(BATCH) {
            let places = at * STRIDE..(at + 1) * STRIDE;
            self.text[places.clone()].copy_from_slice(&unit.bytes);
            self.arrivals[places.clone()].fill(Arrival::NONE);
            self.arrivals[places.start].best = 0;
            let mut rest = unit.starts & !(1 << unit.length());
            while rest != 0 {
                begin[rest.trailing_zeros() as usize % STRIDE] |= 1 << at;
                rest &= rest - 1;
            }
        }
        let nodes = steps.nodes();
        let mut going = 0;
        for (at, begin) in begin.into_iter().enumerate().take(MOST_BYTES) {
            going = self.go_on((nodes, steps.unknown), at, going);
            going = self.begin((steps, nodes), units, (at, begin), going);
        }
    }

    /// Takes all ways over a byte of their units, and says how many still go on.
    #[inline(always)]
    fn go_on(&mut self, (nodes, unknown): (&[[u64; 2]], TokenId), at: usize, going: usize) -> usize {
        let Together { text, ways, pieces, arrivals, before } = self;
        let mut kept = 0;
        for way in 0..going.min(PLACES) {
            let Way { base, from } = ways[way];
            let from = usize::from(from) % PLACES;
            let place = from / STRIDE * STRIDE + at;
            let byte = text[place];
            let node = Node::of(&nodes[(base ^ u32::from(byte)) as usize]);
            let goes_on = node.base_and_byte as u8 == byte;
            prefetch(nodes, (node.base() ^ u32::from(text[place + 1])) as usize);
            ways[kept % PLACES] = Way { base: node.base(), from: from as u16 };
            kept += usize::from(goes_on);
            let end = (place + 1) % PLACES;
            pieces[end][from % STRIDE] = select_unpredictable(goes_on, node.id, unknown);
            arrivals[end].take(before[from], select_unpredictable(goes_on, node.worth, NOTHING));
        }
        kept
    }

    /// Begins a way in each unit that has a character at a place.
    #[inline(always)]
    fn begin(
        &mut self,
        (steps, nodes): (&Steps, &[[u64; 2]]),
        units: &[Unit],
        (at, mut begin): (usize, u64),
        mut going: usize,
    ) -> usize {
        let Together { text, ways, pieces, arrivals, before } = self;
        while begin != 0 {
            let unit = begin.trailing_zeros() as usize % BATCH;
            begin &= begin - 1;
            let Unit { starts, marks, .. } = units[unit];
            let place = unit * STRIDE + at;
            let of_byte = &steps.of_byte[usize::from(text[place])];
            let first = if marks >> at & 1 == 1 { &steps.mark } else { of_byte };
            let behind = starts >> at & !1;
            let next = (place + behind.trailing_zeros() as usize) % PLACES;
            let sum = arrivals[place].best & !FROM | at as i64;
            before[place] = sum;
            pieces[next][at] = first.id;
            arrivals[next].take(sum, first.worth);
            prefetch(nodes, (first.base() ^ u32::from(text[place + 1])) as usize);
            ways[going % PLACES] = Way { base: first.base(), from: place as u16 };
            going += 1;
        }
        going
    }

    /// The best segmentation of a unit for which everything has arrived.
    #[inline(always)]
    fn best(&self, steps: &Steps, start: usize, unit: &Unit) -> Best {
        let (mut lowest, mut highest) = (0, 0);
        let mut rest = unit.starts;
        while rest != 0 {
            let sum = self.arrivals[(start + rest.trailing_zeros() as usize) % PLACES].best;
            (lowest, highest) = (sum.min(lowest), sum.max(highest));
            rest &= rest - 1;
        }
        let largest = (highest.max(-lowest) >> FROM_BITS) + 1;
        let mut best = Best {
            ids: [0; STRIDE],
            starts: [0; STRIDE],
            first: STRIDE,
            distance: f64::INFINITY,
            distance_per_character: f64::INFINITY,
            largest: largest as f64 * steps.step,
            sum: (self.arrivals[(start + unit.length()) % PLACES].best >> FROM_BITS) as f64 * steps.step,
        };
        let mut at = unit.length();
        while at > 0 {
            let Arrival { best: arrival, second } = self.arrivals[(start + at) % PLACES];
            let apart = (arrival >> FROM_BITS) - (second >> FROM_BITS);
            let distance = apart as f64 * steps.step;
            let characters = (unit.starts & ((1 << at) - 1)).count_ones() as usize;
            let for_each = distance * ONE_BY[characters % STRIDE];
            best.distance = if distance < best.distance { distance } else { best.distance };
            best.distance_per_character =
                if for_each < best.distance_per_character { for_each } else { best.distance_per_character };
            best.first -= 1;
            let from = (arrival & FROM) as usize;
            best.starts[best.first % STRIDE] = from as u8;
            best.ids[best.first % STRIDE] = self.pieces[(start + at) % PLACES][from];
            at = from;
        }
        best
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::unigram::viterbi::{Scoring, best_short_path};
    use crate::random::Random;

    struct Scores(Vec<f64>);

    impl Scoring for Scores {
        type Score = f64;

        fn with_piece(&self, id: u32, _bytes: usize, before: f64) -> Option<f64> {
            Some(self.0[id as usize] + before)
        }

        fn with_unknown(&self, before: f64) -> f64 {
            self.0[0] + before
        }
    }

    /// The best and the second best sum of all ways through the rest of a text.
    fn two_best(text: &str, pieces: &[(String, f64)]) -> [f64; 2] {
        let Some(c) = text.chars().next() else { return [0.0, f64::NEG_INFINITY] };
        let unknown = [(c.to_string(), pieces[0].1)];
        let is_known = pieces[1..].iter().any(|(piece, _)| *piece == unknown[0].0);
        let all = pieces[1..].iter().chain(&unknown[..usize::from(!is_known)]);
        let mut best = [f64::NEG_INFINITY; 2];
        for (piece, score) in all.filter(|(piece, _)| text.starts_with(piece.as_str())) {
            for sum in two_best(&text[piece.len()..], pieces).map(|sum| sum + score) {
                if sum > best[0] {
                    best = [sum, best[0]];
                } else {
                    best[1] = best[1].max(sum);
                }
            }
        }
        best
    }

    #[test]
    fn units_are_solved_as_one_by_one() {
        let mut random = Random::from_seed(3);
        let mut below = |bound: usize| (random.next_u64() % bound as u64) as usize;
        let letters = ["a", "b", "c", "é", "ж", "漢", "😀", "▁", "z"];
        let mut together = Together::default();
        let (mut certain, mut uncertain) = (0, 0);
        for round in 0..300 {
            let few = 2 + below(letters.len() - 2);
            let mut word = |letters: &[&str], most: usize| -> String {
                (0..1 + below(most)).map(|_| letters[below(few)]).collect()
            };
            let mut pieces = vec![("<unk>".to_owned(), 0.0)];
            for at in 0..40 {
                let piece = word(&letters, 5);
                if pieces.iter().all(|(known, _)| *known != piece) && piece.len() <= 12 {
                    // Sums that tie, nearly tie and do not.
                    pieces.push((piece, -[0.1, 0.2, 0.3, 1.7, 3.1 + 1e-9][at % 5] * (1 + at % 3) as f64));
                }
            }
            pieces[0].1 = pieces.iter().map(|(_, score)| *score).fold(0.0, f64::min) - 10.0;
            let keys = (0..).zip(&pieces).skip(1).map(|(id, (text, _))| (text.as_bytes(), id)).collect();
            let trie = Trie::build(keys).unwrap();
            let scores = Scores(pieces.iter().map(|(_, score)| *score).collect());
            let steps = Steps::new(&trie, |id| scores.0[id as usize], (0, pieces[0].1), "▁").unwrap();
            let texts: Vec<String> = (0..1 + round).map(|_| word(&letters[..8], 6)).collect();
            // With a blank for a mark in front, and marks within as they are.
            let written = |text: &str| match text.strip_prefix('▁') {
                Some(rest) => format!(" {rest}"),
                None => text.to_owned(),
            };
            let fits = |text: &&String| written(text).len() <= MOST_BYTES;
            let texts: Vec<&String> = texts.iter().filter(fits).collect();
            let unit = |text: &&String| {
                let text = written(text);
                let mut bytes = [b'x'; STRIDE];
                bytes[..text.len()].copy_from_slice(text.as_bytes());
                Unit::with_marks(bytes, text.len(), b' ')
            };
            let units: Vec<Unit> = texts.iter().map(unit).collect();
            let mut next = 0;
            let each = |at: usize, best: &Best| {
                assert_eq!(at, next);
                next += 1;
                let text = texts[at].as_str();
                let [sum, second] = two_best(text, &pieces);
                assert!((best.sum - sum).abs() < steps.slack());
                let is_near =
                    second == f64::NEG_INFINITY || (best.distance - (sum - second)).abs() < steps.slack();
                assert!(is_near || best.distance > 9.9, "{text} {} {}", best.distance, sum - second);
                let characters = text.chars().count() as f64;
                assert!(best.distance_per_character * characters * (1.0 + 1e-12) >= best.distance);
                let mut ids = Vec::new();
                let mut begins = Vec::new();
                // The mark in front is three bytes there, and one here.
                let shorter = text.len() - units[at].text().len();
                best_short_path(text, &trie, &scores, Some(0), |start, _, id| {
                    ids.push(id);
                    begins.push(start.saturating_sub(shorter));
                })
                .unwrap();
                if best.distance > steps.slack() {
                    certain += 1;
                    assert_eq!(best.ids(), ids, "{text}");
                    let starts: Vec<usize> = best.starts().iter().map(|&start| start.into()).collect();
                    assert_eq!(starts, begins, "{text}");
                } else {
                    uncertain += 1;
                }
                Ok(())
            };
            together.solve(&steps, &units, each).unwrap();
            assert_eq!(next, texts.len());
        }
        assert!(certain > 10_000 && uncertain > 100, "{certain} {uncertain}");
    }

    #[test]
    fn scores_that_whole_numbers_cannot_hold_are_refused() {
        let trie = Trie::build(vec![(b"a".as_slice(), 0)]).unwrap();
        let steps = |score: f64, unknown: f64| Steps::new(&trie, |_| score, (1, unknown), "▁");
        assert!(steps(-1.0, -11.0).is_some() && steps(-1e30, -1e31).is_some());
        assert!(steps(f64::NEG_INFINITY, -1.0).is_none() && steps(f64::NAN, -1.0).is_none());
        assert!(steps(-1.0, f64::NEG_INFINITY).is_none() && steps(-1.0, -1.0).is_none());
    }
}
