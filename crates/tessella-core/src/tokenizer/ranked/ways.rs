//! What bytes at the end of a text may still become, when more of it comes.
//!
//! A token that begins with them, or with the rest of them behind a cut, is a way to go on; its ids, up to the one that reaches past
//! the bytes, are those of what is in front of the cut and the token together.

use std::collections::HashSet;

use super::Ranked;
use crate::cancel::Cancel;
use crate::error::Result;
use crate::ids::TokenId;
use crate::tokenizer::EncodeOptions;

/// Ways between two looks whether anybody still wants them.
const CHECK_EVERY: usize = 1 << 10;

/// Lists of ids, each once, in the order in which they came.
#[derive(Default)]
struct Found {
    seen: HashSet<Box<[TokenId]>>,
    ways: Vec<Box<[TokenId]>>,
}

impl Found {
    fn add(&mut self, ids: &[TokenId]) {
        if !self.seen.contains(ids) {
            self.seen.insert(ids.into());
            self.ways.push(ids.into());
        }
    }
}

impl Ranked {
    /// The ways to go on from these bytes, as ids up to the one that reaches past them.
    pub fn ways(&self, tail: &[u8], cancel: &Cancel) -> Result<Vec<Box<[TokenId]>>> {
        let mut found = Found::default();
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
        Ok(found.ways)
    }

    /// A blank at the end may be cut off by what follows.
    fn add_cut_blank(&self, tail: &[u8], found: &mut Found) -> Result<()> {
        let last = str::from_utf8(tail).ok().and_then(|text| text.chars().next_back());
        let Some(last) = last.filter(|&last| is_blank(last)) else { return Ok(()) };
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

/// What Python's `str.isspace` tells, of which the ids hang together with those before.
fn is_blank(c: char) -> bool {
    c.is_whitespace() || matches!(c, '\u{1C}'..='\u{1F}')
}
