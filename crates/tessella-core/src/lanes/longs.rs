//! What long pieces became, from their second appearance on: most come once and would only cost room.
//!
//! Texts and ids lie one after the other. When either is full, nothing more is taken up while what is there is found often
//! enough, and then all is forgotten: of pieces that come round and do not fit together none would be found else.
//! A piece is told by its hash, and then compared in full. Of many pieces the places are asked for before they are looked at.

use crate::flat::prefetch;
use crate::hash::Secret;
use crate::ids::TokenId;
use crate::scale::or_for_fuzzers;

/// Longest piece that is remembered, in bytes: a line without a blank, such as a row of one character, may come again and again.
const LONGEST: usize = or_for_fuzzers(1 << 13, 1 << 7);
/// Places for pieces: at first, and most.
const FIRST_ENTRIES: usize = or_for_fuzzers(1 << 11, 1 << 1);
const MOST_ENTRIES: usize = or_for_fuzzers(1 << 16, 1 << 3);
/// Most bytes of texts, and of ids.
const MOST: usize = or_for_fuzzers(2 << 20, 2 << 10);
/// So many pieces may find no room for each that is found.
const REFUSED_FOR_ONE: usize = 4;
/// Bits that tell whether a hash came before.
const SEEN_BITS: usize = or_for_fuzzers(1 << 18, 1 << 7);

#[derive(Debug, Clone, Copy)]
struct Entry {
    /// The low half of the hash.
    hash: u32,
    text: u32,
    ids: u32,
    bytes: u16,
    /// 0: nothing is here, for every piece has ids.
    count: u16,
}

const NOTHING: Entry = Entry { hash: 0, text: 0, ids: 0, bytes: 0, count: 0 };

#[derive(Debug)]
pub struct Longs {
    /// A piece has few places, and pieces that share a known hash are easily made.
    secret: Secret,
    /// A power of two of them, or none until something is to be remembered, as all that follows.
    entries: Vec<Entry>,
    /// Entries that are taken.
    taken: usize,
    texts: Vec<u8>,
    ids: Vec<TokenId>,
    most_entries: usize,
    most: usize,
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

/// Where a hash may stand.
#[inline(always)]
fn places(hash: u32, entries: usize) -> [usize; 2] {
    let place = hash as usize & entries.wrapping_sub(1);
    [place, place ^ 1]
}

impl Longs {
    /// Stays within so many bytes, give or take a piece; too few, and nothing is remembered.
    pub fn new(budget: usize) -> Self {
        let for_entries = budget / 4 / size_of::<Entry>();
        let most_entries =
            (for_entries + 1).next_power_of_two().div_euclid(2).clamp(FIRST_ENTRIES, MOST_ENTRIES);
        let fixed = most_entries * size_of::<Entry>() + SEEN_BITS / 8;
        // More would be far from the processor.
        let most = (budget.saturating_sub(fixed) / 2).min(MOST);
        Longs {
            secret: Secret::of_process(),
            entries: Vec::new(),
            taken: 0,
            texts: Vec::new(),
            ids: Vec::new(),
            most_entries,
            most,
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
    pub fn ask<'p>(&mut self, pieces: impl FnOnce(&mut dyn FnMut(usize, &'p [u8]))) {
        self.next = 0;
        self.asked.clear();
        let secret = self.secret;
        pieces(&mut |number, piece| self.asked.push((number as u32, secret.bytes(piece))));
        for &(_, hash) in &self.asked {
            let [place, _] = places(hash as u32, self.entries.len());
            prefetch(&self.entries, place);
            prefetch(&self.seen, (hash >> 32) as usize % SEEN_BITS / 64);
        }
        for &(_, hash) in &self.asked {
            let entries = places(hash as u32, self.entries.len()).map(|place| self.entries.get(place));
            if let Some(entry) = entries.into_iter().flatten().find(|entry| entry.hash == hash as u32) {
                prefetch(&self.texts, entry.text as usize);
                prefetch(&self.ids, entry.ids as usize);
            }
        }
    }

    /// The ids of a piece that was asked for by its number, or what there is to say about it. Mostly it is the one asked for next.
    pub fn get_asked(&mut self, number: usize, piece: &[u8]) -> Result<&[TokenId], New> {
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
    pub fn get(&mut self, piece: &[u8]) -> Result<&[TokenId], New> {
        self.get_by(self.secret.bytes(piece), piece)
    }

    #[inline]
    fn get_by(&mut self, hash: u64, piece: &[u8]) -> Result<&[TokenId], New> {
        // What did not come before is not there, and the places are far from the processor. When the bits were cleared, a
        // piece that is there is found from its second appearance on.
        let again = self.meet(hash);
        if !again {
            return Err(New { hash, again });
        }
        match self.find(hash, piece) {
            Some(entry) => {
                self.found += 1;
                Ok(&self.ids[entry.ids as usize..][..usize::from(entry.count)])
            }
            None => Err(New { hash, again }),
        }
    }

    #[inline(always)]
    fn find(&self, hash: u64, piece: &[u8]) -> Option<Entry> {
        places(hash as u32, self.entries.len()).into_iter().find_map(|place| {
            let entry = *self.entries.get(place)?;
            let is_it = entry.hash == hash as u32
                && entry.count > 0
                && self.texts[entry.text as usize..][..usize::from(entry.bytes)] == *piece;
            is_it.then_some(entry)
        })
    }

    /// Whether a hash came before.
    fn meet(&mut self, hash: u64) -> bool {
        if self.most < LONGEST * size_of::<TokenId>() {
            return false;
        }
        if self.met * 2 >= SEEN_BITS || self.seen.is_empty() {
            self.seen.clear();
            self.seen.resize(SEEN_BITS / 64, 0);
            self.met = 0;
        }
        let bit = (hash >> 32) as usize % SEEN_BITS;
        let again = self.seen[bit / 64] >> (bit % 64) & 1 == 1;
        self.seen[bit / 64] |= 1 << (bit % 64);
        self.met += usize::from(!again);
        again
    }

    /// Remembers the ids of a piece that came again. Of pieces that are found out together one may be there twice.
    pub fn remember(&mut self, New { hash, again }: New, piece: &[u8], ids: &[TokenId]) {
        let too_much = piece.len() > LONGEST || ids.is_empty() || ids.len() > LONGEST;
        if !again || too_much || self.find(hash, piece).is_some() {
            return;
        }
        let full = self.texts.len() + piece.len() > self.most
            || (self.ids.len() + ids.len()) * size_of::<TokenId>() > self.most;
        if full && self.are_of_use() {
            return;
        }
        if full || self.entries.is_empty() {
            let entries = self.entries.len().max(FIRST_ENTRIES);
            self.entries.clear();
            self.entries.resize(entries, NOTHING);
            self.taken = 0;
            self.texts.clear();
            self.ids.clear();
        }
        if self.taken * 2 > self.entries.len() && self.entries.len() < self.most_entries {
            let entries = std::mem::take(&mut self.entries);
            self.entries.resize(entries.len() * 2, NOTHING);
            self.taken = 0;
            entries.into_iter().filter(|entry| entry.count > 0).for_each(|entry| self.put(entry));
        }
        self.put(Entry {
            hash: hash as u32,
            text: self.texts.len() as u32,
            ids: self.ids.len() as u32,
            bytes: piece.len() as u16,
            count: ids.len() as u16,
        });
        self.texts.extend_from_slice(piece);
        self.ids.extend_from_slice(ids);
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
        let are_of_use = self.found * REFUSED_FOR_ONE >= self.refused;
        self.refused = 0;
        are_of_use
    }

    /// Puts an entry where there is room, or in the place of another.
    fn put(&mut self, entry: Entry) {
        let [first, second] = places(entry.hash, self.entries.len());
        let is_free = |place: usize| self.entries[place].count == 0;
        let place = if !is_free(first) && is_free(second) { second } else { first };
        self.taken += usize::from(is_free(place));
        self.entries[place] = entry;
    }

    /// Bytes that may come into use.
    pub fn most_memory(&self) -> usize {
        2 * self.most + self.most_entries * size_of::<Entry>() + SEEN_BITS / 8
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
                longs.ask(|ask| {
                    ask(3, b"another");
                    ask(5 + asked as usize, piece.as_bytes());
                });
                longs.get_asked(6, piece.as_bytes())
            }
        };
        let new = match found {
            Ok(found) => {
                assert_eq!(found, ids);
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
        longs.ask(|ask| (0..4).for_each(|number| ask(10 * number, pieces[number].as_bytes())));
        for (place, cursor) in [(0, 0), (30, 3), (10, 1), (11, 2), (20, 2), (9, 1), (40, 4), (0, 0)] {
            let number = place / 10 % 4;
            let found = longs.get_asked(place, pieces[number].as_bytes());
            assert_eq!(found.ok(), Some(&ids(number)[..]), "{place}");
            assert_eq!(longs.next, cursor, "{place}");
        }
    }

    #[test]
    #[cfg_attr(miri, ignore = "tables are too small there for so many pieces")]
    fn what_comes_again_is_known_the_third_time() {
        for seed in 0..20 {
            let mut longs = Longs { secret: Secret::of_seed(seed), ..Longs::new(1 << 20) };
            for round in 0..3 {
                let known = (0..500).filter(|&number| look(&mut longs, number)).count();
                assert_eq!(known > 450, round == 2, "{seed} {round} {known}");
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
        let ids = longs.ids.len() * size_of::<TokenId>();
        assert!(ids <= longs.most && longs.texts.len() <= longs.most && longs.most_memory() <= 1 << 19);
        assert!(ids > 0);
    }
}
