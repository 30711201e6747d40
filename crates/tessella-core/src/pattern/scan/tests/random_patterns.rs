//! Random patterns over the grammar that the scanner accepts, and a little beyond, on random texts.
//!
//! `TESSELLA_SCAN_PATTERNS` and `TESSELLA_SCAN_SEED` make the run bigger or different.

use super::*;

#[rustfmt::skip]
const LITERALS: &[&str] = &[
    "a", "b", "s", "t", "S", "k", "l", "f", "é", "ß", "'", " ", "\\n", "\\r", "\\t", "\\.", "1", "你",
    "\\u0301", "!", "ſ", "\\x{3000}", "\\-", "#",
];

#[rustfmt::skip]
const CLASSES: &[&str] = &[
    "\\s", "\\S", "\\d", "\\D", "\\w", "\\W", "\\h", "\\p{L}", "\\p{Lu}", "\\p{Ll}", "\\p{N}", "\\p{M}",
    "\\p{P}", "\\P{L}", "\\p{Han}", ".", "[ab]", "[^ab]", "[a-z]", "[^\\s\\p{L}\\p{N}]", "[\\p{L}\\p{M}]",
    "[\\r\\n]", "[^\\r\\n\\p{L}\\p{N}]", "[\\p{Lu}\\p{Lt}\\p{M}]", "[\\s\\d]", "[a-zA-Z_]",
    "[\\p{L}&&[^\\p{Han}]]", "[^a-z&&\\w]", "[s]", "[^s]", "[a\\-z]", "[-a]", "[a-]", "[.,!?]",
    "[[:alpha:]]", "[[:^space:]]", "[\\w-]", "[\\S\\n]", "[0-9[a-f]]",
];

#[rustfmt::skip]
const AROUND: &[&str] = &[
    "(?!\\S)", "(?=\\s)", "(?=[ab])", "(?!a)", "(?!a|b)", "(?=\\w|$)", "$", "^", "\\b", "\\B", "\\A", "\\z",
    "(?<=a)", "(?<!\\s)", "(?<![ab])", "(?!\\w)", "(?=.)", "(?!$)",
];

const REPEATS: &[&str] = &[
    "*", "+", "?", "*?", "+?", "??", "*+", "++", "?+", "{2}", "{1,3}", "{0,2}", "{2,}", "{1,2}?", "{1,3}+",
    "{,2}", "{2}+",
];

struct Writer<'a> {
    random: &'a mut Random,
    out: String,
}

impl Writer<'_> {
    fn pick(&mut self, from: &[&str]) {
        let index = below(self.random, from.len());
        self.out.push_str(from[index]);
    }

    fn chance(&mut self, percent: usize) -> bool {
        below(self.random, 100) < percent
    }

    fn alternation(&mut self, depth: usize) {
        let most = if depth == 0 { 5 } else { 3 };
        for index in 0..1 + below(self.random, most) {
            if index > 0 {
                self.out.push('|');
            }
            self.concatenation(depth);
        }
    }

    fn concatenation(&mut self, depth: usize) {
        if self.chance(2) {
            return;
        }
        for _ in 0..1 + below(self.random, 3) {
            match below(self.random, 100) {
                0..10 => {
                    self.pick(AROUND);
                    continue;
                }
                10..35 => self.pick(LITERALS),
                35..80 => self.pick(CLASSES),
                _ if depth < 3 => {
                    self.pick(&["(?:", "(?:", "(", "(?i:", "(?i:", "(?>"]);
                    self.alternation(depth + 1);
                    self.out.push(')');
                }
                _ => self.pick(CLASSES),
            }
            if self.chance(45) {
                self.pick(REPEATS);
            }
        }
    }
}

#[test]
fn random_patterns_match_as_their_engines_do() {
    let wanted = setting("TESSELLA_SCAN_PATTERNS", 300) as usize;
    let mut random = Random::from_seed(setting("TESSELLA_SCAN_SEED", 3));
    let mut compiled = 0;
    let mut refused = std::collections::BTreeMap::new();
    let mut wrong = Vec::new();
    while compiled < wanted {
        let mut writer = Writer { random: &mut random, out: String::new() };
        if writer.chance(10) {
            writer.out.push_str("(?i)");
        }
        writer.alternation(0);
        let source = writer.out;
        let dialect = [Dialect::Oniguruma, Dialect::Fancy][below(&mut random, 2)];
        let scanner = match Scanner::compile(&source, dialect).unwrap() {
            Ok(scanner) => scanner,
            Err(reason) => {
                *refused.entry(reason).or_insert(0) += 1;
                continue;
            }
        };
        let engine = Engine::new(&source, dialect).expect("the scanner asks the engine first");
        compiled += 1;
        for _ in 0..50 {
            let text = random_text(&mut random, 20);
            if let Err(error) = check(&source, &scanner, &engine, &text) {
                wrong.push(format!("{dialect:?} {error}"));
                break;
            }
        }
    }
    let total: usize = refused.values().sum();
    println!("{compiled} patterns compared, {total} left to the engine");
    let mut refused: Vec<_> = refused.into_iter().collect();
    refused.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    for (reason, count) in refused.iter().take(25) {
        println!("{count:6} {reason}");
    }
    wrong.sort_by_key(String::len);
    assert!(wrong.is_empty(), "{} wrong: {:#?}", wrong.len(), &wrong[..wrong.len().min(25)]);
}
