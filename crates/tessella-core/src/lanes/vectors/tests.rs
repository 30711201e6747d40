//! All kinds of vectors give the same bits.

use super::super::leads::MIXED;
use super::plain::Plain;
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
    assert!(known.iter().all(|name| Level::NAMES.contains(name)));
    assert!(names.contains(&Level::best().name()));
}
