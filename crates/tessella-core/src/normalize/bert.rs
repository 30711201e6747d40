//! BERT's normalizer: clean, set ideographs apart, strip accents, lower-case.
//!
//! Four steps, each optional, in this order:
//!
//! 1. clean: U+0000, U+FFFD and control characters vanish, white space becomes a blank;
//! 2. a blank on both sides of each CJK ideograph, all three standing for it;
//! 3. NFD, then nonspacing marks vanish; the rest stays decomposed;
//! 4. lower case.
//!
//! They run as one pass, character by character. That is exact as long as no character trades places
//! under NFD and survives: marks that trade places are nonspacing and vanish, with two dozen exceptions
//! (Hangul tone marks, musical stems). A text with one of those takes the four steps one after the other.

use super::ascii::AsciiMap;
use super::edit::{edit, for_each_beyond_ascii, map_chars, retain};
use super::{forms, lowercase};
use crate::text::AlignedText;
use crate::unicode::normalization::{Form, decompose};
use crate::unicode::{Class, class_of};

#[derive(Debug, Clone)]
pub(super) struct Bert {
    clean_text: bool,
    handle_chinese_chars: bool,
    strip_accents: bool,
    lowercase: bool,
    ascii: AsciiMap,
}

impl Bert {
    pub fn new(
        clean_text: bool,
        handle_chinese_chars: bool,
        strip_accents: Option<bool>,
        lowercase: bool,
    ) -> Self {
        let ascii = AsciiMap::new(|byte| {
            let byte = if !clean_text {
                byte
            } else if matches!(byte, b'\t' | b'\n' | b'\r') {
                b' '
            } else if byte.is_ascii_control() {
                return None;
            } else {
                byte
            };
            Some(if lowercase { byte.to_ascii_lowercase() } else { byte })
        });
        let strip_accents = strip_accents.unwrap_or(lowercase);
        Bert { clean_text, handle_chinese_chars, strip_accents, lowercase, ascii }
    }

    pub fn normalize(&self, text: &mut AlignedText<'_>) {
        if self.strip_accents && has_lasting_marks(text.as_str()) {
            self.normalize_in_steps(text);
        } else {
            self.normalize_at_once(text);
        }
    }

    /// The definition, step by step.
    fn normalize_in_steps(&self, text: &mut AlignedText<'_>) {
        if self.clean_text {
            retain(text, |c| !is_cleaned(c, class_of(c)));
            map_chars(text, |c| if c.is_whitespace() { ' ' } else { c });
        }
        if self.handle_chinese_chars {
            edit(text, |source, edit| {
                for (at, c) in source.char_indices() {
                    if is_ideograph(c) {
                        edit.expand(at, ' ', [c, ' ']);
                    }
                }
            });
        }
        if self.strip_accents {
            forms::normalize(Form::Nfd, text);
            retain(text, |c| !class_of(c).is_nonspacing_mark());
        }
        if self.lowercase {
            lowercase::normalize(text);
        }
    }

    fn normalize_at_once(&self, text: &mut AlignedText<'_>) {
        let mut result = Vec::new();
        edit(text, |source, edit| {
            self.ascii.walk(source, edit, |edit, at, c| {
                let class = class_of(c);
                if self.clean_text {
                    if is_cleaned(c, class) {
                        return edit.remove(at, c.len_utf8());
                    }
                    if c.is_whitespace() {
                        return edit.at(at).replace(' ');
                    }
                }
                let apart = self.handle_chinese_chars && is_ideograph(c);
                let stripped = self.strip_accents && (class.decomposes() || class.is_nonspacing_mark());
                let lowered = self.lowercase && (class.changes_in_lower_case() || stripped);
                if !apart && !stripped && !lowered {
                    return;
                }
                result.clear();
                if apart {
                    result.push(' ');
                }
                let mut lower = |c: char| {
                    if lowered && class_of(c).changes_in_lower_case() {
                        result.extend(c.to_lowercase());
                    } else {
                        result.push(c);
                    }
                };
                if stripped {
                    decompose(c, false, |part| {
                        if !class_of(part).is_nonspacing_mark() {
                            lower(part);
                        }
                    });
                } else {
                    lower(c);
                }
                if apart {
                    result.push(' ');
                }
                match result.split_first() {
                    Some((&first, rest)) => edit.expand(at, first, rest.iter().copied()),
                    None => edit.remove(at, c.len_utf8()),
                }
            });
        });
    }
}

/// What cleaning drops. The three controls that count as white space stay.
fn is_cleaned(c: char, class: Class) -> bool {
    c == '\u{fffd}' || (class.is_other_control() && !matches!(c, '\t' | '\n' | '\r'))
}

/// Whether NFD leaves a mark in `text` that can trade places and that accent stripping does not drop.
fn has_lasting_marks(text: &str) -> bool {
    let mut found = false;
    for_each_beyond_ascii(text, |_, c| found |= class_of(c).has_lasting_mark());
    found
}

/// The blocks that the reference sets apart. Its fifth extension range begins at 2B920, not at 2B820.
fn is_ideograph(c: char) -> bool {
    matches!(
        c as u32,
        0x3400..=0x4DBF
            | 0x4E00..=0x9FFF
            | 0xF900..=0xFAFF
            | 0x20000..=0x2A6DF
            | 0x2A700..=0x2B73F
            | 0x2B740..=0x2B81F
            | 0x2B920..=0x2CEAF
            | 0x2F800..=0x2FA1F
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::normalize::testing::{assert_same, random_text};

    #[test]
    fn at_once_is_the_same_as_in_steps() {
        for seed in 0..3000 {
            let text = random_text(seed);
            let on = |bit: u64| seed >> bit & 1 == 1;
            let bert = Bert::new(on(0), on(1), Some(on(2)), on(3));
            let mut steps = AlignedText::borrowed(&text, 0);
            bert.normalize_in_steps(&mut steps);
            let mut chosen = AlignedText::borrowed(&text, 0);
            bert.normalize(&mut chosen);
            assert_same(&text, &chosen, &steps);
        }
    }

    #[test]
    fn plain_lower_case_is_not_copied() {
        let mut text = AlignedText::borrowed("nothing to do, здесь тоже", 0);
        Bert::new(true, true, None, true).normalize(&mut text);
        assert!(matches!(text.into_parts().0, std::borrow::Cow::Borrowed(_)));
    }
}
