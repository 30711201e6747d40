//! Merging the pieces that the slots do not know: many at a time.
//!
//! One merge waits for two look-ups that mostly lie outside the processor's nearest caches, and the next merge
//! waits for it. So [`WIDTH`] pieces are in work at once, in two phases: each chooses its merge and asks for the
//! two places; then each reads them. A piece that is done makes room for the next one.
//!
//! Nothing here decides anything that the plain loops (`model/bpe/merge.rs`) would decide otherwise: lowest rank
//! first, leftmost first among equals. Ranks are the symbols themselves (see [`super::pairs`]), so rank and place
//! are one number, and the lowest of them is the merge to make.

use super::characters::code_point_at;
use super::key::{Key, LONGEST};
use super::pairs::{NEVER, PairHash, Place, Symbol};
use crate::ids::TokenId;
use crate::unicode::CharTable;

/// Pieces in work.
const WIDTH: usize = 16;
/// Symbols that are looked at together; one is a border, so a piece has less.
const SYMBOLS: usize = 16;
const _: () = assert!(LONGEST < SYMBOLS);
/// Room behind the symbols, so that moving them up is always a move of [`SYMBOLS`].
const ROOM: usize = 2 * SYMBOLS + 2;

/// Symbols, their pairs and their ids.
#[derive(Debug)]
pub struct Merger {
    pub pairs: PairHash,
    /// What two bytes become, by the left one times 256 plus the right one.
    pub of_two: Box<[Symbol]>,
    pub of_byte: [Symbol; 256],
    pub ids: Vec<TokenId>,
    /// Where symbols are characters and not bytes: those of other characters than ASCII.
    pub wide: Option<Box<Wide>>,
}

/// First symbols of characters beyond ASCII.
#[derive(Debug)]
pub struct Wide {
    /// [`NEVER`] for those that are spelled in bytes.
    pub of_char: CharTable<Symbol>,
    pub of_byte: [Symbol; 256],
}

/// The pieces in work.
#[derive(Debug)]
pub struct Work(Box<[Lane; WIDTH]>);

impl Work {
    pub fn new() -> Self {
        Work(Box::new(std::array::from_fn(|_| Lane::new())))
    }
}

/// One piece in work.
#[derive(Debug, Clone)]
pub struct Lane {
    piece: usize,
    count: usize,
    /// Symbols between borders that merge with nothing.
    symbols: [Symbol; ROOM],
    /// What each symbol and the one behind it become.
    ranks: [Symbol; ROOM],
    places: [Place; 2],
    at: usize,
}

impl Lane {
    fn new() -> Self {
        Lane {
            piece: 0,
            count: 0,
            symbols: [NEVER; ROOM],
            ranks: [NEVER; ROOM],
            places: [Place::default(); 2],
            at: 0,
        }
    }

    /// The symbols that are left.
    pub fn symbols(&self) -> &[Symbol] {
        &self.symbols[1..=self.count]
    }

    #[inline(always)]
    fn begin(&mut self, merger: &Merger, piece: usize, key: Key) {
        if let Some(wide) = &merger.wide
            && !key.is_ascii()
        {
            return self.begin_wide(merger, wide, piece, key);
        }
        let bytes = key.bytes();
        self.piece = piece;
        self.count = key.len();
        self.symbols = [NEVER; ROOM];
        self.ranks = [NEVER; ROOM];
        for (symbol, byte) in self.symbols[1..=self.count].iter_mut().zip(bytes) {
            *symbol = merger.of_byte[usize::from(byte)];
        }
        for at in 1..self.count {
            let pair = usize::from(bytes[at - 1]) << 8 | usize::from(bytes[at]);
            self.ranks[at] = merger.of_two[pair];
        }
    }

    /// The same for a key with other characters than ASCII, where symbols are characters.
    fn begin_wide(&mut self, merger: &Merger, wide: &Wide, piece: usize, key: Key) {
        let bytes = key.bytes();
        let bytes = &bytes[..key.len()];
        self.piece = piece;
        self.symbols = [NEVER; ROOM];
        self.ranks = [NEVER; ROOM];
        let mut count = 0;
        let mut put = |symbol: Symbol| {
            count += 1;
            self.symbols[count] = symbol;
        };
        let mut at = 0;
        while let Some(&byte) = bytes.get(at) {
            if byte < 128 {
                put(merger.of_byte[usize::from(byte)]);
                at += 1;
                continue;
            }
            let (code_point, width) = code_point_at(bytes, at);
            let end = (at + width as usize).min(bytes.len());
            match wide.of_char.of_code_point(code_point) {
                NEVER => bytes[at..end].iter().for_each(|&byte| put(wide.of_byte[usize::from(byte)])),
                symbol => put(symbol),
            }
            at = end;
        }
        self.count = count;
        for at in 1..count {
            let place = merger.pairs.place(self.symbols[at], self.symbols[at + 1]);
            self.ranks[at] = merger.pairs.at(place);
        }
    }

    /// Makes the next merge and asks for its two new pairs; false if there is none.
    #[inline(always)]
    fn choose(&mut self, merger: &Merger) -> bool {
        let mut best = u32::MAX;
        for (at, &rank) in self.ranks[..SYMBOLS].iter().enumerate() {
            best = best.min(rank << 4 | at as u32);
        }
        let (merged, at) = (best >> 4, best as usize % SYMBOLS);
        if merged == NEVER {
            return false;
        }
        self.symbols[at] = merged;
        move_up(&mut self.symbols, at + 1);
        move_up(&mut self.ranks, at + 1);
        self.count -= 1;
        self.at = at;
        let (left, right) = (self.symbols[at - 1], self.symbols[at + 1]);
        self.places = [merger.pairs.place(left, merged), merger.pairs.place(merged, right)];
        true
    }

    /// Reads what the last choice asked for.
    #[inline(always)]
    fn read(&mut self, merger: &Merger) {
        self.ranks[self.at - 1] = merger.pairs.at(self.places[0]);
        self.ranks[self.at] = merger.pairs.at(self.places[1]);
    }
}

/// Takes one entry out: those behind it move up.
#[inline(always)]
fn move_up(entries: &mut [Symbol; ROOM], at: usize) {
    let behind: [Symbol; SYMBOLS] = std::array::from_fn(|offset| entries[at + 1 + offset]);
    entries[at..at + SYMBOLS].copy_from_slice(&behind);
}

impl Merger {
    /// Hands over the ids of numbered pieces, in any order.
    #[inline(always)]
    pub fn solve(
        &self,
        work: &mut Work,
        pieces: impl Iterator<Item = (usize, Key)>,
        mut found: impl FnMut(usize, &[TokenId]),
    ) {
        self.merge(work, pieces, |index, lane: &Lane| {
            let mut ids = [0; LONGEST];
            let symbols = lane.symbols();
            for (id, &symbol) in ids.iter_mut().zip(symbols) {
                *id = self.ids[symbol as usize];
            }
            found(index, &ids[..symbols.len()]);
        });
    }

    /// Merges numbered pieces, in any order, and hands each over when it is done.
    #[inline(always)]
    pub fn merge(
        &self,
        work: &mut Work,
        mut pieces: impl Iterator<Item = (usize, Key)>,
        mut done: impl FnMut(usize, &Lane),
    ) {
        // Lanes in work stand first, in any order.
        let mut order: [usize; WIDTH] = std::array::from_fn(|at| at);
        let lanes = &mut *work.0;
        let mut working = 0;
        while working < WIDTH
            && let Some((piece, key)) = pieces.next()
        {
            lanes[working].begin(self, piece, key);
            working += 1;
        }
        while working > 0 {
            let mut at = 0;
            while at < working {
                let lane = &mut lanes[order[at]];
                if lane.choose(self) {
                    at += 1;
                    continue;
                }
                done(lane.piece, lane);
                match pieces.next() {
                    Some((piece, key)) => lane.begin(self, piece, key),
                    None => {
                        working -= 1;
                        order.swap(at, working);
                    }
                }
            }
            order[..working].iter().for_each(|&at| lanes[at].read(self));
        }
    }
}
