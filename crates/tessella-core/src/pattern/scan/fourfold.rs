//! Running a [`Transducer`]: at four places of a text in turn.
//!
//! A step waits for the one before it, and all that time the processor has nothing else to do. So a section of the text
//! is entered at up to four places, of which three are proven starts, and the four take their steps in turn; each
//! stops where the next one began. What comes out is as if one had gone through all. Where no proven start is found
//! (a letter without end), one goes alone.
//!
//! A byte that begins no character is a symbol that changes nothing, so that a step is a byte, and no branch hangs on the
//! text.

use super::ahead::Marks;
use super::alphabet::Alphabet;
use super::transducer::{ADDED_BIT, APART, BEHIND_BIT, DROPPED, MOST_WAITING, RARE, STATE_BIT, Transducer};
use crate::lanes::Bounds;
use crate::lanes::ascii::BLOCK;
use crate::lanes::vectors::{Level, Task, Vectors};

/// Bytes that one lane goes through at a time.
const LANE: usize = 512;
const LANES: usize = 4;
/// Texts below so many bytes a lane are not worth entering in the middle.
const SHORT: usize = 64;
/// Ends that a lane may write: its bytes, those up to where the next one began, and what waited before.
const ROOM: usize = 2 * LANE;
const _: () = assert!(LANE + LANE / 2 + MOST_WAITING < ROOM);

/// The pieces of a text, which together cover it, some at a time.
#[derive(Debug)]
pub struct Fourfold<'t> {
    transducer: &'t Transducer,
    text: &'t [u8],
    /// Everything before it has been gone through.
    at: usize,
    state: u32,
    /// Ends of pieces, the first of which have been taken. Those that wait stand behind them.
    ends: Vec<u32>,
    taken: usize,
    known: usize,
    /// Ends that are certain and have not found their place yet, for one that waits stands before them.
    held: Vec<u32>,
    /// Classes of the section's bytes.
    classes: Vec<u8>,
    /// What look-aheads say of them.
    marks: Marks,
    /// What lanes write apart.
    apart: [Vec<u32>; LANES],
    room: Vec<[u32; ROOM]>,
}

/// One way through a part of the section.
#[derive(Debug, Clone, Copy, Default)]
struct Lane {
    /// Bytes of the section.
    from: usize,
    to: usize,
    state: u32,
    count: usize,
}

impl<'t> Fourfold<'t> {
    pub fn new(transducer: &'t Transducer, text: &'t str) -> Self {
        Fourfold {
            transducer,
            text: text.as_bytes(),
            at: 0,
            state: 0,
            ends: Vec::new(),
            taken: 0,
            known: 0,
            held: Vec::new(),
            classes: Vec::new(),
            marks: Marks::default(),
            apart: [const { Vec::new() }; LANES],
            room: Vec::new(),
        }
    }

    /// Adds the ends of pieces until there are many of them; false if these are the last of the text.
    pub fn fill(&mut self, level: Level, bounds: &mut Bounds) -> bool {
        loop {
            self.taken += bounds.push_some(&self.ends[self.taken..self.known]);
            let all_taken = self.taken == self.known;
            if all_taken && self.at == self.text.len() {
                return false;
            }
            if bounds.is_full() {
                return true;
            }
            self.section(level);
        }
    }

    /// Goes through the next section, all ends before which have been taken.
    fn section(&mut self, level: Level) {
        let Fourfold { transducer, text, at, .. } = *self;
        let length = (text.len() - at).min(LANES * LANE);
        self.classes.resize(length.next_multiple_of(BLOCK), 0);
        let classes = self.classes.as_chunks_mut().0;
        level.run(Classes { alphabet: &transducer.alphabet, text, at, classes });
        if let Some(ahead) = &transducer.ahead {
            ahead.mark(&transducer.alphabet, text, at, &mut self.classes[..length], &mut self.marks);
        }
        let mut lanes = [Lane::default(); LANES];
        let waiting = self.ends.len() - self.known;
        lanes[0] = Lane { from: 0, to: length, state: self.state, count: waiting };
        let mut used = 1;
        if length >= LANES * SHORT {
            while used < LANES {
                let place = length * used / LANES;
                let Some((start, state)) = self.proven_start(place, length / (2 * LANES)) else {
                    lanes[used - 1].to = place;
                    break;
                };
                lanes[used - 1].to = start + 1;
                lanes[used] = Lane { from: start + 1, to: length, state, count: 0 };
                used += 1;
            }
        }
        let Fourfold { classes, room, apart, .. } = self;
        if room.len() < used {
            room.resize(used, [0; ROOM]);
        }
        room[0][..waiting].copy_from_slice(&self.ends[self.known..]);
        let run = if transducer.rare { run::<true> } else { run::<false> };
        run(&transducer.rows, classes, at as u32, &mut lanes[..used], room, apart);
        self.ends.clear();
        self.taken = 0;
        for (lane, room) in lanes[..used].iter().zip(room.iter()) {
            self.ends.extend_from_slice(&room[..lane.count]);
        }
        for apart in &mut self.apart[..used] {
            self.held.append(apart);
        }
        let last = lanes[used - 1];
        self.at = at + last.to;
        self.state = last.state;
        let waiting = transducer.waiting(self.state);
        self.known = self.ends.len() - waiting;
        if self.at == text.len() {
            let is_true = transducer.at_end(self.state);
            let first = self.known;
            for place in 0..waiting {
                if is_true >> place & 1 == 1 {
                    self.ends.swap(self.known, first + place);
                    self.known += 1;
                }
            }
            self.ends.truncate(self.known);
            self.ends.push(text.len() as u32);
            self.known = self.ends.len();
        }
        if !self.held.is_empty() {
            self.settle();
        }
    }

    /// Puts ends that were written apart in their places, up to the first one that waits.
    #[cold]
    fn settle(&mut self) {
        let first = self.ends.get(self.known).copied().unwrap_or(u32::MAX);
        let settled = self.held.partition_point(|&end| end < first);
        let waiting = self.ends.split_off(self.known);
        self.ends.extend(self.held.drain(..settled));
        // Two lists in order, which this knows how to join.
        self.ends.sort();
        self.known = self.ends.len();
        self.ends.extend(waiting);
    }

    /// The first place from `from` on, within some bytes, where a piece ends for certain, and the state behind the character there.
    fn proven_start(&self, from: usize, within: usize) -> Option<(usize, u32)> {
        let inner = self.transducer.alphabet.inner();
        let mut before = None;
        for (at, &class) in self.classes[..from + within].iter().enumerate().skip(from) {
            if class == inner {
                continue;
            }
            if let Some(before) = before
                && let Some(state) = self.transducer.proven(before, class)
            {
                return Some((at, state));
            }
            before = Some(class);
        }
        None
    }
}

/// One step of a lane. The place is written always, and kept only if a piece ends there: no branch hangs on the text.
#[inline(always)]
fn step<const RARELY: bool>(
    rows: &[u32],
    class: u8,
    at: u32,
    state: &mut u32,
    count: &mut usize,
    room: &mut [u32; ROOM],
    apart: &mut Vec<u32>,
) {
    let entry = rows[*state as usize + usize::from(class)];
    *state = entry >> STATE_BIT;
    if RARELY && entry & RARE != 0 {
        rarely(entry, at, &mut room[..*count], apart);
    }
    *count -= (entry & DROPPED) as usize;
    room[*count % ROOM] = at;
    *count += (entry >> ADDED_BIT & 1) as usize;
}

/// Moves the ends that are kept behind those that are dropped into their place, and writes what is certain apart.
#[cold]
fn rarely(entry: u32, at: u32, ends: &mut [u32], apart: &mut Vec<u32>) {
    let behind = ends.len() - (entry >> BEHIND_BIT & DROPPED) as usize;
    ends.copy_within(behind.., behind - (entry & DROPPED) as usize);
    if entry & APART != 0 {
        apart.push(at);
    }
}

/// Goes through all lanes, in turn as long as there are four.
#[inline(never)]
fn run<const RARELY: bool>(
    rows: &[u32],
    classes: &[u8],
    base: u32,
    lanes: &mut [Lane],
    room: &mut [[u32; ROOM]],
    apart: &mut [Vec<u32>; LANES],
) {
    if let ([a, b, c, d], [room_a, room_b, room_c, room_d, ..]) = (&mut *lanes, &mut *room) {
        let together = [&*a, b, c, d].into_iter().map(|lane| lane.to - lane.from).min().unwrap_or(0);
        let [apart_a, apart_b, apart_c, apart_d] = &mut *apart;
        let of = |lane: &Lane| classes[lane.from..lane.from + together].iter();
        let places = |lane: &Lane| base + lane.from as u32;
        let (at_a, at_b, at_c, at_d) = (places(a), places(b), places(c), places(d));
        let (mut state_a, mut state_b, mut state_c, mut state_d) = (a.state, b.state, c.state, d.state);
        let (mut count_a, mut count_b, mut count_c, mut count_d) = (a.count, b.count, c.count, d.count);
        let all = of(a).zip(of(b)).zip(of(c)).zip(of(d));
        for (at, (((&class_a, &class_b), &class_c), &class_d)) in (0u32..).zip(all) {
            step::<RARELY>(rows, class_a, at_a + at, &mut state_a, &mut count_a, room_a, apart_a);
            step::<RARELY>(rows, class_b, at_b + at, &mut state_b, &mut count_b, room_b, apart_b);
            step::<RARELY>(rows, class_c, at_c + at, &mut state_c, &mut count_c, room_c, apart_c);
            step::<RARELY>(rows, class_d, at_d + at, &mut state_d, &mut count_d, room_d, apart_d);
        }
        for (lane, state, count) in
            [(a, state_a, count_a), (b, state_b, count_b), (c, state_c, count_c), (d, state_d, count_d)]
        {
            (lane.state, lane.count) = (state, count);
            lane.from += together;
        }
    }
    for ((lane, room), apart) in lanes.iter_mut().zip(room).zip(apart) {
        let (mut state, mut count) = (lane.state, lane.count);
        for (at, &class) in (lane.from..).zip(&classes[lane.from..lane.to]) {
            step::<RARELY>(rows, class, base + at as u32, &mut state, &mut count, room, apart);
        }
        (lane.state, lane.count) = (state, count);
    }
}

/// The classes of a section's bytes.
struct Classes<'c> {
    alphabet: &'c Alphabet,
    text: &'c [u8],
    at: usize,
    classes: &'c mut [[u8; BLOCK]],
}

impl Task for Classes<'_> {
    type Output = ();

    #[inline(always)]
    fn run<V: Vectors>(self, vectors: V) {
        let Classes { alphabet, text, mut at, classes } = self;
        let inside = alphabet.told_inside();
        for classes in classes {
            let mut rest = [0; BLOCK];
            let bytes = match text.get(at..).and_then(|text| text.first_chunk()) {
                Some(bytes) => bytes,
                None => {
                    let last = text.get(at..).unwrap_or_default();
                    rest[..last.len()].copy_from_slice(last);
                    &rest
                }
            };
            let firsts = vectors.looked_up(bytes, alphabet.ascii(), alphabet.inner(), classes);
            if firsts != 0 {
                wide(alphabet, text, at, firsts, classes);
            }
            if let Some(inside) = inside {
                tell_inside(inside, bytes, classes);
            }
            at += BLOCK;
        }
    }
}

/// Bytes inside of characters, where they are told apart.
#[inline(always)]
fn tell_inside(inside: &[u8; 64], bytes: &[u8; BLOCK], classes: &mut [u8; BLOCK]) {
    if bytes.is_ascii() {
        return;
    }
    for (class, &byte) in classes.iter_mut().zip(bytes) {
        *class = if byte & 0xC0 == 0x80 { inside[usize::from(byte & 63)] } else { *class };
    }
}

/// Characters beyond ASCII, by their first bytes.
#[inline(never)]
fn wide(alphabet: &Alphabet, text: &[u8], at: usize, mut firsts: u64, classes: &mut [u8; BLOCK]) {
    while firsts != 0 {
        let bit = firsts.trailing_zeros() as usize;
        firsts &= firsts - 1;
        classes[bit % BLOCK] = alphabet.of_wide(text, at + bit).0;
    }
}
