//! Sets of characters as sorted ranges.
//!
//! The set algebra and the Unicode 16 tables are those of `regex-syntax`, the tables that fancy-regex itself
//! matches with. Oniguruma carries the same Unicode version; where its classes differ, `properties` says so.

use crate::error::excerpt;
use regex_syntax::hir::{Class, ClassUnicode, ClassUnicodeRange, HirKind};

/// Characters, as sorted disjoint ranges.
pub type CharSet = ClassUnicode;

pub fn single(c: char) -> CharSet {
    CharSet::new([ClassUnicodeRange::new(c, c)])
}

pub fn range(first: char, last: char) -> CharSet {
    CharSet::new([ClassUnicodeRange::new(first, last)])
}

/// Of first and last characters, in order.
pub fn of_ranges(ranges: &[(char, char)]) -> CharSet {
    CharSet::new(ranges.iter().map(|&(first, last)| ClassUnicodeRange::new(first, last)))
}

pub fn any() -> CharSet {
    range('\0', char::MAX)
}

pub fn negated(mut set: CharSet) -> CharSet {
    set.negate();
    set
}

pub fn contains(set: &CharSet, c: char) -> bool {
    let ranges = set.ranges();
    let at = ranges.partition_point(|range| range.end() < c);
    ranges.get(at).is_some_and(|range| range.start() <= c)
}

/// The set and every character that simple case folding joins to it.
pub fn folded(mut set: CharSet) -> CharSet {
    // Fails only where the crate's case tables are compiled out; the manifest asks for them.
    let _ = set.try_case_fold_simple();
    set
}

/// A class written in the syntax of `regex-syntax`: `\p{L}`, `[a-z&&[^m]]`, `\w`.
pub fn parse(source: &str, case_insensitive: bool) -> Result<CharSet, String> {
    let hir = regex_syntax::ParserBuilder::new()
        .case_insensitive(case_insensitive)
        .nest_limit(20)
        .build()
        .parse(source)
        .map_err(|_| format!("the class {} is not understood", excerpt(source)))?;
    match hir.kind() {
        HirKind::Class(Class::Unicode(set)) => Ok(set.clone()),
        // A class of one character arrives as a literal, an impossible one as an empty class.
        HirKind::Literal(literal) => {
            let text = std::str::from_utf8(&literal.0).map_err(|_| "a class of raw bytes".to_string())?;
            let mut chars = text.chars();
            match (chars.next(), chars.next()) {
                (Some(c), None) => Ok(single(c)),
                _ => Err(format!("{} is more than a class", excerpt(source))),
            }
        }
        HirKind::Class(Class::Bytes(bytes)) if bytes.ranges().iter().all(|r| r.end() < 128) => {
            Ok(CharSet::new(
                bytes
                    .ranges()
                    .iter()
                    .map(|r| ClassUnicodeRange::new(char::from(r.start()), char::from(r.end()))),
            ))
        }
        _ => Err(format!("{} is more than a class", excerpt(source))),
    }
}
