//! What is told of characters and words holds around all others.

use super::super::charsmap::build_charsmap;
use super::*;
use crate::random::Random;
use crate::spec::{NormalizerSpec, Pattern};
use crate::unicode::categories::is_mark;

#[test]
fn no_character_grows_beyond_what_is_told() {
    let replaced = build_charsmap(&[(vec!['é'], vec!['x'; 99])]).unwrap();
    let specs = [
        NormalizerSpec::Nfc,
        NormalizerSpec::Nfd,
        NormalizerSpec::Nfkc,
        NormalizerSpec::Nfkd,
        NormalizerSpec::Lowercase,
        NormalizerSpec::Nmt,
        NormalizerSpec::StripAccents,
        NormalizerSpec::Bert {
            clean_text: true,
            handle_chinese_chars: true,
            strip_accents: None,
            lowercase: true,
        },
        NormalizerSpec::Precompiled { charsmap: replaced.into(), matching: CharsmapMatching::Grapheme },
    ];
    for spec in specs {
        let normalizer = Normalizer::new(&spec).unwrap();
        for c in '\0'..=char::MAX {
            let before = c.to_string();
            let mut after = AlignedText::untracked(&before);
            normalizer.normalize(&mut after).unwrap();
            let after = after.as_str();
            assert!(after.len() <= c.len_utf8() * normalizer.growth(), "{c:?} {spec:?}");
        }
    }
}

const CHARS: [char; 38] = [
    'a',
    'é',
    'Σ',
    '`',
    '\r',
    '\n',
    '\u{1}',
    '\u{301}',
    '\u{345}',
    '\u{308}',
    '¨',
    'ﬁ',
    'ﷺ',
    '™',
    '½',
    'ی',
    '\u{600}',
    '\u{93f}',
    '\u{94d}',
    'क',
    '\u{e33}',
    '가',
    '각',
    '\u{1100}',
    '\u{1161}',
    '\u{11a8}',
    'か',
    '\u{3099}',
    'ﾞ',
    '\u{200c}',
    '\u{200d}',
    '👍',
    '\u{1f3fd}',
    '\u{1f1e9}',
    '\u{d4e}',
    '\u{e0067}',
    '\u{302e}',
    '\u{1d165}',
];

fn normalizers() -> Vec<Normalizer> {
    let rules = [
        ("\u{200c}", " "),
        ("\u{200d}", " "),
        ("\u{600}", ""),
        ("ی", "ي"),
        ("か", "カ"),
        ("a\u{301}", "á"),
        ("\u{1100}\u{1161}", "가"),
        ("\r", " "),
        ("\n", " "),
    ];
    let chars = |text: &str| text.chars().collect::<Vec<_>>();
    let rules: Vec<_> = rules.iter().map(|(from, to)| (chars(from), chars(to))).collect();
    let map =
        |matching| NormalizerSpec::Precompiled { charsmap: build_charsmap(&rules).unwrap().into(), matching };
    let by_cluster = || map(CharsmapMatching::Grapheme);
    let quotes = || NormalizerSpec::Replace { pattern: Pattern::Literal("``".into()), content: "\"".into() };
    use NormalizerSpec::{Bert, Lowercase, Nfc, Nfd, Nfkc, Nfkd, Sequence, StripAccents};
    let bert =
        || Bert { clean_text: true, handle_chinese_chars: true, strip_accents: Some(true), lowercase: true };
    let chains = [
        vec![bert()],
        vec![bert(), Nfkc],
        vec![Lowercase, Nfkd],
        vec![Nfd, Lowercase, Nfc, StripAccents],
        vec![quotes(), Nfkd, StripAccents, by_cluster()],
        vec![quotes(), Nfkd, StripAccents, Lowercase, by_cluster()],
        vec![Nfd, Lowercase, StripAccents, by_cluster()],
        vec![Nfd, by_cluster()],
        vec![Nfkc, by_cluster()],
        vec![StripAccents, Nfc],
        vec![by_cluster(), Nfkd, StripAccents],
        vec![Nfc],
    ];
    chains.into_iter().map(|steps| Normalizer::new(&Sequence(steps)).unwrap()).collect()
}

fn normalized(normalizer: &Normalizer, text: &str) -> String {
    let mut text = AlignedText::untracked(text);
    normalizer.normalize(&mut text).unwrap();
    text.as_str().into()
}

/// Blanks that become anything but one blank or mark, or that something behind looks at, are no matter of words.
#[test]
fn blanks_between_words_come_to_one_or_are_not_told() {
    use NormalizerSpec::{Lowercase, Replace, Sequence, Strip};
    let runs = |least: &str, content: &str| Replace {
        pattern: Pattern::Regex { source: format!(" {least}"), dialect: crate::spec::Dialect::Oniguruma },
        content: content.into(),
    };
    let strip = || Strip { left: true, right: false };
    let told = |steps: Vec<NormalizerSpec>| {
        let normalizer = Normalizer::new(&Sequence(steps)).unwrap();
        normalizer.of_words('▁').map(|(_, blanks)| (blanks.join, blanks.strips))
    };
    for least in ["+", "{2,}"] {
        let (join, strips) = (Some((true, (false, false))), Some((true, (true, false))));
        assert_eq!(told(vec![runs(least, " ")]), join);
        assert_eq!(told(vec![Lowercase, runs(least, "▁")]), join);
        assert_eq!(told(vec![strip(), runs(least, "▁")]), strips);
        assert_eq!(told(vec![runs(least, " "), strip()]), strips);
        for other in ["", "x", "  ", "_", "▁▁"] {
            assert_eq!(told(vec![runs(least, other)]), None, "{other:?}");
        }
        for behind in [Lowercase, runs(least, " "), runs(least, "▁")] {
            assert_eq!(told(vec![runs(least, " "), behind]), None);
        }
        assert_eq!(told(vec![runs(least, "▁"), strip()]), None);
    }
    assert_eq!(told(vec![Lowercase]), Some((false, (false, false))));
}

#[test]
fn no_mark_changes_in_lower_case() {
    let all = (0..=0x10_FFFF).filter_map(char::from_u32);
    assert!(all.filter(|&c| is_mark(c)).all(|c| c.to_lowercase().eq([c])));
}

#[test]
fn what_is_told_of_a_character_holds_around_all_others() {
    let mut random = Random::from_seed(3);
    let mut below = |bound: usize| (random.next_u64() % bound as u64) as usize;
    let mut kept = 0;
    for normalizer in normalizers() {
        let told = CHARS.map(|c| normalizer.anywhere(c));
        let stays = CHARS.map(|c| normalizer.stays(c));
        for ((stays, told), c) in stays.iter().zip(&told).zip(CHARS) {
            let is_same = told.as_deref() == Some(&*c.to_string());
            assert!(is_same && normalizer.keeps_places(c) || !stays.anywhere, "{c:?} {normalizer:?}");
        }
        assert!(!normalizer.tells_anywhere() || told.iter().flatten().count() > 18);
        for _ in 0..4000 {
            let numbers: Vec<usize> = (0..1 + below(6)).map(|_| below(CHARS.len())).collect();
            let text: String = numbers.iter().map(|&number| CHARS[number]).collect();
            let parts: Option<String> = numbers.iter().map(|&number| told[number].as_deref()).collect();
            if let Some(parts) = parts
                && !text.contains("``")
            {
                assert_eq!(normalized(&normalizer, &text), parts, "{text:?} {normalizer:?}");
            }
            let among = |at: usize| numbers.get(at).is_none_or(|&number| stays[number].among);
            let stays_here = |at: usize| {
                let Stays { anywhere, among: is_among } = stays[numbers[at]];
                let ends = |number: &usize| CHARS[*number].is_ascii();
                let ends = numbers.get(at + 1).is_some_and(ends);
                anywhere || is_among && among(at.wrapping_sub(1)) && (ends || among(at + 1))
            };
            if (0..numbers.len()).all(stays_here) && !text.contains("``") {
                assert_eq!(normalized(&normalizer, &text), text, "{normalizer:?}");
                kept += 1;
            }
        }
    }
    assert!(kept > 300, "{kept}");
}

/// Whatever else keeps its place stands around it, what a character becomes has the character's own place.
#[test]
fn what_keeps_its_place_has_the_place_of_its_character() {
    let mut random = Random::from_seed(6);
    let mut below = |bound: usize| (random.next_u64() % bound as u64) as usize;
    let (mut changed, mut gone) = (0, 0);
    for normalizer in normalizers() {
        let told = |c: char| normalizer.anywhere(c).filter(|_| normalizer.keeps_places(c));
        let kept: Vec<(char, String)> = CHARS.into_iter().filter_map(|c| Some((c, told(c)?))).collect();
        for _ in 0..if kept.is_empty() { 0 } else { 4000 } {
            let parts: Vec<&(char, String)> = (0..1 + below(6)).map(|_| &kept[below(kept.len())]).collect();
            let text: String = parts.iter().map(|(c, _)| c).collect();
            if text.contains("``") {
                continue;
            }
            let mut aligned = AlignedText::borrowed(&text, 0);
            normalizer.normalize(&mut aligned).unwrap();
            let (mut from, mut to) = (0, 0);
            for (c, written) in parts {
                for part in written.chars() {
                    let span = aligned.span(to, to + part.len_utf8());
                    assert_eq!(
                        (span.start, span.end),
                        (from, from + c.len_utf8()),
                        "{text:?} {normalizer:?}"
                    );
                    to += part.len_utf8();
                }
                from += c.len_utf8();
                changed += usize::from(!written.chars().eq([*c]));
                gone += usize::from(written.is_empty());
            }
            assert_eq!((from, to), (text.len(), aligned.as_str().len()), "{text:?} {normalizer:?}");
        }
    }
    assert!(changed > 3000 && gone > 300, "{changed} {gone}");
}

#[test]
fn characters_that_are_apart_become_what_they_become_alone() {
    let mut random = Random::from_seed(5);
    let mut below = |bound: usize| (random.next_u64() % bound as u64) as usize;
    let (mut odd, mut of_several) = (0, 0);
    for normalizer in normalizers().iter().filter(|normalizer| normalizer.is_local_to_those_apart()) {
        let apart: Vec<char> = CHARS.into_iter().filter(|&c| normalizer.is_apart(c)).collect();
        odd += CHARS.len() - apart.len();
        of_several += usize::from(normalizer.word_steps().count() > 1);
        for _ in 0..4000 {
            let text: String = (0..1 + below(6)).map(|_| apart[below(apart.len())]).collect();
            let alone: String = text.chars().map(|c| normalized(normalizer, &c.to_string())).collect();
            assert_eq!(normalized(normalizer, &text), alone, "{text:?} {normalizer:?}");
        }
    }
    assert!(odd > 20 && of_several > 3, "{odd} {of_several}");
}

#[test]
fn words_are_apart_from_blanks_unless_a_character_of_them_joins() {
    let mut random = Random::from_seed(4);
    let mut below = |bound: usize| (random.next_u64() % bound as u64) as usize;
    let mut apart = 0;
    for normalizer in normalizers() {
        let told = CHARS.map(|c| normalizer.beside_blanks(c).unwrap());
        for _ in 0..4000 {
            let numbers: Vec<usize> = (0..1 + below(5)).map(|_| below(CHARS.len())).collect();
            let word: String = numbers.iter().map(|&number| CHARS[number]).collect();
            let mut kinds = numbers.iter().map(|&number| told[number]);
            let joins = kinds.clone().any(|kind| kind == BesideBlanks::Joins);
            let leans = kinds.find(|&kind| kind != BesideBlanks::Gone) == Some(BesideBlanks::Leans);
            if !joins && !leans {
                let expected = format!("a {} a", normalized(&normalizer, &word));
                assert_eq!(normalized(&normalizer, &format!("a {word} a")), expected, "{word:?}");
                apart += 1;
            }
        }
    }
    assert!(apart > 9000, "{apart}");
}
