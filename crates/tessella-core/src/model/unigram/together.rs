//! The best segmentations of short units, some of them at a time.
//!
//! Units come for the first time by the dozen. What solving one of them waits for is not arithmetic but steps in the trie, and
//! guesses of where a way through it ends. So sixteen units are solved side by side: first all pieces in them are found, a byte
//! of each unit at a time ([`walk`](crate::lanes::walk)), then what arrives at each place is added up, of all units in a row.
//!
//! Scores are whole numbers here, small enough for sums of 32 bits. What that errs by is told: who needs to know whether the best
//! way is the best looks at how far all others are from it.

use crate::error::Result;
use crate::flat::{LINE, Room};
use crate::ids::TokenId;
use crate::lanes::vectors::{Level, Task, Vectors};
use crate::lanes::walk::{Arrived, END, Grid, NOTHING, Nodes, PLACES, Place, Row, TEXTS};
use crate::trie::Trie;

/// Bytes of a unit, the mark in front counted as one.
pub(crate) const MOST_BYTES: usize = 15;
/// Bytes and the place behind them.
const STRIDE: usize = PLACES;
/// Scores are nearer to zero than this, so that no way with [`NOTHING`] in it is better than one without.
const MOST_WORTH: i32 = 1 << 25;
/// Farther below zero than all sums of pieces.
const LEAST: i32 = -(STRIDE as i32 * MOST_WORTH);

// What is nothing behind the best of sums is worse than the worst of them, and sums of both are no smaller than numbers can be.
const _: () = assert!(NOTHING - LEAST <= LEAST && NOTHING as i64 + LEAST as i64 >= i32::MIN as i64);

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

/// A trie whose nodes tell what pieces add to a sum. First bytes have nodes of their own: of a character it is told there what it is
/// worth, also if it is unknown.
#[derive(Debug)]
pub(crate) struct Steps {
    room: Room,
    /// By node, the piece that ends there.
    ids: Vec<TokenId>,
    firsts: u32,
    dead: u32,
    /// What scores are multiples of: a power of two.
    step: f64,
}

/// First bytes, and the mark.
const FIRSTS: usize = 257;

/// A node as it is walked.
#[inline(always)]
fn node(base: u32, byte: u8, worth: i32) -> u64 {
    u64::from(base << 8 | u32::from(byte)) | u64::from(worth as u32) << 32
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
        let dead = trie.slots();
        if !most.is_finite() || !dead.is_multiple_of(256) || dead >= (1 << 24) - 1024 {
            return None;
        }
        let mut step = (-40f64).exp2();
        while most / step >= f64::from(MOST_WORTH) {
            step *= 2.0;
        }
        let number = |score: f64| (score / step).round() as i32;
        let firsts = dead + 256;
        let all = firsts + FIRSTS;
        let mut room = Room::new(all.div_ceil(LINE).next_power_of_two().ilog2());
        let mut ids = vec![unknown; all];
        let nodes = room.words_mut();
        for slot in 0..dead {
            let (base, byte) = trie.node_at(slot);
            // All children of a node are in one block of 256 slots.
            let base = base.filter(|base| (base | 255) < dead as u32).unwrap_or(dead as u32);
            let worth = match trie.value_at(slot) {
                Trie::NO_VALUE => NOTHING,
                id => {
                    ids[slot] = id;
                    number(worth(id))
                }
            };
            nodes[slot] = node(base, byte, worth);
        }
        for byte in 0..=255u8 {
            nodes[dead + usize::from(byte)] = node(dead as u32, byte ^ 1, NOTHING);
        }
        let mut first = |at: usize, bytes: &[u8]| {
            let mut last = Some(0);
            for &byte in bytes {
                let base = last.map_or(dead as u32, |last: usize| nodes[last] as u32 >> 8);
                let slot = (base ^ u32::from(byte)) as usize;
                last = Some(slot).filter(|&slot| nodes[slot] as u8 == byte);
            }
            let (base, worth) = last
                .map_or((dead as u32, NOTHING), |last| (nodes[last] as u32 >> 8, (nodes[last] >> 32) as i32));
            ids[firsts + at] = last.map_or(unknown, |last| ids[last]);
            nodes[firsts + at] = node(base, 0, if worth == NOTHING { number(unknown_worth) } else { worth });
        };
        for byte in 0..=255u8 {
            first(byte.into(), &[byte]);
        }
        first(FIRSTS - 1, mark.as_bytes());
        Some(Steps { room, ids, firsts: firsts as u32, dead: dead as u32, step })
    }

    #[inline(always)]
    pub(super) fn nodes(&self) -> Nodes<'_> {
        Nodes { all: &self.room.words()[..self.ids.len()], firsts: self.firsts, dead: self.dead }
    }

    /// What sums are multiples of.
    pub(super) fn step(&self) -> f64 {
        self.step
    }

    /// The piece that the mark is, if it is one by itself; else what is unknown.
    pub(super) fn mark(&self) -> TokenId {
        self.ids[self.firsts as usize + FIRSTS - 1]
    }

    /// The piece that ends at a node.
    #[inline(always)]
    pub(super) fn id(&self, node: u32) -> TokenId {
        self.ids[node as usize]
    }

    /// More than what such a difference errs by for each character in front.
    pub fn slack_of_each(&self) -> f64 {
        2.0 * self.step
    }

    /// More than what the difference of two sums of a unit errs by, were they made of the scores themselves in 64 bits.
    pub fn slack(&self) -> f64 {
        self.step * (2 * STRIDE) as f64
    }
}

/// Buffers.
#[derive(Debug, Default)]
pub(crate) struct Together {
    grid: Grid,
    arrivals: [Arrivals; STRIDE],
    /// What is known of places; no sum is farther below zero than [`LEAST`].
    before: [Place; STRIDE],
    /// The lowest and the highest sum at boundaries of characters.
    lowest: Row,
    highest: Row,
}

/// The best arrival at a place.
#[derive(Debug, Clone, Copy, Default)]
struct Arrivals {
    sum: Row,
    /// Where it comes from.
    from: Row,
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

/// Less than one by more than what numbers of 32 bits err by.
const NEARLY_ONE: f32 = 1.0 - 1e-6;

/// Units to be solved.
struct Solving<'s, F> {
    together: &'s mut Together,
    steps: &'s Steps,
    units: &'s [Unit],
    each: F,
}

impl<F: FnMut(usize, &Best) -> Result<()>> Task for Solving<'_, F> {
    type Output = Result<()>;

    #[inline(always)]
    fn run<V: Vectors>(self, vectors: V) -> Result<()> {
        let Solving { together, steps, units, mut each } = self;
        for (batch, units) in units.chunks(TEXTS).enumerate() {
            let most = together.begin(vectors, units);
            vectors.walk(steps.nodes(), most, &mut together.grid);
            together.add_up(vectors, units, most);
            for (at, unit) in units.iter().enumerate() {
                each(batch * TEXTS + at, &together.best(steps, at, unit))?;
            }
        }
        Ok(())
    }
}

impl Together {
    /// Calls with the number of each unit and its best segmentation.
    pub fn solve(
        &mut self,
        steps: &Steps,
        units: &[Unit],
        each: impl FnMut(usize, &Best) -> Result<()>,
    ) -> Result<()> {
        self.solve_by(Level::best(), steps, units, each)
    }

    fn solve_by(
        &mut self,
        level: Level,
        steps: &Steps,
        units: &[Unit],
        each: impl FnMut(usize, &Best) -> Result<()>,
    ) -> Result<()> {
        level.run(Solving { together: self, steps, units, each })
    }

    /// Takes up to sixteen units, and returns the length of the longest.
    #[inline(always)]
    fn begin<V: Vectors>(&mut self, vectors: V, units: &[Unit]) -> usize {
        let mut texts = [[END; PLACES]; TEXTS];
        let Grid { text, begins, marks, .. } = &mut self.grid;
        (*begins, *marks) = ([0; TEXTS], [0; TEXTS]);
        let mut most = 0;
        for (at, unit) in units.iter().enumerate().take(TEXTS) {
            texts[at] = unit.bytes;
            begins[at] = unit.starts & !(1 << unit.length());
            marks[at] = unit.marks;
            most = most.max(unit.length());
        }
        *text = vectors.turned(&texts);
        most
    }

    /// Finds what arrives at all places.
    #[inline(always)]
    fn add_up<V: Vectors>(&mut self, vectors: V, units: &[Unit], most: usize) {
        let Together { grid, arrivals, before, lowest, highest } = self;
        let mut boundaries = [0u32; TEXTS];
        for (boundaries, unit) in boundaries.iter_mut().zip(units) {
            *boundaries = unit.starts.into();
        }
        (*lowest, *highest) = ([0; TEXTS], [0; TEXTS]);
        before[0] = Place { sum: [0; TEXTS], apart: [i32::MAX; TEXTS], apart_each: [f32::INFINITY; TEXTS] };
        let mut characters = [0; TEXTS];
        for end in 1..=most.min(STRIDE - 1) {
            let worth = grid.worth[end].as_chunks().0;
            let arrived = vectors.arrived(&before[..end], worth);
            let Arrived { best, second, from, apart, apart_each } = &arrived;
            let here = &mut before[end];
            for at in 0..TEXTS {
                characters[at] += (boundaries[at] >> (end - 1) & 1) as i32;
                // Nothing is worse than what is nothing behind the worst.
                let distance = best[at].max(NOTHING) - second[at].max(NOTHING + LEAST);
                let each = distance as f32 * NEARLY_ONE / characters[at] as f32;
                here.apart[at] = apart[at].min(distance);
                here.apart_each[at] = if each < apart_each[at] { each } else { apart_each[at] };
                here.sum[at] = best[at].max(LEAST);
            }
            for at in 0..TEXTS {
                let sum = best[at] & ((boundaries[at] >> end & 1) as i32).wrapping_neg();
                lowest[at] = lowest[at].min(sum);
                highest[at] = highest[at].max(sum);
            }
            arrivals[end] = Arrivals { sum: *best, from: *from };
        }
    }

    /// The best segmentation of a unit for which everything has arrived.
    #[inline(always)]
    fn best(&self, steps: &Steps, of: usize, unit: &Unit) -> Best {
        let (of, end) = (of % TEXTS, unit.length());
        // Both sides of zero, which is between them.
        let largest = self.highest[of].max(-self.lowest[of]);
        let mut best = Best {
            ids: [0; STRIDE],
            starts: [0; STRIDE],
            first: STRIDE,
            distance: f64::from(self.before[end].apart[of]) * steps.step,
            distance_per_character: f64::from(self.before[end].apart_each[of]) * steps.step,
            largest: f64::from(largest) * steps.step,
            sum: f64::from(self.arrivals[end].sum[of]) * steps.step,
        };
        let mut at = end;
        while at > 0 {
            let from = self.arrivals[at % STRIDE].from[of] as usize % STRIDE;
            best.first -= 1;
            best.starts[best.first % STRIDE] = from as u8;
            let node = self.grid.nodes[at % STRIDE][from * TEXTS + of];
            best.ids[best.first % STRIDE] = steps.id(node);
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

    /// How far from zero the best sums are at the boundaries within a text, and with that at its end.
    fn farthest(text: &str, pieces: &[(String, f64)]) -> (f64, f64) {
        let at_boundaries = text.char_indices().skip(1).map(|(at, _)| two_best(&text[..at], pieces)[0].abs());
        let inner = at_boundaries.fold(0.0, f64::max);
        (inner, inner.max(two_best(text, pieces)[0].abs()))
    }

    #[test]
    fn units_are_solved_as_one_by_one() {
        let mut random = Random::from_seed(3);
        let mut below = |bound: usize| (random.next_u64() % bound as u64) as usize;
        let letters = ["a", "b", "c", "é", "ж", "漢", "😀", "▁", "z"];
        let mut together = Together::default();
        let (mut certain, mut uncertain) = (0, 0);
        for (round, level) in
            (0..300).flat_map(|round| Level::all().into_iter().map(move |level| (round, level)))
        {
            let few = 2 + below(letters.len() - 2);
            let mut word = |letters: &[&str], most: usize| -> String {
                (0..1 + below(most)).map(|_| letters[below(few)]).collect()
            };
            let mut pieces = vec![("<unk>".to_owned(), 0.0)];
            for at in 0..40 {
                let piece = word(&letters, 5);
                if pieces.iter().all(|(known, _)| *known != piece) && piece.len() <= 12 {
                    // Sums that tie, nearly tie and do not.
                    let score = -[0.1, 0.2, 0.3, 1.7, 3.1 + 1e-9][at % 5] * (1 + at % 3) as f64;
                    // What a model is given may be better than nothing, too.
                    pieces.push((piece, if round % 3 == 2 { -score } else { score }));
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
                let (inner, all) = farthest(text, &pieces);
                let told = inner - steps.slack()..=all + steps.slack();
                assert!(told.contains(&best.largest), "{text} {} {told:?}", best.largest);
                let characters = text.chars().count() as f64;
                assert!(best.distance_per_character * characters * (1.0 + 1e-5) >= best.distance);
                assert!(best.distance_per_character * (1.0 - 1e-7) <= best.distance);
                let mut ids = Vec::new();
                let mut begins = Vec::new();
                // The mark in front is three bytes there, and one here.
                let shorter = text.len() - units[at].text().len();
                best_short_path(text, &trie, &scores, Some(0), 0.0, |start, _, id| {
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
            together.solve_by(level, &steps, &units, each).unwrap();
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
