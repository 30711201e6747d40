//! Lines of the processor's cache, eight words each, which begin as zeros.

use std::ops::Range;

use super::ahead::{LARGE_PAGE, want_large_pages};
#[cfg(unix)]
use super::mapped::Zeros;
use super::pages::pages_of;

/// Words of a line.
pub const LINE: usize = 8;
/// A line that is two slots: both keys, then what each of them became.
pub type TwoSlots = [[u64; 2]; LINE / 2];
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
        let mut room = Room::in_parts(lines_log2);
        want_large_pages(room.words_mut());
        room
    }

    /// As many lines, of which some come into use after others.
    pub fn in_parts(lines_log2: u32) -> Self {
        let length = LINE << lines_log2;
        let spare = spare(length);
        let mut memory = Memory::untouched(length + spare);
        let skipped = skipped(memory.words_mut(), spare);
        Room { memory, skipped, length }
    }

    /// Lines come into use, from where those before them end, and will be written to all over: in small pages up to where a
    /// large one would end, since most texts need no more and would wait for it, behind that in large ones.
    pub fn begin(&mut self, lines: Range<usize>) {
        let page = (LARGE_PAGE / BYTES).clamp(lines.start, lines.end);
        pages_of(&mut self.words_mut()[lines.start * LINE..page * LINE]);
        want_large_pages(&mut self.words_mut()[page * LINE..lines.end * LINE]);
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

/// How many words of new memory are left out, up to those that were meant to be.
fn skipped(words: &[u64], spare: usize) -> usize {
    words.as_ptr().align_offset(spare * size_of::<u64>()).min(spare)
}
