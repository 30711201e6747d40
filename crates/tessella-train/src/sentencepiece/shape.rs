//! What a learned piece may look like.

use std::cell::RefCell;

use tessella_core::unicode::scripts::Scripts;
use tessella_formats::sentencepiece::sections::TrainerSpec;

use super::{BOUNDARY, RARE, SPACE};

/// Classes of the script table. The ones above 90 that are here were added to Unicode after the table that the
/// library uses, which has their characters as common ones.
const COMMON: u8 = 1;
const INHERITED: u8 = 4;
const LATER: [u8; 5] = [92, 99, 100, 125, 126];

/// Decides about pieces. Not to be shared between threads.
#[derive(Debug)]
pub(super) struct Shape {
    longest: usize,
    split_by_script: bool,
    split_by_number: bool,
    split_by_space: bool,
    split_digits: bool,
    space_as_suffix: bool,
    only_spaces: bool,
    scripts: RefCell<Scripts>,
}

fn is_digit(c: char) -> bool {
    c.is_ascii_digit() || ('０'..='９').contains(&c)
}

impl Shape {
    pub(super) fn new(spec: &TrainerSpec) -> Self {
        Shape {
            longest: spec.max_sentencepiece_length() as usize,
            split_by_script: spec.split_by_unicode_script(),
            split_by_number: spec.split_by_number(),
            split_by_space: spec.split_by_whitespace(),
            split_digits: spec.split_digits(),
            space_as_suffix: spec.treat_whitespace_as_suffix(),
            only_spaces: spec.allow_whitespace_only_pieces(),
            scripts: RefCell::new(Scripts::new()),
        }
    }

    /// Whether a space mark may stand at a place of a piece that has other characters too.
    fn space_fits(&self, at: usize, len: usize) -> bool {
        let last = at + 1 == len;
        match (self.space_as_suffix, self.split_by_space) {
            (false, true) => at == 0,
            (false, false) => at == 0 || !last,
            (true, true) => last,
            (true, false) => last || at != 0,
        }
    }

    /// Whether a piece of these characters may be learned.
    pub(super) fn fits(&self, piece: &[char]) -> bool {
        if piece.is_empty() || piece.len() > self.longest {
            return false;
        }
        let nothing_but_spaces = self.only_spaces && piece.iter().all(|&c| c == SPACE);
        let mut scripts = self.scripts.borrow_mut();
        let mut before = None;
        for (at, &c) in piece.iter().enumerate() {
            if matches!(c, RARE | BOUNDARY | '\0' | ' ') {
                return false;
            }
            if c == SPACE {
                if !nothing_but_spaces && !self.space_fits(at, piece.len()) {
                    return false;
                }
                continue;
            }
            let digit = is_digit(c);
            if digit && self.split_digits && piece.len() > 1 {
                return false;
            }
            let script = match scripts.class(c) {
                _ if digit && !self.split_by_number => None,
                INHERITED => before,
                class if class == tessella_core::unicode::scripts::ANY || LATER.contains(&class) => {
                    Some(COMMON)
                }
                class => Some(class),
            };
            if self.split_by_script && script.is_some() && before.is_some() && script != before {
                return false;
            }
            before = script;
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fits(change: impl Fn(&mut TrainerSpec), piece: &str) -> bool {
        let mut spec = TrainerSpec::default();
        change(&mut spec);
        Shape::new(&spec).fits(&piece.chars().collect::<Vec<_>>())
    }

    #[test]
    fn scripts_and_digits() {
        let plain = |piece: &str| fits(|_| {}, piece);
        for good in ["▁the", "▁", "東京タワー", "2024", "e\u{301}x", "..."] {
            assert!(plain(good), "{good}");
        }
        for bad in ["", "F1", "aя", "a.", "▅", "x y", "seventeen_letters"] {
            assert!(!plain(bad), "{bad}");
        }
        assert!(fits(|spec| spec.split_by_number = Some(false), "F1"));
        assert!(fits(|spec| spec.split_by_unicode_script = Some(false), "aя."));
        assert!(!fits(|spec| spec.split_digits = Some(true), "24"));
        assert!(fits(|spec| spec.split_digits = Some(true), "２"));
    }

    #[test]
    fn places_of_spaces() {
        let rows = [
            // (as suffix, split by space, space-only pieces) and what fits of these four
            ((false, true, false), [true, false, false, false]),
            ((false, false, false), [true, false, true, false]),
            ((true, true, false), [false, true, false, false]),
            ((true, false, false), [false, true, true, false]),
            ((false, true, true), [true, false, false, true]),
        ];
        for ((suffix, split, only), expected) in rows {
            let set = |spec: &mut TrainerSpec| {
                spec.treat_whitespace_as_suffix = Some(suffix);
                spec.split_by_whitespace = Some(split);
                spec.allow_whitespace_only_pieces = Some(only);
            };
            let found = ["▁a", "a▁", "a▁b", "▁▁"].map(|piece| fits(set, piece));
            assert_eq!(found, expected, "{suffix} {split} {only}");
        }
    }
}
