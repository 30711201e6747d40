//! Lines of the processor's cache, eight words each, which begin as zeros.

use super::ahead::{LARGE_PAGE, want_large_pages};
#[cfg(unix)]
use super::mapped::Zeros;

/// Words of a line.
pub const LINE: usize = 8;
/// A line that is two slots.
pub type TwoSlots = [[u64; LINE / 2]; 2];
/// Bytes of a line.
pub const BYTES: usize = LINE * size_of::<u64>();

/// The first words are left out so that lines are lines of the processor and large pages fit.
#[derive(Debug)]
pub struct Room {
    memory: Memory,
    skipped: usize,
    /// Words that are lines.
    length: usize,
}

#[derive(Debug)]
enum Memory {
    Allocated(Vec<u64>),
    #[cfg(unix)]
    Mapped(Zeros),
}

impl Memory {
    /// Words that the system clears when they are touched, where it gives such, and where they are many.
    fn untouched(words: usize) -> Memory {
        #[cfg(unix)]
        if words * size_of::<u64>() >= LARGE_PAGE
            && let Some(zeros) = Zeros::new(words)
        {
            return Memory::Mapped(zeros);
        }
        Memory::Allocated(vec![0; words])
    }

    #[inline(always)]
    fn words(&self) -> &[u64] {
        match self {
            Memory::Allocated(words) => words,
            #[cfg(unix)]
            Memory::Mapped(zeros) => zeros.words(),
        }
    }

    #[inline(always)]
    fn words_mut(&mut self) -> &mut [u64] {
        match self {
            Memory::Allocated(words) => words,
            #[cfg(unix)]
            Memory::Mapped(zeros) => zeros.words_mut(),
        }
    }
}

impl Room {
    /// As many lines as two to the given power, of which few may ever be touched.
    pub fn new(lines_log2: u32) -> Self {
        let length = LINE << lines_log2;
        let spare = spare(length);
        let mut memory = Memory::untouched(length + spare);
        let skipped = aligned(memory.words_mut(), spare, length);
        Room { memory, skipped, length }
    }

    /// Whole large pages for so many words, if they would fill half of one at least.
    pub fn large(words: usize) -> Option<Self> {
        let page = LARGE_PAGE / size_of::<u64>();
        (words >= page / 2).then(|| {
            let length = words.next_multiple_of(page);
            let (words, skipped) = words_in_large_pages(length);
            Room { memory: Memory::Allocated(words), skipped, length }
        })
    }

    #[inline(always)]
    pub fn words(&self) -> &[u64] {
        &self.memory.words()[self.skipped..self.skipped + self.length]
    }

    #[inline(always)]
    pub fn words_mut(&mut self) -> &mut [u64] {
        &mut self.memory.words_mut()[self.skipped..self.skipped + self.length]
    }
}

/// Words that may have to be left out so that so many begin with a line, or with a large page if they fill one.
fn spare(length: usize) -> usize {
    let bytes = length * size_of::<u64>();
    (if bytes < LARGE_PAGE { BYTES } else { LARGE_PAGE }) / size_of::<u64>()
}

/// How many words of new memory are left out, up to those that were meant to be. So many behind them want large pages.
fn aligned(words: &mut [u64], spare: usize, length: usize) -> usize {
    let skipped = words.as_ptr().align_offset(spare * size_of::<u64>()).min(spare);
    want_large_pages(&mut words[skipped..skipped + length]);
    skipped
}

/// So many zeros behind some words that are left out, in large pages where they are many: the words, and how many are left out.
pub fn words_in_large_pages(length: usize) -> (Vec<u64>, usize) {
    match length * size_of::<u64>() >= LARGE_PAGE / 4 {
        true => {
            let page = LARGE_PAGE / size_of::<u64>();
            let length = length.next_multiple_of(page);
            let mut words = vec![0; length + page];
            let skipped = aligned(&mut words, page, length);
            (words, skipped)
        }
        false => (vec![0; length], 0),
    }
}
