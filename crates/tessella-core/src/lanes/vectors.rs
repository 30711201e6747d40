//! The vectors of the processor at hand: code that is compiled once for each kind, and the best kind chosen once.
//!
//! A [`Task`] is written over [`Vectors`], and [`Level::run`] runs it as the processor can: with 64-byte vectors
//! (AVX-512), with 32-byte ones (AVX2), with 16-byte ones of ARM (NEON), or without any, which is also the slow twin.
//! All give the same bits, and tests compare them. `TESSELLA_VECTORS` asks for less than there is: `avx2` or `plain`.

use std::sync::OnceLock;

use super::ascii::{Ascii, BLOCK, Cases};
use super::characters::{Kinds, Sets};
use super::ends::{self, BEHIND, Before, MANY, Sixteen};
use super::fold::{FOLDED, TOGETHER, folded_one_by_one};
use super::kept::{self, Unknown};
use super::key::Key;
use super::leads::{Leads, Led};
#[cfg(target_arch = "aarch64")]
use super::neon::Neon;
use super::pairs::{PairHash, Symbol};
use super::rows::{Group, Joined, LANES, Row, join_rows_one_by_one};
use super::symbols::Ids;
use super::told::{self, Told};
use super::unfold::{Unfolded, unfolded_one_by_one};
use super::walk::{self, Arrived, Grid, Nodes};
#[cfg(target_arch = "x86_64")]
use super::x86::Avx512;
#[cfg(target_arch = "x86_64")]
use super::x86_avx2::Avx2;
use crate::flat::TwoSlots;
use crate::ids::TokenId;

/// Ids that are written at once; those behind the last one are rubbish.
pub const WRITTEN: usize = 8;

/// Which slot of a line has a key: the first one, or the second.
pub const FIRST: u32 = 1;
pub const SECOND: u32 = 1 << 2;

/// The slot by which words of both keys are those of a key, one bit each.
#[inline(always)]
pub fn slot_by_words(words: u32) -> u32 {
    words & words >> 1 & (FIRST | SECOND)
}

pub use super::rows::PLACE_BITS;

/// What is done with vectors.
pub trait Vectors: Copy {
    /// Runs a task by itself, not as a part of who asks for it: a loop that is walked most of the time has the processor's
    /// registers to itself.
    fn apart<T: Task>(self, task: T) -> T::Output;

    /// What the bytes of a block are.
    fn ascii(self, bytes: &[u8; BLOCK]) -> Ascii;

    /// Upper-case letters and slashes of a block.
    #[inline(always)]
    fn cases(self, bytes: &[u8; BLOCK]) -> Cases {
        Cases::of(bytes)
    }

    /// What the characters of a block are that begin at some of its bytes, all of them beyond ASCII. `look_up` tells of one whose
    /// first byte does not tell.
    #[inline(always)]
    fn led(self, bytes: &[u8; BLOCK], firsts: u64, leads: &Leads, look_up: impl Fn(usize) -> u8) -> Led {
        Led::one_by_one(bytes, firsts, leads, look_up)
    }

    /// Writes what a table says of each byte of a block that is an ASCII character, and `inner` for each byte of others.
    /// Returns the first bytes of these.
    #[inline(always)]
    fn looked_up(self, bytes: &[u8; BLOCK], table: &[u8; 128], inner: u8, out: &mut [u8; BLOCK]) -> u64 {
        looked_up_one_by_one(bytes, table, inner, out)
    }

    /// Whether that takes fewer instructions than there are bytes, and whether it takes a few.
    const LOOKS_UP: bool = false;
    const LOOKS_UP_AT_ONCE: bool = false;

    /// Which bytes of two blocks have a bit in common.
    #[inline(always)]
    fn share(self, one: &[u8; BLOCK], two: &[u8; BLOCK]) -> u64 {
        share_one_by_one(one, two)
    }

    /// Which bytes of a block are of two sets of ASCII characters, and which are beyond ASCII.
    fn kinds(self, bytes: &[u8; BLOCK], sets: &Sets) -> Kinds;

    /// Writes `base` plus the place of every set bit, in order. What comes behind them is rubbish.
    #[inline(always)]
    fn places(self, bits: u64, base: u32, out: &mut [u32; BLOCK]) {
        places_by_bits(bits, base, out);
    }

    /// Writes the bytes of a block whose bit is set, in order. What comes behind them is rubbish.
    #[inline(always)]
    fn kept(self, bytes: &[u8; BLOCK], bits: u64, out: &mut [u8; BLOCK]) {
        kept::bytes_one_by_one(bytes, bits, out);
    }

    /// Whether the four that follow take a few instructions each.
    const TELLS: bool = false;

    /// What becomes of the characters of a block, of what is known of them and the one behind them.
    #[inline(always)]
    fn told(self, known: &[u16; BLOCK + 1]) -> Told {
        told::told_one_by_one(known)
    }

    /// The lowest bits, each at the place of one of `over`, in order.
    #[inline(always)]
    fn spread(self, bits: u64, over: u64) -> u64 {
        told::spread_one_by_one(bits, over)
    }

    /// The bits that are not at some places, closed up.
    #[inline(always)]
    fn without(self, bits: u64, places: u64) -> u64 {
        told::without_one_by_one(bits, places)
    }

    /// Puts a byte where a bit is set.
    #[inline(always)]
    fn put(self, bytes: &mut [u8; BLOCK], bits: u64, byte: u8) {
        told::put_one_by_one(bytes, bits, byte);
    }

    /// Writes the numbers below a bound, in order, and says how many. What comes behind them is rubbish.
    #[inline(always)]
    fn below(self, numbers: &[u32; kept::MANY], bound: u32, out: &mut [u32; kept::MANY]) -> usize {
        kept::below_one_by_one(numbers, bound, out)
    }

    /// Writes the first `count` of some numbers, with a single id for each row of unknown ones, and says how many these are. What
    /// comes behind them is rubbish. `row` says whether such a row goes on: here, and then behind them.
    #[inline(always)]
    fn rows(
        self,
        numbers: &[u32; kept::MANY],
        count: usize,
        unknown: Unknown,
        row: &mut bool,
        out: &mut [u32; kept::MANY],
    ) -> usize {
        kept::rows_one_by_one(numbers, count, unknown, row, out)
    }

    /// Five numbers of 24 bits, as they stand one after the other in two words; then rubbish.
    #[inline(always)]
    fn fives(self, &[low, high]: &[u64; 2]) -> [TokenId; WRITTEN] {
        let id = |word: u64| word as TokenId & 0xFF_FFFF;
        [id(low), id(low >> 24), id(low >> 48 | high << 16), id(high >> 8), id(high >> 32), 0, 0, 0]
    }

    /// The first four of them.
    #[inline(always)]
    fn fours(self, words: &[u64; 2]) -> [TokenId; 4] {
        let [first, second, third, fourth, ..] = self.fives(words);
        [first, second, third, fourth]
    }

    /// Which of two slots has a key, [`FIRST`] or [`SECOND`]; 0 for neither. One number, for a branch that hangs on which of them
    /// it is would be guessed.
    #[inline(always)]
    fn slot_of(self, line: &TwoSlots, key: &Key) -> u32 {
        let is = |[low, high]: [u64; 2]| u32::from((low ^ key.low) | (high ^ key.high) == 0);
        (is(line[0]) * FIRST) | (is(line[1]) * SECOND)
    }

    /// The lowest number, with its place in the lowest [`PLACE_BITS`]; the first place of equal ones. There are 16,
    /// 32, 48 or 64 numbers, of up to 26 bits.
    #[inline(always)]
    fn lowest<const N: usize>(self, numbers: &[u32; N]) -> u32 {
        lowest_one_by_one(numbers)
    }

    /// Whether the three that follow do anything.
    const SIXTEENS: bool = false;

    /// Writes the symbols of the bytes of up to sixteen pieces, as many of each as its length says, and what each and the one
    /// below it become, in so many rows. All first bytes come first.
    fn begin_group<const N: usize>(
        self,
        _group: &mut Group<N>,
        _of_byte: &[Symbol; 256],
        _of_two: &[Symbol; 1 << 16],
        _pieces: (&[[u8; LANES]; N], &[u32; LANES], usize),
    ) {
    }

    /// Writes the symbols of up to sixteen pieces, as many of each as its length says, and what each and the one below it become, in so
    /// many rows. Each piece begins at its place among `symbols`. The pairs may be gathered.
    fn begin_symbols<const N: usize>(
        self,
        _group: &mut Group<N>,
        _pairs: &PairHash,
        _symbols: &[Symbol],
        _pieces: (&[u32; LANES], &[u32; LANES], usize),
    ) {
    }

    /// Makes all merges of two groups, and puts ids in the place of symbols. The pairs may be gathered.
    fn merge_groups<const N: usize>(self, _groups: &mut [Group<N>; 2], _pairs: &PairHash, _ids: &Ids) {}

    /// The characters that a block of UTF-8 begins with, up to the first that takes four bytes, is none, or ends in the
    /// next block. None need be written where the block has something that is no character.
    #[inline(always)]
    fn unfolded(self, bytes: &[u8; BLOCK], out: &mut [u16; BLOCK]) -> Unfolded {
        unfolded_one_by_one(bytes, out)
    }

    /// The UTF-8 of characters, with rubbish behind it, and its length; `None` if one of them is none.
    #[inline(always)]
    fn folded(self, characters: &[u32; TOGETHER], out: &mut [u8; FOLDED]) -> Option<usize> {
        folded_one_by_one(characters, out)
    }

    /// Where sixteen tokens stand whose words have these bounds, the first of them `at` bytes within the first word.
    #[inline(always)]
    fn abreast(
        self,
        numbers: &[u32; MANY],
        starts: &[u32; MANY],
        ends: &[u32; MANY],
        at: u32,
        out: &mut Sixteen,
    ) -> Before {
        ends::one_by_one(numbers, starts, ends, at, out)
    }

    /// What sixteen places of a table of sixteen hold.
    #[inline(always)]
    fn taken(self, table: &[u32; MANY], places: &[u32; MANY]) -> [u32; MANY] {
        places.map(|place| table[place as usize % MANY])
    }

    /// Whether the four that follow take fewer instructions than there are lanes.
    const GATHERS: bool = false;

    /// What stands at sixteen places of a table of bytes that has [`BEHIND`] more; 0 behind its end.
    #[inline(always)]
    fn bytes_at(self, table: &[u8], places: &[u32; MANY]) -> [u32; MANY] {
        let all = table.len().saturating_sub(BEHIND);
        places.map(|place| table[..all].get(place as usize).copied().unwrap_or(0).into())
    }

    /// The same of a table of numbers.
    #[inline(always)]
    fn numbers_at(self, table: &[u32], places: &[u32; MANY]) -> [u32; MANY] {
        places.map(|place| table.get(place as usize).copied().unwrap_or(0))
    }

    /// Of each number the sum of all up to it.
    #[inline(always)]
    fn sums(self, numbers: &[u32; MANY]) -> [u32; MANY] {
        let mut sum = 0u32;
        numbers.map(|number| {
            sum = sum.wrapping_add(number);
            sum
        })
    }

    /// Finds all pieces of a trie in some texts, of which the longest has `most` bytes.
    #[inline(always)]
    fn walk(self, nodes: Nodes<'_>, most: usize, grid: &mut Grid) {
        walk::walk_one_by_one(nodes, most, grid);
    }

    /// Takes the best of what arrives from some begins, in order; of equals the first.
    #[inline(always)]
    fn arrived(self, before: &[walk::Place], worth: &[walk::Row]) -> Arrived {
        walk::arrived_one_by_one(before, worth)
    }

    /// Texts column by column: their first bytes, then their second ones.
    #[inline(always)]
    fn turned(self, texts: &[[u8; walk::PLACES]; walk::TEXTS]) -> [[u8; walk::TEXTS]; walk::PLACES] {
        walk::turned_one_by_one(texts)
    }

    /// Makes two neighbours one in each of sixteen pieces.
    #[inline(always)]
    fn join_rows(self, symbols: &mut [Row], ranks: &mut [Row], none: Symbol) -> Joined {
        join_rows_one_by_one(symbols, ranks, none)
    }

    /// Makes two neighbours one: those behind them move up, and `last` comes in at the end.
    #[inline(always)]
    fn join<const N: usize>(self, numbers: &mut [u32; N], at: usize, joined: u32, last: u32) {
        join_one_by_one(numbers, at, joined, last);
    }
}

/// Something to be done with the vectors of a level.
pub trait Task {
    type Output;

    /// Every implementation is to be `#[inline(always)]`, and what it calls in its loops as well: only what is
    /// inlined is compiled for the level.
    fn run<V: Vectors>(self, vectors: V) -> Self::Output;
}

/// A kind of vectors that this processor has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Level(Kind);

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Plain,
    #[cfg(target_arch = "aarch64")]
    Neon,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

impl Level {
    /// The best that there is, unless the environment asks for less.
    pub fn best() -> Level {
        static BEST: OnceLock<Level> = OnceLock::new();
        *BEST.get_or_init(|| {
            let wanted = std::env::var("TESSELLA_VECTORS").unwrap_or_default();
            let all = Self::all();
            let named = all.iter().find(|level| level.name() == wanted);
            named.or(all.last()).copied().unwrap_or(Level(Kind::Plain))
        })
    }

    /// All that this processor has, the plain one first.
    pub fn all() -> Vec<Level> {
        #[allow(unused_mut)]
        let mut all = vec![Level(Kind::Plain)];
        #[cfg(target_arch = "aarch64")]
        all.push(Level(Kind::Neon));
        #[cfg(target_arch = "x86_64")]
        {
            if super::x86_avx2::has_avx2() {
                all.push(Level(Kind::Avx2));
                if super::x86::has_avx512() {
                    all.push(Level(Kind::Avx512));
                }
            }
        }
        all
    }

    pub fn name(self) -> &'static str {
        match self.0 {
            Kind::Plain => "plain",
            #[cfg(target_arch = "aarch64")]
            Kind::Neon => "neon",
            #[cfg(target_arch = "x86_64")]
            Kind::Avx2 => "avx2",
            #[cfg(target_arch = "x86_64")]
            Kind::Avx512 => "avx512",
        }
    }

    /// Whether these vectors read UTF-8 faster than it is read one character after the other.
    pub fn unfolds(self) -> bool {
        #[cfg(target_arch = "x86_64")]
        if self.0 == Kind::Avx512 {
            return true;
        }
        false
    }

    #[inline]
    pub fn run<T: Task>(self, task: T) -> T::Output {
        match self.0 {
            Kind::Plain => task.run(Plain),
            #[cfg(target_arch = "aarch64")]
            Kind::Neon => Neon::run(task),
            // A level is made only where the processor has its vectors.
            #[cfg(target_arch = "x86_64")]
            Kind::Avx2 => Avx2::run(task),
            #[cfg(target_arch = "x86_64")]
            Kind::Avx512 => Avx512::run(task),
        }
    }
}

/// What every processor has.
#[derive(Debug, Clone, Copy)]
pub struct Plain;

impl Vectors for Plain {
    #[inline(never)]
    fn apart<T: Task>(self, task: T) -> T::Output {
        task.run(self)
    }

    #[inline(always)]
    fn ascii(self, bytes: &[u8; BLOCK]) -> Ascii {
        Ascii::of(bytes)
    }

    #[inline(always)]
    fn kinds(self, bytes: &[u8; BLOCK], sets: &Sets) -> Kinds {
        let mut found = Kinds::default();
        for (at, &byte) in bytes.iter().enumerate() {
            let bit = |set: bool| u64::from(set) << at;
            found.word |= bit(Sets::has(&sets.word, byte));
            found.alone |= bit(Sets::has(&sets.alone, byte));
            found.inner |= bit(byte & 0xC0 == 0x80);
            found.high |= bit(byte >= 0x80);
        }
        found
    }
}

/// Compilers turn it, and the next one, into vectors.
#[inline(always)]
fn lowest_one_by_one<const N: usize>(numbers: &[u32; N]) -> u32 {
    let mut lowest = u32::MAX;
    for (at, &number) in numbers.iter().enumerate() {
        lowest = lowest.min(number << PLACE_BITS | at as u32);
    }
    lowest
}

#[inline(always)]
fn join_one_by_one<const N: usize>(numbers: &mut [u32; N], at: usize, joined: u32, last: u32) {
    for place in 0..N {
        let behind = if place + 1 < N { numbers[place + 1] } else { last };
        let moved = if place == at { joined } else { behind };
        numbers[place] = if place >= at { moved } else { numbers[place] };
    }
}

#[inline(always)]
fn looked_up_one_by_one(bytes: &[u8; BLOCK], table: &[u8; 128], inner: u8, out: &mut [u8; BLOCK]) -> u64 {
    let mut high = 0;
    for (out, &byte) in out.iter_mut().zip(bytes) {
        *out = table[usize::from(byte & 127)];
        high |= byte;
    }
    let mut firsts = 0;
    if high >= 128 {
        for (at, (out, &byte)) in out.iter_mut().zip(bytes).enumerate() {
            if byte >= 128 {
                *out = inner;
                firsts |= u64::from(byte >= 0xC0) << at;
            }
        }
    }
    firsts
}

#[inline(always)]
fn share_one_by_one(one: &[u8; BLOCK], two: &[u8; BLOCK]) -> u64 {
    let both = one.iter().zip(two).enumerate();
    both.fold(0, |found, (at, (one, two))| found | u64::from(one & two != 0) << at)
}

/// Eight places at a time, so that the loop ends by their number and not by each bit.
#[inline(always)]
fn places_by_bits(mut bits: u64, base: u32, out: &mut [u32; BLOCK]) {
    let groups = (bits.count_ones() as usize).div_ceil(8);
    for group in out.as_chunks_mut::<8>().0.iter_mut().take(groups) {
        for place in group {
            *place = base.wrapping_add(bits.trailing_zeros());
            bits &= bits.wrapping_sub(1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::leads::MIXED;
    use super::*;
    use crate::random::Random;
    use crate::scale::or_interpreted;

    struct Ask {
        bytes: [u8; BLOCK],
        bits: u64,
        words: [u64; 2],
        sets: Sets,
        leads: Leads,
    }

    impl Task for &Ask {
        type Output = (Ascii, Kinds, Vec<u32>, Vec<TokenId>, [u8; BLOCK], [u64; 2], Cases, Led);

        #[inline(always)]
        fn run<V: Vectors>(self, vectors: V) -> Self::Output {
            let mut places = [0; BLOCK];
            vectors.places(self.bits, 1000, &mut places);
            let count = self.bits.count_ones() as usize;
            let ids = vectors.fives(&self.words);
            let kinds = vectors.kinds(&self.bytes, &self.sets);
            let table = std::array::from_fn(|at| (at as u8).wrapping_mul(3));
            let mut looked_up = [0; BLOCK];
            let firsts = vectors.looked_up(&self.bytes, &table, 201, &mut looked_up);
            (
                vectors.ascii(&self.bytes),
                kinds,
                places[..count].to_vec(),
                [&vectors.fours(&self.words)[..], &ids[..5]].concat(),
                looked_up,
                [firsts, vectors.share(&self.bytes, &looked_up)],
                vectors.cases(&self.bytes),
                vectors.led(&self.bytes, self.bits, &self.leads, |at| self.bytes[at] & 7),
            )
        }
    }

    #[test]
    fn all_vectors_see_the_same() {
        let mut random = Random::from_seed(4);
        for shift in (0..1024u32).step_by(or_interpreted(1, 127)) {
            let few = random.next_u64() & random.next_u64() & random.next_u64();
            let bits = [few, random.next_u64(), !few, 0, !0, 1 << 63, 1][shift as usize % 7];
            let in_order = std::array::from_fn(|at| (at as u32 + shift) as u8);
            let mixed = std::array::from_fn(|_| random.next_u64() as u8);
            for bytes in [in_order, mixed] {
                let mut set = || std::array::from_fn(|_| random.next_u64() as u8);
                let sets = Sets { word: set(), alone: set() };
                let leads = std::array::from_fn(|_| match random.next_u64() as u8 {
                    128.. => MIXED,
                    role => role,
                });
                let ask = Ask { bytes, bits, words: [random.next_u64(), random.next_u64()], sets, leads };
                let expected = (&ask).run(Plain);
                let wanted: Vec<u32> = (0..64).filter(|at| bits >> at & 1 == 1).map(|at| 1000 + at).collect();
                assert_eq!(expected.2, wanted);
                for level in Level::all() {
                    assert_eq!(level.run(&ask), expected, "{}", level.name());
                }
            }
        }
    }

    struct Characters {
        known: [u16; BLOCK + 1],
        bits: u64,
        over: u64,
    }

    impl Task for &Characters {
        type Output = (Told, u64, [u8; BLOCK]);

        #[inline(always)]
        fn run<V: Vectors>(self, vectors: V) -> Self::Output {
            let mut bytes = std::array::from_fn(|at| at as u8);
            vectors.put(&mut bytes, self.bits, 200);
            (vectors.told(&self.known), vectors.spread(self.bits, self.over), bytes)
        }
    }

    #[test]
    fn all_vectors_tell_the_same_of_characters() {
        let mut random = Random::from_seed(12);
        for round in (0..2000).step_by(or_interpreted(1, 101)) {
            let few = random.next_u64() & random.next_u64() & random.next_u64();
            let bits = [few, random.next_u64(), !few, 0, !0, 1 << 63, 1];
            let known = std::array::from_fn(|_| random.next_u64() as u16);
            let ask = Characters { known, bits: bits[round % 7], over: bits[round / 7 % 7] };
            let expected = (&ask).run(Plain);
            let places: Vec<u32> = (0..64).filter(|at| ask.over >> at & 1 == 1).collect();
            let set = places.iter().enumerate().filter(|(number, _)| ask.bits >> number & 1 == 1);
            assert_eq!(expected.1, set.fold(0, |set, (_, place)| set | 1 << place));
            for level in Level::all() {
                assert_eq!(level.run(&ask), expected, "{}", level.name());
            }
        }
    }

    struct Keep {
        bytes: [u8; BLOCK],
        bits: u64,
        numbers: [u32; kept::MANY],
        count: usize,
        row: bool,
    }

    impl Task for &Keep {
        type Output = (Vec<u8>, Vec<u32>, Vec<u32>, bool);

        #[inline(always)]
        fn run<V: Vectors>(self, vectors: V) -> Self::Output {
            let (mut kept, mut below, mut rows, mut row) = ([9; BLOCK], [9; _], [9; _], self.row);
            vectors.kept(&self.bytes, self.bits, &mut kept);
            let count = vectors.below(&self.numbers, 7, &mut below);
            let unknown = Unknown { id: 2, from: 6 };
            let rest = vectors.rows(&self.numbers, self.count, unknown, &mut row, &mut rows);
            (
                kept[..self.bits.count_ones() as usize].to_vec(),
                below[..count].to_vec(),
                rows[..rest].to_vec(),
                row,
            )
        }
    }

    #[test]
    fn what_is_kept_stays_in_order() {
        let mut random = Random::from_seed(9);
        for round in (0..2000).step_by(or_interpreted(1, 101)) {
            let few = random.next_u64() & random.next_u64() & random.next_u64();
            let bits = [few, random.next_u64(), !few, 0, !0, 1 << 63, 1][round % 7];
            let bytes = std::array::from_fn(|_| random.next_u64() as u8);
            let numbers = std::array::from_fn(|_| (random.next_u64() % [10, 4][round % 2]) as u32);
            let (count, row) = (round % (kept::MANY + 1), round % 3 == 0);
            let keep = Keep { bytes, bits, numbers, count, row };
            let mut rows = Vec::new();
            let mut goes_on = row;
            for &number in &numbers[..count] {
                let is_unknown = number == 2 || number >= 6;
                if !(is_unknown && goes_on) {
                    rows.push(if is_unknown { 2 } else { number });
                }
                goes_on = is_unknown;
            }
            let kept: Vec<u8> = (0..BLOCK).filter(|at| bits >> at & 1 == 1).map(|at| bytes[at]).collect();
            let below = numbers.into_iter().filter(|&number| number < 7).collect();
            let expected = (kept, below, rows, goes_on);
            for level in Level::all() {
                assert_eq!(level.run(&keep), expected, "{}", level.name());
            }
        }
    }

    struct Find {
        line: TwoSlots,
        key: Key,
    }

    impl Task for &Find {
        type Output = u32;

        #[inline(always)]
        fn run<V: Vectors>(self, vectors: V) -> u32 {
            assert_eq!(vectors.apart(self.key.len()), self.key.len());
            vectors.slot_of(&self.line, &self.key)
        }
    }

    impl Task for usize {
        type Output = usize;

        #[inline(always)]
        fn run<V: Vectors>(self, _: V) -> usize {
            self
        }
    }

    #[test]
    fn a_slot_is_told_by_both_words_of_its_key() {
        let key = Key::of("a piece".as_bytes());
        let own = [key.low, key.high];
        let all = [own, [key.low, 0], [0, key.high], [key.high, key.low], [0, 0]];
        for first in all {
            for second in all {
                // What stands behind keys says nothing.
                let find = Find { line: [first, second, own, own], key };
                let expected = (u32::from(first == own) * FIRST) | (u32::from(second == own) * SECOND);
                for level in Level::all() {
                    assert_eq!(level.run(&find), expected, "{}", level.name());
                }
            }
        }
    }

    struct Join<const N: usize> {
        numbers: [u32; N],
        at: usize,
    }

    impl<const N: usize> Task for &Join<N> {
        type Output = (u32, [u32; N]);

        #[inline(always)]
        fn run<V: Vectors>(self, vectors: V) -> Self::Output {
            let mut numbers = self.numbers;
            vectors.join(&mut numbers, self.at, 9, 7);
            (vectors.lowest(&self.numbers), numbers)
        }
    }

    fn check_joining<const N: usize>(random: &mut Random) {
        for round in 0..or_interpreted(500, 6) {
            let bits = [2, 26][round % 2];
            let numbers: [u32; N] = std::array::from_fn(|_| (random.next_u64() >> (64 - bits)) as u32);
            let join = Join { numbers, at: (random.next_u64() % N as u64) as usize };
            let least = *numbers.iter().min().unwrap();
            let first = numbers.iter().position(|&number| number == least).unwrap() as u32;
            let mut joined = numbers.to_vec();
            joined.remove(join.at);
            joined.push(7);
            joined[join.at] = 9;
            for level in Level::all() {
                let (lowest, numbers) = level.run(&join);
                assert_eq!((lowest, &numbers[..]), (least << 6 | first, &joined[..]), "{}", level.name());
            }
        }
    }

    #[test]
    fn the_lowest_is_found_and_neighbours_are_joined() {
        let mut random = Random::from_seed(6);
        check_joining::<16>(&mut random);
        check_joining::<64>(&mut random);
    }

    #[test]
    fn levels_have_names() {
        let names: Vec<&str> = Level::all().into_iter().map(Level::name).collect();
        let known: &[&str] =
            if cfg!(target_arch = "aarch64") { &["plain", "neon"] } else { &["plain", "avx2", "avx512"] };
        assert!(known.starts_with(&names));
        assert!(names.contains(&Level::best().name()));
    }
}
