//! The four normalization forms as streams of changes.
//!
//! A form is a list of `(character, change)` pairs that consume the source from left to right: 0 stands in
//! place of the next source character, 1 appears without consuming any, and `-n` stands for the next one
//! and swallows the `n` after it. Where characters trade places, the pairs keep their changes, so the
//! source is still consumed in its own order: this, odd as it is, is what defines the reference library's
//! offsets.
//!
//! From the bottom up: [`decompose`] and [`compose`] know one character and one pair; [`Form::changes`]
//! runs a whole stretch; [`Form::next_unsafe`] finds the stretches where anything can happen, so that the
//! rest is never looked at twice.

use std::ops::Range;

use super::{class_of, tables};

/// A Unicode normalization form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)] // The names are Unicode's.
pub enum Form {
    Nfc,
    Nfd,
    Nfkc,
    Nfkd,
}

const HANGUL: u32 = 0xAC00;
const LEADING: u32 = 0x1100;
const VOWEL: u32 = 0x1161;
/// One before the first trailing consonant: index 0 is "none".
const TRAILING: u32 = 0x11A7;
const LEADINGS: u32 = 19;
const VOWELS: u32 = 21;
const TRAILINGS: u32 = 28;
const SYLLABLES: u32 = LEADINGS * VOWELS * TRAILINGS;

/// Every value computed here lies in an assigned Hangul block.
fn hangul(code: u32) -> char {
    char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER)
}

/// The full decomposition of `c`, canonical or compatible; itself if it has none.
#[inline]
pub fn decompose(c: char, compatible: bool, mut emit: impl FnMut(char)) {
    let flag = if compatible { tables::NFKD_CHANGES } else { tables::NFD_CHANGES };
    if !class_of(c).any(flag) {
        return emit(c);
    }
    let code = c as u32;
    let syllable = code.wrapping_sub(HANGUL);
    if syllable < SYLLABLES {
        emit(hangul(LEADING + syllable / (VOWELS * TRAILINGS)));
        emit(hangul(VOWEL + syllable % (VOWELS * TRAILINGS) / TRAILINGS));
        let trailing = syllable % TRAILINGS;
        if trailing > 0 {
            emit(hangul(TRAILING + trailing));
        }
        return;
    }
    let Some(&block) = tables::DECOMPOSITION_INDEX.get((code >> tables::DECOMPOSITION_SHIFT) as usize) else {
        return emit(c);
    };
    let low = code as usize & ((1 << tables::DECOMPOSITION_SHIFT) - 1);
    let entry = tables::DECOMPOSITION_BLOCKS[((block as usize) << tables::DECOMPOSITION_SHIFT) | low];
    let (canonical, canonical_len, full, full_len) = tables::DECOMPOSITIONS[entry as usize];
    let (start, len) = if compatible { (full, full_len) } else { (canonical, canonical_len) };
    let (start, len) = (start as usize, len as usize);
    tables::DECOMPOSITION_TEXT[start..start + len].chars().for_each(emit);
}

/// The character that two compose to.
pub fn compose(first: char, second: char) -> Option<char> {
    if !class_of(second).any(tables::NFC_UNSAFE) {
        return None;
    }
    let (a, b) = (first as u32, second as u32);
    let (leading, vowel) = (a.wrapping_sub(LEADING), b.wrapping_sub(VOWEL));
    if leading < LEADINGS && vowel < VOWELS {
        return Some(hangul(HANGUL + (leading * VOWELS + vowel) * TRAILINGS));
    }
    let (syllable, trailing) = (a.wrapping_sub(HANGUL), b.wrapping_sub(TRAILING));
    if syllable < SYLLABLES && syllable % TRAILINGS == 0 && (1..TRAILINGS).contains(&trailing) {
        return Some(hangul(a + trailing));
    }
    let place =
        tables::COMPOSITIONS.binary_search_by_key(&(b, a), |&(second, first, _)| (second, first)).ok()?;
    char::from_u32(tables::COMPOSITIONS[place].2)
}

/// A character with its combining class and its change.
#[derive(Debug, Clone, Copy)]
struct Step {
    c: char,
    class: u8,
    change: isize,
}

/// Buffers of [`Form::changes`], reused from stretch to stretch.
#[derive(Debug, Default)]
pub struct Scratch {
    steps: Vec<Step>,
    /// The stretch's changes.
    pub changes: Vec<(char, isize)>,
}

impl Form {
    fn compatible(self) -> bool {
        matches!(self, Form::Nfkc | Form::Nfkd)
    }

    fn composes(self) -> bool {
        matches!(self, Form::Nfc | Form::Nfkc)
    }

    /// The flag of characters that are not simply copied.
    fn unsafe_flag(self) -> u32 {
        match self {
            Form::Nfc => tables::NFC_UNSAFE,
            Form::Nfd => tables::NFD_CHANGES,
            Form::Nfkc => tables::NFKC_UNSAFE,
            Form::Nfkd => tables::NFKD_CHANGES,
        }
    }

    /// Whether nothing in front of a character takes part in what becomes of it: what it decomposes to begins with one that neither
    /// trades places nor composes with those before.
    pub fn begins_anew(self, c: char) -> bool {
        let mut first = None;
        decompose(c, self.compatible(), |c| {
            first.get_or_insert(c);
        });
        let class = class_of(first.unwrap_or(c));
        class.combining() == 0 && !(self.composes() && class.any(tables::NFC_UNSAFE))
    }

    /// The next stretch of `text` from byte `from` on that may change; what is before it stays as it is.
    /// `from` must be 0 or the end of the stretch found before.
    pub fn next_unsafe(self, text: &str, from: usize) -> Option<Range<usize>> {
        let bytes = text.as_bytes();
        let flag = self.unsafe_flag();
        // The last character that nothing before it can reach: a change starts there at the earliest.
        let mut anchor = from;
        let mut last_class = 0;
        let mut at = from;
        while at < bytes.len() {
            if bytes[at] < 0x80 {
                at = ascii_end(bytes, at);
                anchor = at - 1;
                last_class = 0;
                continue;
            }
            let c = text[at..].chars().next()?;
            let class = class_of(c);
            let combining = class.combining();
            if class.any(flag) || (combining != 0 && combining < last_class) {
                return Some(anchor..self.unsafe_end(text, at + c.len_utf8()));
            }
            if combining == 0 {
                anchor = at;
            }
            last_class = combining;
            at += c.len_utf8();
        }
        None
    }

    /// Where the first character from `at` on stands that nothing before it can reach.
    fn unsafe_end(self, text: &str, at: usize) -> usize {
        let flag = self.unsafe_flag();
        let reachable = |c: char| {
            !c.is_ascii() && {
                let class = class_of(c);
                class.combining() != 0 || class.any(flag)
            }
        };
        text[at..].find(|c| !reachable(c)).map_or(text.len(), |length| at + length)
    }

    /// Puts the changes that bring `text` into this form into `scratch.changes`.
    pub fn changes(self, text: &str, scratch: &mut Scratch) {
        let Scratch { steps, changes } = scratch;
        steps.clear();
        changes.clear();
        // Characters of one combining sequence are put into the order of their classes.
        let mut sorted_to = 0;
        for source in text.chars() {
            let mut change = 0;
            decompose(source, self.compatible(), |c| {
                let class = class_of(c).combining();
                if class == 0 {
                    sort_sequence(&mut steps[sorted_to..]);
                    sorted_to = steps.len() + 1;
                }
                steps.push(Step { c, class, change });
                change = 1;
            });
        }
        sort_sequence(&mut steps[sorted_to..]);
        if self.composes() {
            compose_steps(steps, changes);
        } else {
            changes.extend(steps.iter().map(|step| (step.c, step.change)));
        }
    }
}

fn sort_sequence(steps: &mut [Step]) {
    if !steps.is_sorted_by_key(|step| step.class) {
        steps.sort_by_key(|step| step.class);
    }
}

/// Each starter takes in what it can of the marks that follow. Pairs come out in the order of the
/// composed text; a composed character has swallowed what it took in.
fn compose_steps(steps: &[Step], changes: &mut Vec<(char, isize)>) {
    // Where the starter stands in `changes`, and the class of the last mark that it did not take in.
    let mut starter: Option<usize> = None;
    let mut last_class: Option<u8> = None;
    for step in steps {
        if let Some(place) = starter
            && last_class.is_none_or(|last| last < step.class)
            && let Some(composed) = compose(changes[place].0, step.c)
        {
            changes[place] = (composed, changes[place].1 + step.change - 1);
            continue;
        }
        if step.class == 0 {
            starter = Some(changes.len());
            last_class = None;
        } else if starter.is_some() {
            last_class = Some(step.class);
        }
        changes.push((step.c, step.change));
    }
}

/// The end of the ASCII run at `at`.
pub fn ascii_end(bytes: &[u8], mut at: usize) -> usize {
    const HIGH_BITS: u64 = 0x8080_8080_8080_8080;
    while let Some((word, _)) = bytes[at..].split_first_chunk::<8>() {
        let high = u64::from_le_bytes(*word) & HIGH_BITS;
        if high != 0 {
            return at + high.trailing_zeros() as usize / 8;
        }
        at += 8;
    }
    while at < bytes.len() && bytes[at] < 0x80 {
        at += 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    fn changes(form: Form, text: &str) -> Vec<(char, isize)> {
        let mut scratch = Scratch::default();
        form.changes(text, &mut scratch);
        scratch.changes
    }

    #[test]
    fn hangul_there_and_back() {
        for code in HANGUL..HANGUL + SYLLABLES {
            let syllable = hangul(code);
            let mut parts = Vec::new();
            decompose(syllable, false, |c| parts.push(c));
            let whole = parts.iter().copied().reduce(|a, b| compose(a, b).unwrap_or('?'));
            assert_eq!(whole, Some(syllable));
        }
        assert_eq!(compose('\u{c8e0}', '\u{11a7}'), None);
    }

    #[test]
    fn every_pair_composes() {
        for &(second, first, composed) in &tables::COMPOSITIONS {
            let at = |code| char::from_u32(code).unwrap();
            assert_eq!(compose(at(first), at(second)), Some(at(composed)));
        }
    }

    #[test]
    fn changes_tell_who_consumed_what() {
        assert_eq!(changes(Form::Nfkd, "ﬁ"), [('f', 0), ('i', 1)]);
        assert_eq!(changes(Form::Nfc, "e\u{301}x"), [('é', -1), ('x', 0)]);
        // The mark below moves in front of the one that came with the letter, and takes its own place.
        assert_eq!(changes(Form::Nfd, "é\u{323}"), [('e', 0), ('\u{323}', 0), ('\u{301}', 1)]);
        assert_eq!(changes(Form::Nfc, "é\u{323}"), [('ẹ', -1), ('\u{301}', 1)]);
    }

    #[test]
    fn what_is_safe_is_not_visited() {
        assert_eq!(Form::Nfc.next_unsafe("plain, déjà vu, 한국어, 漢字", 0), None);
        assert_eq!(Form::Nfc.next_unsafe("abce\u{301}d", 0), Some(3..6));
        assert_eq!(Form::Nfd.next_unsafe("ab\u{301}\u{323}d", 0), Some(1..6));
    }
}
