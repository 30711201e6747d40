//! What the tests of this stage share: hostile random texts, and a comparison of texts with spans.

use crate::ids::Span;
use crate::text::AlignedText;

/// Letters, marks of many classes, ligatures, jamo, ideographs, controls and blanks of all sorts.
const ALPHABET: &[char] = &[
    'a',
    'Z',
    ' ',
    '\t',
    '\0',
    '7',
    'é',
    'Ǖ',
    'İ',
    'ß',
    'ﬁ',
    '①',
    '½',
    'Σ',
    'й',
    '\u{301}',
    '\u{323}',
    '\u{327}',
    '\u{345}',
    '\u{344}',
    '\u{30a}',
    '\u{334}',
    '\u{f71}',
    '\u{f72}',
    '\u{f73}',
    '\u{302e}',
    '\u{302f}',
    '\u{1d165}',
    '\u{1d16d}',
    '\u{1d15e}',
    '한',
    '가',
    '\u{1100}',
    '\u{1161}',
    '\u{11a8}',
    'が',
    'か',
    '\u{3099}',
    'ﾊ',
    'ﾟ',
    '漢',
    '\u{f900}',
    '\u{2f800}',
    '\u{2b820}',
    '\u{2b920}',
    '\u{fdfa}',
    'Å',
    'Ω',
    '\u{915}',
    '\u{93c}',
    '\u{94d}',
    '\u{958}',
    '\u{9c7}',
    '\u{9be}',
    '\u{200d}',
    '\u{ad}',
    '\u{85}',
    '\u{a0}',
    '\u{2028}',
    '\u{2581}',
    '\u{feff}',
    '\u{fffd}',
    '😀',
    '\u{e0041}',
    '\u{10ffff}',
    '\u{1e94a}',
    '\u{16d40}',
];

pub(super) fn random_text(seed: u64) -> String {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut next = |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % below as u64) as usize
    };
    (0..next(14)).map(|_| ALPHABET[next(ALPHABET.len())]).collect()
}

/// The text, and each character's original span.
pub(super) fn with_spans(text: &AlignedText<'_>) -> (String, Vec<Span>) {
    let spans = text.as_str().char_indices().map(|(at, c)| text.span(at, at + c.len_utf8())).collect();
    (text.as_str().to_string(), spans)
}

pub(super) fn assert_same(input: &str, left: &AlignedText<'_>, right: &AlignedText<'_>) {
    assert_eq!(with_spans(left), with_spans(right), "{:?}", input.escape_unicode().to_string());
}
