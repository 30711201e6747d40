//! Where pieces start, 64 bytes at a time: the patterns of a [`Family`] as arithmetic on masks.
//!
//! A piece starts where its kind of character begins and nothing before takes it in. Runs are told by the bit of the
//! byte before; what hangs on more (contractions, digits in threes, the last line end of a run of white space) is
//! rare, and done bit by bit. The slow twin is the automaton of the same pattern.

use super::alphabet::Alphabet;
use super::cased::Cased;
use super::family::{Ending, Family, Reading};
use super::masks::{Blocks, Masks};
use crate::lanes::Bounds;
use crate::lanes::ascii::{BLOCK, LINE_END, WHITE};
use crate::lanes::vectors::{Level, Task, Vectors};

/// What tells the families apart.
pub(super) trait Rules {
    /// One character that is no line end, letter or digit goes with the word behind it, not only a blank; and line
    /// ends have rules of their own.
    const MODERN: bool;
    /// Digits to a piece; 0: all, with a blank before them.
    const DIGITS: u32;
    /// White space at the end of the text is one piece, line ends or not.
    const END_IS_WHOLE: bool;
    /// Where case counts: words take in the contraction behind them.
    const CONTRACTIONS: bool = false;
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

/// The pieces of a text, which together cover it, some at a time.
#[derive(Debug)]
pub struct Masked<'t> {
    blocks: Blocks<'t>,
    starts: Starts<'t>,
    /// The block that is next, once it was looked at.
    block: Option<Masks>,
    /// Starts that are left out: the text's own, which is no end of a piece.
    dropped: u64,
}

impl<'t> Masked<'t> {
    pub(super) fn new(reading: &'t Reading, alphabet: &'t Alphabet, text: &'t str) -> Self {
        let text = text.as_bytes();
        Masked {
            blocks: Blocks::new(text, alphabet, &reading.roles),
            starts: Starts {
                reading,
                alphabet,
                text,
                base: 0,
                before: Before::default(),
                cases: Cased::default(),
                run: None,
            },
            block: None,
            dropped: 1,
        }
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
        let length = self.starts.text.len();
        let mut block = match self.block {
            Some(block) => block,
            None => self.blocks.next::<V, CASED>(vectors),
        };
        while self.starts.base < length {
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
        if length > 0 {
            bounds.push(length as u32);
        }
        false
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

#[derive(Debug)]
pub(super) struct Starts<'t> {
    pub(super) reading: &'t Reading,
    pub(super) alphabet: &'t Alphabet,
    pub(super) text: &'t [u8],
    /// Where the block begins.
    pub(super) base: usize,
    pub(super) before: Before,
    pub(super) cases: Cased,
    run: Option<WhiteRun>,
}

/// What the next block must know of the one before.
#[derive(Debug, Default)]
pub(super) struct Before {
    pub(super) letter: u64,
    pub(super) digit: u64,
    pub(super) other: u64,
    pub(super) blank: u64,
    /// White space that marks before it have not taken in.
    pub(super) white: u64,
    pub(super) line_end: u64,
    /// Line ends that go with the marks before them.
    pub(super) taken: u64,
    /// Marks that begin a piece: the first bytes, the second ones, the third ones, and all.
    pub(super) marks: [u64; 3],
    pub(super) all_marks: u64,
    /// Digits of the piece so far.
    pub(super) digits: u32,
    /// Starts in the next block that a contraction makes, and those that it takes away.
    pub(super) added: u64,
    pub(super) removed: u64,
}

/// A run of white space that goes on beyond its block: where it ends, and where its last line end is.
#[derive(Debug, Clone, Copy)]
struct WhiteRun {
    end: usize,
    last_line_end: Option<usize>,
}

/// The bits one byte further on, for what stands before it.
#[inline(always)]
pub(super) fn after(bits: u64, before: u64) -> u64 {
    bits << 1 | before >> 63
}

/// Characters, by their first bytes, before a white one or the end of the text.
#[inline(always)]
pub(super) fn white_behind(block: &Masks, next: &Masks) -> u64 {
    let ends = (block.white | !block.there, next.white | !next.there);
    let behind = |bytes: u32, (block, next): (u64, u64)| block >> bytes | next << (64 - bytes);
    let inner_behind = |bytes| behind(bytes, (block.inner, next.inner));
    !inner_behind(1) & behind(1, ends)
        | inner_behind(1) & !inner_behind(2) & behind(2, ends)
        | inner_behind(1) & inner_behind(2) & behind(3, ends)
}

impl Starts<'_> {
    #[inline(always)]
    fn of<R: Rules>(&mut self, block: &Masks, next: &Masks) -> u64 {
        let before = &self.before;
        let &Masks { letter, digit, blank, quote, inner, there, .. } = block;
        let line_end = if R::MODERN { block.line_end } else { 0 };
        let other = block.other();
        let first = !inner;
        let after_blank = after(blank, before.blank);
        let after_other = after(other, before.other);
        let mark = other & first & !after_other & !after_blank;

        // Line ends right behind marks: a sum carries through the runs that begin there.
        let taken = if R::MODERN {
            let begun = line_end & (after_other | before.taken >> 63);
            line_end & !line_end.wrapping_add(begun)
        } else {
            0
        };
        let white = block.white & !taken;
        let mut starts = mark | white & first & !after(white, before.white);
        starts |= white & first & !line_end & !white_behind(block, next);

        let word = letter & first & !after(letter, before.letter);
        let (marks, all_marks) = if R::MODERN {
            let second = after(mark, before.marks[0]) & inner;
            let third = after(second, before.marks[1]) & inner;
            let fourth = after(third, before.marks[2]) & inner;
            let all = mark | second | third | fourth;
            let joined = after(white & !line_end, before.white & !before.line_end);
            starts |= word & !joined & !after(all, before.all_marks);
            ([mark, second, third], all)
        } else {
            starts |= word & !after_blank;
            ([0; 3], 0)
        };

        let (digit_starts, digits) = self.digits::<R>(digit, first, after_blank);
        starts |= digit_starts;

        starts = (starts | before.added) & !before.removed;
        let behind_line_end =
            white & !line_end & first & after(white & line_end, before.white & before.line_end);
        self.before = Before {
            letter,
            digit,
            other,
            blank,
            white,
            line_end,
            taken,
            marks,
            all_marks,
            digits,
            added: 0,
            removed: 0,
        };
        if R::MODERN && behind_line_end != 0 {
            starts |= self.last_line_ends::<R>(behind_line_end, white, line_end);
        }
        if quote & mark != 0 {
            starts = self.contractions(quote & mark, starts);
        }
        starts & there
    }

    /// Where digits begin, and how many there are since the last beginning.
    #[inline(always)]
    pub(super) fn digits<R: Rules>(&self, digit: u64, first: u64, after_blank: u64) -> (u64, u32) {
        let before = &self.before;
        let (mut starts, mut digits) = (0, before.digits);
        if R::DIGITS == 0 {
            starts |= digit & first & !after(digit, before.digit) & !after_blank;
        } else if R::DIGITS == 1 {
            starts |= digit & first;
        } else if digit != 0 {
            let run_goes_on = after(digit, before.digit);
            let mut bits = digit & first;
            while bits != 0 {
                let bit = bits & bits.wrapping_neg();
                bits ^= bit;
                digits = if run_goes_on & bit == 0 || digits == R::DIGITS { 1 } else { digits + 1 };
                starts |= if digits == 1 { bit } else { 0 };
            }
        }
        (starts, digits)
    }

    /// Of white characters behind a line end, those with no line end behind them in the same run.
    #[inline(never)]
    pub(super) fn last_line_ends<R: Rules>(&mut self, mut behind: u64, white: u64, line_end: u64) -> u64 {
        let mut starts = 0;
        while behind != 0 {
            let bit = behind.trailing_zeros();
            behind &= behind - 1;
            let length = (white >> bit).trailing_ones();
            let (end, more) = if bit + length < 64 {
                let run = (1u64 << length) - 1;
                (self.base + (bit + length) as usize, line_end >> bit & run != 0)
            } else {
                let at = self.base + bit as usize;
                let run = self.white_run(at);
                (run.end, run.last_line_end.is_some_and(|last| last > at))
            };
            if !(more || R::END_IS_WHOLE && end == self.text.len()) {
                starts |= 1 << bit;
            }
        }
        starts
    }

    /// The run of white space around `at`, which is looked through once.
    #[cold]
    fn white_run(&mut self, at: usize) -> WhiteRun {
        if let Some(run) = self.run
            && at < run.end
        {
            return run;
        }
        let mut run = WhiteRun { end: at, last_line_end: None };
        loop {
            let (class, length) = self.alphabet.at(self.text, run.end);
            let role = self.reading.roles[usize::from(class)];
            if length == 0 || role & WHITE == 0 {
                break;
            }
            if role & LINE_END != 0 {
                run.last_line_end = Some(run.end);
            }
            run.end += length;
        }
        self.run = Some(run);
        run
    }

    /// Behind an apostrophe that begins a piece: the letters of a contraction belong to it, and what follows them
    /// starts.
    #[inline(never)]
    fn contractions(&mut self, mut quotes: u64, mut starts: u64) -> u64 {
        while quotes != 0 {
            let bit = quotes.trailing_zeros();
            quotes &= quotes - 1;
            let Some(length) = self.contraction(self.base + bit as usize) else { continue };
            let removed = 2u128 << bit;
            let added = 1u128 << (bit as usize + length);
            starts = starts & !(removed as u64) | added as u64;
            self.before.removed |= (removed >> 64) as u64;
            self.before.added |= (added >> 64) as u64;
        }
        starts
    }

    /// Bytes of the contraction that begins with the apostrophe at `at`.
    #[inline]
    pub(super) fn contraction(&self, at: usize) -> Option<usize> {
        let ending = |at: usize| {
            let (class, length) = self.alphabet.at(self.text, at);
            (if length == 0 { Ending::None } else { self.reading.endings[usize::from(class)] }, length)
        };
        let (letter, length) = ending(at + 1);
        let wanted = match letter {
            Ending::Only => return Some(1 + length),
            Ending::BeforeE => Ending::E,
            Ending::L => Ending::L,
            Ending::None | Ending::E => return None,
        };
        let (second, more) = ending(at + 1 + length);
        (second == wanted).then_some(1 + length + more)
    }
}
