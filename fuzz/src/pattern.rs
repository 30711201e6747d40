//! Bytes to regular expressions: a grammar around what tokenizers use, and a little beyond.

use arbitrary::{Result, Unstructured};
use tessella_core::spec::Dialect;

const LITERALS: &[&str] = &[
    "a", "b", "s", "S", "k", "é", "ß", "'", " ", "\\n", "\\r", "\\t", "\\.", "1", "你", "\\u0301", "!", "ſ",
    "İ", "-", "#", "</w>", "ll", "'re",
];

const CLASSES: &[&str] = &[
    "\\s",
    "\\S",
    "\\d",
    "\\D",
    "\\w",
    "\\W",
    "\\p{L}",
    "\\p{Lu}",
    "\\p{N}",
    "\\p{M}",
    "\\p{P}",
    "\\P{L}",
    "\\p{Han}",
    ".",
    "[ab]",
    "[^ab]",
    "[a-z]",
    "[^\\s\\p{L}\\p{N}]",
    "[^\\r\\n\\p{L}\\p{N}]",
    "[\\r\\n]",
    "[\\p{Lu}\\p{Lt}\\p{M}]",
    "[\\p{L}&&[^\\p{Han}]]",
    "[[:alpha:]]",
    "[0-9[a-f]]",
];

const AROUND: &[&str] = &[
    "(?!\\S)",
    "(?=\\s)",
    "(?!a|b)",
    "(?=\\w|$)",
    "$",
    "^",
    "\\b",
    "\\B",
    "\\A",
    "\\z",
    "(?<=a)",
    "(?<!\\s)",
    "(?!$)",
];

const REPEATS: &[&str] =
    &["*", "+", "?", "*?", "+?", "??", "*+", "++", "?+", "{2}", "{1,3}", "{0,2}", "{2,}", "{1,2}?"];

/// Patterns that published tokenizers use.
const PUBLISHED: &[&str] = &[
    r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+",
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+",
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+",
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,2}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
    r"[\r\n]",
    r"\s?[A-Za-zµÀ-ÖØ-öø-ƺ]+",
    r"\s?[!-/:-~！-／：-～‘-‟　-。]+",
    r"\s+$",
    r"[一-龥ࠀ-一가-퟿]+",
    r"\p{N}",
    r"\p{N}{1,3}",
    r"\s+",
    r"[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+",
];

fn pick<'a>(u: &mut Unstructured<'_>, from: &[&'a str]) -> Result<&'a str> {
    u.choose(from).copied()
}

pub fn dialect(u: &mut Unstructured<'_>) -> Result<Dialect> {
    Ok(if u.ratio(1, 2)? { Dialect::Oniguruma } else { Dialect::Fancy })
}

/// One that is used.
pub fn published(u: &mut Unstructured<'_>) -> Result<&'static str> {
    u.choose(PUBLISHED).copied()
}

/// A pattern; not always one that its engine accepts.
pub fn pattern(u: &mut Unstructured<'_>) -> Result<String> {
    if u.ratio(1, 8)? {
        return published(u).map(str::to_string);
    }
    let mut out = String::new();
    if u.ratio(1, 10)? {
        out.push_str("(?i)");
    }
    alternation(u, 0, &mut out)?;
    Ok(out)
}

fn alternation(u: &mut Unstructured<'_>, depth: usize, out: &mut String) -> Result<()> {
    for branch in 0..u.int_in_range(1..=3)? {
        if branch > 0 {
            out.push('|');
        }
        for _ in 0..u.int_in_range(1..=3)? {
            match u.int_in_range(0..=9)? {
                0 => {
                    out.push_str(pick(u, AROUND)?);
                    continue;
                }
                1 if depth < 2 => {
                    out.push_str(pick(u, &["(?:", "(", "(?>", "(?i:"])?);
                    alternation(u, depth + 1, out)?;
                    out.push(')');
                }
                2..=4 => out.push_str(pick(u, LITERALS)?),
                _ => out.push_str(pick(u, CLASSES)?),
            }
            if u.ratio(2, 5)? {
                out.push_str(pick(u, REPEATS)?);
            }
        }
    }
    Ok(())
}
