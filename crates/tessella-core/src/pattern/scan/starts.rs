//! Where pieces start, 64 bytes at a time: the patterns of families as arithmetic on masks.
//!
//! A piece starts where its kind of character begins and nothing before takes it in. Runs are told by the bit of the
//! byte before; what hangs on more (contractions, digits in threes, the last line end of a run of white space) is
//! rare, and done bit by bit. The slow twin is the automaton of the same pattern.

use super::alphabet::Alphabet;
use super::family::{Ending, Reading};
use super::masks::Masks;
use crate::lanes::ascii::{LINE_END, WHITE};

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

#[derive(Debug)]
pub(super) struct Starts<'t> {
    pub(super) reading: &'t Reading,
    pub(super) alphabet: &'t Alphabet,
    /// Up to the end of the text.
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

/// What the next block must know of the one before, where case counts, besides.
#[derive(Debug, Default)]
pub(super) struct Cased {
    pub(super) word: u64,
    pub(super) small: u64,
    pub(super) both: u64,
    /// What is both, behind a small letter of the same word.
    pub(super) late: u64,
    /// Marks that are taken for punctuation.
    pub(super) dull: u64,
    /// Bytes of the next block that belong to a contraction.
    pub(super) contracted: u64,
    /// Where the capitals that were looked through last end, and whether more of a word stands there.
    pub(super) capitals: (usize, bool),
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

impl<'t> Starts<'t> {
    /// Of a text that begins at `base`: what stands before it is another one.
    pub(super) fn new(reading: &'t Reading, alphabet: &'t Alphabet, text: &'t [u8], base: usize) -> Self {
        Starts {
            reading,
            alphabet,
            text,
            base,
            before: Before::default(),
            cases: Cased::default(),
            run: None,
        }
    }
}

impl Starts<'_> {
    #[inline(always)]
    pub(super) fn of<R: Rules>(&mut self, block: &Masks, next: &Masks) -> u64 {
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
