// A list of one range is what is meant.
#![allow(clippy::single_range_in_vec_init)]

use super::*;
use crate::error::ErrorKind;
use crate::random::Random;

fn regex(source: &str, dialect: Dialect) -> Pattern {
    Pattern::Regex { source: source.to_string(), dialect }
}

fn matches(pattern: &Pattern, text: &str) -> Vec<Range<usize>> {
    let mut found = vec![7..9];
    Matcher::new(pattern).unwrap().find_all(text, &mut found).unwrap();
    let mut exact = Vec::new();
    Matcher::exact(pattern).unwrap().find_all(text, &mut exact).unwrap();
    assert_eq!(found, exact, "{pattern:?} on {text:?}");
    found
}

#[test]
fn an_empty_literal_matches_between_all_characters() {
    assert_eq!(matches(&Pattern::Literal(String::new()), "aé"), [0..0, 1..1, 3..3]);
    assert_eq!(matches(&regex("", Dialect::Oniguruma), "aé"), [0..0, 1..1, 3..3]);
    assert_eq!(matches(&regex("", Dialect::Fancy), "aé"), [0..0, 1..1, 3..3]);
}

#[test]
fn an_empty_text_has_no_matches() {
    for pattern in
        [Pattern::Literal(String::new()), regex("a*", Dialect::Oniguruma), regex("a*", Dialect::Fancy)]
    {
        assert!(matches(&pattern, "").is_empty());
    }
}

#[test]
fn an_empty_match_does_not_touch_the_match_before_it() {
    for dialect in [Dialect::Oniguruma, Dialect::Fancy] {
        assert_eq!(matches(&regex("a*", dialect), "baaé"), [0..0, 1..3, 5..5]);
        assert_eq!(matches(&regex("x?", dialect), "xyx"), [0..1, 2..3]);
    }
}

#[test]
fn an_automaton_iterates_as_the_engines_do() {
    for dialect in [Dialect::Oniguruma, Dialect::Fancy] {
        for source in ["a*", "", "x?", "b|", "a|(?=b)", "a+?", r"\b", r"\s*", "[^a]*"] {
            for text in ["baaéa", "xyx", "abba", "aabbab", " a  b ", "é"] {
                matches(&regex(source, dialect), text);
            }
        }
    }
}

/// Each row is a place where the two dialects, or a dialect and common belief, part ways.
#[test]
fn dialects_keep_their_own_meaning() {
    let onig = |source, text| matches(&regex(source, Dialect::Oniguruma), text);
    let fancy = |source, text| matches(&regex(source, Dialect::Fancy), text);
    // A bounded repeat with `+` repeats the group in Ruby syntax and is possessive elsewhere.
    assert_eq!(onig(r"\p{N}{1,3}+", "1234567"), [0..7]);
    assert_eq!(fancy(r"\p{N}{1,3}+", "1234567"), [0..3, 3..6, 6..7]);
    // Anchors are those of lines in Ruby syntax, of the text elsewhere.
    assert_eq!(onig("a$", "a\na"), [0..1, 2..3]);
    assert_eq!(fancy("a$", "a\na"), [2..3]);
    assert_eq!(onig(r"\h+", "xfg1"), [1..2, 3..4]);
    // Full case folding: one character may fold to two.
    assert_eq!(onig("(?i:ss)", "ß"), [0..2]);
    assert_eq!(onig("(?i:'s)", "'ſ"), [0..3]);
    // The blanks of `\s`.
    assert_eq!(onig(r"\s", "\u{85}\u{1c}\u{180e}\u{200b}\u{feff}"), [0..2]);
}

#[test]
fn a_literal_is_no_expression() {
    assert_eq!(matches(&Pattern::Literal("a.b".into()), "axba.ba.b"), [3..6, 6..9]);
    assert_eq!(matches(&Pattern::Literal("aa".into()), "aaaaa"), [0..2, 2..4]);
}

#[test]
fn a_bad_pattern_is_an_error_with_the_engines_words() {
    let error = Matcher::exact(&regex("a(b", Dialect::Oniguruma)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Regex);
    assert!(error.message().contains("end pattern with unmatched parenthesis"), "{error}");
    let error = Matcher::exact(&regex("a(b", Dialect::Fancy)).unwrap_err();
    assert!(error.message().contains("Opening parenthesis without closing parenthesis"), "{error}");
}

#[test]
fn an_engine_that_gives_up_is_an_error() {
    let text = "ab".repeat(40);
    for dialect in [Dialect::Oniguruma, Dialect::Fancy] {
        let matcher = Matcher::exact(&regex(r"(x?)(?:a|b|ab)*\1[^ab]", dialect)).unwrap();
        let error = matcher.find_all(&text, &mut Vec::new()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Regex);
        assert!(error.message().contains("gave up"), "{error}");
    }
}

#[test]
fn matches_that_overlap_are_an_error() {
    for dialect in [Dialect::Oniguruma, Dialect::Fancy] {
        let matcher = Matcher::exact(&regex(r"(?<=\Ka)a", dialect)).unwrap();
        let error = matcher.find_all("aaa", &mut Vec::new()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Regex);
        assert!(error.message().contains("1..3"), "{error}");
    }
}

#[test]
fn threads_share_a_matcher() {
    let matcher = Matcher::exact(&regex(r"\p{L}+(?!\p{L})", Dialect::Oniguruma)).unwrap();
    let text = "déjà vu ".repeat(50);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let mut found = Vec::new();
                matcher.find_all(&text, &mut found).unwrap();
                assert_eq!(found.len(), 100);
            });
        }
    });
}

/// The engines compile by recursion, down to a depth that needs more than a small stack.
#[test]
fn deep_patterns_need_no_deep_stack() {
    // Opening, middle, closing.
    let shapes = [
        ("(?:", "a", ")"),
        ("(", "a", ")"),
        ("(?>a|", "b", ")"),
        ("(?=", "a", ")"),
        ("(?<!", "a", ")"),
        ("[a", "b", "]"),
        ("[^a", "b", "]"),
        ("(?i)", "a", ""),
        ("(?i)a|", "b", ""),
        ("", "a", "{1,2}"),
        ("", "a", "?+"),
        ("", "a", "+?"),
        ("(", "a", ")*"),
        ("a|", "b", ""),
        ("a", "b", ""),
        // Brackets that a simple count would take for closing ones.
        ("([)]", "b", ""),
        ("([]]", "b", ""),
    ];
    let small = std::thread::Builder::new().stack_size(512 << 10);
    let work = move || {
        for (open, middle, close) in shapes {
            for dialect in [Dialect::Oniguruma, Dialect::Fancy] {
                for depth in [1, 8, 20, 110, 5_000, 50_000] {
                    // Repeats of repeats multiply; what they compile to grows as fast.
                    if close.starts_with('{') && (20..1000).contains(&depth) {
                        continue;
                    }
                    let source = format!("{}{middle}{}", open.repeat(depth), close.repeat(depth));
                    let pattern = regex(&source, dialect);
                    for matcher in [Matcher::new(&pattern), Matcher::exact(&pattern)] {
                        let mut found = Vec::new();
                        match matcher {
                            Ok(matcher) => drop(matcher.find_all("aab", &mut found)),
                            Err(error) => assert_eq!(error.kind(), ErrorKind::Regex, "{error}"),
                        }
                    }
                    if depth == 8 && open == "(?:" || depth == 110 && open == "a|" {
                        assert!(Matcher::exact(&pattern).is_ok(), "{dialect:?} {source}");
                    }
                }
            }
        }
    };
    assert!(small.spawn(work).unwrap().join().is_ok());
}

/// The engine is asked start by start, with few attempts first. What it finds is what it finds in one go.
#[test]
fn starts_and_attempts_change_no_match() {
    let words = ["a", "ab", "b", " ", "\n", "é", "漢", "ß", "12", "\u{301}", "x\r\n"];
    let mut random = Random::from_seed(7);
    let mut text = |length: usize| -> String {
        (0..length).map(|_| words[(random.next_u64() % words.len() as u64) as usize]).collect()
    };
    let texts: Vec<String> = [1, 3, 10, 100, 3000].into_iter().map(&mut text).collect();
    for source in [
        r"(?=a)ab?",
        r".*b(?=a)",
        r"(?m:.*)12\z",
        r"(?<=b)a|(?<!\n)x$",
        r"\Ax|\Aa|12\Z",
        r"^.+$",
        r"(a)\1+",
        r"\bab\b",
        r"\G(?:a|b)",
        r"(?i)SS",
        r"\X",
        r"漢.{50,}?x",
        r"(?:)|x",
        r"notthere(?!x)",
        r"(?~a)",
        // Some thousand attempts at a start.
        r"(?m:.*)a(?m:.{2})\z|12",
        r"(?m:(?:[^1]|1)*)b\z|x",
        r"(?=(?m:.*)12[^1]*?b)\S+",
    ] {
        let engine = onig::Regex::new(source).unwrap();
        let matcher = Matcher::exact(&regex(source, Dialect::Oniguruma)).unwrap();
        for text in &texts {
            let mut found = Vec::new();
            matcher.find_all(text, &mut found).unwrap();
            let expected: Vec<_> = engine.find_iter(text).map(|(start, end)| start..end).collect();
            assert_eq!(found, expected, "{source} on {} bytes", text.len());
        }
    }
}

#[test]
fn what_divides_texts_is_seen_by_no_match() {
    let divides = |source: &str, c: char| {
        let pattern = Pattern::Regex { source: source.into(), dialect: Dialect::Oniguruma };
        Matcher::new(&pattern).unwrap().scanner().unwrap().divides_at(c)
    };
    for source in [r"\w+|[^\w\s]+", r"'s|\p{L}+|[^\s\p{L}]+", r"\S+", r"a+(?!\S)|\S", r"\w+\b|[^\w\s]"] {
        assert!(divides(source, ' ') && divides(source, '\u{3000}') && divides(source, '\n'), "{source}");
        assert!(!divides(source, 'a') && !divides(source, '漢'), "{source}");
    }
    // Matched, gone over, or looked at before or behind a match.
    for source in [r"\w+| ", r"\w+(?: \w+)?", r"ab(?= )|a", r"(?<! )a", r"^\w+", r"\w*"] {
        assert!(!divides(source, ' '), "{source}");
    }
    assert!(divides(r"[^ ]+", ' ') && !divides(r"[^ ]+", '\n'));
}

/// No engine counts them, and each costs more than the one before.
#[test]
fn repeats_of_repeats_are_counted() {
    for dialect in [Dialect::Oniguruma, Dialect::Fancy] {
        for (repeat, count) in [("?", 1), ("+", 1), ("*", 1), ("{0,3}", 1), ("{2}?", 2)] {
            let of = |times: usize| regex(&format!("b(?:c)a{}", repeat.repeat(times)), dialect);
            let message = Matcher::exact(&of(100 / count + 1)).err().unwrap().to_string();
            let told = format!("{} repeat operators stand one behind another; the limit is 100", 100 + count);
            assert!(message.contains(&told), "{message}");
        }
        // As many in all, but not in a row.
        assert!(Matcher::exact(&regex(&"a?b+".repeat(60), dialect)).is_ok());
    }
}
