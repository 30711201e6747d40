//! Character classes by name, as each dialect's engine defines them.
//!
//! Both engines carry Unicode 16. fancy-regex hands its classes to `regex-syntax`, so those are taken as they
//! are. For Oniguruma only names on the lists below are accepted; a test walks all code points through the
//! engine for each of them.

use crate::error::excerpt;

use super::set::{self, CharSet};

/// General categories by the short names that both engines know.
pub const CATEGORIES: &[&str] = &[
    "L", "Lu", "Ll", "Lt", "LC", "Lm", "Lo", "M", "Mn", "Mc", "Me", "N", "Nd", "Nl", "No", "P", "Pc", "Pd",
    "Ps", "Pe", "Pi", "Pf", "Po", "S", "Sm", "Sc", "Sk", "So", "Z", "Zs", "Zl", "Zp", "C", "Cc", "Cf", "Cn",
    "Co",
];

/// General categories by their long names.
#[rustfmt::skip]
pub const LONG_CATEGORIES: &[&str] = &[
    "Letter", "Uppercase_Letter", "Lowercase_Letter", "Titlecase_Letter", "Modifier_Letter", "Other_Letter",
    "Mark", "Nonspacing_Mark", "Spacing_Mark", "Enclosing_Mark", "Number", "Decimal_Number",
    "Letter_Number", "Other_Number", "Punctuation", "Symbol", "Math_Symbol", "Currency_Symbol",
    "Modifier_Symbol", "Other_Symbol", "Separator", "Space_Separator", "Other", "Format",
];

/// Scripts and binary properties that tokenizers use.
#[rustfmt::skip]
pub const PROPERTIES: &[&str] = &[
    "Alphabetic", "Arabic", "Armenian", "Bengali", "Bopomofo", "Cherokee", "Common", "Coptic", "Cyrillic",
    "Devanagari", "Ethiopic", "Georgian", "Greek", "Gujarati", "Gurmukhi", "Han", "Hangul", "Hebrew",
    "Hiragana", "Inherited", "Kannada", "Katakana", "Khmer", "Lao", "Latin", "Lowercase", "Malayalam",
    "Mongolian", "Myanmar", "Oriya", "Sinhala", "Syriac", "Tamil", "Telugu", "Thaana", "Thai", "Tibetan",
    "Uppercase", "White_Space",
];

/// POSIX bracket names, as Oniguruma reads them over Unicode.
pub const POSIX: &[&str] = &[
    "alnum", "alpha", "ascii", "blank", "cntrl", "digit", "graph", "lower", "print", "punct", "space",
    "upper", "xdigit", "word",
];

/// Spelling does not matter to Oniguruma: case, spaces, hyphens and underscores are dropped.
fn plain(name: &str) -> String {
    name.chars().filter(|c| !matches!(c, ' ' | '-' | '_')).map(|c| c.to_ascii_lowercase()).collect()
}

/// `\w` of Oniguruma outside of brackets, which is also what `\b` looks at: below U+0100 an older table counts
/// superscript digits and fractions too.
pub fn oniguruma_bare_word() -> Result<CharSet, String> {
    let mut word = oniguruma_posix("word")?;
    word.union(&set::parse(r"[\u{B2}\u{B3}\u{B9}\u{BC}-\u{BE}]", false)?);
    Ok(word)
}

/// `\p{name}` of Oniguruma, if its content is known to be the same as ours; `bare` outside of brackets.
pub fn oniguruma(name: &str, bare: bool) -> Result<CharSet, String> {
    let wanted = plain(name);
    match wanted.as_str() {
        "word" if bare => return oniguruma_bare_word(),
        // The property and the POSIX bracket of this name are two sets.
        "punct" => return set::parse(r"\p{P}", false),
        _ => {}
    }
    if let Some(known) = POSIX.iter().find(|known| plain(known) == wanted) {
        return oniguruma_posix(known);
    }
    let known = [CATEGORIES, LONG_CATEGORIES, PROPERTIES]
        .into_iter()
        .flatten()
        .find(|known| plain(known) == wanted)
        .ok_or_else(|| format!("the property \\p{{{}}} is left to the engine", excerpt(name)))?;
    set::parse(&format!("\\p{{{known}}}"), false)
}

/// `[[:name:]]` of Oniguruma, and its `\p{name}` but for the exceptions in [`oniguruma`].
pub fn oniguruma_posix(name: &str) -> Result<CharSet, String> {
    let source = match name {
        "alnum" => r"[\p{Alphabetic}\p{Nd}]",
        "alpha" => r"\p{Alphabetic}",
        "ascii" => r"[\x00-\x7F]",
        "blank" => r"[\p{Zs}\t]",
        "cntrl" => r"\p{Cc}",
        "digit" => r"\p{Nd}",
        "graph" => r"[^\p{White_Space}\p{Cc}\p{Cn}]",
        "lower" => r"\p{Lowercase}",
        "print" => r"[[^\p{White_Space}\p{Cc}\p{Cn}]\p{Zs}]",
        "punct" => r"[\p{P}\p{S}]",
        "space" => r"\p{White_Space}",
        "upper" => r"\p{Uppercase}",
        "xdigit" => r"[0-9A-Fa-f]",
        "word" => r"[\p{Alphabetic}\p{M}\p{Nd}\p{Pc}]",
        _ => return Err(format!("the bracket [:{}:] is left to the engine", excerpt(name))),
    };
    set::parse(source, false)
}

/// Names that fancy-regex rewrites before it asks `regex-syntax`; they are left to the engine.
const REWRITTEN_BY_FANCY: &[&str] = &[
    "alnum", "blank", "cntrl", "word", "graph", "print", "punct", "digit", "lower", "upper", "space",
    "xdigit", "alpha", "ascii", "cs",
];

/// `\p{name}` of fancy-regex.
pub fn fancy(name: &str, ignore_case: bool) -> Result<CharSet, String> {
    let plain_name = name.trim_start_matches('^').to_lowercase();
    if REWRITTEN_BY_FANCY.contains(&plain_name.as_str()) || name.starts_with('^') {
        return Err(format!("the property \\p{{{}}} is left to the engine", excerpt(name)));
    }
    set::parse(&format!("\\p{{{plain_name}}}"), ignore_case)
}
