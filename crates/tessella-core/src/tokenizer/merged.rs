//! New words and pieces of BPE models, merged side by side.
//!
//! What comes for the first time comes by the dozen, and merged one by one each waits for its look-ups alone. Pieces are written down
//! as the symbols that the model sees in them, and merged together ([`SymbolMerger`]). A piece that has too many symbols, or that the
//! model refuses, leaves its word to the way of a word alone, which is the twin of this.

use crate::error::Result;
use crate::ids::TokenId;
use crate::lanes::{LongWork, MOST_SYMBOLS, Symbol, SymbolMerger, Work};
use crate::model::Model;
use crate::model::bpe::{Bpe, TakesSymbols};

/// Bytes of a word or a piece that is merged with others though it is no key, at most: a character has up to four.
pub(super) const LONG_TOGETHER: usize = MOST_SYMBOLS * 4;

/// What new words are merged by.
#[derive(Debug, Clone, Copy)]
pub(super) struct Merging<'s> {
    bpe: &'s Bpe,
    merger: &'s SymbolMerger,
}

impl<'s> Merging<'s> {
    /// If the model can do so, and so many bytes of text pay for it.
    pub fn of(model: &'s Model, bytes: usize) -> Option<Self> {
        match model {
            Model::Bpe(bpe) => Self::of_bpe(bpe, bytes),
            _ => None,
        }
    }

    pub fn of_bpe(bpe: &'s Bpe, bytes: usize) -> Option<Self> {
        Some(Merging { bpe, merger: bpe.merges_together(bytes)? })
    }
}

/// Pieces of new words on their way.
#[derive(Debug, Default)]
pub(super) struct Gathered {
    symbols: Vec<Symbol>,
    /// Where the symbols of each piece end.
    ends: Vec<u32>,
    words: Vec<Word>,
    /// The ids of all pieces, in any order, and where those of each are.
    ids: Vec<TokenId>,
    places: Vec<(u32, u32)>,
    /// Those of a word.
    joined: Vec<TokenId>,
}

/// The number of a word among all new ones, and how many pieces there are with its own.
#[derive(Debug, Clone, Copy)]
struct Word {
    number: usize,
    pieces: usize,
}

/// The symbols of a piece, as the model hands them over.
struct Symbols<'g> {
    merger: &'g SymbolMerger,
    symbols: &'g mut Vec<Symbol>,
}

impl TakesSymbols for Symbols<'_> {
    #[inline]
    fn push(&mut self, id: TokenId, _: usize) {
        self.symbols.push(self.merger.symbol_of(id));
    }

    fn push_gap(&mut self, _: usize) {}
}

/// Room to merge in, which tells how many symbols a piece may have.
pub(super) enum Room<'w> {
    Few(&'w mut Work),
    Many(&'w mut LongWork),
}

impl Gathered {
    pub fn clear(&mut self) {
        self.symbols.clear();
        self.ends.clear();
        self.words.clear();
    }

    /// Takes a word, of which `pieces` hands over the pieces as the model reads them; false, and nothing is taken, if it has to go
    /// alone: a piece has more symbols than `most`, or is refused.
    pub fn take(
        &mut self,
        merging: &Merging<'_>,
        (number, most): (usize, usize),
        pieces: impl FnOnce(&mut dyn FnMut(&str) -> Result<()>) -> Result<()>,
    ) -> bool {
        let Merging { bpe, merger } = *merging;
        let Gathered { symbols, ends, words, .. } = self;
        let before = (symbols.len(), ends.len());
        let mut fits = true;
        let outcome = pieces(&mut |piece| {
            let start = symbols.len();
            fits &= piece.len() <= LONG_TOGETHER;
            if fits {
                bpe.first_symbols(piece, &mut Symbols { merger, symbols })?;
                fits &= symbols.len() - start <= most;
            }
            ends.push(symbols.len() as u32);
            Ok(())
        });
        if outcome.is_err() || !fits {
            symbols.truncate(before.0);
            ends.truncate(before.1);
            return false;
        }
        words.push(Word { number, pieces: ends.len() });
        true
    }

    /// Calls with the number of each word and its ids.
    pub fn solve(&mut self, merging: &Merging<'_>, room: Room<'_>, mut each: impl FnMut(usize, &[TokenId])) {
        let Gathered { symbols, ends, words, ids, places, joined } = self;
        ids.clear();
        places.clear();
        places.resize(ends.len(), (0, 0));
        let found = |at: usize, made: &[TokenId]| {
            let start = ids.len() as u32;
            ids.extend_from_slice(made);
            places[at] = (start, ids.len() as u32);
        };
        match room {
            Room::Few(work) => merging.merger.solve_few(work, (symbols, ends), found),
            Room::Many(work) => merging.merger.solve_many(work, (symbols, ends), found),
        }
        let of = |&(start, end): &(u32, u32)| &ids[start as usize..end as usize];
        let mut first = 0;
        for &Word { number, pieces } in &*words {
            if let [only] = &places[first..pieces] {
                each(number, of(only));
            } else {
                joined.clear();
                places[first..pieces].iter().for_each(|place| joined.extend_from_slice(of(place)));
                each(number, joined);
            }
            first = pieces;
        }
    }
}
