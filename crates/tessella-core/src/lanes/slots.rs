//! What pieces of up to 15 bytes became, in lines of the processor's cache: two slots of 32 bytes each.
//!
//! A slot is a [`Key`], up to five ids of 24 bits and their number; a line has both keys first, which are compared at once.
//! Longer results lie in a ring that forgets its oldest entries. A key whose line is full goes to the line beside it, and if both
//! are full one of their slots is given up; so whatever the text, memory and the length of a look-up are fixed; a text made to
//! collide costs misses.

use super::key::Key;
use super::vectors::{SECOND, Vectors, WRITTEN};
use crate::flat::{BYTES, LINE, Room, TwoSlots, make_room};
use crate::ids::TokenId;
use crate::scale::or_for_fuzzers;

/// Ids that fit in a slot.
pub const IN_PLACE: usize = 5;
/// Ids that most pieces have no more of: so many are written in half the time.
pub const FEW: usize = 4;
/// Ids must be below this.
pub const ID_BOUND: u32 = 1 << 24;
const _: () = assert!(IN_PLACE <= WRITTEN);

/// The top bit of a value that is more than [`FEW`] ids.
const MORE: u64 = 1 << 63;
/// The top byte of a value whose ids lie in the ring.
const RING: u64 = 0xFF;
/// Ids in the ring for each line.
const RING_IDS: usize = 4;
/// Ids of the longest result that is remembered: one for each byte of a key, and one for a mark in front of it.
pub const MOST_IDS: usize = super::key::LONGEST + 1;
/// Room behind the ring's end, so that as many ids can be read at once wherever they begin.
pub const RING_SPARE: usize = 16;
const _: () = assert!(MOST_IDS <= RING_SPARE);
/// So many ids ahead of the last one the ring is made longer while it was never full.
const RING_STEP: usize = 1 << 12;

/// Lines whose keys move together, no more than there are at first.
const MOVED: usize = or_for_fuzzers(16, 4);
/// The most lines that are near the processor: one megabyte.
const NEAR_LINES: usize = or_for_fuzzers(1 << 14, 1 << 3);
/// The most lines that are not many: four megabytes.
const MANY_LINES: usize = or_for_fuzzers(1 << 16, 1 << 4);

/// Up to five ids and their number, or where in the ring they are, as they lie in a slot; from the key on, which is half a line
/// before them.
#[derive(Debug, Clone, Copy)]
pub struct Value<'s>(&'s [[u64; 2]; 3]);

/// The first `count` of some ids. How many there are cannot be foreseen, so all are put together first.
#[inline(always)]
fn in_place(ids: &[TokenId; IN_PLACE], count: usize) -> [u64; 2] {
    let mut words = 0;
    for (at, &id) in ids.iter().enumerate() {
        words |= u128::from(id) << (24 * at);
    }
    words = words & ((1 << (24 * count)) - 1) | (count as u128) << 120;
    let more = if count > FEW { MORE } else { 0 };
    [words as u64, (words >> 64) as u64 | more]
}

fn in_ring(at: u64, count: usize) -> [u64; 2] {
    [at, RING << 56 | count as u64]
}

impl<'s> Value<'s> {
    /// Of the slot of a line that [`Vectors::slot_of`] has told.
    #[inline(always)]
    fn of(line: &'s TwoSlots, slot: u32) -> Self {
        const { assert!(SECOND.is_power_of_two()) };
        let from = ((slot & SECOND) / SECOND) as usize;
        let [first @ .., _] = line;
        Value(line[from..].first_chunk().unwrap_or(first))
    }

    /// How many ids there are, if they are few.
    #[inline(always)]
    pub fn few(self) -> Option<usize> {
        let word = self.0[2][1];
        (word & MORE == 0).then_some((word >> 56) as usize)
    }

    /// How many ids there are that are more, but in the slot.
    #[inline(always)]
    pub fn more(self) -> Option<usize> {
        let count = (self.0[2][1] & !MORE) >> 56;
        (count <= IN_PLACE as u64).then_some(count as usize)
    }

    /// The first four ids in place, rubbish behind those that there are.
    #[inline(always)]
    pub fn first_ids<V: Vectors>(self, vectors: V) -> [TokenId; FEW] {
        vectors.fours(&self.0[2])
    }

    /// The ids in place, with rubbish behind them.
    #[inline(always)]
    pub fn ids<V: Vectors>(self, vectors: V) -> [TokenId; WRITTEN] {
        vectors.fives(&self.0[2])
    }
}

/// Lines by their places, which are their distances from the first one in bytes: a loop over thousands of pieces has no
/// instruction for what a number of a line would have to be multiplied with.
#[derive(Debug, Clone, Copy)]
pub struct Lines<'s> {
    /// As many as a power of two.
    lines: &'s [TwoSlots],
    /// The bits that places have.
    mask: usize,
}

impl<'s> Lines<'s> {
    fn of(lines: &'s [TwoSlots]) -> Self {
        assert!(lines.len().is_power_of_two());
        Lines { lines, mask: (lines.len() - 1) * BYTES }
    }

    /// The place of a hash.
    #[inline(always)]
    pub fn place_of(self, hash: u64) -> usize {
        hash as usize & self.mask
    }

    /// The line at a place; of other numbers the bits that places have are taken.
    #[inline(always)]
    pub fn at(self, place: usize) -> &'s TwoSlots {
        // SAFETY: what is left of a number by the mask is a multiple of a line's bytes below all of theirs.
        #[allow(unsafe_code)]
        unsafe {
            &*self.lines.as_ptr().byte_add(place & self.mask)
        }
    }

    #[cfg(test)]
    pub fn len(self) -> usize {
        self.lines.len()
    }
}

fn lines_of(room: &mut Room) -> &mut [TwoSlots] {
    room.words_mut().as_chunks_mut::<2>().0.as_chunks_mut().0
}

/// A table of pieces, bounded.
#[derive(Debug)]
pub struct Slots {
    /// For few first lines alone, or for as many as there may be. Those behind the ones in use were never touched.
    room: Room,
    /// Lines in use, a power of two.
    lines: usize,
    /// Two to this power is how many lines there may be.
    most_log2: u32,
    /// As far as it was written to, and [`RING_SPARE`] more.
    ring: Vec<TokenId>,
    /// Ids that find room in it, a power of two.
    ring_size: usize,
    /// Ids written to the ring ever.
    written: u64,
    /// Which slot of full lines goes next.
    victim: usize,
    /// Slots that are taken.
    taken: usize,
    /// Keys that were given up for others.
    given_up: usize,
}

impl Slots {
    /// Lines as two to the first power, of which there may be as many as to the second.
    pub fn new(lines_log2: u32, most_log2: u32) -> Self {
        Slots::in_room(Room::in_parts(lines_log2), lines_log2, most_log2)
    }

    /// The same where it is known that the first lines will be filled, and more may be.
    pub fn to_be_filled(lines_log2: u32, most_log2: u32) -> Self {
        let mut room = Room::in_parts(most_log2);
        room.begin(0..1 << lines_log2);
        Slots::in_room(room, lines_log2, most_log2)
    }

    fn in_room(room: Room, lines_log2: u32, most_log2: u32) -> Self {
        Slots {
            room,
            lines: 1 << lines_log2,
            most_log2,
            ring: Vec::new(),
            ring_size: RING_IDS << most_log2,
            written: 0,
            victim: 0,
            taken: 0,
            given_up: 0,
        }
    }

    /// Bytes in use for so many lines.
    pub const fn memory(lines_log2: u32) -> usize {
        (BYTES + RING_IDS * size_of::<TokenId>()) << lines_log2
    }

    /// Whether there are so many keys that some find no room near their line, and more lines to be had. Already where few do,
    /// keys that come all the time push out one another: what is given up is as likely to come next as what takes its place.
    pub fn are_crowded(&self) -> bool {
        // Few lines fill further, since the one beside a full line is near as well, and twice as many are pages that a short text
        // waits for. So do many: what they would become is far from the processor, and long to clear.
        let fills_far = self.lines <= NEAR_LINES || self.lines > MANY_LINES;
        let most = if fills_far { self.lines * 5 / 4 } else { self.lines * 3 / 4 };
        let is_full = self.taken > most || self.given_up > self.lines / 32;
        is_full && self.lines < self.most_lines()
    }

    fn most_lines(&self) -> usize {
        1 << self.most_log2
    }

    /// Takes twice as many lines into use. All that is known moves, and the system clears what is new, once it has found it. A line
    /// is told by the low bits of a hash, so a key stays or goes to the same line of the other half.
    pub fn grow(&mut self, hash: impl Fn(Key) -> u64) {
        let before = self.lines;
        self.lines = (2 * before).min(self.most_lines());
        self.taken = 0;
        self.given_up = 0;
        let needs_room = self.lines * LINE > self.room.words().len();
        let mut first_lines =
            needs_room.then(|| std::mem::replace(&mut self.room, Room::in_parts(self.most_log2)));
        let new = if needs_room { 0 } else { before };
        self.room.begin(new..self.lines);
        // Which slots are taken cannot be foreseen, so those of many lines are looked through before any of them is moved.
        let mut moved = [([0; 2], [0; 2]); 2 * MOVED];
        for first in (0..before).step_by(MOVED) {
            let from = first_lines.as_mut().unwrap_or(&mut self.room);
            let Some(lines) = lines_of(from)[first..].first_chunk_mut::<MOVED>() else { break };
            let mut count = 0;
            for [first, second, values @ ..] in lines.iter() {
                for (key, value) in [first, second].into_iter().zip(values) {
                    moved[count] = (*key, *value);
                    count += usize::from(key[1] != 0);
                }
            }
            *lines = [TwoSlots::default(); MOVED];
            for &([low, high], value) in &moved[..count] {
                let key = Key { low, high };
                self.put_anew(self.lines().place_of(hash(key)), key, value);
            }
        }
    }

    /// Puts a key that is not there where it comes from lines that had room for it.
    #[inline(always)]
    fn put_anew(&mut self, place: usize, key: Key, value: [u64; 2]) {
        let lines = lines_of(&mut self.room);
        let taken = |[first, second, ..]: &TwoSlots| usize::from(first[1] != 0) + usize::from(second[1] != 0);
        // A key lies in its line or in the one beside it. Both of those lines together had as many slots as each of the two pairs that
        // they become, so that there is room.
        let mut line = place / BYTES;
        let mut slot = taken(&lines[line]);
        if slot == 2 {
            line ^= 1;
            slot = taken(&lines[line]) % 2;
        }
        let line = &mut lines[line];
        (line[slot], line[2 + slot]) = ([key.low, key.high], value);
        self.taken += 1;
    }

    /// Those in use.
    #[inline(always)]
    pub fn lines(&self) -> Lines<'_> {
        let lines = self.room.words().as_chunks::<2>().0.as_chunks().0;
        Lines::of(&lines[..self.lines])
    }

    /// The value of a key: in its line, or in the neighbour that takes what finds no room. Nobody asked for that one in
    /// time, so it is looked at only if the line is full; slots that were taken once stay so.
    #[inline(always)]
    pub fn probe<'s>(vectors: impl Vectors, lines: Lines<'s>, place: usize, key: &Key) -> Option<Value<'s>> {
        let own = lines.at(place);
        let slot = vectors.slot_of(own, key);
        if slot != 0 {
            return Some(Value::of(own, slot));
        }
        if own[0][1] == 0 || own[1][1] == 0 {
            return None;
        }
        let beside = lines.at(place ^ BYTES);
        let slot = vectors.slot_of(beside, key);
        (slot != 0).then(|| Value::of(beside, slot))
    }

    /// Remembers the first `count` of some ids, at most [`MOST_IDS`], behind which there may be rubbish; a key that is there gets the
    /// new ones.
    #[inline]
    pub fn insert(&mut self, place: usize, key: Key, ids: &[TokenId; RING_SPARE], count: usize) {
        debug_assert!(!key.is_long() && key.len() > 0, "only keys of pieces are remembered");
        debug_assert!(ids[..count].iter().all(|&id| id < ID_BOUND) && count <= MOST_IDS);
        let value = match ids.first_chunk() {
            Some(ids) if count <= IN_PLACE => in_place(ids, count),
            _ => in_ring(self.write_ring(&ids[..count]), count),
        };
        self.put(place, key, value);
    }

    fn put(&mut self, place: usize, key: Key, value: [u64; 2]) {
        let Slots { room, victim, taken, given_up, .. } = self;
        let (lines, line) = (lines_of(room), place / BYTES);
        // Which of two it is cannot be foreseen, so that both are looked at before one is taken. Most lines have room.
        let takes = |line: usize| {
            let takes = |[low, high]: [u64; 2]| (high == 0) | ((low ^ key.low) | (high ^ key.high) == 0);
            let [first, second, ..] = lines[line];
            let (first, second) = (takes(first), takes(second));
            (first | second).then_some((line, usize::from(!first)))
        };
        let (line, slot) = takes(line).or_else(|| takes(line ^ 1)).unwrap_or_else(|| {
            *given_up += 1;
            (line ^ (*victim / 2 % 2), *victim % 2)
        });
        *victim = victim.wrapping_add(1);
        let line = &mut lines[line];
        *taken += usize::from(line[slot][1] == 0);
        (line[slot], line[2 + slot]) = ([key.low, key.high], value);
    }

    /// Writes ids to the ring and returns how many there were before them.
    fn write_ring(&mut self, ids: &[TokenId]) -> u64 {
        let size = self.ring_size as u64;
        // No result goes around the end.
        if self.written % size + ids.len() as u64 > size {
            self.written = self.written.next_multiple_of(size);
        }
        let at = self.written;
        let place = (at % size) as usize;
        let end = place + ids.len();
        if self.ring.len() < end + RING_SPARE {
            let length = (end + RING_STEP).min(self.ring_size) + RING_SPARE;
            let more = length - self.ring.len();
            make_room(&mut self.ring, more, self.ring_size + RING_SPARE);
            self.ring.resize(length, 0);
        }
        self.ring[place..end].copy_from_slice(ids);
        self.written += ids.len() as u64;
        at
    }

    /// The ids of a value that lie in the ring, with rubbish behind them, and their number; nothing if the ring has
    /// forgotten them. By itself, so that those who mostly need it not have the processor's registers for what they need.
    #[inline(never)]
    pub fn in_ring(&self, value: Value<'_>) -> Option<(&[TokenId; RING_SPARE], usize)> {
        let [at, high] = value.0[2];
        // There is a power of two of them.
        let place = at as usize & (self.ring_size - 1);
        let ids = self.ring.get(place..)?.first_chunk()?;
        self.remembers(at).then_some((ids, (high & 0xFF) as usize))
    }

    /// Whether the ring still has the ids that were written to it after so many.
    fn remembers(&self, at: u64) -> bool {
        self.written - at <= self.ring_size as u64
    }
}

#[cfg(test)]
mod tests {
    use super::super::vectors::Plain;
    use super::*;
    use crate::random::Random;

    #[test]
    fn whatever_the_place_a_line_is_there() {
        let mut random = Random::from_seed(12);
        for log2 in 0..6 {
            let lines: Vec<TwoSlots> = (0..1u64 << log2).map(|line| [[line; 2]; 4]).collect();
            let by_place = Lines::of(&lines);
            for number in (0..100).map(|_| random.next_u64()).chain([0, u64::MAX]) {
                let line = number as usize / BYTES % lines.len();
                assert_eq!(by_place.place_of(number), line * BYTES);
                assert!(std::ptr::eq(by_place.at(number as usize), &lines[line]));
            }
        }
    }

    #[test]
    fn lines_fill_further_where_they_are_few_or_many() {
        const MOST: u32 = (8 * MANY_LINES).ilog2();
        for lines in [1, NEAR_LINES, 2 * NEAR_LINES, MANY_LINES, 2 * MANY_LINES, 8 * MANY_LINES] {
            // None of them is looked at.
            let mut slots = Slots { lines, ..Slots::new(0, MOST) };
            let has_most = lines == 8 * MANY_LINES;
            let is_between = (2 * NEAR_LINES..=MANY_LINES).contains(&lines);
            let most = if is_between { lines / 4 * 3 } else { lines * 5 / 4 };
            for (taken, expected) in [(0, false), (most, false), (most + 1, !has_most)] {
                slots.taken = taken;
                assert_eq!(slots.are_crowded(), expected, "{taken} of {lines} lines");
            }
            (slots.taken, slots.given_up) = (0, lines / 32 + 1);
            assert_eq!(slots.are_crowded(), !has_most);
        }
    }

    /// From the first lines to two megabytes of them, and on: what is known before they grow is known behind it.
    #[test]
    fn what_is_known_stays_known() {
        const FIRST: u32 = or_for_fuzzers(10, 2) as u32;
        const MOST: u32 = or_for_fuzzers(17, 5) as u32;
        let mut random = Random::from_seed(11);
        for mut slots in [Slots::new(FIRST, MOST), Slots::to_be_filled(FIRST, MOST)] {
            let seed = [random.next_u64(), random.next_u64()];
            let hash = |key: Key| key.hash(seed);
            let mut known: Vec<(Key, Vec<TokenId>)> = Vec::new();
            let found = |slots: &Slots, key: Key| {
                let value = Slots::probe(Plain, slots.lines(), slots.lines().place_of(hash(key)), &key)?;
                match (value.few(), value.more()) {
                    (Some(count), _) => Some(value.first_ids(Plain)[..count].to_vec()),
                    (None, Some(count)) => Some(value.ids(Plain)[..count].to_vec()),
                    _ => slots.in_ring(value).map(|(ids, count)| ids[..count].to_vec()),
                }
            };
            let mut lines = vec![slots.lines().len()];
            while lines.len() < 3 {
                let bytes = (random.next_u64() % 1_000_000).to_string();
                let ids: Vec<TokenId> =
                    (0..1 + random.next_u64() % 9).map(|_| random.next_u64() as TokenId % ID_BOUND).collect();
                let key = Key::of(bytes.as_bytes());
                let mut with_rubbish = [random.next_u64() as TokenId; RING_SPARE];
                with_rubbish[..ids.len()].copy_from_slice(&ids);
                slots.insert(slots.lines().place_of(hash(key)), key, &with_rubbish, ids.len());
                known.push((Key::of(bytes.as_bytes()), ids));
                if slots.are_crowded() {
                    let before: Vec<_> = known.iter().map(|(key, _)| found(&slots, *key)).collect();
                    assert!(before.iter().filter(|ids| ids.is_some()).count() > known.len() / 20 * 19);
                    slots.grow(hash);
                    lines.push(slots.lines().len());
                    for ((key, _), ids) in known.iter().zip(before) {
                        assert_eq!(found(&slots, *key), ids);
                    }
                }
            }
            // Of equal keys the last one counts.
            let last: std::collections::HashMap<[u64; 2], _> =
                known.iter().map(|(key, ids)| ([key.low, key.high], ids)).collect();
            assert!(known.iter().all(|(key, _)| {
                found(&slots, *key).is_none_or(|ids| ids == *last[&[key.low, key.high]])
            }));
            assert_eq!(lines, [1 << FIRST, 2 << FIRST, 4 << FIRST]);
        }
    }
}
