//! Look-aheads of any length, alone and in rows of stages, against the engines, one stage after the other.

use super::super::{Joint, Link, MaskedPieces};
use super::{Engine, below, random_text, setting};
use crate::lanes::Bounds;
use crate::lanes::vectors::Level;
use crate::random::Random;
use crate::spec::Dialect;

const O200K: &str = r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+";
const GPT2: &str = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+";
const BOTH: [Dialect; 2] = [Dialect::Oniguruma, Dialect::Fancy];

/// Rows that were published, or might be.
const ROWS: &[&[&str]] = &[
    &[r"(?=(\d{3})+(?!\d))"],
    &[r"(?=(\d{3})+(?!\d))", GPT2],
    &[r"\p{N}+", r"(?=(\d{3})+(?!\d))"],
    &[r"\p{N}+", r"(?=(\d{3})+(?!\d))", GPT2],
    &[r"\d{1,3}(?=(?:\d{3})*\b)", O200K],
    &[r"\d{1,3}(?=(?:\d{3})*\b)", GPT2],
    &[r"\p{N}{1,3}(?=(?:\p{N}{3})*(?:\P{N}|$))", O200K],
    &[r"\p{N}{1,3}(?=(?:\p{N}{3})*(?!\p{N}))|\P{N}+"],
    &[r"(?:\r?\n)+(?!\r?\n)", GPT2],
    &[r"\s+(?=\S\S)|\S+(?! 1)"],
    &[r"(?<=\d)(?=(?:\d\d)+\b)", r"\s+"],
    &[r"(?<!\d)(?=(?:\d\d)+\b)|(?=(?:\d\d\d)+[a-z])"],
];

fn pieces(joint: &Joint, text: &str, level: Level) -> Vec<(usize, usize)> {
    let (mut found, mut bounds, mut more) = (Vec::new(), Bounds::default(), true);
    let mut pieces: MaskedPieces<'_> = joint.pieces(text).unwrap();
    while more {
        bounds.go_on();
        more = pieces.fill(level, &mut bounds);
        let pairs = bounds.starts().iter().zip(bounds.ends());
        found.extend(pairs.map(|(&start, &end)| (start as usize, end as usize)));
    }
    found
}

/// `None` where an engine gives up.
fn one_after_the_other(engines: &[Engine], text: &str) -> Option<Vec<(usize, usize)>> {
    let mut all = vec![(0, text.len())];
    for engine in engines {
        let mut cut = Vec::new();
        for (from, to) in all {
            let found = engine.pieces(&text[from..to])?;
            cut.extend(
                found
                    .iter()
                    .filter(|piece| piece.0 < piece.1)
                    .map(|&(start, end, _)| (from + start, from + end)),
            );
        }
        all = cut;
    }
    Some(all)
}

/// Compares on some texts; how many there were.
fn check(row: &[&str], dialect: Dialect, texts: impl Iterator<Item = String>) -> Result<usize, String> {
    let engines: Option<Vec<Engine>> = row.iter().map(|source| Engine::new(source, dialect)).collect();
    let engines = engines.ok_or("no engine takes it")?;
    let links: Vec<Link<'_>> = row.iter().map(|&source| Link::isolated(source.into(), dialect)).collect();
    let joint = Joint::new(&links)?;
    let mut compared = 0;
    for text in texts.filter(|text| !text.is_empty()) {
        let Some(expected) = one_after_the_other(&engines, &text) else { continue };
        for level in Level::all() {
            let found = pieces(&joint, &text, level);
            assert!(found == expected, "{row:?} {dialect:?} {text:?}\n{found:?}\n{expected:?}");
        }
        compared += 1;
    }
    Ok(compared)
}

/// Numbers of all lengths among other things, also beyond a section and in other scripts.
fn numbers(random: &mut Random) -> String {
    const PARTS: &[&str] = &[
        " ", "a", "_", "\u{301}", "é", "日", ".", ",", "\n", "\r\n", "\r", "²", "½", "Ⅳ", "x", "s", "'s",
        "\0", "😀",
    ];
    let mut text = String::new();
    for _ in 0..below(random, 40) {
        let most = [4, 4, 4, 9, 9, 30, 200, 600][below(random, 8)];
        match below(random, 4) {
            0 => text.push_str(&random_text(random, 3)),
            1 => text.extend((0..below(random, 4)).map(|_| PARTS[below(random, PARTS.len())])),
            2 if below(random, 3) == 0 => {
                let digits = ["٣", "7", "१", "𝟗"];
                text.extend((0..below(random, most)).map(|_| digits[below(random, digits.len())]));
            }
            _ => text.extend((0..below(random, most)).map(|_| ["0", "5", "9"][below(random, 3)])),
        }
    }
    text
}

#[test]
fn published_rows_are_cut_as_by_the_engines() {
    let rounds = setting("TESSELLA_AHEAD_ROUNDS", 40) as usize;
    let mut random = Random::from_seed(setting("TESSELLA_AHEAD_SEED", 3));
    for row in ROWS {
        for dialect in BOTH {
            let texts: Vec<String> = (0..rounds).map(|_| numbers(&mut random)).collect();
            match check(row, dialect, texts.into_iter()) {
                Ok(compared) => assert!(compared > rounds / 2, "{row:?} {compared}"),
                Err(reason) => panic!("{row:?} {dialect:?}: {reason}"),
            }
        }
    }
}

/// Patterns made by chance of parts that look ahead, and rows of them.
#[test]
fn any_look_ahead_is_cut_as_by_the_engines() {
    const BODIES: &[&str] = &[
        "ab",
        "a+b",
        "(?:ab)+",
        "(?:aa)*b",
        "a*$",
        "(?:a|bb)+c",
        r"\bab",
        r"a+\b",
        "a(?!b)",
        "(?<=b)aa",
        "[^a]+c",
        "b+?c",
        "é+a",
        r"\s+x",
        "(?:aaa)+(?!a)",
        "a{2,3}b",
        "(?>a+)b",
        "a++c",
        "^b+c",
        r"(?:\s|a)*\z",
        "ab|ac|",
        "aab|b",
    ];
    const AROUND: &[&str] =
        &["a", "b+", "a{1,3}", "[ab]", "", "(?<=a)", r"\s", "c?", "é", "(?:ab)+", "x|", "(?!c)"];
    let mut random = Random::from_seed(setting("TESSELLA_AHEAD_SEED", 3));
    let (mut joined, mut compared) = (0, 0);
    for _ in 0..setting("TESSELLA_AHEAD_PATTERNS", 400) {
        let sources: Vec<String> = (0..1 + below(&mut random, 3))
            .map(|_| {
                let mut alternative = || {
                    let body = BODIES[below(&mut random, BODIES.len())];
                    let sign = ["=", "!"][below(&mut random, 2)];
                    let mut around = || AROUND[below(&mut random, AROUND.len())];
                    match (around(), around()) {
                        (before, "") => format!("{before}(?{sign}{body})"),
                        (before, "x|") => format!("{before}(?{sign}{body})|"),
                        (before, behind) => format!("{before}(?{sign}{body}){behind}"),
                    }
                };
                let first = alternative();
                if first.len() % 3 == 0 { format!("{first}|{}", alternative()) } else { first }
            })
            .collect();
        let row: Vec<&str> = sources.iter().map(String::as_str).collect();
        let dialect = BOTH[below(&mut random, 2)];
        let texts: Vec<String> = (0..20)
            .map(|round| {
                let few: Vec<&str> = (0..1 + below(&mut random, 5))
                    .map(|_| ["a", "b", "c", " ", "\n", "é", "x"][below(&mut random, 7)])
                    .collect();
                let most = [12, 90, 900][round % 3];
                (0..below(&mut random, most)).map(|_| few[below(&mut random, few.len())]).collect()
            })
            .collect();
        if let Ok(some) = check(&row, dialect, texts.into_iter()) {
            (joined, compared) = (joined + 1, compared + some);
        }
    }
    assert!(joined > 50 && compared > 800, "{joined} {compared}");
}

/// A number of a million digits is looked through once.
#[test]
fn a_million_digits_take_time_in_proportion() {
    let links: Vec<Link<'_>> =
        [r"(?=(\d{3})+(?!\d))", GPT2].map(|source| Link::isolated(source.into(), Dialect::Oniguruma)).into();
    let joint = Joint::new(&links).unwrap();
    for rest in 0..3 {
        let text = format!("a {}", "7".repeat(999_999 + rest));
        let found = pieces(&joint, &text, Level::best());
        // What is left over stands with the blank.
        assert_eq!(found.len(), 2 + 333_333);
        assert_eq!(found[2], (2 + rest, 5 + rest));
    }
}
