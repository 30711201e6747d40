//! Stretches of text that a character map leaves alone, found without taking them apart into clusters.
//!
//! A map looks whole clusters up, and most texts have none that any rule begins with. What is asked of a character is found out once:
//! whether a rule is about it, whether longer rules begin with it, and what it does at the bounds of clusters. A cluster whose first
//! character begins no rule is looked up character by character; so is one of a single character. Where one is neither, the stretch
//! ends in front of it, at a place where a cluster surely begins.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU8, Ordering};

use unicode_segmentation::UnicodeSegmentation;

use super::charsmap::Charsmap;

/// What is known of a character; nothing of one that was never asked for.
const KNOWN: u8 = 1;
/// No rule is about it alone.
const STAYS: u8 = 2;
/// No longer rule begins with it.
const OPENS_NOTHING: u8 = 4;
/// A cluster begins with it, whatever is in front but what [`LEANS`].
const BEGINS: u8 = 8;
/// Joins with a letter behind it.
const LEANS: u8 = 16;

/// Characters of which this is remembered: all of the first two planes. Others stay for nobody to see.
const REMEMBERED: usize = 0x2_0000;
/// Bytes without a place where a cluster surely begins. More are not looked through, so that nothing is looked at again and again.
const MOST_UNSURE: usize = 64;

/// What stands in front of a character where clusters do not end everywhere, one of each kind: letters, parts of Hangul, half a
/// flag, what joins pictures, and what joins consonants.
const IN_FRONT: [&str; 9] = [
    "a",
    "\u{1100}",
    "\u{1160}",
    "\u{11A8}",
    "\u{AC00}",
    "\u{AC01}",
    "\u{1F1E6}",
    "\u{1F600}\u{200D}",
    "\u{915}\u{94D}",
];

/// What is known of characters by a map.
#[derive(Debug, Default)]
pub(super) struct Stays(OnceLock<Box<[AtomicU8]>>);

impl Stays {
    /// Bytes at the start of a text, where a cluster begins, that a map leaves as they are. Behind them the text or a cluster ends.
    pub fn run(&self, map: &Charsmap, text: &str) -> usize {
        // By every thread that needs it and has not got it yet, so that none waits for another.
        let known = match self.0.get() {
            Some(known) => known,
            None => {
                let _ = self.0.set((0..REMEMBERED).map(|_| AtomicU8::new(0)).collect());
                let Some(known) = self.0.get() else { return 0 };
                known
            }
        };
        // Where a cluster surely begins, with nothing but what stays in front.
        let mut sure = 0;
        let (mut leans, mut opens) = (false, false);
        for (at, c) in text.char_indices() {
            let Some(place) = known.get(c as usize) else { return sure };
            let kind = match place.load(Ordering::Relaxed) {
                0 => found_out(map, c, place),
                kind => kind,
            };
            if at == 0 || kind & BEGINS != 0 && !leans {
                sure = at;
            } else if opens || at - sure > MOST_UNSURE {
                return sure;
            }
            if kind & STAYS == 0 {
                return sure;
            }
            (leans, opens) = (kind & LEANS != 0, kind & OPENS_NOTHING == 0);
        }
        text.len()
    }
}

#[cold]
fn found_out(map: &Charsmap, c: char, place: &AtomicU8) -> u8 {
    let mut bytes = [0; 4];
    let character = &*c.encode_utf8(&mut bytes);
    let mut kind = KNOWN;
    // One that joins with a line feed, as nothing else does, is left to who takes clusters apart.
    if c != '\r' && map.shortest(character).is_none() {
        kind |= STAYS;
    }
    if !map.continues(character.as_bytes()) {
        kind |= OPENS_NOTHING;
    }
    let begins = |front: &&str| format!("{front}{c}").graphemes(true).next_back() == Some(character);
    if IN_FRONT.iter().all(begins) {
        kind |= BEGINS;
    }
    if format!("{c}a").graphemes(true).count() == 1 {
        kind |= LEANS;
    }
    place.store(kind, Ordering::Relaxed);
    kind
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pairs of all characters with those of every kind that there is at the bounds of clusters.
    #[test]
    fn clusters_begin_where_that_is_told() {
        let map = Charsmap::parse(&[]).unwrap();
        let place = AtomicU8::new(0);
        let others = [
            "\n",
            "\u{300}",
            "\u{200D}",
            "\u{600}",
            "\u{903}",
            "\u{94D}",
            "\u{915}",
            "\u{1F600}",
            "\u{E0020}",
        ];
        let fronts: Vec<String> = (IN_FRONT.iter().chain(&others))
            .flat_map(|front| {
                [front.to_string(), format!("{front}\u{300}"), format!("\u{915}\u{94D}{front}")]
            })
            .collect();
        let mut begin = 0;
        for c in '\0'..'\u{2_0000}' {
            let kind = found_out(&map, c, &place);
            begin += usize::from(kind & BEGINS != 0);
            if kind & BEGINS == 0 {
                continue;
            }
            let mut bytes = [0; 4];
            let character = &*c.encode_utf8(&mut bytes);
            for front in &fronts {
                let last = front.chars().next_back().unwrap();
                if found_out(&map, last, &place) & LEANS == 0 {
                    let text = format!("{front}{c}");
                    assert_eq!(text.graphemes(true).next_back(), Some(character), "{text:?}");
                }
            }
        }
        assert!(begin > 100_000, "{begin}");
    }
}
