//! Pieces by the hundred, of texts whose words do not tell what becomes of them, and of tokenizers that have no such words.
//!
//! The stages have cut a text, and what equal pieces become is kept in slots ([`crate::lanes`]) instead of the cache, which looks for
//! them one by one. New ones are merged together where the model merges ([`super::merged`]), and go to it one by one where it does
//! not. Pieces that are too long for a lane go the worker's way, which is the twin of all this.

use std::ops::Range;

use super::merged::{Gathered, LONG_TOGETHER, Merging, Room};
use super::way::{Reader, Reads};
use super::worker::Worker;
use crate::error::Result;
use crate::ids::TokenId;
use crate::lanes::{
    Bounds, FEW_SYMBOLS, ID_BOUND, Key, LongPieces, LongWork, MOST_SYMBOLS, Pieces, Runner, Solve, Work,
};
use crate::model::Model;
use crate::pretokenize::byte_alphabet::BYTE_TO_CHAR;
use crate::random::Random;

/// What one worker owns for it.
#[derive(Debug)]
pub(super) struct PieceLanes {
    runner: Runner,
    hash_seed: [u64; 2],
    /// Pieces that wait.
    starts: Vec<u32>,
    ends: Vec<u32>,
    /// Bytes of text that came.
    bytes: usize,
    rooms: Rooms,
}

#[derive(Debug, Default)]
struct Rooms {
    gathered: Gathered,
    spelled: String,
    ids: Vec<TokenId>,
}

impl PieceLanes {
    /// Bytes of a piece whose ids are kept with those of all others, at most.
    pub const SHORT: usize = Key::LONGEST;

    pub fn new(runner: Runner) -> Self {
        let mut random = Random::from_entropy();
        let room = || Vec::with_capacity(Bounds::MOST);
        PieceLanes {
            runner,
            hash_seed: [random.next_u64(), random.next_u64()],
            starts: room(),
            ends: room(),
            bytes: 0,
            rooms: Rooms::default(),
        }
    }

    /// Whether pieces of this reader may be kept.
    pub fn may_keep(reader: &Reader) -> bool {
        let id_bound = match &reader.reads {
            Reads::Characters(model) | Reads::Spelled(model, _) => model.id_bound(),
            Reads::Bytes(bpe) => bpe.vocab().id_bound(),
        };
        id_bound <= ID_BOUND as usize
    }

    /// Bytes that may come into use.
    pub fn memory(&self) -> usize {
        self.runner.memory()
    }

    /// A text of so many bytes comes.
    pub fn begin(&mut self, bytes: usize) {
        self.bytes = self.bytes.saturating_add(bytes);
        self.starts.clear();
        self.ends.clear();
    }

    /// A piece that waits, and whether there are enough of them.
    #[inline]
    pub fn wait(&mut self, piece: Range<usize>) -> bool {
        self.starts.push(piece.start as u32);
        self.ends.push(piece.end as u32);
        self.starts.len() >= Bounds::MOST
    }

    /// Appends the ids of the pieces that wait, which are of `text`.
    pub fn flush(
        &mut self,
        reader: &Reader,
        text: &str,
        worker: &mut Worker,
        out: &mut Vec<TokenId>,
    ) -> Result<()> {
        let PieceLanes { runner, hash_seed, starts, ends, bytes, rooms } = self;
        let merging = match &reader.reads {
            Reads::Characters(model) | Reads::Spelled(model, _) => Merging::of(model, *bytes),
            Reads::Bytes(bpe) => Merging::of_bpe(bpe, *bytes),
        };
        let mut solver = Solver { reader, merging, worker, hash_seed: *hash_seed, rooms };
        let pieces = Pieces { text: text.as_bytes(), starts, ends };
        let outcome = runner.solved_ids(&mut solver, pieces, out);
        self.starts.clear();
        self.ends.clear();
        outcome
    }
}

/// The model for one piece or many.
struct Solver<'s> {
    reader: &'s Reader,
    merging: Option<Merging<'s>>,
    worker: &'s mut Worker,
    hash_seed: [u64; 2],
    rooms: &'s mut Rooms,
}

impl Solver<'_> {
    /// Takes a piece that is merged with others; false if it has to go alone.
    fn gathers(&mut self, merging: &Merging<'_>, number: usize, piece: &[u8], most: usize) -> bool {
        let Rooms { gathered, spelled, .. } = &mut *self.rooms;
        let text = match &self.reader.reads {
            Reads::Bytes(_) => {
                spelled.clear();
                spelled.extend(piece.iter().map(|&byte| BYTE_TO_CHAR[usize::from(byte)]));
                &*spelled
            }
            Reads::Characters(_) => text_of(piece),
            Reads::Spelled(_, reading) => self.worker.spelling.write(*reading, text_of(piece)),
        };
        gathered.take(merging, (number, most), |each| each(text))
    }

    /// Puts the ids of a piece into the room for them.
    fn alone(&mut self, piece: &[u8]) -> Result<()> {
        let ids = &mut self.rooms.ids;
        ids.clear();
        self.worker.ids_anew(self.reader, piece, ids)
    }
}

/// A piece of characters, which is a text.
fn text_of(piece: &[u8]) -> &str {
    std::str::from_utf8(piece).unwrap_or_default()
}

impl LongPieces for Solver<'_> {
    fn ids(&mut self, piece: &[u8], out: &mut Vec<TokenId>) -> Result<()> {
        match &self.reader.reads {
            // This one may be cut, and its parts be known.
            Reads::Characters(model) if matches!(**model, Model::Bpe(_)) => {
                self.worker.ids(self.reader, (text_of(piece), 0..piece.len()), out)
            }
            _ => self.worker.ids_anew(self.reader, piece, out),
        }
    }

    #[inline(always)]
    fn joins(&self, piece: &[u8]) -> bool {
        self.merging.is_some() && piece.len() <= LONG_TOGETHER
    }

    fn ids_together<'p>(
        &mut self,
        work: &mut LongWork,
        count: usize,
        piece: impl Fn(usize) -> &'p [u8],
        mut found: impl FnMut(usize, &[TokenId]),
    ) -> Result<()> {
        let Some(merging) = self.merging else { return Ok(()) };
        self.rooms.gathered.clear();
        for number in 0..count {
            if !self.gathers(&merging, number, piece(number), MOST_SYMBOLS) {
                self.alone(piece(number))?;
                found(number, &self.rooms.ids);
            }
        }
        self.rooms.gathered.solve(&merging, Room::Many(work), found);
        Ok(())
    }
}

impl Solve for Solver<'_> {
    #[inline(always)]
    fn hash_seed(&self) -> [u64; 2] {
        self.hash_seed
    }

    #[inline(never)]
    fn solve(
        &mut self,
        work: &mut Work,
        pieces: &[Key],
        mut found: impl FnMut(usize, &[TokenId]),
    ) -> Result<()> {
        self.rooms.gathered.clear();
        for (number, key) in pieces.iter().enumerate() {
            let bytes = key.bytes();
            let piece = &bytes[..key.len()];
            let is_gathered = match self.merging {
                Some(merging) => self.gathers(&merging, number, piece, FEW_SYMBOLS),
                None => false,
            };
            if !is_gathered {
                self.alone(piece)?;
                found(number, &self.rooms.ids);
            }
        }
        if let Some(merging) = self.merging {
            self.rooms.gathered.solve(&merging, Room::Few(work), found);
        }
        Ok(())
    }
}
