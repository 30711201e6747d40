//! What bytes at the end of a text may still become, when more of it comes.
//!
//! A token that begins with them, or with the rest of them behind a cut, is a way to go on; its ids, up to the one that reaches past
//! the bytes, are those of what is in front of the cut and the token together.

use super::Ranked;
use crate::cancel::Cancel;
use crate::error::Result;
use crate::hash::Secret;
use crate::ids::TokenId;
use crate::tokenizer::EncodeOptions;

/// Ways between two looks whether anybody still wants them.
const CHECK_EVERY: usize = 1 << 10;

/// Lists of ids, each once, in the order in which they came. There are thousands of them, of an id or two: they lie one behind the
/// other.
#[derive(Debug, Default)]
pub struct Ways {
    ids: Vec<TokenId>,
    /// Where each ends.
    ends: Vec<usize>,
    /// Numbers of ways, one more than they are, at the place of their hash or behind it; at least half of the places are free.
    places: Vec<u32>,
}

impl Ways {
    /// The ways in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[TokenId]> {
        (0..self.ends.len()).map(|number| self.way(number))
    }

    fn way(&self, number: usize) -> &[TokenId] {
        let start = number.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.ids[start..self.ends[number]]
    }

    fn add(&mut self, ids: &[TokenId]) {
        if self.places.len() < 2 * (self.ends.len() + 1) {
            self.places = vec![0; (4 * (self.ends.len() + 1)).next_power_of_two()];
            for number in 0..self.ends.len() {
                if let Err(free) = self.find(self.way(number)) {
                    self.places[free] = number as u32 + 1;
                }
            }
        }
        if let Err(free) = self.find(ids) {
            self.ids.extend_from_slice(ids);
            self.ends.push(self.ids.len());
            self.places[free] = self.ends.len() as u32;
        }
    }

    /// The number of a way that is there, or else the place for it.
    fn find(&self, ids: &[TokenId]) -> std::result::Result<usize, usize> {
        let secret = Secret::of_process();
        let hash = ids.iter().fold(0, |hash, &id| secret.two(hash, u64::from(id)));
        let mut place = hash as usize & (self.places.len() - 1);
        while let Some(number) = self.places[place].checked_sub(1) {
            if self.way(number as usize) == ids {
                return Ok(number as usize);
            }
            place = (place + 1) & (self.places.len() - 1);
        }
        Err(place)
    }
}

impl Ranked {
    /// Makes the tables that ways are found in. A thread that makes them where others may fork leaves their children tables that are
    /// never done.
    pub fn know_ways(&self) {
        self.sorted();
    }

    /// The ways to go on from these bytes, as ids up to the one that reaches past them.
    pub fn ways(&self, tail: &[u8], cancel: &Cancel) -> Result<Ways> {
        let mut found = Ways::default();
        for &id in self.beginning_with(tail) {
            found.add(&[id]);
        }
        let (mut possible, mut ids) = (Vec::new(), Vec::new());
        let mut until_check = CHECK_EVERY;
        for cut in 1..tail.len() {
            for &id in self.beginning_with(&tail[cut..]) {
                until_check -= 1;
                if until_check == 0 {
                    until_check = CHECK_EVERY;
                    cancel.check()?;
                }
                possible.clear();
                possible.extend_from_slice(&tail[..cut]);
                possible.extend_from_slice(self.bytes_of(id).unwrap_or_default());
                ids.clear();
                self.append_text_or_piece(&possible, &mut ids)?;
                found.add(self.reaching(&ids, tail.len()));
            }
        }
        self.add_cut_blank(tail, &mut found)?;
        Ok(found)
    }

    /// A blank at the end may be cut off by what follows.
    fn add_cut_blank(&self, tail: &[u8], found: &mut Ways) -> Result<()> {
        let last = str::from_utf8(tail).ok().and_then(|text| text.chars().next_back());
        let Some(last) = last.filter(|last| last.is_whitespace()) else { return Ok(()) };
        let (head, blank) = tail.split_at(tail.len() - last.len_utf8());
        if !head.is_empty() {
            let mut ids = Vec::new();
            self.append_piece(head, &mut ids)?;
            self.append_piece(blank, &mut ids)?;
            found.add(&ids);
        }
        Ok(())
    }

    fn append_text_or_piece(&self, bytes: &[u8], out: &mut Vec<TokenId>) -> Result<()> {
        match str::from_utf8(bytes) {
            Ok(text) => {
                let options =
                    EncodeOptions { add_special_tokens: false, threads: 1, ..EncodeOptions::default() };
                self.tokenizer.append_ids(text, &options, out)
            }
            Err(_) => self.append_piece(bytes, out),
        }
    }

    /// The first of the ids, up to the one that reaches `length` bytes.
    fn reaching<'i>(&self, ids: &'i [TokenId], length: usize) -> &'i [TokenId] {
        let mut reached = 0;
        let count = ids.iter().position(|&id| {
            reached += self.bytes_of(id).map_or(0, <[u8]>::len);
            reached >= length
        });
        &ids[..count.map_or(ids.len(), |at| at + 1)]
    }

    /// The ids of the table whose bytes begin with these, in order of the bytes.
    fn beginning_with(&self, start: &[u8]) -> &[TokenId] {
        let sorted = self.sorted();
        let bytes = |id: &TokenId| self.bytes_of(*id).unwrap_or_default();
        let first = sorted.partition_point(|id| bytes(id) < start);
        let count = sorted[first..].partition_point(|id| bytes(id).starts_with(start));
        &sorted[first..first + count]
    }

    fn sorted(&self) -> &[TokenId] {
        self.sorted.get_or_init(|| {
            let mut ids = Vec::new();
            self.for_each_token(|id, bytes| {
                // Eight bytes tell most of them apart, without a look elsewhere.
                let mut start = [0; 8];
                let length = bytes.len().min(start.len());
                start[..length].copy_from_slice(&bytes[..length]);
                ids.push((u64::from_be_bytes(start), id));
            });
            ids.sort_unstable_by(|(one, id), (other, other_id)| {
                one.cmp(other).then_with(|| self.bytes_of(*id).cmp(&self.bytes_of(*other_id)))
            });
            ids.into_iter().map(|(_, id)| id).collect()
        })
    }
}
