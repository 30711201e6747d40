//! The corpus as one flat array of symbols.
//!
//! Every distinct word lies between two separators; a symbol is an id. When two neighbours merge, the left cell
//! takes the new id and the symbol now *spans* both. A span of length n > 1 that starts at `p` writes its length,
//! flagged, into cell `p + 1` (the way forward) and cell `p + n - 1` (the way back; the same cell if n = 2). Every
//! other inner cell stays flagged too, so no cell inside a span can be mistaken for a symbol. Neighbours are found
//! in O(1) either way, four bytes per symbol in all.

use tessella_core::{Error, Result, prefetch, with_large_pages};

/// Marks a cell inside a span; the rest of the cell is the span's length (or 0).
const INNER: u32 = 1 << 31;
/// Between words, before the first and after the last.
pub(crate) const SEPARATOR: u32 = INNER - 1;
/// Ids stay below this.
pub(crate) const ID_LIMIT: u32 = SEPARATOR;
/// Positions per step of the index from positions to words.
pub(crate) const BLOCK: usize = 16;

/// How much a corpus has of words and of characters.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Extent {
    pub(crate) words: usize,
    pub(crate) characters: usize,
}

#[derive(Debug, Clone, Default)]
pub(crate) struct Symbols {
    pub(crate) cells: Vec<u32>,
    /// Position of each word's first symbol, and the weight of the word.
    pub(crate) starts: Vec<u32>,
    pub(crate) weights: Vec<u64>,
    /// Per block of positions: a word that begins at or before the block, the last such.
    pub(crate) word_of_block: Vec<u32>,
}

impl Symbols {
    pub(crate) fn new() -> Self {
        Symbols { cells: vec![SEPARATOR], ..Symbols::default() }
    }

    /// Arrays that do not move while they are filled, which would leave holes behind.
    pub(crate) fn with_room_for(extent: Extent) -> Self {
        let Extent { words, characters } = extent;
        let mut symbols = Symbols {
            cells: with_large_pages((characters + words + 1).min(INNER as usize)),
            starts: with_large_pages(words),
            weights: with_large_pages(words),
            ..Symbols::default()
        };
        symbols.cells.push(SEPARATOR);
        symbols
    }

    /// Appends a word. Words without symbols are left out.
    pub(crate) fn push_word(&mut self, symbols: &[u32], weight: u64) -> Result<()> {
        if symbols.is_empty() {
            return Ok(());
        }
        if self.cells.len() + symbols.len() + 1 >= INNER as usize {
            return Err(Error::new(
                tessella_core::ErrorKind::Train,
                format!(
                    "the distinct pieces have more than {} characters together: drop rare pieces from the \
                     counts, or split the text into smaller pieces",
                    INNER - 2
                ),
            ));
        }
        self.starts.push(self.cells.len() as u32);
        self.weights.push(weight);
        self.cells.extend_from_slice(symbols);
        self.cells.push(SEPARATOR);
        Ok(())
    }

    /// To be called once after the last word.
    pub(crate) fn finish(&mut self) {
        self.word_of_block = Vec::with_capacity(self.cells.len() / BLOCK + 1);
        let mut word = 0;
        for block in (0..self.cells.len()).step_by(BLOCK) {
            while word + 1 < self.starts.len() && self.starts[word + 1] as usize <= block {
                word += 1;
            }
            self.word_of_block.push(word as u32);
        }
        self.cells.shrink_to_fit();
    }

    /// Bytes in use.
    pub(crate) fn memory(&self) -> usize {
        (self.cells.len() + self.starts.len() + self.word_of_block.len()) * size_of::<u32>()
            + self.weights.len() * size_of::<u64>()
    }

    #[inline]
    pub(crate) fn word_at(&self, position: u32) -> usize {
        self.word_from(self.word_of_block[position as usize / BLOCK], position)
    }

    /// Asks for what [`word_from`](Self::word_from) and the pair at a position need first.
    #[inline]
    pub(crate) fn ask(&self, position: u32) {
        prefetch(&self.cells, position as usize);
        prefetch(&self.word_of_block, position as usize / BLOCK);
    }

    /// The word of a position's block, about which more is asked for.
    #[inline]
    pub(crate) fn ask_word(&self, position: u32) -> u32 {
        let word = self.word_of_block[position as usize / BLOCK];
        prefetch(&self.starts, word as usize + 1);
        prefetch(&self.weights, word as usize);
        word
    }

    /// The word of a position, from that of its block.
    #[inline]
    pub(crate) fn word_from(&self, word: u32, position: u32) -> usize {
        let mut word = word as usize;
        while self.starts.get(word + 1).is_some_and(|&start| start <= position) {
            word += 1;
        }
        word
    }

    /// The cell right after the symbol at `position`: its right neighbour or a separator.
    #[inline]
    pub(crate) fn next(&self, position: u32) -> u32 {
        position + self.span(position)
    }

    /// How many initial symbols the symbol at `position` spans.
    #[inline]
    pub(crate) fn span(&self, position: u32) -> u32 {
        match self.cells[position as usize + 1] {
            cell if cell & INNER != 0 => cell & !INNER,
            _ => 1,
        }
    }

    /// Start of the symbol before the one at `position`, or the position of the separator before it.
    #[inline]
    pub(crate) fn previous(&self, position: u32) -> u32 {
        match self.cells[position as usize - 1] {
            cell if cell & INNER != 0 => position - (cell & !INNER),
            _ => position - 1,
        }
    }

    /// True if the symbols at `position` and right of it are these.
    #[inline]
    pub(crate) fn is_pair(&self, position: u32, left: u32, right: u32) -> bool {
        self.cells[position as usize] == left && self.cells[self.next(position) as usize] == right
    }

    /// Joins the symbol at `position` with the one at `right`, its neighbour.
    #[inline]
    pub(crate) fn join(&mut self, position: u32, right: u32, merged: u32) {
        let end = self.next(right);
        let span = end - position;
        self.cells[position as usize] = merged;
        self.cells[right as usize] = INNER;
        self.cells[position as usize + 1] = INNER | span;
        self.cells[end as usize - 1] = INNER | span;
    }

    /// The symbols of a word, left to right.
    pub(crate) fn word(&self, word: usize) -> impl Iterator<Item = u32> + '_ {
        let mut position = self.starts[word];
        std::iter::from_fn(move || {
            let symbol = self.cells[position as usize];
            if symbol == SEPARATOR {
                return None;
            }
            position = self.next(position);
            Some(symbol)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joined_spans_are_walked_both_ways() {
        let mut symbols = Symbols::new();
        symbols.push_word(&[0, 1, 2, 3, 4], 7).unwrap();
        symbols.push_word(&[5], 9).unwrap();
        symbols.finish();
        symbols.join(2, 3, 10); // 0 [1 2] 3 4
        symbols.join(4, 5, 11); // 0 [1 2] [3 4]
        symbols.join(2, 4, 12); // 0 [1 2 3 4]
        assert_eq!(symbols.word(0).collect::<Vec<_>>(), [0, 12]);
        assert_eq!((symbols.next(2), symbols.previous(2), symbols.span(2)), (6, 1, 4));
        assert_eq!(symbols.previous(6), 2);
        assert!((3..6).all(|inner| symbols.cells[inner] & INNER != 0));
        assert_eq!([1, 5, 7].map(|position| symbols.weights[symbols.word_at(position)]), [7, 7, 9]);
    }
}
