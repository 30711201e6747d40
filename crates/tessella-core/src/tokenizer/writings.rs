//! What characters become in a normalizer that sees them one by one: found out once for each, and remembered for all
//! threads.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// Characters of a page.
const PAGE: usize = 256;
const PAGES: usize = 0x11_0000 / PAGE;

const BITS: u32 = 21;
/// Most characters that one becomes.
const MOST: usize = 3;
/// No character.
const NONE: u64 = (1 << BITS) - 1;
/// Set where a writing is known; without it, [`OTHER`] or 0 for what was never asked for.
const KNOWN: u64 = 1 << 63;
/// Known not to be told by up to three characters.
const OTHER: u64 = 1;

/// A number for each character that was asked for, by pages.
#[derive(Debug)]
pub(super) struct Writings(Box<[OnceLock<Box<[AtomicU64]>>]>);

impl Writings {
    pub fn new() -> Self {
        Writings((0..PAGES).map(|_| OnceLock::new()).collect())
    }

    /// Appends what a character becomes; false if that cannot be told. `find` finds it out.
    #[inline]
    pub fn write(&self, c: char, out: &mut String, find: impl FnOnce() -> Option<String>) -> bool {
        let at = c as usize;
        let known = match self.0.get(at / PAGE).and_then(OnceLock::get) {
            Some(page) => page[at % PAGE].load(Ordering::Relaxed),
            None => 0,
        };
        let writing = if known == 0 { self.find_out(at, find()) } else { known };
        if writing == OTHER {
            return false;
        }
        for place in 0..MOST as u32 {
            let number = writing >> (BITS * place) & NONE;
            if let Some(c) = char::from_u32(number as u32) {
                out.push(c);
            }
        }
        true
    }

    #[cold]
    fn find_out(&self, at: usize, found: Option<String>) -> u64 {
        let packed = |text: String| {
            let mut writing = u64::MAX;
            for (place, c) in text.chars().enumerate() {
                if place == MOST {
                    return OTHER;
                }
                writing ^= (NONE ^ u64::from(c)) << (BITS as usize * place);
            }
            writing | KNOWN
        };
        let writing = found.map_or(OTHER, packed);
        let Some(page) = self.0.get(at / PAGE) else { return writing };
        if page.get().is_none() {
            // By every thread that needs it and has not got it yet, so that none waits for another.
            let _ = page.set((0..PAGE).map(|_| AtomicU64::new(0)).collect());
        }
        if let Some(page) = page.get() {
            page[at % PAGE].store(writing, Ordering::Relaxed);
        }
        writing
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_found_out_is_remembered() {
        let writings = Writings::new();
        let becomes = |c: char| match c {
            'é' => Some("e".to_owned()),
            '한' => Some("\u{1112}\u{1161}\u{11ab}".to_owned()),
            '\u{85}' => Some(String::new()),
            '😀' => Some("\0😀\u{10ffff}".to_owned()),
            'ﷺ' => Some("four".to_owned()),
            _ => None,
        };
        for round in 0..2 {
            for c in ['é', '한', '\u{85}', '😀', 'ﷺ', 'x', '\u{10ffff}'] {
                let mut out = "before ".to_owned();
                let told = writings.write(c, &mut out, || {
                    assert_eq!(round, 0);
                    becomes(c)
                });
                let expected = becomes(c).filter(|text| text.chars().count() <= MOST);
                assert_eq!(told, expected.is_some());
                let text = format!("before {}", expected.unwrap_or_default());
                assert_eq!(out, text);
            }
        }
    }
}
