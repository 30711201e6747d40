//! Script classes: which characters the UnicodeScripts pre-tokenizer keeps together.
//!
//! A class is a script, with two liberties that SentencePiece took: Hiragana, Katakana and U+30FC are of
//! Han's class, and the space has no class. Neither has an unassigned code point. Common and Inherited are
//! classes like any other.

use super::scripts_table::SCRIPTS;

/// No class of its own: stays with what stands before.
pub const ANY: u8 = 0;

/// Class of each ASCII character.
static ASCII: [u8; 128] = ascii();

const fn ascii() -> [u8; 128] {
    let mut table = [ANY; 128];
    let mut index = 0;
    while index < SCRIPTS.len() && SCRIPTS[index].0 < 128 {
        let (first, last, class) = SCRIPTS[index];
        let mut code = first;
        while code <= last && code < 128 {
            table[code as usize] = class;
            code += 1;
        }
        index += 1;
    }
    table
}

/// Looks up classes, remembering the last run: text seldom leaves it.
#[derive(Debug, Clone)]
pub struct Scripts {
    first: u32,
    last: u32,
    class: u8,
}

impl Scripts {
    /// Classes that remember the last character's range, since texts stay in their script.
    pub fn new() -> Self {
        Scripts { first: 1, last: 0, class: ANY }
    }

    /// The script of a character.
    #[inline]
    pub fn class(&mut self, c: char) -> u8 {
        let code = c as u32;
        if code < 128 {
            return ASCII[code as usize];
        }
        if code < self.first || self.last < code {
            self.seek(code);
        }
        self.class
    }

    fn seek(&mut self, code: u32) {
        let after = SCRIPTS.partition_point(|&(first, _, _)| first <= code);
        let before = after.checked_sub(1).map(|index| SCRIPTS[index]);
        (self.first, self.last, self.class) = match before {
            Some(run) if code <= run.1 => run,
            gap => {
                let start = gap.map_or(0, |run| run.1 + 1);
                (start, SCRIPTS.get(after).map_or(u32::MAX, |run| run.0 - 1), ANY)
            }
        };
    }
}

impl Default for Scripts {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn class(c: char) -> u8 {
        Scripts::new().class(c)
    }

    #[test]
    fn a_remembered_run_changes_nothing() {
        let mut walking = Scripts::new();
        for c in ('\0'..=char::MAX).chain(('\0'..=char::MAX).rev().step_by(7)) {
            assert_eq!(walking.class(c), class(c), "{c:?}");
        }
    }

    #[test]
    fn kana_is_han_and_the_space_is_nothing() {
        assert!(['の', 'グ', 'ー', '太'].into_iter().all(|c| class(c) == class('京')));
        assert!(['0', '$', '@', '-', '。', '😀'].into_iter().all(|c| class(c) == class('\n')));
        assert_eq!((class(' '), class('\u{378}')), (ANY, ANY));
        assert_ne!(class('a'), class('а'));
        assert_eq!(class('a'), class('é'));
    }
}
