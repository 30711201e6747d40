//! What long pieces became: as long as there is much room from their first appearance on, then from their second one: most come once
//! and would only cost room.
//!
//! A piece is told by its hash, and then compared in full: by its sides, which lie in front of its ids, if it has them
//! ([`super::sides`]), so that what is there to be read of it lies in one place; of a longer one the text lies elsewhere. Of many
//! pieces the places are asked for before they are looked at.
//!
//! Texts and numbers lie one after the other. When either is full, nothing more is taken up while what is there is found often
//! enough, and then all is forgotten: of pieces that come round and do not fit together none would be found else.

use super::append::append;
use super::sides;
use crate::flat::{make_room, prefetch};
use crate::hash::Secret;
use crate::ids::TokenId;
use crate::scale::or_for_fuzzers;

/// Longest piece that is remembered, in bytes: a line without a blank, such as a row of one character, may come again and again.
const LONGEST: usize = or_for_fuzzers(1 << 13, 1 << 7);
/// Places for pieces: at first, and most.
const FIRST_ENTRIES: usize = or_for_fuzzers(1 << 11, 1 << 1);
const MOST_ENTRIES: usize = or_for_fuzzers(1 << 16, 1 << 3);
/// Most bytes of ids and of what stands in front of them, and of texts.
const MOST_IDS: usize = or_for_fuzzers(2 << 20, 2 << 10);
const MOST_TEXTS: usize = or_for_fuzzers(1 << 20, 1 << 10);
/// One part of so many of the ids' room is for pieces that did not come before as well.
const FOR_ALL: usize = 5;
/// So many pieces may find no room for each that is found.
const REFUSED_FOR_ONE: usize = 4;
/// Bits that tell whether a hash came before.
const SEEN_BITS: usize = or_for_fuzzers(1 << 18, 1 << 7);

#[derive(Debug, Clone, Copy)]
struct Entry {
    /// The low half of the hash.
    hash: u32,
    /// Where its numbers begin.
    from: u32,
    bytes: u16,
    /// 0: nothing is here, for every piece has ids.
    count: u16,
}

const NOTHING: Entry = Entry { hash: 0, from: 0, bytes: 0, count: 0 };

#[derive(Debug)]
pub struct Longs {
    /// A piece has few places, and pieces that share a known hash are easily made.
    secret: Secret,
    /// A power of two of them, or none until something is to be remembered, as all that follows.
    entries: Vec<Entry>,
    /// Entries that are taken.
    taken: usize,
    /// The numbers of all pieces: of each its sides, or where its text begins if it has none, and behind them its ids.
    numbers: Vec<u32>,
    texts: Vec<u8>,
    most_entries: usize,
    most_ids: usize,
    most_texts: usize,
    seen: Vec<u64>,
    /// Bits set since they were cleared.
    met: usize,
    /// Pieces that came again and found no room since it was last looked whether what is there is of use, and pieces
    /// that were found meanwhile.
    refused: usize,
    found: usize,
    /// Pieces that are soon looked for: the number and the hash of each.
    asked: Vec<(u32, u64)>,
    /// Which of them is mostly the next one that is looked for.
    next: usize,
}

/// A piece that is not known.
#[derive(Debug, Clone, Copy)]
pub struct New {
    hash: u64,
    again: bool,
}

/// The ids of a piece, with rubbish behind them.
#[derive(Debug, Clone, Copy)]
pub struct Known<'l> {
    ids: &'l [TokenId],
    count: usize,
}

impl Known<'_> {
    #[inline(always)]
    pub fn append_to(self, out: &mut Vec<TokenId>) {
        append(out, self.ids, 0, self.count);
    }
}

/// The bit that tells whether a hash came before.
#[inline(always)]
fn seen_at(hash: u64) -> usize {
    (hash >> 32) as usize % SEEN_BITS
}

/// Where a hash may stand in a table of so many places: with two neighbours in each of two parts hardly any finds no room.
#[inline(always)]
fn places(hash: u32, count: usize) -> [usize; 4] {
    const { assert!(MOST_ENTRIES <= 1 << 16) };
    let place = |hash: u32| hash as usize & count.wrapping_sub(1);
    let (first, second) = (place(hash), place(hash >> 16));
    [first, first ^ 1, second, second ^ 1]
}

impl Longs {
    /// Stays within so many bytes, give or take a piece; too few, and nothing is remembered.
    pub fn new(budget: usize) -> Self {
        let for_entries = budget / 4 / size_of::<Entry>();
        let most_entries =
            (for_entries + 1).next_power_of_two().div_euclid(2).clamp(FIRST_ENTRIES, MOST_ENTRIES);
        let fixed = most_entries * size_of::<Entry>() + SEEN_BITS / 8;
        // More would be far from the processor.
        let left = budget.saturating_sub(fixed);
        let (most_ids, most_texts) = ((left / 3 * 2).min(MOST_IDS), (left / 3).min(MOST_TEXTS));
        Longs {
            secret: Secret::of_process(),
            entries: Vec::new(),
            taken: 0,
            numbers: Vec::new(),
            texts: Vec::new(),
            most_entries,
            most_ids,
            most_texts,
            seen: Vec::new(),
            met: 0,
            refused: 0,
            found: 0,
            asked: Vec::new(),
            next: 0,
        }
    }

    /// Asks for what is known of pieces that are soon looked for, which are handed over, each with its number, in order.
    #[inline(always)]
    pub fn ask<'p>(&mut self, pieces: impl Iterator<Item = (usize, &'p [u8])>) {
        self.next = 0;
        self.asked.clear();
        let secret = self.secret;
        for (number, piece) in pieces {
            let hash = sides::hash(secret, piece);
            prefetch(&self.seen, seen_at(hash) / 64);
            let [place, ..] = places(hash as u32, self.entries.len());
            prefetch(&self.entries, place);
            self.asked.push((number as u32, hash));
        }
        for &(_, hash) in &self.asked {
            let [place, ..] = places(hash as u32, self.entries.len());
            for entry in self.entries.get(place).into_iter().chain(self.entries.get(place ^ 1)) {
                if entry.hash == hash as u32 {
                    // Sixteen numbers are a line of the cache.
                    prefetch(&self.numbers, entry.from as usize);
                    prefetch(&self.numbers, entry.from as usize + 16);
                }
            }
        }
    }

    /// The ids of a piece that was asked for by its number, or what there is to say about it. Mostly it is the one asked for next.
    #[inline(never)]
    pub fn get_asked(&mut self, number: usize, piece: &[u8]) -> Result<Known<'_>, New> {
        while self.asked.get(self.next).is_some_and(|(asked, _)| (*asked as usize) < number) {
            self.next += 1;
        }
        while let Some(before) = self.next.checked_sub(1)
            && self.asked[before].0 as usize >= number
        {
            self.next = before;
        }
        match self.asked.get(self.next) {
            Some(&(asked, hash)) if asked as usize == number => self.get_by(hash, piece),
            _ => self.get(piece),
        }
    }

    /// The ids of a piece, or what there is to say about it when they are found.
    pub fn get(&mut self, piece: &[u8]) -> Result<Known<'_>, New> {
        self.get_by(sides::hash(self.secret, piece), piece)
    }

    #[inline]
    fn get_by(&mut self, hash: u64, piece: &[u8]) -> Result<Known<'_>, New> {
        // What did not come before is not there, and the places are far from the processor. When the bits were cleared, a
        // piece that is there is found from its second appearance on.
        let again = self.meet(hash);
        if !again {
            return Err(New { hash, again });
        }
        match self.find(hash, piece) {
            Some((from, count)) => {
                self.found += 1;
                Ok(Known { ids: &self.numbers[from..], count })
            }
            None => Err(New { hash, again }),
        }
    }

    /// Where the ids of a piece begin, and how many there are.
    #[inline(always)]
    fn find(&self, hash: u64, piece: &[u8]) -> Option<(usize, usize)> {
        let sides = sides::of(piece);
        let of = |entry: &Entry| {
            if entry.hash != hash as u32 || usize::from(entry.bytes) != piece.len() {
                return None;
            }
            let from = entry.from as usize;
            let (is_it, before_ids) = match sides {
                Some(sides) => (self.numbers[from..].first_chunk() == Some(&sides), sides.len()),
                None => (self.texts[self.numbers[from] as usize..].starts_with(piece), 1),
            };
            is_it.then_some((from + before_ids, entry.count.into()))
        };
        let [first, beside, others @ ..] = places(hash as u32, self.entries.len());
        let (first, beside) = (self.entries.get(first)?, self.entries.get(beside)?);
        let found = of(first).or_else(|| of(beside));
        // Nothing is put elsewhere before both are taken, which they stay, and nobody asked for the others in time.
        if found.is_some() || first.count == 0 || beside.count == 0 {
            return found;
        }
        others.into_iter().find_map(|place| of(self.entries.get(place)?))
    }

    /// Whether a hash came before.
    fn meet(&mut self, hash: u64) -> bool {
        if self.most_texts < LONGEST {
            return false;
        }
        if self.met * 2 >= SEEN_BITS || self.seen.is_empty() {
            self.seen.clear();
            self.seen.resize(SEEN_BITS / 64, 0);
            self.met = 0;
        }
        let bit = seen_at(hash);
        let again = self.seen[bit / 64] >> (bit % 64) & 1 == 1;
        self.seen[bit / 64] |= 1 << (bit % 64);
        self.met += usize::from(!again);
        again
    }

    /// Remembers the ids of a piece, if it came again or there is much room. Of pieces that are found out together one may be there twice.
    pub fn remember(&mut self, New { hash, again }: New, piece: &[u8], ids: &[TokenId]) {
        let too_much = piece.len() > LONGEST || ids.is_empty() || ids.len() > LONGEST;
        let is_tight = self.numbers.len() * size_of::<u32>() > self.most_ids / FOR_ALL;
        if !again && is_tight || too_much || again && self.find(hash, piece).is_some() {
            return;
        }
        let sides = sides::of(piece);
        let numbers = ids.len() + sides.map_or(1, |sides| sides.len());
        let full = (self.numbers.len() + numbers) * size_of::<u32>() > self.most_ids
            || sides.is_none() && self.texts.len() + piece.len() > self.most_texts;
        if full && self.are_of_use() {
            return;
        }
        if full || self.entries.is_empty() {
            let entries = self.entries.len().max(FIRST_ENTRIES);
            self.entries.clear();
            self.entries.resize(entries, NOTHING);
            self.taken = 0;
            self.texts.clear();
            self.numbers.clear();
        }
        if self.taken * 2 > self.entries.len() && self.entries.len() < self.most_entries {
            let entries = std::mem::take(&mut self.entries);
            self.entries.resize(entries.len() * 2, NOTHING);
            self.taken = 0;
            entries.into_iter().filter(|entry| entry.count > 0).for_each(|entry| self.put(entry));
        }
        self.put(Entry {
            hash: hash as u32,
            from: self.numbers.len() as u32,
            bytes: piece.len() as u16,
            count: ids.len() as u16,
        });
        make_room(&mut self.numbers, numbers, self.most_ids / size_of::<u32>());
        match sides {
            Some(sides) => self.numbers.extend_from_slice(&sides),
            None => {
                self.numbers.push(self.texts.len() as u32);
                make_room(&mut self.texts, piece.len(), self.most_texts);
                self.texts.extend_from_slice(piece);
            }
        }
        self.numbers.extend_from_slice(ids);
    }

    /// Whether what is remembered is to stay although there is no room for a piece that came again. It does where one was found for
    /// every [`REFUSED_FOR_ONE`] of them, which shows once all that goes round could have come.
    fn are_of_use(&mut self) -> bool {
        if self.refused == 0 {
            self.found = 0;
        }
        self.refused += 1;
        if self.refused <= REFUSED_FOR_ONE * self.taken {
            return true;
        }
        // What goes round once more in part has not been found as often as it could have been.
        let are_of_use = self.found * REFUSED_FOR_ONE + self.taken >= self.refused;
        self.refused = 0;
        are_of_use
    }

    /// Puts an entry where there is room, or in the place of another.
    fn put(&mut self, entry: Entry) {
        let places = places(entry.hash, self.entries.len());
        let free = places.into_iter().find(|&place| self.entries[place].count == 0);
        let place = free.unwrap_or(places[0]);
        self.taken += usize::from(free.is_some());
        self.entries[place] = entry;
    }

    /// Bytes that may come into use.
    pub fn most_memory(&self) -> usize {
        self.most_ids + self.most_texts + self.most_entries * size_of::<Entry>() + SEEN_BITS / 8
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scale::or_interpreted;

    fn look(longs: &mut Longs, number: u32) -> bool {
        let piece = format!("a long piece and its number {number}");
        let ids: Vec<TokenId> = (number..number + 3 + number % 7).collect();
        let found = match number % 3 {
            0 => longs.get(piece.as_bytes()),
            // Not all that are asked for come, and not all that come were asked for.
            asked => {
                longs.ask([(3, &b"another"[..]), (5 + asked as usize, piece.as_bytes())].into_iter());
                longs.get_asked(6, piece.as_bytes())
            }
        };
        let new = match found {
            Ok(found) => {
                assert_eq!(&found.ids[..found.count], ids);
                return true;
            }
            Err(new) => new,
        };
        longs.remember(new, piece.as_bytes(), &ids);
        false
    }

    #[test]
    #[cfg_attr(miri, ignore = "tables are too small there for so many pieces")]
    fn what_is_asked_for_comes_in_any_order() {
        let mut longs = Longs { secret: Secret::of_seed(1), ..Longs::new(1 << 20) };
        let pieces: Vec<String> = (0..4).map(|number| format!("a long piece: {number}")).collect();
        let ids = |number: usize| [number as TokenId; 3];
        for _ in 0..3 {
            for (number, piece) in pieces.iter().enumerate() {
                if let Err(new) = longs.get(piece.as_bytes()) {
                    longs.remember(new, piece.as_bytes(), &ids(number));
                }
            }
        }
        // The numbers are those of places in a window, where others stand between.
        longs.ask((0..4).map(|number| (10 * number, pieces[number].as_bytes())));
        for (place, cursor) in [(0, 0), (30, 3), (10, 1), (11, 2), (20, 2), (9, 1), (40, 4), (0, 0)] {
            let number = place / 10 % 4;
            let found = longs.get_asked(place, pieces[number].as_bytes());
            assert_eq!(found.map(|known| &known.ids[..known.count]).ok(), Some(&ids(number)[..]), "{place}");
            assert_eq!(longs.next, cursor, "{place}");
        }
    }

    #[test]
    #[cfg_attr(miri, ignore = "tables are too small there for so many pieces")]
    fn what_comes_again_is_known_at_once_or_the_third_time() {
        for seed in 0..20 {
            // With little room some of the pieces must come again before they are taken up.
            for (budget, second_time) in [(1 << 20, 450..=500), (1 << 17, 100..=300)] {
                let mut longs = Longs { secret: Secret::of_seed(seed), ..Longs::new(budget) };
                for (round, expected) in [0..=0, second_time, 450..=500].into_iter().enumerate() {
                    let known = (0..500).filter(|&number| look(&mut longs, number)).count();
                    assert!(expected.contains(&known), "{seed} {budget} {round} {known}");
                }
            }
        }
        let mut none = Longs::new(1000);
        assert!((0..9).all(|_| !look(&mut none, 1)));
    }

    #[test]
    #[cfg_attr(miri, ignore = "tables are too small there for so many pieces")]
    fn pieces_made_to_collide_are_known_as_others_are() {
        let mut longs = Longs::new(1 << 20);
        let pieces = crate::hash::colliding(400);
        for piece in pieces.iter().chain(&pieces) {
            let Err(new) = longs.get(piece) else { continue };
            longs.remember(new, piece, &[1, 2]);
        }
        let known = pieces.iter().filter(|piece| longs.get(&piece[..]).is_ok()).count();
        assert!(known > 350, "{known}");
    }

    #[test]
    #[cfg_attr(miri, ignore = "tables are too small there for so many pieces")]
    fn of_what_goes_round_and_does_not_fit_some_is_found() {
        let mut longs = Longs::new(1 << 19);
        let mut round = |numbers: std::ops::Range<u32>| {
            let all = numbers.len();
            (numbers.filter(|&number| look(&mut longs, number)).count(), all)
        };
        let (found, all) = (0..6).map(|_| round(0..12_000)).last().unwrap();
        assert!(found * 6 > all && found * 2 < all, "{found} of {all}");
        // And what comes instead takes its place.
        let (found, all) = (0..9).map(|_| round(20_000..32_000)).last().unwrap();
        assert!(found * 6 > all, "{found} of {all}");
    }

    #[test]
    fn the_budget_holds() {
        let mut longs = Longs::new(1 << 19);
        for _ in 0..4 {
            for number in 0..or_interpreted(20_000, 100) as u32 {
                look(&mut longs, number);
            }
        }
        let ids = longs.numbers.len() * size_of::<u32>();
        assert!(
            ids <= longs.most_ids && longs.texts.len() <= longs.most_texts && longs.most_memory() <= 1 << 19
        );
        assert!(ids > 0);
    }
}
