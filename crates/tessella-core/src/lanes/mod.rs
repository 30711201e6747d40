//! The fast engine for byte-level BPE: pieces in, ids out, without a branch or a wait for each of them.
//!
//! What costs time in encoding is waiting: for memory that is not in the processor's caches, and for branches that
//! were guessed wrong because they hung on such memory. So pieces are taken by the hundred:
//!
//! 1. [`key`]: every piece of a chunk becomes a key of 16 bytes and a hash, and its place is asked for;
//! 2. [`slots`]: the places are read. What they hold is written out whatever its length, and the next piece writes
//!    over what was too much;
//! 3. at the first piece that is not known, the rest of the chunk is looked through for more of them, and all are
//!    merged together ([`merge`], over [`pairs`]); then writing goes on.
//!
//! An [`Engine`] is what all workers share: tables made from the model once. A [`Runner`] is what one worker owns.
//! Pieces above 15 bytes go another way, which the caller gives.
//!
//! Everything here has a slow twin: the worker's piece cache and the model's own loops give the same ids, and the
//! tests compare them. This is the only module of the crate with unsafe code, for three things: asking the processor
//! for memory ([`ahead`]), writing ids into room that was reserved before, and vectors ([`ascii`]).

mod ahead;
pub mod ascii;
mod build;
mod key;
mod merge;
mod pairs;
mod slots;
#[cfg(test)]
mod tests;

use std::ops::Range;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use crate::error::Result;
use crate::ids::TokenId;

use ahead::prefetch;
pub use build::Parts;
pub use key::Key;
use merge::{Lane, Merger, Work};
use slots::{IN_PLACE, Slots};

/// Pieces that are taken together.
const CHUNK: usize = 256;

/// The tables that all workers share.
#[derive(Debug)]
pub struct Engine {
    merger: Merger,
    /// Pieces that are one token although merges would not make it, by key.
    whole: std::collections::HashMap<Key, TokenId>,
    hash_seed: [u64; 2],
}

/// An engine that is built when it is first asked for, by whoever asks, and shared from then on.
///
/// Nobody ever waits for another thread: who comes while it is built goes the plain way, and so does a process that
/// was forked in that moment.
#[derive(Debug, Default)]
pub struct Shared {
    built: Mutex<Option<Built>>,
    is_there: AtomicBool,
}

/// An engine, or why there is none.
pub type Built = std::result::Result<Arc<Engine>, &'static str>;

impl Shared {
    pub fn get(&self, build: impl FnOnce() -> std::result::Result<Engine, &'static str>) -> Option<Built> {
        let mut built = self.built.try_lock().ok()?;
        let built = built.get_or_insert_with(|| build().map(Arc::new)).clone();
        self.is_there.store(true, Ordering::Relaxed);
        Some(built)
    }

    /// Whether asking for it costs nothing any more.
    pub fn is_there(&self) -> bool {
        self.is_there.load(Ordering::Relaxed)
    }
}

/// The slots and buffers of one worker.
#[derive(Debug)]
pub struct Runner {
    slots: Slots,
    keys: Vec<Key>,
    hashes: Vec<u64>,
    /// Pieces of the chunk that the slots do not know.
    missing: Vec<u32>,
    work: Work,
    ids: Vec<TokenId>,
}

/// Lines of a runner's slots, as a power of two: what is of use, and what is enough. Two slots to a line.
const LINES_LOG2: std::ops::RangeInclusive<u32> = 10..=18;

/// Makes ids of pieces that are too long for a key.
pub trait LongPieces {
    fn ids(&mut self, piece: &[u8], out: &mut Vec<TokenId>) -> Result<()>;
}

impl Runner {
    /// Bytes in use.
    pub fn memory(&self) -> usize {
        self.slots.bytes()
    }

    /// A runner that stays within `budget` bytes; `None` if that is too little to be of use.
    pub fn new(budget: usize) -> Option<Runner> {
        let lines_log2 = LINES_LOG2.rev().find(|&lines_log2| Slots::memory(lines_log2) <= budget)?;
        Some(Runner {
            slots: Slots::new(lines_log2),
            keys: vec![Key::default(); CHUNK],
            hashes: vec![0; CHUNK],
            missing: Vec::with_capacity(CHUNK),
            work: Work::new(),
            ids: Vec::new(),
        })
    }

    /// Appends the ids of the pieces of a text, given as ranges that are not empty and do not overlap.
    pub fn ids(
        &mut self,
        engine: &Engine,
        text: &[u8],
        pieces: &[Range<u32>],
        out: &mut Vec<TokenId>,
        long: &mut impl LongPieces,
    ) -> Result<()> {
        pieces.chunks(CHUNK).try_for_each(|chunk| self.chunk(engine, text, chunk, out, long))
    }

    fn chunk(
        &mut self,
        engine: &Engine,
        text: &[u8],
        pieces: &[Range<u32>],
        out: &mut Vec<TokenId>,
        long: &mut impl LongPieces,
    ) -> Result<()> {
        let lines = self.slots.lines();
        for ((piece, key), hash) in pieces.iter().zip(&mut self.keys).zip(&mut self.hashes) {
            *key = Key::new(text, piece.start as usize, piece.end as usize);
            *hash = key.hash(engine.hash_seed);
            prefetch(lines, self.slots.line_of(*hash));
        }
        let mut at = 0;
        let mut resolved = false;
        while at < pieces.len() {
            at += self.write_known(at, pieces.len(), out);
            if at == pieces.len() {
                break;
            }
            let (key, hash) = (self.keys[at], self.hashes[at]);
            if key.is_long() {
                long.ids(&text[pieces[at].start as usize..pieces[at].end as usize], out)?;
                at += 1;
                continue;
            }
            if let Some(value) = Slots::probe(self.slots.lines(), self.slots.line_of(hash), key)
                && self.slots.read_ring(value, out)
            {
                at += 1;
                continue;
            }
            if resolved {
                // Resolved, and pushed out again by others of the chunk.
                self.missing.clear();
                self.missing.push(at as u32);
                self.resolve(engine);
                out.extend_from_slice(&self.ids);
                at += 1;
                continue;
            }
            self.list_missing(at, pieces.len());
            self.resolve(engine);
            resolved = true;
        }
        Ok(())
    }

    /// Writes the ids of pieces `from..to` of the chunk up to the first one that is not known or has many ids, and
    /// returns how many pieces were written.
    #[inline(always)]
    fn write_known(&self, from: usize, to: usize, out: &mut Vec<TokenId>) -> usize {
        let lines = self.slots.lines();
        let keys = &self.keys[from..to];
        let hashes = &self.hashes[from..to];
        out.reserve((keys.len() + 1) * IN_PLACE);
        let mut room = out.spare_capacity_mut();
        let mut written = 0;
        let mut done = 0;
        for (&key, &hash) in keys.iter().zip(hashes) {
            let Some(value) = Slots::probe(lines, self.slots.line_of(hash), key) else { break };
            let count = value.count();
            if count > IN_PLACE {
                break;
            }
            // Five ids whatever their number: what is too much is written over by the next piece.
            let Some((place, _)) = room.split_first_chunk_mut::<IN_PLACE>() else { break };
            for (place, id) in place.iter_mut().zip(value.ids()) {
                place.write(id);
            }
            room = &mut room[count..];
            written += count;
            done += 1;
        }
        let length = out.len() + written;
        debug_assert!(length <= out.capacity());
        // SAFETY: the loop has written `written` ids, without a gap, to the spare room from its start on.
        #[allow(unsafe_code)]
        unsafe {
            out.set_len(length);
        }
        done
    }

    #[inline(never)]
    fn list_missing(&mut self, from: usize, to: usize) {
        self.missing.clear();
        let lines = self.slots.lines();
        for at in from..to {
            let key = self.keys[at];
            let known = match Slots::probe(lines, self.slots.line_of(self.hashes[at]), key) {
                Some(value) => value.count() <= IN_PLACE || self.slots.remembers(value),
                None => key.is_long(),
            };
            if !known {
                self.missing.push(at as u32);
            }
        }
    }

    /// Puts the results of the missing pieces into their slots. The ids of the piece that came last stay in
    /// `self.ids`.
    #[inline(never)]
    fn resolve(&mut self, engine: &Engine) {
        let Runner { slots, keys, hashes, missing, work, ids } = self;
        if !engine.whole.is_empty() {
            missing.retain(|&at| match engine.whole.get(&keys[at as usize]) {
                Some(&id) => {
                    ids.clear();
                    ids.push(id);
                    slots.insert(hashes[at as usize], keys[at as usize], ids);
                    false
                }
                None => true,
            });
        }
        let pieces = missing.iter().map(|&at| keys[at as usize]);
        engine.merger.merge(work, pieces, |index, lane: &Lane| {
            let at = missing[index] as usize;
            ids.clear();
            ids.extend(lane.symbols().iter().map(|&symbol| engine.merger.ids[symbol as usize]));
            slots.insert(hashes[at], keys[at], ids);
        });
    }
}

impl Engine {
    /// Sizes, for people.
    pub fn describe(&self) -> String {
        format!(
            "{} pairs in a perfect hash of {} kB, {} whole pieces besides; {} kB for all threads",
            self.merger.pairs.len(),
            self.merger.pairs.memory() >> 10,
            self.whole.len(),
            self.memory() >> 10
        )
    }
}
