//! Where pieces start in the families where case counts: a word is capitals and then small letters.
//!
//! `[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+`, and failing that capitals alone: what is both (a letter
//! without case, a mark) fits either half. So within a word a piece starts
//!
//! - at a capital behind a small letter, whatever of both kinds stands between them;
//! - at capitals behind what is both, if no small letter came before and none comes behind these capitals: then the
//!   second half is the last that is both, and the capitals are left over.
//!
//! A mark (an accent, a vowel sign) is a part of words, but may be taken for punctuation as well: behind punctuation that
//! is not just one sign in front of it. That is rare, and each case is decided by itself, from left to right.
//!
//! A contraction belongs to the word before it, so its letters are taken out of the text first; what comes behind them is
//! then behind no word.

use super::masks::Masks;
use super::starts::{Before, Cased, Rules, Starts, after, white_behind};
use crate::lanes::ascii::{EITHER, LETTER, UPPER};

/// All of `through` that is come to from `from` on, itself among it, without a gap: a sum carries through runs.
#[inline(always)]
fn flooded(from: u64, through: u64) -> u64 {
    ((from.wrapping_add(through) ^ through) | from) & through
}

/// The run of set bits from a bit on.
#[inline(always)]
fn run_from(bits: u64, bit: u32) -> u64 {
    let length = (bits >> bit).trailing_ones();
    (!0u64 >> (64 - length.max(1))) << bit & bits
}

impl Starts<'_> {
    #[inline(always)]
    pub(super) fn cased<R: Rules>(&mut self, block: &Masks, next: &Masks) -> u64 {
        let &Masks { letter, digit, blank, line_end, quote, upper, either, slash, inner, there, .. } = block;
        let first = !inner;
        let (before, cases) = (&self.before, &self.cases);
        let after_blank = after(blank, before.blank);
        let mark = either & !letter;
        let plain = there & !(letter | digit | block.white | mark);
        // Line ends right behind punctuation, and slashes behind these.
        let tail = line_end | slash;
        let mut dull = if cases.dull >> 63 == 1 { run_from(mark, 0) } else { 0 };
        let mut decided = dull;
        let (mut other, taken, mut signs) = loop {
            let other = plain | dull;
            let begun = line_end & after(other, before.other) | tail & before.taken >> 63;
            let taken = flooded(begun, tail);
            let other = other & !taken;
            let signs = Signs::new(other & first & !after(other, before.other) & !after_blank, inner, before);
            let asked = mark & first & after(other, before.other) & !decided;
            if asked == 0 {
                break (other, taken, signs);
            }
            let run = run_from(mark, asked.trailing_zeros());
            decided |= run;
            if after(signs.all, before.all_marks) & run & run.wrapping_neg() == 0 {
                dull |= run;
            }
        };

        let mut word = (letter | mark) & !dull & !cases.contracted;
        let mut contracted = 0;
        if R::CONTRACTIONS && quote & after(word, cases.word) != 0 {
            let found = self.contracted(quote & after(word, cases.word), word);
            contracted = (found >> 64) as u64;
            word &= !(found as u64);
            other &= !(found as u64);
            signs.begin &= !(found as u64);
            signs.all &= !(found as u64);
        }

        let (before, cases) = (&self.before, &self.cases);
        let white = block.white & !taken;
        let mut starts = signs.begin | white & first & !after(white, before.white);
        starts |= white & first & !line_end & !white_behind(block, next);
        let joined = after(white & !line_end, before.white & !before.line_end);
        starts |= word & first & !after(word, cases.word) & !joined & !after(signs.all, before.all_marks);

        let (capital, both) = (upper & word, either & word);
        let small = word & !capital & !both;
        starts |= capital & first & after(small, cases.small);
        let late = flooded(both & (after(small, cases.small) | cases.late >> 63), both);
        let behind_both = capital & first & after(both, cases.both);
        let is_late = after(late, cases.late);
        let (digit_starts, digits) = self.digits::<R>(digit, first, after_blank);
        starts |= digit_starts | behind_both & is_late;
        if behind_both & !is_late != 0 {
            starts |= self.left_over(behind_both & !is_late, capital, small | both, next);
        }

        let behind_line_end =
            white & !line_end & first & after(white & line_end, self.before.white & self.before.line_end);
        let Signs { begin, second, third, all } = signs;
        self.before = Before {
            letter,
            digit,
            other,
            blank,
            white,
            line_end,
            taken,
            marks: [begin, second, third],
            all_marks: all,
            digits,
            added: 0,
            removed: 0,
        };
        self.cases = Cased { word, small, both, late, dull, contracted, capitals: self.cases.capitals };
        if behind_line_end != 0 {
            starts |= self.last_line_ends::<R>(behind_line_end, white, line_end);
        }
        starts & there
    }

    /// The bytes of contractions, of this block and the next, among apostrophes behind words.
    #[inline(never)]
    fn contracted(&self, mut quotes: u64, mut word: u64) -> u128 {
        let mut found = 0;
        while quotes != 0 {
            let bit = quotes.trailing_zeros();
            quotes &= quotes - 1;
            if after(word, self.cases.word) >> bit & 1 == 1
                && let Some(length) = self.contraction(self.base + bit as usize)
            {
                let bytes = ((1u128 << length) - 1) << bit;
                found |= bytes;
                word &= !(bytes as u64);
            }
        }
        found
    }

    /// Those of some capitals, each the first of a run, behind whose run the word does not go on.
    #[inline(never)]
    fn left_over(&mut self, mut firsts: u64, capital: u64, rest: u64, next: &Masks) -> u64 {
        let mut found = 0;
        while firsts != 0 {
            let bit = firsts.trailing_zeros();
            firsts &= firsts - 1;
            let end = bit + (capital >> bit).trailing_ones();
            let goes_on = if end < 64 {
                rest >> end & 1 == 1
            } else {
                match next.upper.trailing_ones() {
                    64 => self.word_goes_on(self.base + bit as usize),
                    end => ((next.letter | next.either) & !next.upper) >> end & 1 == 1,
                }
            };
            found |= u64::from(!goes_on) << bit;
        }
        found
    }

    /// Whether more of a word than capitals stands behind the run of these around `at`, which is looked through once.
    #[cold]
    fn word_goes_on(&mut self, mut at: usize) -> bool {
        if at < self.cases.capitals.0 {
            return self.cases.capitals.1;
        }
        loop {
            let (class, length) = self.alphabet.at(self.text, at);
            let role = self.reading.roles[usize::from(class)];
            if length == 0 || role & UPPER == 0 {
                let goes_on = length != 0 && role & (LETTER | EITHER) != 0;
                self.cases.capitals = (at, goes_on);
                return goes_on;
            }
            at += length;
        }
    }
}

/// Punctuation that begins a piece: its first bytes, its second ones, its third ones, and all.
#[derive(Clone, Copy)]
struct Signs {
    begin: u64,
    second: u64,
    third: u64,
    all: u64,
}

impl Signs {
    #[inline(always)]
    fn new(begin: u64, inner: u64, before: &Before) -> Signs {
        let second = after(begin, before.marks[0]) & inner;
        let third = after(second, before.marks[1]) & inner;
        let fourth = after(third, before.marks[2]) & inner;
        Signs { begin, second, third, all: begin | second | third | fourth }
    }
}
