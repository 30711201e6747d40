//! Pieces of a window that are tokens whatever their bytes: added tokens that stand between stretches of a text.
//!
//! A text with many of them is a window all the same. Their keys are hidden, so that they leave gaps like pieces that are too
//! long, which are filled with what is given here.

use super::key::LONG;
use super::store::Asked;
use crate::ids::TokenId;

/// The numbers of such pieces, ascending, and what they are.
#[derive(Debug, Default)]
pub struct Given {
    pieces: Vec<u32>,
    ids: Vec<TokenId>,
    /// Where each of them stands in what is written.
    places: Vec<usize>,
    /// How many are hidden.
    hidden: usize,
}

impl Given {
    /// There are none.
    pub fn clear(&mut self) {
        self.pieces.clear();
        self.ids.clear();
        self.places.clear();
        self.hidden = 0;
    }

    /// The next one.
    pub fn push(&mut self, piece: usize, id: TokenId) {
        self.pieces.push(piece as u32);
        self.ids.push(id);
    }

    /// Of those that are written: the number of each piece, and where in what it was appended to its id stands.
    pub fn written(&self) -> impl Iterator<Item = (usize, usize)> {
        self.pieces.iter().zip(&self.places).map(|(&piece, &place)| (piece as usize, place))
    }

    /// Hides those of a chunk whose first piece has the number `first`.
    #[inline(always)]
    pub(super) fn hide(&mut self, first: usize, pieces: &mut [Asked]) {
        while let Some(&piece) = self.pieces.get(self.hidden)
            && let Some(hidden) = pieces.get_mut((piece as usize).wrapping_sub(first))
        {
            hidden.key = LONG;
            self.hidden += 1;
        }
    }

    /// Appends the id of the piece, if it is the next one of these.
    #[inline(always)]
    pub(super) fn write(&mut self, piece: usize, out: &mut Vec<TokenId>) -> bool {
        let next = self.places.len();
        if self.pieces.get(next) != Some(&(piece as u32)) {
            return false;
        }
        self.places.push(out.len());
        out.push(self.ids[next]);
        true
    }
}
