//! The pieces of a text many at a time, and which rules each family has.

use std::ops::Range;

use super::alphabet::Alphabet;
use super::family::{Family, Reading};
use super::fourfold::Fourfold;
use super::masks::{Blocks, Masks};
use super::starts::{Rules, Starts};
use crate::lanes::Bounds;
use crate::lanes::ascii::BLOCK;
use crate::lanes::vectors::{Level, Task, Vectors};
use crate::portion::Portion;

/// The pieces of a text, or of some, which together cover it, some at a time.
#[derive(Debug)]
pub enum MaskedPieces<'t> {
    /// By masks of 64 bytes.
    Masked(Masked<'t>),
    /// By an automaton at four places in turn.
    Fourfold(Fourfold<'t>),
}

impl MaskedPieces<'_> {
    /// Adds the ends of pieces until there are many of them; false if these are the last of the text.
    #[inline]
    pub fn fill(&mut self, level: Level, bounds: &mut Bounds) -> bool {
        match self {
            MaskedPieces::Masked(pieces) => pieces.fill(level, bounds),
            MaskedPieces::Fourfold(pieces) => pieces.fill(level, bounds),
        }
    }

    /// Hands over all pieces.
    pub fn for_each(mut self, mut emit: impl FnMut(usize, usize)) {
        let level = Level::best();
        let mut bounds = Bounds::default();
        let mut more = true;
        while more {
            bounds.go_on();
            more = self.fill(level, &mut bounds);
            for (&start, &end) in bounds.starts().iter().zip(bounds.ends()) {
                emit(start as usize, end as usize);
            }
        }
    }
}

/// The pieces of some texts, which together cover them, some at a time.
#[derive(Debug)]
pub struct Masked<'t> {
    /// All texts, and where those end that are still to come.
    texts: &'t [u8],
    later: &'t [usize],
    /// Where the text begins that is being cut.
    begin: usize,
    blocks: Blocks<'t>,
    starts: Starts<'t>,
    /// The block that is next, once it was looked at.
    block: Option<Masks>,
    /// Starts that are left out: the text's own, which is no end of a piece.
    dropped: u64,
}

impl<'t> Masked<'t> {
    pub(super) fn new(reading: &'t Reading, alphabet: &'t Alphabet, text: &'t str) -> Self {
        Self::within(reading, alphabet, text, 0..text.len())
    }

    /// The pieces of a stretch of a text, as if it were one for itself. Their places are those in the whole text.
    #[inline]
    pub(super) fn within(
        reading: &'t Reading,
        alphabet: &'t Alphabet,
        text: &'t str,
        stretch: Range<usize>,
    ) -> Self {
        let texts = text.as_bytes();
        let (begin, end) = (stretch.start, stretch.end);
        Masked {
            texts,
            later: &[],
            begin,
            blocks: Blocks::new(texts, stretch, alphabet, reading),
            starts: Starts::new(reading, alphabet, &texts[..end], begin),
            block: None,
            dropped: 1,
        }
    }

    /// The pieces of each of some texts, one after the other.
    pub(super) fn of_each(reading: &'t Reading, alphabet: &'t Alphabet, texts: &'t Portion) -> Self {
        let (&first, later) = texts.ends().split_first().unwrap_or((&0, &[]));
        Masked { later, ..Self::within(reading, alphabet, texts.joined(), 0..first) }
    }

    /// Goes on to the next text; false if there is none.
    #[inline(always)]
    fn next_text(&mut self) -> bool {
        let Some((&end, later)) = self.later.split_first() else { return false };
        let Starts { reading, alphabet, text, .. } = self.starts;
        (self.begin, self.later) = (text.len(), later);
        self.blocks = Blocks::new(self.texts, self.begin..end, alphabet, reading);
        self.starts = Starts::new(reading, alphabet, &self.texts[..end], self.begin);
        (self.block, self.dropped) = (None, 1);
        true
    }

    /// Adds the ends of pieces until there are many of them; false if these are the last of the text.
    pub fn fill(&mut self, level: Level, bounds: &mut Bounds) -> bool {
        level.run(Fill { pieces: self, bounds })
    }

    #[inline(always)]
    fn fill_with<R: Rules, V: Vectors, const CASED: bool>(
        &mut self,
        vectors: V,
        bounds: &mut Bounds,
    ) -> bool {
        loop {
            let end = self.starts.text.len();
            let mut block = match self.block {
                Some(block) => block,
                None => self.blocks.next::<V, CASED>(vectors),
            };
            while self.starts.base < end {
                if bounds.is_full() {
                    self.block = Some(block);
                    return true;
                }
                let next = self.blocks.next::<V, CASED>(vectors);
                let bits = match CASED {
                    true => self.starts.cased::<R>(&block, &next),
                    false => self.starts.of::<R>(&block, &next),
                };
                let bits = bits & !self.dropped;
                self.dropped = 0;
                bounds.push_block(vectors, bits, self.starts.base as u32);
                block = next;
                self.starts.base += BLOCK;
            }
            self.block = Some(block);
            if end > self.begin {
                bounds.push(end as u32);
            }
            if !self.next_text() {
                return false;
            }
            if bounds.is_full() {
                return true;
            }
        }
    }
}

struct Fill<'f, 't> {
    pieces: &'f mut Masked<'t>,
    bounds: &'f mut Bounds,
}

impl Task for Fill<'_, '_> {
    type Output = bool;

    #[inline(always)]
    fn run<V: Vectors>(self, vectors: V) -> bool {
        let Fill { pieces, bounds } = self;
        match pieces.starts.reading.family {
            Family::Gpt2 => pieces.fill_with::<Gpt2, V, false>(vectors, bounds),
            Family::Cl100k => pieces.fill_with::<Cl100k, V, false>(vectors, bounds),
            Family::Llama3 => pieces.fill_with::<Llama3, V, false>(vectors, bounds),
            Family::Qwen2 => pieces.fill_with::<Qwen2, V, false>(vectors, bounds),
            Family::O200k => pieces.fill_with::<O200k, V, true>(vectors, bounds),
            Family::Tekken => pieces.fill_with::<Tekken, V, true>(vectors, bounds),
        }
    }
}

struct Gpt2;
struct Cl100k;
struct Llama3;
struct Qwen2;
struct O200k;
struct Tekken;

impl Rules for Gpt2 {
    const MODERN: bool = false;
    const DIGITS: u32 = 0;
    const END_IS_WHOLE: bool = true;
}

impl Rules for Cl100k {
    const MODERN: bool = true;
    const DIGITS: u32 = 3;
    const END_IS_WHOLE: bool = true;
}

impl Rules for Llama3 {
    const MODERN: bool = true;
    const DIGITS: u32 = 3;
    const END_IS_WHOLE: bool = false;
}

impl Rules for Qwen2 {
    const MODERN: bool = true;
    const DIGITS: u32 = 1;
    const END_IS_WHOLE: bool = false;
}

impl Rules for O200k {
    const MODERN: bool = true;
    const DIGITS: u32 = 3;
    const END_IS_WHOLE: bool = false;
    const CONTRACTIONS: bool = true;
}

impl Rules for Tekken {
    const MODERN: bool = true;
    const DIGITS: u32 = 1;
    const END_IS_WHOLE: bool = false;
}
