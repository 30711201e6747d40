//! Lines of the processor's cache, eight words each, which begin as zeros.

use super::ahead::{LARGE_PAGE, want_large_pages};

/// Words of a line.
pub const LINE: usize = 8;
/// A line that is two slots.
pub type TwoSlots = [[u64; LINE / 2]; 2];
/// Bytes of a line.
pub const BYTES: usize = LINE * size_of::<u64>();

/// Allocated as words, for those are had from the system as zeros, untouched; the first are left out so that lines are
/// lines of the processor and large pages fit.
#[derive(Debug)]
pub struct Room {
    words: Vec<u64>,
    skipped: usize,
    /// Words that are lines.
    length: usize,
}

impl Room {
    /// As many lines as two to the given power.
    pub fn new(lines_log2: u32) -> Self {
        Self::of_words(LINE << lines_log2)
    }

    /// Whole large pages for so many words, if they would fill half of one at least.
    pub fn large(words: usize) -> Option<Self> {
        let page = LARGE_PAGE / size_of::<u64>();
        (words >= page / 2).then(|| Self::of_words(words.next_multiple_of(page)))
    }

    fn of_words(length: usize) -> Self {
        let bytes = length * size_of::<u64>();
        let alignment = if bytes < LARGE_PAGE { BYTES } else { LARGE_PAGE };
        let spare = alignment / size_of::<u64>();
        let mut words = vec![0u64; length + spare];
        let skipped = words.as_ptr().align_offset(alignment).min(spare);
        want_large_pages(&mut words[skipped..skipped + length]);
        Room { words, skipped, length }
    }

    #[inline(always)]
    pub fn words(&self) -> &[u64] {
        &self.words[self.skipped..self.skipped + self.length]
    }

    #[inline(always)]
    pub fn words_mut(&mut self) -> &mut [u64] {
        &mut self.words[self.skipped..self.skipped + self.length]
    }
}

/// So many zeros behind some words that are left out, in large pages where they are many: the words, and how many are left out.
pub fn words_in_large_pages(length: usize) -> (Vec<u64>, usize) {
    match length * size_of::<u64>() >= LARGE_PAGE / 4 {
        true => {
            let page = LARGE_PAGE / size_of::<u64>();
            let Room { words, skipped, .. } = Room::of_words(length.next_multiple_of(page));
            (words, skipped)
        }
        false => (vec![0; length], 0),
    }
}
