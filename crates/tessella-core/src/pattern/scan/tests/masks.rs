//! Masks against the automaton of the same pattern.

use super::super::Scanner;
use crate::lanes::Bounds;
use crate::lanes::vectors::Level;
use crate::portion::Portion;
use crate::random::Random;
use crate::spec::Dialect;

const PATTERNS: &[&str] = &[
    r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+",
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s",
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+",
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+",
];

/// Characters of every kind, of every length in bytes, and what has rules of its own.
pub const PARTS: &[&str] = &[
    "a",
    "Z",
    "s",
    "é",
    "É",
    "ǅ",
    "ʰ",
    "ª",
    "Ж",
    "𝐀",
    "𑀀",
    "\u{fe0f}",
    "/",
    "aB",
    "AB",
    "日B",
    "日Bc",
    "c日",
    "ж",
    "日",
    "𝒳",
    "ſ",
    "K",
    "1",
    "7",
    "٣",
    "²",
    "Ⅷ",
    "𝟙",
    " ",
    " ",
    "\t",
    "\n",
    "\r",
    "\r\n",
    "\u{85}",
    "\u{a0}",
    "\u{2028}",
    "\u{3000}",
    "!",
    "_",
    "…",
    "¿",
    "😀",
    "\u{301}",
    "\u{200d}",
    "'",
    "’",
    "'s",
    "'S",
    "'ſ",
    "'t",
    "'re",
    "'rE",
    "'ve",
    "'m",
    "'ll",
    "'lL",
    "'d",
    "'l",
    "'r",
    "'x",
    "\0",
    "\u{10ffff}",
];

fn check(scanner: &Scanner, text: &str) {
    let mut expected = Vec::new();
    scanner.for_each_piece_by_steps(text, |start, end, is_match| {
        assert!(is_match);
        expected.push((start as u32, end as u32));
    });
    for level in Level::all() {
        let mut found = Vec::new();
        let (mut pieces, mut bounds) = (scanner.masked(text).unwrap(), Bounds::default());
        let mut more = true;
        while more {
            bounds.go_on();
            more = pieces.fill(level, &mut bounds);
            found.extend(bounds.starts().iter().copied().zip(bounds.ends().iter().copied()));
        }
        assert!(found == expected, "{} {text:?}: {found:?} for {expected:?}", level.name());
    }
}

#[test]
fn masks_find_the_pieces_of_the_automaton() {
    for pattern in PATTERNS {
        let scanner = Scanner::compile(pattern, Dialect::Fancy).unwrap().unwrap();
        assert!(scanner.explain().ends_with("read by masks of 64 bytes"), "{}", scanner.explain());
        check(&scanner, "");
        let mut random = Random::from_seed(21);
        let mut below = |bound: usize| (random.next_u64() % bound as u64) as usize;
        // All neighbours of three parts, at the beginning, at the end, and across the border of two blocks.
        for first in PARTS {
            for second in PARTS {
                let third = PARTS[below(PARTS.len())];
                let whole = [*first, *second, third].concat();
                check(&scanner, &whole);
                let before = "x".repeat(64 - below(whole.len() + 1).min(64));
                check(&scanner, &[&before, whole.as_str(), "y"].concat());
            }
        }
        for round in 0..6000 {
            let few: Vec<&str> = (0..1 + below(6)).map(|_| PARTS[below(PARTS.len())]).collect();
            let longest = if round % 7 == 0 { 150 } else { 4 };
            let mut text = String::new();
            for _ in 0..below(60) {
                let part = few[below(few.len())];
                text.extend(std::iter::repeat_n(part, 1 + below(longest) * usize::from(below(3) == 0)));
            }
            check(&scanner, &text);
        }
    }
}

/// Each of some texts is cut as if it stood alone, whatever stands before and behind it.
#[test]
fn texts_that_stand_together_are_cut_alone() {
    for pattern in PATTERNS {
        let scanner = Scanner::compile(pattern, Dialect::Fancy).unwrap().unwrap();
        let mut random = Random::from_seed(22);
        let mut below = |bound: usize| (random.next_u64() % bound as u64) as usize;
        for round in 0..400 {
            let few: Vec<&str> = (0..1 + below(9)).map(|_| PARTS[below(PARTS.len())]).collect();
            let (longest, most) = ([1, 4, 40][below(3)], if round % 40 == 0 { 900 } else { 12 });
            let (mut texts, mut expected) = (Portion::default(), Vec::new());
            for _ in 0..below(most) {
                let parts = below(30) * usize::from(below(5) > 0);
                let text: String = (0..parts)
                    .map(|_| few[below(few.len())].repeat(1 + below(longest) * usize::from(below(3) == 0)))
                    .collect();
                let begin = texts.bytes() as u32;
                scanner.for_each_piece_by_steps(&text, |start, end, _| {
                    expected.push((begin + start as u32, begin + end as u32));
                });
                texts.push(&text);
            }
            for level in Level::all() {
                let mut found = Vec::new();
                let (mut pieces, mut bounds) = (scanner.masked_each(&texts).unwrap(), Bounds::default());
                let mut more = true;
                while more {
                    bounds.go_on();
                    more = pieces.fill(level, &mut bounds);
                    assert!(bounds.ends().len() <= Bounds::MOST);
                    found.extend(bounds.starts().iter().copied().zip(bounds.ends().iter().copied()));
                }
                assert!(found == expected, "{} {texts:?}: {found:?} for {expected:?}", level.name());
            }
        }
    }
}

/// Every character between others: it is what its class says.
#[test]
fn masks_know_every_character() {
    for pattern in [PATTERNS[0], PATTERNS[1], PATTERNS[4]] {
        let scanner = Scanner::compile(pattern, Dialect::Fancy).unwrap().unwrap();
        assert!(scanner.reading.is_some());
        let mut text = String::new();
        for (at, c) in ('\0'..=char::MAX).enumerate() {
            text.extend([['a', ' ', '1', '!'][at / 1000 % 4], c, c, ['b', '\'', '\n'][at % 3]]);
        }
        check(&scanner, &text);
    }
}
