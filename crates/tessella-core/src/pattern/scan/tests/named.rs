//! The patterns that published tokenizers use.

use super::super::accepted;
use super::*;

const CONTRACTIONS: &str = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)";

/// Name, dialect, pattern.
pub fn patterns() -> Vec<(&'static str, Dialect, String)> {
    use Dialect::{Fancy, Oniguruma};
    let both =
        |name, source: &str| [(name, Oniguruma, source.to_string()), (name, Fancy, source.to_string())];
    let family = |digits: &str, tail: &str| {
        format!(
            r"{CONTRACTIONS}|[^\r\n\p{{L}}\p{{N}}]?\p{{L}}+|{digits}| ?[^\s\p{{L}}\p{{N}}]+[\r\n]*|{tail}"
        )
    };
    let o200k = [
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
        r"\p{N}{1,3}",
        r" ?[^\s\p{L}\p{N}]+[\r\n/]*",
        r"\s*[\r\n]+",
        r"\s+(?!\S)",
        r"\s+",
    ]
    .join("|");
    let tekken = [
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+",
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*",
        r"\p{N}",
        r" ?[^\s\p{L}\p{N}]+[\r\n/]*",
        r"\s*[\r\n]+",
        r"\s+(?!\S)",
        r"\s+",
    ]
    .join("|");
    let kimi = [
        r"[\p{Han}]+",
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]*[\p{Ll}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]+[\p{Ll}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
        r"\p{N}{1,3}",
        r" ?[^\s\p{L}\p{N}]+[\r\n]*",
        r"\s*[\r\n]+",
        r"\s+(?!\S)",
        r"\s+",
    ]
    .join("|");
    let deepseek = r##"[!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"##;
    let clip = r"<\|startoftext\|>|<\|endoftext\|>|'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+";
    let mut all = Vec::new();
    all.extend(both("gpt2", r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"));
    all.extend(both(
        "gpt2 grouped",
        r"'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s",
    ));
    all.extend(both("cl100k", &family(r"\p{N}{1,3}", r"\s*[\r\n]+|\s+(?!\S)|\s+")));
    all.extend(both(
        "cl100k possessive",
        r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s",
    ));
    all.extend(both(
        "cl100k half possessive",
        r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]++[\r\n]*|\s*[\r\n]|\s+(?!\S)|\s+",
    ));
    all.extend(both("o200k", &o200k));
    all.extend(both("llama3", &family(r"\p{N}{1,3}", r"\s*[\r\n]+|\s+(?!\S)|\s+")));
    all.extend(both("qwen2", &family(r"\p{N}", r"\s*[\r\n]+|\s+(?!\S)|\s+")));
    all.extend(both("deepseek-v3 digits", r"\p{N}{1,3}"));
    all.extend(both("deepseek-v3 cjk", "[一-龥\u{3040}-ゟ゠-ヿ]+"));
    all.extend(both("deepseek-v3", deepseek));
    all.extend(both("starcoder digits", r"\p{N}"));
    all.extend(both("clip", clip));
    all.extend(both("clip without case", &format!("(?i){clip}")));
    all.extend(both("falcon digits", "[0-9][0-9][0-9]"));
    all.extend(both("tekken", &tekken));
    all.extend(both("kimi", &kimi));
    all.extend(both("words", r"\w+|[^\w\s]+"));
    all.extend(both("blank", " "));
    all.extend(both("digit", r"\d"));
    all.extend(both("blanks", r"\s+"));
    all.extend(both("newlines", r"\n+"));
    all.extend(both("word edges", r"\b\w+\b|\W"));
    all.extend(both("lines", r"^.*$|\n"));
    all
}

/// The engines accept each pattern that nobody asks them about, and those are the ones of the families.
#[test]
fn what_is_known_to_be_accepted_is_accepted() {
    let families = [
        "gpt2",
        "gpt2 grouped",
        "cl100k",
        "cl100k possessive",
        "cl100k half possessive",
        "o200k",
        "qwen2",
        "tekken",
    ];
    let mut left = accepted::KNOWN.to_vec();
    for (name, dialect, source) in patterns() {
        let number = accepted::number_of(&source, dialect);
        if families.contains(&name) {
            assert!(left.contains(&number), "{name} {dialect:?}");
            left.retain(|known| *known != number);
            accepted::ask_engine(&source, dialect).unwrap();
        }
    }
    assert!(left.is_empty(), "{left:x?}");
    // A number is that of one text in one dialect.
    let [(_, one, source), ..] = &patterns()[..] else { unreachable!() };
    assert!(!accepted::KNOWN.contains(&accepted::number_of(&format!("{source} "), *one)));
}

/// Patterns that stay with the engine, by name and dialect.
const LEFT_TO_THE_ENGINE: &[(&str, Dialect)] = &[("clip without case", Dialect::Oniguruma)];

#[test]
fn named_patterns_match_as_their_engines_do() {
    let mut compiled = 0;
    for (name, dialect, source) in patterns() {
        let scanner = match Scanner::compile(&source, dialect).unwrap() {
            Ok(scanner) => scanner,
            Err(reason) => {
                assert!(LEFT_TO_THE_ENGINE.contains(&(name, dialect)), "{name} {dialect:?}: {reason}");
                continue;
            }
        };
        println!("{name} {dialect:?}: {}", scanner.explain());
        compiled += 1;
        let engine = Engine::new(&source, dialect).unwrap();
        let mut random = Random::from_seed(7);
        for round in 0..setting("TESSELLA_SCAN_TEXTS", 300) {
            let text = random_text(&mut random, if round % 10 == 0 { 300 } else { 24 });
            check(&source, &scanner, &engine, &text)
                .unwrap_or_else(|error| panic!("{name} {dialect:?}: {error}"));
        }
    }
    assert!(compiled > 40, "only {compiled} patterns were compiled");
}

/// Each would take hours if a byte were looked at again and again. `TESSELLA_SCAN_BYTES` sets the size.
#[test]
fn hostile_texts_take_linear_time() {
    let size = setting("TESSELLA_SCAN_BYTES", 1_500_000) as usize;
    let sources = [
        r"'s|'t| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+",
        r"\s*[\r\n]+|\s+(?!\S)|\s+",
        r"a*b|a",
        r"a+b",
        r"(?:a|b)*c|(?:aa)*d|a",
        r" *x| +y| z",
    ];
    let texts =
        [" ".repeat(size), "a".repeat(size), "ab".repeat(size / 2), format!("{}\n", " \t".repeat(size / 2))];
    for source in sources {
        let scanner = Scanner::compile(source, Dialect::Oniguruma).unwrap().unwrap();
        for text in &texts {
            let mut covered = 0;
            scanner.for_each_piece(text, |start, end, _| {
                assert_eq!(start, covered);
                covered = end;
            });
            assert_eq!(covered, text.len(), "{source}");
            scanner.find_at(text, 0);
        }
    }
}

/// Long vain runs, where checkpoints come into play, against the engine.
#[test]
fn long_runs_match_as_the_engine_does() {
    let sources = [
        "a*b|a",
        "a+b",
        "(?:a|b)*c|(?:aa)*d|a",
        " *x| +y| z",
        r"\s*[\r\n]+|\s+(?!\S)|\s+",
        "(?:ab)*c|a|bab",
        "(?:aaa)*b|aa|é",
    ];
    let mut random = Random::from_seed(11);
    for source in sources {
        let scanner = Scanner::compile(source, Dialect::Oniguruma).unwrap().unwrap();
        let engine = Engine::new(source, Dialect::Oniguruma).unwrap();
        for _ in 0..40 {
            let mut text = String::new();
            for _ in 0..1 + below(&mut random, 8) {
                let unit = ["a", "ab", "b", " ", "aé", "c", "\n", "x", "ba"][below(&mut random, 9)];
                text.push_str(&unit.repeat(below(&mut random, 150)));
            }
            check(source, &scanner, &engine, &text).unwrap_or_else(|error| panic!("{error}"));
        }
    }
}

/// Patterns made to be expensive to compile: refused or compiled, but soon.
#[test]
fn hostile_patterns_compile_or_refuse_soon() {
    let nested = |open: &str, inside: &str, close: &str, depth: usize| {
        open.repeat(depth) + inside + &close.repeat(depth)
    };
    let sources = [
        nested("(?i:", "s", ")+", 39),
        nested("(?:", "a", "){256}", 39),
        nested("(?:a|", "b", ")*", 39),
        nested("[a", "b", "]", 9),
        nested("(", "x", ")", 100_000),
        nested("[", "x", "]", 100_000),
        "a".repeat(100_000),
        "(?:a|b)*a".to_string() + &"(?:a|b)".repeat(40),
        "[ab]*a[ab]{200}".to_string(),
        (0..20_000u32)
            .filter_map(|i| char::from_u32(0x4E00 + i))
            .map(|c| format!("{c}|"))
            .collect::<String>()
            + "a",
        "\\p{L}{1,250}\\p{N}{1,250}|".repeat(20),
        "a{99999999999999999999}".to_string(),
        "(?>a+b)+".repeat(1000),
    ];
    for source in &sources {
        for dialect in [Dialect::Oniguruma, Dialect::Fancy] {
            let started = std::time::Instant::now();
            let outcome = Scanner::compile(source, dialect).unwrap();
            let start: String = source.chars().take(20).collect();
            println!(
                "{start} {dialect:?} {:?} {:?}",
                started.elapsed(),
                outcome.map(|scanner| scanner.explain())
            );
            assert!(started.elapsed().as_secs() < 20, "{start} takes {:?}", started.elapsed());
        }
    }
}
