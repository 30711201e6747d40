//! What one thread needs to encode: buffers, the piece cache, and the engines for much text that have started.
//!
//! - [`one_piece`]: a piece becomes tokens, out of the cache or by the model
//! - [`start`]: when the engines for much text start
//!
//! The `pool` lends workers to whoever calls.

mod one_piece;
mod start;

use super::EncodeOptions;
use super::brief::Brief;
use super::byte_lanes::ByteLanes;
use super::columns::Room;
use super::id_room::Density;
use super::listed::Listed;
use super::piece_lanes::PieceLanes;
use super::segment::SegmentScratch;
use super::spelling::Spelling;
use super::unit_lanes::UnitLanes;
use super::untold::Noted;
use super::word_lanes::WordLanes;
use crate::cancel::Cancel;
use crate::ids::{PieceToken, TokenId};
use crate::lanes::places::Places;
use crate::limits;
use crate::memory;
use crate::model::Scratch;
use crate::model::cache::PieceCache;

pub(super) use start::LanesStart;

/// Lent by the pool for a call.
#[derive(Debug)]
pub(super) struct Worker {
    pub scratch: Scratch,
    pub segments: SegmentScratch,
    cache: PieceCache,
    /// The fast engine, once there was enough text for it.
    pub lanes: Option<Box<ByteLanes>>,
    /// The same for words.
    pub words: Option<Box<WordLanes>>,
    /// The same for words whose tokens are wanted with their places.
    pub packed_words: Option<Box<WordLanes>>,
    /// Room for those.
    pub packed: Vec<u32>,
    /// Room for what places of a text stand for.
    pub places: Places,
    pub noted: Noted,
    /// The same for units of texts that nothing splits.
    pub units: Option<Box<UnitLanes>>,
    /// The same for pieces of texts that nothing of all this tells.
    pub pieces: Option<Box<PieceLanes>>,
    /// Texts of a few bytes.
    pub brief: Brief,
    /// Words of lists.
    pub listed: Listed,
    start: LanesStart,
    /// Whether the model has none of the fast engine for bytes.
    lanes_are_refused: bool,
    text_seen: usize,
    /// Bytes of text that are known to come in this call.
    text_ahead: usize,
    budget: usize,
    /// Room for texts that do not lie in memory as they are read.
    texts: [String; 2],
    /// Room for the ids of a text.
    pub room: Vec<TokenId>,
    /// How many ids texts become.
    pub density: Density,
    /// The same for the other columns.
    pub columns: Room,
    tokens: Vec<PieceToken>,
    unit: Vec<PieceToken>,
    pub spelling: Spelling,
}

/// Budgets of the piece cache from which on whole texts are remembered too.
const BUDGET_FOR_TEXTS: usize = 64 << 10;
/// The share of it that is for words of lists: a sixty-fourth.
const WORDS_OF_BUDGET: usize = 64;

impl Worker {
    pub fn new(cache_budget: usize, start: LanesStart) -> Self {
        Worker {
            scratch: Scratch::remembering(cache_budget),
            segments: SegmentScratch::default(),
            cache: PieceCache::new(cache_budget),
            lanes: None,
            words: None,
            packed_words: None,
            packed: Vec::new(),
            places: Places::default(),
            noted: Noted::default(),
            units: None,
            pieces: None,
            brief: Brief::new(start != LanesStart::Never && cache_budget >= BUDGET_FOR_TEXTS),
            listed: Listed::new(if start == LanesStart::Never { 0 } else { cache_budget / WORDS_OF_BUDGET }),
            start,
            lanes_are_refused: false,
            text_seen: 0,
            text_ahead: 0,
            budget: cache_budget,
            texts: Default::default(),
            room: Vec::new(),
            density: Density::new(),
            columns: Room::default(),
            tokens: Vec::new(),
            unit: Vec::new(),
            spelling: Spelling::default(),
        }
    }

    /// Opens the bill of texts of so many bytes, and says to those who work long how they are told to stop.
    pub fn begin(&mut self, bytes: usize, options: &EncodeOptions<'_>) -> limits::Work {
        let cancel = Cancel::new(options.cancel);
        self.scratch.merge.stop_at(cancel.clone());
        limits::begin(bytes, cancel)
    }

    /// Lends out room for a text or a pair, empty, and keeps it unless it has become large.
    pub fn in_rooms<R>(&mut self, work: impl FnOnce(&mut Worker, &mut [String; 2]) -> R) -> R {
        let mut rooms = std::mem::take(&mut self.texts);
        let result = work(self, &mut rooms);
        for room in &mut rooms {
            room.clear();
            if room.capacity() > memory::KEPT {
                *room = String::new();
            }
        }
        self.texts = rooms;
        result
    }

    /// Takes out the fast engine, if it is there and knows all bytes of a text.
    #[inline]
    pub fn take_lanes(&mut self, text: &str) -> Option<Box<ByteLanes>> {
        self.lanes.take_if(|lanes| lanes.know(text.as_bytes()))
    }
}
