//! The vectors of the processor at hand: code that is compiled once for each kind, and the best kind chosen once.
//!
//! A [`Task`] is written over [`Vectors`], and [`Level::run`] runs it as the processor can: with 64-byte vectors
//! (AVX-512), with 32-byte ones (AVX2), with 16-byte ones of ARM (NEON), or without any, which is also the slow twin.
//! All give the same bits, and tests compare them. `TESSELLA_VECTORS` asks for less than there is: `avx2` or `plain`.
//!
//! Here stands what vectors can do. [`level`] asks the processor which it has, [`plain`] has none, and `x86`, `x86_avx2` and `neon` have
//! those of one processor.

mod level;
mod plain;

pub use super::rows::PLACE_BITS;
pub use level::Level;
pub use plain::Plain;
use plain::{join_one_by_one, looked_up_one_by_one, lowest_one_by_one, places_by_bits, share_one_by_one};

use super::ascii::{Ascii, BLOCK, Cases};
use super::characters::{Kinds, Sets};
use super::ends::{self, BEHIND, Before, MANY, Sixteen};
use super::fold::{FOLDED, TOGETHER, folded_one_by_one};
use super::kept::{self, Unknown};
use super::key::Key;
use super::leads::{Leads, Led};
use super::pairs::{PairHash, Symbol};
use super::rows::{Group, Joined, LANES, Row, join_rows_one_by_one};
use super::symbols::{Ids, OfByte};
use super::told::{self, Told};
use super::unfold::{Unfolded, unfolded_one_by_one};
use super::walk::{self, Arrived, Grid, Nodes};
use crate::flat::TwoSlots;
use crate::ids::TokenId;

/// Ids that are written at once; those behind the last one are rubbish.
pub const WRITTEN: usize = 8;

/// Which slot of a line has a key: the first one, or the second.
pub const FIRST: u32 = 1;
pub const SECOND: u32 = 1 << 2;

/// The slot by which words of both keys are those of a key, one bit each.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub fn slot_by_words(words: u32) -> u32 {
    words & words >> 1 & (FIRST | SECOND)
}

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
        _of_byte: &OfByte,
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

#[cfg(test)]
mod tests;
