//! Word characters: `\w` of Rust's `regex` (alphabetic, marks, decimal digits, connectors, joiners).

use super::word_table::WORD;

/// One bit per code point.
static BITS: [u64; 0x11_0000 / 64] = bits();

const fn bits() -> [u64; 0x11_0000 / 64] {
    let mut bits = [0u64; 0x11_0000 / 64];
    let mut index = 0;
    while index < WORD.len() {
        let (first, last) = WORD[index];
        let mut word = first / 64;
        while word <= last / 64 {
            let low = if word == first / 64 { first % 64 } else { 0 };
            let high = if word == last / 64 { last % 64 } else { 63 };
            bits[word as usize] |= (u64::MAX >> (63 - (high - low))) << low;
            word += 1;
        }
        index += 1;
    }
    bits
}

/// Whether the Whitespace pre-tokenizer, and whole-word added tokens, take `c` for part of a word.
#[inline]
pub fn is_word(c: char) -> bool {
    BITS[c as usize / 64] >> (c as usize % 64) & 1 == 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bits_are_the_table() {
        for code in 0..0x11_0000 {
            let Some(c) = char::from_u32(code) else { continue };
            let listed = WORD.binary_search_by(|&(first, last)| {
                if last < code {
                    std::cmp::Ordering::Less
                } else if first > code {
                    std::cmp::Ordering::Greater
                } else {
                    std::cmp::Ordering::Equal
                }
            });
            assert_eq!(is_word(c), listed.is_ok(), "U+{code:04X}");
        }
    }

    #[test]
    fn marks_and_joiners_are_inside_words() {
        assert!(['a', 'é', '9', '_', '\u{301}', '\u{200d}', '\u{200c}', '中', '٣'].into_iter().all(is_word));
        assert!(![' ', '-', '€', '½', '\u{85}', '\u{ad}', '😀'].into_iter().any(is_word));
    }
}
