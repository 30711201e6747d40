//! The growing columns of one sequence, and the room that they grow in.

use std::sync::Arc;

use super::Texts;
use super::positions::Positions;
use crate::encoding::{GrowingSurfaces, Offsets, Untold};
use crate::flat::copy_of;
use crate::ids::{Span, TokenId};

/// Ids whose room a worker keeps from one text to the next, and bytes of a text that is encoded there.
pub(super) const MOST_KEPT: usize = 1 << 18;

/// Room that columns of a text grow in, beside that of the ids: a worker keeps it, so that it is there and known to the
/// processor's caches.
#[derive(Debug, Default)]
pub(super) struct Room {
    offsets: Vec<[u32; 2]>,
    words: Vec<u32>,
    /// Empty: its room alone.
    surfaces: GrowingSurfaces,
}

impl Room {
    /// Keeps the room of texts of tokens as well.
    pub fn keep(&mut self, surfaces: GrowingSurfaces) {
        self.surfaces = surfaces.emptied();
    }
}

/// The growing columns of one sequence.
#[derive(Default)]
pub(super) struct Columns {
    pub ids: Vec<TokenId>,
    pub offsets: Offsets,
    pub words: Vec<u32>,
    pub surfaces: GrowingSurfaces,
    /// Which of the tokens are added ones, ascending.
    pub added: Vec<usize>,
    /// What offsets and words follow from, instead of them.
    pub untold: Option<Arc<dyn Untold>>,
}

/// Puts a copy of a column that takes no more memory than it needs in its place.
fn moved_out<T: Copy>(column: &mut Vec<T>, more: usize) -> Vec<T> {
    let copy = copy_of(column, more);
    std::mem::replace(column, copy)
}

impl Columns {
    #[inline]
    pub fn push(&mut self, id: TokenId, span: Span, word: u32, positions: &mut Positions<'_>) {
        self.ids.push(id);
        self.offsets.push((positions.convert(span.start), positions.convert(span.end)));
        self.words.push(word);
    }

    /// Columns in the room of a worker.
    pub fn in_room(mut ids: Vec<TokenId>, room: Room) -> Self {
        let Room { mut offsets, mut words, surfaces } = room;
        ids.clear();
        offsets.clear();
        words.clear();
        Columns { ids, offsets: Offsets::Narrow(offsets), words, surfaces, ..Columns::default() }
    }

    /// Moves the columns out of the room that they grew in, with place for so many more tokens, and gives it back. Very
    /// many stay in it, and all but the ids where these did not grow `by_words`: then they grew in few steps, and growing
    /// costs less than the copy.
    pub fn leave_room(&mut self, more: usize, by_words: bool) -> (Vec<TokenId>, Room) {
        if self.ids.capacity() > MOST_KEPT {
            return Default::default();
        }
        let ids = moved_out(&mut self.ids, more);
        if !by_words {
            return (ids, Room::default());
        }
        let words = moved_out(&mut self.words, more);
        let offsets = match &mut self.offsets {
            Offsets::Narrow(offsets) => moved_out(offsets, more),
            Offsets::Wide(_) => Vec::new(),
        };
        (ids, Room { offsets, words, ..Room::default() })
    }

    /// Takes back all tokens behind the first `count`.
    pub fn truncate(&mut self, count: usize) {
        self.ids.truncate(count);
        self.offsets.truncate(count);
        self.words.truncate(count);
        self.surfaces.truncate(count);
        self.added.truncate(self.added.partition_point(|&index| index < count));
    }

    /// Gives the token pushed last a text of its own.
    pub fn name_last(&mut self, text: &str) {
        self.surfaces.push(self.ids.len() - 1, text);
    }

    /// Gives tokens of the model whose id an added token also has the model's text.
    #[cold]
    pub fn name_contested(&mut self, texts: &Texts) {
        let given = std::mem::take(&mut self.surfaces);
        for (index, &id) in self.ids.iter().enumerate() {
            let of_model = || texts.contested_text(id).filter(|_| self.added.binary_search(&index).is_err());
            if let Some(text) = given.get(index).or_else(of_model) {
                self.surfaces.push(index, text);
            }
        }
    }
}
