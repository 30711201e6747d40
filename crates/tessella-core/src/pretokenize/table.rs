//! The splitters that look at one character at a time.
//!
//! ASCII characters are looked up in a table of 128 entries, the others in the Unicode tables. Nothing here
//! can fail, and every splitter is one forward pass that emits ranges.

use std::num::NonZeroUsize;
use std::ops::Range;
use std::sync::LazyLock;

use super::cut::{Matches, cut};
use crate::error::Result;
use crate::spec::SplitBehavior;
use crate::unicode::categories::{is_numeric, is_punctuation};
use crate::unicode::scripts::{ANY, Scripts};
use crate::unicode::word::is_word;

/// A splitter that is a rule about characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)] // The fields are those of `PreTokenizerSpec`.
pub enum TableSplit {
    /// Runs of word characters and runs of other visible ones; white space goes.
    Whitespace,
    /// What stands between white space.
    WhitespaceSplit,
    /// What stands between white space, each punctuation character alone.
    Bert,
    Punctuation(SplitBehavior),
    /// Numeric characters: together, or each alone.
    Digits {
        individual: bool,
    },
    /// This many characters each; the last piece may be shorter.
    FixedLength(NonZeroUsize),
    /// Runs of one script.
    UnicodeScripts {
        keep_spaces: bool,
    },
}

/// Where a character stands: between words, as a word of its own (or in one of its kind), or within one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)] // The variants are in that order.
pub enum Standing {
    Between,
    Alone,
    Within,
}

impl TableSplit {
    /// Emits the pieces of `text`, in order and none of them empty.
    #[inline]
    pub fn for_each_piece(&self, text: &str, emit: &mut impl FnMut(Range<usize>)) -> Result<()> {
        match *self {
            TableSplit::Whitespace => words(text, &WHITESPACE, emit),
            TableSplit::Bert => words(text, &BERT, emit),
            TableSplit::WhitespaceSplit => return cut(&SPACES, SplitBehavior::Removed, false, text, emit),
            TableSplit::Punctuation(behavior) => return cut(&PUNCTUATION, behavior, false, text, emit),
            TableSplit::Digits { individual } => {
                return cut(&NUMBERS, digits(individual), false, text, emit);
            }
            TableSplit::FixedLength(length) => chunks(text, length, emit),
            TableSplit::UnicodeScripts { keep_spaces } => scripts(text, keep_spaces, emit),
        }
        Ok(())
    }

    /// Where a character stands, for rules of words and blanks alone.
    pub fn standing(&self, c: char) -> Option<Standing> {
        match self {
            TableSplit::Bert => Some(match bert_class(c) {
                SPACE => Standing::Between,
                ALONE => Standing::Alone,
                _ => Standing::Within,
            }),
            TableSplit::Whitespace => Some(match whitespace_class(c) {
                SPACE => Standing::Between,
                OTHER => Standing::Alone,
                _ => Standing::Within,
            }),
            TableSplit::WhitespaceSplit if c.is_whitespace() => Some(Standing::Between),
            TableSplit::WhitespaceSplit => Some(Standing::Within),
            _ => None,
        }
    }

    /// Whether those that are words of their own are one where they stand side by side.
    pub fn joins_alone(&self) -> bool {
        *self == TableSplit::Whitespace
    }

    /// The characters that are matches, each by itself, and what becomes of them, if that is the rule.
    pub(super) fn characters(&self) -> Option<(&'static [(char, char)], SplitBehavior)> {
        static NUMERIC: LazyLock<Vec<(char, char)>> = LazyLock::new(|| NUMBERS.ranges());
        static PUNCTUATING: LazyLock<Vec<(char, char)>> = LazyLock::new(|| PUNCTUATION.ranges());
        static WHITE: LazyLock<Vec<(char, char)>> = LazyLock::new(|| SPACES.ranges());
        match *self {
            TableSplit::WhitespaceSplit => Some((&WHITE, SplitBehavior::Removed)),
            TableSplit::Digits { individual } => Some((&NUMERIC, digits(individual))),
            TableSplit::Punctuation(behavior) => Some((&PUNCTUATING, behavior)),
            _ => None,
        }
    }

    /// What the rule is called in the plan.
    pub fn name(&self) -> &'static str {
        match self {
            TableSplit::Whitespace => "Whitespace",
            TableSplit::WhitespaceSplit => "WhitespaceSplit",
            TableSplit::Bert => "BertPreTokenizer",
            TableSplit::Punctuation(_) => "Punctuation",
            TableSplit::Digits { .. } => "Digits",
            TableSplit::FixedLength(_) => "FixedLength",
            TableSplit::UnicodeScripts { .. } => "UnicodeScripts",
        }
    }
}

/// What becomes of digits.
fn digits(individual: bool) -> SplitBehavior {
    if individual { SplitBehavior::Isolated } else { SplitBehavior::Contiguous }
}

/// The character that starts at `at`, which is not ASCII.
#[inline]
fn char_at(text: &str, at: usize) -> char {
    text[at..].chars().next().unwrap_or('\0')
}

const fn is_ascii_space(byte: u8) -> bool {
    matches!(byte, b'\t'..=b'\r' | b' ')
}

/// A set of characters; each of them is a match of its own.
struct CharSet {
    ascii: [bool; 128],
    wide: fn(char) -> bool,
}

#[derive(Clone, Copy)]
enum AsciiSet {
    Spaces,
    Punctuation,
    Digits,
}

const fn ascii_set(set: AsciiSet) -> [bool; 128] {
    let mut table = [false; 128];
    let mut byte = 0u8;
    while byte < 128 {
        table[byte as usize] = match set {
            AsciiSet::Spaces => is_ascii_space(byte),
            AsciiSet::Punctuation => byte.is_ascii_punctuation(),
            AsciiSet::Digits => byte.is_ascii_digit(),
        };
        byte += 1;
    }
    table
}

static SPACES: CharSet = CharSet { ascii: ascii_set(AsciiSet::Spaces), wide: char::is_whitespace };
static PUNCTUATION: CharSet = CharSet { ascii: ascii_set(AsciiSet::Punctuation), wide: is_punctuation };
static NUMBERS: CharSet = CharSet { ascii: ascii_set(AsciiSet::Digits), wide: is_numeric };

impl CharSet {
    fn holds(&self, c: char) -> bool {
        if c.is_ascii() { self.ascii[c as usize] } else { (self.wide)(c) }
    }

    /// First and last characters of all runs of it.
    fn ranges(&self) -> Vec<(char, char)> {
        let mut ranges: Vec<(char, char)> = Vec::new();
        for c in ('\0'..=char::MAX).filter(|&c| self.holds(c)) {
            match ranges.last_mut() {
                Some((_, last)) if *last as u32 + 1 == c as u32 => *last = c,
                _ => ranges.push((c, c)),
            }
        }
        ranges
    }
}

impl Matches for CharSet {
    #[inline]
    fn for_each(&self, text: &str, found: &mut impl FnMut(Range<usize>)) -> Result<()> {
        let bytes = text.as_bytes();
        let mut at = 0;
        while at < bytes.len() {
            let byte = bytes[at];
            if byte < 128 {
                if self.ascii[byte as usize] {
                    found(at..at + 1);
                }
                at += 1;
            } else {
                let c = char_at(text, at);
                let end = at + c.len_utf8();
                if (self.wide)(c) {
                    found(at..end);
                }
                at = end;
            }
        }
        Ok(())
    }
}

/// Belongs to no piece.
const SPACE: u8 = 0;
/// Is a piece of its own.
const ALONE: u8 = 1;
/// Two kinds that form runs.
const WORD: u8 = 2;
const OTHER: u8 = 3;

/// A class for every character.
struct Classes {
    ascii: [u8; 128],
    wide: fn(char) -> u8,
}

const fn ascii_classes(bert: bool) -> [u8; 128] {
    let mut table = [OTHER; 128];
    let mut byte = 0u8;
    while byte < 128 {
        table[byte as usize] = if is_ascii_space(byte) {
            SPACE
        } else if bert {
            if byte.is_ascii_punctuation() { ALONE } else { WORD }
        } else if byte.is_ascii_alphanumeric() || byte == b'_' {
            WORD
        } else {
            OTHER
        };
        byte += 1;
    }
    table
}

fn whitespace_class(c: char) -> u8 {
    if is_word(c) {
        WORD
    } else if c.is_whitespace() {
        SPACE
    } else {
        OTHER
    }
}

fn bert_class(c: char) -> u8 {
    if c.is_whitespace() {
        SPACE
    } else if is_punctuation(c) {
        ALONE
    } else {
        WORD
    }
}

static WHITESPACE: Classes = Classes { ascii: ascii_classes(false), wide: whitespace_class };
static BERT: Classes = Classes { ascii: ascii_classes(true), wide: bert_class };

/// Emits runs of equal class, and each character that is `ALONE`.
#[inline]
fn words(text: &str, classes: &Classes, emit: &mut impl FnMut(Range<usize>)) {
    let bytes = text.as_bytes();
    let class_at = |at: usize| {
        let byte = bytes[at];
        if byte < 128 {
            (classes.ascii[usize::from(byte)], at + 1)
        } else {
            let c = char_at(text, at);
            ((classes.wide)(c), at + c.len_utf8())
        }
    };
    let mut start = 0;
    while start < bytes.len() {
        let (class, mut end) = class_at(start);
        if class != ALONE {
            while end < bytes.len() {
                let (next, after) = class_at(end);
                if next != class {
                    break;
                }
                end = after;
            }
        }
        if class != SPACE {
            emit(start..end);
        }
        start = end;
    }
}

fn chunks(text: &str, length: NonZeroUsize, emit: &mut impl FnMut(Range<usize>)) {
    let mut start = 0;
    let mut count = 0;
    for (at, _) in text.char_indices() {
        if count == length.get() {
            emit(start..at);
            start = at;
            count = 0;
        }
        count += 1;
    }
    if start < text.len() {
        emit(start..text.len());
    }
}

/// Characters without a class stay with what stands before them. At the start nothing does: the reference
/// library loses them, `keep_spaces` gives them to the first piece.
fn scripts(text: &str, keep_spaces: bool, emit: &mut impl FnMut(Range<usize>)) {
    let mut scripts = Scripts::new();
    let mut start = keep_spaces.then_some(0);
    let mut running = ANY;
    for (at, c) in text.char_indices() {
        let class = scripts.class(c);
        if class == ANY || class == running {
            continue;
        }
        if running == ANY {
            start.get_or_insert(at);
        } else if let Some(start) = start.replace(at) {
            emit(start..at);
        }
        running = class;
    }
    if let Some(start) = start
        && start < text.len()
    {
        emit(start..text.len());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces(split: TableSplit, text: &str) -> Vec<&str> {
        let mut out = Vec::new();
        split.for_each_piece(text, &mut |range| out.push(&text[range])).unwrap();
        out
    }

    #[test]
    fn ascii_tables_agree_with_unicode_tables() {
        for byte in 0..128u8 {
            let c = char::from(byte);
            let index = usize::from(byte);
            for set in [&SPACES, &PUNCTUATION, &NUMBERS] {
                assert_eq!(set.ascii[index], (set.wide)(c), "{c:?}");
            }
            for classes in [&WHITESPACE, &BERT] {
                assert_eq!(classes.ascii[index], (classes.wide)(c), "{c:?}");
            }
        }
    }

    #[test]
    fn bert_isolates_punctuation() {
        let text = "this  sentence's (content)…";
        assert_eq!(pieces(TableSplit::Bert, text), ["this", "sentence", "'", "s", "(", "content", ")", "…"]);
    }

    #[test]
    fn scripts_and_their_leading_spaces() {
        let split = |keep_spaces| TableSplit::UnicodeScripts { keep_spaces };
        assert_eq!(pieces(split(false), "  Yes どこ 1"), ["Yes ", "どこ ", "1"]);
        assert_eq!(pieces(split(true), "  Yes どこ 1"), ["  Yes ", "どこ ", "1"]);
        assert!(pieces(split(false), "  ").is_empty());
        assert_eq!(pieces(split(true), "  "), ["  "]);
    }

    #[test]
    fn chunks_count_characters() {
        let five = TableSplit::FixedLength(NonZeroUsize::new(2).unwrap());
        assert_eq!(pieces(five, "aébc日"), ["aé", "bc", "日"]);
        assert!(pieces(five, "").is_empty());
    }
}
